"""Robots and rigid bodies in scenes, from Python: motors, contact, state, pictures, errors."""

import numpy as np
import pytest

import haptos
from conftest import outside_file
from haptos import pictures

G = 9.81

ARM = """<robot name="arm"><link name="base"/>
<link name="upper"><inertial><origin xyz="0 0 -0.5"/><mass value="2"/>
<inertia ixx="0.16666666666666666" iyy="0.16666666666666666" izz="0.001"/></inertial>
<collision><origin xyz="0 0 -0.5"/><geometry><capsule radius="0.02" length="0.9"/></geometry></collision></link>
<joint name="shoulder" type="continuous"><parent link="base"/><child link="upper"/>
<axis xyz="0 1 0"/><limit effort="30" velocity="5"/></joint></robot>"""


@pytest.fixture
def arm(tmp_path):
    path = tmp_path / "arm.urdf"
    path.write_text(ARM)
    return path


def arm_scene(arm, **keywords):
    scene = haptos.Scene(dt=1e-3)
    scene.newton.force_tolerance = 1e-10
    scene.add_robot("arm", arm, **keywords)
    return scene


def test_a_motor_holds_an_arm_and_its_effort_is_the_weight(arm):
    sim = arm_scene(arm, start={"shoulder": 0.5}, motors={"kp": 200, "kd": 20}).compile()
    robot = sim.robots["arm"]
    assert robot.joint_names == ["shoulder"] == robot.motor_names
    assert robot.link_names == ["base", "upper"]
    assert robot.position.shape == (1, 1) and robot.command.tolist() == [[[0.5, 0, 0]]]
    assert sim.run(3.0).ok
    q = robot.position[0, 0]
    load = 2 * G * 0.5 * np.sin(q)
    assert robot.effort[0, 0] == pytest.approx(load, rel=1e-6)
    assert q == pytest.approx(0.5 - load / 200, rel=1e-6)
    # Its weight fed forward, it goes where it should; a bound on the effort holds.
    robot.set_command(position={"shoulder": -0.3}, effort=-2 * G * 0.5 * np.sin(0.3))
    sim.run(3.0, each=lambda _: abs(robot.effort[0, 0]) <= 30 or pytest.fail("effort"))
    assert robot.position[0, 0] == pytest.approx(-0.3, abs=1e-6)
    tip = robot.link_pose("upper")[0, :3]
    np.testing.assert_allclose(tip, 0, atol=1e-12)
    np.testing.assert_allclose(robot.link_poses[0, 1], robot.link_pose("upper")[0])


def test_controllers_are_called_before_every_step_and_see_the_sim(arm):
    sim = arm_scene(arm, motors={"kp": 0, "kd": 0}).compile()
    robot = sim.robots["arm"]
    seen = []

    def spring(now):
        seen.append(now.time[0])
        robot.set_command(effort=-50 * (robot.position[0] - 0.2) - 10 * robot.velocity[0]
                          + 2 * G * 0.5 * np.sin(robot.position[0]))

    sim.controllers.append(spring)
    sim.run(2.0)
    assert len(seen) == 2000 and seen[0] == 0 and seen[1] == pytest.approx(1e-3)
    assert robot.position[0, 0] == pytest.approx(0.2, abs=1e-5)


def test_a_rigid_body_rests_on_a_table_and_carries_another(tmp_path):
    scene = haptos.Scene(dt=2e-3)
    scene.newton.force_tolerance = 1e-9
    scene.add_rigid("table", haptos.RobotShape("box", (0.5, 0.5, 0.05)), fixed=True,
                    position=(0, 0, 0.45))
    scene.add_rigid("crate", haptos.RobotShape("box", (0.1, 0.1, 0.05)), density=500,
                    position=(0, 0, 0.5501))
    scene.add_rigid("can", haptos.RobotShape("cylinder", (0.03, 0.06)), mass=0.4,
                    position=(0.02, 0, 0.6602))
    sim = scene.compile()
    assert sim.run(1.0).ok
    crate = 0.2 * 0.2 * 0.1 * 500
    assert sim.contact_wrench("can").force[0, 2] == pytest.approx(0.4 * G, rel=1e-6)
    assert sim.contact_wrench("table").force[0, 2] == pytest.approx(-(crate + 0.4) * G, rel=1e-6)
    assert sim.robots["can"].link_pose("can")[0, 2] == pytest.approx(0.66, abs=2e-3)
    sim.robots["crate"].set_wrench("crate", force=(0, 0, 3 * (crate + 0.4) * G))
    sim.run(0.1)
    assert sim.robots["can"].velocity[0, 2] > 1
    image = pictures.scene_above(sim, 320, 240)
    assert image.shape == (240, 320, 3) and len(np.unique(image)) > 20


