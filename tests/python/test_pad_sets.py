"""Sets of pads on the links of a hand: F-TAC's, and one made here."""

import json
import re
import subprocess
import sys

import numpy as np
import pytest
from PIL import Image

import haptos
from conftest import ROOT, outside_file

HALF = (0.004, 0.01, 0.012)  # of a finger [m]
PAD = (0.016, 0.012, 0.003)  # along x and y of the pad's frame, and thick [m]


def finger(name):
    inertia = np.eye(3) * 1e-6
    return haptos.RobotLink(name, 0.05, inertia=inertia,
                            collisions=[haptos.RobotShape("box", HALF)])


def two_fingers():
    joints = [haptos.RobotJoint("a", "revolute", -1, 0, axis=(0, 1, 0)),
              haptos.RobotJoint("b", "revolute", 0, 1, axis=(0, 1, 0),
                                frame=(0, 0, 0.04, 1, 0, 0, 0))]
    return haptos.Robot("fingers", [finger("near"), finger("far")], joints)


def write_set(folder, **changed):
    """A pad on the +x face of each finger; returns the file of the set."""
    made = haptos.box_pad(PAD[0], PAD[1], PAD[2], 0.0, haptos.PadGrading(4e-3, 4e-3, 4e-3, 4e-3))
    s = np.sqrt(0.5)
    # +z of the pad onto +x of the link, +x of the pad onto -z.
    mesh = made.mesh.transformed(position=(HALF[0] + PAD[2], 0, 0.001), quaternion=(s, 0, s, 0))
    haptos.write_vtk(folder / "pad.vtk", mesh)
    haptos.write_obj(folder / "link.obj", haptos.box(tuple(2 * h for h in HALF)))
    entry = {"name": "near pad", "link": "near", "mesh": "pad.vtk", "base": "link.obj"} | changed
    other = {"name": "far pad", "link": "far", "mesh": "pad.vtk", "base": "link.obj"}
    file = folder / "set.yaml"
    file.write_text(json.dumps({
        "name": "two", "material": {"young": 2e5, "poisson": 0.45, "density": 1000},
        "friction": 0.7, "pads": [entry, other]}))
    return str(file)


def test_a_set_sits_on_its_links_wherever_they_are(tmp_path):
    pads = haptos.load_pad_set(write_set(tmp_path))
    assert [p.name for p in pads.pads] == ["near pad", "far pad"]
    for pad in pads.pads:
        np.testing.assert_allclose(pad.position, (HALF[0] + PAD[2], 0, 0.001), atol=1e-12)
        assert pad.gel.thickness == pytest.approx(PAD[2])
        x = np.asarray(pad.gel.mesh.vertices)
        np.testing.assert_allclose(np.ptp(x, axis=0), PAD, atol=1e-12)
        np.testing.assert_allclose(x[pad.gel.base, 2], -PAD[2], atol=1e-12)
        np.testing.assert_allclose(x[np.unique(pad.gel.coat), 2], 0, atol=1e-12)
    scene = haptos.Scene(dt=0.01, gravity=(0, 0, 0))
    scene.add_robot("hand", two_fingers(), start={"a": 0.4, "b": -1.1}, position=(0.1, 0.2, 0.3),
                    self_contact=False)
    names = pads.add_to(scene, "hand")
    assert names == ["hand/near pad", "hand/far pad"]
    sim = scene.compile()
    hand = sim.robots["hand"]
    for name, link in zip(names, ("hand/near", "hand/far"), strict=True):
        turn, origin = sim.sensors[name].frame()
        pose = sim.carrier_pose(link)[0]
        here = haptos.base.turns.rotation(pose[3:])
        np.testing.assert_allclose(turn[:, 2], here[:, 0], atol=1e-12)
        np.testing.assert_allclose(origin, pose[:3] + here @ (HALF[0] + PAD[2], 0, 0.001),
                                   atol=1e-12)
        depth = sim.sensors[name].depth()[0]
        assert depth.shape == (120, 160)
        assert np.nanmax(np.abs(depth)) < 1e-8
    # Turned without a touch, nothing shows: the gel's inertia is all there is.
    hand.set_state(hand.position, np.full((1, 2), 0.5))
    for _ in range(5):
        assert (sim.step().status == 0).all()
    assert np.abs(hand.position[0] - (0.4, -1.1)).max() > 0.01
    for name in names:
        assert np.nanmax(np.abs(sim.sensors[name].depth()[0])) < 2e-6


def test_a_pad_that_lies_askew_has_its_frame_along_its_sides(tmp_path):
    file = write_set(tmp_path, markers={"rows": 3, "columns": 5, "pitch": 0.0025})
    s, half = np.sqrt(0.5), 0.5 * np.deg2rad(25)
    made = haptos.box_pad(PAD[0], PAD[1], PAD[2], 0.0, haptos.PadGrading(4e-3, 4e-3, 4e-3, 4e-3))
    upright = made.mesh.transformed(position=(HALF[0] + PAD[2], 0, 0), quaternion=(s, 0, s, 0))
    haptos.write_vtk(tmp_path / "pad.vtk", upright.transformed(
        quaternion=(np.cos(half), np.sin(half), 0, 0)))
    pad, other = haptos.load_pad_set(file).pads
    np.testing.assert_allclose(np.ptp(np.asarray(pad.gel.mesh.vertices), axis=0), PAD, atol=1e-9)
    turn = haptos.base.turns.rotation(pad.quaternion)
    np.testing.assert_allclose(turn[:, 2], (1, 0, 0), atol=1e-9)
    assert abs(turn[:, 0] @ (0, -np.sin(2 * half), np.cos(2 * half))) == pytest.approx(1, abs=1e-9)
    assert (pad.markers.rows, pad.markers.cols) == (3, 5) and other.markers is None


