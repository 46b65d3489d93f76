"""What a file from elsewhere may make Haptos read: itself, and no other file.

HDF5 can point out of itself in three ways: external links, datasets whose bytes lie in other files,
and virtual datasets. Members of an NPZ say in their first bytes how large they become. Both are
looked at before anything is read.
"""

from __future__ import annotations

import os
import zipfile
from collections.abc import Callable
from typing import IO, NoReturn

import h5py
import numpy as np
from numpy.typing import NDArray

_MOST_OBJECTS = 1_000_000  # in an HDF5 file
MOST_NPZ_BYTES = 1 << 28  # of all arrays of an archive together, unpacked


def leads_out(file: h5py.File) -> str:
    """What is wrong with the first thing in the file that would have another file read, or ""."""
    todo: list[h5py.Group] = [file]
    seen = set()
    while todo:
        group = todo.pop()
        for name in group:
            where = f"{group.name.rstrip('/')}/{name}"
            link = group.get(name, getlink=True)
            if isinstance(link, h5py.ExternalLink):
                return f"points to another file at {where}"
            if isinstance(link, h5py.SoftLink):
                return f"has a link in place of data at {where}"
            thing = group[name]
            if isinstance(thing, h5py.Dataset):
                if thing.external or thing.is_virtual:
                    return f"keeps data of {where} in another file"
            elif isinstance(thing, h5py.Group):
                address = h5py.h5o.get_info(thing.id).addr
                if address not in seen:
                    seen.add(address)
                    todo.append(thing)
            if len(seen) + len(todo) > _MOST_OBJECTS:
                return "has more groups than a recording can have"
    return ""


def read_npz(path: str, fail: Callable[[str], NoReturn],
             most: int = MOST_NPZ_BYTES) -> dict[str, NDArray[np.generic]]:
    """The arrays of an archive, by name; `fail` is given what is wrong.

    Every header is read first: no memory is taken for more than `most` bytes in all, and no member
    is unpacked beyond what its header says.
    """
    arrays: dict[str, NDArray[np.generic]] = {}
    if not os.path.isfile(path):
        fail("must be a file" if os.path.exists(path) else "does not exist")
    with zipfile.ZipFile(path) as archive:
        members = [m for m in archive.infolist() if m.filename.endswith(".npy")]
        if len(members) < len(archive.infolist()) or not members:
            fail("must hold arrays and nothing else")
        left = most
        for member in members:
            if member.file_size > left:
                fail(f"would take more than {most >> 20} MiB")
            with archive.open(member) as f:
                shape, dtype = _header(f, fail)
            size = dtype.itemsize
            for n in shape:
                size *= max(n, 0)  # whole numbers of Python: nothing wraps
            if dtype.hasobject:
                fail("holds Python objects, which are not read")
            if size > left or size > member.file_size:
                fail(f"has an array {member.filename[:-4]} of shape {shape}, which is more than "
                     + ("the file holds" if size > member.file_size else f"{most >> 20} MiB"))
            left -= member.file_size
        for member in members:
            with archive.open(member) as f:
                arrays[member.filename[:-4]] = np.lib.format.read_array(f, allow_pickle=False)
    return arrays


def _header(f: IO[bytes], fail: Callable[[str], NoReturn]) -> tuple[tuple[int, ...], np.dtype]:
    version = np.lib.format.read_magic(f)
    if version == (1, 0):
        shape, _, dtype = np.lib.format.read_array_header_1_0(f)
    elif version == (2, 0):
        shape, _, dtype = np.lib.format.read_array_header_2_0(f)
    else:
        fail(f"is of NPY version {version[0]}.{version[1]}, which is not read")
    return shape, dtype
