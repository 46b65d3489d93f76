"""Tetrahedra for any closed surface, by fTetWild (Y. Hu, T. Schneider, B. Wang, D. Zorin and
D. Panozzo 2020, "Fast tetrahedral meshing in the wild", ACM Trans. Graph. 39(4)), as pytetwild
brings it. docs/meshes.md says how to choose, what is measured, and what the limits are.
"""

from __future__ import annotations

import hashlib
import json
import math
import os
import re
import subprocess
import sys
import tempfile
import threading
import time
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from importlib import metadata
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from haptos import _core
from haptos.base.errors import InputError, refuse
from haptos.base.units import show_length
from haptos.meshes import cache as mesh_cache, given
from haptos.meshes.files import read_surface
from haptos.meshes.tet_field import Background, Field, background_of
from haptos.meshes.tet_report import measure_deviation

KNOWN = "0.4."  # versions of pytetwild whose inner function is called here
REPAIR = "repair it with haptos.repair or haptos check FILE --repair OUT"
LOOSER = "take a larger epsilon or a smaller size"
MOST_TETS = 2_000_000


@dataclass(frozen=True)
class TetProgress:
    """How far a tetrahedralisation is: pass of the optimisation, 0 before it; its worst energy (3
    for a regular tetrahedron; it ends at stop_energy); tetrahedra, those outside included; seconds.
    """

    passes: int
    worst_energy: float
    tets: int
    seconds: float


class Made(NamedTuple):
    """Tetrahedra, and whether they came out of the cache."""

    mesh: _core.TetMesh
    surface: _core.TriMesh
    cached: bool


def tetrahedralise(
    surface: _core.TriMesh | str | os.PathLike[str],
    size: float | str,
    *,
    scale: float = 1.0,
    size_field: Field | None = None,
    epsilon: float | str | None = None,
    seed: int = 1,
    stop_energy: float = 10.0,
    max_iterations: int = 80,
    allow_defects: bool = False,
    max_tets: int = MOST_TETS,
    time_limit: float | None = None,
    progress: Callable[[TetProgress], None] | None = None,
    cache: bool = False,
) -> _core.TetMesh:
    """Fills a closed surface with tetrahedra, ready for Scene.add_soft().

    surface: triangles [m], or a file (.stl, .obj, .ply, .off) with `scale` metres in one of its
    units; size: edge length aimed at [m]; size_field: edge lengths that vary, no longer than size:
    a function of points (n, 3) [m] that returns lengths (n,) [m], or a pair (TetMesh, lengths (V,))
    that is interpolated and should cover the surface; epsilon: how far the boundary may lie from
    the surface [m], None takes a twentieth of size, and no more than a tenth of the field's
    smallest; seed: of its random numbers; the same input and seed give the same bits on the same
    machine; stop_energy: the worst element it stops at, 3 is regular; max_iterations: passes at
    most; allow_defects: go on with a surface that is open, cuts itself or faces the wrong way,
    inside is then where its winding number is above one half; max_tets: refuse what would need
    more; time_limit [s]; progress: called after each pass; cache: keep the result in the user's
    cache folder and take it from there. Raises InputError. See measure_tets() for the quality.
    """
    return make_tets(
        surface, size, scale=scale, size_field=size_field, epsilon=epsilon, seed=seed,
        stop_energy=stop_energy, max_iterations=max_iterations, allow_defects=allow_defects,
        max_tets=max_tets, time_limit=time_limit, progress=progress, cache=cache).mesh


