"""Tactile pads of a hand, as a set: on which link each sits, and where its camera looks from.

A set is a YAML file; docs/sensors/pad_sets.md describes it, python/haptos/tactile/sensor_files/sets holds
those that come with the library. Meshes belong to the robot's own description and stay there.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from haptos import _core
from haptos.base.errors import refuse
from haptos.base.options import Material
from haptos.base.turns import quaternion
from haptos.meshes.files import read_volume
from haptos.tactile.pads import Gel
from haptos.tactile.sensor_yaml import (
    Fact,
    find_file,
    names_in,
    open_sensor_file,
    read_facts,
    read_markers,
    read_material,
    title_of,
)
from haptos.tactile.sensors import sensor_spec

if TYPE_CHECKING:
    import os

    from numpy.typing import NDArray

    from haptos.scene.scene import Scene

_SETS = Path(__file__).parent / "sensor_files" / "sets"
_TOUCHES = 1e-5  # a vertex of a pad is glued where the link is closer than this [m]
_SMALLER = 0.02  # of the area of a rectangle, before its sides leave the link's axes
_FACES = 0.5  # cosine of the largest angle between the coat and the way the pad looks


@dataclass
class LinkPad:
    """A pad on a link: its name, the link, its gel in the gel frame, the pose of that frame in the
    link's, position (3) [m] and quaternion (4), and its markers."""

    name: str
    link: str
    gel: Gel
    position: NDArray[np.float64]
    quaternion: NDArray[np.float64]
    markers: _core.MarkerGrid | None = None


@dataclass
class PadSet:
    """The pads of one hand.

    touch_robot: whether pads may touch the robot's own links (that of its glue never); pitch [m]:
    of a pixel of each pad's camera, which is orthographic and as large as the pad.
    """

    name: str
    about: str
    material: dict[str, float]  #: options of haptos.Material, SI
    friction: float
    pads: list[LinkPad]
    touch_robot: bool = True
    pitch: float = 1e-4
    facts: list[Fact] = field(default_factory=list)
    files: list[str] = field(default_factory=list)  #: meshes that were read

    def camera(self, pad: LinkPad) -> _core.TactileCamera:
        """Of a pad: parallel rays, as large as the pad."""
        size = np.ptp(np.asarray(pad.gel.mesh.vertices)[:, :2], axis=0)
        columns, rows = (int(np.clip(np.ceil(s / self.pitch - 1e-6), 8, 4096)) for s in size)
        return _core.TactileCamera.orthographic(columns, rows, self.pitch)

    def add_to(self, scene: Scene, robot: str, *, element: str = "linear") -> list[str]:
        """Adds the pads to a robot of the scene, where its links are at the start; a soft body and
        a sensor each. Returns their names, "ROBOT/PAD". Raises InputError.

        element: "linear" or "composite", as in Scene.add_soft().
        """
        group, names = f"{robot} pads", []
        for pad in self.pads:
            name = f"{robot}/{pad.name}"
            mount = _link(robot, pad.link, scene)
            scene.add_soft(name, pad.gel.mesh, material=Material(**self.material),
                           position=pad.position, quaternion=pad.quaternion, frame=mount,
                           element=element, glue={mount: pad.gel.base},
                           coat=pad.gel.coat, friction=self.friction, group=group)
            scene.add_sensor(name, name, camera=self.camera(pad), markers=pad.markers)
            names.append(name)
        if not self.touch_robot:
            scene.add_pair(robot, group, enabled=False)
        return names

    def spec(self, pad: LinkPad) -> _core.SensorSpec:
        """Camera and markers of a pad, for a scene that is being read."""
        return sensor_spec(camera=self.camera(pad), markers=pad.markers)


def pad_set_names() -> list[str]:
    """Names that load_pad_set() knows."""
    return names_in(_SETS)


def pad_set_titles() -> dict[str, str]:
    """What each name stands for."""
    return {name: title_of(_SETS / f"{name}.yaml") for name in pad_set_names()}


def load_pad_set(name: str, folder: str | os.PathLike[str] | None = None) -> PadSet:
    """A set of pads by its name (pad_set_names()) or from a file (.yaml). Raises InputError.

    folder: where the meshes that it names are, a robot's description; None: beside the file.
    """
    path = find_file(name, _SETS, "pad set")
    s = open_sensor_file(path, "pad set")
    meshes = path.parent if folder is None else Path(folder)
    facts = read_facts(s)
    made = PadSet(
        name=s.text("name"), about=s.text("about", ""), material=read_material(s.section("material")),
        friction=s.number("friction", "", 0, 10, 0.0), pads=[],
        touch_robot=s.text("touch_robot", "yes", among=("yes", "no", "true", "false"))
        in ("yes", "true"), pitch=s.number("pitch", "m", 1e-6, 1e-2, 1e-4), facts=facts)
    entries = s.list("pads")
    if not entries:
        s.fail("pads", "", "has no pads", "add one")
    scale = {"m": 1.0, "mm": 1e-3}[s.text("unit", "m", among=("m", "mm"))]
    for e in entries:
        files = []
        for key in ("mesh", "base"):
            file = meshes / e.text(key)
            if not file.is_file():
                e.fail(key, str(file), "is no file", "give the folder of the robot's description",
                       e.nodes[key])
            files.append(str(file))
        pad = pad_from_mesh(e.text("name"), e.text("link"), *files, scale=scale)
        pad.markers = read_markers(e.section("markers", required=False))
        made.pads.append(pad)
        made.files += files
        e.done()
    s.done()
    return made


