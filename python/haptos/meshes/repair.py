"""Mending surfaces on request, with an account of every change.

In order: triangles that cannot be read (missing or infinite vertices) are dropped, vertices joined,
triangles without area and repeated ones removed, triangles turned to agree and face outward, small
holes closed, and, only where asked for, the whole surface made anew as the boundary of tetrahedra,
which is the one step here that removes triangles that cut each other.

A hole is closed with triangles between the vertices of its rim, no new vertices, such that their
area is the least possible (G. Barequet and M. Sharir 1995, "Filling gaps in the boundary of a
polyhedron", Computer Aided Geometric Design 12). A hole stays open where it is wider than the
limit, has too many edges, or where the triangles would cut the surface or meet an edge that has its
two triangles already.
"""

from __future__ import annotations

import math
import os
from collections import defaultdict
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from haptos import _core
from haptos.base.errors import refuse
from haptos.meshes import given
from haptos.meshes.files import read_surface

WELD = 1e-5  # of the diagonal of the box
HOLE = 0.05  # of the diagonal of the box
MOST_RIM = 300  # edges of a rim

Triangles = NDArray[np.int32]


@dataclass(frozen=True)
class Hole:
    """A hole: number of edges of its rim, largest side of the rim's box [m], area of the triangles
    that closed it [m2] (0 where open), and why it stayed open ("" where closed).
    """

    edges: int
    width: float
    area: float
    open_because: str


@dataclass
class RepairReport:
    """What repair() found and changed; lengths in the unit of the mesh."""

    before: _core.SurfaceReport
    after: _core.SurfaceReport
    weld_distance: float
    dropped: int = 0  #: triangles that named missing or infinite vertices
    joined: int = 0  #: vertices joined with another
    collapsed: int = 0  #: triangles that vanished by it
    degenerate: int = 0  #: triangles without area, or repeated
    turned: int = 0  #: triangles turned
    holes: list[Hole] = field(default_factory=list)
    rebuilt: float | None = None  #: edge length of the surface made anew
    moved: float | None = None  #: how far the new surface lies from the old at most

    @property
    def changed(self) -> bool:
        """Whether anything was changed."""
        return bool(self.dropped or self.joined or self.collapsed or self.degenerate or self.turned
                    or any(not h.open_because for h in self.holes) or self.rebuilt is not None)

    @property
    def filled(self) -> list[Hole]:
        """The holes that were closed."""
        return [h for h in self.holes if not h.open_because]

    @property
    def left_open(self) -> list[Hole]:
        """The holes that were not."""
        return [h for h in self.holes if h.open_because]

    def lines(self) -> list[str]:
        """What changed, and what is still wrong, a sentence each."""
        out = []
        if self.dropped:
            out.append(f"dropped {_count(self.dropped, 'triangle')} with missing or infinite "
                       "vertices")
        if self.joined or self.collapsed:
            out.append(f"joined {_count(self.joined, 'vertex', 'vertices')} closer than "
                       f"{self.weld_distance:.3g} and dropped {_count(self.collapsed, 'triangle')} "
                       "that collapsed")
        if self.degenerate:
            out.append(f"removed {_count(self.degenerate, 'triangle')} without area or given twice")
        if self.turned:
            out.append(f"turned {_count(self.turned, 'triangle')} to agree and face outward")
        for h in self.filled:
            out.append(f"closed a hole of {h.edges} edges, {h.width:.4g} wide, by triangles of "
                       f"area {h.area:.4g}")
        if self.rebuilt is not None:
            out.append(f"made the surface anew with edges of about {self.rebuilt:.4g}, within "
                       f"{self.moved:.3g} of the old one")
        if not out:
            out.append("nothing to change")
        for h in self.left_open:
            out.append(f"left open: a hole of {h.edges} edges, {h.width:.4g} wide: "
                       f"{h.open_because}")
        out += [f"still so: {finding}" for finding in self.after.findings()]
        if (self.before.outward and self.after.outward and self.before.volume
                and not self.before.intersecting_triangles):
            change = self.after.volume / self.before.volume - 1
            out.append(f"volume changed by {100 * change:+.3g} %")
        return out


