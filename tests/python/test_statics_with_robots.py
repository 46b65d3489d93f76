"""Quasi-static scenes with robots that carry gel: one step finds the rest that dynamics swings into."""

import numpy as np
import pytest
from test_scene_file_sensors import LIGHTS, OWN

import haptos

PRESS = """\
<robot name="press"><link name="frame"/>
<link name="plate"><inertial><mass value="0.1"/><inertia ixx="1e-5" iyy="1e-5" izz="1e-5"/></inertial></link>
<joint name="slide" type="prismatic"><parent link="frame"/><child link="plate"/><axis xyz="0 0 1"/>
<limit lower="-0.05" upper="0.05" effort="20" velocity="1"/></joint></robot>
"""
SCENE = """\
sim: {dt: 10 ms, integrator: %s}
contact: {support: 0.02 mm}
newton: {force_tolerance: 1e-8, max_lag_passes: 100}
robots:
  - name: press
    file: press.urdf
    motors: {kp: %g, kd: %g, effort: 20 N}
soft:
  - name: pad
    sensor: mine.yaml
    pose: {frame: press/plate, position: [0, 0, 0], rotation: {axis: [0, 1, 0], angle: 180 deg}}
    friction: %g
    material: {young: 200 kPa, poisson: 0.45, density: 1050, stiffness_damping: 20 ms}
prescribed:
  - name: ball
    shape: {sphere: {radius: 3 mm, facet: 0.6 mm}}
    friction: %g
    trajectory:
      - {time: 0 s, position: [0.3 mm, 0, -3.05 mm]}
      - {time: 1 s, position: [0.3 mm, 0, -3.05 mm]}
"""
WEIGHT = 9.81


@pytest.fixture
def load(tmp_path):
    (tmp_path / "mine.yaml").write_text(OWN)
    (tmp_path / "lights.yaml").write_text(LIGHTS)
    (tmp_path / "press.urdf").write_text(PRESS)

    def make(integrator, kp=0.0, kd=0.0, friction=0.8):
        (tmp_path / "scene.yaml").write_text(SCENE % (integrator, kp, kd, friction, friction))
        return haptos.load_scene(tmp_path / "scene.yaml").compile(quiet=True)
    return make


def gel_mass(sim):
    return 1050 * 8e-3 * 8e-3 * 2e-3


def test_a_motor_s_force_and_the_weight_are_what_the_gel_carries(load):
    sim = load("quasi_static")
    sim.robots["press"].set_command(effort=-0.5)
    report = sim.step()
    assert report.ok, report
    asked = 0.5 + (0.1 + gel_mass(sim)) * WEIGHT
    assert -sim.reaction("ball").force[0][2] == pytest.approx(asked, rel=1e-6)
    assert sim.sensors["pad"].depth().max() > 1e-5
    depth, at = sim.sensors["pad"].depth(), sim.robots["press"].position.copy()
    assert sim.step().ok
    np.testing.assert_allclose(sim.robots["press"].position, at, atol=1e-9)
    np.testing.assert_allclose(sim.sensors["pad"].depth(), depth, atol=1e-9)


def test_it_is_the_rest_of_damped_dynamics(load):
    # Without friction, whose stick depends on the way.
    still, moving = (load(kind, kp=2e3, kd=40.0, friction=0) for kind in ("quasi_static", "implicit_euler"))
    for sim in (still, moving):
        sim.robots["press"].set_command(position=-0.4e-3)
    assert still.step().ok
    for _ in range(150):
        assert moving.step().ok
    np.testing.assert_allclose(still.robots["press"].position, moving.robots["press"].position, atol=1e-8)
    force = [-s.reaction("ball").force[0][2] for s in (still, moving)]
    assert force[0] == pytest.approx(force[1], rel=1e-5)
    error = -0.4e-3 - still.robots["press"].position[0][0]
    assert force[0] == pytest.approx((0.1 + gel_mass(still)) * WEIGHT - 2e3 * error, rel=1e-6)
