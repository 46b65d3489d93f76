"""Recipes of data sets: grids, draws, turns, ranges, shapes, and what is refused."""

import types

import numpy as np
import pytest

import haptos
from haptos.base.turns import rotation
from haptos.press.recipe import OnePress, Range, read_choice
from haptos.press.run import PressRun
from press_sets import write_sensor


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A folder with the small sensor."""
    made = tmp_path_factory.mktemp("recipes")
    write_sensor(made)
    return made


def test_lists_make_a_grid_whose_last_quantity_is_the_fastest(folder, tmp_path):
    with PressRun(tmp_path / "a.h5", ["sphere", "cone"], sensor=str(folder / "small.yaml"),
                  x=["-1 mm", "1 mm"], depth=[1e-4, 2e-4, 3e-4]) as run:
        assert len(run.recipe) == 12
        rows = [run.recipe.press(k) for k in range(12)]
    assert [r.shape for r in rows] == [0] * 6 + [1] * 6
    assert [r.values["x"] for r in rows[:6]] == [-1e-3] * 3 + [1e-3] * 3
    assert [r.values["depth"] for r in rows[:4]] == [1e-4, 2e-4, 3e-4, 1e-4]


def test_draws_are_even_and_change_with_the_seed(folder, tmp_path):
    def draws(seed):
        with PressRun(tmp_path / f"{seed}.h5", ["sphere", "cone"], count=4000, seed=seed,
                      sensor=str(folder / "small.yaml"), x="-1..1 mm", depth="0.1 mm") as run:
            rows = [run.recipe.press(k) for k in range(4000)]
        return np.array([[r.shape, r.values["x"]] for r in rows])

    one, two = draws(0), draws(1)
    assert abs(one[:, 0].mean() - 0.5) < 0.03 and abs(one[:, 1].mean()) < 4e-5
    assert np.histogram(one[:, 1], 10, (-1e-3, 1e-3))[0].min() > 320
    assert abs(np.corrcoef(one[:, 1], two[:, 1])[0, 1]) < 0.05
    assert abs(np.corrcoef(one[:, 0], one[:, 1])[0, 1]) < 0.05


@pytest.mark.parametrize(("toward", "side"), [(0.0, (1, 0, 0)), (np.pi / 2, (0, 1, 0)),
                                              (np.pi, (-1, 0, 0))])
def test_the_side_that_an_object_leans_to_goes_down(toward, side):
    values = {"tilt": 0.1, "tilt_toward": toward, "yaw": 0.7}
    turn = rotation(np.array(OnePress(0, 0, values, 0).turn()))
    straight = rotation(np.array(OnePress(0, 0, {**values, "tilt": 0.0}, 0).turn()))
    leaned = turn @ straight.T @ side
    assert leaned[2] == pytest.approx(-np.sin(0.1))
    np.testing.assert_allclose(straight @ (1, 0, 0), [np.cos(0.7), np.sin(0.7), 0], atol=1e-12)


def test_ranges_may_be_texts_whose_last_unit_counts_for_both():
    for value in ("0.2..1 mm", "0.2mm..1mm", Range("0.2 mm", 1e-3), {"range": [2e-4, 1e-3]}):
        choice = read_choice("depth", value)
        assert choice.drawn and choice.values == pytest.approx((2e-4, 1e-3))
    assert read_choice("yaw", "-10..10 deg").values == pytest.approx((-0.1745329, 0.1745329))
    assert read_choice("young", "1e5..2e5").values == (1e5, 2e5)
    assert read_choice("depth", np.array([1e-4, 2e-4])).values == (1e-4, 2e-4)


MISTAKES = {
    "degrees without a unit": ({"tilt": 10}, r'tilt = 10 rad: must be from 0 to 90 deg'),
    "a range that falls": ({"depth": "1..0.5 mm"}, "must be a range that rises"),
    "a range without a count": ({"count": None, "depth": "0.5..1 mm"}, "say how many presses"),
    "millimetres as metres": ({"depth": 0.5}, "less than the pad's thickness of 3 mm"),
    "beside the pad": ({"x": "-6..0 mm"}, "must lie on the pad"),
    "depth and force": ({"depth": "0.1 mm", "force": "1 N"}, "cannot both be asked for"),
    "poisson": ({"poisson": [0.3, 0.5]}, "poisson"),
    "young": ({"young": "-5 kPa"}, "must be more than 0"),
    "a value twice": ({"depth": [1e-4, 1e-4]}, "is given twice"),
    "an option that is none": ({"options": {"contact.suport": 1}}, "contact.support"),
    "a modulus as an option": ({"options": {"material.young": 1e5}}, "give young="),
    "count": ({"count": 0}, "must be a whole number from 1"),
    "seed": ({"seed": 1.5}, "must be a whole number from 0"),
    "model": ({"model": "fem"}, "must be soft, hydroelastic or height-map"),
    "forces of a height map": ({"model": "height-map", "force": 1}, "has no gel and no forces"),
    "elements of a height map": ({"model": "height-map", "elements": "1 mm"}, "has none"),
    "smoothing of a gel": ({"smoothing": "1 mm"}, "a simulated gel needs none"),
    "a unit of another kind": ({"depth": "1..2 N"}, "depth"),
    "a dict": ({"depth": {"from": 1}}, "a dict: must be a number in m"),
    "a matrix": ({"depth": [[1e-4, 2e-4]]}, "must be a number, a list of numbers, or a range"),
    "a shear beyond the pad": ({"shear": "6 mm"}, "at most half the pad's width"),
}


@pytest.mark.parametrize("name", MISTAKES)
def test_bad_input_is_one_sentence_and_nothing_is_made(folder, tmp_path, name):
    changed, sentence = MISTAKES[name]
    with pytest.raises(haptos.InputError, match=sentence) as caught:
        PressRun(tmp_path / "a.h5", "sphere", **{"sensor": str(folder / "small.yaml"), "count": 3,
                                                 **changed})
    assert len(str(caught.value).splitlines()) == 1 and not list(tmp_path.iterdir())


def test_shapes_may_be_meshes_of_any_kind(folder, tmp_path):
    ball = haptos.icosphere(3e-3, 1e-3)
    pair = np.asarray(ball.vertices), np.asarray(ball.triangles)
    haptos.write_stl(tmp_path / "ball.stl", ball.transformed(scale=1e3))
    like_trimesh = types.SimpleNamespace(vertices=pair[0], faces=pair[1])
    sensor = str(folder / "small.yaml")
    for shapes, names in [(pair, ["shape 1"]), (ball, ["shape 1"]), ([ball, pair, like_trimesh],
                          ["shape 1", "shape 2", "shape 3"]), ({"mine": ball}, ["mine"]),
                          (tmp_path / "ball.stl", ["ball"]), ([str(tmp_path / "ball.stl"), "cone"],
                                                             ["ball", "cone"])]:
        with PressRun(tmp_path / "a.h5", shapes, sensor=sensor, depth="0.1 mm",
                      overwrite=True) as run:
            assert list(run.recipe.shapes) == names
    with pytest.raises(haptos.InputError, match="did you mean"):
        PressRun(tmp_path / "b.h5", "spere", sensor=sensor)
