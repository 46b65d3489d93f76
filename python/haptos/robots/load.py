"""Robots: reading their files (URDF here, MJCF through haptos.robots.mjcf), and pictures of them."""

from __future__ import annotations

import os
import shutil
import sys
import warnings
from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from haptos import _core
from haptos.base.errors import InputError, refuse
from haptos.meshes.given import kind_of
from haptos.robots.mjcf import load_mjcf
from haptos.robots.mjcf_files import root_name
from haptos.robots.visual_files import VISUAL_SUFFIXES, VisualPart, read_solid, read_visual

_SHAPE = (0.45, 0.58, 0.74, 1.0)  # colour of collision shapes

ROBOT_SUFFIXES = (".urdf", ".xacro", ".xml", ".mjcf")

PathLike = str | os.PathLike[str]


def load_robot(path: PathLike, *, packages: Mapping[str, PathLike] | None = None,
               floating: bool = False, roots: Sequence[PathLike] = (), hulls: bool = True,
               search_packages: bool = True, xacro_arguments: Sequence[str] = (),
               srdf: PathLike | None = None, state: str = "") -> _core.Robot:
    """Reads a robot from URDF (.urdf, .xacro where the xacro program is there) or MJCF (.xml).

    Of MJCF this is everything in the file as one robot, MjcfModel.robot of haptos.load_mjcf(),
    started at the key frame `state`; only roots, hulls and state are for MJCF. packages: folders by
    name, for package:// paths; others are searched for above the file and in ROS_PACKAGE_PATH,
    unless search_packages is False. floating: the root link moves freely, else
    it is fixed to the world. roots: further folders that meshes may lie in. hulls: collision meshes
    stand for their convex hulls. xacro_arguments: "name:=value". srdf: a file that says which links
    never touch, and whose `state`, if one is named, is where the joints start. Raises InputError
    that names file, line and remedy; `robot.warnings` says what is odd, haptos.check_robot()
    whether it can be real.
    """
    if not isinstance(path, (str, os.PathLike)):
        refuse("load_robot", kind_of(path), "must be the path of a robot's file",
               'for example "arm.urdf"')
    suffix = Path(path).suffix.lower()
    if suffix not in ROBOT_SUFFIXES:
        refuse("load_robot", os.fspath(path), "must be a robot's file",
               "its name must end with one of " + " ".join(ROBOT_SUFFIXES))
    if suffix in (".xml", ".mjcf") and root_name(Path(path)) != "robot":
        for option, given in (("packages", packages), ("floating", floating),
                              ("xacro_arguments", xacro_arguments), ("srdf", srdf)):
            if given:
                refuse(option, str(given), "is not for MJCF", "leave it out")
        return load_mjcf(path, key=state or None, hulls=hulls, roots=roots).robot
    if state and srdf is None:
        refuse("state", state, "needs a file that describes it", "give srdf too")
    robot = _core.read_urdf(os.fspath(path),
                            {name: os.fspath(p) for name, p in (packages or {}).items()}, floating,
                            [os.fspath(p) for p in roots], hulls, search_packages, _xacro(),
                            list(xacro_arguments), read_solid)
    if srdf is not None:
        _core.read_srdf(os.fspath(srdf), robot, state)
    return robot


def _xacro() -> str:
    """The xacro program: on the path, or beside this Python, where pip puts it."""
    beside = Path(sys.executable).with_name("xacro")
    return "xacro" if shutil.which("xacro") or not beside.exists() else str(beside)


def robot_facts(robot: _core.Robot) -> str:
    """What a robot is, in a few words: a rigid body's shape, or how many links and joints."""
    kg = f"{sum(link.mass for link in robot.links):.4g} kg"
    if len(robot.links) == 1:
        shapes = [s.kind for s in robot.links[0].collisions]
        fixed = robot.joints[0].kind == "fixed"
        return f"rigid, {', '.join(shapes) or 'no shape'}, {'fixed' if fixed else kg}"
    return (f"robot, {len(robot.links)} links, {sum(j.kind != 'fixed' for j in robot.joints)} "
            f"joints that move, {len(robot.motors)} motors, {kg}")


