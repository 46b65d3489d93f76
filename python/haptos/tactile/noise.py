"""Noise of tactile sensors: what a file says of it, and what it does to a depth image.

docs/sensors/noise.md has the models; the random numbers are made in C++ (TactileNoise).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from haptos import _core
from haptos.base.errors import InputError, refuse

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

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


def on_surface(noise: _core.TactileNoise) -> bool:
    """Whether depth and normals have noise."""
    return bool(noise.morphology or noise.blur or noise.texture)


def on_prints(noise: _core.TactileNoise) -> bool:
    """Whether markers are printed elsewhere than the grid says."""
    return bool(noise.interval or noise.fabrication or noise.rotation or noise.translation)


def noisy_surface(noise: _core.TactileNoise, key: int, sample: int, pitch: float, depth: ArrayLike,
                  normal: ArrayLike) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
    """Depth (height, width) [m] and unit normals (3, height, width) with morphology, blur and
    texture; a pad that is not flat keeps its shape. pitch: metres per pixel. Raises InputError."""
    if on_surface(noise) and not pitch > 0:
        refuse("pitch", pitch, "must be greater than 0 for noise of the depth",
               "give the pixel pitch in the sensor file")
    clean, n = np.asarray(depth, np.float32), np.asarray(normal, np.float32)
    noisy = clean
    if noise.morphology or noise.blur:
        noisy = _core.add_depth_noise(noise, key, sample, clean)
        slopes = n[:2] / n[2] + _slopes(noisy, pitch) - _slopes(clean, pitch)
        tilted = np.concatenate([slopes, np.ones_like(slopes[:1])])
        tilted /= np.linalg.norm(tilted, axis=0)
        n = np.where(np.isfinite(tilted).all(axis=0), tilted, n).astype(np.float32)
    if noise.texture:
        noisy, n = _core.add_texture(noise, key, sample, pitch, noisy, n)
    return noisy, n


def _slopes(depth: NDArray[np.float32], pitch: float) -> NDArray[np.float32]:
    normal = _core.normals_from_depth(depth, pitch)
    return np.asarray(normal[:2] / normal[2])
