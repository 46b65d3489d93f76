"""Drawing snapshots: bodies, colours of the gel, forces and markers.

Pictures, movies, recordings and the page in the browser all draw through this;
haptos.look.sheets draws the images of sensors.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import ArrayLike, NDArray
from PIL import Image as Pil
from PIL import ImageDraw, ImageFont

from haptos import _core
from haptos.look.aim import CAMERAS, Aim, Look, middle_in, view_box
from haptos.look.colours import coloured
from haptos.look.snapshots import FIELDS, Array, Snapshot, Stage
from haptos.scene.shown import GEL, Plane, ShownBody

CUT = (0.47, 0.66, 0.74)  #: a gel cut open
ROD = (0.45, 0.47, 0.52)  #: segments and points
INK = (0.12, 0.14, 0.17)
ARROW = (0.93, 0.30, 0.20)

OBJECTS = ("solid", "ghost", "hidden")
ARROWS = ("none", "sum", "spread")
_CELL = 1 / 40  # of the scene: side of the cubes that spread arrows are summed over

Image = NDArray[np.uint8]


# -- how much there is -------------------------------------------------------------------------


def nice_top(value: float) -> float:
    """The smallest of 1, 1.5, 2, 3, 5, 7 times a power of ten that is not below a number."""
    if not (value > 0 and math.isfinite(value)):
        return 1.0
    base = 10.0 ** math.floor(math.log10(value))
    return next((m * base for m in (1, 1.5, 2, 3, 5, 7) if m * base >= value * (1 - 1e-9)),
                10 * base)


@dataclass
class Ranges:
    """The largest of each number that is shown, for scales that hold in all frames [SI]."""

    top: dict[str, float] = field(default_factory=dict)

    def grow(self, stage: Stage, snap: Snapshot) -> Ranges:
        """Takes a snapshot in; returns itself."""
        def raise_to(key: str, values: Array | None) -> None:
            if values is not None and np.size(values):
                with np.errstate(invalid="ignore"):
                    most = float(np.nanmax(np.where(np.isfinite(values), values, 0.0)))
                self.top[key] = max(self.top.get(key, 0.0), most)

        for name, bodies in snap.fields.items():
            for values in bodies.values():
                raise_to(name, values)
        for r in snap.readings.values():
            raise_to("depth", r.depth)
            raise_to("image pressure", r.pressure)
            if r.pixel_flow is not None:
                raise_to("flow", np.hypot(r.pixel_flow[:, 0], r.pixel_flow[:, 1]))
        raise_to("force", np.linalg.norm(sum_forces(stage, snap)[1], axis=1))
        box = view_box(stage, [snap])
        if box is not None and len(snap.contact_pairs):
            size = float(np.linalg.norm(np.ptp(box, axis=0))) or 1.0
            spread = spread_forces(stage, snap, size * _CELL)[1]
            raise_to("spread force", np.linalg.norm(spread, axis=1))
        return self

    def nice(self, key: str, unit: float = 1.0, least: float = 0.0) -> float:
        """The top of a scale, a round number in the unit shown."""
        return nice_top(max(self.top.get(key, 0.0) * unit, least))


def sum_forces(stage: Stage, snap: Snapshot) -> tuple[Array, Array]:
    """Where each two bodies that touch press on each other, and the whole force there.

    (n, 3) [m], the middle of the contact weighted by force, and (n, 3) [N] on the body that is not
    soft, or on the first of the two.
    """
    if not len(snap.contact_pairs):
        return np.zeros((0, 3)), np.zeros((0, 3))
    _, which = np.unique(snap.contact_pairs, axis=0, return_inverse=True)
    return _sums(snap, _signs(stage, snap), which.reshape(-1))


def spread_forces(stage: Stage, snap: Snapshot, cell: float) -> tuple[Array, Array]:
    """As sum_forces(), but of each cube of side `cell` [m] by itself."""
    if not len(snap.contact_pairs):
        return np.zeros((0, 3)), np.zeros((0, 3))
    rows = np.floor(snap.contact_points / cell).astype(np.int64)
    _, which = np.unique(rows, axis=0, return_inverse=True)
    return _sums(snap, _signs(stage, snap), which.reshape(-1))


def _sums(snap: Snapshot, signs: Array, which: Array) -> tuple[Array, Array]:
    """Middle weighted by force, and the whole force, of the contacts of each group."""
    n = int(which.max()) + 1
    weight = np.linalg.norm(snap.contact_forces, axis=1) + 1e-300
    whole = np.bincount(which, weight, n)
    at = np.stack([np.bincount(which, weight * snap.contact_points[:, k], n) / whole
                   for k in range(3)], axis=1)
    force = np.stack([np.bincount(which, signs * snap.contact_forces[:, k], n)
                      for k in range(3)], axis=1)
    return at, force


def _signs(stage: Stage, snap: Snapshot) -> Array:
    """-1 where the first body of a contact is soft and the second is not, else 1."""
    soft = np.isin(snap.contact_pairs, list(stage.soft_ids))
    return np.where(soft[:, 0] & ~soft[:, 1], -1.0, 1.0)


# -- three dimensions --------------------------------------------------------------------------


def draw(stage: Stage, snap: Snapshot, look: Look, ranges: Ranges | None = None) -> Image:
    """A picture (height, width, 3) of a snapshot."""
    ranges = ranges or Ranges().grow(stage, snap)
    look = Aim(stage, look).add(snap).look()
    empty = look.frame is None
    box = np.array([[-0.5] * 3, [0.5] * 3]) if empty else np.asarray(look.frame, float)
    # The renderer is given lengths near one.
    size = float(np.linalg.norm(np.ptp(box, axis=0))) or 1.0
    scale = 10.0 / size
    scene = _core.RenderScene()
    cut = look.camera == "cut"
    if empty:
        scene.add_point((0, 0, 0), 0.1)
    for body in coloured(stage, look.colors).bodies:
        _add_body(scene, stage, snap, body, look, ranges, scale, size)
    for plane in stage.planes:
        _add_plane(scene, plane, box, scale)
    if look.markers:
        _add_markers(scene, snap, scale)
    if look.arrows != "none":
        _add_arrows(scene, stage, snap, look.arrows, ranges, scale, size)
    frame = box * scale
    direction = CAMERAS[look.camera] if isinstance(look.camera, str) else look.camera
    if stage.sensors or cut:
        scene.set_ground(float(frame[0, 2]))
    middle = middle_in(stage, snap, look)
    if cut:
        y = float(frame[:, 1].mean()) if middle is None else float(middle[1]) * scale
        scene.clip((0, -1, 0), -y)
        frame = np.array([[frame[0, 0], y, frame[0, 2]], frame[1]])
        frame.sort(axis=0)
    image = _core.render(scene, direction, look.width, look.height, margin=0.08 if cut else 0.1,
                         fov=look.fov, frame=None if empty else frame,
                         target=None if middle is None else middle * scale,
                         distance=None if look.distance is None else look.distance * scale)
    return _legend(image, snap, look, ranges) if look.legend else image


def _add_body(scene: _core.RenderScene, stage: Stage, snap: Snapshot, body: ShownBody, look: Look,
              ranges: Ranges, scale: float, size: float) -> None:
    x = snap.vertices(body) * scale
    if body.kind == "soft":
        values = snap.fields.get(look.color, {}).get(body.name)
        if values is None:
            cut = CUT if body.color == GEL else tuple(0.8 * c for c in body.color)
            scene.add_mesh(x, body.triangles, color=body.color, finish=body.finish, crease_angle=body.crease_angle,
                           cap_color=cut)
        else:
            top = ranges.nice(look.color, FIELDS[look.color].unit) / FIELDS[look.color].unit
            scene.add_mesh(x, body.triangles, vertex_colors=field_colors(values / top),
                           finish="matte", crease_angle=body.crease_angle, cap_color=CUT)
        return
    if body.kind == "material_points":
        _add_points(scene, snap, body, look, ranges, scale)
        return
    presses = body.kind == "prescribed" and bool(stage.of("soft"))
    if presses and look.objects == "hidden":
        return
    opacity = 0.22 if presses and look.objects == "ghost" else max(0.2, body.opacity)
    if len(body.triangles):
        scene.add_mesh(x, body.triangles, color=body.color, finish=body.finish, opacity=opacity,
                       crease_angle=body.crease_angle,
                       cap_color=tuple(0.75 * c for c in body.color))
    rods = rod_mesh(x, body.segments, body.points, 0.004 * size * scale)
    if rods is not None:
        scene.add_mesh(*rods, color=ROD, finish="metal", crease_angle=1.2, opacity=opacity)


def _add_points(scene: _core.RenderScene, snap: Snapshot, body: ShownBody, look: Look, ranges: Ranges,
                scale: float) -> None:
    skin = snap.skin(body, look.color)
    x, triangles = np.asarray(skin.mesh.vertices) * scale, np.asarray(skin.mesh.triangles)
    if not len(triangles):
        return
    cut = tuple(0.8 * c for c in body.color)
    if len(skin.values):
        top = ranges.nice(look.color, FIELDS[look.color].unit) / FIELDS[look.color].unit
        scene.add_mesh(x, triangles, vertex_colors=field_colors(skin.values / top, body.color), crease_angle=body.crease_angle, cap_color=cut)
    else:
        scene.add_mesh(x, triangles, color=body.color, crease_angle=body.crease_angle, cap_color=cut)


def rod_mesh(x: Array, segments: Array, points: Array, radius: float
             ) -> tuple[Array, Array] | None:
    """Segments as round rods with rounded ends, points as small balls, in one mesh."""
    if len(segments) + len(points) == 0:
        return None
    # Each is a ball of which one half is moved along: (from, to) of a point is the same place.
    ball = _core.icosphere(1.0, 0.7)
    unit, faces = np.asarray(ball.vertices), np.asarray(ball.triangles)
    segments = np.asarray(segments).reshape(-1, 2)
    start = np.concatenate([x[segments[:, 0]], x[points]])
    along = np.concatenate([x[segments[:, 1]], x[points]]) - start
    length = np.linalg.norm(along, axis=1, keepdims=True)
    w = np.where(length > 0, along / np.where(length > 0, length, 1), (0.0, 0.0, 1.0))
    side = np.eye(3)[np.argmin(np.abs(w), axis=1)]
    u = np.cross(w, side)
    u /= np.linalg.norm(u, axis=1, keepdims=True)
    v = np.cross(w, u)
    frame = np.stack([u, v, w], axis=1)  # (n, 3, 3), rows
    scale = radius * np.where(length > 0, 1.0, 2.0)[:, None, :]
    vertices = (unit @ frame) * scale + start[:, None, :]
    vertices += (unit[:, 2] > 1e-9)[None, :, None] * along[:, None, :]
    shift = np.arange(len(start))[:, None, None] * len(unit)
    return vertices.reshape(-1, 3), (faces[None] + shift).reshape(-1, 3).astype(np.int32)


def _add_plane(scene: _core.RenderScene, plane: Plane, box: Array, scale: float) -> None:
    """A square of a half-space's plane beside what there is to see."""
    normal = plane.normal
    middle = box.mean(axis=0)
    middle = middle - (middle @ normal - plane.offset) * normal
    size = 1.2 * float(np.linalg.norm(np.ptp(box, axis=0))) or 1.0
    side = np.cross(normal, [0.0, 1.0, 0.0] if abs(normal[1]) < 0.9 else [1.0, 0.0, 0.0])
    side *= size / np.linalg.norm(side)
    other = np.cross(normal, side)
    corners = np.array([middle - side - other, middle + side - other, middle + side + other,
                        middle - side + other])
    scene.add_mesh(corners * scale, [[0, 1, 2], [0, 2, 3]], color=(0.80, 0.81, 0.82))


