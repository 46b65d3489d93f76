"""Presses to a force, sideways and about their axis: forces against Coulomb's law, stick, slip."""

import math
import re

import h5py
import numpy as np
import pytest
from PIL import Image

import haptos
from conftest import ROOT, SMALL_SENSOR, write_small_sensor
from haptos.cli.main import run_command
from haptos.press import report as press_report
from haptos.press.motion import FORCE_TOLERANCE, KEPT_TOLERANCE, Motion, Plan
from haptos.press import prepare
from haptos.press.report import draw_press, press_table

MU = 0.2


@pytest.fixture(scope="module")
def sensor(tmp_path_factory):
    return write_small_sensor(tmp_path_factory.mktemp("sensor"))


def run(press):
    while not press.done:
        press.step()
    return press


def pressed(sensor, shape, **how):
    return run(prepare(shape, sensor=sensor, friction=MU, options={"contact.divisions": 2}, **how))


def of(press, phase):
    return [s for s in press.history if s.phase == phase]


@pytest.fixture(scope="module")
def sheared(sensor):
    """A flat punch pressed with .1 N, then .3 N, and sheared until all of it slips."""
    return pressed(sensor, "cylinder", force=[0.1, 0.3], shear=0.4e-3)


@pytest.fixture(scope="module")
def twisted(sensor):
    return pressed(sensor, "cylinder", force=0.3, twist=math.radians(10))


def test_every_step_converges_and_balances(sheared, twisted):
    for press in (sheared, twisted):
        for s in press.history:
            assert s.report.status[0] == 0
            assert s.imbalance < 1e-3
            # Torque too: what turns the object turns the mount the other way.
            np.testing.assert_allclose(s.object_torque, -s.mount_torque, atol=3e-6)


def test_forces_are_met_on_one_way_down(sheared):
    met = sheared.records()
    assert [force for force, _ in met] == [0.1, 0.3]
    for force, s in met:
        assert abs(s.normal / force - 1) <= FORCE_TOLERANCE
    down = [s.depth for s in of(sheared, "press")]
    assert np.all(np.diff(down) > 0)
    assert met[1][1].depth < sheared.plan.deepest


def test_the_force_is_kept_while_the_object_moves_sideways_and_turns(sheared, twisted):
    for press in (sheared, twisted):
        aside = of(press, "shear") + of(press, "twist") + of(press, "hold")
        assert all(abs(s.normal / 0.3 - 1) <= KEPT_TOLERANCE for s in aside)
        assert [s.phase for s in aside[-2:]] == ["hold", "hold"]
        # Standing still changes nothing: the motion was quasi-static.
        assert aside[-1].tangential == pytest.approx(aside[-2].tangential, abs=1e-3)


def test_friction_obeys_coulomb_and_reaches_it(sheared):
    shear = of(sheared, "shear")
    for s in sheared.history:
        assert s.grip.friction <= MU * s.grip.normal * (1 + 1e-3)
    assert shear[0].grip.stuck > 0.2 and min(s.grip.stuck for s in shear) < 0.02
    slid = [s for s in shear if s.grip.stuck < 0.02]
    for s in slid:  # flat: the rim makes a little of the normal force point sideways
        assert s.tangential == pytest.approx(MU * s.normal, rel=0.06)
        assert s.object_force[0] < 0 and abs(s.object_force[1]) < 0.05 * s.tangential
    assert shear[-1].shift == pytest.approx([0.4e-3, 0])
    # Force grows until all slips.
    first = [s.tangential for s in shear[:2]]
    assert first[0] < 0.8 * slid[0].tangential and first[0] < first[1]


def test_slip_begins_at_the_edge(sensor):
    press = pressed(sensor, "sphere2", depth=0.5e-3, shear=0.1e-3)
    first = of(press, "shear")[0]
    radius = np.linalg.norm(first.grip.place - first.shift, axis=1)
    sticks = first.grip.sticks
    assert 0.1 < first.grip.stuck < 0.9
    assert radius[~sticks].mean() > 1.2 * radius[sticks].mean()


