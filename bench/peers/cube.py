"""A cube of 3 x 3 x 3 pieces in Haptos and MuJoCo: time of a step at equal solver accuracy.

Usage: python bench/peers/cube.py [--write FILE.xml] [--steps 300] [--tolerance 1e-8]

Our own model after MuJoCo's cube: the six centres turn on hinges about the core, which stands in
the world, the twenty others on ball joints at its middle; every piece is a box, and neighbours
touch face to face (48 pairs, 66 degrees of freedom). Under gravity and a torque of 2 mN m on the
top centre the pieces wedge each other; the deepest overlap of the run is the error. Both read the
same file; the pieces become 26 robots in Haptos. 1 ms a step, in turns, least of 3 rounds of
process CPU time.
"""

from __future__ import annotations

import argparse
import itertools
import pathlib
import tempfile
import time

import mujoco
import numpy as np

import haptos

EDGE, DT, TORQUE = 0.019, 1e-3, 2e-3


def cube_xml(tolerance: float) -> str:
    rows = ['<mujoco model="cube">',
            f'<option timestep="{DT}" tolerance="{tolerance:g}" cone="elliptic" '
            'gravity="0 0 -9.81"/>',
            '<default><geom type="box" mass="0.008" friction="0.3 0 0" condim="3" '
            f'size="{EDGE / 2} {EDGE / 2} {EDGE / 2}"/></default>', "<worldbody>"]
    for p in itertools.product((-1, 0, 1), repeat=3):
        n = sum(abs(x) for x in p)
        if n == 0:
            continue
        name = "piece" + "".join("mop"[x + 1] for x in p)
        axis = " ".join(str(x) for x in p)
        joint = f'type="hinge" axis="{axis}"' if n == 1 else 'type="ball"'
        at = " ".join(f"{EDGE * x:g}" for x in p)
        rows.append(f'<body name="{name}"><joint name="{name}_joint" {joint}/>'
                    f'<geom pos="{at}"/></body>')
    return "\n".join([*rows, "</worldbody>", "</mujoco>"]) + "\n"


def run_haptos(file: str, steps: int, tolerance: float) -> tuple:
    model = haptos.load_mjcf(file)
    scene = haptos.Scene(dt=DT, gravity=(0, 0, -9.81))
    scene.sim.threads = 1
    scene.newton.force_tolerance = tolerance
    model.add_to(scene)
    sim = scene.compile()
    top = next(v for name, v in sim.robots.items() if name.endswith("pieceoop"))
    top.set_torque([TORQUE])
    times, contacts, iterations, deepest = np.zeros(steps), 0, 0, 0.0
    for k in range(steps):
        t = time.process_time()
        report = sim.step()
        times[k] = time.process_time() - t
        assert report.ok, report
        contacts += len(sim.contacts)
        deepest = max(deepest, -sim.contacts["gap"].min(initial=0))
        iterations += int(report.iterations[0])
    return times, contacts / steps, iterations / steps, deepest, float(top.position[0, 0])


def run_mujoco(file: str, steps: int) -> tuple:
    m = mujoco.MjModel.from_xml_path(file)
    d = mujoco.MjData(m)
    joint = m.joint("pieceoop_joint")
    d.qfrc_applied[joint.dofadr[0]] = TORQUE
    times, contacts, iterations, deepest = np.zeros(steps), 0, 0, 0.0
    for k in range(steps):
        t = time.process_time()
        mujoco.mj_step(m, d)
        times[k] = time.process_time() - t
        contacts += d.ncon
        deepest = max(deepest, -d.contact.dist.min(initial=0))
        iterations += int(d.solver_niter.max())
    return times, contacts / steps, iterations / steps, deepest, float(d.qpos[joint.qposadr[0]])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--write", type=pathlib.Path)
    parser.add_argument("--steps", type=int, default=300)
    parser.add_argument("--tolerance", type=float, default=1e-8)
    args = parser.parse_args()
    text = cube_xml(args.tolerance)
    if args.write:
        args.write.write_text(text)
    with tempfile.TemporaryDirectory() as folder:
        file = str(pathlib.Path(folder) / "cube.xml")
        pathlib.Path(file).write_text(text)
        best: dict[str, tuple] = {}
        for _ in range(3):
            for name in ("haptos", "mujoco"):
                r = (run_haptos(file, args.steps, args.tolerance) if name == "haptos" else
                     run_mujoco(file, args.steps))
                if name in best:
                    r = (np.minimum(r[0], best[name][0]), *r[1:])
                best[name] = r
    for name, (times, contacts, iterations, deepest, angle) in best.items():
        print(f"FIGURE peers.cube.{name}.step = {1e6 * times.mean():.0f} us, contacts "
              f"{contacts:.0f}, iterations {iterations:.1f}, top turned {angle:.4f} rad")
        print(f"FIGURE peers.cube.{name}.deepest = {1e3 * deepest:.3f} mm")


if __name__ == "__main__":
    main()
