"""Cameras of a scene: where what they see is, by closed forms."""

import numpy as np
import pytest

import haptos
from haptos.base.turns import rotation
from haptos.learn import VectorEnv, actions, observations

TALL, WIDE = 48, 64


def box_below(envs=1, **camera):
    """A box of .2 m on the ground, seen from a metre above."""
    scene = haptos.Scene(dt=0.01)
    scene.add_half_space("ground")
    scene.add_rigid("box", haptos.RobotShape("box", extents=(0.2, 0.2, 0.2)), mass=1, position=(0, 0, 0.1), velocity=(0.1, 0, 0))
    scene.add_camera("eye", **{"position": (0, 0, 1), "look_at": (0, 0, 0), "width": WIDE, "height": TALL, "fov": "50 deg"} | camera)
    return scene.compile(envs=envs, quiet=True)


def test_depth_is_that_of_the_pinhole():
    sim = box_below()
    eye = sim.cameras["eye"]
    assert eye.focal == pytest.approx(0.5 * TALL / np.tan(np.radians(25)))
    depth, bodies = eye.depth()[0], eye.bodies()[0]
    assert depth.shape == bodies.shape == (TALL, WIDE) and depth.dtype == np.float32
    # By each pixel's ray: which of the top at .8 m and the ground it meets first; sides are seen from none.
    column, row = np.meshgrid(np.arange(WIDE) - 0.5 * (WIDE - 1), np.arange(TALL) - 0.5 * (TALL - 1))
    top = np.maximum(abs(column), abs(row)) * 0.8 / eye.focal < 0.1
    assert depth[top] == pytest.approx(0.8, abs=1e-6)
    assert depth[~top] == pytest.approx(1.0, abs=1e-6)
    assert (bodies[top] == sim.body_id("box")).all() and (bodies[~top] == sim.body_id("ground")).all()
    # Rows run along x, columns along -y: what is seen, in the world.
    points = eye.points()[0]
    assert points[~top][:, 2] == pytest.approx(0, abs=1e-6)
    k = eye.intrinsics
    assert points[5, 40] == pytest.approx([(40 - k[0, 2]) / k[0, 0], -(5 - k[1, 2]) / k[1, 1], 0], abs=1e-6)


