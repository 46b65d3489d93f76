"""Tetrahedra for closed surfaces, and what measure_tets() says of them."""

import math
import os
import subprocess
import sys
import time

import numpy as np
import pytest

import haptos
from conftest import outside_file, run_haptos
from haptos.meshes import cache as mesh_cache
from haptos.meshes.tet_report import sample_surface, tet_edges
from haptos.meshes.tets import make_tets

CUBE = haptos.box((0.01, 0.01, 0.01))
SHAPES = ("cone", "cross_lines", "curved_surface", "cylinder", "cylinder_shell", "cylinder_side",
          "dot_in", "flat_slab", "hexagon", "line", "parallel_lines", "prism", "sphere", "sphere2",
          "triangle")


def check(surface, mesh, epsilon, volume_within):
    """What must hold of any result; the report."""
    report = haptos.measure_tets(mesh, surface)
    assert haptos.check_volume(mesh).findings() == []
    assert report.inverted == 0 and report.dihedral_min > 5 and report.radius_ratio_min > 0.05
    assert report.deviation_out < 1.05 * epsilon and report.deviation_in < 2 * epsilon
    assert abs(report.volume_error) < volume_within
    # No volume can be lost or won beyond what the envelope holds.
    assert abs(mesh.volume - surface.volume) < 1.5 * epsilon * surface.area
    return report


# -- the measures ------------------------------------------------------------------------------


def test_a_regular_tetrahedron_has_the_measures_of_one():
    x = np.array([[1, 1, 1], [1, -1, -1], [-1, 1, -1], [-1, -1, 1]]) * 1e-3
    mesh, _ = haptos.orient(haptos.TetMesh(x, [[0, 1, 2, 3]]))
    r = haptos.measure_tets(mesh)
    regular = math.degrees(math.acos(1 / 3))
    assert (r.tets, r.inverted) == (1, 0) and r.volume_error is None and r.deviation_out is None
    np.testing.assert_allclose([r.dihedral_min, r.dihedral_max, r.dihedral_mean_min], regular)
    np.testing.assert_allclose([r.radius_ratio_min, r.radius_ratio_mean], 1.0)
    assert r.aspect_max == pytest.approx(math.sqrt(1.5))
    np.testing.assert_allclose([r.edge_min, r.edge_max, r.edge_mean], 2e-3 * math.sqrt(2))
    turned = haptos.measure_tets(haptos.TetMesh(x, np.asarray(mesh.tets)[:, [1, 0, 2, 3]]))
    assert turned.inverted == 1 and turned.radius_ratio_min == pytest.approx(-1.0)


def test_measured_deviation_is_that_of_a_box_made_larger():
    small = haptos.box_pad(8e-3, 8e-3, 2e-3, grading=haptos.PadGrading.uniform(1e-3)).mesh
    r = haptos.measure_tets(small, haptos.boundary_surface(small.transformed(scale=1.1))[0])
    # Corners move by a tenth of their distance from the origin, at the middle of the top.
    corner = 0.1 * math.sqrt(4e-3**2 + 4e-3**2 + 2e-3**2)
    assert r.deviation_in == pytest.approx(corner, rel=1e-9)
    assert r.deviation_out == pytest.approx(0.4e-3, rel=1e-6)
    assert r.volume_error == pytest.approx(1 / 1.1**3 - 1)
    assert len(r.lines()) == 5


def test_samples_cover_every_triangle_at_the_spacing_asked_for():
    points, kept = sample_surface(CUBE, 1e-3)
    assert kept == 1e-3
    rng = np.random.default_rng(1)
    for p in rng.uniform(-5e-3, 5e-3, (50, 3)):
        p[rng.integers(3)] = 5e-3
        assert np.linalg.norm(points - p, axis=1).min() <= kept / math.sqrt(3)


# -- the tetrahedra ----------------------------------------------------------------------------


@pytest.mark.parametrize(("name", "surface", "size", "volume_within"), [
    ("box", CUBE, 2e-3, 1e-3),
    ("torus, genus 1", haptos.torus(8e-3, 3e-3, 1.5e-3), 2e-3, 0.03),
    ("thin plate", haptos.box((12e-3, 12e-3, 0.5e-3)), 1.5e-3, 5e-3),
    ("ball", haptos.icosphere(5e-3, 1.5e-3), 2e-3, 0.02)])
def test_generated_shapes_are_filled_within_epsilon(name, surface, size, volume_within):
    mesh = haptos.tetrahedralise(surface, size)
    report = check(surface, mesh, size / 20, volume_within)
    assert 0.5 * size < report.edge_mean < 1.2 * size and report.edge_p95 < 1.6 * size, name


