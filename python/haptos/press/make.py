"""Makes one press of a data set: what it does, what the sensor then sees, its part of the file."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np

from haptos import _core
from haptos.base.errors import InputError, PressError, StepError
from haptos.press.file import FAILED, GOOD, NOT_CONVERGED, empty_row, fields_of, write_part
from haptos.press.height_map import HeightMap
from haptos.press.press import Press, prepare
from haptos.press.recipe import OnePress, Recipe
from haptos.record.recording import versions
from haptos.tactile.sensor_models import load_sensor

JOB, SHAPES = "job.json", "shapes.npz"  # in the folder of the parts


class Maker:
    """Makes the presses of a recipe."""

    def __init__(self, folder: Path) -> None:
        """folder: of the parts, with the job and the shapes."""
        job = json.loads((folder / JOB).read_text(encoding="utf-8"))
        self._folder, self._sensor_name = folder, job["sensor"]
        self.recipe = Recipe.of_json(job["recipe"])
        self._key, self._sensor = self.recipe.key(), load_sensor(job["sensor"])
        self._fields = fields_of(self.recipe.model, self._sensor)
        with np.load(folder / SHAPES) as kept:
            self._shapes = [_core.TriMesh(kept[f"v{k}"], kept[f"t{k}"])
                            for k in range(len(self.recipe.shapes))]
        self._height_map: HeightMap | None = None

    def make(self, k: int) -> tuple[int, str]:
        """Makes press k and writes it; its outcome, and why it is not good. Raises OSError where
        the disk is full."""
        asked = self.recipe.press(k)
        surface = self._shapes[asked.shape].transformed(quaternion=asked.turn())
        row, sentence = empty_row(self._fields), ""
        try:
            made = (self._with_gel(asked, surface) if self.recipe.model != "height-map"
                    else self._from_heights(asked, surface))
            sentence = made.pop("sentence", "")
            row.update(made)
        except (InputError, PressError, StepError) as e:
            row["outcome"][...], sentence = FAILED, " ".join(str(e).split())
            if isinstance(e, StepError) and e.report is not None:
                row["status"][...] = int(e.report.status[0])
        write_part(self._folder, self._key, asked, self._fields, row, sentence,
                   versions()["haptos"])
        return int(row["outcome"]), sentence

    def _with_gel(self, asked: OnePress, surface: _core.TriMesh) -> dict[str, Any]:
        press = start_press(self.recipe, self._sensor_name, asked, surface)
        status = 0
        while not press.done:
            step = press.step()
            status |= int(step.report.status[0])
        depth, normal = press.sensor.image()
        made: dict[str, Any] = {
            "depth": depth[0], "normal": normal[0], "force": step.object_force,
            "torque": step.object_torque, "reached_depth": step.depth,
            "steps": len(press.history), "status": status,
            "outcome": NOT_CONVERGED if status else GOOD,
            "sentence": _core.describe_status(status) if status else ""}
        if press.sensor.has_colours:
            made["rgb"] = press.sensor.rgb()[0]
        if press.sensor.has_markers:
            seen = press.sensor.markers()
            made.update(marker_position=seen.position[0], marker_flow=seen.flow[0],
                        marker_pixel=seen.pixel[0], marker_pixel_flow=seen.pixel_flow[0],
                        marker_seen=(seen.in_view & ~seen.hidden & ~seen.lost)[0])
        return made

    def _from_heights(self, asked: OnePress, surface: _core.TriMesh) -> dict[str, Any]:
        if self._height_map is None:
            self._height_map = HeightMap(self._sensor, self.recipe.smoothing)
        v = asked.values
        return dict(self._height_map.press(surface, (v["x"] or 0.0, v["y"] or 0.0),
                                           v["depth"] or 0.0, asked.seed))


def start_press(recipe: Recipe, sensor: str, asked: OnePress, surface: _core.TriMesh) -> Press:
    """A press of a recipe, ready to run; surface: the object, turned. Raises InputError."""
    v = asked.values
    options = {**recipe.options, "sim.seed": asked.seed}
    for name in ("young", "poisson"):
        value = v[name]
        if value is not None:
            options[f"material.{name}"] = value
    return prepare(surface, depth=v["depth"], force=v["force"], shear=asked.shear(),
                   sensor=sensor, friction=v["friction"], at=(v["x"] or 0.0, v["y"] or 0.0),
                   quality=recipe.quality, elements=recipe.elements, model=recipe.model, options=options)
