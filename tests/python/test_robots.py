"""Robots in Python and on the command line."""

import numpy as np
import pytest
from PIL import Image

import haptos
from conftest import outside_file, run_haptos

ARM = """<robot name="arm">
  <link name="base"><collision><geometry><box size="0.2 0.2 0.1"/></geometry></collision></link>
  <link name="upper">
    <inertial><origin xyz="0 0 0.25"/><mass value="2"/>
      <inertia ixx="0.05" iyy="0.05" izz="0.005"/></inertial>
    <visual><origin xyz="0 0 0.25"/><geometry><cylinder radius="0.05" length="0.5"/></geometry>
      <material name="red"><color rgba="0.8 0.1 0.1 1"/></material></visual>
    <collision><origin xyz="0 0 0.25"/>
      <geometry><capsule radius="0.05" length="0.4"/></geometry></collision>
  </link>
  <link name="hand">
    <inertial><mass value="0.5"/><inertia ixx="0.001" iyy="0.001" izz="IZZ"/></inertial>
    <collision><geometry><mesh filename="hand.obj" scale="0.001 0.001 0.001"/></geometry></collision>
  </link>
  <joint name="shoulder" type="revolute"><origin xyz="0 0 0.05"/><parent link="base"/>
    <child link="upper"/><axis xyz="0 1 0"/>
    <limit lower="-1.5" upper="1.5" effort="40" velocity="3"/><dynamics damping="0.1"/></joint>
  <joint name="wrist" type="continuous"><origin xyz="0 0 0.5" rpy="0 0 1.5707963267948966"/>
    <parent link="upper"/><child link="hand"/><axis xyz="0 0 1"/>
    <mimic joint="shoulder" multiplier="-2" offset="0.1"/></joint>
</robot>
"""


@pytest.fixture
def arm(tmp_path):
    """A folder that holds arm.urdf and its mesh."""
    ball = haptos.icosphere(40.0, 15.0)
    haptos.write_obj(tmp_path / "hand.obj", ball)
    (tmp_path / "arm.urdf").write_text(ARM.replace("IZZ", "0.001"))
    return tmp_path


def test_a_robot_is_read_and_its_numbers_are_seen(arm):
    robot = haptos.load_robot(arm / "arm.urdf")
    assert [link.name for link in robot.links] == ["base", "upper", "hand"]
    assert [j.kind for j in robot.joints] == ["fixed", "revolute", "revolute"]
    assert robot.total_mass == 2.5 and robot.degrees_of_freedom == 1
    shoulder, wrist = robot.joints[1:]
    assert (shoulder.lower, shoulder.upper, shoulder.effort, shoulder.speed) == (-1.5, 1.5, 40, 3)
    assert (shoulder.parent, shoulder.child, shoulder.damping) == (0, 1, 0.1)
    assert wrist.mimic == ("shoulder", -2.0, 0.1) and wrist.lower == -np.inf
    np.testing.assert_array_equal(shoulder.axis, [0, 1, 0])
    upper = robot.links[1]
    np.testing.assert_array_equal(upper.centre, [0, 0, 0.25])
    np.testing.assert_array_equal(upper.inertia, np.diag([0.05, 0.05, 0.005]))
    capsule = upper.collisions[0]
    assert capsule.kind == "capsule" and capsule.mesh is None
    np.testing.assert_allclose(capsule.size, [0.05, 0.2, 0])
    assert upper.visuals[0].rgba == (0.8, 0.1, 0.1, 1.0)
    hand = robot.links[2].collisions[0]
    assert hand.kind == "hull" and hand.file == str(arm / "hand.obj")
    assert np.linalg.norm(hand.mesh.vertices, axis=1).max() == pytest.approx(0.04)
    poses = robot.start_poses()
    turn = (np.pi / 2 + 0.1) / 2  # the wrist follows with an offset of 0.1
    np.testing.assert_allclose(poses[2], [0, 0, 0.55, np.cos(turn), 0, 0, np.sin(turn)],
                               atol=1e-15)
    assert haptos.load_robot(arm / "arm.urdf", floating=True).degrees_of_freedom == 7


def test_a_state_of_an_srdf_is_where_the_joints_start(arm):
    (arm / "arm.srdf").write_text(
        '<robot name="arm"><group_state name="up" group="all"><joint name="shoulder" '
        'value="0.5"/></group_state><disable_collisions link1="hand" link2="upper"/></robot>')
    robot = haptos.load_robot(arm / "arm.urdf", srdf=arm / "arm.srdf", state="up")
    assert robot.joints[1].position == [0.5] and robot.joints[2].position == [-0.9]
    assert robot.no_contact == [[1, 2]]
    np.testing.assert_allclose(robot.start_poses()[2, :3],
                               [0.5 * np.sin(0.5), 0, 0.05 + 0.5 * np.cos(0.5)], atol=1e-15)
    with pytest.raises(haptos.InputError, match='did you mean "up"'):
        haptos.load_robot(arm / "arm.urdf", srdf=arm / "arm.srdf", state="upp")
    with pytest.raises(haptos.InputError, match="give srdf too"):
        haptos.load_robot(arm / "arm.urdf", state="up")


