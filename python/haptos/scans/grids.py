"""Grids with shifted nodes, cut into triangles at random without folds."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Points = NDArray[np.float64]
Indices = NDArray[np.int64]

JITTER = 0.3  #: how far a node is shifted at most, in cells
_SLIVER = 0.02  #: of a cell: a smaller triangle is avoided where the other diagonal has none


def cut_quads(quads: Indices, corners: Points, rng: np.random.Generator) -> Indices:
    """Triangles (2 n, 3) of quads (n, 4), each cut along one of its diagonals, drawn at random.

    corners: (n, 4, 2), where the nodes lie in a plane, in cells, counter-clockwise. A quad that is
    not convex has one diagonal that leaves no fold; it gets that one.
    """
    def area(a: int, b: int, c: int) -> Points:
        u, v = corners[:, b] - corners[:, a], corners[:, c] - corners[:, a]
        return 0.5 * (u[:, 0] * v[:, 1] - u[:, 1] * v[:, 0])

    first = np.minimum(area(0, 1, 2), area(0, 2, 3))
    second = np.minimum(area(0, 1, 3), area(1, 2, 3))
    drawn = rng.random(len(quads)) < 0.5
    free = np.minimum(first, second) > _SLIVER
    takes_first = np.where(free, drawn, first > second)[:, None]
    q = quads
    one = np.where(takes_first, q[:, [0, 1, 2]], q[:, [0, 1, 3]])
    two = np.where(takes_first, q[:, [0, 2, 3]], q[:, [1, 2, 3]])
    return np.stack([one, two], axis=1).reshape(-1, 3)


def sheet(columns: int, rows: int, rng: np.random.Generator, jitter: float = JITTER,
          around: bool = False) -> tuple[Points, Indices]:
    """A grid of cells as nodes (n, 2) [cells] and triangles, counter-clockwise.

    Nodes of the rim stay on it, its corners where they are. around: the last column of cells
    borders the first, as on a tube, and there is no rim there.
    """
    wide = columns if around else columns + 1
    i, j = np.meshgrid(np.arange(wide), np.arange(rows + 1), indexing="ij")
    at = np.stack([i, j], axis=-1).astype(float)
    shift = rng.uniform(-jitter, jitter, at.shape)
    if not around:
        shift[[0, -1], :, 0] = 0
    shift[:, [0, -1], 1] = 0
    at += shift
    number = (i * (rows + 1) + j).astype(np.int64)
    after = np.arange(1, columns + 1) % wide
    here = np.arange(columns)
    below, above = slice(0, rows), slice(1, rows + 1)
    quads = np.stack([number[here][:, below], number[after][:, below],
                      number[after][:, above], number[here][:, above]], axis=-1).reshape(-1, 4)
    corners = at.reshape(-1, 2)[quads]
    if around:  # the last column's right side lies a whole turn further on
        last = np.repeat(here == columns - 1, rows)
        corners[np.ix_(last, [1, 2], [0])] += columns
    return at.reshape(-1, 2), cut_quads(quads, corners, rng)


def box_lattice(cells: tuple[int, int, int], rng: np.random.Generator,
                jitter: float = JITTER) -> tuple[Points, Indices]:
    """The surface of a box of so many cells: nodes (n, 3) [cells] and triangles that face outward.

    A node on an edge stays on it, one in a face in its plane: there a coordinate is exactly 0 or
    the number of cells. Neighbours share nodes, so the surface is closed.
    """
    n = np.array(cells)
    quads, places = [], []
    for axis in range(3):
        u, v = (axis + 1) % 3, (axis + 2) % 3
        i, j = (g.ravel() for g in np.meshgrid(np.arange(n[u]), np.arange(n[v]), indexing="ij"))
        for side in (0, 1):
            corner = np.empty((len(i), 4, 3), np.int64)
            corner[:, :, axis] = side * n[axis]
            corner[:, :, u] = np.stack([i, i + 1, i + 1, i], axis=1)
            corner[:, :, v] = np.stack([j, j, j + 1, j + 1], axis=1)
            quads.append(corner if side else corner[:, [0, 3, 2, 1]])
            places.append(np.full(len(i), axis if side else axis + 3))
    lattice = np.concatenate(quads)
    key = (lattice[..., 0] * (n[1] + 1) + lattice[..., 1]) * (n[2] + 1) + lattice[..., 2]
    _, first, number = np.unique(key, return_index=True, return_inverse=True)
    node = lattice.reshape(-1, 3)[first]
    free = (node > 0) & (node < n)
    at = node + free * rng.uniform(-jitter, jitter, node.shape)
    number = number.reshape(-1, 4)
    face = np.concatenate(places)
    corners = np.empty((len(number), 4, 2))
    for axis in range(3):
        u, v = (axis + 1) % 3, (axis + 2) % 3
        for own, pair in ((face == axis, [u, v]), (face == axis + 3, [v, u])):
            corners[own] = at[number[own]][:, :, pair]
    return at, cut_quads(number, corners, rng)


def insert_points(x: Points, triangles: Indices, count: int,
                  rng: np.random.Generator) -> tuple[Points, Indices]:
    """Puts `count` points into random triangles, each of which becomes three.

    A coordinate that is the same in all corners is exactly the same in the new point.
    """
    while count > 0:
        now = min(count, len(triangles))
        own = np.sort(rng.permutation(len(triangles))[:now])
        # None nearer than a sixth of the height to a side.
        weight = 1 / 6 + 0.5 * rng.dirichlet((1, 1, 1), now)
        t = triangles[own]
        a, b, c = (x[t[:, k]] for k in range(3))
        new = a + weight[:, 1:2] * (b - a) + weight[:, 2:3] * (c - a)
        middle = np.arange(len(x), len(x) + now)
        x = np.concatenate([x, new])
        parts = [np.column_stack([t[:, k], t[:, (k + 1) % 3], middle]) for k in range(3)]
        triangles = np.concatenate([np.delete(triangles, own, axis=0), *parts])
        count -= now
    return x, triangles
