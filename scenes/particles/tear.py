#!/usr/bin/env python3
"""Two grippers lift a block of dough and pull it apart. Nothing in it is weaker than the rest.

    python scenes/particles/tear.py                      tells into how many parts it tears
    python scenes/particles/tear.py --picture tear.png    and draws it before, while and after, coloured by how much has flowed

tear.yaml is the same scene for the command line.
"""

import argparse
from pathlib import Path

import numpy as np

import haptos

# The block and what it is made of are those of Zong et al. 2024 (arXiv 2403.13783), the fingers are ours.
SIZE = (0.096, 0.32, 0.084)  # of the block [m]
YOUNG, POISSON, YIELD = 1e5, 0.4, 1.5**0.5 * 6e3  # [Pa], -, in plain tension [Pa]
CELL = 0.02  # [m]
FRICTION = 1.0
FINGER = (0.02, 0.08, 0.07)  # [m]
APART = 0.065  # of the grippers from the middle [m]
OPEN, CLOSED = 0.05, 0.02  # of a finger's inner side from the middle [m]
LIFT, PULL = 0.12, 0.15  # how far both go up, and each to its side [m]
CLOSES, LIFTS, WAITS, PULLS, END = 0.3, 0.7, 0.8, 1.4, 1.6  # when each ends [s]


def scene(friction: float = FRICTION) -> haptos.Scene:
    scene = haptos.Scene(dt=0.01)
    scene.point_contact.law = "sap"
    scene.add_half_space("table", friction=0.5)
    middle = SIZE[2] / 2
    scene.add_material_points("dough", haptos.RobotShape("box", extents=SIZE), position=(0, 0, middle), young=YOUNG,
                              poisson=POISSON, yield_stress=YIELD, cell=CELL, friction=friction,
                              contact_at="nodes")
    for gripper, y in (("left", -1), ("right", 1)):
        for finger, x in (("near", -1), ("far", 1)):
            def at(time: float, inner: float, up: float, out: float, x: int = x, y: int = y) -> tuple:
                return time, (x * (inner + FINGER[0] / 2), y * (APART + out), middle + 0.003 + up)

            scene.add_prescribed(f"{gripper} {finger}", haptos.box(FINGER), friction=friction, field_resolution=32,
                                 trajectory=[at(0, OPEN, 0, 0), at(CLOSES, CLOSED, 0, 0), at(LIFTS, CLOSED, LIFT, 0),
                                             at(WAITS, CLOSED, LIFT, 0), at(PULLS, CLOSED, LIFT, PULL)])
    return scene


def parts(x: np.ndarray, link: float = 1.5 * CELL) -> np.ndarray:
    """Shares of the points in what hangs together, points up to `link` apart, largest first."""
    of = np.arange(len(x))
    cells: dict[tuple[int, ...], list[int]] = {}
    for i, key in enumerate(map(tuple, np.floor(x / link).astype(int))):
        cells.setdefault(key, []).append(i)
    steps = [(i, j, k) for i in (-1, 0, 1) for j in (-1, 0, 1) for k in (-1, 0, 1)]

    def root(i: int) -> int:
        while of[i] != i:
            of[i] = of[of[i]]
            i = of[i]
        return i

    for key, here in cells.items():
        near = np.array([j for s in steps for j in cells.get(tuple(a + b for a, b in zip(key, s, strict=True)), [])])
        for i in here:
            for j in near[np.linalg.norm(x[near] - x[i], axis=1) <= link]:
                a, b = root(i), root(j)
                of[max(a, b)] = min(a, b)
    _, sizes = np.unique([root(i) for i in range(len(x))], return_counts=True)
    return np.sort(sizes)[::-1] / len(x)


def places(sim: haptos.Sim) -> np.ndarray:
    """Of all its points (n, 3) [m]."""
    return np.concatenate([body.position[0] for body in sim.material_points.values()])


class Grip:
    """What is between the outer halves of the fingers once they have lifted, and how far it slips."""

    def __init__(self, sim: haptos.Sim) -> None:
        self.start = places(sim)
        self.fingers = {s: sim.pose(f"{s} near")[0, :3].copy() for s in ("left", "right")}

    def slip(self, sim: haptos.Sim) -> dict[str, float]:
        """Of each gripper, the mean over what it holds [m]."""
        now, out = places(sim), {}
        for side, sign in (("left", -1), ("right", 1)):
            at = self.fingers[side]
            beyond = sign * (self.start[:, 1] - at[1])
            held = ((beyond > 0) & (beyond < FINGER[1] / 2) & (np.abs(self.start[:, 2] - at[2]) < FINGER[2] / 2)
                    & (np.abs(self.start[:, 0]) < CLOSED))
            moved = now[held] - self.start[held] - (sim.pose(f"{side} near")[0, :3] - at)
            out[side] = float(np.linalg.norm(moved.mean(0)))
        return out


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--picture", type=Path)
    given = parser.parse_args()
    sim = scene().compile(quiet=True)
    dough, taker, pictures, grip = sim.material_points["dough"], haptos.SimStage(sim), [], None
    look = haptos.Look(width=560, height=400, camera=(1.0, 0.35, -0.4), color="flow",
                       frame=[[-0.05, -0.34, 0], [0.05, 0.34, 0.2]])
    for k in range(round(END / sim.dt)):
        report = sim.step()
        if not report.ok:
            raise RuntimeError(report.describe())
        if k + 1 == round(WAITS / sim.dt):
            grip = Grip(sim)
            print(f"{sim.time[0]:.1f} s: lifted, {len(dough)} points, parts {parts(dough.position[0]).round(3)}")
        if given.picture and k in (79, 109, 159):
            pictures.append(haptos.draw(taker.stage, taker.take(("flow",), False), look))
    slips = ", ".join(f"{1e3 * s:.1f} mm in the {side} gripper" for side, s in grip.slip(sim).items())
    print(f"{sim.time[0]:.1f} s: parts {parts(dough.position[0]).round(3)}; it slipped {slips}")
    if given.picture:
        haptos.save_png(given.picture, np.hstack(pictures))


if __name__ == "__main__":
    main()
