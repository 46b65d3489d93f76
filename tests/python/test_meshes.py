"""Meshes: arrays, files, checks."""

import numpy as np
import pytest

import haptos
from haptos import pictures


def test_arrays_look_into_the_mesh_and_outlive_it():
    mesh = haptos.box((0.02, 0.04, 0.06))
    x = mesh.vertices
    assert x.shape == (8, 3) and x.dtype == np.float64
    x[:, 2] += 1.0
    assert mesh.bounds[0, 2] == pytest.approx(0.97)
    del mesh
    assert x[:, 2].max() == pytest.approx(1.03)


def test_a_mesh_takes_lists_and_refuses_what_does_not_fit():
    mesh = haptos.TriMesh([[0, 0, 0], [1, 0, 0], [0, 1, 0]], [[0, 1, 2]])
    assert mesh.area == pytest.approx(0.5)
    for vertices, triangles, part in (
        ([[0, 0], [1, 0]], [[0, 1, 2]], "shape (2, 2)"),
        ([[0, 0, 0]], [[0.5, 1, 2]], "whole numbers"),
        ([[0, 0, 0]], [[0, -1, 2]], "-1"),
        ([["a", "b", "c"]], [[0, 1, 2]], "real numbers"),
        ([[0, 0, 0], [1]], [[0, 1, 2]], "array of shape (n, 3)"),
        ([[0, 0, 0]], [[0, 1, 2**40]], "vertex number"),
    ):
        with pytest.raises(haptos.InputError) as e:
            haptos.TriMesh(vertices, triangles)
        assert part in str(e.value)


def test_a_box_has_its_volume_area_and_bounds():
    mesh = haptos.box((0.01, 0.02, 0.03))
    assert mesh.volume == pytest.approx(6e-6)
    assert mesh.area == pytest.approx(2 * (2e-4 + 3e-4 + 6e-4))
    moved = mesh.transformed(position=(1, 2, 3), quaternion=(0, 1, 0, 0), scale=2)
    np.testing.assert_allclose(moved.bounds, [[0.99, 1.98, 2.97], [1.01, 2.02, 3.03]])


def test_a_surface_and_a_volume_survive_a_file(tmp_path):
    ball = haptos.icosphere(0.004, 0.002)
    haptos.write_obj(tmp_path / "ball.obj", ball)
    again = haptos.read_surface(tmp_path / "ball.obj")
    np.testing.assert_array_equal(again.vertices, ball.vertices)
    np.testing.assert_array_equal(again.triangles, ball.triangles)
    pad = haptos.box_pad(grading=haptos.PadGrading.uniform(4e-3)).mesh
    moved = np.ones_like(pad.vertices)
    haptos.write_vtk(tmp_path / "pad.vtk", pad, moved)
    again = haptos.read_volume(tmp_path / "pad.vtk", scale=1e-3)
    np.testing.assert_allclose(again.vertices, 1e-3 * pad.vertices, rtol=1e-15)
    np.testing.assert_array_equal(again.tets, pad.tets)


def test_an_error_names_file_line_and_remedy(tmp_path):
    path = tmp_path / "bad.obj"
    path.write_text("v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 9\n")
    with pytest.raises(haptos.InputError) as e:
        haptos.read_surface(path)
    assert isinstance(e.value, ValueError)
    assert e.value.file == str(path) and e.value.line == 4
    assert e.value.rule and str(e.value).startswith(f"{path}:4")


def test_checks_count_what_is_wrong():
    box = haptos.box((0.01, 0.01, 0.01))
    good = haptos.check_surface(box)
    assert good.outward and good.findings() == [] and not good.open_edges
    open_box = haptos.TriMesh(box.vertices, box.triangles[1:])
    report = haptos.check_surface(open_box)
    assert report.open_edges.count == 3 and report.open_edges.first.shape == (3, 2)
    assert not report.closed and len(report.findings()) == 1
    turned, count = haptos.orient(haptos.TriMesh(box.vertices, box.triangles[:, ::-1]))
    assert count == 12 and haptos.check_surface(turned).outward
    with pytest.raises(haptos.InputError, match="closed"):
        haptos.require_contact_surface(open_box, "lid", closed=True)
    tet = haptos.TetMesh([[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]], [[0, 2, 1, 3]])
    assert haptos.check_volume(tet).inverted_tets.count == 1
    with pytest.raises(haptos.InputError):
        haptos.require_volume(tet)


