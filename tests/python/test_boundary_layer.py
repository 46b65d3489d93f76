"""Boundary layers in scenes: fields, refusals, and a scanned mug that stands still."""

import numpy as np
import pytest

import haptos
from haptos import scans
from haptos.base.turns import rotation


def standing_mug(layer=2.5e-3):
    scene = haptos.Scene()
    scene.sim.dt = 1e-3
    scene.sim.threads = 1
    scene.add_half_space("ground")
    mug = scans.mug(seed=1)
    lowest = np.asarray(mug.vertices)[:, 2].min()
    scene.add_rigid("mug", haptos.RobotShape("mesh", mesh=mug), mass=0.1, shell=True, layer=layer,
                    position=(0, 0, layer - lowest + 1e-3))
    return scene


def test_a_scanned_mug_of_22300_triangles_stands_still():
    sim = standing_mug().compile()
    for _ in range(500):
        sim.step()
    before = np.array(sim.robots["mug"].position)
    speeds = []
    for _ in range(200):
        sim.step()
        speeds.append(np.array(sim.robots["mug"].velocity).ravel())
    speeds = np.array(speeds)
    assert np.sqrt((speeds[:, :3] ** 2).sum(1).mean()) < 1e-6  # m/s
    assert np.sqrt((speeds[:, 3:] ** 2).sum(1).mean()) < 1e-5  # rad/s
    assert np.abs(np.array(sim.robots["mug"].position) - before).max() < 1e-6
    assert np.isclose(sim.contacts["force"][:, 2].sum(), 0.1 * 9.81, rtol=2e-3)


def test_a_scene_file_has_layers(tmp_path):
    (tmp_path / "scene.yaml").write_text("""
sim: {dt: 1 ms}
half_spaces:
  - {name: ground, layer: 1 mm}
rigid:
  - {name: crate, shape: {box: {size: [10 cm, 10 cm, 10 cm]}}, mass: 1 kg, layer: 2.5 mm, pose: {position: [0, 0, 53.5 mm]}}
  - {name: ball, shape: {sphere: {radius: 2 cm}}, mass: 100 g, pose: {position: [0, 0, 0.126]}}
""")
    sim = haptos.load_scene(tmp_path / "scene.yaml").compile()
    for _ in range(1000):
        sim.step()
    crate = np.asarray(sim.robots["crate"].position).ravel()
    assert np.isclose(crate[2], 0.0535, atol=1e-6)  # both layers, less a sag of 1e-7 m
    # The ball has no layer: it rests on the crate's.
    ball = np.asarray(sim.robots["ball"].position).ravel()
    assert np.isclose(ball[2], crate[2] + 0.05 + 2.5e-3 + 0.02, atol=1e-5)


@pytest.mark.parametrize("model, layer, said", [
    ("layer", 0, "needs a boundary layer"), ("point", 2e-3, "of which one has a boundary layer")])
def test_a_model_that_the_layers_do_not_fit_is_refused(model, layer, said):
    scene = haptos.Scene()
    scene.add_half_space("ground")
    scene.add_rigid("ball", haptos.RobotShape("sphere", 1e-2), mass=0.1, layer=layer, position=(0, 0, 1))
    scene.add_pair("ball", "ground", model=model)
    with pytest.raises(haptos.InputError, match=said):
        scene.compile()


def test_a_body_with_holes_is_told_to_have_the_mass_of_its_hull():
    scene = haptos.Scene()
    box = scans.break_mesh(scans.random_box(triangles=1200, seed=3), seed=2, flip=0.5, holes=0.02)
    scene.add_rigid("box", haptos.RobotShape("mesh", mesh=box), mass=1, layer=2e-3)
    with pytest.warns(haptos.SceneWarning, match="not closed, so mass and inertia are those of its convex hull"):
        scene.compile()


def test_a_shell_needs_a_mass():
    scene = haptos.Scene()
    with pytest.raises(haptos.InputError, match="must be given for a shell"):
        scene.add_rigid("mug", haptos.RobotShape("mesh", mesh=scans.mug(seed=1)), shell=True, layer=2e-3)
        scene.compile()


