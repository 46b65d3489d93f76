#!/usr/bin/env python3
"""Ninety-one animals with ears, necks and legs fall into a box and come to rest.

    python scenes/pressure/animals.py                     tells energy and motion each half second
    python scenes/pressure/animals.py --picture pile.png  and draws the pile
"""

import argparse
import math
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np

import haptos
from haptos.base.turns import rotation

COUNT = 91
MODULUS = 1e9  # [Pa/m]: at 1e7 a limb that falls on another one is pushed through it
DENSITY = 400  # [kg/m3]
WALL, INSIDE = 0.02, 0.40  # thickness and side of the box [m]


def ball(centre: tuple, radii: tuple) -> haptos.TriMesh:
    """An ellipsoid."""
    unit = haptos.icosphere(1.0, 0.3)
    return haptos.TriMesh(np.asarray(unit.vertices) * radii + centre, unit.triangles)


def rod(start: tuple, end: tuple, radius: float) -> haptos.TriMesh:
    """A capsule from one place to another."""
    a, b = np.array(start, float), np.array(end, float)
    along = (b - a) / np.linalg.norm(b - a)
    mesh = haptos.capsule(radius, float(np.linalg.norm(b - a)), 0.4 * radius)
    across = np.cross(along, [1, 0, 0] if abs(along[0]) < 0.9 else [0, 1, 0])
    across /= np.linalg.norm(across)
    turn = np.column_stack([across, np.cross(along, across), along])
    return haptos.TriMesh(np.asarray(mesh.vertices) @ turn.T + 0.5 * (a + b), mesh.triangles)


def together(parts: list) -> haptos.TriMesh:
    """Parts that run through each other, as one mesh: what is in any of them is inside."""
    vertices, triangles, first = [], [], 0
    for p in parts:
        vertices.append(np.asarray(p.vertices))
        triangles.append(np.asarray(p.triangles) + first)
        first += len(vertices[-1])
    return haptos.TriMesh(1e-3 * np.concatenate(vertices), np.concatenate(triangles))


def legs(x: float, y: float, top: float, radius: float) -> list:
    return [rod((sx * x, sy * y, top), (sx * x, sy * y, radius), radius)
            for sx in (-1, 1) for sy in (-1, 1)]


def animals() -> dict:
    """Each by its name, standing on z = 0, about 8 cm long; in millimetres until they are together."""
    rabbit = [ball((0, 0, 26), (24, 17, 18)), ball((24, 0, 42), (13, 12, 12)),
              rod((24, 5, 50), (18, 9, 76), 4), rod((24, -5, 50), (18, -9, 76), 4),
              ball((-24, 0, 30), (7, 7, 7)), *legs(14, 10, 20, 6)]
    giraffe = [ball((0, 0, 40), (24, 13, 14)), rod((18, 0, 44), (32, 0, 88), 6),
               ball((37, 0, 92), (13, 7, 7)), rod((-22, 0, 44), (-34, 0, 26), 3),
               *legs(15, 8, 36, 4)]
    duck = [ball((0, 0, 20), (30, 20, 18)), rod((18, 0, 26), (24, 0, 50), 7),
            ball((26, 0, 56), (13, 12, 12)), ball((42, 0, 54), (9, 7, 3)),
            rod((-24, 0, 24), (-40, 0, 34), 5)]
    octopus = [ball((0, 0, 42), (22, 22, 26)),
               *(rod((12 * math.cos(a), 12 * math.sin(a), 28), (40 * math.cos(a), 40 * math.sin(a), 5), 5)
                 for a in np.arange(8) * math.pi / 4)]
    kinds = {"rabbit": rabbit, "giraffe": giraffe, "duck": duck, "octopus": octopus}
    return {name: together(parts) for name, parts in kinds.items()}


def centred(mesh: haptos.TriMesh) -> haptos.TriMesh:
    """With the centre of mass of an even density, parts that overlap counted twice, at the origin."""
    v, t = np.asarray(mesh.vertices), np.asarray(mesh.triangles)
    corners = v[t]
    six = np.einsum("ij,ij->i", corners[:, 0], np.cross(corners[:, 1], corners[:, 2]))
    centre = (six[:, None] * corners.sum(axis=1)).sum(axis=0) / (24 * (six.sum() / 6))
    return haptos.TriMesh(v - centre, mesh.triangles)


