#!/usr/bin/env python3
"""A ball falls on a block of dough and leaves its print; the same block without a yield stress throws it back.

    python scenes/particles/ball_on_dough.py                     tells how deep the print is
    python scenes/particles/ball_on_dough.py --picture dough.png  and draws both, coloured by how much has flowed

The dough alone is the scene file ball_on_dough.yaml beside it.
"""

import argparse
import math
from pathlib import Path

import numpy as np

import haptos

SIZE = (0.2, 0.12, 0.06)  # of the block [m]
CELL = 0.015  # [m]
RADIUS, MASS = 0.03, 1.0  # of the ball [m], [kg]
YIELD = 1200.0  # [Pa]


def scene(yield_stress: float | None) -> haptos.Scene:
    scene = haptos.Scene(dt=0.01)
    scene.add_half_space("floor")
    scene.add_material_points("dough", haptos.RobotShape("box", extents=SIZE), position=(0, 0, SIZE[2] / 2), young=2e4,
                              yield_stress=yield_stress, cell=CELL, friction=0.6)
    scene.add_rigid("ball", haptos.RobotShape("sphere", (RADIUS,)), mass=MASS, position=(0, 0, 0.14), velocity=(0, 0, -1.0))
    return scene


def fall(yield_stress: float | None, seconds: float) -> haptos.Sim:
    sim = scene(yield_stress).compile(quiet=True)
    for _ in range(round(seconds / sim.dt)):
        report = sim.step()
        if not report.ok:
            raise RuntimeError(report.describe())
    return sim


def draw(sims: list[haptos.Sim], path: Path) -> None:
    """Side by side; white has not flowed, red has flowed by 1 or more."""
    pictures = []
    ball = haptos.icosphere(RADIUS, 0.003)
    for sim in sims:
        dough = sim.material_points["dough"]
        skin = dough.skin(values=np.clip(dough.flow[0], 0, 1))
        part = skin.values[:, None]
        stage = haptos.RenderScene()
        stage.add_mesh(skin.mesh.vertices, skin.mesh.triangles, crease_angle=1.2,
                       vertex_colors=np.array([0.93, 0.86, 0.72]) * (1 - part) + part * (0.75, 0.2, 0.1))
        pose = sim.robots["ball"].link_pose("ball")[0]
        placed = ball.transformed(pose[:3], pose[3:])
        stage.add_mesh(np.asarray(placed.vertices), np.asarray(placed.triangles), color=(0.3, 0.45, 0.6), crease_angle=0.6)
        pictures.append(haptos.render(stage, (-0.5, 0.7, -0.55), 560, 420, fov=math.radians(25), margin=0.05))
    haptos.save_png(path, np.hstack(pictures))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--picture", type=Path)
    given = parser.parse_args()
    sims = []
    for name, stress in (("dough", YIELD), ("rubber", None)):
        sim = fall(stress, 0.6)
        sims.append(sim)
        low = sim.robots["ball"].link_pose("ball")[0, 2] - RADIUS
        print(f"{name}: {len(sim.material_points['dough'])} points; the ball lies {1e3 * (SIZE[2] - low):.1f} mm deep, "
              f"{(sim.material_points['dough'].flow[0] > 0.01).mean():.0%} has flowed")
    if given.picture:
        draw(sims, given.picture)


if __name__ == "__main__":
    main()
