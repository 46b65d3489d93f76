"""Large things as a scanner at one place sees them: a ladder, and a chair.

Made of blocks: faces that look away are missing, the rest is cut finely, made rough, and has holes.
"""

from __future__ import annotations

from collections.abc import Sequence
from statistics import NormalDist
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from haptos import _core
from haptos.base.errors import refuse
from haptos.scans.blocks import check_length
from haptos.scans.measure import triangle_normals
from haptos.scans.noise import random_generator, wave_noise

Points = NDArray[np.float64]
Indices = NDArray[np.int64]

_WAVES = 48
_ROUGH = (15e-3, 60e-3)  # wavelengths of the roughness [m]
_MISSED = (0.1, 0.4)  # and of where the scanner saw nothing [m]
_GRAZING = -0.05  # cosine between a face and the line of sight below which it is not seen


class Block(NamedTuple):
    """A box: centre and sides [m]; turn: its axes as columns."""

    centre: tuple[float, float, float]
    sides: tuple[float, float, float]
    turn: Points = np.eye(3)


def turned(axis: int, degrees: float) -> Points:
    """Axes turned about x (0), y (1) or z (2)."""
    c, s = np.cos(np.radians(degrees)), np.sin(np.radians(degrees))
    turn = np.eye(3)
    a, b = (axis + 1) % 3, (axis + 2) % 3
    turn[a, a], turn[a, b], turn[b, a], turn[b, b] = c, -s, s, c
    return turn


def block_surface(blocks: Sequence[Block]) -> tuple[Points, Indices]:
    """Vertices and triangles of boxes, each closed, facing outward."""
    cube = _core.box((1.0, 1.0, 1.0), (1, 1, 1))
    unit, triangles = np.asarray(cube.vertices), np.asarray(cube.triangles, np.int64)
    x = [np.array(b.centre) + (unit * b.sides) @ b.turn.T for b in blocks]
    return np.concatenate(x), np.concatenate([triangles + k * len(unit)
                                              for k in range(len(blocks))])


