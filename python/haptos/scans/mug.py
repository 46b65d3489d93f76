"""A mug as a scanner sees it: a thin open shell with a handle."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from haptos import _core
from haptos.scans.grids import sheet
from haptos.scans.measure import edge_table
from haptos.scans.noise import (
    random_generator,
    scaled_amplitudes,
    sum_of_waves,
    wave_noise,
)

Points = NDArray[np.float64]
Indices = NDArray[np.int64]

TRIANGLES = 22_300
_RADIUS, _HEIGHT = 39e-3, 96.6e-3
_AROUND, _ALONG = 157, 63  # cells of the wall
_SPREAD, _SHORTEST, _LONGEST, _WAVES = 0.15e-3, 4e-3, 24e-3, 64
# The handle: half an ellipse, half axes across and outward, swept along a bow.
_HALF_WIDTH, _HALF_DEPTH = 9e-3, 5e-3
_BOW_HEIGHT, _BOW_DEPTH = 26e-3, 0.8 * 26e-3
_BOW_CELLS, _CROSS_CELLS = 60, 24
_CLEAR = 0.6e-3  # from the wall to the handle's ends, four times the roughness


def _wall(rng: np.random.Generator) -> tuple[Points, Indices]:
    at, t = sheet(_AROUND, _ALONG, rng, around=True)
    angle = at[:, 0] * (2 * np.pi / _AROUND)
    z = (at[:, 1] / _ALONG - 0.5) * _HEIGHT
    wavelength = rng.uniform(_SHORTEST, _LONGEST, _WAVES)
    heading = rng.uniform(0, 2 * np.pi, _WAVES)
    # Whole waves around, so that the wall has no seam.
    k = 2 * np.pi / wavelength[:, None] * np.column_stack([np.cos(heading), np.sin(heading)])
    k[:, 0] = np.round(k[:, 0] * _RADIUS) / _RADIUS
    along = np.column_stack([angle * _RADIUS, z])
    r = _RADIUS + sum_of_waves(along, k, scaled_amplitudes(k, _SPREAD),
                               rng.uniform(0, 2 * np.pi, _WAVES))
    return np.column_stack([r * np.cos(angle), r * np.sin(angle), z]), t


def _handle(rng: np.random.Generator) -> tuple[Points, Indices]:
    at, t = sheet(_CROSS_CELLS, _BOW_CELLS, rng)
    across = (at[:, 0] / _CROSS_CELLS - 0.5) * np.pi
    bow = (at[:, 1] / _BOW_CELLS - 0.5) * np.pi
    zero = np.zeros(len(at))
    outward = np.column_stack([np.cos(bow), zero, np.sin(bow)])
    centre = np.column_stack([_RADIUS + _CLEAR + _BOW_DEPTH * np.cos(bow), zero,
                              _BOW_HEIGHT * np.sin(bow)])
    side = np.array([0.0, 1.0, 0.0])
    c, s = np.cos(across)[:, None], np.sin(across)[:, None]
    x = centre + _HALF_DEPTH * c * outward + _HALF_WIDTH * s * side
    # Of an ellipse (a cos, b sin) the normal is (b cos, a sin).
    normal = _HALF_WIDTH * c * outward + _HALF_DEPTH * s * side
    normal /= np.linalg.norm(normal, axis=1, keepdims=True)
    return x + wave_noise(x, rng, _WAVES, _SHORTEST, _LONGEST, _SPREAD)[:, None] * normal, t


def fray(triangles: Indices, count: int, rng: np.random.Generator) -> Indices:
    """Takes `count` random triangles off the rims, one after the other.

    None is taken that would cut the surface in two or join two rims: parts and rims stay as many.
    """
    edges = edge_table(triangles)
    order = np.argsort(edges.of.ravel(), kind="stable") // 3
    start = np.cumsum(edges.count) - edges.count
    left = edges.count.copy()
    rim_edges = np.bincount(edges.ends[left == 1].ravel(), minlength=int(triangles.max()) + 1)
    alive = np.ones(len(triangles), bool)
    rim = np.flatnonzero(left == 1).tolist()
    while count > 0 and rim:
        place = int(rng.integers(len(rim)))
        edge = rim[place]
        own = order[start[edge]:start[edge] + edges.count[edge]]
        t = int(own[alive[own]][0]) if left[edge] == 1 else -1
        if t < 0:  # its triangle is gone
            rim[place] = rim[-1]
            rim.pop()
            continue
        open_ = left[edges.of[t]] == 1
        if open_.sum() == 3:
            rim[place] = rim[-1]
            rim.pop()
            continue
        if open_.sum() == 1 and rim_edges[triangles[t]].min() > 0:
            if rng.random() < 1 / len(rim):  # no triangle might be left that can go
                break
            continue
        for e in edges.of[t]:
            if left[e] == 1:
                rim_edges[edges.ends[e]] -= 1
            else:
                rim_edges[edges.ends[e]] += 1
                rim.append(int(e))
            left[e] -= 1
        alive[t] = False
        count -= 1
    return triangles[alive]


def mug(seed: int = 1) -> _core.TriMesh:
    """A mug of 22,300 triangles about the origin, its axis along z, its handle towards +x.

    An open shell of 79 mm across and 97 mm high without bottom, rough by 0.15 mm and with frayed
    rims, and the outer half of a handle beside it: what a scan has of both.
    """
    rng = random_generator(seed)
    wall, wall_triangles = _wall(rng)
    handle, handle_triangles = _handle(rng)
    extra = len(wall_triangles) + len(handle_triangles) - TRIANGLES
    kept = fray(wall_triangles, extra, rng)
    x = np.concatenate([wall, handle])
    used, t = np.unique(np.concatenate([kept, handle_triangles + len(wall)]), return_inverse=True)
    return _core.TriMesh(x[used], t.reshape(-1, 3))
