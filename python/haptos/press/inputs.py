"""What haptos.presses() is given beside quantities: shapes, a sensor, elements, options."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from haptos import _core
from haptos.base.errors import refuse
from haptos.base.options import find_option
from haptos.meshes.given import number
from haptos.press.parts import load_object
from haptos.press.recipe import content_hash, names_of
from haptos.tactile.quality import DEFAULT_QUALITY, find_quality
from haptos.tactile.sensor_models import SensorModel

SMOOTHING = 1e-3  # of a height map beside the contact, the nearest to a simulated gel [m]


def load_shapes(shapes: Any, unit: str | None, face: str | None, notes: list[str]
                 ) -> tuple[list[_core.TriMesh], list[str]]:
    """Surfaces [m] with the pressed side down, and their names. Raises InputError."""
    pairs: list[tuple[str | None, Any]]
    if isinstance(shapes, Mapping):
        pairs = [(str(n), s) for n, s in shapes.items()]
    elif isinstance(shapes, (list, tuple)) and not (
            isinstance(shapes, tuple) and len(shapes) == 2
            and all(np.ndim(s) == 2 for s in shapes)):  # vertices and triangles
        pairs = [(None, s) for s in shapes]
    else:
        pairs = [(None, shapes)]
    if not pairs:
        refuse("shapes", "", "must be at least one", "for example sphere")
    pairs = [(n, os.fspath(s) if isinstance(s, os.PathLike) else s) for n, s in pairs]
    texts = [s for _, s in pairs if isinstance(s, str)]
    for k, text in enumerate(texts):
        if text in texts[:k]:
            refuse("shape", text, "is given twice", "leave one out")
    return [load_object(s, unit, face, 1, notes) for _, s in pairs], names_of(pairs)


def sensor_hash(sensor: SensorModel) -> str:
    """Of the files that a sensor is read from."""
    files = [Path(sensor.file)]
    if sensor.rgb:  # the file of lights, and what lies beside it and may be named in it
        files += [p for p in sorted(Path(sensor.rgb).parent.iterdir())
                  if p.is_file() and p.stem.startswith(Path(sensor.rgb).stem)]
    if sensor.mesh:
        files.append(Path(sensor.mesh))
    return content_hash(*files)


def read_quality(value: str | None, model: str) -> str | None:
    """The word for how fine a simulated gel is, None for the default one. Raises InputError."""
    if value is not None and model == "height-map":
        refuse("quality", value, "is that of a simulated gel, and a height map has none",
               "leave it out")
    name = find_quality(value).name
    return None if name == DEFAULT_QUALITY else name


def read_elements(value: float | str | None, model: str) -> float | None:
    """Width of a simulated gel's elements [m]. Raises InputError."""
    if value is not None and model == "height-map":
        refuse("elements", value, "are those of a simulated gel, and a height map has none",
               "leave it out")
    if value is not None and model == "hydroelastic":
        refuse("elements", value, "are those of a simulated gel; a layer has the sensor's own",
               'leave it out, or take model="soft"')
    return None if value is None else number(value, "m", "elements")


def read_smoothing(value: float | str | None, model: str) -> float:
    """Length of a height map's smoothing [m]. Raises InputError."""
    if value is not None and model != "height-map":
        refuse("smoothing", value, "is that of a height map, and a simulated gel needs none",
               'leave it out, or take model="height-map"')
    length = SMOOTHING if value is None else number(value, "m", "smoothing")
    if not 0 <= length <= 0.01:
        refuse("smoothing", f"{length:g} m", "must be from 0 to 10 mm", 'for example "0.5 mm"')
    return length


def read_options(options: Mapping[str, float | str] | None, model: str) -> dict[str, float]:
    """Values of "group.name" options as numbers. Raises InputError."""
    if options and model == "height-map":
        refuse("options", ", ".join(options)[:60], "are for the model soft", "leave them out")
    values = {}
    for path, value in (options or {}).items():
        option = find_option(path)
        if path in ("material.young", "material.poisson", "sim.seed"):
            refuse(path, value, "is not set as an option of a data set",
                   f"give {path.partition('.')[2]}=")
        values[path] = (float(option.words.index(value)) if value in option.words
                        else number(value, option.unit, path))
    return values
