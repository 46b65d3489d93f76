"""What a Sim reads of its constraints, and tells the motors of hinges and sliders."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from haptos.base.errors import refuse
from haptos.meshes.given import fit_rows
from haptos.scene.readings import Readings, Wrench


class Constraints(Readings):
    """The constraints of a Sim."""

    def constraint_wrench(self, name: str, about: ArrayLike = (0.0, 0.0, 0.0)) -> Wrench:
        """What a constraint did to its first body at the end of the last step; the second one felt
        the opposite."""
        return self._wrench("constraint_wrench", name, about)

    def constraint_error(self, name: str) -> NDArray[np.float64]:
        """How far a constraint was open at the start of the last step, by what it does not leave
        free: its points [m], its frames [rad]; (env, 2)."""
        return self._stack("constraint_error", name)

    def constraint_position(self, name: str) -> NDArray[np.float64]:
        """How far the first body of a hinge is turned against the second one [rad], counted on over
        full turns, or that of a slider shifted [m]; (env,). 0 is where frame lies on frame."""
        return self._stack("constraint_axis", name)[:, 0]

    def constraint_velocity(self, name: str) -> NDArray[np.float64]:
        """The rate of constraint_position() [rad/s] or [m/s], (env,)."""
        return self._stack("constraint_axis", name)[:, 1]

    def constraint_effort(self, name: str) -> NDArray[np.float64]:
        """What the motor of a hinge or a slider did to its first body in the last step [N m] or [N],
        (env,); 0 without one."""
        return self._stack("constraint_axis", name)[:, 2]

    def constraint_command(self, name: str) -> NDArray[np.float64]:
        """What the motor of a hinge or a slider is told, (env, 3): position [rad or m], velocity,
        feed-forward [N m or N]."""
        return self._stack("constraint_command", name)

    def constraint_gains(self, name: str) -> NDArray[np.float64]:
        """kp, kd and ki of the motor of a hinge or a slider, (env, 3)."""
        return self._stack("constraint_gains", name)

    def set_constraint_command(self, name: str, position: ArrayLike | None = None,
                               velocity: ArrayLike | None = None,
                               effort: ArrayLike | None = None) -> None:
        """Tells the motor of a hinge or a slider where to go; what is left out stays as it is.

        position [rad or m], velocity [rad/s or m/s], effort (feed-forward) [N m or N]: a number or
        (env,), in the law of RobotView.set_command(). It is part of the state. Raises InputError and
        changes nothing for a constraint without a motor, other shapes and numbers that are not
        finite.
        """
        rows = self._axis_rows(name, self.constraint_command(name), position=position,
                               velocity=velocity, effort=effort)
        for core, row in zip(self._each, rows.tolist(), strict=True):
            core.set_constraint_command(name, *row)

    def set_constraint_gains(self, name: str, kp: ArrayLike | None = None,
                             kd: ArrayLike | None = None, ki: ArrayLike | None = None) -> None:
        """Changes gains, as set_constraint_command() changes commands; reset() brings those of the
        scene."""
        rows = self._axis_rows(name, self.constraint_gains(name), kp=kp, kd=kd, ki=ki)
        if (rows < 0).any():
            refuse(f'constraint "{name}" gains', "", "must be 0 or more", "give SI units")
        for core, row in zip(self._each, rows.tolist(), strict=True):
            core.set_constraint_gains(name, *row)

    def _axis_rows(self, name: str, rows: NDArray[np.float64],
                   **columns: ArrayLike | None) -> NDArray[np.float64]:
        """rows (env, 3) with some of its columns changed."""
        for k, (what, value) in enumerate(columns.items()):
            if value is not None:
                rows[:, k] = fit_rows(f'constraint "{name}" {what}', value, (self.envs,))
        return rows