def sheet(a, b):
    return haptos.TriMesh([[-a, -b, 0], [a, -b, 0], [a, b, 0], [-a, b, 0]], [[0, 1, 2], [0, 2, 3]])


def in_world(sim, name, mesh):
    x = np.array(sim.robots[name].position).ravel()
    return np.asarray(mesh.vertices) @ rotation(x[3:]).T + x[:3]


def cores_meet(sim, one, two):
    """Exact, by another way than contact's."""
    meshes = [haptos.TriMesh(in_world(sim, n, m), m.triangles) for n, m in (one, two)]
    n = len(meshes[0].vertices)
    both = haptos.TriMesh(np.concatenate([m.vertices for m in meshes]),
                          np.concatenate([meshes[0].triangles, meshes[1].triangles + n]))
    k = len(meshes[0].triangles)
    return any((i < k) != (j < k) for i, j in haptos.intersecting_triangles(both))


@pytest.mark.parametrize("dt", [1e-3, 4e-3])
@pytest.mark.parametrize("speed", [1, 10, 50])
@pytest.mark.parametrize("tilt", [0, 0.6])
@pytest.mark.filterwarnings("ignore::haptos.SceneWarning")
def test_a_plate_without_thickness_is_never_passed(dt, speed, tilt):
    scene = haptos.Scene(dt=dt, gravity=(0, 0, 0))
    plate, cube = sheet(0.5, 0.5), haptos.box((0.1, 0.1, 0.1))
    scene.add_rigid("plate", haptos.RobotShape("mesh", mesh=plate), mass=1, shell=True, layer=1e-3,
                    fixed=True)
    turn = (np.cos(tilt / 2), 0.8 * np.sin(tilt / 2), 0.6 * np.sin(tilt / 2), 0)
    scene.add_rigid("cube", haptos.RobotShape("mesh", mesh=cube), mass=1, layer=1e-3,
                    position=(0.01, 0.02, 0.3), quaternion=turn, velocity=(0, 0, -speed))
    sim = scene.compile()
    for _ in range(int(0.4 / speed / dt) + 30):
        report = sim.step()
        assert report.crossed[0] == 0 and report.parts[0] == 1
        assert in_world(sim, "cube", cube)[:, 2].min() > 0
    assert np.array(sim.robots["cube"].velocity).ravel()[2] < 0.1 * speed  # it does not bounce


@pytest.mark.parametrize("seed", [*range(12), 36, 58])  # of 0 to 59 the worst
@pytest.mark.filterwarnings("ignore::haptos.SceneWarning")
def test_sheets_that_meet_in_any_way_do_not_pass(seed):
    random = np.random.default_rng(seed)
    speed = (1, 5, 20)[seed % 3] if seed < 12 else 20
    turns = random.normal(size=(2, 4))
    turns /= np.linalg.norm(turns, axis=1)[:, None]
    one, two = sheet(0.1, 0.05), sheet(0.08, 0.03)
    scene = haptos.Scene(dt=1e-3, gravity=(0, 0, 0))
    scene.add_rigid("one", haptos.RobotShape("mesh", mesh=one), mass=1, shell=True, layer=1e-3,
                    quaternion=turns[0])
    scene.add_rigid("two", haptos.RobotShape("mesh", mesh=two), mass=0.5, shell=True, layer=1e-3,
                    position=(*random.uniform(-0.02, 0.02, 2), 0.25), quaternion=turns[1],
                    velocity=(0, 0, -speed),
                    omega=random.normal(size=3) * {1: 0, 5: 10, 20: 50}[speed])
    sim = scene.compile()
    for _ in range(int(0.5 / speed / 1e-3) + 20):
        report = sim.step()  # of up to 20 mm, ten times the layers
        assert report.status[0] == 0 and report.crossed[0] == 0
        assert not cores_meet(sim, ("one", one), ("two", two))


