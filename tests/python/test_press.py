"""How a press test reads, mends and places what it is given; nothing is stepped here."""

import numpy as np
import pytest

import haptos
from haptos.press import prepare


def lowest(press):
    """Lowest point of the object, world [m]."""
    return press.sim.positions("object")[0, :, 2].min()


def write(path, mesh):
    haptos.write_obj(path, mesh)
    return str(path)


def test_the_object_starts_just_above_the_gel_in_the_middle(pad_file):
    press = prepare("sphere", pad=str(pad_file), depth=1e-3)
    assert lowest(press) == pytest.approx(press.gap, abs=1e-12)
    assert press.gap == pytest.approx(1.05 * 2e-5)
    x = press.sim.positions("object")[0]
    np.testing.assert_allclose(0.5 * (x.min(axis=0) + x.max(axis=0))[:2], 0, atol=1e-9)
    # A named shape is pressed with its feature: the narrow end is down.
    low = x[x[:, 2] < press.gap + 1e-4]
    assert np.ptp(low[:, 0]) < 4e-3
    assert press.steps == 13


def test_what_the_notes_say_of_the_object_is_not_said_again_as_a_warning(tmp_path, pad_file):
    ball = haptos.icosphere(4e-3, 2e-3)
    opened = haptos.TriMesh(ball.vertices, ball.triangles[5:])
    press = prepare(write(tmp_path / "open.obj", opened), pad=str(pad_file))
    assert any("open" in w for w in press.sim.warnings) and press.warnings == []


def test_face_and_place_are_as_asked(pad_file):
    press = prepare("sphere", pad=str(pad_file), face="bottom", at=(2e-3, -1e-3))
    x = press.sim.positions("object")[0]
    low = x[x[:, 2] < press.gap + 1e-4]
    assert np.ptp(low[:, 0]) == pytest.approx(16e-3, rel=1e-6)  # the plate


def test_units_are_guessed_from_the_size_or_taken_as_told(tmp_path, pad_file):
    path = write(tmp_path / "ball.obj", haptos.icosphere(4.0, 2.0))
    press = prepare(path, pad=str(pad_file))
    size = np.ptp(press.sim.positions("object")[0][:, 0])
    assert 7e-3 < size < 8.1e-3 and "taken to be mm" in press.notes[0]
    path = write(tmp_path / "metres.obj", haptos.icosphere(4e-3, 2e-3))
    again = prepare(path, pad=str(pad_file))
    assert np.ptp(again.sim.positions("object")[0][:, 0]) == pytest.approx(size)
    with pytest.raises(haptos.InputError, match="--unit"):
        prepare(path, unit="mm", pad=str(pad_file))


def test_what_can_be_mended_is_mended_and_said(tmp_path, pad_file):
    ball = haptos.icosphere(4e-3, 2e-3)
    inside_out = haptos.TriMesh(ball.vertices, ball.triangles[:, ::-1])
    press = prepare(write(tmp_path / "in.obj", inside_out), pad=str(pad_file))
    assert any("turned to face outward" in n for n in press.notes)
    triangles = np.vstack([ball.triangles, ball.triangles[:1], [[0, 0, 1]]])
    doubled = haptos.TriMesh(ball.vertices, triangles)
    press = prepare(write(tmp_path / "double.obj", doubled), pad=str(pad_file))
    assert any("removed" in n for n in press.notes)
    opened = haptos.TriMesh(ball.vertices, ball.triangles[5:])
    press = prepare(write(tmp_path / "open.obj", opened), pad=str(pad_file))
    assert any("open" in n and "goes on" in n for n in press.notes)


def test_an_object_larger_than_the_pad_meets_it_with_its_lowest_part(tmp_path, pad_file):
    foot = haptos.icosphere(2e-3, 1e-3)
    plate = haptos.box((60e-3, 60e-3, 1e-3))
    mesh = haptos.TriMesh(
        np.vstack([foot.vertices + [25e-3, 0, 2e-3], plate.vertices + [0, 0, 8e-3]]),
        np.vstack([foot.triangles, plate.triangles + len(foot.vertices)]))
    press = prepare(write(tmp_path / "foot.obj", mesh), pad=str(pad_file))
    assert any("reaches beyond" in n for n in press.notes)
    x = press.sim.positions("object")[0]
    low = x[x[:, 2] < 1e-3]
    np.testing.assert_allclose(0.5 * (low.min(axis=0) + low.max(axis=0))[:2], 0, atol=1e-4)


def test_a_pad_from_a_file_is_glued_at_its_base_and_read_at_its_top(pad_file):
    press = prepare("sphere", pad=str(pad_file))
    entry = press.sim.entries["soft"][0]
    x = np.asarray(entry["mesh"].vertices)
    assert x[:, 2].max() == 0 and x[:, 2].min() == pytest.approx(-3e-3)
    assert np.allclose(x[entry["glue"]["mount"], 2], -3e-3)
    assert np.all(x[entry["coat"]][:, :, 2] == 0)
    flipped = prepare("sphere", pad=str(pad_file), pad_face="bottom")
    assert len(flipped.sim.entries["soft"][0]["coat"]) == len(entry["coat"])


def test_the_dome_is_highest_in_the_middle():
    press = prepare("sphere", pad="dome")
    x = press.sim.positions("gel")[0]
    top = x[np.unique(press.sim.coat("gel"))]
    assert top[:, 2].max() == pytest.approx(0, abs=1e-9)
    corner = top[np.argmax(top[:, 0] + top[:, 1])]
    assert corner[2] == pytest.approx(-(12.625e-3**2 / 0.270 + 10.375e-3**2 / 0.518), rel=1e-6)


def test_options_reach_the_scene(pad_file):
    press = prepare("sphere", pad=str(pad_file), options={"material.young": 1e5,
                                                          "contact.support": 1e-5})
    assert press.settings["material"]["young"] == 1e5
    assert press.gap == pytest.approx(1.05e-5)
    with pytest.raises(haptos.InputError, match="support"):
        prepare("sphere", options={"contact.suport": 1.0})
