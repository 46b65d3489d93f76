"""Arrays with the environment axis first."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

_ALIGNED = 64  # [byte]; what JAX asks for


def stack_envs(rows: Sequence[Any]) -> NDArray[Any]:
    """The arrays of all environments, env axis first; of a single one a view, without a copy where
    it lies as in_place() wants it."""
    if len(rows) == 1:
        return in_place(rows[0])[None]
    arrays = [np.asarray(r) for r in rows]
    return np.stack(arrays, out=aligned((len(arrays), *arrays[0].shape), arrays[0].dtype))


def in_place(array: ArrayLike) -> NDArray[Any]:
    """The array itself where its memory is dense and begins at a multiple of 64 bytes, else a copy
    of which that is true."""
    a = np.asarray(array)
    if a.flags.c_contiguous and a.__array_interface__["data"][0] % _ALIGNED == 0:
        return a
    out = aligned(a.shape, a.dtype)
    out[...] = a
    return out


def aligned(shape: tuple[int, ...], dtype: Any) -> NDArray[Any]:
    """An array without content at an address that consumers of DLPack read without a copy."""
    size = int(np.prod(shape)) * np.dtype(dtype).itemsize
    raw = np.empty(size + _ALIGNED, np.uint8)
    first = -raw.ctypes.data % _ALIGNED
    return raw[first:first + size].view(dtype).reshape(shape)
