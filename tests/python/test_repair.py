"""Mending surfaces, and saying what was changed."""

import math

import numpy as np
import pytest

import haptos
from conftest import outside_file, run_haptos
from haptos.meshes.repair import find_rims, least_area_fill

CUBE = haptos.box((0.01, 0.01, 0.01), (4, 4, 4))
X, T = np.asarray(CUBE.vertices), np.asarray(CUBE.triangles)
CORNER = np.flatnonzero((X == X.max(axis=0)).all(axis=1))[0]


def sound(mesh):
    return haptos.check_surface(mesh).findings() == []


def test_a_sound_surface_is_left_as_it_is():
    mesh, report = haptos.repair(CUBE)
    np.testing.assert_array_equal(mesh.vertices, X)
    np.testing.assert_array_equal(mesh.triangles, T)
    assert not report.changed and report.lines()[0] == "nothing to change"


def test_a_triangle_soup_is_welded():
    soup = haptos.TriMesh(X[T].reshape(-1, 3), np.arange(3 * len(T)).reshape(-1, 3))
    mesh, report = haptos.repair(soup)
    assert sound(mesh) and mesh.volume == pytest.approx(1e-6)
    assert report.joined == 3 * len(T) - len(X) and report.collapsed == 0
    noisy = haptos.TriMesh(X[T].reshape(-1, 3) + np.random.default_rng(1).uniform(
        -2e-8, 2e-8, (3 * len(T), 3)), soup.triangles)
    assert not sound(haptos.repair(noisy, weld=1e-12)[0]) and sound(haptos.repair(noisy)[0])


def test_degenerate_duplicate_turned_and_unreadable_triangles_are_mended():
    flip = T.copy()
    flip[::3] = flip[::3, ::-1]
    bad = np.concatenate([flip, T[:2], [[0, 0, 1]], [[0, 1, len(X)]]])
    x = np.concatenate([X, [[math.nan, 0, 0]]])
    mesh, report = haptos.repair(haptos.TriMesh(x, bad))
    assert sound(mesh) and mesh.volume == pytest.approx(1e-6)
    assert report.dropped == 1 and report.degenerate == 3 - report.collapsed
    assert report.turned == len(T[::3]) and len(mesh.triangles) == len(T)


def test_a_cavity_faces_inward_and_parts_that_overlap_face_outward():
    def pair(b):
        return haptos.TriMesh(np.concatenate([X, np.asarray(b.vertices)]),
                              np.concatenate([T, np.asarray(b.triangles) + len(X)]))

    hollow, report = haptos.repair(pair(CUBE.transformed(scale=0.5)))
    assert hollow.volume == pytest.approx(0.875e-6) and report.turned == len(T)
    overlap, report = haptos.repair(pair(CUBE.transformed(position=(2.1e-3, 2.2e-3, 2.3e-3))))
    assert overlap.volume == pytest.approx(2e-6) and report.turned == 0
    assert report.after.intersecting_triangles and "cut through" in "".join(report.lines())


def test_a_small_hole_is_closed_with_the_least_area_and_a_large_one_is_not():
    around = (T == CORNER).any(axis=1)
    hole = haptos.TriMesh(X, T[~around])
    mesh, report = haptos.repair(hole, largest_hole=3e-3)
    assert sound(mesh) and len(report.filled) == 1 and not report.left_open
    rim = report.filled[0]
    assert rim.edges == around.sum() and rim.width == pytest.approx(2.5e-3)
    # The corner is cut off: the least area leaves no more than the cube had.
    assert rim.area < 3 * 2.5e-3**2 and 0.99e-6 < mesh.volume < 1e-6
    left, report = haptos.repair(hole, largest_hole=2e-3)
    assert not report.filled and "wider than the limit of 0.002" in report.lines()[1]
    assert len(left.triangles) == len(hole.triangles)
    assert haptos.repair(hole, largest_hole=0)[1].left_open
    # The default is a twentieth of the diagonal, 0.87 mm: this hole may be meant.
    assert haptos.repair(hole)[1].left_open


def test_a_flat_hole_is_closed_flat():
    top = np.isclose(X[T][:, :, 2], 5e-3).all(axis=1)
    inner = top & (np.abs(X[T].mean(axis=1)[:, :2]) < 2.5e-3).all(axis=1)
    mesh, report = haptos.repair(haptos.TriMesh(X, T[~inner]), largest_hole=6e-3)
    assert sound(mesh) and mesh.volume == pytest.approx(1e-6, rel=1e-12)
    assert report.filled[0].area == pytest.approx(25e-6)
    assert "closed a hole" in report.lines()[0]


def test_the_least_area_fill_of_a_bent_square_folds_along_the_short_way():
    triangles, area = least_area_fill(np.array([[0, 0, 0], [1, 0, 1], [1, 1, 0], [0, 1, 1.0]]))
    assert len(triangles) == 2 and area == pytest.approx(math.sqrt(3))
    n = 40
    angle = 2 * np.pi * np.arange(n) / n
    ring = np.stack([np.cos(angle), np.sin(angle), 0 * angle], axis=1)
    triangles, area = least_area_fill(ring)
    assert len(triangles) == n - 2 and area == pytest.approx(0.5 * n * np.sin(2 * np.pi / n))


