"""Scenes of boundary-layer contact in scenes/layers."""

import subprocess
import sys

import numpy as np
import pytest

from conftest import ROOT

import haptos
from haptos import scans
from haptos.base import turns

SCENES = ROOT / "scenes/layers"
WEIGHT = 42 * 9.81
ABOVE_FEET = WEIGHT - 2 * 1.3 * 9.81  # what ankles carry


def made(**files):
    """Where make.py has put what scenes need: its names, and the files that show they are there."""
    pytest.importorskip("scipy", reason="calibration needs scipy")
    missing = [name for name, file in files.items() if not (SCENES / "made" / file).exists()]
    if missing:
        subprocess.run([sys.executable, SCENES / "make.py", *missing], check=True)
    return SCENES / "made"


def loads(sim, links):
    """Forces on links of the humanoid (n, 3) [N], and what they turn about the origin (n, 3)."""
    found = [sim.contact_wrench(f"man/{link}", about=(0, 0, 0)) for link in links]
    return (np.array([w.force[0] for w in found]), np.array([w.torque[0] for w in found]))


def centre_of_mass(man, tree):
    return np.asarray(tree.centre_of_mass(man.position[0]))


def shaken(until):
    """The cube beside the fingers (n, 3) [m], at each step, and its place at the end."""
    sim = haptos.load_scene(ROOT / "scenes/layers/pick_and_shake.yaml").compile(strict=True)
    beside, deepest = [], 0.0
    for _ in range(int(until / 2e-3)):
        report = sim.step()
        assert report.status[0] == 0 and report.crossed[0] == 0
        sway, lift, _, _ = np.array(sim.robots["gripper"].position).ravel()
        place = np.array(sim.robots["cube"].position).ravel()
        beside.append(place[:3] - [0, sway, lift])
        deepest = max(deepest, -sim.contacts["gap"].min(initial=0))
    return np.array(beside), deepest, place


def check_grip(beside, deepest):
    held = beside[int(0.84 / 2e-3):int(6 / 2e-3)]
    # While the lift brakes at g, hand and cube fall alike: h^2 g / 2 in a step would be 20 um.
    assert np.abs(held - held[0]).max() < 1e-5
    assert deepest < 2.5e-3  # of R = 5 mm: cores never meet


def test_fine_fingertips_pick_up_a_coarse_cube_and_shake_it():
    beside, deepest, place = shaken(2.6)
    check_grip(beside, deepest)
    assert place[2] > 0.2


@pytest.mark.full
def test_fine_fingertips_shake_a_coarse_cube_and_put_it_back():
    beside, deepest, place = shaken(8)
    held = beside[420:3000] - beside[420]
    # As in check_grip(), across the fingers. Along them both push with the 20 N that they may, so nothing holds fingers and cube
    # there: what closing left them goes on.
    assert np.abs(held[:, 1:]).max() < 1e-5 and deepest < 2.5e-3
    speed = np.diff(held[:, 0]) / 2e-3
    assert np.abs(speed).max() < 2e-5 and np.ptp(speed) < 1e-5
    slip = 1e3 * np.abs(held[:, 1:]).max()
    print(f"FIGURE slip of the cube = {slip:.3f} mm (at most 1)")
    print(f"FIGURE deepest contact = {1e3 * deepest:.4f} mm (at most 2.5)")
    off = 1e3 * np.abs(place[:3] - [0, 0, 0.0275]).max()
    print(f"FIGURE placed beside its place = {off:.4f} mm (at most 2)")
    assert off < 2


# -- humanoid ----------------------------------------------------------------------------------


def felt(man):
    """Load on both ankles together [N]: what they read, turned from the feet's axes."""
    return -sum((turns.rotation(man.link_pose(f"{side}_foot")[0, 3:])
                 @ man.sensors[side].value[0, :3])[2] for side in ("left", "right"))


def check_rest(sim, man, tree, feet=("left_foot", "right_foot")):
    """Feet carry the weight, below the centre of mass, and ankles feel all but the feet's own."""
    force, torque = loads(sim, feet)
    total = force.sum(axis=0)
    assert total[2] == pytest.approx(WEIGHT, rel=1e-3)
    pressure = np.array([-torque[:, 1].sum(), torque[:, 0].sum()]) / total[2]
    assert pressure == pytest.approx(centre_of_mass(man, tree)[:2], abs=1.5e-3)
    assert felt(man) == pytest.approx(ABOVE_FEET, rel=1e-3)
    return force[:, 2]


