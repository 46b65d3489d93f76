"""What a press test presses, and into what: the object's surface, mended and turned; the pad."""

from __future__ import annotations

import math
import os
import warnings
from pathlib import Path
from typing import Any

import numpy as np

from haptos import _core
from haptos.base.errors import InputError, refuse
from haptos.base.units import show_length
from haptos.meshes.files import read_surface
from haptos.meshes.given import surface
from haptos.press.motion import Plan
from haptos.tactile.pads import Fine, Gel, default_grading, file_scale, gel_of, read_pad, refuse_fine
from haptos.tactile.quality import DEFAULT_QUALITY, QUALITIES, Quality, refuse_quality

_RIM = 1e-3  # of a pad, where no small elements begin [m]
# The top of a GelSight Mini's gel, from the maker's drawing: radii along x and y; how far its rim
# falls and how wide it is along x and y [m].
_DOME, _RIM_SHAPE = (0.189, 0.114), (1.25e-3, 2.9e-3, 2.82e-3)
_MOST_COLUMNS = 40_000  # of elements under an object
_MARGIN = 5e-4  # of small elements around what is pressed, or three of them if that is more [m]
_BESIDE = 8  # elements along a side, where they grow
SURFACE_SUFFIXES = (".stl", ".obj", ".ply", ".off")


def load_object(shape: Any, unit: str | None, face: str | None, seed: int,
                 notes: list[str]) -> _core.TriMesh:
    if isinstance(shape, os.PathLike):
        shape = os.fspath(shape)
    if unit not in (None, "mm", "m"):
        refuse("unit", unit, "must be mm or m", "leave it out to guess from the size")
    if face not in (None, "bottom", "top"):
        refuse("face", face, "must be bottom or top", "it is the side that touches the gel")
    if not isinstance(shape, str):
        mesh = _mend(surface(shape, "shape"), "object", notes)
        turned = face == "top"
    elif Path(shape).suffix.lower() in SURFACE_SUFFIXES or Path(shape).exists():
        mesh = _read_object(shape, unit, notes)
        turned = face == "top"
    else:
        try:
            mesh = _core.make_shape(shape, 0.3e-3, seed)
        except InputError:
            near = _core.nearest_name(shape, _core.shape_names())
            remedy = (f'did you mean "{near}"?' if near else "give an STL, OBJ, PLY or OFF file, "
                      "or one of " + ", ".join(_core.shape_names()))
            if shape in _core.shape_names():
                raise
            refuse("shape", shape, "is neither a file nor the name of a shape", remedy)
        turned = face != "bottom"
    return mesh.transformed(quaternion=(0.0, 1.0, 0.0, 0.0)) if turned else mesh


def _read_object(path: str, unit: str | None, notes: list[str]) -> _core.TriMesh:
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        mesh = read_surface(path)
    notes += [str(w.message) for w in caught]
    finite = np.asarray(mesh.vertices)[np.isfinite(mesh.vertices).all(axis=1)]
    scale = file_scale(path, unit, float(np.ptp(finite, axis=0).max()) if len(finite) else 0.0,
                        notes)
    if scale != 1.0:
        mesh = mesh.transformed(scale=scale)
    return _mend(mesh, path, notes)


def _mend(mesh: _core.TriMesh, path: str, notes: list[str]) -> _core.TriMesh:
    """The surface fit for contact; what cannot be mended and does not matter becomes a note."""
    report = _core.check_surface(mesh)
    if report.nonfinite_vertices or report.invalid_triangles:
        _core.require_contact_surface(mesh, path)
    if report.duplicate_vertices:
        mesh, merged, removed = _core.weld(mesh)
        notes.append(f"{path}: {merged} repeated vertices were joined"
                     + (f" and {removed} triangles that collapsed were left out." if removed
                        else "."))
    report = _core.check_surface(mesh)
    if report.degenerate_triangles or report.duplicate_triangles:
        mesh, removed = _core.remove_degenerate(mesh)
        notes.append(f"{path}: {removed} triangles without area or given twice were removed.")
        report = _core.check_surface(mesh)
    if report.inconsistent_edges or (report.closed and not report.outward):
        mesh, turned = _core.orient(mesh)
        notes.append(f"{path}: {turned} triangles were turned to face outward.")
        report = _core.check_surface(mesh)
    for finding in report.findings():
        notes.append(f"{path}: {finding} The press goes on: the object is rigid.")
    _core.require_contact_surface(mesh, path)
    return mesh


