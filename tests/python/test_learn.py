"""Environments of Gymnasium over scenes: spaces, seeds, resets, failures, and the bits of each."""

import re
import subprocess
import sys

import numpy as np
import pytest

from conftest import ROOT, cart_scene, small_scene

import haptos
from haptos.learn import actions, observations, starts

gymnasium = pytest.importorskip("gymnasium", reason="could not import gymnasium")

from gymnasium.vector import AutoresetMode  # noqa: E402

from haptos.learn import SingleEnv, VectorEnv  # noqa: E402
from haptos.tasks.lift import Lift  # noqa: E402

LIMIT = 4  # actions of an episode of slider()


def carts(num_envs=3, **options):
    see = observations
    given = {"actions": [actions.joint_targets("cart")],
             "observations": [see.joint_positions("cart"), see.joint_velocities("cart"),
                              see.robot_sensor("cart", "ruler"), see.body_position("ball")],
             "reward": lambda sim: sim.robots["cart"].position[:, 0],
             "starts": [starts.joints("cart", {"rail": (-0.5, 0.5)}),
                        starts.place("ball", (0, 0.9, 0.02), (0.2, 1.1, 0.02), yaw=(-3, 3)),
                        starts.friction("ball", 0.5, 1.5), starts.mass("ball", 0.5, 2.0),
                        starts.gains("cart", 0.8, 1.2)],
             "frame_skip": 2, "max_episode_steps": LIMIT} | options
    return VectorEnv(cart_scene(), num_envs, **given)


def act(env, value=0.5):
    return np.full(env.action_space.shape, value, np.float32)


def test_the_material_of_dough_is_drawn():
    scene = haptos.Scene(dt=0.01)
    scene.add_half_space("table")
    scene.add_material_points("dough", haptos.RobotShape("box", extents=(0.06, 0.06, 0.04)), position=(0, 0, 0.021), cell=0.02)
    scene.add_prescribed("ball", haptos.icosphere(0.02, 0.01), trajectory=[(0, (0, 0, 0.08))])
    env = VectorEnv(scene, 3, actions=[actions.body_target("ball", (0, 0, 0.05), (0, 0, 0.08), speed=0.1)],
                    observations=[observations.body_position("ball")], reward=lambda sim: np.zeros(sim.envs),
                    starts=[starts.material("dough", stiffness=(0.5, 2), density=(0.8, 1.2))], max_episode_steps=2)
    env.reset(seed=3)
    scale = env.sim.material_points["dough"].scale
    assert len(set(scale["stiffness"])) == 3 and (0.5 <= scale["stiffness"]).all() and (scale["stiffness"] <= 2).all()
    assert (scale["yield_stress"] == 1).all() and len(set(scale["density"])) == 3
    again = env.sim.material_points["dough"].scale["stiffness"].copy()
    env.reset(seed=3)
    assert np.array_equal(env.sim.material_points["dough"].scale["stiffness"], again)


# -- spaces ----------------------------------------------------------------------------------------


def test_a_list_of_parts_is_one_row_of_float32():
    env = carts()
    seen, infos = env.reset(seed=1)
    assert env.single_observation_space.shape == (6,) and seen.shape == (3, 6)
    assert seen.dtype == np.float32 and env.observation_space.contains(seen) and infos == {}
    assert env.single_action_space.shape == (1,) and env.action_names == ["rail"]
    assert (env.action_space.low == -1).all() and (env.action_space.high == 1).all()
    seen, reward, terminated, truncated, _ = env.step(act(env))
    assert reward.shape == terminated.shape == truncated.shape == (3,)
    assert terminated.dtype == truncated.dtype == bool


