"""What a Sim shows: the surfaces of its bodies, which pictures and cameras see."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from haptos import _core
from haptos.base.turns import rotation
from haptos.robots.load import link_parts

if TYPE_CHECKING:
    from haptos.scene.sim import Sim

Array = NDArray[Any]

GEL = (0.60, 0.76, 0.82)
BODY = (0.80, 0.62, 0.42)  #: affine bodies
DOUGH = (0.93, 0.86, 0.72)  #: material points
OBJECT = (0.72, 0.73, 0.76)
STILL = np.array([0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0])  #: the pose that moves nothing


@dataclass(frozen=True)
class ShownBody:
    """A surface: `vertices` in the frame that moves with it, or at rest where it deforms. Material
    points have no triangles: a skin is laid over them."""

    name: str  #: unique; "robot/link/0" for the first part of a link
    kind: str  #: soft, material_points, prescribed, affine, robots
    vertices: Array  #: (V, 3) [m]
    triangles: Array  #: (T, 3)
    color: tuple[float, float, float]
    opacity: float = 1.0
    segments: Array = field(default_factory=lambda: np.zeros((0, 2), np.int32))
    points: Array = field(default_factory=lambda: np.zeros(0, np.int32))
    spacing: float = 0.0  #: of material points [m]

    @property
    def deforms(self) -> bool:
        """Whether a snapshot holds its vertices, not its pose."""
        return self.kind in ("soft", "affine", "material_points")

    @property
    def finish(self) -> str:
        """How its surface answers light."""
        return {"soft": "gel", "prescribed": "metal"}.get(self.kind, "matte")

    @property
    def crease_angle(self) -> float:
        """Edges sharper than this are drawn sharp [rad]."""
        return {"soft": 1.2, "material_points": 1.2, "robots": 0.5}.get(self.kind, 0.7)


@dataclass(frozen=True)
class Plane:
    """The boundary of a half-space: normal . x = offset."""

    name: str
    normal: Array
    offset: float


def place(vertices: Array, pose: Array) -> Array:
    """Points of a frame in the world, (n, 3)."""
    return np.asarray(vertices) @ rotation(pose[3:]).T + pose[:3]


def shown_bodies(sim: Sim, env: int = 0) -> tuple[list[ShownBody], list[tuple[str, str, int]]]:
    """The bodies of a Sim, with the material points of one environment; and of the parts of links
    their names, robots and numbers of links."""
    bodies = []
    entries = sim.entries_of(env)
    for entry in entries["soft"]:
        mesh = sim.mesh(entry["name"], env)
        bodies.append(ShownBody(entry["name"], "soft", np.asarray(mesh.vertices),
                                np.asarray(sim.surface(entry["name"])), GEL))
    for name, points in sim.material_points.items():
        bodies.append(ShownBody(name, "material_points", points.position[env], np.zeros((0, 3), np.int32), DOUGH,
                                spacing=points.spacing))
    for entry in entries["prescribed"]:
        s = entry["surface"]
        if len(s.vertices):
            bodies.append(ShownBody(
                entry["name"], "prescribed", np.asarray(s.vertices), np.asarray(s.triangles),
                OBJECT, 1.0, np.asarray(s.segments), np.asarray(s.points)))
    for entry in entries["affine"]:
        s = entry["surface"]
        bodies.append(ShownBody(entry["name"], "affine", np.asarray(s.vertices),
                                np.asarray(s.triangles), BODY))
    links: list[tuple[str, str, int]] = []
    for name, view in sim.robots.items():
        for part, link in robot_parts(name, view.robot_of(env)):
            bodies.append(part)
            links.append((part.name, name, link))
    return bodies, links


def shown_planes(sim: Sim, env: int = 0) -> list[Plane]:
    """The planes of a Sim's half-spaces, in one environment."""
    return [Plane(e["name"], np.asarray(e["normal"], float), float(e["offset"]))
            for e in sim.entries_of(env)["half_spaces"]]


def robot_parts(name: str, robot: _core.Robot) -> list[tuple[ShownBody, int]]:
    """What the links of a robot show, each with the number of its link, in the links' frames."""
    out = []
    for number, link in enumerate(robot.links):
        for k, (shape, mesh, rgba) in enumerate(link_parts(link)):
            placed = mesh.transformed(shape.frame[:3], shape.frame[3:])
            out.append((ShownBody(f"{name}/{link.name}/{k}", "robots",
                                  np.asarray(placed.vertices), np.asarray(placed.triangles),
                                  (rgba[0], rgba[1], rgba[2]), float(rgba[3])), number))
    return out
