"""haptos tetrahedralise, haptos check --repair and haptos check --field."""

from __future__ import annotations

import os
import sys
import time
import warnings
from pathlib import Path

import numpy as np

from haptos import _core
from haptos.base.errors import InputError, refuse
from haptos.base.units import show_length, show_time
from haptos.fields.distance_field import DistanceField
from haptos.look.images import save_png
from haptos.meshes.files import read_surface
from haptos.meshes.repair import repair
from haptos.meshes.tet_report import measure_tets
from haptos.meshes.tets import TetProgress, make_tets
from haptos.scene.file import load_scene
from haptos.scene.scene import Scene
from haptos.scene.sim import Sim

SURFACE_SUFFIXES = (".stl", ".obj", ".ply", ".off")
SURFACE_WRITERS = {".stl": _core.write_stl, ".obj": _core.write_obj, ".ply": _core.write_ply}
VOLUME_WRITERS = {".vtk": _core.write_vtk, ".msh": _core.write_msh}
GOOD = 0.03  # error of a force by a distance field that counts as good
OPEN = 0.05  # part of a turn from which on a surface is told to be open


def check_out(option: str, out: str, suffixes: list[str], file: str | None, overwrite: bool) -> Path:
    """The file to write. file: what is read, if anything. Raises InputError where it cannot be."""
    path = Path(out)
    if path.suffix.lower() not in suffixes:
        refuse(option, out, "must end with one of " + " ".join(suffixes),
               f"for example {option} out{suffixes[0]}")
    if file is not None and path.exists() and os.path.samefile(path, file):
        refuse(option, out, "is the file that is read", "name another file")
    if path.is_dir():
        refuse(option, out, "is a folder", "name a file")
    if path.exists() and not overwrite:
        refuse(option, out, "exists", "use --overwrite or another name")
    if not path.absolute().parent.is_dir():
        refuse(option, out, f"cannot be made: there is no folder {path.parent}", "make it first")
    return path


def check_surface_file(command: str, file: str) -> None:
    if Path(file).suffix.lower() not in SURFACE_SUFFIXES:
        refuse(command, file, "must be a surface", "its name must end with one of "
               + " ".join(SURFACE_SUFFIXES))
    if not Path(file).exists():
        refuse(command, file, "does not exist", "check the path")


def read_in_unit(file: str, unit: str | None) -> tuple[_core.TriMesh, float]:
    """A surface as its file has it, and metres in one of its units; says what was taken."""
    if unit not in (None, "mm", "m"):
        refuse("--unit", unit, "must be mm or m", "leave it out to guess from the size")
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        mesh = read_surface(file)
    for w in caught:
        print(f"note: {w.message}", file=sys.stderr)
    if unit is None:
        x = np.asarray(mesh.vertices)
        x = x[np.isfinite(x).all(axis=1)]
        size = float(np.ptp(x, axis=0).max()) if len(x) else 0.0
        unit = "mm" if size > 1 else "m"
        print(f"note: {file}: its largest side measures {size:.4g}, so its unit is taken to be "
              f"{unit} (--unit says otherwise).", file=sys.stderr)
    return mesh, 1e-3 if unit == "mm" else 1.0


# -- progress ----------------------------------------------------------------------------------


class Teller:
    """Tells how far a tetrahedralisation is: on a terminal in one line, else now and then."""

    def __init__(self, what: str) -> None:
        self._what = what
        self._line = sys.stderr.isatty()
        self._told = time.monotonic()
        self._width = 0

    def __call__(self, now: TetProgress) -> None:
        """Notes what there is."""
        if not self._line and time.monotonic() - self._told < 5:
            return
        self._told = time.monotonic()
        stage = f"pass {now.passes}" if now.passes else "preparing"
        words = (f"{self._what}: {stage}, {now.tets} tetrahedra, worst energy "
                 f"{now.worst_energy:.4g}, {show_time(now.seconds)}")
        if self._line:
            print("\r" + words.ljust(self._width), end="", file=sys.stderr, flush=True)
            self._width = len(words)
        else:
            print(words, file=sys.stderr, flush=True)

    def end(self) -> None:
        """Ends the line."""
        if self._width:
            print("\r" + " " * self._width + "\r", end="", file=sys.stderr, flush=True)
            self._width = 0


def load_scene_telling(path: str) -> Scene:
    """load_scene() that tells how far the tetrahedra of its surfaces are."""
    tellers: dict[str, Teller] = {}

    def told(name: str, now: TetProgress) -> None:
        if name not in tellers:
            for before in tellers.values():
                before.end()
            tellers[name] = Teller(f"filling {name}")
        tellers[name](now)

    try:
        return load_scene(path, progress=told)
    finally:
        for teller in tellers.values():
            teller.end()


