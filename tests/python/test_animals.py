"""Animals that are meshes of parts run through each other, in a pile (scenes/pressure/animals.py)."""

import numpy as np
import pytest

import haptos
from conftest import load_script

animals = load_script("scenes/pressure/animals.py")


def test_animals_are_turned_about_their_centre_of_mass():
    ball = animals.centred(animals.ball((1, 2, 3), (2, 2, 2)))
    assert np.asarray(ball.vertices).mean(axis=0) == pytest.approx([0, 0, 0], abs=1e-9)
    sim = animals.scene(4).compile()
    for name in animals.animals():
        view = next(v for n, v in sim.robots.items() if n.startswith(name))
        still = haptos.Tree(view.robot).energy(view.position[0], view.velocity[0])
        mass = view.robot.links[0].mass
        assert still == pytest.approx([0, 9.81 * mass * view.position[0, 2]], rel=1e-6)


def test_a_few_come_to_rest():
    sim, course = animals.fall(6, seconds=0.9, every=0.1)
    assert course.outside == 0
    assert animals.deepest(sim) < 5e-4
    assert course.kinetic[-1] < 1e-4 * course.kinetic.max()


@pytest.mark.full
def test_ninety_one_come_to_rest():
    sim, course = animals.fall(every=0.1)
    assert course.outside == 0
    late = course.time > 0.95
    energy = (course.kinetic + course.potential + course.elastic)[late]
    rises = np.maximum(np.diff(energy), 0).max()
    print(f"FIGURE animals.fastest = {1e3 * course.fastest[-1]:.3g} mm/s (at most 0.1)")
    print(f"FIGURE animals.kinetic = {course.kinetic[-1]:.3g} J (at most 1e-8)")
    print(f"FIGURE animals.energy_rises_by = {rises:.3g} J (at most 1e-6)")
    print(f"FIGURE animals.deepest = {1e3 * animals.deepest(sim):.3g} mm (at most 1)")
    assert animals.deepest(sim) < 1e-3
    assert course.fastest[-1] < 1e-4
    assert course.kinetic[-1] < 1e-8
    assert rises < 1e-6
