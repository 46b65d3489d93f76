#!/usr/bin/env python3
"""A ring lies on a fingertip whose skin is an array of taxels, and pulls aside.

    python scenes/pressure/taxels.py                       tells what the taxels feel
    python scenes/pressure/taxels.py --picture taxels.png  and draws it on the fingertip
"""

import argparse
import math
from pathlib import Path

import numpy as np

import haptos

TIP = (0.012, 0.009, 0.009)  # half axes of the fingertip [m]
MODULUS = 1e8  # of its skin [Pa/m]
MASS = 0.2  # of the ring [kg]


def skin(facet: float) -> haptos.TriMesh:
    """The fingertip as a mesh."""
    unit = haptos.icosphere(1.0, facet / max(TIP))
    return haptos.TriMesh(np.asarray(unit.vertices) * TIP, unit.triangles)


def hold(slope: float = 0.2, seconds: float = 0.6) -> haptos.Sim:
    """The ring at rest on the fingertip; gravity leans along x by a slope [rad]."""
    scene = haptos.Scene(dt=0.002, gravity=(9.81 * math.sin(slope), 0, -9.81 * math.cos(slope)))
    scene.add_rigid("tip", haptos.RobotShape("ellipsoid", TIP), fixed=True, hydroelastic=MODULUS, friction=0.8)
    ring = haptos.torus(0.0065, 0.002, 6e-4)
    scene.add_rigid("ring", haptos.RobotShape("mesh", mesh=ring), mass=MASS, friction=0.8,
                    position=(0, 0, 0.0083))
    sim = scene.compile()
    for _ in range(round(seconds / sim.dt)):
        sim.step()
    return sim


def draw(sim: haptos.Sim, path: Path) -> None:
    """Pressure as colour: white none, red the highest; the ring lifted off."""
    mesh = skin(3e-4)
    feel = haptos.Taxels(sim, "tip", mesh.vertices).read()
    part = feel.pressure[0] / feel.pressure.max()
    colour = np.array([0.93, 0.90, 0.86]) + part[:, None] * (np.array([0.75, 0.05, 0.05]) - 0.9)
    scene = haptos.RenderScene()
    scene.add_mesh(np.asarray(mesh.vertices), np.asarray(mesh.triangles), vertex_colors=np.clip(colour, 0, 1))
    pose = sim.robots["ring"].link_pose("ring")[0].copy()
    pose[2] += 0.016
    ring = haptos.torus(0.0065, 0.002, 6e-4).transformed(pose[:3], pose[3:])
    scene.add_mesh(np.asarray(ring.vertices), np.asarray(ring.triangles), color=(0.6, 0.65, 0.7), finish="metal")
    haptos.save_png(path, haptos.render(scene, (-0.4, 0.9, -0.8), 800, 640, fov=0.5, margin=0.05))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--picture", type=Path)
    given = parser.parse_args()
    sim = hold()
    taxels = haptos.Taxels.on_mesh(sim, "tip", skin(3e-4))
    feel = taxels.read()
    pressed = feel.pressure[0] > 0
    print(f"{pressed.sum()} of {len(taxels)} taxels are pressed, the most with {feel.pressure.max() / 1e3:.1f} kPa "
          f"and {1e6 * feel.displacement.max():.0f} um")
    x, y, z = feel.force[0].sum(0)
    print(f"their forces add up to {x:.3f}, {y:.3f}, {z:.3f} N; the ring weighs {9.81 * MASS:.3f} N")
    if given.picture:
        draw(sim, given.picture)


if __name__ == "__main__":
    main()
