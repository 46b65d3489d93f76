"""Haptos' rigid contact beside MuJoCo, Drake, Bullet and ODE: error and time of the same scenes.

Usage: python bench/peers/run.py [--scenes slope stack balls] [--engines haptos mujoco ...]
           [--rounds 3] [--build build-peers] [--out bench/peers/results]

Python must have haptos and, for the peers that are there, mujoco and drake (requirements.txt); the
drivers of Bullet and ODE are built by

    cmake -S bench/peers -B build-peers && cmake --build build-peers

An engine that is missing is left out with a sentence. Every engine runs on one thread in a process
of its own; time is process CPU time of the steps alone, the least of the rounds, which the settings
of a scene take in turns. A setting that needs more than --budget seconds in a round runs once.

  slope   a box of 1 m on a slope of atan(.5) from touch, 25 s, friction .49 (slides), .5, .51
  stack   ten boxes of .1 m for 2 s, the top one as heavy as the others or 1000 times as heavy
  balls   216 balls of radius .1 m in a jittered lattice fall 1 cm and scatter, friction .5, 4 s

Prints a table and FIGURE lines (show.py) and writes the results as JSON, a file for each scene.
"""

from __future__ import annotations

import argparse
import datetime
import importlib.util
import json
import os
import pathlib
import platform
import subprocess
import sys

import numpy as np
from scene import Body, Scene
from settings import SETTINGS
from show import load_file, show

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[1]
ANGLE = np.arctan(0.5)
G = 9.8


def slopes() -> list[tuple[dict, Scene]]:
    """The box starts at rest with its lower face in the plane."""
    normal = np.array([np.sin(ANGLE), 0, np.cos(ANGLE)])
    turn = np.array([np.cos(ANGLE / 2), 0, np.sin(ANGLE / 2), 0])
    out = []
    for dt in (0.002, 0.005, 0.01, 0.025):
        for mu in (0.49, 0.5, 0.51):
            s = Scene(dt=dt, gravity=G, mu=mu, steps=round(25 / dt), normal=normal)
            s.bodies = [Body(True, 1000.0, 1.0, 0.5 * normal, turn)]
            out.append(({"dt": dt, "mu": mu}, s))
    return out


def judge_slope(case: dict, s: Scene, r: dict) -> dict:
    along = np.array([np.cos(ANGLE), 0, -np.sin(ANGLE)])
    x = float((np.array(r["positions"][0]) - s.bodies[0].p) @ along)
    a = max(0.0, G * (np.sin(ANGLE) - case["mu"] * np.cos(ANGLE)))
    exact = 0.5 * a * 25**2 if case["mu"] < 0.495 else 0.0
    return {"x": x, "error": abs(x - exact), "seconds_per_s": r["seconds"] / 25}


def stacks() -> list[tuple[dict, Scene]]:
    out = []
    for dt in (0.002, 0.005, 0.01):
        for ratio in (1, 1000):
            s = Scene(dt=dt, gravity=G, mu=0.5, steps=round(2 / dt), force_steps=round(0.5 / dt))
            s.bodies = [Body(True, 1.0 if k < 9 else float(ratio), 0.1,
                             np.array([0, 0, 0.05 + 0.1 * k]), np.array([1.0, 0, 0, 0]))
                        for k in range(10)]
            out.append(({"dt": dt, "ratio": ratio}, s))
    return out


def judge_stack(case: dict, s: Scene, r: dict) -> dict:
    d = np.array(r["positions"]) - np.array([b.p for b in s.bodies])
    drift = float(np.linalg.norm(d[:, :2], axis=1).max())
    sink = float(abs(d[:, 2]).max())
    return {"drift": drift, "sink": sink, "force_error": r["force_error"],
            "error": float(np.linalg.norm(d, axis=1).max()), "own_contacts": r["own_contacts"],
            "seconds_per_s": r["seconds"] / 2}


