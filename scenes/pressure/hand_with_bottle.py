#!/usr/bin/env python3
"""A hand closes around a bottle, lifts it, and holds it by what its skin feels.

    python scenes/pressure/hand_with_bottle.py                    tells what the skin feels
    python scenes/pressure/hand_with_bottle.py --picture hand.png  and draws it, with the maps of all links
"""

import argparse
import math
import tempfile
from pathlib import Path

import numpy as np

import haptos
from haptos.base.turns import rotation

SKIN = 1e8  # of the hand [Pa/m]
MASS = 0.5  # of the bottle [kg]
FRICTION = 0.7
LENGTHS = (0.045, 0.032, 0.026)  # of the links of a finger [m]
RADIUS = 0.009  # of a finger [m]
SIDE = 0.047  # of the palm, from its middle to the knuckles [m]
PALM = (0.012, SIDE, 0.045)  # half sides [m]
HEIGHT = 0.07  # of the middle of the palm over the table [m]
#: Fingers by name: on which side of the palm, how high over its middle [m].
FINGERS = {"index": (1, 0.033), "middle": (1, 0.011), "ring": (1, -0.011), "little": (1, -0.033),
           "thumb": (-1, 0.0)}
OPEN, CLOSED = (-0.1, 0.1, 0.1), (0.9, 1.5, 1.5)  # angles of the joints [rad]
EFFORT = (0.2, 0.13, 0.07)  # of their motors [N m]
LIFT = 0.1  # [m]
ROWS, COLUMNS, AROUND = 10, 9, math.radians(150)  # taxels of a link: along it, around its inner side


def hand_urdf() -> str:
    """Palm on a slide that lifts it; fingers of three links, which curl about z towards each other."""

    def link(name: str, shape: str, middle: tuple, mass: float, inertia: float) -> str:
        at = " ".join(f"{x:g}" for x in middle)
        turn = ' rpy="0 1.5707963267948966 0"' if "capsule" in shape else ""
        return (f'<link name="{name}"><inertial><origin xyz="{at}"/><mass value="{mass:g}"/>'
                f'<inertia ixx="{inertia:g}" iyy="{inertia:g}" izz="{inertia:g}"/></inertial>'
                f'<collision><origin xyz="{at}"{turn}/><geometry>{shape}</geometry></collision></link>\n')

    palm = " ".join(f"{2 * x:g}" for x in PALM)
    text = '<robot name="hand">\n<link name="base"/>\n' + link("palm", f'<box size="{palm}"/>', (0, 0, 0), 0.4, 5e-4)
    text += ('<joint name="lift" type="prismatic"><parent link="base"/><child link="palm"/><axis xyz="0 0 1"/>'
             '<limit lower="0" upper="0.3" effort="1000" velocity="10"/></joint>\n')
    for finger, (side, height) in FINGERS.items():
        parent, at = "palm", (0.0, side * SIDE, height)
        for k, length in enumerate(LENGTHS):
            name = f"{finger}_{k}"
            shape = f'<capsule radius="{RADIUS}" length="{length:g}"/>'
            text += link(name, shape, (0.5 * length, 0, 0), 0.03, 2e-5)
            text += (f'<joint name="{name}" type="revolute"><parent link="{parent}"/><child link="{name}"/>'
                     f'<origin xyz="{at[0]:g} {at[1]:g} {at[2]:g}"/><axis xyz="0 0 {-side}"/>'
                     '<limit lower="-0.3" upper="2" effort="5" velocity="20"/></joint>\n')
            parent, at = name, (length, 0.0, 0.0)
    return text + "</robot>\n"


def revolved(profile: list, around: int) -> haptos.TriMesh:
    """A closed surface around z from its radii and heights [m], the first and the last on the axis."""
    r, z = np.array(profile, float).T
    angle = 2 * math.pi * np.arange(around) / around
    rings = np.stack([np.outer(r[1:-1], np.cos(angle)), np.outer(r[1:-1], np.sin(angle)),
                      np.repeat(z[1:-1, None], around, 1)], 2)
    vertices = np.vstack([rings.reshape(-1, 3), [(0, 0, z[0])], [(0, 0, z[-1])]])
    low, high, now = len(vertices) - 2, len(vertices) - 1, np.arange(around)
    after, last = (now + 1) % around, (len(rings) - 1) * around
    triangles = [np.stack([np.full(around, low), after, now], 1),
                 np.stack([np.full(around, high), last + now, last + after], 1)]
    for k in range(len(rings) - 1):
        a, b = k * around, (k + 1) * around
        triangles += [np.stack([a + now, a + after, b + after], 1), np.stack([a + now, b + after, b + now], 1)]
    return haptos.TriMesh(vertices, np.vstack(triangles))


def bottle() -> haptos.TriMesh:
    """A bottle of 23 cm that is closed and full [m]."""
    return revolved([(0, 0), (0.030, 0), (0.033, 0.003), (0.033, 0.13), (0.030, 0.145), (0.020, 0.165),
                     (0.0135, 0.185), (0.0135, 0.225), (0.012, 0.23), (0, 0.23)], 104)


def skin_of(side: int, length: float) -> tuple:
    """Places of the taxels of a link on the side towards the bottle, row by row [m], and their area [m2]."""
    along = (np.arange(ROWS) + 0.5) / ROWS * length
    turn = ((np.arange(COLUMNS) + 0.5) / COLUMNS - 0.5) * AROUND
    places = [(x, -side * RADIUS * math.cos(a), RADIUS * math.sin(a)) for x in along for a in turn]
    return np.array(places), length / ROWS * RADIUS * AROUND / COLUMNS