def make_tets(
    surface: _core.TriMesh | str | os.PathLike[str],
    size: float | str,
    *,
    scale: float = 1.0,
    size_field: Field | None = None,
    epsilon: float | str | None = None,
    seed: int = 1,
    stop_energy: float = 10.0,
    max_iterations: int = 80,
    allow_defects: bool = False,
    max_tets: int = MOST_TETS,
    time_limit: float | None = None,
    progress: Callable[[TetProgress], None] | None = None,
    cache: bool = False,
    name: str = "",
) -> Made:
    """tetrahedralise() that returns the surface too; name: of the surface in errors."""
    if isinstance(surface, (str, os.PathLike)):
        name = os.fspath(surface)
        surface = read_surface(surface, scale)
    surface = given.surface(surface, name or "surface")
    if len(surface.segments) + len(surface.points):  # bound nothing
        surface = _core.TriMesh(surface.vertices, surface.triangles)
    _check_surface(surface, name, allow_defects)
    name = name or "surface"
    box = np.asarray(surface.bounds)
    diagonal = float(np.linalg.norm(box[1] - box[0]))
    size = given.number(size, "m", "size") if isinstance(size, str) else size
    epsilon = given.number(epsilon, "m", "epsilon") if isinstance(epsilon, str) else epsilon
    _check_numbers(size, epsilon, seed, stop_energy, max_iterations, diagonal)
    background = background_of(size_field, size, box) if size_field is not None else None
    finest = background.finest if background else size
    if epsilon is None:
        epsilon = min(size / 20, finest / 10)
    _check_count(surface, size, background, max_tets)
    _check_tetwild()

    arrays, middle = _job_arrays(surface, size, background)
    job = {"size": 1.0, "epsilon": epsilon / diagonal, "stop_energy": stop_energy,
           "max_iterations": max_iterations, "seed": seed}
    key = _key(arrays, job)
    kept = mesh_cache.load(key) if cache else None
    if kept is not None:
        x, tets = kept
    else:
        x, tets = _run(arrays, job, name, time_limit, progress)
    mesh = _tidy(x, tets, size, middle, name)
    if kept is None:
        _check_result(mesh, surface, epsilon, name, allow_defects)
        if cache:
            mesh_cache.store(key, x, tets)
    return Made(mesh, surface, kept is not None)


# -- what is asked for -------------------------------------------------------------------------


def _check_surface(surface: _core.TriMesh, name: str, allow_defects: bool) -> None:
    """Raises InputError for a surface that does not bound a volume."""
    _core.require_contact_surface(surface, name)
    if allow_defects:
        return
    report = _core.check_surface(surface)
    remedy = REPAIR + ", or pass allow_defects=True"
    findings = report.findings()
    if report.closed and report.consistent and not report.intersecting_triangles \
            and not report.nonmanifold_edges:
        _, turned = _core.orient(surface)
        if turned == 0:
            if not report.intersections_checked:
                warnings.warn(f"{name or 'surface'}: was not checked for triangles that cut each "
                              "other", stacklevel=4)
            return
        findings = [f"{turned} of its triangles face the wrong way."]
    refuse(name or "surface", "", "must be closed, face outward and not cut itself to be filled, "
           "but " + " and ".join(f.rstrip(".") for f in findings), remedy)


def _check_numbers(size: float, epsilon: float | None, seed: int, stop_energy: float,
                   max_iterations: int, diagonal: float) -> None:
    """Raises InputError for numbers out of range."""
    shown = show_length(size) if _is_number(size) else str(size)
    if not _is_number(size) or not 0 < size <= diagonal:
        refuse("size", shown, f"must be more than 0 and at most {show_length(diagonal)}, the "
               "diagonal of the surface's box", "it is an edge length in metres, for example 1e-3")
    if epsilon is not None and not (_is_number(epsilon) and 1e-6 * diagonal <= epsilon < size):
        refuse("epsilon", epsilon, f"must be at least {show_length(1e-6 * diagonal)} and less than "
               "size", "leave it out for a twentieth of size")
    if isinstance(seed, bool) or not isinstance(seed, int) or not 0 <= seed < 2**31:
        refuse("seed", seed, "must be a whole number from 0 to 2147483647", "for example 1")
    if not (_is_number(stop_energy) and 3.5 <= stop_energy <= 1e6):
        refuse("stop_energy", stop_energy, "must be from 3.5 to 1e6", "10 is usual")
    if isinstance(max_iterations, bool) or not isinstance(max_iterations, int) \
            or not 1 <= max_iterations <= 10_000:
        refuse("max_iterations", max_iterations, "must be a whole number from 1 to 10000",
               "80 is usual")


