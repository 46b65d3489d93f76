"""Meshes that took long to make, kept in the user's cache folder and found again by what went in.

The folder is $HAPTOS_CACHE, or haptos in $XDG_CACHE_HOME, or ~/.cache/haptos. A file is written
whole or not at all, so several processes may share it; it may be deleted at any time. What cannot
be read or written is passed over: a cache never stops a run.
"""

from __future__ import annotations

import os
import tempfile
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

MOST_BYTES = 1 << 30  # the oldest files go first


def folder() -> Path:
    """The folder of kept meshes; it need not exist."""
    if chosen := os.environ.get("HAPTOS_CACHE"):
        return Path(chosen) / "tets"
    base = os.environ.get("XDG_CACHE_HOME")
    return (Path(base) if base else Path.home() / ".cache") / "haptos" / "tets"


def load(key: str) -> tuple[NDArray[np.float64], NDArray[np.int32]] | None:
    """Vertices and tetrahedra kept under a key, or None."""
    try:
        path = folder() / f"{key}.npz"
        with np.load(path, allow_pickle=False) as kept:
            x = np.array(kept["vertices"], dtype=np.float64)
            tets = np.array(kept["tets"], dtype=np.int32)
        if x.ndim != 2 or x.shape[1] != 3 or tets.ndim != 2 or tets.shape[1] != 4:
            return None
        if len(tets) == 0 or tets.min() < 0 or tets.max() >= len(x):
            return None
        os.utime(path)  # used just now
        return x, tets
    except Exception:  # numpy raises many kinds for a damaged file
        return None


def store(key: str, x: NDArray[np.float64], tets: NDArray[np.int32]) -> None:
    """Keeps vertices and tetrahedra under a key."""
    part = None
    try:
        place = folder()
        place.mkdir(parents=True, exist_ok=True)
        with tempfile.NamedTemporaryFile(dir=place, suffix=".part", delete=False) as f:
            part = f.name
            np.savez_compressed(f, vertices=x, tets=tets)
        os.replace(part, place / f"{key}.npz")
        part = None
        _make_room(place)
    except (OSError, RuntimeError):
        pass
    finally:
        if part is not None:
            Path(part).unlink(missing_ok=True)


def _make_room(place: Path) -> None:
    files = sorted(((f.stat().st_mtime, f.stat().st_size, f) for f in place.glob("*.npz")),
                   reverse=True)
    total = 0
    for _, size, file in files:
        total += size
        if total > MOST_BYTES:
            file.unlink(missing_ok=True)
