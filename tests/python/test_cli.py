"""The haptos command: results, errors, Ctrl-C."""

import json
import re
import signal
import time

import h5py
import numpy as np
import pytest
from PIL import Image

import haptos
from conftest import ROOT, run_haptos, start_haptos

RESULTS = {"above.png", "depth.png", "markers.png", "pad.vtk", "report.html", "run.h5", "side.png"}
QUICK = ("--depth", "0.3mm", "--steps", "4", "--set", "contact.divisions=2")


def rows_of(report):
    """Numbers of the steps in the table of steps of a report."""
    table = report.partition("<h2>Steps</h2>")[2].partition("</table>")[0]
    return re.findall(r"<tr[^>]*><td>(\d+)</td>", table)


@pytest.fixture(scope="module")
def ball_file(tmp_path_factory):
    """A ball of radius 4 mm as an STL in millimetres."""
    path = tmp_path_factory.mktemp("ball") / "my ball.stl"
    haptos.write_stl(path, haptos.icosphere(4.0, 1.0))
    return path


@pytest.fixture(scope="module")
def press(tmp_path_factory, ball_file, pad_file):
    """A finished `haptos press`: (process, folder)."""
    cwd = tmp_path_factory.mktemp("press")
    done = run_haptos("press", ball_file, "--pad", pad_file, *QUICK, "--out", "out", cwd=cwd)
    assert done.returncode == 0, done.stderr
    return done, cwd / "out"


def test_press_writes_its_results_and_nothing_else(press):
    done, folder = press
    assert {p.name for p in folder.iterdir()} == RESULTS
    assert "report.html" in done.stdout and "their sum over the force" in done.stdout


def test_press_says_what_it_assumed(press):
    done, _ = press
    assert "unit is taken to be mm" in done.stderr
    assert done.stderr.count("unit is taken") == 2  # of the object and of the pad


def test_press_reaches_the_depth_and_its_forces_balance(press):
    with h5py.File(press[1] / "run.h5") as f:
        assert len(f["time"]) == 5 and f.attrs["finished"]
        contact = f["prescribed/object/force"][-1, 0]
        glue = f["prescribed/mount/force"][-1, 0]
        assert contact[2] > 0.05
        assert np.linalg.norm(contact + glue) < 1e-3 * np.linalg.norm(contact)
        assert 0.29e-3 < np.nanmax(f["sensors/camera/depth"][-1]) < 0.4e-3
        z = f["prescribed/object/pose"][:, 0, 2]
        # It starts 1.05 supports of 20 um above the touch, and stops short by the mean gap.
        assert 0.3e-3 < z[0] - z[-1] < 0.3e-3 + 1.05 * 2e-5
        assert (f["step/status"][:] == 0).all()
        settings = json.loads(f.attrs["settings"])
        assert settings["contact"]["divisions"] == 2 and settings["steps"] == 4
        assert f.attrs["command"].startswith("haptos press")


def test_press_writes_the_deformed_pad(press):
    mesh = haptos.read_volume(press[1] / "pad.vtk")
    with h5py.File(press[1] / "run.h5") as f:
        np.testing.assert_allclose(mesh.vertices, f["soft/gel/position"][-1, 0], atol=1e-15)


def test_press_pictures_show_something(press):
    for name in ("above", "side", "depth", "markers"):
        image = np.asarray(Image.open(press[1] / f"{name}.png")).astype(float)
        assert image.shape[0] > 200 and image.mean(axis=2).std() > 10, name


def test_the_report_is_one_page_with_everything_in_it(press):
    text = (press[1] / "report.html").read_text()
    assert text.count("data:image/png;base64,") == 4 and "<svg" in text
    for part in ("Force on the object", "Smallest gap", "volume ratio", "Newton iterations",
                 "every step converged", "haptos press", haptos.__version__, "4 of 4",
                 "Force on object", "Force on mount", "Force on gel", "Balance", "Per step",
                 "Recording", "&quot;divisions&quot;: 2"):
        assert part in text, part
    assert rows_of(text) == [str(k) for k in range(1, 5)]


def test_results_are_not_overwritten_unless_asked(press, ball_file, pad_file):
    _, folder = press
    before = (folder / "report.html").stat().st_mtime_ns
    again = run_haptos("press", ball_file, "--out", "out", cwd=folder.parent)
    assert again.returncode == 2 and "--overwrite" in again.stderr
    assert (folder / "report.html").stat().st_mtime_ns == before


