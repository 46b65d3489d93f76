"""Two arms roll dough with a pin that turns freely (scenes/particles/roll.py)."""

import numpy as np
import pytest

from conftest import load_script

roll = load_script("scenes/particles/roll.py")


def step(sim):
    report = sim.step()
    assert report.ok, report.describe()


def test_the_arms_carry_the_pin():
    sim = roll.scene().compile(quiet=True)
    assert not sim.warnings
    for _ in range(10):
        step(sim)
    place, wanted = sim.robots["pin"].link_pose("pin")[0, :3], roll.middle(10 * sim.dt)[0]
    assert place == pytest.approx(wanted, abs=5e-3)
    for name in ("left", "right"):
        assert np.abs(sim.constraint_error(name)).max() < 1e-4


@pytest.mark.full
def test_the_pin_rolls_and_the_dough_stays_flat():
    sim = roll.scene().compile(quiet=True)
    dough = sim.material_points["dough"]
    high, covers, count = roll.height(dough.position[0]), roll.spread(dough.position[0]), len(dough)
    slow, lifted, deepest = [], None, 0.0
    for k in range(round(roll.END / sim.dt)):
        step(sim)
        now = (k + 1) * sim.dt
        if any(a <= now <= b for a, b in roll.ROLLS):
            speed, turns = roll.turning(sim)
            slow.append(turns / speed)
        if k + 1 == round(3.5 / sim.dt):
            lifted = roll.height(dough.position[0])
        z = dough.position[0][:, 2]
        deepest = max(deepest, -float(z.min()))
    end, stretch = roll.height(dough.position[0]), np.linalg.det(dough.deformation[0])
    print(f"FIGURE roll = pin turns with {np.mean(slow):.3f} of its way ({min(slow):.3f} to {max(slow):.3f}); dough "
          f"{1e3 * high:.1f} to {1e3 * end:.1f} mm, {1e3 * (end - lifted):+.2f} mm in the second after it; covers "
          f"{roll.spread(dough.position[0]) / covers:.2f} times as much; volume {np.mean(stretch):.4f}")
    assert len(dough) == count
    assert 0.75 < np.mean(slow) < 1.1
    assert end < 0.75 * high  # a quarter flatter
    assert abs(end - lifted) < 0.05 * (high - end)  # and stays so
    assert roll.spread(dough.position[0]) > 1.1 * covers
    assert np.mean(stretch) == pytest.approx(1, abs=0.02)
    assert deepest < roll.CELL / 4  # none in the table