def test_a_state_is_set_saved_and_restored(arm, tmp_path):
    sim = arm_scene(arm, motors={"kp": 100, "kd": 3, "ki": 20}).compile()
    robot = sim.robots["arm"]
    robot.set_state(position={"shoulder": 1.0}, velocity=[0.5])
    assert robot.position.tolist() == [[1.0]] and robot.velocity.tolist() == [[0.5]]
    robot.set_command(position=0.4)
    sim.run(0.2)
    sim.save(tmp_path / "a.state")
    sim.run(0.2)
    end = sim.state.hash()
    sim.load(tmp_path / "a.state")
    sim.run(0.2)
    assert sim.state.hash() == end
    sim.reset()
    assert robot.position.tolist() == [[0.0]] and robot.command[0, 0, 0] == 0


def test_what_is_wrong_is_said_in_a_sentence(arm):
    scene = haptos.Scene()
    with pytest.raises(haptos.InputError, match='did you mean "shoulder"'):
        scene.add_robot("a", arm, motors={"kp": 1, "joints": ["sholder"]})
    with pytest.raises(haptos.InputError, match="kpp"):
        scene.add_robot("a", arm, motors={"kpp": 1})
    with pytest.raises(haptos.InputError, match='did you mean "shoulder"'):
        scene.add_robot("a", arm, start={"sholder": 1})
    with pytest.raises(haptos.InputError, match="both a mass and a density"):
        scene.add_rigid("a", haptos.RobotShape("sphere", 0.1), mass=1, density=1)
    with pytest.raises(haptos.InputError, match="encloses no volume"):
        scene.add_rigid("a", haptos.RobotShape("half_space"))
    sim = arm_scene(arm, motors={"kp": 1}).compile()
    robot = sim.robots["arm"]
    before = sim.state.hash()
    for call in (lambda: robot.set_command(position=[1, 2]),
                 lambda: robot.set_command(position=np.nan),
                 lambda: robot.set_command(position={"elbow": 1}),
                 lambda: robot.set_state(position=[1, 2]),
                 lambda: robot.set_torque([1, 2]),
                 lambda: robot.set_wrench("hand"),
                 lambda: robot.link_pose("hand"),
                 lambda: robot.coordinates("elbow")):
        with pytest.raises(haptos.InputError, match='robot "arm"'):
            call()
    assert sim.state.hash() == before


def test_a_quadruped_stands_on_its_motors():
    path = outside_file("robots/go2_description/urdf/go2.urdf")
    scene = haptos.Scene(dt=2e-3)
    scene.add_half_space("floor")
    robot = haptos.load_robot(path, floating=True)
    start = {j.name: 0.8 if "thigh" in j.name else -1.5 for j in robot.joints
             if j.kind == "revolute" and ("thigh" in j.name or "calf" in j.name)}
    scene.add_robot("go2", robot, position=(0, 0, 0.36), start=start,
                    motors={"kp": 200, "kd": 5}, friction=0.8, relaxation_time=0.02)
    sim = scene.compile()
    assert sim.run(2.0).ok
    total = sum(sim.contact_wrench(f"go2/{leg}_foot").force[0, 2] for leg in ("FL", "FR", "RL", "RR"))
    assert total == pytest.approx(robot.total_mass * G, rel=1e-3)
    assert sim.robots["go2"].position[0, 2] > 0.25


