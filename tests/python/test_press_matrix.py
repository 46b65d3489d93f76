"""A matrix of presses: killed at random times, gone on with, failing in parts, refused."""

import gc
import hashlib
import json
import os
import random
import re
import signal
import subprocess
import sys
import time

import h5py
import numpy as np
import pytest
from PIL import Image

import haptos
from conftest import run_haptos, write_small_sensor
from haptos.cli.main import run_command
from haptos.press import matrix as press_matrix
from haptos.press.matrix import Matrix, read_result

# As the command, with small pictures, which take most of the time of such small presses.
COMMAND = ("import sys; from haptos.press import matrix as press_matrix; press_matrix.PICTURE_WIDTH = 96; "
           "from haptos.cli.main import main; main(sys.argv[1:])")
NAMES = [f"{shape}-r{row}-c{column}" for shape in ("sphere", "cone") for row in (1, 2)
         for column in (1, 2)]


def arguments(sensor, *more):
    return ["press", "sphere", "cone", "--sensor", sensor, "--grid", "2x2", "--pitch", "1mm",
            "--depth", "0.1mm,0.2mm", "--set", "contact.divisions=2", "--out", "out", *more]


def whole(folder):
    """Hash of every recording that has its name, each of which must be whole."""
    hashes = {}
    for path in folder.glob("*/run.h5"):
        assert read_result(path) is not None, f"{path} has its name and is not whole"
        hashes[path.parent.name] = hashlib.sha256(path.read_bytes()).hexdigest()
    return hashes


@pytest.fixture(scope="module")
def killed(tmp_path_factory):
    """A matrix of 8 presses that was killed three times on its way: (folder, stdout of the end)."""
    cwd = tmp_path_factory.mktemp("matrix")
    write_small_sensor(cwd)
    rng, before, folder = random.Random(7), {}, cwd / "out"
    for wanted in (0, 3, 7, None):  # presses that are done when the next kill comes
        process = subprocess.Popen([sys.executable, "-c", COMMAND, *arguments("small.yaml")],
                                   cwd=cwd, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
                                   text=True)
        if wanted is not None:
            end = time.monotonic() + 60
            while wanted >= 0 and time.monotonic() < end and process.poll() is None and not (
                    (folder / "manifest.json").exists()
                    and len(list(folder.glob("*/run.h5"))) >= wanted):
                time.sleep(0.01)
            time.sleep(rng.uniform(0.0, 0.4))
            process.send_signal(signal.SIGKILL)
        out = process.communicate(timeout=60)[0]
        now = whole(folder)
        assert before.items() <= now.items(), "a finished press was made again"
        if (folder / "manifest.json").exists():
            assert len(json.loads((folder / "manifest.json").read_text())["presses"]) == 8
        before = now
    assert process.returncode == 0
    return folder, out


def test_a_matrix_that_is_killed_ends_whole(killed):
    folder, out = killed
    assert sorted(whole(folder)) == sorted(NAMES)
    there = int(re.search(r"8 presses in out, (\d) of them are there already", out)[1])
    assert there >= 6 and "8 of 8 presses are done, 0 failed" in out
    manifest = json.loads((folder / "manifest.json").read_text())
    assert [p["name"] for p in manifest["presses"]] == NAMES
    assert {p["state"] for p in manifest["presses"]} == {"done"}
    assert not list(folder.rglob("*.part"))
    for press in manifest["presses"]:
        result = press["result"]
        assert result["depth"] == pytest.approx([1e-4, 2e-4]) and result["bad_steps"] == 0
        assert 0 < result["force"][0] < result["force"][1] and result["worst_imbalance"] < 1e-3
        with h5py.File(folder / press["name"] / "run.h5") as f:
            assert len(f["time"]) == 3 and f["sensors/camera/depth"].shape == (3, 1, 48, 64)
            np.testing.assert_allclose(f["press/target"][f["press/frame"][:] > 0], [1e-4, 2e-4])


def test_places_are_laid_out_as_on_the_pad(killed):
    folder, _ = killed
    for row in (0, 1):
        for column in (0, 1):
            image = np.asarray(Image.open(folder / f"cone-r{row + 1}-c{column + 1}/thumb.png"))
            dark = 765.0 - image.sum(axis=2)
            dark -= dark.min()
            y, x = ((k * dark).sum() / dark.sum() - (n - 1) / 2
                    for k, n in zip(np.indices(dark.shape), dark.shape, strict=True))
            assert (y > 0) == bool(row) and (x > 0) == bool(column)
            assert 1 < abs(x) < 6 and 1 < abs(y) < 6  # pixels; .5 mm are 4


