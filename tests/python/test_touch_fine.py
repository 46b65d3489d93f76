"""Presses into a gel as a layer of small nodes, beside the same into a gel of small elements."""

import numpy as np
import pytest

from haptos.comparison.presses import compare

# Most that the normal force may be off: edges and tips bend the gel by more than a layer can.
OFF = {"sphere": 0.1, "dots": 0.1, "cone": 0.25, "triangle": 0.2}


@pytest.mark.full
@pytest.mark.parametrize("shape", OFF)
def test_small_nodes_are_nearer_to_the_gel(shape):
    made = compare(shape, sensor="gelsight-mini", depth=5e-4, shear=(3e-4, 0.0), quality="fine")
    d, s = made.difference("pressed"), made.difference("sheared")
    print(f"FIGURE touch_fine.{shape} = force {100 * d.force:+.1f} %, image {1e6 * d.depth:.1f} um, sheared "
          f"{100 * s.force:+.1f} %, {1e6 * s.depth:.1f} um, {np.degrees(s.angle):+.1f} degrees, "
          f"{1e3 * made.hydroelastic.seconds:.0f} of {1e3 * made.soft.seconds:.0f} ms")
    assert abs(d.force) < OFF[shape]
    assert max(d.depth, s.depth) < 6e-5 and abs(s.angle) < np.radians(15)
