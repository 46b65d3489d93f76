"""The bar that turns between two pads as they let go, scenes/pressure/pen_drop.py.

The oracle: Coulomb friction at 16 x 16 points of each pad, implicit, steps of 20 us.
"""

from dataclasses import replace

import numpy as np
import pytest

from conftest import load_script

pen_drop = load_script("scenes/pressure/pen_drop.py")

DT = 2e-4
DROP = pen_drop.Drop()
AT_10_MM = np.array([1.303, 0.979, 0.785, 0.563, 0.439])  # [rad/s], for each of FRICTIONS
OF_RELEASE = {25e-3: 0.396, 100e-3: 1.562}  # [s]: [rad/s], at friction .5, 10 mm


def turn(drop, most_samples=200):
    return pen_drop.turn_by_contact(drop, DT, most_samples)


def test_the_bar_turns_as_the_oracle_says():
    assert turn(DROP) == pytest.approx(AT_10_MM[2], rel=0.02)


def test_only_friction_times_grip_matters():
    # The rims of pads that are pressed twice as hard take two hundredths more of the patch.
    assert turn(replace(DROP, friction=0.25, grip=40)) == pytest.approx(turn(DROP), rel=0.03)


def test_it_turns_in_proportion_to_the_time_of_release():
    for release, rate in OF_RELEASE.items():
        assert turn(replace(DROP, release=release)) == pytest.approx(rate, rel=0.03)


def test_held_at_its_middle_it_does_not_turn():
    # The pads' edge yields and the bar's end does not, so what is held has its middle .05 mm aside:
    # a thousandth of the arm that turns it elsewhere.
    assert abs(turn(replace(DROP, offset=0.0))) < 2e-3 * AT_10_MM[2]


def test_the_limit_ellipsoid_is_near_the_oracle():
    off = [pen_drop.turn_by_limit(replace(DROP, friction=mu)) for mu in pen_drop.FRICTIONS] / AT_10_MM
    assert np.all(np.abs(off - 1) < 0.03)


def deviation(rates, x):
    """Of the rates, as logarithms, from a parabola through them over log x."""
    x, rates = np.log(x), np.log(rates)
    return np.abs(rates - np.polyval(np.polyfit(x, rates, 2), x)).max()


@pytest.mark.full
def test_friction_and_width_slow_it_down_without_a_reversal():
    frictions, widths = pen_drop.FRICTIONS, pen_drop.WIDTHS
    rates = pen_drop.sweep(turn)
    unmerged = np.array([turn(replace(DROP, friction=mu), 0) for mu in frictions])
    limit = pen_drop.sweep(pen_drop.turn_by_limit)
    for width, row, other in zip(widths, rates, limit, strict=True):
        print(f"FIGURE pen_drop.{1e3 * width:g}mm = {np.round(row, 3).tolist()} rad/s, limit ellipsoid "
              f"{np.round(other, 3).tolist()}")
    print(f"FIGURE pen_drop.10mm.unmerged = {np.round(unmerged, 3).tolist()} rad/s", flush=True)
    assert np.all(np.diff(rates, axis=0) < 0) and np.all(np.diff(rates, axis=1) < 0)
    assert np.all(np.abs(rates[1] / AT_10_MM - 1) < 0.03)
    assert np.all(np.abs(unmerged / AT_10_MM - 1) < 0.03)
    assert np.all(np.abs(rates / limit - 1) < 0.08)
    assert max(deviation(row, frictions) for row in rates) < 0.01
    assert max(deviation(column, widths) for column in rates.T) < 0.01
