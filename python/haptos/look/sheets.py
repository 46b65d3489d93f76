"""The images of tactile sensors: panels with axes, sheets of them, and pictures of a scene with the
images of its sensors, laid out so that they fill the picture."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
from PIL import Image as Pil
from PIL import ImageDraw, ImageFont

from haptos import _core
from haptos.look.aim import Look
from haptos.look.drawing import INK, Image, Ranges, draw
from haptos.look.snapshots import Reading, ShownSensor, Snapshot, Stage

PANELS = ("rgb", "depth", "markers", "pressure")
_MARGIN = 180  #: about what axes and bar add to the width of a panel [pixel]
_SCENE = 0.45  #: least part of a picture that its scene keeps
_WIDEST, _TALLEST = 2.5, 1.5  #: sides of a scene over the other, beyond which it gains nothing


def sensor_panels(sensor: ShownSensor, reading: Reading, ranges: Ranges, scale: int = 2,
                  which: Sequence[str] = PANELS, named: bool = False) -> dict[str, Image]:
    """The images of a sensor that there are: "rgb", "depth", "markers", "pressure".

    scale: screen pixels per pixel of the sensor; all scales are those of `ranges`; named: the first
    one's title begins with the sensor's name.
    """
    out = {}
    name = f"{sensor.name}: " if named else ""
    first = name if reading.rgb is None or "rgb" not in which else ""
    if "depth" in which and reading.depth is not None:
        out["depth"] = _core.field_picture(
            reading.depth, sensor.pitch, scale=scale, title=f"{first}depth", lo=0.0,
            hi=ranges.nice("depth", 1e3, 1e-3))
    if "rgb" in which and reading.rgb is not None:
        room = next((p.shape for p in out.values()), (0, 0))
        out["rgb"] = _framed(reading.rgb, scale, f"{name}what the camera shows", room)
    if "markers" in which and reading.pixel is not None and reading.pixel_flow is not None:
        out["markers"] = _marker_panel(sensor, reading, ranges, scale)
    if "pressure" in which and reading.pressure is not None:
        bins = reading.pressure
        out["pressure"] = _core.field_picture(
            bins, sensor.pitch * sensor.width / bins.shape[1], "[kPa]", 1e-3,
            max(1, round(scale * sensor.width / bins.shape[1])), "pressure", lo=0.0,
            hi=ranges.nice("image pressure", 1e-3, 1e-3))
    return {name: out[name] for name in PANELS if name in out}


def _marker_panel(sensor: ShownSensor, reading: Reading, ranges: Ranges, scale: int) -> Image:
    longest = ranges.top.get("flow", 0.0)
    spacing = 0.8 * np.sqrt(sensor.width * sensor.height / max(1, len(reading.pixel)))
    gain = max([1.0] + [g for g in (2.0, 5.0, 10.0, 20.0, 50.0) if longest * g <= spacing])
    return _core.flow_picture(
        sensor.width, sensor.height, sensor.pitch, reading.pixel - reading.pixel_flow,
        reading.pixel, reading.in_view, reading.depth, gain=gain, scale=scale,
        title="markers" if gain == 1 else f"markers, flow x {gain:g}")


def _framed(image: Image, scale: int, title: str, room: tuple[int, ...]) -> Image:
    """An image with its title, as large as fits into what the others take, (height, width)."""
    unit = 9.0 * (scale + 0.5)
    top, side = round(1.9 * unit), round(0.5 * unit)
    h, w = image.shape[:2]
    fit = max(float(scale), min((room[0] - top - side) / h, (room[1] - 2 * side) / w))
    size = (round(fit * w), round(fit * h))
    picture = Pil.new("RGB", (size[0] + 2 * side, size[1] + top + side), "white")
    picture.paste(Pil.fromarray(image).resize(size, Pil.Resampling.BICUBIC), (side, top))
    ImageDraw.Draw(picture).text((side, 0.1 * unit), title, tuple(round(255 * c) for c in INK),
                                 ImageFont.load_default(round(1.3 * unit)))
    return np.asarray(picture)


def sheet(panels: Mapping[str, Image], columns: int = 2) -> Image:
    """Panels beside and below each other on white."""
    images = list(panels.values())
    if not images:
        return np.full((16, 16, 3), 255, np.uint8)
    wide = max(i.shape[1] for i in images)
    tall = max(i.shape[0] for i in images)
    columns = min(columns, len(images))
    rows = -(-len(images) // columns)
    out = np.full((rows * tall, columns * wide, 3), 255, np.uint8)
    for k, image in enumerate(images):
        y, x = (k // columns) * tall, (k % columns) * wide
        out[y:y + image.shape[0], x:x + image.shape[1]] = image
    return out


def sensor_sheet(sensor: ShownSensor, reading: Reading, ranges: Ranges, columns: int = 2,
                 cell: int = 480, named: bool = False) -> Image:
    """All images of a sensor on one sheet; cell: about how many pixels wide each is; named: with
    the sensor's name."""
    scale = max(1, round(cell / sensor.width))
    return sheet(sensor_panels(sensor, reading, ranges, scale, named=named), columns)


