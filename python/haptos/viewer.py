"""A Sim, a recording or a press in the browser: bodies, colours, forces, sensor images, controls.

Needs the extra view (pip install haptos[view]), which brings viser. The page is served on this
machine only unless another host is named, and opens only by the address that holds its key.
"""

from __future__ import annotations

import threading
import time
from collections import deque
from contextlib import redirect_stdout
from io import StringIO
from typing import TYPE_CHECKING, Any

import numpy as np

from haptos import _core
from haptos.drawing import (
    ARROWS,
    CAMERAS,
    OBJECTS,
    Ranges,
    sensor_sheet,
    show_seconds,
    view_box,
)
from haptos.errors import InputError, StepError, refuse
from haptos.movies import need
from haptos.mover import Mover
from haptos.page_scene import PageLook, PageScene
from haptos.press import Press
from haptos.replay import Recording
from haptos.sim import Sim
from haptos.snapshots import FIELDS, SimStage, Snapshot
from haptos.web_guard import guarded_server, is_loopback

if TYPE_CHECKING:
    from collections.abc import Callable

    from haptos.robot_view import RobotView

_PLOTTED = 400  # samples that a plot shows
_FRAMES = 30.0  # a second
_IMAGES = 8.0  # a second
_KEPT = 256 << 20  # of the moments of a live run [byte]
_PALETTE = ("#c0392b", "#27ae60", "#2980b9", "#8e44ad", "#d68910", "#16a085", "#7f8c8d")


