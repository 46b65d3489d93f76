"""Options come from the C++ tables; Python repeats none."""

import pickle

import pytest

import haptos
from haptos import _core
from haptos.base.units import convertible_units, known_units, parse_quantity, show_length


def test_every_option_has_a_default_inside_its_range_and_a_sentence():
    table = haptos.option_table()
    assert {o.group for o in table} >= {"material", "sim", "newton", "solver", "contact"}
    for o in table:
        assert o.lo <= o.default <= o.hi, o
        assert len(o.doc) > 10, o


def test_material_options_are_checked_when_they_are_set():
    m = haptos.Material(young=2e5)
    assert m.young == 2e5 and m.density == 1000
    assert "young" in dir(m) and "Young's modulus" in haptos.Material.__doc__
    m.poisson = 0.4
    for name, value in (("poisson", 0.5), ("young", -1), ("density", float("nan")), ("law", 0.5)):
        with pytest.raises(haptos.InputError, match=name):
            setattr(m, name, value)
    with pytest.raises(haptos.InputError, match='did you mean "young"'):
        haptos.Material(yung=1e5)
    with pytest.raises(haptos.InputError, match="number"):
        haptos.Material(young="soft")
    assert m.poisson == 0.4
    m.law = "st_venant_kirchhoff"
    assert m.law == 2 and haptos.Material(law="linear").law == 4
    with pytest.raises(haptos.InputError, match='did you mean "linear"'):
        m.law = "liner"
    assert dict(pickle.loads(pickle.dumps(m)).items()) == dict(m.items())


def test_scene_options_are_kept_by_the_scene():
    scene = haptos.Scene(dt=0.02, gravity=(0, 0, -1.6))
    scene.contact.support = 1e-5
    assert (scene.sim.dt, scene.sim.gravity_z, scene.contact.support) == (0.02, -1.6, 1e-5)
    scene.solver.method = 2
    assert scene.solver.method == 2 and scene.solver.direct_limit > 0
    with pytest.raises(haptos.InputError, match="solver.method"):
        scene.solver.method = 3
    assert isinstance(scene.newton.strict, bool) and isinstance(scene.newton.max_iterations, int)
    with pytest.raises(haptos.InputError, match="sim.dt"):
        scene.sim.dt = 0
    with pytest.raises(haptos.InputError, match="support"):
        scene.contact.suport = 1


@pytest.mark.parametrize(("text", "unit", "value"), [
    ("1mm", "m", 1e-3), ("0.5 mm", "m", 5e-4), ("1e-3", "m", 1e-3), (" 20 um ", "m", 2e-5),
    ("435kPa", "Pa", 4.35e5), ("2e5", "Pa", 2e5), (".48", "", 0.48), ("20ms", "s", 0.02),
    ("-3", "m", -3.0), ("1 g/cm3", "kg/m3", 1000.0), ("20µm", "m", 2e-5), ("20 μm", "m", 2e-5),
    ("1 h", "s", 3600.0), ("2 N/mm3", "Pa/m", 2e9), ("9.81 m/s^2", "m/s2", 9.81),
    ("5Hz", "1/s", 5.0)])
def test_quantities_are_read(text, unit, value):
    assert parse_quantity(text, unit, "x") == pytest.approx(value, rel=1e-15)


@pytest.mark.parametrize(("text", "unit"), [
    ("", "m"), ("mm", "m"), ("1,5mm", "m"), ("1mmm", "m"), ("1kPa", "m"), ("nan", "m"),
    ("inf", "m"), ("1e999", "m"), ("0x10", "m"), ("1 2", "m"), ("3mm", ""), ("1__0", "m"),
    ("١", "m")])
def test_what_is_no_quantity_is_refused(text, unit):
    with pytest.raises(haptos.InputError):
        parse_quantity(text, unit, "x")


def test_every_unit_of_an_option_can_be_written():
    for o in haptos.option_table():
        assert not o.unit or o.unit in convertible_units(), o
        for name in known_units(o.unit):
            assert parse_quantity(f"0 {name}", o.unit, "x") == 0


def test_lengths_are_shown_in_a_unit_that_fits():
    assert [show_length(v) for v in (0, 2e-5, 1.5e-3, 2.0)] == ["0 mm", "20 um", "1.5 mm", "2 m"]


def test_status_bits_have_sentences():
    table = haptos.status_table()
    assert len(table) >= 4 and haptos.describe_status(0) == "ok"
    for bit, name, meaning, remedy in table:
        text = haptos.describe_status(bit)
        assert name in text and meaning in text and remedy in text
    assert _core.nearest_name("sphre", ["sphere", "cone"]) == "sphere"
