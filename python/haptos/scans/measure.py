"""What a mesh is like in numbers: edges, angles between neighbours, rims, parts."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from haptos import _core
from haptos.base.units import show_length

Points = NDArray[np.float64]
Indices = NDArray[np.int64]


@dataclass(frozen=True)
class EdgeTable:
    """The edges of triangles (t, 3).

    ends: (e, 2) vertex numbers, low before high; of: (t, 3) the edge from corner k to corner k + 1;
    count: (e,) triangles of each; pair: (e, 2) triangles at edges that have two, else -1; agree:
    (e,) whether these run through it in opposite directions, so that they face the same way.
    """

    ends: Indices
    of: Indices
    count: Indices
    pair: Indices
    agree: NDArray[np.bool_]


def edge_table(triangles: NDArray[np.integer]) -> EdgeTable:
    """Who shares which edge."""
    t = np.asarray(triangles, np.int64)
    low = np.minimum(t, np.roll(t, -1, axis=1)).ravel()
    high = np.maximum(t, np.roll(t, -1, axis=1)).ravel()
    vertices = int(t.max()) + 1 if len(t) else 1
    key, first, of, count = np.unique(low * vertices + high, return_index=True,
                                      return_inverse=True, return_counts=True)
    of = of.reshape(-1, 3)
    order = np.argsort(of.ravel(), kind="stable")
    start = np.cumsum(count) - count
    pair = np.full((len(key), 2), -1, np.int64)
    two = count == 2
    pair[two, 0] = order[start[two]] // 3
    pair[two, 1] = order[start[two] + 1] // 3
    upward = t.ravel() == low
    agree = np.zeros(len(key), bool)
    agree[two] = upward[order[start[two]]] != upward[order[start[two] + 1]]
    return EdgeTable(np.column_stack([low[first], high[first]]), of, count, pair, agree)


def components(count: int, pairs: NDArray[np.integer]) -> Indices:
    """A label for each of `count` things, the same for those that pairs (p, 2) join."""
    label = np.arange(count)
    while True:
        a, b = label[pairs[:, 0]], label[pairs[:, 1]]
        least = np.minimum(a, b)
        if np.array_equal(a, b):
            return label
        np.minimum.at(label, a, least)
        np.minimum.at(label, b, least)
        while not np.array_equal(label, jumped := label[label]):
            label = jumped


def triangle_normals(x: Points, triangles: NDArray[np.integer]) -> tuple[Points, Points]:
    """Unit normals (t, 3), 0 of a triangle without area; and areas [m2]."""
    a, b, c = (x[triangles[:, k]] for k in range(3))
    normal = np.cross(b - a, c - a)
    twice = np.linalg.norm(normal, axis=1)
    return normal / np.where(twice > 0, twice, 1)[:, None], 0.5 * twice


def bends(normals: Points, edges: EdgeTable) -> Points:
    """Angle between the two triangles at each edge that has two [rad]; 0 is flat, however wound."""
    two = edges.count == 2
    p = edges.pair[two]
    a, b = normals[p[:, 0]], normals[p[:, 1]] * np.where(edges.agree[two], 1, -1)[:, None]
    return 2 * np.arctan2(np.linalg.norm(a - b, axis=1), np.linalg.norm(a + b, axis=1))


@dataclass(frozen=True)
class ScanReport:
    """A mesh in numbers. edge: 5th, 50th and 95th percentile of the edges [m]; bend: 50th, 95th
    and 99th of the angles between neighbours [rad], 0 is flat; rims: edges of each rim of a hole
    or of the whole, most first; parts: pieces that share no vertex.
    """

    triangles: int
    vertices: int
    parts: int
    size: tuple[float, float, float]  #: sides of its box [m]
    area: float  #: [m2]
    edge: tuple[float, float, float]
    bend: tuple[float, float, float]
    rims: tuple[int, ...]

    def lines(self) -> list[str]:
        """The same in sentences."""
        low, middle, high = (show_length(v) for v in self.edge)
        half, many, most = (np.degrees(v) for v in self.bend)
        sides = " x ".join(show_length(v) for v in self.size)
        rims = ("no rim: closed" if not self.rims else
                f"{len(self.rims)} rim{'s' if len(self.rims) > 1 else ''} of "
                f"{sum(self.rims)} edges, the longest of {self.rims[0]}")
        return [f"{self.triangles} triangles, {self.vertices} vertices, "
                f"{self.parts} part{'s' if self.parts != 1 else ''}",
                f"{sides}, area {self.area:.4g} m2",
                f"edges {middle}, nine in ten between {low} and {high}",
                f"neighbours bend by {half:.2g} deg, 1 in 20 by more than {many:.2g}, "
                f"1 in 100 by more than {most:.2g}",
                rims]


def measure_scan(mesh: _core.TriMesh) -> ScanReport:
    """Measures a mesh, as it is: vertices that coincide are not joined."""
    x, t = np.asarray(mesh.vertices), np.asarray(mesh.triangles)
    edges = edge_table(t)
    length = np.linalg.norm(x[edges.ends[:, 0]] - x[edges.ends[:, 1]], axis=1)
    normals, area = triangle_normals(x, t)
    bend = bends(normals, edges)
    used = np.unique(t)
    part = components(len(x), edges.ends)
    rim = edges.ends[edges.count == 1]
    label = components(len(x), rim)[rim[:, 0]]
    rims = np.unique(label, return_counts=True)[1] if len(rim) else np.zeros(0, int)
    low, middle, high = np.percentile(length, (5, 50, 95)) if len(length) else (0, 0, 0)
    bend_at = np.percentile(bend, (50, 95, 99)) if len(bend) else (0, 0, 0)
    sides = np.ptp(x[used], axis=0) if len(used) else np.zeros(3)
    return ScanReport(
        len(t), len(used), len(np.unique(part[used])), tuple(float(v) for v in sides),
        float(area.sum()), (float(low), float(middle), float(high)),
        tuple(float(v) for v in bend_at), tuple(sorted((int(n) for n in rims), reverse=True)))
