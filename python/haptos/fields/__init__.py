"""Distance fields, and the surface on which the pressures of two bodies agree.

docs/contact/hydroelastic.md shows them.
"""

from haptos.fields.distance_field import DistanceField
from haptos.fields.pressure_surface import PressureSurface, pressure_surface

__all__ = ["DistanceField", "PressureSurface", "pressure_surface"]
