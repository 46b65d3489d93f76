"""The kinds of scans by name, with their parameters: what the command lists and takes."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from dataclasses import dataclass

from haptos import _core, scans
from haptos.base.errors import refuse
from haptos.base.units import parse_quantity, show_length
from haptos.meshes.given import remedy_for

Value = float | int | tuple[float, ...]


@dataclass(frozen=True)
class Parameter:
    """A keyword of a kind. unit: "m" or ""; whole: takes whole numbers only; three: takes three."""

    meaning: str
    unit: str = ""
    whole: bool = False
    three: bool = False

    def read(self, text: str, name: str) -> Value:
        """The value of a text, lengths with units."""
        parts = text.split(",") if self.three else [text]
        if self.three and len(parts) != 3:
            refuse(name, text, "must be three lengths", "for example 22mm,15mm,8mm")
        values = [parse_quantity(part, self.unit, name) for part in parts]
        if self.three:
            return tuple(values)
        if not self.whole:
            return values[0]
        if not float(values[0]).is_integer():
            refuse(name, text, "must be a whole number", "for example 1000")
        return int(values[0])

    def show(self, value: Value) -> str:
        """A value as read() takes it."""
        if isinstance(value, tuple):
            return ",".join(self.show(v) for v in value)
        return show_length(value).replace(" ", "") if self.unit == "m" else f"{value:g}"


@dataclass(frozen=True)
class Kind:
    """A kind of scan: the function that makes it, what it is, and its parameters."""

    make: Callable[..., _core.TriMesh]
    what: str
    parameters: dict[str, Parameter]

    def default(self, name: str) -> Value:
        """What a parameter is where it is left out."""
        return inspect.signature(self.make).parameters[name].default


_ROOM = {
    "edge": Parameter("longest edge", "m"),
    "missing": Parameter("share of the surface that the scanner has not seen, in patches"),
    "roughness": Parameter("standard deviation of each coordinate", "m"),
}
_TRIANGLES = "even number of triangles"

KINDS = {
    "mug": Kind(scans.mug, "open shell of a mug with a handle, rough, its rims frayed", {}),
    "terrain": Kind(scans.terrain, "square of fractal ground", {
        "size": Parameter("side of the square", "m"),
        "cells": Parameter("cells along a side", whole=True),
        "spread": Parameter("standard deviation of the heights", "m"),
        "hurst": Parameter("0 jagged to 1 smooth")}),
    "ladder": Kind(scans.ladder, "ladder of 3.5 m on a floor, seen from the front", _ROOM),
    "chair": Kind(scans.chair, "office chair on a floor, seen from the front", _ROOM),
    "fingertip": Kind(scans.fingertip, "pad of a gripper's finger, a box with round edges", {
        "triangles": Parameter("number of triangles, a multiple of 4", whole=True),
        "size": Parameter("sides", "m", three=True),
        "radius": Parameter("of the round edges", "m")}),
    "box": Kind(scans.random_box, "box whose faces are cut into triangles at random", {
        "triangles": Parameter(_TRIANGLES, whole=True),
        "size": Parameter("sides", "m", three=True)}),
    "plane": Kind(scans.plane, "square plane cut into triangles at random", {
        "triangles": Parameter(_TRIANGLES, whole=True),
        "size": Parameter("side of the square", "m"),
        "jitter": Parameter("how far nodes are shifted, in cells, less than 0.5")}),
}


ROBOT = "humanoid"  #: a robot's file and its meshes, not one mesh: haptos.scans.write_humanoid()


def find_kind(name: str) -> Kind:
    """A kind by its name. Raises InputError with the nearest one."""
    if name not in KINDS:
        refuse("scan", name, "is no kind of scan", remedy_for(name, [*KINDS, ROBOT], ""))
    return KINDS[name]


def read_parameters(name: str, settings: list[str]) -> dict[str, Value]:
    """Keywords for a kind from NAME=VALUE texts."""
    kind = find_kind(name)
    values: dict[str, Value] = {}
    for text in settings:
        key, equals, value = (part.strip() for part in text.partition("="))
        if not equals:
            refuse("--set", text, "must be NAME=VALUE", "haptos scan --list has the names")
        if key not in kind.parameters:
            refuse("--set", key, f"is no parameter of {name}",
                   remedy_for(key, list(kind.parameters), "it has none"))
        values[key] = kind.parameters[key].read(value, key)
    return values
