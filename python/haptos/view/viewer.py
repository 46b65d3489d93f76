"""A Sim, a recording or a press in the browser: bodies, colours, forces, sensor images, controls.

Needs the extra view (pip install haptos[view]), which brings viser. The page is served on this
machine only unless another host is named, and opens only by the address that holds its key.
"""

from __future__ import annotations

import time
from contextlib import redirect_stdout
from io import StringIO
from typing import TYPE_CHECKING, Any

import numpy as np

from haptos.base.errors import InputError, StepError, refuse
from haptos.look.aim import CAMERAS, view_box
from haptos.look.colours import Colour, coloured
from haptos.look.drawing import Ranges, show_seconds
from haptos.look.snapshots import SimStage, Snapshot
from haptos.press.press import Press
from haptos.record.replay import Recording
from haptos.scene.sim import Sim
from haptos.view.moments import Moments
from haptos.view.mover import Mover
from haptos.view.page_asks import Asks
from haptos.view.page_controls import JointControls, LookControls, MoverControls, RunControls
from haptos.view.page_plots import ForcePlot, ImagePanel, SensorPlot
from haptos.view.page_scene import PageScene
from haptos.view.web_guard import guarded_server, is_loopback

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

_FRAMES = 30.0  # a second


class Viewer:
    """Shows what a Sim does, or what was recorded, in a browser, and lets people command it.

        haptos.Viewer(scene.compile()).run()
        haptos.Viewer(haptos.Recording("runs/mine/run.h5")).run()

    Everything that the page does waits for update(), so the Sim belongs to the thread that calls
    it: run() steps and updates until close(); or step as you like and call update() now and then.
    """

    def __init__(self, source: Sim | Recording | Press, *, env: int = 0, host: str = "127.0.0.1",
                 port: int = 8080, steps: bool = True,
                 live: Callable[[], Press] | None = None,
                 colors: Mapping[str, Colour] | None = None) -> None:
        """source: what is shown, a recording from its last frame on; env: which environment of a
        Sim; steps: whether time runs, else joints are only posed; live: makes a press to go on with
        beside its recording; colors: of bodies, robots and links ("robot/link").

        Raises InputError where viser is missing, there is no such environment or body, or the
        address cannot be served.
        """
        sim = source.sim if isinstance(source, Press) else source
        if isinstance(sim, Sim) and not 0 <= env < sim.envs:
            refuse("env", env, f"must be from 0 to {sim.envs - 1}", "choose another one")
        self._server, self.guard = guarded_server(host, port, "Haptos")
        self._host = host
        self._server.scene.set_up_direction("+z")
        self._asks = Asks()
        self._env, self._steps = env, steps
        self._recording = sim if isinstance(sim, Recording) else None
        self._make_live = live
        self._colors = colors or {}
        self._press = source if isinstance(source, Press) else None
        self.sim: Sim | None = sim if isinstance(sim, Sim) else None
        self._taker: SimStage | None = None
        self._moments = Moments()  # of the live run
        self._ranges = Ranges()
        self._frame = 0  # that is shown
        self._clock_now = 0.0  # of a replay that plays [s]
        self._closed = False
        self.playing = False
        self._shown: Any = None  # what the page shows: (snapshot, frame, look)
        self._scene: PageScene | None = None
        self._run: RunControls | None = None  # where time runs
        self._joints: JointControls | None = None
        self._movers: dict[str, MoverControls] = {}
        self._plots: list[SensorPlot] = []
        try:
            self._open()
        except BaseException:
            self.close()
            raise

    def _open(self) -> None:
        if self._recording is not None:
            r = self._recording
            self._frame = len(r) - 1
            snaps = []
            for k in np.unique(np.linspace(0, len(r) - 1, min(len(r), 24)).round().astype(int)):
                snaps.append(r.take(int(k)))
                self._ranges.grow(r.stage, snaps[-1])
            self._stage, self._fields = r.stage, r.fields
            self._snap = snaps[-1]
        else:
            assert self.sim is not None
            self._taker = SimStage(self.sim, self._env)
            self._stage, self._fields = self._taker.stage, self._taker.fields
            self._snap = self._take()
            snaps = [self._snap]
        self._stage = coloured(self._stage, self._colors)
        box = view_box(self._stage, snaps)
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

    def _add_controls(self) -> None:
        gui = self._server.gui
        self._clock = gui.add_text("time", "0 s", disabled=True, order=0.0)
        self._add_run_controls()
        self._look = LookControls(gui, self._stage, self._fields)
        if self.sim is not None and self.is_live:
            self._add_live_controls(self.sim)
        elif self._make_live is not None:
            self._live_folder = gui.add_folder("Live press", order=3.0)
            with self._live_folder:
                gui.add_markdown("A new simulation of this press, moved by hand.")
                gui.add_button("go live").on_click(lambda _: self._asks.ask("live", True))
        self._forces = ForcePlot(gui, self._stage, self._snap, self._recording)
        self._images = ImagePanel(gui, self._stage, self._snap, self._ranges)

    def _add_run_controls(self) -> None:
        if self._steps or self._recording is not None:
            times = self._recording.times if self._recording and not self.is_live else None
            self._run = RunControls(self._server.gui, self._asks, self._count(), times)

    def _add_live_controls(self, sim: Sim) -> None:
        gui = self._server.gui
        self._joints = JointControls(gui, self._asks, sim, self._env, self._steps)
        self._plots = [SensorPlot(gui, robot, sensor, self._env) for robot in sim.robots.values()
                       for sensor in getattr(robot, "sensors", {})]
        if not self._steps:
            return
        reach = 1e3 * (0.6 * float(np.min(np.ptp(self._box, axis=0)))
                       if self._stage.of("soft") else 0.5 * self._size)
        for entry in sim.entries["prescribed"]:
            if len(entry["surface"].vertices):
                name = entry["name"]
                gap = self._press.gap if self._press is not None and name == "object" else 0.0
                self._movers[name] = MoverControls(
                    self._server, self._asks, Mover(sim, name, self._env, gap), reach, self._size)

    # -- moments -------------------------------------------------------------------------------

    def _count(self) -> int:
        return len(self._moments) if self.is_live or self._recording is None else len(
            self._recording)

    def _take(self) -> Snapshot:
        """The present moment of the Sim, kept with those before it."""
        assert self._taker is not None
        snap = self._taker.take()
        self._ranges.grow(self._taker.stage, snap)
        self._moments.add(snap)
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
        self._stage = coloured(self._taker.stage, self._colors)
        self._fields = self._taker.fields
        self._pause()
        self._moments.clear()
        self._forces.clear()
        self._snap = self._take()
        self._build_scene()
        self._live_folder.remove()
        assert self._run is not None
        self._run.folder.remove()
        self._add_run_controls()
        self._add_live_controls(self.sim)

    # -- running -------------------------------------------------------------------------------

    def update(self) -> None:
        """Does what the page asked for, and shows where everything is now."""
        asked = self._asks.take()
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
                self._movers[name].mover.move(axis, value)
            case ("grab", name):
                self._movers[name].pull(*value)
            case ("show grab", name):
                self._movers[name].gizmo.visible = bool(value)
            case ("joint", robot, joint):
                assert self._joints is not None
                self._joints.command(robot, joint, value)

    def _reset(self) -> None:
        self._pause()
        self._frame = 0
        if self.sim is None or not self.is_live:
            return
        self.sim.reset()
        assert self._joints is not None
        self._joints.reset()
        for controls in self._movers.values():
            controls.reset()
        self._moments.clear()
        self._forces.clear()
        self._snap = self._take()
        self._asks.take()

    def _step(self) -> None:
        """One step of the Sim, movers a little nearer to where they are sent."""
        if self.sim is None or not self.is_live:
            return
        for controls in self._movers.values():
            controls.mover.advance()
        try:
            self.sim.step()
        except (InputError, StepError) as e:
            self._pause()
            self._notify(str(e))

    def _pause(self) -> None:
        self.playing = False
        if self._run is not None:
            self._run.play.value = False

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
                self._snap = self._take()
            self._frame = len(self._moments) - 1
            self._snap = self._moments[-1]
        elif self._recording is not None and (self._shown is None
                                              or self._shown[1] != self._frame):
            self._snap = self._recording.take(self._frame)

    def _moving(self) -> bool:
        """Whether a press is on its way to where a person sent it: it goes on by itself."""
        return self._press is not None and any(
            c.mover.is_on_its_way for c in self._movers.values())

    # -- showing -------------------------------------------------------------------------------

    def _show(self) -> None:
        look = self._look.look()
        assert self._scene is not None
        if self._run is not None:
            self._run.show(self._frame, self._count())
        shown = (id(self._snap), self._frame, look)
        if self._shown != shown or not self._steps:
            self._shown = shown
            self._clock.value = show_seconds(self._snap.time)
            self._look.say_scale(look.color, self._ranges)
            self._scene.show(self._snap, look, self._ranges)
            for plot in self._plots:
                plot.show(self._snap)
            if self.is_live:
                self._forces.show(self._snap)
        self._images.show(self._stage, self._snap, self.playing)
        self._scene.settle()

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
        assert self._recording is not None and self._run is not None
        times = self._recording.times
        if not np.isfinite(self._clock_now):
            self._clock_now = float(times[0])
        self._clock_now += seconds * float(self._run.speed.value)
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
