"""Presses into a gel as a linear layer beside the same into the gel, all test shapes."""

import json
import subprocess
import sys

import numpy as np
import pytest

import haptos
from haptos.comparison.presses import compare

FARTHEST = 0.2  # of any force


@pytest.mark.full
def test_all_shapes_are_as_in_the_gel():
    force, rows = [], []
    for shape in haptos.shape_names():
        made = compare(shape, sensor="gelsight-mini", depth=5e-4, shear=(3e-4, 0.0))
        d, s = made.difference("pressed"), made.difference("sheared")
        print(f"FIGURE touch.{shape} = force {100 * d.force:+.1f} %, image {1e6 * d.depth:.1f} um, in "
              f"contact {1e6 * d.in_contact:.0f} um, sheared {100 * s.force:+.1f} %, "
              f"{1e6 * s.depth:.1f} um, {np.degrees(s.angle):+.1f} degrees, "
              f"{1e3 * made.hydroelastic.seconds:.0f} of {1e3 * made.soft.seconds:.0f} ms", flush=True)
        force.append(abs(d.force))
        rows.append((d.depth, s.depth, abs(s.angle)))
        assert max(d.depth, s.depth) < 6e-5 and abs(s.angle) < np.radians(15), shape
    near = sum(f < 0.1 for f in force)
    print(f"FIGURE touch.force = {near} of {len(force)} within 10 %, median "
          f"{100 * np.median(force):.1f} %, at most {100 * max(force):.0f} %")
    assert near >= 18 and np.median(force) < 0.08 and max(force) < FARTHEST


@pytest.mark.full
def test_the_command_sets_both_side_by_side(tmp_path):
    done = subprocess.run([sys.executable, "-m", "haptos", "compare", "cylinder_side", "--depth", "0.2mm",
                           "--shear", "0.1mm", "--sensor", "generic-25", "--out", str(tmp_path / "out")],
                          capture_output=True, text=True, check=True)
    assert "times faster" in done.stdout
    said = json.loads((tmp_path / "out/compare.json").read_text())
    assert abs(said["pressed"]["force"]) < 0.15 and said["pressed"]["depth"] < 3e-5
    assert (tmp_path / "out/compare.png").stat().st_size > 10_000
