"""Two tactile fingers lift a ball, by live contact of the gels and by frozen: alone and many at once."""

from pathlib import Path

import numpy as np
import pytest

import haptos

ROOT = Path(__file__).resolve().parents[2]
MASS, G = 0.04, 9.81
LIFTED = 100  # steps of the whole path


SCENES = ["two_fingers", "two_fingers_frozen"]


def two_fingers(envs=1, scene=SCENES[0]):
    return haptos.load_scene(ROOT / "scenes" / "sensors" / f"{scene}.yaml").compile(envs)


def felt(sim):
    """Force on each gel by its sensor, world frame, (env, 2, 3) [N]."""
    rows = []
    for name in ("left", "right"):
        s = sim.sensors[name]
        force = s.touch().force
        rows.append([s.frame(k)[0] @ force[k] for k in range(sim.envs)])
    return np.array(rows).swapaxes(0, 1)


def read(sim):
    """Everything that both sensors say, {what: (env, ...)}."""
    found = {}
    for name in ("left", "right"):
        s = sim.sensors[name]
        found[f"{name}.depth"], found[f"{name}.normal"] = s.image()
        for what, part in (("markers", s.markers()), ("touch", s.touch()),
                           ("field", s.contact_field()), ("image", s.force_image((8, 8)))):
            found |= {f"{name}.{what}.{k}": v for k, v in part._asdict().items()}
    return found


@pytest.mark.parametrize("scene", SCENES)
def test_two_fingers_lift_a_ball_and_feel_what_they_carry(scene):
    sim = two_fingers(scene=scene)
    held = []
    for step in range(LIFTED):
        assert sim.step().ok
        if step >= 90:  # the hoist stands
            held.append((sim.pose("ball")[0, 2], sim.robots["gripper"].position[0, 0]))
    ball, hoist = np.array(held).T
    print(f"FIGURE {scene}.ball = lifted by {1e3 * (ball[-1] - 0.012):.3f} mm")
    assert ball[-1] - 0.012 == pytest.approx(hoist[-1], abs=5e-4)
    # Against the fingers the ball sinks by less than shear of the gels can explain, weight over
    # two pads of G A / t with the smallest area that a force of 3 N leaves, and then stays.
    area = min(float(sim.sensors[n].touch().area[0]) for n in ("left", "right"))
    shear = MASS * G / (2 * 200e3 / (2 * 1.45) * area / 5e-3)
    assert 0 <= hoist[-1] - (ball[-1] - 0.012) < shear
    slip = np.abs(np.diff(ball - hoist)).max()
    print(f"FIGURE {scene}.slip = {1e9 * slip:.2f} nm a step, sunk {1e6 * (hoist[-1] - ball[-1] + 0.012):.1f} um, "
          f"shear of the gels explains {1e6 * shear:.1f} um")
    assert slip < 2e-6
    # Force balance of the ball: newton.force_tolerance of the load, and its mass times what its
    # acceleration is still.
    left, right = felt(sim)[0]
    speed = np.diff(ball) / sim.dt
    tolerance = 1e-3 * np.linalg.norm(left) + MASS * np.abs(np.diff(speed) / sim.dt).max()
    print(f"FIGURE {scene}.force = the gels carry {-left[2] - right[2]:.5f} N of {MASS * G:.5f} N, "
          f"pressed with {-left[0]:.4f} and {right[0]:.4f} N; tolerance {tolerance:.1e} N")
    assert -(left + right)[2] == pytest.approx(MASS * G, abs=tolerance)
    assert -left[0] == pytest.approx(right[0], abs=tolerance) and right[0] > 1
    for name, force in (("left", left), ("right", right)):
        # The sensor adds up the records: no other force is on the gel.
        np.testing.assert_allclose(force, sim.contact_wrench(name).force[0], atol=1e-12)


def alone_and_among(envs, steps, scene=SCENES[0]):
    many = two_fingers(envs, scene)
    many.reset(seed=[0] * envs)
    push = np.linspace(-2e-3, 2e-3, envs)

    def put(sim, offsets):
        """The ball off the middle, by another length in each environment."""
        robot = sim.robots["ball"]
        place = robot.position.copy()
        place[:, 1] += offsets
        robot.set_state(position=place)

    put(many, push)
    for _ in range(steps):
        many.step()
    whole = read(many)
    for k in range(envs):
        one = two_fingers(scene=scene)
        one.reset(seed=[0])
        put(one, push[k:k + 1])
        for _ in range(steps):
            one.step()
        assert one.state.hash() == many.states[k].hash()
        for what, value in read(one).items():
            np.testing.assert_array_equal(value[0], whole[what][k], err_msg=f"{k} {what}")
    assert len({whole["left.touch.torque"][k].tobytes() for k in range(envs)}) == envs


@pytest.mark.parametrize("scene", SCENES)
def test_each_of_eight_environments_equals_itself_alone(scene):
    alone_and_among(8, 30, scene)


@pytest.mark.full
def test_each_of_sixty_four_environments_equals_itself_alone():
    alone_and_among(64, LIFTED)
