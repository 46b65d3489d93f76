"""Bodies of material points of a running simulation."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike, NDArray

from haptos import _core
from haptos.meshes.given import fit_rows
from haptos.meshes.skin import PointsSkin, points_skin

if TYPE_CHECKING:
    from haptos.scene.sim import Sim

Array = NDArray[np.float64]
FACTORS = ("stiffness", "yield_stress", "viscosity", "density", "friction")


class MaterialPoints:
    """Points of a body as they are now, from sim.material_points[name]; world frame."""

    def __init__(self, sim: Sim, name: str) -> None:
        self._sim = sim
        self.name = name
        *_, mass, volume = self._read(0)
        self.mass: float = mass  #: of each point as described [kg]
        self.volume: float = volume  #: of each point at rest [m3]

    def _read(self, env: int) -> tuple:
        return _core.material_points(self._sim._each[env], self.name)

    def _all(self, k: int) -> Array:
        return np.stack([self._read(env)[k] for env in range(len(self._sim._each))])

    def __len__(self) -> int:
        return len(self._read(0)[0])

    @property
    def position(self) -> Array:
        """(env, n, 3) [m]."""
        return self._all(0)

    @property
    def velocity(self) -> Array:
        """(env, n, 3) [m/s]."""
        return self._all(1)

    @property
    def deformation(self) -> Array:
        """The elastic part of the deformation gradient (env, n, 3, 3)."""
        return self._all(2).reshape(len(self._sim._each), -1, 3, 3)

    @property
    def volume_ratio(self) -> Array:
        """Volume over that at rest (env, n): the determinant of the elastic deformation."""
        return self._all(3)

    @property
    def flow(self) -> Array:
        """How much has flowed (env, n): the sum over steps of the deviatoric stretch that yielded."""
        return self._all(4)

    @property
    def spacing(self) -> float:
        """The cube root of the volume of a point [m]."""
        return float(np.cbrt(self.volume))

    def skin(self, env: int = 0, values: ArrayLike | None = None) -> PointsSkin:
        """The surface over its points as they are, world frame; values (n): of the points, brought to
        its vertices."""
        return points_skin(self._read(env)[0], self.spacing, values)

    @property
    def scale(self) -> dict[str, Array]:
        """Factors of what it is made of, (env) each: stiffness, yield_stress, viscosity, density, friction."""
        rows = [_core.material_scale(sim, self.name) for sim in self._sim._each]
        return dict(zip(FACTORS, np.array(rows).T, strict=True))

    def set_scale(self, *, stiffness: ArrayLike | None = None, yield_stress: ArrayLike | None = None,
                  viscosity: ArrayLike | None = None, density: ArrayLike | None = None,
                  friction: ArrayLike | None = None) -> None:
        """Sets factors of the description from the next step on: one for all environments, or (env); None: as it is.

        They are part of the state: saved, loaded, and 1 again after reset(). stiffness multiplies Young's
        modulus, of a liquid its bulk modulus, and the default modulus of contact with them; friction not
        what a pair sets for itself.
        """
        given = dict(zip(FACTORS, (stiffness, yield_stress, viscosity, density, friction), strict=True))
        rows = self.scale
        for name, value in given.items():
            if value is not None:
                rows[name] = fit_rows(f'factor of the {name} of "{self.name}"', value, (len(self._sim._each),))
        for k, sim in enumerate(self._sim._each):
            _core.set_material_scale(sim, self.name, [float(rows[name][k]) for name in FACTORS])

    def __repr__(self) -> str:
        return f"haptos.MaterialPoints({self.name!r}, {len(self)} points)"
