"""MJCF through MuJoCo's compiler, and the algorithms on trees against MuJoCo's own."""

import re
import xml.etree.ElementTree as ET

import numpy as np
import pytest

import haptos
from conftest import outside_file, run_haptos
from haptos.base.turns import rotation
from mjcf_models import EVERYTHING, random_mjcf


@pytest.fixture
def mujoco():
    return pytest.importorskip("mujoco", reason='the package mujoco is not installed: pip install '
                               '"haptos[mujoco]"')


@pytest.fixture
def everything(mujoco, tmp_path):
    """The model that has everything, as MuJoCo and as we have it."""
    (tmp_path / "all.xml").write_text(EVERYTHING)
    return mujoco.MjModel.from_xml_path(str(tmp_path / "all.xml")), haptos.load_mjcf(
        tmp_path / "all.xml")


def random_states(mujoco, m, n, seed=0):
    """n random configurations and velocities of a model."""
    rng = np.random.default_rng(seed)
    q, v = np.tile(m.qpos0, (n, 1)), 2 * rng.normal(size=(n, m.nv))
    for row in q:
        mujoco.mj_integratePos(m, row, rng.normal(size=m.nv), 1.0)
    return q, v


def basis(robot, q, nv):
    """The matrix that turns MuJoCo's velocities into ours at q."""
    return haptos.velocity_from_mujoco(robot, np.broadcast_to(q, (nv, len(q))), np.eye(nv)).T


def compare_dynamics(mujoco, m, robot, n):
    """The largest relative differences of M, bias and accelerations at n random states."""
    d, tree = mujoco.MjData(m), haptos.Tree(robot)
    assert (tree.nq, tree.nv) == (m.nq, m.nv)
    qs, vs = random_states(mujoco, m, n)
    torques = np.random.default_rng(1).normal(size=vs.shape) * 3
    gravity = m.opt.gravity
    ours_v = haptos.velocity_from_mujoco(robot, qs, vs)
    # All states in one call each.
    mass, bias = tree.mass_matrix(qs), tree.bias(qs, ours_v, gravity)
    ours_tau = np.array([np.linalg.solve(basis(robot, q, m.nv).T, t)
                         for q, t in zip(qs, torques, strict=True)])
    acceleration = tree.forward_dynamics(qs, ours_v, ours_tau, gravity)
    worst = np.zeros(3)
    for k in range(n):
        d.qpos[:], d.qvel[:] = qs[k], vs[k]
        mujoco.mj_fwdPosition(m, d)
        mujoco.mj_fwdVelocity(m, d)
        t = basis(robot, qs[k], m.nv)
        theirs = np.zeros((m.nv, m.nv))
        mujoco.mj_fullM(m, d, theirs)
        a = np.linalg.solve(theirs, torques[k] - d.qfrc_bias)
        for i, (x, y) in enumerate(((t.T @ mass[k] @ t, theirs), (t.T @ bias[k], d.qfrc_bias),
                                    (np.linalg.solve(t, acceleration[k]), a))):
            worst[i] = max(worst[i], np.abs(x - y).max() / np.abs(y).max())
    return worst


