"""Accelerations against MuJoCo with what test_mjcf.py leaves out: inertias as the files have them,
joints that follow others, and passive forces."""

import xml.etree.ElementTree as ET

import numpy as np
import pytest
from conftest import outside_file
from test_mjcf import compare_dynamics, mend_inertia, random_states

import haptos

NO_MUJOCO = "the package mujoco is not installed: pip install mujoco"


@pytest.fixture
def mujoco():
    return pytest.importorskip("mujoco", reason=NO_MUJOCO)


def without_shapes_and_mimics(root):
    for link in root.iter("link"):
        for shape in [*link.findall("visual"), *link.findall("collision")]:
            link.remove(shape)
    for joint in root.iter("joint"):
        for mimic in joint.findall("mimic"):
            joint.remove(mimic)


def give_own_inertias(mujoco, m, robot):
    """Puts mass and inertia of each link into a compiled model; how many differed from it.

    MuJoCo compiles no inertia that breaks the triangle inequality, and computes with any.
    """
    changed = 0
    for link in robot.links:
        b = mujoco.mj_name2id(m, mujoco.mjtObj.mjOBJ_BODY, link.name)
        assert b > 0, link.name
        inertia, turn = np.linalg.eigh(np.asarray(link.inertia))
        if np.linalg.det(turn) < 0:
            turn[:, 0] *= -1
        changed += not (np.isclose(m.body_mass[b], link.mass, rtol=1e-9, atol=0)
                        and np.allclose(np.sort(m.body_inertia[b]), inertia, rtol=1e-6, atol=1e-12))
        m.body_mass[b], m.body_ipos[b], m.body_inertia[b] = link.mass, link.centre, inertia
        quaternion = np.zeros(4)
        mujoco.mju_mat2Quat(quaternion, turn.ravel())
        m.body_iquat[b] = quaternion
        m.body_sameframe[b] = 0
    m.body_simple[:] = 0
    m.dof_simplenum[:] = 0
    mujoco.mj_setConst(m, mujoco.MjData(m))
    return changed


@pytest.mark.parametrize("name", [
    "go2_description/urdf/go2.urdf", "panda_description/urdf/panda.urdf",
    "allegro_hand_description/urdf/allegro_right_hand.urdf",
    "f_tac_hand_description/urdf/f_tac_hand.urdf"])
def test_urdf_with_the_inertias_of_the_file_moves_as_in_mujoco(mujoco, tmp_path, name):
    file = outside_file("robots/" + name)
    root = ET.fromstring(file.read_text())
    without_shapes_and_mimics(root)
    (tmp_path / "own.urdf").write_text(ET.tostring(root, encoding="unicode"))
    robot = haptos.load_robot(tmp_path / "own.urdf")
    for link in root.iter("link"):
        mend_inertia(link)  # so that MuJoCo compiles it
    ET.SubElement(ET.SubElement(root, "mujoco"), "compiler", fusestatic="false")
    m = mujoco.MjModel.from_xml_string(ET.tostring(root, encoding="unicode"))
    changed = give_own_inertias(mujoco, m, robot)
    worst = compare_dynamics(mujoco, m, robot, 100)
    print(f"FIGURE mujoco.own.{file.stem}.links_that_were_mended = {changed}")
    print(f"FIGURE mujoco.own.{file.stem}.acceleration = {worst[2]:.1e} (at most 1e-10)")
    assert worst.max() < 1e-10


ARM = """<robot name="arm">
  <link name="root"/>
  {links}
  {joints}
</robot>"""
LINK = """<link name="l{k}"><inertial><origin xyz="{x} 0.02 -0.1" rpy="0.1 {x} 0.3"/><mass value="{m}"/>
  <inertia ixx="0.004" iyy="0.005" izz="0.003" ixy="0.0002" ixz="-0.0003" iyz="0.0001"/></inertial></link>"""
JOINT = """<joint name="j{k}" type="revolute"><parent link="{parent}"/><child link="l{k}"/>
  <origin xyz="0.05 {x} -0.2" rpy="0.2 0.1 {x}"/><axis xyz="{axis}"/>
  <limit lower="-100" upper="100" effort="1000" velocity="1000"/>
  <dynamics damping="{damping}" friction="{friction}"/>{mimic}</joint>"""
