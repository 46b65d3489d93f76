"""Scene files of material points are the scenes of the scripts beside them."""

import numpy as np
import pytest

import haptos
from conftest import load_script


@pytest.mark.parametrize(("name", "steps", "points"), [("roll", 4, "dough"), ("tear", 8, "dough"), ("cook", 10, "dough"), ("pour", 4, "water")])
def test_the_scene_file_is_the_scene_of_the_script(name, steps, points):
    script = load_script(f"scenes/particles/{name}.py")
    sims = [s.compile(quiet=True) for s in (haptos.load_scene(f"scenes/particles/{name}.yaml"), script.scene())]
    assert not sims[0].warnings and not sims[1].warnings
    for _ in range(steps):
        for sim in sims:
            assert sim.step().ok
    first, second = (sim.material_points[points].position[0] for sim in sims)
    assert np.allclose(first, second, rtol=0, atol=1e-6)  # what the solver leaves
    if name == "cook":
        assert np.allclose(sims[0].positions("left pad"), sims[1].positions("left pad"), rtol=0, atol=1e-6)
    if name == "roll":
        pins = [sim.robots["pin"].link_pose("pin")[0] for sim in sims]
        assert pins[0][2] < 0.1449 and np.allclose(pins[0], pins[1], rtol=0, atol=1e-6)


@pytest.mark.parametrize("name", ["ball", "held_cube", "heap", "ball_program", "cube_program", "tear_program", "roll_program", "pour_program", "shake_program"])
def test_scenes_run(name):
    sim = haptos.load_scene(f"scenes/particles/{name}.yaml").compile(quiet=True)
    # What was published has few points in a cell, a band thinner than two, and arms that are stiffer than steps are short.
    assert all(any(w in text for w in ("points in a cell", "cells thick", "answers within")) for text in sim.warnings), sim.warnings
    before = np.concatenate([body.position[0] for body in sim.material_points.values()])
    for _ in range(2):
        assert sim.step().ok
    after = np.concatenate([body.position[0] for body in sim.material_points.values()])
    assert 0 < np.abs(after - before).max() < 0.02


def test_the_mug_is_that_of_the_script(tmp_path):
    script = load_script("scenes/particles/pour.py")
    haptos.write_obj(tmp_path / "mug.obj", script.cup(script.RADIUS, script.HEIGHT, script.WALL))
    assert (tmp_path / "mug.obj").read_text() == open("scenes/particles/mug.obj").read()


def test_the_paths_of_the_arms_are_those_of_the_script(tmp_path):
    script = load_script("scenes/particles/roll.py")
    script.write_paths(tmp_path)
    for side in ("left", "right"):
        assert (tmp_path / f"roll_{side}.csv").read_text() == open(f"scenes/particles/roll_{side}.csv").read()
