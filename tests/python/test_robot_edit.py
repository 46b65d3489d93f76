"""Robots that are made and changed in Python."""

import gc

import numpy as np
import pytest

import haptos


def make_arm():
    """A post, an upper arm on a hinge, a hand on a slide; a motor each."""
    capsule = haptos.RobotShape("capsule", (0.05, 0.2), frame=(0, 0, 0.25, 1, 0, 0, 0), friction=0.7)
    links = [
        haptos.RobotLink("post", collisions=[haptos.RobotShape("box", (0.1, 0.1, 0.05))]),
        haptos.RobotLink("upper", 2, (0, 0, 0.25), np.diag([0.05, 0.05, 0.005]),
                         collisions=[capsule], visuals=[capsule]),
        haptos.RobotLink("hand", 0.5, inertia=np.eye(3) * 1e-3),
    ]
    joints = [
        haptos.RobotJoint("base", "fixed", -1, 0),
        haptos.RobotJoint("shoulder", "revolute", 0, 1, frame=(0, 0, 0.05, 1, 0, 0, 0),
                          axis=(0, 2, 0), lower=-1.5, upper=1.5, effort=40, damping=0.1,
                          position=0.5),
        haptos.RobotJoint("reach", "prismatic", 1, 2, frame=(0, 0, 0.5, 1, 0, 0, 0), lower=0,
                          upper=0.2),
    ]
    return haptos.Robot("arm", links, joints,
                        motors=[haptos.RobotMotor("shoulder", kp=100, kd=5, effort=40)],
                        no_contact=[(1, 0)])


def test_a_robot_is_made_from_its_parts():
    robot = make_arm()
    robot.validate()
    assert robot.total_mass == 2.5 and robot.degrees_of_freedom == 2
    assert robot.link("hand") == 2 and robot.joint("reach") == 2
    assert robot.no_contact == [[0, 1]]
    np.testing.assert_array_equal(robot.joints[1].axis, [0, 1, 0])
    np.testing.assert_array_equal(robot.links[1].collisions[0].size, [0.05, 0.2, 0])
    np.testing.assert_allclose(robot.start_poses()[2, :3],
                               [0.5 * np.sin(0.5), 0, 0.05 + 0.5 * np.cos(0.5)])
    assert haptos.robot_picture(robot, width=160, height=120).shape == (120, 160, 3)
    with pytest.raises(haptos.InputError, match="it has post, upper, hand"):
        robot.link("foot")


def test_elements_are_edited_in_place():
    robot = make_arm()
    joint, shape = robot.joints[1], robot.links[1].collisions[0]
    joint.kind, joint.axis, joint.frame = "prismatic", (3, 0, 0), (1, 2, 3, 0, 2, 0, 0)
    joint.mimic, joint.position = ("reach", 2.0, 0.1), [0.3]
    shape.kind, shape.size, shape.rgba = "sphere", 0.3, (1, 0, 0, 1)
    joint, shape = robot.joints[1], robot.links[1].collisions[0]
    assert joint.kind == "prismatic" and joint.mimic == ("reach", 2.0, 0.1)
    np.testing.assert_array_equal(joint.frame, [1, 2, 3, 0, 1, 0, 0])
    np.testing.assert_array_equal(shape.size, [0.3, 0, 0])
    assert (shape.kind, shape.rgba, joint.position) == ("sphere", (1, 0, 0, 1), [0.3])
    joint.mimic = joint.position = None
    assert robot.joints[1].mimic is None and robot.joints[1].position == []
    ball = haptos.icosphere(0.1, 0.05)
    shape.mesh, shape.kind = ball, "hull"
    assert len(robot.links[1].collisions[0].mesh.vertices) == len(ball.vertices)
    shape.mesh = None
    assert shape.mesh is None


def test_elements_are_exchanged_and_those_held_before_stay_valid():
    robot = make_arm()
    held = [robot.links[1], robot.links[1].collisions[0], robot.motors[0]]
    for _ in range(20):
        robot.links = [link.copy() for link in robot.links]
        robot.links[1].collisions += (haptos.RobotShape("sphere", 0.1),)
        robot.motors += (haptos.RobotMotor("reach"),)
    gc.collect()
    held[0].mass, held[2].kp = 7, 1
    assert (held[0].name, held[1].kind, held[2].joint) == ("upper", "capsule", "shoulder")
    assert robot.links[1].mass == 2 and robot.motors[0].kp == 100, "they belong to it no longer"
    assert len(robot.links[1].collisions) == 21 and len(robot.motors) == 21
    with pytest.raises(AttributeError):
        robot.motors.append(haptos.RobotMotor("reach"))
    del robot
    gc.collect()
    assert held[1].friction == 0.7


