"""scenes/hertz.yaml: a scene file that gives the force of Hertz, with the factor of a bonded layer."""

import numpy as np
import pytest
from conftest import ROOT

import haptos

YOUNG, POISSON, RADIUS, THICKNESS = 1e5, 0.48, 20e-3, 10.2e-3


def hertz(depth):
    """Force of a rigid ball on a half-space [N]."""
    return 4 / 3 * YOUNG / (1 - POISSON**2) * np.sqrt(RADIUS) * depth**1.5


def bonded_layer(depth):
    """What a bonded layer adds to it, for sqrt(R d) small against the thickness (Dimitriadis 2002)."""
    chi = np.sqrt(RADIUS * depth) / THICKNESS
    a = -(1.2876 - 1.4678 * POISSON + 1.3442 * POISSON**2) / (1 - POISSON)
    b = (0.6387 - 1.0277 * POISSON + 1.5164 * POISSON**2) / (1 - POISSON)
    pi = np.pi
    return (1 - 2 * a / pi * chi + 4 * a**2 / pi**2 * chi**2
            - 8 / pi**3 * (a**3 + 4 * pi**2 / 15 * b) * chi**3
            + 16 * a / pi**4 * (a**3 + 3 * pi**2 / 5 * b) * chi**4)


def test_a_scene_file_gives_the_force_of_hertz_on_a_bonded_layer():
    sim = haptos.load_scene(ROOT / "scenes/hertz.yaml").compile()
    assert sim.step().ok
    top = np.asarray(sim.positions("gel"))[0]
    pole = top[np.argmin(np.hypot(*top[:, :2].T) - top[:, 2])]
    depth = -pole[2]
    force = -4 * sim.contact_wrench("gel").force[0, 2]
    assert 4.7e-5 < depth < 5.0e-5  # the command is 49 um, the gap at the pole within the support
    assert np.sqrt(RADIUS * depth) / THICKNESS < 0.1  # where the factor holds
    # Elements of .3 mm under a contact 1 mm in radius, and facets of the ball: 2 %.
    assert force == pytest.approx(hertz(depth) * bonded_layer(depth), rel=0.02)
    assert -4 * sim.reaction("mount").force[0, 2] == pytest.approx(force, rel=3e-3)