def shifted(scene, until):
    """Steps to `until`; the weight shift is over after 9.5 s."""
    sim = scene.compile(strict=True, quiet=True)
    man = sim.robots["man"]
    tree, split, largest = haptos.Tree(man.robot), {}, 0.0
    for k in range(round(until / 2e-3)):
        report = sim.step()
        assert report.status[0] == 0 and report.crossed[0] == 0
        time = round((k + 1) * 2e-3, 3)
        if time in (1.8, 5.8, 9.3):  # before the next move begins
            split[time] = check_rest(sim, man, tree)
        if 5.2 < time < 5.8:
            largest = max(largest, loads(sim, ["left_foot"])[0][0, 2])
    return split, largest


def check_shift(split, largest):
    assert {1.8, 5.8} <= set(split)
    for time, forces in split.items():
        if time == 5.8:
            assert forces[0] > 0.995 * WEIGHT
        else:
            assert forces == pytest.approx(WEIGHT / 2 * np.ones(2), rel=0.25)
    assert largest < 1.05 * WEIGHT


def standing(state, ground, **robot):
    """The humanoid in one of its states on a mesh, with sensors at its ankles."""
    files = made(humanoid="sit.csv")
    man = haptos.load_robot(files / "humanoid.urdf", srdf=files / "humanoid.srdf", state=state,
                            floating=True)
    scene = haptos.Scene(dt=2e-3)
    scene.add_rigid("ground", haptos.RobotShape("mesh", mesh=ground), fixed=True, friction=0.8)
    scene.add_robot("man", man, layer=2e-3, friction=0.8, motors={"kp": 2e4, "kd": 200}, **robot)
    for side in ("left", "right"):
        scene.add_robot_sensor("man", side, "force_torque", f"{side}_foot_joint")
    return scene


def shift_scene():
    path = made(humanoid="sit.csv") / "shift.csv"
    return standing("shift", scans.plane(1),
                    trajectory=haptos.load_trajectory(path, interpolation="cubic"))


def test_a_humanoid_shifts_its_weight_onto_one_foot():
    check_shift(*shifted(shift_scene(), 6))


@pytest.mark.full
def test_a_humanoid_comes_back_onto_both_feet():
    check_shift(*shifted(shift_scene(), 9.5))


def walked(sim, until):
    """Steps to `until`. Of each step: forces of left and right foot [N], readings of both ankles
    together [N], centre of pressure beside that of mass (2) [m]; and how many were divided."""
    man = sim.robots["man"]
    tree = haptos.Tree(man.robot)
    rows, parts = [], 0
    for _ in range(round(until / 2e-3)):
        report = sim.step()
        assert report.status[0] == 0 and report.crossed[0] == 0
        parts += int(report.parts[0] > 1)
        force, torque = loads(sim, ["left_foot", "right_foot"])
        total = force[:, 2].sum()
        off = np.zeros(2)
        if total > 0.5 * WEIGHT:
            off = (np.array([-torque[:, 1].sum(), torque[:, 0].sum()]) / total
                   - centre_of_mass(man, tree)[:2])
        rows.append((*force[:, 2], felt(man), *off))
    return np.array(rows), parts


def check_mean(rows, until, seconds=0.4):
    """At rest, on average: feet carry the weight, below the centre of mass, ankles what is above.
    Returns the share of the left foot."""
    end = round(until / 2e-3)
    rows = rows[end - round(seconds / 2e-3):end]
    left, right, ankles, *off = rows.mean(axis=0)
    print(f"FIGURE at {until} s: weight off by {abs((left + right) / WEIGHT - 1):.1e}, ankles by "
          f"{abs(ankles / ABOVE_FEET - 1):.1e} (at most 1e-3), pressure beside mass "
          f"{1e3 * np.abs(off).max():.2f} mm (at most 1.5), left {left / WEIGHT:.4f}")
    assert left + right == pytest.approx(WEIGHT, rel=1e-3)
    assert ankles == pytest.approx(ABOVE_FEET, rel=1e-3)
    assert np.abs(off).max() < 1.5e-3
    return left / WEIGHT


