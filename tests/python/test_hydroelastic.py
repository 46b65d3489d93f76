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


FOAM = [(1e-3, 5e2), (2e-3, 2e3)]


def test_a_table_of_pressures_is_the_same_by_all_doors(tmp_path):
    (tmp_path / "foam.yaml").write_text("""
rigid:
  - {name: block, shape: {box: {size: [10 cm, 10 cm, 10 cm]}}, mass: 1 kg,
     pose: {position: [0, 0, 5 cm]}, hydroelastic: {pressure: [[0, 0], [1 mm, .5 kPa], [2 mm, 2 kPa]]}}
half_spaces:
  - {name: ground, hydroelastic: {modulus: 1e7 Pa/m}}
""")
    by_file = haptos.load_scene(tmp_path / "foam.yaml")
    scene = haptos.Scene(dt=by_file.sim.dt)
    scene.add_rigid("block", haptos.RobotShape("box", extents=(0.1, 0.1, 0.1)), mass=1,
                    position=(0, 0, 0.05), hydroelastic={"pressure": [("1 mm", "0.5 kPa"), (2e-3, 2e3)]})
    scene.add_half_space("ground", hydroelastic={"modulus": 1e7})
    depths = []
    for s in (by_file, scene):
        sim = s.compile()
        for _ in range(round(1.0 / s.sim.dt)):
            sim.step()
        depths.append(0.05 - sim.robots["block"].position[0, 2])
    assert depths[0] == pytest.approx(depths[1], rel=1e-9)
    # 981 Pa in the middle: 1.32 mm of the foam, .1 mm of the ground, and the rim bears less.
    assert 1.4e-3 < depths[0] < 1.5e-3
    (tmp_path / "foam.urdf").write_text("""<robot name="foam"><link name="foam">
<inertial><mass value="1"/><inertia ixx="1e-3" iyy="1e-3" izz="1e-3" ixy="0" ixz="0" iyz="0"/></inertial>
<collision><geometry><box size=".1 .1 .1"/></geometry></collision>
<contact><hydroelastic pressure="0.001 500 0.002 2000"/></contact></link></robot>""")
    shape = haptos.load_robot(tmp_path / "foam.urdf").links[0].collisions[0]
    assert shape.hydroelastic == {"pressure": FOAM}
    shape.hydroelastic = 1e7
    assert shape.hydroelastic == 1e7
    entry = {e["name"]: e for e in by_file.entries()["robots"]}["block"]
    assert entry["hydroelastic"] == {"pressure": FOAM}


@pytest.mark.parametrize("given, words", [
    ('value="1e7" pressure="0.001 500"', "has both a value and a pressure"),
    ('pressure="0.001"', "must be pairs of a depth and a pressure"),
    ('pressure="0.001 500 0.001 600"', "must be deeper and of more pressure"),
])
def test_a_table_of_a_urdf_that_cannot_be_is_refused_with_its_line(tmp_path, given, words):
    (tmp_path / "bad.urdf").write_text(f"""<robot name="bad"><link name="bad">
<collision><geometry><box size=".1 .1 .1"/></geometry></collision>
<contact><hydroelastic {given}/></contact></link></robot>""")
    with pytest.raises(haptos.InputError, match=f"bad.urdf:3.*{words}"):
        haptos.load_robot(tmp_path / "bad.urdf")


@pytest.mark.parametrize("given, words", [
    ({"pressure": []}, "has no row above depth 0"),
    ({"pressure": [(1e-3, 5e2), (1e-3, 6e2)]}, "must be deeper and of more pressure"),
    ({"pressure": [(1e-3, 5e2, 1)]}, "must be rows of a depth and a pressure"),
    ({"pressure": 3}, "must be rows"),
    ({"modul": 1e7}, "must have either modulus or pressure"),
    ({"modulus": 1e7, "pressure": FOAM}, "must have either modulus or pressure"),
    ({"pressure": [("1 kg", 5e2)]}, "1 kg"),
    ({"pressure": [(1e-9, 1e9)]}, "1e[+]?15"),
    (-1, "0"),
])
def test_a_table_that_cannot_be_is_refused(tmp_path, given, words):
    with pytest.raises(haptos.InputError, match=words):
        haptos.Scene().add_half_space("ground", hydroelastic=given)


