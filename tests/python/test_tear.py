"""Dough that two grippers pull apart (scenes/particles/tear.py)."""

import numpy as np
import pytest

from conftest import load_script


def test_parts_are_what_hangs_together():
    script = load_script("scenes/particles/tear.py")
    row = np.arange(10)[:, None] * (0.02, 0, 0)
    x = np.vstack([row, row[:4] + (0.5, 0.1, 0), [(0, 0, 0.031)]])
    assert script.parts(x[np.random.default_rng(1).permutation(15)]) == pytest.approx([10 / 15, 4 / 15, 1 / 15])
    assert script.parts(row) == pytest.approx([1])


def test_the_fingers_close_on_the_dough():
    script = load_script("scenes/particles/tear.py")
    sim = script.scene().compile(quiet=True)
    assert not sim.warnings
    dough = sim.material_points["dough"]
    for _ in range(6):
        assert sim.step().ok
    assert sim.contact_wrench("left far").force[0, 0] > 1 and sim.contact_wrench("right near").force[0, 0] < -1
    assert np.abs(dough.position[0, :, 0]).max() < script.SIZE[0] / 2


@pytest.mark.full
def test_dough_tears_in_two_and_the_grippers_hold():
    script = load_script("scenes/particles/tear.py")
    sim = script.scene().compile(quiet=True)
    dough = sim.material_points["dough"]
    mass, count, grip = dough.mass, len(dough), None
    for k in range(round(script.END / sim.dt)):
        report = sim.step()
        assert report.ok, report.describe()
        if k + 1 == round(script.WAITS / sim.dt):
            grip = script.Grip(sim)
            assert script.parts(dough.position[0])[0] == 1
    parts = script.parts(dough.position[0])
    assert dough.mass == mass and len(dough) == count and np.isfinite(dough.position).all()
    assert parts[0] < 0.65 and parts[1] > 0.35 and parts[:2].sum() > 0.99
    print(f"FIGURE tear.second_part = {parts[1]:.3f} (at least 0.35)")
    slip = max(grip.slip(sim).values())
    print(f"FIGURE tear.slip = {slip:.4f} m (at most 0.005)")
    assert slip < 0.005
