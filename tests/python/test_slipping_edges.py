"""Presses whose edges slip along the gel, keys and coins, take few iterations a step."""

import numpy as np
import pytest

from haptos.press import prepare


def press(shape, depth, friction=None, steps=None):
    """Iterations of each step, and the press, of a shape on a GelSight Mini."""
    test = prepare(shape, sensor="gelsight-mini", depth=depth, friction=friction, steps=steps,
                   options={"sim.threads": 1})
    iterations = []
    while not test.done:
        report = test.step().report
        assert report.status[0] == 0
        iterations.append(int(report.iterations[0]))
    return np.array(iterations), test


def test_the_rings_of_a_coin_go_in_at_few_iterations_a_step():
    iterations, pressed = press("coin", "0.21mm", steps=3)
    print(f"coin, .21 mm: {iterations.tolist()}, {pressed.history[-1].normal:.4f} N")
    # The first steps of the longer press below, a little deeper each, took 7, 22 and 35.
    assert iterations.sum() <= 45


@pytest.mark.full
@pytest.mark.parametrize(("shape", "friction", "mean", "most"), [
    ("key", None, 12.5, 27), ("key", 0.8, 12.5, 27), ("coin", None, 16.0, 32), ("coin", 0.8, 12.5, 27)])
def test_keys_and_coins_take_half_the_iterations_they_took(shape, friction, mean, most):
    # Before: key 21.4 a step, at most 42, under friction .8 12.9 and 30; coin 33.4, 80; 22.3, 49.
    iterations, pressed = press(shape, "0.5mm", friction)
    name = f"{shape} {'as it comes' if friction is None else f'mu {friction}'}"
    print(f"FIGURE iterations a step, {name} = {iterations.mean():.2f} (at most {mean})")
    print(f"FIGURE most iterations, {name} = {iterations.max()} (at most {most})")
    print(f"FIGURE force, {name} = {pressed.history[-1].normal:.5f} N")
    assert iterations.mean() <= mean and iterations.max() <= most