def matrix(q):
    w, x, y, z = q
    return np.array([[1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
                     [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
                     [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)]])


def compare_frames(mujoco, m, model, n):
    """The largest distance [m] or turn between frames at n random configurations."""
    d, tree = mujoco.MjData(m), haptos.Tree(model.robot)
    qs, _ = random_states(mujoco, m, n, 3)
    links = {link.name: i for i, link in enumerate(model.robot.links)}
    poses = tree.forward_kinematics(qs)
    worst = 0.0
    for k in range(n):
        d.qpos[:] = qs[k]
        mujoco.mj_kinematics(m, d)
        mujoco.mj_camlight(m, d)
        counts = {"body": 1, "site": 0, "camera": 0}
        for frame in model.frames.values():
            i = counts[frame.kind]
            counts[frame.kind] += 1
            if frame.kind == "camera" and m.cam_mode[i] != mujoco.mjtCamLight.mjCAMLIGHT_FIXED:
                continue
            p, r = {"body": (d.xpos, d.xmat), "site": (d.site_xpos, d.site_xmat),
                    "camera": (d.cam_xpos, d.cam_xmat)}[frame.kind]
            base = poses[k, links[frame.link]] if frame.link else np.array([0, 0, 0, 1, 0, 0, 0])
            rotation = matrix(base[3:])
            worst = max(worst, np.abs(base[:3] + rotation @ frame.pose[:3] - p[i]).max(),
                        np.abs(rotation @ matrix(frame.pose[3:]) - r[i].reshape(3, 3)).max())
        assert counts == {"body": m.nbody, "site": m.nsite, "camera": m.ncam}
    return worst


def check_identities(robot, q, v):
    """ABA undoes RNEA; CRBA is RNEA of unit accelerations and what Jacobians and inertias of links
    make; momentum and energy are of M."""
    tree = haptos.Tree(robot)
    a = np.random.default_rng(2).normal(size=v.shape)
    tau = tree.inverse_dynamics(q, v, a)
    back = tree.forward_dynamics(q, v, tau)
    assert np.abs(back - a).max() < 1e-10 * np.abs(a).max()
    mass = tree.mass_matrix(q)
    units = tree.inverse_dynamics(q[:, None], None, np.eye(tree.nv), gravity=(0, 0, 0))
    assert np.abs(units - mass).max() < 1e-10 * np.abs(mass).max()
    # Of the Jacobians of all links, at their centres of mass.
    summed = np.zeros_like(mass) + np.diag(tree.armature)
    poses = tree.forward_kinematics(q)
    for i, link in enumerate(robot.links):
        if link.mass > 0:
            turns, moves = np.split(tree.jacobian(q, i, link.centre), 2, axis=1)
            r = rotation(poses[:, i, 3:])
            inertia = r @ np.asarray(link.inertia) @ r.transpose(0, 2, 1)
            summed += link.mass * moves.transpose(0, 2, 1) @ moves
            summed += turns.transpose(0, 2, 1) @ inertia @ turns
    assert np.abs(summed - mass).max() < 1e-10 * np.abs(mass).max()
    energy = 0.5 * np.einsum("ni,nij,nj->n", v, mass, v)
    np.testing.assert_allclose(tree.energy(q, v)[:, 0], energy, rtol=1e-10)
    if tree.armature.max() == 0:
        # Of what moves: the momentum is what an impulse of the whole changes it by.
        h = 1e-6
        com = [tree.centre_of_mass(tree.integrate(q, v, s * h)) for s in (-1, 1)]
        moving = tree.momentum(q, v)[:, 3:]
        rate = np.einsum("nij,nj->ni", tree.centre_of_mass_jacobian(q), v)
        np.testing.assert_allclose((com[1] - com[0]) / (2 * h), rate, atol=1e-8 * (1 + abs(rate).max()))
        part = moving[np.abs(rate) > 1e-3] / rate[np.abs(rate) > 1e-3]
        np.testing.assert_allclose(part, part.flat[0] if part.size else 0, rtol=1e-10)


def check_against(mujoco, m, model, n, figure=None):
    assert model.robot.total_mass == pytest.approx(m.body_mass.sum(), rel=1e-12)
    assert model.robot.degrees_of_freedom == m.nv
    frames = compare_frames(mujoco, m, model, n)
    dynamics = compare_dynamics(mujoco, m, model.robot, n)
    q, v = random_states(mujoco, m, 10, 8)
    check_identities(model.robot, q, v)
    if figure:
        print(f"FIGURE mujoco.{figure} frames = {frames:.1e}, mass matrix {dynamics[0]:.1e}, bias "
              f"{dynamics[1]:.1e}, acceleration {dynamics[2]:.1e}")
    assert frames < 1e-9
    assert dynamics.max() < 1e-10


# ------------------------------------------------------------------ against MuJoCo


def test_everything_moves_as_in_mujoco(mujoco, everything):
    check_against(mujoco, *everything, 100, "everything")


def test_random_forests_move_as_in_mujoco(mujoco, tmp_path):
    seen = set()
    for seed in range(12):
        (tmp_path / "m.xml").write_text(random_mjcf(seed))
        m = mujoco.MjModel.from_xml_path(str(tmp_path / "m.xml"))
        if m.nv == 0:
            continue
        model = haptos.load_mjcf(tmp_path / "m.xml")
        check_against(mujoco, m, model, 10)
        seen |= {j.kind for j in model.robot.joints}
    assert seen == {"fixed", "revolute", "prismatic", "ball", "free"}


@pytest.mark.parametrize("name", ["arm26", "car", "humanoid", "newton_cradle", "slider_crank",
                                  "tactile"])
def test_models_of_mujoco_move_as_there(mujoco, name):
    file = outside_file(f"mjcf/{name}.xml")
    check_against(mujoco, mujoco.MjModel.from_xml_path(str(file)), haptos.load_mjcf(file), 100, name)


def test_a_model_whose_include_is_missing_says_so_and_loads_with_it(mujoco, tmp_path):
    text = outside_file("mjcf/nutbolt.xml").read_text()
    (tmp_path / "nutbolt.xml").write_text(text)
    with pytest.raises(haptos.InputError, match=r'nutbolt.xml:18: <include>, file = "scene.xml": '
                       "cannot be found"):
        haptos.load_mjcf(tmp_path / "nutbolt.xml")
    (tmp_path / "scene.xml").write_text("<mujoco><worldbody/></mujoco>")
    m = mujoco.MjModel.from_xml_path(str(tmp_path / "nutbolt.xml"))
    model = haptos.load_mjcf(tmp_path / "nutbolt.xml")
    check_against(mujoco, m, model, 20, "nutbolt")
    assert model.robots[0].joints[0].damping == 30
    assert any("signed distance fields" in w for w in model.warnings)


@pytest.mark.parametrize("name", [
    "go2_description/urdf/go2.urdf", "panda_description/urdf/panda.urdf",
    "panda_description/urdf/panda_collision.urdf",
    "allegro_hand_description/urdf/allegro_right_hand.urdf",
    "allegro_hand_description/urdf/allegro_left_hand.urdf",
    "f_tac_hand_description/urdf/f_tac_hand.urdf", "f_tac_hand_description/urdf/f_tac_hand_rigid.urdf"])
def test_urdf_moves_as_in_mujoco(mujoco, tmp_path, name):
    """Both read the same text, without shapes, whose files MuJoCo does not find, and mimics."""
    file = outside_file("robots/" + name)
    root = ET.fromstring(file.read_text())
    for link in root.iter("link"):
        for shape in [*link.findall("visual"), *link.findall("collision")]:
            link.remove(shape)
        mend_inertia(link)
    for joint in root.iter("joint"):
        for mimic in joint.findall("mimic"):
            joint.remove(mimic)
    (tmp_path / "plain.urdf").write_text(ET.tostring(root, encoding="unicode"))
    ET.SubElement(ET.SubElement(root, "mujoco"), "compiler", fusestatic="false")
    for floating in (False, True):
        robot = haptos.load_robot(tmp_path / "plain.urdf", floating=floating)
        if floating and robot.joints[0].kind == "fixed":
            continue  # the root is called world
        if floating:
            ET.SubElement(root, "link", name="world")
            joint = ET.SubElement(root, "joint", name="base", type="floating")
            ET.SubElement(joint, "parent", link="world")
            ET.SubElement(joint, "child", link=robot.links[0].name)
        m = mujoco.MjModel.from_xml_string(ET.tostring(root, encoding="unicode"))
        assert robot.total_mass == pytest.approx(m.body_mass.sum(), rel=1e-12)
        # Joints come in the order of the tree in both.
        order = [mujoco.mj_id2name(m, mujoco.mjtObj.mjOBJ_JOINT, j) for j in range(m.njnt)]
        assert order == [j.name for j in robot.joints if j.kind != "fixed"]
        worst = compare_dynamics(mujoco, m, robot, 100)
        print(f"FIGURE mujoco.{file.stem}{'.floating' if floating else ''} mass matrix = "
              f"{worst[0]:.1e}, bias {worst[1]:.1e}, acceleration {worst[2]:.1e}")
        assert worst.max() < 1e-10
        check_identities(robot, *random_states(mujoco, m, 10, 8))


def mend_inertia(link):
    """Gives a link that has none, or one that MuJoCo does not take, that of a ball."""
    inertial = link.find("inertial")
    if inertial is None:
        inertial = ET.SubElement(link, "inertial")
        ET.SubElement(inertial, "mass", value="0.1")
        ET.SubElement(inertial, "inertia")
    mass, i = inertial.find("mass"), inertial.find("inertia")
    if float(mass.get("value")) == 0:
        mass.set("value", "0.1")
    xx, yy, zz, xy, xz, yz = (float(i.get(k, 0)) for k in ("ixx", "iyy", "izz", "ixy", "ixz", "iyz"))
    a, b, c = np.linalg.eigvalsh([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])
    if a < 1e-9 or c > a + b:
        for k in ("ixx", "iyy", "izz"):
            i.set(k, str(max(c, 1e-5)))
        for k in ("ixy", "ixz", "iyz"):
            i.set(k, "0")


def test_motors_push_as_the_actuators_do(mujoco, everything):
    m, model = everything
    d = mujoco.MjData(m)
    qs, vs = random_states(mujoco, m, 20, 5)
    rng = np.random.default_rng(6)
    tree = haptos.Tree(model.robot)
    motors = {motor.name: motor for motor in model.robot.motors}
    assert list(motors) == ["m", "p", "v", "gen", "by_tendon"]
    clipped = set()
    for q, v in zip(qs, vs, strict=True):
        d.qpos[:], d.qvel[:] = q, v
        d.ctrl[:] = 3 * rng.normal(size=m.nu)
        mujoco.mj_forward(m, d)
        for i, a in enumerate(model.actuators):
            if not a.motor:
                continue
            motor = motors[a.motor]
            q_ref, v_ref, u_ff = a.command(d.ctrl[i])
            at_q, at_v = tree.q_of(motor.joint), tree.v_of(motor.joint)
            u = motor.kp * (q_ref - q[at_q][0]) + motor.kd * (v_ref - v[at_v][0]) + u_ff
            if motor.name == "p" and abs(u) > 5:
                clipped.add(motor.name)
                continue  # its bound is the smaller side of the joint's -5 .. 7 N m
            u = np.clip(u, -motor.effort, motor.effort)
            theirs = a.gear * d.actuator_force[i]
            assert u == pytest.approx(theirs, rel=1e-12, abs=1e-12), a.name
    assert clipped == {"p"}
    assert motors["p"].effort == 5 and motors["m"].effort == 40 and motors["v"].effort == np.inf


def test_loops_and_couplings_open_as_the_equalities_do(mujoco, everything):
    m, model = everything
    robot = model.robot
    tree = haptos.Tree(robot)
    d = mujoco.MjData(m)
    closures = {c.name: c for c in robot.closures}
    assert list(closures) == ["hook", "glue", "gears", "back", "lock", "sites"]
    qs, _ = random_states(mujoco, m, 10, 7)
    for q, poses in zip(qs, tree.forward_kinematics(qs), strict=True):
        d.qpos[:] = q
        mujoco.mj_fwdPosition(m, d)
        poses = np.vstack([poses, [0, 0, 0, 1, 0, 0, 0]])  # link -1 is the world
        for i in range(m.neq):
            rows = d.efc_pos[(d.efc_type == mujoco.mjtConstraint.mjCNSTR_EQUALITY) & (d.efc_id == i)]
            name = m.equality(i).name
            if name == "off":
                assert rows.size == 0 and name not in closures
                continue
            c = closures[name]
            if c.kind == "coupler":
                a, b = (tree.q_of(robot.joints[j].name) if j >= 0 else None for j in (c.a, c.b))
                x = q[b][0] if b else 0.0
                assert q[a][0] - np.polynomial.polynomial.polyval(x, c.polynomial) == pytest.approx(
                    rows[0], abs=1e-13)
                continue
            ends = []
            for link, frame in ((c.a, c.frame_a), (c.b, c.frame_b)):
                r = matrix(poses[link, 3:])
                ends.append((poses[link, :3] + r @ frame[:3], r @ matrix(frame[3:])))
            np.testing.assert_allclose(ends[0][0] - ends[1][0], rows[:3], atol=1e-13)
            assert len(rows) == (6 if c.kind == "weld" else 3)
            if c.kind == "weld":
                # The rest are 2 sin(angle / 2) along the axis, in some axes: lengths agree.
                cosine = (np.trace(ends[0][1].T @ ends[1][1]) - 1) / 2
                half = np.sqrt((1 - cosine) / 2)
                scale = np.linalg.norm(rows[3:]) / half
                assert scale == pytest.approx(round(scale), rel=1e-10) and 1 <= round(scale) <= 2


def test_links_touch_where_bodies_do(mujoco, tmp_path):
    bodies = """
      <body name="a"><freejoint/><geom size="1"/>
        <body name="b"><geom size="1"/>
          <body name="c"><joint axis="0 0 1"/><joint axis="0 1 0"/><geom size="1"/>
            <body name="d"><joint axis="0 1 0"/><geom size="1" contype="2" conaffinity="4"/>
              <body name="e"><joint axis="0 1 0"/><geom size="1"/></body></body></body></body></body>
      <body name="f"><freejoint/><geom size="1" contype="4" conaffinity="2"/></body>
      <body name="s"><geom size="1"/>
        <body name="t"><joint/><geom size="1"/></body></body>
      <geom name="ground" size="1"/>"""
    for flag in ("", '<flag filterparent="disable"/>'):
        (tmp_path / "m.xml").write_text(
            f'<mujoco><option>{flag}</option><worldbody>{bodies}</worldbody><contact><exclude '
            'body1="a" body2="e"/></contact></mujoco>')
        m = mujoco.MjModel.from_xml_path(str(tmp_path / "m.xml"))
        d = mujoco.MjData(m)
        mujoco.mj_forward(m, d)
        robot = haptos.load_mjcf(tmp_path / "m.xml").robot
        names = [m.body(b).name for b in range(m.nbody)]
        theirs = {tuple(sorted(names[m.geom_bodyid[g]] for g in (c.geom1, c.geom2)))
                  for c in d.contact}
        apart = {tuple(sorted(robot.links[i].name for i in pair)) for pair in robot.no_contact}
        fixed = {"world", "s"}
        every = {(x, y) for i, x in enumerate(sorted(names)) for y in sorted(names)[i + 1:]
                 if not {x, y} <= fixed}
        assert theirs | apart == every and not theirs & apart


# ------------------------------------------------------------------ what becomes of the rest


def test_numbers_of_joints_links_and_shapes_are_those_of_the_file(everything):
    _, model = everything
    robot = model.robot
    joints = {j.name: j for j in robot.joints}
    t1, t2, t3 = (joints[n] for n in ("t1", "t2", "t3"))
    rad = np.pi / 180
    np.testing.assert_allclose([t1.lower, t1.upper], [-50 * rad, 90 * rad])
    assert t1.damping == pytest.approx(0.3 + 40**2 * 0.2) and t1.friction == 0.2
    assert t1.armature == pytest.approx(0.02 + 40**2 * 0.3)
    assert (t1.stiffness, t1.reference) == (4, pytest.approx(10 * rad))
    assert t2.effort == 5 and t3.kind == "prismatic" and (t3.lower, t3.upper) == (-1, 2)
    assert joints["b1"].kind == "ball" and joints["b1"].damping == 0.5
    names = [link.name for link in robot.links]
    assert names == ["world", "table", "turner/t1", "turner/t2", "turner", "ballbody", "slid/s1",
                     "slid", "fixedpart", "flyer", "arm", "g/g1", "g/g2", "g"]
    turner = robot.links[names.index("turner")]
    rod, wedge = turner.collisions
    assert rod.kind == "capsule" and rod.friction == 0.7
    np.testing.assert_allclose(rod.size, [0.05, 0.2, 0])
    assert rod.rgba == pytest.approx((1, 0, 0, 1)) and wedge.rgba == pytest.approx((0, 0, 1, 1))
    assert wedge.kind == "hull" and len(wedge.mesh.vertices) == 5
    assert [s.kind for s in turner.visuals] == ["capsule", "mesh"], "the cover does not show"
    world = robot.links[0]
    assert [s.kind for s in world.collisions] == ["half_space", "field"]
    hill = world.collisions[1]
    # Rows of the file go along -y, ours along y.
    np.testing.assert_allclose(hill.heights, np.arange(12).reshape(3, 4)[::-1] * 0.5 / 11, rtol=1e-6)
    assert hill.spacing == (pytest.approx(2 / 3), 2.0)
    egg = robot.links[names.index("ballbody")].collisions[0]
    assert egg.kind == "ellipsoid" and egg.friction == 0
    look = robot.links[names.index("fixedpart")]
    assert not look.collisions and look.visuals[0].kind == "sphere"
    # Spheres that lie where MuJoCo's lie: the surface is placed by frames, and frames by links.
    assert {f.name for f in model.frames.values() if f.kind == "site"} == {"tip", "other"}
    assert model.frames["camera", "eye"].link == ""


def test_height_fields_are_as_high_as_rays_find_them(mujoco, everything):
    m, model = everything
    d = mujoco.MjData(m)
    mujoco.mj_kinematics(m, d)
    hill = model.robot.links[0].collisions[1]
    surface = haptos.robots.load.shape_surface(hill)
    geom = np.zeros(1, np.int32)
    for x, y, z in np.asarray(surface.vertices) * (0.999, 0.999, 1):
        start = np.array([x, y, 5.0]) + hill.frame[:3]
        length = mujoco.mj_ray(m, d, start, np.array([0.0, 0, -1]), None, 1, -1, geom)
        assert m.geom(geom[0]).name == "hill"
        assert 5 - length == pytest.approx(z, abs=1e-3)


def test_what_has_no_counterpart_is_named(everything):
    _, model = everything
    said = "\n".join(model.warnings)
    for part in ('actuators ("mus"): 1 left out, since their force is that of a muscle',
                 'actuators ("onball"): 1 left out, since they drive free or ball joints',
                 'actuators ("iv"): 1 left out, since their activation follows',
                 'contact pairs', 'equality constraints that start',
                 'geoms that neither touch nor show ("cover")', "fluids",
                 "lights: 1 left out", "force limits of joints that are not symmetric"):
        assert part in said, part
    assert "tendons" not in said and [t.joints for t in model.robot.tendons] == [{"s2": -1.5}]
    assert model.warnings == model.robot.warnings
    assert all(w.endswith(".") and "\n" not in w for w in model.warnings)


def test_keys_are_where_robots_start(mujoco, everything, tmp_path):
    m, model = everything
    key = model.keys["home"]
    np.testing.assert_array_equal(haptos.Tree(model.robot).start, key.q)
    np.testing.assert_array_equal(key.q, m.key_qpos[0])
    np.testing.assert_array_equal(key.ctrl, np.arange(1, 9))
    # A turn of pi about x reverses y and z of the flyer's angular velocity.
    np.testing.assert_allclose(key.v[8:14], [1, 2, 3, 4, -5, -6], atol=1e-15)
    np.testing.assert_allclose(haptos.velocity_to_mujoco(model.robot, key.q, key.v), m.key_qvel[0],
                               atol=1e-15)
    other = haptos.load_mjcf(tmp_path / "all.xml", key="other")
    assert other.robot.joints[2].position == [0.4]
    with pytest.raises(haptos.InputError, match="it has home, other"):
        haptos.load_mjcf(tmp_path / "all.xml", key="nowhere")


def test_meshes_are_found_where_the_file_says(mujoco, tmp_path):
    """Scaled, off centre, shared by two geoms; from a folder beside the model's, and from roots."""
    ball = haptos.icosphere(20.0, 8.0).transformed((30, 0, 0))
    (tmp_path / "robot" / "xml").mkdir(parents=True)
    (tmp_path / "robot" / "assets").mkdir()
    haptos.write_obj(tmp_path / "robot" / "assets" / "ball.obj", ball)
    text = """<mujoco><compiler meshdir="DIR"/><asset>
      <mesh file="ball.obj" scale=".001 .001 .002"/></asset>
      <worldbody><body pos="1 2 3" euler="30 20 10"><joint pos=".1 .2 .3"/>
        <geom type="mesh" mesh="ball" pos=".5 0 0" euler="0 90 0"/>
        <geom type="mesh" mesh="ball" contype="0" conaffinity="0" rgba="1 0 0 1"/></body></worldbody>
      </mujoco>"""
    file = tmp_path / "robot" / "xml" / "m.xml"
    file.write_text(text.replace("DIR", "../assets"))
    robot = haptos.load_mjcf(file).robot
    link = robot.links[0]
    assert (link.collisions[0].kind, link.visuals[0].kind) == ("hull", "mesh")
    assert len(link.collisions) == 1 and len(link.visuals) == 2
    assert link.collisions[0].file.endswith("assets/ball.obj")
    assert haptos.load_mjcf(file, hulls=False).robot.links[0].collisions[0].kind == "mesh"
    # The vertices in the world, from the file's numbers.
    m = mujoco.MjModel.from_xml_path(str(file))
    d = mujoco.MjData(m)
    mujoco.mj_kinematics(m, d)
    body_p, body_r = d.xpos[1], d.xmat[1].reshape(3, 3)
    turn = np.array([[0, 0, 1], [0, 1, 0], [-1, 0, 0.0]])
    scaled = np.asarray(ball.vertices) * (1e-3, 1e-3, 2e-3)
    expected = [(np.array([0.5, 0, 0]) + scaled @ turn.T) @ body_r.T + body_p,
                scaled @ body_r.T + body_p]
    for shape, points in zip(link.visuals, expected, strict=True):
        placed = shape.mesh.transformed(shape.frame[:3], shape.frame[3:]).transformed(
            robot.start_poses()[0][:3], robot.start_poses()[0][3:])
        # MuJoCo keeps meshes in single precision, and may change the order of vertices.
        got = np.asarray(placed.vertices)
        distance = np.linalg.norm(got[:, None] - points[None], axis=2)
        assert distance.min(axis=0).max() < 1e-7 and distance.min(axis=1).max() < 1e-7
    (tmp_path / "far").mkdir()
    haptos.write_obj(tmp_path / "far" / "ball.obj", ball)
    file.write_text(text.replace("DIR", str(tmp_path / "far")))
    with pytest.raises(haptos.InputError, match="with the option roots"):
        haptos.load_mjcf(file)
    assert haptos.load_mjcf(file, roots=[tmp_path / "far"]).robot.links[0].collisions
    done = run_haptos("check", file, cwd=tmp_path)
    assert done.returncode == 1 and "leaves the model's folder" in done.stdout


def test_geoms_have_the_layers_of_a_tuple(mujoco, tmp_path):
    file = tmp_path / "feet.xml"
    text = """<mujoco><asset><mesh name="m" vertex="0 0 0 .1 0 0 0 .1 0 0 0 .1"/></asset>
      <worldbody><body><freejoint/><geom name="foot" type="mesh" mesh="m"/>
      <geom name="toe" size=".01" pos=".1 0 0"/></body></worldbody>
      <custom><tuple name="layer"><element objtype="{kind}" objname="foot" prm="{width}"/></tuple>
      <tuple name="other"><element objtype="geom" objname="toe" prm="1"/></tuple></custom></mujoco>"""
    file.write_text(text.format(kind="geom", width=0.0025))
    read = haptos.load_mjcf(file)
    foot, toe = read.robots[0].links[0].collisions
    # A mesh with a layer is taken as it is, not as its hull.
    assert (foot.kind, foot.layer, toe.layer) == ("mesh", 0.0025, -1)
    assert read.warnings == ["tuples (\"other\"): 1 left out."]
    file.write_text(text.format(kind="geom", width=2.5))
    with pytest.raises(haptos.InputError, match='geom "foot" = 2.5: must be from 0 to 1'):
        haptos.load_mjcf(file)


def test_sensors_and_options_are_described(everything):
    _, model = everything
    acc, position, frame = model.sensors
    assert (acc.name, acc.kind, acc.object_kind, acc.object) == ("acc", "accelerometer", "site", "tip")
    assert (acc.size, acc.cutoff, acc.noise) == (3, 30, 0.1)
    assert (position.kind, position.object) == ("jointpos", "t1")
    assert (frame.object_kind, frame.object, frame.reference) == ("body", "arm", "tip")
    assert model.options["timestep"] == 0.002 and model.options["gravity"] == (0.3, -0.2, -9.7)
    assert model.options["density"] == 1.2 and model.options["disabled"] == []


def test_what_flags_switch_off_is_left_out(mujoco, tmp_path):
    text = """<mujoco><option><flag FLAGS/></option><worldbody><geom type="plane" size="1 1 1"/>
      <body><joint name="j" range="-1 1" limited="true" stiffness="2" damping="3" frictionloss="4"/>
        <geom size=".1"/></body></worldbody>
      <equality><joint joint1="j"/></equality><actuator><motor joint="j"/></actuator></mujoco>"""
    flags = ("limit", "spring", "damper", "frictionloss", "contact", "equality", "actuation", "gravity")

    def acts(given):
        (tmp_path / "m.xml").write_text(text.replace("FLAGS", given))
        model = haptos.load_mjcf(tmp_path / "m.xml")
        joint = model.robot.joints[model.robot.joint("j")]
        return dict(zip(flags, (
            np.isfinite(joint.lower), joint.stiffness == 2, joint.damping == 3, joint.friction == 4,
            any(link.collisions for link in model.robot.links), bool(model.robot.closures),
            bool(model.robot.motors), any(model.options["gravity"])), strict=True))

    assert all(acts("").values())
    for flag in flags:
        assert acts(f'{flag}="disable"') == {f: f != flag for f in flags}
    assert not any(acts('constraint="disable"')[f] for f in (
        "limit", "frictionloss", "contact", "equality"))


def test_a_file_is_taken_apart_into_robots_and_the_world(mujoco, tmp_path):
    (tmp_path / "m.xml").write_text("""<mujoco><worldbody>
      <geom type="plane" size="1 1 1"/>
      <body name="table"><geom size=".1"/></body>
      <body name="arm"><geom size=".1"/>
        <body name="hand"><joint name="j"/><joint name="k" axis="1 0 0"/><geom size=".1"/></body></body>
      <body name="ball" pos="0 0 1"><freejoint name="free"/><geom size=".1"/></body>
      <body name="left"><joint name="l"/><geom size=".1"/></body>
      <body name="right"><joint name="r"/><geom size=".1"/></body></worldbody>
      <equality><joint joint1="l" joint2="r"/></equality>
      <actuator><motor name="m" joint="k"/></actuator></mujoco>""")
    model = haptos.load_mjcf(tmp_path / "m.xml")
    arm, ball, pair = model.robots
    assert [r.name for r in (arm, ball, pair)] == ["arm", "ball", "left"]
    assert [link.name for link in arm.links] == ["arm", "hand/j", "hand"]
    assert [m.joint for m in arm.motors] == ["k"] and not ball.motors and not pair.motors
    assert [link.name for link in pair.links] == ["left", "right"]
    assert (pair.closures[0].kind, pair.closures[0].a, pair.closures[0].b) == ("coupler", 0, 1)
    assert [link.name for link in model.world.links] == ["world", "table"]
    assert model.world.degrees_of_freedom == 0
    for robot in (arm, ball, pair, model.world):
        robot.validate()
    np.testing.assert_array_equal(ball.joints[0].position, [0, 0, 1, 1, 0, 0, 0])


def test_reading_leaves_nothing_in_the_current_folder(mujoco, tmp_path, monkeypatch):
    (tmp_path / "m.xml").write_text('<mujoco><worldbody><body><joint/><geom size=".1" mass="1e-20"/>'
                                    "</body></worldbody></mujoco>")
    (tmp_path / "here").mkdir()
    monkeypatch.chdir(tmp_path / "here")
    (tmp_path / "old.xml").write_text('<mujoco><compiler settotalmass="3"/><worldbody><body><joint/>'
                                      '<geom size="1"/></body></worldbody></mujoco>')
    model = haptos.load_mjcf(tmp_path / "old.xml")
    assert model.robot.total_mass == pytest.approx(3)
    assert "MuJoCo's compiler says: " in model.warnings[0] and "settotalmass" in model.warnings[0]
    with pytest.raises(haptos.InputError):
        haptos.load_mjcf(tmp_path / "m.xml")
    assert list((tmp_path / "here").iterdir()) == []


def test_without_mujoco_the_remedy_is_named(tmp_path, monkeypatch):
    (tmp_path / "m.xml").write_text("<mujoco/>")
    monkeypatch.setitem(__import__("sys").modules, "mujoco", None)
    with pytest.raises(haptos.InputError, match=r'pip install "haptos\[mujoco\]"'):
        haptos.load_mjcf(tmp_path / "m.xml")


# ------------------------------------------------------------------ robots that do something


def test_load_robot_reads_both_formats_by_what_is_in_them(mujoco, tmp_path):
    (tmp_path / "m.xml").write_text(EVERYTHING)
    robot = haptos.load_robot(tmp_path / "m.xml", state="other")
    assert robot.name == "everything" and robot.joints[2].position == [0.4]
    (tmp_path / "u.xml").write_text('<robot name="u"><link name="l"/></robot>')
    assert haptos.load_robot(tmp_path / "u.xml").name == "u"
    with pytest.raises(haptos.InputError, match="is not for MJCF"):
        haptos.load_robot(tmp_path / "m.xml", floating=True)


SWING = """<mujoco><compiler angle="radian"/><option timestep="1e-4" integrator="RK4"/><worldbody>
  <body name="a" pos="0 0 1"><joint name="j0" axis="0 1 0" damping=".05" armature=".01"/>
    <geom type="capsule" fromto="0 0 0 .3 .05 0" size=".03"/>
    <body name="b" pos=".3 0 0"><joint name="j1" axis="1 0 .3" pos="0 .02 0" stiffness="2" springref=".4"/>
      <joint name="j2" axis="0 1 0" ref=".1" damping=".02"/>
      <geom type="box" size=".1 .05 .02" pos=".1 0 0"/>
      <body name="c" pos=".2 0 0"><joint name="j3" type="slide" axis="1 0 0" stiffness="200" damping="1"/>
        <geom size=".03"/></body></body></body></worldbody>
  <actuator><position joint="j0" kp="8" kv=".3"/></actuator>
  <keyframe><key name="home" qpos=".2 .1 .1 .01" ctrl=".9"/></keyframe></mujoco>"""


def test_a_robot_in_a_scene_swings_as_in_mujoco_as_the_step_shrinks(mujoco, tmp_path):
    """Springs, dampers, armature and a servo: the error against MuJoCo's fourth order halves."""
    (tmp_path / "m.xml").write_text(SWING)
    m = mujoco.MjModel.from_xml_path(str(tmp_path / "m.xml"))
    d = mujoco.MjData(m)
    mujoco.mj_resetDataKeyframe(m, d, 0)
    for _ in range(3000):
        mujoco.mj_step(m, d)
    model = haptos.load_mjcf(tmp_path / "m.xml")
    errors = []
    for dt in (1e-3, 5e-4, 2.5e-4):
        scene = haptos.Scene(dt=dt, gravity=model.options["gravity"])
        name, = model.add_to(scene)
        sim = scene.compile()
        view = sim.robots[name]
        q_ref, v_ref, u_ff = model.actuators[0].command(model.keys["home"].ctrl[0])
        view.set_command(position=q_ref, velocity=v_ref, effort=u_ff)
        for _ in range(round(0.3 / dt)):
            assert sim.step().ok
        errors.append(np.abs(np.ravel(view.position) - d.qpos).max())
    print("FIGURE mujoco.swing.errors = " + ", ".join(f"{e:.2e}" for e in errors) + " rad")
    assert errors[0] < 3e-2
    for coarse, fine in zip(errors, errors[1:], strict=False):
        assert 1.8 < coarse / fine < 2.2


def test_a_model_falls_on_its_floor(mujoco, tmp_path):
    (tmp_path / "m.xml").write_text('''<mujoco><worldbody><geom type="plane" size="1 1 1"/>
      <body name="stand" pos="2 0 0"><geom name="s" size=".1"/></body>
      <body name="box" pos="0 0 .11"><freejoint/><geom type="box" size=".1 .1 .1"/></body>
      <body name="ball" pos="0 0 .6"><freejoint/><geom size=".1" density="500"/></body></worldbody>
      <contact><exclude body1="ball" body2="stand"/></contact></mujoco>''')
    model = haptos.load_mjcf(tmp_path / "m.xml")
    scene = haptos.Scene(dt=0.005)
    with pytest.warns(UserWarning, match="1 pairs of links of different robots"):
        assert model.add_to(scene, "my ") == ["my box", "my ball", "my world"]
    sim = scene.compile()
    for _ in range(200):
        assert sim.step().ok
    box, ball = (np.ravel(sim.robots[f"my {n}"].position) for n in ("box", "ball"))
    assert box[2] == pytest.approx(0.1, abs=2e-3) and ball[2] == pytest.approx(0.3, abs=5e-3)


def test_check_prints_a_model_and_what_is_left_out(mujoco, tmp_path):
    (tmp_path / "m.xml").write_text(EVERYTHING)
    done = run_haptos("check", "m.xml", "--picture", "m.png", cwd=tmp_path)
    assert done.returncode == 0, done.stdout + done.stderr
    for part in ('robot "everything", 14 links, 20 degrees of freedom', "by t1 (revolute)",
                 "by fly (free)", "loop hook: ball between slid and flyer",
                 "coupling lock: s1 = 0.15", 'warning: actuators ("mus")', "can be used"):
        assert part in done.stdout, part
    assert re.search(r"p +t2 +270 +18 +5", done.stdout)
    assert (tmp_path / "m.png").stat().st_size > 5000
    (tmp_path / "bad.xml").write_text("<mujoco><worldbody><bodyy/></worldbody></mujoco>")
    bad = run_haptos("check", "bad.xml", cwd=tmp_path)
    assert bad.returncode == 1 and 'cannot be used: bad.xml:1: <bodyy>' in bad.stdout
    assert "did you mean <body>?" in bad.stdout