def _count(n: int, one: str, many: str = "") -> str:
    return f"{n} {one if n == 1 else many or one + 's'}"


def repair(
    surface: _core.TriMesh | str | os.PathLike[str],
    *,
    scale: float = 1.0,
    weld: float | None = None,
    largest_hole: float | None = None,
    rebuild: float | None = None,
    epsilon: float | None = None,
    seed: int = 1,
) -> tuple[_core.TriMesh, RepairReport]:
    """Mends a surface and says what was changed.

    surface: triangles [m], or a file with `scale` metres in one of its units; weld: vertices closer
    than this are joined [m], None takes 1e-5 of the box's diagonal; largest_hole: holes up to this
    width are closed [m], 0 closes none, None takes a twentieth of the diagonal; rebuild: makes the
    whole surface anew as the boundary of tetrahedra with this edge length [m], which closes it and
    removes triangles that cut each other, but changes every triangle; epsilon, seed: of that step,
    see tetrahedralise(). Segments and points are left out. Returns the new surface and the report.
    Raises InputError for a surface without triangles or numbers out of range. It may still have faults: see the report's lines().
    """
    if isinstance(surface, (str, os.PathLike)):
        surface = read_surface(surface, scale)
    surface = given.surface(surface, "surface")
    before = _core.check_surface(surface)
    mesh, dropped = _drop_unreadable(surface)
    if len(mesh.triangles) == 0:
        refuse("surface", "", "has no triangle that can be used", "check the file")
    diagonal = float(np.linalg.norm(np.ptp(np.asarray(mesh.bounds), axis=0)))
    weld = _length("weld", weld, WELD * diagonal, diagonal)
    largest_hole = _length("largest_hole", largest_hole, HOLE * diagonal, math.inf)

    mesh, joined, collapsed = _core.weld(mesh, weld)
    mesh, degenerate = _core.remove_degenerate(mesh)
    if len(mesh.triangles) == 0:
        refuse("weld", f"{weld:g}", "leaves no triangle of the surface", "take a smaller one")
    mesh, turned = _orient(mesh)
    mesh, holes = _close_holes(mesh, largest_hole)
    if any(not h.open_because for h in holes):
        mesh, again = _orient(mesh)  # a part that is closed now can face outward
        turned += again
    moved = None
    if rebuild is not None:
        mesh, moved = _rebuild(mesh, rebuild, epsilon, seed)
    report = RepairReport(before, _core.check_surface(mesh), weld, dropped, joined, collapsed,
                          degenerate, turned, holes, rebuild, moved)
    return mesh, report


def _length(name: str, value: float | None, default: float, most: float) -> float:
    if value is None:
        return default
    if isinstance(value, str):
        value = given.number(value, "m", name)
    if not (isinstance(value, (int, float)) and math.isfinite(value) and 0 <= value < most):
        refuse(name, value, "must be a length of 0 or more, smaller than the surface",
               "leave it out for the default")
    return float(value)


def _drop_unreadable(mesh: _core.TriMesh) -> tuple[_core.TriMesh, int]:
    x, triangles = np.asarray(mesh.vertices), np.asarray(mesh.triangles)
    good = (triangles < len(x)).all(axis=1) & (triangles >= 0).all(axis=1)
    kept = triangles[good]
    kept = kept[np.isfinite(x[kept]).all(axis=(1, 2))]
    used, renumbered = np.unique(kept, return_inverse=True)
    return (_core.TriMesh(x[used], renumbered.reshape(-1, 3)), len(triangles) - len(kept))


def _parts(triangles: Triangles, vertices: int) -> NDArray[np.int64]:
    """A number for each triangle, the same for those joined by vertices."""
    label = np.arange(vertices)
    while True:
        least = label[triangles].min(axis=1)
        new = label.copy()
        for k in range(3):
            np.minimum.at(new, triangles[:, k], least)
        new = new[new]
        if np.array_equal(new, label):
            return label[triangles[:, 0]]
        label = new


