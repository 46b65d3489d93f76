"""The one-page report of a press test, and its pictures."""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from haptos import _core, pictures
from haptos.base.units import show_length
from haptos.look.html_page import bullets, caption, columns, line_plot, listing, section, table
from haptos.look.images import save_png
from haptos.press.motion import FORCE_TOLERANCE, PHASES, PressStep
from haptos.record.report import (
    Outcome,
    force_plots,
    picture_cells,
    result_table,
    show_vector,
    timing_table,
    whole_page,
)

if TYPE_CHECKING:
    from haptos.press.press import Press

PICTURE_WIDTH = 1280  # of the gel [pixel]


def press_report(press: Press, outcome: Outcome) -> str:
    """The report of a press test as HTML."""
    down = [s for s in press.history if s.phase in ("approach", "press")]
    depth = [0.0, *(max(0.0, s.depth) * 1e3 for s in down)]
    force = [0.0, *(s.normal for s in down)]
    plot = line_plot(depth, {"z": force}, "depth [mm]", "force [N]") if down else ""
    shown = picture_cells(outcome, "press")
    cells = [
        shown["above"],
        shown["side"] + section("Force on the object over depth", plot),
        shown["depth"], shown["markers"], shown["rgb"],
        *_sideways(press),
        section("Result", result_table(press.sim, outcome, _figures(press))),
        section("Set-up", table(_facts(press))) + section("Time", timing_table(outcome)),
        section("Phases", _phases(press.history)), section(*_records(press)),
        *force_plots(press.sim, outcome.history),
    ]
    return whole_page(
        f"Press test: {press.settings['shape']}", press.sim, outcome, cells,
        section("Notes", bullets(press.notes)) + section("Settings", listing("\n".join(
            f"{k}: {json.dumps(v, default=str)}" for k, v in press.settings.items()))),
        press.warnings, "Depth counts from where the object touches the gel first.",
        above=section("Stick and slip", shown["grip"]))


