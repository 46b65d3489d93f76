"""Gravity of each environment."""

import numpy as np
import pytest

import haptos
from haptos.learn import starts

MOON = np.array([[0, 0, -9.81], [0, 0, -1.62], [0.5, -0.25, 2.0]])


def falling(envs, gravity=(0, 0, -9.81)):
    """One of each kind of body that moves, in free fall."""
    scene = haptos.Scene(dt=0.01, gravity=gravity)
    scene.add_rigid("rigid", haptos.RobotShape("box", extents=(0.1, 0.1, 0.1)), mass=1, position=(-2, 0, 0))
    scene.add_affine("affine", haptos.box((0.1, 0.1, 0.1)), position=(-1, 0, 0))
    pad = haptos.box_pad(0.1, 0.1, 0.1, grading=haptos.PadGrading(0.05, 0.05, 0.05, 0.05)).mesh
    scene.add_soft("soft", pad, position=(1, 0, 0))
    scene.add_material_points("dough", haptos.RobotShape("box", extents=(0.1, 0.1, 0.1)), position=(2, 0, 0), young=1e4, cell=0.05)
    return scene.compile(envs=envs, quiet=True)


def middles(sim):
    return {"rigid": sim.pose("rigid")[:, :3], "affine": sim.positions("affine").mean(1), "soft": sim.positions("soft").mean(1),
            "dough": sim.material_points["dough"].position.mean(1)}


def test_every_kind_of_body_falls_as_its_environment_says():
    sim = falling(3)
    start = middles(sim)
    assert (sim.gravity == (0, 0, -9.81)).all()
    sim.set_gravity(MOON)
    assert (sim.gravity == MOON).all()
    n = 20
    for _ in range(n):
        assert sim.step().ok
    # Implicit Euler falls by g h^2 n (n + 1) / 2.
    for name, now in middles(sim).items():
        exact = 0.01**2 * n * (n + 1) / 2 * MOON
        assert now - start[name] == pytest.approx(exact, abs=2e-3 * np.abs(exact).max()), name


def test_an_environment_is_the_scene_of_that_gravity():
    sim, alone = falling(2), falling(1, (0, 0, -1.62))
    sim.set_gravity([[0, 0, -9.81], [0, 0, -1.62]])
    for _ in range(10):
        sim.step(), alone.step()
    one, other = middles(sim), middles(alone)
    for name in one:
        assert (one[name][1] == other[name][0]).all(), name


def test_it_is_part_of_the_state(tmp_path):
    sim = falling(2)
    sim.set_gravity([[0, 0, -1], [0, 0, -2]])
    sim.step()
    sim.save(tmp_path / "state")
    other = falling(2)
    other.load(tmp_path / "state")
    assert (other.gravity[:, 2] == (-1, -2)).all()
    sim.step(), other.step()
    assert (sim.pose("rigid") == other.pose("rigid")).all()
    other.reset([False, True])
    assert (other.gravity[:, 2] == (-1, -9.81)).all()


def test_a_state_of_a_scene_that_has_another_brings_none():
    settled, tilted = falling(1, (0, 0, -9.81)), falling(1, (1, 0, -9.0))
    settled.step()
    tilted.set_state(settled.state)
    assert (tilted.gravity == (1, 0, -9)).all()
    settled.set_gravity((0, 0, -3))
    tilted.set_state(settled.state)
    assert (tilted.gravity == (0, 0, -3)).all()


def test_a_box_weighs_what_it_weighs_there():
    scene = haptos.Scene(dt=0.01)
    scene.add_half_space("ground", friction=0.5)
    scene.add_rigid("box", haptos.RobotShape("box", extents=(0.2, 0.2, 0.1)), mass=2, friction=0.5, position=(0, 0, 0.05))
    sim = scene.compile(envs=3, quiet=True)
    sim.set_gravity([[0, 0, -9.81], [0, 0, -1.62], [1, 0, -4]])  # the last as on a slope of .25
    for _ in range(100):
        report = sim.step()
    assert report.ok
    assert sim.contact_wrench("box").force == pytest.approx(np.array([[0, 0, 19.62], [0, 0, 3.24], [-2, 0, 8]]), abs=1e-3)
    assert report.potential == pytest.approx(np.array([2 * 9.81, 2 * 1.62, 2 * 4]) * 0.05, rel=1e-3)


def test_an_imu_feels_it():
    scene = haptos.Scene(dt=0.01)
    scene.add_half_space("ground", friction=0.5)
    scene.add_rigid("box", haptos.RobotShape("box", extents=(0.2, 0.2, 0.1)), mass=2, friction=0.5, position=(0, 0, 0.05))
    scene.add_robot_sensor("box", "imu", "imu")
    sim = scene.compile(envs=2, quiet=True)
    sim.set_gravity([[0, 0, -9.81], [0, 0, -1.62]])
    for _ in range(100):
        sim.step()
    assert sim.robots["box"].sensors["imu"].value[:, :3] == pytest.approx(np.array([[0, 0, 9.81], [0, 0, 1.62]]), abs=1e-3)


def test_it_is_drawn_at_a_start():
    sim = falling(3)
    hook = starts.gravity((0, 0, -12), (0, 0, -8))
    hook(sim, np.array([True, False, True]), [np.random.default_rng(k) for k in range(3)])
    g = sim.gravity
    assert (g[:, :2] == 0).all() and g[1, 2] == -9.81 and g[0, 2] != g[2, 2]
    assert ((-12 <= g[:, 2]) & (g[:, 2] <= -8)).all()


@pytest.mark.parametrize("gravity", [(0, 0, -2000.0), (0, 0, np.nan), (0, 0), "9.81"])
def test_what_is_no_gravity(gravity):
    sim = falling(1)
    with pytest.raises(haptos.InputError, match="gravity"):
        sim.set_gravity(gravity)
    assert (sim.gravity == (0, 0, -9.81)).all()
