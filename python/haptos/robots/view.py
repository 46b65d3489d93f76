"""RobotView: a robot of a Sim, to command and to read."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from haptos import _core
from haptos.base.errors import refuse
from haptos.meshes.given import chosen_envs, fit_rows, remedy_for
from haptos.robots.sensors import RobotSensor, robot_sensors

if TYPE_CHECKING:
    from haptos._core import Robot

Row = NDArray[np.float64]


class RobotView:
    """A robot or a rigid body of a Sim, from sim.robots[name].

    Coordinates and velocities are those of all joints, one after the other: an angle [rad] or a
    distance [m] for most; a quaternion w x y z and an angular velocity for a ball joint; x y z [m]
    and w x y z, linear [m/s] and angular velocity [rad/s] for a free base, whose coordinates are its
    link's pose in the world. coordinates(joint) and unknowns(joint) say where each lies. Arrays
    have the env axis first; what is set may leave it out.
    Commands, torques and wrenches hold from
    the next step until they are changed, are part of the state, and go back with reset().
    """

    def __init__(self, batch: _core.Batch, name: str) -> None:
        self.name = name
        self._envs = batch.envs()
        self._core = batch.robots(name)
        self._slots = {joint: (slice(q, q + nq), slice(v, v + nv))
                       for joint, q, nq, v, nv in self._core.slots()}
        self._motors = self._core.motor_names()
        self._links = self._core.link_names()
        self._sensors = robot_sensors(batch, name)

    @property
    def sensors(self) -> Mapping[str, RobotSensor]:
        """The robot's sensors by name; docs/sensors/robots.md says what each kind reads."""
        return self._sensors

    @property
    def robot(self) -> Robot:
        """A copy of the description, its base where the scene placed it."""
        return self._core.robot()

    def robot_of(self, env: int) -> Robot:
        """The same of one environment, where they are of several scenes."""
        return self._core.robot(env)

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
            refuse(f'robot "{self.name}", joint "{joint}"', "", "is no joint that moves",
                   remedy_for(str(joint), list(self._slots), "it has none"))
        return self._slots[joint]

    # -- reading -------------------------------------------------------------------------------

    @property
    def position(self) -> Row:
        """Coordinates of all joints, (env, nq)."""
        return self._core.position()

    @property
    def tendons(self) -> dict[str, Row]:
        """How far each tendon is, by name, (env,) [m]."""
        q = self.position
        return {t.name: sum((w * q[:, self.coordinates(j).start] for j, w in t.joints.items()),
                            np.zeros(len(q)))
                for t in self.robot.tendons}

    @property
    def velocity(self) -> Row:
        """Velocities of all joints, (env, nv)."""
        return self._core.velocity()

    @property
    def acceleration(self) -> Row:
        """Mean accelerations over the last step, (env, nv); zero before the first."""
        return self._core.acceleration()

    @property
    def effort(self) -> Row:
        """Torque [N m] or force [N] of each motor in the last step, (env, motors)."""
        return self._core.efforts()

    @property
    def command(self) -> Row:
        """What the motors are told, (env, motors, 3): position [rad or m], velocity, feed-forward
        [N m or N]."""
        return self._core.commands()

    @property
    def link_poses(self) -> Row:
        """Poses of all links in the world, (env, links, 7): x y z [m], w x y z."""
        return self._core.link_poses()

    def link_pose(self, link: str) -> Row:
        """Pose of a link's frame in the world, (env, 7): x y z [m], w x y z."""
        return self._core.link_pose(self._core.link(link))

    def link_velocity(self, link: str) -> Row:
        """Velocity of a link's origin [m/s] and its angular velocity [rad/s], world, (env, 6)."""
        return self._core.link_velocity(self._core.link(link))

    # -- control -------------------------------------------------------------------------------

    def set_command(self, position: Any = None, velocity: Any = None, effort: Any = None) -> None:
        """Tells the motors where to go; what is left out stays as it is.

        position [rad or m], velocity [rad/s or m/s], effort (feed-forward, added to what the gains
        ask) [N m or N]: an array (env, motors), a row (motors,), one number for all, or a mapping
        from names of motors to numbers or (env,). The law is u = kp (position - q) + kd (velocity
        - v) + effort and, with ki, the integral, within the motor's bound. Raises InputError and
        changes nothing for other names and shapes and for numbers that are not finite.
        """
        self._core.set_commands(self._columns(
            self._core.commands(), position=position, velocity=velocity, effort=effort))

    @property
    def gains(self) -> Row:
        """kp, kd and ki of the motors, (env, motors, 3)."""
        return self._core.gains()

    def set_gains(self, kp: Any = None, kd: Any = None, ki: Any = None) -> None:
        """Changes gains, as set_command() changes commands; reset() brings those of the scene."""
        rows = self._columns(self._core.gains(), kp=kp, kd=kd, ki=ki)
        if (rows < 0).any():
            refuse(f'robot "{self.name}" gains', "", "must be 0 or more", "give SI units")
        self._core.set_gains(rows)

    def _columns(self, rows: Row, **columns: Any) -> Row:
        """rows (env, motors, 3) with some of its columns changed."""
        if not self._motors and any(v is not None for v in columns.values()):
            refuse(f'robot "{self.name}"', "", "has no motors that could take it",
                   'describe some where it is added: add_robot(..., motors={"kp": 100, "kd": 10}); '
                   "set_torque() needs none")
        for k, (what, value) in enumerate(columns.items()):
            if isinstance(value, Mapping):
                for name, v in value.items():
                    if name not in self._motors:
                        refuse(f'robot "{self.name}" {what}', f'"{name}"', "is no motor of it",
                               remedy_for(str(name), self._motors, ""))
                    rows[:, self._motors.index(name), k] = self._fit(f'{what} of "{name}"', v, ())
            elif value is not None:
                rows[:, :, k] = self._fit(what, value, rows.shape[1:2], self._motors)
        return rows

    def _fit(self, what: str, value: Any, shape: tuple[int, ...],
             columns: Sequence[str] = ()) -> Row:
        return fit_rows(f'robot "{self.name}" {what}', value, (self._envs, *shape), columns)

    def set_state(self, position: ArrayLike | Mapping[str, Any] | None = None,
                  velocity: ArrayLike | Mapping[str, Any] | None = None,
                  mask: ArrayLike | None = None) -> None:
        """Puts the robot there, without a step; what is left out stays as it is.

        position (env, nq) or (nq,), velocity (env, nv) or (nv,), or mappings from names of joints;
        mask (env,): only in environments where it is true. Nothing looks whether it then overlaps others. Raises InputError and changes nothing for
        what does not fit.
        """
        rows = []
        for part, value, now in ((0, position, self._core.position()),
                                 (1, velocity, self._core.velocity())):
            what = ("position", "velocity")[part]
            if isinstance(value, Mapping):
                for joint, x in value.items():
                    at = self._slot(joint)[part]
                    n = at.stop - at.start
                    array = np.asarray(x, float)
                    if n == 1 and array.ndim < 2:
                        now[:, at] = self._fit(what, array, ())[:, None]
                    else:
                        now[:, at] = self._fit(what, array, (n,))
            elif value is not None:
                now = self._fit(what, value, now.shape[1:], self._numbers(part))
            rows.append(now)
        self._core.set_state(*rows, chosen_envs(mask, self._envs).astype(float))

    def set_torque(self, torque: ArrayLike) -> None:
        """Joint forces (env, nv) or (nv,) beside those of motors [N m] or [N]."""
        self._core.set_torque(self._fit("torque", torque, (self._core.v_count(),),
                                        self._numbers(1)))

    def _numbers(self, part: int) -> list[str]:
        """What each coordinate (part 0) or velocity (1) is of."""
        return [joint if s[part].stop - s[part].start == 1 else f"{joint} {i}"
                for joint, s in self._slots.items() for i in range(s[part].stop - s[part].start)]

    def set_wrench(self, link: str, force: ArrayLike = (0.0, 0.0, 0.0),
                   torque: ArrayLike = (0.0, 0.0, 0.0)) -> None:
        """Pushes a link: force (env, 3) or (3) at its centre of mass [N], torque (env, 3) or (3)
        about it [N m], world."""
        self._core.set_wrench(self._core.link(link), self._fit("force", force, (3,)),
                              self._fit("torque", torque, (3,)))

    # -- what differs from environment to environment ------------------------------------------

    @property
    def friction_scale(self) -> Row:
        """Factor of the coefficients of friction of all its shapes, (env,)."""
        return self._core.friction_scale()

    def set_friction_scale(self, scale: ArrayLike) -> None:
        """Sets that factor, a number or (env,), 0 to 1000; reset() brings back 1."""
        self._core.set_friction_scale(self._fit("friction scale", scale, ()))

    def mass_scale(self, link: str) -> Row:
        """Factor of mass and inertia of a link, with all that is fixed to it, (env,)."""
        return self._core.mass_scale(self._core.link(link))

    def set_mass_scale(self, link: str, scale: ArrayLike) -> None:
        """Sets that factor, a number or (env,), 1e-6 to 1e6; reset() brings back 1."""
        self._core.set_mass_scale(self._core.link(link), self._fit("mass scale", scale, ()))

    def __repr__(self) -> str:
        return (f"haptos.RobotView({self.name!r}, {len(self._links)} links, "
                f"{self._core.v_count()} degrees of freedom, {len(self._motors)} motors)")