def test_a_copy_is_by_itself():
    robot = make_arm()
    other = robot.copy()
    other.links[1].mass = 9
    other.closures = [haptos.LoopClosure("ball", 2, -1, frame_b=(0, 0, 1, 1, 0, 0, 0))]
    assert robot.links[1].mass == 2 and not robot.closures
    np.testing.assert_array_equal(other.closures[0].frame_b, [0, 0, 1, 1, 0, 0, 0])


def test_fields_keep_their_heights():
    heights = np.arange(6.0).reshape(2, 3)
    field = haptos.RobotShape("field", heights=heights, spacing=(0.1, 0.2))
    np.testing.assert_array_equal(field.heights, heights)
    assert field.spacing == (0.1, 0.2) and field.mesh is None
    surface = haptos.robots.load.shape_surface(field)
    np.testing.assert_allclose(surface.vertices[[0, 5]], [[-0.1, -0.1, 0], [0.1, 0.1, 5]])
    assert len(surface.triangles) == 4


@pytest.mark.parametrize(("change", "says"), [
    (lambda r: setattr(r.joints[1], "kind", "hinge"), 'kind = hinge: must be fixed, revolute'),
    (lambda r: setattr(r.joints[1], "axis", (0, 0, 0)), "axis = .*must have a length above 0"),
    (lambda r: setattr(r.joints[1], "frame", (0, 0, 0)), "frame = 3 numbers: must be seven numbers"),
    (lambda r: setattr(r.links[1], "inertia", np.eye(2)), "inertia = shape"),
    (lambda r: setattr(r, "links", [1]), "links = <class 'int'>: must be a sequence of haptos.Robot"),
    (lambda r: haptos.RobotShape("egg"), "kind = egg: must be sphere, box"),
    (lambda r: haptos.RobotShape("field", heights=[1, 2], spacing=(1, 1)), "heights = shape"),
    (lambda r: setattr(r, "no_contact", [(1,)]), "no_contact = .*must be pairs"),
    (lambda r: haptos.LoopClosure("ball", 0, 1, polynomial=range(6)), "polynomial = 6 numbers"),
])
def test_what_is_set_wrongly_is_refused(change, says):
    with pytest.raises(haptos.InputError, match=says):
        change(make_arm())


@pytest.mark.parametrize(("change", "says"), [
    (lambda r: setattr(r.joints[1], "lower", 2), 'joint "shoulder": Its limits are 2 to 1.5'),
    (lambda r: setattr(r.joints[1], "damping", -1), "Its damping is -1 and must be 0 or more"),
    (lambda r: setattr(r.joints[2], "name", "shoulder"), 'There are several of this name'),
    (lambda r: setattr(r.joints[2], "parent", 2), "comes before the joint that carries its parent"),
    (lambda r: setattr(r.joints[2], "frame", (np.nan, 0, 0, 1, 0, 0, 0)), "not finite"),
    (lambda r: setattr(r.motors[0], "joint", "elbow"), 'drives "elbow", which there is not'),
    (lambda r: setattr(r.motors[0], "joint", "base"), 'drives "base", which has not one coordinate'),
    (lambda r: setattr(r.motors[0], "kp", np.nan), "Its kp is nan"),
    (lambda r: setattr(r, "closures", [haptos.LoopClosure("weld", 1, 9)]), "link that there is not"),
    (lambda r: setattr(r, "closures", [haptos.LoopClosure("coupler", 1, 0)]), "has not one coord"),
    (lambda r: setattr(r, "closures", [haptos.LoopClosure("ball", 1, 1)]), "ties a link to itself"),
    (lambda r: setattr(r, "no_contact", [(0, 3)]), "pair of links that never touch"),
    (lambda r: setattr(r.links[2], "mass", -1), "must not be negative"),
    (lambda r: setattr(r, "links", r.links[:2]), "names a link that there is not"),
])
def test_validate_names_what_cannot_be(change, says):
    robot = make_arm()
    change(robot)
    assert any(f.severity == "error" for f in haptos.check_robot(robot))
    with pytest.raises(haptos.InputError, match=says):
        robot.validate()
