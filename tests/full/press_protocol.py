#!/usr/bin/env python3
"""The press protocol: one of 15 shapes at 3 x 3 places 1 mm apart and 11 depths from 0 to 1 mm.

Runs `haptos press` unattended and kills it (SIGKILL) at random times; it must go on where it was,
leave finished presses alone and end with whole files. build/press_protocol/SHAPE keeps the results,
so a run that was interrupted goes on too.

  press_protocol.py SHAPE     one shape; prints FIGURE lines
  press_protocol.py --gallery one page over all shapes, build/press_protocol/index.html
"""

import hashlib
import json
import pathlib
import random
import shutil
import signal
import subprocess
import sys
import time

import h5py
import numpy as np

from haptos.press.gallery import gallery_page
from haptos.press.matrix import Entry, read_result

ROOT = pathlib.Path(__file__).resolve().parents[2]
FOLDER = ROOT / "build/press_protocol"
SHAPES = ("cone", "cross_lines", "cylinder", "cylinder_shell", "cylinder_side", "dot_in", "dots",
          "hexagon", "moon", "pacman", "prism", "sphere", "torus", "triangle", "wave1")
DEPTHS = np.linspace(0, 1e-3, 11)
SKIP = 77  # what scripts/test_full takes for "cannot run here"


def command(shape):
    return [sys.executable, "-m", "haptos", "press", shape, "--sensor", "gelsight-mini", "--grid",
            "3x3", "--pitch", "1mm", "--depth", "0:1mm:11", "--out",
            str((FOLDER / shape).relative_to(ROOT))]


class Manifest:
    """A finished matrix as the gallery reads it."""

    def __init__(self, folder):
        found = json.loads((folder / "manifest.json").read_text())
        self.folder, self.command = folder, found["command"]
        self.what, self.grid, self.key = found["what"], found["what"]["grid"], found["key"]
        self.entries = [Entry(**p) for p in found["presses"]]


def whole_files(folder):
    """Hash of every finished recording, each of which must be whole; {name: hash}."""
    hashes = {}
    for path in sorted(folder.glob("*/run.h5")):
        result = read_result(path)
        assert result is not None, f"{path} has its name and is not whole"
        hashes[path.parent.name] = hashlib.sha256(path.read_bytes()).hexdigest()
    return hashes


def run_killed(shape, kills, rng):
    """Runs the shape to its end with kills at random times; seconds of wall time."""
    folder, start = FOLDER / shape, time.monotonic()
    before = whole_files(folder)
    while True:
        process = subprocess.Popen(command(shape), cwd=ROOT, stdout=subprocess.DEVNULL)
        try:
            code = process.wait(rng.uniform(5, 90) if kills else None)
        except subprocess.TimeoutExpired:
            process.send_signal(signal.SIGKILL)
            process.wait()
            kills, code = kills - 1, None
        now = whole_files(folder)
        for name, value in before.items():
            assert now.get(name) == value, f"{name} was finished and has changed"
        if (folder / "manifest.json").exists():
            json.loads((folder / "manifest.json").read_text())
        before = now
        if code is not None:
            assert code == 0, f"haptos press ended with {code}"
            return time.monotonic() - start


