"""Water out of a mug of a mesh into a bin (scenes/particles/pour.py)."""

import numpy as np
import pytest

import haptos
from conftest import load_script


def poured(seconds=None):
    script = load_script("scenes/particles/pour.py")
    sim = script.scene().compile(quiet=True)
    water = sim.material_points["water"]
    count, mass = len(water), water.mass
    field = haptos.DistanceField(script.cup(script.RADIUS, script.HEIGHT, script.WALL), resolution=64)
    for _ in range(round((seconds or script.SECONDS) / sim.dt)):
        report = sim.step()
        assert report.ok, report.describe()
        assert script.in_wall(sim, field) < 0.25 * script.CELL
    assert len(water) == count and water.mass == mass and np.isfinite(water.position).all()
    return script, sim


def test_water_stands_in_a_mug_that_begins_to_tip():
    script, sim = poured(0.6)
    x = sim.material_points["water"].position[0]
    pose = sim.pose("mug")[0]
    local = (x - pose[:3]) @ haptos.base.turns.rotation(pose[3:])
    assert np.hypot(local[:, 0], local[:, 1]).max() < script.RADIUS - script.WALL
    assert script.WALL < local[:, 2].min() and local[:, 2].max() < script.HEIGHT
    assert not script.in_bin(x).any()


@pytest.mark.full
def test_water_is_poured_into_the_bin():
    script, sim = poured()
    x = sim.material_points["water"].position[0]
    part = script.in_bin(x).mean()
    print(f"FIGURE pour.in_bin = {part:.4f} (at least 0.9)")
    assert part >= 0.9

