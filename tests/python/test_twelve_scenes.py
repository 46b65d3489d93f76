"""Twelve scenes of every kind end where they ended when they were last recorded.

A change of the code's structure may change results by the order of summation only. A change of the
physics changes them by more: record them again with `python tests/python/test_twelve_scenes.py` and
say in the commit which scene changed and why.
"""

import json
import sys
from pathlib import Path

import numpy as np
import pytest

import haptos

ROOT = Path(__file__).resolve().parents[2]
RECORD = ROOT / "tests/python/data/twelve_scenes.json"
TOLERANCE = 1e-9  # of the size of the scene, or of the largest force
KEPT = 24  # points of each body

# Scene and steps: short, so that what is chaotic has no time to grow.
SCENES = {
    "block_at_rest": 5, "block_on_ramp": 8, "bolt_and_nut": 2, "gel_finger_pushes_block": 6,
    "hertz": 2, "patch_test": 1, "pendulum": 200, "pin_cushion": 3, "press_cube": 4,
    "press_sphere": 5, "quadruped_stands": 20, "sphere_on_incline": 100}


def measured(name, steps):
    """Numbers that tell where a scene ended: {what: (kind, list of numbers)}."""
    sim = haptos.load_scene(ROOT / f"scenes/{name}.yaml").compile()
    for _ in range(steps):
        assert sim.step().status[0] == 0
    found = {}
    for kind, entries in sim.entries.items():
        for entry in entries:
            body = entry["name"]
            for what in ("positions", "pose"):
                try:
                    value = np.asarray(getattr(sim, what)(body))[0]
                except (haptos.InputError, KeyError, ValueError, IndexError):
                    continue
                rows = value.reshape(-1, value.shape[-1]) if value.ndim > 1 else value
                some = rows[np.linspace(0, len(rows) - 1, min(KEPT, len(rows))).astype(int)]
                found[f"{kind} {body} {what}"] = ("place", some.ravel().tolist())
    for name_, robot in sim.robots.items():
        found[f"robot {name_} position"] = ("place", np.asarray(robot.position)[0].ravel().tolist())
    rows = sim.contacts
    sums = [float(len(rows)), *rows["force"].sum(axis=0), float(rows["normal_force"].sum())]
    found["contacts"] = ("force", sums)
    return found


def recorded():
    return json.loads(RECORD.read_text())


@pytest.mark.parametrize("name", SCENES)
def test_ends_where_it_was_recorded(name):
    now, then = measured(name, SCENES[name]), recorded()[name]
    assert sorted(now) == sorted(then)
    size = max(max(map(abs, values), default=0) for kind, values in then.values() if kind == "place")
    force = max(max(map(abs, values)) for kind, values in then.values() if kind == "force")
    worst = 0.0
    for what, (kind, values) in then.items():
        scale = size if kind == "place" else max(force, 1e-12)
        off = np.abs(np.array(now[what][1]) - np.array(values)).max(initial=0) / scale
        assert off < TOLERANCE, f"{what}: {off:.1e}"
        worst = max(worst, off)
    print(f"{name}: within {worst:.1e}")


if __name__ == "__main__":
    asked = sys.argv[1:] or list(SCENES)
    record = recorded() if RECORD.exists() else {}
    record.update({name: measured(name, SCENES[name]) for name in asked})
    RECORD.write_text(json.dumps({n: record[n] for n in SCENES}, indent=0))
    print(f"recorded {len(asked)} scenes")
