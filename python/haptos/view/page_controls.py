"""What a person can set on a page: how time runs, how it looks, joints and bodies that move."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from haptos import _core
from haptos.look.drawing import ARROWS, OBJECTS, Ranges
from haptos.look.snapshots import FIELDS, Array, Stage
from haptos.scene.sim import Sim
from haptos.view.mover import Mover
from haptos.view.page_asks import Asks
from haptos.view.page_scene import PageLook

if TYPE_CHECKING:
    from haptos.robots.view import RobotView


class RunControls:
    """The frame that is shown, and whether time runs."""

    def __init__(self, gui: Any, asks: Asks, count: int, times: Array | None) -> None:
        """count: of frames; times: of a recording [s], None where a Sim runs."""
        self._asks = asks
        self.folder = gui.add_folder("Run" if times is None else "Recording", order=1.0)
        with self.folder:
            self.slider = gui.add_slider("frame", 0, max(1, count - 1), 1, 0)
            asks.watch("frame", self.slider)
            self.play = gui.add_checkbox("play", False)
            self.play.on_update(lambda _: asks.ask("play", self.play.value))
            if times is not None:
                span = float(np.ptp(times))
                # As in a movie: what is over in an instant is slowed down to be seen.
                speed = 1.0 if span >= 2 else max(span, 1e-6) / 4
                self.speed = gui.add_number("speed, 1 is real time", float(f"{speed:.2g}"),
                                            min=1e-6, max=1e3)
            else:
                gui.add_button("step").on_click(lambda _: asks.ask("step", True))
            gui.add_button("reset").on_click(lambda _: asks.ask("reset", True))

    def show(self, frame: int, count: int) -> None:
        most = max(1, count - 1)
        if self.slider.max != most:
            self.slider.max = most
        self._asks.put("frame", self.slider, frame)


class LookControls:
    """What is shown, and how."""

    def __init__(self, gui: Any, stage: Stage, fields: list[str]) -> None:
        with gui.add_folder("Look", order=2.0):
            first = "pressure" if "pressure" in fields and stage.sensors else "none"
            coloured = "gel" if stage.of("soft") or not fields else "points"
            self.color = gui.add_dropdown(coloured, ("none", *fields), initial_value=first)
            presses = stage.of("soft") and stage.of("prescribed")
            self.objects = gui.add_dropdown(
                "objects", OBJECTS, initial_value="ghost" if presses and first != "none"
                else "solid")
            self.arrows = gui.add_dropdown("forces", ARROWS, initial_value="sum")
            self.force = gui.add_number("arrows [mm/N], 0 fits", 0.0, min=0.0)
            self.markers = gui.add_checkbox("markers", True)
            self.scale = gui.add_text("colours", "", disabled=True)

    def look(self) -> PageLook:
        scale = 1e-3 * float(self.force.value)
        return PageLook(self.color.value, self.objects.value, self.arrows.value,
                        scale if scale > 0 else None, self.markers.value)

    def say_scale(self, color: str, ranges: Ranges) -> None:
        kind = FIELDS.get(color)
        self.scale.value = "" if kind is None else (
            f"0 to {ranges.nice(color, kind.unit):g}, {kind.label}")


class JointControls:
    """Sliders of the joints of a Sim's robots."""

    def __init__(self, gui: Any, asks: Asks, sim: Sim, env: int, driven: bool) -> None:
        """driven: whether they command motors, where there are some; else they pose joints."""
        self._sim, self._env, self._driven = sim, env, driven
        self.sliders: list[tuple[RobotView, str, Any]] = []
        for name, robot in sim.robots.items():
            joints = [j for j in robot.robot.joints
                      if j.kind in ("revolute", "prismatic") and j.mimic is None]
            if joints:
                with gui.add_folder(name, expand_by_default=len(joints) < 20, order=3.0):
                    for joint in joints:
                        self._add(gui, asks, robot, joint)

    def _add(self, gui: Any, asks: Asks, robot: RobotView, joint: _core.RobotJoint) -> None:
        far = np.pi if joint.kind == "revolute" else 1.0
        lo = joint.lower if np.isfinite(joint.lower) else -far
        hi = joint.upper if np.isfinite(joint.upper) else far
        now = self._now(robot, joint.name)
        slider = gui.add_slider(
            f"{joint.name} [{'rad' if joint.kind == 'revolute' else 'm'}]", float(min(lo, now)),
            float(max(hi, now)) if hi > lo else float(lo) + 1e-3, 1e-3, now)
        slider.on_update(lambda _: asks.ask(("joint", robot.name, joint.name), slider.value))
        self.sliders.append((robot, joint.name, slider))

    def _now(self, robot: RobotView, joint: str) -> float:
        return float(robot.position[self._env, robot.coordinates(joint)][0])

    def reset(self) -> None:
        """Puts the sliders to where the joints are."""
        for robot, joint, slider in self.sliders:
            slider.value = self._now(robot, joint)

    def command(self, name: str, joint: str, value: float) -> None:
        robot = self._sim.robots[name]
        driven = {m.joint: m.name or m.joint for m in robot.robot.motors}
        if joint in driven and self._driven:
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


class MoverControls:
    """Sliders for depth, shear and twist, and a handle in the picture, of one prescribed body."""

    def __init__(self, server: Any, asks: Asks, mover: Mover, reach: float, size: float) -> None:
        """reach: of the sliders [mm]; size: of the scene [m]."""
        gui, name = server.gui, mover.name
        self.mover, self._asks = mover, asks
        reach = float(f"{reach:.2g}")
        with gui.add_folder(f"move {name}", order=3.0):
            self.sliders = {
                "depth": gui.add_slider("depth [mm]", float(-reach), reach, reach / 500, 0.0),
                "x": gui.add_slider("shear x [mm]", float(-reach), reach, reach / 500, 0.0),
                "y": gui.add_slider("shear y [mm]", float(-reach), reach, reach / 500, 0.0),
                "twist": gui.add_slider("twist [deg]", -45.0, 45.0, 0.1, 0.0)}
            for axis, slider in self.sliders.items():
                asks.watch((name, axis), slider)
            grab = gui.add_checkbox("grab it in the picture", False)
        self.gizmo = server.scene.add_transform_controls(
            f"/grab/{name}", scale=0.3 * size, visible=False, depth_test=False,
            position=mover.start[:3], wxyz=mover.start[3:])
        self.gizmo.on_update(lambda _: asks.ask(("grab", name), (tuple(self.gizmo.position),
                                                                 tuple(self.gizmo.wxyz))))
        grab.on_update(lambda _: asks.ask(("show grab", name), grab.value))

    def pull(self, position: tuple[float, ...], wxyz: tuple[float, ...]) -> None:
        """Sends the body to where its handle is."""
        self.mover.go(np.array([*position, *wxyz]))
        for axis, at in self.mover.offsets().items():
            self._asks.put((self.mover.name, axis), self.sliders[axis], at)

    def reset(self) -> None:
        self.mover.reset()
        for axis, slider in self.sliders.items():
            self._asks.put((self.mover.name, axis), slider, 0.0)
        self.gizmo.position, self.gizmo.wxyz = self.mover.start[:3], self.mover.start[3:]