def test_every_named_shape_is_a_solid_of_20_mm():
    for name in haptos.shape_names():
        mesh = haptos.make_shape(name)
        assert mesh.bounds[1, 2] == pytest.approx(0.020, abs=1e-9), name
        assert haptos.check_surface(mesh).outward, name
    with pytest.raises(haptos.InputError, match="sphere"):
        haptos.make_shape("spere")


def test_the_mini_pad_has_its_size_and_a_flat_base():
    pad = haptos.mini_pad(haptos.PadGrading.uniform(3e-3))
    size = np.ptp(pad.mesh.vertices, axis=0)
    np.testing.assert_allclose(size, [20.75e-3, 25.25e-3, 4e-3], rtol=1e-9)
    base = pad.mesh.vertices[pad.base_vertices]
    assert np.all(base[:, 2] == -pad.thickness) and len(base) > 50
    surface, ids = haptos.boundary_surface(pad.mesh)
    assert len(surface.triangles) > len(pad.coat) and len(ids) == len(surface.vertices)


def test_segments_and_points_are_part_of_a_mesh_and_its_file(tmp_path):
    x = [(0, 0, 0), (1, 0, 0), (0, 1, 0), (0, 0, 1)]
    mesh = haptos.TriMesh(x, [], segments=[(0, 1), (1, 2)], points=[3])
    assert repr(mesh) == "haptos.TriMesh(4 vertices, 0 triangles, 2 segments, 1 points)"
    assert mesh.segments.tolist() == [[0, 1], [1, 2]] and mesh.points.tolist() == [3]
    assert haptos.TriMesh(x, points=[0]).triangles.shape == (0, 3)
    haptos.write_obj(tmp_path / "wire.obj", mesh)
    again = haptos.read_surface(tmp_path / "wire.obj")
    assert again.segments.tolist() == mesh.segments.tolist() and again.points.tolist() == [3]
    assert haptos.check_surface(mesh).findings() == []
    with pytest.raises(haptos.InputError, match="triangles only"):
        haptos.write_stl(tmp_path / "wire.stl", mesh)
    with pytest.raises(haptos.InputError, match="segments"):
        haptos.TriMesh(x, [], segments=[(0, 1, 2)])
    twice = haptos.TriMesh(x, [], segments=[(0, 1), (1, 0)])
    assert haptos.check_surface(twice).duplicate_segments.count == 1
    with pytest.raises(haptos.InputError, match="name the same two vertices"):
        haptos.require_contact_surface(twice)


def test_gel_is_pressed_by_pins_and_pictures_show_them():
    pad = haptos.box_pad(8e-3, 8e-3, 4e-3, grading=haptos.PadGrading.uniform(2e-3))
    scene = haptos.Scene(dt=0.05, gravity=(0, 0, 0))
    scene.add_soft("gel", pad.mesh, material={"young": 1e5, "poisson": 0.45},
                   glue={"base": pad.base_vertices})
    scene.add_prescribed("base")
    bed = haptos.pins((3, 3), 2.3e-3, 5e-3).transformed(quaternion=(0, 1, 0, 0))
    scene.add_prescribed("bed", bed, trajectory=[(0, (0, 0, 3e-5)), (0.2, (0, 0, -3e-4))])
    sim = scene.compile()
    for _ in range(4):
        assert sim.step().status == 0
    force, _ = sim.reaction("bed")
    assert force[0, 2] > 0.01
    image = pictures.scene_above(sim, 160, 120)
    assert image.shape[:2] == (120, 160)