def check(shape):
    """Every press of a finished shape: complete, converged, balanced; prints figures."""
    folder = FOLDER / shape
    manifest = Manifest(folder)
    assert [e.state for e in manifest.entries] == ["done"] * 9
    forces, imbalance, gap, ratio, field = [], 0.0, 1.0, 1.0, 0.0
    for entry in manifest.entries:
        assert read_result(folder / entry.name / "run.h5", manifest.key) == entry.result
        for name in ("report.html", "thumb.png", "strip.png", "depth.png", "rgb.png", "pad.vtk"):
            assert (folder / entry.name / name).stat().st_size > 300, name
        with h5py.File(folder / entry.name / "run.h5") as f:
            targets = f["press/target"][:]
            met = np.isfinite(targets)
            np.testing.assert_allclose(targets[met], DEPTHS, atol=1e-9)
            np.testing.assert_allclose(f["press/depth"][met], DEPTHS, atol=1e-7)
            frames = f["press/frame"][met]
            assert (frames == np.arange(1, 12)).all() and len(f["time"]) == 12
            assert (f["step/status"][:] == 0).all()
            depth = f["sensors/camera/depth"][:, 0]
            assert depth.shape == (12, 240, 320) and np.isfinite(depth).all()
            assert np.all(depth[0] == 0) and depth[-1].max() > 0.6e-3
            normal = np.asarray(f["press/object_force"])[met, 2]
            assert np.all(np.diff(normal[1:]) > 0), "force must grow with depth"
            mount = np.asarray(f["press/mount_force"])[met, 2]
            field = max(field, float(np.max(np.abs(normal + mount)[3:] / normal[3:])))
        forces.append(normal[-1])
        imbalance = max(imbalance, entry.result["worst_imbalance"])
        gap = min(gap, entry.result["smallest_gap"])
        ratio = min(ratio, entry.result["smallest_volume_ratio"])
    assert gap > 0 and ratio > 0 and field < 1e-3
    page = (folder / "index.html").read_text()
    assert page.count("/thumb.png") == 9 and "9 of 9 presses are done" in page
    print(f"FIGURE least force at 1 mm = {min(forces):.6g} N")
    print(f"FIGURE largest force at 1 mm = {max(forces):.6g} N")
    print(f"FIGURE contact less glue from 0.3 mm on = {field:.3g}")
    print(f"FIGURE smallest gap = {gap * 1e6:.4g} um")
    print(f"FIGURE least volume ratio = {ratio:.4g}")
    seconds = sum(e.result["seconds"] for e in manifest.entries)
    print(f"FIGURE time of the presses = {seconds:.1f} s")


def gallery():
    """One page over the shapes; skipped until all 15 are there."""
    matrices = [Manifest(FOLDER / s) for s in SHAPES if (FOLDER / s / "manifest.json").exists()]
    there = {m.folder.name for m in matrices if all(e.state == "done" for e in m.entries)}
    missing = [s for s in SHAPES if s not in there]
    if missing:
        print("these shapes have not been pressed here yet: " + ", ".join(missing))
        return SKIP
    text = gallery_page(matrices, FOLDER)
    (FOLDER / "index.html").write_text(text)
    assert text.count("/thumb.png") == 9 * len(SHAPES)
    done = sum(e.state == "done" for m in matrices for e in m.entries)
    assert done == 9 * len(SHAPES)
    print(f"FIGURE presses = {done}")
    print(f"FIGURE images = {done * len(DEPTHS)}")
    return 0


def forget_stale(shape):
    """Removes what is finished or was made by other code; what this code began stays."""
    FOLDER.mkdir(parents=True, exist_ok=True)
    code = subprocess.run(["git", "rev-parse", "HEAD"], cwd=ROOT, capture_output=True, text=True,
                          check=False).stdout.strip()
    mark = FOLDER / f"{shape}.commit"
    try:
        finished = all(e.state == "done" for e in Manifest(FOLDER / shape).entries)
    except (OSError, ValueError):
        finished = False
    if finished or not mark.exists() or mark.read_text() != code:
        shutil.rmtree(FOLDER / shape, ignore_errors=True)
    mark.write_text(code)


def main(arguments):
    if arguments == ["--gallery"]:
        return gallery()
    if len(arguments) != 1 or arguments[0] not in SHAPES:
        sys.exit(f"give one of {', '.join(SHAPES)}, or --gallery")
    forget_stale(arguments[0])
    rng = random.Random(int.from_bytes(arguments[0].encode(), "big"))
    seconds = run_killed(arguments[0], 3, rng)
    check(arguments[0])
    print(f"FIGURE time with kills = {seconds:.1f} s")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