def test_planes_of_a_box_stay_planes_but_for_a_few_vertices():
    mesh = haptos.tetrahedralise(CUBE, 3e-3)
    x = np.asarray(haptos.boundary_surface(mesh)[0].vertices)
    off = np.abs(np.abs(x) - 5e-3).min(axis=1)
    assert (off < 1e-9).mean() > 0.95 and off.max() < 3e-3 / 20


def test_the_same_seed_gives_the_same_bits_and_another_gives_others():
    a, b, c = (haptos.tetrahedralise(CUBE, 3e-3, seed=s) for s in (7, 7, 8))
    np.testing.assert_array_equal(a.vertices, b.vertices)
    np.testing.assert_array_equal(a.tets, b.tets)
    assert a.vertices.shape != c.vertices.shape or not np.array_equal(a.vertices, c.vertices)


def test_size_and_place_do_not_matter_in_units_of_the_size():
    """fTetWild compares with absolute numbers; a body of metres and one of microns are one job."""
    a = haptos.tetrahedralise(CUBE, 3e-3)
    b = haptos.tetrahedralise(CUBE.transformed(scale=2.0**-10), 3e-3 * 2.0**-10)
    np.testing.assert_array_equal(a.tets, b.tets)
    moved = haptos.tetrahedralise(CUBE.transformed(position=(1.0, -2.0, 0.5)), 3e-3)
    check(CUBE.transformed(position=(1.0, -2.0, 0.5)), moved, 1.5e-4, 1e-3)


def length_over(mesh, field, where):
    """Edge lengths over the lengths asked for at their middles, for middles where() is true."""
    x, edges = np.asarray(mesh.vertices), tet_edges(np.asarray(mesh.tets))
    middle = 0.5 * (x[edges[:, 0]] + x[edges[:, 1]])
    ratio = np.linalg.norm(x[edges[:, 0]] - x[edges[:, 1]], axis=1) / field(middle)
    return ratio[where(middle)]


def test_a_size_field_is_obeyed_in_both_halves():
    def field(x):
        return np.where(x[:, 0] < 0, 0.8e-3, 2.4e-3)

    mesh = haptos.tetrahedralise(CUBE, 2.4e-3, size_field=field)
    check(CUBE, mesh, 8e-5, 1e-3)
    fine = length_over(mesh, field, lambda m: m[:, 0] < -0.5e-3)
    coarse = length_over(mesh, field, lambda m: m[:, 0] > 3.5e-3)
    assert 0.8 < fine.mean() < 1.15 and np.percentile(fine, 95) < 1.5
    assert 0.6 < coarse.mean() < 1.2 and len(fine) > 5 * len(coarse)


def test_a_fine_spot_smaller_than_the_size_is_not_missed():
    def field(x):
        return np.where(np.linalg.norm(x - [3e-3, 3e-3, 5e-3], axis=1) < 1e-3, 0.4e-3, 3e-3)

    mesh = haptos.tetrahedralise(CUBE, 3e-3, size_field=field, epsilon=1e-4)
    spot = length_over(mesh, field,
                       lambda m: np.linalg.norm(m - [3e-3, 3e-3, 5e-3], axis=1) < 0.9e-3)
    assert len(spot) > 100 and spot.mean() < 1.2 and np.percentile(spot, 95) < 1.5


def test_a_size_field_may_be_values_on_a_mesh():
    grid = haptos.box_pad(12e-3, 12e-3, 12e-3, grading=haptos.PadGrading.uniform(1.5e-3)).mesh
    grid = grid.transformed(position=(0, 0, 6e-3))  # covers the cube
    z = np.asarray(grid.vertices)[:, 2]
    mesh = haptos.tetrahedralise(CUBE, 2.5e-3, size_field=(grid, np.where(z > 0, 1e-3, 2.5e-3)))

    def field(x):
        return np.where(x[:, 2] > 0, 1e-3, 2.5e-3)

    assert 0.8 < length_over(mesh, field, lambda m: m[:, 2] > 1e-3).mean() < 1.2
    assert 0.6 < length_over(mesh, field, lambda m: m[:, 2] < -2.5e-3).mean() < 1.2


# -- what is refused ---------------------------------------------------------------------------


def joined(*meshes):
    x, t, n = [], [], 0
    for m in meshes:
        x.append(np.asarray(m.vertices))
        t.append(np.asarray(m.triangles) + n)
        n += len(m.vertices)
    return haptos.TriMesh(np.concatenate(x), np.concatenate(t))


