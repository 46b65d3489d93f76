"""One Sim of several scenes."""

import numpy as np
import pytest

import haptos


def make(*, scale=1.0, density=1000.0, stiffness=0.0, young=1e5, start=0.0, path=0.0, name="block", dt=0.01,
         joint="hinge"):
    """A block falls on a gel that stands on a mount, beside a pendulum and a ball."""
    scene = haptos.Scene(dt=dt)
    pad = haptos.box_pad(0.03, 0.03, 0.006, grading=haptos.PadGrading.uniform(0.006))
    scene.contact.stiffness = stiffness
    scene.add_prescribed("mount", trajectory=[(0, (0, 0, 0)), (1, (path, 0, 0))])
    scene.add_soft("gel", pad.mesh, glue={"mount": pad.base_vertices}, material={"young": young})
    size = 0.01 * scale
    scene.add_affine(name, haptos.box((size, size, size)), position=(start, 0, size / 2 + 1e-4), density=density)
    arm = haptos.RobotLink("arm", 0.1, (0, 0, -0.1), inertia=1e-4 * np.eye(3),
                           collisions=[haptos.RobotShape("box", extents=(0.01 * scale, 0.01, 0.2))])
    scene.add_robot("pendulum", haptos.Robot("pendulum", [arm], [haptos.RobotJoint(joint, "revolute", -1, 0, axis=(0, 1, 0))]),
                    position=(0.3, 0, 0), start={joint: 0.3})
    scene.add_rigid("ball", haptos.RobotShape("sphere", 0.01 * scale), mass=0.1, position=(0.6, 0, 0))
    return scene


VARIANTS = [{}, {"scale": 1.5}, {"density": 3000.0}, {"stiffness": 1e9}, {"young": 2e5}, {"start": 0.004}, {"path": 0.05}]


def test_each_environment_is_its_scene_alone(tmp_path):
    scenes = [make(**v) for v in VARIANTS]
    sim = haptos.compile_scenes(scenes, quiet=True)
    assert sim.envs == len(VARIANTS)
    for _ in range(20):
        assert sim.step().ok
    ends = []
    for k, v in enumerate(VARIANTS):
        alone = make(**v).compile(quiet=True)
        for _ in range(20):
            alone.step()
        for body in ("block", "gel"):
            assert (sim.positions(body)[k] == alone.positions(body)[0]).all(), v
        assert (sim.robots["pendulum"].position[k] == alone.robots["pendulum"].position[0]).all(), v
        assert (sim.contact_wrench("block").force[k] == alone.contact_wrench("block").force[0]).all(), v
        ends.append(sim.positions("block")[k])
    assert all((ends[0] != e).any() for e in ends[1:])  # each differs from the first one
    sim.save(tmp_path / "states")
    sim.step()
    after = sim.positions("block").copy()
    sim.load(tmp_path / "states")
    sim.step()
    assert (sim.positions("block") == after).all()
    sim.reset([k == 1 for k in range(sim.envs)])
    assert sim.time[1] == 0 and sim.time[0] > 0


def test_what_was_compiled_is_told_by_environment():
    sim = haptos.compile_scenes([make(), make(scale=2.0, density=500.0)], quiet=True)
    assert sim.mass("block") == pytest.approx(1e-3) and sim.mass("block", env=1) == pytest.approx(4e-3)
    a, b = (np.asarray(sim.entries_of(k)["affine"][0]["surface"].vertices) for k in range(2))
    assert b == pytest.approx(2 * a)
    assert sim.robots["ball"].robot_of(1).links[0].collisions[0].size[0] == pytest.approx(0.02)
    scene = make()
    sim = haptos.compile_scenes([scene, make(scale=2.0), scene], quiet=True)
    assert sim.entries_of(2) is sim.entries_of(0) is not sim.entries_of(1)


def test_cameras_see_the_bodies_of_each():
    def seen(scale):
        scene = make(scale=scale)
        scene.add_camera("eye", position=(0, -0.3, 0.1), look_at=(0, 0, 0), width=64, height=48)
        return scene
    sim = haptos.compile_scenes([seen(1.0), seen(3.0), seen(1.0)], quiet=True)
    block = [int((ids == sim.body_id("block")).sum()) for ids in sim.cameras["eye"].bodies()]
    assert 0 < block[0] == block[2] and block[1] > 4 * block[0]


def test_an_agent_acts_in_several_scenes():
    gymnasium = pytest.importorskip("gymnasium")
    from haptos.learn import VectorEnv, actions, observations
    scenes = [make(density=d) for d in (500.0, 1000.0, 2000.0)]
    env = VectorEnv(scenes, actions=[actions.body_target("mount", (-0.01, 0, 0), (0.01, 0, 0), speed=0.1)],
                    observations=[observations.contact_force("block")], frame_skip=15)
    assert env.num_envs == 3 and isinstance(env, gymnasium.vector.VectorEnv)
    env.reset(seed=1)
    seen = env.step(np.zeros((3, 1)))[0]
    assert seen[:, 2] == pytest.approx(9.81e-3 * np.array([0.5, 1, 2]), rel=0.3)
    with pytest.raises(haptos.InputError, match="num_envs = 2"):
        VectorEnv(scenes, 2, actions=[], observations=[])


@pytest.mark.parametrize("other,what", [
    (dict(name="cube"), "affine bodies"), (dict(dt=0.02), "sim.dt"), (dict(joint="pivot"), "joints of \"pendulum\"")])
def test_scenes_that_are_not_alike(other, what):
    with pytest.raises(haptos.InputError, match=f"environment 2, {what}"):
        haptos.compile_scenes([make(), make(), make(**other)], quiet=True)


def test_surfaces_of_other_triangles():
    one, other = haptos.Scene(), haptos.Scene()
    one.add_affine("body", haptos.box((0.1, 0.1, 0.1)))
    other.add_affine("body", haptos.icosphere(0.05, 0.03))
    with pytest.raises(haptos.InputError, match="surface of \"body\""):
        haptos.compile_scenes([one, other], quiet=True)


def test_a_scene_that_cannot_run_is_told_by_its_number():
    bad = make()
    bad.add_affine("deep", haptos.box((0.01, 0.01, 0.01)), position=(0, 0, 0.005))
    with pytest.raises(haptos.InputError):
        haptos.compile_scenes([make(), bad], quiet=True)
    worse = haptos.Scene()
    worse.add_robot("r", haptos.Robot("r", [haptos.RobotLink("a", 1, inertia=np.eye(3)), haptos.RobotLink("b", 1, inertia=np.eye(3))],
                                      [haptos.RobotJoint("j", "revolute", 0, 1)]), position=(0, 0, 0))
    with pytest.raises(haptos.InputError, match="scene 1, "):
        haptos.compile_scenes([haptos.Scene(), worse], quiet=True)


@pytest.mark.parametrize("given", [[], None, haptos.Scene(), [haptos.Scene(), "x"]])
def test_what_is_no_list_of_scenes(given):
    with pytest.raises(haptos.InputError, match="scenes"):
        haptos.compile_scenes(given)


def test_a_recording_holds_one_scene(tmp_path):
    sim = haptos.compile_scenes([make(), make(scale=2.0)], quiet=True)
    with pytest.raises(haptos.InputError, match="several scenes"):
        haptos.Recorder(tmp_path / "run.h5", sim)
