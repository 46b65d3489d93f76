"""Many presses in one call, as one file: haptos.presses(). docs/datasets.md shows how.

The file is made of parts, one for each press, in a folder beside it. A run that was stopped goes on
with the parts that are there; when all are, they become one file and the folder goes.
"""

from __future__ import annotations

import errno
import json
import os
import shutil
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import h5py
import numpy as np
from numpy.typing import NDArray

from haptos import _core
from haptos.base.console import say
from haptos.base.errors import refuse
from haptos.base.folder_lock import FolderLock
from haptos.meshes.given import kind_of
from haptos.press.file import (
    FAILED,
    GOOD,
    PressSet,
    fields_of,
    is_part,
    merge,
    open_presses,
    part_path,
    write_whole,
)
from haptos.press.height_map import load_colours
from haptos.press.inputs import (
    load_shapes,
    read_elements,
    read_options,
    read_quality,
    read_smoothing,
    sensor_hash,
)
from haptos.press.make import JOB, SHAPES, start_press
from haptos.press.parts import check_size
from haptos.press.pool import Answer, run_workers
from haptos.press.press import make_plan
from haptos.press.recipe import (
    MODELS,
    MOST_PRESSES,
    OnePress,
    Recipe,
    check_count,
    difference,
    read_choices,
    surface_hash,
)
from haptos.record.recording import versions
from haptos.tactile.sensor_models import load_sensor, sensor_names

_LOCK = "lock"


@dataclass
class Outcome:
    """How a run of a data set ended."""

    there: int = 0  #: presses that earlier runs had made
    made: int = 0
    not_converged: list[tuple[int, str]] = field(default_factory=list)  #: press and sentence
    failed: list[tuple[int, str]] = field(default_factory=list)
    lost: list[tuple[int, str]] = field(default_factory=list)  #: not made; tried again next time
    whole: bool = False  #: whether the file is there


