"""Flat things with any number of triangles: a box and a plane."""

from __future__ import annotations

import math

import numpy as np

from haptos import _core
from haptos.base.errors import refuse
from haptos.scans.grids import JITTER, box_lattice, insert_points, sheet
from haptos.scans.noise import random_generator

MOST_TRIANGLES = 4_000_000


def _check_count(what: str, triangles: int, least: int) -> int:
    if (isinstance(triangles, bool) or not isinstance(triangles, (int, np.integer))
            or not least <= triangles <= MOST_TRIANGLES or triangles % 2):
        refuse(what, triangles, f"must be an even number from {least} to {MOST_TRIANGLES}",
               "a surface made of cells has two triangles for each")
    return int(triangles)


def check_length(what: str, value: float) -> float:
    """A length above 0 [m]."""
    if not (isinstance(value, (int, float, np.floating)) and 0 < value < math.inf):
        refuse(what, value, "must be a length greater than 0", "give it in metres")
    return float(value)


def box_cells(triangles: int, size: np.ndarray, rng: np.random.Generator) -> tuple[int, int, int]:
    """Cells along each side of a box, at most `triangles` triangles; their widths differ by chance,
    by up to e^0.4 from equal ones."""
    wish = size * np.exp(rng.uniform(-0.4, 0.4, 3))
    wish *= math.sqrt(triangles / 4 / (wish * np.roll(wish, 1)).sum())
    while True:
        a, b, c = (max(1, int(v)) for v in wish)
        if 4 * (a * b + b * c + c * a) <= triangles:
            return a, b, c
        wish *= 0.97


def random_box(seed: int = 1, *, triangles: int = 12,
               size: tuple[float, float, float] = (0.1, 0.1, 0.1)) -> _core.TriMesh:
    """A closed box about the origin, cut into exactly so many triangles at random.

    triangles: even, from 12; size: sides [m]. Every vertex lies exactly in the planes of the box,
    so its shape does not depend on the triangles. Cells are as even as their number allows, nodes
    are shifted and diagonals drawn; what is missing to the number are points in triangles.
    """
    n = _check_count("triangles", triangles, 12)
    if len(size) != 3:
        refuse("size", size, "must be three lengths", "for example (0.1, 0.1, 0.1)")
    sides = np.array([check_length("size", v) for v in size])
    rng = random_generator(seed)
    cells = box_cells(n, sides, rng)
    at, t = box_lattice(cells, rng)
    x, t = insert_points((at / np.array(cells) - 0.5) * sides, t, (n - len(t)) // 2, rng)
    return _core.TriMesh(x, t)


def plane(seed: int = 1, *, triangles: int = 512, size: float = 4.0,
          jitter: float = JITTER) -> _core.TriMesh:
    """A square in the plane z = 0 about the origin, facing up, of exactly so many triangles.

    triangles: even, from 2; size: side [m]; jitter: how far nodes inside are shifted, in cells, less
    than a half. Diagonals are drawn at random.
    """
    n = _check_count("triangles", triangles, 2)
    side = check_length("size", size)
    if not (isinstance(jitter, (int, float, np.floating)) and 0 <= jitter < 0.5):
        refuse("jitter", jitter, "must be from 0 to less than 0.5", f"for example {JITTER}")
    rng = random_generator(seed)
    cells = math.isqrt(n // 2)
    at, t = sheet(cells, cells, rng, jitter)
    x = np.column_stack([(at / cells - 0.5) * side, np.zeros(len(at))])
    x, t = insert_points(x, t, (n - len(t)) // 2, rng)
    return _core.TriMesh(x, t)
