"""Quantities as people write them ("1mm", "435 kPa") and as they read them.

The units are those of the C++ table, haptos/base/text/units.cpp.
"""

from __future__ import annotations

from haptos._core import convertible_units, known_units, parse_quantity

__all__ = ["convertible_units", "known_units", "parse_quantity", "show_length", "show_time"]


def show_length(metres: float) -> str:
    """A length as a person reads it: "20 um", "1.5 mm", "2 m"."""
    size = abs(metres)
    if size == 0:
        return "0 mm"
    if size < 1e-4:
        return f"{metres * 1e6:.3g} um"
    if size < 1:
        return f"{metres * 1e3:.4g} mm"
    return f"{metres:.4g} m"


def show_time(seconds: float) -> str:
    """A duration as a person reads it: "12 s", "3 min 05 s"."""
    if seconds < 1e-3:
        return f"{seconds * 1e6:.0f} us"
    if seconds < 0.1:
        return f"{seconds * 1e3:.1f} ms"
    if seconds < 60:
        return f"{seconds:.1f} s"
    whole = int(round(seconds))
    if whole < 3600:
        return f"{whole // 60} min {whole % 60:02d} s"
    return f"{whole // 3600} h {whole % 3600 // 60:02d} min"