class PressRun:
    """A data set that is to be made, or gone on with; a context that holds its folder's lock."""

    def __init__(self, file: str | os.PathLike[str], shapes: Any, *, sensor: str = "gelsight-mini",
                 model: str = "soft", count: int | None = None, seed: int = 0,
                 quality: str | None = None, elements: float | str | None = None,
                 smoothing: float | str | None = None,
                 unit: str | None = None, face: str | None = None,
                 options: Mapping[str, float | str] | None = None, overwrite: bool = False,
                 **quantities: Any) -> None:
        """Checks everything and opens the folder of parts; arguments as of presses(). Raises
        InputError; nothing is written before all is checked."""
        self.file = Path(file)
        self.parts = self.file.with_name(self.file.name + ".parts")
        self.notes: list[str] = []
        self._lock: FolderLock | None = None
        if model not in MODELS:
            refuse("model", model, "must be soft, hydroelastic or height-map",
                   "soft simulates the gel, hydroelastic takes it for a linear layer")
        check_count(count, seed)
        # As workers find it: by name, or by a path that holds in any folder.
        self.sensor_name = sensor if sensor in sensor_names() else os.path.abspath(sensor)
        self.sensor = load_sensor(sensor)
        self.surfaces, names = load_shapes(shapes, unit, face, self.notes)
        hashes = {n: surface_hash(s) for n, s in zip(names, self.surfaces, strict=True)}
        hashes["the sensor"] = sensor_hash(self.sensor)
        self.recipe = Recipe(
            model, self.sensor.name, tuple(names), hashes, read_choices(quantities, model, count),
            None if count is None else int(count), int(seed),
            read_quality(quality, model), read_elements(elements, model), read_smoothing(smoothing, model),
            read_options(options, model))
        if len(self.recipe) > MOST_PRESSES:
            refuse("presses", len(self.recipe), f"must be at most {MOST_PRESSES}",
                   "list fewer values")
        self.fields = fields_of(model, self.sensor)
        self._check()
        try:
            self.done = self._open(overwrite)
        except BaseException:
            self.close()
            raise

    # -- checks --------------------------------------------------------------------------------

    def _check(self) -> None:
        """Places, depths, forces and ways aside against the pad, at the ends of what they may be;
        then an easy press is compiled, so that what is wrong with options shows now."""
        gel, choices = self.sensor.gel, self.recipe.choices

        def ends(name: str) -> tuple[float, float]:
            values = (0.0,) if choices[name] is None else choices[name].values
            return min(values), max(values)

        for surface in self.surfaces:
            for at in zip(ends("x"), ends("y"), strict=True):
                check_size(surface, gel, at, [])
        material = {**self.sensor.material}
        for name in ("young", "poisson"):
            if choices[name] is not None:
                material[name] = ends(name)[1]
        _core.complete_options("material", material)
        gap = 1e-6
        for value in ends("force" if choices["depth"] is None else "depth"):
            given = {"force" if choices["depth"] is None else "depth": value}
            make_plan(gel, material, given.get("depth"), given.get("force"), ends("shear")[1], 0.0,
                      None, gap)
        if self.recipe.model != "height-map":
            easy = {n: ends(n)[n == "young"] if c is not None else None
                    for n, c in choices.items()}
            easy.update(x=0.0, y=0.0, tilt=0.0, shear=0.0)
            start_press(self.recipe, self.sensor_name, OnePress(0, 0, easy, 0), self.surfaces[0])

    # -- the folder ----------------------------------------------------------------------------

    def _open(self, overwrite: bool) -> set[int]:
        """Takes the folder of parts, and says which presses are there. Without presses to make
        there is none."""
        wanted = self.recipe.as_json()
        before = self._recipe_there() if not overwrite else None
        if before is not None and (what := difference(before, wanted)):
            refuse("data set", self.file, f"holds other presses: {what}",
                   "give the same recipe to go on with it, overwrite, or name another file")
        if before is not None and self.file.exists():
            shutil.rmtree(self.parts, ignore_errors=True)  # a kill came before it was gone
            return set(range(len(self.recipe)))
        try:
            self._lock = FolderLock(self.parts, _LOCK)
        except BlockingIOError:
            refuse("data set", self.file, "is being made by another process", "wait for it to end")
        except OSError as e:
            refuse("data set", self.file, f"cannot be made: {e.strerror}", "name another file")
        if overwrite:
            self.file.unlink(missing_ok=True)
        for left in self.parts.iterdir():
            if left.suffix == ".part" or (overwrite and left.suffix == ".h5"):
                left.unlink(missing_ok=True)
        self._write_job(wanted)
        return self._find_done()

    def _recipe_there(self) -> dict[str, Any] | None:
        """The recipe of the file, or of its parts; None where neither is there."""
        if self.file.exists():
            with open_presses(self.file) as found:  # refuses what is no data set
                return found.recipe
        job = self.parts / JOB
        try:
            return dict(json.loads(job.read_text(encoding="utf-8"))["recipe"])
        except FileNotFoundError:
            return None
        except NotADirectoryError:
            refuse("data set", self.file, "cannot be made: a file is in its way",
                   "name another file")
        except (OSError, ValueError, KeyError, TypeError, RecursionError) as e:
            refuse("data set", job, f"cannot be read: {str(e)[:80]}",
                   "overwrite it, or name another file")

    def _write_job(self, recipe: dict[str, Any]) -> None:
        arrays = {}
        for k, s in enumerate(self.surfaces):
            arrays[f"v{k}"], arrays[f"t{k}"] = np.asarray(s.vertices), np.asarray(s.triangles)
        hidden = self.parts / "shapes.part"
        with open(hidden, "wb") as f:
            np.savez(f, **arrays)
        os.replace(hidden, self.parts / SHAPES)
        job = {"recipe": recipe, "sensor": self.sensor_name}
        write_whole(self.parts / JOB, self.parts / "job.part", json.dumps(job).encode())

    def _find_done(self) -> set[int]:
        key, done, makers = self.recipe.key(), set(), set()
        for k in range(len(self.recipe)):
            path = part_path(self.parts, k)
            if not path.exists():
                continue
            if is_part(path, key, k):
                done.add(k)
                with h5py.File(path) as f:
                    makers.add(str(f.attrs["version"]))
            else:
                self.notes.append(f"{path} is damaged: press {k} is made again.")
        if others := makers - {versions()["haptos"]}:
            self.notes.append("Presses that are there already were made by haptos "
                              + ", ".join(sorted(others)) + ".")
        return done

    def close(self) -> None:
        """Gives the folder free for another process."""
        if self._lock is not None:
            self._lock.close()

    def __enter__(self) -> PressRun:
        return self

    def __exit__(self, *ignored: object) -> None:
        self.close()

    # -- running -------------------------------------------------------------------------------

    def run(self, workers: int | None = None, each: Callable[[Answer], Any] | None = None,
            stop: Callable[[], bool] | None = None) -> Outcome:
        """Makes what is not there, then the file.

        workers: processes, None takes as many as processors; each: called after each press; stop:
        asked now and then, True ends the run. Raises OSError where the disk is full.
        """
        outcome = Outcome(there=len(self.done))
        waiting = [k for k in range(len(self.recipe)) if k not in self.done]

        def note(answer: Answer) -> None:
            if answer.error:
                if answer.errno in (errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EIO):
                    raise OSError(answer.errno, answer.error, os.fspath(self.parts))
                outcome.lost.append((answer.press, answer.error))
            else:
                self.done.add(answer.press)
                outcome.made += 1
            if each is not None:
                each(answer)

        if waiting:
            run_workers(self.parts, waiting, _worker_count(workers, len(waiting)), note,
                        stop or (lambda: False))
        if len(self.done) == len(self.recipe):
            self._finish()
            outcome.whole = True
            self._tell_bad(outcome)
        return outcome

    def _finish(self) -> None:
        if self.file.exists():
            return
        rgb = load_colours(self.sensor) if self.sensor.rgb else None
        background: NDArray[np.uint8] | None = None
        if rgb is not None:
            background = np.clip(np.rint(rgb.background), 0, 255).astype(np.uint8)
        merge(self.file, self.parts, self.recipe, self.fields, self.sensor, background)
        shutil.rmtree(self.parts, ignore_errors=True)

    def _tell_bad(self, outcome: Outcome) -> None:
        with open_presses(self.file) as found:
            results, sentences = found["outcome"][:], found["sentence"]
            for k in np.flatnonzero(results != GOOD):
                (outcome.failed if results[k] == FAILED else outcome.not_converged).append(
                    (int(k), sentences[int(k)].decode()))


