"""What point_contact.near_rigid costs and gives: values of it over scenes, with the defaults else.

Usage: python bench/near_rigid.py [--values 1 .3 .1 .03]

Newton iterations a step (mean, most), wall time of a step, the deepest overlap of the run and at
its end, and steps that did not converge. Steps of 10 ms; the quadruped has 2 ms, the humanoid
(data of ../shared and the package mujoco, left out without) 5 ms.
"""

from __future__ import annotations

import argparse
import pathlib
from collections.abc import Callable

import numpy as np

import haptos

ROOT = pathlib.Path(__file__).resolve().parents[1]
HUMANOID = ROOT.parent / "shared/data/mjcf/humanoid.xml"
Made = tuple[haptos.Scene, float]  # with the time that it runs [s]


def stack(stiffness: float, top: float = 1, mass: float = 1, edge: float = 0.1) -> Made:
    """Ten boxes, the last `top` times as heavy."""
    s = haptos.Scene(dt=0.01)
    s.add_half_space("ground")
    for k in range(10):
        s.add_rigid(f"box{k}", haptos.RobotShape("box", [edge / 2] * 3), stiffness=stiffness,
                    mass=mass * (top if k == 9 else 1), position=(0, 0, edge * (k + 0.5)))
    return s, 2.0


def tumble(stiffness: float) -> Made:
    """Five boxes of 40 x 30 x 20 mm and 24 g fall on each other."""
    rng = np.random.default_rng(2)
    s = haptos.Scene(dt=0.01)
    s.add_half_space("ground")
    for k in range(5):
        q = rng.normal(size=4)
        s.add_rigid(f"box{k}", haptos.RobotShape("box", (0.02, 0.015, 0.01)), mass=0.024,
                    position=(0.01 * k, 0, 0.05 + 0.06 * k), quaternion=q / np.linalg.norm(q),
                    stiffness=stiffness)
    return s, 1.5


def balls(stiffness: float) -> Made:
    """27 balls of 10 kg in a lattice fall and scatter."""
    rng = np.random.default_rng(1)
    s = haptos.Scene(dt=0.01)
    s.add_half_space("ground")
    for k, p in enumerate(np.ndindex(3, 3, 3)):
        at = 0.21 * np.array(p) + (0, 0, 0.11) + rng.uniform(-1e-3, 1e-3, 3)
        s.add_sphere(f"ball{k}", 0.1, 10.0, position=at, stiffness=stiffness)
    return s, 2.0


def humanoid() -> Made:
    model = haptos.load_mjcf(HUMANOID, key="squat")
    s = haptos.Scene(dt=0.005, gravity=model.options["gravity"])
    model.add_to(s)
    return s, 2.0


SCENES: dict[str, Callable[[], Made]] = {
    "stack of ten, k 1e5": lambda: stack(1e5),
    "stack of ten, k 1e7": lambda: stack(1e7),
    "stack, top x 1000, k 1e7": lambda: stack(1e7, 1000),
    "stack of 10 g, 20 mm, k 1e5": lambda: stack(1e5, 1, 0.01, 0.02),
    "five boxes tumble, k 1e5": lambda: tumble(1e5),
    "five boxes tumble, k 1e7": lambda: tumble(1e7),
    "27 balls, k 1e5": lambda: balls(1e5),
    "27 balls, k 1e7": lambda: balls(1e7),
    "quadruped stands": lambda: (haptos.load_scene(ROOT / "scenes/quadruped_stands.yaml"), 1.0),
    "humanoid falls": humanoid,
}


def measure(made: Made, value: float) -> str:
    scene, duration = made
    scene.sim.threads = 1
    scene.point_contact.near_rigid = value
    sim = scene.compile()
    reports, deepest, last = [], 0.0, 0.0
    for _ in range(max(1, round(duration / scene.sim.dt))):
        reports.append(sim.step())
        last = max(0.0, -sim.contacts["gap"].min(initial=0))
        deepest = max(deepest, last)
    iterations = [int(r.iterations[0]) for r in reports]
    return (f"{np.mean(iterations):.2f} iterations, at most {max(iterations)}, "
            f"{1e6 * np.mean([r.seconds[0] for r in reports]):.0f} us, "
            f"deepest {1e3 * deepest:.3g} mm, at the end {1e3 * last:.3g} mm, "
            f"{sum(not r.ok for r in reports)} not converged")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--values", type=float, nargs="+", default=[1, 0.3, 0.1, 0.03])
    values = parser.parse_args().values
    for name, make in SCENES.items():
        if make is humanoid and not HUMANOID.exists():
            print(f"{name}: left out, {HUMANOID.name} is not there")
            continue
        for value in values:
            print(f"FIGURE near_rigid {value:g}, {name}: {measure(make(), value)}", flush=True)


if __name__ == "__main__":
    main()
