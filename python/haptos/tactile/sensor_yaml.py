"""Reading the YAML files of sensors and of sets of pads: entries that know their lines, units, what
is left over, where numbers come from."""

from __future__ import annotations

import math
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NoReturn

import yaml

from haptos import _core
from haptos.base.errors import InputError, refuse
from haptos.base.options import Material
from haptos.base.units import parse_quantity

_MAX_BYTES = 1 << 20
KINDS = ("measured", "published", "assumed")


@dataclass(frozen=True)
class Fact:
    """Where a number of a sensor comes from: what, kind (one of KINDS) and source."""

    what: str
    kind: str
    source: str


def names_in(folder: Path) -> list[str]:
    """Names of the files of a folder that come with the library."""
    return sorted(p.stem for p in folder.glob("*.yaml"))


def title_of(file: Path) -> str:
    """Name of what a file of the library describes, and the sentence about it."""
    entries = open_sensor_file(file, "file")
    return f"{entries.text('name')}: {entries.text('about', '')}"


def find_file(name: str, folder: Path, what: str) -> Path:
    """The file of this name in a folder, or the file that `name` is the path of. Raises InputError."""
    path = Path(name)
    if path.suffix.lower() in (".yaml", ".yml"):
        return path
    known = names_in(folder)
    if name not in known:
        near = _core.nearest_name(name, known)
        refuse(what, f'"{name}"', f"is neither a known {what.split()[-1]} nor a .yaml file",
               f'did you mean "{near}"?' if near else "known are " + ", ".join(known))
    return folder / f"{name}.yaml"


def open_sensor_file(path: Path, what: str) -> Section:
    """The entries of a YAML file that describes a sensor or a set of pads."""
    if not path.is_file():
        refuse(what, str(path), "is no file", "check the path")
    if path.stat().st_size > _MAX_BYTES:
        refuse(what, str(path), "must be at most 1 MiB", "a mesh is a file of its own")
    try:
        node = compose(path)
    except (yaml.YAMLError, UnicodeDecodeError) as error:
        mark = getattr(error, "problem_mark", None)
        _fail(str(path), mark.line + 1 if mark else 0, f"{what} file",
              str(getattr(error, "problem", error)), "must be YAML in UTF-8", "correct it there")
    return Section(node, str(path), "")


def compose(path: Path) -> Any:
    """The tree of a YAML file, with its lines."""
    return yaml.compose(path.read_text(encoding="utf-8"), Loader=yaml.SafeLoader)


def _fail(file: str, line: int, element: str, value: object, rule: str, remedy: str) -> NoReturn:
    raise InputError(_core.sentence(file, element, str(value), rule, remedy, line), file=file,
                     line=line, element=element, value=str(value), rule=rule, remedy=remedy)


class Section:
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

    def section(self, key: str, required: bool = True) -> Section | None:
        found = self.node(key, required)
        return None if found is None else Section(found, self.file, self.path(key))

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

    def whole(self, key: str, lowest: int, highest: int, default: int | None = None) -> int:
        value = self.number(key, "", lowest, highest, default)
        if value != int(value):
            self.fail(key, value, "must be a whole number", "correct it", self.nodes[key])
        return int(value)

    def list(self, key: str) -> list[Section]:
        found = self.node(key, False)
        if found is None:
            return []
        if not isinstance(found, yaml.SequenceNode):
            self.fail(key, "", "must be a list", "begin each entry with -", found)
        return [Section(n, self.file, f"{self.path(key)}[{i}]")
                for i, n in enumerate(found.value)]

    def done(self) -> None:
        for key, node in self.nodes.items():
            if key not in self.asked:
                near = _core.nearest_name(key, sorted(self.asked))
                self.fail(key, "", "is no entry of " + (self.element or "a sensor"),
                          f'did you mean "{near}"?' if near else
                          "known are " + ", ".join(sorted(self.asked)), node)


def read_facts(s: Section) -> list[Fact]:
    facts = []
    for f in s.list("facts"):
        facts.append(Fact(f.text("what"), f.text("kind", among=KINDS), f.text("source")))
        f.done()
    return facts


def read_markers(s: Section | None) -> _core.MarkerGrid | None:
    if s is None:
        return None
    pitch = s.pair("pitch", "m", 1e-5, 0.1)
    grid = _core.MarkerGrid(s.whole("rows", 1, 1000), s.whole("columns", 1, 1000), *pitch,
                            radius=s.number("radius", "m", 0, 0.1, 0.0),
                            ink=s.number("ink", "", 0, 1, _core.MarkerGrid().ink))
    s.done()
    return grid


_MATERIAL_UNITS = {"young": "Pa", "poisson": "", "density": "kg/m3"}


def read_material(s: Section) -> dict[str, float]:
    default = {"density": dict(Material().items())["density"]}
    values = {key: s.number(key, unit, 0, 1e12, default.get(key))
              for key, unit in _MATERIAL_UNITS.items()}
    s.done()
    try:
        return {k: float(v) for k, v in Material(**values).items() if k in values}
    except InputError as error:
        s.fail(error.element, error.value, error.rule, error.remedy)
