"""Learns to push a puck to a goal by PPO, in NumPy, in a few minutes on two cores; prints how often
it succeeds. Needs the extra learn.

    python examples/python/train_ppo.py [actions in thousands, default 400] [seed]
"""

import sys
import time

import numpy as np

from haptos.tasks.push_puck import PushPuck

ENVS, LENGTH = 64, 64  # environments, actions of each between updates
DISCOUNT, TRACE, CLIP, EPOCHS, BATCHES = 0.97, 0.95, 0.2, 8, 16
ENTROPY, RATE, HIDDEN = 1e-3, 7e-4, 64


class Net:
    """A net of two hidden layers of tanh, with its gradient and Adam."""

    def __init__(self, inputs, outputs, random, last=1.0):
        sizes = [(inputs, HIDDEN), (HIDDEN, HIDDEN), (HIDDEN, outputs)]
        self.w = [random.normal(size=s) / np.sqrt(s[0]) for s in sizes]
        self.w[2] *= last
        self.w += [np.zeros(s[1]) for s in sizes]
        self.adam = Adam(self.w)

    def __call__(self, x):
        self.layers = [x]
        for k in range(2):
            self.layers.append(np.tanh(self.layers[k] @ self.w[k] + self.w[3 + k]))
        return self.layers[2] @ self.w[2] + self.w[5]

    def gradient(self, slope):
        """Of the weights, from that of the output."""
        out = [None] * 6
        for k in (2, 1, 0):
            out[k], out[3 + k] = self.layers[k].T @ slope, slope.sum(0)
            slope = slope @ self.w[k].T * (1 - self.layers[k] ** 2)
        return out


class Adam:
    """Adam, with the norm of all gradients bounded by one half."""

    def __init__(self, values):
        self.values, self.t = values, 0
        self.mean, self.square = ([np.zeros_like(v) for v in values] for _ in range(2))

    def step(self, gradients, rate):
        self.t += 1
        norm = np.sqrt(sum((g * g).sum() for g in gradients))
        shrink = min(1.0, 0.5 / (norm + 1e-9))
        for v, g, m, s in zip(self.values, gradients, self.mean, self.square, strict=True):
            m += 0.1 * (shrink * g - m)
            s += 0.001 * ((shrink * g) ** 2 - s)
            v -= rate * m / (1 - 0.9**self.t) / (np.sqrt(s / (1 - 0.999**self.t)) + 1e-8)


class Agent:
    """A Gaussian policy and a value."""

    def __init__(self, env, seed):
        self.random = np.random.default_rng(seed)
        n, m = env.single_observation_space.shape[0], env.single_action_space.shape[0]
        self.policy, self.value = Net(n, m, self.random, 0.1), Net(n, 1, self.random)
        self.log_std = np.full(m, -0.5)
        self.policy.adam = Adam([*self.policy.w, self.log_std])

    def log_density(self, z):
        return -(0.5 * z * z + self.log_std).sum(1)  # up to a constant

    def collect(self, env, seen):
        """LENGTH actions in every environment: rows (LENGTH * ENVS, ...), the next observation."""
        rows, rewards, values, after, ends = [], [], [], [], []
        for _ in range(LENGTH):
            mean = self.policy(seen)
            z = self.random.normal(size=mean.shape)
            action = mean + np.exp(self.log_std) * z
            value = self.value(seen)[:, 0]
            rows.append((seen, action, self.log_density(z)))
            seen, reward, terminated, truncated, infos = env.step(np.clip(action, -1, 1))
            end, last = terminated | truncated, seen.copy()
            if end.any():  # an episode that ran out of time goes on as far as its value says
                last[end] = np.stack(infos["final_obs"][end])
            rewards.append(reward)
            values.append(value)
            after.append(self.value(last)[:, 0] * ~terminated)
            ends.append(end)
        gain, gains = 0.0, []
        for r, v, a, e in zip(*(x[::-1] for x in (rewards, values, after, ends)), strict=True):
            gain = r + DISCOUNT * a - v + DISCOUNT * TRACE * gain * ~e
            gains.append(gain)
        gains = np.concatenate(gains[::-1])
        data = [np.concatenate(x) for x in zip(*rows, strict=True)]
        return [*data, gains, gains + np.concatenate(values)], seen

    def update(self, data, rate):
        """Some passes over the data in batches."""
        for _ in range(EPOCHS):
            for at in np.array_split(self.random.permutation(len(data[0])), BATCHES):
                x, action, before, gain, aim = (d[at] for d in data)
                gain = (gain - gain.mean()) / (gain.std() + 1e-8)
                std = np.exp(self.log_std)
                z = (action - self.policy(x)) / std
                ratio = np.exp(self.log_density(z) - before)
                free = np.where(gain > 0, ratio < 1 + CLIP, ratio > 1 - CLIP)
                weight = (-gain * ratio * free / len(at))[:, None]
                slope = (weight * (z * z - 1)).sum(0) - ENTROPY
                self.policy.adam.step([*self.policy.gradient(weight * z / std), slope], rate)
                error = (self.value(x)[:, 0] - aim)[:, None]
                self.value.adam.step(self.value.gradient(error / len(at)), rate)


def success_rate(agent, episodes, seed):
    """Of the mean action, over that many episodes, one in each environment."""
    env = PushPuck(episodes, autoreset_mode="NextStep")
    seen, _ = env.reset(seed=seed)
    over, good = np.zeros(episodes, bool), np.zeros(episodes, bool)
    while not over.all():
        seen, _, terminated, truncated, infos = env.step(np.clip(agent.policy(seen), -1, 1))
        good |= infos["is_success"] & ~over
        over |= terminated | truncated
    return good.mean()


def main(thousands=400, seed=0):
    """Learns; returns the success rate, over 200 episodes that were not seen."""
    env = PushPuck(ENVS, autoreset_mode="SameStep")
    agent, start = Agent(env, seed), time.perf_counter()
    seen, _ = env.reset(seed=seed)
    updates = max(1, round(1000 * thousands / (ENVS * LENGTH)))
    for k in range(updates):
        data, seen = agent.collect(env, seen)
        agent.update(data, RATE * (1 - k / updates))
        if (k + 1) % 20 == 0 or k + 1 == updates:
            now = time.perf_counter() - start
            print(f"{(k + 1) * ENVS * LENGTH:8d} actions, {now:5.0f} s: "
                  f"{100 * success_rate(agent, 100, 10_000):.0f} % succeed", flush=True)
    rate = success_rate(agent, 200, 20_000)
    print(f"success: {rate:.3f} of 200 new episodes")
    return rate


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
