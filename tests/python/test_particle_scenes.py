"""Scripts of material points measure by the numbers of the scene files that they load."""

import numpy as np
import pytest

from conftest import load_script


@pytest.mark.parametrize("name", ["roll", "tear", "cook"])
def test_a_script_knows_the_numbers_of_its_scene_file(name):
    script = load_script(f"scenes/particles/{name}.py")
    scene = script.scene()
    sim = scene.compile(quiet=True)
    assert not sim.warnings
    (dough,) = scene.entries()["material_points"]
    x = sim.material_points["dough"].position[0]
    size = x.max(0) - x.min(0)
    if name != "roll":
        assert (size < script.SIZE).all() and (size > np.array(script.SIZE) - dough["cell"]).all()
    if name != "cook":
        assert dough["cell"] == pytest.approx(script.CELL, rel=1e-12)
    if name == "roll":
        pin = sim.robots["pin"].link_pose("pin")[0, :3]
        assert pin == pytest.approx(script.middle(0)[0], abs=1e-12)
        for side, sign in (("left", 1), ("right", -1)):
            fist = sim.robots[f"{side} arm"].link_pose("fist")[0, :3]
            assert fist - pin == pytest.approx([0, sign * script.ENDS, 0], abs=1e-12)
    if name == "tear":
        finger = np.ptp(sim.positions("left near")[0], axis=0)
        assert finger == pytest.approx(script.FINGER, abs=1e-12)
    assert sim.step().ok


def test_the_paths_of_the_arms_are_those_of_the_script(tmp_path):
    script = load_script("scenes/particles/roll.py")
    script.write_paths(tmp_path)
    for side in ("left", "right"):
        assert (tmp_path / f"roll_{side}.csv").read_text() == open(f"scenes/particles/roll_{side}.csv").read()