def _add_markers(scene: _core.RenderScene, snap: Snapshot, scale: float) -> None:
    for reading in snap.readings.values():
        if reading.markers is not None and len(reading.markers):
            radius = marker_radius(reading.markers)
            for p in reading.markers:
                scene.add_point(p * scale, radius * scale, INK)


def marker_radius(markers: Array) -> float:
    """A radius at which markers (n, 3) are told apart [m]."""
    span = np.sort(np.ptp(markers, axis=0))[1:]
    return 0.09 * float(np.sqrt(span[0] * span[1] / len(markers))) or 1e-4


def _add_arrows(scene: _core.RenderScene, stage: Stage, snap: Snapshot, which: str,
                ranges: Ranges, scale: float, size: float) -> None:
    for start, end in arrows(stage, snap, which, ranges, size):
        length = float(np.linalg.norm(end - start))
        if length > 1e-6 * size:
            radius = min(0.008 * size, 0.06 * length) if which == "sum" else 0.002 * size
            scene.add_arrow(start * scale, end * scale, radius * scale, ARROW)


def arrows(stage: Stage, snap: Snapshot, which: str, ranges: Ranges, size: float,
           metres_per_newton: float | None = None) -> Array:
    """Start and end of each force arrow, (n, 2, 3) [m].

    which: of ARROWS; size: of the scene [m]. Without a scale the largest arrow of `ranges` is 0.3
    of the scene long, 0.15 where they are spread.
    """
    if which == "none":
        return np.zeros((0, 2, 3))
    at, force = (sum_forces(stage, snap) if which == "sum" else
                 spread_forces(stage, snap, size * _CELL))
    if metres_per_newton is None:
        largest = ranges.top.get("force" if which == "sum" else "spread force", 0.0)
        longest = 0.3 if which == "sum" else 0.15
        metres_per_newton = longest * size / largest if largest else 0.0
    return np.stack([at, at + metres_per_newton * force], axis=1)


