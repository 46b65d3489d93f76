"""Tendons over joints: motors and laws on a sum of coordinates, beside MuJoCo's, and in agents."""

import numpy as np
import pytest

import haptos

FINGER = """
<mujoco model="finger">
  <option timestep="%g" integrator="implicitfast"/>
  <worldbody>
    <body name="palm">
      <geom type="box" size=".03 .02 .01" contype="0" conaffinity="0" mass=".3"/>
      <body name="near" pos="0 0 .02">
        <joint name="near" axis="0 1 0" damping=".01"/>
        <geom type="capsule" fromto="0 0 0 0 0 .05" size=".008" mass=".05" contype="0" conaffinity="0"/>
        <body name="far" pos="0 0 .05">
          <joint name="far" axis="0 1 0" damping=".01"/>
          <geom type="capsule" fromto="0 0 0 0 0 .04" size=".007" mass=".03" contype="0" conaffinity="0"/>
        </body>
      </body>
    </body>
  </worldbody>
  <tendon>
    <fixed name="curl" %s><joint joint="near" coef="1"/><joint joint="far" coef="-.6"/></fixed>
  </tendon>
  <actuator>%s</actuator>
</mujoco>"""

CASES = {
    "position": ("", '<position name="pull" tendon="curl" kp="2" kv=".05" gear="1.5"/>'),
    "bounded": ("", '<position name="pull" tendon="curl" kp="2" kv=".05" forcerange="-.05 .05"/>'),
    "velocity": ("", '<velocity name="pull" tendon="curl" kv=".2"/>'),
    "force": ("", '<motor name="pull" tendon="curl" ctrlrange="-1 1"/>'),
    "spring": ('stiffness="1.5" damping=".02" springlength=".2"', '<motor name="pull" joint="near"/>'),
}


@pytest.fixture(scope="module")
def mujoco():
    return pytest.importorskip("mujoco", reason='the package mujoco is not installed: pip install '
                               '"haptos[mujoco]"')


def both(mujoco, folder, case, dt, control=0.25, seconds=0.4):
    """Coordinates of both engines after some time, and the motor's effort over the actuator's."""
    laws, actuator = CASES[case]
    file = folder / "finger.xml"
    file.write_text(FINGER % (dt, laws, actuator))
    m = mujoco.MjModel.from_xml_path(str(file))
    d = mujoco.MjData(m)
    d.ctrl[:] = control
    model = haptos.load_mjcf(file)
    scene = haptos.Scene(dt=dt, gravity=model.options["gravity"])
    (name,) = model.add_to(scene)
    sim = scene.compile(quiet=True)
    hand = sim.robots[name]
    q, v, u = model.actuators[0].command(control)
    hand.set_command(position=q, velocity=v, effort=u)
    for _ in range(round(seconds / dt)):
        mujoco.mj_step(m, d)
        assert (sim.step().status == 0).all()
    length = hand.tendons["curl"][0]
    assert length == pytest.approx(hand.position[0] @ (1, -0.6), abs=1e-12)
    return hand.position[0], d.qpos.copy()


@pytest.mark.parametrize("case", CASES)
def test_a_finger_moves_as_in_mujoco(mujoco, tmp_path, case):
    off = []
    for dt in (1e-3, 2.5e-4):
        ours, theirs = both(mujoco, tmp_path, case, dt)
        off.append(np.abs(ours - theirs).max())
        moved = np.abs(theirs).max()
    print(f"FIGURE {case}: {off[0]:.1e} and {off[1]:.1e} rad apart, moved by {moved:.2f}")
    # Both are of first order: a quarter of the step, a quarter of the difference.
    assert moved > 0.05 and off[1] < 0.5 * off[0] and off[1] < 2e-3 * max(1, moved)


def test_what_a_file_says_of_tendons_is_kept(mujoco, tmp_path):
    laws = 'limited="true" range="-.1 .2" frictionloss=".03" stiffness="2" springlength="0 .1"'
    (tmp_path / "finger.xml").write_text(FINGER % (1e-3, laws, CASES["position"][1]))
    model = haptos.load_mjcf(tmp_path / "finger.xml")
    (tendon,) = model.robot.tendons
    assert tendon.joints == {"near": 1.0, "far": -0.6}
    assert (tendon.lower, tendon.upper, tendon.friction, tendon.stiffness) == (-0.1, 0.2, 0.03, 2)
    assert tendon.reference == pytest.approx(0.05)
    (motor,) = model.robot.motors
    assert motor.joint == "curl" and motor.kp == pytest.approx(2 * 1.5**2)
    assert any("slack of springs of tendons" in w for w in model.warnings)
    assert not any("actuators" in w for w in model.warnings)
    (part,) = model.robots
    assert [t.name for t in part.tendons] == ["curl"] and len(part.motors) == 1


