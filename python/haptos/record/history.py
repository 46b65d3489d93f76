"""What the report of a run keeps of its steps: a row each, thinned in long runs, and totals of all.

However long the run is, memory stays bounded: past `most` rows every second one is dropped, and
from then on only every second, fourth, ... step is measured.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from haptos.base.turns import rotation

if TYPE_CHECKING:
    from haptos.robots.view import RobotView
    from haptos.scene.sim import Sim, StepReport

#: Kinds of body that feel a force, and what of it is measured.
FORCES = {"prescribed": "contact and glue", "soft": "contact", "affine": "contact and glue", "robots": "contact",
          "half_spaces": "contact", "material_points": "contact"}
BAD_ROWS = 20  # steps with a status that are kept whatever their number
NO_GAP = 1e299  # the library's gap where nothing is near is 1e300 [m]


def _is_free(view: RobotView) -> bool:
    """Whether a robot is one rigid body on a free base, without springs to the world."""
    return [j.kind for j in view.robot.joints] == ["free"]


def _joints(view: RobotView) -> list[tuple[str, int]]:
    """Joints of one coordinate, by name, and its column of position."""
    slots = [(name, view.coordinates(name)) for name in view.joint_names]
    return [(name, at.start) for name, at in slots if at.stop == at.start + 1]


def _mass(view: RobotView) -> tuple[float, NDArray[np.float64]]:
    """Mass [kg] and its centre in the link's frame (3) [m] of a robot of one link."""
    link = view.robot.links[0]
    return link.mass, np.asarray(link.centre, float)


class Row(NamedTuple):
    """One step: time at its end [s], residual and load [N], gap and missed [m], seconds of wall
    time."""

    step: int
    time: float
    iterations: int
    residual: float
    load: float
    gap: float
    missed: float
    status: int
    seconds: float


class Measured(NamedTuple):
    """Forces after a step: (bodies, 3) [N], world; imbalance; coordinates of History.jointed, a row
    each [rad] or [m]."""

    step: int
    time: float
    forces: NDArray[np.float64]
    imbalance: float
    joints: list[NDArray[np.float64]]


