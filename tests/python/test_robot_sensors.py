"""Sensors of robots and trajectories, from Python."""

import numpy as np
import pytest

import haptos

G = 9.81

ARM = """<robot name="arm"><link name="base"/>
<link name="upper"><inertial><origin xyz="0 0 -0.5"/><mass value="2"/>
<inertia ixx="0.2" iyy="0.2" izz="0.001"/></inertial></link>
<link name="tool"><inertial><mass value="0.5"/><inertia ixx="0.001" iyy="0.001" izz="0.001"/></inertial></link>
<joint name="shoulder" type="continuous"><parent link="base"/><child link="upper"/>
<axis xyz="0 1 0"/></joint>
<joint name="wrist" type="fixed"><parent link="upper"/><child link="tool"/><origin xyz="0 0 -1"/></joint>
</robot>"""


@pytest.fixture
def scene(tmp_path):
    (tmp_path / "arm.urdf").write_text(ARM)
    scene = haptos.Scene(dt=1e-3)
    scene.newton.force_tolerance = 1e-10
    scene.add_robot("arm", tmp_path / "arm.urdf", start={"shoulder": 0.5},
                    motors={"kp": 2000, "kd": 200})
    return scene


def test_sensors_are_read_by_name_with_channels_units_and_times(scene):
    scene.add_robot_sensor("arm", "wrist", "force_torque", "wrist", rate=500, delay=4e-3)
    scene.add_robot_sensor("arm", "hand", "force_torque", "wrist", acts_on="parent")
    scene.add_robot_sensor("arm", "imu", "imu", "tool", position=(0, 0, 0.1))
    scene.add_robot_sensor("arm", "amperes", "motor_current", torque_constant=0.5)
    sim = scene.compile()
    sensors = sim.robots["arm"].sensors
    assert list(sensors) == ["wrist", "hand", "imu", "amperes"]
    assert sensors["wrist"].channels[:3] == ("force_x", "force_y", "force_z")
    assert sensors["imu"].units == ("m/s2",) * 3 + ("rad/s",) * 3
    assert sensors["amperes"].channels == ("shoulder",) and sensors["amperes"].kind == "motor_current"
    assert sim.run(2.0).ok
    robot = sim.robots["arm"]
    q = robot.position[0, 0]
    up = np.array([-np.sin(q), 0, np.cos(q)])
    # Loads come from differences of velocities, which Newton leaves within its tolerance.
    np.testing.assert_allclose(sensors["wrist"].value[0, :3], 0.5 * G * up, atol=1e-5)
    np.testing.assert_allclose(sensors["hand"].value, -sensors["wrist"].value, atol=1e-6)
    np.testing.assert_allclose(sensors["imu"].value[0, :3], G * up, atol=1e-5)
    assert sensors["amperes"].value[0, 0] == pytest.approx(robot.effort[0, 0] / 0.5, rel=1e-12)
    assert sensors["wrist"].value.shape == (1, 6)
    assert sensors["wrist"].time[0] == pytest.approx(1.996)
    assert sensors["wrist"].samples[0] == 1001


def test_noise_is_seeded_and_a_loaded_state_goes_on_with_it(scene, tmp_path):
    scene.add_robot_sensor("arm", "q", "joint_position", noise={"std": 0.1, "range": (-9, 9)})
    sim = scene.compile()
    sensor = sim.robots["arm"].sensors["q"]

    def run(steps):
        rows = []
        for _ in range(steps):
            sim.step()
            rows.append(sensor.value[0, 0])
        return rows

    first = run(20)
    sim.save(tmp_path / "state")
    later = run(20)
    sim.load(tmp_path / "state")
    assert run(20) == later
    sim.reset()
    assert run(20) == first
    sim.reset(seed=3)
    assert run(20) != first
    assert 0.05 < np.std(run(200)) < 0.2
    # Environments have noise of their own, and the first is that of one alone.
    many = scene.compile(envs=3)
    values = many.robots["arm"].sensors["q"].value
    assert values.shape == (3, 1) and len(set(values[:, 0])) == 3
    sim.reset()
    assert values[0] == sensor.value[0]


def test_wrong_sensors_are_refused_with_a_sentence(scene):
    for change, says in (({"kind": "inu"}, "did you mean"), ({"robot": "arn"}, 'did you mean "arm"'),
                         ({"rate": -1}, "rate"), ({"noise": {"sdt": 1}}, '"std"'),
                         ({"noise": {"std": -1}}, "noise.std"), ({"acts_on": "both"}, "acts_on")):
        given = {"robot": "arm", "name": "a", "kind": "imu", "target": "tool", **change}
        with pytest.raises(haptos.InputError, match=says):
            scene.add_robot_sensor(**given)
    scene.add_robot_sensor("arm", "a", "imu", "tol")
    with pytest.raises(haptos.InputError, match="did you mean tool"):
        scene.compile()