def bisect(x: Points, triangles: Indices, longest: float) -> tuple[Points, Indices]:
    """Halves edges until none is longer than `longest` [m]; neighbours keep sharing their edges.

    An edge is halved when it is the longest of all its triangles (M.-C. Rivara 1984, "Algorithms
    for refining triangular grids"), all such edges at a time. Angles stay bounded.
    """
    done: list[Indices] = []
    t = triangles
    while len(t):
        low, high = np.minimum(t, np.roll(t, -1, axis=1)), np.maximum(t, np.roll(t, -1, axis=1))
        square = ((x[low] - x[high]) ** 2).sum(axis=-1)
        worst = square.max(axis=1)
        short = worst <= longest**2
        done.append(t[short])
        t, low, high, square, worst = (v[~short] for v in (t, low, high, square, worst))
        if len(t) == 0:
            break
        key = low * len(x) + high
        # Among equally long edges the one with the higher number, the same seen from both sides.
        side = np.where(square == worst[:, None], key, -1).argmax(axis=1)
        edges, of, count = np.unique(key, return_inverse=True, return_counts=True)
        chosen = of.reshape(-1, 3)[np.arange(len(t)), side]
        halved = np.bincount(chosen, minlength=len(edges)) == count
        middle = np.cumsum(halved) - 1 + len(x)
        ends = edges[halved]
        x = np.concatenate([x, 0.5 * (x[ends // len(x)] + x[ends % len(x)])])
        cut = halved[chosen]
        rows = np.flatnonzero(cut)
        a, b, c = (t[rows, (side[rows] + k) % 3] for k in range(3))
        m = middle[chosen[rows]]
        t = np.concatenate([t[~cut], np.column_stack([a, m, c]), np.column_stack([m, b, c])])
    return x, np.concatenate(done)


def scan_of(blocks: Sequence[Block], sight: tuple[float, float, float], edge: float, missing: float,
            roughness: float, seed: int) -> _core.TriMesh:
    """What a scanner has of blocks.

    sight: from the blocks to the scanner; edge: longest edge [m]; missing: share of the rest that it
    has not seen, in patches; roughness: standard deviation of each coordinate [m].
    """
    longest, rough = check_length("edge", edge), check_length("roughness", roughness)
    if longest < 2e-3:
        refuse("edge", edge, "must be 0.002 m or more", "a shorter one takes too much memory")
    if not (isinstance(missing, (int, float, np.floating)) and 0 <= missing <= 0.5):
        refuse("missing", missing, "must be a share from 0 to 0.5", "for example 0.04")
    x, t = block_surface(blocks)
    normal, _ = triangle_normals(x, t)
    seen = normal @ (np.array(sight) / np.linalg.norm(sight)) >= _GRAZING
    x, t = bisect(x, t[seen], longest)
    rest = x
    if missing > 0:
        limit = NormalDist().inv_cdf(1 - missing)
        unseen = wave_noise(rest, random_generator(seed, 3), _WAVES, *_MISSED, 1.0) > limit
        t = t[~unseen[t].any(axis=1)]
    used, t = np.unique(t, return_inverse=True)
    rest = rest[used]
    moved = [wave_noise(rest, random_generator(seed, axis), _WAVES, *_ROUGH, rough)
             for axis in range(3)]
    return _core.TriMesh(rest + np.column_stack(moved), t.reshape(-1, 3))


def ladder_blocks() -> list[Block]:
    """A ship's ladder of 60 degrees that rises towards +x, on a floor whose top is z = 0."""
    slope = np.radians(60)
    up = np.array([np.cos(slope), 0, np.sin(slope)])
    turn = turned(1, -60)  # x of the block along the rail
    middle = 2.05 * up
    rails = [Block((middle[0], side * 0.405, middle[2]), (4.1, 0.05, 0.08), turn)
             for side in (-1, 1)]
    # Treads end inside the rails.
    treads = [Block((k * 0.305 / np.tan(slope), 0, k * 0.305), (0.11, 0.81, 0.04))
              for k in range(1, 11)]
    return [*rails, *treads, Block((-0.5, 0, -0.025), (4, 3, 0.05))]


def ladder(seed: int = 1, *, edge: float = 9.8e-3, missing: float = 0.04,
           roughness: float = 1.5e-3) -> _core.TriMesh:
    """A ladder of 3.5 m on a floor of 4 x 3 m, about a million triangles, seen from the front.

    Two rails and ten treads every 0.305 m, rising towards +x; the scanner stands at -x, above.
    edge: the longest [m]; missing: share of the surface that it has not seen, beside backs and
    undersides; roughness: standard deviation of each coordinate [m].
    """
    return scan_of(ladder_blocks(), (-0.9, 0.0, 0.45), edge, missing, roughness, seed)


def chair_blocks() -> list[Block]:
    """An office chair that faces -x, on a floor whose top is z = 0: five feet, a column, a seat with
    arms, a back."""
    blocks = [Block((0, 0, -0.01), (1.25, 1.25, 0.02)), Block((0, 0, 0.25), (0.06, 0.06, 0.34))]
    for k in range(5):
        turn = turned(2, 180 + 72 * k)
        blocks += [Block(tuple(turn @ (0.17, 0, 0.085)), (0.34, 0.05, 0.04), turn),
                   Block(tuple(turn @ (0.31, 0, 0.0325)), (0.065, 0.05, 0.065), turn)]
    blocks += [Block((0, 0, 0.46), (0.50, 0.52, 0.08)),
               Block((0.29, 0, 0.80), (0.06, 0.46, 0.62), turned(1, 10)),
               Block((0.25, 0, 0.46), (0.06, 0.10, 0.06))]
    for side in (-1, 1):
        blocks += [Block((0.05, side * 0.285, 0.565), (0.06, 0.03, 0.25)),
                   Block((0, side * 0.285, 0.70), (0.30, 0.08, 0.035))]
    return blocks


def chair(seed: int = 1, *, edge: float = 9.8e-3, missing: float = 0.04,
          roughness: float = 1.5e-3) -> _core.TriMesh:
    """An office chair on a floor of 1.25 x 1.25 m, about 150,000 triangles, seen from the front.

    It faces -x, where the scanner stands, above: its back and its undersides are missing. edge,
    missing, roughness: as of ladder().
    """
    return scan_of(chair_blocks(), (-0.8, 0.2, 0.55), edge, missing, roughness, seed)
