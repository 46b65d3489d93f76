"""Prescribed bodies in hydroelastic contact with rigid bodies."""

import numpy as np
import pytest

import haptos

K, R, MASS, G = 1e7, 0.05, 1.0, 9.81
PLATE = haptos.box((0.2, 0.2, 0.04))  # its top is at .02


def ball_on_plate(*, mu=0.0, gravity=G, where=(0.0, 0.0, 0.0695), trajectory=None, dt=2e-3, ball={}, **plate):
    scene = haptos.Scene(dt=dt, gravity=(0, 0, -gravity))
    path = {"trajectory": trajectory} if trajectory else {"position": (0, 0, 0)}
    scene.add_prescribed("plate", PLATE, friction=mu, **path, **plate)
    scene.add_rigid("ball", haptos.RobotShape("sphere", R), mass=MASS, position=where, friction=mu,
                    hydroelastic=K, **ball)
    return scene


def depth_under(force):
    """Of a ball with a pressure K times its depth in a rigid plane."""
    d = np.linspace(0, 0.02, 20001)
    high = R - d
    return np.interp(force, np.pi * K * (R * (R**2 - high**2) - 2 / 3 * (R**3 - high**3)), d)


def test_a_ball_rests_on_a_plate_at_its_depth_and_the_plate_feels_it():
    sim = ball_on_plate(where=(0.03, 0, 0.0695)).compile(strict=True)
    assert sim.run(1.5).ok
    deep = 0.07 - sim.robots["ball"].position[0, 2]
    assert deep == pytest.approx(depth_under(MASS * G), rel=0.01)
    on = sim.reaction("plate")
    np.testing.assert_allclose(on.force[0], [0, 0, -MASS * G], rtol=5e-3, atol=1e-3)
    np.testing.assert_allclose(on.torque[0], [0, 0.03 * MASS * G, 0], rtol=1e-2, atol=2e-3)
    assert np.all(sim.contacts["gap"] <= 0), "they overlap, as no barrier would let them"


def test_a_plate_carries_a_ball_up_and_along():
    t = np.linspace(0, 0.5, 1001)
    rows = [(float(x), (0.3 * float(x) ** 2, 0, 0.4 * float(x) ** 2)) for x in t]
    deep = depth_under(MASS * (G + 0.8))
    sim = ball_on_plate(mu=0.9, trajectory=rows, where=(0, 0, 0.07 - deep), dt=5e-4,
                        ball={"relaxation_time": 0}).compile()
    sim.run(0.1)
    start, ball = sim.time, sim.robots["ball"]
    v0 = ball.velocity[0, :3].copy()
    sim.run(0.2)
    dv = (ball.velocity[0, :3] - v0) / (sim.time - start)
    # What rolls without slip, here on a radius less by its depth, and without a damping that would
    # hold it back.
    rolls = 0.4 / (0.4 + ((R - deep) / R) ** 2)
    assert dv[0] == pytest.approx(0.6 * rolls, rel=0.05)
    assert dv[2] == pytest.approx(0.8, rel=0.03)
    push = sim.contact_wrench("ball").force[0]
    assert push[2] == pytest.approx(MASS * (G + 0.8), rel=0.03)
    np.testing.assert_allclose(sim.reaction("plate").force[0], -push, atol=1e-9)


def test_a_block_sticks_to_a_plate_that_speeds_up_and_slides_where_it_must():
    for a, mu, sticks in ((2.0, 0.4, True), (6.0, 0.4, False)):
        t = np.linspace(0, 0.3, 151)
        rows = [(float(x), (0.5 * a * float(x) ** 2, 0, 0)) for x in t]
        scene = haptos.Scene(dt=2e-3)
        scene.add_prescribed("plate", haptos.box((1, 0.4, 0.04)), friction=mu, trajectory=rows,
                             hydroelastic=1e8)
        scene.add_rigid("block", haptos.RobotShape("box", extents=(0.08, 0.08, 0.04)), mass=0.5, friction=mu,
                        position=(0, 0, 0.04))
        sim = scene.compile()
        assert sim.run(0.2).ok
        v = sim.robots["block"].velocity[0, 0]
        assert v == pytest.approx(0.2 * (a if sticks else mu * G), rel=0.03), (a, mu)


def test_a_given_depth_has_its_force_and_the_pressures_share_it():
    """A stiff probe pressed into a soft block, and a soft one into a stiff block."""
    deep = 1.5e-3
    for probe, block in ((0.0, K), (K, 0.0), (2 * K, 2 * K)):
        scene = haptos.Scene(dt=1e-3, gravity=(0, 0, 0))
        scene.add_prescribed("probe", haptos.icosphere(R, 0.0035), friction=0.5, hydroelastic=probe, field_resolution=96,
                             trajectory=[(0, (0, 0, R + 1e-4)), (0.05, (0, 0, R - deep))])
        scene.add_rigid("slab", haptos.RobotShape("box", extents=(0.2, 0.2, 0.04)), mass=1, hydroelastic=block,
                        position=(0, 0, -0.02))
        scene.add_constraint("weld", "slab")
        sim = scene.compile()
        assert sim.run(0.1).ok
        # A plane's pressure is its depth, a ball's that along its radius: alike where it is shallow.
        force = np.pi * K * R * deep**2
        assert sim.reaction("probe").force[0, 2] == pytest.approx(force, rel=0.04), (probe, block)