def _orient(mesh: _core.TriMesh) -> tuple[_core.TriMesh, int]:
    """Triangles that agree and face outward; parts that cut each other each by itself.

    _core.orient() takes a part inside another for a cavity, which a part that reaches out of the
    other is not.
    """
    triangles = np.asarray(mesh.triangles)
    result = np.array(_core.orient(mesh)[0].triangles)
    report = _core.check_surface(mesh)
    if report.components > 1 and report.intersecting_triangles:
        part = _parts(triangles, len(mesh.vertices))
        pairs = part[np.asarray(_core.intersecting_triangles(mesh))]
        for p in np.unique(pairs[pairs[:, 0] != pairs[:, 1]]):
            own = part == p
            alone, _ = _core.orient(_core.TriMesh(mesh.vertices, triangles[own]))
            result[own] = np.asarray(alone.triangles)
    turned = int((result != triangles).any(axis=1).sum())
    return _core.TriMesh(mesh.vertices, result), turned


# -- holes -------------------------------------------------------------------------------------


def _edge_keys(triangles: Triangles) -> dict[tuple[int, int], int]:
    """How many triangles each edge (low, high) has."""
    count: dict[tuple[int, int], int] = defaultdict(int)
    for t in triangles.tolist():
        for k in range(3):
            a, b = t[k], t[(k + 1) % 3]
            count[(a, b) if a < b else (b, a)] += 1
    return count


def find_rims(triangles: Triangles) -> list[list[int]]:
    """The rims of holes: loops of vertices in the order that triangles closing them run through.

    Where rims touch in a vertex each loop is one of its own.
    """
    count = _edge_keys(triangles)
    following: dict[int, list[int]] = defaultdict(list)
    for t in triangles.tolist():
        for k in range(3):
            a, b = t[k], t[(k + 1) % 3]
            if count[(a, b) if a < b else (b, a)] == 1:
                following[b].append(a)  # the new triangle runs through it the other way
    rims = []
    for start in sorted(following):
        while following[start]:
            path, place = [start], {start: 0}
            while following[path[-1]]:
                after = following[path[-1]].pop()
                if after in place:
                    rims.append(path[place[after]:])
                    for v in path[place[after] + 1:]:
                        del place[v]
                    path = path[:place[after] + 1]
                else:
                    place[after] = len(path)
                    path.append(after)
            # What is left of the path does not close: the surface is not oriented there.
    return rims


def least_area_fill(points: NDArray[np.float64]) -> tuple[list[tuple[int, int, int]], float]:
    """Triangles between the corners of a closed polygon (n, 3) with the least area, and that area.

    cost(i, k) = min over m of cost(i, m) + cost(m, k) + cost(i, m, k), O(n^3). The cost of a
    triangle is its area, a little for its longest edge, which decides among fills of equal area,
    and much where its corners lie on a line.
    """
    n = len(points)
    much = n * float((np.ptp(points, axis=0) ** 2).sum())
    cost = np.zeros((n, n))
    middle = np.zeros((n, n), dtype=np.int64)
    for gap in range(2, n):
        for i in range(n - gap):
            k = i + gap
            m = np.arange(i + 1, k)
            total = cost[i, m] + cost[m, k] + _fill_cost(points[i], points[m], points[k], much)
            best = int(np.argmin(total))
            cost[i, k], middle[i, k] = total[best], m[best]
    triangles, stack = [], [(0, n - 1)]
    while stack:
        i, k = stack.pop()
        if k - i >= 2:
            m = int(middle[i, k])
            triangles.append((i, m, k))
            stack += [(i, m), (m, k)]
    a, b, c = (points[np.array([t[k] for t in triangles])] for k in range(3))
    return triangles, float(0.5 * np.linalg.norm(np.cross(b - a, c - a), axis=1).sum())


