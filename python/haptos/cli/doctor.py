"""haptos doctor: whether this installation works, line by line, with what helps where not."""

from __future__ import annotations

import ctypes
import importlib
import json
import os
import platform
import re
import shutil
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass
from importlib import metadata
from pathlib import Path

import numpy as np

from haptos import _core
from haptos.base.console import wide_console
from haptos.meshes import cache as mesh_cache

OK, WARN, MISSING = "ok", "warn", "missing"

# Flags of a processor that an instruction set asks for, as /proc/cpuinfo names them.
_FLAGS = {"x86-64-v3": ("avx", "avx2", "bmi1", "bmi2", "f16c", "fma", "movbe", "abm"),
          "x86-64-v4": ("avx512f", "avx512bw", "avx512cd", "avx512dq", "avx512vl")}
_NEEDED = (("numpy", "numpy"), ("h5py", "h5py"), ("pillow", "PIL"), ("typer", "typer"),
           ("rich", "rich"), ("pyyaml", "yaml"))
# Package, module to import ("" looks only whether it is there), extra, what for, and the versions
# that pyproject.toml allows: from the first, below the second.
_EXTRAS = (("pytetwild", "", "", "haptos tetrahedralise", (0, 4, 2), (0, 5)),
           ("viser", "viser", "view", "haptos view", (1, 1), (2,)),
           ("imageio-ffmpeg", "imageio_ffmpeg", "view", "movies", (0, 6), (1,)),
           ("mujoco", "mujoco", "mujoco", "MJCF files", (3, 17), (5,)),
           ("scipy", "scipy", "calibrate", "haptos calibrate", (1, 11), (2,)),
           ("gymnasium", "gymnasium", "learn", "haptos.learn", (1, 1), (2,)))
_NAMES = {"_press": "a tiny press", "_cuda": "CUDA", "_here": "this folder"}
_LEAST_MEMORY = 2 << 30
_LEAST_DISK = 1 << 30
_WORST_BALANCE = 1e-3  # of the tiny press


@dataclass
class Line:
    """One thing that was looked at."""

    name: str
    state: str  #: "ok", "warn" or "missing"
    found: str
    remedy: str = ""
    needed: bool = True  #: whether every run needs it


def examine() -> list[Line]:
    """Looks at everything; never raises."""
    checks: list[Callable[[], Line | list[Line]]] = [
        _python, _compiled, _processor, _threads, _memory, _packages, _extras, _cuda, _cache, _here,
        _press]
    lines: list[Line] = []
    for check in checks:
        try:
            found = check()
        except Exception as e:
            found = Line(_NAMES.get(check.__name__, check.__name__.strip("_")),
                         MISSING if check is _press else WARN, f"did not work: {e}",
                         "report it, with these lines", check is _press)
        lines += found if isinstance(found, list) else [found]
    return lines


def works(lines: list[Line]) -> bool:
    """Whether nothing that every run needs is missing."""
    return not any(line.needed and line.state == MISSING for line in lines)


def run_doctor(as_json: bool) -> int:
    """Prints what examine() finds; 0 if Haptos works, 1 if not."""
    lines = examine()
    fine = works(lines)
    if as_json:
        print(json.dumps({"works": fine, "version": _core.version, "commit": _core.commit,
                          "checks": [asdict(line) for line in lines]}, indent=2))
        return 0 if fine else 1
    console = wide_console()
    wide = max(len(line.name) for line in lines)
    styles = {OK: "green", WARN: "yellow", MISSING: "red"}
    for line in lines:
        console.print(f"[{styles[line.state]}]{line.state:<7}[/] {line.name:<{wide}}  "
                      + line.found.replace("[", r"\["), highlight=False, soft_wrap=True)
        if line.remedy:
            console.print(" " * (wide + 10) + line.remedy.replace("[", r"\["), highlight=False,
                          soft_wrap=True)
    warned = sum(line.state != OK for line in lines)
    print("Haptos works here." if fine and not warned else
          f"Haptos works here; {warned} of {len(lines)} lines are not ok." if fine else
          "Haptos does not work here: see the lines that are missing.")
    return 0 if fine else 1


# -- lines -------------------------------------------------------------------------------------


