"""A matrix of presses: shapes times places on the pad, unattended, each in a folder of its own.

A press counts as finished when its run.h5 has its name, which is given last. What a killed run left
half done is made again; what is finished is not. docs/press.md tells the rest.
"""

from __future__ import annotations

import datetime
import errno
import gc
import hashlib
import json
import os
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from types import TracebackType
from typing import Any

import h5py
import numpy as np

from haptos.base.errors import InputError, PressError, StepError, refuse
from haptos.base.folder_lock import FolderLock
from haptos.base.inside_file import leads_out
from haptos.base.units import show_length
from haptos.base.walltime import Clock
from haptos.look.html_page import write_text
from haptos.look.images import save_png
from haptos.look.pictures import thumbnail
from haptos.press.gallery import write_index
from haptos.press.parts import check_size, load_object, load_pad
from haptos.press.press import Press, prepare
from haptos.press.report import draw_press, press_report, press_table, write_pad
from haptos.record.history import History
from haptos.record.recording import Recorder, versions
from haptos.record.report import Outcome
from haptos.tactile.quality import DEFAULT_QUALITY
from haptos.tactile.sensor_models import load_sensor

MANIFEST, LOCK, INDEX = "manifest.json", "lock", "index.html"
FORMAT, FORMAT_VERSION = "haptos press matrix", 1
PICTURE_WIDTH = 640  # of the gel in a press of a matrix [pixel]
MOST_PRESSES = 100_000
_FULL = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EIO)


@dataclass
class Entry:
    """One press of a matrix."""

    name: str  #: of its folder
    shape: str
    row: int  #: 0 is at the largest y
    column: int
    at: tuple[float, float]  #: [m]
    state: str = "waiting"  #: "waiting", "done" or "failed"
    sentence: str = ""  #: why it failed
    result: dict[str, Any] = field(default_factory=dict)  #: of a press that is done, see summary()

    def as_json(self) -> dict[str, Any]:
        """For the manifest."""
        return {"name": self.name, "shape": self.shape, "row": self.row, "column": self.column,
                "at": list(self.at), "state": self.state, "sentence": self.sentence,
                "result": self.result}


class Stopped(Exception):
    """A press was broken off because the caller asked for it."""


