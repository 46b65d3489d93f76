"""Constraints to prescribed bodies: a hand that is led by a path, scene files, environments, warnings."""

import numpy as np
import pytest

import haptos

HALF, MASS = 0.02, 0.2  # of the box that is carried


def gripper():
    """A floating base with two fingers that slide towards each other along x."""
    def block(name, mass, half):
        half = np.array(half)
        inertia = np.diag([mass / 3 * (half @ half - h * h) for h in half])
        return haptos.RobotLink(name, mass, inertia=inertia,
                                collisions=[haptos.RobotShape("box", half_extents=half)])

    links = [block("palm", 0.3, (0.05, 0.02, 0.01))]
    joints = [haptos.RobotJoint("base", "free", -1, 0)]
    for k, (name, side) in enumerate((("left", -1), ("right", 1)), start=1):
        links.append(block(name, 0.05, (0.005, 0.015, 0.03)))
        joints.append(haptos.RobotJoint(name, "prismatic", 0, k, axis=(-side, 0, 0),
                                        frame=(side * 0.03, 0, -0.05, 1, 0, 0, 0)))
    motors = [haptos.RobotMotor(f, kp=2e3, kd=40, effort=20) for f in ("left", "right")]
    return haptos.Robot("gripper", links, joints, motors=motors)


def led_hand(friction=0.8):
    scene = haptos.Scene(dt=5e-3)
    scene.add_prescribed("wrist", position=(0, 0, 0.09))
    scene.add_robot("hand", gripper(), position=(0, 0, 0.09))
    scene.add_constraint("led", "hand/palm", "wrist")
    scene.add_rigid("box", haptos.RobotShape("box", extents=(2 * HALF,) * 3), mass=MASS, position=(0, 0, HALF), friction=friction)
    scene.add_half_space("floor", friction=0.5)
    return scene


def carry(sim, turn):
    """Closes the fingers, lifts by 60 mm and turns by `turn` [rad] (envs) about z meanwhile."""
    turn = np.broadcast_to(turn, sim.envs)
    sim.robots["hand"].set_command(position={"left": 0.008, "right": 0.008})
    for n in range(200):
        s = np.clip((n - 40) / 120, 0, 1)
        s = s * s * (3 - 2 * s)
        half = 0.5 * s * turn
        zero = np.zeros(sim.envs)
        sim.set_target("wrist", np.stack([zero, zero, zero + 0.09 + 0.06 * s], axis=1),
                       np.stack([np.cos(half), zero, zero, np.sin(half)], axis=1))
        assert (sim.step().status == 0).all()


def test_a_hand_that_a_path_leads_lifts_and_turns_a_box():
    turn = np.array([0.0, 0.8, -1.5])
    sim = led_hand().compile(envs=3)
    carry(sim, turn)
    for k in range(3):
        p, q = sim.pose("box")[k, :3], sim.pose("box")[k, 3:]
        assert p[2] == pytest.approx(HALF + 0.06, abs=5e-4)
        assert 2 * np.arctan2(q[3], q[0]) == pytest.approx(turn[k], abs=0.01)
    # At rest the wrist bears hand and box.
    weight = 9.81 * (0.3 + 2 * 0.05 + MASS)
    np.testing.assert_allclose(sim.reaction("wrist").force[:, 2], -weight, rtol=1e-3)
    np.testing.assert_allclose(sim.constraint_wrench("led").force[:, 2], weight, rtol=1e-3)
    error, twist = sim.constraint_error("led")[..., 0], sim.constraint_error("led")[..., 1]
    assert error.max() < 1e-5 and twist.max() < 1e-4
    # Environment 1 alone, to the last bit.
    alone = led_hand().compile()
    carry(alone, turn[1])
    np.testing.assert_array_equal(alone.pose("box")[0], sim.pose("box")[1])


def test_states_hold_where_a_constraint_is_led():
    sim = led_hand().compile()
    sim.set_target("wrist", (0.01, 0, 0.1))
    sim.step()
    kept = sim.states
    sim.set_target("wrist", (0.02, 0, 0.11))
    sim.step()
    end = sim.state.hash()
    sim.set_state(kept[0])
    sim.set_target("wrist", (0.02, 0, 0.11))
    sim.step()
    assert sim.state.hash() == end


def test_a_scene_file_hangs_a_lamp_from_a_crane(tmp_path):
    (tmp_path / "scene.yaml").write_text("""
sim: {dt: 2 ms}
prescribed:
  - name: crane
    shape: none
    trajectory:
      - {time: 0, position: [0, 0, 1 m]}
      - {time: 1 s, position: [0, 0, 1.5 m]}
rigid:
  - name: lamp
    mass: 2
    shape:
      sphere: {radius: 5 cm}
    pose: {position: [0, 0, 50 cm]}
constraints:
  - {name: rope, kind: distance, bodies: [lamp, crane], other: {position: [0, 0, 0]}}
""")
    sim = haptos.load_scene(tmp_path / "scene.yaml").compile()
    sim.run(0.9)
    assert sim.pose("lamp")[0, 2] == pytest.approx(0.95, abs=1e-5)
    assert sim.constraint_wrench("rope").force[0, 2] == pytest.approx(2 * 9.81, rel=1e-5)
    sim.run(0.6)  # it stands still now, and the rope is a rope
    assert sim.pose("lamp")[0, 2] == pytest.approx(1.0, abs=1e-4)