def test_bodies_that_are_put_into_each_other_are_counted_and_parted():
    scene = haptos.Scene(dt=1e-3)
    scene.add_half_space("ground")
    cube = haptos.box((0.1, 0.1, 0.1))
    for name, z in (("low", 0.051), ("high", 0.153)):
        scene.add_rigid(name, haptos.RobotShape("mesh", mesh=cube), mass=1, layer=1e-3,
                        position=(0, 0, z))
    sim = scene.compile()
    for _ in range(20):
        assert sim.step().crossed[0] == 0
    put = np.array(sim.robots["high"].position)
    put[..., 2] = 0.14  # 11 mm into the other one
    sim.robots["high"].set_state(position=put)
    report = sim.step()
    assert report.crossed[0] >= 1 and "cores_cross" in haptos.describe_status(int(report.status[0]))
    fastest, crossed = 0.0, 1
    for _ in range(400):
        crossed = sim.step().crossed[0]
        fastest = max(fastest, np.array(sim.robots["high"].velocity).ravel()[2])
    assert crossed == 0
    assert fastest < 0.12  # point_contact.parting_speed, and no rebound
    assert np.array(sim.robots["high"].position).ravel()[2] == pytest.approx(0.153, abs=1e-4)


def crossed_sheets(side, known):
    """A bent sheet that lies on one side of another one (known) and is then put through it."""
    scene = haptos.Scene(dt=1e-3, gravity=(0, 0, -9.81 * side))
    floor = sheet(0.2, 0.2)
    bent = haptos.TriMesh([[-0.05, -0.03, 0.01], [0, -0.03, 0], [0.05, -0.03, 0.01],
                           [-0.05, 0.03, 0.01], [0, 0.03, 0], [0.05, 0.03, 0.01]],
                          [[0, 1, 4], [0, 4, 3], [1, 2, 5], [1, 5, 4]])
    for name, mesh, z in (("floor", floor, 0), ("bent", bent, side * (0.0021 if known else 0.5))):
        turn = (1, 0, 0, 0) if side > 0 else (0, 1, 0, 0)
        scene.add_rigid(name, haptos.RobotShape("mesh", mesh=mesh), mass=0.5, layer=1e-3, shell=True,
                        position=(0, 0, z), quaternion=turn, fixed=name == "floor")
    sim = scene.compile(quiet=True)
    for _ in range(20):
        assert sim.step().crossed[0] == 0
    put = np.array(sim.robots["bent"].position)
    put[..., 2] = -0.004 * side  # its middle is through, its ends are not
    sim.robots["bent"].set_state(position=put, velocity=np.zeros_like(sim.robots["bent"].velocity))
    return sim, bent


def heights(sim, name, mesh, side=1):
    z = side * in_world(sim, name, mesh)[:, 2]
    return z.min(), z.max()


@pytest.mark.parametrize("side", [1, -1])
def test_open_sheets_that_cross_are_parted_to_the_side_they_came_from(side, tmp_path):
    sim, bent = crossed_sheets(side, known=True)
    low, high = heights(sim, "bent", bent, side)
    assert low < 0 < high
    report = sim.step()
    assert report.crossed[0] >= 1 and "cores_cross" in haptos.describe_status(int(report.status[0]))
    sim.save(tmp_path / "crossed.state")  # the side is part of the state
    ends = []
    for _ in range(2):
        fastest = 0.0
        for _ in range(300):
            crossed = sim.step().crossed[0]
            fastest = max(fastest, side * np.array(sim.robots["bent"].velocity).ravel()[2])
        assert crossed == 0
        assert heights(sim, "bent", bent, side)[0] == pytest.approx(2e-3, abs=1e-5)
        assert fastest < 0.12  # point_contact.parting_speed, and no rebound
        ends.append(np.array(sim.robots["bent"].position))
        sim.load(tmp_path / "crossed.state")
    np.testing.assert_array_equal(*ends)