def test_links_are_edited_in_place_and_outlive_their_robot(arm):
    robot = haptos.load_robot(arm / "arm.urdf")
    robot.links[1].mass = 3
    robot.links[1].inertia = np.diag([1.0, 1, 1])
    assert robot.total_mass == 3.5 and robot.links[1].inertia[2, 2] == 1
    link = robot.links[2]
    shapes = link.collisions
    del robot
    assert link.name == "hand" and shapes[0].kind == "hull"


def test_impossible_inertia_is_found_and_mended(arm):
    (arm / "arm.urdf").write_text(ARM.replace("IZZ", "0.0025"))
    robot = haptos.load_robot(arm / "arm.urdf")
    finding, = haptos.check_robot(robot)
    assert finding.severity == "warning" and finding.element == 'link "hand"'
    assert "triangle inequality" in finding.sentence
    said, = haptos.repair_inertia(robot)
    assert "0.5 kg" in said and haptos.check_robot(robot) == []
    # A ball of facets is a little lighter inside than a ball: below 2/5 m r^2.
    assert robot.links[2].inertia[0, 0] == pytest.approx(0.4 * 0.5 * 0.04**2, rel=0.06)
    haptos.repair_inertia(robot, density=1000, all_links=True)
    volume = np.pi * 0.05**2 * 0.4 + 4 / 3 * np.pi * 0.05**3
    assert robot.links[1].mass == pytest.approx(1000 * volume, rel=1e-12)


@pytest.mark.parametrize(("name", "says"), [
    ("arm.stl", "must be a robot's file"), ("none.urdf", "cannot be found"),
    ("bad.urdf", "bad.urdf:1:"), ("bad.xacro", "bad.xacro")])
def test_bad_robots_are_one_sentence(tmp_path, name, says):
    (tmp_path / "bad.urdf").write_text("<robot><link></robot>")
    (tmp_path / "bad.xacro").write_text("<robot")
    with pytest.raises(haptos.InputError, match=says):
        haptos.load_robot(tmp_path / name)


def test_check_prints_the_robot_and_draws_it(arm):
    done = run_haptos("check", "arm.urdf", "--picture", "arm.png", cwd=arm)
    assert done.returncode == 0, done.stdout + done.stderr
    for part in ('robot "arm", 3 links, 1 degrees of freedom', "2.5 kg", "  upper  2 kg",
                 "by shoulder (revolute)", "-2 x shoulder + 0.1", "mesh hand.obj:", "closed",
                 "found: nothing wrong", "can be used"):
        assert part in done.stdout, part
    image = np.asarray(Image.open(arm / "arm.png")).astype(float)
    assert image.shape == (960, 1280, 3)
    red = (image[..., 0] > 1.8 * image[..., 1]).mean()
    blue = (image[..., 2] > 1.2 * image[..., 0]).mean()
    assert red > 0.01 and blue > 0.005, "the visual in its colour, the collisions in blue"
    again = run_haptos("check", "arm.urdf", "--picture", "arm.png", cwd=arm)
    assert again.returncode == 2 and "--overwrite" in again.stderr


def test_names_are_shown_as_they_are(arm):
    (arm / "arm.urdf").write_text(ARM.replace("IZZ", "0.001").replace("shoulder", "[/red]"))
    done = run_haptos("check", "arm.urdf", cwd=arm)
    assert done.returncode == 0 and "-2 x [/red] + 0.1" in done.stdout


def test_check_refuses_what_cannot_be_used(arm):
    text = ARM.replace("IZZ", "0.001")
    (arm / "light.urdf").write_text(text.replace('<mass value="0.5"/>', '<mass value="0"/>').replace(
        'ixx="0.001" iyy="0.001" izz="0.001"', 'ixx="0" iyy="0" izz="0"'))
    (arm / "lost.urdf").write_text(text.replace("hand.obj", "package://somewhere/far/hand.obj"))
    light = run_haptos("check", "light.urdf", cwd=arm)
    assert light.returncode == 1 and 'error: joint "wrist": It moves without inertia' in light.stdout
    lost = run_haptos("check", "lost.urdf", cwd=arm)
    assert lost.returncode == 1 and "cannot be used: lost.urdf:13:" in lost.stdout
    (arm / "store" / "far").mkdir(parents=True)
    (arm / "hand.obj").rename(arm / "store" / "far" / "hand.obj")
    found = run_haptos("check", "lost.urdf", "--package", f"somewhere={arm / 'store'}", cwd=arm)
    assert found.returncode == 0, found.stdout
    for arguments in (("--package", "somewhere"), ("--package", "a=/nowhere"),
                      ("--picture", "arm.jpg"), ("--repair", "out.stl", "--picture", "arm.png")):
        wrong = run_haptos("check", "arm.urdf", *arguments, cwd=arm)
        assert wrong.returncode == 2 and wrong.stderr.count("\n") == 1, wrong.stderr
        assert not (arm / "arm.png").exists()


def test_check_knows_robots_of_other_projects(tmp_path):
    file = outside_file("robots/panda_description/urdf/panda.urdf")
    done = run_haptos("check", file, "--package", f"example-robot-data={file.parents[3]}",
                      cwd=tmp_path)
    assert done.returncode == 0
    assert "13 links, 8 degrees of freedom with the base fixed, 17.4519 kg" in done.stdout
