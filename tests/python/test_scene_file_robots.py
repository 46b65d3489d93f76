"""Robots of scene files: MJCF through MuJoCo's compiler, trajectories that motors play, spheres."""

import pathlib
import sys

import numpy as np
import pytest

import haptos

G = 9.81
ROOT = pathlib.Path(__file__).resolve().parents[2]

MJCF = """<mujoco model="slider">
  <option timestep="0.004" gravity="0 0 -3"/>
  <worldbody>
    <geom name="floor" type="plane" size="1 1 .1"/>
    <body name="cart" pos="0 0 .2">
      <joint name="rail" type="slide" axis="1 0 0"/>
      <geom type="box" size=".1 .05 .05" mass="2" pos="0 0 .1"/>
      <body name="rod" pos="0 0 .1">
        <joint name="pin" axis="0 1 0"/>
        <geom type="capsule" size=".02 .1" pos="0 0 .2" mass=".5"/>
      </body>
    </body>
  </worldbody>
  <actuator><position name="drive" joint="rail" kp="500" kv="40"/></actuator>
  <keyframe><key name="away" qpos=".3 .5"/></keyframe>
</mujoco>
"""

CSV = "time,drive\n0,0.3\n0.5,0.1\n1,0.2\n"


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "slider.xml").write_text(MJCF)
    (tmp_path / "motion.csv").write_text(CSV)
    return tmp_path


def load(folder, text):
    (folder / "scene.yaml").write_text(text)
    return haptos.load_scene(folder / "scene.yaml")


def test_an_mjcf_file_in_a_scene_is_what_load_robot_reads(folder):
    pytest.importorskip("mujoco")
    sim = load(folder, "sim: {dt: 2 ms}\nrobots: [{name: slider, file: slider.xml, state: away}]\n"
               ).compile()
    robot = sim.robots["slider"]
    assert robot.joint_names == ["rail", "pin"] and robot.motor_names == ["drive"]
    np.testing.assert_array_equal(robot.position, [[0.3, 0.5]])
    other = haptos.Scene(dt=2e-3)
    other.add_robot("slider", haptos.load_robot(folder / "slider.xml", state="away"))
    twin = other.compile()
    for s in (sim, twin):
        s.run(0.2)
    assert abs(robot.position[0, 1] - 0.5) > 0.05
    np.testing.assert_array_equal(robot.position, twin.robots["slider"].position)


def test_motors_of_an_entry_take_the_place_of_the_files(folder):
    pytest.importorskip("mujoco")
    sim = load(folder, "robots: [{name: s, file: slider.xml, motors: {joints: [pin], kp: 5}}]\n"
               ).compile()
    assert sim.robots["s"].motor_names == ["pin"]


def test_a_trajectory_of_a_scene_file_is_played_as_by_its_controller(folder):
    pytest.importorskip("mujoco")
    entry = "sim: {dt: 2 ms}\nrobots: [{name: s, file: slider.xml, state: away%s}]\n"
    played = load(folder, entry % ", trajectory: {file: motion.csv, interpolation: cubic}").compile()
    told = load(folder, entry % "").compile()
    motion = haptos.load_trajectory(folder / "motion.csv", interpolation="cubic")
    told.controllers.append(motion.controller(told.robots["s"]))
    a, b = played.robots["s"], told.robots["s"]
    start = played.state.hash()
    for _ in range(600):
        assert played.step().ok and told.step().ok
        np.testing.assert_array_equal(a.position, b.position)
        np.testing.assert_array_equal(a.command, b.command)
    assert a.command[0, 0, 0] == 0.2 and a.command[0, 0, 1] == 0  # held beyond the end
    assert abs(a.position[0, 0] - 0.3) > 0.05
    played.reset()
    assert played.state.hash() == start
    # In Python the same, and in every environment.
    scene = load(folder, entry % "")
    other = haptos.Scene(dt=2e-3)
    other.add_robot("s", scene.entries()["robots"][0]["robot"], trajectory=motion)
    batch = other.compile(envs=3)
    for _ in range(100):
        played.step(), batch.step()
    for k in range(3):
        np.testing.assert_array_equal(batch.robots["s"].position[k], a.position[0])


@pytest.mark.parametrize("rest, said", [
    ("file: slider.xml, base: floating", "base: is for URDF"),
    ("file: slider.xml, state: home", 'key = home: must be a key frame of the file'),
    ("file: gone.xml", "gone.xml"),
    ("file: slider.xml, trajectory: gone.csv", "gone.csv"),
    ("file: slider.xml, trajectory: motion.npz", "must be a .csv file"),
    ("file: slider.xml, trajectory: other.csv", 'did you mean "drive"?'),
    ("file: slider.xml, trajectory: {file: motion.csv, interpolation: spline}", "spline"),
    ("file: slider.xml, trajectory: {file: motion.csv, lop: true}", "lop"),
])
def test_what_is_wrong_is_one_sentence_with_its_place(folder, rest, said):
    pytest.importorskip("mujoco")
    (folder / "motion.npz").write_bytes(b"")
    (folder / "other.csv").write_text("time,drvie\n0,1\n")
    with pytest.raises(haptos.InputError) as e:
        load(folder, "robots:\n  - {name: s, %s}\n" % rest)
    assert said in str(e.value) and "\n" not in str(e.value)
    assert ":2" in str(e.value) or "slider.xml" in str(e.value)


def test_damage_in_an_mjcf_file_is_told_with_its_own_line(folder):
    pytest.importorskip("mujoco")
    (folder / "slider.xml").write_text(MJCF.replace('mass="2"', 'masss="2"'))
    with pytest.raises(haptos.InputError, match=r"slider.xml:7.*masss"):
        load(folder, "robots:\n  - {name: s, file: slider.xml}\n")


def test_without_mujoco_the_scene_says_what_to_install(folder, monkeypatch):
    monkeypatch.setitem(sys.modules, "mujoco", None)
    with pytest.raises(haptos.InputError, match="pip install"):
        load(folder, "robots:\n  - {name: s, file: slider.xml}\n")


def test_a_sphere_is_a_rigid_body_and_presses_a_gel(tmp_path):
    sim = load(tmp_path, """
sim: {dt: 10 ms}
newton: {force_tolerance: 1e-9}
spheres:
  - {name: ball, radius: 4 mm, mass: 50 g, pose: {position: [0, 0, 4.05 mm]}}
prescribed: [{name: mount, shape: none}]
soft:
  - name: gel
    pad: {box: {width: 14 mm, depth: 14 mm, thickness: 4 mm, cells: [4, 4, 2]}}
    material: {young: 0.2 MPa, stiffness_damping: 0.01}
    friction: 1
    glue: [{body: mount, where: base}]
""").compile()
    assert sim.run(2.0).ok
    assert sim.contact_wrench("ball").force[0, 2] == pytest.approx(0.05 * G, rel=1e-6)
    assert 1e-4 < 4e-3 - sim.pose("ball")[0, 2] < 1e-3
    assert np.abs(sim.velocity("ball")).max() < 1e-5
    assert sim.robots["ball"].link_names == ["ball"]


def test_a_robot_of_several_links_has_no_pose_of_its_own():
    scene = haptos.Scene()
    scene.add_robot("dog", ROOT / "scenes/robots/quadruped.urdf")
    sim = scene.compile()
    np.testing.assert_array_equal(sim.pose("dog/trunk"), sim.robots["dog"].link_pose("trunk"))
    with pytest.raises(haptos.InputError, match='has several links; name one, for example "dog/'):
        sim.pose("dog")
    with pytest.raises(haptos.InputError, match="trunk"):
        sim.velocity("dog/trnk")
