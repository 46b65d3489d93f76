"""The humanoid of haptos scan: its file is read, its masses are those of the list, and it stands."""

import numpy as np
import pytest

import haptos
from haptos import scans
from haptos.cli.main import run_command
from haptos.scans.humanoid import STANDING_HEIGHT, capsule_surface, solid_moments


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    return scans.write_humanoid(tmp_path_factory.mktemp("robot") / "humanoid.urdf")


@pytest.fixture(scope="module")
def robot(files):
    return haptos.load_robot(files[0], srdf=files[1], floating=True)


def test_it_has_57_links_of_42_kg_and_38_joints_that_motors_move(robot):
    mass = np.array([link.mass for link in robot.links])
    assert len(robot.links) == 57 and mass.sum() == pytest.approx(42, abs=1e-9)
    assert mass.max() / mass.min() == pytest.approx(156.25)
    assert robot.links[int(mass.argmax())].name == "torso"
    moving = [j for j in robot.joints if j.kind == "revolute"]
    assert len(moving) == 56 and sum(j.mimic is not None for j in moving) == 18
    assert not robot.warnings and not haptos.check_robot(robot)


def test_it_is_as_tall_as_a_child_and_the_same_on_both_sides(robot):
    tree = haptos.Tree(robot)
    q = np.zeros(tree.nq)
    q[:7] = (0, 0, STANDING_HEIGHT, 1, 0, 0, 0)
    poses = np.asarray(tree.forward_kinematics(q))
    top, sole, places = 0.0, 1.0, {}
    for pose, link in zip(poses, robot.links, strict=True):
        assert len(link.collisions) == 1
        shape = link.collisions[0]
        # All joints at 0, links are turned as the world is; a capsule may lie along any axis.
        w, v = shape.frame[3], np.array(shape.frame[4:])
        x = np.asarray(shape.mesh.vertices)
        assert len(shape.mesh.triangles) == 3600
        world = pose[:3] + shape.frame[:3] + x + 2 * np.cross(v, np.cross(v, x) + w * x)
        top, sole = max(top, world[:, 2].max()), min(sole, world[:, 2].min())
        places[link.name] = (world.min(axis=0), world.max(axis=0))
    assert top == pytest.approx(1.3, abs=1e-6) and sole == pytest.approx(0, abs=1e-6)
    for name, (low, high) in places.items():
        if name.startswith("left_"):
            other = places["right_" + name[5:]]
            assert low * [1, -1, 1] == pytest.approx([other[0][0], other[1][1], other[0][2]], abs=1e-4)
            assert high[2] == pytest.approx(other[1][2], abs=1e-4)


def test_feet_and_palms_are_flat(robot):
    for name, axis, area in (("left_foot", 2, 0.18 * 0.09), ("right_hand", 1, 0.07 * 0.075)):
        link = next(link for link in robot.links if link.name == name)
        x, t = (np.asarray(v) for v in (link.collisions[0].mesh.vertices,
                                        link.collisions[0].mesh.triangles))
        flat = (x[t][:, :, axis] == x[:, axis].min()).all(axis=1)
        a, b, c = (x[t[flat][:, k]] for k in range(3))
        found = 0.5 * np.linalg.norm(np.cross(b - a, c - a), axis=1).sum()
        assert 0.8 * area < found <= area * (1 + 1e-6)


def test_a_capsule_is_closed_even_and_has_the_moments_of_one():
    r, h = 0.03, 0.05
    mesh = capsule_surface(r, h)
    assert len(mesh.triangles) == 3600 and haptos.check_surface(mesh).findings() == []
    volume = np.pi * r**2 * (2 * h + 4 / 3 * r)
    assert mesh.volume == pytest.approx(volume, rel=0.01) and mesh.volume < volume
    centre, tensor = solid_moments(mesh, 2.0)
    assert centre == pytest.approx(np.zeros(3), abs=1e-12)
    # A cylinder and two half balls, by hand.
    m1 = 2.0 * np.pi * r**2 * 2 * h / volume
    m2 = 2.0 - m1
    along = m1 * r**2 / 2 + m2 * 0.4 * r**2
    across = m1 * (r**2 / 4 + h**2 / 3) + m2 * (0.4 * r**2 + h**2 + 0.75 * h * r)
    assert np.diag(tensor) == pytest.approx((across, across, along), rel=0.01)
    moved = mesh.transformed(position=(0.1, -0.2, 0.3))
    centre, same = solid_moments(moved, 2.0)
    assert centre == pytest.approx((0.1, -0.2, 0.3)) and same == pytest.approx(tensor, abs=1e-12)


