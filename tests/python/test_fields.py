"""Fields of bodies and pairs are declared once: every front door reads the table of the library."""

import inspect
import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import haptos
from haptos.scene.fields import field_table, keywords

ROOT = Path(__file__).resolve().parents[2]
METHODS = {"soft": haptos.Scene.add_soft, "prescribed": haptos.Scene.add_prescribed,
           "affine": haptos.Scene.add_affine, "half_spaces": haptos.Scene.add_half_space,
           "robots": haptos.Scene.add_robot, "rigid": haptos.Scene.add_rigid, "constraints": haptos.Scene.add_constraint,
           "spheres": haptos.Scene.add_sphere, "pairs": haptos.Scene.add_pair}


def names_of(field):
    return ("position", "quaternion") if field.type == "pose" else (field.name,)


@pytest.mark.parametrize("section", METHODS)
def test_methods_take_every_field_and_say_what_it_means(section):
    method = METHODS[section]
    parameters, text = inspect.signature(method).parameters, inspect.getdoc(method)
    for field in keywords(section):
        for name in names_of(field):
            assert name in parameters, name
            assert re.search(rf"\b{name}\b", text), name
        assert field.plain in text


@pytest.mark.parametrize("section", METHODS)
def test_describe_lists_every_field(section, capfd):
    from haptos.cli.info import describe_what

    describe_what(section)
    out = capfd.readouterr().out
    for field in field_table(section):
        assert field.name in out


def test_the_page_of_scene_files_has_the_tables_of_the_library():
    done = subprocess.run([sys.executable, ROOT / "scripts/field_tables", "--check"], check=False,
                          capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


def box():
    return haptos.box((0.02, 0.02, 0.02))


def test_entries_tell_every_field_as_it_was_given():
    scene = haptos.Scene()
    given = {"velocity": (1, 2, 3), "omega": (0, "90 deg/s", 0), "density": "2 g/cm3",
             "stiffness": "20 MPa", "force": ("1 mN", 0, 0), "torque": (0, 0, 0.5), "gravity": False,
             "friction": (0.5, 0.4), "group": "crates"}
    scene.add_affine("crate", box(), position=(0, 0, 1), **given)
    entry = scene.entries()["affine"][0]
    assert entry["velocity"] == (1, 2, 3) and entry["omega"][1] == pytest.approx(np.pi / 2)
    assert entry["density"] == 2000 and entry["stiffness"] == 20e6 and entry["force"][0] == 1e-3
    assert entry["torque"] == (0, 0, 0.5) and entry["gravity"] is False and entry["guide"] is None
    assert entry["friction"] == (0.5, 0.4) and entry["group"] == "crates"
    assert set(entry) >= {f.name for f in keywords("affine")}


WRONG = {
    "a name near one": (lambda s: s.add_affine("b", box(), frction=0.5), ["frction", 'did you mean "friction"']),
    "a name of none": (lambda s: s.add_half_space("b", colour="red"), ["colour", "is no argument", "friction"]),
    "a number out of range": (lambda s: s.add_affine("b", box(), stiffness=0.001), ["stiffness = 0.001 Pa", "from 1 to 1e+14 Pa"]),
    "one of a vector": (lambda s: s.add_affine("b", box(), velocity=(0, 0, 1e9)), ["velocity", "from -1e+06 to 1e+06 m/s"]),
    "a flag that is none": (lambda s: s.add_affine("b", box(), gravity="no"), ["gravity", "True or False"]),
    "two that exclude": (lambda s: s.add_affine("b", box(), mass=1, density=1, inertia=(1, 1, 1)), ["both a mass and a density"]),
    "one without the other": (lambda s: s.add_affine("b", box(), centre=(0, 0, 0)), ["centre but no mass"]),
    "an axis of no length": (lambda s: s.add_affine("b", box(), guide=(0, 0, 0)), ["guide", "must have a direction"]),
    "a word": (lambda s: s.add_pair("a", "b", model="morta"), ["morta", "barrier, mortar, point, layer or hydroelastic", 'did you mean "mortar"']),
    "friction upside down": (lambda s: s.add_half_space("b", friction=(0.4, 0.5)), ["friction", "exchange the two"]),
    "a group that is none": (lambda s: s.add_half_space("b", group=3), ["group", "must be a text"]),
}


@pytest.mark.parametrize("case", WRONG)
def test_what_is_wrong_is_refused_at_once_with_a_sentence(case):
    act, parts = WRONG[case]
    with pytest.raises(haptos.InputError) as e:
        act(haptos.Scene())
    for part in parts:
        assert part in str(e.value), str(e.value)


def test_a_model_that_two_kinds_do_not_take_is_refused_with_the_table():
    scene = haptos.Scene()
    scene.add_half_space("floor")
    scene.add_affine("crate", box(), position=(0, 0, 1))
    scene.add_pair("crate", "floor", model="mortar")
    with pytest.raises(haptos.InputError, match="an affine body and a half-space take barrier"):
        scene.validate()


def test_types_for_editors_have_every_keyword():
    text = (Path(haptos.__file__).parent / "_fields.pyi").read_text()
    for section, title in (("affine", "AffineFields"), ("pairs", "PairsFields"), ("soft", "SoftFields")):
        body = text.split(f"class {title}(")[1].split("class ")[0]
        for field in keywords(section):
            for name in names_of(field):
                assert f"    {name}: " in body


def test_recordings_hold_the_fields_of_bodies(tmp_path):
    import h5py

    scene = haptos.Scene(dt=0.01)
    scene.add_affine("crate", box(), position=(0, 0, 1), friction=(0.5, 0.4), group="crates")
    sim = scene.compile()
    with haptos.Recorder(tmp_path / "run.h5", sim) as recorder:
        sim.run(0.01, each=recorder.record)
    with h5py.File(tmp_path / "run.h5") as f:
        attributes = f["affine/crate"].attrs
        assert attributes["friction"].tolist() == [0.5, 0.4] and attributes["group"] == "crates"
        assert attributes["density"] == 1000 and attributes["mass"] == pytest.approx(0.008)