def test_open_sheets_that_were_never_apart_are_counted():
    sim, bent = crossed_sheets(1, known=False)
    for _ in range(20):
        assert sim.step().crossed[0] >= 1
    low, high = heights(sim, "bent", bent)
    assert low < 0 < high


def kinds():
    shape, cube = haptos.RobotShape, haptos.box((0.06, 0.06, 0.06))
    return {"sphere": (shape("sphere", [0.03]), 0.03),
            "capsule": (shape("capsule", [0.02, 0.03]), 0.05),
            "box": (shape("box", [0.03, 0.02, 0.025]), 0.025),
            "cylinder": (shape("cylinder", [0.03, 0.02]), 0.02),
            "cone": (shape("cone", [0.03, 0.02]), 0.02),
            "ellipsoid": (shape("ellipsoid", [0.03, 0.04, 0.02]), 0.02),
            "hull": (shape("hull", mesh=cube), 0.03), "mesh": (shape("mesh", mesh=cube), 0.03)}


def floors():
    shape = haptos.RobotShape
    return {"half_space": (None, 0), "mesh": (shape("mesh", mesh=sheet(0.5, 0.5)), 0),
            "box": (shape("box", [0.5, 0.5, 0.05]), 0.05),
            "cylinder": (shape("cylinder", [0.5, 0.05]), 0.05),
            "hull": (shape("hull", mesh=haptos.box((1, 1, 0.1))), 0.05),
            "field": (shape("field", heights=np.zeros((11, 11)), spacing=(0.1, 0.1)), 0)}


@pytest.mark.parametrize("floor", floors())
@pytest.mark.parametrize("kind", kinds())
def test_every_kind_rests_on_every_floor(kind, floor):
    (shape, low), (ground, top) = kinds()[kind], floors()[floor]
    scene = haptos.Scene(dt=2e-3)
    if ground is None:
        scene.add_half_space("floor")
    else:
        scene.add_rigid("floor", ground, mass=1, fixed=True)
    scene.add_rigid("thing", shape, mass=0.5, layer=2e-3,
                    position=(0.003, 0.002, top + low + 2.1e-3))
    sim = scene.compile()
    for _ in range(100):
        sim.step()
    force = []
    for _ in range(30):
        assert sim.step().crossed[0] == 0
        force.append(abs(sim.contacts["force"][:, 2].sum()))
    assert np.mean(force) == pytest.approx(0.5 * 9.81, rel=1e-3)
    x = np.array(sim.robots["thing"].position).ravel()
    assert x[2] == pytest.approx(top + low + 2e-3, abs=2e-5)


@pytest.mark.parametrize("fields, sentence", [
    ({"velocity": (3, 0, 4)},
     'Rigid body "b" moves 5 mm in a step of 0.001 s, and its layer and the widest other one are '
     "4 mm together, so its edges may pass through those of others; take layers of 5 mm together, "
     "or sim.dt of 0.8 ms or less."),
    ({"layer": 0.06},
     'Rigid body "b" is 100 mm in size and its layer 60 mm, so it looks like a ball; a layer is a '
     "skin: check its unit."),
    ({"layer": 1e-7},
     'Rigid body "b" is 100 mm in size and its layer 0.1 um, so its mesh may be in millimetres; '
     "give it a scale of 0.001."),
    ({}, None),
])
def test_layers_that_do_not_fit_are_doubted(fields, sentence):
    scene = haptos.Scene(dt=1e-3)
    scene.add_half_space("ground", layer=3e-3)
    shape = haptos.RobotShape("mesh", mesh=haptos.box((0.1, 0.1, 0.1)))
    scene.add_rigid("b", shape, mass=1, position=(0, 0, 1), **{"layer": 1e-3, **fields})
    said = [w for w in scene.compile(quiet=True).warnings if "layer" in w]
    assert said == ([sentence] if sentence else [])