def _python() -> Line:
    found = f"{platform.python_implementation()} {platform.python_version()} ({sys.executable})"
    if sys.version_info < (3, 10):
        return Line("Python", MISSING, found, "use Python 3.10 or newer")
    return Line("Python", OK, found)


def _compiled() -> Line:
    commit = f" ({_core.commit})" if _core.commit else ""
    installed = metadata.version("haptos")
    found = (f"haptos {_core.version}{commit}, for {_core.instruction_set}, by compiler "
             f"{_core.compiler}")
    if installed.partition("+")[0] != _core.version:
        return Line("core", WARN, f"{found}; the package says {installed}",
                    "install or build again, so that both are of one version")
    return Line("core", OK, found)


def _cpu_flags() -> tuple[str, set[str]]:
    """Name and flags of the processor; none where the system does not tell."""
    name, flags = platform.processor() or platform.machine(), set()
    try:
        for line in Path("/proc/cpuinfo").read_text().splitlines():
            key, _, value = line.partition(":")
            if key.strip() == "model name":
                name = value.strip()
            if key.strip() == "flags":
                flags = set(value.split())
                break
    except OSError:
        pass
    return name, flags


def _processor() -> Line:
    name, flags = _cpu_flags()
    wanted = [f for level, needs in _FLAGS.items() for f in needs
              if level <= _core.instruction_set and _core.instruction_set in _FLAGS]
    if not flags:
        return Line("processor", OK if not wanted else WARN, f"{name}; its flags are not known",
                    "" if not wanted else f"it must have {_core.instruction_set}")
    lacking = [f for f in wanted if f not in flags]
    if lacking:
        return Line("processor", MISSING, f"{name} lacks {' '.join(lacking)}",
                    f"use a processor with {_core.instruction_set} (2013 or later)")
    wide = ", with AVX-512" if "avx512f" in flags else ""
    return Line("processor", OK, f"{name}, has {_core.instruction_set}{wide}")


def _threads() -> Line:
    usable = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else (
        os.cpu_count() or 1)
    used = _core.thread_count()
    found = f"{used} used, of {usable} cores that this process may run on"
    if used > usable:
        return Line("threads", WARN, found, "more threads than cores slow each other down",
                    needed=False)
    return Line("threads", OK, found, needed=False)


