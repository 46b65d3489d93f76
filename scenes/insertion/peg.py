#!/usr/bin/env python3
"""Two gel pads hold a peg and put it into a hole, in many environments at once.

    python scenes/insertion/peg.py                          one environment, told by step
    python scenes/insertion/peg.py --envs 1024 --threads 2  each with its hole elsewhere
    python scenes/insertion/peg.py --path published         the path of Taccel's example, which tips the peg
    python scenes/insertion/peg.py --pads large             pads of 1,428 nodes in place of 126
    python scenes/insertion/peg.py --picture peg.png        draws four moments
    python scenes/insertion/peg.py --envs 96 --far 2 --turned 4 --wall wall.png   draws all at the end, those that failed with a red rim

The peg is a dog-bone of 50 mm and 41 g, the hole 2 mm wider all around. The pads hold its top 10 mm.
"""

import argparse
import time
from dataclasses import dataclass

import numpy as np

import haptos
from haptos.base import turns

PEG = 1e-3 * np.array([(-15, -17.5), (-5, -11.73), (5, -11.73), (15, -17.5),
                       (15, 17.5), (5, 11.73), (-5, 11.73), (-15, 17.5)])  # [m]
HOLE = 1e-3 * np.array([(-17, -20.96), (-4.46, -13.73), (4.46, -13.73), (17, -20.96),
                        (17, 20.96), (4.46, 13.73), (-4.46, 13.73), (-17, 20.96)])
PLATE = 1e-3 * np.array([(-25, -35), (-4.46, -35), (4.46, -35), (25, -35),
                         (25, 35), (4.46, 35), (-4.46, 35), (-25, 35)])
TALL, THICK = 50e-3, 20e-3  # peg, plate [m]
PAD = (20.75e-3, 25.25e-3, 4e-3)
SIZES = {"small": 3.2e-3, "large": 1.3e-3}  # elements of the pads [m]
NEAR = 2e-5  # between pads and peg at the start [m]
STEPS = 200

# Times [s], half the distance of the pads, y and z of their middles [m] above the plate.
WIDE, CLOSED = 15e-3 + NEAR, 14.5e-3
PATHS = {"align": [(0, WIDE, 5e-3, 51e-3), (0.1, CLOSED, 5e-3, 51e-3), (2, CLOSED, 0, 51e-3), (4, CLOSED, 0, 30e-3)],
         "published": [(0, WIDE, 5e-3, 51e-3), (0.1, CLOSED, 5e-3, 51e-3), (2, CLOSED, -6e-3, 46e-3),
                       (4, CLOSED, -6e-3, 30e-3)]}
DEEP, UPRIGHT = 8e-3, 3.0  # of the bottom below the plate's top [m], of the peg's axis [degrees], of what is in


def ring(inner, outer, low, high):
    """A plate with a hole, outlines with the same number of corners."""
    n = len(inner)
    x = np.concatenate([np.c_[line, np.full(n, z)] for z in (high, low) for line in (outer, inner)])
    quads = []
    for i in range(n):
        j = (i + 1) % n
        quads += [(i, j, j + n, i + n), (i + 2 * n, i + 3 * n, j + 3 * n, j + 2 * n),
                  (i, i + 2 * n, j + 2 * n, j), (i + n, j + n, j + 3 * n, i + 3 * n)]
    return haptos.TriMesh(x, [t for a, b, c, d in quads for t in ((a, b, c), (a, c, d))])


def dog_bone():
    n = len(PEG)
    x = np.concatenate([np.c_[PEG, np.full(n, z)] for z in (0, TALL)])
    t = [t for a, b, c, d in ((0, 1, 6, 7), (1, 2, 5, 6), (2, 3, 4, 5))
         for t in ((a, c, b), (a, d, c), (a + n, b + n, c + n), (a + n, c + n, d + n))]
    for i in range(n):
        j = (i + 1) % n
        t += [(i, j, j + n), (i, j + n, i + n)]
    return haptos.TriMesh(x, t)


