"""What an agent does: parts of the action of haptos.learn.VectorEnv.

Each function makes a part. Its numbers have limits, in SI units; an environment shows them to the
agent as -1 to 1. A part needs no more than a Sim, so that scripts may use it too:
part.bind(sim, period).apply(values).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from haptos.base.errors import refuse
from haptos.meshes.given import remedy_for

if TYPE_CHECKING:
    from haptos.robots.view import RobotView
    from haptos.scene.sim import Sim

Row = NDArray[np.float64]


class BoundAction(NamedTuple):
    """A part of the action in a Sim."""

    names: list[str]  #: of its numbers
    low: Row  #: (n)
    high: Row  #: (n)
    apply: Callable[[Row], None]  #: takes (env, n) within low and high, before the steps


@dataclass(frozen=True)
class Action:
    """A part of an action: bind(sim, period) gives it in a Sim that acts every `period` [s]."""

    bind: Callable[[Sim, float], BoundAction]


def joint_targets(robot: str, motors: Sequence[str] | None = None, *,
                  low: ArrayLike | None = None, high: ArrayLike | None = None) -> Action:
    """Where motors send their joints [rad] or [m].

    robot: its name; motors: their names, None takes all; low, high: a number or one for each motor,
    None takes the limits of the joints.
    """
    def bind(sim: Sim, period: float) -> BoundAction:
        view, at, names = _motors(sim, robot, motors)
        ways = [_way(view, k) for k in at]
        lows, highs = _limits(f'joint_targets of robot "{robot}"', names, low, high,
                              [w.lower for w in ways], [w.upper for w in ways])
        return BoundAction(names, lows, highs, lambda x: _command(view, at, position=x))

    return Action(bind)


def joint_velocities(robot: str, motors: Sequence[str] | None = None, *,
                     limit: ArrayLike | None = None, low: ArrayLike | None = None,
                     high: ArrayLike | None = None) -> Action:
    """How fast motors move their joints [rad/s] or [m/s].

    A motor with kp = 0 holds this velocity by kd alone. The place that one with kp pulls to moves
    along, by the velocity times the time of an action, and stays within low and high. limit: of the
    velocity, a number or one for each motor, None takes the speed of the joints; low, high: of the
    place, None takes the limits of the joints; robot, motors: as of joint_targets().
    """
    def bind(sim: Sim, period: float) -> BoundAction:
        view, at, names = _motors(sim, robot, motors)
        ways = [_way(view, k) for k in at]
        speeds = [w.speed for w in ways]
        lows, highs = _limits(f'joint_velocities of robot "{robot}"', names,
                              None if limit is None else -np.abs(limit), limit,
                              [-s for s in speeds], speeds)
        least = _row(names, low, [w.lower for w in ways])
        most = _row(names, high, [w.upper for w in ways])

        def apply(x: Row) -> None:
            place = np.clip(view.command[:, at, 0] + x * period, least, most)
            _command(view, at, position=place, velocity=x)

        return BoundAction(names, lows, highs, apply)

    return Action(bind)


def joint_torques(robot: str, motors: Sequence[str] | None = None, *,
                  limit: ArrayLike | None = None) -> Action:
    """What motors exert beside what their gains ask for [N m] or [N].

    limit: a number or one for each motor, None takes the effort of the motors; robot, motors: as of
    joint_targets().
    """
    def bind(sim: Sim, period: float) -> BoundAction:
        view, at, names = _motors(sim, robot, motors)
        efforts = [view.robot.motors[k].effort for k in at]
        lows, highs = _limits(f'joint_torques of robot "{robot}"', names,
                              None if limit is None else -np.abs(limit), limit,
                              [-e for e in efforts], efforts)
        return BoundAction(names, lows, highs, lambda x: _command(view, at, effort=x))

    return Action(bind)


def body_target(name: str, low: ArrayLike, high: ArrayLike, *, speed: float) -> Action:
    """Where a prescribed body goes [m], world, as it is turned now.

    low, high (3): corners of the box that it stays in; equal numbers leave an axis out, and the
    body at that height; speed [m/s]: it comes nearer by speed times the time of an action at most.
    """
    box = np.asarray([low, high], float)
    who = f'body_target of "{name}"'
    if box.shape != (2, 3) or not np.isfinite(box).all() or (box[0] > box[1]).any():
        refuse(who, f"{low}, {high}", "must be two corners of a box, three numbers each",
               "for example (-0.1, -0.1, 0.02), (0.1, 0.1, 0.02)")
    if not speed > 0:
        refuse(f"{who} speed", speed, "must be greater than 0", "give it in m/s")
    free = np.flatnonzero(box[0] < box[1])

    def bind(sim: Sim, period: float) -> BoundAction:
        if name not in sim.names("prescribed"):
            refuse(f'"{name}"', "", "is no prescribed body",
                   remedy_for(name, sim.names("prescribed"), "the scene has none"))

        def apply(x: Row) -> None:
            pose = sim.pose(name)
            want = np.broadcast_to(box[0], (sim.envs, 3)).copy()
            want[:, free] = x
            way = want - pose[:, :3]
            far = np.linalg.norm(way, axis=1, keepdims=True)
            part = np.minimum(1.0, speed * period / np.maximum(far, 1e-12))
            sim.set_target(name, pose[:, :3] + part * way, pose[:, 3:])

        return BoundAction([f"{name} {'xyz'[k]}" for k in free], box[0][free], box[1][free], apply)

    return Action(bind)


def constraint_targets(constraints: str | Sequence[str], *, low: ArrayLike | None = None,
                       high: ArrayLike | None = None) -> Action:
    """Where motors of hinges and sliders between bodies send them [rad] or [m].

    constraints: their names; low, high: a number or one for each, None takes their limits.
    """
    names = [constraints] if isinstance(constraints, str) else list(constraints)

    def bind(sim: Sim, period: float) -> BoundAction:
        for name in names:
            sim.constraint_command(name)  # refuses those without a motor
        known = {c["name"]: c["limits"] or (-math.inf, math.inf) for c in sim.entries["constraints"]}
        lows, highs = _limits("constraint_targets", names, low, high,
                              [known[n][0] for n in names], [known[n][1] for n in names])

        def apply(x: Row) -> None:
            for k, name in enumerate(names):
                sim.set_constraint_command(name, position=x[:, k])

        return BoundAction(names, lows, highs, apply)

    return Action(bind)


# -- parts -----------------------------------------------------------------------------------------


def _motors(sim: Sim, robot: str, motors: Sequence[str] | None
            ) -> tuple[RobotView, list[int], list[str]]:
    """The robot, numbers of the motors, and their names."""
    view = sim.robots[robot]
    known = view.motor_names
    names = known if motors is None else [motors] if isinstance(motors, str) else list(motors)
    for name in names:
        if name not in known:
            refuse(f'robot "{robot}"', f'"{name}"', "is no motor of it",
                   remedy_for(str(name), known, "it has none"))
    if not names:
        refuse(f'robot "{robot}"', "", "has no motors that could act",
               'describe some where it is added: add_robot(..., motors={"kp": 100, "kd": 10})')
    return view, [known.index(n) for n in names], names


@dataclass(frozen=True)
class _Way:
    """How far and how fast what a motor drives may go, [rad] or [m]."""

    lower: float
    upper: float
    speed: float


def _way(view: RobotView, motor: int) -> _Way:
    robot = view.robot
    name = robot.motors[motor].joint
    joints = {j.name: j for j in robot.joints}
    if name in joints:
        return _Way(joints[name].lower, joints[name].upper, joints[name].speed)
    tendon = next(t for t in robot.tendons if t.name == name)
    ends = np.sort([[w * joints[j].lower, w * joints[j].upper] for j, w in tendon.joints.items()])
    speed = sum(abs(w) * joints[j].speed for j, w in tendon.joints.items())
    return _Way(max(tendon.lower, ends[:, 0].sum()), min(tendon.upper, ends[:, 1].sum()), speed)


def _row(names: list[str], given: ArrayLike | None, default: Sequence[float]) -> Row:
    """One number for each name."""
    value = np.asarray(default if given is None else given, float)
    if value.shape not in ((), (len(names),)):
        refuse("limits", f"shape {value.shape}", f"must be one number, or one for each of "
               + ", ".join(names), "give SI units")
    return np.broadcast_to(value, len(names)).copy()


def _limits(who: str, names: list[str], low: ArrayLike | None, high: ArrayLike | None,
            least: Sequence[float], most: Sequence[float]) -> tuple[Row, Row]:
    """Limits that an agent can be shown: finite, low below high."""
    lows, highs = _row(names, low, least), _row(names, high, most)
    for name, a, b in zip(names, lows, highs, strict=True):
        if not (math.isfinite(a) and math.isfinite(b) and a < b):
            refuse(who, f'"{name}" from {a:g} to {b:g}', "must have finite limits",
                   "give them where the action is described, as limit= or low= and high=")
    return lows, highs


def _command(view: RobotView, at: list[int], **columns: Row) -> None:
    """Commands of some motors; the others keep theirs."""
    rows = view.command
    for k, what in enumerate(("position", "velocity", "effort")):
        if what in columns:
            rows[:, at, k] = columns[what]
    view.set_command(position=rows[:, :, 0], velocity=rows[:, :, 1], effort=rows[:, :, 2])
