"""One picture of many environments."""

import numpy as np
import pytest

import haptos


def boxes(envs=5):
    """A box in each environment, each higher than the one before."""
    scene = haptos.Scene(gravity=(0, 0, 0))
    scene.add_prescribed("box", haptos.box((0.02, 0.02, 0.02)))
    sim = scene.compile(envs=envs, quiet=True)
    sim.set_target("box", np.c_[np.zeros((envs, 2)), 0.02 * np.arange(envs)])
    sim.step()
    return sim


LOOK = haptos.Look(width=60, height=90, camera="front", frame=((-0.02, -0.02, -0.02), (0.02, 0.02, 0.1)))


def row_of_the_box(tile):
    """Mean row of what is unlike the sky beside it [pixel]."""
    sky = tile[:, :1].astype(int)
    return np.nonzero(np.abs(tile.astype(int) - sky).max(-1) > 30)[0].mean()


def test_each_environment_has_its_place():
    wall = haptos.draw_wall(boxes(), look=LOOK, columns=2, gap=4)
    assert wall.shape == (3 * 90 + 2 * 4, 2 * 60 + 4, 3) and wall.dtype == np.uint8
    tiles = [wall[y:y + 90, x:x + 60] for y in (0, 94, 188) for x in (0, 64)]
    heights = [row_of_the_box(t) for t in tiles[:5]]
    assert (np.diff(heights) < -5).all()  # each is higher up
    assert (tiles[5] == 255).all() and (wall[90:94] == 255).all()  # nothing there, and between


def test_environments_and_rims_are_chosen():
    sim = boxes()
    wall = haptos.draw_wall(sim, [3, 0], look=LOOK, columns=2, gap=0, rims=["red", None])
    assert (wall[0, 30] == (255, 0, 0)).all() and (wall[45, 0] == (255, 0, 0)).all()
    assert not (wall[0, 90] == (255, 0, 0)).all()
    plain = haptos.draw_wall(sim, [3, 0], look=LOOK, columns=2, gap=0)
    assert (plain[10:80, 10:50] == wall[10:80, 10:50]).all() and (plain[:, 60:] == wall[:, 60:]).all()


def test_it_is_about_square_and_holds_what_there_is():
    wall = haptos.draw_wall(boxes(12))
    assert 0.6 < wall.shape[0] / wall.shape[1] < 1.6


@pytest.mark.parametrize("given", [{"envs": [5]}, {"envs": []}, {"rims": ["red"]}, {"columns": 0}, {"rims": ["no colour"] * 5}])
def test_what_cannot_be_drawn(given):
    with pytest.raises(haptos.InputError):
        haptos.draw_wall(boxes(), look=LOOK, **given)
