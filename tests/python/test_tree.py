"""Kinematics and dynamics of trees as functions of numpy arrays."""

import numpy as np
import pytest

import haptos
from test_robot_edit import make_arm

G = (0, 0, -9.81)


@pytest.fixture(scope="module")
def robot():
    """A free base with a ball joint, a hinge and a slide on it."""
    inertia = np.array([[0.1, 0.01, 0.02], [0.01, 0.12, -0.01], [0.02, -0.01, 0.15]])
    links = [haptos.RobotLink(n, m, c, m * inertia) for n, m, c in (
        ("base", 3.0, (0.1, 0, 0.05)), ("thigh", 1.0, (0, 0.1, -0.2)), ("shin", 0.7, (0, 0, -0.1)),
        ("pole", 0.4, (0.05, 0, 0)))]
    joints = [haptos.RobotJoint("free", "free", -1, 0),
              haptos.RobotJoint("hip", "ball", 0, 1, frame=(0.1, 0.2, 0, 0.9, 0.1, 0.3, 0)),
              haptos.RobotJoint("knee", "revolute", 1, 2, frame=(0, 0, -0.4, 1, 0.2, 0, 0),
                                axis=(0, 1, 0.3), armature=0.02),
              haptos.RobotJoint("slide", "prismatic", 0, 3, frame=(-0.1, 0, 0.2, 1, 0, 0.5, 0),
                                axis=(1, 0, 1))]
    return haptos.Robot("walker", links, joints)


@pytest.fixture(scope="module")
def states(robot):
    tree = haptos.Tree(robot)
    rng = np.random.default_rng(4)
    q = tree.integrate(tree.start, rng.normal(size=(50, tree.nv)))
    return tree, q, rng.normal(size=(50, tree.nv)), rng.normal(size=(50, tree.nv))


def test_coordinates_are_found_by_the_names_of_joints(robot):
    tree = haptos.Tree(robot)
    assert (tree.nq, tree.nv) == (13, 11)
    assert tree.q_of("hip") == slice(7, 11) and tree.v_of("hip") == slice(6, 9)
    assert tree.q_of("slide") == slice(12, 13) and tree.v_of("slide") == slice(10, 11)
    assert tree.link("shin") == 2 and tree.link_names[2] == "shin"
    np.testing.assert_array_equal(tree.start[:7], [0, 0, 0, 1, 0, 0, 0])
    with pytest.raises(haptos.InputError, match="must be the name of a joint that moves"):
        tree.q_of("ankle")


def test_forward_dynamics_undoes_inverse_dynamics(states):
    tree, q, v, a = states
    tau = tree.inverse_dynamics(q, v, a)
    np.testing.assert_allclose(tree.forward_dynamics(q, v, tau), a, atol=1e-10)
    mass = tree.mass_matrix(q)
    np.testing.assert_allclose(np.einsum("nij,nj->ni", mass, a) + tree.bias(q, v), tau, atol=1e-11)
    np.testing.assert_allclose(tree.bias(q, 0 * v), tree.gravity_compensation(q), atol=1e-12)
    assert np.linalg.eigvalsh(mass).min() > 0


