"""Taxels: what places on a body feel of hydroelastic contact."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike, NDArray

from haptos import _core
from haptos.base.errors import refuse
from haptos.robots.taxel_image import TaxelImage, image_of

if TYPE_CHECKING:
    from haptos.scene.sim import Sim

Array = NDArray[np.float64]


class Taxels:
    """Places on a rigid body or a link that feel hydroelastic contact.

    Where another body covers a taxel, the surface is pressed in along its normal to where the pressures
    of both bodies agree; that is its pressure and its displacement. Shear is the friction of the
    contacts around it, which holds as long as they stick, also at rest. Forces of a dense array add up
    to the force of contact of bodies at rest.
    """

    def __init__(self, sim: Sim, body: str, place: ArrayLike, area: ArrayLike = 1e-6) -> None:
        """
        sim: whose bodies touch. body: name of a rigid body, or "robot/link". place: places (n, 3) in its
        frame [m], at its surface; they are moved to the nearest one. area: that each stands for [m2],
        or of all (n,).

        Raises InputError for a body without a pressure field around it, for a place that is farther from
        the surface than a tenth of the body's size, and for areas that are not above 0. Source: equal
        pressure as in Elandt et al. 2019 (IROS); docs/contact/hydroelastic.md.
        """
        self._sim = sim
        places = np.atleast_2d(np.asarray(place, float))
        if np.ndim(area) and np.shape(area) != (len(places),):
            refuse("area", f"of shape {np.shape(area)}", f"must be one number or ({len(places)},)",
                   "give one for each place")
        self.area: Array = np.broadcast_to(np.asarray(area, float), len(places)).copy()  #: (n,) [m2]
        self._core = _core.Taxels(sim._core, body, places, self.area.tolist())
        self.place: Array = np.asarray(self._core.place())  #: (n, 3) [m]
        self.normal: Array = np.asarray(self._core.normal())  #: outward, unit (n, 3)

    @classmethod
    def on_mesh(cls, sim: Sim, body: str, mesh: _core.TriMesh) -> Taxels:
        """A taxel in the middle of each triangle of a mesh [m] in the frame of the body."""
        corners = np.asarray(mesh.vertices)[np.asarray(mesh.triangles)]
        twice = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
        return cls(sim, body, corners.mean(1), 0.5 * np.linalg.norm(twice, axis=1))

    def __len__(self) -> int:
        return len(self.place)

    def read(self) -> TaxelImage:
        """As the last step left the bodies."""
        each = [self._core.read(core) for core in self._sim._each]
        pressure, displacement, normal, shear = (np.array(a) for a in zip(*each, strict=True))
        return image_of(pressure, displacement, normal, shear, self.normal, self.area,
                        *(np.asarray(c) for c in self._core.curvature()))