def shape_surface(shape: _core.RobotShape, facet: float = 0.12) -> _core.TriMesh | None:
    """The surface of a shape in its own frame; None where it has none or its file was not read.

    facet: length of edges on curved parts over the radius.
    """
    a, b, c = (float(v) for v in shape.size)
    if shape.kind in ("mesh", "hull"):
        return shape.mesh
    if shape.kind == "box":
        return _core.box((2 * a, 2 * b, 2 * c))
    if shape.kind == "sphere":
        return _core.icosphere(a, facet * a)
    if shape.kind == "cylinder":
        return _core.cylinder(a, 2 * b, facet * a)
    if shape.kind == "capsule":
        return _core.capsule(a, 2 * b, facet * a)
    if shape.kind == "cone":
        return _core.cone(a, 0.0, 2 * b, facet * a).transformed((0, 0, -b))
    if shape.kind == "ellipsoid":
        ball = _core.icosphere(1.0, facet)
        return _core.TriMesh(np.asarray(ball.vertices) * (a, b, c), ball.triangles)
    if shape.kind == "field":
        return _field_surface(shape)
    return None


def _field_surface(shape: _core.RobotShape) -> _core.TriMesh:
    """The triangles of a height field."""
    heights, (dx, dy) = np.asarray(shape.heights), shape.spacing
    rows, columns = heights.shape
    x, y = np.meshgrid((np.arange(columns) - (columns - 1) / 2) * dx,
                       (np.arange(rows) - (rows - 1) / 2) * dy)
    at = np.arange(rows * columns).reshape(rows, columns)
    a, b, c, d = (at[i, j].ravel() for i in (slice(-1), slice(1, None))
                  for j in (slice(-1), slice(1, None)))
    return _core.TriMesh(np.column_stack([x.ravel(), y.ravel(), heights.ravel()]),
                         np.concatenate([np.column_stack([a, b, d]), np.column_stack([a, d, c])]))


def shape_parts(shape: _core.RobotShape) -> list[VisualPart]:
    """What a shape shows in its own frame [m]: its surface, or the parts of a .dae or .glb file.

    Empty where it has none, and, with a warning, where the file cannot be read.
    """
    surface = shape_surface(shape)
    if surface is not None:
        return [VisualPart(surface, None)]
    if Path(shape.file).suffix.lower() not in VISUAL_SUFFIXES:
        return []
    try:
        parts = read_visual(shape.file)
    except InputError as e:
        warnings.warn(str(e), stacklevel=2)
        return []
    scale = np.asarray(shape.scale)
    flip = -1 if np.prod(scale) < 0 else 1
    return [VisualPart(_core.TriMesh(np.asarray(p.mesh.vertices) * scale,
                                     np.asarray(p.mesh.triangles)[:, ::flip]), p.rgba)
            for p in parts]


def link_parts(link: _core.RobotLink, *, collisions: bool = False
               ) -> list[tuple[_core.RobotShape, _core.TriMesh, tuple[float, ...]]]:
    """What a link shows: shape, surface in the shape's frame [m], colour and opacity.

    Its visuals, or its collision shapes (in blue) where it has none or with `collisions`.
    """
    shown = [] if collisions else [
        (s, part.mesh, part.rgba or s.rgba) for s in link.visuals for part in shape_parts(s)]
    return shown or [(s, part.mesh, _SHAPE) for s in link.collisions for part in shape_parts(s)]


def draw_robot(scene: _core.RenderScene, robot: _core.Robot, poses: NDArray[np.float64], *,
               collisions: bool = False) -> list[NDArray[np.float64]]:
    """Adds the links of a robot at their poses (links, 7); returns where their vertices are [m].

    Shows visuals, and collision shapes (in blue) of links that show nothing; with collisions only
    these.
    """
    seen = []
    for link, pose in zip(robot.links, poses, strict=True):
        for shape, surface, rgba in link_parts(link, collisions=collisions):
            placed = surface.transformed(shape.frame[:3], shape.frame[3:]).transformed(
                pose[:3], pose[3:])
            scene.add_mesh(placed.vertices, placed.triangles, color=rgba[:3],
                           opacity=max(0.2, rgba[3]), crease_angle=0.5)
            seen.append(np.asarray(placed.vertices))
    return seen


def robot_picture(robot: _core.Robot, *, collisions: bool = False, width: int = 1280,
                  height: int = 960) -> NDArray[np.uint8]:
    """A picture of a robot with every joint at its start, (height, width, 3).

    Shows visuals, and collision shapes (in blue) for links that show nothing; with collisions only
    these.
    """
    scene = _core.RenderScene()
    seen = draw_robot(scene, robot, robot.start_poses(), collisions=collisions)
    if seen:
        scene.set_ground(min(float(x[:, 2].min()) for x in seen))
    else:
        scene.add_point((0, 0, 0), 0.01)
    return _core.render(scene, (-1.0, 0.55, -0.5), width, height, margin=0.12)
