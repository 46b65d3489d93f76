"""The tasks that come with Haptos: Gymnasium's own check, and that they can be done."""

import re
import runpy
import subprocess
import sys
import warnings

import numpy as np
import pytest

from conftest import ROOT

gymnasium = pytest.importorskip("gymnasium", reason="could not import gymnasium")

from gymnasium.utils.env_checker import check_env  # noqa: E402

import haptos.tasks  # noqa: E402
from haptos.learn import SingleEnv  # noqa: E402
from haptos.tasks.lift import Lift  # noqa: E402
from haptos.tasks.push_puck import PushPuck  # noqa: E402


@pytest.mark.parametrize("task", ["PushPuck", "Lift"])
def test_gymnasium_finds_nothing_to_say_about_the_tasks(task):
    env = gymnasium.make(f"haptos/{task}-v0", render_mode="rgb_array")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        # These two are meant: what is observed has no natural bounds.
        warnings.filterwarnings("ignore", message=".*Box observation space m.*infinity")
        check_env(env.unwrapped)
    assert env.reset(seed=1)[0] in env.observation_space
    picture = env.render()
    assert picture.shape == (480, 640, 3) and picture.dtype == np.uint8 and np.ptp(picture) > 50


def same(a, b):
    """Whether two infos say the same: rows of numbers and dictionaries, where masks are true."""
    if isinstance(a, dict):
        return a.keys() == b.keys() and all(
            same(a[k], b[k]) if isinstance(a[k], dict) or k.startswith("_")
            else all(np.array_equal(x, y) for x, y, there in zip(a[k], b[k], b[f"_{k}"], strict=True)
                     if there) for k in a)
    return np.array_equal(a, b)


@pytest.mark.parametrize("mode", ["NextStep", "SameStep", "Disabled"])
def test_many_are_what_gymnasium_makes_of_single_ones(mode):
    many = gymnasium.make_vec("haptos/PushPuck-v0", num_envs=3, autoreset_mode=mode)
    singles = gymnasium.make_vec("haptos/PushPuck-v0", num_envs=3, vectorization_mode="sync",
                                 vector_kwargs={"autoreset_mode": mode})
    assert many.metadata["autoreset_mode"] is singles.metadata["autoreset_mode"]
    assert many.single_observation_space == singles.single_observation_space
    (seen, infos), (expected, said) = many.reset(seed=4), singles.reset(seed=4)
    many.action_space.seed(1)
    ends = 0
    for _ in range(230):
        np.testing.assert_array_equal(seen, expected)
        assert same(infos, said)
        # Straight to the puck and on, so that some episodes end before others.
        action = np.clip(seen[:, 4:6] + 0.3 * many.action_space.sample(), -1, 1)
        seen, *rest, infos = many.step(action)
        expected, *wanted, said = singles.step(action)
        for mine, theirs in zip(rest, wanted, strict=True):
            np.testing.assert_array_equal(mine, theirs)
            assert mine.dtype == theirs.dtype
        ended = rest[1] | rest[2]
        ends += ended.sum()
        if mode == "Disabled" and ended.any():
            np.testing.assert_array_equal(seen, expected)
            seen, infos = many.reset(seed=9, options={"reset_mask": ended})
            expected, said = singles.reset(seed=9, options={"reset_mask": ended})
    assert ends >= 6


def test_many_are_made_by_make_vec_and_each_is_rendered():
    env = gymnasium.make_vec("haptos/PushPuck-v0", num_envs=3, render_mode="rgb_array",
                             render_size=(64, 48))
    assert isinstance(env, PushPuck) and env.num_envs == 3
    env.reset(seed=1)
    frames = env.render()
    assert len(frames) == 3 and {f.shape for f in frames} == {(48, 64, 3)}
    assert (frames[0] != frames[1]).any()
    env.close()
    for _ in range(100):
        *_, truncated, _ = env.step(env.action_space.sample())
    assert truncated.any()