def compile_telling(scene: Scene, *, strict: bool | None = None) -> Sim:
    """scene.compile() that tells how far large meshes with layers are; warnings are in the Sim."""
    line = sys.stderr.isatty()
    began = told = time.monotonic()
    width = 0

    def tell(what: str, part: float) -> None:
        nonlocal told, width
        now = time.monotonic()
        # What takes less than a second is nobody's concern.
        if now - began < 1 or (not line and now - told < 5):
            return
        told = now
        words = f"{what}: {100 * part:.0f} %"
        if line:
            print("\r" + words.ljust(width), end="", file=sys.stderr, flush=True)
            width = len(words)
        else:
            print(words, file=sys.stderr, flush=True)

    try:
        return scene.compile(strict=strict, quiet=True, progress=tell)
    finally:
        if width:
            print("\r" + " " * width + "\r", end="", file=sys.stderr, flush=True)


# -- the commands ------------------------------------------------------------------------------


def run_tetrahedralise(file: str, size: float, out: str, unit: str | None,
                       epsilon: float | None, seed: int, stop_energy: float, allow_defects: bool,
                       overwrite: bool) -> None:
    """Fills the surface of a file, writes the volume and prints how good it is."""
    check_surface_file("tetrahedralise", file)
    path = check_out("--out", out, list(VOLUME_WRITERS), file, overwrite)
    mesh, scale = read_in_unit(file, unit)
    surface = mesh.transformed(scale=scale)
    began = time.monotonic()
    teller = Teller("tetrahedralise")
    try:
        made = make_tets(surface, size, epsilon=epsilon, seed=seed, stop_energy=stop_energy,
                         allow_defects=allow_defects, progress=teller, name=file)
    finally:
        teller.end()
    took = show_time(time.monotonic() - began)
    VOLUME_WRITERS[path.suffix.lower()](path, made.mesh)
    for line in measure_tets(made.mesh, surface).lines():
        print(line)
    print(f"{path}: written in metres, {took}, epsilon "
          f"{show_length(epsilon if epsilon is not None else size / 20)}, seed {seed}")


def run_repair(file: str, out: str, unit: str | None, overwrite: bool, *, weld: float | None,
               largest_hole: float | None, rebuild: float | None) -> int:
    """Mends the surface of a file, writes it and says what changed; 0 if it is closed and sound
    afterwards, 1 if it is not.
    """
    check_surface_file("check --repair", file)
    path = check_out("--repair", out, list(SURFACE_WRITERS), file, overwrite)
    lengths = (weld, largest_hole, rebuild)
    # The unit matters only where a length is to be compared with the file's numbers.
    mesh, scale = read_in_unit(file, unit or (None if any(lengths) else "m"))
    units = [v if v is None else v / scale for v in lengths]
    print(f"{file}: surface, {len(mesh.vertices)} vertices, {len(mesh.triangles)} triangles")
    for finding in _core.check_surface(mesh).findings():
        print(f"found: {finding}")
    mended, report = repair(mesh, weld=units[0], largest_hole=units[1], rebuild=units[2])
    for line in report.lines():
        print(line)
    try:
        _core.require_contact_surface(mended, str(path))
    except InputError as e:
        print(f"cannot be used: {e}")
        return 1
    SURFACE_WRITERS[path.suffix.lower()](path, mended)
    after = report.after
    print(f"{path}: written, {after.vertices} vertices, {after.triangles} triangles, volume "
          f"{after.volume:.6g}, lengths in the file's unit")
    sound = not after.findings()
    print("closed and sound" if sound
          else "can be used as a collider, but not be filled: see above")
    return 0 if sound else 1


def check_field(file: str, resolution: int = 64, unit: str | None = None,
                picture: str | None = None, overwrite: bool = False) -> int:
    """Makes the distance field of a surface and says how good it is; 0 if it can be used, 1 if not."""
    check_surface_file("check --field", file)
    path = picture and check_out("--picture", picture, [".png"], None, overwrite)
    mesh, metres = read_in_unit(file, unit)
    scaled = _core.TriMesh(metres * np.asarray(mesh.vertices), np.asarray(mesh.triangles))
    start = time.monotonic()
    try:
        field = DistanceField(scaled, resolution)
    except InputError as e:
        print(f"cannot be used: {e}")
        return 1
    seconds = time.monotonic() - start
    size = np.ptp(field.bounds, axis=0)
    print(f"{file}: surface, {len(np.asarray(mesh.triangles))} triangles, "
          + " x ".join(show_length(float(v)) for v in size))
    print("distance field: " + " x ".join(map(str, field.cells)) + f" cells of "
          f"{show_length(field.cell)}, {field.bytes / 2**20:.3g} MiB, {show_time(seconds)}")
    # The samples take .4 h^2 / (R d) of the force of a ball of its size, d deep.
    depth = 0.4 * field.cell**2 / (0.5 * float(size.max()) * GOOD)
    print(f"round contact is within {100 * GOOD:.0f} % from {show_length(depth)} deep on, flat "
          "contact far sooner")
    if field.open > OPEN:
        print(f"found: it is open: just inside, it winds {1 - field.open:.2f} of a turn, where a closed "
              "surface winds once; what is inside is told by more than half a turn")
    else:
        print("found: nothing wrong")
    if path:
        save_png(path, field.picture())
        print(f"wrote {path}: the plane through its middle, normal to y")
    print("can be used")
    return 0