def presses(file: str | os.PathLike[str], shapes: Any, *, sensor: str = "gelsight-mini",
            x: Any = None, y: Any = None, tilt: Any = None, tilt_toward: Any = None,
            yaw: Any = None, depth: Any = None, force: Any = None, young: Any = None,
            poisson: Any = None, friction: Any = None, shear: Any = None, shear_toward: Any = None,
            count: int | None = None, seed: int = 0, model: str = "soft",
            workers: int | None = None, quality: str | None = None,
            elements: float | str | None = None, smoothing: float | str | None = None,
            unit: str | None = None, face: str | None = None,
            options: Mapping[str, float | str] | None = None, overwrite: bool = False,
            progress: bool = True) -> PressSet:
    """Presses shapes into a sensor many times and returns the file of all presses, opened.

    file: to write (.h5). shapes: one or a list, or a mapping by name, of names of
    haptos.shape_names(), mesh files, TriMesh, trimesh.Trimesh or (vertices, triangles) in metres.

    Each of these is one value, a list, or a range (haptos.Range(low, high), or the text
    "0.2..1 mm"); numbers are in SI units, or texts with units: x, y: place of the object's middle
    on the pad; tilt, tilt_toward: how far it leans over and the side that it leans to, from +x
    towards +y; yaw: turn about the vertical, before it leans; depth: from where it touches first,
    or force: until the gel pushes back with it; young, poisson, friction: of the gel, None the
    sensor's; shear, shear_toward: the way aside after the press.

    count: None makes the grid of all lists; a number draws so many presses from lists and ranges,
    evenly, with random numbers of seed. The same recipe gives the same file, bit for bit. model:
    "soft" simulates the gel; "height-map" cuts the shape's height map with it, which is no
    simulation and has no forces. workers: processes, None takes as many as processors.
    quality, elements: how fine the gel is, a word ("fast", "normal", "fine") or the width of its
    elements where it is pressed [m], as in haptos.press.prepare();
    smoothing: of a height map beside the contact [m], None takes 1 mm; unit, face, options: as in
    haptos.press.prepare(). overwrite: begin anew. progress: lines on stderr.

    Stopped or killed, the same call goes on where it was; another recipe for the same file is
    refused. A press that fails is kept with its sentence (outcome, sentence), and the rest goes on.
    Raises InputError; RuntimeError where presses could not be made for want of memory.
    """
    quantities = {"x": x, "y": y, "tilt": tilt, "tilt_toward": tilt_toward, "yaw": yaw,
                  "depth": depth, "force": force, "young": young, "poisson": poisson,
                  "friction": friction, "shear": shear, "shear_toward": shear_toward}
    from haptos.press.telling import run_telling, tell_outcome  # it reads this file

    with PressRun(file, shapes, sensor=sensor, model=model, count=count, seed=seed,
                  quality=quality, elements=elements, smoothing=smoothing, unit=unit, face=face,
                  options=options, overwrite=overwrite, **quantities) as run:
        outcome = run_telling(run, workers) if progress else run.run(workers)
    if progress:
        say("note", run.notes)
        tell_outcome(outcome)
    if not outcome.whole:
        k, why = outcome.lost[0]
        raise RuntimeError(f"{len(outcome.lost)} presses could not be made, the first is {k}: "
                           f"{why}; the same call tries them again, with fewer workers if memory "
                           "is short.")
    return open_presses(file)


def _worker_count(workers: int | None, presses: int) -> int:
    if workers is None:
        workers = len(os.sched_getaffinity(0))
    if not isinstance(workers, (int, np.integer)) or not 1 <= workers <= 1024:
        refuse("workers", workers if isinstance(workers, (int, float)) else kind_of(workers),
               "must be a whole number from 1 to 1024", "leave it out to use every processor")
    return min(int(workers), presses)