def test_rims_that_touch_in_a_vertex_are_loops_of_their_own():
    corner = T[(T == CORNER).any(axis=1)]
    keep = [t for t in T.tolist() if t not in (corner[0].tolist(), corner[-1].tolist())]
    rims = find_rims(np.array(keep, np.int32))
    assert sum(len(r) for r in rims) in (4, 6) and all(len(set(r)) == len(r) for r in rims)
    mesh, report = haptos.repair(haptos.TriMesh(X, keep), largest_hole=1.0)
    assert sound(mesh) and not report.left_open


def test_a_fill_that_would_cut_the_surface_is_not_made():
    # A tent over a square hole: a spike of the surface stands in the plane of the hole.
    top = np.isclose(X[T][:, :, 2], 5e-3).all(axis=1)
    spike = haptos.cone(1e-3, 0.2e-3, 4e-3, 0.5e-3).transformed(position=(0, 0, 4e-3))
    mesh = haptos.TriMesh(np.concatenate([X, np.asarray(spike.vertices)]),
                          np.concatenate([T[~top], np.asarray(spike.triangles) + len(X)]))
    _, report = haptos.repair(mesh, largest_hole=1.0)
    assert not report.filled and "would cut the surface" in report.left_open[0].open_because


def test_rebuilding_removes_what_cuts_itself():
    two = haptos.TriMesh(np.concatenate([X, X + 2e-3]), np.concatenate([T, T + len(X)]))
    mesh, report = haptos.repair(two, rebuild=3e-3)
    assert sound(mesh) and report.rebuilt == 3e-3 and report.moved < 1.05 * 3e-3 / 20
    assert mesh.volume == pytest.approx(2e-6 - (8e-3) ** 3, rel=0.01)


@pytest.mark.parametrize(("options", "part"), [
    ({"weld": -1.0}, "weld = -1"), ({"weld": math.nan}, "weld"), ({"weld": 1.0}, "smaller than"),
    ({"largest_hole": -1.0}, "largest_hole"), ({"rebuild": -1.0}, "size")])
def test_numbers_out_of_range_are_refused(options, part):
    with pytest.raises(haptos.InputError, match=part):
        haptos.repair(CUBE, **options)


def test_a_surface_without_triangles_is_refused():
    with pytest.raises(haptos.InputError, match="no triangle that can be used"):
        haptos.repair(haptos.TriMesh(np.zeros((0, 3)), np.zeros((0, 3), int)))
    with pytest.raises(haptos.InputError, match="must be from 0 to 0"):
        haptos.TriMesh([[0, 0, 0]], [[0, 1, 2]])


@pytest.mark.parametrize("suffix", [".stl", ".obj", ".ply"])
def test_the_command_mends_a_file_in_its_own_unit(tmp_path, suffix):
    around = (T == CORNER).any(axis=1)
    haptos.write_obj(tmp_path / "bad.obj", haptos.TriMesh(X * 1e3, T[~around]))
    done = run_haptos("check", "bad.obj", "--repair", "good" + suffix, "--largest-hole", "3mm",
                      "--unit", "mm", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert "closed a hole of" in done.stdout and "closed and sound" in done.stdout
    mesh = haptos.read_surface(tmp_path / ("good" + suffix))
    assert sound(mesh) and mesh.volume == pytest.approx(1e3, rel=0.01)
    assert run_haptos("check", "good" + suffix, cwd=tmp_path).returncode == 0


def test_the_command_says_what_it_leaves_and_refuses_in_one_line(tmp_path):
    haptos.write_obj(tmp_path / "bad.obj", haptos.TriMesh(X, T[30:]))
    left = run_haptos("check", "bad.obj", "--repair", "a.obj", "--largest-hole", "0", cwd=tmp_path)
    assert left.returncode == 1 and "left open" in left.stdout and (tmp_path / "a.obj").exists()
    for arguments in (("--repair", "a.vtk"), ("--repair", "bad.obj"), ("--repair", "a.obj"),
                      ("--largest-hole", "1mm"), ("--repair", "b.obj", "--weld", "1kg"),
                      ("--repair", "no/b.obj"), ("--repair", "b.obj", "--unit", "inch")):
        done = run_haptos("check", "bad.obj", *arguments, cwd=tmp_path)
        lines = [t for t in done.stderr.splitlines() if not t.startswith("note:")]
        assert done.returncode == 2 and len(lines) == 1, (arguments, done.stderr)
    assert sorted(p.name for p in tmp_path.iterdir()) == ["a.obj", "bad.obj"]


@pytest.mark.parametrize("name", ["C1", "C5", "C8"])
def test_mechanical_parts_are_closed_by_welding(name):
    mesh, report = haptos.repair(outside_file(f"mech/{name}.stl"))
    assert not report.before.closed and sound(mesh) and not report.holes


def test_the_open_bunny_is_closed_when_its_holes_are_said_to_be_no_openings():
    path = outside_file("meshes/bunny_open.obj")
    assert [h.edges for h in haptos.repair(path)[1].left_open] == [11, 11, 8, 12]
    mesh, report = haptos.repair(path, largest_hole=0.05)
    assert sound(mesh) and len(report.filled) == 4