def piles() -> list[tuple[dict, Scene]]:
    out = []
    n = 6
    for dt in (0.02, 0.01, 0.005, 0.002):
        random = np.random.default_rng(666)
        s = Scene(dt=dt, gravity=G, mu=0.5, steps=round(4 / dt), balls=True)
        for k in range(n**3):
            p = np.array([0.21 * (k % n), 0.21 * (k // n % n), 0.101 + 0.21 * (k // n**2)])
            s.bodies.append(Body(False, 10.0, 0.1, p + random.uniform(-1e-3, 1e-3, 3),
                                 np.array([1.0, 0, 0, 0])))
        out.append(({"dt": dt}, s))
    return out


def judge_pile(case: dict, s: Scene, r: dict) -> dict:
    p = np.array(r["positions"])
    lost = int(sum(not np.isfinite(row).all() or row[2] < 0 or np.abs(row).max() > 100
                   for row in p))
    return {"error": r["rms"], "deepest": r["deepest"], "contacts": r["contacts"],
            "own_contacts": r["own_contacts"], "lost": lost, "seconds_per_s": r["seconds"] / 4}


SCENES = {"slope": (slopes, judge_slope), "stack": (stacks, judge_stack),
          "balls": (piles, judge_pile)}


def drivers(build: pathlib.Path, wanted: list[str]) -> dict[str, list[str]]:
    """Commands of the engines that are installed; a sentence for each that is not."""
    out: dict[str, list[str]] = {}
    for name, package in (("haptos", "haptos"), ("mujoco", "mujoco"), ("drake", "pydrake")):
        if name in wanted and importlib.util.find_spec(package) is None:
            print(f"{name} is left out: this Python ({sys.executable}) has no module {package}.")
        elif name in wanted:
            out[name] = [sys.executable, str(HERE / f"peer_{name}.py")]
    for name in ("bullet", "ode"):
        binary = build / f"peer_{name}"
        if name in wanted and not binary.exists():
            print(f"{name} is left out: {binary} is not there; cmake -S bench/peers -B {build} "
                  f"builds it where the package lib{name}-dev is installed.")
        elif name in wanted:
            out[name] = [str(binary)]
    return out


def run(command: list[str], scenes: list[Scene], limit: float) -> list[dict]:
    """A result for each scene that was done within the limit [s]."""
    env = dict(os.environ, OMP_NUM_THREADS="1", OPENBLAS_NUM_THREADS="1", MKL_NUM_THREADS="1")
    try:
        done = subprocess.run(command, input="".join(s.text() for s in scenes), text=True,
                              capture_output=True, env=env, timeout=limit)
        text = done.stdout
        if done.returncode:
            print(f"{command[-1]}: {done.stderr.strip().splitlines()[-1:]}")
    except subprocess.TimeoutExpired as e:
        text = (e.stdout or b"").decode() if isinstance(e.stdout, bytes) else e.stdout or ""
        print(f"{command[-1]}: {len(scenes) - text.count(chr(10))} of {len(scenes)} scenes are "
              f"left out: {limit:g} s were not enough.")
    return [json.loads(line) for line in text.splitlines() if line.endswith("}")]


def cpu_name() -> str:
    try:
        lines = pathlib.Path("/proc/cpuinfo").read_text().splitlines()
        return next(x.split(":", 1)[1].strip() for x in lines if x.startswith("model name"))
    except (OSError, StopIteration):
        return platform.processor()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    engines = list(SETTINGS)
    parser.add_argument("--scenes", nargs="+", default=list(SCENES), choices=list(SCENES))
    parser.add_argument("--engines", nargs="+", default=engines, choices=engines)
    parser.add_argument("--settings", nargs="+", help="names of settings; all where left out")
    parser.add_argument("--merge", action="store_true", help="keep other settings of --out")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--budget", type=float, default=20, help="CPU s of a repeated setting")
    parser.add_argument("--limit", type=float, default=300, help="seconds that a setting may take")
    builds = [ROOT / "build-peers", ROOT / "build/bench/peers"]
    parser.add_argument("--build", type=pathlib.Path,
                        default=next((b for b in builds if b.exists()), builds[0]))
    parser.add_argument("--out", type=pathlib.Path)
    args = parser.parse_args()

    commands = drivers(args.build, args.engines)
    for name in args.scenes:
        rows: list[dict] = []
        versions: dict[str, str] = {}
        load = [os.getloadavg()[0]]
        make, judge = SCENES[name]
        best: dict[tuple[str, str], list[dict]] = {}
        slow = set()
        for turn in range(args.rounds):
            for engine, command in commands.items():
                for label, options in SETTINGS[engine][name].items():
                    if (engine, label) in slow or label not in (args.settings or [label]):
                        continue
                    print(f"  {name}, round {turn + 1}: {engine}, {label}", file=sys.stderr)
                    cases = make()
                    for _, s in cases:
                        s.options = {k: str(v) for k, v in options.items()}
                    results = run(command, [s for _, s in cases], args.limit)
                    kept = best.setdefault((engine, label), [])
                    for k, ((case, s), r) in enumerate(zip(cases, results, strict=False)):
                        versions[engine] = r["version"]
                        row = {"engine": engine, "setting": label, **case,
                               **judge(case, s, r), "us_per_step": 1e6 * r["seconds"] / s.steps,
                               "rounds": turn + 1, "iterations": r.get("iterations", 0),
                               "not_converged": r["not_converged"]}
                        if k < len(kept):
                            for t in ("seconds_per_s", "us_per_step"):
                                row[t] = min(row[t], kept[k][t])
                            kept[k] = row
                        else:
                            kept.append(row)
                    if sum(r["seconds"] for r in results) > args.budget:
                        slow.add((engine, label))
        rows += [row for group in best.values() for row in group]
        load.append(os.getloadavg()[0])
        data = {"scene": name, "date": datetime.date.today().isoformat(), "cpu": cpu_name(),
                "cores": os.cpu_count(), "load": [round(x, 2) for x in load],
                "versions": versions, "settings": {e: SETTINGS[e][name] for e in commands},
                "rows": rows}
        file = args.out / f"{name}.json" if args.out else None
        if args.merge and file and file.exists():
            data = merged(load_file(file), data)
        show(data)
        if args.out:
            args.out.mkdir(parents=True, exist_ok=True)
            file.write_text(pack(data))
            print("wrote", file)


def merged(old: dict, new: dict) -> dict:
    """The rows of both, those of the new run in place of the old ones of the same settings; without
    those of settings that are gone."""
    key = lambda r: (list(SETTINGS).index(r["engine"]), r["setting"])  # noqa: E731
    again = {key(r) for r in new["rows"]}
    rows = new["rows"] + [r for r in old["rows"] if key(r) not in again
                          and r["setting"] in SETTINGS[r["engine"]][new["scene"]]]
    return new | {"rows": sorted(rows, key=lambda r: key(r)[0]),
                  "versions": old["versions"] | new["versions"], "load": old["load"] + new["load"],
                  "settings": old["settings"] | new["settings"]}


def pack(data: dict) -> str:
    """JSON with a line for each row, four digits (positions eight), keys of the rows once."""
    keys = list(data["rows"][0]) if data["rows"] else []
    head = {k: v for k, v in data.items() if k != "rows"} | {"columns": keys}
    digits = {"x": 8}
    short = [[float(f"{r[k]:.{digits.get(k, 4)}g}") if isinstance(r[k], float) else r[k]
              for k in keys] for r in data["rows"]]
    lines = ",\n".join(json.dumps(row) for row in short)
    return json.dumps(head)[:-1] + ', "rows": [\n' + lines + "\n]}\n"


if __name__ == "__main__":
    main()
