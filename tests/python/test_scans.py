"""Meshes like scans, and broken ones: what they are like in numbers, and that seeds repeat them.

The figures of real scans and of the recipes are in docs/scans.md; ranges here are those over many
seeds, with a little room.
"""

import subprocess
import sys

import numpy as np
import pytest

import haptos
from conftest import ROOT, run_haptos
from haptos.cli.main import run_command
from haptos import scans
from haptos.scans.breaking import faces_of
from haptos.scans.grids import cut_quads
from haptos.scans.kinds import KINDS, read_parameters
from haptos.scans.measure import triangle_normals
from haptos.scans.rooms import bisect, block_surface, chair_blocks


def arrays(mesh):
    return np.asarray(mesh.vertices), np.asarray(mesh.triangles)


def same(a, b):
    return all(np.array_equal(p, q) for p, q in zip(arrays(a), arrays(b), strict=True))


def closed(mesh):
    return haptos.check_surface(mesh).findings() == []


# -- single kinds ------------------------------------------------------------------------------


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_a_mug_is_like_the_scan_of_one(seed):
    mesh = scans.mug(seed)
    r = scans.measure_scan(mesh)
    assert (r.triangles, r.parts, len(r.rims)) == (22_300, 2, 3)
    # The scan: 114 x 79 x 97 mm, 252 cm2, edges 0.77, 1.57, 2.50 mm, bends 1.0, 4.6, 12.4 degrees.
    assert r.size == pytest.approx((0.1047, 0.0787, 0.0966), abs=5e-4)
    assert r.area == pytest.approx(252e-4, rel=0.005)
    assert np.array(r.edge) * 1e3 == pytest.approx((0.95, 1.73, 2.59), abs=0.03)
    assert np.degrees(r.bend) == pytest.approx((1.8, 6.2, 10.8), abs=0.6)
    assert 200 < r.rims[1] <= r.rims[0] < 265 and r.rims[2] == 168  # that of the handle is whole
    report = haptos.check_surface(mesh)
    assert not report.inconsistent_edges and not report.intersecting_triangles
    x, t = arrays(mesh)
    normal, _ = triangle_normals(x, t)
    wall = np.hypot(*x[t].mean(axis=1)[:, :2].T) < 39.55e-3
    outward = (normal[wall] * x[t].mean(axis=1)[wall] * [1, 1, 0]).sum(axis=1)
    assert wall.sum() == 22_300 - 2 * 60 * 24 and (outward > 0).all()


def slopes(mesh):
    """rms slope along x and y; median and 95th percentile of the faces' inclination [deg]."""
    x, t = arrays(mesh)
    n = round(np.sqrt(len(x)))
    z, step = x[:, 2].reshape(n, n), np.ptp(x[:, 0]) / (n - 1)
    along = np.concatenate([np.diff(z, axis=k).ravel() for k in (0, 1)]) / step
    incline = np.degrees(np.arccos(triangle_normals(x, t)[0][:, 2]))
    return np.sqrt((along**2).mean()), np.median(incline), np.percentile(incline, 95)


# The grounds that the recipe was fitted to: rms slope 0.243, faces 16 and 29 degrees; 0.69, 38 and
# 59. A seed gives half to one and a half of that, since few long waves decide; seeds average to it.
@pytest.mark.parametrize(("numbers", "rms", "half", "steep"), [
    ({}, 0.243, 16, 29),
    ({"size": 10.0, "spread": 0.69, "hurst": 0.83}, 0.69, 38, 59),
])
def test_terrain_has_the_height_and_over_seeds_the_slope_of_the_ground_it_is_for(
        numbers, rms, half, steep):
    found = []
    for seed in range(1, 21):
        mesh = scans.terrain(seed, **numbers)
        x, t = arrays(mesh)
        assert (len(x), len(t)) == (129**2, 32_768)
        assert x[:, 2].std() == pytest.approx(numbers.get("spread", 0.63), rel=1e-12)
        assert np.ptp(x[:, :2], axis=0) == pytest.approx([numbers.get("size", 20.0)] * 2)
        found.append(slopes(mesh))
    assert np.median(found, axis=0) == pytest.approx((rms, half, steep), rel=0.15)
    assert (triangle_normals(x, t)[0][:, 2] > 0).all()