@pytest.mark.parametrize("arguments", [
    ("press",), ("press", "sphere", "--depth"), ("press", "sphere", "--bogus"),
    ("press", "sphere", "--depth", "1e9"), ("press", "sphere", "--depth", "0"),
    ("press", "sphere", "--depth=-1mm"), ("press", "sphere", "--depth", "1 furlong"),
    ("press", "sphere", "--depth", "nan"), ("press", "sphere", "--steps", "1000000000"),
    ("press", "sphere", "--steps", "-1"), ("press", "sphere", "--steps", "1.5"),
    ("press", "sphere", "--young", "1e99"), ("press", "sphere", "--poisson", "0.5"),
    ("press", "sphere", "--set", "contact.suport=1"), ("press", "sphere", "--set", "nothing"),
    ("press", "sphere", "--set", "newton.max_iterations=1.5"),
    ("press", "sphere", "--at", "1m,1m"), ("press", "sphere", "--at", "1"),
    ("press", "sphere", "--face", "left"), ("press", "sphere", "--unit", "inch"),
    ("press", "sphere", "--pad", "square"), ("press", "sphere", "--pad", "none.vtk"),
    ("press", "spere"), ("press", "none.stl"), ("press", "full"), ("press", "file.stl"),
    ("press", "sphere", "--out", "file.stl"), ("press", "sphere", "--out", "full"),
    ("press", "sphere", "--out", "file.stl/sub"), ("press", "sphere", "--out", ""),
    ("press", "sphere", "--out", "/proc/haptos"),
    ("press", "sphere", "--force", "5mm"), ("press", "sphere", "--force", "0"),
    ("press", "sphere", "--force", "1MN"), ("press", "sphere", "--force", "1N", "--depth", "1mm"),
    ("press", "sphere", "--depth", "1"), ("press", "sphere", "--depth", "0:1mm"),
    ("press", "sphere", "--depth", "1mm,0.5mm"), ("press", "sphere", "--depth", ","),
    ("press", "sphere", "--depth", "0:1mm:99999999999"), ("press", "sphere", "--shear", "0.5"),
    ("press", "sphere", "--shear", "1mm,1mm,1mm"), ("press", "sphere", "--twist", "10"),
    ("press", "sphere", "--twist", "1mm"), ("press", "sphere", "--twist", "200deg"),
    ("press", "sphere", "--grid", "3"), ("press", "sphere", "--grid", "0x3"),
    ("press", "sphere", "--grid", "999999x999999"), ("press", "sphere", "--pitch", "1mm"),
    ("press", "sphere", "--grid", "3x3", "--pitch", "0"), ("press", "sphere", "sphere"),
    ("press", "sphere", "--grid", "3x3", "--pitch", "1"), ("press", "sphere", "cones"),
    ("press", "sphere", "cone", "--out", "/proc/haptos"), ("press", "sphere", "cone", "--out", ""),
    ("press", "sphere", "cone", "--out", "file.stl"), ("press", "sphere", "cone", "--out", "full"),
    ("press", "sphere", "cone", "--out", "file.stl/sub"), ("press", "sphere", "--friction", "-1"),
    ("run",), ("run", "none.yaml"), ("run", "scene.yaml"),
    ("run", str(ROOT / "scenes/pendulum.yaml"), "--duration", "1e12s"),
    ("run", str(ROOT / "scenes/pendulum.yaml"), "--duration", "-1s"),
    ("run", str(ROOT / "scenes/pendulum.yaml"), "--every", "0"),
    ("run", str(ROOT / "scenes/pendulum.yaml"), "--out", "file.stl"),
    ("check",), ("check", "none.stl"), ("check", "full"), ("describe", "materials"), ("pres",),
    ("--nothing",)])
def test_bad_input_is_one_line_exit_2_and_nothing_created(arguments, tmp_path, monkeypatch,
                                                          capsys):
    from haptos.cli.main import run_command

    (tmp_path / "file.stl").write_text("solid\nendsolid\n")
    (tmp_path / "scene.yaml").write_text("soft: [\n")
    (tmp_path / "full").mkdir()
    (tmp_path / "full" / "kept").touch()
    before = sorted(str(p) for p in tmp_path.rglob("*"))
    monkeypatch.chdir(tmp_path)
    assert run_command(list(arguments)) == 2
    out, err = capsys.readouterr()
    assert out == ""
    lines = [line for line in err.splitlines() if not line.startswith("note: ")]
    assert len(lines) == 1 and lines[0].startswith("haptos: ") and lines[0].endswith((".", "?"))
    assert not any(twice in lines[0] for twice in ("?.", "..", ".;", "!.")), lines[0]
    assert sorted(str(p) for p in tmp_path.rglob("*")) == before


