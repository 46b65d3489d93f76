"""The surface on which the pressures of two bodies agree."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from haptos import _core
from haptos.base.errors import refuse
from haptos.fields.distance_field import DistanceField
from haptos.layers.contacts import pose_of

Array = NDArray[np.float64]


@dataclass(frozen=True)
class PressureSurface:
    """Where two bodies a and b push each other; arrays over patches, world frame.

    A patch of an area pushes a with area * pressure * normal.
    """

    point: Array  #: centres of pressure (n, 3) [m]
    normal: Array  #: unit, from b to a (n, 3)
    area: Array  #: (n,) [m2]
    pressure: Array  #: mean over the patch (n,) [Pa]
    stiffness: Array  #: change of pressure per depth (n,) [Pa/m]
    triangles: Array  #: corners of the surface (t, 3, 3) [m]
    triangle_pressure: Array  #: at the corners (t, 3) [Pa]

    def __len__(self) -> int:
        return len(self.area)

    @property
    def force(self) -> Array:
        """On a (3,) [N]."""
        return (self.area * self.pressure) @ self.normal

    def torque(self, about: ArrayLike = (0.0, 0.0, 0.0)) -> Array:
        """On a about a point [m] (3,) [N m]."""
        forces = (self.area * self.pressure)[:, None] * self.normal
        return np.cross(self.point - np.asarray(about, float), forces).sum(0)


def pressure_surface(a: DistanceField, b: DistanceField, pose_a: ArrayLike | None = None,
                     pose_b: ArrayLike | None = None, *, modulus_a: float | str | dict = np.inf,
                     modulus_b: float | str | dict = np.inf, patch_cells: int = 28) -> PressureSurface:
    """Finds the surface on which the pressures of two bodies that overlap agree.

    a, b: distance fields, prepared once. pose_a, pose_b: where their frames are in the world, x y z
    [m] and a quaternion w x y z (7,), or a homogeneous matrix (4, 4); None: at the origin. modulus_a,
    modulus_b: pressure per depth inside of each [Pa/m], or a text with a unit, or
    {"pressure": rows of depth [m] and pressure [Pa]}; infinite: rigid, and one of the two at most. patch_cells: cells across a patch, 4 to 200: time grows with their square, the
    error of the force falls with it.

    Raises InputError for two rigid bodies, for two half-spaces and for a modulus that is not above 0.
    Source: Elandt et al. 2019 (IROS); docs/contact/hydroelastic.md.
    """
    for name, s in (("a", a), ("b", b)):
        if not isinstance(s, DistanceField):
            refuse(name, type(s).__name__, "must be a haptos.DistanceField",
                   f"give haptos.DistanceField({name})")
    pa, qa = pose_of(pose_a, "pose_a")
    pb, qb = pose_of(pose_b, "pose_b")
    found = _core.pressure_surface(a._core, b._core, pa, qa, pb, qb, modulus_a, modulus_b,
                                   int(patch_cells))
    return PressureSurface(*found[:5], found[5].reshape(-1, 3, 3), found[6].reshape(-1, 3))