def test_a_mapping_of_parts_is_a_dictionary_and_holds_what_a_gel_feels():
    see = observations
    env = VectorEnv(small_scene(steps=4), 2, actions=[actions.body_target(
        "ball", (0, 0, 3.6e-3), (0, 0, 4.1e-3), speed=2e-3)], observations={
            "depth": see.tactile_depth("camera", (6, 8)), "flow": see.marker_flow("camera"),
            "force": see.tactile_force("camera"), "bins": see.force_image("camera", (3, 4)),
            "ball": see.body_position("ball", "mount"), "pose": see.body_pose("ball")})
    seen, _ = env.reset(seed=1)
    assert env.observation_space.contains(seen)
    assert {k: v.shape for k, v in seen.items()} == {
        "depth": (2, 6, 8), "flow": (2, 15, 2), "force": (2, 3), "bins": (2, 3, 3, 4),
        "ball": (2, 3), "pose": (2, 9)}
    first = seen["ball"][:, 2].copy()
    for _ in range(3):
        seen, *_ = env.step([[-1.0], [1.0]])
    # 2 mm/s over steps of 50 ms: .1 mm each, until the target is there.
    np.testing.assert_allclose(first - seen["ball"][:, 2], [3e-4, -7e-5], atol=1e-8)
    assert seen["force"][0, 2] < -0.01 and seen["force"][1, 2] == 0
    outside = env.sim.sensors["camera"].force_image((3, 4)).outside  # of the camera's view
    np.testing.assert_allclose(seen["bins"].sum(axis=(2, 3)) + outside, seen["force"], atol=1e-6)
    # The mean of a coarse depth is that of the fine one, in mm.
    fine = env.sim.sensors["camera"].depth()[0]
    np.testing.assert_allclose(seen["depth"][0].mean(), 1e3 * np.nanmean(fine), rtol=1e-4)


def test_pictures_are_observations():
    env = carts(2, observations={"picture": observations.camera(48, 32)})
    seen, _ = env.reset(seed=1)
    assert seen["picture"].shape == (2, 32, 48, 3) and seen["picture"].dtype == np.uint8
    assert env.observation_space.contains(seen) and np.ptp(seen["picture"]) > 50
    with pytest.raises(haptos.InputError, match="give a mapping"):
        carts(observations=[observations.camera(48, 32)])


def test_velocities_and_torques_are_actions_within_limits():
    env = carts(2, actions=[actions.joint_velocities("cart")], starts=[])
    env.reset(seed=1)
    for _ in range(3):
        env.step(act(env, 0.5))
    cart = env.sim.robots["cart"]
    # Half of 2 m/s for three actions of 20 ms.
    np.testing.assert_allclose(cart.command[:, 0, :2], [[0.06, 1.0]] * 2, rtol=1e-12)
    env = carts(1, actions=[actions.joint_torques("cart")], starts=[])
    env.sim.robots["cart"].set_gains(kp=0, kd=0)
    env.reset(seed=1)
    env.sim.robots["cart"].set_gains(kp=0, kd=0)
    env.step(act(env, 5.0))  # beyond 1 counts as 1, the motor's 50 N
    np.testing.assert_allclose(env.sim.robots["cart"].velocity, 50 * 0.02, rtol=1e-9)


def test_an_agent_drives_hinges_between_bodies():
    scene = haptos.Scene(dt=5e-3, gravity=(0, 0, 0))
    for k in range(2):
        scene.add_affine(f"door {k}", haptos.box((0.4, 0.02, 0.6)), position=(0.2, k, 0))
        scene.add_constraint(f"pin {k}", f"door {k}", kind="hinge", position=(-0.2, 0, 0),
                             limits=(-0.5, 1.0) if k else None, motor={"kp": 50, "kd": 5})
    pins = ["pin 0", "pin 1"]
    given = {"observations": [observations.constraint_positions(pins, scale=2),
                              observations.constraint_velocities("pin 0")],
             "reward": lambda sim: sim.constraint_position("pin 0"), "frame_skip": 400}
    with pytest.raises(haptos.InputError, match='"pin 0" from -inf.*finite limits'):
        VectorEnv(scene, 2, actions=[actions.constraint_targets(pins)], **given)
    env = VectorEnv(scene, 2, actions=[actions.constraint_targets(pins, low=[-1, -0.5], high=1)], **given)
    assert env.action_names == pins
    env.reset(seed=1)
    seen, *_ = env.step(np.array([[0.5, 1], [-1, -1]], np.float32))
    np.testing.assert_allclose(seen[:, :2], 2 * np.array([[0.5, 1.0], [-1, -0.5]]), atol=1e-3)
    np.testing.assert_allclose(seen[:, 2], 0, atol=1e-3)


def test_a_scene_file_is_an_environment():
    env = VectorEnv(ROOT / "scenes/quadruped_stands.yaml", 2,
                    actions=[actions.joint_targets("quadruped")],
                    observations=[observations.body_pose("quadruped/trunk"),
                                  observations.motor_efforts("quadruped", scale=0.1)])
    env.reset(seed=1)
    seen, *_ = env.step(act(env, 0))
    assert seen.shape == (2, 9 + len(env.action_names)) and np.isfinite(seen).all()
    assert (seen[0] == seen[1]).all()