INSIDE_OUT = haptos.TriMesh(CUBE.vertices, np.asarray(CUBE.triangles)[:, ::-1])
HALF = CUBE.transformed(scale=0.5)


@pytest.mark.parametrize(("surface", "part"), [
    (haptos.TriMesh(CUBE.vertices, np.asarray(CUBE.triangles)[1:]), "the surface is open"),
    (joined(CUBE, CUBE.transformed(position=(2e-3, 2e-3, 2e-3))), "cut through each other"),
    (INSIDE_OUT, "face the wrong way"),
    (joined(CUBE, HALF), "12 of its triangles face the wrong way"),  # a cavity turned outward
    (haptos.TriMesh(np.zeros((0, 3)), np.zeros((0, 3), int)), "needs triangles"),
    (haptos.TriMesh([[0, 0, math.nan], [1, 0, 0], [0, 1, 0]], [[0, 1, 2]]), "finite")])
def test_a_surface_that_bounds_nothing_is_refused_in_one_sentence(surface, part):
    with pytest.raises(haptos.InputError) as e:
        haptos.tetrahedralise(surface, 2e-3)
    assert part in str(e.value) and "\n" not in str(e.value) and e.value.remedy
    if "finite" not in part and "needs" not in part:
        assert "haptos check FILE --repair OUT" in e.value.remedy


@pytest.mark.parametrize(("options", "part"), [
    ({"size": 0}, "size = 0 mm: must be more than 0"), ({"size": math.nan}, "size = nan"),
    ({"size": "wide"}, "size = wide"), ({"size": 1.0}, "17.32 mm"),
    ({"size": 1e-5}, "tetrahedra, more than max_tets"),
    ({"epsilon": 3e-3}, "epsilon"), ({"epsilon": 0.0}, "epsilon"), ({"seed": -1}, "seed"),
    ({"seed": 1.5}, "seed"), ({"stop_energy": 1.0}, "stop_energy"),
    ({"max_iterations": 0}, "max_iterations"), ({"time_limit": 0.05}, "within 0.05 s"),
    ({"size_field": 1e-3}, "size_field = float"),
    ({"size_field": lambda x: x}, "must give"), ({"size_field": lambda x: -1.0}, "above 0"),
    ({"size_field": lambda x: np.full(len(x), math.nan)}, "finite"),
    ({"size_field": lambda x: "thin"}, "size_field"),
    ({"size_field": lambda x: 1e-6}, "max_tets")])
def test_numbers_out_of_range_are_refused(options, part):
    with pytest.raises(haptos.InputError) as e:
        haptos.tetrahedralise(CUBE, **{"size": 2e-3, **options})
    assert part in str(e.value) and e.value.remedy


def test_a_plate_thinner_than_the_envelope_is_refused_and_not_lost():
    plate = haptos.box((10e-3, 10e-3, 0.1e-3))
    with pytest.raises(haptos.InputError) as e:
        haptos.tetrahedralise(plate, 4e-3, epsilon=0.5e-3)
    assert "epsilon" in str(e.value)


def test_defects_are_filled_where_asked_for():
    two = joined(CUBE, CUBE.transformed(position=(2e-3, 2e-3, 2e-3)))
    mesh = haptos.tetrahedralise(two, 3e-3, allow_defects=True)
    assert mesh.volume == pytest.approx(2e-6 - (8e-3) ** 3, rel=1e-2)  # the union


def test_a_cavity_stays_empty():
    hollow, _ = haptos.orient(joined(CUBE, HALF))
    mesh = haptos.tetrahedralise(hollow, 3e-3)
    assert mesh.volume == pytest.approx(1e-6 - 0.125e-6, rel=5e-3)
    assert haptos.check_volume(mesh).boundary_components == 2


def test_without_pytetwild_the_sentence_says_what_to_install(monkeypatch):
    from importlib import metadata

    def missing(name):
        raise metadata.PackageNotFoundError(name)

    monkeypatch.setattr(metadata, "version", missing)
    with pytest.raises(haptos.InputError, match="pip install pytetwild==0.4.2"):
        haptos.tetrahedralise(CUBE, 2e-3)


def test_a_crash_of_the_worker_is_one_sentence(monkeypatch):
    from haptos.meshes import tets

    real = tets._watch

    def killed(command, *rest):
        return real([sys.executable, "-c", "import os; os.abort()"], *rest)

    monkeypatch.setattr(tets, "_watch", killed)
    with pytest.raises(haptos.InputError, match="fTetWild ended with signal 6"):
        haptos.tetrahedralise(CUBE, 2e-3)


# -- the cache ---------------------------------------------------------------------------------


