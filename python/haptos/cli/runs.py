"""What haptos press and haptos run share: folders, progress, Ctrl-C, results; haptos run itself."""

from __future__ import annotations

import datetime
import os
import re
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import typer

from haptos import _core, pictures
from haptos.base.console import command_line, say
from haptos.base.errors import InputError, PressError, StepError, refuse
from haptos.base.progress import Bar, Stopper
from haptos.base.units import show_time
from haptos.base.walltime import Clock
from haptos.cli.meshes import compile_telling, load_scene_telling
from haptos.look.html_page import write_text
from haptos.look.images import save_png
from haptos.record.history import History
from haptos.record.recording import Recorder
from haptos.record.report import MOST_SENSORS, Outcome, run_report
from haptos.scene.scene import Scene
from haptos.scene.sim import Sim, StepReport
from haptos.tactile.pads import Gel, sensor_of

MAX_STEPS = 10_000_000


# -- the folder of results ---------------------------------------------------------------------


def check_folder(out: str | None, name: str, overwrite: bool) -> Path:
    """The folder for results, not made yet. Raises InputError where it cannot be used."""
    if out is not None and not out.strip():
        refuse("--out", '""', "must name a folder", "for example --out runs/mine")
    if out is None:
        stamp = datetime.datetime.now().strftime("%Y%m%d-%H%M%S")
        name = re.sub(r"[^A-Za-z0-9_-]+", "-", name).strip("-")[:40] or "run"
        folder = Path("runs") / f"{name}-{stamp}"
    else:
        folder = Path(out)
    try:
        if folder.exists():
            if not folder.is_dir():
                refuse("--out", folder, "is a file", "name a folder")
            if any(folder.iterdir()) and not overwrite:
                refuse("--out", folder, "is not empty", "use --overwrite or another folder")
        parent = folder
        while not parent.exists() and parent != parent.parent:
            parent = parent.parent
        if not parent.is_dir():
            refuse("--out", folder, f"cannot be made: {parent} is a file", "name another folder")
        if not os.access(parent, os.W_OK | os.X_OK):
            refuse("--out", folder, f"cannot be made: {parent} may not be written to",
                   "name another folder")
    except OSError as e:
        refuse("--out", folder, f"cannot be used: {e.strerror}", "name another folder")
    return folder


