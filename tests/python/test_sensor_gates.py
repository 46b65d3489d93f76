"""Signals where a sensor is used at its limits: moved, at the border of the image, out of view,
against an object without triangles; and input that cannot be a sensor."""

import numpy as np
import pytest
from conftest import small_pad
from PIL import Image

import haptos
from haptos.press import prepare

ORTHO = haptos.TactileCamera.orthographic
CAMERA = ORTHO(80, 60, 1.4e-4)  # 11.2 x 8.4 mm


def scene_of(surface=None, path=(), *, camera=CAMERA, dt=0.05, mount=(), **sensor):
    """The small pad on a mount, under an object that goes from one place to the next."""
    pad = small_pad()
    scene = haptos.Scene(dt=dt, gravity=(0, 0, 0))
    scene.contact.divisions = 4
    scene.newton.force_tolerance = 1e-9
    scene.add_prescribed("mount", trajectory=mount)
    scene.add_soft("gel", pad.mesh, material=haptos.Material(young=1e5, poisson=0.45),
                   glue={"mount": pad.base_vertices}, coat=sensor.pop("coat", pad.coat))
    if surface is not None:
        scene.add_prescribed("object", surface,
                             trajectory=[(dt * k, p) for k, p in enumerate(path)])
    scene.add_sensor("camera", "gel", camera=camera,
                     markers=sensor.pop("markers", haptos.MarkerGrid(3, 5, 2e-3, 2e-3)), **sensor)
    return scene


def pressed_at(x, y, **options):
    """The camera after a ball of 4 mm was pressed 0.3 mm deep at (x, y)."""
    path = [(x, y, 4.03e-3), (x, y, 3.85e-3), (x, y, 3.7e-3)]
    sim = scene_of(haptos.icosphere(4e-3, 0.5e-3), path, **options).compile()
    for _ in path[1:]:
        assert sim.step().ok
    return sim.sensors["camera"]


def test_a_pad_that_is_carried_along_shows_nothing_in_its_own_frame():
    turned = (np.cos(0.4), 0, np.sin(0.4), 0)
    place = (0.02, -0.03, 0.05)
    sim = scene_of(dt=1.0, mount=[(0.0, (0, 0, 0), (1, 0, 0, 0)), (4.0, place, turned),
                                  (8.0, place, turned)]).compile()
    camera = sim.sensors["camera"]
    for k in range(8):
        assert sim.step().ok
        moving = k < 5  # the gel is pulled along by 1e-9 of the pad's size
        bound = 1e-8 if moving else 1e-13
        markers = camera.markers()
        assert np.abs(camera.depth()).max() < bound
        assert np.abs(markers.flow).max() < bound
        assert np.abs(markers.pixel_flow).max() < bound / CAMERA.pitch
    turn, origin = camera.frame()
    np.testing.assert_allclose(origin, place, atol=1e-12)
    np.testing.assert_allclose(turn[:, 2], [np.sin(0.8), 0, np.cos(0.8)], atol=1e-12)
    assert camera.stress().coat_von_mises.max() < 1e-6  # of 1e5 Pa
    assert not camera.touch().force.any() and not camera.contact_mask().any()


def test_contact_at_the_border_of_the_image_is_divided_between_image_and_outside():
    camera = pressed_at(4.2e-3, 0, camera=ORTHO(60, 60, 1.4e-4))  # its border lies at 4.2 mm
    touch, image = camera.touch(), camera.force_image()
    whole = touch.force[0, 2]
    inside, outside = image.force[0, 2].sum(), image.outside[0, 2]
    assert whole < -0.01
    assert inside + outside == pytest.approx(whole, rel=1e-12)
    # Half of it in each, by symmetry but for the gel's border at 6 mm.
    assert 0.4 < inside / whole < 0.6
    assert image.pressure[0, :, -1].max() > 0.5 * image.pressure.max()
    assert abs(touch.centre_pixel[0, 0] - 59.5) < 1.0
    depth = camera.depth()[0]
    assert np.isfinite(depth).all()
    assert np.argmax(depth.max(axis=0)) >= 55  # elements of 1.5 mm, 11 pixels
    np.testing.assert_array_equal(camera.contact_mask()[0, :, -1].any(), True)


