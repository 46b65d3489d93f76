"""Fits to presses of a ball: lights, and the inverse for a check.

A sample is a pixel under the ball: its gradient is known from the circle and the ball's radius,
its change of grey value from the image. Gradients are of the depth over columns and rows.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy import fft, optimize

from haptos.calibration.circles import Circle

Array = NDArray[np.float64]
SHININESS = 12.0  #: where the fit starts


class Samples(NamedTuple):
    """Pixels under balls of many presses."""

    column: Array
    row: Array
    gx: Array  #: gradient of the depth over columns (the normal's x over z)
    gy: Array  #: over rows
    z: Array  #: height of the coat [m]
    change: Array  #: (n, 3) grey values less the background
    clear: NDArray[np.bool_]  #: (n, 3) neither black nor white


class LightFit(NamedTuple):
    position: Array  #: (lights, 3) [m]
    colour: Array  #: (lights, 3)
    ambient: Array  #: (3)
    specular: float
    shininess: float
    rms: float  #: of what is left [grey value]


def ball_depth(shape: tuple[int, int], pitch: float, circle: Circle, ball_radius: float,
               shoulder: float = 0.0) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
    """Depth (height, width) [m] and normals (3, height, width) of a coat under a ball.

    Inside the circle the coat follows the ball; outside its slope falls off exponentially over
    `shoulder` [m], so that the surface is smooth; 0: it is flat there.
    """
    rows, columns = np.mgrid[: shape[0], : shape[1]]
    x, y = (columns - circle.column) * pitch, (rows - circle.row) * pitch
    r, a = np.hypot(x, y), circle.radius * pitch
    edge = np.sqrt(ball_radius**2 - a * a)
    slope_at_edge = a / edge
    inside = r < a
    cap = np.sqrt(np.maximum(ball_radius**2 - np.minimum(r, a) ** 2, 1e-30))
    fall = np.exp(-np.maximum(r - a, 0) / shoulder) if shoulder > 0 else np.zeros_like(r)
    depth = np.where(inside, cap - edge + shoulder * slope_at_edge,
                     shoulder * slope_at_edge * fall)
    slope = np.where(inside, r / cap, slope_at_edge * fall)
    towards = np.where(r > 0, slope / np.maximum(r, 1e-30), 0.0)
    gx, gy = -x * towards, -y * towards
    length = np.sqrt(1 + gx * gx + gy * gy)
    # y of the gel frame runs up, rows run down.
    normal = np.stack([gx / length, -gy / length, 1 / length])
    return depth.astype(np.float32), normal.astype(np.float32)


def take_samples(image: Array, background: Array, circle: Circle, ball_radius: float,
                 pitch: float, most: int = 20_000) -> Samples:
    """The pixels well inside a circle, at most so many, evenly spread."""
    height, width = image.shape[:2]
    keep = circle.radius - 2.0
    rows, columns = np.mgrid[:height, :width]
    r = np.hypot(columns - circle.column, rows - circle.row)
    at = np.nonzero((r < keep).ravel())[0]
    at = at[:: max(1, -(-len(at) // most))]
    x, y = (columns.ravel()[at] - circle.column) * pitch, (rows.ravel()[at] - circle.row) * pitch
    cap = np.sqrt(np.maximum(ball_radius**2 - x * x - y * y, 1e-30))
    edge = np.sqrt(ball_radius**2 - (circle.radius * pitch) ** 2)
    flat_image, flat_back = image.reshape(-1, 3)[at], background.reshape(-1, 3)[at]
    return Samples(columns.ravel()[at].astype(float), rows.ravel()[at].astype(float), -x / cap,
                   -y / cap, -(cap - edge), flat_image - flat_back,
                   (flat_image > 2) & (flat_image < 252) & (flat_back > 2) & (flat_back < 252))


def join(samples: list[Samples]) -> Samples:
    """All samples in one."""
    return Samples(*(np.concatenate(parts) for parts in zip(*samples, strict=True)))


# -- lights --------------------------------------------------------------------------------------


def _basis(position: Array, specular: float, shininess: float, p: Array, n: Array,
           flat: Array) -> Array:
    """Change of the light of each lamp of colour 1, and of the ambient light: (n, lights + 1)."""

    def shade(points: Array, normals: Array) -> Array:
        out = []
        v = -normals
        for s in position:
            to = s - points
            d2 = (to * to).sum(1)
            light = to / np.sqrt(d2)[:, None]
            facing = (v * light).sum(1)
            strength = np.maximum(facing, 0)
            mirror = np.maximum(-(2 * facing * v[:, 2] - light[:, 2]), 0)
            strength = strength + specular * np.where(facing > 0, mirror**shininess, 0)
            out.append(strength * (s @ s) / d2)
        out.append(0.5 * (1 + normals[:, 2]))
        return np.stack(out, axis=1)

    up = np.zeros_like(n)
    up[:, 2] = 1
    return shade(p, n) - shade(flat, up)


def fit_lights(samples: Samples, shape: tuple[int, int], pitch: float, lights: int = 3,
               most: int = 2000, start: LightFit | None = None) -> LightFit:
    """Positions, colours, ambient light and specularity by nonlinear least squares.

    Colours and ambient light enter linearly and not below zero, so they are solved for at each
    trial of the positions (variable projection). Starts from another fit, or from the azimuths in
    which each colour changes.
    """
    step = max(1, -(-len(samples.row) // most))
    s = Samples(*(v[::step] for v in samples))
    height, width = shape
    x, y = (s.column - 0.5 * (width - 1)) * pitch, (0.5 * (height - 1) - s.row) * pitch
    length = np.sqrt(1 + s.gx**2 + s.gy**2)
    n = np.stack([s.gx / length, -s.gy / length, 1 / length], axis=1)
    p, flat = np.stack([x, y, s.z], axis=1), np.stack([x, y, np.zeros_like(x)], axis=1)
    size = 0.5 * np.hypot(width, height) * pitch
    weight = s.clear.astype(float)

    def colours(basis: Array) -> tuple[Array, Array]:
        """Colours (lights + 1, 3) and what is left."""
        c = np.empty((basis.shape[1], 3))
        for k in range(3):
            c[:, k] = _nonnegative(basis * weight[:, k, None], s.change[:, k] * weight[:, k])
        return c, (basis @ c - s.change) * weight

    # The height below the gel stays negative; lengths in half diagonals of the view.
    low = np.concatenate([np.tile([-8.0, -8.0, -3.0], lights), [-7.0, np.log(2.0)]])
    high = np.concatenate([np.tile([8.0, 8.0, 2.2], lights), [1.0, np.log(128.0)]])

    def unpack(v: Array) -> tuple[Array, float, float]:
        at = v[: 3 * lights].reshape(lights, 3).copy()
        at[:, 2] = -np.exp(at[:, 2])
        return at * size, float(np.exp(v[-2])), float(np.exp(v[-1]))

    def residual(v: Array) -> Array:
        return colours(_basis(*unpack(v), p, n, flat))[1].ravel()

    if start is None:
        azimuth = _azimuths(n, s.change, lights)
        at = np.stack([1.5 * np.cos(azimuth), 1.5 * np.sin(azimuth),
                       np.full(lights, np.log(0.8))], axis=1)
        first = np.concatenate([at.ravel(), [np.log(0.1), np.log(SHININESS)]])
    else:
        at = start.position / size
        at[:, 2] = np.log(-at[:, 2])
        first = np.concatenate([at.ravel(), [np.log(max(start.specular, 1e-3)),
                                             np.log(start.shininess)]])
    found = optimize.least_squares(residual, np.clip(first, low + 1e-6, high - 1e-6),
                                   bounds=(low, high), max_nfev=60, x_scale=0.3, loss="soft_l1",
                                   f_scale=6.0)
    at, specular, shininess = unpack(found.x)
    shininess = float(np.clip(np.rint(shininess), 1, 256))  # the kernel takes whole numbers
    c, left = colours(_basis(at, specular, shininess, p, n, flat))
    rms = float(np.sqrt((left**2).sum() / max(weight.sum(), 1)))
    return LightFit(at, c[:-1], c[-1], specular, shininess, rms)


def predict_change(fit: LightFit, column: Array, row: Array, gx: Array, gy: Array, z: Array,
                   shape: tuple[int, int], pitch: float) -> Array:
    """The change of grey value (n, 3) that fitted lights give at pixels."""
    height, width = shape
    x, y = (column - 0.5 * (width - 1)) * pitch, (0.5 * (height - 1) - row) * pitch
    length = np.sqrt(1 + gx**2 + gy**2)
    n = np.stack([gx / length, -gy / length, 1 / length], axis=1)
    basis = _basis(fit.position, fit.specular, fit.shininess, np.stack([x, y, z], axis=1), n,
                   np.stack([x, y, np.zeros_like(x)], axis=1))
    return basis @ np.vstack([fit.colour, fit.ambient])


def refine_centre(fit: LightFit, image: Array, background: Array, circle: Circle,
                  ball_radius: float, pitch: float, most: int = 600) -> Circle:
    """Moves the centre of a circle to where fitted lights explain the image best."""
    s = take_samples(image, background, circle, ball_radius, pitch, most)
    edge2 = ball_radius**2 - (circle.radius * pitch) ** 2
    weight = s.clear.astype(float)

    def left(move: Array) -> Array:
        x = (s.column - circle.column - move[0]) * pitch
        y = (s.row - circle.row - move[1]) * pitch
        cap = np.sqrt(np.maximum(ball_radius**2 - x * x - y * y, 1e-3 * edge2))
        return ((predict_change(fit, s.column, s.row, -x / cap, -y / cap,
                                np.sqrt(edge2) - cap, image.shape[:2], pitch) - s.change)
                * weight).ravel()

    found = optimize.least_squares(left, np.zeros(2), bounds=(-2.5, 2.5), loss="soft_l1",
                                   f_scale=5.0, max_nfev=12, x_scale=0.5, diff_step=1e-3)
    return Circle(circle.column + float(found.x[0]), circle.row + float(found.x[1]),
                  circle.radius)


def best_radius(samples: Samples, fit: LightFit, shape: tuple[int, int],
                pitch: float) -> tuple[float, float]:
    """Which multiple of the ball's radius the shading fits best, and by how much: one less the
    ratio of what is left there to what is left at the radius given.

    Lights are fitted anew for each radius. The slope under another ball is not a multiple of this
    one's: it bends, and light cannot.
    """
    slope = np.hypot(samples.gx, samples.gy)
    sine = slope / np.sqrt(1 + slope**2)
    with np.errstate(invalid="ignore", divide="ignore"):
        ux, uy = np.nan_to_num(samples.gx / slope), np.nan_to_num(samples.gy / slope)

    def left(log_ratio: float) -> float:
        ratio = float(np.exp(log_ratio))
        sin = np.minimum(sine / ratio, 0.99)
        tan = sin / np.sqrt(1 - sin**2)
        other = samples._replace(gx=tan * ux, gy=tan * uy, z=samples.z / ratio)
        return fit_lights(other, shape, pitch, len(fit.position), 1000, fit).rms

    logs = np.log([0.65, 0.8, 1.0, 1.25, 1.55])
    values = np.array([left(v) for v in logs])
    k = int(np.argmin(values))
    at, least = logs[k], values[k]
    if 0 < k < len(logs) - 1:
        a, b, c = np.polyfit(logs[k - 1 : k + 2], values[k - 1 : k + 2], 2)
        at, least = -b / (2 * a), min(least, c - b * b / (4 * a))
    here = values[2]
    return float(np.exp(at)), 1 - float(least) / float(here) if here > 0 else 0.0


def _nonnegative(a: Array, b: Array) -> Array:
    """Least squares of a x = b with x >= 0, by the small triangle of a's QR."""
    q, r = np.linalg.qr(a)
    return optimize.nnls(r + 1e-9 * np.eye(len(r)), q.T @ b)[0]


