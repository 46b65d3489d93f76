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
    assert robot.effort[0, 0] == pytest.approx(load, rel=1e-9)
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
