"""The picture of a straight edge is straight: it does not ripple with the mesh.

A strip of a Mini's gel, with its sides held, under a bar as long as the strip: nothing changes along
the bar, so what the depth image has along it is of the mesh.
"""

import numpy as np
import pytest

import haptos

HALF, SUPPORT, DEPTH, PITCH = 3e-3, 2e-5, 5e-4, 5e-5  # of the bar; of the image [m]


def ripple(depth, edge):
    """Largest peak to peak along the edges at +-edge, over two periods of the mesh in the middle [m].

    In each column up to 1.2 mm from an edge; the dent's own bend is taken out by a parabola.
    """
    high, wide = depth.shape
    x, y = ((np.arange(n) - 0.5 * (n - 1)) * PITCH for n in (wide, high))
    rows = np.abs(y) < 1.25e-3
    most = 0.0
    for column in np.flatnonzero(np.abs(np.abs(x) - edge) < 1.2e-3):
        along = depth[rows, column]
        most = max(most, np.ptp(along - np.polyval(np.polyfit(y[rows], along, 2), y[rows])))
    return most


def pressed_strip(beside):
    """The sensor of a strip that a bar of half width HALF + beside is pressed into; elements as those
    of the default pads."""
    pad = haptos.box_pad(14e-3, 9.6e-3, 4e-3, grading=haptos.PadGrading(
        0.65e-3, 2.2e-3, 0.6e-3, 0.6e-3, 1.5, layer_growth=1.85, widen=True))
    x = np.asarray(pad.mesh.vertices)
    sides = [(np.flatnonzero(np.abs(x[:, k]) > np.abs(x[:, k]).max() - 1e-9), "xy"[k]) for k in (0, 1)]
    scene = haptos.Scene(dt=0.05, gravity=(0, 0, 0))
    scene.sim.threads = 1
    scene.contact.update(divisions=4, support=SUPPORT)
    scene.newton.update(force_tolerance=1e-4, velocity_tolerance=2e-5)
    scene.add_prescribed("mount")
    scene.add_soft("gel", pad.mesh, glue={"mount": pad.base_vertices}, held=sides, coat=pad.coat,
                   material=haptos.Material(young=4.64e5, poisson=0.48), friction=0.2)
    bar = haptos.box((2 * (HALF + beside), 20e-3, 4e-3))
    scene.add_prescribed("bar", bar, position=(0, 0, 2e-3 + 1.05 * SUPPORT), friction=0.2)
    scene.add_sensor("camera", "gel", camera=haptos.TactileCamera.orthographic(260, 180, PITCH))
    sim = scene.compile(quiet=True)
    for step in range(1, 7):
        sim.set_target("bar", (0, 0, 2e-3 - DEPTH * step / 6))
        assert sim.step().ok
    return sim.sensors["camera"]


# The places differ in where the edge lies between the lines of the mesh. From .2 mm on the wall of the
# dent falls within one triangle, and the coat itself ripples by 150 to 320 um.
@pytest.mark.parametrize("beside", [0.0] + [pytest.param(b * 1e-4, marks=pytest.mark.full)
                                            for b in (1, 2, 3, 4, 5)])
def test_a_straight_edge_does_not_ripple_with_the_mesh(beside):
    camera = pressed_strip(beside)
    raw, seen = (1e6 * ripple(camera.depth(raw=r)[0], HALF + beside) for r in (True, False))
    print(f"FIGURE edge.{1e3 * beside:g}mm.ripple = {seen:.1f} um, of the triangles {raw:.1f} um")
    assert raw > 40  # the coat itself does
    assert seen < 15
