"""Sensors of robots: adding them to a scene, reading them from a Sim."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from haptos import _core
from haptos.base.errors import refuse
from haptos.meshes.given import Named
from haptos.robots.taxel_image import TaxelImage, image_of

#: Kinds of sensors of robots; docs/sensors/robots.md says what each one reads.
ROBOT_SENSORS = tuple(_core.robot_sensor_kinds())

_NOISE = ("std", "bias", "bias_std", "walk", "quantum")


def _noise_row(element: str, noise: Mapping[str, Any] | None) -> list[float]:
    noise = dict(noise or {})
    low, high = noise.pop("range", (-math.inf, math.inf))
    row = [float(noise.pop(key, 0.0)) for key in _NOISE] + [float(low), float(high)]
    for key in noise:
        near = _core.nearest_name(str(key), [*_NOISE, "range"])
        refuse(element, repr(key), "is not known",
               f'did you mean "{near}"?' if near else f"known are {', '.join(_NOISE)} and range")
    return row


def _taxels(who: str, places: ArrayLike | None, area: ArrayLike | None,
            grid: tuple[int, int] | None, pitch: float | None) -> tuple[NDArray[np.float64], list[float]]:
    """Places (n, 3) [m] and the area of each [m2]."""
    if grid is not None:
        if places is not None:
            refuse(f"{who}, places", "", "are not known beside grid", "give one of the two")
        if pitch is None:
            refuse(f"{who}, grid", str(grid), "needs a pitch", "give the distance of neighbours [m]")
        rows, columns = (int(n) for n in grid)
        if not (0 < rows and 0 < columns and rows * columns <= 10_000):
            refuse(f"{who}, grid", str(grid), "must have 1 to 10000 places", "give (rows, columns)")
        places = _core.taxel_grid(rows, columns, float(pitch))
        area = pitch**2 if area is None else area
    elif pitch is not None:
        refuse(f"{who}, pitch", str(pitch), "needs a grid", "give grid=(rows, columns)")
    at = np.zeros((0, 3)) if places is None else np.atleast_2d(np.asarray(places, float))
    if area is not None and not len(at):
        refuse(f"{who}, area", str(area), "is only for taxels", "leave it out")
    each = np.asarray(1e-6 if area is None else area, float)
    if each.ndim and each.shape != (len(at),):
        refuse(f"{who}, area", f"of shape {each.shape}", f"must be one number or ({len(at)},)",
               "give one for each place")
    return at, np.broadcast_to(each, len(at)).tolist()


def add_robot_sensor(scene: _core.Scene, robot: str, name: str, kind: str, target: str,
                     position: ArrayLike | None, quaternion: ArrayLike | None, against: str,
                     acts_on: str, torque_constant: float, rate: float, delay: float,
                     noise: Mapping[str, Any] | None,
                     angular_noise: Mapping[str, Any] | None, places: ArrayLike | None = None,
                     area: ArrayLike | None = None, grid: tuple[int, int] | None = None,
                     pitch: float | None = None) -> None:
    """See Scene.add_robot_sensor()."""
    who = f'robot "{robot}", sensor "{name}"'
    if kind not in ROBOT_SENSORS:
        near = _core.nearest_name(str(kind), list(ROBOT_SENSORS))
        refuse(f"{who}, kind", repr(kind), "is not known",
               f'did you mean "{near}"?' if near else f"known are {', '.join(ROBOT_SENSORS)}")
    if acts_on not in ("child", "parent"):
        refuse(f"{who}, acts_on", repr(acts_on), "must be child or parent", "choose one of them")
    _core.add_robot_sensor(scene, robot, name, ROBOT_SENSORS.index(kind), target, position,
                           quaternion, against, acts_on == "parent", torque_constant, rate, delay,
                           _noise_row(f"{who}, noise", noise),
                           _noise_row(f"{who}, angular_noise", angular_noise),
                           *_taxels(who, places, area, grid, pitch))


class RobotSensor:
    """A sensor of a robot of a Sim, from sim.robots[name].sensors[name].

    Readings are held between samples and late by the sensor's delay; they are part of the state.
    """

    def __init__(self, batch: _core.Batch, robot: str, number: int, name: str, kind: str,
                 channels: list[str], units: list[str]) -> None:
        self.name = name
        self.kind = kind
        self.channels = tuple(channels)  #: what each number is
        self.units = tuple(units)  #: of each number, "" for one without
        self._place = (batch, robot, number)

    @property
    def value(self) -> NDArray[np.float64]:
        """The present readings, (env, channels)."""
        return _core.read_robot_sensor(*self._place)[0]

    @property
    def time(self) -> NDArray[np.float64]:
        """When their samples were taken [s], (env,)."""
        return _core.read_robot_sensor(*self._place)[1]

    @property
    def samples(self) -> NDArray[np.int64]:
        """Samples taken so far, with those that are still on their way, (env,)."""
        return _core.read_robot_sensor(*self._place)[2]

    def taxels(self) -> TaxelImage:
        """The present readings of a sensor of the kind taxels, by what they are.

        Forces are those of the readings: pressure along the normal and shear, times area. Raises
        InputError for other kinds.
        """
        if self.kind != "taxels":
            refuse(f'sensor "{self.name}"', self.kind, "is no taxels", "read its value")
        read = self.value
        table = read.reshape(len(read), -1, 8)
        pressure, shear, displacement, normal = (
            table[..., 0], table[..., 1:4], table[..., 4], table[..., 5:8])
        own, area, (mean, gauss) = _core.robot_taxels(*self._place)
        return image_of(pressure, displacement, normal, shear, np.asarray(own), np.asarray(area),
                        np.asarray(mean), np.asarray(gauss))

    def __repr__(self) -> str:
        return f"haptos.RobotSensor({self.name!r}, {self.kind}, {len(self.channels)} channels)"


def robot_sensors(batch: _core.Batch, robot: str) -> Mapping[str, RobotSensor]:
    """The sensors of a robot of a Sim, by name."""
    return Named({row[0]: RobotSensor(batch, robot, i, *row)
                  for i, row in enumerate(_core.robot_sensor_table(batch, robot))},
                 "sensor", f'robot "{robot}"', "it has none; scene.add_robot_sensor() adds one")
