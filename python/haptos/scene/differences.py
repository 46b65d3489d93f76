"""What differs from environment to environment of a Sim, beside what its robots and material points
have (haptos.RobotView, haptos.scene.material_points): gravity, friction, mass, and the stiffness of
soft bodies."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from haptos.base.arrays import in_place
from haptos.base.errors import refuse
from haptos.meshes.given import fit_rows
from haptos.scene.readings import Readings


class Differences(Readings):
    """What a Sim sets by environment. Each holds from the next step on and is part of the state."""

    @property
    def gravity(self) -> NDArray[np.float64]:
        """Of each environment, (env, 3) [m/s2], world frame."""
        return in_place(np.array([c.gravity() for c in self._each]))

    def stiffness_scale(self, soft: str) -> NDArray[np.float64]:
        """Factor of the stiffness of a soft body, (env,)."""
        return in_place(np.array([c.stiffness_scale(soft) for c in self._each]))

    def set_stiffness_scale(self, soft: str, scale: ArrayLike) -> None:
        """Sets that factor from the next step on, a number or (env,), 0.001 to 1000.

        It multiplies Young's modulus, and with it damping and stress; contact keeps its own modulus.
        It is part of the state: saved, loaded, and 1 again after reset().
        """
        rows = fit_rows(f'stiffness factor of "{soft}"', scale, (self.envs,))
        for sim, row in zip(self._each, rows, strict=True):
            sim.set_stiffness_scale(soft, float(row))

    def friction_scale(self, name: str) -> NDArray[np.float64]:
        """Factor of the friction of a body, a robot or a half-space, (env,)."""
        return in_place(np.array([c.friction_scale(name) for c in self._each]))

    def set_friction_scale(self, name: str, scale: ArrayLike) -> None:
        """Sets that factor from the next step on, a number or (env,), 0 to 1000.

        It multiplies the coefficients of the body, or of all links of a robot, before those of two
        bodies are combined; what a pair sets itself stays. What stands in a scene without friction
        gets none by a factor. It is part of the state: saved, loaded, and 1 again after reset().
        """
        rows = fit_rows(f'friction factor of "{name}"', scale, (self.envs,))
        for sim, row in zip(self._each, rows, strict=True):
            sim.set_friction_scale(name, float(row))

    def mass_scale(self, name: str) -> NDArray[np.float64]:
        """Factor of the mass of a soft, an affine or a rigid body, or of a link ("robot/link"),
        (env,)."""
        if (link := self._link(name)) is not None:
            return link[0].mass_scale(link[1])
        return in_place(np.array([c.mass_scale(name) for c in self._each]))

    def set_mass_scale(self, name: str, scale: ArrayLike) -> None:
        """Sets that factor from the next step on, a number or (env,), 1e-6 to 1e6.

        It multiplies density, and with it mass and inertia; contact keeps its stiffness, and
        mass() its value. Raises InputError for a soft body that is a layer or is glued to a body that moves
        freely. It is part of the state: saved, loaded, and 1 again after reset().
        """
        if (link := self._link(name)) is not None:
            link[0].set_mass_scale(link[1], scale)
            return
        rows = fit_rows(f'mass factor of "{name}"', scale, (self.envs,))
        for sim, row in zip(self._each, rows, strict=True):
            sim.set_mass_scale(name, float(row))

    def set_gravity(self, gravity: ArrayLike) -> None:
        """Sets gravity from the next step on, (3) or (env, 3) [m/s2], world frame.

        From then on it is part of the state: saved, loaded, and the scene's again after reset().
        Loads that are read of the last step (reaction(), inertia_wrench()) are told with the
        gravity of now.
        """
        if np.ndim(gravity) == 0:
            refuse("gravity", gravity, "must be three numbers, or three for each environment",
                   "for example (0, 0, -9.81)")
        rows = fit_rows("gravity", gravity, (self.envs, 3))
        for sim, row in zip(self._each, rows, strict=True):
            sim.set_gravity(row)