def _is_number(value: Any) -> bool:
    return (isinstance(value, (int, float, np.integer, np.floating))
            and not isinstance(value, bool) and math.isfinite(value))


def _check_count(surface: _core.TriMesh, size: float, background: Background | None,
                 max_tets: int) -> None:
    """Raises InputError where many more tetrahedra are asked for than are wanted."""
    # A regular tetrahedron of edge s has the volume s^3 / 8.49; what comes out is near that.
    per_volume = background.mean_inverse_cube if background else size**-3
    expected = 8.49 * abs(surface.volume) * per_volume
    if not expected <= max_tets:
        refuse("size", show_length(size), f"would make about {expected:.2g} tetrahedra, more than "
               f"max_tets = {max_tets}", "take a larger size, or a larger max_tets")


def _check_tetwild() -> None:
    try:
        version = metadata.version("pytetwild")
    except metadata.PackageNotFoundError:
        refuse("tetrahedralise", "", "needs the package pytetwild, which is not installed",
               "python -m pip install pytetwild==0.4.2")
    if not version.startswith(KNOWN):
        refuse("tetrahedralise", f"pytetwild {version}", f"needs pytetwild {KNOWN}x",
               "python -m pip install pytetwild==0.4.2")


# -- the run -----------------------------------------------------------------------------------

Arrays = dict[str, NDArray[Any]]


def _job_arrays(surface: _core.TriMesh, size: float,
                background: Background | None) -> tuple[Arrays, NDArray[np.float64]]:
    """What fTetWild gets, and the point that is its origin.

    Lengths in units of `size` about the middle of the box: fTetWild compares lengths, areas and
    volumes with fixed small numbers, which a body of millimetres given in metres falls below.
    """
    box = np.asarray(surface.bounds)
    middle = 0.5 * (box[0] + box[1])
    arrays: Arrays = {
        "vertices": (np.asarray(surface.vertices) - middle) / size,
        "triangles": np.asarray(surface.triangles).astype(np.uint32),
        "field_vertices": np.zeros((0, 3)),
        "field_tets": np.zeros((0, 4), np.int32),
        "field_values": np.zeros(0),
    }
    if background is not None:
        arrays["field_vertices"] = (background.vertices - middle) / size
        arrays["field_tets"] = background.tets
        arrays["field_values"] = background.values / size
    return arrays, middle


def _key(arrays: Arrays, job: dict[str, Any]) -> str:
    """Names the result of a job: a hash of all that goes in."""
    h = hashlib.sha256(json.dumps([job, metadata.version("pytetwild")]).encode())
    for name in sorted(arrays):
        h.update(f"{name} {arrays[name].dtype} {arrays[name].shape}\n".encode())
        h.update(np.ascontiguousarray(arrays[name]).tobytes())
    return h.hexdigest()


def _run(arrays: Arrays, job: dict[str, Any], name: str, time_limit: float | None,
         progress: Callable[[TetProgress], None] | None
         ) -> tuple[NDArray[np.float64], NDArray[np.int32]]:
    """Runs the worker; vertices and tetrahedra in the worker's unit."""
    here = Path(__file__).resolve().parent
    with tempfile.TemporaryDirectory(prefix="haptos-tets-") as folder:
        np.savez(Path(folder) / "job.npz", **arrays)
        (Path(folder) / "job.json").write_text(json.dumps(job), encoding="utf-8")
        command = [sys.executable, str(here / "tets_worker.py"), folder,
                   str(Path(_core.__file__).parent / "_tetwild_seed.so")]
        environment = {**os.environ, "OMP_NUM_THREADS": "1", "PYTHONUNBUFFERED": "1"}
        code, tail, late = _watch(command, environment, time_limit, progress)
        result = Path(folder) / "result.npz"
        if late:
            refuse(name, "", f"was not filled within {time_limit:g} s",
                   "allow more time, or take a larger epsilon or size")
        if code != 0 or not result.exists():
            why = f"signal {-code}" if code < 0 else " ".join(tail[-1:]).strip() or f"code {code}"
            refuse(name, "", f"could not be filled: fTetWild ended with {why[:200]}",
                   REPAIR + ", or " + LOOSER)
        with np.load(result) as r:
            if not bool(r["seeded"]):
                warnings.warn(
                    f"{name}: fTetWild took its random numbers from the system, so the result "
                    "cannot be repeated bit for bit", stacklevel=5)
            return np.array(r["vertices"], dtype=np.float64), np.array(r["tets"], dtype=np.int32)


