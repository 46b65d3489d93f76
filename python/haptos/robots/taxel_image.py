"""What taxels feel, in arrays."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]
BENT = (0.5, 1.5)  # least and most that curvature may change a force by


class TaxelImage(NamedTuple):
    """What taxels feel, in the frame of their body; zero where nothing touches."""

    pressure: Array  #: (env, n) [Pa]
    displacement: Array  #: how far the surface is pressed in along its normal (env, n) [m]
    normal: Array  #: unit, outward, of the surface where it is pressed to (env, n, 3)
    shear: Array  #: tangential, on the body (env, n, 3) [Pa]
    force: Array  #: on the body: pressure along the surface's normal, and shear, times area (env, n, 3) [N]


def image_of(pressure: Array, displacement: Array, normal: Array, shear: Array, own: Array, area: Array,
             mean: Array, gauss: Array) -> TaxelImage:
    """With its forces. own: unit normals of the surface at rest (n, 3); mean, gauss: its curvatures (n)
    [1/m], [1/m2]; area (n) [m2]."""
    bent = np.clip(1 - mean * displacement + gauss * displacement**2 / 3, *BENT)
    force = area[:, None] * (shear - (pressure * bent)[..., None] * own)
    return TaxelImage(pressure, displacement, normal, shear, force)