def pad_from_mesh(name: str, link: str, mesh: str, base: str, *, scale: float = 1.0) -> LinkPad:
    """A pad from a volume file in its link's frame and the surface (.obj, .stl) that it is glued
    to; the coat is what looks away from it. Raises InputError.

    scale [m]: the unit of both files.
    """
    gel, _ = _core.orient(read_volume(mesh).transformed(scale=scale))
    _core.require_volume(gel, mesh)
    x = np.asarray(gel.vertices)
    surface, _ = _core.read_surface(base, scale)
    near = np.abs(_core.distance_to_surface(x, surface)) < _TOUCHES
    if not near.any():
        refuse(f'pad "{name}"', mesh, f"has no vertex within {_TOUCHES * 1e3:g} mm of {base}, so "
               "its glued face cannot be told", "give the surface that it sits on, in the same "
               "frame and unit")
    return _placed(name, link, gel, np.flatnonzero(near), mesh)


def _placed(name: str, link: str, mesh: _core.TetMesh, base: NDArray[np.intp], what: str
            ) -> LinkPad:
    """Finds the way the pad looks, and turns it into its gel frame."""
    x = np.asarray(mesh.vertices)
    surface, of = _core.boundary_surface(mesh)
    triangles = np.asarray(of)[np.asarray(surface.triangles)]
    a, b, c = (x[triangles[:, k]] for k in range(3))
    area = 0.5 * np.cross(b - a, c - a)
    held = np.isin(triangles, base)
    back = area[held.all(axis=1)].sum(axis=0)
    if not np.linalg.norm(back) > 1e-3 * np.linalg.norm(area, axis=1).sum():
        refuse(f'pad "{name}"', what, "is held by vertices that make no face, so its glued face "
               "cannot be told", "give the surface that it sits on")
    up = -back / np.linalg.norm(back)
    cosine = area @ up / np.maximum(np.linalg.norm(area, axis=1), 1e-300)
    coat = triangles[(cosine > _FACES) & ~held.all(axis=1)]
    if len(coat) == 0:
        refuse(f'pad "{name}"', what, "has no face that looks away from what it is glued to",
               "check the surface that it sits on")
    # x along the longer side of the smallest rectangle about the coat, whose sides are along the
    # link's axes or, where that is smaller, along an edge of the coat's rim; origin over its middle,
    # at its highest point.
    points = x[np.unique(coat)]
    by_axis, turn = min((_frame(up, axis, points) for axis in np.eye(3)
                         if np.linalg.norm(np.cross(axis, up)) > 0.5), key=lambda f: f[0])
    by_edge, turned = min((_frame(up, edge, points) for edge in _rim(coat, x)
                           if np.linalg.norm(np.cross(edge, up)) > 0.5), key=lambda f: f[0])
    if by_edge < (1 - _SMALLER) * by_axis:
        turn = turned
    local = x @ turn
    top = local[np.unique(coat)]
    middle = 0.5 * (top.min(axis=0) + top.max(axis=0))
    middle[2] = top[:, 2].max()
    origin = turn @ middle
    moved = _core.TetMesh((x - origin) @ turn, np.asarray(mesh.tets))
    thickness = float(np.ptp(local[:, 2]))
    return LinkPad(name, link, Gel(moved, base, coat, thickness), origin, quaternion(turn))


def _rim(coat: NDArray[np.intp], x: NDArray[np.float64]) -> NDArray[np.float64]:
    """Unit directions of the edges of one triangle only, each with its largest component positive."""
    edges = np.sort(np.concatenate([coat[:, [0, 1]], coat[:, [1, 2]], coat[:, [2, 0]]]), axis=1)
    edges, count = np.unique(edges, axis=0, return_counts=True)
    ways = np.diff(x[edges[count == 1]], axis=1)[:, 0]
    largest = ways[np.arange(len(ways)), np.abs(ways).argmax(axis=1)]
    return ways / (np.linalg.norm(ways, axis=1) * np.sign(largest))[:, None]


def _frame(up: NDArray[np.float64], axis: NDArray[np.float64], x: NDArray[np.float64]
           ) -> tuple[float, NDArray[np.float64]]:
    """The area of the rectangle about x across `up` with a side along the axis, and a frame whose x
    is its longer side."""
    along = axis - (axis @ up) * up
    along /= np.linalg.norm(along)
    side = np.cross(up, along)
    a, b = np.ptp(x @ along), np.ptp(x @ side)
    if b > a * (1 + 1e-6):
        along, side = side, -along
    return float(a * b), np.column_stack([along, side, up])


def _link(robot: str, link: str, scene: Scene) -> str:
    entry = next((e for e in scene.entries()["robots"] if e["name"] == robot), None)
    if entry is None:
        refuse("pad set", f'"{robot}"', "is no robot of the scene", "add the robot first")
    return robot if len(entry["robot"].links) == 1 else f"{robot}/{link}"
