"""RobotView: a robot of a Sim, to command and to read."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from haptos import _core
from haptos.errors import refuse

if TYPE_CHECKING:
    from haptos._core import Robot

Row = NDArray[np.float64]


class RobotView:
    """A robot or a rigid body of a Sim, from sim.robots[name].

    Coordinates and velocities are those of all joints, one after the other: an angle [rad] or a
    distance [m] for most; a quaternion w x y z and an angular velocity for a ball joint; x y z [m]
    and w x y z, linear [m/s] and angular velocity [rad/s] for a free base, whose coordinates are its
    link's pose in the world. coordinates(joint) and unknowns(joint) say where each lies. Arrays
    have the env axis first; what is set may leave it out. Commands, torques and wrenches hold from
    the next step until they are changed, are part of the state, and go back with reset().
    """

    def __init__(self, sim: _core.Sim, name: str) -> None:
        self.name = name
        self._core = _core.robot_view(sim, name)
        self._slots = {joint: (slice(q, q + nq), slice(v, v + nv))
                       for joint, q, nq, v, nv in self._core.slots()}
        self._motors = self._core.motor_names()
        self._links = self._core.link_names()

    @property
    def robot(self) -> Robot:
        """A copy of the description, its base where the scene placed it."""
        return self._core.robot()

    @property
    def joint_names(self) -> list[str]:
        """Joints that move, in the order of the coordinates."""
        return list(self._slots)

    @property
    def link_names(self) -> list[str]:
        """Links, parents first."""
        return list(self._links)

    @property
    def motor_names(self) -> list[str]:
        """Motors, in the order of commands and efforts."""
        return list(self._motors)

    def coordinates(self, joint: str) -> slice:
        """Where the coordinates of a joint lie in position."""
        return self._slot(joint)[0]

    def unknowns(self, joint: str) -> slice:
        """Where the velocities of a joint lie in velocity, acceleration and torque."""
        return self._slot(joint)[1]

    def _slot(self, joint: str) -> tuple[slice, slice]:
        if joint not in self._slots:
            near = _core.nearest_name(joint, list(self._slots))
            refuse(f'robot "{self.name}", joint "{joint}"', "", "is no joint that moves",
                   f'did you mean "{near}"?' if near else "joint_names lists them")
        return self._slots[joint]

    # -- reading -------------------------------------------------------------------------------

    @property
    def position(self) -> Row:
        """Coordinates of all joints, (env, nq)."""
        return self._core.position()[None]

    @property
    def velocity(self) -> Row:
        """Velocities of all joints, (env, nv)."""
        return self._core.velocity()[None]

    @property
    def acceleration(self) -> Row:
        """Mean accelerations over the last step, (env, nv); zero before the first."""
        return self._core.acceleration()[None]

    @property
    def effort(self) -> Row:
        """Torque [N m] or force [N] of each motor in the last step, (env, motors)."""
        return self._core.efforts()[None]

    @property
    def command(self) -> Row:
        """What the motors are told, (env, motors, 3): position [rad or m], velocity, feed-forward
        [N m or N]."""
        return self._core.commands()[None]

    @property
    def link_poses(self) -> Row:
        """Poses of all links in the world, (env, links, 7): x y z [m], w x y z."""
        return self._core.link_poses()[None]

    def link_pose(self, link: str) -> Row:
        """Pose of a link's frame in the world, (env, 7): x y z [m], w x y z."""
        return self._core.link_pose(self._core.link(link))[None]

    def link_velocity(self, link: str) -> Row:
        """Velocity of a link's origin [m/s] and its angular velocity [rad/s], world, (env, 6)."""
        return self._core.link_velocity(self._core.link(link))[None]

    # -- control -------------------------------------------------------------------------------

    def set_command(self, position: Any = None, velocity: Any = None, effort: Any = None) -> None:
        """Tells the motors where to go; what is left out stays as it is.

        position [rad or m], velocity [rad/s or m/s], effort (feed-forward, added to what the gains
        ask) [N m or N]: a row (motors,) or (1, motors), one number for all, or a mapping from
        names of motors. The law is u = kp (position - q) + kd (velocity - v) + effort and, with ki,
        the integral, within the motor's bound. Raises InputError and changes nothing for other
        names and shapes and for numbers that are not finite.
        """
        rows = self._core.commands().copy()
        for column, (what, value) in enumerate(
                (("position", position), ("velocity", velocity), ("effort", effort))):
            if value is not None:
                rows[:, column] = self._row(what, value, rows[:, column])
        if not np.isfinite(rows).all():
            refuse(f'robot "{self.name}" command', "", "must be finite", "give finite numbers")
        self._core.set_commands(rows)

    def _row(self, what: str, value: Any, present: Row) -> Row:
        if isinstance(value, Mapping):
            row = present.copy()
            for name, v in value.items():
                row[self._core.motor(name)] = v
            return row
        array = np.asarray(value, float)
        if array.shape == (1, len(present)):
            array = array[0]
        if array.shape not in ((), present.shape):
            refuse(f'robot "{self.name}" {what}', f"shape {array.shape}",
                   f"must have one number for each of {len(present)} motors",
                   "motor_names lists them")
        return np.broadcast_to(array, present.shape)

    def set_state(self, position: ArrayLike | Mapping[str, Any] | None = None,
                  velocity: ArrayLike | Mapping[str, Any] | None = None) -> None:
        """Puts the robot there, without a step; what is left out stays as it is.

        position (nq,), velocity (nv,), or mappings from names of joints. Nothing looks whether it
        then overlaps others. Raises InputError and changes nothing for what does not fit.
        """
        q, v = self._core.position().copy(), self._core.velocity().copy()
        for row, part, value in ((q, 0, position), (v, 1, velocity)):
            if isinstance(value, Mapping):
                for joint, x in value.items():
                    row[self._slot(joint)[part]] = x
            elif value is not None:
                array = np.asarray(value, float)
                array = array[0] if array.shape == (1, len(row)) else array
                if array.shape != row.shape:
                    refuse(f'robot "{self.name}" ' + ("velocity" if part else "position"),
                           f"shape {array.shape}", f"must have {len(row)} numbers",
                           "joint_names and coordinates() say which")
                row[:] = array
        self._core.set_state(q, v)

    def set_torque(self, torque: ArrayLike) -> None:
        """Joint forces (nv,) beside those of motors [N m] or [N]."""
        array = np.asarray(torque, float)
        self._core.set_torque(array[0] if array.ndim == 2 and len(array) == 1 else array)

    def set_wrench(self, link: str, force: ArrayLike = (0.0, 0.0, 0.0),
                   torque: ArrayLike = (0.0, 0.0, 0.0)) -> None:
        """Pushes a link: force (3) at its centre of mass [N], torque (3) about it [N m], world."""
        self._core.set_wrench(self._core.link(link), force, torque)

    def __repr__(self) -> str:
        return (f"haptos.RobotView({self.name!r}, {len(self._links)} links, "
                f"{self._core.v_count()} degrees of freedom, {len(self._motors)} motors)")
