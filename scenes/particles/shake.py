#!/usr/bin/env python3
"""A clamp lifts two soft cubes with a heavy one between them by friction, and shakes them.

    python scenes/particles/shake.py                        tells what slips how far, the heavy cube 150 times as dense
    python scenes/particles/shake.py --ratio 1000           and 1000 times
    python scenes/particles/shake.py --points               with cubes of material points in place of elements
    python scenes/particles/shake.py --picture shake.png    draws it closed, lifted, and at the ends of a shake

shake.yaml is the same scene for the command line.
"""

import argparse
import time
from pathlib import Path

import numpy as np

import haptos

HERE = Path(__file__).parent
# Cubes, panels and motion are those of Zong et al. 2024 (arXiv 2403.13783); the lift is an arm's, of 10 Hz.
YOUNG, POISSON, DENSITY, SIDE, FRICTION = 5e5, 0.4, 100.0, 0.1, 0.8  # [Pa], -, [kg/m3], [m], -
SPRING, DAMPING = 4560.0, 135.0  # of a panel [N/m, N s/m]
LIFT = 6e4, 2e3  # of the carriage, with a heavy cube of 15 kg, likewise
CELL = 0.025  # of the grid, and of the elements [m]
HOLDS, END = 0.6, 5.0  # from when on slip is told, and when it ends [s]


def stiffer(ratio: float) -> float:
    """How many times the panels have to push harder to shake a cube of this density as that of 150 times is shaken."""
    return max(1.0, ratio / 150)


def firmer(ratio: float) -> float:
    """How many times as stiff soft cubes have to be: those of 500 kPa buckle sideways under 1 kN."""
    return 10.0 if stiffer(ratio) > 1 else 1.0


def sag(ratio: float, push: float) -> float:
    """How far the heavy cube hangs below panels that push so hard [m]: each soft cube is a short beam, clamped at both
    ends, and as long as the push leaves it. Bending and shear by Timoshenko; the push's own moment is left out."""
    young = YOUNG * firmer(ratio)
    force, length = 0.5 * ratio * DENSITY * SIDE**3 * 9.81, SIDE * (1 - push / SIDE**2 / young)
    return force * (length**3 / (young * SIDE**4) + length * 2 * (1 + POISSON) / (5 / 6 * young * SIDE**2))


def scene(ratio: float = 150, points: bool = False, dt: float = 0.01, lift: float = 1.0) -> haptos.Scene:
    scene = haptos.Scene(dt=dt)
    scene.add_half_space("table")
    harder, young = stiffer(ratio), YOUNG * firmer(ratio)
    heavier = lift * (2.2 + 0.1 * ratio) / 17.2  # so that it is as fast
    scene.add_robot("clamp", HERE / "clamp.urdf", position=(0, 0, 0.06), friction=FRICTION,
                    motors=[{"joints": ["lift"], "kp": LIFT[0] * heavier, "kd": LIFT[1] * heavier},
                            {"joints": ["left", "right"], "kp": SPRING * harder, "kd": DAMPING * harder**0.5}],
                    trajectory=haptos.load_trajectory(HERE / "shake.csv"))
    cube = haptos.RobotShape("box", extents=(SIDE, SIDE, SIDE))
    scene.add_rigid("middle", cube, density=DENSITY * ratio, position=(0, 0, SIDE / 2), friction=FRICTION)
    mesh = haptos.box_pad(SIDE, SIDE, SIDE, grading=haptos.PadGrading(CELL, CELL, CELL, CELL)).mesh
    for name, x in (("left", -SIDE), ("right", SIDE)):
        if points:
            scene.add_material_points(name, cube, position=(x, 0, SIDE / 2), density=DENSITY, young=young,
                                      poisson=POISSON, cell=CELL, friction=FRICTION, seeding="lattice",
                                      contact_at="nodes")
        else:
            scene.add_soft(name, mesh, position=(x, 0, SIDE), contact="frozen", element="linear", friction=FRICTION,
                           material={"density": DENSITY, "young": young, "poisson": POISSON, "law": "linear_corotated"})
    scene.add_pair("left", "right", enabled=False)
    return scene


