"""Presses into curved gels as linear layers beside the same into the gels: a fingertip with a radius of
20 mm and one that is a part of a barrel."""

import numpy as np
import pytest

from haptos.comparison.presses import compare

FINGERTIP = """
name: Fingertip
about: a domed pad of 16 x 16 x 5 mm
pad: {{kind: box, width: 16 mm, depth: 16 mm, thickness: 5 mm, dome: {dome}}}
material: {{young: 200 kPa, poisson: 0.48, density: 1000}}
friction: 0.8
camera: {{kind: pinhole, width: 160, height: 160, focal: 400, distance: 40 mm}}
"""
DOMES = {"ball": "[20 mm, 20 mm]", "barrel": "[15 mm, 200 mm]"}


@pytest.mark.full
@pytest.mark.parametrize("dome", DOMES)
def test_presses_into_curved_gels_are_as_in_the_gel(dome, tmp_path):
    sensor = tmp_path / "fingertip.yaml"
    sensor.write_text(FINGERTIP.format(dome=DOMES[dome]))
    for shape in ("sphere", "cylinder_side", "flat_slab"):
        made = compare(shape, sensor=str(sensor), depth=5e-4, shear=(3e-4, 0.0))
        d, s = made.difference("pressed"), made.difference("sheared")
        print(f"FIGURE touch_curved.{dome}.{shape} = force {100 * d.force:+.1f} %, image "
              f"{1e6 * d.depth:.1f} um, sheared {100 * s.force:+.1f} %, {1e6 * s.depth:.1f} um, "
              f"{np.degrees(s.angle):+.1f} degrees", flush=True)
        assert max(d.depth, s.depth) < 1.2e-4 and abs(s.angle) < np.radians(15)
        assert abs(d.force) < 0.25
