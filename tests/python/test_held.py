"""Vertices of soft bodies that are held."""

import numpy as np
import pytest

import haptos

G, SIDE, YOUNG, DENSITY = 9.81, 0.04, 1e5, 1000.0


def hanging(contact="live", element="linear", integrator="implicit_euler", axes="xyz", **fields):
    """A block held by its top, or along some axes of it."""
    scene = haptos.Scene(dt=0.01)
    scene.sim.integrator = integrator
    pad = haptos.box_pad(SIDE, SIDE, SIDE, grading=haptos.PadGrading.uniform(0.01)).mesh
    x = np.asarray(pad.vertices)
    top = np.flatnonzero(x[:, 2] > -1e-9)
    scene.add_soft("block", pad, contact=contact, element=element, held=[(top, axes)],
                   material={"young": YOUNG, "poisson": 0.0, "density": DENSITY, "stiffness_damping": "20 ms"}, **fields)
    return scene, x, top


@pytest.mark.parametrize("fields", [
    {}, {"contact": "frozen"}, {"element": "composite"}, {"integrator": "bdf2"}, {"integrator": "quasi_static"},
    {"velocity": (0.3, 0, -0.2)}])
def test_what_is_held_does_not_fall(fields):
    """It hangs from there and is longer by rho g l^2 / (2 E), or by a little less as its elements are coarse."""
    scene, x, top = hanging(**fields)
    sim = scene.compile(quiet=True)
    for _ in range(80):
        assert sim.step().ok
    y = sim.positions("block")[0]
    assert (y[top] == x[top]).all()
    bottom = np.flatnonzero(np.isclose(x[:, 2], -SIDE))
    longer = (x[bottom, 2] - y[bottom, 2]).mean()
    assert longer == pytest.approx(DENSITY * G * SIDE**2 / (2 * YOUNG), rel=0.05)


def test_what_is_held_along_one_axis_falls_along_the_others():
    scene, x, top = hanging(axes="x")
    sim = scene.compile(quiet=True)
    for _ in range(10):
        assert sim.step().ok
    moved = sim.positions("block")[0, top] - x[top]
    assert (moved[:, 0] == 0).all()
    assert moved[:, 2] == pytest.approx(-G * 0.01**2 * 10 * 11 / 2, rel=1e-6)


def test_what_is_held_beside_a_robot():
    """All in one frozen step: the convex solver starts from the free motion."""
    scene, x, top = hanging(contact="frozen", element="linear")
    scene.add_half_space("floor", offset=-0.5)
    scene.add_rigid("ball", haptos.RobotShape("sphere", 0.02), mass=1, position=(0.3, 0, -0.4))
    sim = scene.compile(quiet=True)
    for _ in range(40):
        assert sim.step().ok
    assert (sim.positions("block")[0, top] == x[top]).all()
