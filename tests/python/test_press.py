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
    assert corner[2] == pytest.approx(-1.25e-3, rel=1e-6)


SMALL = """\
name: Small
pad: {kind: box, width: 12 mm, depth: 12 mm, thickness: 4 mm, DOME}
material: {young: 435 kPa, poisson: 0.48, density: 1000}
friction: 0.8
camera: {kind: orthographic, width: 32, height: 32, pitch: 0.3 mm}
"""


def small_sensor(folder, dome="elements: {centre: 0.8 mm, even: 4 mm}"):
    path = folder / "small.yaml"
    path.write_text(SMALL.replace("DOME", dome))
    return str(path)


@pytest.mark.parametrize("at", [(0.0, 0.0), (3e-3, -2e-3), (-4e-3, 1e-3)])
def test_depth_counts_from_the_first_touch_on_a_dome_beside_its_middle(tmp_path, at):
    # Ball of 3 mm, dome of 30 and 20 mm: the least distance along z over a fine grid. Facets of the
    # ball (.3 mm) and of the pad (.9 mm) lie inside by s^2 / 8 R.
    press = prepare("sphere", sensor=small_sensor(tmp_path, "dome: [30 mm, 20 mm]"), at=at, depth=1e-4)
    x, y = np.meshgrid(*2 * [np.linspace(-1.5e-3, 1.5e-3, 601)])
    top = -(x + at[0]) ** 2 / 0.060 - (y + at[1]) ** 2 / 0.040
    least = (3e-3 - np.sqrt(9e-6 - x**2 - y**2) - top).min()  # the pole at the highest point of the pad
    facets = 0.3e-3**2 / (8 * 3e-3) + 0.9e-3**2 / (8 * 20e-3) * 2
    pole = lowest(press)
    assert press.gap - least - facets < pole < press.gap - least + facets


def test_a_press_beside_the_middle_of_a_dome_is_felt_at_once(tmp_path):
    # It used to count from the highest point of the gel: .1 mm gave no force.
    press = prepare("sphere", sensor=small_sensor(tmp_path, "dome: [30 mm, 20 mm]"), at=(3e-3, -2e-3),
                    depth=1e-4, steps=2)
    while not press.done:
        step = press.step()
    # Hertz' force for a ball of 3 mm on E, with the dome's mean curvature; the layer adds a quarter.
    hertz = 4 / 3 * 4.35e5 / (1 - 0.48**2) * (1 / (1 / 3e-3 + 1 / 25e-3)) ** 0.5 * 1e-4**1.5
    assert hertz < step.normal < 1.5 * hertz


def test_force_at_the_depth_asked_for_does_not_hang_on_the_support(tmp_path):
    # The gel lies deeper than the object by the gap, 12 um at a support of 20 um: the force was too
    # large by 1.65 * 12 / 250 = 8 %. What is left is of second order and of the gap's spread.
    forces = []
    for support in (2e-5, 5e-6):
        press = prepare("sphere", sensor=small_sensor(tmp_path), depth=2.5e-4,
                        options={"contact.support": support})
        while not press.done:
            step = press.step()
        forces.append(step.normal)
        assert 0.2 * support < step.grip.gap < 0.8 * support
        # At the pole the gap is less than the mean, by less than the support, and the middles of four
        # pixels of .3 mm lie around it; facets of .4 mm hang below the ball.
        beside = 2 * 0.15e-3**2 / (2 * 3e-3)
        off = np.nanmax(press.sensor.depth()) - 2.5e-4
        assert -support - beside < off < 0.4e-3**2 / (8 * 3e-3)
    assert forces[0] == pytest.approx(forces[1], rel=0.01)


def test_options_reach_the_scene(pad_file):
    press = prepare("sphere", pad=str(pad_file), options={"material.young": 1e5,
                                                          "contact.support": 1e-5})
    assert press.settings["material"]["young"] == 1e5
    assert press.gap == pytest.approx(1.05e-5)
    with pytest.raises(haptos.InputError, match="support"):
        prepare("sphere", options={"contact.suport": 1.0})


