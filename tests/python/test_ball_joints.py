"""Limits and springs of ball joints: the angle of the whole turn, and a torque against it."""

import haptos
import numpy as np
import pytest
from haptos.base.turns import rotation

MASS, LENGTH = 0.5, 0.2
INERTIA = np.diag([4e-3, 5e-3, 6e-3])


def hung(turn=(1, 0, 0, 0), velocity=(0, 0, 0), dt=2e-3, gravity=9.81, frame=None, **joint):
    """A rod that hangs from a ball joint at the origin, its centre of mass LENGTH below."""
    link = haptos.RobotLink("rod", MASS, (0, 0, -LENGTH), inertia=INERTIA)
    ball = haptos.RobotJoint("ball", "ball", -1, 0, position=turn, frame=frame, **joint)
    scene = haptos.Scene(dt=dt, gravity=(0, 0, -gravity))
    scene.newton.force_tolerance = 1e-10
    scene.add_robot("rod", haptos.Robot("rod", [link], [ball]), velocity=velocity)
    return scene.compile(quiet=True)


def about(axis, angle):
    axis = np.asarray(axis, float) / np.linalg.norm(axis)
    return np.r_[np.cos(angle / 2), np.sin(angle / 2) * axis]


def angle_of(sim):
    q = sim.robots["rod"].position[0, -4:]
    return 2 * np.arctan2(np.linalg.norm(q[1:]), abs(q[0]))


@pytest.mark.parametrize("axis", [(1, 0, 0), (1, 2, 0), (0.3, -1, 0.8)])
def test_a_rod_that_swings_out_stops_at_its_limit(axis):
    velocity = 6 * np.asarray(axis, float) / np.linalg.norm(axis)
    sim = hung(velocity=velocity, upper=0.6)
    largest = 0.0
    for _ in range(500):
        sim.step()
        assert sim.status[0] == 0
        largest = max(largest, angle_of(sim))
    free = hung(velocity=velocity)
    reached = 0.0
    for _ in range(500):
        free.step()
        reached = max(reached, angle_of(free))
    assert reached > 0.75
    assert 0.59 < largest < 0.6 + 1e-3  # along the limit it goes straight for a step


def test_a_rod_that_leans_on_its_limit_rests_there_and_may_turn_around():
    """Held up by its limit against a side load; the limit is a cone, along which it slides."""
    sim = hung(upper=0.5, damping=0.02)
    robot = sim.robots["rod"]
    for k in range(4000):
        around = min(1.0, k / 3000) * np.pi / 2
        force = 20 * np.array([np.cos(around), np.sin(around), 0])
        robot.set_wrench("rod", force=force, torque=np.cross(robot.link_pose("rod")[0, :3] +
                         rotation(robot.link_pose("rod")[0, 3:]) @ (0, 0, -LENGTH), force))
        sim.step()
    assert angle_of(sim) == pytest.approx(0.5, abs=1e-4)
    lean = rotation(robot.link_pose("rod")[0, 3:]) @ (0, 0, -1)
    assert lean[1] == pytest.approx(np.sin(0.5), abs=2e-3)
    assert abs(lean[0]) < 0.02


@pytest.mark.parametrize("axis", [(1, 0, 0), (0, 1, 0), (0, 0, 1)])
def test_a_spring_swings_at_its_frequency(axis):
    stiffness = 0.8
    unit = np.asarray(axis, float) / np.linalg.norm(axis)
    about_joint = INERTIA + MASS * LENGTH**2 * np.diag([1, 1, 0])
    inertia = unit @ about_joint @ unit
    turn = about(unit, 0.02)
    sim = hung(turn, gravity=0, stiffness=stiffness, dt=2e-4)
    period = 2 * np.pi * np.sqrt(inertia / stiffness)
    crossings, last, time = [], None, 0.0
    for _ in range(int(2.2 * period / 2e-4)):
        sim.step()
        time += 2e-4
        q = sim.robots["rod"].position[0, -4:]
        now = np.sign(q[0]) * q[1:] @ unit
        if last is not None and last * now < 0:
            crossings.append(time - 2e-4 * abs(now) / abs(now - last))
        last = now
    measured = 2 * np.mean(np.diff(crossings))
    assert measured == pytest.approx(period, rel=0.01)


