"""The pad of a gripper's finger: a box with round edges."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from haptos import _core
from haptos.base.errors import refuse
from haptos.scans.blocks import MOST_TRIANGLES, check_length
from haptos.scans.grids import box_lattice
from haptos.scans.noise import random_generator


def _best_cells(triangles: int, path: NDArray[np.float64]) -> tuple[int, int, int]:
    """Cells along each side, exactly `triangles` triangles, as nearly square as they can be."""
    want = triangles // 4
    best, cost = None, np.inf
    for a in range(1, want):
        for b in range(1, (want - 1) // a + 1):
            c, rest = divmod(want - a * b, a + b)
            if rest or c < 1:
                continue
            width = np.log(path / (a, b, c))
            if np.ptp(width) < cost:
                best, cost = (a, b, c), float(np.ptp(width))
    if best is None:
        refuse("triangles", triangles, "has no division into three rows of cells",
               "take a number nearby, for example 1000")
    return best


def fingertip(seed: int = 1, *, triangles: int = 1000,
              size: tuple[float, float, float] = (22e-3, 15e-3, 8e-3),
              radius: float = 2e-3) -> _core.TriMesh:
    """A closed box with round edges and corners about the origin.

    triangles: a multiple of 4; size: sides [m]; radius: of the edges [m]. With the defaults
    triangles have about 1 mm2. Every vertex lies on the round box, flat faces are exactly flat.
    """
    if (isinstance(triangles, bool) or not isinstance(triangles, (int, np.integer))
            or triangles % 4 or not 12 <= triangles <= MOST_TRIANGLES // 100):
        refuse("triangles", triangles,
               f"must be a multiple of 4 from 12 to {MOST_TRIANGLES // 100}", "for example 1000")
    if len(size) != 3:
        refuse("size", size, "must be three lengths", "for example (0.022, 0.015, 0.008)")
    sides = np.array([check_length("size", v) for v in size])
    round_by = check_length("radius", radius)
    if 2 * round_by >= sides.min():
        refuse("radius", radius, "must be less than half of the smallest side",
               f"for example {sides.min() / 4:g}")
    rng = random_generator(seed)
    flat = sides / 2 - round_by  # half of the flat part of each side
    path = 2 * flat + round_by * np.pi / 2  # over the flat part and to the middle of both arcs
    cells = _best_cells(int(triangles), path)
    at, t = box_lattice(cells, rng, 0.2)
    s = (at / np.array(cells) - 0.5) * path
    # Beyond the flat part a node lies so far round the arc; 45 degrees are the box's edge.
    over = np.abs(s) - flat
    q = np.sign(s) * np.where(over > 0, flat + round_by * np.tan(over / round_by), np.abs(s))
    core = np.clip(q, -flat, flat)
    out = q - core
    x = core + round_by * out / np.linalg.norm(out, axis=1, keepdims=True)
    return _core.TriMesh(x, t)
