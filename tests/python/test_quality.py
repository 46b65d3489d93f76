"""The words of quality: which elements, contact and tolerances each stands for, wherever it is given."""

import json

import h5py
import numpy as np
import pytest

import haptos
from conftest import run_haptos
from haptos.cli.main import run_command
from haptos.press.make import start_press
from haptos.press.press import prepare
from haptos.press.recipe import OnePress, Recipe
from haptos.press.run import PressRun
from haptos.tactile.quality import QUALITIES

WORDS = ("fast", "normal", "fine")


def vertices(quality, **options):
    return len(prepare("sphere", depth=3e-4, quality=quality, **options).sim.positions("gel")[0])


def edges(model):
    """Lengths of the coat's edges near the middle of the pad [m]."""
    gel = model.gel
    x, t = np.asarray(gel.mesh.vertices), np.asarray(gel.coat)
    t = t[(np.abs(x[t][:, :, :2]) < 2.6e-3).all(axis=(1, 2))]
    return np.linalg.norm((x[t] - x[np.roll(t, 1, axis=1)])[:, :, :2], axis=-1)


def test_there_are_three_words_and_each_is_finer_than_the_last():
    assert tuple(QUALITIES) == WORDS
    widths = [q.widths[0] for q in QUALITIES.values()]
    assert widths == sorted(widths, reverse=True)
    supports = [q.support for q in QUALITIES.values()]
    assert supports == sorted(supports, reverse=True)


@pytest.mark.parametrize("name", haptos.sensor_names())
def test_every_named_sensor_has_every_quality(name):
    models = [haptos.load_sensor(name, quality=word) for word in WORDS]
    for model in models:
        assert haptos.check_volume(model.gel.mesh).findings() == []
        # The same pad: its outline, thickness and top.
        x, whole = np.asarray(model.gel.mesh.vertices), np.asarray(models[1].gel.mesh.vertices)
        np.testing.assert_allclose(np.ptp(x[:, :2], axis=0), np.ptp(whole[:, :2], axis=0), atol=1e-9)
        assert model.gel.thickness == models[1].gel.thickness and abs(x[:, 2].max()) < 1e-12
        rest = haptos._core.DepthSensor(model.camera, x, model.gel.coat).rest_height()
        assert np.isfinite(rest).all()  # every pixel sees coat
    counts = [len(m.gel.mesh.vertices) for m in models]
    assert counts[0] < counts[1] / 5 and counts[1] < counts[2]
    # The widths that the table promises, where the pad is pressed: edges and diagonals.
    for word, model in zip(("fast", "fine"), (models[0], models[2]), strict=True):
        width = QUALITIES[word].pad.centre
        assert 0.6 * width < edges(model).min() and edges(model).max() < 1.5 * np.sqrt(2) * width


def test_without_a_word_the_pad_is_that_of_its_file():
    for name in ("gelsight-mini", "gelslim-3"):
        np.testing.assert_array_equal(haptos.load_sensor(name).gel.mesh.vertices,
                                      haptos.load_sensor(name, quality="normal").gel.mesh.vertices)


def test_a_fine_pad_is_fine_where_it_will_be_pressed():
    fine = haptos.load_sensor("gelsight-mini", quality="fine")
    x = np.asarray(fine.gel_near((6e-3, -3e-3)).mesh.vertices)
    top = x[x[:, 2] > -1e-3]

    def near(at):
        return (np.abs(top[:, :2] - at) < 2e-3).all(axis=1).sum()

    assert near((6e-3, -3e-3)) > 8 * near((-6e-3, 3e-3)) > 0
    x = haptos.load_sensor("gelsight-mini", quality="fast").gel_near((6e-3, -3e-3)).mesh.vertices
    np.testing.assert_array_equal(
        x, haptos.load_sensor("gelsight-mini", quality="fast").gel.mesh.vertices)


def test_a_press_takes_elements_contact_and_tolerances_of_its_word():
    counts = [vertices(word, sensor="digit") for word in WORDS]
    assert 2 * counts[0] < counts[1] < counts[2]
    assert vertices(None, sensor="digit") == counts[1]
    for word in WORDS:
        settings = prepare("sphere", depth=3e-4, quality=word).settings
        q = QUALITIES[word]
        assert settings["quality"] == word and settings["elements"] in q.widths
        assert settings["contact"]["support"] == q.support
        assert settings["newton"]["force_tolerance"] == q.force_tolerance
        assert settings["newton"]["velocity_tolerance"] == q.velocity_tolerance


def test_options_and_elements_come_before_the_word():
    settings = prepare("sphere", depth=3e-4, quality="fast", elements=6e-4, options={
        "contact.support": 3e-5, "newton.force_tolerance": 2e-3}).settings
    assert settings["elements"] == 6e-4 and settings["contact"]["support"] == 3e-5
    assert settings["newton"]["force_tolerance"] == 2e-3
    # 0 takes those of the pad at that quality.
    model = haptos.load_sensor("digit", quality="fast")
    pad = prepare("sphere", depth=3e-4, sensor="digit", quality="fast", elements=0)
    np.testing.assert_array_equal(np.asarray(pad.sim.mesh("gel").vertices)[:len(
        model.gel.mesh.vertices)], model.gel.mesh.vertices)


