"""Where the time of a step of scenes/layers goes, against its number of contacts.

    python bench/layer_scenes.py [mugs fours rubble climb] [--seconds 2] [--out times.json]

Each scene runs on one thread in a process of its own, at which perf looks many times a second. What
is on the stack tells what a step is at: finding contacts (collision), merging them (clustering), or
solving and all else (response, also the few looks that cannot be told). A line for each group of
steps of about as many contacts: CPU time of a step [ms]. Needs perf (linux-perf of Debian), and
what scenes/layers/make.py makes.
"""

import argparse
import json
import subprocess
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path

import numpy as np

import haptos

ROOT = Path(__file__).resolve().parents[1]
# How long each runs [s], looks a second of CPU time, and groups of steps.
SCENES = {"mugs": (1.4, 199, 10), "fours": (2.0, 499, 10), "rubble": (8.0, 999, 4),
          "climb": (32.4, 99, 8)}
PARTS = ("collision", "clustering", "response")
FINDING = ("LayerContacts::", "LayerSampler::", "BroadPhase::")


def run(name: str, seconds: float, out: Path) -> None:
    """The steps of a scene: when each began and ended [s], and its contacts."""
    scene = haptos.load_scene(ROOT / f"scenes/layers/{name}.yaml")
    scene.sim.threads = 1
    sim = scene.compile(quiet=True)
    rows = []
    while sim.time[0] < seconds - 1e-9:
        start = time.clock_gettime(time.CLOCK_MONOTONIC)
        sim.step()
        end = time.clock_gettime(time.CLOCK_MONOTONIC)
        rows.append((start, end, len(sim.contacts)))
    np.save(out, rows)


def part_of(stack: list[str]) -> str:
    """What a step is at."""
    if any("SampleReduction::" in name for name in stack):
        return "clustering"
    return "collision" if any(f in name for name in stack for f in FINDING) else "response"


def looks(data: Path) -> "list[tuple[float, str]]":
    """Times [s] and parts of all looks."""
    text = subprocess.run(["perf", "script", "-i", data, "--no-inline", "-F", "time,ip,sym"],
                          capture_output=True, text=True, check=True).stdout
    found = []
    for block in text.split("\n\n"):
        head, *stack = block.strip().splitlines() or [""]
        if stack:
            found.append((float(head.strip().rstrip(":")), part_of(stack)))
    return found


def measure(name: str, seconds: float = 0.0) -> "list[dict[str, float]]":
    """Groups of steps by their contacts: means of contacts, and CPU time of each part [ms]."""
    length, rate, parts = SCENES[name]
    with tempfile.TemporaryDirectory() as folder:
        data, out = Path(folder) / "perf.data", Path(folder) / "steps.npy"
        look = ["perf", "record", "-q", "-e", "cpu-clock", "-F", str(rate), "-k", "CLOCK_MONOTONIC",
                "--call-graph", "dwarf,8192", "-o", data]
        subprocess.run([*look, sys.executable, __file__, name, "--seconds",
                        str(seconds or length), "--run", out],
                       check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        steps, seen = np.load(out), looks(data)
    counts = [Counter() for _ in steps]
    at = np.searchsorted(steps[:, 0], [t for t, _ in seen], side="right") - 1
    for k, (t, part) in zip(at, seen, strict=True):
        if k >= 0 and t <= steps[k, 1]:
            counts[k][part] += 1
    order = [k for k in np.argsort(steps[:, 2], kind="stable") if steps[k, 2] > 0]
    groups = []
    for group in np.array_split(order, parts):
        row = {"steps": len(group), "contacts": float(steps[group, 2].mean())}
        for part in PARTS:
            row[part] = 1e3 * sum(counts[k][part] for k in group) / rate / len(group)
        row["all"] = sum(row[part] for part in PARTS)
        groups.append(row)
    return groups


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("scenes", nargs="*", default=list(SCENES))
    parser.add_argument("--seconds", type=float, default=0.0)
    parser.add_argument("--out", type=Path)
    parser.add_argument("--run", type=Path, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.run:
        run(options.scenes[0], options.seconds, options.run)
        return
    found = {}
    for name in options.scenes:
        print(f"{name}\n contacts  collision clustering   response      all ms", flush=True)
        found[name] = measure(name, options.seconds)
        for g in found[name]:
            print(f"{g['contacts']:9.1f}{g['collision']:11.3f}{g['clustering']:11.3f}"
                  f"{g['response']:11.3f}{g['all']:9.3f}", flush=True)
    if options.out:
        options.out.write_text(json.dumps(found, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