def test_contact_that_the_camera_does_not_see_is_outside_and_the_image_is_finite():
    camera = pressed_at(4e-3, 3e-3, camera=ORTHO(20, 20, 1e-4),  # sees 2 x 2 mm of the middle
                        markers=haptos.MarkerGrid(3, 5, 2e-3, 2e-3))
    touch, image = camera.touch(), camera.force_image()
    assert touch.force[0, 2] < -0.01 and touch.area[0] > 0
    np.testing.assert_allclose(image.force.sum((2, 3)) + image.outside, touch.force, atol=1e-13)
    # Smoothing over the elements of 1.5 mm lets a little into view, no more.
    assert np.abs(image.force.sum((2, 3))).max() < 3e-3 * abs(touch.force[0, 2])
    assert np.abs(image.pressure).max() < 1e-2 * camera.contact_field().pressure.max()
    assert not camera.contact_mask().any() and np.isfinite(camera.depth()).all()
    column, row = touch.centre_pixel[0]
    assert column > 20 and row < 0
    markers = camera.markers()
    seen = (np.abs(markers.position[0, :, :2]) < 1e-3).all(axis=1)
    np.testing.assert_array_equal(markers.in_view[0], seen)
    assert 0 < seen.sum() < 15 and np.isfinite(markers.pixel_flow).all()


def test_a_camera_that_looks_past_the_gel_reads_no_number_and_no_contact():
    camera = pressed_at(0, 0, camera=ORTHO(40, 40, 1e-4), markers=None,
                        position=(0.05, 0, 0))  # the gel frame lies beside the gel
    assert np.isnan(camera.depth()).all() and not camera.contact_mask().any()
    image, touch = camera.force_image(), camera.touch()
    assert not image.force.any() and not image.pressure.any() and not image.area.any()
    np.testing.assert_allclose(image.outside, touch.force, rtol=1e-9, atol=1e-12)
    cloud = camera.points()
    assert not cloud.seen.any() and np.isnan(cloud.position).all()


def test_an_object_without_triangles_is_felt():
    path = [(0, 0, 3e-5), (0, 0, -1e-4), (0, 0, -2e-4)]
    pins = haptos.pins((3, 3), 2e-3, 5e-3).transformed(quaternion=(0, 1, 0, 0))  # points down
    assert len(pins.triangles) == 0
    sim = scene_of(pins, path).compile()
    for _ in path[1:]:
        assert sim.step().ok
    camera = sim.sensors["camera"]
    touch, field, image = camera.touch(), camera.contact_field(), camera.force_image()
    assert touch.force[0, 2] < -1e-3
    np.testing.assert_allclose(
        (field.traction * field.area[..., None]).sum(axis=1) + field.off_coat, touch.force,
        atol=1e-12)
    np.testing.assert_allclose(image.force.sum((2, 3)) + image.outside + field.off_coat,
                               touch.force, atol=1e-12)
    assert touch.force[0, 2] == pytest.approx(sim.reaction("mount").force[0, 2], rel=1e-4)
    for a in (touch.area, touch.centre, field.pressure, image.touched, camera.depth(),
              camera.markers().flow):
        assert np.isfinite(a).all()
    # Nine dents, where the pins are.
    depth = camera.depth()[0]
    for x in (-2e-3, 0, 2e-3):
        for y in (-2e-3, 0, 2e-3):
            column, row = np.rint(CAMERA.project([[x, y, 0]])[0]).astype(int)
            assert depth[row, column] > 1.5e-4


