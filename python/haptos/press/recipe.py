"""What a data set of presses is made of: shapes, places, turns, depths or forces, materials.

A recipe says for each of these one value, several, or a range. Without a count the values make a
grid; with one each press is drawn. What press k does follows from the recipe, the seed and k alone,
so it is the same alone and among others, on any machine.
"""

from __future__ import annotations

import hashlib
import json
import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from haptos import _core
from haptos.base.errors import refuse
from haptos.base.turns import product
from haptos.base.units import known_units, parse_quantity
from haptos.meshes.given import kind_of, number
from haptos.tactile.quality import DEFAULT_QUALITY

MOST_PRESSES = 1_000_000
MODELS = ("soft", "hydroelastic", "height-map")


class Quantity(NamedTuple):
    """A number that presses of a data set may differ in; SI units."""

    unit: str
    default: float | None  #: None: what the sensor has
    low: float
    high: float  #: least and largest value
    about: str
    example: str


_ANGLE = 2 * math.pi * (1 + 1e-12)
QUANTITIES: dict[str, Quantity] = {
    "x": Quantity("m", 0.0, -1, 1, "place on the pad along the columns of the image", "2mm"),
    "y": Quantity("m", 0.0, -1, 1, "place on the pad along the rows of the image, upward", "2mm"),
    "tilt": Quantity("rad", 0.0, 0, 0.5 * math.pi, "how far the object leans over", "10deg"),
    "tilt_toward": Quantity("rad", 0.0, -_ANGLE, _ANGLE,
                            "the side that it leans to, from +x towards +y", "90deg"),
    "yaw": Quantity("rad", 0.0, -_ANGLE, _ANGLE,
                    "turn about the vertical, before it leans", "90deg"),
    "depth": Quantity("m", None, 0, 1, "how far it is pressed in from where it touches first",
                      "0.5mm"),
    "force": Quantity("N", None, 0, 1e6, "instead of a depth, what the gel is to push back with",
                      "1N"),
    "young": Quantity("Pa", None, 0, 1e12, "Young's modulus of the gel", "300kPa"),
    "poisson": Quantity("", None, 0, 0.5, "Poisson's ratio of the gel", "0.48"),
    "friction": Quantity("", None, 0, 10, "coefficient of friction of gel and object", "0.8"),
    "shear": Quantity("m", 0.0, 0, 1, "how far the object then moves aside", "0.3mm"),
    "shear_toward": Quantity("rad", 0.0, -_ANGLE, _ANGLE, "where to, from +x towards +y", "90deg"),
}
#: of a height map, which has no forces
WITHOUT_GEL = ("x", "y", "tilt", "tilt_toward", "yaw", "depth")


class Range(NamedTuple):
    """A range that each press draws from, evenly: haptos.Range("0.2 mm", "1 mm").

    low, high: in SI units, or texts with units.
    """

    low: float | str
    high: float | str


@dataclass(frozen=True)
class Choice:
    """What one quantity may be: the values of a list, or all between two of them."""

    values: tuple[float, ...]
    drawn: bool = False  #: whether it is a range; values are then its ends

    def as_json(self) -> Any:
        """For the recipe in the file."""
        if self.drawn:
            return {"range": list(self.values)}
        return self.values[0] if len(self.values) == 1 else {"values": list(self.values)}

    def draw(self, share: float) -> float:
        """The value at a share from 0 to 1, 1 excluded."""
        if self.drawn:
            low, high = self.values
            return low + (high - low) * share
        return self.values[int(share * len(self.values))]


def read_choice(name: str, value: Any) -> Choice:
    """A number, a text with a unit, a list of such, a Range, or a text "0.2..1 mm". Raises
    InputError."""
    unit = QUANTITIES[name].unit
    if isinstance(value, Mapping) and len(value) == 1:  # as in the recipe of a file
        (key, inside), = value.items()
        if key == "range" and len(inside) == 2:
            value = Range(*inside)
        elif key == "values":
            value = list(inside)
    if isinstance(value, str) and ".." in value:
        value = _range_of_text(name, value)
    if isinstance(value, Range):
        low, high = (_checked(name, number(v, unit, name)) for v in value)
        if not low < high:
            refuse(name, f"{low:g} to {high:g} {unit}".rstrip(), "must be a range that rises",
                   f'for example haptos.Range(low, high), or the text "{_span(name)}"')
        return Choice((low, high), True)
    row = value if hasattr(value, "__len__") and not isinstance(value, (str, Mapping)) else [value]
    if np.ndim(row) != 1 or len(row) == 0:
        refuse(name, kind_of(value), "must be a number, a list of numbers, or a range",
               f'for example "{QUANTITIES[name].example}", or the text "{_span(name)}"')
    found = tuple(_checked(name, number(v, unit, name)) for v in row)
    for k, v in enumerate(found):
        if v in found[:k]:
            refuse(name, f"{v:g}", "is given twice", "leave one out")
    return Choice(found)


