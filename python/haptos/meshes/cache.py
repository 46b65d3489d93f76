"""Meshes that took long to make, kept in the user's cache folder and found again by what went in.

The folder is $HAPTOS_CACHE, or haptos in $XDG_CACHE_HOME, or ~/.cache/haptos; with HAPTOS_CACHE=off
nothing is kept. Soups of layers have a folder beside it (haptos/base/cache). A file is written
whole or not at all, so several processes may share it; it may be deleted at any time. What cannot
be read or written is passed over: a cache never stops a run.

A file holds the hash of its content and of the key that it is kept under. What does not agree,
because it was damaged, changed or put under another name, is not used but deleted. Whoever may write
to the folder may of course write a file that agrees.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import tempfile
from pathlib import Path
from typing import NoReturn

import numpy as np
from numpy.typing import NDArray

from haptos.base.inside_file import read_npz

MOST_BYTES = 1 << 30  # the oldest files go first
_MOST_UNPACKED = 1 << 31  # of one mesh


def folder(name: str = "tets") -> Path | None:
    """The folder of kept meshes, or of kept soups ("soups"); it need not exist. None: off."""
    if chosen := os.environ.get("HAPTOS_CACHE"):
        return None if chosen == "off" else Path(chosen) / name
    base = os.environ.get("XDG_CACHE_HOME")
    return (Path(base) if base else Path.home() / ".cache") / "haptos" / name


def load(key: str) -> tuple[NDArray[np.float64], NDArray[np.int32]] | None:
    """Vertices and tetrahedra kept under a key, or None."""
    place = folder()
    if place is None:
        return None
    path = place / f"{key}.npz"
    try:
        if not path.exists():
            return None
        kept = read_npz(str(path), _fail, _MOST_UNPACKED)
        x, tets = kept["vertices"], kept["tets"]
        if (x.dtype != np.float64 or tets.dtype != np.int32
                or str(kept["content"]) != _content(key, x, tets)):
            raise ValueError("another content")
        if x.ndim != 2 or x.shape[1] != 3 or tets.ndim != 2 or tets.shape[1] != 4:
            raise ValueError("another shape")
        if len(tets) == 0 or tets.min() < 0 or tets.max() >= len(x) or not np.isfinite(x).all():
            raise ValueError("no mesh")
        os.utime(path)  # used just now
        return x, tets
    except Exception:  # numpy and zipfile raise many kinds for a damaged file
        with contextlib.suppress(OSError):
            path.unlink()
        return None


def _fail(rule: str) -> NoReturn:
    raise ValueError(rule)


def _content(key: str, x: NDArray[np.float64], tets: NDArray[np.int32]) -> str:
    """The hash of what is kept and of the key that it is kept under."""
    h = hashlib.sha256(f"{key} {x.shape} {tets.shape} ".encode())
    h.update(np.ascontiguousarray(x, "<f8"))
    h.update(np.ascontiguousarray(tets, "<i4"))
    return h.hexdigest()


def store(key: str, x: NDArray[np.float64], tets: NDArray[np.int32]) -> None:
    """Keeps vertices and tetrahedra under a key."""
    part = None
    try:
        place = folder()
        if place is None:
            return
        place.mkdir(parents=True, exist_ok=True)
        with tempfile.NamedTemporaryFile(dir=place, suffix=".part", delete=False) as f:
            part = f.name
            x, tets = np.asarray(x, np.float64), np.asarray(tets, np.int32)
            np.savez_compressed(f, vertices=x, tets=tets, content=_content(key, x, tets))
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
