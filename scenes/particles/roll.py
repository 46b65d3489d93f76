#!/usr/bin/env python3
"""Two arms hold a rolling pin by its ends, roll dough with it there and back, lift it, turn it and roll deeper. The pin turns freely.

    python scenes/particles/roll.py                      tells how the pin turns and how flat the dough is
    python scenes/particles/roll.py --picture roll.png    and draws it before, while and after
    python scenes/particles/roll.py --paths              writes roll_left.csv and roll_right.csv, the paths of the arms

roll.yaml is the same scene for the command line.
"""

import argparse
import time
from pathlib import Path

import numpy as np

import haptos

# Dough and grid are those of Zong et al. 2024 (arXiv 2403.13783), arms and motion are ours.
SIZE = (0.32, 0.12, 0.10)  # of the dough [m]
YOUNG, POISSON, YIELD, CELL, FRICTION = 2e4, 0.4, 1.5**0.5 * 1e3, 0.018, 1.0  # [Pa], -, in plain tension [Pa], [m], -
RADIUS, HALF, ENDS, MASS = 0.03, 0.15, 0.2, 2.0  # of the pin: radius, half its straight part, where it is held [m]; [kg]
GAINS = {"kp": 4e4, "kd": 900}
OVER, PASSES = 0.145, (0.117, 0.106, 0.095)  # heights of the pin: above, and in each pass [m]
REACH = 0.13  # how far it rolls to either side [m]
TURN = np.radians(30)
# Time [s], place along the pin's way [m], height [m], turn [rad].
PATH = np.array([(0, -REACH, OVER, 0), (0.2, -REACH, PASSES[0], 0), (1.0, REACH, PASSES[0], 0), (1.1, REACH, PASSES[1], 0),
                 (1.9, -REACH, PASSES[1], 0), (2.1, -REACH, OVER, 0), (2.3, -REACH, OVER, TURN),
                 (2.5, -REACH, PASSES[2], TURN), (3.3, REACH, PASSES[2], TURN), (3.5, REACH, OVER, TURN),
                 (4.5, REACH, OVER, TURN)])
ROLLS = ((0.3, 0.9), (1.2, 1.8), (2.6, 3.2))  # when it rolls steadily [s]
END = float(PATH[-1, 0])


def scene() -> haptos.Scene:
    scene = haptos.Scene(dt=0.01)
    scene.point_contact.law = "sap"
    scene.add_half_space("table")
    scene.add_material_points("dough", haptos.RobotShape("box", extents=SIZE), position=(0, 0, SIZE[2] / 2), young=YOUNG,
                              poisson=POISSON, yield_stress=YIELD, cell=CELL, friction=FRICTION)
    along_y = (0, 0, 0, 0.5**0.5, 0.5**0.5, 0, 0)
    scene.add_rigid("pin", haptos.RobotShape("capsule", (RADIUS, HALF), frame=along_y), mass=MASS, friction=FRICTION,
                    position=(PATH[0, 1], 0, OVER))
    for name, side in (("left", 1), ("right", -1)):
        scene.add_robot(f"{name} arm", Path(__file__).with_name("arm.urdf"), position=(PATH[0, 1], side * ENDS, OVER),
                        motors={"joints": ["x", "y", "z"], **GAINS},
                        trajectory=haptos.load_trajectory(Path(__file__).with_name(f"roll_{name}.csv")))
        scene.add_constraint(name, "pin", f"{name} arm/fist", kind="ball", position=(0, side * ENDS, 0))
    return scene


def middle(t: float) -> tuple[np.ndarray, float]:
    """Where the middle of the pin is to be [m], and how far it is turned about z [rad]."""
    way, height, turn = (float(np.interp(t, PATH[:, 0], PATH[:, k])) for k in (1, 2, 3))
    return np.array([way * np.cos(turn), way * np.sin(turn), height]), turn


def command(t: float, side: int) -> dict[str, float]:
    """Of an arm, relative to where it starts [m]."""
    at, turn = middle(t)
    place = at + side * ENDS * np.array([-np.sin(turn), np.cos(turn), 0])
    start = np.array([PATH[0, 1], side * ENDS, OVER])
    return dict(zip("xyz", (place - start).tolist(), strict=True))


def write_paths(folder: Path) -> None:
    """What the arms follow, here and in roll.yaml: where the joints of each arm are to be, every 50 ms."""
    for name, side in (("left", 1), ("right", -1)):
        rows = [f"# Of the {name} arm, by roll.py --paths.", "time,x,y,z"]
        for t in np.arange(0, END + 0.025, 0.05):
            at = command(float(t), side)
            rows.append(",".join(f"{v:.6g}" for v in (t, at["x"], at["y"], at["z"])))
        (folder / f"roll_{name}.csv").write_text("\n".join(rows) + "\n")


def turning(sim: haptos.Sim) -> tuple[float, float]:
    """The pin's speed across its axis, and what it turns with about it, times its radius [m/s]."""
    pose, v = sim.robots["pin"].link_pose("pin")[0], sim.robots["pin"].link_velocity("pin")[0]
    w, x, y, z = pose[3:]
    axis = np.array([2 * (x * y - w * z), 1 - 2 * (x * x + z * z), 2 * (y * z + w * x)])
    ahead = np.cross(axis, (0, 0, 1))
    return float(v[:3] @ ahead), float(v[3:] @ axis) * RADIUS


def height(points: np.ndarray) -> float:
    """Of the dough where it is rolled: of the highest tenth of its points about the middle [m]."""
    here = (np.abs(points[:, 0]) < 0.06) & (np.abs(points[:, 1]) < 0.04)
    z = np.sort(points[here, 2])
    return float(z[-len(z) // 10:].mean())


def spread(points: np.ndarray) -> float:
    """Area of the table that the dough covers, by squares of a centimetre [m2]."""
    low = points[points[:, 2] < 0.03]
    return 1e-4 * len(np.unique(np.floor(low[:, :2] / 0.01).astype(int), axis=0))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--picture", help="file to draw to")
    parser.add_argument("--paths", action="store_true", help="write the paths of the arms beside this file")
    given = parser.parse_args()
    if given.paths:
        write_paths(Path(__file__).parent)
        return
    sim = scene().compile(quiet=True)
    for text in sim.warnings:
        print("warning:", text)
    dough, taker, pictures = sim.material_points["dough"], haptos.SimStage(sim), []
    look = haptos.Look(width=560, height=400, camera=(0.5, 0.9, -0.45), color="flow",
                       frame=[[-0.2, -0.16, 0], [0.2, 0.16, 0.15]])
    start, iterations = time.perf_counter(), []
    for k in range(round(END / sim.dt)):
        report = sim.step()
        iterations.append(int(report.iterations[0]))
        if not report.ok:
            raise RuntimeError(report.describe())
        if (k + 1) % 25 == 0:
            speed, turns = turning(sim)
            print(f"{sim.time[0]:.2f} s: pin {speed:+.3f} m/s, turns {turns:+.3f} m/s; dough {1e3 * height(dough.position[0]):.1f} mm high, "
                  f"{1e4 * spread(dough.position[0]):.0f} cm2; {np.mean(iterations):.1f} iterations, "
                  f"{1e3 * (time.perf_counter() - start) / (k + 1):.0f} ms a step", flush=True)
        if given.picture and k + 1 in (1, 80, 290, 450):
            pictures.append(haptos.draw(taker.stage, taker.take(("flow",), False), look))
    if given.picture:
        haptos.save_png(given.picture, np.hstack(pictures))


if __name__ == "__main__":
    main()