def _azimuths(n: Array, change: Array, lights: int) -> Array:
    """Directions of the image in which the colours brighten, spread out if they are alike."""
    found = []
    for k in range(3):
        a = np.column_stack([-n[:, 0], -n[:, 1], np.ones(len(n))])
        c = np.linalg.lstsq(a, change[:, k], rcond=None)[0]
        found.append(np.arctan2(c[1], c[0]))
    out: list[float] = []
    for angle in found[:lights]:
        while any(abs(np.angle(np.exp(1j * (angle - o)))) < 0.5 for o in out):
            angle += 0.6
        out.append(float(angle))
    while len(out) < lights:
        ordered = np.sort(np.mod(out, 2 * np.pi))
        gaps = np.diff(np.append(ordered, ordered[0] + 2 * np.pi))
        k = int(np.argmax(gaps))
        out.append(float(ordered[k] + 0.5 * gaps[k]))
    return np.array(out)


# -- the inverse, for a check ----------------------------------------------------------------------


def _inverse_terms(change: Array, column: Array, row: Array, shape: tuple[int, int]) -> Array:
    scale = float(max(shape))
    r, g, b = (change[:, k] / 64 for k in range(3))
    u, v = (column - 0.5 * (shape[1] - 1)) / scale, (row - 0.5 * (shape[0] - 1)) / scale
    base = [r, g, b, r * r, g * g, b * b, r * g, g * b, r * b, r**3, g**3, b**3, r * r * g,
            r * r * b, g * g * r, g * g * b, b * b * r, b * b * g, r * g * b]
    return np.stack([t * f for t in base for f in (np.ones_like(u), u, v)], axis=1)