@pytest.mark.parametrize(("options", "said"), [
    ({"actions": [actions.joint_targets("cart", ["rial"])]}, 'did you mean "rail"'),
    ({"actions": []}, "list of parts"),
    ({"actions": [actions.joint_targets("cart", high=np.inf)]}, "finite limits"),
    ({"observations": ["cart"]}, "haptos.learn.observations"),
    ({"autoreset_mode": "Never"}, "NextStep, SameStep, Disabled"),
    ({"frame_skip": 0}, "1 or more"),
])
def test_what_does_not_fit_is_one_sentence(options, said):
    with pytest.raises(haptos.InputError, match=said):
        carts(**options)


# -- seeds -----------------------------------------------------------------------------------------


def run(env, actions_of_all, seed):
    """Observations and rewards of a run, (steps + 1, env, ...)."""
    seen, _ = env.reset(seed=seed)
    rows, rewards = [seen], []
    for a in actions_of_all:
        seen, reward, *_ = env.step(a)
        rows.append(seen)
        rewards.append(reward)
    return np.array(rows), np.array(rewards)


def test_a_seed_gives_the_same_episodes_and_another_others():
    env = carts()
    moves = np.random.default_rng(5).uniform(-1, 1, (11, 3, 1))
    a, b, c = (run(env, moves, seed)[0] for seed in (7, 7, 8))
    np.testing.assert_array_equal(a, b)
    assert (a != c).any()
    # Seeds count up from environment to environment, so that 8 begins as 7 goes on.
    np.testing.assert_array_equal(a[0, 1:], c[0, :2])
    assert len({row.tobytes() for row in a[0]}) == 3
    # An episode after another is drawn anew, and so is its noise.
    assert (a[LIMIT + 1] != a[0]).any(axis=1).all()
    assert env.np_random_seed == 8


@pytest.mark.parametrize("k", [0, 2])
def test_an_environment_alone_has_the_bits_of_one_among_many(k):
    moves = np.random.default_rng(5).uniform(-1, 1, (13, 3, 1))
    many, rewards = run(carts(), moves, 40)
    alone = SingleEnv(carts(1, autoreset_mode="Disabled"))
    seen, _ = alone.reset(seed=40 + k)
    ended, rows = False, [seen]
    for t, a in enumerate(moves[:, k]):
        if ended:  # where the others take the step to reset
            (seen, _), ended, reward = alone.reset(), False, 0.0
        else:
            seen, reward, terminated, truncated, _ = alone.step(a)
            ended = terminated or truncated
        rows.append(seen)
        assert reward == rewards[t, k]
    np.testing.assert_array_equal(rows, many[:, k])


# -- resets ----------------------------------------------------------------------------------------


def test_next_step_resets_in_the_step_after_an_episode():
    env = carts()
    assert env.metadata["autoreset_mode"] is AutoresetMode.NEXT_STEP
    env.reset(seed=1)
    for t in range(1, 2 * LIMIT + 2):
        seen, reward, terminated, truncated, infos = env.step(act(env))
        begins = t == LIMIT + 1
        assert truncated.all() == (t == LIMIT or t == 2 * LIMIT + 1) and not terminated.any()
        assert infos == {} and (reward == 0).all() == begins
        if begins:  # a first observation: at rest
            assert (seen[:, 1] == 0).all() and (env.sim.step_count == 0).all()
        elif t == LIMIT:
            assert (env.sim.step_count == 2 * LIMIT).all()


def test_environments_end_one_by_one_without_a_trace_in_the_others():
    def far(sim):
        return sim.robots["cart"].position[:, 0] > 0.3

    moves = np.zeros((9, 3, 1))
    moves[:, 1] = 1.0  # only this one drives off
    plain, _ = run(carts(max_episode_steps=None), moves, 9)
    env = carts(max_episode_steps=None, terminated=far)
    seen, _ = env.reset(seed=9)
    ends = []
    for t, a in enumerate(moves):
        seen, _, terminated, _, _ = env.step(a)
        ends.append(terminated)
        np.testing.assert_array_equal(seen[[0, 2]], plain[t + 1][[0, 2]])
    assert np.any(ends, axis=0).tolist() == [False, True, False]