def scene(folder: Path) -> haptos.Scene:
    scene = haptos.Scene(dt=2e-3)
    scene.point_contact.most_samples, scene.point_contact.patch_cells = 30, 12
    (folder / "hand.urdf").write_text(hand_urdf())
    start = {f"{finger}_{k}": OPEN[k] for finger in FINGERS for k in range(3)}
    scene.add_robot("hand", folder / "hand.urdf", position=(0, 0, HEIGHT), start=start, friction=FRICTION,
                    hydroelastic=SKIN, self_contact=False,
                    motors=[{"joints": "lift", "kp": 2e4, "kd": 400, "effort": 200}] + [
                        {"joints": [f"{finger}_{k}" for finger in FINGERS], "kp": 4, "kd": 0.05, "effort": EFFORT[k]}
                        for k in range(3)])
    for finger, (side, _) in FINGERS.items():
        for k, length in enumerate(LENGTHS):
            places, area = skin_of(side, length)
            scene.add_robot_sensor("hand", f"{finger}_{k}", "taxels", f"{finger}_{k}", places=places, area=area, rate=100)
    scene.add_robot_sensor("hand", "palm", "taxels", "palm", position=(PALM[0], 0, 0),
                           quaternion=(0.5, 0.5, 0.5, 0.5), grid=(22, 23), pitch=PALM[2] / 11, rate=100)
    scene.add_rigid("bottle", haptos.RobotShape("mesh", mesh=bottle()), mass=MASS, friction=FRICTION,
                    position=(PALM[0] + 0.036, 0, 0), field_resolution=96)
    scene.add_half_space("table", friction=0.4)
    return scene


def hold(folder: Path, seconds: float = 3.0, each=None) -> haptos.Sim:
    """The hand closes in .6 s, lifts in 1 s and holds on."""
    sim = scene(folder).compile()
    hand = sim.robots["hand"]
    for step in range(round(seconds / sim.dt)):
        t = step * sim.dt
        close, lift = min(t / 0.6, 1), min(max(t - 0.8, 0), 1)
        lift = lift * lift * (3 - 2 * lift)
        target = {f"{finger}_{k}": OPEN[k] + close * (CLOSED[k] - OPEN[k]) for finger in FINGERS for k in range(3)}
        hand.set_command(position=target | {"lift": LIFT * lift})
        report = sim.step()
        if not report.ok:
            raise RuntimeError(report.describe())
        if each:
            each(sim, step)
    return sim


def white_to_red(part: np.ndarray) -> np.ndarray:
    """Colours of numbers from 0 to 1."""
    return np.clip(np.array([0.93, 0.90, 0.86]) + part[..., None] * (np.array([0.75, 0.05, 0.05]) - 0.9), 0, 1)


def capsule(length: float) -> haptos.TriMesh:
    """The skin of a link, along x from its joint on, in vertices 1 mm apart."""
    bend = np.linspace(-0.5 * math.pi, 0, 15)
    low = np.stack([RADIUS * np.cos(bend), RADIUS * np.sin(bend)], 1)
    middle = np.stack([np.full(40, RADIUS), np.linspace(0, length, 42)[1:-1]], 1)
    mesh = revolved([*low, *middle, *(low * (1, -1) + (0, length))[::-1]], 56)
    return mesh.transformed((0, 0, 0), (math.sqrt(0.5), 0, math.sqrt(0.5), 0))  # z to x


def draw(sim: haptos.Sim, path: Path) -> None:
    """The hand with the bottle, without it, and from behind without the palm; coloured by pressure: white none, red
    the highest."""
    skins = {f"{finger}_{k}": capsule(length) for finger in FINGERS for k, length in enumerate(LENGTHS)}
    skins["palm"] = haptos.box(tuple(2 * x for x in PALM), (4, 60, 60))
    feel = {name: haptos.Taxels(sim, f"hand/{name}", mesh.vertices).read().pressure[0] for name, mesh in skins.items()}
    most = max(p.max() for p in feel.values())
    pictures = []
    for direction, without in (((-0.6, 0.55, -0.5), ""), ((-0.9, 0.1, -0.3), "bottle"), ((0.9, 0.15, -0.3), "bottle palm")):
        scene = haptos.RenderScene()
        for name, mesh in skins.items():
            if name in without:
                continue
            pose = sim.robots["hand"].link_pose(name)[0]
            placed = mesh.transformed(pose[:3], pose[3:])
            scene.add_mesh(np.asarray(placed.vertices), np.asarray(placed.triangles),
                           vertex_colors=white_to_red(feel[name] / most), crease_angle=0.6)
        if not without:
            pose = sim.robots["bottle"].link_pose("bottle")[0]
            placed = bottle().transformed(pose[:3], pose[3:])
            scene.add_mesh(np.asarray(placed.vertices), np.asarray(placed.triangles), color=(0.25, 0.45, 0.35),
                           crease_angle=0.4)
        pictures.append(haptos.render(scene, direction, 480, 600, fov=0.4, margin=0.05))
    haptos.save_png(path, np.hstack(pictures))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--picture", type=Path)
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        sim = hold(Path(folder))
    hand, total = sim.robots["hand"], np.zeros(3)
    for name, sensor in hand.sensors.items():
        feel = sensor.taxels()
        force = rotation(hand.link_pose(name)[0, 3:]) @ feel.force[0].sum(0)
        total += force
        if feel.pressure.max() > 0:
            print(f"{name:9s} {(feel.pressure[0] > 0).sum():3d} of {feel.pressure.shape[1]} taxels, the most "
                  f"{feel.pressure.max() / 1e3:5.1f} kPa, {np.linalg.norm(force):6.2f} N")
    print(f"together {np.round(total, 3)} N; the bottle weighs {9.81 * MASS:.3f} N")
    if given.picture:
        draw(sim, given.picture)


if __name__ == "__main__":
    main()
