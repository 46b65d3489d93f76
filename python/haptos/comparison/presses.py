"""One press twice: into the simulated gel, and into the gel as a linear layer."""

from __future__ import annotations

import json
import math
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from haptos import _core
from haptos.base.units import show_length
from haptos.look.images import save_png
from haptos.look.sheets import sheet
from haptos.press.press import prepare

MODELS = ("soft", "hydroelastic")
PRESSED = 5e-5  # depth from which on the gel counts as pressed [m]


class Stage(NamedTuple):
    """What a press has come to at the end of its way down, or aside."""

    force: NDArray[np.float64]  #: of the gel on the object (3) [N]
    depth: NDArray[np.float32]  #: image (height, width) [m]

    @property
    def angle(self) -> float:
        """Between the force and the vertical [rad]."""
        return math.atan2(math.hypot(self.force[0], self.force[1]), abs(self.force[2]))


class Run(NamedTuple):
    """A press with one of the models."""

    pressed: Stage
    sheared: Stage | None  #: None where it was not moved aside
    seconds: float  #: per step
    pitch: float  #: of a pixel [m]


class Difference(NamedTuple):
    """Of the layer from the gel, at one stage."""

    force: float  #: of the normal force, relative
    depth: float  #: root mean square over what both see [m]
    in_contact: float  #: the same where the gel is pressed in
    angle: float  #: of the force [rad]


@dataclass(frozen=True)
class Comparison:
    """Both presses."""

    soft: Run
    hydroelastic: Run

    def difference(self, stage: str = "pressed") -> Difference:
        """stage: "pressed" or "sheared"."""
        a, b = getattr(self.soft, stage), getattr(self.hydroelastic, stage)
        off = b.depth - a.depth
        seen = np.isfinite(off)
        pressed = seen & (a.depth > PRESSED)
        return Difference(b.force[2] / a.force[2] - 1, _rms(off[seen]), _rms(off[pressed]),
                          b.angle - a.angle)

    @property
    def faster(self) -> float:
        """How many times faster a step of the layer is."""
        return self.soft.seconds / self.hydroelastic.seconds


def compare(shape: Any, told: Callable[[str], None] = lambda _: None, **options: Any) -> Comparison:
    """Presses a shape into a sensor with both models.

    told: is told what begins; options: of haptos.press.prepare(), but model. Raises InputError.
    """
    return Comparison(*(_run(shape, model, told, options) for model in MODELS))


def _run(shape: Any, model: str, told: Callable[[str], None], options: dict[str, Any]) -> Run:
    told(f"{model}: reading and compiling")
    press = prepare(shape, **options, model=model)
    told(f"{model}: pressing")
    seconds, stages = 0.0, []
    while not press.done:
        begin = time.perf_counter()
        step = press.step()
        seconds += time.perf_counter() - begin
        if step.target is not None or press.done:  # at the depth asked for, and at the end
            stages.append(Stage(step.object_force, press.sensor.depth(clean=True)[0]))
    pressed, *aside = stages
    return Run(pressed, aside[-1] if aside else None, seconds / len(press.history),
               press.sensor.camera.pitch)


def _rms(values: NDArray[Any]) -> float:
    return float(np.sqrt(np.mean(np.square(values, dtype=float)))) if values.size else math.nan


# -- as text and picture -----------------------------------------------------------------------


def table(c: Comparison) -> list[str]:
    """Lines that set both side by side."""
    lines = [f"{'':24s}{'soft':>12s}{'hydroelastic':>14s}"]
    for stage in ("pressed", "sheared"):
        a, b = getattr(c.soft, stage), getattr(c.hydroelastic, stage)
        if a is None:
            continue
        d = c.difference(stage)
        lines += [f"{stage + ', force down':24s}{a.force[2]:10.3f} N{b.force[2]:12.3f} N"
                  f"   {100 * d.force:+.1f} %"]
        if stage == "sheared":
            lines += [f"{'angle of the force':24s}{math.degrees(a.angle):8.1f} deg"
                      f"{math.degrees(b.angle):10.1f} deg   {math.degrees(d.angle):+.1f} deg"]
        lines += [f"{'image, rms difference':24s}{'':26s}   {show_length(d.depth)}, in contact "
                  f"{show_length(d.in_contact)}"]
    lines += [f"{'time of a step':24s}{1e3 * c.soft.seconds:9.0f} ms"
              f"{1e3 * c.hydroelastic.seconds:11.1f} ms   {c.faster:.0f} times faster"]
    return lines


def write(c: Comparison, folder: Path) -> list[str]:
    """Writes compare.png, both images and their difference, and compare.json; their names."""
    panels = {}
    for stage in ("pressed", "sheared"):
        a, b = getattr(c.soft, stage), getattr(c.hydroelastic, stage)
        if a is None:
            continue
        for name, image in (("soft", a.depth), ("hydroelastic", b.depth),
                            ("difference", b.depth - a.depth)):
            panels[f"{stage} {name}"] = _core.depth_picture(
                np.ascontiguousarray(image, np.float32), c.soft.pitch, 1, f"{stage}, {name}")
    save_png(folder / "compare.png", sheet(panels, 3))
    said = {stage: {"force_soft": getattr(c.soft, stage).force.tolist(),
                    "force_hydroelastic": getattr(c.hydroelastic, stage).force.tolist(),
                    **c.difference(stage)._asdict()}
            for stage in ("pressed", "sheared") if getattr(c.soft, stage) is not None}
    said["seconds_per_step"] = {"soft": c.soft.seconds, "hydroelastic": c.hydroelastic.seconds}
    (folder / "compare.json").write_text(json.dumps(said, indent=2) + "\n", encoding="utf-8")
    return ["compare.png", "compare.json"]