def test_the_gallery_shows_every_press(killed):
    folder, _ = killed
    text = (folder / "index.html").read_text()
    links = re.findall(r'(?:src|href)="([^"]+)"', text)
    assert len([k for k in links if k.endswith("thumb.png")]) == 8
    assert all((folder / link).is_file() for link in links)
    assert "8 of 8 presses are done" in text and "haptos press sphere cone" in text
    page = (folder / NAMES[0] / "report.html").read_text()
    assert "At -0.5 mm, 0.5 mm on the pad" in page and "Force on the object over depth" in page


def test_a_matrix_that_is_done_is_not_made_again(killed, capsys, monkeypatch):
    folder, _ = killed
    before = whole(folder)
    monkeypatch.chdir(folder.parent)
    assert run_command(arguments("small.yaml")) == 0
    assert "8 of them are there already" in capsys.readouterr().out and whole(folder) == before


def test_a_kill_before_the_page_of_the_last_press_is_mended(killed, monkeypatch):
    folder, _ = killed
    before = (folder / "index.html").read_text()
    (folder / "index.html").write_text("of seven presses")
    monkeypatch.chdir(folder.parent)
    assert run_command(arguments("small.yaml")) == 0
    after = (folder / "index.html").read_text()
    assert after.count("thumb.png") == before.count("thumb.png") == 8


@pytest.mark.parametrize(("change", "said"), [
    (["--grid", "2x1"], "its grid is"), (["--depth", "0.1mm"], "its depth is"),
    (["--friction", "0.1"], "its friction is"), (["--seed", "2"], "its seed is")])
def test_another_matrix_is_not_mixed_in(killed, capsys, monkeypatch, change, said):
    folder, _ = killed
    before = whole(folder)
    monkeypatch.chdir(folder.parent)
    assert run_command(arguments("small.yaml", *change)) == 2
    err = capsys.readouterr().err
    assert said in err and "holds another matrix" in err and whole(folder) == before


def test_a_folder_is_used_by_one_process(killed, capsys, monkeypatch):
    folder, _ = killed
    monkeypatch.chdir(folder.parent)
    import fcntl

    with open(folder / "lock") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        assert run_command(arguments("small.yaml")) == 2
    assert "in use by another haptos press" in capsys.readouterr().err


# -- without the command -----------------------------------------------------------------------


def small_matrix(folder, shapes=("sphere2",), **how):
    sensor = folder.parent / "small.yaml"
    if not sensor.exists():
        write_small_sensor(folder.parent)
    return Matrix(folder, shapes, sensor=str(sensor), options={"contact.divisions": 2},
                  **{"depth": [0.1e-3], "command": "a test", **how})


@pytest.fixture(autouse=True)
def small_pictures(monkeypatch):
    monkeypatch.setattr(press_matrix, "PICTURE_WIDTH", 96)


def test_a_press_that_fails_is_noted_and_the_rest_goes_on(tmp_path, monkeypatch):
    real, broken, seen = press_matrix.prepare, ["cone"], []

    def prepare(shape, **how):
        press = real(shape, **how)
        if shape in broken:
            press.step = lambda: (_ for _ in ()).throw(haptos.PressError("It slipped <away>."))
        return press

    monkeypatch.setattr(press_matrix, "prepare", prepare)
    shapes = ("cone", "sphere2")
    with small_matrix(tmp_path / "m", shapes) as matrix:
        matrix.run(lambda entry: seen.append((entry.shape, entry.state)))
    assert seen == [("cone", "failed"), ("sphere2", "done")]
    manifest = json.loads((tmp_path / "m" / "manifest.json").read_text())
    failed, done = manifest["presses"]
    assert failed["sentence"] == "It slipped <away>." and failed["result"] == {}
    assert done["result"]["force"][0] > 0
    assert not list((tmp_path / "m" / "cone-r1-c1").iterdir())
    text = (tmp_path / "m" / "index.html").read_text()
    assert "1 failed" in text and "It slipped &lt;away&gt;." in text
    # Gone on with: the failed one is tried again, the other one left alone.
    kept, broken = whole(tmp_path / "m"), []
    with small_matrix(tmp_path / "m", shapes) as matrix:
        assert [e.shape for e in matrix.waiting] == ["cone"]
        matrix.run()
        assert matrix.failed == [] == matrix.waiting
    assert kept.items() < whole(tmp_path / "m").items()