def _span(name: str) -> str:
    unit = QUANTITIES[name].unit
    return {"m": "0.2..1 mm", "rad": "0..10 deg", "N": "0.5..2 N", "Pa": "100..400 kPa"}.get(
        unit, "0.4..0.5")


def _range_of_text(name: str, text: str) -> Range:
    """ "0.2 mm..1 mm", or "0.2..1 mm" where the unit of the second counts for both."""
    low, _, high = (part.strip() for part in text.partition(".."))
    unit = QUANTITIES[name].unit
    suffix = re.search(r"[A-Za-z%/ ]*$", high)
    if suffix is not None and re.fullmatch(r"[-+]?[0-9.]+([eE][-+]?[0-9]+)?", low):
        low += suffix.group()
    return Range(parse_quantity(low, unit, name), parse_quantity(high, unit, name))


def _checked(name: str, value: float) -> float:
    q = QUANTITIES[name]
    if not (math.isfinite(value) and q.low <= value <= q.high) or (
            name in ("depth", "force", "young") and value <= 0):
        most = ("from 0 to 90 deg" if name == "tilt" else "from -360 to 360 deg" if q.unit == "rad"
                else f"more than 0 and at most {q.high:g} {q.unit}"
                if name in ("depth", "force", "young")
                else f"from {q.low:g} to {q.high:g} {q.unit}".rstrip())
        units = f"; a number without a unit is in {q.unit}, {known_units(q.unit)[-1]} is " \
                "known too" if q.unit else ""
        refuse(name, f"{value:g} {q.unit}".rstrip(), f"must be {most}",
               f'for example "{q.example}"{units}')
    return value


@dataclass(frozen=True)
class OnePress:
    """What one press of a recipe does; SI units, angles in radians."""

    index: int
    shape: int
    values: dict[str, float | None]  #: by the names of QUANTITIES; None: the sensor's, or not given
    seed: int  #: of the sensor's noise

    def turn(self) -> tuple[float, ...]:
        """Unit quaternion w x y z by which the object is turned from how it lies in its file."""
        tilt, toward, yaw = (self.values[n] or 0.0 for n in ("tilt", "tilt_toward", "yaw"))
        # About z x u, which takes the side u down.
        s = math.sin(tilt / 2)
        lean = np.array([math.cos(tilt / 2), -s * math.sin(toward), s * math.cos(toward), 0.0])
        spin = np.array([math.cos(yaw / 2), 0.0, 0.0, math.sin(yaw / 2)])
        return tuple(float(q) for q in product(lean, spin))

    def shear(self) -> tuple[float, float]:
        """The way aside, x and y [m]."""
        way, toward = self.values["shear"] or 0.0, self.values["shear_toward"] or 0.0
        return way * math.cos(toward), way * math.sin(toward)


@dataclass(frozen=True)
class Recipe:
    """All that the contents of a data set follow from."""

    model: str
    sensor: str
    shapes: tuple[str, ...]  #: names
    hashes: dict[str, str]  #: of the contents of shapes and sensor
    choices: dict[str, Choice | None]
    count: int | None  #: of presses that are drawn; None: a grid
    seed: int
    quality: str | None  #: None: the default one
    elements: float | None
    smoothing: float
    options: dict[str, float]

    def __len__(self) -> int:
        if self.count is not None:
            return self.count
        return len(self.shapes) * math.prod(len(c.values) for c in self.choices.values()
                                            if c is not None)

    def press(self, k: int) -> OnePress:
        """What press k does."""
        values: dict[str, float | None] = dict.fromkeys(QUANTITIES)
        if self.count is not None:
            shape = int(self._share(k, "shape") * len(self.shapes))
            for name, choice in self.choices.items():
                values[name] = None if choice is None else choice.draw(self._share(k, name))
        else:  # the last quantity is the fastest
            rest = k
            for name, choice in reversed(self.choices.items()):
                if choice is not None:
                    rest, at = divmod(rest, len(choice.values))
                    values[name] = choice.values[at]
            shape = rest
        return OnePress(k, shape, values, int(self._share(k, "noise") * 2**31))

    def _share(self, k: int, name: str) -> float:
        """A number from 0 to 1, 1 excluded, of its own for each press and name: no generator whose
        stream another version of a library could change."""
        digest = hashlib.sha256(f"{self.seed} {k} {name}".encode()).digest()
        return (int.from_bytes(digest[:8], "big") >> 11) * 2.0**-53

    def as_json(self) -> dict[str, Any]:
        """As JSON holds it; equal for recipes that make the same data."""
        return json.loads(json.dumps({
            "model": self.model, "sensor": self.sensor, "shapes": self.shapes,
            **{n: None if c is None else c.as_json() for n, c in self.choices.items()},
            "count": self.count, "seed": self.seed, "elements": self.elements,
            **({} if self.quality is None else {"quality": self.quality}),
            "smoothing": self.smoothing if self.model == "height-map" else None,
            "options": self.options, "contents": self.hashes}))

    @staticmethod
    def of_json(found: Mapping[str, Any]) -> Recipe:
        """The recipe that as_json() gave."""
        return Recipe(
            found["model"], found["sensor"], tuple(found["shapes"]), dict(found["contents"]),
            {n: None if found[n] is None else read_choice(n, found[n]) for n in QUANTITIES},
            found["count"], found["seed"], found.get("quality"), found["elements"],
            found["smoothing"] or 0.0, dict(found["options"]))

    def key(self) -> str:
        """A hash of the recipe."""
        return hashlib.sha256(json.dumps(self.as_json(), sort_keys=True).encode()).hexdigest()[:16]


