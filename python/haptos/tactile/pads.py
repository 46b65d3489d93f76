"""Gel pads: made here, or from a volume file, in the pad's frame.

The frame has its origin at the highest point of the gel and +z out of it; the base is down.
"""

from __future__ import annotations

import math
import warnings
from dataclasses import dataclass, field
from pathlib import Path
from typing import NoReturn

import numpy as np

from haptos import _core
from haptos.base.errors import refuse
from haptos.meshes.files import read_volume

VOLUME_SUFFIXES = (".vtk", ".msh")
PIXEL_PITCH = 6.34e-5  # of a GelSight Mini at 320 x 240 [m]
LEAST_BASE = 0.25  # part of what faces down that must lie in the lowest plane
MARKER_PITCH = 1.5e-3  # [m]


@dataclass
class Gel:
    """A pad in the pad frame: its mesh, the vertices of its base, the triangles of its coat.

    thickness [m]: from base to top; notes: what was assumed or mended, a sentence each.
    """

    mesh: _core.TetMesh
    base: np.ndarray
    coat: np.ndarray
    thickness: float = 0.0
    notes: list[str] = field(default_factory=list)


@dataclass(frozen=True)
class Fine:
    """Where a pad is to have small elements: their width, the middle and the sides of the region
    along x and y; gel frame [m]. Beyond they grow by `growth` from one to the next, up to `rim`
    [m], None: as wide as they are at the rim of the pad as it comes."""

    width: float
    at: tuple[float, float]
    size: tuple[float, float]
    growth: float = 1.5
    rim: float | None = None

    def grading(self, like: _core.PadGrading, thickness: float) -> _core.PadGrading:
        """Element sizes of a box that is otherwise like another; layers are thin at its top, and
        elements below the first one are twice as wide."""
        rim = like.rim_size if self.rim is None else self.rim
        return _core.PadGrading(min(like.top_size, 2 * self.width), 0.42 * thickness,
                                self.width, max(rim, self.width), self.growth, self.size, 1.6,
                                self.at, True)

    def round_grading(self, like: _core.PadGrading, thickness: float) -> _core.PadGrading:
        """The same of a round pad, whose small elements lie about its middle."""
        sides = [2 * abs(a) + s for a, s in zip(self.at, self.size, strict=True)]
        reach = math.hypot(*sides)
        made = self.grading(like, thickness)
        made.even, made.centre_at, made.widen = (reach, reach), (0.0, 0.0), False
        return made


def refuse_fine(what: str) -> NoReturn:
    """A pad from a mesh has the elements of its file."""
    refuse("elements", what, "is a mesh with elements of its own",
           "leave --elements out, or give a finer mesh")


def default_grading() -> _core.PadGrading:
    """Element sizes of the pads that are made here."""
    return _core.PadGrading(0.65e-3, 2.2e-3, 0.65e-3, 1.6e-3, layer_growth=1.85, widen=True)


def gel_of(made: _core.Pad) -> Gel:
    """A pad made by box_pad or round_pad."""
    return Gel(made.mesh, np.asarray(made.base_vertices), np.asarray(made.coat), made.thickness)


def read_pad(path: str, unit: str | None = None, face: str = "top",
             glued: float | None = None) -> Gel:
    """A pad from a volume file (.vtk, .msh): the lowest vertices are its base, what faces up its
    coat.

    unit: "mm" or "m" of the file, None guesses from its size; face: which side is the coat, "top"
    or "bottom"; glued [m]: the base is what lies so deep below the highest point or deeper, None:
    the lowest plane. Raises InputError.
    """
    if Path(path).suffix.lower() not in VOLUME_SUFFIXES:
        refuse("pad", path, "must be box, dome, or a volume file (.vtk, .msh)",
               "see haptos press --help")
    if face not in ("top", "bottom"):
        refuse("pad-face", face, "must be top or bottom", "it is the side that is pressed")
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        mesh = read_volume(path)
    notes = [str(w.message) for w in caught]
    x = np.asarray(mesh.vertices)
    if not np.isfinite(x).all() or len(x) == 0:
        _core.require_volume(mesh, path)
    scale = file_scale(path, unit, float(np.ptp(x, axis=0).max()), notes)
    turn = (1.0, 0.0, 0.0, 0.0) if face == "top" else (0.0, 1.0, 0.0, 0.0)
    mesh = mesh.transformed(quaternion=turn, scale=scale)
    mesh, turned = _core.orient(mesh)
    if turned:
        notes.append(f"{path}: {turned} tetrahedra were turned to have a positive volume.")
    _core.require_volume(mesh, path)
    lo, hi = np.asarray(mesh.bounds)
    mesh = mesh.transformed(position=(-0.5 * (lo[0] + hi[0]), -0.5 * (lo[1] + hi[1]), -hi[2]))
    gel = _split_pad(mesh, path, glued)
    gel.thickness, gel.notes = float(hi[2] - lo[2]), notes
    return gel


