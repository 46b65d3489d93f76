"""The side of a cylinder or a capsule along the edge of a box: at rest where it should be.

Once the edge was compared as a tilted face, which the line on the side met or missed by round-off: one
sample at one end of the edge or the other, from step to step, and what was held so turned to and fro.
"""

import numpy as np
import pytest

import haptos

RADIUS, HALF, MASS = 20e-3, 30e-3, 0.3  # [m], [kg]
SIDE = 30e-3  # of the rails [m]
LYING = (np.sqrt(0.5), 0, np.sqrt(0.5), 0)  # its axis along x


def rails(kind, yaw, gap):
    """A roller along the upper inner edges of two bars, on its way down by 20 um."""
    scene = haptos.Scene(dt=5e-3)
    across = 0.5 * gap
    drop = np.sqrt(RADIUS**2 - across**2)
    bar = haptos.RobotShape("box", extents=(80e-3, SIDE, SIDE))
    for name, side in (("left", -1), ("right", 1)):
        scene.add_rigid(name, bar, mass=1, position=(0, side * (across + 0.5 * SIDE), 0), fixed=True, friction=0.5)
    half = 0.5 * yaw
    scene.add_rigid("roller", haptos.RobotShape(kind, (RADIUS, HALF), frame=(0, 0, 0, *LYING)), mass=MASS,
                    position=(0, 0, 0.5 * SIDE + drop + 2e-5), quaternion=(np.cos(half), 0, 0, np.sin(half)), friction=0.5)
    return scene.compile(quiet=True)


@pytest.mark.parametrize("kind", ["cylinder", "capsule"])
@pytest.mark.parametrize("yaw", [0.0, 1e-4, 1e-2])
@pytest.mark.parametrize("gap", [12e-3, 25e-3])
def test_a_roller_rests_on_two_edges(kind, yaw, gap):
    sim = rails(kind, yaw, gap)
    for _ in range(800):
        assert sim.step().ok
    counts, speeds = [], []
    for _ in range(100):
        assert sim.step().ok
        counts.append(len(sim.contacts))
        speeds.append(np.abs(sim.velocity("roller")[0]).max())
    assert max(speeds) < 1e-5
    # Two ends of each edge. Where the yaw lifts ends it is balanced on two, tips from there after a second
    # or two, however little disturbs it, and rests on a third 2 um lower.
    assert len(set(counts)) == 1 and (counts[0] >= 4 if yaw < 1e-3 else counts[0] >= 3)
    force = sim.contact_wrench("roller").force[0]
    assert force == pytest.approx([0, 0, 9.81 * MASS], abs=1e-3 * 9.81 * MASS)
