"""How fast the scenes of hydroelastic contact run: contacts, time of a step, and the real-time factor.

    python bench/pressure_scenes.py [nut nut_unmerged animals arm panda] [--envs 2] [--out times.json]

The real-time factor is that of all environments together: simulated time times environments, by the
time that the steps took. The panda needs HAPTOS_PANDA, its URDF.
"""

import argparse
import importlib.util
import json
import os
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from types import ModuleType

import numpy as np

import haptos
from haptos.cli.bench import processor

SCENES = Path(__file__).resolve().parents[1] / "scenes/pressure"


def script(name: str) -> ModuleType:
    spec = importlib.util.spec_from_file_location(name, SCENES / f"{name}.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def nut(envs: int, most_samples: int = 200) -> Iterator:
    """Turns down its bolt by its weight, friction .01, for .1 s after .1 s."""
    sim = script("nut_on_bolt").scene(0.01, 4e-3, most_samples, False).compile(envs=envs, quiet=True)
    for step in range(50):
        yield sim, step >= 25
        sim.step()


def animals(envs: int) -> Iterator:
    """Ninety-one fall into the box for 1 s."""
    sim = script("animals").scene(91, 2.5e-3, 1).compile(envs=1, quiet=True)
    for _ in range(400):
        yield sim, True
        sim.step()


def pen(envs: int, hand: Callable) -> Iterator:
    """A pen is grasped, lifted and let go over a cup, in 5.2 s."""
    of = script("pen_into_cup")
    hand, trial, dt = hand(of), of.Trial(), 4e-3
    robot = haptos.load_robot(hand.robot)
    motion = of.plan(hand, robot, trial)
    sim = of.scene(hand, robot, trial, motion, dt).compile(envs=envs, quiet=True)
    arm, tree = sim.robots["arm"], haptos.Tree(robot)
    for step in range(round(5.2 / dt)):
        angles, rates, closed = motion.at(step * dt)
        held = tree.gravity_compensation(arm.position[0])
        fingers = {f: 0.0 if closed else hand.wide for f in hand.fingers}
        arm.set_command(position=dict(zip(motion.joints, angles)) | fingers, velocity=dict(zip(motion.joints, rates)),
                        effort={j: held[tree.v_of(j).start] for j in motion.joints})
        yield sim, True
        sim.step()


RUNS = {"nut": nut, "nut_unmerged": lambda envs: nut(envs, 0), "animals": animals,
        "arm": lambda envs: pen(envs, lambda of: of.ARM),
        "panda": lambda envs: pen(envs, lambda of: of.panda(Path(os.environ["HAPTOS_PANDA"])))}


def measure(name: str, envs: int) -> dict:
    wall, start, contacts, sim = [], 0.0, [], None
    for sim, counts in RUNS[name](envs):
        now = time.perf_counter()
        if start and counts:
            wall.append(now - start)
            contacts.append(len(sim.contacts))
        start = time.perf_counter()
    seconds = float(np.sum(wall))
    return {"environments": sim.envs, "dt": sim.dt, "steps": len(wall), "contacts": float(np.mean(contacts)),
            "most contacts": int(np.max(contacts)), "step [ms]": 1e3 * seconds / len(wall),
            "real-time factor": sim.envs * sim.dt * len(wall) / seconds}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("scenes", nargs="*", default=[n for n in RUNS if n != "panda" or "HAPTOS_PANDA" in os.environ])
    parser.add_argument("--envs", type=int, default=os.cpu_count())
    parser.add_argument("--out", type=Path)
    given = parser.parse_args()
    rows = {}
    print(f"{processor()}, {os.cpu_count()} cores")
    for name in given.scenes:
        rows[name] = r = measure(name, given.envs)
        print(f"{name:14s} {r['environments']} x {r['contacts'] / r['environments']:7.0f} contacts, at most {r['most contacts']},"
              f" {r['step [ms]']:8.2f} ms a step of {1e3 * r['dt']:g} ms, real-time factor {r['real-time factor']:.3f}", flush=True)
    if given.out:
        given.out.write_text(json.dumps({"processor": processor(), "cores": os.cpu_count(), "scenes": rows}, indent=1)
                             + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
