"""Ground of rocks and dips, as a map of heights."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from haptos import _core
from haptos.base.errors import refuse
from haptos.scans.blocks import check_length
from haptos.scans.grids import sheet
from haptos.scans.noise import random_generator


def fractal_heights(cells: int, hurst: float, rng: np.random.Generator) -> NDArray[np.float64]:
    """Heights (cells + 1, cells + 1) of mean 0 and standard deviation 1.

    Spectral synthesis (R. F. Voss 1985, "Random fractal forgeries"): waves of a random phase and
    the amplitude k^-(hurst + 1), over twice the width, of which a part is taken so that opposite
    sides do not match.
    """
    n = 2 * (cells + 1)
    phase = np.angle(np.fft.rfft2(rng.standard_normal((n, n))))
    k = np.hypot(np.fft.fftfreq(n, 1 / n)[:, None], np.fft.rfftfreq(n, 1 / n)[None, :])
    k[0, 0] = np.inf
    z = np.fft.irfft2(k ** -(hurst + 1) * np.exp(1j * phase), s=(n, n))[:cells + 1, :cells + 1]
    return (z - z.mean()) / z.std()


def terrain(seed: int = 1, *, size: float = 20.0, cells: int = 128, spread: float = 0.63,
            hurst: float = 0.97) -> _core.TriMesh:
    """A square of fractal ground about the origin, facing up, 2 cells^2 triangles.

    size: side [m]; spread: standard deviation of the heights [m]; hurst: 0 jagged to 1 smooth. The
    nodes are a regular grid in x and y, its diagonals drawn at random.
    """
    side, sd = check_length("size", size), check_length("spread", spread)
    if isinstance(cells, bool) or not isinstance(cells, (int, np.integer)) or not 2 <= cells <= 2048:
        refuse("cells", cells, "must be a whole number from 2 to 2048", "for example 128")
    if not (isinstance(hurst, (int, float, np.floating)) and 0 <= hurst <= 1):
        refuse("hurst", hurst, "must be from 0 to 1", "for example 0.9")
    rng = random_generator(seed)
    z = fractal_heights(int(cells), float(hurst), rng) * sd
    at, t = sheet(int(cells), int(cells), rng, 0.0)
    return _core.TriMesh(np.column_stack([(at / cells - 0.5) * side, z.ravel()]), t)
