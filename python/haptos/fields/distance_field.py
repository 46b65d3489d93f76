"""The signed distance to a body."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from haptos import _core
from haptos.layers.surface import shape_of


class DistanceField:
    """The signed distance to a shape [m], negative inside, in the frame that the shape is given in.

    Of a ball, box, capsule, cylinder, cone, ellipsoid or half-space it is a formula. Of a mesh it is
    sampled: exact at the corners of a grid, trilinear between them. A mesh may be open, face inward or
    run through itself: inside is where it winds round more than half a turn.
    """

    def __init__(self, shape: Any, resolution: int = 64) -> None:
        """
        shape: RobotShape of any kind but a field of heights, TriMesh [m], or a pair of vertices (n, 3)
            [m] and triangles (m, 3).
        resolution: of a mesh, cells along the longest side of its box, 8 to 1024.
        Raises InputError for a mesh without an inside, for coordinates that are not finite, and for a
        grid that would take more than 2 GiB.
        """
        self._core = _core.DistanceField(shape_of(shape), resolution)

    def distance(self, points: ArrayLike) -> NDArray[np.float64]:
        """At points (n, 3) [m]: distances (n,) [m]."""
        return np.asarray(self._core.distance(np.atleast_2d(np.asarray(points, float))))

    def gradient(self, points: ArrayLike) -> NDArray[np.float64]:
        """At points (n, 3) [m]: the derivative of the distance (n, 3), outward; unit, but for what a
        grid makes of it."""
        return np.asarray(self._core.gradient(np.atleast_2d(np.asarray(points, float))))

    @property
    def cell(self) -> float:
        """Edge of a cell of the grid [m]; 0: the distance is a formula."""
        return float(self._core.cell)

    @property
    def bytes(self) -> int:
        """Memory that the samples take."""
        return int(self._core.bytes)

    @property
    def open(self) -> float:
        """Part of a turn that a mesh winds less than once round its inside: 0 for a closed one."""
        return float(self._core.open)
