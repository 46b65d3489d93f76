"""Pictures show something: contrast, and the right thing in the right place."""

import numpy as np
import pytest
from PIL import Image

import haptos
from conftest import small_pad
from haptos import pictures


def contrast(image):
    """Standard deviation of the brightness, 0 to 255."""
    return float(image.astype(float).mean(axis=2).std())


def test_the_gel_is_seen_from_above_darker_where_pressed(pressed):
    image = pictures.gel_above(pressed, "gel", width=320, height=240)
    assert image.shape == (240, 320, 3) and image.dtype == np.uint8
    assert contrast(image) > 15
    flat, pressed_in = image[100:130, 60:100], image[95:135, 130:190]
    assert pressed_in.min() < flat.min() - 20


def test_the_cut_shows_gel_below_and_object_above(pressed):
    image = pictures.gel_side(pressed, "gel", width=320, height=160).astype(int)
    assert contrast(image) > 15
    below, above = image[110, 160], image[30, 160]
    assert below[2] > below[0] + 25  # blue gel
    assert abs(above[2] - above[0]) < 20  # grey ball


def test_depth_and_markers_have_axes_and_contrast(pressed):
    camera = pressed.sensors["camera"]
    depth = pictures.depth_image(camera)
    assert depth.shape[1] > 160 and contrast(depth) > 40
    flow = pictures.marker_image(camera)
    assert contrast(flow) > 10


def test_a_picture_of_numbers_is_refused_when_it_is_none():
    for bad in (np.zeros((2, 2, 2)), np.zeros(3), "x"):
        with pytest.raises((haptos.InputError, ValueError)):
            haptos.depth_picture(bad, 1e-4)
    with pytest.raises(haptos.InputError, match="colormap"):
        haptos.field_picture(np.zeros((4, 4)), 1e-4, colormap="jet")
    assert haptos.depth_picture(np.full((4, 4), np.nan), 1e-4).shape[2] == 3


def test_a_render_of_bad_input_is_refused():
    scene = haptos.RenderScene()
    scene.add_mesh([[0, 0, 0], [1, 0, 0], [0, 1, 0]], [[0, 1, 2]])
    assert haptos.render(scene, (0, 1, -1), 32, 24).shape == (24, 32, 3)
    for direction, width in (((0, 0, 0), 32), ((0, 1, np.nan), 32), ((0, 1, -1), 0),
                             ((0, 1, -1), 10**6)):
        with pytest.raises(haptos.InputError):
            haptos.render(scene, direction, width, 24)
    with pytest.raises(haptos.InputError, match="finish"):
        scene.add_mesh([[0, 0, 0]], [[0, 0, 0]], finish="gold")
    scene.add_mesh([[0, 0, 0]], [[0, 1, 2]])
    with pytest.raises(haptos.InputError):
        haptos.render(scene, (0, 1, -1), 32, 24)


def test_png_files_are_written_whole_or_not_at_all(tmp_path):
    image = np.arange(48, dtype=np.uint8).reshape(4, 4, 3)
    haptos.save_png(tmp_path / "a.png", image)
    np.testing.assert_array_equal(np.asarray(Image.open(tmp_path / "a.png")), image)
    with pytest.raises(haptos.InputError):
        haptos.save_png(tmp_path / "b.png", image.astype(float))
    assert [p.name for p in tmp_path.iterdir()] == ["a.png"]


@pytest.mark.parametrize("camera", [
    haptos.TactileCamera.orthographic(0, 0, 1e-4),
    haptos.TactileCamera.orthographic(100_000, 100_000, 1e-4),
    haptos.TactileCamera.orthographic(32, 32, 0.0),
    haptos.TactileCamera.orthographic(32, 32, np.nan),
    haptos.TactileCamera.pinhole(32, 32, 0.0, 0.02, 0, 0),
    haptos.TactileCamera.pinhole(32, 32, np.inf, 0.02, 0, 0),
    haptos.TactileCamera.pinhole(32, 32, 30, -1.0, 0, 0),
    haptos.TactileCamera.fisheye(32, 32, 0.0, 0.02)])
def test_a_sensor_camera_that_cannot_be_is_refused(camera):
    pad = small_pad()
    with pytest.raises(haptos.InputError, match="camera"):
        haptos._core.DepthSensor(camera, pad.mesh.vertices, pad.coat)


def test_markers_beside_the_pad_and_views_that_cannot_be_are_refused():
    pad = small_pad()
    camera = haptos.TactileCamera.orthographic(80, 60, 1.4e-4)
    with pytest.raises(haptos.InputError, match="must lie on the coat"):
        haptos._core.MarkerSensor(camera, pad.mesh.vertices, pad.coat,
                                  haptos.MarkerGrid(9, 9, 5e-3, 5e-3))
    scene = haptos.RenderScene()
    scene.add_point((0, 0, 0), 1)
    for width, height, fov in ((0, 0, 0.4), (100_000, 100_000, 0.4), (64, 48, 0.0),
                               (64, 48, np.pi), (64, 48, np.nan), (64, 48, -1.0)):
        with pytest.raises(haptos.InputError):
            haptos.render(scene, (0, 1, -1), width, height, fov=fov)