class Matrix:
    """A folder with a matrix of presses; a context that holds the folder's lock.

        with Matrix("runs/m", ["sphere", "cone"], grid=(3, 3), depth=[0.5e-3, 1e-3]) as matrix:
            matrix.run()
    """

    def __init__(self, folder: str | os.PathLike[str], shapes: Sequence[str], *,
                 grid: tuple[int, int] = (1, 1), pitch: float | None = None,
                 at: tuple[float, float] = (0.0, 0.0), command: str = "",
                 overwrite: bool = False, **options: Any) -> None:
        """Checks everything and opens the folder, which may hold a part of the same matrix.

        grid: places along x and along y, `pitch` [m] apart about `at`; None spreads them over the
        pad. overwrite: begin anew. options: of haptos.press.prepare(). Raises InputError; nothing
        is written before all is checked.
        """
        self.folder = Path(folder)
        self.command = command
        self.options = options
        self.notes: list[str] = []
        self._lock: FolderLock | None = None
        shapes = list(shapes)
        _check_shapes(shapes)
        self.pitch = _check_all(shapes, grid, pitch, at, options)
        self.grid = grid
        self.what = _what(shapes, grid, self.pitch, at, options)
        self.key = hashlib.sha256(json.dumps(self.what, sort_keys=True).encode()).hexdigest()[:16]
        self.entries = _entries(shapes, grid, self.pitch, at)
        self._open(overwrite)

    # -- the folder ----------------------------------------------------------------------------

    def _open(self, overwrite: bool) -> None:
        before = self._read_manifest()
        if before is None and not overwrite and self.folder.is_dir() and any(
                p.name not in (LOCK, MANIFEST + ".part") for p in self.folder.iterdir()):
            refuse("--out", self.folder, "is not empty and holds no matrix of presses",
                   "use --overwrite or another folder")
        if before is not None and not overwrite and before.get("what") != self.what:
            refuse("--out", self.folder, "holds another matrix: "
                   + _difference(before.get("what") or {}, self.what),
                   "give the same command to go on with it, --overwrite or another folder")
        try:
            self._lock = FolderLock(self.folder, LOCK)
        except BlockingIOError:
            refuse("--out", self.folder, "is in use by another haptos press", "wait for it to end")
        except OSError as e:
            refuse("--out", self.folder, f"cannot be used: {e.strerror}", "name another folder")
        for entry in self.entries:
            for part in (self.folder / entry.name).glob("*.part"):
                part.unlink(missing_ok=True)
            if overwrite:
                (self.folder / entry.name / "run.h5").unlink(missing_ok=True)
        self._find_done()
        self.write_manifest()

    def close(self) -> None:
        """Gives the folder free for another process."""
        if self._lock is not None:
            self._lock.close()

    def __enter__(self) -> Matrix:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None,
                 trace: TracebackType | None) -> None:
        self.close()

    def _read_manifest(self) -> dict[str, Any] | None:
        path = self.folder / MANIFEST
        try:
            found = json.loads(path.read_text(encoding="utf-8"))
        except FileNotFoundError:
            return None
        except NotADirectoryError:
            refuse("--out", self.folder, "cannot be used: a file is in its way",
                   "name another folder")
        except (OSError, ValueError, RecursionError) as e:
            refuse("--out", path, f"cannot be read: {e}", "use --overwrite or another folder")
        if (not isinstance(found, dict) or found.get("format") != FORMAT
                or not isinstance(found.get("what"), dict)):
            refuse("--out", path, "is not the manifest of a matrix of presses",
                   "use --overwrite or another folder")
        return found

    def write_manifest(self) -> None:
        """Writes what there is to do and where it stands, whole or not at all."""
        write_text(self.folder / MANIFEST, json.dumps({
            "format": FORMAT, "format_version": FORMAT_VERSION, "command": self.command,
            "versions": versions(), "what": self.what, "key": self.key,
            "presses": [e.as_json() for e in self.entries]}, indent=1) + "\n")

    def _find_done(self) -> None:
        """Looks which presses are there, whole and of this matrix."""
        makers = set()
        for entry in self.entries:
            path = self.folder / entry.name / "run.h5"
            if not path.exists():
                continue
            result = read_result(path, self.key)
            if result is None:
                self.notes.append(f"{path} is damaged or of another matrix: it is made again.")
                continue
            entry.state, entry.result = "done", result
            makers.add(result["version"])
        others = makers - {versions()["haptos"]}
        if others:
            self.notes.append("Presses that are there already were made by haptos "
                              + ", ".join(sorted(others)) + ".")

    # -- running -------------------------------------------------------------------------------

    @property
    def waiting(self) -> list[Entry]:
        """Presses that are not done."""
        return [e for e in self.entries if e.state != "done"]

    @property
    def failed(self) -> list[Entry]:
        """Presses that failed."""
        return [e for e in self.entries if e.state == "failed"]

    def run(self, each: Callable[[Entry], Any] | None = None,
            watch: Callable[[Entry, Press], bool] | None = None) -> None:
        """Makes every press that is not done; one that fails is noted and the rest goes on.

        each(entry): after each press; watch(entry, press): after each step, True breaks the run
        off. Raises OSError where the disk is full, after which it can be gone on with.
        """
        write_index(self)  # a kill may have come between the last recording and its page
        for entry in self.waiting:
            try:
                self._make(entry, watch)
            except Stopped:
                return
            except (InputError, PressError, StepError, MemoryError) as e:
                entry.state = "failed"
                entry.sentence = str(e) or "There is not enough memory for it."
            except OSError as e:
                if e.errno in _FULL:
                    raise
                entry.state, entry.sentence = "failed", str(e)
            gc.collect()  # a Sim and its sensors know each other; it may be hundreds of MB
            self.write_manifest()
            write_index(self)
            if each is not None:
                each(entry)

    def _make(self, entry: Entry, watch: Callable[[Entry, Press], bool] | None) -> None:
        clock = Clock()
        with clock.on("Reading and compiling"):
            press = prepare(entry.shape, at=entry.at, **self.options)
        folder = self.folder / entry.name
        folder.mkdir(exist_ok=True)
        history, frames, shown = History(press.sim), [], []
        recorder = Recorder(folder / "run.h5", press.sim, command=self.command,
                            settings=press.settings)
        try:
            while not press.done:
                with clock.on("Steps"):
                    step = press.step()
                history.add(step.report)
                keep = step.target is not None or step.phase not in ("approach", "press")
                frames.append(recorder.frames if keep else -1)
                if keep:
                    with clock.on("Recording"):
                        recorder.record(step.report)
                        shown.append(_thumbnails(press))
                if watch is not None and watch(entry, press):
                    raise Stopped
            history.finish()
            with clock.on("Pictures"):
                drawn = draw_press(press, folder, PICTURE_WIDTH)
                write_pad(press, folder / "pad.vtk")
                _write_strips(folder, shown)
            outcome = Outcome(folder, drawn, history, press.steps,
                              f"Finished, {len(press.history)} steps. {_place(entry)}",
                              self.command, clock.seconds)
            write_text(folder / "report.html", press_report(press, outcome))
            recorder.add_table("press", press_table(press.history, frames))
            result = summary(press, history, sum(clock.seconds.values()))
            recorder.set_attributes(press_key=self.key, press_result=json.dumps(result))
            recorder.close(finished=True)
        except BaseException:
            recorder.discard()
            raise
        entry.state, entry.sentence, entry.result = "done", "", result


