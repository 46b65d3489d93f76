"""What an MJCF file asks for, looked at before MuJoCo's compiler is let loose on it.

MuJoCo reads any file that a model names and takes numbers that no model means (NaN, infinite
positions, negative friction, a time step of 0, two thousand million copies). So the text is read
here first, with its includes: XML without document types, files that lie in the model's own
folders, numbers that are finite, counts that fit into memory. What is wrong is one InputError with
file and line; what MuJoCo then finds is turned into one.
"""

from __future__ import annotations

import difflib
import math
import os
import re
import stat
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NoReturn

from haptos import _core
from haptos.base.errors import InputError

MAX_DEPTH = 16  # of includes
MAX_BYTES = 64 << 20  # of one text
MAX_COPIES = 100_000  # of one element, by replicate and the like
MAX_CELLS = 20_000_000  # of a height field or a texture
_XML_FOLDERS = ("xml", "xmls", "mjcf", "mujoco", "urdf", "robots", "model", "models")
# In the name of a folder beside the model's: where collections keep what their models share.
_SHARED = ("assets", "common", "materials", "mesh", "obj", "stl", "texture")
# Attributes that hold names or free text, though they may look like numbers.
_WORDS = {"name", "class", "childclass", "dclass", "model", "prefix", "key", "value", "data",
          "text", "user", "string", "instance", "plugin", "content_type", "mesh", "material",
          "texture", "hfield", "joint", "body", "geom", "site", "camera", "tendon", "actuator",
          "target"}


@dataclass
class Element:
    """An XML element with where it is."""

    name: str
    file: str
    line: int
    attributes: dict[str, tuple[str, int]]
    children: list[Element] = field(default_factory=list)

    def text(self, name: str) -> str | None:
        """The value of an attribute; None where it is not given."""
        found = self.attributes.get(name)
        return None if found is None else found[0]

    def walk(self) -> Iterator[Element]:
        yield self
        for child in self.children:
            yield from child.walk()


def fail(file: str, line: int, element: str, value: str, rule: str, remedy: str = "") -> NoReturn:
    """Raises InputError with file and line."""
    sentence = _core.sentence(file, element, value, rule, remedy, line)
    raise InputError(sentence, file=file, line=line, element=element, value=value, rule=rule,
                     remedy=remedy)


def read_text(path: Path, shown: str) -> bytes:
    """The bytes of a regular file, no more than MAX_BYTES."""
    try:
        # Opening a pipe would wait for its writer.
        with open(os.open(path, os.O_RDONLY | os.O_NONBLOCK), "rb") as f:
            if not stat.S_ISREG(os.fstat(f.fileno()).st_mode):
                fail(shown, 0, "", "", "must be a regular file")
            data = f.read(MAX_BYTES + 1)
    except FileNotFoundError:
        fail(shown, 0, "", "", "cannot be found", "check the path")
    except OSError as e:
        fail(shown, 0, "", "", f"cannot be read: {e.strerror}")
    if len(data) > MAX_BYTES:
        fail(shown, 0, "", "", f"must not be longer than {MAX_BYTES >> 20} MiB")
    return data


def parse(data: bytes, shown: str) -> Element:
    """XML as elements; raises InputError with line and column."""

    def convert(e: tuple[Any, ...]) -> Element:
        name, line, attributes, children = e
        return Element(name, shown, line, {n: (v, at) for n, v, at in attributes},
                       [convert(c) for c in children])

    return convert(_core.parse_xml(data, shown, MAX_BYTES))


def root_name(path: Path) -> str:
    """The name of the outermost element of an XML file; empty where it is not XML."""
    try:
        return parse(read_text(path, str(path)), str(path)).name
    except InputError:
        return ""