# -- beside a scene ----------------------------------------------------------------------------


@dataclass(frozen=True)
class Layout:
    """Cells for the panels of sensors beside or below a scene [pixel]."""

    below: bool
    columns: int
    cell: tuple[float, float]  #: width and height
    scene: tuple[int, int]  #: width and height
    score: float  #: how good it is: area of a cell, less for every empty part of the picture


def _rows(counts: Sequence[int], columns: int) -> int:
    """Rows that panels take: each sensor begins one, or several sensors share one."""
    if columns > max(counts):
        return -(-len(counts) // (columns // max(counts)))
    return sum(-(-n // columns) for n in counts)


def _cells(counts: Sequence[int], columns: int) -> Iterator[tuple[int, int]]:
    """Row and column of each panel, sensor by sensor."""
    most, row = max(counts), 0
    for k, n in enumerate(counts):
        if columns > most:
            share = columns // most
            yield from ((k // share, k % share * most + j) for j in range(n))
        else:
            yield from ((row + j // columns, j % columns) for j in range(n))
            row += -(-n // columns)


def lay_out(counts: Sequence[int], aspect: float, width: int, height: int) -> Layout:
    """Where panels go in a picture: large ones, and little of the picture empty.

    counts: panels of each sensor; aspect: width over height of a panel.
    """
    most = max(counts)
    choices = [*range(1, most + 1), *(most * k for k in range(2, len(counts) + 1))]
    found = []
    for columns in choices:
        rows = _rows(counts, columns)
        for below in (False, True):
            room_w = width if below else (1 - _SCENE) * width
            room_h = (1 - _SCENE) * height if below else height
            tall = min(room_h / rows, room_w / columns / aspect)
            wide = tall * aspect
            # The scene takes what is left beside or below; what is empty lies about the cells. Sizes
            # are even, as movies need.
            scene = ((width, height - 2 * round(0.5 * rows * tall)) if below
                     else (width - 2 * round(0.5 * columns * wide), height))
            seen = min(scene[0], _WIDEST * scene[1]) * min(scene[1], _TALLEST * scene[0])
            empty = 1 - (seen + sum(counts) * wide * tall) / (width * height)
            found.append(Layout(below, columns, (wide, tall), scene,
                                wide * tall * (1 - max(0.0, empty))**2))
    return max(found, key=lambda choice: choice.score)


def picture_of(stage: Stage, snap: Snapshot, look: Look, ranges: Ranges, images: bool = False
               ) -> Image:
    """A picture of look.width x look.height; with images those of the sensors are beside or below
    the scene."""
    sensors = [s for s in stage.sensors if images and s.name in snap.readings]
    guess = np.sqrt(1.4 * (1 - _SCENE) * look.width * look.height
                    / max(1, len(PANELS) * len(sensors)))
    groups = [sensor_panels(s, snap.readings[s.name], ranges,
                            max(1, round((guess - _MARGIN) / s.width)), named=len(sensors) > 1)
              for s in sensors]
    groups = [g for g in groups if g]
    if not groups:
        return draw(stage, snap, look, ranges)
    panels = [image for group in groups for image in group.values()]
    aspect = max(i.shape[1] for i in panels) / max(i.shape[0] for i in panels)
    counts = [len(g) for g in groups]
    layout = lay_out(counts, aspect, look.width, look.height)
    width, height = layout.scene
    picture = Pil.new("RGB", (look.width, look.height), "white")
    picture.paste(Pil.fromarray(draw(stage, snap, replace(look, width=width, height=height),
                                     ranges)), (0, 0))
    # Cells lie in the middle of what the scene leaves.
    rows = _rows(counts, layout.columns)
    wide, tall = layout.cell
    left = 0.5 * (look.width + (0 if layout.below else width) - layout.columns * wide)
    top = 0.5 * (look.height + (height if layout.below else 0) - rows * tall)
    for (row, column), image in zip(_cells(counts, layout.columns), panels, strict=True):
        fit = min(wide / image.shape[1], tall / image.shape[0])
        size = (max(1, int(fit * image.shape[1])), max(1, int(fit * image.shape[0])))
        picture.paste(Pil.fromarray(image).resize(size, Pil.Resampling.LANCZOS),
                      (round(left + column * wide + 0.5 * (wide - size[0])),
                       round(top + row * tall + 0.5 * (tall - size[1]))))
    return np.asarray(picture)
