"""Lift: two fingers with soft tactile pads close on a ball, lift it, and feel whether it slips."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from haptos import _core
from haptos.learn import actions, observations, starts
from haptos.learn.single_env import single_maker
from haptos.learn.vector_env import VectorEnv
from haptos.scene.scene import Scene

BALL, MASS = 0.012, 0.04  # radius [m], mass [kg]
PAD = (0.018, 0.018, 0.005)  # width, depth, thickness [m]
ELEMENT = 0.0045  # of the pads: coarse, for speed [m]
OPEN = 0.006  # between pad and ball at the start [m]
WANDER = 0.003  # of the ball at the start, along x and y [m]
RISE = 0.03  # of the hoist [m]
GRIP = 6.0  # what a finger's motor can exert [N]
SUCCESS = 0.02  # how high the ball has to be held [m]


def lift_scene() -> Scene:
    """A hoist with two fingers, a pad and a tactile camera on each, a ball on the floor."""
    scene = Scene(dt=0.01)
    scene.contact.support = 2e-4
    scene.add_robot("gripper", _gripper())
    pad = _core.box_pad(*PAD, 0.0, _core.PadGrading.uniform(ELEMENT))
    s = np.sqrt(0.5)
    for name, side in (("left", -1), ("right", 1)):
        scene.add_soft(name, pad.mesh, material={"young": 2e5, "poisson": 0.45,
                                                 "stiffness_damping": 0.01},
                       element="linear", frame=f"gripper/{name}",
                       position=(-side * (0.004 + PAD[2]), 0, 0),
                       quaternion=(s, 0, -side * s, 0),  # the gel looks inwards
                       glue={f"gripper/{name}": pad.base_vertices}, coat=pad.coat, friction=0.8)
        scene.add_sensor(name, name, camera=_core.TactileCamera.orthographic(32, 32, 5e-4))
    # Coarse facets: what meets a gel is the surface as it is.
    ball = _core.RobotShape("hull", mesh=_core.icosphere(BALL, 0.004))
    scene.add_rigid("ball", ball, mass=MASS, position=(0, 0, BALL), friction=0.8)
    scene.add_half_space("floor", friction=0.3)
    return scene


def _gripper() -> _core.Robot:
    links = [_core.RobotLink("hoist", 0.5, inertia=np.eye(3) * 1e-4)]
    joints = [_core.RobotJoint("lift", "prismatic", -1, 0, axis=(0, 0, 1), lower=0, upper=RISE,
                               speed=0.1)]
    half = (0.004, PAD[0] / 2, PAD[1] / 2)  # [m]
    for k, (name, side) in enumerate((("left", -1), ("right", 1)), start=1):
        links.append(_core.RobotLink(name, 0.1, inertia=np.eye(3) * 1e-5,
                                     collisions=[_core.RobotShape("box", half_extents=half)]))
        joints.append(_core.RobotJoint(
            name, "prismatic", 0, k, axis=(-side, 0, 0), lower=0, upper=OPEN + 0.003, speed=0.05,
            frame=(side * (BALL + OPEN + PAD[2] + half[0]), 0, BALL + 1e-3, 1, 0, 0, 0)))
    motors = [_core.RobotMotor("lift", kp=2e4, kd=5e2),
              *(_core.RobotMotor(f, kp=3e3, kd=1e2, effort=GRIP) for f in ("left", "right"))]
    return _core.Robot("gripper", links, joints, motors=motors)


class Lift(VectorEnv):
    """Lifts a ball of 40 g by 20 mm with two soft fingers, from the floor.

    The action is how fast the hoist and each finger move. Observed are "joints" (places and
    velocities), "ball" (where it is from the hoist), "touch" (force on each gel, its own frame) and
    "left" and "right", 8 x 8 depths of the gels [mm]. The reward is how much higher the ball came
    [m] times 100, and 5 where it is held high, where the episode ends. info["is_success"] says
    whether it is.
    """

    def __init__(self, num_envs: int = 1, *, max_episode_steps: int | None = 60, **options: Any
                 ) -> None:
        """options: of VectorEnv."""
        self._last = np.zeros(num_envs)  # height of the ball [m]
        see = observations
        super().__init__(
            lift_scene(), num_envs,
            actions=[actions.joint_velocities("gripper")],
            observations={
                "joints": see.value(lambda sim: np.concatenate(
                    [100 * sim.robots["gripper"].position, 10 * sim.robots["gripper"].velocity],
                    axis=1)),
                "ball": see.body_position("ball", "gripper/hoist", scale=50),
                "touch": see.value(lambda sim: np.concatenate(
                    [sim.sensors[n].touch().force for n in ("left", "right")], axis=1), scale=0.2),
                "left": see.tactile_depth("left", (8, 8)),
                "right": see.tactile_depth("right", (8, 8))},
            starts=[starts.place("ball", (-WANDER, -WANDER, BALL), (WANDER, WANDER, BALL))],
            frame_skip=4, max_episode_steps=max_episode_steps, **options)

    def place(self, mask: NDArray[np.bool_]) -> None:
        """The ball lies where the scene has it."""
        self._last[mask] = self._height()[mask]

    def reward(self) -> NDArray[np.float64]:
        """How much higher the ball came, and what holding it high is worth."""
        height = self._height()
        higher = height - self._last
        self._last = height
        return 100 * higher + 5.0 * self.terminated()

    def terminated(self) -> NDArray[np.bool_]:
        """Whether the ball is held high."""
        return self._height() > SUCCESS

    def info(self) -> dict[str, NDArray[Any]]:
        """is_success."""
        return {"is_success": self.terminated()}

    def _height(self) -> NDArray[np.float64]:
        return self.sim.pose("ball")[:, 2] - BALL


make_single = single_maker(Lift)
