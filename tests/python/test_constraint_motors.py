"""Motors, springs and limits of hinges and sliders: scene files, Python, states, recordings."""

import re
import subprocess
import sys
from pathlib import Path

import h5py
import numpy as np
import pytest

import haptos

ROOT = Path(__file__).resolve().parents[2]
BAR = (0.4, 0.04, 0.04)
MASS = 1000 * np.prod(BAR)


def bar_scene(*, gravity=(0, 0, -9.81), **fields):
    """A bar along x on a hinge at the origin that it falls about towards positive angles."""
    scene = haptos.Scene(dt=2e-3, gravity=gravity)
    scene.newton.force_tolerance = 1e-9
    scene.add_affine("bar", haptos.box(BAR), position=(0.2, 0, 0))
    half = np.sqrt(0.5)
    scene.add_constraint("pin", "bar", kind="hinge", position=(-0.2, 0, 0),
                         quaternion=(half, -half, 0, 0), **fields)
    return scene


def test_a_scene_file_describes_what_acts_on_a_hinge(tmp_path):
    (tmp_path / "scene.yaml").write_text("""
sim: {dt: 2 ms}
affine:
  - name: bar
    shape:
      box: {size: [40 cm, 4 cm, 4 cm]}
    pose: {position: [20 cm, 0, 0]}
  - name: lift
    shape:
      box: {size: [10 cm, 10 cm, 10 cm]}
    pose: {position: [0, 1 m, 0]}
constraints:
  - name: pin
    kind: hinge
    bodies: [bar]
    pose: {position: [-20 cm, 0, 0], rotation: {axis: [1, 0, 0], angle: -90 deg}}
    limits: [-30 deg, none]
    stiffness: 4
    reference: -20 deg
    damping: 0.5
  - name: rail
    kind: slider
    bodies: [lift]
    limits: [-5 mm, 5 cm]
    friction: 1
    motor: {kp: 2000, kd: 200, effort: 50 N, position: 3 cm}
""")
    scene = haptos.load_scene(tmp_path / "scene.yaml")
    pin, rail = scene.entries()["constraints"]
    assert pin["limits"] == pytest.approx((-np.pi / 6, np.inf)) and pin["stiffness"] == 4
    assert pin["reference"] == pytest.approx(-np.pi / 9) and pin["motor"] is None
    assert rail["motor"]["effort"] == 50 and rail["motor"]["position"] == pytest.approx(0.03)
    sim = scene.compile(envs=2)
    sim.run(6)
    q = sim.constraint_position("pin")
    moment = MASS * 9.81 * 0.2
    np.testing.assert_allclose(4 * (q + np.pi / 9), moment * np.cos(q), rtol=1e-3)
    # The motor carries the weight of 1 kg but for what dry friction takes of it.
    np.testing.assert_allclose(sim.constraint_position("rail"), [0.03 - 9.81 / 2000] * 2, atol=6e-4)
    assert (np.abs(sim.constraint_effort("rail") - 9.81) < 1.001).all()


def test_a_scene_file_says_where_a_motor_has_no_axis(tmp_path):
    (tmp_path / "scene.yaml").write_text("""
affine:
  - name: bar
    shape:
      box: {size: [40 cm, 4 cm, 4 cm]}
constraints:
  - {name: pin, kind: ball, bodies: [bar], motor: {effort: 3 N m}}
""")
    with pytest.raises(haptos.InputError, match=r"scene.yaml:7:.*motor: is of the kinds hinge and slider only"):
        haptos.load_scene(tmp_path / "scene.yaml")


def test_commands_differ_by_environment_and_are_read_back():
    scene = bar_scene(gravity=(0, 0, 0), motor={"kp": 5, "kd": 0.5})
    sim = scene.compile(envs=3)
    sim.set_constraint_command("pin", position=[0.1, -0.2, 7.0])
    np.testing.assert_array_equal(sim.constraint_command("pin")[:, 0], [0.1, -0.2, 7.0])
    sim.run(4)
    np.testing.assert_allclose(sim.constraint_position("pin"), [0.1, -0.2, 7.0], atol=1e-4)
    sim.set_constraint_gains("pin", kp=0)
    sim.set_constraint_command("pin", velocity=2.0)
    sim.run(1)
    np.testing.assert_allclose(sim.constraint_velocity("pin"), [2.0] * 3, atol=1e-3)
    before = sim.constraint_position("pin").copy()
    sim.run(0.5)
    np.testing.assert_allclose(sim.constraint_position("pin") - before, [1.0] * 3, atol=1e-3)
    sim.reset()
    np.testing.assert_array_equal(sim.constraint_gains("pin"), [[5, 0.5, 0]] * 3)
    np.testing.assert_array_equal(sim.constraint_position("pin"), [0] * 3)
    np.testing.assert_array_equal(sim.constraint_command("pin"), np.zeros((3, 3)))
    np.testing.assert_array_equal(sim.constraint_effort("pin"), np.zeros(3))