def test_same_step_hands_out_the_last_observation_and_begins_at_once():
    class Carts(VectorEnv):
        def info(self):
            return {"place": self.sim.robots["cart"].position[:, 0]}

    given = {"actions": [actions.joint_targets("cart")], "max_episode_steps": LIMIT,
             "observations": [observations.joint_positions("cart")],
             "starts": [starts.joints("cart", {"rail": (-0.5, 0.5)})]}
    env = Carts(cart_scene(), 2, autoreset_mode="SameStep", **given)
    assert env.metadata["autoreset_mode"] is AutoresetMode.SAME_STEP
    first, _ = env.reset(seed=1)
    for t in range(1, 2 * LIMIT + 1):
        seen, _, _, truncated, infos = env.step(act(env))
        assert truncated.all() == (t % LIMIT == 0)
        if t % LIMIT:
            assert infos["_place"].all() and "final_obs" not in infos
            np.testing.assert_allclose(infos["place"], seen[:, 0], rtol=1e-6)
            continue
        assert infos["_final_obs"].all() and infos["final_obs"].dtype == object
        assert "place" not in infos and infos["final_info"]["_place"].all()
        last = np.stack(infos["final_obs"])
        np.testing.assert_allclose(infos["final_info"]["place"], last[:, 0], rtol=1e-6)
        assert (np.abs(last - seen) > 1e-3).all() and (env.sim.step_count == 0).all()
    assert (seen != first).all()


def test_disabled_waits_for_a_reset_of_those_that_ended():
    env = carts(autoreset_mode="Disabled")
    assert env.metadata["autoreset_mode"] is AutoresetMode.DISABLED
    env.reset(seed=1)
    env.step(act(env))
    mask = np.array([True, False, False])
    before, *_ = env.step(act(env))
    seen, _ = env.reset(options={"reset_mask": mask})
    np.testing.assert_array_equal(seen[1:], before[1:])
    assert seen[0, 1] == 0 and env.sim.step_count.tolist() == [0, 4, 4]
    for _ in range(LIMIT - 2):
        _, _, _, truncated, _ = env.step(act(env))
    assert truncated.tolist() == [False, True, True]
    with pytest.raises(haptos.InputError, match=r"\[1, 2\].*in no episode"):
        env.step(act(env))
    again, _ = env.reset(seed=1, options={"reset_mask": truncated})
    np.testing.assert_array_equal(again[1:], carts().reset(seed=1)[0][1:])
    env.step(act(env))


@pytest.mark.parametrize("mask", [np.ones(2, bool), np.zeros(3, bool), np.array([0, 2])])
def test_a_reset_mask_that_does_not_fit_is_refused(mask):
    env = carts()
    env.reset(seed=1)
    with pytest.raises(haptos.InputError, match=r"reset_mask.*shape \(3,\)"):
        env.reset(options={"reset_mask": mask})


def test_no_step_is_taken_before_the_first_reset():
    with pytest.raises(haptos.InputError, match="in no episode"):
        (env := carts()).step(act(env))


# -- failures --------------------------------------------------------------------------------------


def test_an_environment_whose_step_fails_is_terminated_and_says_why():
    env = carts(max_episode_steps=None)
    env.reset(seed=1)
    push = np.zeros((3, 3))
    push[1, 0] = 1e9  # [N]; beyond 1e6 m/s within a step
    env.sim.robots["ball"].set_wrench("ball", push)
    _, _, terminated, _, infos = env.step(act(env))
    assert terminated.tolist() == [False, True, False] == env.failed.tolist()
    assert infos["_status"].tolist() == [False, True, False]
    assert "1e6 m/s" in infos["status"][1] and infos["status"][0] is None
    seen, reward, terminated, _, infos = env.step(act(env))
    assert not terminated.any() and infos == {} and reward[1] == 0 and np.isfinite(seen).all()
    assert env.sim.step_count.tolist() == [4, 0, 4]


def test_a_failure_is_told_in_the_final_info_where_resets_come_at_once():
    env = carts(2, max_episode_steps=None, autoreset_mode="SameStep")
    env.reset(seed=1)
    env.sim.robots["ball"].set_wrench("ball", [[1e9, 0, 0], [0, 0, 0]])
    _, _, terminated, _, infos = env.step(act(env))
    assert terminated.tolist() == [True, False] == infos["_final_info"].tolist()
    assert "1e6 m/s" in infos["final_info"]["status"][0] and "status" not in infos
    assert env.sim.step_count.tolist() == [0, 2]
    assert not env.step(act(env))[2].any()


def test_strict_scenes_are_refused():
    scene = cart_scene()
    scene.newton.strict = True
    with pytest.raises(haptos.InputError, match="newton.strict"):
        VectorEnv(scene, 2, actions=[actions.joint_targets("cart")],
                  observations=[observations.joint_positions("cart")])


# -- starts and arrays ----------------------------------------------------------------------------