def fit_inverse(samples: Samples, shape: tuple[int, int]) -> Array:
    """Coefficients (terms, 2) of gradients as cubic polynomials of the change, over the image.

    No change gives no gradient.
    """
    a = _inverse_terms(samples.change, samples.column, samples.row, shape)
    g = np.stack([samples.gx, samples.gy], axis=1)
    scale = np.sqrt((a * a).mean(0)) + 1e-12
    a = a / scale
    c = np.linalg.solve(a.T @ a + 1e-6 * len(a) * np.eye(a.shape[1]), a.T @ g)
    return c / scale[:, None]


def reconstruct(inverse: Array, image: Array, background: Array, pitch: float) -> Array:
    """Depth (height, width) [m] of an image: gradients by the inverse, then integration."""
    height, width = image.shape[:2]
    rows, columns = np.mgrid[:height, :width]
    terms = _inverse_terms((image - background).reshape(-1, 3), columns.ravel().astype(float),
                           rows.ravel().astype(float), (height, width))
    g = np.clip(terms @ inverse, -3, 3).reshape(height, width, 2)
    return integrate_gradients(g[..., 0], g[..., 1]) * pitch


def integrate_gradients(gx: Array, gy: Array) -> Array:
    """The surface whose gradients over columns and rows are closest to these, mean 0 [pixel].

    Poisson's equation with free edges, by cosine transform; differences between neighbours take
    the mean of their gradients.
    """
    height, width = gx.shape
    across, down = 0.5 * (gx[:, 1:] + gx[:, :-1]), 0.5 * (gy[1:] + gy[:-1])
    divergence = np.zeros((height, width))
    divergence[:, :-1] += across
    divergence[:, 1:] -= across
    divergence[:-1] += down
    divergence[1:] -= down
    spectrum = fft.dctn(divergence, type=2, norm="ortho")
    k = (2 - 2 * np.cos(np.pi * np.arange(height) / height))[:, None] + (
        2 - 2 * np.cos(np.pi * np.arange(width) / width))[None, :]
    k[0, 0] = 1
    spectrum /= -k
    spectrum[0, 0] = 0
    return fft.idctn(spectrum, type=2, norm="ortho")
