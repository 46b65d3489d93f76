"""What calibrate() writes for others to use: the colours, and the sensor that has them."""

from __future__ import annotations

import os
import shutil
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import yaml

from haptos.base.errors import refuse
from haptos.base.units import show_length
from haptos.look.html_page import write_text
from haptos.tactile.rgb import write_table
from haptos.tactile.sensor_models import SensorModel

if TYPE_CHECKING:
    from haptos.calibration.calibration import Calibration

DEFAULT_SENSOR = "gelsight-mini"
FLIPS = ("", "x", "y", "xy")
_SAME_SHAPE = 0.02  #: of width over height, before pictures are not those of a camera
_REPLACED = ("pitch", "camera", "lights", "colours")  #: facts about these are the calibration's


def pitch_of(base: SensorModel, width: int, height: int) -> float:
    """Length on the rest top per pixel of pictures of this size that show what the sensor's camera
    shows [m]. Raises InputError where their proportions are others."""
    camera = base.camera
    if abs(width * camera.height / (height * camera.width) - 1) > _SAME_SHAPE:
        refuse("pitch", f"pictures of {width} x {height} pixels",
               f"cannot be told from {base.name}, whose camera has {camera.width} x {camera.height}",
               "give --pitch, or another --sensor")
    return float(camera.pitch * camera.width / width)


def flip(image: Any, how: str) -> Any:
    """A picture whose columns (x), rows (y) or both (xy) run the other way."""
    if how not in FLIPS:
        refuse("mirror", how, "must be x, y or xy", "x turns left and right round")
    rows, columns = slice(None, None, -1 if "y" in how else 1), slice(None, None,
                                                                     -1 if "x" in how else 1)
    return np.ascontiguousarray(image[rows, columns])


def write_colours(folder: Path, result: Calibration) -> None:
    """Writes rgb.npz, then rgb.yaml, which load_rgb() reads."""
    write_table(folder / "rgb.npz", result.table_model.coefficients, result.background)
    fit = result.lights
    height, width = result.background.shape[:2]

    def row(values: Sequence[float], digits: str = ".6g") -> str:
        return "[" + ", ".join(format(float(v), digits) for v in values) + "]"

    lines = [
        "# RGB of a tactile sensor, fitted by haptos calibrate to "
        f"{len(result.presses)} presses of a ball of {show_length(result.ball_radius)}.",
        f"image: {{width: {width}, height: {height}, pitch: {result.pitch:.9g}}}",
        "model: table  # or lights",
        "background: rgb.npz",
        "table: rgb.npz",
        f"ambient: {row(fit.ambient)}",
        f"specular: {fit.specular:.6g}",
        f"shininess: {int(fit.shininess)}",
        "lights:",
    ]
    for position, colour in zip(fit.position, fit.colour, strict=True):
        lines.append(f"  - {{position: {row(position)}, colour: {row(colour)}}}")
    write_text(folder / "rgb.yaml", "\n".join(lines) + "\n")


def write_sensor(folder: Path, result: Calibration, base: SensorModel) -> None:
    """Writes sensor.yaml, which load_sensor() reads: pad, material and markers of `base`, its
    camera with the size and pitch of the pictures, the colours of rgb.yaml. A mesh of the pad is
    copied beside it."""
    file = Path(base.file)
    entries: dict[str, Any] = yaml.safe_load(file.read_text(encoding="utf-8"))
    height, width = result.background.shape[:2]
    camera = entries["camera"]
    camera["width"], camera["height"] = width, height
    if camera["kind"] == "orthographic":
        camera["pitch"] = f"{result.pitch * 1e6:.9g} um"
    else:
        camera["focal"] = float(f"{base.camera.distance / result.pitch:.9g}")
    if base.mesh:
        mesh = Path(base.mesh)
        part = folder / (mesh.name + ".part")
        shutil.copyfile(mesh, part)
        os.replace(part, folder / mesh.name)
        entries["pad"]["mesh"] = mesh.name
    entries["name"] = f"{base.name}, calibrated"
    entries["about"] = f"{base.name} with colours fitted to pictures of {width} x {height} pixels"
    entries["rgb"] = "rgb.yaml"
    ssim = float(np.mean([s.masked_ssim for s in result.table_scores]))
    turned = f", pictures mirrored along {' and '.join(result.mirror)}" if result.mirror else ""
    entries["facts"] = [
        f for f in entries.get("facts", [])
        if not any(word in f["what"] for word in _REPLACED)
    ] + [
        {"what": "pixel pitch", "kind": "measured" if result.pitch_given else "assumed",
         "source": "given to haptos calibrate" if result.pitch_given else
         f"that of {base.name}, for pictures of {width} x {height} pixels"},
        {"what": "colours", "kind": "measured",
         "source": f"haptos calibrate, {len(result.presses)} presses of a ball of "
                   f"{show_length(result.ball_radius)}{turned}; SSIM of held-out presses in the "
                   f"mask {ssim:.3f}"},
    ]
    lines = ["# Written by haptos calibrate; docs/sensors/models.md describes the entries."]
    for key, value in entries.items():
        if key != "facts":
            lines.append(f"{key}: {_in_a_line(value)}")
    lines += ["facts:", *(f"  - {_in_a_line(fact)}" for fact in entries["facts"])]
    write_text(folder / "sensor.yaml", "\n".join(lines) + "\n")


def _in_a_line(value: Any) -> str:
    text = yaml.safe_dump(value, sort_keys=False, width=2**20, allow_unicode=True,
                          default_flow_style=True)
    return str(text).removesuffix("...\n").strip()