def test_wide_objects_take_wider_elements():
    widths = [prepare(shape, depth=3e-4, quality="fast").settings["elements"]
              for shape in ("sphere", "coin")]
    assert widths[0] < widths[1] <= QUALITIES["fast"].widths[-1]


@pytest.mark.parametrize(("word", "said"), [
    ("fasst", 'quality = "fasst": must be fast, normal or fine; did you mean "fast"?'),
    ("rough", 'quality = "rough": must be fast, normal or fine; leave it out for normal.')])
def test_a_word_that_is_none_is_refused_wherever_it_is_given(word, said, tmp_path, capsys):
    def scene():
        (tmp_path / "scene.yaml").write_text(
            f"soft:\n  - {{name: finger, sensor: {{name: digit, quality: {word}}}}}\n")
        haptos.load_scene(tmp_path / "scene.yaml")

    for call in (lambda: haptos.load_sensor("digit", quality=word),
                 lambda: prepare("sphere", quality=word),
                 lambda: haptos.presses(tmp_path / "p.h5", "sphere", quality=word)):
        with pytest.raises(haptos.InputError) as error:
            call()
        assert str(error.value) == said
    with pytest.raises(haptos.InputError) as error:
        scene()
    assert "must be fast, normal or fine" in str(error.value) and error.value.line == 2
    assert run_command(["press", "sphere", "--quality", word, "--out", str(tmp_path / "o")]) == 2
    assert capsys.readouterr().err == f"haptos: {said}\n"
    assert not (tmp_path / "o").exists() and not list(tmp_path.glob("*.h5*"))


def test_a_pad_whose_mesh_is_in_a_file_has_that_one_only(tmp_path, pad_file):
    (tmp_path / "mine.yaml").write_text(
        f"name: Mine\npad: {{kind: mesh, mesh: {pad_file}, unit: mm}}\n"
        "material: {young: 200 kPa, poisson: 0.45, density: 1050}\n"
        "camera: {kind: orthographic, width: 32, height: 24, pitch: 0.2 mm}\n")
    own = str(tmp_path / "mine.yaml")
    assert len(haptos.load_sensor(own, quality="normal").gel.mesh.vertices)
    for call in (lambda: haptos.load_sensor(own, quality="fast"),
                 lambda: prepare("sphere", sensor=own, quality="fine"),
                 lambda: prepare("sphere", pad=str(pad_file), unit="mm", quality="fast")):
        with pytest.raises(haptos.InputError, match="is a mesh with elements of its own"):
            call()


def test_a_data_set_takes_a_word(tmp_path):
    with PressRun(tmp_path / "a.h5", "sphere", sensor="digit", depth=3e-4, quality="fast") as run:
        recipe = run.recipe
        one = OnePress(0, 0, recipe.press(0).values, 1)
        press = start_press(recipe, run.sensor_name, one, run.surfaces[0])
    assert press.settings["quality"] == "fast" == recipe.as_json()["quality"]
    assert Recipe.of_json(recipe.as_json()).quality == "fast"
    # The default by its name is the default: the same recipe, which goes on with the same file.
    for word in (None, "normal"):
        with PressRun(tmp_path / "b.h5", "sphere", sensor="digit", depth=3e-4, quality=word) as run:
            assert "quality" not in run.recipe.as_json()
    with pytest.raises(haptos.InputError, match="its quality is fast, not normal"):
        PressRun(tmp_path / "a.h5", "sphere", sensor="digit", depth=3e-4)
    with pytest.raises(haptos.InputError, match="a height map has none"):
        haptos.presses(tmp_path / "c.h5", "sphere", model="height-map", quality="fast")


def test_the_command_presses_at_a_quality(tmp_path):
    done = run_haptos("press", "sphere", "--sensor", "digit", "--quality", "fast", "--depth",
                      "0.2mm", "--steps", "2", "--out", "out", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    with h5py.File(tmp_path / "out" / "run.h5") as f:
        assert json.loads(f.attrs["settings"])["quality"] == "fast"


def test_what_the_words_stand_for_can_be_read(capsys):
    assert run_command(["describe", "quality"]) == 0
    shown = capsys.readouterr().out
    assert all(word in shown for word in (*WORDS, "0.8 mm", "2 mm", "20 um"))
    assert run_command(["describe", "digit"]) == 0
    shown = capsys.readouterr().out
    assert "pad, fast" in shown and "pad, fine" in shown


def test_a_scene_file_names_a_quality(tmp_path):
    (tmp_path / "scene.yaml").write_text(
        "soft:\n  - {name: a, sensor: {name: digit, quality: fast}}\n"
        "  - {name: b, sensor: {name: digit, quality: fine, near: [3 mm, 0]},"
        " pose: {position: [5 cm, 0, 0]}}\n")
    sim = haptos.load_scene(tmp_path / "scene.yaml").compile(quiet=True)
    for name, word, near in (("a", "fast", (0, 0)), ("b", "fine", (3e-3, 0))):
        x = np.asarray(haptos.load_sensor("digit", quality=word).gel_near(near).mesh.vertices)
        found = np.asarray(sim.mesh(name).vertices)[:len(x)]
        np.testing.assert_allclose(found - found[0], x - x[0], atol=1e-12)
