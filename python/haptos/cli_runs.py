"""haptos press and haptos run: folders, progress, Ctrl-C, results."""

from __future__ import annotations

import datetime
import os
import re
import signal
import sys
import time
from collections.abc import Callable
from contextlib import AbstractContextManager
from pathlib import Path
from types import FrameType, TracebackType
from typing import Any

import numpy as np
import typer
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

from haptos import _core, pictures
from haptos.cli import command_line
from haptos.errors import InputError, refuse
from haptos.images import save_png
from haptos.press import Gel, Press, sensor_of
from haptos.recording import Recorder
from haptos.report import press_report, write_text
from haptos.scene import Scene, load_scene
from haptos.sim import Sim
from haptos.units import show_length, show_time

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


# -- being stopped -----------------------------------------------------------------------------


class Stopper(AbstractContextManager["Stopper"]):
    """Notes the first Ctrl-C or SIGTERM, so that a run can end in order; the second one ends it."""

    def __init__(self) -> None:
        self.signal = 0
        self._before: dict[int, Any] = {}

    def _note(self, number: int, frame: FrameType | None) -> None:
        del frame
        if self.signal:
            signal.signal(number, signal.SIG_DFL)
            raise KeyboardInterrupt
        self.signal = number
        print("haptos: stopping after this step; once more stops at once", file=sys.stderr,
              flush=True)

    def __enter__(self) -> Stopper:
        for number in (signal.SIGINT, signal.SIGTERM):
            self._before[number] = signal.signal(number, self._note)
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None,
                 trace: TracebackType | None) -> None:
        for number, handler in self._before.items():
            signal.signal(number, handler)

    @property
    def exit_code(self) -> int:
        """128 plus the signal; 0 when none came."""
        return 128 + self.signal if self.signal else 0


# -- progress ----------------------------------------------------------------------------------


class Bar(AbstractContextManager["Bar"]):
    """Steps done, remaining time and a few words; a line now and then without a terminal."""

    def __init__(self, what: str, total: int) -> None:
        self._console = Console(stderr=True)
        self._what, self._total, self._done = what, total, 0
        self._start = self._told = time.monotonic()
        self._bar: Progress | None = None
        if self._console.is_terminal:
            self._bar = Progress(TextColumn(what), BarColumn(), MofNCompleteColumn(),
                                 TimeRemainingColumn(), TextColumn("{task.fields[words]}"),
                                 console=self._console)
            self._task = self._bar.add_task(what, total=total, words="")

    def __enter__(self) -> Bar:
        if self._bar:
            self._bar.start()
        else:
            print(f"{self._what}: {self._total} steps", file=sys.stderr, flush=True)
        return self

    def __exit__(self, *ignored: object) -> None:
        if self._bar:
            self._bar.stop()

    def advance(self, words: str) -> None:
        """One step more."""
        self._done += 1
        if self._bar:
            self._bar.update(self._task, advance=1, words=words)
            return
        now = time.monotonic()
        if now - self._told > 5 or self._done == self._total:
            self._told = now
            left = (now - self._start) / self._done * (self._total - self._done)
            print(f"{self._what}: {self._done} of {self._total}, {words}, "
                  f"{show_time(left)} left", file=sys.stderr, flush=True)


# -- haptos press ------------------------------------------------------------------------------


def run_press(prepare: Callable[[], Press], name: str, out: str | None, overwrite: bool) -> None:
    """Runs a press test and writes its results."""
    began = time.monotonic()
    folder = check_folder(out, f"press-{Path(name).stem}", overwrite)
    press = prepare()
    for note in press.notes:
        print(f"note: {note}", file=sys.stderr)
    make_folder(folder)
    command = command_line()
    recorder = Recorder(folder / "run.h5", press.sim, command=command, settings=press.settings)
    try:
        with Stopper() as stopper:
            with Bar("press", press.steps) as bar:
                while len(press.history) < press.steps and not stopper.signal:
                    step = press.step()
                    recorder.record(step.report)
                    bar.advance(f"{max(step.depth, 0) * 1e3:.2f} mm, {step.object_force[2]:.3g} N")
            recorder.close(finished=not stopper.signal)
            write_press(press, folder)
    finally:
        recorder.close(finished=False)
    wall = time.monotonic() - began
    done = f"{len(press.history)} of {press.steps} steps"
    ended = f"Stopped by a signal after {done}." if stopper.signal else f"Finished, {done}."
    write_text(folder / "report.html", press_report(press, folder, command, wall, ended))
    _print_press(press, folder, ended, wall)
    if stopper.signal:
        raise typer.Exit(stopper.exit_code)


