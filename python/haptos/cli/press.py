"""haptos press: one press test, or a matrix of them."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import typer

from haptos import _core
from haptos.base.console import command_line, say
from haptos.base.errors import refuse
from haptos.base.progress import Bar, Stopper
from haptos.base.units import parse_quantity, show_length, show_time
from haptos.base.walltime import Clock
from haptos.cli.runs import Job, carry_out, check_folder
from haptos.press.matrix import Entry, Matrix
from haptos.press.press import Press, prepare
from haptos.press.report import draw_press, press_report, press_table, write_pad
from haptos.record.recording import Recorder
from haptos.scene.sim import StepReport

MOST_VALUES = 1000


# -- what options mean -------------------------------------------------------------------------


def parse_values(text: str, unit: str, name: str) -> list[float]:
    """Numbers from "1mm,2mm" and "0:1mm:11", eleven from 0 to 1 mm."""
    values: list[float] = []
    for part in text.split(","):
        ends = part.split(":")
        if len(ends) == 1:
            values.append(parse_quantity(part, unit, name))
            continue
        count = ends[2].strip() if len(ends) == 3 else ""
        if not (count.isascii() and count.isdigit()) or not 2 <= int(count) <= MOST_VALUES:
            refuse(name, part, f"must be FROM:TO:COUNT with a count of 2 to {MOST_VALUES}",
                   "for example 0:1mm:11")
        first, last = (parse_quantity(e, unit, name) for e in ends[:2])
        values += [float(v) for v in np.linspace(first, last, int(count))]
    return values


def parse_pair(text: str, unit: str, name: str, example: str) -> tuple[float, float]:
    """Two numbers, or the first of two with the other 0."""
    parts = text.split(",")
    if len(parts) > 2:
        refuse(name, text, "must be one or two numbers", f"for example {example}")
    a, b = (parse_quantity(p, unit, name) for p in [*parts, "0"][:2])
    return a, b


def parse_grid(text: str) -> tuple[int, int]:
    """Two counts from "3x3"."""
    match = re.fullmatch(r"\s*([0-9]{1,6})\s*[xX]\s*([0-9]{1,6})\s*", text)
    if match is None or 0 in (int(match[1]), int(match[2])):
        refuse("--grid", text, "must be places along x and along y", "for example 3x3")
    return int(match[1]), int(match[2])


# -- one press ---------------------------------------------------------------------------------


def run_press(shape: str, options: dict[str, Any], out: str | None, overwrite: bool) -> None:
    """Runs a press test and writes its results."""
    folder = check_folder(out, f"press-{Path(shape).stem}", overwrite)
    clock = Clock()
    with clock.on("Reading and compiling"):
        press = prepare(shape, **options)
    say("note", press.notes)
    said = press.warnings
    say("warning", said)
    frames = []

    def step() -> tuple[StepReport, str]:
        made = press.step()
        frames.append(len(press.history))
        felt = f"{made.normal:.3g} N" if np.any(made.object_force) else "no contact yet"
        return made.report, f"{made.phase} {max(made.depth, 0) * 1e3:.2f} mm, {felt}"

    def draw(folder: Path) -> list[str]:
        write_pad(press, folder / "pad.vtk")
        return draw_press(press, folder)

    def close(recorder: Recorder) -> None:
        recorder.add_table("press", press_table(press.history, frames))

    carry_out(Job("press", press.sim, lambda: press.steps, lambda _: press.done, step, draw,
                  lambda outcome: press_report(press, outcome), lambda _: _print_press(press, said),
                  settings=press.settings, close=close), folder, clock)


def _print_press(press: Press, said: Sequence[str]) -> None:
    if not press.history:
        return
    say("warning", (w for w in press.warnings if w not in said))
    last = press.history[-1]
    deepest = float(np.nanmax(press.sensor.depth(), initial=0.0))
    print(f"depth {show_length(max(last.depth, 0.0))}, in the image {show_length(deepest)}")
    for force, s in press.records() if press.plan.forces else []:
        print(f"asked for {force:g} N: {s.normal:.4f} N at a depth of {show_length(s.depth)}")
    print(f"force on the object {last.normal:.4f} N, on the mount {last.mount_force[2]:.4f} N, "
          f"their sum over the force {last.imbalance:.1e}")
    if any(press.plan.shear) or press.plan.twist:
        print(f"along the gel {last.tangential:.4f} N, moment about the axis "
              f"{last.moment * 1e3:.4f} N mm, {100 * last.grip.stuck:.0f} % of the normal force "
              "sticks")


# -- a matrix ----------------------------------------------------------------------------------


def run_matrix(shapes: Sequence[str], grid: tuple[int, int], pitch: float | None,
               options: dict[str, Any], out: str | None, overwrite: bool) -> None:
    """Runs a matrix of presses, or goes on with one."""
    folder = check_folder(out, f"press-{Path(shapes[0]).stem}", True)
    with Matrix(folder, shapes, grid=grid, pitch=pitch, command=command_line(),
                overwrite=overwrite, **options) as matrix:
        say("note", matrix.notes)
        there = len(matrix.entries) - len(matrix.waiting)
        print(f"{len(matrix.entries)} presses in {folder}"
              + (f", {there} of them are there already" if there else ""), flush=True)
        with Stopper() as stopper:
            with Bar("presses", len(matrix.waiting), "to make") as bar:

                def each(entry: Entry) -> None:
                    if entry.state == "failed":
                        say("warning", [f"{entry.name} failed: {entry.sentence}"])
                        bar.advance(f"{entry.name} failed")
                    else:
                        bar.advance(f"{entry.name}: {entry.result['end']['normal']:.4g} N")
                        say("warning", (f"{entry.name}: {w}" for w in entry.result.get(
                            "warnings", ())))
                        if entry.result["bad_steps"]:
                            say("warning", [
                                f"{entry.name}: {entry.result['bad_steps']} steps with a status: "
                                + _core.describe_status(entry.result["status"])])

                def watch(entry: Entry, press: Press) -> bool:
                    bar.tell(f"{entry.name}, step {len(press.history)} of {press.steps}")
                    return bool(stopper.signal)

                matrix.run(each, watch)
        done = [e for e in matrix.entries if e.state == "done"]
        print(f"{len(done)} of {len(matrix.entries)} presses are done, {len(matrix.failed)} "
              f"failed. They took {show_time(sum(e.result['seconds'] for e in done))}.")
        print(f"gallery: {folder / 'index.html'}")
        if stopper.signal:
            print("the same command goes on with it")
            raise typer.Exit(stopper.exit_code)
        if matrix.failed:
            raise typer.Exit(1)
