"""haptos bench: what it measures, writes and keeps."""

import json
import xml.etree.ElementTree as ElementTree

import pytest

import haptos
from haptos import _core
from haptos.cli import bench
from haptos.cli.main import run_command

SCENE = "scenes/gel_finger_pushes_block.yaml"


@pytest.fixture
def kept(tmp_path, monkeypatch):
    monkeypatch.setenv("HAPTOS_CACHE", str(tmp_path / "cache"))
    return tmp_path / "cache/bench/runs.jsonl"


def test_figures_are_told_written_drawn_and_compared_with_the_last_time(tmp_path, capsys, kept):
    given = [SCENE, "--envs", "1,2", "--steps", "4", "--skip", "1"]
    assert run_command(["bench", *given, "--json", str(tmp_path / "a.json"), "--plot", str(tmp_path / "a.svg")]) == 0
    said = capsys.readouterr().out
    assert "environment-steps a second" in said and "times the rate" not in said
    result = json.loads((tmp_path / "a.json").read_text())
    assert [run["envs"] for run in result["runs"]] == [1, 2]
    for run in result["runs"]:
        assert run["rate"] == pytest.approx(1e3 / run["wall_ms"])
        assert set(run["stages_ms"]) == set(bench.STAGES) and all(t >= 0 for t in run["stages_ms"].values())
        # What stages take is part of the time that steps took, on the threads that they ran on.
        assert 0 < sum(run["stages_ms"].values()) <= 1.01 * run["envs"] * run["wall_ms"]
        assert run["unsettled"] == 0 and 0 <= run["residual_most"] <= result["force_tolerance"]
        assert run["stages_ms"]["assemble"] > 0 and run["stages_ms"]["trial"] > 0
    picture = ElementTree.parse(tmp_path / "a.svg").getroot()
    bars = [e for e in picture.iter() if e.tag.endswith("rect") and e.get("height") == "34"]
    assert len(bars) == 2 * len(bench.STAGES)
    assert run_command(["bench", *given]) == 0
    assert capsys.readouterr().out.count("times the rate of") == 2
    assert len(kept.read_text().splitlines()) == 2
    assert run_command(["bench", *given, "--no-keep", "--set", "newton.force_tolerance=1e-4"]) == 0
    assert "times the rate" not in capsys.readouterr().out  # of other options
    assert len(kept.read_text().splitlines()) == 2


def test_lines_of_others_are_passed_over(kept, capsys):
    kept.parent.mkdir(parents=True)
    kept.write_text('nonsense\n{"scene": 3}\n[1]\n')
    assert bench.history() == []
    assert run_command(["bench", SCENE, "--steps", "1", "--skip", "0"]) == 0
    assert len(bench.history()) == 1


@pytest.mark.parametrize("given, rule", [
    (["--envs", "0"], "whole numbers from 1 on"), (["--envs", "two"], "whole numbers from 1 on"),
    (["--json", "no/such/folder/a.json"], "folder that does not exist"),
    (["--set", "material.young=1e5"], "belongs to a soft body")])
def test_bad_input_is_one_sentence(given, rule, capsys):
    assert run_command(["bench", SCENE, *given]) == 2
    assert rule in capsys.readouterr().err


def test_stages_are_counted_only_while_asked():
    sim = haptos.load_scene(SCENE).compile(quiet=True)
    _core.time_stages(True)
    sim.step()
    _core.time_stages(False)
    first = _core.stage_seconds()
    assert len(first) == len(_core.stage_names) and min(first) >= 0 and sum(first) > 0
    sim.step()
    assert _core.stage_seconds() == first