def test_a_press_that_fails_gives_the_command_exit_code_1(tmp_path):
    write_small_sensor(tmp_path)
    done = run_haptos("press", "sphere2", "--grid", "1x1", "--sensor", "small.yaml", "--depth",
                      "0.3mm", "--set", "newton.strict=1", "--set", "newton.max_iterations=1",
                      "--out", "out", cwd=tmp_path)
    assert done.returncode == 1 and "Traceback" not in done.stderr
    assert "warning: sphere2-r1-c1 failed: " in done.stderr
    assert "0 of 1 presses are done, 1 failed" in done.stdout


def test_presses_that_are_done_are_forgotten(tmp_path):
    alive = []
    gc.disable()  # what is left is not by chance
    try:
        with small_matrix(tmp_path / "m", depth=[0.05e-3], grid=(2, 1), pitch=1e-3) as matrix:
            matrix.run(lambda _: alive.append(sum(isinstance(o, haptos.Sim)
                                                  for o in gc.get_objects())))
    finally:
        gc.enable()
    assert len(alive) == 2 and alive[1] == alive[0]


def test_what_is_damaged_is_made_again(tmp_path):
    with small_matrix(tmp_path / "m") as matrix:
        matrix.run()
    path = tmp_path / "m" / "sphere2-r1-c1" / "run.h5"
    data = path.read_bytes()
    path.write_bytes(data[:len(data) // 2])
    with small_matrix(tmp_path / "m") as matrix:
        assert len(matrix.waiting) == 1 and "damaged" in matrix.notes[0]
        matrix.run()
        assert matrix.waiting == []
    assert read_result(path, matrix.key) == matrix.entries[0].result
    with small_matrix(tmp_path / "m", overwrite=True) as matrix:
        assert len(matrix.waiting) == 1


def test_a_changed_file_is_another_matrix(tmp_path):
    with small_matrix(tmp_path / "m"):
        pass
    with open(tmp_path / "small.yaml", "a") as file:
        file.write("about: another one\n")
    with pytest.raises(haptos.InputError, match="a file has changed"):
        small_matrix(tmp_path / "m")


def test_a_folder_with_other_things_is_left_alone(tmp_path):
    (tmp_path / "m").mkdir()
    (tmp_path / "m" / "thesis.txt").write_text("mine")
    with pytest.raises(haptos.InputError, match="is not empty"):
        small_matrix(tmp_path / "m")
    for text in ("{", "[]", '{"format": "other"}'):
        (tmp_path / "m" / "manifest.json").write_text(text)
        with pytest.raises(haptos.InputError, match="manifest"):
            small_matrix(tmp_path / "m")
    assert sorted(p.name for p in (tmp_path / "m").iterdir()) == ["manifest.json", "thesis.txt"]


def test_stopping_keeps_what_is_done(tmp_path):
    with small_matrix(tmp_path / "m", ("sphere2", "cone"), depth=[0.05e-3, 0.1e-3]) as matrix:
        matrix.run(watch=lambda entry, press: entry.shape == "cone")
        assert [e.state for e in matrix.entries] == ["done", "waiting"]
    assert sorted(whole(tmp_path / "m")) == ["sphere2-r1-c1"]
    assert not list((tmp_path / "m").rglob("*.part"))


def test_a_full_disk_ends_the_run_and_it_can_be_gone_on_with(tmp_path):
    write_small_sensor(tmp_path)
    command = ["press", "sphere2", "--grid", "1x1", "--sensor", "small.yaml", "--depth",
               "0:0.3mm:400", "--out", "out"]
    done = run_haptos(*command, cwd=tmp_path, largest_file=3 << 20)
    assert done.returncode == 74 and "Traceback" not in done.stderr, done.stderr
    assert not list((tmp_path / "out").glob("*/run.h5"))
    manifest = json.loads((tmp_path / "out" / "manifest.json").read_text())
    assert manifest["presses"][0]["state"] == "waiting"


def test_names_of_files_do_not_collide(tmp_path):
    write_small_sensor(tmp_path)
    for folder in ("a", "b"):
        os.mkdir(tmp_path / folder)
        haptos.write_stl(tmp_path / folder / "my part.stl", haptos.icosphere(4.0, 1.5))
    shapes = [str(tmp_path / f / "my part.stl") for f in "ab"]
    with small_matrix(tmp_path / "m", shapes, unit="mm") as matrix:
        assert [e.name for e in matrix.entries] == ["my-part-r1-c1", "my-part-2-r1-c1"]