def make_folder(folder: Path) -> None:
    """Makes the folder. Raises InputError where that fails."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as e:
        refuse("--out", folder, f"cannot be made: {e.strerror}", "name another folder")


# -- what both commands do ---------------------------------------------------------------------


class Job(NamedTuple):
    """What differs between the commands. The functions are called in this order."""

    what: str  #: "press", "run"
    sim: Sim
    wanted: Callable[[], int]  #: steps in all, or a guess until they are done
    done: Callable[[int], bool]  #: whether so many steps are all
    step: Callable[[], tuple[StepReport, str]]  #: makes a step; the words are for the progress
    draw: Callable[[Path], list[str]]  #: writes pictures into the folder and names them
    report: Callable[[Outcome], str]  #: the page
    tell: Callable[[Outcome], None]  #: prints what came out
    every: int = 1  #: one frame is recorded in so many steps
    cameras: bool = True  #: whether what cameras see is recorded
    settings: dict[str, Any] | None = None  #: for the recording
    close: Callable[[Recorder], None] | None = None  #: adds to the recording at its end


def carry_out(job: Job, folder: Path, clock: Clock) -> None:
    """Steps, records, draws and reports; ends in order when stopped or when a strict step fails."""
    make_folder(folder)
    sim, command = job.sim, command_line()
    history = History(sim)
    failed: StepError | PressError | None = None
    recorder = Recorder(folder / "run.h5", sim, command=command, settings=job.settings, cameras=job.cameras)
    try:
        with Stopper() as stopper:
            with Bar(job.what, job.wanted()) as bar:
                while not job.done(history.steps) and not stopper.signal:
                    try:
                        with clock.on("Steps"):
                            report, words = job.step()
                    except PressError as e:
                        failed = e
                        break
                    except StepError as e:
                        failed = e
                        history.add_failed(e.report)
                        break
                    history.add(report)
                    count = history.steps
                    if count % job.every == 0 or job.done(count) or stopper.signal:
                        with clock.on("Recording"):
                            recorder.record(report)
                    bar.advance(words, job.wanted())
            history.finish()
            whole = job.done(history.steps) and failed is None
            if job.close is not None:
                job.close(recorder)
            recorder.close(finished=whole)
            with clock.on("Pictures"):
                drawn = job.draw(folder)
            wanted = job.wanted()
            done = f"{history.steps} of {wanted} steps"
            ended = (f"Finished, {done}." if whole else
                     f"Stopped by a signal after {done}." if failed is None else
                     f"Ended by a step that failed, {done}: {failed}"
                     if isinstance(failed, StepError) else f"Ended after {history.steps} steps: {failed}")
            outcome = Outcome(folder, drawn, history, wanted, ended, command, clock.seconds)
            write_text(folder / "report.html", job.report(outcome))
    finally:
        recorder.close(finished=False)
    print(f"{ended} It took {show_time(sum(clock.seconds.values()))}.")
    job.tell(outcome)
    if history.bad_steps:
        print(f"{history.bad_steps} steps with a status: {_core.describe_status(history.status)}")
    print(f"recording: {folder / 'run.h5'}, {recorder.frames} frames")
    print(f"report: {folder / 'report.html'}")
    if failed is not None:
        raise failed
    if stopper.signal:
        raise typer.Exit(stopper.exit_code)


# -- haptos run --------------------------------------------------------------------------------


def run_scene(path: str, duration: float | None, every: int, options: dict[str, float],
              out: str | None, overwrite: bool, strict: bool = False, cameras: bool = True) -> None:
    """Runs a scene file, records it, draws its end, and reports."""
    folder = check_folder(out, f"run-{Path(path).stem}", overwrite)
    clock = Clock()
    with clock.on("Reading and compiling"):
        scene = load_scene_telling(path)
        set_options(scene, options)
        steps = _steps_of(scene, duration)
        scene.sim.strict = strict or scene.sim.strict
        before = scene.warnings  # said before anything is refused: what is odd is often why
        say("warning", before)
        _add_sensors(scene, scene.entries())
        sim = compile_telling(scene)
        say("warning", (w for w in sim.warnings if w not in before))
    meeting = bool(scene.sensors)  # a tactile sensor is there to be touched

    touched = False

    def step() -> tuple[StepReport, str]:
        nonlocal touched
        report = sim.step()
        touched = touched or len(sim.contacts) > 0
        return report, (f"{report.time[0]:.4g} s, {report.iterations[0]} iterations"
                        + ("" if touched or not meeting else ", no contact yet"))

    def tell(outcome: Outcome) -> None:
        if meeting and not touched and outcome.history.steps:
            say("warning", ["Nothing touched in this run: nothing pressed on a gel; check poses and "
                            "keyframes, and the units of lengths."])

    carry_out(Job("run", sim, lambda: steps, lambda count: count >= steps, step,
                  lambda f: _draw_scene(sim, f),
                  lambda outcome: run_report(sim, outcome, Path(path).name), tell,
                  every=every, cameras=cameras), folder, clock)


def set_options(scene: Scene, options: dict[str, float]) -> None:
    """Options of a scene by their names, "group.name"."""
    for option, value in options.items():
        group, _, name = option.partition(".")
        if group == "material":
            refuse("--set", option, "belongs to a soft body", "set it in the scene file")
        scene.options(group).update(**{name: value})


def _steps_of(scene: Scene, duration: float | None) -> int:
    """Steps in `duration` [s]; None goes to the last keyframe, or for 1 s where there is none."""
    if duration is None:
        entries = scene.entries()
        times = [k[0] for e in entries["prescribed"] for k in e["trajectory"]]
        times += [e["load_time"] for e in entries["soft"]]
        duration = max([t for t in times if t > 0], default=1.0)
    steps = round(duration / scene.sim.dt) if duration > 0 else 0
    if not 1 <= steps <= MAX_STEPS:
        refuse("--duration", f"{duration:g} s", f"must make 1 to {MAX_STEPS} steps of "
               f"{scene.sim.dt:g} s", "for example --duration 1s")
    return steps


def _add_sensors(scene: Scene, entries: dict[str, list[dict[str, Any]]]) -> None:
    """A camera under every coat that a pad brought without one; its gel frame is the mesh's."""
    seen = {s.body for s in scene.sensors}
    for entry in entries["soft"]:
        coat = entry["coat"]
        if len(coat) and entry["glue"] and entry["name"] not in seen:
            camera, grid = sensor_of(Gel(entry["mesh"], np.zeros(0, int), coat))
            try:
                _core.MarkerSensor(camera, entry["mesh"].vertices, coat, grid)
                markers: _core.MarkerGrid | None = grid
            except InputError:
                markers = None
            scene.add_sensor(entry["name"], entry["name"], camera=camera, markers=markers)


def _draw_scene(sim: Sim, folder: Path) -> list[str]:
    """Pictures of the end; returns their names."""
    drawn = {"above": pictures.scene_above(sim)}
    for name in sim.names("soft")[:1]:
        middle = sim.positions(name)[0].mean(axis=0)
        drawn["side"] = pictures.gel_side(sim, name, middle)
    for k, sensor in enumerate(list(sim.sensors.values())[:MOST_SENSORS]):
        drawn[f"depth{k or ''}"] = pictures.depth_image(sensor)
        if sensor.has_markers:
            drawn[f"markers{k or ''}"] = pictures.marker_image(sensor)
        if sensor.has_colours:
            drawn[f"rgb{k or ''}"] = sensor.rgb()[0]
    for name, image in drawn.items():
        save_png(folder / f"{name}.png", image)
    return list(drawn)