def test_the_moment_of_a_twist_grows_to_that_of_full_slip(twisted):
    turned = of(twisted, "twist")
    moments = [-s.moment for s in turned]
    assert moments[0] < 0.8 * moments[3] and len(turned) == 10
    # Full slip: mu times the sum of normal force times radius, of the contacts at the end; between
    # 2/3 mu N a of even pressure and mu N a of pressure at the rim alone.
    c = twisted.sim.contacts
    full = MU * (c["normal_force"] * np.linalg.norm(c["p"][:, :2], axis=1)).sum()
    slid = [s for s in turned if s.grip.stuck < 0.02]
    assert len(slid) >= 3
    for s in slid:
        assert -s.moment == pytest.approx(full, rel=0.03)
        assert 2 / 3 * MU * 0.3 * 3e-3 < -s.moment < MU * 0.3 * 3e-3
    assert turned[-1].turn == pytest.approx(math.radians(10))
    assert twisted.sim.pose("object")[0, 3:] == pytest.approx(
        [math.cos(math.radians(5)), 0, 0, math.sin(math.radians(5))])


def test_shear_and_twist_turn_about_where_the_object_is(sensor):
    press = pressed(sensor, "cylinder", depth=0.05e-3, shear=(0.1e-3, -0.05e-3),
                    twist=math.radians(-2), at=(1e-3, 0.5e-3))
    x = press.sim.positions("object")[0]
    tip = x[x[:, 2] < x[:, 2].min() + 1e-6]
    np.testing.assert_allclose(tip[:, :2].mean(axis=0), [1.1e-3, 0.45e-3], atol=1e-6)
    assert {s.phase for s in press.history} == {"press", "shear", "twist", "hold"}
    assert of(press, "hold")[-1].depth == pytest.approx(0.05e-3)


def test_several_depths_are_read_on_one_way_down(sensor):
    press = pressed(sensor, "sphere2", depth=np.linspace(0, 0.3e-3, 4))
    assert [d for d, _ in press.records()] == pytest.approx([0, 1e-4, 2e-4, 3e-4])
    assert press.plan.descent() == [1, 2, 2, 2]  # 80 um at most
    assert press.steps == len(press.history) == 7
    forces = [s.normal for _, s in press.records()]
    assert np.all(np.diff(forces) > 0)
    few = pressed(sensor, "sphere2", depth=np.linspace(0, 0.3e-3, 4), steps=4)
    assert few.plan.descent() == [1, 1, 1, 1]
    assert few.history[-1].normal == pytest.approx(forces[-1], rel=0.01)
    alone = pressed(sensor, "sphere2", depth=0.3e-3, steps=4)
    assert alone.history[-1].normal == pytest.approx(forces[-1], rel=0.01)


class Spring:
    """A gel that pushes back with a power of the depth, in place of a Sim."""

    envs = 1
    contacts = np.zeros(0, [("normal_force", float), ("sticking", int), ("gap", float),
                            ("tangential_force", float, 3), ("p", float, 3)])

    def __init__(self, power, scale):
        self.law, self.state, self.count = (lambda d: scale * max(d, 0) ** power), 0.0, 0

    def set_target(self, _, position, __):
        self.state = -position[2]

    def step(self):
        self.count += 1
        return type("Report", (), {"missed": [0.0]})

    def reaction(self, name, about=None):
        force = self.law(self.state) * (1 if name == "object" else -1)
        return type("Wrench", (), {"force": np.array([[0, 0, force]]),
                                   "torque": np.zeros((1, 3))})


@pytest.mark.parametrize("power", [1.0, 1.43, 2.0, 3.0])
@pytest.mark.parametrize("depth", [1e-5, 7.9e-5, 3e-4, 1.999e-3])
def test_any_force_is_met_in_few_trials(power, depth):
    spring = Spring(power, 1e3 / 1e-3**power * 1e-3)
    force = spring.law(depth)
    plan = Plan((), (force,), (0.0, 0.0), 0.0, None, 2.1e-5, 2e-3)
    steps = list(Motion(spring, plan, np.array([0, 0, 2.1e-5]), np.zeros(2)).steps())
    met = next(s for s in steps if s.target is not None)
    assert abs(met.normal / force - 1) <= FORCE_TOLERANCE
    assert met.depth == pytest.approx(depth, rel=1.1 * FORCE_TOLERANCE)
    assert spring.count <= math.ceil(depth / 8e-5) + 20


def test_a_force_out_of_reach_says_how_far_it_got(sensor):
    plan = Plan((), (5.0,), (0.0, 0.0), 0.0, None, 2.1e-5, 2e-3)
    motion = Motion(Spring(1.43, 3e4), plan, np.array([0, 0, 2.1e-5]), np.zeros(2))
    with pytest.raises(haptos.PressError, match=r"5 N cannot be reached: .* 2 mm, half .* N; ask"):
        list(motion.steps())
    with pytest.raises(haptos.InputError, match="more than this pad can bear"):
        prepare("sphere", sensor=sensor, force=5e3)