def test_turns_commands_and_integrals_are_part_of_the_state(tmp_path):
    scene = bar_scene(motor={"kp": 5, "kd": 0.5, "ki": 3, "position": 8.1}, limits=(None, 9.1))
    sim = scene.compile()
    sim.run(1.5)
    assert sim.constraint_position("pin")[0] > 6.5
    kept = sim.states
    sim.save(tmp_path / "state")
    sim.run(0.5)
    end = sim.constraint_position("pin")[0], sim.state.hash()
    sim.reset()
    sim.set_state(kept[0])
    sim.run(0.5)
    assert (sim.constraint_position("pin")[0], sim.state.hash()) == end
    again = scene.compile()
    again.load(tmp_path / "state")
    again.run(0.5)
    assert (again.constraint_position("pin")[0], again.state.hash()) == end


def test_a_motor_holds_where_it_starts():
    tilt = 0.3
    scene = haptos.Scene(dt=2e-3, gravity=(0, 0, 0))
    scene.add_affine("bar", haptos.box(BAR), position=(0.2, 0, 0))
    scene.add_constraint("pin", "bar", kind="hinge", position=(-0.2, 0, 0),
                         other_position=(0, 0, 0), other_quaternion=(np.cos(tilt / 2), 0, 0, np.sin(tilt / 2)),
                         motor={"kp": 10, "kd": 1})
    sim = scene.compile()
    assert sim.constraint_position("pin")[0] == pytest.approx(-tilt, abs=1e-12)
    assert sim.constraint_command("pin")[0, 0] == pytest.approx(-tilt, abs=1e-12)
    sim.run(0.5)
    assert sim.constraint_position("pin")[0] == pytest.approx(-tilt, abs=1e-9)


@pytest.mark.parametrize(("fields", "word"), [
    ({"limits": (1.0, 0.0)}, "limits"),
    ({"limits": (1.0,)}, "limits"),
    ({"limits": "stop"}, "limits"),
    ({"motor": {"kp": -1}}, "kp"),
    ({"motor": {"force": 3}}, "force"),
    ({"motor": 3}, "motor"),
    ({"stiffness": -1}, "stiffness"),
    ({"reference": np.nan}, "reference"),
    ({"kind": "ball", "motor": {"kp": 1}}, "hinge and slider"),
    ({"kind": "weld", "stiffness": 1}, "hinge and slider"),
])
def test_what_cannot_be_is_refused_with_its_name(fields, word):
    scene = haptos.Scene()
    scene.add_affine("bar", haptos.box(BAR))
    with pytest.raises(haptos.InputError, match=word):
        scene.add_constraint("pin", "bar", **({"kind": "hinge"} | fields))
        scene.compile()


def test_what_has_no_axis_or_motor_is_told():
    scene = bar_scene()
    scene.add_affine("crate", haptos.box((0.1, 0.1, 0.1)), position=(0, 1, 0))
    scene.add_constraint("screw", "crate")
    sim = scene.compile()
    with pytest.raises(haptos.InputError, match="hinge or slider"):
        sim.constraint_position("screw")
    with pytest.raises(haptos.InputError, match="no motor.*kp"):
        sim.set_constraint_command("pin", position=1.0)
    driven = bar_scene(motor={"kp": 1}).compile(envs=2)
    for bad in ([1.0, np.nan], [1.0, 2.0, 3.0]):
        with pytest.raises(haptos.InputError):
            driven.set_constraint_command("pin", position=bad)
    with pytest.raises(haptos.InputError, match="gains"):
        driven.set_constraint_gains("pin", kp=[1.0, -1.0])
    np.testing.assert_array_equal(driven.constraint_command("pin"), np.zeros((2, 3)))


def test_the_example_of_a_door_a_lift_and_a_wheel(tmp_path):
    done = subprocess.run([sys.executable, str(ROOT / "examples/python/door_lift_wheel.py")], cwd=tmp_path,
                          capture_output=True, text=True, timeout=120, check=False)
    assert done.returncode == 0 and not done.stderr, done.stderr
    door, lift, wheel = (float(x) for x in re.findall(r"-?\d+\.\d+", done.stdout))
    assert door == pytest.approx(np.degrees(60 * np.radians(50) / 62), abs=0.06)
    assert lift == pytest.approx(300 - 1e3 * 400 * 0.3 * 0.2 * 0.06 * 9.81 / 2000, abs=0.06)
    assert wheel == pytest.approx(4 - 0.1, abs=6e-4)
    assert (tmp_path / "door_lift_wheel.png").stat().st_size > 10_000


def test_recordings_tell_where_hinges_were(tmp_path):
    sim = bar_scene(motor={"kp": 5, "kd": 0.5, "position": 0.5}).compile()
    with haptos.Recorder(tmp_path / "run.h5", sim) as recorder:
        sim.run(0.1, each=recorder.record)
    with h5py.File(tmp_path / "run.h5") as run:
        pin = run["constraints/pin"]
        assert pin["position"].shape == pin["velocity"].shape == (51, 1)
        assert pin["position"][-1, 0] == sim.constraint_position("pin")[0] > 0.01
        assert pin["velocity"][-1, 0] == sim.constraint_velocity("pin")[0]
        assert pin["effort"][-1, 0] == sim.constraint_effort("pin")[0] != 0
        np.testing.assert_array_equal(pin["command"][-1], [[0.5, 0, 0]])