def load_pad(pad: str, unit: str | None, face: str, fine: Fine | None = None,
             quality: Quality = QUALITIES[DEFAULT_QUALITY]) -> Gel:
    if pad not in ("box", "dome"):
        if fine is not None:
            refuse_fine(pad)
        if quality.pad is not None:
            refuse_quality(quality.name, pad)
        return read_pad(pad, unit, face)
    size, thickness, grading = (25.25e-3, 20.75e-3), 4e-3, default_grading()
    if fine is not None:
        grading = fine.grading(grading, thickness)
    elif quality.pad is not None:
        grading = quality.pad.grading(thickness, size)
    return gel_of(_core.box_pad(*size, thickness, grading=grading,
                                dome=_DOME if pad == "dome" else None,
                                rim=_RIM_SHAPE if pad == "dome" else None))


def check_size(surface: _core.TriMesh, gel: Gel, at: tuple[float, float],
                notes: list[str]) -> None:
    object_size = np.ptp(np.asarray(surface.vertices), axis=0)
    pad_size = np.ptp(np.asarray(gel.mesh.vertices), axis=0)
    shown = " x ".join(show_length(v) for v in object_size)
    if object_size.max() < 1e-4 or object_size.max() > 100 * pad_size.max():
        refuse("object", shown, f"does not fit a pad of {show_length(pad_size[0])} x "
               f"{show_length(pad_size[1])}", "its unit is probably another one: use --unit")
    if (len(at) != 2 or not np.isfinite(at).all() or abs(at[0]) > pad_size[0] / 2
            or abs(at[1]) > pad_size[1] / 2):
        refuse("at", ", ".join(show_length(v) for v in at), "must lie on the pad",
               "0,0 is its middle")
    if object_size[0] > pad_size[0] or object_size[1] > pad_size[1]:
        notes.append(f"The object measures {shown} and reaches beyond the pad of "
                     f"{show_length(pad_size[0])} x {show_length(pad_size[1])}.")


def middle_of(surface: _core.TriMesh, gel: Gel, depth: float,
            notes: list[str]) -> tuple[np.ndarray, float]:
    """What goes over the middle of the pad (x, y), and the lowest height of the object [m].

    The middle of its box; of an object larger than the pad, the middle of what is pressed in.
    """
    x = np.asarray(surface.vertices)
    lo, hi = np.asarray(surface.bounds)
    pad = np.ptp(np.asarray(gel.mesh.vertices), axis=0)
    if (hi - lo)[0] <= pad[0] and (hi - lo)[1] <= pad[1]:
        return 0.5 * (lo + hi)[:2], float(lo[2])
    low = x[x[:, 2] <= lo[2] + depth]
    notes.append("What the object presses in first lies over the middle of the pad.")
    return 0.5 * (low.min(axis=0) + low.max(axis=0))[:2], float(lo[2])


def first_touch(surface: _core.TriMesh, middle: np.ndarray, lowest: float, at: tuple[float, float],
                gel: Gel) -> float:
    """Height of the object's frame where the object, its middle over `at`, comes down and touches
    the gel at rest first [m]. Both heights are drawn as images; what is sharp, vertices and points
    along edges, is taken as it is."""
    x, t = np.asarray(surface.vertices) - [*middle, lowest], np.asarray(surface.triangles)
    nodes = np.asarray(gel.mesh.vertices) - [*at, 0.0]
    deep = x[:, 2] < gel.thickness  # what is higher up cannot be first
    half = np.minimum(np.abs(x[:, :2]).max(axis=0), np.abs(nodes[:, :2]).max(axis=0))
    pitch = max(2.5e-5, float(half.max()) / 500)
    wide, high = (int(n) for n in np.ceil(2 * half / pitch) + 3)
    camera = _core.TactileCamera.orthographic(wide, high, pitch)
    coat = np.asarray(_core.DepthSensor(camera, nodes, gel.coat).rest_height())
    under = t[deep[t].any(axis=1)]
    body = np.asarray(_core.DepthSensor(camera, x, under).rest_height())
    apart = coat - body
    a, b = x[under].reshape(-1, 3), x[np.roll(under, -1, axis=1)].reshape(-1, 3)
    long = np.linalg.norm(b - a, axis=1) > 4 * pitch
    share = np.linspace(0, 1, 65)[1:-1, None, None]
    points = np.vstack([x[deep], (a[long] + share * (b[long] - a[long])).reshape(-1, 3)])
    column = points[:, 0] / pitch + 0.5 * (wide - 1)
    row = 0.5 * (high - 1) - points[:, 1] / pitch
    inside = (column >= 0) & (column <= wide - 1) & (row >= 0) & (row <= high - 1)
    column, row, points = column[inside], row[inside], points[inside]
    c, r = np.minimum(column.astype(int), wide - 2), np.minimum(row.astype(int), high - 2)
    u, v = column - c, row - r
    top = ((1 - v) * ((1 - u) * coat[r, c] + u * coat[r, c + 1])
           + v * ((1 - u) * coat[r + 1, c] + u * coat[r + 1, c + 1]))
    found = np.concatenate([apart.ravel(), top - points[:, 2]])
    found = found[np.isfinite(found)]
    return (float(found.max()) if len(found) else 0.0) - lowest


