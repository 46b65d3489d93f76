"""Data sets of presses: what they hold; killed and gone on with, refused, read by learners."""

import os
import pickle
import random
import re
import shlex
import signal
import subprocess
import sys
import time
from pathlib import Path

import h5py
import numpy as np
import pytest

import haptos
from conftest import ROOT, run_haptos, start_haptos
from haptos.cli.main import run_command
from haptos.learn import presses as learn
from haptos.press.file import FAILED, GOOD, part_path
from haptos.press.pool import run_workers
from haptos.press.run import PressRun
from press_sets import COMMAND, RECIPE, write_sensor


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A folder with small.yaml and a data set of five presses, all.h5, made undisturbed."""
    made = tmp_path_factory.mktemp("presses")
    sensor = write_sensor(made)
    haptos.presses(made / "all.h5", ["sphere", "cone"], sensor=sensor, workers=1, progress=False,
                   **RECIPE).close()
    return made


def test_a_data_set_holds_every_press_with_units_and_frames(folder):
    with haptos.open_presses(folder / "all.h5") as presses:
        assert len(presses) == 5 and presses.good.all() and presses.seed == 3
        assert presses.model == "soft" and presses.sensor == "small"
        assert presses.shapes == ["sphere", "cone"]
        shapes = {n: presses[n].shape[1:] for n in presses.fields}
        assert shapes["depth"] == (48, 64) and shapes["normal"] == (3, 48, 64)
        assert shapes["rgb"] == (48, 64, 3) and shapes["marker_flow"] == (12, 3)
        assert shapes["force"] == shapes["torque"] == (3,)
        assert presses["rgb"].dtype == np.uint8 and presses["depth"].chunks == (1, 48, 64)
        assert [presses.unit(n) for n in ("depth", "force", "torque", "marker_flow", "press/tilt",
                                          "press/young", "rgb")] == [
            "m", "N", "N m", "m", "rad", "Pa", ""]
        for name in ("normal", "force", "torque", "marker_flow"):
            assert "gel frame" in presses[name].attrs["frame"]
        asked = {n: presses[f"press/{n}"][:] for n in RECIPE if n not in ("count", "seed")}
        assert (np.abs(asked["x"]) <= 5e-4).all() and len(set(asked["x"])) == 5
        assert ((asked["depth"] >= 1e-4) & (asked["depth"] < 2e-4)).all()
        assert set(asked["young"]) <= {8e4, 1.5e5} and asked["yaw"].max() < np.pi / 2
        assert set(presses["press/shape"][:]) == {0, 1}
        np.testing.assert_allclose(presses["reached_depth"][:], asked["depth"], rtol=1e-6)
        force = presses["force"][:]
        assert (force[:, 2] > 0).all(), "the gel pushes the object off"
        balls = presses["press/shape"][:] == 0  # elements of 2 mm do not show the tip of a cone
        deeper = (presses["depth"][:].max(axis=(1, 2)) - asked["depth"])[balls]
        assert np.abs(deeper).max() < 2e-5, "contact keeps its distance, at most contact.support"
        lengths = np.linalg.norm(presses["normal"][:].astype(float), axis=1)
        assert np.abs(lengths - 1).max() < 2e-3  # float16
        rest = presses["marker_position"][:] - presses["marker_flow"][:]
        np.testing.assert_allclose(rest, rest[:1].repeat(5, axis=0), atol=1e-9)
        assert presses.background.shape == (48, 64, 3)
        assert (presses["rgb"][:] != presses.background).any(axis=(1, 2, 3)).all()
        one = presses.press(2)
        assert one["sentence"] == "" and one["shape_name"] in presses.shapes
        assert "haptos" in h5py.File(folder / "all.h5").attrs["format"]


def test_friction_pulls_the_object_back_where_it_was_moved(folder):
    with haptos.open_presses(folder / "all.h5") as presses:
        way, toward = presses["press/shear"][:], presses["press/shear_toward"][:]
        along = (presses["force"][:, :2] * np.stack([np.cos(toward), np.sin(toward)], 1)).sum(1)
        lean = presses["press/tilt"][:]
        far = (way > 2e-5) & (lean < 0.1)
        assert far.any() and (along[far] < 0).all()


def test_the_same_seed_gives_the_same_bytes_for_any_number_of_workers(folder, tmp_path):
    write_sensor(tmp_path)
    done = run_haptos(*COMMAND, "--workers", 3, "--out", "again.h5", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert "5 of 5 presses are done" in done.stdout and "5 to make" in done.stderr
    assert (tmp_path / "again.h5").read_bytes() == (folder / "all.h5").read_bytes()
    assert sorted(p.name for p in tmp_path.iterdir()) == ["again.h5", "lights.yaml", "small.yaml"]


def test_a_press_alone_is_the_press_among_others(folder, tmp_path):
    with PressRun(tmp_path / "one.h5", ["sphere", "cone"], sensor=str(folder / "small.yaml"),
                  **RECIPE) as run:
        run_workers(run.parts, [3], 1, lambda answer: None, lambda: False)
        with h5py.File(part_path(run.parts, 3)) as part, \
                haptos.open_presses(folder / "all.h5") as presses:
            for name in part:
                np.testing.assert_array_equal(part[name][0], presses[name][3])
                assert part[name][0].tobytes() == presses[name][3].tobytes()


def kill_three_times(cwd, command, total, pauses):
    """Runs the command, killed three times on its way, to its end; returns its stdout."""
    parts = cwd / "killed.h5.parts"
    for wanted in (1, total // 2, total - 1, None):
        process = subprocess.Popen(
            [sys.executable, "-m", "haptos", *map(str, command), "--out", "killed.h5"], cwd=cwd,
            stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        if wanted is not None:
            end = time.monotonic() + 600
            while process.poll() is None and time.monotonic() < end and (
                    len(list(parts.glob("*.h5"))) < wanted):
                time.sleep(0.005)
            time.sleep(pauses.uniform(0, 0.05))
            process.kill()
        out = process.communicate(timeout=900)[0]
        if wanted is not None and not (cwd / "killed.h5").exists():
            with pytest.raises(haptos.InputError, match="is not finished yet"):
                haptos.open_presses(cwd / "killed.h5")
    assert process.returncode == 0
    return out


def test_a_run_that_is_killed_three_times_ends_as_an_undisturbed_one(folder, tmp_path):
    write_sensor(tmp_path)
    out = kill_three_times(tmp_path, [*COMMAND, "--workers", 1], 5, random.Random(2))
    assert "5 of 5 presses are done" in out and "of them are there already" in out
    assert (tmp_path / "killed.h5").read_bytes() == (folder / "all.h5").read_bytes()
    assert not (tmp_path / "killed.h5.parts").exists()


@pytest.mark.full
def test_a_hundred_presses_killed_three_times_are_whole(tmp_path):
    write_sensor(tmp_path)
    command = [*COMMAND]
    command[command.index("--count") + 1] = 100
    kill_three_times(tmp_path, command, 100, random.Random(5))
    done = run_haptos(*command, "--out", "undisturbed.h5", cwd=tmp_path, timeout=1200)
    assert done.returncode == 0, done.stderr
    assert (tmp_path / "killed.h5").read_bytes() == (tmp_path / "undisturbed.h5").read_bytes()
    with haptos.open_presses(tmp_path / "killed.h5") as presses:
        assert len(presses) == 100 and presses.good.all()
        assert len(set(presses["press/x"][:])) == 100 and np.isfinite(presses["force"][:]).all()


def test_a_worker_that_is_killed_is_started_again(folder, tmp_path):
    write_sensor(tmp_path)
    process = start_haptos(*COMMAND, "--workers", 1, "--out", "a.h5", cwd=tmp_path)
    parts = tmp_path / "a.h5.parts"
    while len(list(parts.glob("*.h5"))) < 2:
        time.sleep(0.01)
    for child in Path(f"/proc/{process.pid}/task/{process.pid}/children").read_text().split():
        os.kill(int(child), signal.SIGKILL)
    out, err = process.communicate(timeout=60)
    assert process.returncode == 0 and "5 of 5 presses are done" in out, err
    assert (tmp_path / "a.h5").read_bytes() == (folder / "all.h5").read_bytes()


def test_files_that_may_not_grow_end_the_run_in_one_sentence(tmp_path):
    write_sensor(tmp_path)
    for size in (2_000, 2_000_000):  # too little for the first file, and for the last
        done = run_haptos("dataset", "sphere", "--sensor", "small.yaml", "--model", "height-map",
                          "--depth", "0.1mm", "--out", "a.h5", cwd=tmp_path, largest_file=size)
        assert done.returncode == 74 and "Traceback" not in done.stderr, done.stderr
        assert "make room and run again" in done.stderr and not (tmp_path / "a.h5").exists()
    assert [p.name for p in (tmp_path / "a.h5.parts").glob("0*")] == ["0000000.h5"]
    done = run_haptos("dataset", "sphere", "--sensor", "small.yaml", "--model", "height-map",
                      "--depth", "0.1mm", "--out", "a.h5", cwd=tmp_path)
    assert done.returncode == 0 and "1 of them are there already" in done.stdout


def test_ctrl_c_ends_at_once_and_the_same_command_goes_on(tmp_path):
    write_sensor(tmp_path)
    process = start_haptos(*COMMAND, "--workers", 1, "--out", "a.h5", cwd=tmp_path)
    while len(list((tmp_path / "a.h5.parts").glob("*.h5"))) < 1:
        time.sleep(0.01)
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=20)
    assert process.returncode == 130, err
    assert "the same command goes on with it" in out and "Traceback" not in err
    assert not (tmp_path / "a.h5").exists() and (tmp_path / "a.h5.parts/job.json").exists()


def test_another_recipe_for_the_same_file_is_refused(folder, tmp_path):
    sensor = str(folder / "small.yaml")

    def again(file=folder / "all.h5", shapes=("sphere", "cone"), **changed):
        return PressRun(file, list(shapes), sensor=sensor, **{**RECIPE, **changed})

    with again() as run:
        assert run.done == set(range(5)) and not run.parts.exists()
    for changed, what in [
            ({"seed": 4}, r"its seed is 3, not 4"), ({"count": 6}, r"its count is 5, not 6"),
            ({"depth": "0.1..0.3 mm"}, r"its depth is 0\.0001 to 0\.0002 m, not 0\.0001 to"),
            ({"shapes": ["sphere"]}, r"its shapes is sphere, cone, not sphere"),
            ({"shapes": {"sphere": haptos.icosphere(2e-3, 1e-3), "cone": "cone"}},
             r"the contents of sphere have changed"),
            ({"options": {"contact.support": "10 um"}}, r"its options is")]:
        with pytest.raises(haptos.InputError, match=f"holds other presses: {what}") as caught:
            again(**changed) if "shapes" not in changed else PressRun(
                folder / "all.h5", changed["shapes"], sensor=sensor, **RECIPE)
        assert "name another file" in str(caught.value)
    with again(tmp_path / "new.h5"):
        with pytest.raises(haptos.InputError, match="is being made by another process"):
            again(tmp_path / "new.h5")
    with pytest.raises(haptos.InputError, match="its seed is 3, not 4"):  # of the parts
        again(tmp_path / "new.h5", seed=4)
    (tmp_path / "new.h5.parts/job.json").write_text("[" * 9999)
    with pytest.raises(haptos.InputError, match=r"job\.json: cannot be read"):
        again(tmp_path / "new.h5")
    with again(tmp_path / "new.h5", overwrite=True) as run:
        assert not run.done


def test_a_damaged_part_is_made_again(folder, tmp_path):
    with PressRun(tmp_path / "a.h5", "sphere", sensor=str(folder / "small.yaml"),
                  depth="0.1 mm") as run:
        part_path(run.parts, 0).write_bytes(b"\x89HDF\r\n\x1a\n" + bytes(500))
    with PressRun(tmp_path / "a.h5", "sphere", sensor=str(folder / "small.yaml"),
                  depth="0.1 mm") as run:
        assert not run.done and "is damaged: press 0 is made again" in run.notes[0]


def test_a_press_that_fails_is_kept_with_its_sentence_and_the_rest_goes_on(folder, tmp_path):
    write_sensor(tmp_path)
    done = run_haptos("dataset", "cone", "--sensor", "small.yaml", "--force", "0.01N,20N", "--out",
                      "a.h5", cwd=tmp_path)
    assert done.returncode == 1 and "press 1 failed: The force of 20 N cannot be" in done.stderr
    with haptos.open_presses(tmp_path / "a.h5") as presses:
        assert list(presses["outcome"][:]) == [GOOD, FAILED]
        assert presses["force"][0, 2] == pytest.approx(0.01, rel=1e-2)
        assert np.isnan(presses["force"][1]).all() and np.isnan(presses["depth"][1]).all()
        assert "cannot be reached" in presses.press(1)["sentence"]


def test_steps_that_do_not_converge_are_counted(folder, tmp_path, capsys):
    with haptos.presses(tmp_path / "a.h5", "sphere", sensor=str(folder / "small.yaml"),
                        depth="0.2 mm", options={"newton.max_iterations": 1}) as presses:
        assert presses["outcome"][0] == 1 and presses["status"][0] != 0
        assert np.isfinite(presses["force"][0]).all() and not presses.good.any()
    assert "press 0 has steps that did not converge" in capsys.readouterr().err


# -- reading -----------------------------------------------------------------------------------


def test_other_files_are_refused_in_one_sentence(folder, tmp_path):
    (tmp_path / "text.h5").write_text("no HDF5")
    with h5py.File(tmp_path / "run.h5", "w") as f:
        f.attrs["format"] = "haptos run"
    whole = (folder / "all.h5").read_bytes()
    (tmp_path / "cut.h5").write_bytes(whole[: len(whole) // 2])
    (tmp_path / "linked.h5").write_bytes(whole)
    with h5py.File(tmp_path / "linked.h5", "r+") as f:
        del f["force"]
        f["force"] = h5py.ExternalLink("/etc/passwd", "x")
    for name, rule in [("text.h5", "cannot be read"), ("run.h5", "is no file of presses"),
                       ("cut.h5", "cannot be read"), ("linked.h5", "points to another file"),
                       ("none.h5", "is no file")]:
        with pytest.raises(haptos.InputError, match=rule):
            haptos.open_presses(tmp_path / name)
    with haptos.open_presses(folder / "all.h5") as presses:
        with pytest.raises(haptos.InputError, match='did you mean "depth"'):
            presses["depht"]
        with pytest.raises(haptos.InputError, match="must be from 0 to 4"):
            presses.press(5)


def test_without_torch_the_dataset_says_what_to_do(folder, monkeypatch):
    monkeypatch.setitem(sys.modules, "torch", None)
    with pytest.raises(haptos.InputError, match="needs torch, which is not installed; run pip"):
        learn.PressDataset(folder / "all.h5")


def test_torch_reads_a_data_set_in_several_processes(folder):
    torch = pytest.importorskip("torch", reason="needs torch")
    data = learn.PressDataset(folder / "all.h5", ("rgb", "force", "press/young", "status"))
    assert len(data) == 5 and isinstance(data, torch.utils.data.Dataset)
    with haptos.open_presses(folder / "all.h5") as presses:
        item = data[3]
        assert item["rgb"].dtype == torch.uint8 and item["force"].dtype == torch.float64
        np.testing.assert_array_equal(item["rgb"].numpy(), presses["rgb"][3])
        loader = torch.utils.data.DataLoader(data, batch_size=2, num_workers=2)
        force = torch.cat([batch["force"] for batch in loader]).numpy()
        np.testing.assert_array_equal(force, presses["force"][:])
    assert len(pickle.loads(pickle.dumps(data))) == 5
    with pytest.raises(haptos.InputError, match="is not in the file"):
        learn.PressDataset(folder / "all.h5", ("forces",))


# -- the page ----------------------------------------------------------------------------------

# What makes the snippets of the page small enough for a test.
SMALLER = {'sensor="digit"': 'sensor="small.yaml"', "--sensor digit": "--sensor small.yaml",
           "count=100": "count=4", "--count 1000": "--count 2", "--count 100": "--count 2",
           '"-5..5 mm"': '"-1..1 mm"', "-5..5mm": "-1..1mm", "0.2..0.8": "0.1..0.2",
           '"hexagon",': '"cone", sensor="small.yaml",', 'quality="fast"': 'quality="fast", workers=2',
           "--quality fast": "--quality fast --workers 2", "coin key": "cone key --sensor small.yaml"}


def blocks(language):
    """Snippets of docs/datasets.md, made small."""
    text = (ROOT / "docs/datasets.md").read_text()
    for long, short in SMALLER.items():
        assert long in text, f"{long} is no longer on the page"
        text = text.replace(long, short)
    found = re.findall(r"^```(\w*)\n(.*?)^```$", text, re.DOTALL | re.MULTILINE)
    return [code for kind, code in found if kind == language]


def test_the_snippets_of_the_page_run(tmp_path, monkeypatch):
    write_sensor(tmp_path)
    monkeypatch.chdir(tmp_path)
    names = {}
    for code in blocks("python"):
        if "torch" not in code:
            exec(compile(code, "docs/datasets.md", "exec"), names)
    assert names["depth"].shape == (48, 64) and names["force"].shape == (4, 3)
    assert len(names["grid"]) == 4 and names["rgb"].shape == (4, 48, 64, 3)
    names["grid"].close()


def test_the_commands_of_the_page_run(tmp_path, monkeypatch):
    write_sensor(tmp_path)
    monkeypatch.chdir(tmp_path)
    commands = [shlex.split(line) for block in blocks("") for line in block.splitlines()
                if line.startswith("haptos ")]
    assert len(commands) == 2
    for command in commands:
        assert run_command(command[1:]) == 0
        with haptos.open_presses(tmp_path / command[command.index("--out") + 1]) as presses:
            assert len(presses) == 2 and presses.good.all()


def test_the_loader_of_the_page_runs(folder, monkeypatch):
    pytest.importorskip("torch", reason="needs torch")
    monkeypatch.chdir(folder)
    code, = (c for c in blocks("python") if "torch" in c)
    names = {}
    exec(code.replace("presses.h5", "all.h5"), names)
    assert names["rgb"].shape == (5, 48, 64, 3) and names["force"].shape == (5, 3)
