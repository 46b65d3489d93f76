#!/usr/bin/env python3
"""A hand with gel pads holds a scraper by friction, presses it into dough and lifts it again: five kinds of body, one problem.

    python scenes/particles/cook.py                       tells how the forces on the scraper balance, and what is left in the dough
    python scenes/particles/cook.py --picture cook.png    and draws it above, in, and after

The hand is an articulated robot from a file, its finger plates are affine bodies that are welded to it, the pads are
tetrahedra, the scraper is a rigid body, the dough material points. cook.yaml is the same scene for the command line.
"""

import argparse
import time
from pathlib import Path

import numpy as np

import haptos

SIZE, CELL = (0.14, 0.09, 0.04), 0.0125  # of the dough and its grid [m]
YOUNG, YIELD = 3e4, 2e3  # of the dough [Pa]
BLADE, MASS = (0.006, 0.12, 0.07), 0.08  # the scraper [m], [kg]
PAD = (0.02, 0.04, 0.01)  # height, width, thickness [m]
ABOVE = 0.006  # the scraper over the dough at the start [m]
DEPTH = 0.025  # into the dough [m]
CLOSED, DOWN, END = 0.15, 0.5, 1.1  # when the fingers are closed, the scraper is down, and all ends, as in cook.csv [s]


def scene(dt: float = 0.005) -> haptos.Scene:
    scene = haptos.Scene(dt=dt)
    scene.add_half_space("table")
    scene.add_material_points("dough", haptos.RobotShape("box", extents=SIZE), position=(0, 0, SIZE[2] / 2), young=YOUNG,
                              poisson=0.4, yield_stress=YIELD, cell=CELL, friction=0.6)
    middle = SIZE[2] + ABOVE + BLADE[2] / 2
    held = middle + BLADE[2] / 2 - PAD[0] / 2 - 0.002
    scene.add_rigid("scraper", haptos.RobotShape("box", extents=BLADE), mass=MASS, position=(0, 0, middle), friction=1.0)
    scene.add_robot("hand", Path(__file__).with_name("cook.urdf"), position=(0, 0, held),
                    motors=[{"joints": ["lift"], "kp": 1e4, "kd": 200},
                            {"joints": ["left", "right"], "kp": 5e3, "kd": 50}],
                    trajectory=haptos.load_trajectory(Path(__file__).with_name("cook.csv")))
    pad = haptos.box_pad(*PAD, grading=haptos.PadGrading(5e-3, 5e-3, 5e-3, 5e-3))
    half = np.sqrt(0.5)
    face = BLADE[0] / 2 + 2e-4
    for name, sign in (("left", -1), ("right", 1)):
        plate = sign * (face + PAD[2] + 0.0025)
        scene.add_affine(f"{name} plate", haptos.box((0.005, PAD[1], PAD[0])), position=(plate, 0, held), density=2700,
                         group="plates")
        scene.add_constraint(f"{name} weld", f"{name} plate", f"hand/{name}", kind="weld")
        scene.add_soft(f"{name} pad", pad.mesh, position=(sign * face, 0, held), quaternion=(half, 0, -sign * half, 0),
                       glue={f"{name} plate": pad.base_vertices}, contact="frozen", friction=1.0, group="pads",
                       material={"young": 3e5, "poisson": 0.45, "stiffness_damping": 1e-3})
    for a, b in (("pads", "plates"), ("pads", "pads"), ("pads", "dough"), ("plates", "dough"), ("plates", "scraper"),
                 ("plates", "plates"), ("plates", "table")):
        scene.add_pair(a, b, enabled=False)
    return scene


def force_on(sim: haptos.Sim, body: str, by: str) -> np.ndarray:
    """What `by` does to `body` [N]."""
    return sim.contact_wrench(body, by=by).force[0]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--picture", help="file to draw to")
    given = parser.parse_args()
    sim = scene().compile(quiet=True)
    for text in sim.warnings:
        print("warning:", text)
    taker, pictures = haptos.SimStage(sim), []
    look = haptos.Look(width=460, height=460, camera=(0.7, 0.9, -0.35), color="flow",
                       frame=[[-0.07, -0.05, 0], [0.07, 0.05, 0.13]])
    start, deepest, iterations = time.perf_counter(), 0.0, []
    for k in range(round(END / sim.dt)):
        report = sim.step()
        iterations.append(int(report.iterations[0]))
        if not report.ok:
            raise RuntimeError(report.describe())
        deepest = max(deepest, force_on(sim, "scraper", "dough")[2])
        if (k + 1) % 20 == 0:
            pads = force_on(sim, "scraper", "left pad") + force_on(sim, "scraper", "right pad")
            print(f"{sim.time[0]:.2f} s: scraper at {1e3 * sim.robots['scraper'].link_pose('scraper')[0, 2]:.2f} mm, "
                  f"pads {pads.round(3)} N, dough {force_on(sim, 'scraper', 'dough').round(3)} N, "
                  f"grip {force_on(sim, 'scraper', 'left pad')[0]:.2f} N, {np.mean(iterations):.1f} iterations, "
                  f"{1e3 * (time.perf_counter() - start) / (k + 1):.0f} ms a step", flush=True)
        if given.picture and k + 1 in [round(t / sim.dt) for t in (CLOSED, DOWN, END)]:
            pictures.append(haptos.draw(taker.stage, taker.take(("flow",), False), look))
    if given.picture:
        haptos.save_png(given.picture, np.hstack(pictures))


if __name__ == "__main__":
    main()