def _watch(command: list[str], environment: dict[str, str], time_limit: float | None,
           progress: Callable[[TetProgress], None] | None) -> tuple[int, list[str], bool]:
    """Runs a command to its end and tells how far it is: exit code, last lines, whether late."""
    began = time.monotonic()
    late = threading.Event()
    tail: list[str] = []
    passes, energy, count = 0, math.inf, 0
    with subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, env=environment, text=True,
                          errors="replace") as process:

        def stop() -> None:
            late.set()
            process.kill()

        timer = threading.Timer(time_limit, stop) if time_limit is not None else None
        if timer:
            timer.daemon = True
            timer.start()
        try:
            assert process.stdout is not None
            for line in process.stdout:
                tail = [*tail[-19:], line]
                if found := re.match(r"/+ pass (\d+) /+", line):
                    passes = int(found[1]) + 1
                elif found := re.match(r"#t = (\d+)", line):
                    count = int(found[1])
                elif found := re.match(r"max_energy = (\S+)", line):
                    energy = float(found[1])
                    if progress:
                        progress(TetProgress(passes, energy, count, time.monotonic() - began))
            code = process.wait()
        finally:
            if timer:
                timer.cancel()
            process.kill()
    return code, [t for t in tail if t.strip()], late.is_set()


# -- what came out -----------------------------------------------------------------------------


def _tidy(x: NDArray[np.float64], tets: NDArray[np.int32], size: float,
          middle: NDArray[np.float64], name: str) -> _core.TetMesh:
    """The mesh in metres, without unused vertices, positively oriented and fit for use."""
    if len(tets) == 0:
        refuse(name, "", "was filled with no tetrahedron at all: it is thinner than twice epsilon, "
               "or has no inside", "take a smaller epsilon, or " + REPAIR)
    used, renumbered = np.unique(tets, return_inverse=True)
    mesh, _ = _core.orient(_core.TetMesh(x[used] * size + middle, renumbered.reshape(-1, 4)))
    try:
        _core.require_volume(mesh, name)
    except InputError as e:
        refuse(name, "", f"was filled with tetrahedra that cannot be used ({e.element} {e.rule})",
               LOOSER)
    return mesh


def _check_result(mesh: _core.TetMesh, surface: _core.TriMesh, epsilon: float, name: str,
                  allow_defects: bool) -> None:
    """Raises InputError where the boundary does not follow the surface."""
    boundary, _ = _core.boundary_surface(mesh)
    out, back, _ = measure_deviation(boundary, surface, 2 * epsilon)
    # fTetWild tests its envelope at points, so a little more than epsilon can come out.
    if out > 1.5 * epsilon and not allow_defects:
        refuse(name, show_length(out), "is how far the tetrahedra reach from the surface, more "
               f"than epsilon = {show_length(epsilon)}", LOOSER)
    if back > 4 * epsilon and not allow_defects:
        refuse(name, show_length(back), "is how far a part of the surface lies from the "
               f"tetrahedra, with epsilon = {show_length(epsilon)}: that part was lost, as where "
               "the body is thinner than twice epsilon", "take a smaller epsilon")
