#!/usr/bin/env python3
"""A mug tips and pours its water into a bin.

    python scenes/particles/pour.py                     tells where the water has gone
    python scenes/particles/pour.py --film pour.mp4      and films it
    python scenes/particles/pour.py --picture pour.png   or draws four moments side by side
    python scenes/particles/pour.py --held              a hand takes the mug off a stand by friction and pours
    python scenes/particles/pour.py --mug mug.obj        writes the mug's surface

pour.yaml is the same scene for the command line, pour_held.yaml that with the hand.
"""

import argparse
import math
from pathlib import Path

import numpy as np

import haptos

RADIUS, HEIGHT, WALL = 0.055, 0.12, 0.012  # of the mug, outside [m]
DEPTH = 0.075  # of the water [m]
CELL = 0.018  # [m]
AT = (-0.06, 0.0, 0.22)  # of the mug's base [m]
TIPPED = 125.0  # how far the mug is turned [degrees]
SECONDS, HELD_SECONDS = 3.0, 3.8
GRIPPED = 0.4  # when the hand that holds the mug has it [s]
BIN = (0.30, 0.22, 0.10)  # inside of the bin [m]
BOARD = 0.02  # its walls [m]


def cup(radius: float, height: float, wall: float, sides: int = 48) -> haptos.TriMesh:
    """A round cup, base at z = 0, closed: outside and inside of its wall."""
    angle = 2 * np.pi * np.arange(sides) / sides
    ring = np.stack([np.cos(angle), np.sin(angle), 0 * angle], 1)
    rings = [(radius, 0.0), (radius, height), (radius - wall, height), (radius - wall, wall)]
    vertices = np.vstack([ring * (r, r, 1) + (0, 0, z) for r, z in rings] + [[(0, 0, 0)], [(0, 0, wall)]])
    now, after = np.arange(sides), (np.arange(sides) + 1) % sides
    low, up = len(vertices) - 2, len(vertices) - 1
    triangles = [np.stack([np.full(sides, low), after, now], 1),
                 np.stack([np.full(sides, up), 3 * sides + now, 3 * sides + after], 1)]
    for k in range(3):
        a, b = sides * k, sides * (k + 1)
        triangles += [np.stack([a + now, a + after, b + after], 1), np.stack([a + now, b + after, b + now], 1)]
    return haptos.TriMesh(vertices, np.vstack(triangles))


def scene(cell: float = CELL, dt: float = 0.01) -> haptos.Scene:
    scene = haptos.Scene(dt=dt)
    half = math.radians(TIPPED) / 2
    tipped = (math.cos(half), 0.0, math.sin(half), 0.0)
    scene.add_prescribed("mug", cup(RADIUS, HEIGHT, WALL), field_resolution=64, friction=0.04,
                         trajectory=[(0.3, AT, (1, 0, 0, 0)), (2.0, AT, tipped)])
    x, y, z = BIN
    scene.add_rigid("base", haptos.RobotShape("box", extents=(x + 2 * BOARD, y + 2 * BOARD, BOARD)), fixed=True,
                    position=(0.08, 0, -BOARD / 2), friction=0.04)
    for name, size, at in (("left", (BOARD, y, z), (0.08 - x / 2 - BOARD / 2, 0)), ("right", (BOARD, y, z), (0.08 + x / 2 + BOARD / 2, 0)),
                           ("front", (x + 2 * BOARD, BOARD, z), (0.08, -y / 2 - BOARD / 2)),
                           ("behind", (x + 2 * BOARD, BOARD, z), (0.08, y / 2 + BOARD / 2))):
        scene.add_rigid(name, haptos.RobotShape("box", extents=size), fixed=True, position=(*at, z / 2), friction=0.04)
    scene.add_material_points("water", haptos.RobotShape("cylinder", (RADIUS - WALL, DEPTH / 2)),
                              position=(AT[0], AT[1], AT[2] + WALL + DEPTH / 2), law="liquid", sound_speed=25, cell=cell,
                              friction=0.04)
    return scene


def in_bin(x: np.ndarray) -> np.ndarray:
    """Which of the places (n, 3) [m] are within the bin."""
    middle = np.array([0.08, 0, BIN[2] / 2])
    return (np.abs(x - middle) <= np.array(BIN) / 2).all(1)


def mug_pose(sim: haptos.Sim) -> np.ndarray:
    """Of a mug whose path is given, or that is held."""
    return (sim.robots["mug"].link_pose("mug") if "mug" in sim.robots else sim.pose("mug"))[0]


def in_hand(sim: haptos.Sim) -> np.ndarray:
    """Where the mug's base is in the frame of the hand that holds it [m]."""
    hand = sim.robots["hand"].link_pose("wrist")[0]
    return (mug_pose(sim)[:3] - hand[:3]) @ haptos.base.turns.rotation(hand[3:])


def in_wall(sim: haptos.Sim, field: haptos.DistanceField) -> float:
    """How deep a point of the water is in the wall of the mug [m]."""
    pose = mug_pose(sim)
    local = (sim.material_points["water"].position[0] - pose[:3]) @ haptos.base.turns.rotation(pose[3:])
    return float(max(0.0, -field.distance(local).min()))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--picture", type=Path)
    parser.add_argument("--film", type=Path)
    parser.add_argument("--seconds", type=float)
    parser.add_argument("--held", action="store_true")
    parser.add_argument("--mug", type=Path)
    given = parser.parse_args()
    if given.mug:
        haptos.write_obj(given.mug, cup(RADIUS, HEIGHT, WALL))
        return
    made = haptos.load_scene(Path(__file__).with_name("pour_held.yaml")) if given.held else scene()
    sim, seconds = made.compile(quiet=True), given.seconds or (HELD_SECONDS if given.held else SECONDS)
    water = sim.material_points["water"]
    field = haptos.DistanceField(cup(RADIUS, HEIGHT, WALL), resolution=64)
    taker = haptos.SimStage(sim)
    look = haptos.Look(width=480, height=420, camera=(0.3, 1.0, -0.45),
                       frame=[[-0.28 if given.held else -0.14, -0.14, -0.02], [0.26, 0.14, 0.36]],
                       colors={"water": (0.35, 0.6, 0.85), "mug": (0.85, 0.8, 0.75)})
    frames, deepest, gripped = [], 0.0, None
    for k in range(round(seconds / sim.dt)):
        report = sim.step()
        if not report.ok:
            raise RuntimeError(report.describe())
        deepest = max(deepest, in_wall(sim, field))
        if given.held and k + 1 == round(GRIPPED / sim.dt):
            gripped = in_hand(sim)
        if (given.film or given.picture) and k % 4 == 3:
            frames.append(haptos.draw(taker.stage, taker.take((), False), look))
    x = water.position[0]
    print(f"{len(x)} points; after {sim.time[0]:.1f} s {in_bin(x).mean():.1%} are in the bin, none deeper than "
          f"{1e3 * deepest:.1f} mm in the wall of the mug")
    if gripped is not None:
        print(f"the mug slipped by {1e3 * np.linalg.norm(in_hand(sim) - gripped):.2f} mm in the hand")
    if given.film:
        haptos.save_movie(given.film, frames, fps=25)
    if given.picture:
        shown = [frames[round(t * (len(frames) - 1))] for t in (0.25, 0.45, 0.6, 1.0)]
        haptos.save_png(given.picture, np.hstack(shown))


if __name__ == "__main__":
    main()