def test_a_process_shows_no_traceback(tmp_path):
    done = run_haptos("press", "sphere", "--depth", "5", cwd=tmp_path)
    assert done.returncode == 2 and done.stdout == ""
    assert done.stderr.count("\n") == 1 and "thickness" in done.stderr
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_a_signal_ends_the_run_after_its_step_with_valid_output(number, code, tmp_path, ball_file,
                                                                pad_file):
    run = start_haptos("press", ball_file, "--pad", pad_file, "--depth", "0.5mm", "--steps", "5000",
                       "--out", "out", cwd=tmp_path)
    for line in run.stderr:
        if line.startswith("press: "):
            break
    time.sleep(0.7)
    sent = time.monotonic()
    run.send_signal(number)
    out, err = run.communicate(timeout=30)
    assert run.returncode == code, err
    assert time.monotonic() - sent < 20
    assert "stopping after this step" in err and "Traceback" not in err
    assert "Stopped by a signal" in out
    assert {p.name for p in (tmp_path / "out").iterdir()} == RESULTS
    with h5py.File(tmp_path / "out" / "run.h5") as f:
        assert 1 <= len(f["time"]) < 5000 and not f.attrs["finished"]
        assert len(f["soft/gel/position"]) == len(f["time"]) == f.attrs["frames"]
    assert "Stopped by a signal" in (tmp_path / "out" / "report.html").read_text()


def test_a_signal_ends_a_run_with_a_whole_report(tmp_path):
    run = start_haptos("run", ROOT / "scenes" / "block_at_rest.yaml", "--duration", "1000s",
                       "--out", "out", cwd=tmp_path)
    for line in run.stderr:
        if line.startswith("run: "):
            break
    time.sleep(0.7)
    run.send_signal(signal.SIGINT)
    out, err = run.communicate(timeout=30)
    assert run.returncode == 130, err
    text = (tmp_path / "out" / "report.html").read_text()
    with h5py.File(tmp_path / "out" / "run.h5") as f:
        last = int(f["step/index"][-1, 0])
        assert not f.attrs["finished"] and 1 <= last < 100_000
    assert f"Stopped by a signal after {last} of 100000 steps" in text
    assert text.endswith("</html>\n") and text.count("data:image/png;base64,") == 2
    assert rows_of(text)[-1] == str(last)
    assert {p.name for p in (tmp_path / "out").iterdir()} == {"above.png", "side.png", "run.h5",
                                                              "report.html"}


def test_no_room_for_the_next_frame_ends_the_run_with_a_whole_file(tmp_path, ball_file, pad_file):
    done = run_haptos("press", ball_file, "--pad", pad_file, "--steps", "500", "--out", "out",
                      cwd=tmp_path, largest_file=5 << 20)
    assert done.returncode == 74, done.stderr
    assert "may not grow" in done.stderr and "Traceback" not in done.stderr
    with h5py.File(tmp_path / "out" / "run.h5") as f:
        assert 2 <= len(f["time"]) < 500 and not f.attrs["finished"]