def scene(path="align", pads="small", dt=0.02):
    s = haptos.Scene(dt=dt)
    s.contact.support = 1e-4
    pad = haptos.box_pad(*PAD, grading=haptos.PadGrading.uniform(SIZES[pads]))
    gel = haptos.Material(young=1e5, poisson=0.4, density=1e3)
    for name, side in (("left", -1), ("right", 1)):
        inward = (np.sqrt(0.5), 0, -side * np.sqrt(0.5), 0)  # the gel's +z, out of it, towards the peg
        s.add_prescribed(f"{name} hand", trajectory=[(t, (side * x, y, z), inward) for t, x, y, z in PATHS[path]])
        s.add_soft(name, pad.mesh, material=gel, frame=f"{name} hand", friction=1.0, element="linear",
                   glue={f"{name} hand": pad.base_vertices})
    s.add_affine("peg", dog_bone(), position=(0, 5e-3, 1e-3), density=1e3, friction=0.2, stiffness=1e9)
    s.add_prescribed("plate", ring(HOLE, PLATE, -THICK, 0), friction=0.2, position=(0, 0, 0))
    return s


def move_holes(sim, seed=0, far=1.25e-3, turned=2.0):
    """Puts the plate of each environment elsewhere: by at most so much along x and y [m] and about z [degrees]."""
    random = [np.random.default_rng([seed, k]) for k in range(sim.envs)]
    drawn = np.array([r.uniform(-1, 1, 3) for r in random])
    half = 0.5 * np.radians(turned) * drawn[:, 2]
    zero = np.zeros(sim.envs)
    sim.set_target("plate", far * np.c_[drawn[:, :2], zero], np.c_[np.cos(half), zero, zero, np.sin(half)])


@dataclass
class Outcome:
    """Of each environment."""

    deep: np.ndarray  # of the peg's bottom below the plate's top [m]
    tilt: np.ndarray  # of its axis [degrees]
    aside: np.ndarray  # of its bottom from the middle between the pads along y [m]
    unsettled: np.ndarray  # steps that did not converge
    residual: np.ndarray  # largest of a step that did not, over its load

    @property
    def inserted(self):
        return (self.deep > DEEP) & (self.tilt < UPRIGHT)

    def reason(self, env):
        """Why it is in, or is not."""
        if self.inserted[env]:
            return "inserted"
        where = f"bottom {1e3 * self.deep[env]:.1f} mm below the plate's top, tilted by {self.tilt[env]:.1f} degrees"
        if abs(self.aside[env]) > 20e-3:
            return f"lost by the pads: {where}"
        if self.deep[env] <= DEEP:
            return f"caught by the rim of the hole: {where}"
        return f"jams in the hole: {where}"


def outcome(sim, unsettled, residual):
    pose = sim.pose("peg")
    axis = np.array([turns.rotation(q)[:, 2] for q in pose[:, 3:]])
    lowest = np.array([(turns.rotation(p[3:]) @ dog_bone().vertices.T).T[:, 2].min() + p[2] for p in pose])
    hands = sim.pose("left hand")[:, 1]
    return Outcome(-lowest, np.degrees(np.arccos(np.clip(axis[:, 2], -1, 1))), pose[:, 1] - hands, unsettled, residual)


def run(sim, each=None):
    """All steps; returns the outcome, iterations by step and environment, and seconds of each step."""
    unsettled, residual = np.zeros(sim.envs, int), np.zeros(sim.envs)
    iterations, seconds = [], []
    for _ in range(round(STEPS * 0.02 / sim.dt)):
        start = time.perf_counter()
        report = sim.step()
        seconds.append(time.perf_counter() - start)
        iterations.append(report.iterations)
        bad = report.status != 0
        unsettled += bad
        residual = np.where(bad, np.maximum(residual, report.residual / np.maximum(report.load, 1e-12)), residual)
        if each:
            each(sim)
    return outcome(sim, unsettled, residual), np.array(iterations), np.array(seconds)