def field_colors(part: ArrayLike, bare: tuple[float, float, float] = GEL) -> Array:
    """Colours (n, 3), 0 to 1, of parts of a scale (n): from that of a bare body at 0 into the
    colour map, so that what is not touched stays light."""
    t = np.clip(np.nan_to_num(np.asarray(part, float)), 0.0, 1.0)
    mixed = np.clip(t / 0.25, 0.0, 1.0)[:, None] ** 0.7
    return (1 - mixed) * np.array(bare) + mixed * _core.map_colors(t)


# -- words on pictures -------------------------------------------------------------------------


def _font(size: float) -> ImageFont.ImageFont | ImageFont.FreeTypeFont:
    return ImageFont.load_default(max(10, round(size)))


def _legend(image: Image, snap: Snapshot, look: Look, ranges: Ranges) -> Image:
    """Writes the time, and the scale of colours where there is one."""
    picture = Pil.fromarray(image)
    pen = ImageDraw.Draw(picture)
    unit = min(look.width, look.height) / 40
    font = _font(unit)
    ink = tuple(round(255 * c) for c in INK)
    pen.text((unit, 0.8 * unit), show_seconds(snap.time), ink, font)
    if look.color and snap.fields.get(look.color):
        kind = FIELDS[look.color]
        top = ranges.nice(look.color, kind.unit)
        tall, wide = round(10 * unit), max(4, round(0.8 * unit))
        x, y = look.width - round(5 * unit), round(3 * unit)
        bar = field_colors(np.linspace(1, 0, tall))
        pixels = np.repeat((255 * bar).round().astype(np.uint8)[:, None], wide, axis=1)
        picture.paste(Pil.fromarray(pixels), (x, y))
        pen.text((look.width - unit, 0.8 * unit), kind.label, ink, font, anchor="ra")
        for part in (0.0, 0.5, 1.0):
            at = y + (1 - part) * (tall - 1)
            pen.line((x + wide, at, x + wide + 0.3 * unit, at), ink)
            pen.text((x + wide + 0.5 * unit, at), f"{part * top:g}", ink, font, anchor="lm")
    return np.asarray(picture)


def show_seconds(time: float) -> str:
    """A time as a person reads it beside a picture."""
    return f"{time:.4g} s" if abs(time) < 1 else f"{time:.3f} s"
