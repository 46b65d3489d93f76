"""Noise of tactile sensors: what a file says of it; docs/sensors/noise.md has the models."""

from __future__ import annotations

from typing import TYPE_CHECKING

from haptos import _core
from haptos.base.errors import InputError

if TYPE_CHECKING:
    from haptos.tactile.sensor_yaml import Section

_UNITS = {"texture": "m", "fabrication": "m", "translation": "m", "rotation": "rad"}
_NUMBERS = ("blur", "texture", "rgb", "gain", "gain_std", "offset", "offset_std", "jitter", "loss",
            "interval", "fabrication", "rotation", "translation")


def read_noise(s: Section | None) -> _core.TactileNoise | None:
    """The `noise` of a sensor file; None where it has none."""
    if s is None:
        return None
    noise = _core.TactileNoise()
    if "morphology" in s.nodes:
        noise.morphology = s.whole("morphology", 0, 101)
    for name in _NUMBERS:
        if name in s.nodes:
            setattr(noise, name, s.number(name, _UNITS.get(name, ""), -1e9, 1e9))
    s.asked.update(("morphology", *_NUMBERS))
    s.done()
    try:
        noise.check()
    except InputError as error:
        key = error.element.rpartition(".")[2]
        s.fail(key, error.value, error.rule, error.remedy, s.nodes.get(key))
    return noise