def difference(before: Mapping[str, Any], now: Mapping[str, Any]) -> str:
    """What differs first between two recipes as JSON, or ""."""
    for key in [*now, *before]:
        a, b = before.get(key), now.get(key)
        if a == b:
            continue
        if key == "contents":
            changed = next(n for n in {**a, **b} if a.get(n) != b.get(n))
            return f"the contents of {changed} have changed"
        return f"its {key} is {_shown(key, a)}, not {_shown(key, b)}"
    return ""


def _shown(key: str, value: Any) -> str:
    """A part of a recipe as a person reads it."""
    if value is None and key in ("count", "quality"):
        return "that of a grid" if key == "count" else DEFAULT_QUALITY
    unit = QUANTITIES[key].unit if key in QUANTITIES else ""
    if isinstance(value, Mapping) and "range" in value:
        text = " to ".join(f"{v:.6g}" for v in value["range"])
    elif isinstance(value, Mapping) and "values" in value:
        text = ", ".join(f"{v:.6g}" for v in value["values"])
    elif isinstance(value, (int, float)):
        text = f"{value:.6g}"
    elif isinstance(value, list):
        text, unit = ", ".join(map(str, value)), ""
    else:
        text, unit = "not given" if value is None else str(value), ""
    return f"{text[:80]} {unit}".rstrip()


def read_choices(given: Mapping[str, Any], model: str, count: int | None
                 ) -> dict[str, Choice | None]:
    """The choices of all quantities, checked. Raises InputError."""
    choices: dict[str, Choice | None] = {}
    for name, q in QUANTITIES.items():
        value = given.get(name)
        if value is not None and model == "height-map" and name not in WITHOUT_GEL:
            refuse(name, str(value)[:60], "has no meaning for the model height-map, which has no "
                   "gel and no forces", 'leave it out, or take model="soft"')
        value = q.default if value is None else value
        if model == "height-map" and name not in WITHOUT_GEL:
            value = None
        choices[name] = None if value is None else read_choice(name, value)
    if choices["depth"] is not None and choices["force"] is not None:
        refuse("depth and force", "", "cannot both be asked for", "leave one out")
    if choices["depth"] is None and choices["force"] is None:
        choices["depth"] = Choice((1e-3,))
    if count is None:
        for name, choice in choices.items():
            if choice is not None and choice.drawn:
                refuse(name, _shown(name, choice.as_json()), "is a range to draw from, "
                       "and a grid has values",
                       "say how many presses are to be drawn, for example count=100, or list "
                       "values")
    return choices


def check_count(count: Any, seed: Any) -> None:
    """Raises InputError where a count or a seed cannot be used."""
    for name, value, low, high in (("count", count, 1, MOST_PRESSES), ("seed", seed, 0, 2**31 - 1)):
        if name == "count" and value is None:
            continue
        if not isinstance(value, (int, np.integer)) or isinstance(value, bool) or (
                not low <= value <= high):
            refuse(name, value if isinstance(value, (int, float)) else kind_of(value),
                   f"must be a whole number from {low} to {high}", f"for example {name}=100")


def content_hash(*parts: bytes | Path) -> str:
    """A hash of bytes, and of files by their contents."""
    h = hashlib.sha256()
    for part in parts:
        data = part if isinstance(part, bytes) else part.read_bytes()
        h.update(len(data).to_bytes(8, "big") + data)
    return h.hexdigest()[:16]


def surface_hash(mesh: _core.TriMesh) -> str:
    """A hash of vertices and triangles."""
    return content_hash(np.ascontiguousarray(mesh.vertices, "<f8").tobytes(),
                        np.ascontiguousarray(mesh.triangles, "<i4").tobytes())


def names_of(shapes: Sequence[tuple[str | None, Any]]) -> list[str]:
    """Names of shapes, each its own: as given, a file's without folder and ending, or "shape 3"."""
    names: list[str] = []
    for k, (given, shape) in enumerate(shapes):
        name = given or (shape if isinstance(shape, str) else f"shape {k + 1}")
        if isinstance(shape, str) and given is None and Path(shape).suffix:
            name = Path(shape).stem
        stem, n = name, 1
        while name in names:
            n += 1
            name = f"{stem} {n}"
        names.append(name)
    return names
