"""The bodies, colours, forces and markers of a page: what its three-dimensional part shows."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from haptos.look.drawing import INK, Ranges, arrows, field_colors, marker_radius, rod_mesh
from haptos.look.snapshots import FIELDS, Snapshot, Stage
from haptos.scene.shown import Plane, ShownBody
from haptos.view.surface_glb import surface_glb

_ARROW = (0.85, 0.25, 0.15)


@dataclass(frozen=True)
class PageLook:
    """What a person chose to see."""

    color: str = "none"  #: of FIELDS
    objects: str = "solid"  #: of drawing.OBJECTS
    forces: str = "sum"  #: of drawing.ARROWS
    metres_per_newton: float | None = None  #: of arrows; None fits them to the scene
    markers: bool = True


class PageScene:
    """Nodes of a viser server for the bodies of a Stage."""

    def __init__(self, server: Any, stage: Stage, snap: Snapshot, size: float) -> None:
        """size: of the scene [m]."""
        self._server, self._stage, self._size = server, stage, size
        self.nodes: dict[str, Any] = {}  #: of the bodies
        self.skins: dict[str, Skin] = {}  #: coloured surfaces of those that have fields
        self.others: dict[str, Any] = {}  #: "arrows" and "markers"
        for body in stage.bodies:
            self._add_body(body, snap)
        self._planes = [self._add_plane(p) for p in stage.planes]

    def remove(self) -> None:
        """Takes everything off the page."""
        for handle in [*self.nodes.values(), *self.others.values(), *self._planes]:
            handle.remove()
        for skin in self.skins.values():
            skin.remove()

    def _add_body(self, body: ShownBody, snap: Snapshot) -> None:
        scene, path = self._server.scene, f"/{body.kind}/{body.name}"
        x, triangles = body.vertices, body.triangles
        if body.kind == "material_points":
            mesh = snap.skin(body).mesh
            x, triangles = np.asarray(mesh.vertices), np.asarray(mesh.triangles)
        elif body.deforms:
            x = snap.positions[body.name]
        rods = rod_mesh(body.vertices, body.segments, body.points, 0.004 * self._size)
        if rods is not None:
            triangles = np.concatenate([triangles.reshape(-1, 3), rods[1] + len(x)])
            x = np.concatenate([x, rods[0]])
        if not len(triangles):
            return
        self.nodes[body.name] = scene.add_mesh_simple(
            path, x.astype(np.float32), np.asarray(triangles), color=body.color, side="double",
            opacity=None if body.opacity >= 1 else body.opacity)
        if body.kind in ("soft", "material_points"):
            self.skins[body.name] = Skin(scene, body.name)

    def _add_plane(self, plane: Plane) -> Any:
        n = plane.normal
        turn = np.array([1 + n[2], -n[1], n[0], 0.0])  # from z to n
        if np.linalg.norm(turn) < 1e-9:
            turn = np.array([0.0, 1.0, 0.0, 0.0])
        side = max(4.0, 4 * self._size) if self._size > 0.2 else 4 * self._size
        return self._server.scene.add_grid(
            f"/half_spaces/{plane.name}", width=side, height=side, cell_size=side / 8,
            section_size=side / 4, position=n * plane.offset, wxyz=turn / np.linalg.norm(turn))

    # -- a moment ------------------------------------------------------------------------------

    def show(self, snap: Snapshot, look: PageLook, ranges: Ranges) -> None:
        """Shows a moment."""
        with self._server.atomic():
            self._show_bodies(snap, look, ranges)
            self._show_arrows(snap, look, ranges)
            self._show_markers(snap, look)

    def settle(self) -> None:
        """Called often: turns to the coloured surfaces that the page has read by now."""
        for skin in self.skins.values():
            skin.settle(self._show_plain)

    def _show_plain(self, name: str, plain: bool) -> None:
        """Shows or hides the surface of a soft body that has one colour."""
        if name in self.nodes and self.nodes[name].visible != plain:
            self.nodes[name].visible = plain

    def _show_bodies(self, snap: Snapshot, look: PageLook, ranges: Ranges) -> None:
        kind = FIELDS.get(look.color)
        presses = bool(self._stage.of("soft"))
        for body in self._stage.bodies:
            handle = self.nodes.get(body.name)
            if handle is None:
                continue
            if body.kind == "material_points":
                self._show_points(body, handle, snap, look, ranges)
                continue
            if body.deforms:
                handle.vertices = snap.positions[body.name].astype(np.float32)
            else:
                pose = snap.poses[body.name]
                handle.position, handle.wxyz = pose[:3], pose[3:]
            if body.kind == "prescribed" and presses:
                handle.visible = look.objects != "hidden"
                opacity = 0.25 if look.objects == "ghost" else None
                if handle.opacity != opacity:
                    handle.opacity = opacity
            if body.kind == "soft":
                values = snap.fields.get(look.color, {}).get(body.name)
                if values is None or kind is None:
                    self.skins[body.name].hide()
                else:
                    top = ranges.nice(look.color, kind.unit) / kind.unit
                    self.skins[body.name].show(snap.positions[body.name], body.triangles,
                                               field_colors(values / top))

    def _show_points(self, body: ShownBody, handle: Any, snap: Snapshot, look: PageLook, ranges: Ranges) -> None:
        skin = snap.skin(body, look.color)
        vertices, triangles = np.asarray(skin.mesh.vertices), np.asarray(skin.mesh.triangles)
        if len(skin.values):
            kind = FIELDS[look.color]
            top = ranges.nice(look.color, kind.unit) / kind.unit
            self.skins[body.name].show(vertices, triangles, field_colors(skin.values / top, body.color))
        else:
            self.skins[body.name].hide()
        handle.vertices, handle.faces = vertices.astype(np.float32), triangles.astype(np.uint32)

    def _show_arrows(self, snap: Snapshot, look: PageLook, ranges: Ranges) -> None:
        ends = arrows(self._stage, snap, look.forces, ranges, self._size,
                      look.metres_per_newton).astype(np.float32)
        ends = ends[np.linalg.norm(ends[:, 1] - ends[:, 0], axis=1) > 1e-6 * self._size]
        thick = 0.006 * self._size if look.forces == "sum" else 0.002 * self._size
        self._replace("arrows", None if not len(ends) else lambda: self._server.scene.add_arrows(
            "/forces", ends, _ARROW, shaft_radius=thick, head_radius=2.2 * thick,
            head_length=5 * thick))

    def _show_markers(self, snap: Snapshot, look: PageLook) -> None:
        found = [r.markers for r in snap.readings.values() if r.markers is not None]
        if not look.markers or not found:
            self._replace("markers", None)
            return
        points = np.concatenate(found).astype(np.float32)
        if "markers" in self.others:
            self.others["markers"].points = points
            return
        size = 1.2 * marker_radius(found[0])
        self._replace("markers", lambda: self._server.scene.add_point_cloud(
            "/markers", points, INK, point_size=size, point_shape="circle", precision="float32"))

    def _replace(self, key: str, make: Callable[[], Any] | None) -> None:
        old = self.others.pop(key, None)
        if old is not None:
            old.remove()
        if make is not None:
            self.others[key] = make()


class Skin:
    """The coloured surface of a body.

    A mesh of viser has one colour; a GLB has one for each vertex, but while the page reads a new
    one it shows nothing. So there are two: what is new goes into the hidden one, which is shown a
    moment later in place of the other.
    """

    _READ = 0.12  # what the page is given to read one [s]

    def __init__(self, scene: Any, name: str) -> None:
        # Not below the plain surface's node, with which it would be hidden.
        self._scene, self._name = scene, name
        self._pair: list[Any] = [None, None]
        self._front = 0
        self._ready: float | None = None
        self._next: tuple[Any, Any, Any] | None = None
        self.on = False

    def show(self, vertices: Any, triangles: Any, colors: Any) -> None:
        """Shows it there and so, in a moment."""
        self._next, self.on = (vertices, triangles, colors), True

    def hide(self) -> None:
        """Leaves the plain surface to be seen."""
        self.on, self._next, self._ready = False, None, None

    def settle(self, show_plain: Callable[[str, bool], None]) -> None:
        """Called often: turns to what has been read by now."""
        if not self.on:
            for handle in self._pair:
                if handle is not None and handle.visible:
                    handle.visible = False
            show_plain(self._name, True)
            return
        now = time.monotonic()
        if self._ready is not None and now >= self._ready:
            self._ready = None
            old, self._front = self._pair[self._front], 1 - self._front
            self._pair[self._front].visible = True
            if old is not None:
                old.visible = False
            show_plain(self._name, False)
        if self._ready is None and self._next is not None:
            (vertices, triangles, colors), self._next = self._next, None
            back = 1 - self._front
            data = surface_glb(vertices, triangles, colors)
            if self._pair[back] is None:
                self._pair[back] = self._scene.add_glb(f"/colours/{self._name}/{back}", data,
                                                       visible=False)
            else:
                self._pair[back].glb_data = data
            self._ready = now + self._READ

    def remove(self) -> None:
        for handle in self._pair:
            if handle is not None:
                handle.remove()
