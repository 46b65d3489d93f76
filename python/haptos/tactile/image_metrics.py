"""How close a tactile signal is to another: images, depth, markers.

Images are grey values, (height, width, 3). An image of a tactile sensor is mostly background, so
the similarity of whole images says little: the null, the similarity of the background itself to
the image, is often above 0.9. Every similarity here comes with its null, and errors are of the
difference from the background.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from haptos.base.errors import refuse

WINDOW = 7  #: pixels of the window of the structural similarity


class ImageScore(NamedTuple):
    """How close an image is to a reference, and what an image that shows nothing would score."""

    ssim: float  #: mean structural similarity
    ssim_null: float  #: that of the background to the reference
    masked_ssim: float  #: over the mask
    masked_ssim_null: float
    correlation: float  #: of the differences from the background, over the mask, all colours
    l1: float  #: mean absolute error of the difference over the mask [grey value]
    l1_null: float
    mse: float  #: mean squared error of the difference over the mask
    mse_null: float
    psnr: float  #: 10 log10(255^2 / mse) [dB]

    def __str__(self) -> str:
        return (f"SSIM {self.masked_ssim:.3f} in the mask (null {self.masked_ssim_null:.3f}), "
                f"{self.ssim:.3f} whole (null {self.ssim_null:.3f}); difference: correlation "
                f"{self.correlation:.3f}, L1 {self.l1:.2f} (null {self.l1_null:.2f})")


class DepthScore(NamedTuple):
    """How close a depth image is to a reference."""

    rmse: float  #: over the mask [m]
    peak_error: float  #: of the deepest pixel [m]
    iou: float  #: of the pixels deeper than the threshold
    radius_error: float  #: of the circle with the area of those pixels [m]


class MarkerScore(NamedTuple):
    """How close marker flows are to a reference, markers seen in both."""

    mean: float  #: length of the error [unit of the flow]
    p95: float  #: 95th percentile of it
    angle: float  #: mean angle between flows longer than the threshold [rad]
    relative: float  #: mean error over the mean length of the reference's flow
    count: int


def ssim_map(a: ArrayLike, b: ArrayLike) -> NDArray[np.float64]:
    """Structural similarity of two images around each pixel: window of 7 x 7 pixels with equal
    weights, sample covariance, K1 = .01, K2 = .03, range 255, mean over the colours.

    Not-a-number where the window leaves the image. Raises InputError where shapes differ.
    """
    x, y = _pair(a, b)
    if min(x.shape[:2]) < WINDOW:
        refuse("image", f"{x.shape[1]} x {x.shape[0]} pixels", "must be 7 x 7 pixels or more",
               "compare larger images")
    n = WINDOW * WINDOW
    mx, my = _box(x), _box(y)
    scale = n / (n - 1)
    vx, vy = scale * (_box(x * x) - mx * mx), scale * (_box(y * y) - my * my)
    vxy = scale * (_box(x * y) - mx * my)
    c1, c2 = (0.01 * 255) ** 2, (0.03 * 255) ** 2
    inner = ((2 * mx * my + c1) * (2 * vxy + c2)
             / ((mx * mx + my * my + c1) * (vx + vy + c2))).mean(axis=2)
    out = np.full(x.shape[:2], np.nan)
    r = WINDOW // 2
    out[r:-r, r:-r] = inner
    return out


def compare_images(image: ArrayLike, reference: ArrayLike, background: ArrayLike,
                   mask: ArrayLike) -> ImageScore:
    """Scores an image against a reference.

    mask: (height, width), where contact is. Raises InputError where shapes differ or the mask has
    no pixel whose window is inside the image.
    """
    a, b = _pair(image, reference)
    back, _ = _pair(background, reference)
    inside = np.asarray(mask, bool)
    if inside.shape != a.shape[:2]:
        refuse("mask", f"shape {inside.shape}", f"must have shape {a.shape[:2]}",
               "make it from the same camera's depth")
    similar, null = ssim_map(a, b), ssim_map(back, b)
    seen = inside & np.isfinite(similar)
    if not seen.any():
        refuse("mask", "", "has no pixel 3 pixels or more from the border", "press further inside")
    da, db = (a - back)[inside], (b - back)[inside]
    mse = float(((da - db) ** 2).mean())
    return ImageScore(
        float(np.nanmean(similar)), float(np.nanmean(null)), float(similar[seen].mean()),
        float(null[seen].mean()), correlation(da, db), float(np.abs(da - db).mean()),
        float(np.abs(db).mean()), mse, float((db * db).mean()),
        float(10 * np.log10(255.0**2 / mse)) if mse > 0 else float("inf"))


def correlation(a: ArrayLike, b: ArrayLike) -> float:
    """Pearson's correlation of all numbers; 0 where one of them does not vary."""
    x, y = np.asarray(a, float).ravel(), np.asarray(b, float).ravel()
    x, y = x - x.mean(), y - y.mean()
    size = float(np.sqrt((x @ x) * (y @ y)))
    return float(x @ y) / size if size > 0 else 0.0