def test_a_rougher_terrain_has_a_smaller_exponent():
    steep = [slopes(scans.terrain(5, hurst=h))[0] for h in (0.2, 0.5, 0.8)]
    assert steep[0] > 1.5 * steep[1] > 2.25 * steep[2] / 1.5


def test_a_ladder_has_a_million_triangles_and_no_backs():
    mesh = scans.ladder(1)
    r = scans.measure_scan(mesh)
    assert r.triangles == pytest.approx(978_306, rel=0.02)  # the recipe's own
    assert 50 < len(r.rims) < 150  # about a hundred
    assert r.size == pytest.approx((4.59, 3.01, 3.63), abs=0.02)
    x, t = arrays(mesh)
    normal, area = triangle_normals(x, t)
    away = area[normal @ np.array([-0.9, 0, 0.45]) < -0.5].sum()
    assert away < 1e-3 * r.area  # roughness turns some


def test_a_chair_has_150_000_triangles_and_patches_that_no_one_saw():
    r = scans.measure_scan(scans.chair(1))
    assert r.triangles == pytest.approx(150_000, rel=0.04)
    assert r.size[2] == pytest.approx(1.13, abs=0.02)
    whole = scans.measure_scan(scans.chair(1, missing=0.0))
    assert whole.area * 0.9 < r.area < whole.area * 0.98
    smooth = scans.measure_scan(scans.chair(1, missing=0.0, roughness=1e-9))
    assert smooth.edge[2] < 9.8e-3 and smooth.area < whole.area


def test_bisection_halves_edges_and_neighbours_keep_sharing_them():
    blocks = chair_blocks()[:2]
    x, t = block_surface(blocks)
    fine, cut = bisect(x, t, 0.02)
    mesh = haptos.TriMesh(fine, cut)
    r = scans.measure_scan(mesh)
    assert closed(mesh) and r.parts == 2 and len(cut) > 10_000
    assert np.linalg.norm(fine[cut] - fine[np.roll(cut, 1, axis=1)], axis=2).max() <= 0.02
    assert mesh.area == pytest.approx(haptos.TriMesh(x, t).area, rel=1e-12)
    assert mesh.volume == pytest.approx(haptos.TriMesh(x, t).volume, rel=1e-12)


def test_a_fingertip_is_a_round_box_of_a_thousand_triangles_of_a_square_millimetre():
    mesh = scans.fingertip(2)
    x, t = arrays(mesh)
    assert len(t) == 1000 and closed(mesh)
    core = np.array([9e-3, 5.5e-3, 2e-3])
    out = np.abs(x) - core
    np.testing.assert_allclose(np.linalg.norm(np.maximum(out, 0), axis=1), 2e-3, rtol=1e-12)
    # The round box: flat parts, quarters of cylinders, a ball.
    exact = 8 * (core[0] * core[1] + core[1] * core[2] + core[2] * core[0]) + (
        4 * np.pi * 2e-3 * core.sum()) + 4 * np.pi * 4e-6
    assert 0.97 * exact < mesh.area < exact
    area = triangle_normals(x, t)[1]
    assert np.percentile(area, (1, 50, 99)) * 1e6 == pytest.approx((0.7, 1.1, 1.6), abs=0.3)


# -- flat things -------------------------------------------------------------------------------


@pytest.mark.parametrize("triangles", [12, 14, 16, 50, 1000, 12_000, 99_998, 100_000])
def test_a_box_of_any_number_of_triangles_is_exactly_that_box(triangles):
    for seed, size in ((1, (0.1, 0.1, 0.1)), (2, (0.3, 0.07, 0.011))):
        mesh = scans.random_box(seed, triangles=triangles, size=size)
        x, t = arrays(mesh)
        half = np.array(size) / 2
        assert len(t) == triangles and len(x) == triangles // 2 + 2
        assert (np.abs(x) <= half).all() and (np.abs(x) == half).any(axis=1).all()
        # Each triangle lies in a plane of the box, to the bit, and covers it once.
        for axis in range(3):
            for side in (-1, 1):
                own = (x[t][:, :, axis] == side * half[axis]).all(axis=1)
                normal, area = triangle_normals(x, t[own])
                assert area.sum() == pytest.approx(np.delete(size, axis).prod(), rel=1e-12)
                assert (normal[:, axis] == pytest.approx(side, abs=1e-12))
        assert mesh.volume == pytest.approx(np.prod(size), rel=1e-12)
        assert len(scans.measure_scan(mesh).rims) == 0
        if triangles <= 1000:
            assert closed(mesh)