def test_sensors_of_robots_read_what_the_starts_drew():
    scene = cart_scene()
    scene.add_robot_sensor("cart", "exact", "joint_position")
    see = observations
    env = VectorEnv(scene, 3, actions=[actions.joint_targets("cart")],
                    observations=[see.joint_positions("cart"), see.robot_sensor("cart", "exact"),
                                  see.robot_sensor("cart", "ruler")],
                    starts=[starts.joints("cart", {"rail": (-0.5, 0.5)})])
    seen, _ = env.reset(seed=1)
    assert np.abs(seen[:, 0]).min() > 1e-3
    np.testing.assert_array_equal(seen[:, 0], seen[:, 1])
    off = np.abs(seen[:, 2] - seen[:, 0])
    assert (off > 0).all() and off.max() < 0.05  # [m]; five times its noise


def test_states_are_starts_where_gels_begin_pressed():
    scene = small_scene(steps=4)
    sim = scene.compile(quiet=True)
    pool = []
    for _ in range(2):
        sim.run(0.1)
        pool.append(sim.state)
    env = VectorEnv(scene, 3, starts=[starts.states(pool)], frame_skip=1, actions=[
        actions.body_target("ball", (0, 0, 3.6e-3), (0, 0, 4.1e-3), speed=2e-3)],
        observations=[observations.tactile_depth("camera", (1, 1))])
    seen, _ = env.reset(seed=2)
    assert set(np.round(env.sim.time, 6)) == {0.1, 0.2}
    by_time = {t: set(seen[np.isclose(env.sim.time, t), 0]) for t in (0.1, 0.2)}
    assert all(len(v) == 1 for v in by_time.values()) and by_time[0.1] != by_time[0.2]


def test_observations_and_what_they_are_made_of_lie_where_others_read_in_place():
    env = carts()
    seen, _ = env.reset(seed=1)
    env.step(act(env))
    cart, ball = env.sim.robots["cart"], env.sim.robots["ball"]
    wrench = env.sim.contact_wrench("ball")
    rows = {"observation": seen, "position": cart.position, "velocity": cart.velocity,
            "effort": cart.effort, "command": cart.command, "pose": env.sim.pose("ball"),
            "link velocity": env.sim.velocity("ball"), "sensor": cart.sensors["ruler"].value,
            "link poses": ball.link_poses, "force": wrench.force, "torque": wrench.torque}
    fingers = Lift(2)
    rows |= fingers.reset(seed=1)[0]
    finger = fingers.sim.sensors["left"]
    touch = finger.touch()
    rows |= {"depth": finger.depth(), "force image": finger.force_image((4, 4)).force,
             "touch force": touch.force, "positions": fingers.sim.positions("left")}
    for name, row in rows.items():
        assert np.asarray(row).ctypes.data % 64 == 0 and row.flags.c_contiguous, name
        other = np.from_dlpack(row)
        assert other.ctypes.data == row.ctypes.data, name


def test_torch_takes_observations_without_a_copy():
    torch = pytest.importorskip("torch", reason="needs torch")
    seen, _ = carts().reset(seed=1)
    assert torch.from_dlpack(seen).data_ptr() == seen.ctypes.data


def test_jax_takes_observations_without_a_copy():
    jax = pytest.importorskip("jax", reason="could not import jax")
    seen, _ = carts().reset(seed=1)
    assert jax.dlpack.from_dlpack(seen, copy=False).unsafe_buffer_pointer() == seen.ctypes.data


def test_the_page_about_learning_runs_from_its_first_line_to_its_last(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    page = (ROOT / "docs/learning.md").read_text()
    snippets = re.findall(r"^```python\n(.*?)^```", page, re.MULTILINE | re.DOTALL)
    assert len(snippets) == 7
    names = {}
    for snippet in snippets:
        exec(compile(snippet, "learning.md", "exec"), names)
    assert names["frames"][1].shape == (120, 160, 3)


# -- without gymnasium -----------------------------------------------------------------------------


def test_without_gymnasium_one_sentence_says_what_to_install():
    program = ("import sys; sys.modules['gymnasium'] = None\n"
               "import haptos, haptos.learn\n"
               "from haptos.learn import actions, observations, starts\n"
               "for get in (lambda: haptos.learn.VectorEnv, lambda: __import__('haptos.tasks')):\n"
               "    try:\n        get()\n    except haptos.InputError as e:\n        print(e)\n")
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True,
                          timeout=60, check=True)
    lines = done.stdout.splitlines()
    assert len(lines) == 2
    for line in lines:
        assert 'pip install "haptos[learn]"' in line
        assert "needs the Python package gymnasium" in line