class Slip:
    """How far the faces of the soft cubes have slipped along the panels and along the heavy cube since it was made."""

    def __init__(self, sim: haptos.Sim, points: bool) -> None:
        self.sim, self.points = sim, points
        self.faces = {}
        for name, sign in (("left", -1), ("right", 1)):
            x = self.places(name)[:, 0] * sign
            deep = 0.5 * CELL if points else 1e-4
            self.faces[name] = x > x.max() - deep, x < x.min() + deep  # at the panel, at the heavy cube
        self.start = self.offsets()

    def places(self, name: str) -> np.ndarray:
        return self.sim.material_points[name].position[0] if self.points else self.sim.positions(name)[0]

    def offsets(self) -> np.ndarray:
        middle = self.sim.robots["middle"].link_pose("middle")[0, :3]
        rows = []
        for name, (outer, inner) in self.faces.items():
            panel, x = self.sim.robots["clamp"].link_pose(name)[0, :3], self.places(name)
            rows += [x[outer].mean(0) - panel, x[inner].mean(0) - middle]
        return np.array(rows)[:, 1:]  # along the faces

    def most(self) -> float:
        return float(np.linalg.norm(self.offsets() - self.start, axis=1).max())


def push_of(sim: haptos.Sim) -> float:
    """What the left panel pushes with [N]."""
    rows, panel = sim.contacts, sim.body_id("clamp/left")
    return float(rows["normal_force"].ravel()[(rows["body_a"] == panel) | (rows["body_b"] == panel)].sum())


def shake(ratio: float = 150, points: bool = False, dt: float = 0.01, end: float = END, each=None,
          lift: float = 1.0) -> dict[str, float]:
    """Runs it: the most that anything slipped [m], how far the heavy cube hung while lifted and what a beam would [m],
    the root of the mean square push [N], and the time of a step [s]. `each(sim, step)` is called after each step; `lift`:
    how many times as stiff the lift is."""
    sim = scene(ratio, points, dt, lift).compile(quiet=True)
    slip, most, hung, pushes, start, height = None, 0.0, 0.0, [], time.perf_counter(), 0.0
    for k in range(round(end / dt)):
        report = sim.step()
        if not report.ok:
            raise RuntimeError(report.describe())
        now = (k + 1) * dt
        if now >= HOLDS:
            slip = slip or Slip(sim, points)
            most = max(most, slip.most())
            pushes.append(push_of(sim))
        if abs(now - 1.8) < 0.5 * dt:
            hung = SIDE / 2 - 0.06 - float(sim.robots["middle"].link_pose("middle")[0, 2] - sim.robots["clamp"].link_pose("left")[0, 2])
        if each:
            each(sim, k + 1)
    height = float(sim.robots["middle"].link_pose("middle")[0, 2])
    push = float(np.sqrt(np.mean(np.square(pushes))))
    return {"slip": most, "hung": hung, "beam": sag(ratio, push), "push": push, "height": height,
            "step": (time.perf_counter() - start) / round(end / dt)}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--ratio", type=float, default=150, help="density of the heavy cube over that of the soft ones")
    parser.add_argument("--points", action="store_true", help="soft cubes of material points")
    parser.add_argument("--dt", type=float, default=0.01, help="time step [s]")
    parser.add_argument("--picture", help="file to draw to")
    given = parser.parse_args()
    pictures, stage = [], {}
    look = haptos.Look(width=420, height=400, camera=(0.3, 1.0, -0.2), frame=[[-0.2, -0.06, 0], [0.2, 0.06, 0.36]])

    def each(sim: haptos.Sim, step: int) -> None:
        if given.picture and step in [round(t / given.dt) for t in (0.4, 2.0, 2.28, 2.44)]:
            taker = stage.setdefault("taker", haptos.SimStage(sim))
            pictures.append(haptos.draw(taker.stage, taker.take((), False), look))

    found = shake(given.ratio, given.points, given.dt, each=each)
    print(f"slipped {1e3 * found['slip']:.2f} mm; hung {1e3 * found['hung']:.1f} mm below the panels, as a beam "
          f"{1e3 * found['beam']:.1f} mm; push {found['push']:.0f} N; {1e3 * found['step']:.1f} ms a step")
    if given.picture:
        haptos.save_png(given.picture, np.hstack(pictures))


if __name__ == "__main__":
    main()