def slot(width, two_bodies):
    """A peg of 20 mm over a slot between two walls, of one mesh or of two bodies."""
    scene = haptos.Scene(dt=1e-3)
    walls = []
    for sign in (-1, 1):
        walls.append(haptos.box((0.05, 0.1, 0.05)))
        walls[-1] = walls[-1].transformed(position=(sign * (0.025 + width / 2), 0, 0))
    if not two_bodies:
        n = len(walls[0].vertices)
        walls = [haptos.TriMesh(np.vstack([w.vertices for w in walls]),
                                np.vstack([walls[0].triangles, walls[1].triangles + n]))]
    for k, wall in enumerate(walls):
        scene.add_rigid(f"wall{k}", haptos.RobotShape("mesh", mesh=wall), fixed=True, layer=1e-3)
    peg = haptos.RobotShape("mesh", mesh=haptos.box((0.02, 0.02, 0.1)))
    scene.add_rigid("peg", peg, mass=0.1, position=(0, 0, 0.1), layer=1.5e-3)
    return [w for w in scene.compile(quiet=True).warnings if "passage" in w]


@pytest.mark.parametrize("two_bodies", [False, True])
def test_a_passage_that_only_the_bodies_fit_through_is_told(two_bodies):
    said = slot(0.022, two_bodies)
    sides = '"wall0" and "wall1"' if two_bodies else '"wall0"'
    assert said == [
        f'"peg" is 20 mm thick and fits into a passage of {sides} that is 22 mm wide, but not '
        "with the layers on both sides, which are 5 mm together: it would be squeezed; take "
        "layers of 2 mm together."]
    assert slot(0.0251, two_bodies) == []  # room for all
    assert slot(0.019, two_bodies) == []  # the peg does not fit at all


@pytest.mark.parametrize("moving", [False, True])
def test_a_cloud_of_points_touches_by_its_radius_and_its_layer(tmp_path, moving):
    rng = np.random.default_rng(1)
    grid = np.stack(np.meshgrid(*2 * [np.linspace(-0.1, 0.1, 41)]), -1).reshape(-1, 2)
    flat = np.column_stack([grid, np.zeros(len(grid))])
    head = "ply\nformat ascii 1.0\nelement vertex {}\nproperty float x\nproperty float y\n" \
           "property float z\nend_header\n"
    for name, x in (("flat", flat), ("ball", scans.random_box(triangles=500).vertices)):
        np.savetxt(tmp_path / f"{name}.ply", rng.permutation(x), "%.9g",
                   header=head.format(len(x)).rstrip(), comments="")
    below, above = ("mesh: {file: box.stl, unit: m}", "points: {file: ball.ply, unit: m, radius: 2 mm}") if moving \
        else ("points: {file: flat.ply, unit: m, radius: 2 mm}", "box: {size: [0.1, 0.1, 0.1]}")
    haptos.write_stl(tmp_path / "box.stl", haptos.box((0.3, 0.3, 0.1)))
    (tmp_path / "s.yaml").write_text(f"""
sim: {{dt: 2 ms}}
rigid:
  - {{name: below, shape: {{{below}}}, fixed: true, layer: 1 mm}}
  - {{name: above, shape: {{{above}}}, mass: 1 kg, layer: 1 mm, pose: {{position: [0, 0, 0.105]}}}}
""")
    sim = haptos.load_scene(tmp_path / "s.yaml").compile(quiet=True)
    for _ in range(600):
        report = sim.step()
        assert report.status[0] == 0 and report.crossed[0] == 0
    # Radius and both layers above the points, or above the box that is 50 mm high.
    height = 0.05 + 0.05 + 0.004 if moving else 0.05 + 0.004
    assert sim.robots["above"].position[0, 2] == pytest.approx(height, abs=2e-6)
    assert np.abs(sim.robots["above"].velocity).max() < 1e-6


def test_a_cloud_without_a_layer_is_refused():
    cloud = haptos.RobotShape("points", size=1e-3, mesh=haptos.TriMesh(np.eye(3)))
    assert cloud.kind == "points" and cloud.size[0] == 1e-3
    scene = haptos.Scene()
    scene.add_rigid("cloud", cloud, fixed=True)
    scene.add_half_space("ground")
    with pytest.raises(haptos.InputError, match="touch by a boundary layer only; give it a layer"):
        scene.compile(quiet=True)
    with pytest.raises(haptos.InputError, match="must hold the points of a cloud"):
        haptos.RobotShape("points", size=1e-3)


