"""haptos.contacts(): surfaces and poses in, contacts out; and into MuJoCo."""

import re

import numpy as np
import pytest

from conftest import ROOT

import haptos
from haptos import Surface, contacts, scans
from haptos.base.turns import rotation

ABOVE = (0, 0, 0.0515, 1, 0, 0, 0)  # a cube of .1 m, 1 mm deep in a layer of 2.5 mm


@pytest.fixture(scope="module")
def cube():
    return Surface(haptos.box((0.1, 0.1, 0.1)), "2.5 mm")


@pytest.fixture(scope="module")
def ground():
    return Surface(haptos.RobotShape("half_space"))


@pytest.fixture(scope="module")
def mug():
    return Surface(scans.mug(seed=1), 2.5e-3)


def test_a_cube_on_the_ground_has_four_contacts(cube, ground):
    c = contacts(cube, ground, ABOVE)
    assert len(c) == 4
    assert np.allclose(c.gap, -1e-3, atol=1e-15)
    assert np.isclose(c.area.sum(), 0.01, rtol=1e-12)
    assert np.allclose(c.normal, [0, 0, 1])
    assert np.allclose(np.sort(np.abs(c.point[:, :2]).ravel()), 0.05)
    assert np.allclose(c.point_a[:, 2], 0.0515 - 0.05 - 2.5e-3)
    assert np.allclose(c.point_b[:, 2], 0)
    force, torque = c.wrench(5e9)
    assert np.allclose(force, [0, 0, 5e9 * 0.01 * 1e-3]) and np.allclose(torque, 0, atol=1e-6)
    assert np.allclose(c.wrench(5e9, (1, 0, 0))[1], [0, 5e4, 0])
    assert len({tuple(f) for f in c.feature}) == 4


def test_the_other_way_round_it_is_the_mirror(cube, ground):
    matrix = np.eye(4)
    matrix[:3, 3] = ABOVE[:3]
    c, d = contacts(cube, ground, ABOVE), contacts(ground, cube, None, matrix)
    order = [np.lexsort(np.round(x.point, 9).T) for x in (c, d)]
    assert np.allclose(c.point_a[order[0]], d.point_b[order[1]], atol=1e-11)
    assert np.allclose(c.normal[order[0]], -d.normal[order[1]], atol=1e-11)


def test_a_matrix_turns_as_its_quaternion_does(cube, mug):
    for k in range(20):
        q = np.random.default_rng(k).normal(size=4)
        q /= np.linalg.norm(q)
        matrix = np.eye(4)
        matrix[:3, :3] = rotation(q)
        matrix[:3, 3] = [0.09, 0.01, 0.02]
        c = contacts(cube, mug, [0.09, 0.01, 0.02, *q])
        d = contacts(cube, mug, matrix)
        assert np.allclose(c.wrench(1e9), d.wrench(1e9), rtol=1e-9, atol=1e-9)


def test_reach_finds_what_is_near(cube, ground):
    high = (0, 0, 0.0535, 1, 0, 0, 0)
    assert len(contacts(cube, ground, high)) == 0
    c = contacts(cube, ground, high, reach="2 mm")
    assert len(c) == 4 and np.allclose(c.gap, 1e-3)
    assert np.all(c.depth == 0) and np.all(c.force(1e9) == 0)


def test_a_mug_on_a_mug_is_merged_without_changing_what_it_does(mug):
    apart = (0.083, 0, 0, 1, 0, 0, 0)
    c, d = contacts(mug, mug, apart), contacts(mug, mug, apart, most=50)
    assert len(c) > 1000 and len(d) < 200
    (force, torque), (force_d, torque_d) = c.wrench(5e9, apart[:3]), d.wrench(5e9, apart[:3])
    assert np.allclose(force_d, force, rtol=1e-9)
    arm = 0.04 * np.linalg.norm(force)
    along = force / np.linalg.norm(force)
    off = torque_d - torque
    assert np.linalg.norm(off - along * (along @ off)) < 5e-3 * arm
    assert abs(along @ off) < 2e-2 * arm


def test_points_are_balls(ground):
    cloud = Surface.points([[0, 0, 0.004], [0.02, 0, 0.002], [0, 0.02, 0.01]], "3 mm")
    c = contacts(cloud, ground)
    assert np.allclose(c.gap, -1e-3, atol=1e-12) and np.allclose(c.point[0, :2], [0.02, 0])
    assert len(contacts(Surface.points([[0, 0, 0.004]], 3e-3, "2 mm"), ground)) == 1


def test_what_a_surface_says_of_itself():
    cube = haptos.box((0.1, 0.1, 0.1))
    twice = haptos.TriMesh(cube.vertices, np.concatenate([cube.triangles, cube.triangles[:5]]))
    s = Surface(twice, "1 mm")
    assert (s.triangles, s.sided, s.dropped) == (12, 12, 5)
    assert np.isclose(s.area, 0.06) and s.layer == 1e-3
    assert Surface(twice, sheet=True).sided == 0
    assert "12 triangles" in repr(s)


