"""Environments of a Sim that are chosen by a mask: states, places, and the seeds of their noise."""

import numpy as np
import pytest

from conftest import cart_scene

import haptos


def test_states_go_to_the_environments_of_a_mask():
    sim = cart_scene().compile(envs=3, quiet=True)
    sim.robots["cart"].set_command(position=[[0.1], [0.2], [0.3]])
    sim.run(0.05)
    kept, hashes = sim.states, [s.hash() for s in sim.states]
    sim.set_state(kept[2], np.array([True, False, False]))
    assert [s.hash() for s in sim.states] == [hashes[2], hashes[1], hashes[2]]
    sim.set_state(kept)
    assert [s.hash() for s in sim.states] == hashes
    for wrong in (kept[:2], 3, [1, 2, 3]):
        with pytest.raises(haptos.InputError, match="haptos.State, or a list"):
            sim.set_state(wrong)


def test_a_robot_is_put_elsewhere_in_the_environments_of_a_mask():
    sim = cart_scene().compile(envs=3, quiet=True)
    sim.run(0.02)
    before = [s.hash() for s in sim.states]
    sim.robots["ball"].set_state([1, 2, 3, 1, 0, 0, 0], mask=np.array([False, True, False]))
    assert [a == s.hash() for a, s in zip(before, sim.states, strict=True)] == [True, False, True]
    np.testing.assert_array_equal(sim.pose("ball")[1], [1, 2, 3, 1, 0, 0, 0])


def test_seeds_one_by_one_give_the_noise_of_a_run_alone():
    def readings(sim):
        sim.step()
        return sim.robots["cart"].sensors["ruler"].value[:, 0]

    many, alone = cart_scene().compile(envs=3, quiet=True), cart_scene().compile(quiet=True)
    many.reset(seed=[5, 6, 5])
    rows = readings(many)
    assert rows[0] == rows[2] != rows[1]
    alone.reset(seed=6)
    assert readings(alone)[0] == rows[1]
    many.reset(seed=6)  # one for all: each its own again
    rows = readings(many)
    assert len(set(rows)) == 3 and rows[0] == many.robots["cart"].sensors["ruler"].value[0, 0]
    for wrong in (-1, 0.5, [1, 2]):
        with pytest.raises(haptos.InputError, match="seed"):
            many.reset(seed=wrong)


def test_nothing_that_is_read_after_a_reset_is_of_the_run_before():
    sim = cart_scene().compile(envs=2, quiet=True)
    cart, ball = sim.robots["cart"], sim.robots["ball"]

    def read():
        return [cart.position, cart.velocity, cart.acceleration, cart.effort, cart.command,
                ball.acceleration, sim.contact_wrench("ball").force, sim.reaction("ball").force,
                cart.sensors["ruler"].value, sim.status, sim.time]

    first = read()
    cart.set_command(position=0.4)
    sim.run(0.1)
    moved = read()
    assert abs(moved[3]).min() > 1 and abs(moved[6][:, 2]).min() > 0.9  # [N]
    sim.reset(np.array([False, True]))
    for now, before, kept in zip(read(), first, moved, strict=True):
        np.testing.assert_array_equal(now[1], before[1])
        np.testing.assert_array_equal(now[0], kept[0])
