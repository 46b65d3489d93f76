"""What robots look like in files that the core does not read: COLLADA (.dae) and glTF (.glb).

Triangles with the colour of their material, in metres and in the axes of the file, turned to z up
where glTF says y up. COLLADA's up axis is not applied, as in ROS. Textures, animation, skins and
external buffers are left out. Nothing outside the file is opened.
"""

from __future__ import annotations

import json
import os
import struct
import xml.etree.ElementTree as ET
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from haptos import _core
from haptos.base.errors import refuse

MAX_BYTES = 256 << 20
MAX_DEPTH = 64
MAX_NODES = 100_000  #: that are visited; one that is named often counts as often
MAX_TRIANGLES = 20_000_000
VISUAL_SUFFIXES = (".dae", ".glb")


@dataclass
class VisualPart:
    """Triangles of one colour."""

    mesh: _core.TriMesh
    rgba: tuple[float, float, float, float] | None  #: of the material; None: it has none


def read_visual(path: str | os.PathLike[str]) -> list[VisualPart]:
    """The parts of a .dae or .glb file [m]. Raises InputError where it cannot be read."""
    file = Path(path)
    suffix = file.suffix.lower()
    if suffix not in VISUAL_SUFFIXES:
        refuse("read_visual", str(path), "must be .dae or .glb", "use read_surface() for others")
    if not file.is_file():
        refuse("read_visual", str(path), "is not a file", "check the path")
    if file.stat().st_size > MAX_BYTES:
        refuse("read_visual", str(path), f"has more than {MAX_BYTES} bytes", "simplify it")
    try:
        parts = (_Collada if suffix == ".dae" else _Gltf)(file.read_bytes()).parts()
    except (ValueError, KeyError, IndexError, TypeError, AttributeError, ET.ParseError, struct.error,
            RecursionError, ArithmeticError, MemoryError, StopIteration) as e:
        why = " ".join(str(e).split())[:200] or type(e).__name__
        refuse(str(path), "", f"is damaged or of a kind that is not read: {why}", "export it again")
    if not parts:
        refuse(str(path), "", "holds no triangles", "check what was exported")
    return parts


def read_solid(path: str | os.PathLike[str]) -> _core.TriMesh:
    """All parts of a .dae or .glb file as one surface [m], for collisions. Raises InputError."""
    meshes = [part.mesh for part in read_visual(path)]
    first = np.cumsum([0, *(len(m.vertices) for m in meshes)])
    return _core.TriMesh(np.concatenate([m.vertices for m in meshes]), np.concatenate(
        [np.asarray(m.triangles) + k for m, k in zip(meshes, first[:-1], strict=True)]))


class _Walk:
    """What both readers collect, within limits."""

    def __init__(self) -> None:
        self.out: list[VisualPart] = []
        self.visited = 0
        self.triangles = 0

    def enter(self, depth: int) -> None:
        self.visited += 1
        if depth > MAX_DEPTH or self.visited > MAX_NODES:
            raise ValueError(f"nodes are nested deeper than {MAX_DEPTH}, or more than {MAX_NODES}")

    def put(self, points: NDArray[np.float64], triangles: NDArray[np.int64],
            transform: NDArray[np.float64], rgba: Any) -> None:
        self.triangles += len(triangles)
        if self.triangles > MAX_TRIANGLES:
            raise ValueError(f"there are more than {MAX_TRIANGLES} triangles")
        if len(triangles):
            self.out.append(_part(points, triangles, transform, rgba))


def _part(points: NDArray[np.float64], triangles: NDArray[np.int64], transform: NDArray[np.float64],
          rgba: Any) -> VisualPart:
    if triangles.min() < 0 or triangles.max() >= len(points):
        raise ValueError("a triangle names a missing vertex")
    used, ids = np.unique(triangles, return_inverse=True)
    x = points[used] @ transform[:3, :3].T + transform[:3, 3]
    if not np.isfinite(x).all() or np.abs(x).max(initial=0.0) > 1e6:
        raise ValueError("a coordinate is not finite or beyond 1e6 m")
    ids = ids.reshape(-1, 3)
    if np.linalg.det(transform[:3, :3]) < 0:  # mirrored: inside out
        ids = ids[:, ::-1]
    colour = None if rgba is None else tuple(float(np.clip(c, 0, 1)) for c in rgba)
    return VisualPart(_core.TriMesh(x, ids.astype(np.int32)), colour)  # type: ignore[arg-type]