@pytest.mark.parametrize("bad, sentence", [
    (lambda c, g: contacts(g, g), "layer = 0: is zero on both sides of a pair; "
                                  "give one of the two surfaces a layer."),
    (lambda c, g: Surface(3), "surface = int: must be a RobotShape, a TriMesh, or vertices and "
                              "triangles; give for example (vertices, triangles)."),
    (lambda c, g: contacts(c, g, (1, 2)), "pose_a = an array (2,): must be seven numbers or a "
                                          "matrix (4, 4); give x, y, z, w, x, y, z or a "
                                          "homogeneous matrix."),
    (lambda c, g: contacts(c, g, 2 * np.eye(4)), "pose_a = its upper left 3 x 3: must be a rotation; "
                                                 "give a matrix without scale and without mirror."),
    (lambda c, g: Surface(haptos.box((1, 1, 1)), -1e-3), "must be a width of 0 or more"),
    (lambda c, g: contacts(c, "ground"), "b = str: must be a haptos.Surface; "
                                         "give haptos.Surface(b, layer=...)."),
    (lambda c, g: Surface(([[0, 0, 0], [1, 0, 0], [0, np.nan, 0]], [[0, 1, 2]])), "finite"),
    (lambda c, g: Surface(([[0, 0, 0], [1, 0, 0], [0, 1, 0]], [[0, 1, 3]])), "must be from 0 to 2"),
    (lambda c, g: contacts(c, g, ABOVE, reach=-1), "must be a distance of 0 or more"),
])
def test_bad_input_is_a_sentence(cube, ground, bad, sentence):
    with pytest.raises(haptos.InputError) as error:
        bad(cube, ground)
    assert sentence in str(error.value)


def model_of(mujoco, kind):
    spec = mujoco.MjSpec()
    spec.option.timestep = 1e-3
    spec.worldbody.add_geom(name="floor", type=mujoco.mjtGeom.mjGEOM_PLANE, size=[1, 1, 0.1])
    body = spec.worldbody.add_body(name="body", pos=[0, 0, 0.06])
    body.add_freejoint()
    mesh = spec.add_mesh(name="mesh")
    surface = scans.mug(seed=1) if kind == "mug" else haptos.box((0.1, 0.1, 0.1))
    mesh.uservert = np.asarray(surface.vertices).ravel()
    mesh.userface = np.asarray(surface.triangles).ravel()
    mesh.inertia = mujoco.mjtMeshInertia.mjMESH_INERTIA_SHELL
    body.add_geom(name="thing", type=mujoco.mjtGeom.mjGEOM_MESH, meshname="mesh", mass=0.5)
    return spec.compile()


@pytest.mark.parametrize("kind", ["box", "mug"])
def test_mujoco_rests_on_these_contacts(kind):
    mujoco = pytest.importorskip("mujoco", reason="package mujoco is not installed")
    from haptos.layers.mujoco import LayerContacts

    model = model_of(mujoco, kind)
    data = mujoco.MjData(model)
    with LayerContacts(model, {"thing": "2.5 mm"}) as layers:
        for _ in range(600):
            mujoco.mj_step(model, data)
        start = data.qpos.copy()
        up = []
        for _ in range(100):
            mujoco.mj_step(model, data)
            force = np.zeros(6)
            total = 0.0
            for i in range(data.ncon):
                mujoco.mj_contactForce(model, data, i, force)
                total += force[0]
            up.append(total)
    assert layers.full == 0
    assert np.isclose(np.mean(up), 0.5 * 9.81, rtol=1e-3)
    assert np.abs(data.qpos[:3] - start[:3]).max() < 5e-6
    assert data.ncon == 4 if kind == "box" else data.ncon < 80
    if kind == "box":
        # The layer of 2.5 mm less what MuJoCo's own softness lets it sink.
        assert 0.0524 - 5e-5 < data.qpos[2] < 0.0525
    # Outside, MuJoCo is as it was.
    assert mujoco.get_mjcb_contactfilter() is None


def test_mujoco_geoms_have_the_surfaces_that_mujoco_gives_them():
    mujoco = pytest.importorskip("mujoco", reason="package mujoco is not installed")
    from haptos.layers.mujoco import LayerContacts, surface_of_geom

    model = mujoco.MjModel.from_xml_string("""
<mujoco><asset><hfield name="h" nrow="5" ncol="7" size=".3 .2 .1 .05"/></asset>
<worldbody><geom name="floor" type="plane" size="1 1 1"/><geom name="hills" type="hfield" hfield="h"/>
<body><freejoint/>
<geom name="sphere" type="sphere" size=".02"/><geom type="capsule" size=".01 .03"/>
<geom type="ellipsoid" size=".01 .02 .03"/><geom type="cylinder" size=".01 .02"/>
<geom type="box" size=".01 .02 .03"/></body></worldbody></mujoco>""")
    floor = Surface(haptos.RobotShape("half_space"))
    lowest = [0.02, 0.04, 0.03, 0.02, 0.03]
    for geom in range(2, model.ngeom):
        s = surface_of_geom(model, geom, "1 mm")
        c = contacts(s, floor, (0, 0, lowest[geom - 2] + 0.5e-3, 1, 0, 0, 0))
        assert np.isclose(c.gap.min(), -0.5e-3, atol=1e-9)
    assert np.isclose(surface_of_geom(model, 1).area, 0, atol=10)  # it is one
    with pytest.raises(haptos.InputError, match='is no geom of the model; write "sphere"'):
        LayerContacts(model, {"spere": 1e-3})
    with pytest.raises(haptos.InputError, match="must name a geom with a layer above 0"):
        LayerContacts(model, {"sphere": 0})


def test_the_snippets_of_the_page_run():
    pytest.importorskip("mujoco", reason="package mujoco is not installed")
    page = (ROOT / "docs/contact/generator.md").read_text(encoding="utf-8")
    names = {}
    for code in re.findall(r"^```python\n(.*?)^```", page, re.MULTILINE | re.DOTALL):
        exec(compile(code, "generator.md", "exec"), names)
    assert len(names["found"]) > 100 and names["force"][2] > 0
    assert names["data"].ncon > 10