def test_the_recording_and_the_pictures_tell_the_phases(sheared, tmp_path):
    table = press_table(sheared.history, list(range(len(sheared.history))))
    phase = table["phase"][0]
    assert list(np.unique(phase)) == [1, 2, 4] and "2 shear" in table["phase"][1]
    assert np.nanmax(table["target"][0]) == 0.3 and table["object_force"][0].shape[1] == 3
    assert "grip" in draw_press(sheared, tmp_path, 160)
    image = np.asarray(Image.open(tmp_path / "grip.png")).astype(int)
    blue, orange = (np.abs(image - c).sum(axis=2) < 30 for c in ((31, 95, 150), (217, 119, 43)))
    width = image.shape[1] // 5
    first, last = (blue[:, part].sum() / orange[:, part].sum()
                   for part in (slice(0, width), slice(4 * width, None)))
    assert first > 0.3  # the middle sticks at first; most dots lie in the ring that slips
    assert last < 0.1  # in the end all slips


def command(*arguments):
    """Runs haptos press here, with small pictures."""
    return run_command(["press", *arguments, "--out", "out"])


@pytest.fixture
def here(tmp_path, monkeypatch):
    monkeypatch.setattr(press_report, "PICTURE_WIDTH", 96)
    monkeypatch.chdir(tmp_path)


def test_the_command_shears_twists_and_reports(tmp_path, sensor, here, capsys):
    assert command("cylinder", "--sensor", sensor, "--force", "0.1N,0.2N", "--shear", "0.1mm",
                   "--twist", "2deg", "--friction", "0.3") == 0
    out = capsys.readouterr().out
    assert "asked for 0.2 N: 0.2" in out and "moment about the axis" in out
    with h5py.File(tmp_path / "out" / "run.h5") as f:
        assert f.attrs["finished"] and len(f["time"]) == len(f["press/phase"]) + 1
        assert f["press/shift"][-1] == pytest.approx([1e-4, 0])
        assert f["press/turn"][-1] == pytest.approx(math.radians(2))
        np.testing.assert_allclose(f["press/object_force"][:], f["prescribed/object/force"][1:, 0])
        assert '"friction": 0.3' in f.attrs["settings"]
    text = (tmp_path / "out" / "report.html").read_text()
    for part in ("Force over shear", "Moment over twist", "Stick and slip over shear", "Phases",
                 "Force reached", "Kept afterwards within", "0.3 x normal", "Then turned",
                 "mm at 1 mm/s", "2 deg at 20 deg/s", "Forces, met within 0.1 %",
                 "Sum of the contact field less the glue"):
        assert part in text, part


def test_a_force_out_of_reach_ends_the_command_with_a_report(tmp_path, sensor, here, capsys):
    assert command("sphere2", "--sensor", sensor, "--force", "20N", "--steps", "8") == 1
    err = capsys.readouterr().err
    assert "cannot be reached" in err and "half the pad" in err
    with h5py.File(tmp_path / "out" / "run.h5") as f:
        assert not f.attrs["finished"] and len(f["press/phase"]) >= 8
    assert "cannot be reached" in (tmp_path / "out" / "report.html").read_text()


# -- what is refused ---------------------------------------------------------------------------


@pytest.mark.parametrize(("how", "said"), [
    ({"depth": 1.0}, "1 m: must be more than 0 and less than the pad's thickness of 3 mm"),
    ({"depth": []}, "must be 1 to 1000 values"), ({"depth": [[1e-3]]}, "a row of numbers"),
    ({"depth": float("nan")}, "must be more than 0"),
    ({"depth": [2e-4, 1e-4]}, "must rise"), ({"depth": [1e-4, np.inf]}, "must be more than 0"),
    ({"depth": 1e-3, "force": 1.0}, "cannot both"), ({"force": -1.0}, "more than 0"),
    ({"force": [1.0, 1.0]}, "must rise"), ({"force": ["up"]}, "in N"),
    ({"force": [1.0, None]}, "must be a number in N"), ({"force": 1e9}, "can bear"),
    ({"shear": (1e-3, 1e-3, 1e-3)}, "half the pad's width"), ({"shear": 0.5}, "--shear 0.5mm"),
    ({"shear": np.nan}, "half the pad's width"),
    ({"twist": 10.0}, "--twist 10deg"), ({"twist": np.nan}, "-180 to 180"),
    ({"twist": [0.1, 0.1]}, "-180 to 180"), ({"friction": -1.0}, "must be from 0"),
    ({"at": (np.nan, 0.0)}, "must lie on the pad"), ({"at": (0.1, 0.0)}, "must lie on the pad"),
    ({"at": (0.0,)}, "must lie on the pad"), ({"steps": 0}, "from 1 to 100000"), ({"steps": -3, "force": 1.0}, "from 1 to 100000")])