def scene(count: int = COUNT, dt: float = 0.0025, seed: int = 1) -> haptos.Scene:
    """Rows of animals, each turned any way, above an open box."""
    scene = haptos.Scene(dt=dt, gravity=(0, 0, -9.81))
    scene.point_contact.most_samples, scene.point_contact.patch_cells = 50, 12  # of two animals
    half, wall = 0.5 * INSIDE, 0.5 * WALL
    sides = [((half + WALL, half + WALL, wall), (0, 0, -wall))]
    for s in (-1, 1):
        sides.append(((wall, half + WALL, half), (s * (half + wall), 0, half)))
        sides.append(((half, wall, half), (0, s * (half + wall), half)))
    for k, (size, place) in enumerate(sides):
        scene.add_rigid(f"wall_{k}", haptos.RobotShape("box", size), fixed=True, position=place,
                        friction=0.5)
    rng = np.random.default_rng(seed)
    kinds = [(name, centred(mesh)) for name, mesh in animals().items()]
    for k in range(count):
        name, mesh = kinds[k % len(kinds)]
        row, place = divmod(k, 9)
        q = rng.normal(size=4)
        scene.add_rigid(f"{name}_{k}", haptos.RobotShape("mesh", mesh=mesh), density=DENSITY,
                        hydroelastic=MODULUS, field_resolution=128, friction=0.5,
                        quaternion=q / np.linalg.norm(q),
                        position=(0.12 * (place % 3 - 1), 0.12 * (place // 3 - 1), 0.08 + 0.12 * row))
    return scene


@dataclass
class Course:
    """Of the pile, each half second."""

    time: np.ndarray  # [s]
    kinetic: np.ndarray  # [J]
    potential: np.ndarray  # of weight [J]
    elastic: np.ndarray  # of what is pressed in [J]
    fastest: np.ndarray  # place of any animal [m/s]
    outside: int  # animals that are not in the box at the end


def fall(count: int = COUNT, seconds: float = 3.0, dt: float = 0.0025, seed: int = 1,
         every: float = 0.5, tell: Callable = None) -> tuple:
    """The simulation at its end, and its course."""
    sim = scene(count, dt, seed).compile()
    views = [view for name, view in sim.robots.items() if not name.startswith("wall")]
    trees = [haptos.Tree(view.robot) for view in views]
    rows = []
    for step in range(1, round(seconds / dt) + 1):
        report = sim.step()
        if not report.ok:
            raise RuntimeError(report.describe())
        if step % round(every / dt):
            continue
        places = np.array([view.position[0, :3] for view in views])
        speeds = np.array([view.velocity[0, :3] for view in views])
        both = [tree.energy(view.position[0], view.velocity[0]) for tree, view in zip(trees, views)]
        pressed = sim.contacts["normal_force"] * np.maximum(-sim.contacts["gap"], 0)
        rows.append((step * dt, *np.sum(both, axis=0), 0.5 * pressed.sum(),
                     np.linalg.norm(speeds, axis=1).max()))
        if tell:
            tell(*rows[-1])
    outside = (np.abs(places[:, :2]) > 0.5 * INSIDE).any(axis=1) | (places[:, 2] < 0)
    return sim, Course(*np.array(rows).T, outside=int(outside.sum()))


def deepest(sim: haptos.Sim) -> float:
    """How deep a corner of any animal is in another one [m]."""
    meshes = {name: centred(mesh) for name, mesh in animals().items()}
    fields = {name: haptos.DistanceField(mesh, 128) for name, mesh in meshes.items()}
    poses = {robot: view.link_pose(robot)[0] for robot, view in sim.robots.items()
             if robot.split("_")[0] in meshes}
    deep = 0.0
    for a, pose_a in poses.items():
        corners = np.asarray(meshes[a.split("_")[0]].transformed(pose_a[:3], pose_a[3:]).vertices)
        for b, pose_b in poses.items():
            if a == b or np.linalg.norm(pose_a[:3] - pose_b[:3]) > 0.2:
                continue
            inside = (corners - pose_b[:3]) @ rotation(pose_b[3:])
            deep = max(deep, -fields[b.split("_")[0]].distance(inside).min())
    return deep


def draw(sim: haptos.Sim, path: Path) -> None:
    """The pile as it lies, without two of the walls."""
    colours = {"rabbit": (0.82, 0.74, 0.66), "giraffe": (0.90, 0.68, 0.25),
               "duck": (0.95, 0.86, 0.35), "octopus": (0.72, 0.42, 0.55)}
    scene = haptos.RenderScene()
    half = 0.5 * INSIDE
    for size, place in (((INSIDE, INSIDE, WALL), (0, 0, -0.5 * WALL)),
                        ((WALL, INSIDE, 0.2), (-half - 0.5 * WALL, 0, 0.1)),
                        ((INSIDE, WALL, 0.2), (0, half + 0.5 * WALL, 0.1))):
        wall = haptos.box(size).transformed(place)
        scene.add_mesh(np.asarray(wall.vertices), np.asarray(wall.triangles),
                       color=(0.80, 0.82, 0.84), crease_angle=0.5)
    meshes = {name: centred(mesh) for name, mesh in animals().items()}
    for robot, view in sim.robots.items():
        name = robot.split("_")[0]
        if name not in meshes:
            continue
        pose = view.link_pose(robot)[0]
        placed = meshes[name].transformed(pose[:3], pose[3:])
        scene.add_mesh(np.asarray(placed.vertices), np.asarray(placed.triangles),
                       color=colours[name], crease_angle=0.6)
    haptos.save_png(path, haptos.render(scene, (-0.7, 0.8, -0.75), 1000, 800, fov=0.5, margin=0.02))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--count", type=int, default=COUNT)
    parser.add_argument("--seconds", type=float, default=3.0)
    parser.add_argument("--dt", type=float, default=0.0025, help="step [s]")
    parser.add_argument("--picture", type=Path, help="of the pile at the end")
    given = parser.parse_args()
    print("   time   kinetic energy    of weight     elastic       fastest")
    sim, course = fall(given.count, given.seconds, given.dt,
                       tell=lambda t, k, p, e, v: print(
                           f"{t:5.1f} s {k:13.3e} J {p:11.6f} J {e:11.6f} J {1e3 * v:9.3f} mm/s", flush=True))
    print(f"{course.outside} of {given.count} animals are not in the box; "
          f"they are {1e3 * deepest(sim):.2f} mm deep in each other")
    if given.picture:
        draw(sim, given.picture)


if __name__ == "__main__":
    main()