def draw_press(press: Press, folder: Path, width: int | None = None) -> list[str]:
    """Writes the pictures of a press as it stands; returns their names.

    width: of those of the gel, None takes PICTURE_WIDTH [pixel].
    """
    sim, sensor, width = press.sim, press.sensor, width or PICTURE_WIDTH
    depth = sensor.depth()[0]
    row = int(np.nanargmax(depth)) // depth.shape[1]
    cut = (0.5 * (depth.shape[0] - 1) - row) * sensor.camera.pitch
    drawn = {"above": pictures.gel_above(sim, press.pad_name, sensor, width, width * 3 // 4),
             "side": pictures.gel_side(sim, press.pad_name, (0, cut, 0), width,
                                       width * 15 // 32),
             "depth": pictures.depth_image(sensor)}
    if sensor.has_markers:
        drawn["markers"] = pictures.marker_image(sensor)
    if sensor.has_colours:
        drawn["rgb"] = sensor.rgb()[0]
    panels = (grip_panels(press, "shear"), grip_panels(press, "twist"))
    strips = [p for p in panels if p is not None]
    if strips:
        drawn["grip"] = np.concatenate(strips)
    for name, image in drawn.items():
        save_png(folder / f"{name}.png", image)
    return list(drawn)


def write_pad(press: Press, path: Path) -> None:
    """The deformed pad as a VTK file."""
    mesh = press.sim.mesh(press.pad_name)
    x = press.sim.positions(press.pad_name)[0]
    _core.write_vtk(path, _core.TetMesh(x, mesh.tets), x - np.asarray(mesh.vertices))


def press_table(steps: Sequence[PressStep], frames: Sequence[int]) -> dict[str, tuple]:
    """What a recording keeps of every step: name -> (array, unit). frames: of each step, or -1."""
    def column(name: str) -> np.ndarray:
        return np.array([getattr(s, name) for s in steps], float)

    vectors = {"object_force": "N", "object_torque": "N m", "mount_force": "N",
               "mount_torque": "N m"}
    return {
        "phase": (np.array([PHASES.index(s.phase) for s in steps], np.uint8),
                  ", ".join(f"{k} {name}" for k, name in enumerate(PHASES))),
        "frame": (np.array(frames, np.int32), ""),
        "target": (np.array([math.nan if s.target is None else s.target for s in steps]), "m or N"),
        "depth": (column("depth"), "m"),
        "shift": (column("shift").reshape(-1, 2), "m"), "turn": (column("turn"), "rad"),
        **{name: (column(name).reshape(-1, 3), unit) for name, unit in vectors.items()},
        "moment": (column("moment"), "N m"),
        "normal_sum": (np.array([s.grip.normal for s in steps]), "N"),
        "friction_sum": (np.array([s.grip.friction for s in steps]), "N"),
        "stuck": (np.array([s.grip.stuck for s in steps]), ""),
        "trials": (np.array([s.trials for s in steps], np.int32), ""),
    }


# -- tables ------------------------------------------------------------------------------------


def _facts(press: Press) -> list[tuple[str, str]]:
    s, plan = press.settings, press.plan
    pad = press.sim.mesh(press.pad_name)
    rates = s["rates"]
    asked = (", ".join(f"{f:g} N" for f in plan.forces) or
             ", ".join(show_length(d) for d in plan.depths))
    rows = [
        ("Object", s["shape"]),
        ("Pad", f"{s['pad']}, {len(pad.vertices):,} nodes, {len(pad.tets):,} tetrahedra"),
        ("Material", f"E = {s['material']['young'] / 1e3:g} kPa, "
                     f"nu = {s['material']['poisson']:g}"),
        ("Contact", (f"friction {s['friction']:g}" if s["friction"] else "frictionless")
         + f", support {show_length(s['contact']['support'])}"),
        ("Asked for", asked),
    ]
    if any(plan.shear):
        rows.append(("Then sideways", f"{show_length(plan.shear[0])}, {show_length(plan.shear[1])}"
                     f" at {show_length(rates['shear'])}/s"))
    if plan.twist:
        rows.append(("Then turned", f"{math.degrees(plan.twist):g} deg at "
                     f"{math.degrees(rates['twist']):g} deg/s"))
    taken = sum(k.trials for k in press.history)
    again = f", {taken - len(press.history)} taken again" if taken > len(press.history) else ""
    camera = press.sensor.camera
    return [*rows, ("Steps", f"{len(press.history)} of {press.steps}{again}"),
            ("Camera", f"{camera.width} x {camera.height} pixels of {camera.pitch * 1e6:.1f} um")]


def _figures(press: Press) -> list[tuple[str, str]]:
    if not press.history:
        return []
    last = press.history[-1]
    rows = [("Depth reached", show_length(max(last.depth, 0.0)))]
    if press.plan.forces:
        rows.append(("Force reached", f"{last.normal:.4f} N of {press.plan.forces[-1]:g} N"))
    kept = [s.normal / press.plan.forces[-1] - 1 for s in press.history
            if s.phase in ("shear", "twist", "hold") and press.plan.forces]
    if kept:
        rows.append(("Kept afterwards within", f"{100 * max(map(abs, kept)):.2g} %"))
    rows += [
        ("Force on the object", show_vector(last.object_force)),
        ("Force of the glue on the mount", show_vector(last.mount_force)),
        ("Their sum over the force", f"{last.imbalance:.1e}"),
    ]
    field = press.sensor.contact_field()
    summed = (field.traction[0] * field.area[0][:, None]).sum(0) + field.off_coat[0]
    size = float(np.linalg.norm(last.mount_force))
    if size > 0:
        turn = press.sensor.frame()[0]
        off = float(np.linalg.norm(turn @ summed - last.mount_force)) / size
        rows.append(("Sum of the contact field less the glue's force, over it", f"{off:.1e}"))
    rows.append(("Deepest point of the image",
                 show_length(float(np.nanmax(press.sensor.depth(), initial=0.0)))))
    return rows


def _phases(steps: Sequence[PressStep]) -> str:
    rows = []
    for phase in PHASES:
        inside = [s for s in steps if s.phase == phase]
        if not inside:
            continue
        end = inside[-1]
        stuck = f"{100 * end.grip.stuck:.0f} %" if end.grip.friction > 0 else "-"
        rows.append([phase, str(len(inside)), show_length(max(end.depth, 0.0)),
                     f"{end.normal:.4f}", f"{end.tangential:.4f}", f"{end.moment * 1e3:.4f}",
                     stuck])
    heads = ("at its end", "steps", "depth", "normal force [N]", "tangential [N]",
             "moment [N mm]", "sticks")
    return columns(heads, rows, [False] * len(rows)) if rows else ""


def _records(press: Press) -> tuple[str, str]:
    met = press.records()
    if len(met) < 2:
        return "", ""
    rows = [[show_length(max(s.depth, 0.0)), f"{s.normal:.4f}", f"{s.imbalance:.1e}",
             show_length(float(s.report.smallest_gap[0]))
             if s.report.smallest_gap[0] < 1 else "-", str(s.trials)] for _, s in met]
    return ("Depths" if press.plan.depths else f"Forces, met within {100 * FORCE_TOLERANCE:g} %",
            columns(("depth", "force [N]", "imbalance", "gap", "trials"), rows,
                    [False] * len(rows)))


# -- sideways ----------------------------------------------------------------------------------


def _sideways(press: Press) -> list[str]:
    """Plots over the shear and over the twist."""
    mu, cells = press.settings["friction"], []
    for phase, x_name in (("shear", "sideways [mm]"), ("twist", "turned [deg]")):
        inside = [s for s in press.history if s.phase == phase]
        if not inside:
            continue
        before = press.history[press.history.index(inside[0]) - 1]
        run = [before, *inside]
        if phase == "shear":
            x = [float(np.hypot(*s.shift)) * 1e3 for s in run]
            sign = np.array(press.plan.shear) / math.hypot(*press.plan.shear)
            plot = line_plot(x, {
                "force": [-float(s.object_force[:2] @ sign) for s in run],
                "friction": [s.grip.friction for s in run],
                f"{mu:g} x normal": [mu * s.grip.normal for s in run],
            }, x_name, "force [N]") + caption(
                "The force on the object against the motion; the sizes of the friction forces of "
                "all contacts added up, and what Coulomb's law allows them.")
        else:
            x = [abs(math.degrees(s.turn)) for s in run]
            sense = math.copysign(1.0, press.plan.twist)
            plot = line_plot(x, {"moment": [-sense * s.moment * 1e3 for s in run]}, x_name,
                             "moment [N mm]") + caption(
                "The torque on the object against the turn, about the axis of the press.")
        stuck = line_plot(x, {"sticks": [100 * s.grip.stuck for s in run]}, x_name,
                          "sticks [% of the normal force]")
        cells += [section(f"Force over {phase}" if phase == "shear" else "Moment over twist", plot),
                  section(f"Stick and slip over {phase}", stuck)]
    return cells


def grip_panels(press: Press, phase: str, most: int = 5) -> np.ndarray | None:
    """Panels of where the object sticks and slips along a phase, (height, width, 3)."""
    inside = [s for s in press.history if s.phase == phase and s.grip.place is not None
              and len(s.grip.place)]
    if not inside:
        return None
    picked = np.unique(np.linspace(0, len(inside) - 1, most).round().astype(int))
    names = [f"{np.hypot(*s.shift) * 1e3:.2f} mm" if phase == "shear"
             else f"{math.degrees(s.turn):.1f} deg" for s in inside]
    panels = [(f"{phase} {names[k]}", inside[k].grip.place - press.axis - inside[k].shift,
               inside[k].grip.sticks) for k in picked]
    return pictures.grip_strip(panels, most)