class History:
    """Rows and totals of the steps that add() was given."""

    def __init__(self, sim: Sim, most: int = 2048) -> None:
        """sim: as it is before its first step; most: number of rows that are kept."""
        self._sim = sim
        self._most = max(2, most)
        self._stride = 1
        self._latest: Row | None = None
        self._rigid = {name: _mass(view) for name, view in sim.robots.items() if _is_free(view)}
        self._momentum = self._momentum_before = self._momenta()
        self._masses = self._find_masses()
        self.bodies = [(name, kind) for kind in FORCES for name in sim.names(kind)]
        #: of robots: their joints of one coordinate, each with its column of position
        self.jointed = {name: joints for name, view in sim.robots.items()
                        if (joints := _joints(view))}
        self.rows: list[Row] = []
        self.measured: list[Measured] = []
        self.bad: list[Row] = []  #: the first steps with a status
        self.steps = self.iterations = self.most_iterations = self.bad_steps = self.status = 0
        self.seconds = self.slowest = self.worst_imbalance = self.missed = 0.0
        self.smallest_gap = np.inf
        self.smallest_volume_ratio = np.inf

    # -- while it runs -------------------------------------------------------------------------

    def add(self, report: StepReport) -> None:
        """Takes note of the step that the Sim has just made."""
        row = self._note(report)
        self._momentum_before, self._momentum = self._momentum, self._momenta()
        if (self.steps - 1) % self._stride == 0:
            self.rows.append(row)
            self._measure(row)
            if len(self.rows) > self._most:
                del self.rows[1::2], self.measured[1::2]
                self._stride *= 2

    def add_failed(self, report: StepReport) -> None:
        """Takes note of a step that was taken back (newton.strict)."""
        self.rows.append(self._note(report))

    def finish(self) -> None:
        """Makes sure that the last step is among the rows."""
        row = self._latest
        if row is not None and (not self.rows or self.rows[-1].step != row.step):
            self.rows.append(row)
            self._measure(row)

    def _note(self, report: StepReport) -> Row:
        row = Row(int(report.step[0]), float(report.time[0]), int(report.iterations[0]),
                  float(report.residual[0]), float(report.load[0]), float(report.smallest_gap[0]),
                  float(report.missed[0]), int(report.status[0]), float(report.seconds[0]))
        self._latest = row
        self.steps += 1
        self.iterations += row.iterations
        self.most_iterations = max(self.most_iterations, row.iterations)
        self.seconds += row.seconds
        self.slowest = max(self.slowest, row.seconds)
        self.missed = max(self.missed, row.missed)
        self.smallest_gap = min(self.smallest_gap, row.gap)
        self.smallest_volume_ratio = min(self.smallest_volume_ratio,
                                         float(report.smallest_volume_ratio[0]))
        self.status |= row.status
        if row.status:
            self.bad_steps += 1
            if len(self.bad) < BAD_ROWS:
                self.bad.append(row)
        return row

    def _momenta(self) -> NDArray[np.float64]:
        """Of rigid bodies that move freely, then of bodies of material points, (n, 3) [kg m/s]."""
        rows = []
        for name, (mass, centre) in self._rigid.items():
            v, turn = np.split(self._sim.velocity(name)[0], 2)
            rows.append(mass * (v + np.cross(turn, rotation(self._sim.pose(name)[0, 3:]) @ centre)))
        rows += [p.mass * p.velocity[0].sum(0) for p in self._sim.material_points.values()]
        return np.array(rows).reshape(-1, 3)

    def _measure(self, row: Row) -> None:
        sim = self._sim
        forces = np.array([
            (sim.reaction(name) if kind in ("prescribed", "affine") else sim.contact_wrench(name)).force[0]
            for name, kind in self.bodies]).reshape(-1, 3)
        joints = [np.array([sim.robots[name].position[0, column] for _, column in columns])
                  for name, columns in self.jointed.items()]
        imbalance = self._imbalance(forces)
        self.worst_imbalance = max(self.worst_imbalance, imbalance)
        self.measured.append(Measured(row.step, row.time, forces, imbalance, joints))

    # -- balance -------------------------------------------------------------------------------

    @property
    def can_balance(self) -> bool:
        """Whether every force is known: held vertices, constraints and the joints of robots take
        up some that are not measured."""
        return (bool(self.bodies) and len(self._rigid) == len(self._sim.robots)
                and not self._sim.entries["constraints"]
                and not any(e["held"] for e in self._sim.entries["soft"]))

    def _imbalance(self, forces: NDArray[np.float64]) -> float:
        """What forces and inertia leave over, as a fraction of the largest of them.

        The forces on everything that cannot move freely, plus the rate of change of the momentum
        of everything that can, less its weight and the loads on it, is zero.
        """
        if not self.can_balance:
            return 0.0
        sim = self._sim
        terms = [force for force, (_, kind) in zip(forces, self.bodies, strict=True)
                 if kind in ("prescribed", "half_spaces")]
        weights = [mass * sim.gravity[0] for mass in self._masses]
        terms += [-weight for weight in weights]
        terms += [sim.inertia_wrench(name).force[0] + weight
                  for name, weight in zip(sim.names("soft"), weights, strict=False)]
        terms += [-sim.load_wrench(name).force[0] for name in sim.names("soft")]
        # Of an affine body: its momentum less weight and load, in one.
        terms += [sim.inertia_wrench(name).force[0] for name in sim.names("affine")]
        terms += list((self._momentum - self._momentum_before) / sim.dt)
        size = max((float(np.linalg.norm(t)) for t in terms), default=0.0)
        return float(np.linalg.norm(np.sum(terms, axis=0))) / size if size > 0 else 0.0

    def _find_masses(self) -> list[float]:
        """Of soft bodies, then of rigid ones, then of material points [kg]."""
        masses = []
        for e in self._sim.entries["soft"]:
            mesh = self._sim.mesh(e["name"])
            a, b, c, d = (np.asarray(mesh.vertices)[np.asarray(mesh.tets)[:, k]] for k in range(4))
            volume = np.einsum("ij,ij->", np.cross(b - a, c - a), d - a) / 6
            masses.append(float(e["material"]["density"] * volume))
        masses += [mass for mass, _ in self._rigid.values()]
        return masses + [p.mass * len(p) for p in self._sim.material_points.values()]

    # -- for the report ------------------------------------------------------------------------

    def shown_rows(self, most: int = 40) -> list[Row]:
        """At most `most` rows spread over the run, its last one, and the first with a status."""
        if not self.rows:
            return []
        picked = np.unique(np.linspace(0, len(self.rows) - 1, most).round().astype(int))
        rows = {self.rows[i].step: self.rows[i] for i in picked}
        rows |= {row.step: row for row in self.bad}
        return [rows[step] for step in sorted(rows)]