def compare_depth(depth: ArrayLike, reference: ArrayLike, pitch: float,
                  threshold: float = 1e-4) -> DepthScore:
    """Scores a depth image [m] against a reference; pitch: metres per pixel; the mask is where
    either is deeper than the threshold [m]. Pixels that are not a number in either are left out.
    """
    a, b = np.asarray(depth, float), np.asarray(reference, float)
    if a.shape != b.shape or a.ndim != 2:
        refuse("depth", f"shapes {a.shape} and {b.shape}", "must be (height, width), alike",
               "compare images of one camera")
    known = np.isfinite(a) & np.isfinite(b)
    in_a, in_b = known & (a > threshold), known & (b > threshold)
    either = in_a | in_b
    if not either.any():
        return DepthScore(0.0, 0.0, 1.0, 0.0)
    radius = [float(np.sqrt(m.sum() / np.pi)) * pitch for m in (in_a, in_b)]
    return DepthScore(float(np.sqrt(((a - b)[either] ** 2).mean())),
                      float(a[known].max() - b[known].max()),
                      float((in_a & in_b).sum() / either.sum()), radius[0] - radius[1])


def compare_markers(flow: ArrayLike, reference: ArrayLike, seen: ArrayLike | None = None,
                    threshold: float = 5e-5) -> MarkerScore:
    """Scores marker flows (n, 2 or 3) against a reference; seen: which markers count (n).

    threshold: flows of the reference that are longer have an angle [unit of the flow].
    """
    a, b = np.asarray(flow, float), np.asarray(reference, float)
    if a.shape != b.shape or a.ndim != 2 or a.shape[1] not in (2, 3):
        refuse("flow", f"shapes {a.shape} and {b.shape}", "must be (n, 2) or (n, 3), alike",
               "compare the same markers")
    use = np.isfinite(a).all(1) & np.isfinite(b).all(1)
    if seen is not None:
        use &= np.asarray(seen, bool)
    if not use.any():
        refuse("flow", "", "has no marker that is seen", "check the flags")
    a, b = a[use], b[use]
    error, length = np.linalg.norm(a - b, axis=1), np.linalg.norm(b, axis=1)
    far = (length > threshold) & (np.linalg.norm(a, axis=1) > 0)
    angle = 0.0
    if far.any():
        c = (a[far] * b[far]).sum(1) / (np.linalg.norm(a[far], axis=1) * length[far])
        angle = float(np.arccos(np.clip(c, -1, 1)).mean())
    mean = float(length.mean())
    return MarkerScore(float(error.mean()), float(np.percentile(error, 95)), angle,
                       float(error.mean()) / mean if mean > 0 else float("inf"), int(use.sum()))


def _pair(a: ArrayLike, b: ArrayLike) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    x, y = np.asarray(a, float), np.asarray(b, float)
    if x.ndim == 2:
        x = x[:, :, None]
    if y.ndim == 2:
        y = y[:, :, None]
    if x.shape != y.shape or x.ndim != 3:
        refuse("images", f"shapes {x.shape} and {y.shape}",
               "must be (height, width, colours), alike", "crop or scale one of them")
    return x, y


def _box(x: NDArray[np.float64]) -> NDArray[np.float64]:
    """Mean over each window that is inside the image."""
    windows = np.lib.stride_tricks.sliding_window_view(x, WINDOW, axis=0).mean(axis=-1)
    return np.lib.stride_tricks.sliding_window_view(windows, WINDOW, axis=1).mean(axis=-1)
