"""Rotation matrices and unit quaternions w x y z."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[Any]


def rotation(quaternion: Array) -> Array:
    """Matrices (..., 3, 3) of unit quaternions w x y z (..., 4)."""
    w, x, y, z = np.moveaxis(np.asarray(quaternion, float), -1, 0)
    rows = [[1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
            [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
            [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)]]
    return np.moveaxis(np.array(rows), (0, 1), (-2, -1))


def quaternion(turn: Array) -> Array:
    """Unit quaternion w x y z of a rotation matrix, w not negative."""
    m = np.asarray(turn, float)
    # The largest of the four is found first, so that nothing is divided by a small number.
    four = np.array([1 + m[0, 0] + m[1, 1] + m[2, 2], 1 + m[0, 0] - m[1, 1] - m[2, 2],
                     1 - m[0, 0] + m[1, 1] - m[2, 2], 1 - m[0, 0] - m[1, 1] + m[2, 2]])
    k = int(np.argmax(four))
    a, b, c = m[2, 1] - m[1, 2], m[0, 2] - m[2, 0], m[1, 0] - m[0, 1]
    d, e, f = m[0, 1] + m[1, 0], m[0, 2] + m[2, 0], m[1, 2] + m[2, 1]
    q = np.array([[four[0], a, b, c], [a, four[1], d, e], [b, d, four[2], f],
                  [c, e, f, four[3]]][k])
    return q / np.linalg.norm(q) * (1.0 if q[0] >= 0 else -1.0)


def product(a: Array, b: Array) -> Array:
    """The quaternion of turning by b, then by a."""
    (w, x, y, z), (p, q, r, s) = a, b
    return np.array([w * p - x * q - y * r - z * s, w * q + x * p + y * s - z * r,
                     w * r - x * s + y * p + z * q, w * s + x * r - y * q + z * p])
