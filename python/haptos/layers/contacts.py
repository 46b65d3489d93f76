"""Where two surfaces with boundary layers touch."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from haptos import _core
from haptos.base.errors import refuse
from haptos.base.turns import quaternion
from haptos.layers.surface import Surface

Array = NDArray[np.float64]


@dataclass(frozen=True)
class Contacts:
    """The contacts of one pair of surfaces, a and b; arrays over contacts, world frame.

    A contact stands for an area. Depth times area, summed over the contacts, is the integral of the
    depth over the surface: a pressure of `modulus` times depth pushes a with
    modulus * area * depth * normal.
    """

    point_a: Array  #: on the layer of a (n, 3) [m]
    point_b: Array  #: on the layer of b (n, 3) [m]
    normal: Array  #: unit, from b to a: a is pushed along it (n, 3)
    gap: Array  #: normal . (point_a - point_b), below 0 where layers overlap (n,) [m]
    area: Array  #: (n,) [m2]
    feature: NDArray[np.int64]  #: of a and of b, together unique; the same from step to step (n, 2)

    def __len__(self) -> int:
        return len(self.gap)

    @property
    def point(self) -> Array:
        """Midway between point_a and point_b (n, 3) [m]."""
        return 0.5 * (self.point_a + self.point_b)

    @property
    def depth(self) -> Array:
        """-gap where layers overlap, else 0 (n,) [m]."""
        return np.maximum(-self.gap, 0.0)

    def force(self, modulus: float) -> Array:
        """On a, of each contact (n, 3) [N], for a stiffness [Pa/m] of each square metre."""
        return (modulus * self.area * self.depth)[:, None] * self.normal

    def wrench(self, modulus: float, about: ArrayLike = (0.0, 0.0, 0.0)) -> tuple[Array, Array]:
        """Force [N] on a and its torque [N m] about a point [m], for a stiffness [Pa/m]."""
        force = self.force(modulus)
        return force.sum(0), np.cross(self.point - np.asarray(about, float), force).sum(0)


def pose_of(pose: ArrayLike | None, name: str) -> tuple[Any, Any]:
    """Place (3,) [m] and quaternion (4,) of a pose; None of None."""
    if pose is None:
        return None, None
    x = np.asarray(pose, float)
    if x.shape == (7,):
        return x[:3], x[3:]
    if x.shape == (4, 4):
        turn = x[:3, :3]
        if not np.allclose(turn @ turn.T, np.eye(3), atol=1e-6) or np.linalg.det(turn) < 0:
            refuse(name, "its upper left 3 x 3", "must be a rotation",
                   "give a matrix without scale and without mirror")
        return x[:3, 3], quaternion(turn)
    return refuse(name, f"an array {x.shape}", "must be seven numbers or a matrix (4, 4)",
                  "give x, y, z, w, x, y, z or a homogeneous matrix")


def contacts(a: Surface, b: Surface, pose_a: ArrayLike | None = None,
             pose_b: ArrayLike | None = None, *, reach: float | str = 0.0,
             most: int = 0) -> Contacts:
    """Finds where two surfaces touch.

    a, b: surfaces, prepared once. pose_a, pose_b: where their frames are in the world, x y z [m] and
    a quaternion w x y z (7,), or a homogeneous matrix (4, 4); None: at the origin. reach: contacts
    that are apart by up to this much are found too [m], or a text with a unit; their gap is above 0.
    most: where more contacts are found they are merged, so that the wrench stays
    (docs/contact/boundary_layer.md); 0: never.

    The contacts depend neither on the order of triangles and vertices, nor on how flat faces are
    cut, nor on which surface comes first, to rounding. Raises InputError where neither surface has
    a layer. Source: the layer of Hauser 2013, ISRR; the set of contacts is our own.
    """
    for name, s in (("a", a), ("b", b)):
        if not isinstance(s, Surface):
            refuse(name, type(s).__name__, "must be a haptos.Surface",
                   f"give haptos.Surface({name}, layer=...)")
    pa, qa = pose_of(pose_a, "pose_a")
    pb, qb = pose_of(pose_b, "pose_b")
    return Contacts(*_core.layer_contacts(a._core, b._core, pa, qa, pb, qb, reach, most))