class _Collada(_Walk):
    """One document; elements are found by the ids that others name."""

    def __init__(self, data: bytes) -> None:
        super().__init__()
        if b"<!DOCTYPE" in data or data[:2] in (b"\xff\xfe", b"\xfe\xff"):
            raise ValueError("document type declarations and UTF-16 are not read")
        self.root = ET.fromstring(data)
        for e in self.root.iter():
            e.tag = e.tag.rpartition("}")[2]
        self.ids = {e.get("id"): e for e in self.root.iter() if e.get("id")}
        unit = self.root.find("asset/unit")
        scale = float(unit.get("meter", "1")) if unit is not None else 1.0
        if not 1e-9 <= scale <= 1e9:
            raise ValueError(f"a unit of {scale} m")
        self.base = np.diag([scale, scale, scale, 1.0])

    def named(self, reference: str | None) -> ET.Element:
        return self.ids[(reference or "").removeprefix("#")]

    def parts(self) -> list[VisualPart]:
        instance = self.root.find("scene/instance_visual_scene")
        if instance is not None:
            for node in self.named(instance.get("url")).findall("node"):
                self.walk(node, self.base, 0)
        else:
            for geometry in self.root.iter("geometry"):
                self.add(geometry, self.base, {})
        return self.out

    def walk(self, node: ET.Element, above: NDArray[np.float64], depth: int) -> None:
        self.enter(depth)
        here = above
        for e in node:
            if e.tag == "matrix":
                here = here @ _numbers(e).reshape(4, 4)
            elif e.tag in ("translate", "scale", "rotate"):
                here = here @ _motion(e.tag, _numbers(e))
        for e in node.findall("instance_geometry"):
            materials = {m.get("symbol"): m.get("target") for m in e.iter("instance_material")}
            self.add(self.named(e.get("url")), here, materials)
        for e in node.findall("instance_node"):
            self.walk(self.named(e.get("url")), here, depth + 1)
        for e in node.findall("node"):
            self.walk(e, here, depth + 1)

    def add(self, geometry: ET.Element, transform: NDArray[np.float64],
            materials: dict[str | None, str | None]) -> None:
        mesh = geometry.find("mesh")
        if mesh is None:
            return
        for primitive in mesh:
            if primitive.tag not in ("triangles", "polylist", "polygons"):
                continue
            inputs = primitive.findall("input")
            offsets = [int(i.get("offset", "0")) for i in inputs]
            if not offsets or min(offsets) < 0 or max(offsets) > 64:
                raise ValueError("offsets of inputs must be 0 to 64")
            stride = 1 + max(offsets)
            vertex = _with(inputs, "VERTEX")
            offset = int(vertex.get("offset", "0"))
            position = _with(self.named(vertex.get("source")).findall("input"), "POSITION")
            lists = [_numbers(p, np.int64).reshape(-1, stride)[:, offset]
                     for p in primitive.findall("p")]
            if not lists:
                continue
            corners = np.concatenate(lists)
            if primitive.tag == "polylist":
                counts = _numbers(primitive.find("vcount"), np.int64)
            elif primitive.tag == "polygons":
                counts = np.array([len(one) for one in lists])
            else:
                counts = np.full(len(corners) // 3, 3)
            self.put(self.points(self.named(position.get("source"))), _fan(corners, counts),
                     transform, self.colour(materials.get(primitive.get("material"))))

    def points(self, source: ET.Element) -> NDArray[np.float64]:
        values = _numbers(source.find("float_array"))
        accessor = source.find("technique_common/accessor")
        stride = int(accessor.get("stride", "3")) if accessor is not None else 3
        if not 3 <= stride <= 64:
            raise ValueError(f"positions have a stride of {stride}, and it must be 3 to 64")
        return values[:len(values) // stride * stride].reshape(-1, stride)[:, :3]

    def colour(self, material: str | None) -> Any:
        if material is None:
            return None
        effect = self.named(material).find("instance_effect")
        found = None if effect is None else next(
            iter(self.named(effect.get("url")).iterfind(".//diffuse/color")), None)
        return None if found is None else _numbers(found)[:4]


def _with(inputs: list[ET.Element], semantic: str) -> ET.Element:
    for e in inputs:
        if e.get("semantic") == semantic:
            return e
    raise ValueError(f"an input {semantic} is missing")


def _numbers(e: ET.Element | None, kind: Any = np.float64) -> NDArray[Any]:
    return np.array((e.text or "").split() if e is not None else [], dtype=kind)


def _motion(kind: str, v: NDArray[np.float64]) -> NDArray[np.float64]:
    m = np.eye(4)
    if kind == "translate":
        m[:3, 3] = v
    elif kind == "scale":
        m[:3, :3] = np.diag(v)
    else:
        axis, angle = v[:3] / np.linalg.norm(v[:3]), np.deg2rad(v[3])
        k = np.array([[0, -axis[2], axis[1]], [axis[2], 0, -axis[0]], [-axis[1], axis[0], 0]])
        m[:3, :3] += np.sin(angle) * k + (1 - np.cos(angle)) * (k @ k)
    return m


def _fan(corners: NDArray[np.int64], counts: NDArray[np.int64]) -> NDArray[np.int64]:
    """Polygons, corner after corner, as triangles about their first corners."""
    if (counts < 3).any() or counts.sum() > len(corners):
        raise ValueError("a polygon has fewer than three corners, or corners are missing")
    start = np.repeat(np.cumsum(counts) - counts, counts - 2)
    step = np.arange(len(start)) - np.repeat(np.cumsum(counts - 2) - (counts - 2), counts - 2)
    return corners[np.stack([start, start + step + 1, start + step + 2], axis=1)]


class _Gltf(_Walk):
    """A binary glTF 2.0 file whose buffer lies in it."""

    KINDS = {5121: np.uint8, 5123: np.uint16, 5125: np.uint32, 5126: np.float32}

    def __init__(self, data: bytes) -> None:
        super().__init__()
        magic, version, length = struct.unpack_from("<4sII", data)
        if magic != b"glTF" or version != 2 or length > len(data):
            raise ValueError("not glTF 2.0 in binary, or cut short")
        self.json: dict[str, Any] = {}
        self.buffer = b""
        at = 12
        while at + 8 <= length:
            size, kind = struct.unpack_from("<I4s", data, at)
            chunk = data[at + 8:at + 8 + size]
            if kind == b"JSON":
                self.json = json.loads(chunk)
            elif kind == b"BIN\0" and not self.buffer:
                self.buffer = chunk
            at += 8 + size

    def parts(self) -> list[VisualPart]:
        up = np.array([[1, 0, 0, 0], [0, 0, -1, 0], [0, 1, 0, 0], [0, 0, 0, 1.0]])  # y up to z up
        scenes = self.json.get("scenes", [])
        roots = scenes[self.json.get("scene", 0)].get("nodes", []) if scenes else range(
            len(self.json.get("nodes", [])))
        for node in roots:
            self.walk(node, up, 0)
        return self.out

    def walk(self, index: int, above: NDArray[np.float64], depth: int) -> None:
        self.enter(depth)
        node = self.json["nodes"][index]
        if "matrix" in node:
            here = above @ np.array(node["matrix"], float).reshape(4, 4).T
        else:
            x, y, z, w = node.get("rotation", (0, 0, 0, 1))
            turn = np.eye(4)
            turn[:3, :3] = [[1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
                            [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
                            [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)]]
            here = (above @ _motion("translate", np.array(node.get("translation", (0, 0, 0)), float))
                    @ turn @ _motion("scale", np.array(node.get("scale", (1, 1, 1)), float)))
        if "mesh" in node:
            for primitive in self.json["meshes"][node["mesh"]]["primitives"]:
                self.add(primitive, here)
        for child in node.get("children", []):
            self.walk(child, here, depth + 1)

    def add(self, primitive: dict[str, Any], transform: NDArray[np.float64]) -> None:
        if primitive.get("mode", 4) != 4:
            return
        points = self.accessor(primitive["attributes"]["POSITION"], 3).astype(np.float64)
        corners = (self.accessor(primitive["indices"], 1).astype(np.int64).ravel()
                   if "indices" in primitive else np.arange(len(points)))
        rgba = None
        if "material" in primitive:
            material = self.json["materials"][primitive["material"]]
            rgba = material.get("pbrMetallicRoughness", {}).get("baseColorFactor", (1, 1, 1, 1))
        self.put(points, corners[:len(corners) // 3 * 3].reshape(-1, 3), transform, rgba)

    def accessor(self, index: int, width: int) -> NDArray[Any]:
        a = self.json["accessors"][index]
        view = self.json["bufferViews"][a["bufferView"]]
        if view.get("buffer", 0) != 0 or "uri" in self.json["buffers"][0] or "sparse" in a:
            raise ValueError("buffers outside the file and sparse accessors are not read")
        kind = np.dtype(self.KINDS[a["componentType"]]).newbyteorder("<")
        start = view.get("byteOffset", 0) + a.get("byteOffset", 0)
        stride = view.get("byteStride", kind.itemsize * width)
        count = int(a["count"])
        if count < 1 or start < 0 or stride < kind.itemsize * width or (
                start + stride * (count - 1) + kind.itemsize * width > len(self.buffer)):
            raise ValueError("an accessor leads out of the buffer")
        return np.ndarray((count, width), kind, self.buffer, start, (stride, kind.itemsize))