def test_a_push_along_the_line_takes_the_puck_to_the_goal():
    env = PushPuck(8, autoreset_mode="Disabled")
    env.reset(seed=1)
    way = env._goal - env._puck()
    far = np.linalg.norm(way, axis=1)
    env.sim.robots["finger"].set_state(env._puck() - 0.055 * way / far[:, None], np.zeros((8, 2)))
    env._last = env._ways()
    total, ended, first = np.zeros(8), np.zeros(8, bool), np.zeros(8)
    for t in range(1, 50):
        now = env._goal - env._puck()
        now /= np.linalg.norm(now, axis=1, keepdims=True)
        aside = env._puck() - env.sim.robots["finger"].position
        aside -= (aside * now).sum(axis=1, keepdims=True) * now  # back to the line, or it turns off
        seen, reward, terminated, _, infos = env.step(0.6 * now + 20 * aside)
        total += np.where(ended, 0, reward)
        if t == 10:  # it slides at .3 m/s: the finger feels its friction, .4 x .1 kg x g
            felt = np.linalg.norm(seen[~ended, -3:-1], axis=1)
            np.testing.assert_allclose(felt, 0.2 * 0.4 * 0.1 * 9.81, rtol=0.2)
        first[terminated & ~ended] = t
        ended |= terminated
        assert (infos["is_success"] == terminated).all()
        env._ended[:] = False
    assert ended.all()
    # Faster than .3 m/s it cannot be, nor much slower; the rewards add up to the way and the goal.
    time = first * env.sim.dt * 2
    assert (time > (far - 0.03) / 0.3 - 0.05).all() and (time < (far - 0.03) / 0.3 + 0.15).all()
    np.testing.assert_allclose(total, 10 * (far - 0.03) + 5, atol=0.3)


def test_fingers_that_close_and_rise_lift_the_ball():
    env = Lift(4, autoreset_mode="Disabled")
    env.reset(seed=3)
    total = np.zeros(4)
    for t in range(40):
        seen, reward, terminated, _, infos = env.step(np.tile([1.0 if t > 8 else 0, 1, 1], (4, 1)))
        total += reward
        assert not env.failed.any()
        if terminated.any():
            break
    assert infos["is_success"].all()
    np.testing.assert_allclose(total, 5 + 100 * env._height(), rtol=1e-9)
    # Each gel is pressed with the 6 N of its finger's motor, 1.2 in the scale observed.
    np.testing.assert_allclose(seen["touch"][:, [2, 5]], -1.2, rtol=0.02)
    assert (seen["left"].max(axis=(1, 2)) > 0.5).all()  # [mm]


def test_a_policy_that_opens_the_fingers_lifts_nothing():
    env = Lift(2)
    env.reset(seed=3)
    for _ in range(15):
        _, _, terminated, _, infos = env.step(np.tile([1.0, -1, -1], (2, 1)))
    assert not terminated.any() and not infos["is_success"].any() and (env._height() < 1e-3).all()


def test_fingers_alone_have_the_bits_of_those_among_many():
    moves = np.tile([[0.3, 1.0, 0.9]], (7, 3, 1)) * [[[1], [0.9], [0.8]]]
    many, alone = Lift(3), SingleEnv(Lift(1, autoreset_mode="Disabled"))
    (all_seen, _), (seen, _) = many.reset(seed=3), alone.reset(seed=5)
    for a in moves:
        all_seen, *_ = many.step(a)
        seen, *_ = alone.step(a[2])
    assert seen["left"].max() > 0.3  # [mm]
    for key, row in seen.items():
        np.testing.assert_array_equal(row, all_seen[key][2], err_msg=key)


# -- the example that learns -----------------------------------------------------------------------


EXAMPLE = ROOT / "examples/python/train_ppo.py"


def test_the_example_of_ppo_follows_its_gradient():
    ppo = runpy.run_path(str(EXAMPLE))
    random = np.random.default_rng(1)
    net, x, slope = ppo["Net"](4, 2, random), random.normal(size=(5, 4)), random.normal(size=(5, 2))
    net(x)
    for w, g in zip(net.w, net.gradient(slope), strict=True):
        step = 1e-6 * random.normal(size=w.shape)
        values = []
        for sign in (1, -1):
            w += sign * step
            values.append((slope * net(x)).sum())
            w -= sign * step
        np.testing.assert_allclose(values[0] - values[1], 2 * (g * step).sum(), rtol=1e-6)
    env = PushPuck(4, autoreset_mode="SameStep", max_episode_steps=20)
    agent = ppo["Agent"](env, 1)
    data, _ = agent.collect(env, env.reset(seed=1)[0])
    before, gain = data[2], data[3]
    agent.update(data, 1e-3)
    std = np.exp(agent.log_std)
    after = agent.log_density((data[1] - agent.policy(data[0])) / std)
    # What paid more than was expected has become likelier.
    assert np.corrcoef(after - before, gain)[0, 1] > 0.1


@pytest.mark.full
def test_ppo_learns_to_push_the_puck():
    done = subprocess.run([sys.executable, EXAMPLE, "400"], capture_output=True, text=True,
                          check=True)
    rate = float(re.search(r"success: (\S+) of 200", done.stdout)[1])
    print(f"FIGURE learn.push_puck = {rate:.3f} of 200 episodes (at least 0.9)")
    assert rate >= 0.9
