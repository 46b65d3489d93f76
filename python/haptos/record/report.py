"""The one-page report of a scene file that was run; parts of that of a press test."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from haptos import _core
from haptos.base.units import show_length, show_time
from haptos.look.html_page import (
    bullets,
    caption,
    columns,
    figure,
    line_plot,
    listing,
    page,
    section,
    table,
)
from haptos.record.history import FORCES, NO_GAP, History, Row
from haptos.record.recording import versions
from haptos.robots.load import robot_facts

if TYPE_CHECKING:
    from haptos.scene.sim import Sim

MOST_SENSORS = 8  # whose images are drawn, the first ones
MOST_PLOTS = 8  # bodies whose force is drawn, those with the largest forces
LONGEST_TEXT = 100_000  # of a scene file, in characters
PICTURES = {
    "press": {"above": "The gel from above, without the object: darker where pressed, with its "
                       "markers", "side": "Cut open through the deepest point",
              "grip": "Where the object sticks (blue) and slips (orange) while it moves sideways "
                      "and turns"},
    "run": {"above": "The scene from above", "side": "Cut open through the middle of the first "
                                                     "soft body"},
    "sensor": {"depth": "Depth of the coat", "markers": "Markers and their flow",
               "rgb": "What the camera shows"},
}


@dataclass
class Outcome:
    """How a run went: what any report of it needs beside the Sim."""

    folder: Path  #: of the pictures
    pictures: Sequence[str]  #: names of those this run made
    history: History  #: finished
    wanted: int  #: steps asked for
    ended: str  #: how, a sentence
    command: str
    seconds: Mapping[str, float]  #: wall time by what it was spent on


def run_report(sim: Sim, outcome: Outcome, name: str) -> str:
    """The report of a scene file that was run, as HTML. name: of the file."""
    shown = picture_cells(outcome, "run")
    result = section("Result", result_table(sim, outcome, [("Simulated", f"{sim.time[0]:.6g} s")]))
    cells = [
        shown["above"], shown["side"] + result,
        *_sensor_cells(sim, outcome),
        section("Set-up", table(_scene_facts(sim, outcome))),
        section("Time", timing_table(outcome)),
        *force_plots(sim, outcome.history),
    ]
    text = sim.scene_text
    cut = f"\n... {len(text) - LONGEST_TEXT} characters more" if len(text) > LONGEST_TEXT else ""
    return whole_page(f"Run: {name}", sim, outcome, cells,
                 section("Scene file", listing(text[:LONGEST_TEXT] + cut)), sim.warnings, "")


def whole_page(title: str, sim: Sim, outcome: Outcome, cells: Sequence[str], appendix: str,
               warnings: Sequence[str], remark: str, above: str = "") -> str:
    """The HTML of a report. cells: in two columns; above: over the table of steps."""
    made_with = ", ".join(f"{k} {v}" for k, v in versions().items())
    return page(title, outcome.ended, cells=cells, warnings=warnings,
                wide=[above, section("Steps", _steps(outcome.history)), appendix],
                command=outcome.command,
                foot=f"{made_with}. Forces are in the world frame, z up. {remark}".rstrip())


def picture_cells(outcome: Outcome, kind: str) -> dict[str, str]:
    """Every picture that this run made, by name; empty for one that it did not."""
    return {name: figure(outcome.folder / f"{name}.png", text) if name in outcome.pictures else ""
            for name, text in {**PICTURES[kind], **PICTURES["sensor"]}.items()}


def _sensor_cells(sim: Sim, outcome: Outcome) -> list[str]:
    """The images of each sensor of a run."""
    several = len(sim.sensors) > 1
    return [figure(outcome.folder / f"{kind}{k or ''}.png", (f"{name}: " if several else "") + text)
            for k, name in enumerate(list(sim.sensors)[:MOST_SENSORS])
            for kind, text in PICTURES["sensor"].items() if f"{kind}{k or ''}" in outcome.pictures]


# -- tables ------------------------------------------------------------------------------------


def result_table(sim: Sim, outcome: Outcome, first: list[tuple[str, str]]) -> str:
    h = outcome.history
    if not h.steps:
        return "<p>No step was finished.</p>"
    rows = [*first, ("Contacts", f"{len(sim.contacts):,}"),
            ("Smallest gap of the run", show_gap(h.smallest_gap))]
    if sim.names("soft"):
        rows.append(("Smallest volume ratio of the run", f"{h.smallest_volume_ratio:.3f}"))
    if h.missed > 0:
        rows.append(("Targets were missed by at most", show_length(h.missed)))
    rows.append(("Newton iterations", f"{h.iterations:,} in all, {h.most_iterations} at most in a "
                                      "step"))
    if h.can_balance:
        rows.append(("Balance: forces and inertia left over, of the largest",
                     f"{h.worst_imbalance:.1e} at most, {h.measured[-1].imbalance:.1e} at the end"
                     if h.measured else "not measured"))
    elif h.bodies:
        rows.append(("Balance", "not measured: held vertices take up a force that is not known"))
    if h.bad_steps:
        bad = ", ".join(str(r.step) for r in h.bad[:8]) + (" ..." if h.bad_steps > 8 else "")
        rows.append(("Status", f"{h.bad_steps} steps with a status ({bad}): "
                               f"{_core.describe_status(h.status)}"))
    else:
        rows.append(("Status", "every step converged"))
    return table(rows)


def _scene_facts(sim: Sim, outcome: Outcome) -> list[tuple[str, str]]:
    rows = []
    for e in sim.entries["soft"]:
        mesh, m = sim.mesh(e["name"]), e["material"]
        rows.append((e["name"], f"soft, {len(mesh.vertices):,} nodes, {len(mesh.tets):,} "
                     f"tetrahedra ({e['element']}), E = {m['young'] / 1e3:g} kPa, "
                     f"nu = {m['poisson']:g}"))
    for name, points in sim.material_points.items():
        rows.append((name, f"{len(points):,} material points, {points.mass * len(points):.3g} kg"))
    for e in sim.entries["prescribed"]:
        parts = [f"{len(ids):,} {kind}{'s' * (len(ids) > 1)}"
                 for kind, ids in (("triangle", e["surface"].triangles),
                                   ("segment", e["surface"].segments),
                                   ("point", e["surface"].points)) if len(ids)]
        rows.append((e["name"], "prescribed, " + (", ".join(parts) or "a mount")))
    for e in sim.entries["affine"]:
        rows.append((e["name"], f"affine, {len(e['surface'].triangles):,} triangles, "
                     f"{sim.mass(e['name']):.3g} kg, friction {e['friction'][0]:g}"))
    for e in sim.entries["half_spaces"]:
        rows.append((e["name"], "half-space, normal ("
                     + ", ".join(f"{c:.3g}" for c in e["normal"]) + ")"))
    for e in sim.entries["robots"]:
        rows.append((e["name"], f"{robot_facts(e['robot'])}, friction {e['friction']:g}"))
    if len(rows) > 24:
        rows = [*rows[:24], ("...", f"{len(rows) - 24} bodies more")]
    rows.append(("Steps", f"{outcome.history.steps:,} of {outcome.wanted:,}, {sim.dt:g} s each"))
    rows += [(f"Sensor {name}", f"{s.camera.width} x {s.camera.height} pixels of "
              f"{s.camera.pitch * 1e6:.1f} um") for name, s in list(sim.sensors.items())[:4]]
    return rows


def timing_table(outcome: Outcome) -> str:
    h = outcome.history
    rows = [(what, show_time(s)) for what, s in outcome.seconds.items()]
    rows.append(("All", show_time(sum(outcome.seconds.values()))))
    if h.steps:
        rows.append(("Per step", f"{show_time(h.seconds / h.steps)} on average, "
                                 f"{show_time(h.slowest)} at most"))
    return table(rows)


def _steps(history: History) -> str:
    rows = history.shown_rows()
    if not rows:
        return ""
    heads = ("step", "time [s]", "iterations", "residual [N]", "load [N]", "gap", "missed",
             "seconds", "status")
    note = (f"<p>{len(rows)} of {history.steps:,} steps: spread over the run, and the first with a "
            "status.</p>" if len(rows) < history.steps else "")
    return columns(heads, [_step(r) for r in rows], [bool(r.status) for r in rows]) + note


def _step(row: Row) -> list[str]:
    names = [name for bit, name, _, _ in _core.status_table() if row.status & bit]
    return [str(row.step), f"{row.time:.6g}", str(row.iterations), f"{row.residual:.2e}",
            f"{row.load:.3g}", show_gap(row.gap), show_length(row.missed) if row.missed else "-",
            f"{row.seconds:.3g}", ", ".join(names) or "ok"]


# -- plots -------------------------------------------------------------------------------------


def force_plots(sim: Sim, history: History) -> list[str]:
    """Force over time of every body that felt one, then the joints of robots."""
    rows = history.measured
    if not rows:
        return []
    time = [0.0, *(r.time for r in rows)]
    forces = np.array([r.forces for r in rows]).reshape(len(rows), len(history.bodies), 3)
    size = np.linalg.norm(forces, axis=2).max(axis=0, initial=0.0)
    felt = [k for k in np.argsort(-size, kind="stable") if size[k] > 0]
    cells = []
    for k in sorted(felt[:MOST_PLOTS]):
        name, kind = history.bodies[k]
        zero = np.zeros(1)
        lines = {axis: np.concatenate([zero, forces[:, k, c]]) for c, axis in enumerate("xyz")}
        plot = line_plot(time, lines, "time [s]", "force [N]")
        cells.append(section(f"Force on {name}", plot + caption(
            f"Of {FORCES[kind]}; at the end {show_vector(forces[-1, k])}")))
    rest = [history.bodies[k][0] for k in range(len(size)) if k not in felt[:MOST_PLOTS]]
    if rest:
        text = ", ".join(rest[:20]) + (f" and {len(rest) - 20} more" if len(rest) > 20 else "")
        why = "no force or a smaller one" if len(felt) > MOST_PLOTS else "no force"
        cells.append(table([("Not drawn", f"{text}: {why}")]))
    for k, (name, joints) in enumerate(list(history.jointed.items())[:MOST_PLOTS]):
        lines = {joint: [float(r.joints[k][i]) for r in rows]
                 for i, (joint, _) in enumerate(joints[:MOST_PLOTS])}
        more = len(joints) - len(lines)
        plot = line_plot(time[1:], lines, "time [s]", "coordinate [rad] or [m]")
        cells.append(section(f"Joints of {name}", plot + (caption(f"{more} more are not drawn")
                                                          if more > 0 else "")))
    return cells


def show_gap(metres: float) -> str:
    return show_length(metres) if metres < NO_GAP else "-"


def show_vector(v: np.ndarray) -> str:
    return "(" + ", ".join(f"{round(float(c), 4) + 0.0:.4f}" for c in v) + ") N"
