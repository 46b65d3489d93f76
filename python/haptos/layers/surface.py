"""A surface with a boundary layer, prepared once."""

from __future__ import annotations

from typing import Any

import numpy as np

from haptos import _core
from haptos.base.errors import refuse
from haptos.meshes.given import number


def shape_of(what: Any) -> _core.RobotShape:
    """A RobotShape, or the mesh that a TriMesh or a pair (vertices, triangles) is."""
    if isinstance(what, _core.RobotShape):
        return what
    if isinstance(what, _core.TriMesh):
        return _core.RobotShape("mesh", mesh=what)
    try:
        vertices, triangles = what
    except (TypeError, ValueError):
        refuse("surface", type(what).__name__,
               "must be a RobotShape, a TriMesh, or vertices and triangles",
               "give for example (vertices, triangles)")
    return _core.RobotShape("mesh", mesh=_core.TriMesh(np.asarray(vertices, float),
                                                       np.asarray(triangles)))


class Surface:
    """A shape or any triangles with a layer of a width about them.

    Nothing is asked of the triangles: they may be open, overlap, be turned either way, be given
    twice or have no area. What takes time (a tree, edges that stand out, which side is out) is made
    here, once; a surface may be in any number of contacts at any poses.
    """

    def __init__(self, shape: Any, layer: float | str = 0.0, *, sheet: bool = False,
                 shrink: bool = False) -> None:
        """
        shape: RobotShape of any kind, TriMesh [m], or a pair of vertices (n, 3) [m] and triangles
            (m, 3).
        layer: width [m], or a text with a unit. The two surfaces of a pair touch where they are
            nearer than the sum of their widths; one of the two may be 0.
        sheet: a mesh has two sides everywhere, even where it encloses a volume.
        shrink: what encloses a volume gets smaller by its layer, which then ends where the shape did;
            see stands_out.
        Raises InputError for a mesh without anything, for coordinates that are not finite and for
        triangles that name a missing vertex.
        """
        self._core = _core.LayerSurface(shape_of(shape), layer, sheet, shrink)

    @classmethod
    def points(cls, points: Any, radius: float | str,
               layer: float | str = 0.0) -> Surface:
        """A cloud of points (n, 3) [m], each a ball of a radius [m]; and a layer about them."""
        x = np.asarray(points, float)
        mesh = _core.TriMesh(x, points=np.arange(len(x)))
        widths = [number(w, "m", what) for w, what in ((radius, "radius"), (layer, "layer"))]
        return cls(mesh, sum(widths))

    @property
    def layer(self) -> float:
        """Width [m]."""
        return float(self._core.layer)

    @property
    def triangles(self) -> int:
        """Triangles with area, each counted once."""
        return int(self._core.triangles)

    @property
    def sided(self) -> int:
        """Triangles of parts that enclose a volume, and so have an inside."""
        return int(self._core.sided)

    @property
    def dropped(self) -> int:
        """Triangles that were left out: without area, or given again."""
        return int(self._core.dropped)

    @property
    def stands_out(self) -> float:
        """By how much the layer stands out at most where the shape was too thin to shrink [m]."""
        return float(self._core.stands_out)

    @property
    def area(self) -> float:
        """Of all triangles [m2]."""
        return float(self._core.area)

    def __repr__(self) -> str:
        return (f"haptos.Surface({self.triangles} triangles, {self.sided} of them with an inside, "
                f"layer {1e3 * self.layer:g} mm)")
