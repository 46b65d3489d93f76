"""Hydroelastic contact in many environments: each is itself alone, to the last bit."""

import numpy as np
import pytest

from conftest import load_script

nut_on_bolt = load_script("scenes/pressure/nut_on_bolt.py")


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
