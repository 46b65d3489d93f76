"""Plain descriptions of what an MJCF file holds beside robots, and the list of what is left out."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]


@dataclass(frozen=True)
class MjcfFrame:
    """A body, a site or a camera: a frame that is fixed in a link.

    kind: body, site or camera; link: its name, empty for the world; pose: x y z [m], w x y z in the
    link's frame.
    """

    name: str
    kind: str
    link: str
    pose: Array


@dataclass(frozen=True)
class MjcfActuator:
    """An actuator of the file. Its force is gain * ctrl + bias[0] + bias[1] * l + bias[2] * dl/dt.

    l = gear * q of its joint or tendon, which feels gear * force. motor: the name of the RobotMotor that it
    became; empty where it has none, and `unmapped` says why.
    """

    name: str
    kind: str
    joint: str
    motor: str
    gear: float
    gain: float
    bias: tuple[float, float, float]
    ctrl_range: tuple[float, float]
    force_range: tuple[float, float]
    unmapped: str = ""

    def command(self, ctrl: float) -> tuple[float, float, float]:
        """What the motor is told for a control of the file: q_ref, v_ref, u_ff in joint units.

        The control is first brought within ctrl_range.
        """
        ctrl = min(max(ctrl, self.ctrl_range[0]), self.ctrl_range[1])
        force = self.gain * ctrl + self.bias[0]
        if self.bias[1] < 0:
            return -force / (self.bias[1] * self.gear), 0.0, 0.0
        if self.bias[2] < 0 and self.bias[0] == 0:
            return 0.0, -force / (self.bias[2] * self.gear), 0.0
        return 0.0, 0.0, self.gear * force


@dataclass(frozen=True)
class MjcfSensor:
    """A sensor of the file: its kind (as MuJoCo calls it), what it is at, and what it is against.

    object_kind: site, body, joint, ...; cutoff: 0 for none; noise: standard deviation that the file
    speaks of.
    """

    name: str
    kind: str
    object_kind: str
    object: str
    reference_kind: str
    reference: str
    size: int
    cutoff: float
    noise: float


@dataclass(frozen=True)
class MjcfKey:
    """A key frame: coordinates and velocities of MjcfModel.robot as haptos.Tree has them."""

    name: str
    time: float
    q: Array
    v: Array
    ctrl: Array


@dataclass
class Unmapped:
    """Collects what is left out; every kind becomes one sentence."""

    found: dict[tuple[str, str], list[str]] = field(default_factory=dict)

    def add(self, what: str, name: str = "", why: str = "") -> None:
        """what: in the plural; why: the rest of the sentence."""
        self.found.setdefault((what, why), []).append(name)

    def sentences(self) -> list[str]:
        """One for each kind, with how many there are and the names of the first."""
        out = []
        for (what, why), names in self.found.items():
            known = [f'"{n}"' for n in names if n]
            shown = ", ".join(known[:6]) + (", ..." if len(known) > 6 else "")
            out.append(f"{what}{f' ({shown})' if shown else ''}: {len(names)} left out"
                       f"{', ' + why if why else ''}.")
        return out
