"""Edge lengths that vary from place to place, as fTetWild takes them: values on a background mesh.

fTetWild first makes a mesh of the one length `size`, then reads the field at that mesh's vertices,
once, and refines; between them it interpolates. So it can ask for shorter edges only, and what is
finer than `size` lies between the vertices unseen. A field given as a function is therefore sampled
on a grid and then spread: each grid point gets the smallest value within 0.7 size of it (measured:
without it a ball of 1.2 mm that asks for 0.3 mm in a mesh of 2 mm gets edges of 0.7 mm, with it of
0.30 mm; docs/meshes.md).
"""

from __future__ import annotations

import itertools
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Union

import numpy as np
from numpy.typing import NDArray

from haptos import _core
from haptos.base.errors import refuse

SPREAD = 0.7  # of size
MOST_POINTS = 60_000
EXAMPLE = "for example lambda x: np.where(x[:, 2] > 0, 0.5e-3, 2e-3)"

Floats = NDArray[np.float64]
Field = Union[Callable[[Floats], Any], "tuple[_core.TetMesh, Any]"]


@dataclass(frozen=True)
class Background:
    """Edge lengths [m] on the vertices of a mesh of tetrahedra."""

    vertices: Floats
    tets: NDArray[np.int32]
    values: Floats

    @property
    def finest(self) -> float:
        """The shortest edge asked for [m]."""
        return float(self.values.min())

    @property
    def mean_inverse_cube(self) -> float:
        """Mean of 1 / length^3 over the vertices [1/m^3]."""
        return float((self.values**-3).mean())


def background_of(field: Field, size: float, box: Floats) -> Background:
    """The background mesh of a field.

    field: see tetrahedralise(); size: the longest edge [m]; box: lowest and highest corner of the
    surface (2, 3) [m]. Raises InputError for a field that is no length everywhere.
    """
    if callable(field):
        return _sampled(field, size, box)
    if not (isinstance(field, tuple) and len(field) == 2 and isinstance(field[0], _core.TetMesh)):
        refuse("size_field", type(field).__name__, "must be a function of points, or a pair of a "
               "TetMesh and one length for each of its vertices", EXAMPLE)
    mesh, values = field
    _core.require_volume(mesh, "size_field")
    lengths = _lengths(values, len(mesh.vertices))
    return Background(np.array(mesh.vertices), np.array(mesh.tets), np.minimum(lengths, size))


def _lengths(values: Any, count: int) -> Floats:
    try:
        lengths = np.asarray(values, dtype=np.float64)
    except (TypeError, ValueError):
        refuse("size_field", type(values).__name__, "must give numbers", EXAMPLE)
    if lengths.shape == ():
        lengths = np.full(count, float(lengths))
    if lengths.shape != (count,):
        refuse("size_field", f"shape {lengths.shape}", f"must give {count} lengths for {count} "
               "points", EXAMPLE)
    if not (np.isfinite(lengths).all() and (lengths > 0).all()):
        worst = lengths[~(np.isfinite(lengths) & (lengths > 0))][0]
        refuse("size_field", f"{worst:g}", "must be a finite length above 0 everywhere", EXAMPLE)
    return lengths


def _sampled(field: Callable[[Floats], Any], size: float, box: Floats) -> Background:
    """A field on a grid a little larger than the box, spread by SPREAD * size."""
    margin = 0.05 * (box[1] - box[0]).max() + 1e-3 * size
    low, high = box[0] - margin, box[1] + margin
    sides = high - low
    coarse, _ = _grid(low, high, np.maximum(np.ceil(sides / (sides.max() / 24)), 1).astype(int))
    least = min(float(_lengths(field(coarse), len(coarse)).min()), size)
    spacing = max(0.5 * least, float((sides.prod() / MOST_POINTS) ** (1 / 3)))
    cells = np.maximum(np.ceil(sides / spacing), 1).astype(int)
    points, tets = _grid(low, high, cells)
    lengths = np.minimum(_lengths(field(points), len(points)), size)
    values = lengths.reshape(cells + 1)
    for axis in range(3):
        reach = int(round(SPREAD * size / (sides[axis] / cells[axis])))
        values = _least_within(values, axis, reach)
    return Background(points, tets, values.ravel())


def _least_within(values: Floats, axis: int, reach: int) -> Floats:
    """The smallest value at most `reach` grid points away along an axis."""
    line = np.moveaxis(values, axis, 0)
    least = line.copy()
    for k in range(1, min(reach, len(line) - 1) + 1):
        least[:-k] = np.minimum(least[:-k], line[k:])
        least[k:] = np.minimum(least[k:], line[:-k])
    return np.moveaxis(least, 0, axis)


def _grid(low: Floats, high: Floats, cells: NDArray[Any]) -> tuple[Floats, NDArray[np.int32]]:
    """Points of a grid of boxes, and six tetrahedra for each box, positively oriented."""
    axes = [np.linspace(low[k], high[k], cells[k] + 1) for k in range(3)]
    points = np.stack(np.meshgrid(*axes, indexing="ij"), axis=-1).reshape(-1, 3)
    number = np.arange(len(points)).reshape(cells + 1)
    tets = []
    for order in itertools.permutations(range(3)):
        corner = [0, 0, 0]
        path = []
        for step in (None, *order):
            if step is not None:
                corner[step] = 1
            path.append(number[corner[0]:corner[0] + cells[0], corner[1]:corner[1] + cells[1],
                               corner[2]:corner[2] + cells[2]].ravel())
        odd = order in ((0, 2, 1), (1, 0, 2), (2, 1, 0))
        tets.append(np.stack([path[0], path[2], path[1], path[3]] if odd else path, axis=1))
    return points, np.concatenate(tets).astype(np.int32)