def read_result(path: Path, key: str | None = None) -> dict[str, Any] | None:
    """What summary() gave for a finished press from its run.h5; None where the file is not whole.

    key: of the matrix that it must belong to.
    """
    try:
        with h5py.File(path) as f:
            if leads_out(f) or not f.attrs["finished"] or len(f["time"]) != f.attrs["frames"]:
                return None
            if key is not None and f.attrs["press_key"] != key:
                return None
            result = json.loads(f.attrs["press_result"])
            return result if isinstance(result, dict) and "version" in result else None
    except (OSError, KeyError, ValueError, TypeError, AttributeError, RuntimeError):
        return None


def summary(press: Press, history: History, seconds: float) -> dict[str, Any]:
    """What the manifest and the gallery tell of a finished press; SI units."""
    met = [s for _, s in press.records()]
    last = press.history[-1]
    return {
        "depth": [s.depth for s in met], "force": [s.normal for s in met],
        "end": {"depth": last.depth, "normal": last.normal, "tangential": last.tangential,
                "moment": last.moment, "stuck": None if np.isnan(last.grip.stuck)
                else last.grip.stuck},
        "steps": len(press.history), "bad_steps": history.bad_steps, "status": int(history.status),
        "worst_imbalance": max((s.imbalance for s in press.history), default=0.0),
        "smallest_gap": float(history.smallest_gap),
        "smallest_volume_ratio": float(history.smallest_volume_ratio), "seconds": seconds,
        "made": datetime.datetime.now(datetime.timezone.utc).isoformat("T", "seconds"),
        "version": versions()["haptos"], "warnings": press.warnings,
    }


# -- what is asked for -------------------------------------------------------------------------


def _check_shapes(shapes: list[str]) -> None:
    if not shapes:
        refuse("shapes", "", "must be at least one", "for example sphere")
    for k, shape in enumerate(shapes):
        if shape in shapes[:k]:
            refuse("shape", shape, "is given twice", "leave one out")