@pytest.mark.parametrize("given, words", [
    ("{pressure: []}", "1"), ("{pressure: [[1 mm, 5 Pa], [1 mm, 6 Pa]]}", "must be deeper"),
    ("{}", "must have either modulus or pressure"), ("{presure: [[1 mm, 5 Pa]]}", "pressure"),
    ("{pressure: [[1 mm, 5 Pa, 3]]}", "2"),
])
def test_a_table_of_a_file_that_cannot_be_is_refused_with_its_line(tmp_path, given, words):
    (tmp_path / "bad.yaml").write_text(f"half_spaces:\n  - {{name: ground, hydroelastic: {given}}}\n")
    with pytest.raises(haptos.InputError, match=f"bad.yaml:2.*{words}"):
        haptos.load_scene(tmp_path / "bad.yaml")


def test_an_mjcf_tuple_gives_geoms_their_modulus(tmp_path):
    pytest.importorskip("mujoco", reason="MJCF needs mujoco")
    (tmp_path / "ball.xml").write_text("""<mujoco>
<worldbody><body name="ball"><freejoint/><geom name="ball" size="0.05" mass="1"/></body></worldbody>
<custom><tuple name="hydroelastic"><element objtype="geom" objname="ball" prm="1e7"/></tuple></custom>
</mujoco>""")
    model = haptos.load_mjcf(tmp_path / "ball.xml")
    assert model.robot.links[-1].collisions[0].hydroelastic == 1e7


def test_an_mjcf_numeric_gives_geoms_a_table(tmp_path):
    pytest.importorskip("mujoco", reason="MJCF needs mujoco")

    def load(custom: str):
        (tmp_path / "ball.xml").write_text(f"""<mujoco>
<worldbody><body name="ball"><freejoint/><geom name="ball" size="0.05" mass="1"/></body></worldbody>
<custom>{custom}</custom>
</mujoco>""")
        return haptos.load_mjcf(tmp_path / "ball.xml")

    geoms = '<tuple name="hydroelastic.skin"><element objtype="geom" objname="ball"/></tuple>'
    model = load('<numeric name="hydroelastic.skin" data="0.001 500 0.002 2000"/>' + geoms)
    assert model.robot.links[-1].collisions[0].hydroelastic == {"pressure": [(1e-3, 500), (2e-3, 2000)]}
    assert not any("numbers" in w or "tuples" in w for w in model.robot.warnings)
    for custom, words in (('<numeric name="hydroelastic.skin" data="0.001 500 0.002"/>' + geoms, "3 numbers.*pairs"),
                          ('<numeric name="hydroelastic.skin" data="0.001 500"/>', "has no geoms"),
                          ('<numeric name="hydroelastic.skin" data="0.002 500 0.001 600"/>' + geoms, "deeper")):
        with pytest.raises(haptos.InputError, match=words):
            load(custom)


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


def test_a_field_shows_itself():
    ball = haptos.DistanceField(haptos.icosphere(0.05, 0.004), 48)
    np.testing.assert_allclose(ball.bounds, [[-0.05] * 3, [0.05] * 3], atol=1e-4)
    assert min(ball.cells) >= 48
    image = ball.picture(pixels=120)
    assert image.shape == (120, 120, 3) and image.dtype == np.uint8
    inside, outside = image[66, 60], image[2, 2]
    assert inside[2] > inside[0] + 30 and outside[0] > outside[2] + 30
    black = (image == 0).all(axis=2)  # a circle
    rows, columns = np.nonzero(black)
    radius = np.hypot(rows - 59.5, columns - 59.5) * (0.12 / 120)
    assert 0.047 < radius.min() and radius.max() < 0.053
    assert not (ball.picture("z", at=0.055, pixels=60) == 0).all(axis=2).any()
    plane = haptos.DistanceField(GROUND)
    assert np.isinf(plane.bounds).all() and plane.cells == (0, 0, 0)
    with pytest.raises(haptos.InputError, match="has no bounds"):
        plane.picture()
    with pytest.raises(haptos.InputError, match="must be x, y or z"):
        ball.picture("up")


