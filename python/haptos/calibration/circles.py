"""The circle that a ball leaves in a tactile image."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy import ndimage, optimize

ANGLES = np.linspace(0, 2 * np.pi, 96, endpoint=False)


class Circle(NamedTuple):
    """A circle in an image [pixel]."""

    column: float
    row: float
    radius: float


def find_circle(image: NDArray[np.floating], background: NDArray[np.floating],
                noise: float) -> Circle | None:
    """The circle of contact in an image, or None where there is none.

    The change from the background, blurred and thresholded, gives a region; centre and radius then
    move to where the mean change over the circle drops most from inside to outside. noise: standard
    deviation of a pixel [grey value].
    """
    change = np.sqrt(((image - background) ** 2).sum(axis=2))
    smooth = ndimage.gaussian_filter(change, 1.5)
    top = float(np.percentile(smooth, 99.5))
    # Noise of three colours, blurred: its mean is about 1.6 sigma.
    floor = 1.6 * noise
    if not top > max(3 * floor, 4.0):
        return None
    labels, count = ndimage.label(smooth > floor + 0.3 * (top - floor))
    if count == 0:
        return None
    sizes = np.bincount(labels.ravel())[1:]
    region = ndimage.binary_fill_holes(labels == 1 + int(np.argmax(sizes)))
    rows, columns = np.nonzero(region)
    height, width = change.shape
    radius = float(np.sqrt(len(rows) / np.pi))
    if radius < 4 or len(rows) > 0.6 * change.size:
        return None
    middle = np.array([columns.mean(), rows.mean()])

    def drop(p: NDArray[np.floating]) -> float:
        """Minus the mean change just inside less that just outside."""
        x, y, r = p
        if not (4 <= r <= 0.7 * max(width, height)):
            return 0.0
        rings = []
        for ring in (r - 1.5, r + 1.5):
            u, v = x + ring * np.cos(ANGLES), y + ring * np.sin(ANGLES)
            seen = (u >= 0) & (v >= 0) & (u <= width - 1) & (v <= height - 1)
            if seen.sum() < 0.5 * len(ANGLES):
                return 0.0
            rings.append(ndimage.map_coordinates(smooth, [v[seen], u[seen]], order=1).mean())
        return rings[1] - rings[0]

    best: tuple[float, NDArray[np.floating]] | None = None
    for scale in (0.85, 1.0, 1.2):
        start = np.array([*middle, radius * scale])
        simplex = start + np.vstack([np.zeros(3), np.diag([2.0, 2.0, 2.0])])
        found = optimize.minimize(drop, start, method="Nelder-Mead", options={
            "initial_simplex": simplex, "xatol": 0.05, "fatol": 1e-3, "maxiter": 80})
        if best is None or found.fun < best[0]:
            best = (float(found.fun), found.x)
    assert best is not None
    strength, (x, y, r) = best
    # A circle is as long as its region is wide, and stands out of the noise all around.
    if -strength < max(1.0, 0.02 * top) or np.hypot(*(best[1][:2] - middle)) > 0.6 * radius:
        return None
    return Circle(float(x), float(y), rim_radius(change, float(x), float(y), float(r)))


def rim_radius(change: NDArray[np.floating], column: float, row: float, radius: float) -> float:
    """Where the mean change over circles around a centre bends: the rim of contact [pixel].

    Under the ball the change follows a parabola of the distance, beyond it falls off
    exponentially; the rim is where the two together fit best. (The steepest drop lies outside it,
    by the length of the shoulder that the gel has around a press.)
    """
    height, width = change.shape
    rs = np.arange(0.3 * radius, 1.7 * radius, 0.5)
    u = column + rs[:, None] * np.cos(ANGLES)
    v = row + rs[:, None] * np.sin(ANGLES)
    seen = (u >= 0) & (v >= 0) & (u <= width - 1) & (v <= height - 1)
    value = ndimage.map_coordinates(change, [v, u], order=1, mode="nearest")
    enough = seen.sum(axis=1) > 0.3 * len(ANGLES)
    rs = rs[enough]
    profile = (value * seen).sum(axis=1)[enough] / seen.sum(axis=1)[enough]
    best = (np.inf, radius)
    for a in np.arange(0.6 * radius, 1.15 * radius, 0.2):
        inside = rs < a
        if inside.sum() < 5 or (~inside).sum() < 4:
            continue
        r = np.where(inside, rs, a)
        for fall in (0.3, 1.5, 3.0, 5.0, 8.0):
            e = np.where(inside, 1.0, np.exp(-np.maximum(rs - a, 0) / fall))
            basis = np.stack([e, e * r, e * r * r, (~inside) * (1 - e)], axis=1)
            c, *_ = np.linalg.lstsq(basis, profile, rcond=None)
            error = float(((basis @ c - profile) ** 2).sum())
            if error < best[0]:
                best = (error, float(a))
    return best[1]