def _memory() -> Line:
    free = os.sysconf("SC_AVPHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    try:
        for line in Path("/proc/meminfo").read_text().splitlines():
            if line.startswith("MemAvailable:"):
                free = int(line.split()[1]) << 10
    except OSError:
        pass
    found = f"{free / 2**30:.1f} GiB free"
    if free < _LEAST_MEMORY:
        return Line("memory", WARN, found, "a press of a fine gel takes up to 2 GiB", needed=False)
    return Line("memory", OK, found, needed=False)


def _version(module: str, package: str) -> str | None:
    """Version of a package whose module can be imported; None where it cannot."""
    try:
        if module:
            importlib.import_module(module)
        return metadata.version(package)
    except Exception:
        return None


def _numbers(version: str) -> tuple[int, ...]:
    """The leading numbers of a version."""
    found = re.match(r"\d+(\.\d+)*", version)
    return tuple(int(v) for v in found[0].split(".")) if found else ()


def _packages() -> list[Line]:
    out = []
    for package, module in _NEEDED:
        version = _version(module, package)
        out.append(Line(package, OK, version) if version else
                   Line(package, MISSING, "cannot be imported", f"pip install {package}"))
    return out


def _extras() -> list[Line]:
    out = []
    for package, module, extra, use, lowest, below in _EXTRAS:
        version = _version(module, package)
        how = f"pip install 'haptos[{extra}]'" if extra else f"pip install '{package}'"
        if version is None:
            out.append(Line(package, MISSING, f"not there, for {use}", how, needed=False))
        elif not lowest <= _numbers(version) < below:
            out.append(Line(package, WARN, f"{version}, for {use}, is not from "
                            f"{'.'.join(map(str, lowest))} to below {'.'.join(map(str, below))}",
                            how, needed=False))
        else:
            out.append(Line(package, OK, version, needed=False))
        if package == "imageio-ffmpeg" and version is not None:
            out.append(_ffmpeg())
    return out


def _ffmpeg() -> Line:
    import imageio_ffmpeg

    try:
        return Line("ffmpeg", OK, f"{imageio_ffmpeg.get_ffmpeg_version()} "
                    f"({imageio_ffmpeg.get_ffmpeg_exe()})", needed=False)
    except RuntimeError:
        return Line("ffmpeg", MISSING, "not there, for movies",
                    "install ffmpeg, or imageio-ffmpeg again", needed=False)


def _cuda() -> Line:
    built = "built for CUDA" if _core.cuda else "built without CUDA"
    driver = None
    for name in ("libcuda.so.1", "nvcuda.dll"):
        try:
            version = ctypes.c_int(0)
            library = ctypes.CDLL(name)
            if library.cuInit(0) == 0 and library.cuDriverGetVersion(ctypes.byref(version)) == 0:
                driver = f"driver for CUDA {version.value // 1000}.{version.value % 1000 // 10}"
            break
        except OSError:
            continue
    if _core.cuda and driver is None:
        return Line("CUDA", WARN, f"{built}; no driver answers",
                    "install the driver of the graphics card; runs on the processor work",
                    needed=False)
    return Line("CUDA", OK, f"{built}; {driver or 'no driver'}", needed=False)


def _writable(name: str, folder: Path, needed: bool, remedy: str) -> Line:
    """Whether a file can be made in a folder, or where it would be made, and room for more."""
    place = folder
    while not place.exists() and place != place.parent:
        place = place.parent
    try:
        with tempfile.TemporaryFile(dir=place) as f:
            f.write(b"haptos")
        free = shutil.disk_usage(place).free
    except OSError as e:
        return Line(name, WARN, f"{folder} cannot be written to: {e.strerror}", remedy, needed)
    found = f"{folder}, {free / 2**30:.1f} GiB free"
    if free < _LEAST_DISK:
        return Line(name, WARN, found, "make room: a recording takes up to 1 MiB a frame", needed)
    return Line(name, OK, found, needed=needed)


def _cache() -> Line:
    tets, soups, fields, coats = (mesh_cache.folder(*name)
                                  for name in ((), ("soups",), ("fields",), ("coats",)))
    if tets is None or soups is None or fields is None or coats is None:
        return Line("cache", OK, "off, by HAPTOS_CACHE: meshes are made anew", "", False)
    line = _writable("cache", tets.parent, False,
                     "set HAPTOS_CACHE to a folder that can be; without it meshes are made anew")
    if line.state == OK:
        line.found += (f", {len(list(tets.glob('*.npz')))} meshes of tetrahedra, "
                       f"{len(list(soups.glob('*.kept')))} large meshes with layers, "
                       f"{len(list(fields.glob('*.kept')))} distance fields and "
                       f"{len(list(coats.glob('*.kept')))} gels as layers kept")
    return line


def _here() -> Line:
    return _writable("this folder", Path.cwd(), False, "give --out another folder")


def _press() -> Line:
    """A ball into a small pad: converged, without crossing, and with forces that balance."""
    from haptos.base.options import Material
    from haptos.scene.scene import Scene

    began = time.monotonic()
    pad = _core.box_pad(8e-3, 8e-3, 3e-3, grading=_core.PadGrading.uniform(2e-3))
    scene = Scene(dt=0.05, gravity=(0, 0, 0))
    scene.newton.force_tolerance = 1e-6
    scene.add_prescribed("mount")
    scene.add_soft("gel", pad.mesh, material=Material(young=1e5, poisson=0.45),
                   glue={"mount": pad.base_vertices}, coat=pad.coat)
    scene.add_prescribed("ball", _core.icosphere(3e-3, 1e-3),
                         trajectory=[(0.0, (0, 0, 3.03e-3)), (0.1, (0, 0, 2.8e-3))])
    sim = scene.compile()
    status = 0
    for _ in range(2):
        status |= int(sim.step().status[0])
    force, glue = sim.reaction("ball").force[0], sim.reaction("mount").force[0]
    size = float(np.linalg.norm(force))
    balance = float(np.linalg.norm(force + glue)) / size if size > 0 else np.inf
    found = (f"{size:.4f} N on the ball, balance {balance:.1e}, "
             f"{time.monotonic() - began:.2f} s")
    if status or not (size > 0 and balance < _WORST_BALANCE):
        why = _core.describe_status(status) if status else "the forces do not balance"
        return Line("a tiny press", MISSING, f"{found}: {why}", "report it, with these lines")
    return Line("a tiny press", OK, found)
