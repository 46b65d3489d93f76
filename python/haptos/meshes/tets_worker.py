"""The process that runs fTetWild; haptos.meshes.tets starts it and nothing else does.

A process of its own because: a crash in there is then an error message here; Ctrl-C ends it at
once; its progress, which it prints, can be read; and its random numbers can be given a seed before
it is loaded (python/native/tetwild_seed.cpp).

pytetwild's extension module is loaded by its path: the package's __init__ of 0.4.2 imports PyVista,
which it neither declares nor needs here and which brings VTK along.
"""

import ctypes
import glob
import importlib.machinery
import importlib.util
import json
import os
import signal
import sys
from pathlib import Path

PR_SET_PDEATHSIG = 1


def _tied_to_parent() -> None:
    """Ends with the process that started this one, and leaves Ctrl-C to it."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
    except (OSError, AttributeError):
        pass  # not Linux


def _seed_library(path: str, seed: int) -> "ctypes.CDLL | None":
    try:
        library = ctypes.CDLL(path, mode=ctypes.RTLD_GLOBAL)
        library.haptos_seed_uses.restype = ctypes.c_uint64
        library.haptos_seed_set(ctypes.c_uint64(seed))
        return library
    except OSError:
        return None


def _load_tetwild() -> "object":
    spec = importlib.util.find_spec("pytetwild")
    if spec is None or not spec.submodule_search_locations:
        raise SystemExit("pytetwild is not installed")
    folder = spec.submodule_search_locations[0]
    for suffix in importlib.machinery.EXTENSION_SUFFIXES:
        for file in glob.glob(os.path.join(glob.escape(folder), "PyfTetWildWrapper" + suffix)):
            found = importlib.util.spec_from_file_location("PyfTetWildWrapper", file)
            if found is not None and found.loader is not None:
                module = importlib.util.module_from_spec(found)
                found.loader.exec_module(module)
                return module
    raise SystemExit("pytetwild has no module for this Python")


def main(folder: str, seed_library: str) -> None:
    """Reads job.npz in the folder and writes result.npz beside it."""
    _tied_to_parent()
    with open(Path(folder) / "job.json", encoding="utf-8") as f:
        job = json.load(f)
    seed = _seed_library(seed_library, job["seed"])  # before anything loads libstdc++ globally
    import numpy as np

    with np.load(Path(folder) / "job.npz") as arrays:
        vertices, triangles = arrays["vertices"], arrays["triangles"]
        field = arrays["field_vertices"], arrays["field_tets"], arrays["field_values"]
    tetwild = _load_tetwild()
    os.chdir(folder)  # it writes a file of its own, __tracked_surface.stl, to where it runs
    x, tets = tetwild.tetrahedralize_mesh(  # type: ignore[attr-defined]
        np.ascontiguousarray(vertices, dtype=np.float64),
        np.ascontiguousarray(triangles, dtype=np.uint32),
        True,  # optimise
        False,  # do not skip the simplification of the surface
        0.05,  # relative edge length, not used
        float(job["size"]),
        float(job["epsilon"]),  # of the diagonal
        float(job["stop_energy"]),
        False,  # no coarsening at the end
        1,  # thread: the result must not depend on the machine
        int(job["max_iterations"]),
        3,  # log level
        False,  # not quiet: progress is read off the output
        True,  # corners ordered for a positive volume
        False,  # tetrahedra outside are left out
        np.ascontiguousarray(field[0], dtype=np.float64),
        np.ascontiguousarray(field[1], dtype=np.int32),
        np.ascontiguousarray(field[2], dtype=np.float64))
    uses = int(seed.haptos_seed_uses()) if seed is not None else 0
    np.savez(Path(folder) / "result.npz", vertices=x, tets=tets, seeded=np.array(uses > 0))


if __name__ == "__main__":
    # Modules of this folder must not stand in for those of other packages.
    sys.path[:1] = []
    main(sys.argv[1], sys.argv[2])