def test_shrunk_bodies_rest_where_their_surfaces_touch():
    """With shrink the layer ends where the body did: a cube of triangles stands on a plane, a ball
    of a mesh on it, as without layers."""
    scene = haptos.Scene(dt=1e-3)
    scene.add_half_space("floor", (0, 0, 1), layer=2e-3, shrink=True)
    cube = haptos.RobotShape("mesh", mesh=haptos.box((0.1, 0.1, 0.1)))
    ball = haptos.RobotShape("sphere", 0.03)
    scene.add_rigid("cube", cube, mass=1.0, position=(0, 0, 0.05), layer=4e-3, shrink=True)
    scene.add_rigid("ball", ball, mass=0.1, position=(0, 0, 0.13), layer=4e-3, shrink=True)
    sim = scene.compile()
    assert not sim.warnings
    for _ in range(500):
        sim.step()
    z = [sim.robots[name].position[0, 2] for name in ("cube", "ball")]
    assert abs(z[0] - 0.05) < 2e-5 and abs(z[1] - 0.13) < 4e-5


def test_what_cannot_shrink_is_said():
    scene = haptos.Scene(dt=1e-3)
    x = np.array([[-1, -1, 0], [1, -1, 0], [1, 1, 0], [-1, 1, 0.0]])
    sheet = haptos.RobotShape("mesh", mesh=haptos.TriMesh(x, [[0, 1, 2], [0, 2, 3]]))
    plate = haptos.RobotShape("mesh", mesh=haptos.box((0.1, 0.1, 0.006)))
    scene.add_rigid("sheet", sheet, fixed=True, layer=4e-3, shrink=True)
    scene.add_rigid("plate", plate, mass=1.0, position=(0, 0, 0.1), layer=4e-3, shrink=True)
    scene.add_rigid("bare", plate, mass=1.0, position=(0, 0, 0.2), shrink=True)
    said = scene.compile(quiet=True).warnings
    for words in ('"sheet" has shrink but encloses nothing', '"plate" is thinner than two layers of '
                  '4 mm in places, so the layer stands out there by up to 1',
                  '"bare" has shrink and no layer'):
        assert any(words in s for s in said), (words, said)
    surface = haptos.Surface(plate, 4e-3, shrink=True)
    assert abs(surface.stands_out - 1e-3) < 2e-5
    assert haptos.Surface(plate, 2e-3, shrink=True).stands_out == 0


def rough_plate(seed):
    x, y = np.meshgrid(np.linspace(-0.05, 0.05, 21), np.linspace(-0.05, 0.05, 21), indexing="ij")
    z = np.random.default_rng(seed).uniform(0, 2e-4, x.shape)
    n = 21 * np.arange(20)[:, None] + np.arange(20)
    return haptos.TriMesh(np.stack([x, y, z], -1).reshape(-1, 3),
                          np.concatenate([np.stack([n, n + 21, n + 22], -1).reshape(-1, 3),
                                          np.stack([n, n + 22, n + 1], -1).reshape(-1, 3)]))


@pytest.mark.parametrize("most", [20, 0])
def test_a_report_counts_pairs_that_were_merged(most):
    scene = haptos.Scene(dt=2e-3)
    scene.point_contact.most_samples = most
    lower, upper = (haptos.RobotShape("mesh", mesh=rough_plate(seed)) for seed in (1, 2))
    scene.add_rigid("lower", lower, fixed=True, friction=0.5)
    scene.add_rigid("upper", upper, mass=0.1, shell=True, layer=1e-3, friction=0.5, position=(0, 0, 1.5e-3))
    sim = scene.compile(quiet=True)
    for _ in range(50):
        report = sim.step()
    assert report.ok and report.merged[0] == (1 if most else 0)