def surfaces(sim, env=0):
    """All surfaces as one mesh, for the exact test of intersections."""
    x, t, first = [], [], 0

    def add(vertices, triangles):
        nonlocal first
        x.append(vertices)
        t.append(np.asarray(triangles) + first)
        first += len(vertices)

    for name in ("left", "right"):
        add(sim.positions(name)[env], sim.surface(name))
    for name, mesh in (("peg", dog_bone()), ("plate", ring(HOLE, PLATE, -THICK, 0))):
        pose = sim.pose(name)[env]
        add(np.asarray(mesh.vertices) @ turns.rotation(pose[3:]).T + pose[:3], mesh.triangles)
    return haptos.TriMesh(np.concatenate(x), np.concatenate(t))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--path", choices=PATHS, default="align")
    parser.add_argument("--pads", choices=SIZES, default="small")
    parser.add_argument("--envs", type=int, default=1)
    parser.add_argument("--threads", type=int, default=0, help="0: one for each core")
    parser.add_argument("--dt", type=float, default=0.02, help="[s]")
    parser.add_argument("--far", type=float, default=1.25, help="holes elsewhere by at most so much along x and y [mm]")
    parser.add_argument("--turned", type=float, default=2.0, help="and about z [degrees]")
    parser.add_argument("--picture", metavar="FILE")
    parser.add_argument("--wall", metavar="FILE")
    given = parser.parse_args()
    s = scene(given.path, given.pads, given.dt)
    s.sim.threads = given.threads
    if given.picture:
        return picture(s, given.picture)
    sim = s.compile(given.envs, quiet=True)
    if given.envs > 1:
        move_holes(sim, far=1e-3 * given.far, turned=given.turned)

    def told(sim):
        if sim.envs == 1 and round(sim.time[0] / sim.dt) % 20 == 0:
            now = outcome(sim, np.zeros(1, int), np.zeros(1))
            print(f"{sim.time[0]:4.1f} s: bottom {1e3 * now.deep[0]:6.2f} mm deep, tilted by {now.tilt[0]:5.2f} degrees")

    found, iterations, seconds = run(sim, told)
    for k in np.flatnonzero(~found.inserted)[:20]:
        print(f"environment {k}: {found.reason(k)}")
    print(f"{found.inserted.sum()} of {sim.envs} inserted; deepest {1e3 * found.deep.max():.2f}, least {1e3 * found.deep.min():.2f} mm")
    print(f"{found.unsettled.sum()} of {iterations.size} steps did not converge, residual at most {found.residual.max():.1e} of the load; "
          f"Newton iterations {iterations.mean():.2f} a step, at most {iterations.max()}; "
          f"force tolerance {s.newton.force_tolerance:g}")
    print(f"{iterations.size / seconds.sum():.0f} environment-steps a second; the slowest step took "
          f"{seconds.max() / np.median(seconds):.1f} times the median")
    if given.wall:
        haptos.save_png(given.wall, haptos.draw_wall(sim, look=view(120), rims=[None if ok else "red" for ok in found.inserted]))


def view(size):
    return haptos.Look(camera=(-0.6, -0.75, -0.3), width=size, height=size, frame=((-0.04, -0.04, -0.03), (0.04, 0.04, 0.065)),
                       colors={"peg": (0.85, 0.2, 0.1), "plate": (0.5, 0.55, 0.6)})


def picture(s, file):
    from haptos.look.drawing import draw
    from haptos.look.snapshots import SimStage

    sim = s.compile(quiet=True)
    look = view(420)
    wanted, stills = [0.1, 2.0, 3.0, 4.0], []

    def see(sim):
        if wanted and sim.time[0] >= wanted[0] - 1e-9:
            wanted.pop(0)
            stage = SimStage(sim)
            stills.append(draw(stage.stage, stage.take(readings=False), look))

    run(sim, see)
    haptos.save_png(file, np.hstack(stills))


if __name__ == "__main__":
    main()