@pytest.mark.parametrize("knee", [0.0, 0.5])
def test_it_stands_on_its_feet_while_motors_hold(robot, knee):
    scene = haptos.Scene(dt=2e-3)
    scene.add_half_space("ground")
    bent = {f"{side}_{joint}_joint": part * knee for side in ("left", "right")
            for joint, part in (("thigh", -0.5), ("shank", 1.0), ("ankle", -0.5))}
    lower = 0.60 * (1 - np.cos(knee / 2))  # two bones of 0.3 m, each turned by half of the knee
    scene.add_robot("man", robot, position=(0, 0, STANDING_HEIGHT - lower), start=bent,
                    motors={"kp": 2000, "kd": 60})
    sim = scene.compile()
    assert not sim.warnings
    for _ in range(400):
        assert (sim.step().status == 0).all()
    man = sim.robots["man"]
    held = np.abs(man.velocity).max()
    pelvis = man.link_pose("pelvis")[0]
    assert pelvis[2] == pytest.approx(STANDING_HEIGHT - lower, abs=2e-3)
    assert np.abs(pelvis[:2]).max() < 5e-3 and pelvis[3] > 0.9999
    assert held < 0.05
    feet = [sim.contact_wrench(f"man/{side}_foot").force[0][2] for side in ("left", "right")]
    assert sum(feet) == pytest.approx(42 * 9.81, rel=2e-3)
    assert feet[0] == pytest.approx(feet[1], rel=1e-3)


def test_a_seed_repeats_every_file_and_broken_meshes_keep_the_masses(tmp_path, robot):
    def content(folder, **numbers):
        (tmp_path / folder).mkdir()
        return [p.read_bytes() for p in scans.write_humanoid(tmp_path / folder / "h.urdf", **numbers)]

    one = content("a", seed=2)
    assert one == content("b", seed=2) and one != content("c", seed=3)
    broken = content("d", seed=2, flip=0.5, holes=0.05, shuffle=True, meshes="stl")
    assert broken[0].replace(b".stl", b".obj") == one[0] and broken[1] == one[1]
    read = haptos.load_robot(tmp_path / "d/h.urdf")
    assert [link.mass for link in read.links] == [link.mass for link in robot.links]


def test_the_command_writes_it_and_refuses_before_anything_is_made(tmp_path, capsys, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for arguments, sentence in [
        (("--out", "h.obj"), "must end with one of .urdf"),
        ((), "--out: must be given"),
        (("--set", "mesh=obj", "--out", "h.urdf"), "is no parameter of humanoid"),
        (("--set", "meshes=dae", "--out", "h.urdf"), "must be one of obj, stl, ply"),
        (("--flip", "3", "--out", "h.urdf"), "must be a share from 0 to 1"),
    ]:
        assert run_command(["scan", "humanoid", *arguments]) == 2
        assert sentence in capsys.readouterr().err
    assert list(tmp_path.iterdir()) == []
    assert run_command(["scan", "humanoid", "--set", "meshes=stl", "--out", "h.urdf"]) == 0
    assert "57 links, 42 kg" in capsys.readouterr().out
    (tmp_path / "h.urdf").unlink()
    assert run_command(["scan", "humanoid", "--out", "h.urdf"]) == 2
    assert "beside it already" in capsys.readouterr().err
    assert run_command(["scan", "humanoid", "--out", "h.urdf", "--overwrite"]) == 0
