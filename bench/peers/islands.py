"""What solving islands apart could save on balls that scatter: iterations of a step, as one and apart.

Usage: python bench/peers/islands.py [--sigma .001] [--samples 16]

The 216 balls of bench/peers (k 1e8, near_rigid .1, 10 ms), 4 s. At some steps, from one and the same
state: Newton iterations of the whole step, and of each island of balls that can meet within the
step, stepped as a scene of its own. `spent` is iterations per ball: what islands apart would pay,
without the price of finding them; `worst` is the most of any island: what one line search for each
island, with all iterating together, would pay.
"""

from __future__ import annotations

import argparse

import numpy as np

import haptos

DT, RADIUS, MASS = 0.01, 0.1, 10.0


def lattice() -> np.ndarray:
    at = 0.21 * np.array(list(np.ndindex(6, 6, 6)), float)
    at[:, :2] -= at[:, :2].mean(axis=0)
    at[:, 2] += 0.11
    return at + np.random.default_rng(1).uniform(-1e-3, 1e-3, at.shape)


def compiled(poses: np.ndarray, velocities: np.ndarray, sigma: float) -> haptos.Sim:
    scene = haptos.Scene(dt=DT)
    scene.sim.threads = 1
    scene.point_contact.near_rigid = 0.1
    scene.point_contact.stick_compliance = sigma
    scene.add_half_space("ground")
    for k, (x, v) in enumerate(zip(poses, velocities, strict=True)):
        scene.add_sphere(f"ball{k}", RADIUS, MASS, position=x[:3], quaternion=x[3:],
                         velocity=v[:3], omega=v[3:], stiffness=1e8)
    return scene.compile()


def islands(poses: np.ndarray, velocities: np.ndarray) -> np.ndarray:
    """The island of each ball: those that are linked by pairs that can meet within a step."""
    speed = (np.linalg.norm(velocities[:, :3], axis=1)
             + RADIUS * np.linalg.norm(velocities[:, 3:], axis=1) + 9.81 * DT)
    apart = np.linalg.norm(poses[:, None, :3] - poses[None, :, :3], axis=2) - 2 * RADIUS
    near = apart < 2 * DT * (speed[:, None] + speed) + 1e-3
    island = np.arange(len(poses))
    while True:
        least = np.where(near, island, len(poses)).min(axis=1)
        if (least == island).all():
            return island
        island = least


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--sigma", type=float, default=1e-3)
    parser.add_argument("--samples", type=int, default=16)
    args = parser.parse_args()
    at = lattice()
    poses = np.column_stack([at, np.tile([1.0, 0, 0, 0], (len(at), 1))])
    sim = compiled(poses, np.zeros((len(at), 6)), args.sigma)
    views = list(sim.robots.values())
    every = 400 // args.samples
    rows = []
    for step in range(400):
        poses = np.array([v.position[0] for v in views])
        velocities = np.array([v.velocity[0] for v in views])
        report = sim.step()
        if step % every != every // 2:
            continue
        island, spent, worst = islands(poses, velocities), 0, 0
        for k in np.unique(island):
            of = island == k
            alone = int(compiled(poses[of], velocities[of], args.sigma).step().iterations[0])
            spent += alone * of.sum()
            worst = max(worst, alone)
        rows.append((len(np.unique(island)), np.bincount(island).max(), int(report.iterations[0]),
                     spent / len(views), worst))
        print("t {:.2f} s: {} islands, the largest of {} balls; {} iterations as one, {:.1f} spent "
              "apart, {} at worst".format(DT * step, *rows[-1]), flush=True)
    mean = np.mean(rows, axis=0)
    print(f"FIGURE peers.islands, sigma {args.sigma:g}: {mean[2]:.1f} iterations as one, "
          f"{mean[3]:.1f} spent apart, {mean[4]:.1f} at worst, means of {len(rows)} steps")


if __name__ == "__main__":
    main()
