"""Tactile sensors by name, or from a person's own file: pad, gel, camera and markers.

A sensor file is YAML; docs/sensors/models.md describes it, python/haptos/sensor_files holds those
that come with the library.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn

import yaml

from haptos import _core
from haptos.errors import InputError, refuse
from haptos.options import Material
from haptos.pads import Gel, gel_of, read_pad
from haptos.units import parse_quantity

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

    from haptos.scene import Scene

_FILES = Path(__file__).parent / "sensor_files"
_MAX_BYTES = 1 << 20
KINDS = ("measured", "published", "assumed")


@dataclass(frozen=True)
class Fact:
    """Where a number of a sensor comes from: what, kind (one of KINDS) and source."""

    what: str
    kind: str
    source: str


@dataclass
class SensorModel:
    """A tactile sensor: what it is made of and what its camera sees.

    The gel frame has its origin at the rest top centre and +z out of the gel; x runs along the
    image's columns.
    """

    name: str
    about: str
    material: dict[str, float]  #: options of haptos.Material, SI
    friction: float  #: of the coat
    camera: _core.TactileCamera
    markers: _core.MarkerGrid | None
    rgb: str  #: file of lights or a table (docs/sensors/rgb.md), "" for none
    facts: list[Fact]
    file: str
    _make: Callable[[], Gel] = field(repr=False)
    _gel: Gel | None = field(default=None, repr=False)

    @property
    def gel(self) -> Gel:
        """Mesh of the pad in the gel frame, its base and its coat. Made once."""
        if self._gel is None:
            self._gel = self._make()
        return self._gel

    def add_to(self, scene: Scene, name: str, *, mount: str | None = None,
               position: ArrayLike | None = None, quaternion: ArrayLike | None = None) -> None:
        """Adds pad and camera to a scene: a soft body and a sensor, both called `name`.

        mount: a prescribed body, an affine body or a link to glue the base to, None adds a body
        "NAME mount" that stands still; position (3) [m], quaternion (4): pose of the gel frame at
        the start.
        """
        if mount is None:
            mount = f"{name} mount"
            scene.add_prescribed(mount)
        gel = self.gel
        scene.add_soft(name, gel.mesh, material=Material(**self.material), position=position,
                       quaternion=quaternion, glue={mount: gel.base}, coat=gel.coat,
                       friction=self.friction)
        scene.add_sensor(name, name, camera=self.camera, markers=self.markers,
                         rgb=self.rgb or None)


def sensor_names() -> list[str]:
    """Names that load_sensor() knows."""
    return sorted(p.stem for p in _FILES.glob("*.yaml"))


def load_sensor(name: str) -> SensorModel:
    """A sensor by its name (sensor_names()) or from a file (.yaml). Raises InputError."""
    path = Path(name)
    if path.suffix.lower() not in (".yaml", ".yml"):
        path = _FILES / f"{name}.yaml"
        if name not in sensor_names():
            near = _core.nearest_name(name, sensor_names())
            refuse("sensor", f'"{name}"', "is neither a known sensor nor a .yaml file",
                   f'did you mean "{near}"?' if near else
                   "known are " + ", ".join(sensor_names()))
    return _read(open_sensor_file(path, "sensor"), path)


def open_sensor_file(path: Path, what: str) -> _Section:
    """The entries of a YAML file that describes a sensor or a set of pads."""
    if not path.is_file():
        refuse(what, str(path), "is no file", "check the path")
    if path.stat().st_size > _MAX_BYTES:
        refuse(what, str(path), "must be at most 1 MiB", "a mesh is a file of its own")
    try:
        node = _compose(path)
    except (yaml.YAMLError, UnicodeDecodeError) as error:
        mark = getattr(error, "problem_mark", None)
        _fail(str(path), mark.line + 1 if mark else 0, f"{what} file",
              str(getattr(error, "problem", error)), "must be YAML in UTF-8", "correct it there")
    return _Section(node, str(path), "")


def is_sensor_file(path: str) -> bool:
    """Whether a path is a YAML file with a pad, so a sensor's and not a scene's."""
    file = Path(path)
    if file.suffix.lower() not in (".yaml", ".yml") or not file.is_file():
        return False
    try:
        node = _compose(file)
    except (yaml.YAMLError, UnicodeDecodeError):
        return False
    return isinstance(node, yaml.MappingNode) and any(k.value == "pad" for k, _ in node.value)


def _compose(path: Path) -> Any:
    return yaml.compose(path.read_text(encoding="utf-8"), Loader=yaml.SafeLoader)


# -- reading -----------------------------------------------------------------------------------


def _fail(file: str, line: int, element: str, value: object, rule: str, remedy: str) -> NoReturn:
    raise InputError(_core.sentence(file, element, str(value), rule, remedy, line), file=file,
                     line=line, element=element, value=str(value), rule=rule, remedy=remedy)


class _Section:
    """A mapping of the file that knows its lines and which of its keys were asked for."""

    def __init__(self, node: Any, file: str, element: str) -> None:
        self.file, self.element = file, element
        self.line = node.start_mark.line + 1 if node is not None else 0
        if not isinstance(node, yaml.MappingNode):
            self.fail(element or "sensor file", "", "must be a mapping of names to values",
                      "see docs/sensors/models.md")
        self.nodes = {}
        for key, value in node.value:
            if key.value in self.nodes:
                self.fail(key.value, "", "is given twice", "leave one out", key)
            self.nodes[key.value] = value
        self.asked: set[str] = set()

    def path(self, key: str) -> str:
        return f"{self.element}.{key}" if self.element else key

    def fail(self, key: str, value: object, rule: str, remedy: str, node: Any = None) -> NoReturn:
        line = node.start_mark.line + 1 if node is not None else self.line
        _fail(self.file, line, self.path(key), value, rule, remedy)

    def node(self, key: str, required: bool) -> Any:
        self.asked.add(key)
        found = self.nodes.get(key)
        if found is None and required:
            self.fail(key, "", "is missing", "see docs/sensors/models.md")
        return found

    def section(self, key: str, required: bool = True) -> _Section | None:
        found = self.node(key, required)
        return None if found is None else _Section(found, self.file, self.path(key))

    def text(self, key: str, default: str | None = None,
             among: tuple[str, ...] = ()) -> str:
        found = self.node(key, default is None)
        if found is None:
            return default or ""
        if not isinstance(found, yaml.ScalarNode):
            self.fail(key, "", "must be a text", "write one word or sentence", found)
        if among and found.value not in among:
            near = _core.nearest_name(found.value, list(among))
            self.fail(key, found.value, "must be " + " or ".join(among),
                      f'did you mean "{near}"?' if near else "choose one", found)
        return str(found.value)

    def number(self, key: str, unit: str, lowest: float, highest: float,
               default: float | None = None) -> float:
        found = self.node(key, default is None)
        return float(default or 0) if found is None else self._number(
            key, found, unit, lowest, highest)

    def _number(self, key: str, node: Any, unit: str, lowest: float, highest: float) -> float:
        try:
            value = parse_quantity(str(node.value), unit, self.path(key))
        except InputError as error:
            self.fail(key, error.value, error.rule, error.remedy, node)
        if not (math.isfinite(value) and lowest <= value <= highest):
            self.fail(key, node.value, f"must be from {lowest:g} to {highest:g} {unit}".rstrip(),
                      "correct it", node)
        return value

    def pair(self, key: str, unit: str, lowest: float, highest: float,
             default: tuple[float, float] | None = None) -> tuple[float, float]:
        """Two numbers, or one for both."""
        found = self.node(key, default is None)
        if found is None:
            return default or (0.0, 0.0)
        entries = found.value if isinstance(found, yaml.SequenceNode) else [found, found]
        if len(entries) != 2:
            self.fail(key, len(entries), "must be two numbers", "for example [2 mm, 2 mm]", found)
        a, b = (self._number(key, n, unit, lowest, highest) for n in entries)
        return a, b

    def whole(self, key: str, lowest: int, highest: int) -> int:
        value = self.number(key, "", lowest, highest)
        if value != int(value):
            self.fail(key, value, "must be a whole number", "correct it", self.nodes[key])
        return int(value)

    def list(self, key: str) -> list[_Section]:
        found = self.node(key, False)
        if found is None:
            return []
        if not isinstance(found, yaml.SequenceNode):
            self.fail(key, "", "must be a list", "begin each entry with -", found)
        return [_Section(n, self.file, f"{self.path(key)}[{i}]")
                for i, n in enumerate(found.value)]

    def done(self) -> None:
        for key, node in self.nodes.items():
            if key not in self.asked:
                near = _core.nearest_name(key, sorted(self.asked))
                self.fail(key, "", "is no entry of " + (self.element or "a sensor"),
                          f'did you mean "{near}"?' if near else
                          "known are " + ", ".join(sorted(self.asked)), node)


def _read(s: _Section, path: Path) -> SensorModel:
    facts = []
    for f in s.list("facts"):
        facts.append(Fact(f.text("what"), f.text("kind", among=KINDS), f.text("source")))
        f.done()
    model = SensorModel(
        name=s.text("name"), about=s.text("about", ""), material=_material(s.section("material")),
        friction=s.number("friction", "", 0, 10, 0.0), camera=_camera(s.section("camera")),
        markers=_markers(s.section("markers", required=False)), rgb=_rgb(s, path.parent),
        facts=facts, file=str(path),
        _make=_pad(s.section("pad"), path.parent))
    s.done()
    return model


_MATERIAL_UNITS = {"young": "Pa", "poisson": "", "density": "kg/m3"}


def _material(s: _Section) -> dict[str, float]:
    values = {key: s.number(key, unit, 0, 1e12) for key, unit in _MATERIAL_UNITS.items()}
    s.done()
    try:
        return {k: float(v) for k, v in Material(**values).items() if k in values}
    except InputError as error:
        s.fail(error.element, error.value, error.rule, error.remedy)


def _camera(s: _Section) -> _core.TactileCamera:
    kind = s.text("kind", among=("orthographic", "pinhole", "fisheye"))
    width, height = s.whole("width", 1, 4096), s.whole("height", 1, 4096)
    if kind == "orthographic":
        camera = _core.TactileCamera.orthographic(width, height,
                                                  s.number("pitch", "m", 1e-7, 1e-2))
    elif kind == "fisheye":
        camera = _core.TactileCamera.fisheye(width, height, s.number("focal", "", 1, 1e6),
                                             s.number("distance", "m", 1e-4, 1))
    else:
        camera = _core.TactileCamera.pinhole(width, height, s.number("focal", "", 1, 1e6),
                                             s.number("distance", "m", 1e-4, 1),
                                             s.number("k1", "", -100, 100, 0.0),
                                             s.number("k2", "", -100, 100, 0.0))
    s.done()
    return camera


def _markers(s: _Section | None) -> _core.MarkerGrid | None:
    if s is None:
        return None
    pitch = s.pair("pitch", "m", 1e-5, 0.1)
    grid = _core.MarkerGrid(s.whole("rows", 1, 1000), s.whole("columns", 1, 1000), *pitch)
    s.done()
    return grid


def _rgb(s: _Section, folder: Path) -> str:
    name = s.text("rgb", "")
    if name and not (folder / name).is_file():
        s.fail("rgb", str(folder / name), "is no file", "give it relative to the sensor file",
               s.nodes["rgb"])
    return str(folder / name) if name else ""


def _pad(s: _Section, folder: Path) -> Callable[[], Gel]:
    kind = s.text("kind", among=("box", "round", "mesh"))
    if kind == "mesh":
        file = folder / s.text("mesh")
        unit = s.text("unit", among=("mm", "m"))
        face = s.text("face", "top", among=("top", "bottom"))
        s.done()
        if not file.is_file():
            s.fail("mesh", str(file), "is no file", "give it relative to the sensor file",
                   s.nodes["mesh"])
        return lambda: read_pad(str(file), unit, face)
    thickness = s.number("thickness", "m", 1e-4, 0.1)
    chamfer = s.number("chamfer", "m", 0, 0.5 * thickness, 0.0)
    grading = _grading(s.section("elements", required=False))
    if kind == "round":
        radius = s.number("radius", "m", 1e-4, 0.5)
        s.done()
        return lambda: gel_of(_core.round_pad(radius, thickness, chamfer, grading))
    width, depth = s.number("width", "m", 1e-4, 1), s.number("depth", "m", 1e-4, 1)
    dome = s.pair("dome", "m", 1e-3, 1e3, (0.0, 0.0))
    s.done()
    return lambda: gel_of(_core.box_pad(width, depth, thickness, chamfer, grading,
                                        dome if dome[0] else None))


def _grading(s: _Section | None) -> _core.PadGrading:
    """Element sizes: at the top and the base, and across at the centre and the rim."""
    def size(key: str, default: float) -> float:
        return default if s is None else s.number(key, "m", 5e-5, 0.02, default)

    grading = _core.PadGrading(size("top", 1.0e-3), size("base", 1.6e-3), size("centre", 0.45e-3),
                               size("rim", 1.6e-3))
    if s is not None:
        s.done()
    return grading
