"""How a press moves its object: down to depths or forces, sideways, about its axis, holding still.

Down to a force the object descends step by step; the step that would pass the force is taken again
from the state before it, shorter, until the force is met. So the object never goes back up, which
friction would remember.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from haptos.base.errors import PressError
from haptos.base.units import show_length
from haptos.scene.sim import Sim, StepReport

STEP_LENGTH = 8e-5  # at most per step down [m]
SHEAR_STEP = 5e-5  # at most per step sideways [m]
TWIST_STEP = math.radians(1.0)  # at most per step of a twist [rad]
HOLD_STEPS = 2
FORCE_TOLERANCE = 1e-3  # of a force that was asked for: how near the press comes to it
DEPTH_TOLERANCE = 3e-3  # of a depth that was asked for: how near the mean gap below it comes
KEPT_TOLERANCE = 1e-2  # the same while the object moves sideways or turns
PHASES = ("approach", "press", "shear", "twist", "hold")

_MOST_TRIALS = 20  # of one step that is to end at a force
_MOST_SHORT_STEPS = 12  # in a row, towards a force


@dataclass(frozen=True)
class Plan:
    """What a press is asked to do. depths or forces: ascending, the other one empty."""

    depths: tuple[float, ...]  #: [m]
    forces: tuple[float, ...]  #: [N]
    shear: tuple[float, float]  #: x, y [m]
    twist: float  #: about the vertical through the object's middle [rad]
    steps: int | None  #: down to the last depth, None takes STEP_LENGTH
    gap: float  #: between object and gel at the start [m]
    deepest: float  #: a force must be met by here [m]

    @property
    def targets(self) -> tuple[float, ...]:
        """Depths [m] or forces [N]."""
        return self.forces or self.depths

    @property
    def hold(self) -> int:
        """Steps in which the object stands still at the end."""
        return HOLD_STEPS if self.forces or any(self.shear) or self.twist else 0

    @property
    def shear_steps(self) -> int:
        """Steps sideways."""
        return math.ceil(math.hypot(*self.shear) / SHEAR_STEP - 1e-9)

    @property
    def twist_steps(self) -> int:
        """Steps of the twist."""
        return math.ceil(abs(self.twist) / TWIST_STEP - 1e-9)

    def descent(self) -> list[int]:
        """Steps down to each depth."""
        if not self.depths:
            return []
        if len(self.depths) == 1:
            whole = self.depths[0] + self.gap
            return [self.steps or max(4, math.ceil(whole / STEP_LENGTH))]
        ways = [float(way) for way in np.diff([-self.gap, *self.depths])]
        if self.steps:
            return [max(1, round(self.steps * way / sum(ways))) for way in ways]
        # Longer steps cost more: a flat punch of .1 mm a step has been seen to take 500 iterations.
        return [max(1, math.ceil(way / STEP_LENGTH - 1e-9)) for way in ways]


@dataclass
class Grip:
    """Friction of a step, summed over its contacts."""

    normal: float  #: sum of the normal forces [N]
    friction: float  #: sum of the sizes of the tangential forces, at most mu times normal [N]
    stuck: float  #: part of the normal force where the surfaces stick; not-a-number without contact
    gap: float = 0.0  #: between the surfaces, mean by the normal forces; 0 without contact [m]
    place: NDArray[np.float64] | None = None  #: of contacts that press, (n, 2), while it is sheared
    sticks: NDArray[np.bool_] | None = None  #: (n,)


@dataclass
class PressStep:
    """One step of a press: force [N] and torque about the origin [N m], world frame."""

    report: StepReport
    phase: str  #: one of PHASES
    depth: float  #: [m]
    shift: NDArray[np.float64]  #: of the object sideways since the descent, (2) [m]
    turn: float  #: about its axis [rad]
    object_force: NDArray[np.float64]
    object_torque: NDArray[np.float64]
    moment: float  #: torque on the object about the press axis, upward [N m]
    mount_force: NDArray[np.float64]
    mount_torque: NDArray[np.float64]
    grip: Grip  #: where the surfaces stick
    target: float | None = None  #: the depth [m] or the force [N] of the plan that was met here
    trials: int = 1  #: how often the step was taken until it met a force

    @property
    def normal(self) -> float:
        """Force that pushes the object off the gel [N]."""
        return float(self.object_force[2])

    @property
    def tangential(self) -> float:
        """Size of the force on the object along the gel [N]."""
        return float(np.hypot(*self.object_force[:2]))

    @property
    def imbalance(self) -> float:
        """|contact force + glue force| over |contact force|; 0 without contact."""
        size = float(np.linalg.norm(self.object_force))
        return float(np.linalg.norm(self.object_force + self.mount_force)) / size if size else 0.0


class Motion:
    """Takes the steps of a plan. The bodies of the Sim are "object" and "mount"."""

    def __init__(self, sim: Sim, plan: Plan, start: NDArray[np.float64],
                 axis: NDArray[np.float64]) -> None:
        """start: where the object's frame is at the start (3) [m]; axis: x, y of the press axis."""
        self._sim, self._plan, self._start, self._axis = sim, plan, start, axis
        self._at = (-plan.gap, np.zeros(2), 0.0)  # depth, shift, turn as set
        self._felt = False
        self._points: list[tuple[float, float]] = []  # depth and force of the way down
        self._now = 0.0  # normal force after the last step
        self._lift = 0.0  # how far the object stays above its depth [m], see _keep()
        self.done = False  #: whether the step that was given last is the last one
        #: steps in all; down to a force a guess, until it is done
        self.expected = sum(plan.descent()) + plan.shear_steps + plan.twist_steps + plan.hold

    def steps(self) -> Iterator[PressStep]:
        """Every step of the plan. Raises PressError where a force cannot be met."""
        plan = self._plan
        aside = plan.shear_steps + plan.twist_steps + plan.hold
        for depth, count in zip(plan.depths, plan.descent(), strict=False):
            first = self._at[0]
            for k in range(1, count + 1):
                step = self._descend(first + (depth - first) * k / count, k == count)
                step.target = depth if k == count else None
                self.done = k == count and depth == plan.depths[-1] and aside == 0
                yield step
        for force in plan.forces:
            yield from self._down_to(force)
        shear = np.array(plan.shear)
        moves = [("shear", shear * k / plan.shear_steps, 0.0)
                 for k in range(1, plan.shear_steps + 1)]
        moves += [("twist", shear, plan.twist * k / plan.twist_steps)
                  for k in range(1, plan.twist_steps + 1)]
        moves += [("hold", shear, plan.twist)] * plan.hold
        for k, move in enumerate(moves):
            step = self._aside(*move)
            self.done = k == len(moves) - 1
            yield step

    # -- down to a force -----------------------------------------------------------------------

    def _down_to(self, force: float) -> Iterator[PressStep]:
        """Steps down until the gel pushes back with `force`, within FORCE_TOLERANCE of it."""
        plan, short = self._plan, 0
        size = (plan.deepest + plan.gap) / plan.steps if plan.steps else STEP_LENGTH
        while True:
            depth = self._at[0]
            reached = self._points[-1][1] if self._points else 0.0
            if plan.deepest - depth < 1e-9:
                raise PressError(
                    f"The force of {force:g} N cannot be reached: at a depth of "
                    f"{show_length(depth)}, half the pad's thickness, the gel pushes back with "
                    f"{reached:.4g} N; ask for less.")
            length = min(size, plan.deepest - depth, max(self._ahead(force, size) - depth, 1e-8))
            short = short + 1 if length < 0.1 * size else 0
            before = self._sim.state if self._sim.envs == 1 else None
            step = self._take(depth + length, "press")
            if step.normal > force * (1 + FORCE_TOLERANCE):
                step = self._between(force, before, (depth, reached), (self._at[0], step.normal))
            self._now = step.normal
            self._keep(step)
            self._points.append((self._at[0], step.normal))
            self._expect(force, size)
            if abs(step.normal - force) <= FORCE_TOLERANCE * force:
                step.target = force
                yield step
                return
            yield step
            if short > _MOST_SHORT_STEPS:
                raise PressError(f"The press did not settle on a force of {force:g} N: it stands "
                                 f"at {step.normal:.4g} N; ask for tighter newton tolerances.")

    def _between(self, force: float, before: object, low: tuple[float, float],
                 high: tuple[float, float]) -> PressStep:
        """The step from the state `before` that ends at the force, between `low` and `high`."""
        known = [p for p in self._points[-2:-1] if p[1] > 0]
        for trials in range(2, _MOST_TRIALS + 2):
            if low[1] > 0:
                depth = _inverse([*known, low, high], force)
            else:  # force grows with a power of the depth that is near 1.5
                depth = low[0] + (high[0] - low[0]) * (force / high[1]) ** 0.65
            if not low[0] < depth < high[0] or trials % 4 == 0:
                depth = 0.5 * (low[0] + high[0])
            self._sim.state = before
            step = self._take(depth, "press")
            step.trials = trials
            if abs(step.normal - force) <= FORCE_TOLERANCE * force:
                return step
            if step.normal < force:
                known, low = [low] if low[1] > 0 else [], (depth, step.normal)
            else:
                high = (depth, step.normal)
        raise PressError(f"The press did not settle on a force of {force:g} N between depths of "
                         f"{show_length(low[0])} and {show_length(high[0])}.")

    def _ahead(self, force: float, size: float) -> float:
        """The depth where the force is expected from the way down so far, inf where that is more
        than a step of `size` away [m]."""
        points = [p for p in self._points[-3:] if p[1] > 0]
        if len(points) < 2:
            return math.inf
        straight = _inverse(points[-2:], force)
        if straight - points[-1][0] > size:
            return math.inf
        bent = _inverse(points, force)
        return bent if points[-1][0] < bent < straight else straight

    def _expect(self, force: float, size: float) -> None:
        """Guesses how many steps there will be, for the progress."""
        plan, (depth, now) = self._plan, self._points[-1]
        left = plan.forces[-1] / max(now, 1e-9)
        way = max(0.0, min(plan.deepest - depth, max(depth, 0.0) * (left**0.6 - 1)))
        rest = len(plan.forces) - plan.forces.index(force) - 1
        self.expected = (len(self._points) + math.ceil(way / size) + rest + plan.shear_steps
                         + plan.twist_steps + plan.hold)

    # -- sideways ------------------------------------------------------------------------------

    def _aside(self, phase: str, shift: NDArray[np.float64], turn: float) -> PressStep:
        """A step sideways or about the axis: at the same depth, or with the same normal force."""
        depth = self._at[0]
        if not self._plan.forces:
            return self._take(depth, phase, shift, turn)
        wanted, before = self._plan.forces[-1], self._sim.state
        stiffness = self._stiffness()
        depth = min(depth + (wanted - self._now) / stiffness, self._plan.deepest)
        best: tuple[float, float] | None = None
        for trials in range(1, 5):
            step = self._take(depth, phase, shift, turn)
            step.trials = trials
            off = wanted - step.normal
            if abs(off) <= KEPT_TOLERANCE * wanted or trials == 4:
                break
            if best is not None and step.normal != best[1]:  # secant
                stiffness = max((step.normal - best[1]) / (depth - best[0]), 0.2 * stiffness)
            best = (depth, step.normal)
            depth = min(depth + off / stiffness, self._plan.deepest)
            self._sim.state = before
        self._now = step.normal
        return step

    def _stiffness(self) -> float:
        """Of the press at the end of the way down, dF/ddepth [N/m]."""
        down = [p for p in self._points if p[1] > 0]
        for a, b in zip(down[-2::-1], down[:0:-1], strict=False):
            if b[0] - a[0] > 1e-7 and b[1] > a[1]:
                return (b[1] - a[1]) / (b[0] - a[0])
        return down[-1][1] / STEP_LENGTH

    # -- one step ------------------------------------------------------------------------------

    def _descend(self, depth: float, exact: bool) -> PressStep:
        """A step down to a depth. exact: taken again from the state before it where the gap has
        changed by more than DEPTH_TOLERANCE of the depth in it."""
        before = self._sim.state if exact and self._sim.envs == 1 else None
        step = self._take(depth, "press")
        while before is not None and step.trials < 4 and (
                abs(step.grip.gap - self._lift) > DEPTH_TOLERANCE * depth > 0):
            self._keep(step)
            trials, self._sim.state = step.trials, before
            step = self._take(depth, "press")
            step.trials = trials + 1
        self._keep(step)
        return step

    def _keep(self, step: PressStep) -> None:
        """Contact keeps the surfaces apart by a gap, so the gel lies deeper than the object. Work
        done against an object that is higher by u(x) is that of the pressure on u, so the gap acts
        like the same object lower by the gap's mean: the next step down stops short by it."""
        self._lift = step.grip.gap

    def _take(self, depth: float, phase: str, shift: NDArray[np.float64] | None = None,
              turn: float | None = None) -> PressStep:
        shift = self._at[1] if shift is None else shift
        turn = self._at[2] if turn is None else turn
        c, s = math.cos(turn), math.sin(turn)
        arm = self._start[:2] - self._axis  # of the object's frame about the axis
        middle = self._axis + shift
        self._sim.set_target(
            "object",
            [middle[0] + c * arm[0] - s * arm[1], middle[1] + s * arm[0] + c * arm[1],
             self._start[2] - (self._plan.gap + depth) + self._lift],
            [math.cos(turn / 2), 0, 0, math.sin(turn / 2)])
        report = self._sim.step()
        self._at = (depth, shift, turn)
        contact = self._sim.reaction("object")
        glue = self._sim.reaction("mount")
        self._felt = self._felt or bool(np.any(contact.force))
        moment = self._sim.reaction("object", (*middle, 0.0)).torque[0, 2]
        return PressStep(report, phase if self._felt else "approach",
                         depth - float(report.missed[0]), shift, turn, contact.force[0],
                         contact.torque[0], float(moment), glue.force[0], glue.torque[0],
                         self._grip(phase in ("shear", "twist")))

    def _grip(self, places: bool) -> Grip:
        rows = self._sim.contacts
        force, sticks = rows["normal_force"], rows["sticking"] != 0
        whole = float(force.sum())
        grip = Grip(whole, float(np.linalg.norm(rows["tangential_force"], axis=1).sum()),
                    float(force[sticks].sum()) / whole if whole > 0 else math.nan,
                    float((rows["gap"] * force).sum()) / whole if whole > 0 else 0.0)
        if places:
            pressed = force > 0
            grip.place, grip.sticks = rows["p"][pressed, :2].copy(), sticks[pressed]
        return grip


def _inverse(points: list[tuple[float, float]], force: float) -> float:
    """The depth where the force is met, by interpolation of depth over force; inf where the force
    does not grow."""
    d = [p[0] for p in points]
    f = [p[1] for p in points]
    if any(b <= a for a, b in zip(f, f[1:], strict=False)):
        d, f = d[-2:], f[-2:]
        if f[1] <= f[0]:
            return math.inf
    return sum(d[i] * math.prod((force - f[j]) / (f[i] - f[j]) for j in range(len(d)) if j != i)
               for i in range(len(d)))
