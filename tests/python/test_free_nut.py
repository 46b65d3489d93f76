"""A nut that nothing holds spins down a bolt without friction: the thread turns its weight into spin.

With the pitch P, m the mass and I the moment of inertia about the axis, m g = (m + I (2 pi / P)^2) a.
"""

import numpy as np
import pytest

import haptos
from conftest import load_script

PITCH, DENSITY, GRAVITY, DT = 2.5e-3, 7850, 9.81, 2.5e-3


def test_a_free_nut_spins_down_a_bolt_as_its_thread_says():
    height = 6e-3
    bolt = haptos.iso_bolt(height + 6 * PITCH, allowance=0.1e-3, segments=36)
    nut = haptos.iso_nut(height, allowance=0.1e-3, segments=35)
    scene = haptos.Scene(dt=DT)
    scene.sim.threads = 1
    scene.contact.support = 1e-4
    scene.add_prescribed("bolt", bolt)
    start = 2.953 * PITCH  # on the lower flanks but for most of the support
    scene.add_affine("nut", nut, density=DENSITY, stiffness=1e9, position=(0, 0, start))
    sim = scene.compile()
    angle, before = [0.0], 0.0
    height_of = [start]
    for _ in range(96):
        assert sim.step().ok
        x, _, _, z, w, _, _, q = np.ravel(sim.pose("nut"))[[0, 1, 2, 2, 3, 4, 5, 6]]
        assert abs(x) < 0.2e-3  # the thread keeps it about the axis
        now = 2 * np.arctan2(q, w)
        angle.append(angle[-1] + (now - before + np.pi) % (2 * np.pi) - np.pi)
        before = now
        height_of.append(z)
    rate = np.diff(angle) / DT
    mass_and_inertia = load_script("scenes/pressure/nut_on_bolt.py").mass_and_inertia
    m, inertia = mass_and_inertia(nut, DENSITY)
    exact = GRAVITY * (2 * np.pi / PITCH) / (1 + inertia * (2 * np.pi / PITCH)**2 / m)
    # After the landing. Facets of 10 degrees make the slope of the thread uneven: 3 %.
    measured = (rate[95] - rate[31]) / (64 * DT)
    print(f"FIGURE free_nut.acceleration = {-measured / exact:.4f} (within 0.97 to 1.03)")
    assert measured == pytest.approx(-exact, rel=0.03)
    turned, sunk = angle[96] - angle[32], height_of[96] - height_of[32]
    assert sunk == pytest.approx(turned * PITCH / (2 * np.pi), rel=0.01)