AXES = ("0 1 0", "1 0 0", "0 0 1", "0.6 0.8 0")
DAMPING, FRICTION = np.array([0.3, 0.0, 0.1, 0.05]), np.array([0.0, 0.2, 0.0, 0.1])
FOLLOWS, RATIO, OFFSET = 1, -1.5, 0.2  # joint 3 follows joint 1


def arm(mimic):
    follow = f'<mimic joint="j{FOLLOWS}" multiplier="{RATIO}" offset="{OFFSET}"/>'
    return ARM.format(
        links="".join(LINK.format(k=k, x=0.03 * k, m=0.5 + 0.2 * k) for k in range(4)),
        joints="".join(JOINT.format(k=k, parent="root" if k == 0 else f"l{k - 1}", x=0.01 * k,
                                    axis=AXES[k], damping=DAMPING[k], friction=FRICTION[k],
                                    mimic=follow if mimic and k == 3 else "") for k in range(4)))


def acceleration_in_a_scene(path, q, v, dt):
    """(v after a short step - v) / dt [rad/s2]."""
    scene = haptos.Scene(dt=dt)
    scene.newton.force_tolerance = 1e-13
    scene.add_robot("arm", str(path))
    sim = scene.compile()
    view = next(iter(sim.robots.values()))
    view.set_state(position=q, velocity=v)
    assert sim.step().ok
    return (np.asarray(view.velocity)[0] - v) / dt


@pytest.mark.parametrize("mimic", [False, True])
def test_passive_forces_and_mimics_accelerate_as_by_mujoco_s_matrices(mujoco, tmp_path, mimic):
    """M a + c = passive forces, with a multiplier where a joint follows another.

    A follower is as stiff as the step bears (haptos/bodies/joints/loop_closure.h): its multiplier stretches it
    by R = beta^2 / (4 pi^2) of its inverse inertia, beta .1, which is 2.5e-4 of the rigid answer.
    """
    m = mujoco.MjModel.from_xml_string(arm(False))
    m.opt.disableflags |= mujoco.mjtDisableBit.mjDSBL_CONSTRAINT
    d = mujoco.MjData(m)
    (tmp_path / "arm.urdf").write_text(arm(mimic))
    qs, vs = random_states(mujoco, m, 5)
    follows = np.array([[0, RATIO, 0, -1.0]])
    worst = 0.0
    for q, v in zip(qs, vs, strict=True):
        if mimic:
            q[3], v[3] = RATIO * q[FOLLOWS] + OFFSET, RATIO * v[FOLLOWS]
        d.qpos[:], d.qvel[:] = q, v
        mujoco.mj_forward(m, d)
        mass = np.zeros((4, 4))
        mujoco.mj_fullM(m, d, mass)
        np.testing.assert_allclose(d.qfrc_passive, -DAMPING * v, rtol=1e-12)  # it reads them too
        force = -DAMPING * v - FRICTION * np.sign(v) - d.qfrc_bias
        if mimic:
            give = (0.1 / (2 * np.pi))**2 * follows @ np.diag(1 / np.diag(mass)) @ follows.T
            exact, rigid = (np.linalg.solve(np.block([[mass, follows.T], [follows, -r]]),
                                            np.append(force, 0))[:4] for r in (give, 0 * give))
            assert np.abs(exact - rigid).max() < 1e-3 * np.abs(rigid).max()
        else:
            exact = np.linalg.solve(mass, force)
        # The step is of first order: half of it, twice, less one leaves the second.
        fine, coarse = (acceleration_in_a_scene(tmp_path / "arm.urdf", q, v, h) for h in (5e-6, 1e-5))
        worst = max(worst, np.abs(2 * fine - coarse - exact).max() / np.abs(exact).max())
        assert np.abs(fine - exact).max() < 0.6 * np.abs(coarse - exact).max() + 1e-6 * np.abs(exact).max()
    # Of second order in steps of 1e-5 s at rates of up to 100 / s, and the tolerance of Newton.
    print(f"FIGURE mujoco.passive{'.mimic' if mimic else ''}.acceleration = {worst:.1e} (at most 1e-5)")
    assert worst < 1e-5