def test_the_cache_gives_back_the_same_mesh_and_survives_damage(tmp_path, monkeypatch):
    monkeypatch.setenv("HAPTOS_CACHE", str(tmp_path))
    first = make_tets(CUBE, 3e-3, cache=True)
    again = make_tets(CUBE, 3e-3, cache=True)
    assert not first.cached and again.cached
    np.testing.assert_array_equal(first.mesh.vertices, again.mesh.vertices)
    np.testing.assert_array_equal(first.mesh.tets, again.mesh.tets)
    assert not make_tets(CUBE, 3e-3, cache=True, seed=2).cached
    files = sorted((tmp_path / "tets").iterdir())
    assert len(files) == 2 and all(f.suffix == ".npz" for f in files)
    for f in files:
        f.write_bytes(f.read_bytes()[:100])
    assert not make_tets(CUBE, 3e-3, cache=True).cached
    monkeypatch.setattr(mesh_cache, "MOST_BYTES", 1)
    mesh_cache.store("0" * 64, np.asarray(CUBE.vertices), np.zeros((1, 4), np.int32))
    assert list((tmp_path / "tets").iterdir()) == []


def test_a_cache_that_cannot_be_written_does_not_stop(tmp_path, monkeypatch):
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("HAPTOS_CACHE", str(tmp_path / "file"))
    assert not make_tets(CUBE, 4e-3, cache=True).cached


# -- in a scene --------------------------------------------------------------------------------


def test_a_ball_made_from_its_surface_rests_and_weighs_m_g():
    mesh = haptos.tetrahedralise(haptos.icosphere(5e-3, 1e-3), 2.5e-3)
    low = np.asarray(mesh.vertices)[:, 2].min()
    scene = haptos.Scene(dt=0.01)
    scene.newton.force_tolerance = 1e-4
    scene.add_soft("ball", mesh, element="linear", position=(0, 0, 1e-5 - low),
                   material=haptos.Material(young=2e4, poisson=0.4, mass_damping=20.0))
    scene.add_half_space("floor")
    sim = scene.compile()
    report = sim.run(0.25)
    assert report.ok, report.describe()
    weight = 1000 * mesh.volume * 9.81
    np.testing.assert_allclose(sim.contact_wrench("ball").force[0], [0, 0, weight], rtol=5e-3,
                               atol=5e-3 * weight)
    now = haptos.measure_tets(haptos.TetMesh(sim.positions("ball")[0], mesh.tets))
    assert now.inverted == 0 and now.volume == pytest.approx(mesh.volume, rel=0.01)


SCENE = """
sim: {{dt: 10 ms}}
soft:
  - name: gel
    surface: {{file: ball.stl, unit: mm, size: {size}}}
    material: {{young: 20 kPa}}
    pose: {{position: [0, 0, 6 mm]}}
half_spaces:
  - {{name: floor}}
"""


def test_a_scene_file_may_name_a_surface(tmp_path, monkeypatch):
    monkeypatch.setenv("HAPTOS_CACHE", str(tmp_path / "cache"))
    haptos.write_stl(tmp_path / "ball.stl", haptos.icosphere(5.0, 2.0))
    (tmp_path / "a.yaml").write_text(SCENE.format(size="3 mm"))
    told = []
    scene = haptos.load_scene(tmp_path / "a.yaml", progress=lambda name, now: told.append(name))
    mesh = scene.entries()["soft"][0]["mesh"]
    assert set(told) == {"ball.stl"} and len(list((tmp_path / "cache/tets").iterdir())) == 1
    assert mesh.volume == pytest.approx(haptos.icosphere(5e-3, 2e-3).volume, rel=0.05)
    scene.compile().step()
    again = haptos.load_scene(tmp_path / "a.yaml", progress=lambda name, now: told.append("again"))
    np.testing.assert_array_equal(again.entries()["soft"][0]["mesh"].tets, mesh.tets)
    assert "again" not in told
    (tmp_path / "b.yaml").write_text(SCENE.format(size="3 m"))
    with pytest.raises(haptos.InputError) as e:
        haptos.load_scene(tmp_path / "b.yaml")
    assert e.value.file.endswith("b.yaml") and e.value.line == 5
    assert 'soft[0].surface "ball.stl", size = 3 m: must be more than 0' in str(e.value)


# -- the command -------------------------------------------------------------------------------


