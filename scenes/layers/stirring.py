"""How the stirrer of mugs.yaml moves, and where its mugs start."""

import numpy as np

WAIT = 1.0  # until the mugs lie [s]
SPEED_UP = 0.5  # until the stirrer is as fast as its path [s]
SECONDS = 20.0  # that it stirs
WIDTH, RATE = (0.2, 0.15), (0.4, 0.6)  # of the path along x and y [m], [Hz]


def along(t):
    """Time on the path [s] at times of the scene: it begins without a jump of speed."""
    s = np.maximum(np.asarray(t, float) - WAIT, 0)
    u = np.minimum(s / SPEED_UP, 1)
    return np.where(s < SPEED_UP, SPEED_UP * u**3 * (1 - u / 2), s - SPEED_UP / 2)


def stirred(t):
    """Where the stirrer is (n, 2) [m]."""
    return np.sin(2 * np.pi * along(t)[:, None] * RATE) * WIDTH


def stir_lines():
    """A trajectory as text."""
    yield "# scenes/layers/make.py"
    yield "time,x,y"
    times = np.arange(0, WAIT + SPEED_UP / 2 + SECONDS + 1e-9, 0.02)
    for t, (x, y) in zip(times, stirred(times), strict=True):
        yield f"{t:.6g},{x + 0.0:.6g},{y + 0.0:.6g}"
