"""Random fields of plane waves: what makes a smooth surface look measured."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from haptos.base.errors import refuse

Points = NDArray[np.float64]


def random_generator(seed: int, stream: int = 0) -> np.random.Generator:
    """The numbers of a seed; streams of one seed are independent of each other."""
    if isinstance(seed, bool) or not isinstance(seed, (int, np.integer)) or seed < 0:
        refuse("seed", seed, "must be a whole number from 0", "for example 1")
    return np.random.default_rng([stream, seed])


def sum_of_waves(x: Points, k: Points, amplitude: Points, phase: Points) -> Points:
    """sum_j amplitude_j cos(k_j . x + phase_j) at points (n, d).

    k: (waves, d) [rad/m]. One wave at a time, so that a million points need little memory.
    """
    total = np.zeros(len(x))
    for kj, aj, pj in zip(k, amplitude, phase, strict=True):
        angle = x @ kj
        angle += pj
        np.cos(angle, out=angle)
        angle *= aj
        total += angle
    return total


def scaled_amplitudes(k: Points, spread: float) -> Points:
    """Amplitudes in proportion to the wavelengths, whose sum has the standard deviation `spread`."""
    wavelength = 1.0 / np.linalg.norm(k, axis=1)
    return wavelength * (spread * np.sqrt(2.0) / np.linalg.norm(wavelength))


def wave_noise(x: Points, rng: np.random.Generator, waves: int, shortest: float, longest: float,
               spread: float) -> Points:
    """A field of `waves` waves at points (n, 3) [m].

    Directions are even over the sphere, wavelengths even between shortest and longest [m], and the
    standard deviation over space is `spread`.
    """
    direction = rng.standard_normal((waves, 3))
    direction /= np.linalg.norm(direction, axis=1, keepdims=True)
    k = direction * (2 * np.pi / rng.uniform(shortest, longest, (waves, 1)))
    return sum_of_waves(x, k, scaled_amplitudes(k, spread), rng.uniform(0, 2 * np.pi, waves))
