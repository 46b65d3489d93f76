"""How long a step of material points takes: points, contacts, Newton iterations.

    python bench/material_points.py [ball roll roll_sap cube tear pour] [--threads 1]

ball and roll are of about the size of those that Zong et al. 2024 time (arXiv 2403.13783, table I); their
motions are simpler. Prints the processor beside the times.
"""

import argparse
import runpy
import time
from pathlib import Path

import haptos


def ball() -> tuple[haptos.Scene, int]:
    """A ball of 1 m slides down a slope of 45 degrees for 1 s."""
    scene = haptos.Scene(dt=0.01)
    scene.sim.gravity_x, scene.sim.gravity_z = 6.94, -6.94
    scene.add_half_space("slope")
    scene.add_material_points("ball", haptos.RobotShape("sphere", (0.5,)), position=(0, 0, 0.5), young=1e8, poisson=0.2,
                              cell=0.2, points_per_cell=100, friction=0.2)
    return scene, 100


def roll(law: str = "coulomb") -> tuple[haptos.Scene, int]:
    """A pin of 2 kg drops on a block of dough and rolls on it, .2 s."""
    scene = haptos.Scene(dt=0.01)
    scene.point_contact.law = law
    scene.add_half_space("table")
    scene.add_material_points("dough", haptos.RobotShape("box", extents=(0.32, 0.12, 0.1)), position=(0, 0, 0.05), young=2e4,
                              yield_stress=1220, cell=0.018, friction=1.0)
    pin = haptos.RobotShape("capsule", (0.03, 0.15), frame=(0, 0, 0, 0.5**0.5, 0.5**0.5, 0, 0))
    scene.add_rigid("pin", pin, mass=2.0, position=(0, 0, 0.135), velocity=(0.3, 0, 0))
    return scene, 20


def cube() -> tuple[haptos.Scene, int]:
    """An elastic cube rests on a floor, steps of 1 ms."""
    scene = haptos.Scene(dt=1e-3)
    scene.add_half_space("floor")
    scene.add_material_points("cube", haptos.RobotShape("box", extents=(0.1, 0.1, 0.1)), position=(0, 0, 0.05), density=400,
                              young=1e5, cell=0.025, friction=0.8, seeding="lattice")
    return scene, 150


def shown(name: str, steps: int) -> tuple[haptos.Scene, int]:
    """A scene of scenes/particles/."""
    path = Path(__file__).resolve().parents[1] / f"scenes/particles/{name}.py"
    return runpy.run_path(str(path))["scene"](), steps


RUNS = {"ball": ball, "roll": roll, "roll_sap": lambda: roll("sap"), "cube": cube, "tear": lambda: shown("tear", 160),
        "pour": lambda: shown("pour", 300)}


def processor() -> str:
    lines = Path("/proc/cpuinfo").read_text().splitlines()
    found = {key.strip(): value.strip() for key, _, value in (line.partition(":") for line in lines)}
    return f"{found.get('model name', 'unknown')}, {float(found.get('cpu MHz', 0)) / 1000:.1f} GHz"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("runs", nargs="*", metavar="run", help=" ".join(RUNS))
    parser.add_argument("--threads", type=int, default=1)
    given = parser.parse_args()
    print(f"{processor()}, {given.threads} thread(s)")
    for name in given.runs or RUNS:
        scene, steps = RUNS[name]()
        scene.sim.threads = given.threads
        sim = scene.compile(quiet=True)
        points = sum(len(body) for body in sim.material_points.values())
        iterations = contacts = 0
        began = time.perf_counter()
        for _ in range(steps):
            report = sim.step()
            if not report.ok:
                raise RuntimeError(report.describe())
            iterations += int(report.iterations[0])
            contacts += len(sim.contacts)
        took = time.perf_counter() - began
        print(f"{name}: {points} points, {contacts / steps:.0f} contacts, {iterations / steps:.1f} iterations, "
              f"{1e3 * took / steps:.1f} ms a step")


if __name__ == "__main__":
    main()
