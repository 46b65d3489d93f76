"""The skin over points of a body, to look at."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from haptos import _core


class PointsSkin(NamedTuple):
    """A closed surface over points."""

    mesh: _core.TriMesh  #: counter-clockwise from outside [m]
    values: NDArray[np.float64]  #: at its vertices, (V,); empty where the points have none


def points_skin(points: ArrayLike, spacing: float | str, values: ArrayLike | None = None) -> PointsSkin:
    """The closed surface half a spacing over points (n, 3) [m]: of the body that they are samples of.

    spacing: of the points [m], the cube root of the volume that each stands for; values: one of each
    point (n), of which vertices get the mean of those about them. Points that are not finite are left
    out. Raises InputError for a spacing that is no length, and for another number of values.

    By marching cubes, on the function of Zhu and Bridson 2005 (Animating sand as a fluid).
    """
    mesh, at = _core.points_skin(points, spacing, np.zeros(0) if values is None else values)
    return PointsSkin(mesh, at)