def test_run_records_a_scene_file(tmp_path):
    done = run_haptos("run", ROOT / "scenes" / "pendulum.yaml", "--duration", "0.05s", "--every",
                      "10", "--out", "out", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    with h5py.File(tmp_path / "out" / "run.h5") as f:
        assert f["time"][:, 0] == pytest.approx([0, 0.01, 0.02, 0.03, 0.04, 0.05])
        assert f["robots/pendulum/position"].shape == (6, 1, 2)
        assert "robots:" in f.attrs["scene"]
    image = np.asarray(Image.open(tmp_path / "out" / "above.png")).astype(float)
    assert image.std() > 5
    text = (tmp_path / "out" / "report.html").read_text()
    assert "Joints of pendulum" in text and rows_of(text)[0] == "1" and rows_of(text)[-1] == "50"
    assert len(rows_of(text)) == 40 and "40 of 50 steps" in text


def test_run_gives_a_pad_its_camera_and_reports(tmp_path):
    done = run_haptos("run", ROOT / "scenes" / "press_cube.yaml", "--duration", "0.1s", "--out",
                      "out", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert {p.name for p in (tmp_path / "out").iterdir()} == {
        "above.png", "side.png", "depth.png", "markers.png", "run.h5", "report.html"}
    assert "report: out/report.html" in done.stdout
    text = (tmp_path / "out" / "report.html").read_text()
    assert text.count("data:image/png;base64,") == 4 and "http" not in text
    for part in ("Finished, 2 of 2 steps", "Force on cube", "Force on mount", "Force on gel",
                 "Balance", "haptos run", "--duration 0.1s", haptos.__version__,
                 "box: {size: [4 mm, 4 mm, 4 mm]}", "Pictures", "every step converged"):
        assert part in text, part
    assert rows_of(text) == ["1", "2"]
    with h5py.File(tmp_path / "out" / "run.h5") as f:
        fz = f["prescribed/cube/force"][-1, 0, 2]
    assert fz > 0.05 and f"{fz:.4f}) N" in text


def test_run_reports_only_the_pictures_that_it_made(tmp_path, press):
    (tmp_path / "out").mkdir()
    for name in ("depth.png", "markers.png"):
        (tmp_path / "out" / name).write_bytes((press[1] / name).read_bytes())
    done = run_haptos("run", ROOT / "scenes" / "pendulum.yaml", "--duration", "0.01s", "--out",
                      "out", "--overwrite", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert (tmp_path / "out" / "report.html").read_text().count("data:image/png;base64,") == 1


def test_a_strict_step_that_fails_ends_with_a_report_and_exit_1(tmp_path):
    done = run_haptos("run", ROOT / "scenes" / "press_cube.yaml", "--set", "newton.strict=1",
                      "--set", "newton.max_iterations=1", "--out", "out", cwd=tmp_path)
    assert done.returncode == 1 and "Traceback" not in done.stderr, done.stderr
    text = (tmp_path / "out" / "report.html").read_text()
    assert "Ended by a step that failed" in text and "not_converged" in text
    with h5py.File(tmp_path / "out" / "run.h5") as f:
        assert not f.attrs["finished"]


ODD_SCENE = """
sim: {dt: 0.01 s}
prescribed:
  - {name: "<b>sheet", mesh: {file: sheet.obj, unit: m}, friction: 0}
spheres:
  - {name: moon, radius: 20e3 m, mass: 100 g, pose: {position: [0, 0, 30e3 m]}}
"""


@pytest.fixture
def odd_scene(tmp_path):
    """A scene with three things to warn of."""
    (tmp_path / "sheet.obj").write_text("v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\nl 1 2\n")
    path = tmp_path / "odd.yaml"
    path.write_text(ODD_SCENE)
    return path


def test_warnings_of_a_scene_are_said_by_run_and_check_and_kept(odd_scene, tmp_path):
    warnings = haptos.load_scene(odd_scene).warnings
    assert len(warnings) == 3 and warnings[0].startswith("sheet.obj: Beside triangles")
    assert "open" in warnings[1] and "40000 m in size" in warnings[2]
    done = run_haptos("run", odd_scene, "--duration", "0.02s", "--out", "out", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    said = [line for line in done.stderr.splitlines() if line.startswith("warning: ")]
    assert said == [f"warning: {w}" for w in warnings]
    text = (tmp_path / "out" / "report.html").read_text()
    assert '<ul class="warnings">' in text and "moon&quot; is 40000 m in size" in text
    assert "<b>sheet" not in text and "&lt;b&gt;sheet" in text
    check = run_haptos("check", odd_scene, cwd=tmp_path)
    assert check.returncode == 0
    assert [f"warning: {w}" for w in warnings] == check.stdout.splitlines()[1:4]


def test_check_warns_before_it_refuses(odd_scene, tmp_path):
    odd_scene.write_text(ODD_SCENE + """
soft:
  - name: block
    pad: {box: {width: 20 mm, depth: 20 mm, thickness: 10 mm, cells: [1, 1, 1]}}
    material: {young: 100 kPa, poisson: 0.45}
    pose: {position: [5, 5, 0]}
    friction: 0
half_spaces: [{name: ground}]
""")
    check = run_haptos("check", odd_scene, cwd=tmp_path)
    lines = check.stdout.splitlines()
    assert check.returncode == 1 and len([s for s in lines if s.startswith("warning: ")]) == 3
    assert lines[-1].startswith("cannot be used: ") and "intersection" in lines[-1]


def test_check_tells_good_from_bad(tmp_path, ball_file):
    good = run_haptos("check", ball_file, cwd=tmp_path)
    assert good.returncode == 0 and good.stdout.endswith("can be used\n")
    path = tmp_path / "flat.obj"
    path.write_text("v 0 0 0\nv 1 0 0\nv 2 0 0\nf 1 2 3\n")
    bad = run_haptos("check", path, cwd=tmp_path)
    assert bad.returncode == 1 and "cannot be used" in bad.stdout and "area" in bad.stdout
    scene = run_haptos("check", ROOT / "scenes" / "press_cube.yaml", cwd=tmp_path)
    assert scene.returncode == 0, scene.stdout


def test_describe_lists_every_option(capsys):
    from haptos.cli.main import run_command

    assert run_command(["describe"]) == 0
    out = capsys.readouterr().out
    for o in haptos.option_table():
        assert f" {o.name} " in out, o
    assert "Scene.add_soft()" in out
    assert run_command(["describe", "contact"]) == 0
    assert "young" not in capsys.readouterr().out
    assert run_command(["describe", str(ROOT / "scenes" / "press_cube.yaml")]) == 0
    out = capsys.readouterr().out
    assert "gel" in out and "cube" in out and "time step" in out


def test_help_has_an_example_for_every_command(capsys):
    from haptos.cli.main import run_command

    for command in ("press", "run", "check", "describe"):
        assert run_command([command, "--help"]) == 0
        assert f"  haptos {command} " in capsys.readouterr().out
    assert run_command(["--version"]) == 0
    assert capsys.readouterr().out.startswith(f"haptos {haptos.__version__}")
