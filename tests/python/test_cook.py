"""A hand with gel pads presses a scraper into dough (scenes/particles/cook.py): five kinds of body in one step."""

import numpy as np
import pytest

import haptos
from conftest import load_script

cook = load_script("scenes/particles/cook.py")
GRAVITY = np.array([0, 0, -9.81])


def test_the_hand_takes_hold_of_the_scraper():
    sim = cook.scene().compile(quiet=True)
    assert not sim.warnings
    for _ in range(15):
        assert sim.step().ok
    left, right = (cook.force_on(sim, "scraper", f"{side} pad")[0] for side in ("left", "right"))
    assert left > 2 and right == pytest.approx(-left, abs=0.1 * left)


@pytest.mark.full
def test_forces_balance_between_all_kinds_and_the_scraper_is_held():
    scene = cook.scene()
    scene.newton.force_tolerance = 1e-10
    sim = scene.compile(quiet=True)
    dough, scraper = sim.material_points["dough"], sim.robots["scraper"]
    mass = dough.mass * len(dough)
    off, most, moved, start, parted = 0.0, 0.0, 0.0, None, 0
    steps = round(cook.END / sim.dt)
    for k in range(steps):
        before = dough.mass * dough.velocity[0].sum(0), cook.MASS * scraper.velocity[0, :3]
        report = sim.step()
        assert report.ok, report.describe()
        pads = cook.force_on(sim, "scraper", "left pad") + cook.force_on(sim, "scraper", "right pad")
        cut, table = cook.force_on(sim, "dough", "scraper"), cook.force_on(sim, "dough", "table")
        after = dough.mass * dough.velocity[0].sum(0), cook.MASS * scraper.velocity[0, :3]
        if report.parts > 1:
            parted += 1  # sim.contacts is of the last part alone
        else:
            off = max(off, np.abs((after[0] - before[0]) / sim.dt - cut - table - mass * GRAVITY).max(),
                      np.abs((after[1] - before[1]) / sim.dt - pads + cut - cook.MASS * GRAVITY).max())
        most = max(most, np.abs(cut).max())
        hand = sim.robots["hand"].link_pose("left")[0, 2]
        held = scraper.link_pose("scraper")[0, 2] - hand
        if k + 1 == round(cook.CLOSED / sim.dt):
            start = held
        if start is not None:
            moved = max(moved, abs(held - start))
    print(f"FIGURE cook = {most:.2f} N at most in the dough; balance of dough and scraper off by {off:.1e} N at most; "
          f"scraper moves {1e3 * moved:.2f} mm in the fingers")
    print(f"FIGURE cook.steps_in_parts = {parted} (at most {0.1 * steps:.0f})")
    assert most > 10 and parted <= 0.1 * steps
    assert off < 1e-6 * most
    assert moved < 2e-3
    # It left its print: dough that the scraper has passed has flowed, and stays down.
    x = dough.position[0]
    under = (np.abs(x[:, 0]) < 0.5 * cook.BLADE[0]) & (np.abs(x[:, 1]) < 0.3 * cook.SIZE[1])
    assert x[under, 2].max() < cook.SIZE[2] - 0.7 * cook.DEPTH
    assert dough.flow[0][under].mean() > 0.1
