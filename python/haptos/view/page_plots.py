"""The flat parts of a page: plots over time and the images of sensors."""

from __future__ import annotations

import time
from collections import deque
from typing import TYPE_CHECKING, Any

import numpy as np

from haptos.look.drawing import Ranges
from haptos.look.movies import need
from haptos.look.sheets import sensor_sheet
from haptos.look.snapshots import ShownSensor, Snapshot, Stage
from haptos.record.replay import Recording

if TYPE_CHECKING:
    from haptos.robots.view import RobotView

_PLOTTED = 400  # samples that a plot shows
_IMAGES = 8.0  # a second
_PALETTE = ("#c0392b", "#27ae60", "#2980b9", "#8e44ad", "#d68910", "#16a085", "#7f8c8d")


class _Plot:
    """The last samples of some quantities over time."""

    def __init__(self, gui: Any, names: list[str], title: str) -> None:
        uplot = need("viser.uplot")
        series = (uplot.Series(label="t [s]"),
                  *(uplot.Series(label=n, stroke=_PALETTE[k % len(_PALETTE)])
                    for k, n in enumerate(names)))
        empty = tuple(np.zeros(1) for _ in range(len(names) + 1))
        self.handle = gui.add_uplot(empty, series, title=title, aspect=2.0, order=4.0,
                                    scales={"x": uplot.Scale(time=False)})
        self.rows: deque[Any] = deque(maxlen=_PLOTTED)

    def add(self, *row: float) -> None:
        """A sample: the time [s], then the quantities."""
        self.rows.append(row)
        self.handle.data = tuple(np.array(column, float)
                                 for column in zip(*self.rows, strict=True))


class SensorPlot:
    """All channels of one sensor of a robot; of taxels, the sum of their forces."""

    def __init__(self, gui: Any, robot: RobotView, sensor: str, env: int) -> None:
        self._read, self._env = robot.sensors[sensor], env
        names = [f"{axis} [N]" for axis in "xyz"] if self._read.kind == "taxels" else [
            str(k) for k in range(len(self._read.channels))]
        self._plot = _Plot(gui, names, f"{robot.name}: {sensor}")

    def show(self, snap: Snapshot) -> None:
        row = (self._read.taxels().force.sum(1) if self._read.kind == "taxels" else self._read.value)
        self._plot.add(snap.time, *row[self._env])


class ForcePlot:
    """Force over time on what presses, all of a recording or the live run so far."""

    def __init__(self, gui: Any, stage: Stage, snap: Snapshot,
                 recording: Recording | None) -> None:
        self._names = [b.name for b in stage.bodies if b.name in snap.forces][:4]
        self._plot: _Plot | None = None
        if not self._names:
            return
        self._plot = _Plot(gui, [f"{n}: size of the force [N]" for n in self._names],
                           "force [N] over time [s]")
        if recording is not None:
            every = max(1, len(recording) // _PLOTTED)
            forces = recording.forces()
            self._plot.handle.data = (recording.times[::every], *(
                np.linalg.norm(forces[n], axis=1)[::every] for n in self._names))

    def clear(self) -> None:
        if self._plot is not None:
            self._plot.rows.clear()

    def show(self, snap: Snapshot) -> None:
        """Adds a moment of a live run, unless it is the last one."""
        if self._plot is not None and (not self._plot.rows
                                       or self._plot.rows[-1][0] != snap.time):
            self._plot.add(snap.time, *(float(np.linalg.norm(snap.forces[n]))
                                        for n in self._names))


class ImagePanel:
    """The images of each sensor side by side, a tab for each sensor."""

    def __init__(self, gui: Any, stage: Stage, snap: Snapshot, ranges: Ranges) -> None:
        self._ranges = ranges
        self._at = -1.0  # when they were drawn [s]
        self._of: Snapshot | None = None
        self.sheets: dict[str, Any] = {}
        if not snap.readings:
            return
        panel = gui.add_panel()
        for sensor in stage.sensors:
            with panel.add_tab(sensor.name):
                self.sheets[sensor.name] = gui.add_image(
                    self._sheet(sensor, snap), label=sensor.name, format="jpeg", jpeg_quality=90)
        panel.dock_left()
        panel.set_width(560)
        gui.main_panel.dock_right()

    def _sheet(self, sensor: ShownSensor, snap: Snapshot) -> Any:
        return sensor_sheet(sensor, snap.readings[sensor.name], self._ranges, cell=320)

    def show(self, stage: Stage, snap: Snapshot, playing: bool) -> None:
        """Draws them, while it plays some times a second at most."""
        if self._of is snap or not self.sheets or not snap.readings:
            return
        now = time.monotonic()
        if playing and now - self._at < 1 / _IMAGES:
            return
        self._at, self._of = now, snap
        for sensor in stage.sensors:
            if sensor.name in self.sheets:
                self.sheets[sensor.name].image = self._sheet(sensor, snap)
