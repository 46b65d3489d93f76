"""scripts/plots/piles at a tiny size, with the body that it makes itself."""

import json
import os
import subprocess
import sys
import xml.etree.ElementTree
from types import SimpleNamespace

import numpy as np
import pytest

import haptos
from conftest import ROOT, load_script

SCRIPT = ROOT / "scripts" / "plots" / "piles"


def test_small_piles_are_drawn_and_tabled_without_outside_data(tmp_path):
    done = subprocess.run(
        [sys.executable, str(SCRIPT), "--bodies", "1", "2", "--steps", "12", "--threads", "1", "2",
         "--keep", "rows.jsonl", "--out", "piles.svg"], cwd=tmp_path, capture_output=True,
        text=True, timeout=120, check=False, env={**os.environ, "HAPTOS_OUTSIDE_DATA": "nowhere"})
    assert done.returncode == 0, done.stderr
    assert "outside data not found" in done.stdout
    assert sum(line.startswith("| ") for line in done.stdout.splitlines()) == 10
    rows = [json.loads(line) for line in (tmp_path / "rows.jsonl").read_text().splitlines()]
    assert len(rows) == 16  # two kinds, two coefficients, two counts, two numbers of threads
    for row in rows:
        assert row["steps"] == 12 and row["cuts"] == row["own_cuts"] == 0 and row["status"] == {} and row["same"]
        assert row["unknowns"] == row["bodies"] * (12 if row["kind"] == "affine" else 351)
        assert row["iterations"] >= 12 and row["wall"] > 0 and row["smallest_volume_ratio"] > 0.5
    assert any(row["contacts"] > 0 for row in rows)
    circles = xml.etree.ElementTree.parse(tmp_path / "piles.svg").findall("{*}circle")
    assert len(circles) == 3 * 8 + 4  # a dot for each pile in each of three plots, and the key


def test_the_hook_is_a_solid_and_bodies_start_apart_inside_the_pit():
    script = load_script(SCRIPT)
    mesh = script.hook()
    surface, _ = haptos.boundary_surface(mesh)
    assert haptos.check_surface(surface).findings() == []
    assert mesh.volume == pytest.approx(1.5 * np.pi * 14e-3 * 11e-3**2, rel=0.05)
    options = SimpleNamespace(seed=3, dt=0.005, solver="auto", self_contact=False)
    for kind in ("affine", "soft"):
        scene, half = script.make_scene(mesh, kind, 9, 0.3, options)
        sim = scene.compile()
        assert script.cuts(sim, half).tolist() == [0, 0]
        assert script.cuts(sim, 0.5 * half)[0] > 0  # walls are looked at


def test_bodies_that_overlap_are_counted_and_those_that_cut_themselves_apart():
    ball = haptos.icosphere(0.01, 0.005)
    x = [np.asarray(ball.vertices) + (far, 0, 0.02) for far in (0.0, 0.015, 0.05)]
    sim = SimpleNamespace(
        entries={"affine": [{"name": n, "surface": ball} for n in range(3)], "soft": []},
        positions=lambda n: x[n][None])
    between, own = load_script(SCRIPT).cuts(sim, 1.0)
    assert between > 4 and own == 0
    x[1] += (0.01, 0, 0)
    assert load_script(SCRIPT).cuts(sim, 1.0).tolist() == [0, 0]
    x[2][np.argmax(x[2][:, 2])] -= (0, 0, 0.025)  # the top comes out below
    between, own = load_script(SCRIPT).cuts(sim, 1.0)
    assert between == 0 and own > 2
