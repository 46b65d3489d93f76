"""The project's own scenes bring no warning, so that one is worth reading."""

import pytest

import haptos
from conftest import ROOT, outside_file

# Not the file of a sensor that lies beside them; those that need scans or a humanoid that
# scenes/layers/make.py makes are compiled strictly by test_layer_scenes.py. Numbers that others published bring
# the warnings that test_particle_scenes.py names.
SCENES = sorted(p.relative_to(ROOT).as_posix() for p in (ROOT / "scenes").glob("**/*.yaml")
                if "\npad:" not in p.read_text() and "file: made/" not in p.read_text()
                and not p.name.endswith("_program.yaml"))


@pytest.mark.parametrize("name", SCENES)
def test_a_scene_of_the_project_has_no_warning(name):
    assert haptos.load_scene(ROOT / name).compile(strict=True, quiet=True).warnings == []


@pytest.mark.parametrize("name", haptos.sensor_names())
def test_a_named_sensor_alone_has_no_warning(name):
    scene = haptos.Scene()
    haptos.load_sensor(name).add_to(scene, "gel")
    assert scene.compile(strict=True, quiet=True).warnings == []


# What is true of files that others made: what each is doubted for, at a step of 2 ms.
OTHERS = {
    "mjcf/arm26.xml": (), "mjcf/car.xml": (), "mjcf/humanoid.xml": (),
    "mjcf/newton_cradle.xml": (), "mjcf/slider_crank.xml": (), "mjcf/tactile.xml": (),
    "robots/allegro_hand_description/urdf/allegro_left_hand.urdf": ("triangle inequality",
                                                                   "outside its limits"),
    "robots/f_tac_hand_description/urdf/f_tac_hand.urdf": ("a mass of 0",),
    "robots/go2_description/urdf/go2.urdf": ("outside its limits",),
    "robots/panda_description/urdf/panda.urdf": ("outside its limits",),
}


@pytest.mark.parametrize("name", OTHERS)
def test_a_robot_of_others_is_doubted_for_what_is_true_of_it(name):
    if name.endswith(".xml"):
        pytest.importorskip("mujoco", reason="mujoco is not installed")
    robot = haptos.load_robot(outside_file(name))
    scene = haptos.Scene(dt=0.002)
    scene.add_robot("r", robot)
    said = scene.compile(quiet=True).warnings
    for part in OTHERS[name]:
        assert sum(part in w for w in said) == 1, said
    # Beside these one line of notes and one of links that overlap.
    known = [w for w in said if "overlap" in w or any(p in w for p in OTHERS[name])]
    rest = [w for w in said if w not in known]
    assert len(known) <= len(OTHERS[name]) + 1 and len(rest) <= 1, said
    assert len(said) <= 4, said
