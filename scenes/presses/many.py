#!/usr/bin/env python3
"""Thousands of presses side by side: each environment has a shape, a depth and a stiffness of its gel.

    python scenes/presses/many.py                                     256 presses
    python scenes/presses/many.py --count 4096 --out presses.npz      16 shapes at 16 depths into 16 gels
    python scenes/presses/many.py --count 64 --picture presses.png    what the sensors see, a row for each depth

One compiled scene holds all shapes; an environment leaves those that it does not press above the gel.
`haptos dataset` makes data sets of finer presses, one after the other.
"""

import argparse
import time
from dataclasses import dataclass

import numpy as np

import haptos

SHAPES = ("sphere", "cylinder", "cone", "torus", "hexagon", "triangle", "prism", "moon", "pacman", "line", "parallel_lines",
          "cross_lines", "curved_surface", "cylinder_side", "dots", "sphere2")
DEPTHS = np.linspace(0.1e-3, 0.6e-3, 16)  # [m]
SOFTER = np.geomspace(0.5, 2.0, 16)  # factors of the gel's modulus
PARKED, FACET = 2e-3, 0.5e-3  # height at which shapes wait, size of their triangles [m]
STEPS, DT = 10, 0.05  # of a press, each as long [s]
GAP = 2.1e-5  # between a shape and the gel at the start [m]


def feature(name):
    """A test shape with its feature down, its lowest point at z = 0."""
    mesh = haptos.make_shape(name, FACET, 1).transformed(quaternion=(0, 1, 0, 0))
    x = np.asarray(mesh.vertices)
    lowest = x[x[:, 2] < x[:, 2].min() + 1e-5].mean(axis=0)
    return mesh.transformed(position=(-lowest[0], -lowest[1], -x[:, 2].min()))


def scene(sensor="gelsight-mini"):
    s = haptos.Scene(dt=DT)
    s.contact.support = 2e-5
    haptos.load_sensor(sensor, quality="fast").add_to(s, "gel")
    for name in SHAPES:
        s.add_prescribed(name, feature(name), position=(0, 0, PARKED), friction=0.2, group="shapes")
    s.add_pair("shapes", "shapes", enabled=False)  # they wait in one another
    return s


@dataclass
class Presses:
    """What each environment presses, (env,)."""

    shape: np.ndarray  # number in SHAPES
    depth: np.ndarray  # [m]
    softer: np.ndarray  # factor of the modulus

    @staticmethod
    def numbered(which):
        """Of so many in a row: shapes go round first, then depths, then moduli."""
        which = np.asarray(which)
        n, m = len(SHAPES), len(DEPTHS)
        return Presses(which % n, DEPTHS[which // n % m], SOFTER[which // (n * m) % len(SOFTER)])


def run(sim, presses, surface=0.0, each=None):
    """Presses from a new start; surface: height of the gel where it is pressed [m]. Returns what the gel pushes with
    (env,) [N], its image of depth (env, rows, columns) [m], whether all steps converged (env,), and the iterations."""
    sim.reset()
    sim.set_stiffness_scale("gel", presses.softer)
    good, iterations = np.ones(sim.envs, bool), np.zeros(sim.envs, int)
    for k in range(STEPS + 1):
        low = surface + GAP - (GAP + presses.depth) * min(k, STEPS) / STEPS
        for number, name in enumerate(SHAPES):
            z = np.where(presses.shape == number, low, PARKED)
            sim.set_target(name, np.c_[0 * z, 0 * z, z])
        report = sim.step()
        good &= report.status == 0
        iterations += report.iterations
        if each:
            each(sim)
    force = sum(sim.contact_wrench(name).force[:, 2] for name in SHAPES)
    return force, sim.sensors["gel"].depth(), good, iterations


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--count", type=int, default=256, help="of presses")
    parser.add_argument("--at-once", type=int, default=256, help="environments; more presses take turns")
    parser.add_argument("--threads", type=int, default=0, help="0: one for each core")
    parser.add_argument("--out", metavar="FILE", help="shapes, depths, factors of the modulus, forces and small images (.npz)")
    parser.add_argument("--picture", metavar="FILE", help="of the last ones at once")
    given = parser.parse_args()
    s = scene()
    s.sim.threads = given.threads
    sim = s.compile(min(given.count, given.at_once), quiet=True)
    forces, images, converged, iterations, began = [], [], [], 0, time.perf_counter()
    for first in range(0, given.count, sim.envs):
        # The last turn may run past the end: its presses are the first ones again.
        force, depth, good, taken = run(sim, Presses.numbered((first + np.arange(sim.envs)) % given.count))
        forces.append(force)
        images.append(depth[:, ::5, ::5].astype(np.float32))
        converged.append(good)
        iterations += taken.sum()
        seconds = time.perf_counter() - began
        print(f"{min(first + sim.envs, given.count)} of {given.count} presses, {seconds:.0f} s", flush=True)
    done = Presses.numbered(np.arange(given.count))
    force, image, good = (np.concatenate(a)[:given.count] for a in (forces, images, converged))
    steps = len(forces) * sim.envs * (STEPS + 1)
    nodes = len(sim.positions("gel")[0])
    print(f"{good.sum()} of {given.count} converged in every step; forces {force.min():.3f} to {force.max():.3f} N; a gel of {nodes} nodes")
    print(f"{steps / seconds:.0f} environment-steps a second; Newton iterations {iterations / steps:.2f} a step; "
          f"force tolerance {s.newton.force_tolerance:g}")
    if given.out:
        np.savez_compressed(given.out, names=SHAPES, shape=done.shape, depth=done.depth, softer=done.softer, force=force, image=image)
    if given.picture:
        seen = sim.sensors["gel"].rgb()[:, ::4, ::4]
        rows = [np.hstack(seen[k:k + len(SHAPES)]) for k in range(0, len(seen) - len(SHAPES) + 1, len(SHAPES))]
        haptos.save_png(given.picture, np.vstack(rows))


if __name__ == "__main__":
    main()
