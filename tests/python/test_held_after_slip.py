"""A punch that stops after it has slipped: nothing of the gel slides on."""

import numpy as np
import pytest

from haptos.press import prepare


def moves_while_held(shape, **options):
    """How far each node of the gel goes in each step in which the punch stands still [m]."""
    press = prepare(shape, **options)
    before, moves = None, []
    while not press.done:
        step = press.step()
        assert step.report.status[0] == 0
        now = press.sim.positions("gel")[0].copy()
        if step.phase == "hold":
            moves.append(np.linalg.norm(now - before, axis=1))
        before = now
    assert step.tangential > 0.95 * options["friction"] * step.normal  # most of it has slipped
    return np.array(moves)


def test_a_punch_that_stops_leaves_the_gel_where_it_is():
    moved = moves_while_held("cylinder", pad="box", depth="0.15mm", shear="0.2mm", friction=0.15,
                             elements=0.7e-3, options={"sim.threads": 1})
    print(f"{1e6 * moved.max():.2f} um")
    # With friction where the surfaces touched at the start of the step: 2.3 um, 29 nodes above 1.
    assert moved.shape[0] == 2 and moved.max() < 2e-7


@pytest.mark.full
def test_the_rim_of_a_punch_under_strong_friction_does_not_jump():
    moved = moves_while_held("cylinder", sensor="gelsight-mini", depth="0.3mm", shear="0.7mm",
                             friction=0.8)
    print(f"FIGURE largest move = {1e6 * moved.max():.2f} um (at most 1)")
    print(f"FIGURE nodes above .1 um = {(moved > 1e-7).any(axis=0).sum()}")
    # Before: 26 um, and 1,331 nodes by more than 1 um.
    assert moved.max() < 1e-6