def test_colours_are_those_of_what_is_seen():
    picture = box_below().cameras["eye"].rgb()
    assert picture.shape == (1, TALL, WIDE, 3) and picture.dtype == np.uint8
    middle, corner = picture[0, TALL // 2, WIDE // 2].astype(int), picture[0, 2, 2].astype(int)
    assert abs(middle - corner).max() > 10 and middle.max() > 60


def test_the_light_stays_where_it_is_when_the_camera_turns():
    one, other = (box_below(look_at=None, quaternion=turn).cameras["eye"].rgb()[0].astype(int)
                  for turn in ((0, 1, 0, 0), (0, 0.6, 0.8, 0)))
    middle = np.s_[TALL // 2 - 3:TALL // 2 + 3, WIDE // 2 - 3:WIDE // 2 + 3]
    assert abs(one[middle].mean((0, 1)) - other[middle].mean((0, 1))).max() < 2


def test_what_is_beyond_near_and_far_is_not_seen():
    eye = box_below(far=0.9).cameras["eye"]
    depth, bodies = eye.depth()[0], eye.bodies()[0]
    assert np.isinf(depth[0, 0]) and bodies[0, 0] == -1 and np.isnan(eye.points()[0, 0, 0]).all()
    assert depth[TALL // 2, WIDE // 2] == pytest.approx(0.8, abs=1e-6)
    assert box_below(near=0.85).cameras["eye"].depth()[0, TALL // 2, WIDE // 2] == pytest.approx(1, abs=1e-6)


def test_a_camera_moves_with_what_carries_it():
    scene = haptos.Scene(dt=0.01, gravity=(0, 0, 0))
    scene.add_half_space("ground")
    scene.add_rigid("drone", haptos.RobotShape("sphere", 0.05), mass=1, position=(0.3, -0.2, 1), velocity=(0.5, 0, 0.2))
    down = (0.0, 1.0, 0.0, 0.0)  # half a turn about x: z down
    scene.add_camera("eye", frame="drone", position=(0, 0, -0.06), quaternion=down, width=WIDE, height=TALL)
    sim = scene.compile(quiet=True)
    sim.robots["drone"].set_wrench("drone", (0, 0, 0), (2e-3, 3e-3, -1e-3))
    for _ in range(40):
        sim.step()
    eye, pose = sim.cameras["eye"], sim.pose("drone")[0]
    turn = rotation(pose[3:])
    assert 0.05 < np.arccos(turn[2, 2]) < 0.5  # it has tilted
    at = eye.pose
    assert at.position[0] == pytest.approx(pose[:3] + turn @ (0, 0, -0.06), abs=1e-12)
    assert at.turn[0] == pytest.approx(turn @ np.diag([1, -1, -1]), abs=1e-12)
    # Every pixel that sees the ground lies on it, from where the camera is now.
    points, bodies = eye.points()[0], eye.bodies()[0]
    ground = bodies == sim.body_id("ground")
    assert ground.sum() > 0.9 * ground.size
    assert points[ground][:, 2] == pytest.approx(0, abs=5e-6)


def test_every_kind_of_body_is_seen():
    scene = haptos.Scene(dt=0.005)
    scene.add_half_space("ground", friction=0.5)
    cube = haptos.box((0.1, 0.1, 0.1))
    scene.add_affine("affine", cube, position=(-0.3, 0, 0.051))
    scene.add_prescribed("still", cube, position=(-0.1, 0, 0.05))
    pad = haptos.box_pad(0.1, 0.1, 0.1, grading=haptos.PadGrading(0.05, 0.05, 0.05, 0.05)).mesh
    scene.add_soft("soft", pad, position=(0.1, 0, 0.101))
    scene.add_material_points("dough", haptos.RobotShape("box", extents=(0.1, 0.1, 0.1)), position=(0.3, 0, 0.051), young=1e4, cell=0.05)
    scene.add_rigid("rigid", haptos.RobotShape("box", extents=(0.1, 0.1, 0.1)), mass=1, position=(0.5, 0, 0.05))
    scene.add_camera("eye", position=(0.1, -0.001, 1), look_at=(0.1, 0, 0), width=160, height=60, fov=0.6)
    sim = scene.compile(quiet=True)
    sim.step()
    depth, bodies = sim.cameras["eye"].depth()[0], sim.cameras["eye"].bodies()[0]
    for name in ("affine", "still", "soft", "rigid", "dough"):
        seen = bodies == sim.body_id(name)
        assert seen.sum() > 40, name
        assert np.median(depth[seen]) == pytest.approx(0.9, abs=0.03 if name == "dough" else 2e-3), name
    # The soft body sinks: it is looked at where it is.
    before = np.median(depth[bodies == sim.body_id("soft")])
    state = sim.state
    for _ in range(20):
        sim.step()
    assert np.median(sim.cameras["eye"].depth()[0][bodies == sim.body_id("soft")]) > before + 1e-6
    sim.set_state(state)
    assert (sim.cameras["eye"].depth()[0] == depth).all()


def test_an_environment_sees_itself_alone():
    sim, alone = box_below(envs=3), box_below()
    push = np.zeros((3, 6))
    push[1, 0] = 50.0
    sim.robots["box"].set_wrench("box", push[:, :3])
    alone.robots["box"].set_wrench("box", push[1:2, :3])
    for _ in range(10):
        sim.step(), alone.step()
    eye, own = sim.cameras["eye"], alone.cameras["eye"]
    assert (eye.depth()[1] == own.depth()[0]).all() and (eye.rgb()[1] == own.rgb()[0]).all()
    assert (eye.depth()[0] == eye.depth()[2]).all() and (eye.depth()[0] != eye.depth()[1]).any()


FILE = """
half_spaces:
  - {name: ground}
rigid:
  - {name: box, shape: {box: {size: [0.2, 0.2, 0.2]}}, mass: 1 kg, pose: {position: [0, 0, 0.1]}}
cameras:
  - {name: above, pose: {position: [0, -1 m, 1 m]}, look_at: [0, 0, 100 mm], width: 32, height: 24, fov: 40 deg}
  - {name: wrist, frame: box, pose: {position: [0, 0, 0.2], rotation: {axis: [1, 0, 0], angle: 180 deg}}, far: 3}
"""


def test_a_scene_file_has_cameras(tmp_path):
    path = tmp_path / "scene.yaml"
    path.write_text(FILE)
    sim = haptos.load_scene(path).compile(quiet=True)
    assert list(sim.cameras) == ["above", "wrist"]
    above = sim.cameras["above"]
    assert above.depth().shape == (1, 24, 32)
    assert above.focal == pytest.approx(12 / np.tan(np.radians(20)))
    # The middle of the picture is the point that it looks at; below is nearer to it.
    assert above.pose.turn[0][:, 2] == pytest.approx(np.array([0, 1, -0.9]) / np.hypot(1, 0.9))
    assert above.pose.turn[0][2, 1] < 0
    assert sim.cameras["wrist"].frame == "box"
    with pytest.raises(KeyError, match="above"):
        sim.cameras["abov"]


@pytest.mark.parametrize(("fields", "sentence"), [
    ({"near": 2.0, "far": 1.0}, "near = 2 m: must be less than far"),
    ({"frame": "bix"}, 'did you mean "box"'),
    ({"look_at": (0, 0, 1)}, "is where the camera is"),
    ({"look_at": (0, 0, 0), "quaternion": (0, 1, 0, 0)}, "has both a rotation and a look_at"),
    ({"fov": 200.0}, "fov"), ({"width": 0}, "width"), ({"frame": "ground"}, "must be a prescribed, affine or rigid body"),
])
def test_cameras_that_cannot_be(fields, sentence):
    scene = haptos.Scene()
    scene.add_half_space("ground")
    scene.add_rigid("box", haptos.RobotShape("box", extents=(0.2, 0.2, 0.2)), mass=1, position=(0, 0, 0.1))
    with pytest.raises(haptos.InputError, match=sentence):
        scene.add_camera("eye", position=(0, 0, 1), **fields)
        scene.validate()


def test_a_camera_inside_of_what_carries_it_is_told():
    scene = haptos.Scene()
    scene.add_rigid("ball", haptos.RobotShape("sphere", 0.1), mass=1)
    scene.add_camera("in", frame="ball")
    scene.add_camera("near_skin", frame="ball", position=(0, 0, 0.095))
    scene.add_camera("out", frame="ball", position=(0, 0, 0.12))
    told = [w for w in scene.compile(quiet=True).warnings if "amera" in w]
    assert len(told) == 1
    assert 'Camera "in" is 100 mm inside of "ball"' in told[0] and "move it out" in told[0]


def test_a_saved_state_does_not_ask_for_cameras(tmp_path):
    sim = box_below()
    for _ in range(3):
        sim.step()
    sim.save(tmp_path / "state")
    other = box_below(width=8, height=8, far=2.0)
    other.load(tmp_path / "state")
    assert (other.pose("box") == sim.pose("box")).all()


def test_an_agent_sees_through_a_camera(tmp_path):
    path = tmp_path / "scene.yaml"
    path.write_text(FILE.replace("rigid:", "prescribed:\n  - {name: hand, shape: none}\nrigid:"))
    env = VectorEnv(haptos.load_scene(path), 2, actions=[actions.body_target("hand", (-0.1, -0.1, 1), (0.1, 0.1, 1), speed=0.1)], reward=lambda sim: np.zeros(2),
                    observations={"depth": observations.camera_depth("above", (6, 8)), "rgb": observations.camera_rgb("above")})
    seen, _ = env.reset(seed=1)
    assert seen["depth"].shape == (2, 6, 8) and seen["rgb"].shape == (2, 24, 32, 3) and seen["rgb"].dtype == np.uint8
    assert env.single_observation_space["depth"].contains(seen["depth"][0])
    assert 0.9 < seen["depth"].min() < 1.5


@pytest.mark.parametrize("package", ["jax", "torch"])
def test_pictures_are_taken_without_a_copy(package):
    eye = box_below(envs=2).cameras["eye"]
    arrays = [eye.depth(), eye.bodies(), eye.rgb(), eye.points()]
    assert all(a.ctypes.data % 64 == 0 and a.flags.c_contiguous for a in arrays)
    module = pytest.importorskip(package, reason=f"needs {package}")
    for a in arrays[:3]:
        other = module.dlpack.from_dlpack(a, copy=False) if package == "jax" else module.from_dlpack(a)
        assert (other.unsafe_buffer_pointer() if package == "jax" else other.data_ptr()) == a.ctypes.data
