"""Signals of a tactile sensor beside depth and markers: what they sum to, frames, zero, envs."""

import numpy as np
import pytest
from conftest import small_pad, small_scene

import haptos


@pytest.fixture(scope="module")
def camera(pressed):
    return pressed.sensors["camera"]


def test_field_and_image_add_up_to_the_contact_wrench(pressed, camera):
    force = pressed.contact_wrench("gel").force  # the gel frame is not turned here
    assert force[0, 2] < -0.01
    field = camera.contact_field()
    np.testing.assert_allclose(
        (field.traction * field.area[..., None]).sum(axis=1) + field.off_coat, force, atol=1e-13)
    for shape in (None, (6, 8)):
        image = camera.force_image(shape)
        height, width = shape or (60, 80)
        assert image.force.shape == (1, 3, height, width)
        assert image.pressure.shape == image.area.shape == (1, height, width)
        np.testing.assert_allclose(image.force.sum((2, 3)) + image.outside + field.off_coat, force,
                                   atol=1e-13)
    touch = camera.touch()
    np.testing.assert_allclose(touch.force, force, atol=1e-15)
    np.testing.assert_allclose(touch.torque, pressed.contact_wrench("gel").torque, atol=1e-7)
    np.testing.assert_allclose(image.touched.sum((1, 2)), touch.area, rtol=1e-9)
    # By the glue, at rest at the end of the press.
    assert touch.force[0, 2] == pytest.approx(pressed.reaction("mount").force[0, 2], rel=1e-4)
    assert np.hypot(*touch.centre[0, :2]) < 2e-5
    np.testing.assert_allclose(touch.centre_pixel, camera.camera.project(touch.centre))


def test_smoothing_widens_the_field_and_keeps_the_force(camera):
    narrow = camera.contact_field(smoothing=0.0)
    wide = camera.contact_field(smoothing=2e-3)
    assert wide.pressure.max() < 0.8 * narrow.pressure.max()
    sums = [(f.traction * f.area[..., None]).sum(axis=1) for f in (narrow, wide)]
    np.testing.assert_allclose(sums[0], sums[1], atol=1e-13)
    with pytest.raises(haptos.InputError, match="smoothing"):
        camera.contact_field(smoothing=-1e-3)
    with pytest.raises(haptos.InputError, match="shape"):
        camera.force_image((0, 4))


def test_field_names_its_vertices_and_triangles(pressed, camera):
    field = camera.contact_field()
    n = field.position.shape[1]
    assert camera.coat_vertices.shape == (n,)
    np.testing.assert_allclose(field.position, camera.nodes()[:, camera.coat_vertices])
    np.testing.assert_array_equal(camera.coat_vertices[camera.coat_triangles], pressed.coat("gel"))
    assert camera.touch().triangles.shape == (1, len(camera.coat_triangles))


def test_compensated_depth_lies_a_gap_above_the_coat(camera):
    # Below the middle of the ball; its closeness to the ball's own depth is tested in C++.
    coat, touching = (camera.depth(compensated=c)[0, 29, 39] for c in (False, True))
    assert 0.1 * 2e-5 < coat - touching < 2e-5


def test_point_clouds_are_where_the_coat_is(pressed, camera):
    world, gel = camera.points(), camera.points("gel")
    assert world.position.shape == world.normal.shape == (1, 60, 80, 3)
    depth = camera.depth()
    np.testing.assert_allclose(gel.position[0, ..., 2], -depth[0], atol=1e-9)
    turn, origin = camera.frame()
    np.testing.assert_allclose(world.position[0], gel.position[0] @ turn.T + origin, atol=1e-12)
    np.testing.assert_allclose(np.linalg.norm(world.normal, axis=-1), 1, atol=1e-6)
    assert world.seen.all() and world.contact.any() and not world.contact.all()
    np.testing.assert_array_equal(world.contact, camera.contact_mask())
    markers, points = camera.markers(), camera.marker_points()
    np.testing.assert_allclose(points.position, markers.position @ turn.T + origin)
    np.testing.assert_allclose(points.normal, markers.normal @ turn.T, atol=1e-12)
    # As the depth image has them where the markers are, to the turn between neighbouring triangles.
    columns, rows = np.rint(markers.pixel[0]).astype(int).T
    there = camera.image()[1][0, :, rows, columns]
    assert (np.einsum("mk,mk->m", there, markers.normal[0]) > np.cos(0.25)).all()
    assert markers.normal[0, :, 2].min() < 0.999
    with pytest.raises(haptos.InputError, match="frame"):
        camera.points("camera")


def test_stress_carries_the_pressure_and_is_symmetric(camera):
    stress, field = camera.stress(), camera.contact_field()
    n = field.normal
    carried = -np.einsum("evi,evij,evj->ev", n, stress.coat, n)
    most = field.pressure.max()
    assert np.sqrt(((carried - field.pressure)[field.touched > 0] ** 2).mean()) < 0.3 * most
    assert np.abs(stress.coat - np.swapaxes(stress.coat, -1, -2)).max() < 1e-9 * most
    assert stress.coat_von_mises.shape == field.pressure.shape
    assert stress.element_von_mises.max() > 0.1 * most