def test_environments_are_those_of_a_run_alone(arm):
    scene = arm_scene(arm, motors={"kp": 100, "kd": 5, "ki": 10})
    many = scene.compile(envs=8)
    robot = many.robots["arm"]
    target = np.linspace(-0.5, 0.5, 8)
    robot.set_command(position=target[:, None], effort={"shoulder": 2 * target})
    robot.set_mass_scale("upper", 1 + 0.1 * np.arange(8))
    robot.set_friction_scale(0.5)
    robot.set_gains(kp={"shoulder": 100 + 10.0 * np.arange(8)})
    assert robot.gains[3, 0].tolist() == [130, 5, 10]
    assert many.envs == 8 and robot.position.shape == (8, 1) and robot.link_poses.shape == (8, 2, 7)
    report = many.run(0.2)
    assert report.status.shape == (8,) and report.ok and many.time.shape == (8,)
    one = scene.compile()
    alone = one.robots["arm"]
    alone.set_command(position=target[3], effort=2 * target[3])
    alone.set_mass_scale("upper", 1.3)
    alone.set_friction_scale(0.5)
    alone.set_gains(kp=130)
    one.run(0.2)
    assert many.states[3].hash() == one.state.hash()
    np.testing.assert_array_equal(alone.position[0], robot.position[3])


def test_reset_by_mask_and_saved_states(arm, tmp_path):
    scene = arm_scene(arm, motors={"kp": 100, "kd": 5})
    sim = scene.compile(envs=3)
    robot = sim.robots["arm"]
    robot.set_command(position=[[0.1], [0.2], [0.3]])
    sim.run(0.1)
    sim.save(tmp_path / "states")
    middle = robot.position.copy()
    sim.reset([True, False, True])
    assert robot.position[[0, 2]].tolist() == [[0.0], [0.0]]
    np.testing.assert_array_equal(robot.position[1], middle[1])
    sim.load(tmp_path / "states")
    np.testing.assert_array_equal(robot.position, middle)
    for bad in (lambda: sim.reset([True]), lambda: scene.compile(envs=0),
                lambda: scene.compile(envs=2).load(tmp_path / "states"),
                lambda: robot.set_command(position=np.zeros((2, 1))),
                lambda: setattr(sim, "state", sim.state)):
        with pytest.raises(haptos.InputError):
            bad()


def test_soft_bodies_run_side_by_side_too(tmp_path):
    scene = haptos.Scene(dt=0.01)
    scene.add_half_space("floor")
    scene.add_affine("block", haptos.box((0.04, 0.04, 0.04)), position=(0, 0, 0.0201))
    sim = scene.compile(envs=3)
    sim.set_wrench("block", force=[(0, 0, 0), (0, 0, 1.0), (0, 0, -1.0)])
    sim.run(0.3)
    force = sim.reaction("block").force
    assert force.shape == (3, 3)
    weight = 0.064 * G
    np.testing.assert_allclose(force[:, 2], [weight, max(0, weight - 1), weight + 1], rtol=1e-3,
                               atol=1e-6)
    assert set(sim.contacts["env"]) <= {0, 1, 2}


def test_a_run_is_recorded(arm, tmp_path):
    sim = arm_scene(arm, motors={"kp": 100, "kd": 5}).compile(envs=2)
    with haptos.Recorder(tmp_path / "run.h5", sim) as recorder:
        sim.run(0.01, each=recorder.record)
    import h5py

    with h5py.File(tmp_path / "run.h5") as f:
        group = f["robots/arm"]
        assert group["position"].shape == (11, 2, 1) and group["link_pose"].shape == (11, 2, 2, 7)
        assert list(group.attrs["joints"]) == ["shoulder"]
        np.testing.assert_array_equal(group["effort"][-1], sim.robots["arm"].effort)


def test_a_modulus_is_an_elastic_foundation():
    for side in (0.1, 0.2):
        scene = haptos.Scene(dt=1e-3)
        scene.newton.force_tolerance = 1e-9
        scene.add_half_space("ground")
        scene.add_rigid("box", haptos.RobotShape("box", (side / 2, 0.05, 0.05)), mass=2,
                        position=(0, 0, 0.05), modulus=1e8)
        sim = scene.compile()
        assert sim.run(1.0).ok
        assert 0.05 - sim.pose("box")[0, 2] == pytest.approx(2 * G / (1e8 * side * 0.1), rel=1e-4)
