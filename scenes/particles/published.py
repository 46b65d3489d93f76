#!/usr/bin/env python3
"""Six scenes with the numbers that were published, and with those of the program that was published: the two differ.

    python scenes/particles/published.py                     all of them
    python scenes/particles/published.py ball cube           some

Numbers of the paper (Zong et al. 2024, arXiv 2403.13783) are in ball.yaml, held_cube.yaml, tear.yaml, roll.yaml, pour.yaml and
shake.yaml, those of its program in the files beside them that end in _program.yaml. Tells of each what it is judged by.
"""

import argparse
import time
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pour
import roll
import tear
from shake import HOLDS, Slip, push_of

import haptos

HERE = Path(__file__).parent
FILES = {"ball": ("ball", "ball_program"), "cube": ("held_cube", "cube_program"), "tear": ("tear", "tear_program"),
         "roll": ("roll", "roll_program"), "pour": ("pour", "pour_program"), "shake": ("shake", "shake_program")}


def steps(sim: haptos.Sim, seconds: float) -> Iterator[float]:
    """Takes them; the time after each [s]."""
    for _ in range(round(seconds / sim.dt)):
        report = sim.step()
        if not report.ok:
            raise RuntimeError(report.describe())
        yield float(sim.time[0])


def ball(sim: haptos.Sim, pull: float) -> str:
    body, seconds = sim.material_points["ball"], 1.0
    start = body.position[0].mean(0)
    for _ in steps(sim, seconds):
        pass
    way = body.position[0].mean(0)[0] - start[0]
    return f"slides {1e3 * way:.1f} mm of {1e3 * 0.5 * 0.8 * pull * seconds**2:.1f} in {seconds:g} s"


def cube(sim: haptos.Sim) -> str:
    forces, start = [], 0.0
    for t in steps(sim, 0.5):
        if t > 0.15:
            start = start or sim.material_points["cube"].position[0, :, 2].mean()
            forces.append(sim.contact_wrench("cube", by="panels/left").force[0])
    sunk = start - sim.material_points["cube"].position[0, :, 2].mean()
    mean, swing = np.mean(forces, axis=0), np.std(forces, axis=0)
    return f"{mean[0]:.4f} N across, {mean[2]:.4f} N up, swings by {1e3 * swing.max():.2f} mN, sinks {1e6 * sunk:.2f} um in .35 s"


def torn(sim: haptos.Sim, cell: float) -> str:
    grip = None
    for t in steps(sim, tear.END):
        if grip is None and t >= tear.WAITS:
            grip = tear.Grip(sim)
    shown = ", ".join(f"{p:.0%}" for p in tear.parts(tear.places(sim), 1.5 * cell)[:3])
    slips = " and ".join(f"{1e3 * s:.1f} mm" for s in grip.slip(sim).values()) if grip else ""
    return f"parts of {shown}; the grips slip by {slips}"


def rolled(sim: haptos.Sim) -> str:
    body, turned, went = sim.material_points["dough"], 0.0, 0.0
    before = roll.height(body.position[0])
    for _ in steps(sim, roll.END):
        if sim.contact_wrench("pin", by="dough").force[0, 2] > 5:
            speed, turns = roll.turning(sim)
            turned, went = turned + abs(turns), went + abs(speed)
    return f"the pin turns with {turned / went:.2f} of its way; the dough goes from {1e3 * before:.0f} to {1e3 * roll.height(body.position[0]):.0f} mm"


def poured(sim: haptos.Sim) -> str:
    water, deepest = sim.material_points["water"], 0.0
    field = haptos.DistanceField(pour.cup(pour.RADIUS, pour.HEIGHT, pour.WALL), resolution=64)
    for _ in steps(sim, pour.SECONDS):
        deepest = max(deepest, pour.in_wall(sim, field))
    return f"{pour.in_bin(water.position[0]).mean():.1%} in the bin after {pour.SECONDS:g} s, none deeper than {1e3 * deepest:.1f} mm in the mug's wall"


def shaken(sim: haptos.Sim, points: bool) -> str:
    slip, most, pushes = None, 0.0, []
    for t in steps(sim, 5.0):
        if t >= HOLDS:
            slip = slip or Slip(sim, points)
            most = max(most, slip.most())
            pushes.append(push_of(sim))
    return f"slips by {1e3 * most:.2f} mm; the panels push with {np.sqrt(np.mean(np.square(pushes))):.0f} N"


def run(name: str, file: str) -> str:
    sim = haptos.load_scene(HERE / f"{file}.yaml").compile(quiet=True)
    if name == "ball":
        return ball(sim, 6.9367 if file == "ball" else 0.70711)
    if name == "shake":
        return shaken(sim, file != "shake")
    if name == "tear":
        return torn(sim, tear.CELL if file == "tear" else 0.0225)
    return {"cube": cube, "roll": rolled, "pour": poured}[name](sim)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("names", nargs="*", metavar="name", help=" ".join(FILES))
    given = parser.parse_args()
    for name in given.names or FILES:
        for file in FILES[name]:
            began = time.perf_counter()
            told = run(name, file)
            print(f"{file}: {told}; {time.perf_counter() - began:.0f} s", flush=True)


if __name__ == "__main__":
    main()