def _check_all(shapes: list[str], grid: tuple[int, int], pitch: float | None,
               at: tuple[float, float], options: dict[str, Any]) -> float:
    """Reads every file and checks every place, without compiling; returns the pitch [m]."""
    columns, rows = grid
    if columns < 1 or rows < 1 or len(shapes) * columns * rows > MOST_PRESSES:
        refuse("--grid", f"{columns}x{rows}", "must be at least 1x1 and make at most "
               f"{MOST_PRESSES} presses", "for example 3x3")
    sensor, pad = options.get("sensor"), options.get("pad")
    gel = (load_sensor(sensor).gel if sensor is not None
           else load_pad(pad or "box", options.get("unit"), options.get("pad_face", "top")))
    extent = np.ptp(np.asarray(gel.mesh.vertices), axis=0)
    if pitch is None:
        pitch = float(min(extent[0] / (columns + 1), extent[1] / (rows + 1)))
    if not (np.isfinite(pitch) and pitch > 0):
        refuse("--pitch", show_length(pitch) if np.isfinite(pitch) else pitch,
               "must be more than 0", "for example 1mm")
    far = (abs(at[0]) + 0.5 * (columns - 1) * pitch, abs(at[1]) + 0.5 * (rows - 1) * pitch)
    if far[0] > extent[0] / 2 or far[1] > extent[1] / 2:
        refuse("--grid", f"{columns}x{rows}", f"reaches {show_length(far[0])}, "
               f"{show_length(far[1])} from the middle, beyond the pad of "
               f"{show_length(extent[0])} x {show_length(extent[1])}", "use a smaller --pitch")
    for shape in shapes:
        notes: list[str] = []
        surface = load_object(shape, options.get("unit"), options.get("face"),
                              options.get("seed", 1), notes)
        check_size(surface, gel, at, notes)
    # The first press is compiled: what is wrong with options and plan shows before any is made.
    prepare(shapes[0], at=at, **options)
    return pitch


def _entries(shapes: list[str], grid: tuple[int, int], pitch: float, at: tuple[float, float]
             ) -> list[Entry]:
    columns, rows = grid
    entries, used = [], set()
    for shape in shapes:
        stem = re.sub(r"[^A-Za-z0-9_-]+", "-", Path(shape).stem).strip("-")[:40] or "shape"
        k = 1
        while (name := stem if k == 1 else f"{stem}-{k}") in used:
            k += 1
        used.add(name)
        for row in range(rows):
            for column in range(columns):
                x = at[0] + (column - 0.5 * (columns - 1)) * pitch
                y = at[1] + (0.5 * (rows - 1) - row) * pitch
                entries.append(Entry(f"{name}-r{row + 1}-c{column + 1}", shape, row, column,
                                     (x, y)))
    return entries


def _what(shapes: list[str], grid: tuple[int, int], pitch: float, at: tuple[float, float],
          options: dict[str, Any]) -> dict[str, Any]:
    """All that the results follow from, as JSON holds it; files by their contents."""
    files = [s for s in [*shapes, options.get("sensor"), options.get("pad")]
             if s is not None and Path(s).is_file()]
    given = {k: v for k, v in options.items() if k != "quality" or v not in (None, DEFAULT_QUALITY)}
    what = {"shapes": shapes, "grid": list(grid), "pitch": pitch, "at": list(at), **given,
            "files": {f: hashlib.sha256(Path(f).read_bytes()).hexdigest() for f in files}}
    return json.loads(json.dumps(what, default=str))


def _difference(before: dict[str, Any], now: dict[str, Any]) -> str:
    for key in [*now, *before]:
        a, b = before.get(key), now.get(key)
        if a != b:
            return (f"its {key} is {json.dumps(a)[:80]}, not {json.dumps(b)[:80]}"
                    if key != "files" else "a file has changed since")
    return "nothing differs"


# -- pictures ----------------------------------------------------------------------------------


def _thumbnails(press: Press) -> list[np.ndarray]:
    """Small pictures of what the sensor sees now: depth, and colours where it has them."""
    scale = press.plan.depths[-1] if press.plan.depths else press.plan.deepest
    images = [thumbnail(press.sensor.depth()[0], scale)]
    if press.sensor.has_colours:
        images.append(thumbnail(press.sensor.rgb()[0]))
    return images


def _write_strips(folder: Path, shown: list[list[np.ndarray]]) -> None:
    """thumb.png of the end, strip.png of all that was recorded."""
    save_png(folder / "thumb.png", shown[-1][0])
    rows = [np.concatenate([images[k] for images in shown], axis=1) for k in range(len(shown[0]))]
    save_png(folder / "strip.png", np.concatenate(rows))


def _place(entry: Entry) -> str:
    return f"At {show_length(entry.at[0])}, {show_length(entry.at[1])} on the pad."