@pytest.mark.parametrize("frame", [None, (0, 0, 0, *about((1, -2, 0.5), 0.9))])
def test_a_spring_holds_a_load_at_the_angle_of_statics(frame):
    """k angle = m g l sin(angle from the vertical), for a rod that is turned up by its spring."""
    stiffness, gravity = 2.0, 9.81
    lean = 1.0 if frame is None else 0.0
    sim = hung(gravity=gravity, stiffness=stiffness, damping=0.4, frame=frame)
    robot = sim.robots["rod"]
    if lean:
        robot.set_wrench("rod", torque=(1.0, 0, 0))
    for _ in range(4000):
        sim.step()
    q = robot.position[0, -4:]
    turn = np.sign(q[0]) * 2 * np.arctan2(np.linalg.norm(q[1:]), abs(q[0])) * q[1:] / (
        np.linalg.norm(q[1:]) + 1e-300)
    pose = robot.link_pose("rod")[0]
    axes = np.eye(3) if frame is None else rotation(np.asarray(frame[3:]))
    weight = np.cross(rotation(pose[3:]) @ (0, 0, -LENGTH), (0, 0, -MASS * gravity))
    balance = weight - stiffness * axes @ turn + np.array([lean, 0, 0])
    assert np.linalg.norm(turn) > 0.1
    assert np.abs(balance).max() < 1e-5


@pytest.mark.parametrize("bounds", [{"lower": -1}, {"upper": 0}, {"upper": 3.2}])
def test_limits_that_no_ball_has_are_refused(bounds):
    link = haptos.RobotLink("rod", MASS, inertia=INERTIA)
    ball = haptos.RobotJoint("ball", "ball", -1, 0, **bounds)
    with pytest.raises(haptos.InputError, match="largest angle of its turn"):
        haptos.Robot("rod", [link], [ball]).validate()


def test_a_start_beyond_the_limit_is_told():
    link = haptos.RobotLink("rod", MASS, inertia=INERTIA)
    ball = haptos.RobotJoint("ball", "ball", -1, 0, upper=0.3, position=about((1, 0, 0), 0.5))
    findings = haptos.check_robot(haptos.Robot("rod", [link], [ball]))
    assert any("starts turned by 0.5 rad, beyond its limit 0.3" in str(f) for f in findings)


def test_mjcf_limits_and_springs_of_balls_are_read(tmp_path):
    mujoco = pytest.importorskip("mujoco", reason="the package mujoco is not installed")
    path = tmp_path / "rod.xml"
    path.write_text("""<mujoco><option timestep="0.001"/><worldbody><body name="rod">
      <joint name="ball" type="ball" range="0 40" stiffness=".3" damping=".02"/>
      <geom type="capsule" fromto="0 0 0 0 0 -.3" size=".02" mass=".4"/></body></worldbody></mujoco>""")
    model = haptos.load_mjcf(path)
    assert model.warnings == []
    ball = model.robot.joints[0]
    assert ball.upper == pytest.approx(np.deg2rad(40))
    assert ball.stiffness == 0.3
    reference = mujoco.MjModel.from_xml_path(str(path))
    data = mujoco.MjData(reference)
    data.qvel[:] = (2, 1, 0.5)
    scene = haptos.Scene(dt=1e-3)
    scene.add_robot("rod", model.robot, velocity=(2, 1, 0.5))
    sim = scene.compile(quiet=True)
    for _ in range(400):
        sim.step()
        mujoco.mj_step(reference, data)
        assert sim.robots["rod"].position[0] == pytest.approx(data.qpos, abs=3e-3)


def test_an_mjcf_range_of_half_a_turn_is_no_limit(tmp_path):
    pytest.importorskip("mujoco", reason="the package mujoco is not installed")
    path = tmp_path / "free.xml"
    path.write_text("""<mujoco><worldbody><body name="rod">
      <joint name="ball" type="ball" range="0 180"/><geom size=".1"/></body></worldbody></mujoco>""")
    assert haptos.load_mjcf(path).robot.joints[0].upper == np.inf
