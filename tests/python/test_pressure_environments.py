"""Hydroelastic contact in many environments: each is itself alone, to the last bit."""

from dataclasses import replace

import numpy as np
import pytest

import haptos
from conftest import load_script

nut_on_bolt = load_script("scenes/pressure/nut_on_bolt.py")
pen_into_cup = load_script("scenes/pressure/pen_into_cup.py")


def nuts(count, steps):
    """Poses and velocities of nuts that start with other spins, side by side and each alone."""
    spin = np.zeros((count, 6))
    spin[:, 5] = np.random.default_rng(7).uniform(-5, 5, count)
    scene = nut_on_bolt.scene(0.01, 4e-3, 200, False)

    def after(envs, velocity):
        sim = scene.compile(envs=envs, quiet=True)
        nut = sim.robots["nut"]
        nut.set_state(velocity=velocity)
        for _ in range(steps):
            assert sim.step().ok
        return np.hstack([nut.link_pose("nut"), nut.link_velocity("nut")])

    return after(count, spin), np.vstack([after(1, spin[k:k + 1]) for k in range(count)])


def test_each_of_a_few_nuts_is_itself_alone():
    together, alone = nuts(3, 4)
    assert (together == alone).all() and np.ptp(together[:, -1]) > 1


@pytest.mark.full
def test_each_of_128_nuts_is_itself_alone():
    together, alone = nuts(128, 6)
    assert (together == alone).all() and np.ptp(together[:, -1]) > 5


def arms(count, steps, hand=pen_into_cup.ARM):
    """Arms that close their fingers on a pen, which lies elsewhere in each: states of arm and pen side by
    side and each alone, and how hard the pens are pressed [N]."""
    trial, dt = pen_into_cup.Trial(), 4e-3
    robot = haptos.load_robot(hand.robot)
    motion = pen_into_cup.plan(hand, robot, trial)
    grasp = round(0.7 / pen_into_cup.KNOT)
    scene = pen_into_cup.scene(hand, robot, trial, replace(motion, angles=motion.angles[grasp:]), dt)
    rng = np.random.default_rng(3)
    aside = rng.uniform(-4e-3, 4e-3, (count, 2))
    command = dict(zip(motion.joints, motion.angles[grasp])) | {f: 0.0 for f in hand.fingers}

    def after(envs, moved):
        sim = scene.compile(envs=envs, quiet=True)
        arm, pen = sim.robots["arm"], sim.robots["pen"]
        places = np.array(pen.position)
        places[:, :2] += moved
        pen.set_state(position=places)
        arm.set_command(position=command)
        for _ in range(steps):
            assert sim.step().ok
        pressed = [np.abs(c["normal_force"]).sum() for c in
                   (sim.contacts[sim.contacts["env"] == k] for k in range(envs))]
        return np.hstack([arm.position, arm.velocity, pen.position, pen.velocity]), pressed

    together, pressed = after(count, aside)
    return together, np.vstack([after(1, aside[k:k + 1])[0] for k in range(count)]), np.array(pressed)


def test_each_of_a_few_arms_is_itself_alone():
    together, alone, pressed = arms(3, 12)
    assert (together == alone).all() and np.ptp(together[:, 0]) > 0 and pressed.min() > 0.1


@pytest.mark.full
def test_each_of_512_arms_that_grasp_a_pen_is_itself_alone():
    together, alone, pressed = arms(512, 40)
    print(f"FIGURE arms.least_press = {pressed.min():.3g} N (at least 15)")
    assert (together == alone).all()
    assert pressed.min() > 15  # the fingers hold the pen
    assert len(np.unique(together, axis=0)) == 512
