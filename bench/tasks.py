"""Actions a second of the tasks of haptos.tasks, at random actions.

    python bench/tasks.py [seconds]

A line for each task and number of environments: actions of all environments a second, as one agent
would take them, resets and observations among them. All threads of the machine.
"""

import sys
import time

import numpy as np

from haptos.tasks.lift import Lift
from haptos.tasks.push_puck import PushPuck

SECONDS = float(sys.argv[1]) if len(sys.argv) > 1 else 10.0


def rate(task: type, envs: int) -> float:
    env = task(num_envs=envs)
    env.reset(seed=0)
    random = np.random.default_rng(0)
    shape = env.action_space.shape
    for _ in range(3):  # what is made on first use
        env.step(random.uniform(-1, 1, shape).astype(np.float32))
    start, count = time.perf_counter(), 0
    while time.perf_counter() - start < SECONDS:
        env.step(random.uniform(-1, 1, shape).astype(np.float32))
        count += envs
    return count / (time.perf_counter() - start)


for task, envs in ((PushPuck, 64), (PushPuck, 1), (Lift, 4)):
    print(f"{task.__name__}, environments {envs}: {rate(task, envs):,.0f} actions a second", flush=True)