def _fill_cost(a: NDArray[np.float64], b: NDArray[np.float64], c: NDArray[np.float64],
               much: float) -> NDArray[np.float64]:
    """What triangles (a, each of b, c) cost; see least_area_fill()."""
    twice = np.linalg.norm(np.cross(b - a, c - a), axis=1)
    longest = np.maximum(((b - a) ** 2).sum(axis=1), ((b - c) ** 2).sum(axis=1))
    longest = np.maximum(longest, float(((c - a) ** 2).sum()))
    return 0.5 * twice + 1e-6 * longest + np.where(twice <= 1e-6 * longest, much, 0.0)


def _close_holes(mesh: _core.TriMesh, largest: float) -> tuple[_core.TriMesh, list[Hole]]:
    x, triangles = np.asarray(mesh.vertices), np.asarray(mesh.triangles)
    holes: list[Hole] = []
    patches: list[tuple[int, Triangles]] = []  # number of the hole, its triangles
    count = _edge_keys(triangles)
    for rim in find_rims(triangles):
        width = float(np.ptp(x[rim], axis=0).max())
        why, area = "", 0.0
        patch = np.zeros((0, 3), np.int32)
        if width > largest:
            why = (f"it is wider than the limit of {largest:.4g}; raise the limit if it is no "
                   "opening")
        elif len(rim) > MOST_RIM:
            why = f"its rim has more than {MOST_RIM} edges"
        elif len(rim) < 3:
            why = "its rim has no area"
        else:
            local, area = least_area_fill(x[rim])
            patch = np.array(rim, np.int32)[np.array(local)]
            why = _clash(patch, count)
        if not why:
            for t in patch.tolist():
                for k in range(3):
                    a, b = t[k], t[(k + 1) % 3]
                    count[(a, b) if a < b else (b, a)] += 1
            patches.append((len(holes), patch))
        holes.append(Hole(len(rim), width, 0.0 if why else area, why))
    if not patches:
        return mesh, holes
    return _without_cuts(mesh, holes, patches)


def _clash(patch: Triangles, count: dict[tuple[int, int], int]) -> str:
    """Why triangles cannot be added: an edge would have more than two of them."""
    added: dict[tuple[int, int], int] = defaultdict(int)
    for t in patch.tolist():
        for k in range(3):
            a, b = t[k], t[(k + 1) % 3]
            added[(a, b) if a < b else (b, a)] += 1
    if any(count.get(e, 0) + n > 2 for e, n in added.items()):
        return "its triangles would meet an edge that has two triangles already"
    return ""


def _without_cuts(mesh: _core.TriMesh, holes: list[Hole],
                  patches: list[tuple[int, Triangles]]) -> tuple[_core.TriMesh, list[Hole]]:
    """The mesh with those patches that do not cut it."""
    x, triangles = np.asarray(mesh.vertices), np.asarray(mesh.triangles)
    old = len(triangles)

    def joined() -> _core.TriMesh:
        return _core.TriMesh(x, np.concatenate([triangles, *(p for _, p in patches)]))

    filled = joined()
    if not _core.check_surface(filled).intersections_checked:
        return filled, holes
    owner = np.concatenate([np.full(old, -1), *(np.full(len(p), k) for k, p in patches)])
    cuts = owner[np.asarray(_core.intersecting_triangles(filled))]
    bad = set(cuts[cuts >= 0].tolist()) if len(cuts) else set()
    if not bad:
        return filled, holes
    for k in bad:
        holes[k] = Hole(holes[k].edges, holes[k].width, 0.0,
                        "its triangles would cut the surface; rebuild the surface instead")
    patches = [p for p in patches if p[0] not in bad]
    return (joined() if patches else mesh), holes


# -- made anew ---------------------------------------------------------------------------------


def _rebuild(mesh: _core.TriMesh, size: float, epsilon: float | None,
             seed: int) -> tuple[_core.TriMesh, float]:
    from haptos.meshes.tet_report import measure_deviation
    from haptos.meshes.tets import tetrahedralise

    tets = tetrahedralise(mesh, size, epsilon=epsilon, seed=seed, allow_defects=True)
    boundary, _ = _core.boundary_surface(tets)
    boundary, _, _ = _core.weld(boundary)  # drops nothing, leaves out unused vertices
    out, _, _ = measure_deviation(boundary, mesh, size / 20)
    return boundary, out

