"""A Sim in the browser: bodies, joints to drag, contact forces, plots of sensors.

Needs the extra view (pip install haptos[view]), which brings viser. The page is served on this
machine only unless another host is named.
"""

from __future__ import annotations

import threading
import time
from collections import deque
from typing import TYPE_CHECKING, Any

import numpy as np

from haptos import _core
from haptos.errors import refuse
from haptos.movies import need
from haptos.pictures import BODY, GEL, OBJECT
from haptos.robots import link_parts

if TYPE_CHECKING:
    from haptos.robot_view import RobotView
    from haptos.sim import Sim

_ARROW = (0.85, 0.25, 0.15)
_BALL = (0.82, 0.52, 0.34)
_PLOTTED = 400  # samples that a plot shows
_FRAMES = 30.0  # a second


class Viewer:
    """Shows a Sim in a browser and lets people command it.

        haptos.Viewer(scene.compile()).run()

    Everything that the page does waits for update(), so the Sim belongs to the thread that calls
    it: run() steps and updates until close(); or step as you like and call update() now and then.
    """

    def __init__(self, sim: Sim, *, env: int = 0, host: str = "127.0.0.1", port: int = 8080,
                 steps: bool = True) -> None:
        """env: which environment is shown; steps: whether time runs, else joints are only posed.

        Raises InputError where viser is missing or there is no such environment.
        """
        if not 0 <= env < sim.envs:
            refuse("env", env, f"must be from 0 to {sim.envs - 1}", "choose another one")
        viser = need("viser")
        self.sim = sim
        self._env = env
        self._steps = steps
        self._server = viser.ViserServer(host=host, port=port, label="Haptos", verbose=False)
        self._server.scene.set_up_direction("+z")
        self._lock = threading.Lock()
        self._asked: dict[Any, Any] = {}  # what the page asked for since the last update
        self._meshes: dict[str, Any] = {}
        self._frames: dict[tuple[str, str], Any] = {}
        self._plots: list[tuple[RobotView, str, Any, deque[Any]]] = []
        self._sliders: list[tuple[RobotView, str, Any]] = []
        self._closed = False
        self.playing = False
        self._add_bodies()
        self._add_controls()
        self.update()

    @property
    def url(self) -> str:
        """Where the page is."""
        return f"http://{self._server.get_host()}:{self._server.get_port()}"

    # -- what is there -------------------------------------------------------------------------

    def _add_bodies(self) -> None:
        sim, scene = self.sim, self._server.scene
        for kind, color in (("soft", GEL), ("prescribed", OBJECT), ("affine", BODY)):
            for entry in sim.entries[kind]:
                name = entry["name"]
                faces = sim.surface(name) if kind == "soft" else entry["surface"].triangles
                if len(faces):
                    self._meshes[name] = scene.add_mesh_simple(
                        f"/{kind}/{name}", sim.positions(name)[self._env].astype(np.float32),
                        np.asarray(faces), color=color, side="double")
        for entry in sim.entries["spheres"]:
            self._frames[entry["name"], ""] = scene.add_icosphere(
                f"/spheres/{entry['name']}", radius=entry["radius"], color=_BALL)
        for name, robot in sim.robots.items():
            self._add_robot(name, robot)
        for entry in sim.entries["half_spaces"]:
            self._add_plane(entry)
        self._contacts: Any = None

    def _add_robot(self, name: str, robot: RobotView) -> None:
        scene = self._server.scene
        for link in robot.robot.links:
            path = f"/robots/{name}/{link.name}"
            self._frames[name, link.name] = scene.add_frame(path, show_axes=False)
            for k, (shape, mesh, rgba) in enumerate(link_parts(link)):
                scene.add_mesh_simple(f"{path}/{k}", np.asarray(mesh.vertices, np.float32),
                                      np.asarray(mesh.triangles), color=tuple(rgba[:3]),
                                      opacity=None if rgba[3] >= 1 else float(rgba[3]),
                                      position=shape.frame[:3], wxyz=shape.frame[3:])

    def _add_plane(self, entry: dict[str, Any]) -> None:
        n = np.asarray(entry["normal"], float)
        turn = np.array([1 + n[2], -n[1], n[0], 0.0])  # from z to n
        if np.linalg.norm(turn) < 1e-9:
            turn = np.array([0.0, 1.0, 0.0, 0.0])
        self._server.scene.add_grid(f"/half_spaces/{entry['name']}", width=4.0, height=4.0,
                                    position=n * entry["offset"],
                                    wxyz=turn / np.linalg.norm(turn))

    # -- what can be done ----------------------------------------------------------------------

    def _ask(self, key: Any, value: Any) -> None:
        with self._lock:
            self._asked[key] = value

    def _add_controls(self) -> None:
        gui = self._server.gui
        self._clock = gui.add_text("time", "0 s", disabled=True)
        if self._steps:
            with gui.add_folder("Run"):
                play = gui.add_checkbox("play", False)
                play.on_update(lambda _: self._ask("play", play.value))
                gui.add_button("step").on_click(lambda _: self._ask("step", True))
                gui.add_button("reset").on_click(lambda _: self._ask("reset", True))
            self._play = play
        self._force = gui.add_number("force arrows [mm/N]", 5.0, min=0.0)
        for name, robot in self.sim.robots.items():
            joints = [j for j in robot.robot.joints
                      if j.kind in ("revolute", "prismatic") and j.mimic is None]
            if joints:
                with gui.add_folder(name, expand_by_default=len(joints) < 20):
                    for joint in joints:
                        self._add_slider(robot, joint)
            for sensor in getattr(robot, "sensors", {}):
                self._add_plot(robot, sensor)

    def _add_slider(self, robot: RobotView, joint: _core.RobotJoint) -> None:
        far = np.pi if joint.kind == "revolute" else 1.0
        lo = joint.lower if np.isfinite(joint.lower) else -far
        hi = joint.upper if np.isfinite(joint.upper) else far
        now = float(robot.position[self._env, robot.coordinates(joint.name)][0])
        slider = self._server.gui.add_slider(
            f"{joint.name} [{'rad' if joint.kind == 'revolute' else 'm'}]", float(min(lo, now)),
            float(max(hi, now)) if hi > lo else float(lo) + 1e-3, 1e-3, now)
        slider.on_update(lambda _: self._ask((robot.name, joint.name), slider.value))
        self._sliders.append((robot, joint.name, slider))

    def _add_plot(self, robot: RobotView, sensor: str) -> None:
        uplot = need("viser.uplot")
        channels = robot.sensors[sensor].value.shape[1]
        palette = ("#c0392b", "#27ae60", "#2980b9", "#8e44ad", "#d68910", "#16a085", "#7f8c8d")
        series = (uplot.Series(label="t [s]"),
                  *(uplot.Series(label=str(k), stroke=palette[k % len(palette)])
                    for k in range(channels)))
        empty = tuple(np.zeros(1) for _ in range(channels + 1))
        handle = self._server.gui.add_uplot(empty, series, title=f"{robot.name}: {sensor}",
                                            aspect=2.0)
        self._plots.append((robot, sensor, handle, deque(maxlen=_PLOTTED)))

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
        if "play" in asked:
            self.playing = asked.pop("play")
        if asked.pop("reset", False):
            self.sim.reset()
            for robot, joint, slider in self._sliders:
                slider.value = float(robot.position[self._env, robot.coordinates(joint)][0])
            with self._lock:
                self._asked.clear()
        if asked.pop("step", False):
            self.sim.step()
        for (robot, joint), value in asked.items():
            self._command(self.sim.robots[robot], joint, value)
        self._show()

    def _show(self) -> None:
        sim, env = self.sim, self._env
        self._clock.value = f"{sim.time[env]:.3f} s"
        with self._server.atomic():
            for name, mesh in self._meshes.items():
                mesh.vertices = sim.positions(name)[env].astype(np.float32)
            poses = {(n, link): p for n, r in sim.robots.items()
                     for link, p in zip(r.link_names, r.link_poses[env], strict=True)}
            poses |= {(n, ""): sim.pose(n)[env] for n in sim.names("spheres")}
            for key, handle in self._frames.items():
                handle.position, handle.wxyz = poses[key][:3], poses[key][3:]
            self._show_contacts()
        for robot, sensor, handle, rows in self._plots:
            rows.append((sim.time[env], *robot.sensors[sensor].value[env]))
            handle.data = tuple(np.array(column, float) for column in zip(*rows, strict=True))

    def _show_contacts(self) -> None:
        rows = self.sim.contacts
        rows = rows[rows["env"] == self._env]
        scale = 1e-3 * float(self._force.value)
        ends = np.stack([rows["p"], rows["p"] + scale * rows["force"]], axis=1)
        if self._contacts is not None:
            self._contacts.remove()
            self._contacts = None
        if len(ends) and scale > 0:
            self._contacts = self._server.scene.add_line_segments(
                "/contacts", ends.astype(np.float32), _ARROW, thickness=3.0,
                thickness_units="screen")

    def run(self, seconds: float | None = None) -> None:
        """Updates until close(), or for some seconds of wall time; while the page plays, the Sim
        goes as fast as time does, or as fast as it can."""
        end = np.inf if seconds is None else time.monotonic() + seconds
        while not self._closed and time.monotonic() < end:
            began = time.monotonic()
            if self.playing and self._steps:
                for _ in range(max(1, round(1 / (_FRAMES * self.sim.dt)))):
                    self.sim.step()
                    if time.monotonic() - began > 0.25:
                        break
            self.update()
            time.sleep(max(0.0, 1 / _FRAMES - (time.monotonic() - began)))

    def close(self) -> None:
        """Takes the page down."""
        self._closed = True
        self._server.stop()

    def __enter__(self) -> Viewer:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()