@pytest.mark.parametrize(("change", "words"), [
    ({"mesh": "none.vtk"}, "is no file"),
    ({"base": "none.obj"}, "give the folder of the robot's description"),
    ({"lnk": "far"}, 'did you mean "link"?'),
])
def test_a_wrong_set_is_refused_with_its_line(tmp_path, change, words):
    with pytest.raises(haptos.InputError, match="set.yaml:1") as error:
        haptos.load_pad_set(write_set(tmp_path, **change))
    assert words in str(error.value)


def test_a_pad_whose_glued_face_cannot_be_told_is_refused(tmp_path):
    file = write_set(tmp_path)
    haptos.write_obj(tmp_path / "link.obj", haptos.box((1e-3, 1e-3, 1e-3)))
    with pytest.raises(haptos.InputError, match="its glued face cannot be told"):
        haptos.load_pad_set(file)


def test_a_set_needs_its_robot_and_a_name_that_is_known(tmp_path):
    with pytest.raises(haptos.InputError, match='did you mean "f-tac"?'):
        haptos.load_pad_set("f-tak")
    pads = haptos.load_pad_set(write_set(tmp_path))
    with pytest.raises(haptos.InputError, match="add the robot first"):
        pads.add_to(haptos.Scene(), "hand")
    scene = haptos.Scene()
    scene.add_robot("hand", two_fingers())
    pads.pads[1].link = "palm"
    with pytest.raises(haptos.InputError, match='"hand/palm": is neither'):
        pads.add_to(scene, "hand")


def f_tac_hand():
    folder = outside_file("robots/f_tac_hand_description")
    robot = haptos.load_robot(str(folder / "urdf" / "f_tac_hand_rigid.urdf")).copy()
    return robot, haptos.load_pad_set("f-tac", folder)


@pytest.mark.filterwarnings("ignore")
def test_the_f_tac_hand_carries_17_pads():
    robot, pads = f_tac_hand()
    assert len(pads.pads) == 17
    # The counts that the description's own pads are published with.
    assert sum(len(p.gel.mesh.vertices) for p in pads.pads) == 3252
    assert sum(len(p.gel.mesh.tets) for p in pads.pads) == 7432
    assert sum(p.markers.rows * p.markers.cols for p in pads.pads) == 462
    for pad in pads.pads:
        assert pad.gel.thickness == pytest.approx(2.5e-3, rel=1e-3), pad.name
        size = np.ptp(np.asarray(pad.gel.mesh.vertices), axis=0)
        assert size[0] / size[1] < 2.2, pad.name
        assert 0.35 < len(pad.gel.base) / len(pad.gel.mesh.vertices) < 0.55, pad.name
    scene = haptos.Scene(dt=0.02)
    scene.contact.support = 1e-4
    scene.add_robot("hand", robot, motors={"kp": 3, "kd": 0.05, "effort": 2}, self_contact=False)
    names = pads.add_to(scene, "hand")
    sim = scene.compile()
    assert (sim.step().status == 0).all()
    assert len(names) == 17
    for name in names:
        assert np.nanmax(np.abs(sim.sensors[name].depth()[0])) < 1e-4  # their own weight
        assert sim.sensors[name].markers().in_view.all()


@pytest.mark.full
def test_the_f_tac_hand_grasps_a_ball_and_lifts_it(tmp_path):
    folder = outside_file("robots/f_tac_hand_description")
    done = subprocess.run([sys.executable, str(ROOT / "examples/python/hand_grasps.py"), folder],
                          cwd=tmp_path, capture_output=True, text=True, timeout=1800, check=False)
    assert done.returncode == 0, done.stderr
    first, *rest = done.stdout.splitlines()
    lifted, slip, pads, carried, moved = (float(x) for x in re.findall(r"\d+\.?\d*", first))
    print(f"FIGURE f_tac.lifted = {lifted} mm")
    print(f"FIGURE f_tac.slip = {slip} mm")
    print(f"FIGURE f_tac.pads_that_touch = {pads:.0f}")
    print(f"FIGURE f_tac.force_over_weight = {carried}")
    assert lifted > 50
    assert slip < 5
    assert pads >= 4
    assert abs(carried - moved) < 0.01
    assert len(rest) == pads
    for line in rest:
        depth, area, force, points = (float(x) for x in re.findall(
            r"(\d+\.?\d*) (?:mm2|mm|N|points)", line))
        assert depth > 0.05, line
        assert area > 0, line
        assert force > 0.01, line
        assert points > 0, line
    assert np.asarray(Image.open(tmp_path / "hand.png")).std() > 10
