#!/usr/bin/env python3
"""A Panda squeezes a cube of dough and leaves its print.

    python scenes/particles/panda_print.py panda.urdf                       tells how deep the print is
    python scenes/particles/panda_print.py panda.urdf --picture print.png   and draws it while pressed and after

The robot's file is that of franka_description or of example-robot-data, with the hand.
"""

import argparse
from pathlib import Path

import numpy as np

import haptos

SIDE, AT = 0.05, (0.5, 0.0)  # of the dough, and where it lies [m]
OPEN, CLOSED = 0.035, 0.012  # of a finger from the middle [m]
GRIP, HIGH = 0.03, 0.2  # of the hand's centre when it grips, and before and after [m]
DOWN, PRESSED, OPENED, UP = 0.6, 0.9, 1.1, 2.0  # when each ends [s]
READY = {"panda_joint2": -0.4, "panda_joint4": -2.2, "panda_joint6": 1.9, "panda_joint7": 0.785}
ARM = [f"panda_joint{k}" for k in range(1, 8)]
FINGER = "panda_finger_joint1"


class Print:
    """The scene with the motion of its robot."""

    def __init__(self, path: Path) -> None:
        robot = haptos.load_robot(path)
        tree = haptos.Tree(robot)
        q = np.array(tree.start)
        for joint, value in READY.items():
            q[tree.q_of(joint)] = value
        self.ways = []
        for height in (HIGH, GRIP):
            target = haptos.IkTarget(tree.link("panda_hand_tcp"), [*AT, height, 0, 1, 0, 0])
            found = tree.inverse_kinematics(target, q)
            if not found.reached:
                raise RuntimeError(f"{path}: the hand does not reach {height} m over the dough")
            q = np.array(found.q)
            self.ways.append(np.concatenate([q[tree.q_of(joint)] for joint in ARM]))
        scene = haptos.Scene(dt=0.01)
        scene.point_contact.law = "sap"
        scene.add_half_space("table", friction=0.5)
        start = dict(zip(ARM, map(float, self.ways[0]), strict=True)) | {FINGER: OPEN}
        scene.add_robot("panda", robot, start=start, friction=0.8,
                        motors=[{"joints": ARM, "kp": 4000, "kd": 200, "effort": 300},
                                {"joints": [FINGER], "kp": 4000, "kd": 40, "effort": 70}])
        scene.add_material_points("dough", haptos.RobotShape("box", extents=(SIDE, SIDE, SIDE)), position=(*AT, SIDE / 2),
                                  young=2e4, yield_stress=1500, cell=0.01, friction=0.8, contact_at="nodes")
        self.sim = scene.compile(quiet=True)
        self.width = self.thickness()

    def thickness(self) -> float:
        """Of the dough between the fingers [m]."""
        x = self.sim.material_points["dough"].position[0]
        between = np.abs(x[:, 0] - AT[0]) < 0.15 * SIDE
        return float(np.ptp(x[between, 1]))

    def squeeze(self) -> float:
        """What a finger presses with [N]."""
        return abs(float(self.sim.contact_wrench("panda/panda_leftfinger").force[0, 1]))

    def step(self) -> None:
        now = self.sim.time[0]
        down = np.clip(now / DOWN, 0, 1) - np.clip((now - OPENED - 0.3) / 0.6, 0, 1)
        closed = np.clip((now - DOWN) / (PRESSED - DOWN), 0, 1) if now < OPENED else 0.0
        arm = self.ways[0] + down * (self.ways[1] - self.ways[0])
        self.sim.robots["panda"].set_command([[*arm, OPEN + closed * (CLOSED - OPEN)]])
        report = self.sim.step()
        if not report.ok:
            raise RuntimeError(report.describe())


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("robot", type=Path)
    parser.add_argument("--picture", type=Path)
    given = parser.parse_args()
    run, most, pictures = Print(given.robot), 0.0, []
    taker = haptos.SimStage(run.sim)
    look = haptos.Look(width=520, height=420, camera=(0.6, 1.0, -0.3), color="flow",
                       frame=[[AT[0] - 0.12, -0.12, 0], [AT[0] + 0.12, 0.12, 0.22]])
    for k in range(round(UP / run.sim.dt)):
        run.step()
        most = max(most, run.squeeze())
        if given.picture and k + 1 in (round(OPENED / run.sim.dt), round(UP / run.sim.dt)):
            pictures.append(haptos.draw(taker.stage, taker.take(("flow",), False), look))
    print(f"pressed with {most:.1f} N; between the fingers {1e3 * run.width:.1f} mm of dough became {1e3 * run.thickness():.1f} mm")
    if given.picture:
        haptos.save_png(given.picture, np.hstack(pictures))


if __name__ == "__main__":
    main()