def _pressed_box(surface: _core.TriMesh, axis: np.ndarray, lowest: float, plan: Plan
                 ) -> tuple[np.ndarray, np.ndarray]:
    """Corners of the box that holds what the object presses in on its way, about its middle."""
    x, t = np.asarray(surface.vertices), np.asarray(surface.triangles)
    deepest = lowest + (plan.depths[-1] if plan.depths else plan.deepest)
    a, b = x[t].reshape(-1, 3), x[np.roll(t, -1, axis=1)].reshape(-1, 3)
    cut = (a[:, 2] - deepest) * (b[:, 2] - deepest) < 0  # edges that pass through the height
    share = (deepest - a[cut, 2]) / (b[cut, 2] - a[cut, 2])
    points = np.vstack([x[x[:, 2] <= deepest], a[cut] + share[:, None] * (b[cut] - a[cut])])
    points = points[:, :2] - axis
    if plan.twist:
        reach = float(np.linalg.norm(points, axis=1).max())
        points = np.array([[-reach, -reach], [reach, reach]])
    points = np.vstack([points, points + plan.shear])
    return points.min(axis=0), points.max(axis=0)


def _margin(width: float) -> float:
    return max(3 * width, _MARGIN)


def chosen_width(surface: _core.TriMesh, axis: np.ndarray, lowest: float, plan: Plan,
                 quality: Quality) -> float | None:
    """Of the elements below the object at a quality, None: those of the pad as it comes [m]."""
    lo, hi = _pressed_box(surface, axis, lowest, plan)
    return quality.width_for(tuple(hi - lo), _margin, _BESIDE)


def fine_region(surface: _core.TriMesh, axis: np.ndarray, lowest: float, plan: Plan, width: float,
                at: tuple[float, float], gel: Gel, quality: Quality) -> Fine:
    """Where the gel needs elements of this width [m]: below what the object presses in on its way,
    and half a millimetre, or three elements, around it. Raises InputError."""
    if not (math.isfinite(width) and 5e-5 <= width <= 5e-3):
        refuse("elements", f"{width:g} m", "must be from 50 um to 5 mm",
               "for example --elements 0.25mm")
    low, high = _pressed_box(surface, axis, lowest, plan)
    margin = _margin(width)
    # Its middle lies on the pad, inside its rim.
    most = 0.5 * np.ptp(np.asarray(gel.mesh.vertices), axis=0)[:2] - _RIM
    lo = np.clip(np.asarray(at) + low - margin, -most, most - 2 * margin)
    hi = np.clip(np.asarray(at) + high + margin, lo + 2 * margin, most)
    many = np.prod((hi - lo) / width)
    if many > _MOST_COLUMNS:
        refuse("elements", show_length(width), f"makes {many:.3g} columns of elements under the "
               f"object, and {_MOST_COLUMNS:,} are allowed", "ask for larger ones")
    middle, size = 0.5 * (lo + hi), hi - lo
    return Fine(width, (float(middle[0]), float(middle[1])), (float(size[0]), float(size[1])),
                quality.growth, quality.rim)
