"""Fit of the polynomial table to presses of a ball."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy import ndimage

from haptos.calibration.fit import LightFit, Samples, predict_change

Array = NDArray[np.float64]


def fit_table(samples: Samples, shape: tuple[int, int], pitch: float, lights: LightFit,
              noise: float, bins: int = 125, spread: float = 2.0) -> NDArray[np.float32]:
    """Coefficients (3, bins, bins, 6) by least squares per bin; not-a-number where it is steeper
    than under any ball.

    The normal equations of a bin take in those of its neighbours with Gaussian weights of
    `spread` bins (directions are periodic), and what the lights show over the whole image, with the
    weight of one pixel where they leave no more than the noise, less where they leave more. Few
    presses are steep, and a polynomial through these alone runs wild where none of them was.
    pitch [m]; noise: standard deviation of a pixel [grey value].
    """
    height, width = shape
    m = np.floor(np.arctan(np.hypot(samples.gx, samples.gy)) / (0.5 * np.pi / (bins - 1)))
    d = np.floor((np.arctan2(samples.gy, samples.gx) + np.pi) / (2 * np.pi / (bins - 1)))
    m = np.clip(m.astype(int), 0, bins - 1)
    turn = bins - 1  # the last bin holds the angle pi alone: it is the first one
    d = d.astype(int) % turn
    x0, y0, scale = 0.5 * (width - 1), 0.5 * (height - 1), float(max(width, height))
    u, v = (samples.column - x0) / scale, (samples.row - y0) / scale
    phi = _quadratic(u, v)
    cell, rows_used = m * turn + d, np.unique(m)

    def gather(values: Array) -> Array:
        grid = np.bincount(cell, values, bins * turn).reshape(bins, turn)
        for k in rows_used:
            # As far around as up: a direction bin is short where the slope is small.
            sigma = min(max(spread / ((k + 0.5) * 2 * np.pi / turn), 1.0), turn / 6)
            grid[k] = ndimage.gaussian_filter1d(grid[k], sigma, mode="wrap", truncate=3.0)
        return ndimage.gaussian_filter1d(grid, spread, axis=0, mode="constant", truncate=3.0)

    top = min(int(rows_used[-1]) + int(spread), bins - 1) + 1
    prior, shown = _lights_in_bins(lights, shape, pitch, bins, top, float(samples.z.mean()))
    lean = noise / max(noise, lights.rms)
    w = np.full((3, bins, bins, 6), np.nan)
    for k in range(3):
        clear = samples.clear[:, k].astype(float)
        left = np.empty((bins, turn, 6, 6))
        right = np.empty((bins, turn, 6))
        for i in range(6):
            right[..., i] = gather(clear * phi[:, i] * samples.change[:, k])
            for j in range(i, 6):
                left[..., i, j] = left[..., j, i] = gather(clear * phi[:, i] * phi[:, j])
        c = np.linalg.solve(left[:top] + lean * prior,
                            (right[:top] + lean * shown[..., k])[..., None])[..., 0]
        w[k, :top, :turn] = _in_pixels(c.reshape(-1, 6), x0, y0, scale).reshape(c.shape)
        w[k, :, turn] = w[k, :, 0]
        w[k, 0] = 0  # flat
    return w.astype(np.float32)


def _quadratic(u: Array, v: Array) -> Array:
    return np.stack([u * u, v * v, u * v, u, v, np.ones_like(u)], axis=1)


def _lights_in_bins(lights: LightFit, shape: tuple[int, int], pitch: float, bins: int, top: int,
                    z: float) -> tuple[Array, Array]:
    """Normal equations of one pixel that is spread over the image and shows what lights show at
    height z: (6, 6), and for the first `top` bins of slope (top, bins - 1, 6, 3)."""
    height, width = shape
    turn, scale = bins - 1, float(max(width, height))
    row, column = (g.ravel() for g in np.meshgrid(
        np.linspace(0, height - 1, 5), np.linspace(0, width - 1, 7), indexing="ij"))
    phi = _quadratic((column - 0.5 * (width - 1)) / scale, (row - 0.5 * (height - 1)) / scale)
    n = len(phi)
    around = (np.arange(turn) + 0.5) * 2 * np.pi / turn - np.pi
    shown = np.empty((top, turn, 6, 3))
    for m in range(top):
        slope = np.tan(min(m + 0.5, bins - 1.5) * 0.5 * np.pi / (bins - 1))
        gx, gy = np.repeat(slope * np.cos(around), n), np.repeat(slope * np.sin(around), n)
        change = predict_change(lights, np.tile(column, turn), np.tile(row, turn), gx, gy,
                                np.full(n * turn, z), shape, pitch)
        shown[m] = phi.T @ change.reshape(turn, n, 3) / n
    return phi.T @ phi / n, shown


def _in_pixels(c: Array, x0: float, y0: float, s: float) -> Array:
    """Polynomials of u = (x - x0) / s, v = (y - y0) / s as polynomials of x, y."""
    uu, vv, uv = c[:, 0] / s**2, c[:, 1] / s**2, c[:, 2] / s**2
    u, v = c[:, 3] / s, c[:, 4] / s
    return np.stack([uu, vv, uv, u - 2 * uu * x0 - uv * y0, v - 2 * vv * y0 - uv * x0,
                     c[:, 5] + uu * x0**2 + vv * y0**2 + uv * x0 * y0 - u * x0 - v * y0], axis=1)