def test_boxes_of_other_seeds_are_cut_otherwise():
    one, two = (scans.random_box(s, triangles=600) for s in (1, 2))
    assert not same(one, two) and one.area == pytest.approx(two.area)
    cuts = {tuple(map(tuple, np.sort(arrays(scans.random_box(s))[1], axis=1))) for s in range(20)}
    assert len(cuts) > 10  # of 64 ways to draw six diagonals


@pytest.mark.parametrize("triangles", [2, 4, 512, 514, 12_800, 320_000])
def test_a_plane_of_any_number_of_triangles_covers_its_square_once(triangles):
    mesh = scans.plane(3, triangles=triangles, size=4.0)
    x, t = arrays(mesh)
    assert len(t) == triangles and (x[:, 2] == 0).all()
    normal, area = triangle_normals(x, t)
    assert (normal[:, 2] == 1).all() and area.sum() == pytest.approx(16, rel=1e-12)
    assert np.abs(x[:, :2]).max() == 2.0
    assert len(scans.measure_scan(mesh).rims) == 1


def test_a_quad_that_is_not_convex_is_cut_without_a_fold():
    corners = np.array([[[0.3, 0.3], [0.7, -0.3], [1.2, 1.2], [-0.3, 0.7]]] * 50)
    cut = cut_quads(np.arange(200).reshape(50, 4), corners, np.random.default_rng(1))
    flat = np.column_stack([corners.reshape(-1, 2), np.zeros(200)])
    normal, _ = triangle_normals(flat, cut)
    assert (normal[:, 2] == 1).all()


# -- broken ------------------------------------------------------------------------------------


BOX = scans.random_box(4, triangles=6000)


def test_nothing_that_is_not_asked_for_breaks():
    assert same(scans.break_mesh(BOX, 7), BOX)


def test_holes_are_inside_faces_and_take_at_most_their_share():
    holed = scans.break_mesh(BOX, 7, holes=0.05)
    x, t = arrays(BOX)
    left = {tuple(row) for row in arrays(holed)[1].tolist()}
    gone = np.array([tuple(row) not in left for row in t.tolist()])
    face, rim = faces_of(x, t)
    assert len(np.unique(face)) == 6
    assert not rim[t[gone]].any()
    assert (np.abs(x[t[gone]]) == 0.05).sum(axis=2).max() == 1  # no edge of the box
    lost = np.bincount(face, triangle_normals(x, t)[1] * gone)
    whole = np.bincount(face, triangle_normals(x, t)[1])
    share = lost[whole > 0] / whole[whole > 0]
    assert len(share) == 6 and (share <= 0.05).all() and (share > 0.03).all()
    assert len(scans.measure_scan(holed).rims) >= 6


@pytest.mark.parametrize("mesh", [scans.random_box(1), scans.plane(1, triangles=8)])
def test_a_face_of_few_triangles_has_no_hole(mesh):
    assert same(scans.break_mesh(mesh, 3, holes=0.05), mesh)


def test_holes_stay_off_rims_that_a_scan_has():
    mesh = scans.mug(1)
    x, t = arrays(mesh)
    holed = scans.break_mesh(mesh, 3, holes=0.05)
    before, after = scans.measure_scan(mesh), scans.measure_scan(holed)
    assert 0.94 * before.area < after.area < 0.99 * before.area
    assert set(before.rims) <= set(after.rims) and len(after.rims) >= 6