def test_the_command_writes_a_volume_and_says_how_good_it_is(tmp_path):
    haptos.write_stl(tmp_path / "cube.stl", CUBE.transformed(scale=1e3))
    for out in ("gel.vtk", "gel.msh"):
        done = run_haptos("tetrahedralise", "cube.stl", "--size", "3mm", "--out", out, cwd=tmp_path)
        assert done.returncode == 0, done.stderr
        assert "dihedral angles" in done.stdout and "boundary within" in done.stdout
        assert "unit is taken to be mm" in done.stderr
        assert haptos.read_volume(tmp_path / out).volume == pytest.approx(1e-6, rel=1e-3)
    np.testing.assert_array_equal(haptos.read_volume(tmp_path / "gel.vtk").tets,
                                  haptos.read_volume(tmp_path / "gel.msh").tets)
    assert {p.name for p in tmp_path.iterdir()} == {"cube.stl", "gel.vtk", "gel.msh"}
    checked = run_haptos("check", "gel.vtk", cwd=tmp_path)
    assert checked.returncode == 0 and "radius ratio at least" in checked.stdout
    again = run_haptos("tetrahedralise", "cube.stl", "--size", "3mm", "--out", "gel.vtk",
                       cwd=tmp_path)
    assert again.returncode == 2 and "--overwrite" in again.stderr


@pytest.mark.parametrize("arguments", [
    ("none.stl", "--size", "1mm", "--out", "a.vtk"), ("cube.stl", "--size", "1mm"),
    ("cube.stl", "--size", "1mm", "--out", "a.stl"), ("cube.stl", "--size", "x", "--out", "a.vtk"),
    ("cube.stl", "--size", "1mm", "--out", "no/a.vtk"), ("cube.stl", "--out", "a.vtk"),
    ("open.stl", "--size", "3mm", "--out", "a.vtk"),
    ("cube.stl", "--size", "3mm", "--unit", "inch", "--out", "a.vtk"),
    ("cube.stl", "--size", "1um", "--out", "a.vtk")])
def test_bad_input_to_the_command_is_one_line_and_nothing_is_made(arguments, tmp_path, monkeypatch,
                                                                  capsys):
    from haptos.cli.main import run_command

    haptos.write_stl(tmp_path / "cube.stl", CUBE.transformed(scale=1e3))
    haptos.write_stl(tmp_path / "open.stl", haptos.TriMesh(
        np.asarray(CUBE.vertices) * 1e3, np.asarray(CUBE.triangles)[1:]))
    monkeypatch.chdir(tmp_path)
    before = sorted(os.listdir())
    assert run_command(["tetrahedralise", *arguments]) == 2
    lines = [t for t in capsys.readouterr().err.splitlines() if not t.startswith("note:")]
    assert len(lines) == 1 and sorted(os.listdir()) == before


def running(process_id):
    try:
        with open(f"/proc/{process_id}/stat", encoding="ascii") as f:
            return f.read().split()[2] != "Z"
    except OSError:
        return False


def test_the_worker_ends_with_the_process_that_started_it():
    program = ("import haptos\n"
               "haptos.tetrahedralise(haptos.icosphere(5e-3, 1e-3), 4e-4, epsilon=1e-5,\n"
               "    progress=lambda now: print('going', flush=True))\n")
    with subprocess.Popen([sys.executable, "-c", program], stdout=subprocess.PIPE,
                          text=True) as process:
        assert process.stdout is not None and process.stdout.readline() == "going\n"
        with open(f"/proc/{process.pid}/task/{process.pid}/children", encoding="ascii") as f:
            workers = f.read().split()
        process.kill()
    assert len(workers) == 1
    deadline = time.monotonic() + 10
    while running(workers[0]) and time.monotonic() < deadline:
        time.sleep(0.02)
    assert not running(workers[0])


# -- outside data ------------------------------------------------------------------------------


@pytest.mark.parametrize("name", [pytest.param(n, marks=() if n == "cylinder" else pytest.mark.full)
                                  for n in SHAPES])
def test_indenter_shapes_are_filled(name):
    surface = haptos.read_surface(outside_file(f"shapes/{name}.stl"), scale=1e-3)
    report = check(surface, haptos.tetrahedralise(surface, 2e-3), 1e-4, 0.01)
    assert 0.6 * 2e-3 < report.edge_mean < 1.3 * 2e-3


@pytest.mark.full
@pytest.mark.parametrize(("name", "size"), [("bolt_nut/m20_nut.stl", 3e-3),
                                            ("bolt_nut/m20_bolt.stl", 3e-3),
                                            ("meshes/spot.obj", 0.1)])
def test_larger_parts_are_filled(name, size):
    surface = haptos.read_surface(outside_file(name))
    check(surface, haptos.tetrahedralise(surface, size), size / 20, 0.02)
