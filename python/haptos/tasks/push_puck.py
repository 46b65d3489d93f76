"""PushPuck: a fingertip over a table pushes a puck to a goal.

All is rigid, so that two cores take thousands of actions a second.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from haptos import _core
from haptos.learn import actions, observations, starts
from haptos.learn.single_env import single_maker
from haptos.learn.vector_env import VectorEnv
from haptos.scene.scene import Scene

REACH = 0.3  # of the fingertip, from the middle of the table along x and y [m]
TIP, PUCK = 0.02, 0.03  # radii [m]
THICK = 0.02  # of the puck [m]
SPEED = 0.5  # of the fingertip along x and y [m/s]
GOAL = 0.03  # how near the puck has to come [m]


def push_puck_scene() -> Scene:
    """A fingertip on two slides over a table, and a puck of 100 g."""
    scene = Scene(dt=0.02)
    scene.add_half_space("table")
    scene.add_robot("finger", _finger(), position=(0, 0, TIP + 0.001), friction=0.3)
    puck = _core.RobotShape("cylinder", (PUCK, THICK / 2))
    scene.add_rigid("puck", puck, mass=0.1, position=(0.1, 0, THICK / 2), friction=0.4)
    return scene


def _finger() -> _core.Robot:
    inertia = np.eye(3) * 1e-4  # [kg m2]; nothing turns
    links = [_core.RobotLink("slide", 0.2, inertia=inertia),
             _core.RobotLink("tip", 0.2, inertia=inertia,
                             collisions=[_core.RobotShape("sphere", (TIP,))])]
    joints = [_core.RobotJoint(name, "prismatic", k - 1, k, axis=axis, lower=-REACH, upper=REACH,
                               speed=SPEED)
              for k, (name, axis) in enumerate((("x", (1, 0, 0)), ("y", (0, 1, 0))))]
    motors = [_core.RobotMotor(name, kd=40.0, effort=10.0) for name in ("x", "y")]
    return _core.Robot("finger", links, joints, motors=motors)


class PushPuck(VectorEnv):
    """Pushes a puck to within 3 cm of a goal.

    The action is the velocity of the fingertip along x and y, .5 m/s at 1. Observed are places and
    velocities of fingertip and puck, where the goal lies from the puck, and the force on the
    fingertip. The reward is how much nearer to the goal the puck came [m] times 10, a third of that
    for the fingertip's way to a place behind the puck, and 5 at the goal, where the episode ends.
    info["is_success"] says whether it is reached.
    """

    def __init__(self, num_envs: int = 1, *, max_episode_steps: int | None = 100, **options: Any
                 ) -> None:
        """options: of VectorEnv."""
        self._goal = np.zeros((num_envs, 2))  # [m], world
        self._last = np.zeros((num_envs, 2))  # way of the puck and of the fingertip to go [m]
        see = observations
        super().__init__(
            push_puck_scene(), num_envs,
            actions=[actions.joint_velocities("finger")],
            observations=[
                see.joint_positions("finger", scale=5),
                see.joint_velocities("finger", scale=2),
                see.value(lambda sim: self._puck() - sim.robots["finger"].position, scale=5),
                see.value(lambda sim: sim.velocity("puck")[:, :2], scale=2),
                see.value(lambda sim: self._goal - self._puck(), scale=5),
                see.contact_force("finger/tip", scale=0.2)],
            starts=[starts.joints("finger", {"x": (-0.2, 0.2), "y": (-0.2, 0.2)})],
            frame_skip=2, max_episode_steps=max_episode_steps, **options)

    def place(self, mask: NDArray[np.bool_]) -> None:
        """Draws the places of puck and goal: clear of the fingertip, and of each other."""
        puck = self.sim.robots["puck"]
        position, velocity = puck.position, np.zeros_like(puck.velocity)
        tip = self.sim.robots["finger"].position
        for k in np.flatnonzero(mask):
            place = _clear(self.generators[k], 0.15, tip[k], TIP + PUCK + 0.02)
            position[k, :2] = place
            self._goal[k] = _clear(self.generators[k], 0.25, place, 0.12)
        puck.set_state(position, velocity, mask)
        self._last[mask] = self._ways()[mask]

    def reward(self) -> NDArray[np.float64]:
        """How much nearer puck and fingertip came, and what reaching the goal is worth."""
        ways = self._ways()
        nearer = self._last - ways
        self._last = ways
        return 10 * nearer[:, 0] + 10 / 3 * nearer[:, 1] + 5.0 * self.terminated()

    def terminated(self) -> NDArray[np.bool_]:
        """Whether the puck is at the goal."""
        return np.linalg.norm(self._goal - self._puck(), axis=1) < GOAL

    def info(self) -> dict[str, NDArray[Any]]:
        """is_success."""
        return {"is_success": self.terminated()}

    def _puck(self) -> NDArray[np.float64]:
        return self.sim.robots["puck"].position[:, :2]

    def _ways(self) -> NDArray[np.float64]:
        """From the puck to the goal, and from the fingertip to where it pushes from [m]."""
        way = self._goal - self._puck()
        far = np.linalg.norm(way, axis=1, keepdims=True)
        behind = self._puck() - (TIP + PUCK) * way / np.maximum(far, 1e-9)
        return np.stack([far[:, 0], np.linalg.norm(
            behind - self.sim.robots["finger"].position, axis=1)], axis=1)


def _clear(random: np.random.Generator, half: float, of: NDArray[np.float64], distance: float
           ) -> NDArray[np.float64]:
    """A place within +-half [m] that is `distance` from another at least."""
    while True:
        place = random.uniform(-half, half, 2)
        if np.linalg.norm(place - of) > distance:
            return place


make_single = single_maker(PushPuck)