def test_jacobians_give_the_velocities_of_links(states):
    tree, q, v, _ = states
    velocities = tree.link_velocities(q, v)
    for link in range(4):
        j = tree.jacobian(q, link)
        np.testing.assert_allclose(np.einsum("nij,nj->ni", j, v), velocities[:, link], atol=1e-12)
    h = 1e-6
    poses = [tree.forward_kinematics(tree.integrate(q, v, s * h)) for s in (-1, 1)]
    np.testing.assert_allclose((poses[1] - poses[0])[:, :, :3] / (2 * h), velocities[:, :, 3:],
                               atol=1e-8)
    point = np.array([0.1, -0.2, 0.3])
    j = tree.jacobian(q[0], "shin", point)
    omega, u = velocities[0, 2, :3], velocities[0, 2, 3:]
    w, x, y, z = tree.forward_kinematics(q[0])[2, 3:]
    r = np.array([[1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
                  [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
                  [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)]])
    np.testing.assert_allclose((j @ v[0])[3:], u + np.cross(omega, r @ point), atol=1e-12)


def test_momentum_and_energy_agree_with_the_mass_matrix(states, robot):
    tree, q, v, _ = states
    mass = tree.mass_matrix(q)
    armature = np.diag(tree.armature)
    energy = tree.energy(q, v)
    np.testing.assert_allclose(energy[:, 0], 0.5 * np.einsum("ni,nij,nj->n", v, mass, v))
    com = tree.centre_of_mass(q)
    np.testing.assert_allclose(energy[:, 1], 9.81 * robot.total_mass * com[:, 2])
    linear = robot.total_mass * np.einsum("nij,nj->ni", tree.centre_of_mass_jacobian(q), v)
    momentum = tree.momentum(q, v)
    np.testing.assert_allclose(momentum[:, 3:], linear, atol=1e-12)
    # Rows of a free joint in its frame: M v is the whole linear momentum.
    np.testing.assert_allclose(np.einsum("nij,nj->ni", mass - armature, v)[:, :3], linear, atol=1e-12)


def test_wrenches_push_through_the_jacobian(states):
    tree, q, v, _ = states
    rng = np.random.default_rng(5)
    wrenches = rng.normal(size=(50, 4, 6))
    pushed = sum(np.einsum("nij,ni->nj", tree.jacobian(q, i), wrenches[:, i]) for i in range(4))
    np.testing.assert_allclose(
        tree.inverse_dynamics(q, v, gravity=G) - tree.inverse_dynamics(q, v, wrenches=wrenches),
        pushed, atol=1e-12)
    np.testing.assert_allclose(tree.forward_dynamics(q, v, wrenches=wrenches),
                               tree.forward_dynamics(q, v, pushed), atol=1e-9)


def test_leading_axes_broadcast_and_change_nothing(states):
    tree, q, v, a = states
    many = tree.forward_dynamics(q[:, None], v[None, :3], a[None, :3])
    assert many.shape == (50, 3, tree.nv)
    np.testing.assert_array_equal(many[7, 2], tree.forward_dynamics(q[7], v[2], a[2]))
    assert tree.mass_matrix(q[0]).shape == (11, 11) and tree.mass_matrix(q[:0]).shape == (0, 11, 11)
    np.testing.assert_allclose(tree.difference(q[0], tree.integrate(q[0], v[0])), v[0], atol=1e-12)


@pytest.mark.parametrize(("call", "says"), [
    (lambda t: t.mass_matrix(np.zeros(5)), r"q = shape \(5,\): must have shape \(..., 13\)"),
    (lambda t: t.bias(np.zeros((2, 13)), np.zeros((3, 11))), "q, v = leading axes"),
    (lambda t: t.bias(np.zeros(13), "v"), "v: must be an array of real numbers"),
    (lambda t: t.jacobian(np.zeros(13), 4), "link = 4: must be 0 to 3"),
    (lambda t: t.jacobian(np.zeros(13), "foot"), "foot"),
    (lambda t: t.forward_dynamics(np.zeros(13), wrenches=np.zeros((3, 6))), "wrenches = shape"),
])
def test_wrong_arguments_are_one_sentence(robot, call, says):
    with pytest.raises(haptos.InputError, match=says):
        call(haptos.Tree(robot))


def test_inverse_kinematics_reaches_what_is_in_reach():
    robot = make_arm()
    tree = haptos.Tree(robot)
    goal = tree.forward_kinematics([0.8, 0.1])[2]
    found = tree.inverse_kinematics(haptos.IkTarget(2, goal))
    assert found.reached
    np.testing.assert_allclose(found.q, [0.8, 0.1], atol=1e-8)
    far = tree.inverse_kinematics([haptos.IkTarget(2, (3, 0, 0, 1, 0, 0, 0), orientation=0)])
    assert not far.reached and far.position_error[0] > 2
    assert tree.lower[1] - 1e-12 <= far.q[1] <= tree.upper[1] + 1e-12


def test_a_base_moves_the_whole_tree():
    robot = make_arm()
    base = (1, 2, 3, np.cos(0.3), 0, 0, np.sin(0.3))
    here, there = haptos.Tree(robot), haptos.Tree(robot, base=base)
    q = [0.4, 0.1]
    moved = there.forward_kinematics(q)[2, :3]
    x, y, z = here.forward_kinematics(q)[2, :3]
    c, s = np.cos(0.6), np.sin(0.6)
    np.testing.assert_allclose(moved, [1 + c * x - s * y, 2 + s * x + c * y, 3 + z], atol=1e-14)