def write_press(press: Press, folder: Path) -> None:
    """The deformed pad and the four pictures."""
    sim, sensor = press.sim, press.sensor
    mesh = sim.mesh(press.pad_name)
    x = sim.positions(press.pad_name)[0]
    _core.write_vtk(folder / "pad.vtk", _core.TetMesh(x, mesh.tets), x - np.asarray(mesh.vertices))
    depth = sensor.depth()[0]
    row = int(np.nanargmax(depth)) // depth.shape[1]
    cut = (0.5 * (depth.shape[0] - 1) - row) * sensor.camera.pitch
    save_png(folder / "above.png", pictures.gel_above(sim, press.pad_name, sensor))
    save_png(folder / "side.png", pictures.gel_side(sim, press.pad_name, (0, cut, 0)))
    save_png(folder / "depth.png", pictures.depth_image(sensor))
    save_png(folder / "markers.png", pictures.marker_image(sensor))


def _print_press(press: Press, folder: Path, ended: str, wall: float) -> None:
    print(ended, f"It took {show_time(wall)}.")
    if press.history:
        last = press.history[-1]
        deepest = float(np.nanmax(press.sensor.depth(), initial=0.0))
        print(f"depth {show_length(max(last.depth, 0.0))}, in the image {show_length(deepest)}")
        print(f"force on the object {last.object_force[2]:.4f} N, on the mount "
              f"{last.mount_force[2]:.4f} N, their sum over the force {last.imbalance:.1e}")
        if not np.any(last.object_force):
            print("the object does not touch the gel here; try another --at or --face")
        bad = [s for s in press.history if not s.report.ok]
        if bad:
            print(f"{len(bad)} steps with a status: {bad[0].report.describe()}")
    print(f"report: {folder / 'report.html'}")


# -- haptos run --------------------------------------------------------------------------------


def run_scene(path: str, duration: float | None, every: int, options: dict[str, float],
              out: str | None, overwrite: bool) -> None:
    """Runs a scene file, records it, and draws its end."""
    folder = check_folder(out, f"run-{Path(path).stem}", overwrite)
    scene = load_scene(path)
    for option, value in options.items():
        group, _, name = option.partition(".")
        if group == "material":
            refuse("--set", option, "belongs to a soft body", "set it in the scene file")
        scene.options(group).update(**{name: value})
    entries = scene.entries()
    if duration is None:
        times = [k[0] for e in entries["prescribed"] for k in e["trajectory"]]
        times += [e["load_time"] for e in entries["soft"]]
        duration = max([t for t in times if t > 0], default=1.0)
    steps = round(duration / scene.sim.dt) if duration > 0 else 0
    if not 1 <= steps <= MAX_STEPS:
        refuse("--duration", f"{duration:g} s", f"must make 1 to {MAX_STEPS} steps of "
               f"{scene.sim.dt:g} s", "for example --duration 1s")
    for warning in scene.warnings:
        print(f"note: {warning}", file=sys.stderr)
    _add_sensors(scene, entries)
    sim = scene.compile()
    make_folder(folder)
    began = time.monotonic()
    recorder = Recorder(folder / "run.h5", sim, command=command_line())
    worst, bad = 0, 0
    try:
        with Stopper() as stopper:
            with Bar("run", steps) as bar:
                for k in range(steps):
                    report = sim.step()
                    worst |= int(report.status[0])
                    bad += not report.ok
                    if (k + 1) % every == 0 or k + 1 == steps or stopper.signal:
                        recorder.record(report)
                    bar.advance(f"{report.time[0]:.4g} s, {report.iterations[0]} iterations")
                    if stopper.signal:
                        break
            recorder.close(finished=not stopper.signal)
            _draw_scene(sim, folder)
    finally:
        recorder.close(finished=False)
    print(f"{'Stopped by a signal' if stopper.signal else 'Finished'} at {sim.time[0]:.6g} s after "
          f"{sim.step_count[0]} steps in {show_time(time.monotonic() - began)}.")
    if bad:
        print(f"{bad} steps with a status: {_core.describe_status(worst)}")
    print(f"recording: {folder / 'run.h5'}, {recorder.frames} frames")
    if stopper.signal:
        raise typer.Exit(stopper.exit_code)


def _add_sensors(scene: Scene, entries: dict[str, list[dict[str, Any]]]) -> None:
    """A camera under every coat that a pad brought; its gel frame is the frame of the mesh."""
    for entry in entries["soft"]:
        coat = entry["coat"]
        if len(coat) and entry["glue"]:
            camera, grid = sensor_of(Gel(entry["mesh"], np.zeros(0, int), coat))
            try:
                _core.MarkerSensor(camera, entry["mesh"].vertices, coat, grid)
                markers: _core.MarkerGrid | None = grid
            except InputError:
                markers = None
            scene.add_sensor(entry["name"], entry["name"], camera=camera, markers=markers)


def _draw_scene(sim: Sim, folder: Path) -> None:
    save_png(folder / "above.png", pictures.scene_above(sim))
    for name in sim.names("soft")[:1]:
        middle = sim.positions(name)[0].mean(axis=0)
        save_png(folder / "side.png", pictures.gel_side(sim, name, middle))
    for sensor in list(sim.sensors.values())[:1]:
        save_png(folder / "depth.png", pictures.depth_image(sensor))
        if sensor.has_markers:
            save_png(folder / "markers.png", pictures.marker_image(sensor))
