"""Reading meshes: the C++ readers, with notes as warnings."""

from __future__ import annotations

import os
import warnings

from haptos import _core


def _warned(result: tuple, path: object) -> object:
    mesh, notes = result
    for note in notes:
        warnings.warn(f"{os.fspath(path)}: {note}", stacklevel=3)
    return mesh


def read_surface(path: str | os.PathLike[str], scale: float = 1.0) -> _core.TriMesh:
    """Reads a triangle surface (.stl, .obj, .ply, .off).

    scale: metres in one unit of the file, 0.001 for millimetres. What the file holds beside
    triangles is left out with a warning. Raises InputError that names file, line and remedy.
    """
    return _warned(_core.read_surface(os.fspath(path), scale), path)


def read_volume(path: str | os.PathLike[str], scale: float = 1.0) -> _core.TetMesh:
    """Reads a volume of linear tetrahedra (.vtk, .msh); see read_surface()."""
    return _warned(_core.read_volume(os.fspath(path), scale), path)