def soles(man):
    """Heights of the soles [m], left and right."""
    return np.array([man.link_pose(f"{side}_foot")[0, 2] - 0.1 for side in ("left", "right")])


def test_a_humanoid_stands_on_the_tread_of_a_scanned_ladder():
    ladder = scans.ladder(edge=0.03, roughness=3e-4)  # as fine as the fast tests bear
    sim = standing("tread", ladder).compile(strict=True, quiet=True)
    rows, _ = walked(sim, 1.4)
    assert check_mean(rows, 1.4) == pytest.approx(0.5, abs=0.125)
    assert soles(sim.robots["man"]) == pytest.approx([0.325, 0.325], abs=8e-3)


@pytest.mark.full
def test_a_humanoid_climbs_onto_a_ladder_of_a_million_triangles():
    files = made(humanoid="sit.csv", ladder="ladder.ply")
    sim = haptos.load_scene(files.parent / "climb.yaml").compile(strict=True, quiet=True)
    rows, parts = walked(sim, 32.4)
    print(f"FIGURE steps taken in parts = {parts} of {len(rows)}")
    for until in (1.8, 9.3, 32.4):
        assert check_mean(rows, until) == pytest.approx(0.5, abs=0.125)
    assert check_mean(rows, 5.8) > 0.995
    man = sim.robots["man"]
    print(f"FIGURE fastest at the end = {np.abs(man.velocity).max():.1e} rad/s")
    assert soles(man) == pytest.approx([0.325, 0.325], abs=8e-3)  # on the first tread
    assert man.position[0, 2] > 1.0


def sat(sim, until):
    """Steps to `until`. On average over the last 0.4 s, at rest: all weight on the chair, below the
    centre of mass, ankles feel what their feet do. Returns the share on the seat."""
    man = sim.robots["man"]
    tree, rows = haptos.Tree(man.robot), []
    for k in range(round(until / 2e-3)):
        report = sim.step()
        assert report.status[0] == 0 and report.crossed[0] == 0
        if k < (until - 0.4) / 2e-3:
            continue
        found = sim.contact_wrench("chair", about=(0, 0, 0))
        force, torque = -found.force[0], -found.torque[0]
        off = np.array([-torque[1], torque[0]]) / force[2] - centre_of_mass(man, tree)[:2]
        feet = loads(sim, ["left_foot", "right_foot"])[0][:, 2].sum()
        rows.append((force[2], *off, feet, felt(man) + WEIGHT - ABOVE_FEET,
                     np.abs(man.velocity).max()))
    weight, x, y, feet, ankles, _ = np.mean(rows, axis=0)
    fastest = np.max(rows, axis=0)[-1]
    print(f"FIGURE weight off by {abs(weight / WEIGHT - 1):.1e}, ankles by "
          f"{abs(ankles - feet) / WEIGHT:.1e} (at most 1e-3), pressure beside mass "
          f"{1e3 * max(abs(x), abs(y)):.2f} mm (at most 1.5), fastest {fastest:.1e} (at most 0.01)")
    assert weight == pytest.approx(WEIGHT, rel=1e-3)
    assert ankles == pytest.approx(feet, abs=1e-3 * WEIGHT)
    assert max(abs(x), abs(y)) < 1.5e-3 and fastest < 0.01
    return 1 - feet / weight


@pytest.mark.full
def test_a_humanoid_sits_down_on_the_scan_of_a_chair():
    files = made(humanoid="sit.csv", chair="chair.ply")
    share = sat(haptos.load_scene(files.parent / "sit.yaml").compile(strict=True, quiet=True), 9)
    print(f"FIGURE share of the weight on the seat = {share:.3f} (at least 0.2)")
    assert share > 0.2