def test_tendons_that_a_constraint_ties_are_held(mujoco, tmp_path):
    text = FINGER % (1e-3, "", CASES["force"][1])
    text = text.replace("</tendon>", '<fixed name="whole"><joint joint="near" coef="1"/><joint joint="far" coef="1"/></fixed></tendon>'
                        '<equality><tendon tendon1="curl" tendon2="whole" polycoef=".1 .5 0 0 0"/></equality>')
    (tmp_path / "finger.xml").write_text(text)
    model = haptos.load_mjcf(tmp_path / "finger.xml")
    held = model.robot.tendons[-1]
    # near - .6 far = .1 + .5 (near + far)
    assert held.joints == pytest.approx({"near": 0.5, "far": -1.1}) and held.lower == held.upper == pytest.approx(0.1)
    assert not any("tendon equality" in w for w in model.warnings)
    m = mujoco.MjModel.from_xml_path(str(tmp_path / "finger.xml"))
    d = mujoco.MjData(m)
    scene = haptos.Scene(dt=1e-3, gravity=model.options["gravity"])
    (name,) = model.add_to(scene)
    sim = scene.compile(quiet=True)
    for _ in range(600):
        mujoco.mj_step(m, d)
        sim.step()
    q = sim.robots[name].position[0]
    assert 0.5 * q[0] - 1.1 * q[1] == pytest.approx(0.1, abs=1e-5)
    assert np.abs(q - d.qpos).max() < 0.05  # which holds it softly
    # One tendon alone is held where it is.
    (tmp_path / "finger.xml").write_text(text.replace('tendon2="whole" ', "").replace('polycoef=".1 .5 0 0 0"', ""))
    alone = haptos.load_mjcf(tmp_path / "finger.xml").robot.tendons[-1]
    assert alone.joints == {"near": 1.0, "far": -0.6} and alone.lower == alone.upper == 0
    (tmp_path / "finger.xml").write_text(text.replace(".1 .5 0 0 0", ".1 .5 0 2 0"))
    assert any("they follow a curve" in w for w in haptos.load_mjcf(tmp_path / "finger.xml").warnings)


def gripper(**tendon):
    """Two fingers of 100 g that one motor closes."""
    links = [haptos.RobotLink("palm")]
    joints = [haptos.RobotJoint("base", "fixed", -1, 0)]
    for k, (name, side) in enumerate((("left", -1), ("right", 1)), start=1):
        links.append(haptos.RobotLink(name, 0.1, inertia=np.eye(3) * 1e-5, collisions=[
            haptos.RobotShape("box", extents=(0.01, 0.03, 0.06))]))
        joints.append(haptos.RobotJoint(name, "prismatic", 0, k, axis=(-side, 0, 0), lower=0, upper=0.04,
                                        frame=(side * 0.045, 0, 0, 1, 0, 0, 0)))
    return haptos.Robot("gripper", links, joints, motors=[haptos.RobotMotor("split", kp=1e3, kd=40, effort=10)],
                        tendons=[haptos.RobotTendon("split", {"left": 0.5, "right": 0.5}, **tendon)])


def test_one_motor_holds_a_box_between_two_fingers():
    scene = haptos.Scene(dt=5e-3)
    scene.add_robot("hand", gripper(), position=(0, 0, 1))
    scene.add_rigid("box", haptos.RobotShape("box", extents=(0.04, 0.04, 0.04)), mass=0.2,
                    position=(0.003, 0, 1), friction=0.8)
    sim = scene.compile(envs=2)
    hand = sim.robots["hand"]
    hand.set_command(position={"split": [0.03, 0.024]})
    # The box would fall while the fingers close: hold it up until then.
    sim.set_wrench("box", (0, 0, 0.2 * 9.81))
    sim.run(0.5)
    sim.set_wrench("box", (0, 0, 0))
    sim.run(0.5)
    assert (sim.pose("box")[:, 2] > 0.999).all()
    length = hand.tendons["split"]
    np.testing.assert_allclose(length, 0.5 * hand.position.sum(axis=1), atol=1e-12)
    # Each finger pushes with half of the motor's force.
    force = 1e3 * (np.array([0.03, 0.024]) - length)
    np.testing.assert_allclose(hand.effort[:, 0], force, rtol=1e-6)
    for finger in ("left", "right"):
        pushed = np.abs(sim.contact_wrench("box", by=f"hand/{finger}").force[:, 0])
        np.testing.assert_allclose(pushed, 0.5 * force, rtol=1e-3)
    sim.reset()
    np.testing.assert_array_equal(hand.command[:, 0, 0], [0, 0])


def test_agents_know_how_far_a_motor_of_a_tendon_goes():
    from haptos.learn import actions, starts

    for upper, most in ((np.inf, 0.04), (0.03, 0.03)):
        scene = haptos.Scene(dt=5e-3)
        scene.add_robot("hand", gripper(upper=upper))
        sim = scene.compile(envs=2)
        bound = actions.joint_targets("hand").bind(sim, 0.05)
        assert bound.low == pytest.approx([0.0]) and bound.high == pytest.approx([most])
        # A start that is drawn for a finger is where the motor holds it.
        draw = [np.random.default_rng(k) for k in range(2)]
        starts.joints("hand", {"left": (0.01, 0.02)})(sim, np.array([True, True]), draw)
        hand = sim.robots["hand"]
        np.testing.assert_allclose(hand.command[:, 0, 0], 0.5 * hand.position[:, 0])
        assert (hand.position[:, 0] >= 0.01).all()


@pytest.mark.parametrize(("joints", "words"), [
    ({"left": 0.5, "rigth": 0.5}, "rigth.*which there is not"),
    ({}, "runs over no joint"),
    ({"left": 0.0}, "weight 0"),
    ({"left": float("nan")}, "weight nan"),
    ({"base": 1.0}, "not one coordinate"),
])
def test_what_no_tendon_is_says_so(joints, words):
    robot = gripper()
    robot.tendons = [haptos.RobotTendon("split", joints)]
    with pytest.raises(haptos.InputError, match=words):
        robot.validate()


def test_a_motor_of_nothing_and_names_of_two_things_are_refused():
    robot = gripper()
    robot.motors = [haptos.RobotMotor("spilt")]
    with pytest.raises(haptos.InputError, match="spilt"):
        robot.validate()
    robot = gripper()
    robot.tendons = [haptos.RobotTendon("left", {"right": 1.0})]
    robot.motors = [haptos.RobotMotor("left")]
    with pytest.raises(haptos.InputError, match="a joint and a tendon"):
        robot.validate()
    with pytest.raises(haptos.InputError, match="mapping"):
        haptos.RobotTendon("split", {"left": "half"})
