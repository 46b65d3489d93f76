"""Motions of joints over time, recorded or designed, that motors play."""

from __future__ import annotations

import os
import zipfile
import zlib
from collections.abc import Callable
from typing import TYPE_CHECKING, NoReturn

import numpy as np
from numpy.typing import ArrayLike, NDArray

from haptos import _core
from haptos.base.errors import InputError, refuse
from haptos.base.inside_file import read_npz

if TYPE_CHECKING:
    from haptos.robots.view import RobotView
    from haptos.scene.sim import Sim

Table = NDArray[np.float64]


class Trajectory:
    """Values of joints [rad] or [m] at rising times [s].

    names: of the joints (or motors); times (n,); values (n, joints). interpolation: "linear", or
    "cubic", which is smooth; loop: starts again after the last row, which should equal the first;
    else values are held beyond the ends. Raises InputError for what does not fit.
    """

    def __init__(self, names: list[str], times: ArrayLike, values: ArrayLike, *,
                 interpolation: str = "linear", loop: bool = False) -> None:
        times, table = np.asarray(times, float), np.asarray(values, float)
        if table.shape != (len(times), len(names)):
            refuse("trajectory values", f"shape {table.shape}",
                   f"must have the shape ({len(times)}, {len(names)})",
                   "give a row for each time, a column for each name")
        self._core = _core.Trajectory(list(names), times, table.ravel(), interpolation, loop)

    @property
    def names(self) -> list[str]:
        """Of the columns."""
        return self._core.names

    @property
    def start(self) -> float:
        """Time of the first row [s]."""
        return self._core.start

    @property
    def end(self) -> float:
        """Time of the last row [s]."""
        return self._core.end

    def at(self, time: ArrayLike) -> tuple[Table, Table]:
        """Values and rates at times (n,) or at one time: two arrays (n, joints) or (joints,)."""
        times = np.asarray(time, float)
        values, rates = self._core.sample(times.reshape(-1))
        shape = (*times.shape, len(self.names))
        return values.reshape(shape), rates.reshape(shape)

    def controller(self, robot: RobotView, start: float = 0.0) -> Callable[[Sim], None]:
        """What plays it on the motors of the same names: append it to sim.controllers.

        start [s]: the run's time at which the first row is due. Positions and rates are commanded
        for the end of each step; efforts fed forward stay as they are. Raises InputError for a
        column that is no motor of the robot.
        """
        names, known = self.names, robot.motor_names
        for name in names:
            if name not in known:
                near = _core.nearest_name(name, known)
                refuse(f'trajectory column "{name}"', "", f'is no motor of "{robot.name}"',
                       f'did you mean "{near}"?' if near else "robot.motor_names lists them")

        def command(sim: Sim) -> None:
            values, rates = self.at(self.start + float(sim.time[0]) + sim.dt - start)
            robot.set_command(position=dict(zip(names, values, strict=True)),
                              velocity=dict(zip(names, rates, strict=True)))

        return command

    def __repr__(self) -> str:
        return (f"haptos.Trajectory({len(self.names)} joints, {self._core.rows} rows, "
                f"{self.start} to {self.end} s)")


def load_trajectory(path: str | os.PathLike[str], *, interpolation: str = "linear",
                    loop: bool = False) -> Trajectory:
    """Reads a trajectory: CSV with the header time,NAME,..., or NPZ with an array (n,) of each name.

    time [s] must rise. Raises InputError naming file, line and column of what is wrong.
    """
    path = os.fspath(path)
    if path.lower().endswith(".npz"):
        return _load_npz(path, interpolation, loop)
    trajectory = Trajectory.__new__(Trajectory)
    trajectory._core = _core.read_trajectory(path, interpolation, loop)
    return trajectory


def _load_npz(path: str, interpolation: str, loop: bool) -> Trajectory:
    def fail(rule: str) -> NoReturn:
        refuse(path, "", rule, "save it with numpy.savez, an array for each joint and time")

    try:
        arrays = read_npz(path, fail)
    except InputError:
        raise
    except (OSError, ValueError, EOFError, MemoryError, SyntaxError, zlib.error, RuntimeError,
            NotImplementedError, zipfile.BadZipFile) as e:
        refuse(path, "", f"cannot be read as NPZ ({' '.join(str(e).split())[:120]})",
               "save it with numpy.savez")
    if "time" not in arrays:
        refuse(path, "", "has no array called time", "add one, (n,) [s]")
    times = arrays.pop("time")
    if times.ndim != 1 or times.dtype.kind not in "fiu":
        refuse(f"{path}, time", f"{times.dtype} {times.shape}", "must be numbers in one row", "")
    for name, array in arrays.items():
        if array.ndim != 1 or array.shape != times.shape or array.dtype.kind not in "fiu":
            refuse(f"{path}, {name}", f"{array.dtype} {array.shape}",
                   f"must be numbers of the shape {times.shape}, as time", "give one for each time")
    values = np.column_stack([np.asarray(a, float) for a in arrays.values()]) if arrays \
        else np.empty((len(times), 0))
    return Trajectory(list(arrays), times, values, interpolation=interpolation, loop=loop)