def file_scale(path: str, unit: str | None, size: float, notes: list[str]) -> float:
    """Metres per unit of a file whose largest side has `size` units."""
    if unit is None:
        unit = "mm" if size > 1 else "m"
        notes.append(f"{path}: its largest side measures {size:.4g}, so its unit is taken to be "
                     f"{unit} (--unit says otherwise).")
    return 1e-3 if unit == "mm" else 1.0


def _split_pad(mesh: _core.TetMesh, pad: str, glued: float | None) -> Gel:
    """Base (the lowest vertices) and coat (what faces up) of a pad from a file."""
    x = np.asarray(mesh.vertices)
    thickness = -float(x[:, 2].min())
    base = np.flatnonzero(x[:, 2] < -(thickness if glued is None else glued) * (1 - 1e-3))
    if len(base) < 3 and glued is not None:
        refuse("pad", pad, f"has no three vertices {1e3 * glued:g} mm below its highest point, to be glued",
               f"it is {1e3 * thickness:.4g} mm thick")
    if len(base) < 3:
        refuse("pad", pad, "has no flat base: fewer than three vertices lie in its lowest plane",
               "turn it so that its base is down, or use --pad-face bottom")
    surface, ids = _core.boundary_surface(mesh)
    triangles = np.asarray(ids)[np.asarray(surface.triangles)]
    a, b, c = (x[triangles[:, k]] for k in range(3))
    normal = np.cross(b - a, c - a)
    lowest = np.isin(triangles, base).all(axis=1)
    area, under = (0.5 * -normal[k, 2].sum() for k in (lowest, normal[:, 2] < 0))
    if area < LEAST_BASE * under:
        refuse("pad", pad, "has no face to glue that can be told: its lowest plane holds "
               f"{100 * area / under:.0f} % of what faces down", "turn it so that its flat base "
               "is down, or use --pad-face bottom")
    coat = triangles[normal[:, 2] > 0.5 * np.linalg.norm(normal, axis=1)]
    coat = coat[x[coat][:, :, 2].max(axis=1) > -0.5 * thickness]
    if len(coat) == 0:
        refuse("pad", pad, "has no surface that faces up", "use --pad-face bottom")
    return Gel(mesh, base, coat)


def sensor_of(gel: Gel) -> tuple[_core.TactileCamera, _core.MarkerGrid]:
    """A camera that sees the coat less a rim, and markers that stay clear of the coat's border."""
    x = np.asarray(gel.mesh.vertices)[np.unique(gel.coat)]
    size = np.ptp(x[:, :2], axis=0)
    pitch = PIXEL_PITCH * max(1.0, size.max() / (390 * PIXEL_PITCH) * 0.98)
    pixels = np.maximum(np.floor(0.98 * size / pitch).astype(int), 16)
    camera = _core.TactileCamera.orthographic(int(pixels[0]), int(pixels[1]), float(pitch))
    step = MARKER_PITCH * max(1.0, size.max() / 25e-3)
    counts = np.maximum(np.floor((0.9 * size - 0.5 * step) / step).astype(int), 1)
    return camera, _core.MarkerGrid(int(counts[1]), int(counts[0]), float(step), float(step))