class Viewer:
    """Shows what a Sim does, or what was recorded, in a browser, and lets people command it.

        haptos.Viewer(scene.compile()).run()
        haptos.Viewer(haptos.Recording("runs/mine/run.h5")).run()

    Everything that the page does waits for update(), so the Sim belongs to the thread that calls
    it: run() steps and updates until close(); or step as you like and call update() now and then.
    """

    def __init__(self, source: Sim | Recording | Press, *, env: int = 0, host: str = "127.0.0.1",
                 port: int = 8080, steps: bool = True,
                 live: Callable[[], Press] | None = None) -> None:
        """source: what is shown; env: which environment of a Sim; steps: whether time runs, else
        joints are only posed; live: makes a press to go on with beside its recording.

        Raises InputError where viser is missing, there is no such environment, or the address
        cannot be served.
        """
        sim = source.sim if isinstance(source, Press) else source
        if isinstance(sim, Sim) and not 0 <= env < sim.envs:
            refuse("env", env, f"must be from 0 to {sim.envs - 1}", "choose another one")
        self._server, self.guard = guarded_server(host, port, "Haptos")
        self._host = host
        self._server.scene.set_up_direction("+z")
        self._lock = threading.Lock()
        self._asked: dict[Any, Any] = {}  # what the page asked for since the last update
        self._env, self._steps = env, steps
        self._recording = sim if isinstance(sim, Recording) else None
        self._make_live = live
        self._press = source if isinstance(source, Press) else None
        self.sim: Sim | None = sim if isinstance(sim, Sim) else None
        self._taker: SimStage | None = None
        self._moments: deque[Snapshot] = deque()  # of the live run
        self._kept = 0
        self._ranges = Ranges()
        self._frame = 0  # that is shown
        self._clock_now = 0.0  # of a replay that plays [s]
        self._closed = False
        self.playing = False
        self._shown: Any = None  # what the page shows: (snapshot, look)
        self._images_at = -1.0
        self._images_of: Snapshot | None = None
        self._scene: PageScene | None = None
        self._movers: dict[str, Mover] = {}
        self._plots: list[tuple[RobotView, str, Any, deque[Any]]] = []
        self._sliders: list[tuple[RobotView, str, Any]] = []
        self._set: dict[Any, float] = {}  # what was put into sliders here, not by a person
        self._gizmos: dict[str, Any] = {}
        try:
            self._open()
        except BaseException:
            self.close()
            raise

    def _open(self) -> None:
        if self._recording is not None:
            r = self._recording
            for k in np.unique(np.linspace(0, len(r) - 1, min(len(r), 24)).round().astype(int)):
                self._ranges.grow(r.stage, r.take(int(k)))
            self._stage, self._fields = r.stage, r.fields
            first = r.take(0)
            self._frame = 0
            self._snap = first
        else:
            assert self.sim is not None
            self._taker = SimStage(self.sim, self._env)
            self._stage, self._fields = self._taker.stage, self._taker.fields
            self._snap = self._take()
        box = view_box(self._stage, [self._snap])
        self._box = np.array([[-0.5] * 3, [0.5] * 3]) if box is None else box
        self._size = float(np.linalg.norm(np.ptp(self._box, axis=0))) or 1.0
        self._aim()
        self._add_controls()
        self._build_scene()
        self.update()

    @property
    def url(self) -> str:
        """Where the page is; who has it can command the Sim."""
        host = self._server.get_host()
        host = f"[{host}]" if ":" in host else host
        return f"http://{host}:{self._server.get_port()}/{self.guard.key}/"

    @property
    def is_private(self) -> bool:
        """Whether only this machine can reach the page."""
        return is_loopback(self._host)

    @property
    def is_live(self) -> bool:
        """Whether a Sim is shown, not a recording."""
        return self._taker is not None

    @property
    def frame(self) -> int:
        """Which moment is shown, of those recorded or of the live run so far."""
        return self._frame

    def show_frame(self, frame: int) -> None:
        """Shows another moment; negative ones count from the end. Raises InputError."""
        count = self._count()
        if not -count <= frame < count:
            refuse("frame", frame, f"must be from 0 to {count - 1}", "choose another one")
        self._do(("slider", "frame"), frame % count)
        self.update()

    # -- what is there -------------------------------------------------------------------------

    def _aim(self) -> None:
        camera = self._server.initial_camera
        middle = self._box.mean(axis=0)
        away = -np.array(CAMERAS["above"])
        camera.near = 0.01 * self._size
        camera.far = 200 * self._size + 100
        camera.fov = 0.6
        camera.look_at = tuple(middle)
        camera.position = tuple(middle + 1.9 * self._size * away / np.linalg.norm(away))
        camera.up = (0.0, 0.0, 1.0)

    def _build_scene(self) -> None:
        if self._scene is not None:
            self._scene.remove()
        self._scene = PageScene(self._server, self._stage, self._snap, self._size)
        self._shown = None

    # -- what can be done ----------------------------------------------------------------------

    def _ask(self, key: Any, value: Any) -> None:
        with self._lock:
            self._asked[key] = value

    def _add_controls(self) -> None:
        gui = self._server.gui
        self._clock = gui.add_text("time", "0 s", disabled=True, order=0.0)
        self._sheets: dict[str, Any] = {}
        self._add_run_controls()
        self._add_look_controls()
        if self.sim is not None and self.is_live:
            self._add_live_controls(self.sim)
        elif self._make_live is not None:
            self._live_folder = gui.add_folder("Live press", order=3.0)
            with self._live_folder:
                gui.add_markdown("A new simulation of this press, moved by hand.")
                gui.add_button("go live").on_click(lambda _: self._ask("live", True))
        self._add_force_plot()
        self._add_images()

    def _add_run_controls(self) -> None:
        gui = self._server.gui
        if not self._steps and self._recording is None:
            return
        self._run_folder = gui.add_folder("Run" if self.is_live else "Recording", order=1.0)
        with self._run_folder:
            count = self._count()
            self._slider = gui.add_slider("frame", 0, max(1, count - 1), 1, 0)
            self._set["frame"] = 0
            self._slider.on_update(lambda _: self._person("frame", self._slider.value))
            play = gui.add_checkbox("play", False)
            play.on_update(lambda _: self._ask("play", play.value))
            self._play = play
            if not self.is_live and self._recording is not None:
                span = float(np.ptp(self._recording.times))
                # As in a movie: what is over in an instant is slowed down to be seen.
                speed = 1.0 if span >= 2 else max(span, 1e-6) / 4
                self._speed = gui.add_number("speed, 1 is real time", float(f"{speed:.2g}"),
                                             min=1e-6, max=1e3)
            else:
                gui.add_button("step").on_click(lambda _: self._ask("step", True))
            gui.add_button("reset").on_click(lambda _: self._ask("reset", True))

    def _add_look_controls(self) -> None:
        gui = self._server.gui
        with gui.add_folder("Look", order=2.0):
            first = "pressure" if "pressure" in self._fields and self._stage.sensors else "none"
            self._color = gui.add_dropdown("gel", ("none", *self._fields), initial_value=first)
            presses = self._stage.of("soft") and self._stage.of("prescribed")
            self._objects = gui.add_dropdown(
                "objects", OBJECTS, initial_value="ghost" if presses and first != "none"
                else "solid")
            self._arrows = gui.add_dropdown("forces", ARROWS, initial_value="sum")
            self._force = gui.add_number("arrows [mm/N], 0 fits", 0.0, min=0.0)
            self._markers = gui.add_checkbox("markers", True)
            self._scale = gui.add_text("colours", "", disabled=True)

    def _add_live_controls(self, sim: Sim) -> None:
        gui = self._server.gui
        for name, robot in sim.robots.items():
            joints = [j for j in robot.robot.joints
                      if j.kind in ("revolute", "prismatic") and j.mimic is None]
            if joints:
                with gui.add_folder(name, expand_by_default=len(joints) < 20, order=3.0):
                    for joint in joints:
                        self._add_slider(robot, joint)
            for sensor in getattr(robot, "sensors", {}):
                self._add_plot(robot, sensor)
        if not self._steps:
            return
        for entry in sim.entries["prescribed"]:
            if len(entry["surface"].vertices):
                self._add_mover(sim, entry["name"])

    def _add_mover(self, sim: Sim, name: str) -> None:
        """Sliders and a gizmo for a prescribed body."""
        gui = self._server.gui
        gap = self._press.gap if self._press is not None and name == "object" else 0.0
        mover = self._movers[name] = Mover(sim, name, self._env, gap)
        reach = 1e3 * (0.6 * float(np.min(np.ptp(self._box, axis=0)))
                       if self._stage.of("soft") else 0.5 * self._size)
        reach = float(f"{reach:.2g}")
        with gui.add_folder(f"move {name}", order=3.0):
            mover.sliders = {
                "depth": gui.add_slider("depth [mm]", float(-reach), reach, reach / 500, 0.0),
                "x": gui.add_slider("shear x [mm]", float(-reach), reach, reach / 500, 0.0),
                "y": gui.add_slider("shear y [mm]", float(-reach), reach, reach / 500, 0.0),
                "twist": gui.add_slider("twist [deg]", -45.0, 45.0, 0.1, 0.0)}
            for axis, slider in mover.sliders.items():
                self._set[name, axis] = 0.0
                slider.on_update(lambda _, a=axis, s=slider: self._person((name, a), s.value))
            grab = gui.add_checkbox("grab it in the picture", False)
        gizmo = self._server.scene.add_transform_controls(
            f"/grab/{name}", scale=0.3 * self._size, visible=False, depth_test=False,
            position=mover.start[:3], wxyz=mover.start[3:])
        gizmo.on_update(lambda _: self._ask(("grab", name), (tuple(gizmo.position),
                                                             tuple(gizmo.wxyz))))
        grab.on_update(lambda _: self._ask(("show grab", name), grab.value))
        self._gizmos[name] = gizmo

    def _person(self, key: Any, value: float) -> None:
        """Asks for what a slider says, unless it was put there by update()."""
        if self._set.get(key) != value:
            self._set[key] = value
            self._ask(("slider", key), value)

    def _put(self, key: Any, slider: Any, value: float) -> None:
        """Puts a value into a slider, of which no one is to take notice."""
        self._set[key] = value
        slider.value = value

    def _add_slider(self, robot: RobotView, joint: _core.RobotJoint) -> None:
        far = np.pi if joint.kind == "revolute" else 1.0
        lo = joint.lower if np.isfinite(joint.lower) else -far
        hi = joint.upper if np.isfinite(joint.upper) else far
        now = float(robot.position[self._env, robot.coordinates(joint.name)][0])
        slider = self._server.gui.add_slider(
            f"{joint.name} [{'rad' if joint.kind == 'revolute' else 'm'}]", float(min(lo, now)),
            float(max(hi, now)) if hi > lo else float(lo) + 1e-3, 1e-3, now)
        slider.on_update(lambda _: self._ask(("joint", robot.name, joint.name), slider.value))
        self._sliders.append((robot, joint.name, slider))

    def _add_plot(self, robot: RobotView, sensor: str) -> None:
        channels = robot.sensors[sensor].value.shape[1]
        handle = self._plot([str(k) for k in range(channels)], f"{robot.name}: {sensor}")
        self._plots.append((robot, sensor, handle, deque(maxlen=_PLOTTED)))

    def _plot(self, names: list[str], title: str) -> Any:
        uplot = need("viser.uplot")
        series = (uplot.Series(label="t [s]"),
                  *(uplot.Series(label=n, stroke=_PALETTE[k % len(_PALETTE)])
                    for k, n in enumerate(names)))
        empty = tuple(np.zeros(1) for _ in range(len(names) + 1))
        return self._server.gui.add_uplot(empty, series, title=title, aspect=2.0, order=4.0,
                                          scales={"x": uplot.Scale(time=False)})

    def _add_force_plot(self) -> None:
        """Force over time on what presses, all of a recording or the live run so far."""
        named = [b.name for b in self._stage.bodies if b.name in self._snap.forces][:4]
        self._force_plot: Any = None
        self._forces: deque[Any] = deque(maxlen=_PLOTTED)
        if not named:
            return
        self._force_names = named
        self._force_plot = self._plot([f"{n}: size of the force [N]" for n in named],
                                      "force [N] over time [s]")
        if self._recording is not None and not self.is_live:
            every = max(1, len(self._recording) // _PLOTTED)
            forces = self._recording.forces()
            self._force_plot.data = (self._recording.times[::every], *(
                np.linalg.norm(forces[n], axis=1)[::every] for n in named))

    def _add_images(self) -> None:
        if not self._snap.readings:
            return
        panel = self._server.gui.add_panel()
        for sensor in self._stage.sensors:
            with panel.add_tab(sensor.name):
                self._sheets[sensor.name] = self._server.gui.add_image(
                    self._sheet(sensor.name), label=sensor.name, format="jpeg", jpeg_quality=90)
        panel.dock_left()
        panel.set_width(560)
        self._server.gui.main_panel.dock_right()

    def _sheet(self, name: str) -> Any:
        sensor = next(s for s in self._stage.sensors if s.name == name)
        return sensor_sheet(sensor, self._snap.readings[name], self._ranges, cell=320)

    # -- moments -------------------------------------------------------------------------------

    def _count(self) -> int:
        return len(self._moments) if self.is_live or self._recording is None else len(
            self._recording)

    def _take(self) -> Snapshot:
        """The present moment of the Sim, kept with those before it."""
        assert self._taker is not None
        snap = self._taker.take()
        self._ranges.grow(self._taker.stage, snap)
        self._moments.append(snap)
        self._kept += snap.size()
        while self._kept > _KEPT and len(self._moments) > 2:
            self._kept -= self._moments.popleft().size()
        self._frame = len(self._moments) - 1
        return snap

    def _go_live(self) -> None:
        """Turns from a recording to a simulation of the same press."""
        if self._make_live is None:
            return
        self._notify("Making the simulation ...")
        self._press = self._make_live()
        self.sim, self._make_live = self._press.sim, None
        self._taker = SimStage(self.sim, self._env)
        self._stage, self._fields = self._taker.stage, self._taker.fields
        self._pause()
        self._moments.clear()
        self._forces.clear()
        self._snap = self._take()
        self._build_scene()
        self._live_folder.remove()
        self._run_folder.remove()
        self._add_run_controls()
        self._add_live_controls(self.sim)

    def _command(self, robot: RobotView, joint: str, value: float) -> None:
        driven = {m.joint: m.name or m.joint for m in robot.robot.motors}
        if joint in driven and self._steps:
            commands = robot.command[:, robot.motor_names.index(driven[joint]), 0].copy()
            commands[self._env] = value
            robot.set_command(position={driven[joint]: commands})
        else:
            position = robot.position.copy()
            position[self._env, robot.coordinates(joint)] = value
            for j in robot.robot.joints:  # those that follow it
                if j.mimic is not None and j.mimic[0] == joint:
                    position[self._env, robot.coordinates(j.name)] = (j.mimic[1] * value
                                                                      + j.mimic[2])
            robot.set_state(position=position)

    # -- running -------------------------------------------------------------------------------

    def update(self) -> None:
        """Does what the page asked for, and shows where everything is now."""
        with self._lock:
            asked, self._asked = self._asked, {}
        if asked.pop("live", False):
            self._go_live()
        if "play" in asked:
            self.playing = asked.pop("play")
            if self.playing and not self.is_live and self._frame == self._count() - 1:
                self._frame = 0
            self._clock_now = self._snap.time if self._frame else -np.inf
        if asked.pop("reset", False):
            self._reset()
            asked.clear()
        if asked.pop("step", False):
            self._step()
        for key, value in asked.items():
            self._do(key, value)
        self._refresh()
        self._show()

    def _do(self, key: Any, value: Any) -> None:
        match key:
            case ("slider", "frame"):
                self._pause()
                self._frame = int(min(max(0, value), self._count() - 1))
                if self.is_live:
                    self._snap = self._moments[self._frame]
            case ("slider", (name, axis)) if name in self._movers:
                self._movers[name].move(axis, value)
            case ("grab", name):
                mover = self._movers[name]
                mover.go(np.array([*value[0], *value[1]]))
                for axis, at in mover.offsets().items():
                    self._put((name, axis), mover.sliders[axis], at)
            case ("show grab", name):
                self._gizmos[name].visible = bool(value)
            case ("joint", robot, joint):
                assert self.sim is not None
                self._command(self.sim.robots[robot], joint, value)

    def _reset(self) -> None:
        self._pause()
        self._frame = 0
        if self.sim is None or not self.is_live:
            return
        self.sim.reset()
        for robot, joint, slider in self._sliders:
            slider.value = float(robot.position[self._env, robot.coordinates(joint)][0])
        for name, mover in self._movers.items():
            mover.reset()
            for axis, slider in mover.sliders.items():
                self._put((name, axis), slider, 0.0)
            self._gizmos[name].position, self._gizmos[name].wxyz = (mover.start[:3],
                                                                    mover.start[3:])
        self._moments.clear()
        self._forces.clear()
        self._kept = 0
        self._snap = self._take()
        with self._lock:
            self._asked.clear()

    def _step(self) -> None:
        """One step of the Sim, movers a little nearer to where they are sent."""
        if self.sim is None or not self.is_live:
            return
        for mover in self._movers.values():
            mover.advance()
        try:
            self.sim.step()
        except (InputError, StepError) as e:
            self._pause()
            self._notify(str(e))

    def _pause(self) -> None:
        self.playing = False
        if self._steps or self._recording is not None:
            self._play.value = False

    def _notify(self, text: str) -> None:
        for client in self._server.get_clients().values():
            client.add_notification("Haptos", text, auto_close_seconds=8)

    def _refresh(self) -> None:
        """Brings _snap up to what the Sim or the frame is."""
        if self.is_live:
            assert self.sim is not None
            if self._frame < len(self._moments) - 1 and not self.playing and not self._moving():
                return  # someone looks at what was
            now = int(self.sim.step_count[self._env])
            if now != self._moments[-1].step or not self._steps:
                if not self._steps or now < self._moments[-1].step:
                    self._moments.clear()
                    self._kept = 0
                self._snap = self._take()
            self._frame = len(self._moments) - 1
            self._snap = self._moments[-1]
        elif self._recording is not None and (self._shown is None
                                              or self._shown[1] != self._frame):
            self._snap = self._recording.take(self._frame)

    def _moving(self) -> bool:
        """Whether a press is on its way to where a person sent it: it goes on by itself."""
        return self._press is not None and any(m.is_on_its_way for m in self._movers.values())

    # -- showing -------------------------------------------------------------------------------

    def _show(self) -> None:
        scale = 1e-3 * float(self._force.value)
        look = PageLook(self._color.value, self._objects.value, self._arrows.value,
                        scale if scale > 0 else None, self._markers.value)
        assert self._scene is not None
        if self._steps or self._recording is not None:
            most = max(1, self._count() - 1)
            if self._slider.max != most:
                self._slider.max = most
            if self._slider.value != self._frame:
                self._put("frame", self._slider, self._frame)
        shown = (id(self._snap), self._frame, look)
        if self._shown != shown or not self._steps:
            self._shown = shown
            self._clock.value = show_seconds(self._snap.time)
            kind = FIELDS.get(look.color)
            self._scale.value = "" if kind is None else (
                f"0 to {self._ranges.nice(look.color, kind.unit):g}, {kind.label}")
            self._scene.show(self._snap, look, self._ranges)
            self._show_plots()
        self._show_images()
        self._scene.settle()

    def _show_plots(self) -> None:
        for robot, sensor, handle, rows in self._plots:
            rows.append((self._snap.time, *robot.sensors[sensor].value[self._env]))
            handle.data = tuple(np.array(column, float) for column in zip(*rows, strict=True))
        if self._force_plot is not None and self.is_live and (
                not self._forces or self._forces[-1][0] != self._snap.time):
            self._forces.append((self._snap.time, *(
                float(np.linalg.norm(self._snap.forces[n])) for n in self._force_names)))
            self._force_plot.data = tuple(np.array(c, float)
                                          for c in zip(*self._forces, strict=True))

    def _show_images(self) -> None:
        if self._images_of is self._snap or not self._sheets or not self._snap.readings:
            return
        now = time.monotonic()
        if self.playing and now - self._images_at < 1 / _IMAGES:
            return
        self._images_at, self._images_of = now, self._snap
        for name, handle in self._sheets.items():
            handle.image = self._sheet(name)

    def run(self, seconds: float | None = None) -> None:
        """Updates until close(), or for some seconds of wall time; while the page plays, the Sim
        goes as fast as time does, or as fast as it can, and a recording at its speed."""
        end = np.inf if seconds is None else time.monotonic() + seconds
        before = time.monotonic()
        while not self._closed and time.monotonic() < end:
            began = time.monotonic()
            if self.is_live and self._steps and (self.playing or self._moving()):
                assert self.sim is not None
                for _ in range(max(1, round(1 / (_FRAMES * self.sim.dt)))):
                    self._step()
                    if time.monotonic() - began > 0.25 or not (self.playing or self._moving()):
                        break
            elif self.playing and self._recording is not None:
                self._play_on(began - before)
            before = began
            self.update()
            time.sleep(max(0.0, 1 / _FRAMES - (time.monotonic() - began)))

    def _play_on(self, seconds: float) -> None:
        """Moves a recording on by some seconds of wall time."""
        assert self._recording is not None
        times = self._recording.times
        if not np.isfinite(self._clock_now):
            self._clock_now = float(times[0])
        self._clock_now += seconds * float(self._speed.value)
        self._frame = self._recording.nearest(self._clock_now)
        if self._frame >= len(times) - 1:
            self._pause()

    def close(self) -> None:
        """Takes the page down."""
        self._closed = True
        with redirect_stdout(StringIO()):  # viser says so
            self._server.stop()

    def __enter__(self) -> Viewer:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()
