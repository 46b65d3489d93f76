"""Tactile images from height maps: geometry, noise, and what they do not claim to be."""

import h5py
import numpy as np
import pytest

import haptos
from conftest import run_haptos
from press_sets import write_sensor


@pytest.fixture(scope="module")
def heights(tmp_path_factory):
    """A ball of 4 mm, .3 mm deep at (.5, -.25) mm, and tilted, by height maps."""
    made = tmp_path_factory.mktemp("heights")
    return haptos.presses(made / "a.h5", {"ball": haptos.icosphere(4e-3, 0.15e-3)},
                          model="height-map", sensor=write_sensor(made), x="0.5 mm", y="-0.25 mm",
                          depth="0.3 mm", tilt=[0.0, "20 deg"], workers=1, progress=False)


def test_the_depth_of_a_ball_is_that_of_geometry(heights):
    pitch, radius, deep = 125e-6, 4e-3, 0.3e-3
    x = (np.arange(64) - 31.5) * pitch - 0.5e-3
    y = (23.5 - np.arange(48)) * pitch + 0.25e-3
    r2 = x**2 + y[:, None] ** 2
    cut = deep - (radius - np.sqrt(np.maximum(radius**2 - r2, 0)))
    image = heights["depth"][0]
    inside = cut > 0
    # Facets of .15 mm lie up to .7 um inside the ball.
    assert np.abs(image - cut)[inside].max() < 1e-6
    assert (image[~inside] >= 0).all() and image[r2 > (5e-3) ** 2].max() < 0.01 * deep
    normal = heights["normal"][0].astype(float)
    well = cut > 0.1e-3  # two pixels from the border of contact, where the slope jumps
    exact = np.stack([-x + 0 * r2, -y[:, None] + 0 * r2])[:, well] / radius
    assert np.abs(normal[:2, well] - exact).max() < 0.01


def test_a_ball_that_leans_is_the_same_ball(heights):
    np.testing.assert_allclose(heights["depth"][1], heights["depth"][0], atol=2e-6)


def test_a_height_map_says_that_it_simulates_nothing_and_has_no_forces(heights, tmp_path):
    with h5py.File(heights.path) as f:
        assert f.attrs["model"] == "height-map"
        assert "NOT a simulation of the gel" in f.attrs["model_about"]
        assert "force" not in f and "marker_flow" not in f and "young" not in f["press"]
        assert f["rgb"].shape == (2, 48, 64, 3)
    with pytest.raises(haptos.InputError, match="comes? from a height map, which has no forces"):
        heights["force"]
    write_sensor(tmp_path)
    done = run_haptos("dataset", "sphere", "--sensor", "small.yaml", "--model", "height-map",
                      "--depth", "0.2mm", "--out", "a.h5", cwd=tmp_path)
    assert done.returncode == 0 and "NOT a simulation of the gel" in done.stdout


def test_noise_is_of_each_press_its_own_and_of_the_seed(tmp_path):
    sensor = write_sensor(tmp_path)
    with open(sensor, "a", encoding="utf-8") as f:
        f.write("noise: {rgb: 2, texture: 2 um}\n")

    def noisy(name, seed):
        with haptos.presses(tmp_path / name, "sphere", sensor=sensor, model="height-map", count=2,
                            depth="0.2 mm", seed=seed, workers=1, progress=False) as presses:
            return presses["depth"][:], presses["rgb"][:].astype(int)

    (depth, rgb), again, other = noisy("a.h5", 0), noisy("b.h5", 0), noisy("c.h5", 1)
    np.testing.assert_array_equal(depth, again[0])
    np.testing.assert_array_equal(rgb, again[1])
    for one, two in [(depth[0], depth[1]), (depth[0], other[0][0])]:
        assert 1e-6 < np.std(one - two) < 1e-5
    assert 1 < np.std(rgb[0] - rgb[1]) < 20
