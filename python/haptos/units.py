"""Quantities as people write them: "1mm", "0.5 mm", "435 kPa", "1e-3"."""

from __future__ import annotations

import math
import re

from haptos.errors import refuse

# For each SI unit the units that may be written in its place, as factors.
UNITS: dict[str, dict[str, float]] = {
    "m": {"m": 1.0, "cm": 1e-2, "mm": 1e-3, "um": 1e-6, "µm": 1e-6, "μm": 1e-6, "in": 0.0254},
    "s": {"s": 1.0, "ms": 1e-3, "us": 1e-6, "min": 60.0, "h": 3600.0},
    "Pa": {"Pa": 1.0, "kPa": 1e3, "MPa": 1e6, "GPa": 1e9},
    "Pa/m": {"Pa/m": 1.0, "kPa/mm": 1e6, "MPa/mm": 1e9, "N/m3": 1.0, "N/mm3": 1e9},
    "N": {"N": 1.0, "mN": 1e-3, "kN": 1e3},
    "N/m": {"N/m": 1.0, "N/mm": 1e3},
    "m/s": {"m/s": 1.0, "mm/s": 1e-3, "um/s": 1e-6},
    "m/s2": {"m/s2": 1.0, "m/s^2": 1.0},
    "kg": {"kg": 1.0, "g": 1e-3},
    "kg/m3": {"kg/m3": 1.0, "kg/m^3": 1.0, "g/cm3": 1e3},
    "1/s": {"1/s": 1.0, "Hz": 1.0},
}

_NUMBER = re.compile(r"\s*([+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?)\s*(.*?)\s*", re.ASCII)


def parse_quantity(text: str, unit: str, name: str) -> float:
    """The number in SI that `text` means.

    text: a decimal number, with a unit or without (SI is meant then); unit: the SI unit, a key of
    UNITS or \"\"; name: what it is, for the message. Raises InputError.
    """
    match = _NUMBER.fullmatch(text)
    known = UNITS.get(unit, {unit: 1.0} if unit else {})
    listed = ", ".join(u for u in known if u.isascii())
    example = "write for example 1mm" if unit == "m" else f"write it in {unit}" if unit else ""
    if match is None:
        refuse(name, text, "must be a number" + (f" with a unit of {listed}" if listed
                                                 else " without unit"), example)
    number, suffix = float(match.group(1)), match.group(2)
    if suffix and suffix not in known:
        refuse(name, text, f'"{suffix}" is not a unit of it',
               f"known are {listed}" if listed else "it has none")
    value = number * known.get(suffix, 1.0) if suffix else number
    if not math.isfinite(value):
        refuse(name, text, "must be finite", example)
    return value


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
    if seconds < 0.1:
        return f"{seconds * 1e3:.1f} ms"
    if seconds < 60:
        return f"{seconds:.1f} s"
    whole = int(round(seconds))
    if whole < 3600:
        return f"{whole // 60} min {whole % 60:02d} s"
    return f"{whole // 3600} h {whole % 3600 // 60:02d} min"