@pytest.mark.parametrize(("options", "words"), [
    ({"camera": ORTHO(0, 0, 1e-4)}, "must lie in 1 .. 16384"),
    ({"camera": ORTHO(100_000, 100_000, 1e-4)}, "must lie in 1 .. 16384"),
    ({"camera": ORTHO(32, 24, -1.0)}, "greater than 0"),
    ({"camera": haptos.TactileCamera.pinhole(32, 24, 0, 0.02)}, "greater than 0"),
    ({"camera": haptos.TactileCamera.fisheye(32, 24, 20, -1.0)}, "greater than 0"),
    ({"markers": haptos.MarkerGrid(3, 9, 2e-3, 2e-3)}, "must lie on the coat"),
    ({"markers": haptos.MarkerGrid(3, 5, float("nan"), 2e-3)}, "greater than 0"),
    ({"coat": np.zeros((0, 3), int)}, "at least one triangle"),
    ({"coat": np.array([[0, 1]])}, "(n, 3)"),
    ({"coat": np.array([[0, 0, 1]])}, "edge of the body's tetrahedra"),
])
def test_a_sensor_that_cannot_be_is_refused(options, words):
    with pytest.raises(haptos.InputError) as caught:
        scene_of(**options).compile()
    assert words in str(caught.value) and "\n" not in str(caught.value)


def test_markers_outside_the_pad_are_refused_by_name_and_by_file(tmp_path, pad_file):
    path = tmp_path / "wide.yaml"
    path.write_text(
        f"name: Wide\npad: {{kind: mesh, mesh: {pad_file}, unit: mm}}\n"
        "material: {young: 200 kPa, poisson: 0.45, density: 1000}\n"
        "camera: {kind: orthographic, width: 32, height: 24, pitch: 0.3 mm}\n"
        "markers: {rows: 9, columns: 3, pitch: 2 mm}\n")
    with pytest.raises(haptos.InputError, match="must lie on the coat"):
        prepare("sphere", sensor=str(path), depth=2e-4)


@pytest.mark.parametrize("face", ["top", "bottom"])
def test_a_pad_whose_glued_face_cannot_be_told_is_refused(tmp_path, face):
    # Turned onto a corner: its lowest plane holds one vertex.
    turn = np.array([0.9, 0.3, 0.2, 0.1])
    mesh = small_pad().mesh.transformed(quaternion=turn / np.linalg.norm(turn), scale=1e3)
    haptos.write_vtk(tmp_path / "corner.vtk", mesh)
    with pytest.raises(haptos.InputError, match="has no flat base"):
        prepare("sphere", pad=str(tmp_path / "corner.vtk"), pad_face=face)


def test_an_environment_that_is_not_there_is_refused(pressed):
    for env in (-1, 1):
        with pytest.raises(haptos.InputError, match="from 0 to 0"):
            pressed.sensors["camera"].frame(env)


@pytest.mark.parametrize("bad", [
    [1, 2], [[1, 2, 3], [1, 2, 3]], "up", [np.nan, 0, 0], [1e400, 0, 0],
    np.array([1j, 0, 0]),
])
def test_a_target_that_is_none_is_refused_and_changes_nothing(bad):
    sim = scene_of(haptos.icosphere(4e-3, 1e-3), [(0, 0, 4.03e-3)]).compile()
    before = sim.pose("object").copy()
    with pytest.raises(haptos.InputError):
        sim.set_target("object", bad)
    sim.step()
    np.testing.assert_array_equal(sim.pose("object"), before)


def test_pictures_of_other_kinds_are_read_or_refused(tmp_path):
    plain = np.arange(8 * 6 * 3, dtype=np.uint8).reshape(6, 8, 3)
    image = Image.fromarray(plain)
    image.quantize(256).save(tmp_path / "palette.png")
    image.save(tmp_path / "whole.png")
    (tmp_path / "cut.png").write_bytes((tmp_path / "whole.png").read_bytes()[:-30])
    Image.fromarray(plain.astype(np.uint16)[..., 0]).save(tmp_path / "deep.png")
    (tmp_path / "text.png").write_text("no picture")
    from haptos.tactile.rgb import read_image

    np.testing.assert_array_equal(read_image(tmp_path / "palette.png"), plain)
    for name, words in (("cut.png", "cannot be read"), ("deep.png", "8 bits a colour"),
                        ("text.png", "cannot be read"), ("none.png", "does not exist")):
        with pytest.raises(haptos.InputError, match=words):
            read_image(tmp_path / name)
