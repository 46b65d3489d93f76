"""Meshes as careless programs write them, from sound ones: the shape stays, the triangles do not."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from haptos import _core
from haptos.base.errors import refuse
from haptos.meshes import given
from haptos.scans.measure import bends, components, edge_table, triangle_normals
from haptos.scans.noise import random_generator

Points = NDArray[np.float64]
Indices = NDArray[np.int64]

MOST_HOLES = 0.05  #: of the area of a face
_SHARP = np.radians(30)  # edges that bend by more are rims of faces
_HOLES_EACH = 3  # in a face


def _share(name: str, value: float, most: float) -> float:
    if (isinstance(value, bool) or not isinstance(value, (int, float, np.integer, np.floating))
            or not 0 <= value <= most):
        refuse(name, value, f"must be a share from 0 to {most:g}", "0 leaves it out")
    return float(value)


def faces_of(x: Points, triangles: Indices) -> tuple[Indices, NDArray[np.bool_]]:
    """A label for each triangle, the same for those of one face; and which vertices are on a rim.

    Rims are edges that bend by more than 30 degrees and edges that have not two triangles.
    """
    edges = edge_table(triangles)
    normals, _ = triangle_normals(x, triangles)
    smooth = edges.count == 2
    smooth[smooth] = bends(normals, edges) <= _SHARP
    rim = np.zeros(len(x), bool)
    rim[edges.ends[~smooth].ravel()] = True
    return components(len(triangles), edges.pair[smooth]), rim


def punch_holes(x: Points, triangles: Indices, share: float, rng: np.random.Generator) -> Indices:
    """Takes round patches out of every face whose triangles are fine enough, at most `share` of its
    area; no patch touches the face's rim."""
    face, rim = faces_of(x, triangles)
    _, area = triangle_normals(x, triangles)
    middle = x[triangles].mean(axis=1)
    inside = np.flatnonzero(~rim[triangles].any(axis=1))
    order = inside[np.argsort(face[inside], kind="stable")]
    budget = share / _HOLES_EACH * np.bincount(face, area, minlength=len(triangles))
    gone = np.zeros(len(triangles), bool)
    for own in np.split(order, np.flatnonzero(np.diff(face[order])) + 1):
        if len(own) == 0:
            continue
        for centre in rng.choice(own, _HOLES_EACH):
            left = own[~gone[own]]
            distance = ((middle[left] - middle[centre]) ** 2).sum(axis=1)
            near = left[np.argsort(distance, kind="stable")]
            gone[near[np.cumsum(area[near]) <= budget[face[centre]]]] = True
    return triangles[~gone]


def split_edges(x: Points, triangles: Indices, share: float,
                rng: np.random.Generator) -> tuple[Points, Indices]:
    """Halves that share of the triangles at a point of an edge that the neighbour knows nothing of:
    T-junctions. The surface stays where it is."""
    edges = edge_table(triangles)
    drawn = rng.permutation(len(triangles))[:round(share * len(triangles))]
    side = rng.integers(0, 3, len(drawn))
    edge = edges.of[drawn, side]
    _, once = np.unique(edge, return_index=True)  # a neighbour must not halve the same edge
    once = np.sort(once[edges.count[edge[once]] > 1])
    drawn, side = drawn[once], side[once]
    a, b, c = (triangles[drawn, (side + k) % 3] for k in range(3))
    new = x[a] + rng.uniform(0.3, 0.7, (len(drawn), 1)) * (x[b] - x[a])
    m = np.arange(len(x), len(x) + len(drawn))
    kept = np.delete(triangles, drawn, axis=0)
    return (np.concatenate([x, new]),
            np.concatenate([kept, np.column_stack([a, m, c]), np.column_stack([m, b, c])]))


def _picked(triangles: Indices, share: float, rng: np.random.Generator) -> Indices:
    return np.sort(rng.permutation(len(triangles))[:round(share * len(triangles))])


def _shuffled(x: Points, t: Indices, rng: np.random.Generator) -> tuple[Points, Indices]:
    """Triangles, their first corners, and vertices in another order."""
    t = t[rng.permutation(len(t))]
    first = rng.integers(0, 3, len(t))[:, None]
    t = np.take_along_axis(t, (first + np.arange(3)) % 3, axis=1)
    place = rng.permutation(len(x))
    moved = np.empty_like(x)
    moved[place] = x
    return moved, place[t]


def break_mesh(mesh: _core.TriMesh, seed: int = 1, *, flip: float = 0.0, holes: float = 0.0,
               duplicate: float = 0.0, t_junctions: float = 0.0,
               shuffle: bool = False) -> _core.TriMesh:
    """Breaks a mesh as files are broken; what is not asked for stays.

    flip: share of the triangles whose winding is turned; holes: share of each face's area that is
    missing in round patches, at most 0.05, none at a rim (an edge of 30 degrees or more, or an open
    one), and none where a face has too few triangles; duplicate: share of the triangles that are
    there twice, half of the copies turned; t_junctions: share of the triangles that are halved at a
    point of an edge that the neighbour goes on without; shuffle: triangles, corners and vertices
    change their order. In this order: holes, T-junctions, turns, copies, shuffle.
    """
    mesh = given.surface(mesh, "mesh")
    shares = {"flip": (flip, 1.0), "holes": (holes, MOST_HOLES), "duplicate": (duplicate, 1.0),
              "t_junctions": (t_junctions, 1.0)}
    flip, holes, duplicate, t_junctions = (_share(n, v, most) for n, (v, most) in shares.items())
    x, t = np.array(mesh.vertices), np.array(mesh.triangles, np.int64)
    if len(t) == 0:
        refuse("mesh", "", "has no triangle", "give a surface")
    streams = [random_generator(seed, 10 + k) for k in range(5)]
    if holes > 0:
        t = punch_holes(x, t, holes, streams[0])
    if t_junctions > 0:
        x, t = split_edges(x, t, t_junctions, streams[1])
    turn = _picked(t, flip, streams[2])
    t[turn] = t[turn, ::-1]
    copies = t[_picked(t, duplicate, streams[3])]
    copies[1::2] = copies[1::2, ::-1]
    t = np.concatenate([t, copies])
    if shuffle:
        x, t = _shuffled(x, t, streams[4])
    return _core.TriMesh(x, t)
