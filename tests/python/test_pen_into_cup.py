"""An arm that grasps a pen and lets it go over a cup, scenes/pressure/pen_into_cup.py."""

import numpy as np
import pytest

from conftest import load_script

pen_into_cup = load_script("scenes/pressure/pen_into_cup.py")


def test_quaternions_are_those_of_their_matrices():
    rng = np.random.default_rng(2)
    for _ in range(50):
        turn, _ = np.linalg.qr(rng.normal(size=(3, 3)))
        turn *= np.linalg.det(turn)
        w, x, y, z = q = pen_into_cup.quaternion(turn)
        assert np.linalg.norm(q) == pytest.approx(1)
        of_x = [1 - 2 * (y * y + z * z), 2 * (x * y + w * z), 2 * (x * z - w * y)]
        of_z = [2 * (x * z + w * y), 2 * (y * z - w * x), 1 - 2 * (x * x + y * y)]
        assert turn[:, 0] == pytest.approx(of_x, abs=1e-12)
        assert turn[:, 2] == pytest.approx(of_z, abs=1e-12)


def test_a_pen_gets_into_the_cup():
    outcome = pen_into_cup.run()
    assert outcome.lifted and outcome.in_cup


@pytest.mark.full
def test_pens_get_into_cups_in_95_of_100_trials():
    good = 0
    for seed in range(100):
        outcome = pen_into_cup.run(trial=pen_into_cup.any_trial(seed))
        good += outcome.in_cup
        if not outcome.in_cup:
            print(f"{seed}: lifted {outcome.lifted}, pen at {outcome.pen}", flush=True)
    print(f"FIGURE pen_into_cup.in_the_cup = {good} of 100 (at least 95)")
    assert good >= 95