# -- small elements where it is pressed --------------------------------------------------------


def coat_widths(press, lo, hi):
    """Sides of the coat's triangles along x or y in a region of the gel frame [m]."""
    x, t = press.sim.positions("gel")[0], np.asarray(press.sim.coat("gel"))
    d = x[t] - x[np.roll(t, -1, axis=1)]
    middle = x[t].mean(axis=1)[:, :2]
    inside = ((middle > lo) & (middle < hi)).all(axis=1)
    d = np.abs(d[inside]).reshape(-1, 3)[:, :2]
    along = d.min(axis=1) < 1e-9  # not the diagonals
    return d[along].max(axis=1)


def test_elements_are_small_below_the_object_and_its_way_only():
    # A punch of 6 mm, 1 mm beside the middle, that goes on by 1 mm. Elements of the gel are cut in
    # eight, so the coat's sides are half of what was asked for.
    press = prepare("cylinder", sensor="digit", elements=4e-4, at=(1e-3, 0), shear=1e-3)
    under = coat_widths(press, (-2.2e-3, -3.2e-3), (5.2e-3, 3.2e-3))
    assert 0.8 * 2e-4 < under.min() and under.max() < 1.25 * 2e-4
    beside = coat_widths(press, (6.5e-3, -9e-3), (8e-3, 9e-3))
    assert len(beside) and beside[np.argsort(beside)][len(beside) // 2:].max() > 4e-4
    plain = prepare("cylinder", sensor="digit", at=(1e-3, 0), shear=1e-3)
    assert coat_widths(plain, (-2.2e-3, -3.2e-3), (5.2e-3, 3.2e-3)).max() > 2.8e-4
    assert press.settings["elements"] == 4e-4 and plain.settings["elements"] is None


def test_a_cone_is_as_wide_as_where_it_is_pressed_in(tmp_path):
    # Vertices at the tip and far above only: what is cut by the deepest height counts.
    cone = haptos.cone(8e-3, 0.0, 8e-3, 8e-3)
    path = write(tmp_path / "cone.obj", cone)
    press = prepare(path, unit="m", face="top", depth=1e-3, elements=2e-4)
    narrow, wide = coat_widths(press, -0.8e-3, 0.8e-3), coat_widths(press, -6e-3, 6e-3)
    assert narrow.max() < 1.25e-4 and wide.max() > 2e-4


@pytest.mark.parametrize("pad", ["box", "dome"])
def test_pads_without_a_sensor_and_at_the_border(pad):
    for at in ((0, 0), (12e-3, 10e-3)):
        gel = prepare("sphere", pad=pad, elements=5e-4, at=at).sim.mesh("gel")
        assert haptos.check_volume(gel).findings() == []


def test_a_round_pad_is_fine_from_its_middle_on(tmp_path):
    path = tmp_path / "round.yaml"
    path.write_text("name: R\npad: {kind: round, radius: 10 mm, thickness: 3 mm}\n"
                    "material: {young: 1e5, poisson: 0.48, density: 1000}\n"
                    "camera: {kind: orthographic, width: 64, height: 64, pitch: 0.2 mm}\n")
    press = prepare("sphere", sensor=str(path), elements=4e-4, at=(2e-3, 0))
    assert haptos.check_volume(press.sim.mesh("gel")).findings() == []
    plain = prepare("sphere", sensor=str(path), at=(2e-3, 0))
    assert len(press.sim.mesh("gel").vertices) > 1.5 * len(plain.sim.mesh("gel").vertices)


def test_elements_that_cannot_be_are_refused(pad_file):
    with pytest.raises(haptos.InputError, match="elements of its own"):
        prepare("sphere", pad=str(pad_file), elements=3e-4)
    for width in (-1e-3, 1e-6, 0.1, float("nan")):
        with pytest.raises(haptos.InputError, match="from 50 um to 5 mm"):
            prepare("sphere", elements=width)
    with pytest.raises(haptos.InputError, match="ask for larger ones"):
        prepare("flat_slab", elements=6e-5)
