"""The signed distance to a body."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from haptos import _core
from haptos.base.errors import refuse
from haptos.layers.surface import shape_of

Image = NDArray[np.uint8]


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

    def picture(self, normal: str = "y", at: float | None = None, pixels: int = 480) -> Image:
        """A plane through the field, as an image (height, width, 3): blue inside, orange outside, a
        contour every twentieth of its size, the surface black.

        normal: x, y or z, the axis that the plane is normal to; at: where along it [m], by default in
            the middle; pixels along the longer side. Raises InputError for a half-space.
        """
        axes = {"x": (1, 2, 0), "y": (0, 2, 1), "z": (0, 1, 2)}
        if normal not in axes:
            refuse("normal", normal, "must be x, y or z", "name an axis")
        low, high = self.bounds
        if not np.isfinite(low).all():
            refuse("picture", "half-space", "has no bounds", "take a shape with some")
        margin = 0.1 * float((high - low).max())
        across, up, along = axes[normal]
        size = high - low + 2 * margin
        step = max(size[across], size[up]) / pixels
        x = np.zeros((round(size[up] / step), round(size[across] / step), 3))
        x[..., across] = low[across] - margin + step * (np.arange(x.shape[1]) + 0.5)
        x[..., up] = (high[up] + margin - step * (np.arange(x.shape[0]) + 0.5))[:, None]
        x[..., along] = 0.5 * (low + high)[along] if at is None else at
        phi = self.distance(x.reshape(-1, 3)).reshape(x.shape[:2])
        near = np.exp(-np.abs(phi) / (4 * margin))[..., None]
        colour = np.where(phi[..., None] < 0, (40, 90, 180), (235, 150, 60))
        image = 255 + (colour - 255) * (1 - 0.75 * near)
        line = np.abs((phi / (0.5 * margin) + 0.5) % 1 - 0.5) * 0.5 * margin
        image[line < 0.5 * step] *= 0.85
        image[np.abs(phi) < step] = 0
        return image.round().astype(np.uint8)

    @property
    def bounds(self) -> NDArray[np.float64]:
        """Corners (2, 3) of the box around the inside [m]; of a half-space infinite."""
        return np.asarray(self._core.bounds())

    @property
    def cells(self) -> tuple[int, int, int]:
        """Of the grid, along x, y and z; 0: the distance is a formula."""
        return tuple(self._core.cells)

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