@pytest.mark.parametrize(("a", "b", "words"), [
    ("wrist", "", "free to move"), ("wrist", "other", "free to move"), ("pad", "wrist", "glue soft bodies")])
def test_what_cannot_be_joined_is_refused(a, b, words):
    scene = haptos.Scene()
    scene.add_prescribed("wrist")
    scene.add_prescribed("other", position=(0, 0, 1))
    scene.add_soft("pad", haptos.box_pad(0.01, 0.01, 0.004).mesh)
    scene.add_constraint("led", a, *([b] if b else []))
    with pytest.raises(haptos.InputError, match=words):
        scene.compile()


@pytest.mark.parametrize("kind", ["hinge", "slider"])
@pytest.mark.parametrize("body", ["affine", "rigid"])
def test_a_motor_stiffer_than_the_step_is_warned_of(kind, body):
    def warnings(kp, held):
        scene = haptos.Scene(dt=5e-3)
        size = (0.4, 0.04, 0.04)
        if body == "affine":
            scene.add_affine("arm", haptos.box(size), density=1000, position=(0.2, 0, 1))
        else:
            scene.add_rigid("arm", haptos.RobotShape("box", extents=size), density=1000, position=(0.2, 0, 1))
        scene.add_prescribed("rail")
        scene.add_constraint("drive", "arm", *(["rail"] if held else []), kind=kind, position=(-0.2, 0, 0),
                             motor={"kp": kp, "kd": 0})
        return [w for w in scene.compile(quiet=True).warnings if '"drive"' in w]

    # .64 kg, 0.0342 kg m2 about the end: 3 / (5 ms) is the fastest rate that is followed.
    inertia = 0.64 if kind == "slider" else 0.64 * (0.4**2 / 3 + 0.04**2 / 12)
    for held in (True, False):
        assert not warnings(0.9 * inertia * 600**2, held)
        told = warnings(1.1 * inertia * 600**2, held)
        assert len(told) == 1 and "sim.dt of 0.001 s" in told[0] and "kp" in told[0]


def looped(on_a_link, apart=0.0):
    """A bent arm whose end is held to a link that is fixed, or to the world, so far from it along x."""
    bend = 0.5
    end = (0.7 * np.cos(bend) + apart, 0, -0.1 * np.sin(bend), 1, 0, 0, 0)
    links = [haptos.RobotLink("frame"), haptos.RobotLink("bar", 1.0, (0.2, 0, 0), np.eye(3) * 0.02),
             haptos.RobotLink("arm", 0.5, (0.1, 0, 0), np.eye(3) * 0.005)]
    joints = [haptos.RobotJoint("base", "fixed", -1, 0),
              haptos.RobotJoint("hinge", "revolute", 0, 1, axis=(0, 1, 0), position=[bend]),
              haptos.RobotJoint("elbow", "revolute", 1, 2, axis=(0, 1, 0), frame=(0.4, 0, 0, 1, 0, 0, 0),
                                position=[-2 * bend])]
    tie = haptos.LoopClosure("ball", 2, 0 if on_a_link else -1, name="tie", frame_a=(0.3, 0, 0, 1, 0, 0, 0),
                             frame_b=end)
    scene = haptos.Scene(dt=2e-3)
    scene.add_robot("r", haptos.Robot("r", links, joints, closures=[tie]))
    return scene


def test_a_loop_may_close_on_a_link_that_is_fixed():
    both = []
    for on_a_link in (True, False):
        sim = looped(on_a_link).compile()
        for _ in range(100):
            assert sim.step().ok
        both.append(sim.robots["r"].position[0])
        assert sim.warnings == []
    # Read out of bounds before, so that it was NaN now and then.
    np.testing.assert_array_equal(both[0], both[1])


def test_what_starts_open_closes_at_a_capped_speed_and_is_told():
    scene = looped(True, apart=-0.1)
    sim = scene.compile(quiet=True)
    (told,) = [w for w in sim.warnings if "tie" in w]
    assert "100 mm" in told and "1 m/s" in told
    fastest = 0.0
    for _ in range(300):
        assert sim.step().ok
        fastest = max(fastest, np.abs(sim.robots["r"].velocity).max())
    assert fastest < 20  # rad/s; half of 100 mm in the first step would be 125 and more
    q = sim.robots["r"].position[0]
    end = [0.4 * np.cos(q[0]) + 0.3 * np.cos(q.sum()), -0.4 * np.sin(q[0]) - 0.3 * np.sin(q.sum())]
    np.testing.assert_allclose(end, [0.7 * np.cos(0.5) - 0.1, -0.1 * np.sin(0.5)], atol=1e-4)


def test_a_weld_between_bodies_that_starts_open_is_told():
    scene = haptos.Scene(dt=2e-3, gravity=(0, 0, 0))
    scene.add_rigid("box", haptos.RobotShape("box", extents=(0.1, 0.1, 0.1)), mass=1, position=(0.5, 0, 0))
    scene.add_constraint("glue", "box", other_position=(0.3, 0, 0), other_quaternion=(np.sqrt(0.5), 0, 0, np.sqrt(0.5)))
    sim = scene.compile(quiet=True)
    (told,) = [w for w in sim.warnings if "glue" in w]
    assert "200 mm" in told and "1.57" in told
    sim.run(0.5)
    assert sim.pose("box")[0, 0] == pytest.approx(0.3, abs=1e-5)
