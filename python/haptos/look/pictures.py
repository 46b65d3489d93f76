"""Pictures of a Sim: the gel from above and cut open from the side, depth, markers."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import PIL.Image
import PIL.ImageDraw
import PIL.ImageFont
from numpy.typing import ArrayLike, NDArray

from haptos import _core
from haptos.look.aim import Look
from haptos.look.drawing import CUT, INK, ROD, Image, Ranges, draw, rod_mesh
from haptos.look.snapshots import SimStage
from haptos.scene.shown import BODY, GEL, OBJECT

if TYPE_CHECKING:
    from haptos.scene.sim import Sim
    from haptos.tactile.sensors import TactileSensor

PRESSED = (0.13, 0.33, 0.50)  #: the gel where it is pressed in deepest

# From flat to deepest, of thumbnails.
_DEPTH_STOPS = np.linspace(0, 1, 5)
_DEPTH_COLOURS = np.array([[236, 243, 247], [158, 202, 216], [76, 150, 184], [30, 88, 142],
                           [12, 30, 82]], float)

# Renderers see millimetres, so that sizes are near one.
_MM = 1e3


def gel_above(sim: Sim, name: str, sensor: TactileSensor | None = None, width: int = 1280,
              height: int = 960) -> Image:
    """A soft body seen from the front and above, without what presses it.

    Darker where it is pressed in; with the markers of `sensor` drawn on it if it has any.
    """
    scene = _core.RenderScene()
    x = sim.positions(name)[0]
    scene.add_mesh(x * _MM, sim.surface(name), color=GEL, finish="gel", crease_angle=1.2,
                   vertex_colors=_pressed_colors(sim, name, x))
    if sensor is not None and sensor.has_markers:
        turn, origin = sensor.frame()
        reading = sensor.markers()
        size = np.sqrt(np.ptp(x[:, 0]) * np.ptp(x[:, 1]) / max(1, reading.position.shape[1]))
        for p in reading.position[0]:
            # Sunk by most of the radius, so that a flat disc shows.
            world = turn @ (p - [0, 0, 0.06 * size]) + origin
            scene.add_point(world * _MM, 0.10 * size * _MM, INK)
    scene.set_ground(float(x[:, 2].min()) * _MM)
    return _core.render(scene, (0.35, 1.0, -1.05), width, height, fov=0.38, margin=0.1)


def gel_side(sim: Sim, name: str, centre: ArrayLike = (0.0, 0.0, 0.0), width: int = 1280,
             height: int = 600) -> Image:
    """A soft body and what presses it, cut open along the plane y = centre[1] [m]."""
    scene = _core.RenderScene()
    x = sim.positions(name)[0] * _MM
    scene.add_mesh(x, sim.surface(name), color=GEL, finish="gel", crease_angle=1.2,
                   cap_color=CUT)
    lo, hi = x.min(axis=0), x.max(axis=0)
    thickness = 0.004 * float(np.linalg.norm(hi - lo))
    for entry in _with_surface(sim):
        _add_prescribed(scene, sim.positions(entry["name"])[0] * _MM, entry["surface"], thickness,
                        cap_color=(0.52, 0.53, 0.56))
    for entry in sim.entries["affine"]:
        scene.add_mesh(sim.positions(entry["name"])[0] * _MM, entry["surface"].triangles,
                       color=BODY, cap_color=(0.62, 0.46, 0.30))
    y = float(np.asarray(centre, float)[1]) * _MM
    scene.set_ground(float(lo[2]))
    scene.clip((0, -1, 0), -y)
    lo[1] = min(max(y, lo[1]), hi[1])
    hi[2] += 0.8 * (hi[2] - lo[2])
    return _core.render(scene, (0.0, 1.0, -0.2), width, height, fov=0.22, margin=0.06,
                        frame=np.array([lo, hi]))


def scene_above(sim: Sim, width: int = 1280, height: int = 960,
                frame: ArrayLike | None = None) -> Image:
    """Everything in the scene that has a surface, seen from the front and above.

    frame (2, 3): lower and upper corner of what the picture should hold [m], default what there is.
    """
    taker = SimStage(sim)
    snap = taker.take(fields=(), readings=False)
    if frame is None:
        seen = [x for x in map(snap.vertices, taker.stage.bodies) if len(x)]
        frame = (np.array([np.min([x.min(axis=0) for x in seen], axis=0),
                           np.max([x.max(axis=0) for x in seen], axis=0)]) if seen else None)
    look = Look(width=width, height=height, frame=frame)
    return draw(taker.stage, snap, look, Ranges())


def depth_image(sensor: TactileSensor, scale: int = 2, title: str = "") -> Image:
    """The depth of a sensor with axes and a colour bar."""
    return _core.depth_picture(sensor.depth()[0], sensor.camera.pitch, scale, title)


def marker_image(sensor: TactileSensor, scale: int = 2, title: str = "") -> Image:
    """Markers and their flow, drawn longer by a round factor so that it can be seen."""
    reading = sensor.markers()
    end, flow = reading.pixel[0], reading.pixel_flow[0]
    longest = float(np.nanmax(np.hypot(flow[:, 0], flow[:, 1]), initial=0.0))
    spacing = 0.8 * np.sqrt(sensor.camera.width * sensor.camera.height / max(1, len(end)))
    gain = max([1.0] + [g for g in (2.0, 5.0, 10.0, 20.0, 50.0) if longest * g <= spacing])
    return _core.flow_picture(sensor.camera.width, sensor.camera.height, sensor.camera.pitch,
                              end - flow, end, (reading.in_view & ~reading.lost)[0], sensor.depth()[0], gain=gain,
                              scale=scale, title=title)


def _pressed_colors(sim: Sim, name: str, x: NDArray[np.float64]) -> NDArray[np.float64]:
    """A colour per vertex, from GEL to PRESSED with how far the vertex went down."""
    entry = next(e for e in sim.entries["soft"] if e["name"] == name)
    w, i, j, k = entry["pose"][3:]
    up = [2 * (i * k - w * j), 2 * (j * k + w * i), 1 - 2 * (i * i + j * j)]
    rest = np.asarray(sim.mesh(name).vertices) @ up + entry["pose"][2]
    down = np.maximum(rest - x[:, 2], 0)
    t = (down / max(float(down.max()), 1e-9))[:, None] ** 0.8
    return (1 - 0.85 * t) * np.array(GEL) + 0.85 * t * np.array(PRESSED)


def _with_surface(sim: Sim) -> list[dict]:
    """Prescribed bodies that are more than mounts."""
    return [e for e in sim.entries["prescribed"] if len(e["surface"].vertices)]


def _add_prescribed(scene: _core.RenderScene, x: NDArray[np.float64], surface: _core.TriMesh,
                    thickness: float, **how: object) -> None:
    """A prescribed body at x; its segments and points, which have no thickness, are given one."""
    if len(surface.triangles):
        scene.add_mesh(x, surface.triangles, color=OBJECT, finish="metal", **how)
    rods = rod_mesh(x, np.asarray(surface.segments), np.asarray(surface.points), thickness)
    if rods is not None:
        scene.add_mesh(*rods, color=ROD, finish="metal", crease_angle=1.2, **how)


def grip_strip(panels: Sequence[tuple[str, NDArray[np.float64], NDArray[np.bool_]]],
               columns: int, size: int = 256) -> Image:
    """Contacts side by side in panels of one scale: blue where they stick, orange where they slip.

    panels: title, places (n, 2) [m], which of them stick (n); columns: panels that there is room
    for.
    """
    reach = 1.1 * max(float(np.abs(p).max(initial=1e-6)) for _, p, _ in panels)
    image = PIL.Image.new("RGB", (columns * size, size + 44), (255, 255, 255))
    draw = PIL.ImageDraw.Draw(image)
    font = PIL.ImageFont.load_default(size=16)
    most = max(len(p) for _, p, _ in panels)
    radius = max(1.5, min(5.0, 0.35 * size / np.sqrt(max(most, 1))))
    for k, (title, places, sticks) in enumerate(panels):
        draw.text((k * size + 8, 6), title, fill=(58, 67, 76), font=font)
        xy = (places / reach * [0.5, -0.5] + 0.5) * size + [k * size, 28]
        # Sticking ones on top: a stuck middle is what the eye looks for.
        for turn, colour in ((False, (217, 119, 43)), (True, (31, 95, 150))):
            for x, y in xy[sticks == turn]:
                draw.ellipse((x - radius, y - radius, x + radius, y + radius), fill=colour)
        draw.rectangle((k * size + 2, 28, (k + 1) * size - 3, size + 27), outline=(200, 206, 212))
    length = float(10 ** np.floor(np.log10(reach)))
    pixels = length / reach * 0.5 * size
    draw.line((8, size + 35, 8 + pixels, size + 35), fill=(58, 67, 76), width=3)
    draw.text((14 + pixels, size + 26), f"{length * 1e3:g} mm", fill=(58, 67, 76), font=font)
    return np.asarray(image)


def thumbnail(values: NDArray[Any], scale: float = 1.0, width: int = 160) -> Image:
    """A small picture: of depth (height, width) [m], from 0 to `scale`, white where the camera sees
    nothing; or of colours (height, width, 3)."""
    values = np.asarray(values)
    if values.ndim == 2:
        t = np.clip(np.nan_to_num(values, nan=0.0) / max(scale, 1e-9), 0, 1)
        image = np.stack([np.interp(t, _DEPTH_STOPS, _DEPTH_COLOURS[:, c]) for c in range(3)], -1)
        image[~np.isfinite(values)] = 255
    else:
        image = values.astype(float)
    k = max(1, -(-image.shape[1] // width))
    height, across = max(1, image.shape[0] // k) * k, image.shape[1] // k * k
    blocks = image[:height, :across].reshape(height // k, k, across // k, k, 3)
    return np.round(blocks.mean(axis=(1, 3))).astype(np.uint8)
