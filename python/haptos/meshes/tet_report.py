"""How good a volume mesh is: shape of its elements, edge lengths, and how well its boundary follows
a surface.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from haptos import _core
from haptos.base.units import show_length

# The six edges of a tetrahedron, each with the two corners opposite.
EDGES = ((0, 1, 2, 3), (0, 2, 3, 1), (0, 3, 1, 2), (1, 2, 0, 3), (1, 3, 2, 0), (2, 3, 0, 1))
MAX_SAMPLES = 400_000

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class TetReport:
    """What measure_tets() found; lengths in m, angles in degrees.

    radius_ratio_*: three times the radius of the inscribed sphere over that of the circumscribed
    one, 1 for a regular tetrahedron, 0 for a flat one. dihedral_mean_min: mean over the tetrahedra
    of their smallest dihedral angle, 70.5 if all were regular. aspect_max: longest edge over
    smallest height, 1.22 for a regular one. The last five are None where no surface was given:
    volume_error: (volume - enclosed) / enclosed; deviation_out: how far the boundary lies from the
    surface at most; deviation_in: how far the surface lies from the boundary at most; both are
    measured at points `sampling` apart, so they may be short by no more than 0.58 of it.
    """

    vertices: int
    tets: int
    inverted: int
    volume: float
    dihedral_min: float
    dihedral_max: float
    dihedral_mean_min: float
    radius_ratio_min: float
    radius_ratio_mean: float
    aspect_max: float
    edge_min: float
    edge_mean: float
    edge_p5: float
    edge_p95: float
    edge_max: float
    volume_error: float | None = None
    deviation_out: float | None = None
    deviation_in: float | None = None
    sampling: float | None = None

    def lines(self, lengths_in_metres: bool = True) -> list[str]:
        """The report as people read it, a line each."""
        show = show_length if lengths_in_metres else "{:.4g}".format
        lines = [
            f"{self.vertices} vertices, {self.tets} tetrahedra, {self.inverted} inverted, volume "
            f"{self.volume:.6g}" + (" m3" if lengths_in_metres else ""),
            f"dihedral angles {self.dihedral_min:.1f} to {self.dihedral_max:.1f} degrees, smallest "
            f"of each on average {self.dihedral_mean_min:.1f}",
            f"radius ratio at least {self.radius_ratio_min:.3f}, on average "
            f"{self.radius_ratio_mean:.3f} (1 is regular); longest edge over smallest height up to "
            f"{self.aspect_max:.1f}",
            f"edges {show(self.edge_min)} to {show(self.edge_max)}, on average "
            f"{show(self.edge_mean)}, 90 % of them from {show(self.edge_p5)} to "
            f"{show(self.edge_p95)}",
        ]
        if self.deviation_out is not None and self.deviation_in is not None:
            lines.append(
                f"boundary within {show(self.deviation_out)} of the surface, surface within "
                f"{show(self.deviation_in)} of the boundary; volume differs by "
                f"{100 * (self.volume_error or 0.0):+.3g} %")
        return lines


def tet_edges(tets: NDArray[np.int32]) -> NDArray[np.int32]:
    """The edges (E, 2) of tetrahedra (T, 4), each once, low vertex first, sorted."""
    pairs = np.concatenate([tets[:, e[:2]] for e in EDGES])
    return np.unique(np.sort(pairs, axis=1), axis=0)


def dihedral_angles(corners: Floats) -> Floats:
    """The dihedral angles (T, 6) [rad] of tetrahedra with corners (T, 4, 3), in order of EDGES."""
    angles = np.empty((len(corners), 6))
    for k, (a, b, c, d) in enumerate(EDGES):
        edge = corners[:, b] - corners[:, a]
        n = np.cross(edge, corners[:, c] - corners[:, a])
        m = np.cross(edge, corners[:, d] - corners[:, a])
        angles[:, k] = np.arctan2(np.linalg.norm(np.cross(n, m), axis=1),
                                  np.einsum("ij,ij->i", n, m))
    return angles


def _shapes(corners: Floats) -> tuple[Floats, Floats, Floats]:
    """Six times the volume, radius ratio, and longest edge over smallest height, each (T,)."""
    a, b, c = (corners[:, k] - corners[:, 0] for k in (1, 2, 3))
    six = np.einsum("ij,ij->i", np.cross(a, b), c)
    opposite = np.stack([np.linalg.norm(np.cross(corners[:, i] - corners[:, j],
                                                 corners[:, k] - corners[:, j]), axis=1)
                         for i, j, k in ((1, 2, 3), (0, 2, 3), (0, 1, 3), (0, 1, 2))], axis=1)
    turn = (np.einsum("ij,ij->i", a, a)[:, None] * np.cross(b, c)
            + np.einsum("ij,ij->i", b, b)[:, None] * np.cross(c, a)
            + np.einsum("ij,ij->i", c, c)[:, None] * np.cross(a, b))
    longest = np.max([np.linalg.norm(corners[:, e[1]] - corners[:, e[0]], axis=1)
                      for e in EDGES], axis=0)
    with np.errstate(divide="ignore", invalid="ignore"):
        inner = np.abs(six) / opposite.sum(axis=1)
        outer = np.linalg.norm(turn, axis=1) / (2 * np.abs(six))
        ratio = np.where(six != 0, 3 * inner / outer, 0.0)
        aspect = np.where(six != 0, longest * opposite.max(axis=1) / np.abs(six), np.inf)
    return six, np.sign(six) * ratio, aspect


def sample_surface(surface: _core.TriMesh, spacing: float) -> tuple[Floats, float]:
    """Points on all triangles, corners and edges included, and the spacing that was kept [m].

    The spacing is made wider where more than 400,000 points would be needed.
    """
    x = np.asarray(surface.vertices)[np.asarray(surface.triangles)]
    longest = np.max([np.linalg.norm(x[:, k] - x[:, k - 1], axis=1) for k in range(3)], axis=0)
    while True:
        parts = np.maximum(np.ceil(longest / spacing), 1).astype(np.int64)
        if float((0.5 * (parts + 1.0) * (parts + 2.0)).sum()) <= MAX_SAMPLES or parts.max() == 1:
            break
        spacing *= 1.25
    points = []
    for n in np.unique(parts):
        i, j = (k.ravel() for k in np.meshgrid(np.arange(n + 1), np.arange(n + 1)))
        inside = i + j <= n
        weights = np.stack([i[inside], j[inside], n - i[inside] - j[inside]], axis=1) / n
        points.append(np.einsum("pk,tkd->tpd", weights, x[parts == n]).reshape(-1, 3))
    return np.concatenate(points), spacing


def measure_deviation(boundary: _core.TriMesh, surface: _core.TriMesh,
                      spacing: float) -> tuple[float, float, float]:
    """How far two surfaces lie apart at most: first from second, second from first [m].

    spacing: distance of the points at which it is measured [m]; returned third, as it was kept.
    """
    a, kept_a = sample_surface(boundary, spacing)
    b, kept_b = sample_surface(surface, spacing)
    return (float(_core.distance_to_surface(a, surface).max()),
            float(_core.distance_to_surface(b, boundary).max()), max(kept_a, kept_b))


def measure_tets(mesh: _core.TetMesh, surface: _core.TriMesh | None = None) -> TetReport:
    """Measures a volume mesh.

    mesh: tetrahedra [m]; surface: the closed surface that it should fill [m], or None. Raises
    InputError for a mesh without tetrahedra or with vertices that are missing or not finite.
    """
    bad = _core.check_volume(mesh)
    if bad.tets == 0 or bad.invalid_tets or bad.nonfinite_vertices:
        _core.require_volume(mesh, "volume")
    tets = np.asarray(mesh.tets)
    x = np.asarray(mesh.vertices)
    corners = x[tets]
    angles = np.degrees(dihedral_angles(corners))
    six, ratio, aspect = _shapes(corners)
    edges = tet_edges(tets)
    length = np.linalg.norm(x[edges[:, 1]] - x[edges[:, 0]], axis=1)
    error = out = back = spacing = None
    if surface is not None and len(surface.triangles):
        boundary, _ = _core.boundary_surface(mesh)
        # A tenth of an edge, but no finer than tells for a large flat part.
        out, back, spacing = measure_deviation(boundary, surface, float(length.mean()) / 10)
        enclosed = surface.volume
        error = (mesh.volume - enclosed) / enclosed if enclosed else math.nan
    return TetReport(
        vertices=len(x), tets=len(tets), inverted=int((six <= 0).sum()), volume=mesh.volume,
        dihedral_min=float(angles.min()), dihedral_max=float(angles.max()),
        dihedral_mean_min=float(angles.min(axis=1).mean()), radius_ratio_min=float(ratio.min()),
        radius_ratio_mean=float(ratio.mean()), aspect_max=float(aspect.max()),
        edge_min=float(length.min()), edge_mean=float(length.mean()),
        edge_p5=float(np.percentile(length, 5)), edge_p95=float(np.percentile(length, 95)),
        edge_max=float(length.max()), volume_error=error, deviation_out=out, deviation_in=back,
        sampling=spacing)