def test_check_tells_of_a_field(tmp_path, capsys):
    from haptos.cli.main import run_command

    ball, sheet = tmp_path / "ball.stl", tmp_path / "sheet.obj"
    haptos.write_stl(ball, haptos.icosphere(0.05, 0.004))
    haptos.write_obj(sheet, haptos.TriMesh([[0, 0, 0], [0.1, 0, 0], [0, 0.1, 0]], [[0, 1, 2]]))
    picture = tmp_path / "field.png"
    assert run_command(["check", str(ball), "--field", "--resolution", "48", "--unit", "m",
                        "--picture", str(picture)]) == 0
    told = capsys.readouterr().out
    assert "cells of 2.08" in told and "found: nothing wrong" in told and picture.exists()
    # .4 h^2 / (.05 d) = .03
    assert "within 3 % from 1.1" in told and told.endswith("can be used\n")
    assert run_command(["check", str(sheet), "--field", "--unit", "m"]) == 1
    assert "cannot be used: " in capsys.readouterr().out
    assert run_command(["check", str(ball), "--resolution", "48"]) == 2
    assert "is for --field" in capsys.readouterr().err
    assert run_command(["check", str(ball), "--field", "--strict"]) == 2


@pytest.mark.parametrize("modulus, words", [
    (1e3, "check the unit, pressure per depth, or take"),
    ({"pressure": [("1 cm", "10 Pa"), ("2 cm", "30 Pa")]}, "check the units of its rows"),
    (1e7, None),
    ({"pressure": [("1 mm", "10 kPa"), ("2 mm", "40 kPa")]}, None),
    ({"pressure": [("1 um", "1 MPa")]}, "far too coarse for that, its force may be lost by half; take a softer table"),
    (1e12, "far too coarse for that, its force may be lost by half; take hydroelastic = "),
    (1e10, "far too coarse for that, its force may be lost by half; take field_resolution = ")])
def test_a_modulus_that_does_not_fit_is_told(modulus, words, recwarn):
    scene = haptos.Scene()
    scene.add_rigid("ball", haptos.RobotShape("mesh", mesh=haptos.icosphere(0.05, 0.004)), mass=0.1,
                    hydroelastic=modulus, position=(0, 0, 0.06))
    scene.add_half_space("ground")
    scene.compile()
    told = [str(w.message) for w in recwarn if "so under its weight" in str(w.message)]
    assert len(told) == (words is not None)
    assert words is None or words in told[0]


def test_fewer_cells_across_a_patch_cost_accuracy_alone():
    ball, ground = haptos.DistanceField(haptos.RobotShape("sphere", 0.05)), haptos.DistanceField(GROUND)
    exact = np.pi * 1e8 * (0.05 * 1e-6 - 2e-9 / 3)

    def found(cells):
        return haptos.pressure_surface(ball, ground, (0, 0, 0.049, 1, 0, 0, 0), modulus_a=1e8,
                                       patch_cells=cells)

    for cells, error in ((28, 0.005), (12, 0.02), (6, 0.07)):
        assert found(cells).force[2] == pytest.approx(exact, rel=error)
        assert len(found(cells)) < 1.2 * cells**2 + 100
    with pytest.raises(haptos.InputError, match="patch_cells = 2: must be 4 to 200"):
        found(2)


@pytest.mark.parametrize("slope", [0.0, 0.3])
def test_a_ball_sinks_into_a_height_field_as_into_a_plane(slope):
    x = np.linspace(-0.1, 0.1, 21)
    heights = np.tan(slope) * np.tile(x, (21, 1))
    out = np.array([-np.sin(slope), 0, np.cos(slope)])
    scene = haptos.Scene(dt=2e-3, gravity=-9.81 * out)
    scene.add_rigid("hill", haptos.RobotShape("field", heights=heights, spacing=(0.01, 0.01)), fixed=True, friction=0.5)
    scene.add_rigid("ball", haptos.RobotShape("sphere", 0.02), mass=0.2, position=0.0199 * out, friction=0.5,
                    hydroelastic=1e7)
    sim = scene.compile()
    assert sim.run(1.0).ok
    deep = 0.02 - sim.robots["ball"].position[0, :3] @ out
    high = 0.02 - deep  # the ball's pressure, by its distance from the surface, over the disc
    force = np.pi * 1e7 * (0.02 * (0.02**2 - high**2) - 2 / 3 * (0.02**3 - high**3))
    assert force == pytest.approx(0.2 * 9.81, rel=0.01)