class Scan:
    """An MJCF file and the files that it includes."""

    def __init__(self, path: Path, roots: Sequence[os.PathLike[str] | str]) -> None:
        self.path = path
        self.folder = path.parent if path.parent.parts else Path(".")
        own = self.folder.resolve()
        if own.name in _XML_FOLDERS and own.parent != own:
            own = own.parent
        self.roots = [own, *(Path(r).resolve() for r in roots)]
        self._sizes: dict[str, int] = {}  # elements that a model makes, by its file
        self.elements: list[Element] = []
        self.files: dict[int, Path] = {}  # of elements, by id()
        self._model(path, [])

    def _model(self, path: Path, chain: list[str]) -> None:
        """Reads a model with all that it includes; paths are relative to the model's file."""
        shown = str(path)
        root = parse(read_text(path, shown), shown)
        if root.name != "mujoco":
            fail(shown, root.line, f"<{root.name}>", "", "must be <mujoco>, as MJCF begins")
        first = len(self.elements)
        self._take(root, path.parent, [*chain, shown])
        elements = self.elements[first:]
        below_of: dict[str, str] = {}  # files of models by name
        folders = {}
        for name in ("assetdir", "meshdir", "texturedir"):
            folders[name] = next((v for e in elements if e.name == "compiler"
                                  and (v := e.text(name)) is not None), None)
        strip = any(e.name == "compiler" and e.text("strippath") == "true" for e in elements)
        for e in elements:
            kind = {"texture": "texturedir"}.get(e.name, "meshdir")
            folder = folders[kind] if folders[kind] is not None else folders["assetdir"]
            for name, (value, line) in e.attributes.items():
                if not name.startswith("file") or e.name == "include" or not value:
                    continue
                if e.name == "model":
                    below = self._inside(e, line, value, [path.parent])
                    if len(chain) >= MAX_DEPTH or str(below) in chain:
                        self._cycle(e, line, [*chain, shown, str(below)])
                    if str(below) not in self._sizes:
                        self._model(below, [*chain, shown])
                    below_of[e.text("name") or ""] = str(below)
                    continue
                self._plain(e, line, value)
                short = Path(value.replace("\\", "/")).name if strip else value
                self.files[id(e)] = self._inside(e, line, short, [path.parent / (folder or "")])

        self._check(elements)
        self._sizes[shown] = self._copies(elements, below_of)

    def _take(self, root: Element, folder: Path, chain: list[str]) -> None:
        for e in root.walk():
            self.elements.append(e)
            if e.name != "include":
                continue
            value, line = e.attributes.get("file", ("", e.line))
            self._plain(e, line, value)
            path = self._inside(e, line, value, [Path(root.file).parent, folder])
            if str(path) in chain or len(chain) >= MAX_DEPTH:
                self._cycle(e, line, [*chain, str(path)])
            self._take(parse(read_text(path, str(path)), str(path)), folder, [*chain, str(path)])

    @staticmethod
    def _cycle(e: Element, line: int, chain: list[str]) -> NoReturn:
        names = [Path(c).name for c in chain]
        rule = ("must not include itself" if chain[-1] in chain[:-1] else
                f"must not be nested more than {MAX_DEPTH} deep")
        fail(e.file, line, f"<{e.name}>", " > ".join(names), rule, "break the chain")

    @staticmethod
    def _plain(e: Element, line: int, value: str) -> None:
        if not value:
            fail(e.file, line, f"<{e.name}>, file", '""', "must name a file")
        if "://" in value or value.startswith("\\\\") or re.match(r"[A-Za-z]:[\\/]", value):
            fail(e.file, line, f"<{e.name}>, file", f'"{value}"', "must be a path on this machine",
                 "write it from the folder of the model; nothing is fetched")

    def _inside(self, e: Element, line: int, value: str, folders: list[Path]) -> Path:
        """The file that a path means; refused where it leaves the model's folders."""
        places = [f / value for f in folders]
        path = next((p for p in places if p.exists()), places[-1])
        resolved = path.resolve()
        if not any(resolved.is_relative_to(r) for r in self.roots) and not self._shared(resolved):
            fail(e.file, line, f"<{e.name}>, file", f'"{value}"',
                 f"leaves the model's folder {self.roots[0]}",
                 "name the folder that it lies in with the option roots")
        if not resolved.exists():
            fail(e.file, line, f"<{e.name}>, file", f'"{value}"', "cannot be found",
                 f"it was looked for as {path}")
        if not resolved.is_file():
            fail(e.file, line, f"<{e.name}>, file", f'"{value}"', "must be a regular file")
        return Path(os.path.normpath(path))

    def _shared(self, file: Path) -> bool:
        """Whether a file is in a folder beside the model's that is named for what models share."""
        beside = self.roots[0].parent
        if not file.is_relative_to(beside) or beside == self.roots[0]:
            return False
        first = file.relative_to(beside).parts[0].lower()
        return any(word in first for word in _SHARED)

    # ------------------------------------------------------------------ numbers and counts

    def _check(self, elements: list[Element]) -> None:
        for e in elements:
            for name, (value, line) in e.attributes.items():
                if name not in _WORDS and not name.startswith("file"):
                    self._numbers(e, name, value, line)
            self._counts(e)

    @staticmethod
    def _numbers(e: Element, name: str, value: str, line: int) -> None:
        where = f"<{e.name}>, {name}"
        for token in value.split():
            try:
                number = float(token)
            except ValueError:
                return  # words, which MuJoCo knows
            if math.isnan(number) or (math.isinf(number) and not name.endswith("range")):
                fail(e.file, line, where, value[:60], "must be finite numbers")
            if math.isfinite(number) and abs(number) > 1e15:
                fail(e.file, line, where, token, "must be a number that something can have",
                     "SI units are meant: m, kg, s")
            if name == "friction" and number < 0:
                fail(e.file, line, where, token, "must be 0 or more")
            if name == "timestep" and not 1e-9 <= number <= 1:
                fail(e.file, line, where, token, "must be 1e-9 to 1 s")

    @staticmethod
    def _product(e: Element, names: Sequence[str]) -> int:
        product = 1
        for name in names:
            for token in (e.text(name) or "").split():
                try:
                    product *= max(1, int(float(token)))
                except (ValueError, OverflowError):
                    pass
        return product

    def _counts(self, e: Element) -> None:
        limits = {"hfield": (("nrow", "ncol"), MAX_CELLS),
                  "texture": (("width", "height"), MAX_CELLS),
                  "composite": (("count",), MAX_COPIES), "flexcomp": (("count",), MAX_COPIES),
                  "replicate": (("count",), MAX_COPIES)}
        if e.name in limits:
            names, most = limits[e.name]
            n = self._product(e, names)
            if n > most:
                fail(e.file, e.line, f"<{e.name}>, {' x '.join(names)}", str(n),
                     f"must not be above {most}")
        if e.name == "mesh" and e.text("builtin") is not None:
            for token in (e.text("params") or "").split()[:2]:
                if float(token) > 2000:
                    fail(e.file, e.line, "<mesh>, params", token, "must not be above 2000")
        if e.name == "size":
            for name, (value, line) in e.attributes.items():
                counts = name.startswith("nuser") or name == "nkey"
                if counts and self._product(e, [name]) > 10_000:
                    fail(e.file, line, f"<size>, {name}", value, "must not be above 10000")

    def _copies(self, elements: list[Element], below_of: dict[str, str]) -> int:
        """How many elements the bodies of a model make: replicates and attached models multiply."""
        largest = max((self._sizes[f] for f in below_of.values()), default=1)

        def visit(e: Element, copies: int) -> int:
            if e.name == "replicate":
                copies *= self._product(e, ["count"])
            made = copies if e.name != "replicate" else 0
            if e.name == "attach":
                below = below_of.get(e.text("model") or "")
                made *= self._sizes[below] if below else largest
            for c in e.children:
                made += visit(c, copies)
            if made > 10 * MAX_COPIES:
                fail(e.file, e.line, f"<{e.name}>", f"{made} elements", "must not make more than "
                     f"{10 * MAX_COPIES} elements")
            return made

        return sum(visit(e, 1) for e in elements if e.name == "worldbody")

    def mesh_files(self) -> dict[str, str]:
        """Files of meshes by the names that MuJoCo gives them."""
        found = {}
        for e in self.elements:
            path = self.files.get(id(e))
            if e.name == "mesh" and path is not None:
                found[e.text("name") or path.stem] = str(path)
        return found

    # ------------------------------------------------------------------ what MuJoCo says

    def names(self, kind: str | None = None) -> dict[str, list[Element]]:
        """Elements by name, of one kind or of all."""
        found: dict[str, list[Element]] = {}
        for e in self.elements:
            name = e.text("name")
            if name and (kind is None or e.name == kind):
                found.setdefault(name, []).append(e)
        return found

    def explain(self, message: str, schema: str) -> InputError:
        """What MuJoCo's compiler found as one sentence, with file, line and a guess."""
        lines = [s.strip() for s in message.strip().splitlines() if s.strip()]
        said = re.sub(r"^((XML )?Error: )+", "", lines[0]) if lines else "it does not say why"
        said = re.sub(r"^Error: ", "", said)
        where = re.search(r"Element (?:name )?'([^']*)'.*?line (-?\d+)", message)
        line = max(0, int(where[2])) if where else 0
        element, file = "", str(self.path)
        at = [e for e in self.elements if e.line == line]
        if len({e.file for e in at}) == 1:
            file = at[0].file
        # MuJoCo says no file; an element in the main file is likelier than one in an include.
        if where and not where[0].startswith("Element name"):
            element = f"<{where[1]}>"
            at = [e for e in at if e.name == where[1]] or at
        elif where and where[1]:
            element = f'"{where[1]}"'
        elif len({e.name for e in at}) == 1:
            element = f"<{at[0].name}>"
        remedy = self._guess(said, at, schema)
        rule = f"MuJoCo's compiler says: {said.rstrip('.')}"
        if not remedy:
            rule, remedy = self._mesh(at) or rule, ""
            if "stl_decoder" in said and rule.startswith("MuJoCo"):
                remedy = "it reads binary STL only; haptos.write_stl() writes it"
        try:
            fail(file, line, element, "", rule, remedy)
        except InputError as e:
            return e

    def _mesh(self, at: list[Element]) -> str:
        """What our own reader says of the mesh of these elements."""
        for e in at:
            path = self.files.get(id(e))
            if e.name == "mesh" and path is not None and path.suffix.lower() in (".stl", ".obj"):
                try:
                    _core.read_surface(str(path), 1.0)
                except InputError as wrong:
                    return str(wrong)
        return ""

    def _guess(self, said: str, at: list[Element], schema: str) -> str:
        wrong = re.search(r"unrecognized attribute: '([^']*)'", said)
        if wrong:
            known = {w for e in at for w in schema_words(schema, e.name)}
            near = difflib.get_close_matches(wrong[1], sorted(known), 1)
            return f'did you mean "{near[0]}"?' if near else ""
        if "unrecognized element" in said and at:
            near = difflib.get_close_matches(at[0].name, sorted(schema_elements(schema)), 1)
            return f"did you mean <{near[0]}>?" if near else ""
        repeated = re.search(r"repeated name '([^']*)' in (\w+)", said)
        if repeated:
            places = [f"{Path(e.file).name}:{e.line}" for e in self.names().get(repeated[1], [])
                      if e.name == repeated[2]]
            return "it is given at " + " and ".join(places) if len(places) > 1 else ""
        missing = re.search(r"'([^']+)'", said)
        if missing and re.search(r"not found|unknown|unrecognized|could not find", said):
            near = difflib.get_close_matches(missing[1], sorted(self.names()), 3)
            return "there are " + ", ".join(f'"{n}"' for n in near) if near else ""
        if "bad format" in said:
            return "numbers have a decimal point and are separated by spaces"
        inertia = next((e for e in at for e in (e, *e.children) if e.name == "inertial"), None)
        if inertia is not None and "inertia" in said and (moments := _moments(inertia)):
            return moments
        if "mjMINVAL" in said:
            return "what moves needs a mass: give it an inertial, or geoms with a density"
        return ""


