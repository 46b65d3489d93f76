"""Sim: a compiled scene, its state, and the step.

Arrays are (env, item, component), with the env axis present for one environment too.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple, NoReturn

import numpy as np
from numpy.typing import ArrayLike, NDArray

from haptos import _core
from haptos.base.arrays import in_place, stack_envs
from haptos.base.errors import StepError, refuse
from haptos.meshes.given import Named, chosen_envs, kind_of, number, remedy_for
from haptos.robots.view import RobotView
from haptos.scene.cameras import SceneCamera, ShownScene
from haptos.scene.constraints import Constraints
from haptos.scene.differences import Differences
from haptos.scene.material_points import MaterialPoints
from haptos.scene.readings import CONTACT_DTYPE, Wrench
from haptos.scene.scene import Scene
from haptos.tactile.sensors import TactileSensor

if TYPE_CHECKING:
    from haptos._core import State

class StepReport:
    """What one step reports; every attribute is an array (env,).

    step, time [s], status (bits, 0 is good), iterations, line_search_steps, lag_passes
    (minimisations after the first, for friction), linear_iterations (0 with the direct solver),
    residual [N], load [N], smallest_gap [m], missed [m], path, kinetic [J], potential [J],
    smallest_volume_ratio, parts (of a step that would not settle in one), crossed (contacts of
    boundary layers whose triangles cross), past_middle (pairs in hydroelastic contact that were in
    each other past the middle of one), merged (pairs of surfaces that touched in more samples than
    point_contact.most_samples, which were merged), seconds (wall time).
    """

    FIELDS = tuple(_core.StepReports.fields())

    def __init__(self, reports: _core.StepReports) -> None:
        self._reports = reports

    def __getattr__(self, name: str) -> NDArray[Any]:
        if name not in StepReport.FIELDS:
            near = _core.nearest_name(name, [*StepReport.FIELDS, "ok", "describe"])
            raise AttributeError(f"a step report has no {name!r}"
                                 + (f"; did you mean {near!r}?" if near else ""))
        return self._reports.column(name)

    def __dir__(self) -> list[str]:
        return [*super().__dir__(), *StepReport.FIELDS]

    @property
    def ok(self) -> bool:
        """Whether no environment set a status bit."""
        return not self._reports.bits()

    def describe(self) -> str:
        """The sentences of the status bits that are set in any environment; "ok" when none is."""
        return _core.describe_status(self._reports.bits())

    def __repr__(self) -> str:
        return (f"StepReport(step={self.step[0]}, time={self.time[0]:g} s, iterations={self.iterations[0]}, "
                f"status={self.describe()!r})")


class Sim(Constraints, Differences):
    """A compiled scene. Made by Scene.compile(), or of several scenes by haptos.compile_scenes()."""

    def __init__(self, scene: Scene | Sequence[Scene], envs: int = 1,
                 progress: Callable[[str, float], object] | None = None) -> None:
        if isinstance(scene, Scene):
            self._batch = _core.Batch(scene._core, envs, progress)
            self._entries_of = [scene.entries()] * envs
        else:
            envs = len(scene)
            self._batch = _core.Batch([s._core for s in scene], progress)
            made = {id(s): s.entries() for s in scene}
            self._entries_of = [made[id(s)] for s in scene]
            scene = scene[0]
        self._each = [self._batch.env(k) for k in range(envs)]
        self._core = self._each[0]  # for what all environments share
        self._entries = self._entries_of[0]
        options = scene.sim
        self._dt = options.dt
        self._last: StepReport | NDArray[np.uint32] = np.zeros(envs, np.uint32)  # or its statuses
        self.scene_text = scene.text
        self._stepping = threading.Lock()
        self._sensors = Named(
            {s.name: TactileSensor(self, k, s) for k, s in enumerate(scene.sensors)},
            "tactile sensor", "this Sim", "the scene has none; scene.add_sensor() adds one")
        self._robots = Named(
            {n: RobotView(self._batch, n) for n in self.names("robots")}, "robot or rigid body",
            "this Sim", "the scene has none; scene.add_robot() and scene.add_rigid() add one")
        self._material_points = Named(
            {n: MaterialPoints(self, n) for n in self.names("material_points")},
            "body of material points", "this Sim",
            "the scene has none; scene.add_material_points() adds one")
        self._shown: ShownScene | None = None
        self._cameras = Named(
            {e["name"]: SceneCamera(self, e) for e in self._entries["cameras"]}, "camera",
            "this Sim", "the scene has none; scene.add_camera() adds one")
        glued = {name for e in self._entries["soft"] for name in e["glue"]}
        #: where the bodies that gels are glued to were at the start: name -> (env, 7)
        self.start_poses = {name: self.carrier_pose(name).copy() for name in sorted(glued)}
        #: called with this Sim before every step; each may read, and set commands and targets
        self.controllers: list[Callable[[Sim], Any]] = []

    @property
    def cameras(self) -> Mapping[str, SceneCamera]:
        """Cameras of the scene by name: colours, depth, which body a pixel shows."""
        return self._cameras

    @property
    def shown(self) -> ShownScene:
        """What its cameras see, made when the first of them looks."""
        if self._shown is None:
            self._shown = ShownScene(self)
        return self._shown

    @property
    def dt(self) -> float:
        """Time step [s]."""
        return self._dt

    @property
    def time(self) -> NDArray[np.float64]:
        """(env,) [s]"""
        return in_place(np.array([c.time() for c in self._each]))

    @property
    def step_count(self) -> NDArray[np.int64]:
        """Steps taken, (env,)."""
        return in_place(np.array([c.step_count() for c in self._each], np.int64))

    @property
    def entries(self) -> dict[str, list[dict[str, Any]]]:
        """What was compiled, by kind: soft, material_points, prescribed, affine, half_spaces, robots,
        constraints, cameras; see entries_of() where environments are of several scenes."""
        return self._entries

    def entries_of(self, env: int) -> dict[str, list[dict[str, Any]]]:
        """What was compiled for an environment, by kind."""
        return self._entries_of[env]

    # -- stepping ------------------------------------------------------------------------------

    def step(self, *nothing: Any) -> StepReport:
        """Advances by one time step, after the controllers; other Python threads run meanwhile.

        With newton.strict, raises StepError for a step that did not converge or missed a target;
        the state then stays at the start of the step. Raises InputError for an argument, and where
        another thread is in a step of this Sim.
        """
        if nothing:
            self._refuse_count(nothing)
        if not self._stepping.acquire(blocking=False):
            refuse("step", "", "is being taken by another thread, or by a controller of this Sim",
                   "step a Sim from one thread at a time; copies that step side by side are "
                   "scene.compile(envs=...), or a Sim each")
        try:
            return self._step()
        finally:
            self._stepping.release()

    def _refuse_count(self, given: tuple[Any, ...]) -> NoReturn:
        count = given[0]
        many = isinstance(count, (int, np.integer)) and not isinstance(count, bool) and count > 0
        refuse("sim.step()", count if many else kind_of(count), "takes one step and no argument",
               f"for {count} steps of {self._dt:g} s write sim.run({count * self._dt:g})" if many
               else "actions go to sim.robots[name].set_command() or sim.set_target() before it")

    def _step(self) -> StepReport:
        for controller in self.controllers:
            controller(self)
        try:
            report = StepReport(self._batch.step())
        except StepError as e:
            if isinstance(e.report, _core.StepReport):
                e.report = StepReport(_core.StepReports(e.report))
                self._last = e.report
            raise
        self._last = report
        return report

    def run(self, duration: float | str, each: Callable[[StepReport], Any] | None = None) -> StepReport:
        """Steps until `duration` [s] has passed, at least once; each(report) after every step.

        Returns the last report.
        """
        duration = number(duration, "s", "duration")
        if each is not None and not callable(each):
            refuse("each", kind_of(each), "must be a function of a step's report",
                   "for example each=recorder.record")
        if not (duration > 0 and np.isfinite(duration)):
            refuse("duration", duration, "must be greater than 0", "give it in s")
        count = max(1, round(duration / self._dt))
        for _ in range(count):
            report = self.step()
            if each is not None:
                each(report)
        return report

    def reset(self, mask: ArrayLike | None = None, seed: int | ArrayLike | None = None) -> None:
        """Back to the start, where mask (env,) is true; everywhere by default.

        seed: of the noise of robots' and tactile sensors, in place of the scene's sim.seed; a row
        (env,) gives each environment the noise that a Sim of one environment has with that seed.
        """
        chosen = chosen_envs(mask, self.envs)
        seeds = self._seed_rows(seed)
        for core, wanted, (one, env) in zip(self._each, chosen, seeds, strict=True):
            if wanted:
                core.reset(one, env)
        self._last = np.where(chosen, np.uint32(0), self.status)

    def restart_sensors(self, mask: ArrayLike | None = None,
                        seed: int | ArrayLike | None = None) -> None:
        """Sensors take their first sample anew: for after reset(), where something was put
        elsewhere since. It leaves environments alone that have made steps.

        mask, seed: as of reset().
        """
        chosen = chosen_envs(mask, self.envs) & (self.step_count == 0)
        for core, wanted, (one, _) in zip(self._each, chosen, self._seed_rows(seed), strict=True):
            if wanted:
                core.restart_sensors(one)

    def _seed_rows(self, seed: Any) -> list[tuple[int | None, int | None]]:
        """The seed of the noise of each environment, and its number there; None: as they are."""
        if seed is None:
            return [(None, None)] * self.envs
        row = np.asarray(seed)
        if row.dtype.kind not in "iu" or row.shape not in ((), (self.envs,)) or (row < 0).any():
            refuse("seed", kind_of(seed) if row.dtype.kind not in "iu" else seed,
                   f"must be a whole number of 0 or more, or {self.envs} of them, one for each "
                   "environment", "for example 7")
        if row.shape:
            return [(int(one), 0) for one in row]
        return [(int(row), k) for k in range(self.envs)]

    @property
    def status(self) -> NDArray[np.uint32]:
        """Status bits of the last step, (env,); haptos.describe_status() explains them."""
        return self._last.status if isinstance(self._last, StepReport) else in_place(self._last)

    # -- state ---------------------------------------------------------------------------------

    @property
    def state(self) -> State:
        """A copy of the state; assigning one of the same scene restores it. With several
        environments it is that of the first; see states."""
        return self._core.state()

    @state.setter
    def state(self, state: State) -> None:
        if not isinstance(state, _core.State):
            refuse("state", kind_of(state), "must be a haptos.State",
                   "assign what sim.state returned")
        if self.envs > 1:
            refuse("state", "", f"is one, and there are {self.envs} environments",
                   "assign a list to states")
        self._core.set_state(state)

    @property
    def states(self) -> list[State]:
        """Copies of the states of all environments; assigning such a list restores them."""
        return [c.state() for c in self._each]

    @states.setter
    def states(self, states: list[State]) -> None:
        if not hasattr(states, "__len__") or not all(isinstance(s, _core.State) for s in states):
            refuse("states", kind_of(states), "must be a list of haptos.State",
                   "assign what sim.states returned")
        if len(states) != self.envs:
            refuse("states", len(states), f"must be as many as environments, {self.envs}",
                   "give one for each")
        for core, state in zip(self._each, states, strict=True):
            core.set_state(state)

    def set_state(self, state: State | Sequence[State], mask: ArrayLike | None = None) -> None:
        """Puts environments into states of this scene, where mask (env,) is true; everywhere by
        default.

        state: what sim.state returned, for all of them, or a list with one for each environment.
        Raises InputError for other things and for a state of another scene.
        """
        chosen = chosen_envs(mask, self.envs)
        rows = [state] * self.envs if isinstance(state, _core.State) else state
        if (not isinstance(rows, (list, tuple)) or len(rows) != self.envs
                or not all(isinstance(s, _core.State) for s in rows)):
            refuse("state", kind_of(state), "must be a haptos.State, or a list of them with one for "
                   "each environment", "give what sim.state or sim.states returned")
        for core, one, wanted in zip(self._each, rows, chosen, strict=True):
            if wanted:
                core.set_state(one)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Writes the states of all environments to a file, whole or not at all."""
        (self._core if self.envs == 1 else self._batch).save(os.fspath(path))

    def load(self, path: str | os.PathLike[str]) -> None:
        """Reads what save() wrote. Raises InputError for a damaged file or another scene's."""
        (self._core if self.envs == 1 else self._batch).load(os.fspath(path))

    @property
    def warnings(self) -> list[str]:
        """What is odd about the scene but can be simulated, a sentence each; see Scene.warnings."""
        one_of = {id(e): c for e, c in zip(self._entries_of, self._each, strict=True)}
        return list(dict.fromkeys(w for core in one_of.values() for w in core.warnings()))

    @property
    def model_hash(self) -> int:
        """Equal for scenes whose states can be exchanged; of several scenes that of the first."""
        return self._core.model_hash()

    # -- control -------------------------------------------------------------------------------

    def set_target(self, name: str, position: ArrayLike,
                   quaternion: ArrayLike | None = None) -> None:
        """Sends a prescribed body to a pose in the coming steps, in place of its trajectory.

        position (3) or (env, 3) [m], quaternion (4) or (env, 4). Raises InputError and changes
        nothing for other shapes and for numbers that are not finite.
        """
        p = self._rows(position, 3)
        q = [None] * self.envs if quaternion is None else self._rows(quaternion, 4)
        for core, one, turn in zip(self._each, p, q, strict=True):
            core.set_target(name, one, turn)

    def _rows(self, value: ArrayLike, width: int) -> list[Any]:
        """One row for each environment, of (width), (1, width) or (env, width) numbers; what has
        another shape is handed on for the core to refuse."""
        array = np.asarray(value)
        if array.shape == (self.envs, width):
            return list(array)
        return [array[0] if array.shape == (1, width) else array] * self.envs

    def clear_target(self, name: str) -> None:
        """Gives a prescribed body back to its trajectory."""
        for core in self._each:
            core.clear_target(name)

    def set_wrench(self, name: str, force: ArrayLike = (0.0, 0.0, 0.0),
                   torque: ArrayLike = (0.0, 0.0, 0.0)) -> None:
        """Pushes an affine body, a rigid body or a link ("robot/link") in the coming steps, in place of
        what was set before.

        force (3) or (env, 3) at its centre of mass [N], torque (3) or (env, 3) about it [N m], world
        axes. It is part of the state. reset() restores those of the scene. Raises InputError and changes nothing for other
        names and shapes and for numbers that are not finite.
        """
        for core, f, t in zip(self._each, self._rows(force, 3), self._rows(torque, 3), strict=True):
            core.set_wrench(name, f, t)

    @property
    def sensors(self) -> Mapping[str, TactileSensor]:
        """Sensors by name."""
        return self._sensors

    @property
    def material_points(self) -> Mapping[str, MaterialPoints]:
        """Bodies of material points by name: to read."""
        return self._material_points

    @property
    def robots(self) -> Mapping[str, RobotView]:
        """Robots and rigid bodies by name: to command and to read."""
        return self._robots

    def __iter__(self) -> Iterator[StepReport]:
        """Steps for ever: for report in sim: ..."""
        while True:
            yield self.step()

    def __repr__(self) -> str:
        bodies = ", ".join(n for kind in self._entries for n in self.names(kind))
        return f"haptos.Sim({bodies}; t = {self._core.time():g} s)"
