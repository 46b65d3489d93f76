"""A Franka Panda that puts pens into cups, scenes/pressure/pen_into_cup.py. Outside data."""

import numpy as np
import pytest

from conftest import load_script, outside_file

pen_into_cup = load_script("scenes/pressure/pen_into_cup.py")
PANDA = "robots/panda_description/urdf/panda.urdf"
pytestmark = pytest.mark.filterwarnings("ignore::haptos.SceneWarning")


def test_a_panda_puts_a_pen_into_the_cup(tmp_path):
    moments = pen_into_cup.Moments()
    outcome = pen_into_cup.run(pen_into_cup.panda(outside_file(PANDA)), each=moments.look)
    assert outcome.lifted and outcome.in_cup
    moments.save(tmp_path / "panda.png")
    assert (tmp_path / "panda.png").stat().st_size > 50_000


@pytest.mark.full
def test_pandas_put_pens_into_cups_in_95_of_100_trials():
    hand, good = pen_into_cup.panda(outside_file(PANDA)), 0
    for seed in range(100):
        outcome = pen_into_cup.run(hand, pen_into_cup.any_trial(seed))
        good += outcome.in_cup
        if not outcome.in_cup:
            print(f"{seed}: lifted {outcome.lifted}, pen at {outcome.pen}", flush=True)
    print(f"FIGURE panda.in_the_cup = {good} of 100 (at least 95)")
    assert good >= 95


@pytest.mark.full
def test_each_of_512_pandas_that_grasp_a_pen_is_itself_alone():
    arms = load_script("tests/python/test_pressure_environments.py").arms
    together, alone, pressed = arms(512, 40, pen_into_cup.panda(outside_file(PANDA)))
    print(f"FIGURE pandas.least_press = {pressed.min():.3g} N (at least 10)")
    assert (together == alone).all() and np.ptp(together[:, 0]) > 0 and pressed.min() > 10
