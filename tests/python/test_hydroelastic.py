"""Hydroelastic contact from Python: fields, surfaces, scenes, and what is refused."""

import numpy as np
import pytest

import haptos

GROUND = haptos.RobotShape("half_space")


def test_distances_of_a_ball_and_of_its_mesh():
    ball = haptos.DistanceField(haptos.RobotShape("sphere", 0.05))
    x = np.array([[0, 0, 0], [0, 0, 0.06], [0.03, 0, 0.04]])
    np.testing.assert_allclose(ball.distance(x), [-0.05, 0.01, 0], atol=1e-12)
    np.testing.assert_allclose(ball.gradient(x[1:]), [[0, 0, 1], [0.6, 0, 0.8]], atol=1e-12)
    assert ball.cell == 0 and ball.bytes == 0
    mesh = haptos.DistanceField(haptos.icosphere(0.05, 0.004), 48)
    near = np.random.default_rng(1).normal(size=(200, 3))
    near *= 0.048 / np.linalg.norm(near, axis=1)[:, None]
    np.testing.assert_allclose(mesh.distance(near), -0.002, atol=2e-4)
    np.testing.assert_allclose(np.linalg.norm(mesh.gradient(near), axis=1), 1, atol=0.05)
    assert mesh.cell == pytest.approx(0.1 / 48, rel=0.01) and 0 < mesh.bytes < 1e7
    assert mesh.open < 0.02


def test_a_shape_has_its_frame():
    field = haptos.DistanceField(
        haptos.RobotShape("sphere", 0.05, frame=[0.1, 0, 0, 1, 0, 0, 0]))
    np.testing.assert_allclose(field.distance([[0.1, 0, 0.06]]), [0.01], atol=1e-12)


def test_surface_of_a_ball_on_the_ground():
    ball = haptos.DistanceField(haptos.RobotShape("sphere", 0.05))
    ground = haptos.DistanceField(GROUND)
    found = haptos.pressure_surface(ball, ground, [0, 0, 0.049, 1, 0, 0, 0], modulus_a=1e9,
                                    modulus_b="1e9 Pa/m")
    assert found.force[2] == pytest.approx(77.7544, rel=5e-3)
    np.testing.assert_allclose(found.force[:2], 0, atol=1e-6)
    np.testing.assert_allclose(found.torque([0, 0, 0.049]), 0, atol=1e-6)
    assert found.triangle_pressure.max() == pytest.approx(5e5, rel=0.01)
    assert found.triangles.shape[1:] == (3, 3) and len(found) > 500
    apart = haptos.pressure_surface(ball, ground, [0, 0, 0.0501, 1, 0, 0, 0], modulus_a=1e9)
    assert len(apart) == 0 and np.all(apart.force == 0)


def test_a_ball_in_a_scene_file_rests_at_its_depth(tmp_path):
    (tmp_path / "ball.yaml").write_text("""
rigid:
  - {name: ball, shape: {sphere: {radius: 5 cm}}, mass: 1 kg, friction: 0,
     pose: {position: [0, 0, 5 cm]}, hydroelastic: 1e7 Pa/m}
half_spaces:
  - {name: ground, normal: [0, 0, 1], offset: 0 m, hydroelastic: 1e7 Pa/m}
""")
    sim = haptos.load_scene(tmp_path / "ball.yaml").compile(strict=True)
    for _ in range(400):
        assert sim.step().status[0] == 0
    assert 0.05 - sim.robots["ball"].position[0, 2] == pytest.approx(3.5996e-3, rel=5e-3)
    assert len(sim.contacts) > 30
    assert sim.contacts["force"][:, 2].sum() == pytest.approx(9.81, rel=1e-3)


def test_python_urdf_and_mjcf_say_it_alike(tmp_path):
    scene = haptos.Scene(dt=5e-3)
    scene.add_rigid("ball", haptos.RobotShape("sphere", 0.05, hydroelastic=1e7), mass=1,
                    position=(0, 0, 0.05), friction=0)
    scene.add_half_space("ground", hydroelastic=1e7)
    (tmp_path / "ball.urdf").write_text("""<robot name="ball"><link name="ball">
<inertial><mass value="1"/><inertia ixx="1e-3" iyy="1e-3" izz="1e-3" ixy="0" ixz="0" iyz="0"/></inertial>
<collision><geometry><sphere radius="0.05"/></geometry></collision>
<contact><hydroelastic value="1e7"/><lateral_friction value="0"/></contact></link></robot>""")
    robot = haptos.load_robot(tmp_path / "ball.urdf")
    assert robot.links[0].collisions[0].hydroelastic == 1e7
    assert haptos.RobotShape("sphere", 0.05).hydroelastic == -1
    sim = scene.compile()
    for _ in range(300):
        sim.step()
    assert 0.05 - sim.robots["ball"].position[0, 2] == pytest.approx(3.5996e-3, rel=5e-3)


def test_an_mjcf_tuple_gives_geoms_their_modulus(tmp_path):
    pytest.importorskip("mujoco", reason="MJCF needs mujoco")
    (tmp_path / "ball.xml").write_text("""<mujoco>
<worldbody><body name="ball"><freejoint/><geom name="ball" size="0.05" mass="1"/></body></worldbody>
<custom><tuple name="hydroelastic"><element objtype="geom" objname="ball" prm="1e7"/></tuple></custom>
</mujoco>""")
    model = haptos.load_mjcf(tmp_path / "ball.xml")
    assert model.robot.links[-1].collisions[0].hydroelastic == 1e7


@pytest.mark.parametrize("make, words", [
    (lambda: haptos.DistanceField(([[0, 0, 0], [1, 0, 0], [0, 1, 0]], [[0, 1, 2]])), "enclose"),
    (lambda: haptos.DistanceField(haptos.box([1, 1, 1]), 1000), "MiB"),
    (lambda: haptos.DistanceField(haptos.box([1, 1, 1]), 4), "resolution"),
    (lambda: haptos.pressure_surface(haptos.DistanceField(GROUND), haptos.DistanceField(GROUND),
                                     modulus_a=1e7), "half-spaces"),
    (lambda: haptos.pressure_surface(haptos.DistanceField(haptos.RobotShape("sphere", 1)),
                                     haptos.DistanceField(GROUND)), "two rigid bodies"),
    (lambda: haptos.pressure_surface(haptos.DistanceField(haptos.RobotShape("sphere", 1)),
                                     haptos.DistanceField(GROUND), modulus_a=-1), "above 0"),
    (lambda: haptos.pressure_surface(haptos.RobotShape("sphere", 1), haptos.DistanceField(GROUND),
                                     modulus_a=1), "haptos.DistanceField"),
])
def test_what_cannot_be_is_refused_in_a_sentence(make, words):
    with pytest.raises(haptos.InputError, match=words):
        make()


def test_a_sheet_with_a_pressure_is_refused_and_a_pair_needs_one():
    scene = haptos.Scene()
    sheet = haptos.TriMesh([[0, 0, 0], [1, 0, 0], [0, 1, 0]], [[0, 1, 2]])
    scene.add_rigid("sheet", haptos.RobotShape("mesh", mesh=sheet), fixed=True, hydroelastic=1e7)
    with pytest.raises(haptos.InputError, match='"sheet".*enclose'):
        scene.compile()
    scene = haptos.Scene()
    scene.add_rigid("ball", haptos.RobotShape("sphere", 0.05), mass=1, position=(0, 0, 0.1))
    scene.add_half_space("ground")
    scene.add_pair("ball", "ground", model="hydroelastic")
    with pytest.raises(haptos.InputError, match="needs a pressure field"):
        scene.compile()
