"""Mocap bodies of MJCF files: prescribed bodies of a scene, and what is tied to them is led."""

import haptos
import numpy as np
import pytest

mujoco = pytest.importorskip("mujoco", reason="the package mujoco is not installed")

FILE = """
<mujoco model="led">
  <option timestep="0.002"/>
  <worldbody>
    <geom name="floor" type="plane" size="1 1 .1" pos="0 0 -1"/>
    <body name="leader" mocap="true" pos=".1 0 .5">
      <geom size=".01" contype="0" conaffinity="0"/>
    </body>
    <body name="carriage" pos="0 0 .5">
      <joint name="x" type="slide" axis="1 0 0"/>
      <joint name="y" type="slide" axis="0 1 0"/>
      <joint name="z" type="slide" axis="0 0 1"/>
      <geom type="box" size=".03 .03 .03" mass=".5"/>
      <body name="hand" pos=".1 0 0">
        <joint name="r" type="ball"/>
        <geom type="box" size=".02 .02 .05" mass=".2"/>
        <body name="finger" pos="0 0 -.06">
          <joint name="f" axis="0 1 0" damping=".01" stiffness=".2"/>
          <geom type="capsule" fromto="0 0 0 0 0 -.04" size=".008" mass=".02"/>
        </body>
      </body>
    </body>
  </worldbody>
  <equality>%s</equality>
</mujoco>"""
WELD = '<weld name="grip" body1="leader" body2="hand"/>'
HOOK = '<connect name="grip" body1="hand" body2="leader" anchor="0 0 .05"/>'


def model_of(tmp_path, tie):
    path = tmp_path / "led.xml"
    path.write_text(FILE % tie)
    return haptos.load_mjcf(path), path


def pose_of_leader(time):
    part = min(1.0, time)
    angle = 0.8 * part
    return (np.array([0.1 + 0.2 * part, 0.1 * np.sin(3 * part), 0.5 + 0.1 * part]),
            np.array([np.cos(angle / 2), 0, np.sin(angle / 2), 0]))


def test_a_hand_is_led_as_mujoco_leads_it(tmp_path):
    model, path = model_of(tmp_path, WELD)
    assert model.mocap == ["leader"]
    assert model.warnings == []
    assert [robot.name for robot in model.robots] == ["carriage"]
    scene = haptos.Scene(dt=2e-3)
    assert model.add_to(scene) == ["carriage", "world"]
    sim = scene.compile()
    reference = mujoco.MjModel.from_xml_path(str(path))
    data = mujoco.MjData(reference)
    worst = 0.0
    for k in range(1, 1001):
        position, turn = pose_of_leader(2e-3 * k)
        sim.set_target("leader", position, turn)
        data.mocap_pos[0], data.mocap_quat[0] = position, turn
        sim.step()
        mujoco.mj_step(reference, data)
        assert sim.status[0] == 0
        worst = max(worst, np.abs(sim.pose("carriage/hand")[0, :3] - position).max())
    assert worst < 1e-4  # MuJoCo's soft weld is 8 mm behind on the way
    hand = data.body("hand")
    assert sim.pose("carriage/hand")[0, :3] == pytest.approx(hand.xpos, abs=1e-3)
    assert sim.pose("carriage/hand")[0, 3:] == pytest.approx(hand.xquat, abs=5e-3)
    assert sim.robots["carriage"].position[0, -1] == pytest.approx(data.qpos[-1], abs=1e-3)
    assert sim.constraint_wrench("grip").force[0, 2] == pytest.approx(0.72 * 9.81, rel=1e-3)


def test_a_point_that_is_tied_to_a_leader_hangs_there(tmp_path):
    model, _ = model_of(tmp_path, HOOK)
    scene = haptos.Scene(dt=2e-3)
    model.add_to(scene, prefix="left ")
    sim = scene.compile()
    sim.run(0.2)
    assert sim.names("constraints") == ["left grip"]
    assert np.abs(sim.constraint_error("left grip")).max() < 1e-5
    assert sim.pose("left carriage/hand")[0, :3] == pytest.approx([0.1, 0, 0.5], abs=0.02)


def test_geoms_that_may_touch_are_told_of(tmp_path):
    path = tmp_path / "odd.xml"
    path.write_text("""<mujoco><worldbody>
      <body name="ghost" mocap="true"><geom size=".02"/></body>
      <body name="ball"><freejoint/><geom size=".02"/></body></worldbody></mujoco>""")
    model = haptos.load_mjcf(path)
    assert model.warnings == ['geoms of mocap bodies that may touch ("ghost"): 1 left out, what leads '
                              "touches nothing in a scene."]
    scene = haptos.Scene()
    assert model.add_to(scene) == ["ball"]
    assert [body["name"] for body in scene.entries()["prescribed"]] == ["ghost"]


def test_a_leader_that_carries_others_stays_and_is_told_of(tmp_path):
    path = tmp_path / "cart.xml"
    path.write_text("""<mujoco><worldbody><body name="cart" mocap="true">
      <body name="bob" pos="0 0 .3"><joint name="h" axis="0 1 0"/><geom size=".02" pos=".1 0 0"/>
      </body></body></worldbody></mujoco>""")
    model = haptos.load_mjcf(path)
    assert model.mocap == []
    assert model.warnings == ['mocap bodies that carry others ("cart"): 1 left out, they stay where '
                              "they are."]
    assert model.add_to(haptos.Scene()) == ["cart"]


def test_a_leader_tied_to_what_cannot_move_leads_nothing(tmp_path):
    path = tmp_path / "post.xml"
    path.write_text("""<mujoco><worldbody><body name="ghost" mocap="true"/>
      <body name="post" pos="1 0 0"><geom size=".02"/></body>
      <body name="ball" pos="2 0 0"><freejoint/><geom size=".02"/></body></worldbody>
      <equality><weld body1="ghost" body2="post"/></equality></mujoco>""")
    scene = haptos.Scene()
    assert haptos.load_mjcf(path).add_to(scene) == ["ball", "world"]
    assert scene.compile(quiet=True).names("constraints") == []