@pytest.mark.parametrize("speed", [2.0, 10.0])
def test_a_paddle_does_not_pass_a_ball(speed):
    """Overlap and force come of where both get to within the step, at 30 mm a step too."""
    rows = [(0, (-0.2, 0, 0)), (0.4 / speed, (0.2, 0, 0))]
    scene = haptos.Scene(dt=3e-3, gravity=(0, 0, 0))
    scene.add_prescribed("paddle", haptos.box((0.04, 0.2, 0.2)), trajectory=rows, hydroelastic=1e9)
    scene.add_rigid("ball", haptos.RobotShape("sphere", R), mass=MASS, friction=0)
    sim = scene.compile()
    sim.run(0.4 / speed)
    assert sim.robots["ball"].velocity[0, 0] > 0.9 * speed
    assert sim.robots["ball"].position[0, 0] > 0.2


def test_pairs_may_leave_it_to_the_barrier_or_switch_it_off():
    assert "is no contact of bodies of which one" in refused(ball_on_plate(), model="point")
    assert "start in intersection" in refused(ball_on_plate(), model="barrier")
    scene = ball_on_plate(where=(0, 0, 0.0705))
    scene.add_pair("plate", "ball", model="barrier")
    sim = scene.compile()
    assert sim.run(1.0).ok
    assert sim.robots["ball"].position[0, 2] > 0.0695 and np.all(sim.contacts["gap"] > 0)
    scene = ball_on_plate()
    scene.add_pair("plate", "ball", enabled=False)
    sim = scene.compile()
    sim.run(0.1)
    assert sim.robots["ball"].velocity[0, 2] == pytest.approx(-0.1 * G, rel=1e-6)


def refused(scene, **pair):
    scene.add_pair("plate", "ball", **pair)
    with pytest.raises(haptos.InputError) as told:
        scene.compile()
    return str(told.value)


def test_what_has_no_inside_is_met_by_the_barrier_and_has_no_pressure():
    sheet = haptos.TriMesh([[-1, -1, 0.02], [1, -1, 0.02], [1, 1, 0.02], [-1, 1, 0.02]],
                           [[0, 1, 2], [0, 2, 3]])
    scene = haptos.Scene(dt=2e-3)
    scene.add_prescribed("sheet", sheet, position=(0, 0, 0))
    scene.add_rigid("ball", haptos.RobotShape("sphere", R), mass=MASS, position=(0, 0, 0.0705),
                    friction=0, hydroelastic=K)
    sim = scene.compile()
    assert sim.run(0.5).ok and np.all(sim.contacts["gap"] > 0)
    scene = haptos.Scene()
    scene.add_prescribed("sheet", sheet, position=(0, 0, 0), hydroelastic=K)
    scene.add_rigid("ball", haptos.RobotShape("sphere", R), mass=MASS, position=(0, 0, 0.1))
    with pytest.raises(haptos.InputError, match='prescribed body "sheet"'):
        scene.compile()


def test_a_scene_file_says_it_alike(tmp_path):
    (tmp_path / "plate.yaml").write_text("""
sim: {dt: 2 ms}
prescribed:
  - {name: plate, shape: {box: {size: [20 cm, 20 cm, 4 cm]}}, hydroelastic: 1e7 Pa/m, field_resolution: 64}
rigid:
  - {name: ball, shape: {sphere: {radius: 5 cm}}, mass: 1 kg, friction: 0,
     pose: {position: [0, 0, 6.95 cm]}}
""")
    sim = haptos.load_scene(tmp_path / "plate.yaml").compile()
    scene = haptos.Scene(dt=2e-3)
    scene.add_prescribed("plate", PLATE, hydroelastic=K, field_resolution=64)
    scene.add_rigid("ball", haptos.RobotShape("sphere", R), mass=MASS, position=(0, 0, 0.0695), friction=0)
    other = scene.compile()
    sim.run(0.3), other.run(0.3)
    np.testing.assert_array_equal(sim.robots["ball"].position, other.robots["ball"].position)
    assert len(sim.contacts) > 30


def test_it_is_the_same_in_each_environment_and_after_loading():
    rows = [(0, (0, 0, 0)), (0.2, (0.05, 0, 0.02))]
    one = ball_on_plate(mu=0.5, trajectory=rows).compile()
    many = ball_on_plate(mu=0.5, trajectory=rows).compile(envs=3)
    one.run(0.1), many.run(0.1)
    for e in range(3):
        np.testing.assert_array_equal(one.robots["ball"].position[0], many.robots["ball"].position[e])
    kept = one.state
    one.run(0.1)
    end = one.robots["ball"].position.copy()
    one.state = kept
    one.run(0.1)
    np.testing.assert_array_equal(end, one.robots["ball"].position)