def test_trajectories_are_read_from_csv_and_npz_and_played(scene, tmp_path):
    times = np.linspace(0, 1, 11)
    angles = 0.5 + 0.2 * np.sin(2 * np.pi * times)
    csv, npz = tmp_path / "swing.csv", tmp_path / "swing.npz"
    csv.write_text("time,shoulder\n" + "".join(f"{t},{a}\n" for t, a in zip(times, angles)))
    np.savez(npz, time=times, shoulder=angles)
    one = haptos.load_trajectory(csv, interpolation="cubic", loop=True)
    two = haptos.load_trajectory(npz, interpolation="cubic", loop=True)
    at = np.linspace(-1, 3, 57)
    for a, b in zip(one.at(at), two.at(at)):
        np.testing.assert_array_equal(a, b)
        assert a.shape == (57, 1)
    assert one.names == ["shoulder"] and (one.start, one.end) == (0, 1)
    np.testing.assert_allclose(one.at(0.3)[0], angles[3])
    sim = scene.compile()
    robot = sim.robots["arm"]
    sim.controllers.append(one.controller(robot))
    sim.run(1.25)
    np.testing.assert_allclose(robot.command[0, 0, :2], np.ravel(one.at(1.25)), atol=1e-9)
    with pytest.raises(haptos.InputError, match="shoulder"):
        haptos.Trajectory(["sholder"], [0], [[1]]).controller(robot)
    assert robot.position[0, 0] == pytest.approx(one.at(1.25)[0][0], abs=0.02)


def test_wrong_trajectories_are_refused(tmp_path):
    bad = tmp_path / "bad.csv"
    bad.write_text("time,a\n0,1\n0,2\n")
    with pytest.raises(haptos.InputError) as e:
        haptos.load_trajectory(bad)
    assert (e.value.line, e.value.column) == (3, 1)
    for name, arrays in (("a.npz", {"x": [1]}), ("b.npz", {"time": [0, 1], "x": [1]}),
                         ("c.npz", {"time": [0], "x": [np.nan]})):
        np.savez(tmp_path / name, **arrays)
        with pytest.raises(haptos.InputError):
            haptos.load_trajectory(tmp_path / name)
    (tmp_path / "d.npz").write_text("no")
    with pytest.raises(haptos.InputError, match="NPZ"):
        haptos.load_trajectory(tmp_path / "d.npz")
    with pytest.raises(haptos.InputError, match="shape"):
        haptos.Trajectory(["a"], [0, 1], [[1, 2]])


LEG = """<robot name="r"><link name="torso"><inertial><mass value="5"/><inertia ixx="0.1" iyy="0.1" izz="0.1"/></inertial></link>
<link name="thigh"><inertial><origin xyz="0 0 -0.1"/><mass value="1"/><inertia ixx="0.01" iyy="0.01" izz="0.01"/></inertial>
<collision><origin xyz="0.2 0 0"/><geometry><box size="0.2 0.05 0.02"/></geometry></collision></link>
<joint name="hip" type="revolute"><parent link="torso"/><child link="thigh"/><axis xyz="0 1 0"/>
<limit lower="-1" upper="1" effort="1000" velocity="10"/></joint>
<link name="foot"><inertial><mass value="1"/><inertia ixx="0.01" iyy="0.01" izz="0.01"/></inertial>
<collision><geometry><box size="0.6 0.3 0.04"/></geometry></collision></link>
<joint name="ankle" type="revolute"><origin xyz="0 0 -0.3"/><parent link="thigh"/><child link="foot"/><axis xyz="0 1 0"/>
<limit lower="-1" upper="1" effort="1000" velocity="10"/></joint>
<link name="hand"><inertial><mass value="0.5"/><inertia ixx="0.001" iyy="0.001" izz="0.001"/></inertial>
<collision><geometry><box size="0.04 0.04 0.04"/></geometry></collision></link>
<joint name="press" type="prismatic"><origin xyz="0.25 0 0.1"/><parent link="torso"/><child link="hand"/><axis xyz="0 0 1"/>
<limit lower="-1" upper="1" effort="1000" velocity="10"/></joint></robot>"""


@pytest.mark.parametrize("layer", [0, 2e-3])
def test_an_ankle_does_not_feel_a_hand_that_presses_on_the_thigh(tmp_path, layer):
    (tmp_path / "leg.urdf").write_text(LEG)
    scene = haptos.Scene(dt=0.002)
    scene.add_half_space("floor")
    scene.add_robot("r", haptos.load_robot(tmp_path / "leg.urdf", floating=True), position=(0, 0, 0.3201), friction=0.6,
                    layer=layer, motors=[{"joints": ["hip", "ankle"], "kp": 2000, "kd": 50},
                                         {"joints": ["press"], "kp": 400, "kd": 40}])
    scene.add_robot_sensor("r", "ankle", "force_torque", "ankle")
    sim = scene.compile(quiet=True)
    sim.robots["r"].set_command(position={"press": -0.1})
    for _ in range(1200):
        assert sim.step().ok
    rows, hand = sim.contacts, sim.body_id("r/hand")
    pressed = np.abs(rows["force"][(rows["body_a"] == hand) | (rows["body_b"] == hand)].sum(0)[2])
    assert pressed > 10
    reading = sim.robots["r"].sensors["ankle"].value.ravel()
    assert reading[2] == pytest.approx(-6.5 * 9.81, rel=1e-3)