def test_all_is_zero_and_finite_before_contact_when_the_object_is_taken_away_and_after_a_reset():
    sim = small_scene().compile()
    camera = sim.sensors["camera"]

    def check_nothing(exact):
        touch, field, image = camera.touch(), camera.contact_field(), camera.force_image()
        for a in (*touch, *image, field.traction, field.pressure, field.shear, field.touched):
            assert np.isfinite(np.asarray(a, float)).all()
        assert touch.area[0] == 0 and not touch.force.any() and not touch.triangles.any()
        assert not field.traction.any() and not image.force.any() and not image.pressure.any()
        markers = camera.markers()
        assert np.isfinite(markers.undistorted).all() and not markers.hidden.any()
        if exact:
            assert not camera.depth().any() and not camera.contact_mask().any()
            np.testing.assert_array_equal(camera.depth(compensated=True), camera.depth())
            assert camera.stress().coat_von_mises.max() < 1e-6

    check_nothing(exact=True)
    sim.run(0.1)
    assert camera.touch().area[0] > 0
    sim.set_target("ball", (0, 0, 4.5e-3))
    sim.step()
    check_nothing(exact=False)
    sim.reset()
    sim.run(0.1)
    assert camera.touch().area[0] > 0
    sim.reset()
    check_nothing(exact=True)


def test_a_pad_that_is_moved_and_turned_reads_the_same_in_its_own_frame():
    readings = []
    turn = np.array([np.cos(0.6), 0, np.sin(0.6), 0])
    for moved in (False, True):
        pad = small_pad()
        scene = haptos.Scene(dt=0.05, gravity=(0, 0, 0))
        scene.newton.force_tolerance = 1e-8
        pose = {"position": (0.02, -0.01, 0.03), "quaternion": turn} if moved else {}
        scene.add_prescribed("mount", **pose)
        scene.add_soft("gel", pad.mesh, material=haptos.Material(young=1e5, poisson=0.45),
                       glue={"mount": pad.base_vertices}, coat=pad.coat, **pose)
        w, y = turn[0], turn[2]
        axis = np.array([2 * w * y, 0, 1 - 2 * y * y]) if moved else np.array([0, 0, 1.0])
        at = np.array(pose.get("position", (0, 0, 0)))
        # Aside of the middle and without sharp corners, so that there is one way to give way.
        aside = np.array([1.0, 0, 0]) if not moved else np.array([axis[2], 0, -axis[0]])
        at = at + 0.31e-3 * aside
        ball = haptos.icosphere(4e-3, 0.3e-3)
        quaternion = turn if moved else (1, 0, 0, 0)
        scene.add_prescribed("ball", ball, trajectory=[
            (0.0, at + axis * 4.03e-3, quaternion), (0.05, at + axis * 3.8e-3, quaternion)])
        scene.add_sensor("camera", "gel", camera=haptos.TactileCamera.fisheye(60, 60, 55, 8e-3))
        sim = scene.compile(envs=2)
        sim.step()
        camera = sim.sensors["camera"]
        readings.append((camera.touch(), camera.contact_field(), camera.depth(), camera.stress()))
    here, there = readings
    most = here[1].pressure.max()
    for r in readings:
        assert r[0].force.shape == (2, 3) and r[2].shape == (2, 60, 60)
    np.testing.assert_allclose(here[0].force, there[0].force, atol=1e-5 * abs(here[0].force).max())
    np.testing.assert_allclose(here[1].traction, there[1].traction, atol=1e-4 * most)
    np.testing.assert_allclose(here[2], there[2], atol=1e-8)
    np.testing.assert_allclose(here[3].coat, there[3].coat, atol=1e-3 * most)


def test_cameras_of_every_kind_project_and_undistort():
    fisheye = haptos.TactileCamera.fisheye(320, 240, 120, 0.01)
    brown = haptos.TactileCamera.pinhole(320, 240, 300, 0.02, k1=-0.2, k2=0.05)
    assert (fisheye.kind, brown.kind) == ("fisheye", "pinhole")
    points = np.array([[1e-3, 2e-3, -1e-4], [-3e-3, 0.5e-3, 0]])
    for camera, focal in ((fisheye, 120), (brown, 300)):
        pixel = camera.project(points)
        plain = camera.undistort(pixel)
        w = points[:, 2] + camera.distance
        np.testing.assert_allclose(plain[:, 0], 159.5 + focal * points[:, 0] / w, atol=1e-8)
        np.testing.assert_allclose(plain[:, 1], 119.5 - focal * points[:, 1] / w, atol=1e-8)
        assert abs(plain - pixel).max() > 0.1
