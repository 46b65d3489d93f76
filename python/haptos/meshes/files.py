"""Reading meshes: the C++ readers, with notes as warnings."""

from __future__ import annotations

import os
import warnings

from haptos import _core
from haptos.base.errors import refuse


def _warn(notes: list[str], path: str | os.PathLike[str]) -> None:
    for note in notes:
        warnings.warn(f"{os.fspath(path)}: {note}", stacklevel=3)


def _path(path: object, what: str) -> str:
    if not isinstance(path, (str, os.PathLike)):
        refuse(what, type(path).__name__, "must be the path of a file", 'for example "part.stl"')
    return os.fspath(path)


def read_surface(path: str | os.PathLike[str], scale: float = 1.0) -> _core.TriMesh:
    """Reads a triangle surface (.stl, .obj, .ply, .off).

    scale: metres in one unit of the file, 0.001 for millimetres. What the file holds beside
    triangles is left out with a warning. Raises InputError that names file, line and remedy.
    """
    mesh, notes = _core.read_surface(_path(path, "read_surface"), scale)
    _warn(notes, path)
    return mesh


def read_volume(path: str | os.PathLike[str], scale: float = 1.0) -> _core.TetMesh:
    """Reads a volume of linear tetrahedra (.vtk, .msh); see read_surface()."""
    mesh, notes = _core.read_volume(_path(path, "read_volume"), scale)
    _warn(notes, path)
    return mesh
