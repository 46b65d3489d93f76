"""haptos bench: how fast a scene steps on this machine, where the time goes, how well it was solved."""

from __future__ import annotations

import contextlib
import datetime
import gc
import json
import os
import platform
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any
from xml.sax.saxutils import escape

import numpy as np

from haptos import _core
from haptos.base.console import new_table, wide_console
from haptos.base.errors import refuse
from haptos.cli.meshes import load_scene_telling
from haptos.cli.runs import set_options
from haptos.look.html_page import write_text
from haptos.meshes import cache
from haptos.scene.scene import Scene

STAGES = (*_core.stage_names, "rest")
MOST_LOOKS = 20  # at the number of contacts, which costs a copy of all of them
_COLOURS = ("#4c78a8", "#f58518", "#e45756", "#72b7b2", "#54a24b", "#b279a2", "#bab0ac")


def processor() -> str:
    """The processor's name, as the system tells it."""
    with contextlib.suppress(OSError), open("/proc/cpuinfo", encoding="utf-8") as f:
        for line in f:
            if line.startswith("model name"):
                return line.split(":", 1)[1].strip()
    return platform.processor() or platform.machine()


def resident() -> int:
    """Memory of this process that is in use [bytes], 0 where the system does not tell."""
    with contextlib.suppress(OSError), open("/proc/self/statm", encoding="utf-8") as f:
        return int(f.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")
    return 0


def parse_counts(text: str) -> list[int]:
    """Numbers of environments from "1,16,64". Raises InputError."""
    counts = []
    for word in text.split(","):
        if not word.strip().isdigit() or not 1 <= int(word) <= 1_000_000:
            refuse("--envs", text, "must be whole numbers from 1 on, with commas between them",
                   "for example --envs 1,16,64")
        counts.append(int(word))
    return counts


def measure(scene: Scene, envs: int, steps: int, skip: int) -> dict[str, Any]:
    """What `steps` steps of so many environments take, after `skip` of them that do not count.

    Seconds of stages are sums over environments, on the threads that they stepped on; "rest" is what
    no stage covers. Memory is what the process grew by until the last step, for each environment.
    """
    gc.collect()
    before = resident()
    sim = scene.compile(envs, quiet=True)
    for _ in range(skip):
        sim.step()
    iterations, passes, residual, contacts = [], [], [], []
    unsettled, inside = 0, 0.0
    looks = {round(k) for k in np.linspace(0, steps - 1, min(steps, MOST_LOOKS))}
    wall, cpu = 0.0, 0.0
    _core.time_stages(True)
    try:
        for k in range(steps):
            start, start_cpu = time.perf_counter(), time.process_time()
            report = sim.step()
            wall += time.perf_counter() - start
            cpu += time.process_time() - start_cpu
            iterations.append(report.iterations)
            passes.append(report.lag_passes)
            load = np.maximum(report.load, 1e-300)
            residual.append(np.where(report.load > 0, report.residual / load, 0.0))
            unsettled += int(np.count_nonzero(report.status))
            inside += float(np.sum(report.seconds))
            if k in looks:
                contacts.append(len(sim.contacts))
        stages = dict(zip(_core.stage_names, _core.stage_seconds(), strict=True))
    finally:
        _core.time_stages(False)
    grown = resident() - before
    count = steps * envs
    return {
        "envs": envs, "steps": steps, "rate": count / wall, "wall_ms": 1e3 * wall / count,
        "cpu_ms": 1e3 * cpu / count, "real_time": count * sim.dt / wall,
        "iterations_mean": float(np.mean(iterations)), "iterations_most": int(np.max(iterations)),
        "lag_passes_mean": float(np.mean(passes)), "contacts": float(np.mean(contacts)) / envs,
        "residual_mean": float(np.mean(residual)), "residual_most": float(np.max(residual)),
        "unsettled": unsettled, "bytes_per_env": max(grown, 0) // envs,
        "stages_ms": {n: 1e3 * s / count for n, s in stages.items()}
        | {"rest": 1e3 * max(inside - sum(stages.values()), 0.0) / count}}


def run_bench(path: str, envs: Sequence[int], steps: int, skip: int,
              options: dict[str, float | str], json_file: str | None, plot: str | None,
              keep: bool) -> None:
    """Measures a scene with each number of environments and tells it, beside the time before."""
    for name, file in (("--json", json_file), ("--plot", plot)):
        if file is not None and not Path(file).resolve().parent.is_dir():
            refuse(name, file, "is in a folder that does not exist", "make the folder first")
    scene = load_scene_telling(path)
    set_options(scene, options)
    machine = {"processor": processor(), "cores": os.cpu_count(), "threads": threads_of(scene),
               "instruction_set": _core.instruction_set}
    result: dict[str, Any] = {
        "scene": Path(path).name, "date": datetime.datetime.now().isoformat(timespec="seconds"),
        "version": _core.version, "commit": _core.commit, "machine": machine,
        "force_tolerance": scene.newton.force_tolerance, "options": options, "runs": []}
    earlier = history()
    console = wide_console()
    console.print(f"{machine['processor']}, {machine['cores']} cores, {machine['threads']} threads; "
                  f"force tolerance {scene.newton.force_tolerance:g}", highlight=False)
    for n in envs:
        run = measure(scene, n, steps, skip)
        result["runs"].append(run)
        console.print(line_of(run), highlight=False, soft_wrap=True)
        if last := same_before(earlier, result, n):
            console.print(f"    {run['rate'] / last['rate']:.2f} times the rate of {last['date']}, "
                          f"commit {last['commit'][:8]}", highlight=False)
    table = new_table("Milliseconds of an environment's step, on the thread that it steps on",
                      "envs", *STAGES)
    for run in result["runs"]:
        table.add_row(str(run["envs"]), *(f"{run['stages_ms'][s]:.3f}" for s in STAGES))
    console.print(table)
    if json_file is not None:
        write_text(Path(json_file), json.dumps(result, indent=1) + "\n")
    if plot is not None:
        write_text(Path(plot), drawn(result))
    if keep:
        remember(result)


def threads_of(scene: Scene) -> int:
    """Threads that its steps may use."""
    return int(scene.sim.threads) or os.cpu_count() or 1


def line_of(run: dict[str, Any]) -> str:
    """A run in a sentence."""
    some = f", {run['unsettled']} did not converge" if run["unsettled"] else ""
    return (f"{run['envs']} environments: {run['rate']:.4g} environment-steps a second, "
            f"{run['real_time']:.3g} times real time; {run['cpu_ms']:.3g} ms of CPU a step, "
            f"{run['iterations_mean']:.2f} iterations (most {run['iterations_most']}), "
            f"{run['contacts']:.0f} contacts, residual {run['residual_mean']:.1e} of the load "
            f"(most {run['residual_most']:.1e}){some}; "
            f"{run['bytes_per_env'] / 1e6:.2f} MB an environment")


# -- earlier runs ------------------------------------------------------------------------------


def history_file() -> Path | None:
    """Where runs are kept, a line of JSON each; None where nothing is to be kept."""
    place = cache.folder("bench")
    return None if place is None else place / "runs.jsonl"


def history() -> list[dict[str, Any]]:
    """Earlier runs, the oldest first; lines that are none are passed over."""
    file = history_file()
    runs = []
    with contextlib.suppress(OSError, UnicodeDecodeError):
        for line in file.read_text(encoding="utf-8").splitlines() if file else ():
            with contextlib.suppress(ValueError):
                entry = json.loads(line)
                if isinstance(entry, dict) and {"scene", "machine", "runs"} <= entry.keys():
                    runs.append(entry)
    return runs


def same_before(earlier: list[dict[str, Any]], now: dict[str, Any],
                envs: int) -> dict[str, Any] | None:
    """The last run of this scene on this machine with as many environments."""
    for entry in reversed(earlier):
        if any(entry.get(k) != now[k] for k in ("scene", "machine", "options")):
            continue
        for run in entry["runs"]:
            if isinstance(run, dict) and run.get("envs") == envs and run.get("rate", 0) > 0:
                return {"rate": run["rate"], "date": entry.get("date", "before"),
                        "commit": str(entry.get("commit", ""))}
    return None


def remember(result: dict[str, Any]) -> None:
    """Adds a run to those kept; what cannot be written is let go."""
    file = history_file()
    if file is None:
        return
    with contextlib.suppress(OSError):
        file.parent.mkdir(parents=True, exist_ok=True)
        with file.open("a", encoding="utf-8") as f:
            f.write(json.dumps(result) + "\n")


# -- a picture ---------------------------------------------------------------------------------


def drawn(result: dict[str, Any]) -> str:
    """Stages of a step as stacked bars, one for each number of environments, as SVG."""
    runs = result["runs"]
    total = [sum(run["stages_ms"].values()) for run in runs]
    wide, left, top, bar = 640, 110, 62, 34
    scale = (wide - left - 90) / max(*total, 1e-12)
    title = f"{result['scene']}: milliseconds of an environment's step"
    parts = [f'<text x="10" y="22" font-size="15">{escape(title)}</text>']
    for k, stage in enumerate(STAGES):
        x = 10 + 88 * k
        parts.append(f'<rect x="{x}" y="34" width="11" height="11" fill="{_COLOURS[k]}"/>'
                     f'<text x="{x + 15}" y="44">{stage}</text>')
    for i, (run, whole) in enumerate(zip(runs, total, strict=True)):
        y, x = top + i * (bar + 10), float(left)
        parts.append(f'<text x="10" y="{y + 21}">{run["envs"]} environments</text>')
        for k, stage in enumerate(STAGES):
            width = scale * run["stages_ms"][stage]
            parts.append(f'<rect x="{x:.2f}" y="{y}" width="{width:.2f}" height="{bar}" '
                         f'fill="{_COLOURS[k]}"/>')
            x += width
        parts.append(f'<text x="{x + 6:.2f}" y="{y + 21}">{whole:.3g} ms</text>')
    foot = top + len(runs) * (bar + 10) + 14
    about = f"{result['machine']['processor']}, {result['date']}, commit {result['commit'][:8]}"
    parts.append(f'<text x="10" y="{foot}" fill="#666">{escape(about)}</text>')
    return (f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {wide} {foot + 12}" '
            'font-family="sans-serif" font-size="12">'
            '<rect width="100%" height="100%" fill="white"/>' + "".join(parts) + "</svg>\n")