def test_what_cannot_be_pressed_is_refused_with_a_remedy(sensor, how, said):
    with pytest.raises(haptos.InputError) as caught:
        prepare("sphere", sensor=sensor, **how)
    assert said in str(caught.value) and caught.value.element


def test_a_pad_whose_glued_face_cannot_be_told_is_refused(tmp_path):
    pad = haptos.box_pad(12e-3, 12e-3, 3e-3, grading=haptos.PadGrading.uniform(1.5e-3),
                         dome=(30e-3, 30e-3)).mesh
    tilted = pad.transformed(quaternion=(0.995, 0.0998749, 0, 0))
    for name, mesh, face in (("tilted", tilted, "top"), ("on its dome", pad, "bottom")):
        path = tmp_path / f"{name}.vtk"
        haptos.write_vtk(path, mesh)
        with pytest.raises(haptos.InputError, match="face to glue|no flat base"):
            prepare("sphere", pad=str(path), pad_face=face)
        if name == "on its dome":
            prepare("sphere", pad=str(path))


def test_markers_beside_the_coat_are_refused(tmp_path):
    path = tmp_path / "far.yaml"
    path.write_text(SMALL_SENSOR + "markers: {rows: 9, columns: 9, pitch: 2 mm}\n")
    with pytest.raises(haptos.InputError, match="must lie on the coat; take fewer rows"):
        prepare("sphere", sensor=str(path))


def bad_pictures():
    rgb = Image.fromarray(np.zeros((48, 64, 3), np.uint8))
    wide = Image.new("1", (65535, 4000))
    return {"palette": (rgb.convert("P"), None), "sixteen bits": (
        Image.fromarray(np.zeros((48, 64), np.uint16)), "8 bits a colour"),
        "huge": (wide, "2^26 pixels"), "other size": (rgb.resize((32, 48)), "must have shape"),
        "truncated": (rgb, "cannot be read"), "no picture": (None, "cannot be read")}


@pytest.mark.parametrize("kind", list(bad_pictures()))
def test_background_pictures_of_a_sensor_are_read_or_refused(tmp_path, kind):
    picture, said = bad_pictures()[kind]
    path = tmp_path / "background.png"
    if picture is not None:
        picture.save(path)
    if kind == "truncated":
        path.write_bytes(path.read_bytes()[:60])
    if kind == "no picture":
        path.write_bytes(b"#!/bin/sh")
    (tmp_path / "lights.yaml").write_text(
        "model: lights\nambient: [30, 30, 30]\nbackground: background.png\n"
        "lights:\n  - {position: [16 mm, 0 mm, -6 mm], colour: [120, 18, 18]}\n")
    (tmp_path / "mine.yaml").write_text(SMALL_SENSOR + "rgb: lights.yaml\n")
    if said is None:
        assert prepare("sphere", sensor=str(tmp_path / "mine.yaml")).sensor.has_colours
        return
    with pytest.raises(haptos.InputError, match=re.escape(said)):
        prepare("sphere", sensor=str(tmp_path / "mine.yaml"))


def test_a_closed_recording_takes_no_more(sheared, tmp_path):
    recorder = haptos.Recorder(tmp_path / "run.h5", sheared.sim)
    recorder.close()
    for use in (lambda: recorder.record(None), lambda: recorder.add_table("press", {}),
                lambda: recorder.set_attributes(a=1)):
        with pytest.raises(haptos.InputError, match="is closed"):
            use()
    recorder.close()
    recorder.discard()
    assert (tmp_path / "run.h5").is_file()


def test_every_dataset_of_a_press_is_documented(sheared):
    text = (ROOT / "docs" / "files.md").read_text()
    for name in press_table(sheared.history, [0] * len(sheared.history)):
        assert f"`{name}`" in text or f"`press/{name}`" in text, name