def pressed(vertices, triangles, side):
    """Where a cube of 30 mm comes to rest that 20 N press on a sheet about z = 0, from above (1) or
    from below (-1)."""
    scene = haptos.Scene(dt=2e-3, gravity=(0, 0, 0))
    sheet = haptos.RobotShape("mesh", mesh=haptos.TriMesh(vertices, triangles))
    scene.add_rigid("seat", sheet, fixed=True, friction=0.5)
    scene.add_rigid("cube", haptos.RobotShape("box", size=(0.015, 0.015, 0.015)), mass=0.2,
                    layer=2e-3, friction=0.5, position=(0.01, 0.02, 0.025 * side))
    sim = scene.compile(strict=True, quiet=True)
    cube = sim.robots["cube"]
    cube.set_wrench("cube", (0, 0, -20 * side))
    for _ in range(400):
        report = sim.step()
        assert report.status[0] == 0 and report.crossed[0] == 0
    assert np.abs(cube.velocity).max() < 1e-4
    assert sim.contact_wrench("cube").force[0] == pytest.approx((0, 0, 20 * side), abs=0.02)
    return cube.position[0, :3]


def test_the_unseen_side_of_a_scan_holds_as_the_seen_one_does():
    chair = scans.chair().transformed(scale=0.75)  # as of sit.yaml
    x, t = np.asarray(chair.vertices), np.asarray(chair.triangles)
    middle = x[t].mean(axis=1)
    t = t[(np.abs(middle[:, :2]) < 0.06).all(axis=1) & (middle[:, 2] > 0.35) & (middle[:, 2] < 0.4)]
    up = np.cross(x[t[:, 1]] - x[t[:, 0]], x[t[:, 2]] - x[t[:, 0]])[:, 2]
    assert len(t) > 1000 and (up > 0).all()  # of the seat there is no underside
    x = x - (0, 0, 0.375)
    above, mirrored = pressed(x, t, 1), pressed(x * (1, 1, -1), t, -1)
    # Triangles of the mirrored sheet are turned, so that it is their backs that hold.
    assert above * (1, 1, -1) == pytest.approx(mirrored, abs=2e-6)
    below = pressed(x, t, -1)
    used = x[np.unique(t)]
    near = used[(np.abs(used[:, :2] - below[:2]) < 0.02).all(axis=1), 2]
    assert above[2] - 0.015 > np.median(near) and below[2] + 0.015 < np.median(near)


def balanced(seconds, settled):
    """On hands and feet: largest turn of a joint [rad] and way of the pelvis [m] after `settled`,
    and how often a second a pair of bodies began or ceased to touch."""
    files = made(humanoid="sit.csv", terrain="terrain.ply")
    sim = haptos.load_scene(files.parent / "fours.yaml").compile(strict=True, quiet=True)
    man = sim.robots["man"]
    turn = way = 0.0
    changes, before = {}, None
    for k in range(round(seconds / 2e-3)):
        report = sim.step()
        assert report.status[0] == 0 and report.crossed[0] == 0
        if k < settled / 2e-3:
            start = man.position[0].copy()
            continue
        turn = max(turn, np.abs(man.position[0, 7:] - start[7:]).max())
        way = max(way, np.linalg.norm(man.position[0, :3] - start[:3]))
        pairs = set(zip(sim.contacts["body_a"].tolist(), sim.contacts["body_b"].tolist(),
                        strict=True))
        for pair in pairs ^ (pairs if before is None else before):
            changes[pair] = changes.get(pair, 0) + 1
        before = pairs
    force = sim.contact_wrench("ground").force[0]
    assert -force == pytest.approx((0, 0, WEIGHT), abs=1e-3 * WEIGHT)
    return turn, way, max(changes.values(), default=0) / (seconds - settled)


def test_a_humanoid_balances_on_hands_and_feet():
    turn, way, flips = balanced(2.5, 1.5)
    assert turn < np.radians(0.5) and way < 2e-3 and flips < 1


@pytest.mark.full
def test_a_humanoid_balances_on_hands_and_feet_for_three_minutes():
    turn, way, flips = balanced(180, 5)
    print(f"FIGURE joints turned after 5 s by = {np.degrees(turn):.4f} degrees (at most 0.5)")
    print(f"FIGURE pelvis moved after 5 s by = {1e3 * way:.4f} mm (at most 2)")
    print(f"FIGURE touches began or ceased = {flips:.4f} a second (at most 1)")
    assert turn < np.radians(0.5) and way < 2e-3 and flips < 1