def _moments(e: Element) -> str:
    """The principal moments of an inertial as a remedy."""
    import numpy as np

    try:
        if (full := e.text("fullinertia")) is not None:
            xx, yy, zz, xy, xz, yz = (float(t) for t in full.split())
            p = np.linalg.eigvalsh([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])
        else:
            p = np.sort([float(t) for t in (e.text("diaginertia") or "").split()])
        a, b, c = (float(x) for x in p)
    except (ValueError, TypeError):
        return ""
    return (f"its principal moments are {a:g}, {b:g}, {c:g} kg m2: none may be 0 or less, and the "
            f"largest must not exceed the sum of the others, {a + b:g}")


def schema_elements(schema: str) -> set[str]:
    """Names of elements in MuJoCo's printed schema, and those that it expands before it looks."""
    return {*re.findall(r"^ *(\w+) \([!*?R]\)", schema, re.M), "worldbody", "body", "frame",
            "replicate", "include"}


def schema_words(schema: str, element: str) -> set[str]:
    """Attributes that MuJoCo's printed schema has for elements of this name."""
    words: set[str] = set()
    inside = False
    for line in schema.splitlines():
        head = re.match(r" *(\w+) \([!*?R]\)(.*)", line)
        if head:
            inside = head[1] == element
            line = head[2]
        if inside:
            words.update(line.split())
    return words