def test_turned_and_doubled_triangles_are_as_many_as_asked():
    x, t = arrays(BOX)
    turned = arrays(scans.break_mesh(BOX, 7, flip=0.25))[1]
    different = (turned != t).any(axis=1)
    assert different.sum() == 1500 and (turned[different] == t[different][:, ::-1]).all()
    doubled = scans.break_mesh(BOX, 7, duplicate=0.1)
    report = haptos.check_surface(doubled)
    assert len(doubled.triangles) == 6600 and report.duplicate_triangles.count == 600
    normal, _ = triangle_normals(*arrays(doubled))
    outward = (normal * x[arrays(doubled)[1]].mean(axis=1)).sum(axis=1) > 0
    assert outward[:6000].all() and outward[6000:].sum() == 300
    # Neighbours that are wound otherwise are flat to each other all the same.
    assert scans.measure_scan(scans.break_mesh(BOX, 7, flip=0.5)).bend == pytest.approx(
        scans.measure_scan(BOX).bend, abs=1e-12)


def test_t_junctions_leave_the_surface_where_it_is():
    torn = scans.break_mesh(BOX, 7, t_junctions=0.2)
    x, t = arrays(torn)
    assert 6000 + 1000 < len(t) <= 6000 + 1200
    assert torn.area == pytest.approx(BOX.area, rel=1e-12)
    assert torn.volume == pytest.approx(BOX.volume, rel=1e-12)
    assert (np.abs(x) == 0.05).any(axis=1).all()
    # Each opens a slit without width: an edge on one side, two on the other.
    assert haptos.check_surface(torn).open_edges.count == 3 * (len(t) - 6000)


def test_a_shuffled_mesh_is_the_same_surface():
    mixed = scans.break_mesh(BOX, 7, shuffle=True)
    assert not np.array_equal(mixed.triangles, BOX.triangles) and closed(mixed)

    def corners(mesh):
        x, t = arrays(mesh)
        places = x[t]  # each triangle from its least corner on
        order = np.lexsort(places.transpose(2, 0, 1)[::-1], axis=1)[:, 0]
        places = np.take_along_axis(places, (order[:, None] + np.arange(3))[:, :, None] % 3, axis=1)
        rows = places.reshape(-1, 9)
        return rows[np.lexsort(rows.T)]

    assert np.array_equal(corners(mixed), corners(BOX))


# -- seeds, errors, the command ----------------------------------------------------------------


SMALL = {"terrain": {"cells": 16}, "ladder": {"edge": 0.05}, "chair": {"edge": 0.03},
         "box": {"triangles": 500}}


@pytest.mark.parametrize("name", KINDS)
def test_a_seed_repeats_a_scan_bit_for_bit_and_another_gives_another(name):
    make, numbers = KINDS[name].make, SMALL.get(name, {})
    assert same(make(3, **numbers), make(3, **numbers))
    assert not same(make(3, **numbers), make(4, **numbers))
    every = {"flip": 0.3, "holes": 0.05, "duplicate": 0.1, "t_junctions": 0.1, "shuffle": True}
    mesh = make(3, **numbers)
    assert same(scans.break_mesh(mesh, 5, **every), scans.break_mesh(mesh, 5, **every))
    assert not same(scans.break_mesh(mesh, 5, **every), scans.break_mesh(mesh, 6, **every))


