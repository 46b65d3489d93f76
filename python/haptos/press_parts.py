"""What a press test presses, and into what: the object's surface, mended and turned; the pad."""

from __future__ import annotations

import warnings
from pathlib import Path

import numpy as np

from haptos import _core
from haptos.errors import InputError, refuse
from haptos.meshes import read_surface
from haptos.pads import Gel, default_grading, file_scale, gel_of, read_pad
from haptos.units import show_length

SURFACE_SUFFIXES = (".stl", ".obj", ".ply", ".off")


def load_object(shape: str, unit: str | None, face: str | None, seed: int,
                 notes: list[str]) -> _core.TriMesh:
    if unit not in (None, "mm", "m"):
        refuse("unit", unit, "must be mm or m", "leave it out to guess from the size")
    if face not in (None, "bottom", "top"):
        refuse("face", face, "must be bottom or top", "it is the side that touches the gel")
    if Path(shape).suffix.lower() in SURFACE_SUFFIXES or Path(shape).exists():
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


def load_pad(pad: str, unit: str | None, face: str) -> Gel:
    if pad not in ("box", "dome"):
        return read_pad(pad, unit, face)
    return gel_of(_core.box_pad(25.25e-3, 20.75e-3, 4e-3, grading=default_grading(),
                                dome=(0.135, 0.259) if pad == "dome" else None))


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
