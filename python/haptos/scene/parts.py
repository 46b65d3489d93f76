"""Parts of a scene's entries, as people give them: histories of loads, shapes, starts,
motors."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from haptos import _core
from haptos.base.errors import refuse
from haptos.meshes.given import kind_of, number, remedy_for


def histories(value: Any, what: str) -> list[tuple[Any, Any]]:
    """Pairs (time, value) of a constant, or of pairs."""
    try:
        rows = list(value)
    except TypeError:
        return [(0.0, value)]
    if not rows or not hasattr(rows[0], "__len__") or isinstance(rows[0], str):
        return [(0.0, value)]
    for row in rows:
        if not hasattr(row, "__len__") or len(row) != 2:
            refuse(what, repr(row), "must be a pair (time, value)", "for example (0.1, 250.0)")
    return [(row[0], row[1]) for row in rows]


def shapes_of(shape: Any, who: str) -> list[_core.RobotShape]:
    """A shape, or several."""
    shapes = [shape] if not isinstance(shape, Iterable) or isinstance(shape, str) else list(shape)
    for one in shapes:
        if not isinstance(one, _core.RobotShape):
            refuse(f"{who} shape", kind_of(one), "must be a RobotShape, or several",
                   'for example haptos.RobotShape("box", extents=(0.1, 0.1, 0.1)) or '
                   'haptos.RobotShape("hull", mesh=surface)')
    return shapes


def start_of(who: str, robot: _core.Robot, start: Mapping[str, Any]) -> dict[str, list[float]]:
    """Coordinates of joints by name; texts may have units."""
    units = {j.name: "m" if j.kind == "prismatic" else "rad" for j in robot.joints}
    rows = {}
    for joint, value in start.items():
        if joint not in units:
            refuse(f"{who} start", f'"{joint}"', "is no joint of this robot",
                   remedy_for(str(joint), list(units), "it has no joints"))
        many = value if hasattr(value, "__len__") and not isinstance(value, str) else [value]
        rows[joint] = [number(v, units[joint], f"{who} start of {joint}") for v in many]
    return rows


_GAINS = ("kp", "kd", "ki", "integral_limit", "effort")


def _need_keys(who: str, given: Any, known: Sequence[str], rule: str) -> None:
    if not isinstance(given, Mapping):
        refuse(who, kind_of(given), rule, 'for example {"kp": 100, "kd": 5}')
    for key in given:
        if key not in known:
            refuse(who, repr(key), "is not known", "write some of " + ", ".join(known))


def axis_of(who: str, turns: bool, limits: Sequence[float | str | None] | None,
            reference: float | str, motor: Mapping[str, Any] | None) -> dict[str, Any]:
    """What acts along the free direction of a constraint, as the core takes it."""
    unit, effort = ("rad", "N m") if turns else ("m", "N")
    if limits is None:
        limits = (None, None)
    if isinstance(limits, str) or not hasattr(limits, "__len__") or len(limits) != 2:
        refuse(f"{who} limits", kind_of(limits), "must be two, the lower and the upper one",
               "give (lower, upper), None for a side without")
    bounds = [none if q is None else number(q, unit, f"{who} limits")
              for q, none in zip(limits, (-math.inf, math.inf), strict=True)]
    if motor is not None:
        _need_keys(f"{who} motor", motor, (*_GAINS, "position", "velocity"), "must be a mapping")
        units = {"position": unit, "velocity": f"{unit}/s", "effort": effort,
                 "integral_limit": effort}
        motor = {k: number(v, units.get(k, ""), f"{who} motor {k}") for k, v in motor.items()}
    return {"limits": tuple(bounds), "reference": number(reference, unit, f"{who} reference"),
            "motor": motor}


def motors_of(name: str, robot: _core.Robot, motors: Mapping[str, Any]) -> list[_core.RobotMotor]:
    """A motor for each joint that `motors` describes."""
    _need_keys(f'robot "{name}" motors', motors, ("joints", *_GAINS),
               "must be a mapping or a list of mappings")
    joints = {j.name: j for j in robot.joints}
    driven = motors.get("joints")
    if driven is None:
        driven = [n for n, j in joints.items()
                  if j.kind in ("revolute", "prismatic") and j.mimic is None]
    driven = [driven] if isinstance(driven, str) else driven
    gains = {k: number(v, "", f'robot "{name}" motors {k}') for k, v in motors.items()
             if k != "joints"}
    made = []
    for joint in driven:
        if joint not in joints:
            refuse(f'robot "{name}" motors', repr(joint), "is no joint of this robot",
                   remedy_for(str(joint), list(joints), "it has no joints"))
        made.append(_core.RobotMotor(joint, **{"effort": joints[joint].effort} | gains))
    return made