@pytest.mark.parametrize(("call", "sentence"), [
    (lambda: scans.random_box(triangles=13), "triangles = 13: must be an even number from 12"),
    (lambda: scans.random_box(triangles=10), "must be an even number from 12"),
    (lambda: scans.random_box(triangles=12.0), "must be an even number from 12"),
    (lambda: scans.random_box(size=(1, 2)), "must be three lengths"),
    (lambda: scans.random_box(size=(1, 2, 0)), "size = 0: must be a length greater than 0"),
    (lambda: scans.plane(triangles=0), "must be an even number from 2"),
    (lambda: scans.plane(jitter=0.5), "must be from 0 to less than 0.5"),
    (lambda: scans.plane(size=float("nan")), "must be a length greater than 0"),
    (lambda: scans.terrain(cells=1), "must be a whole number from 2 to 2048"),
    (lambda: scans.terrain(hurst=1.5), "must be from 0 to 1"),
    (lambda: scans.ladder(edge=1e-3), "must be 0.002 m or more"),
    (lambda: scans.chair(missing=0.7), "must be a share from 0 to 0.5"),
    (lambda: scans.fingertip(triangles=1002), "must be a multiple of 4"),
    (lambda: scans.fingertip(triangles=16), "has no division into three rows"),
    (lambda: scans.fingertip(radius=4e-3), "must be less than half of the smallest side"),
    (lambda: scans.break_mesh(BOX, holes=0.06), "holes = 0.06: must be a share from 0 to 0.05"),
    (lambda: scans.break_mesh(BOX, flip=-1), "flip = -1: must be a share from 0 to 1"),
    (lambda: scans.break_mesh(haptos.TriMesh(np.zeros((1, 3)))), "has no triangle"),
    (lambda: scans.mug(-1), "seed = -1: must be a whole number from 0"),
    (lambda: scans.mug(1.5), "seed = 1.5: must be a whole number from 0"),
    (lambda: read_parameters("box", ["triangels=12"]), 'did you mean "triangles"'),
    (lambda: read_parameters("box", ["triangles=12.5"]), "must be a whole number"),
    (lambda: read_parameters("mug", ["edge=1mm"]), "is no parameter of mug; it has none"),
    (lambda: read_parameters("mgu", []), 'did you mean "mug"'),
])
def test_what_cannot_be_made_is_refused_in_a_sentence(call, sentence):
    with pytest.raises(haptos.InputError, match=sentence.replace("(", r"\(")):
        call()


@pytest.mark.parametrize("suffix", [".ply", ".obj", ".stl"])
def test_the_command_writes_a_file_that_is_read_back(suffix, tmp_path):
    out = f"b{suffix}"
    done = run_haptos("scan", "box", "--set", "triangles=600", "--set", "size=20mm,30mm,40mm",
                      "--seed", "5", "--flip", "0.5", "--shuffle", "--out", out, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert "600 triangles, 302 vertices, 1 part" in done.stdout and "seed 5" in done.stdout
    mesh = haptos.read_surface(tmp_path / out)
    made = scans.break_mesh(scans.random_box(5, triangles=600, size=(0.02, 0.03, 0.04)), 5, flip=0.5,
                            shuffle=True)
    assert len(mesh.triangles) == 600
    x, t = arrays(mesh)
    y, s = arrays(made)
    np.testing.assert_allclose(x[t], y[s], rtol=2e-7, atol=1e-9)


def test_the_command_lists_kinds_and_refuses_what_is_not_there(tmp_path, capsys, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert run_command(["scan", "--list"]) == 0
    listed = capsys.readouterr().out
    assert all(name in listed for name in KINDS) and "hurst" in listed
    for arguments, sentence in [
        (("box",), "--out: must be given"),
        ((), "needs a kind"),
        (("bax", "--out", "b.ply"), 'did you mean "box"'),
        (("box", "--out", "b.vtk"), "must end with one of .stl .obj .ply"),
        (("box", "--out", "no/b.ply"), "there is no folder no"),
        (("box", "--holes", "0.2", "--out", "b.ply"), "must be a share from 0 to 0.05"),
    ]:
        assert run_command(["scan", *arguments]) == 2
        said = capsys.readouterr().err
        assert sentence in said and "\n" not in said.strip()
    assert list(tmp_path.iterdir()) == []
    (tmp_path / "b.ply").write_text("mine")
    assert run_command(["scan", "box", "--out", "b.ply"]) == 2
    assert (tmp_path / "b.ply").read_text() == "mine"
    assert run_command(["scan", "box", "--out", "b.ply", "--overwrite"]) == 0
    assert len(haptos.read_surface("b.ply").triangles) == 12


def test_what_is_not_made_for_scenes_is_refused():
    done = subprocess.run([sys.executable, ROOT / "scenes/layers/make.py", "rubbel"],
                          capture_output=True, text=True, check=False)
    assert done.returncode != 0
    assert "'rubbel' is not made here; there are terrain" in done.stderr
