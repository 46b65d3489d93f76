"""Forces on a gel as a layer beside the linear theory of a layer on a rigid base, solved on a grid of its own."""

import numpy as np
import pytest

from haptos.press import prepare

YOUNG, POISSON, THICK = 2e5, 0.47, 4e-3
PAD = f"""\
name: Flat
pad: {{kind: box, width: 24 mm, depth: 24 mm, thickness: 4 mm,
      elements: {{centre: 0.6 mm, even: [12 mm, 12 mm], top: 0.6 mm, base: 1 mm}}}}
material: {{young: {YOUNG}, poisson: {POISSON}, density: 1000}}
friction: 0
camera: {{kind: orthographic, width: 32, height: 32, pitch: 0.3 mm}}
"""
WIDE, CELLS = 24e-3, 320  # of the grid
DEPTH = 3e-4


@pytest.fixture(scope="module")
def pad(tmp_path_factory):
    file = tmp_path_factory.mktemp("pads") / "flat.yaml"
    file.write_text(PAD)
    return str(file)


def force_by_theory(height):
    """Of a rigid surface pressed by DEPTH into an elastic layer that sticks to its base and is as
    wide as it likes, without friction: its compliance is known by wave number (Johnson, Contact
    Mechanics, 1985, 4.3). height(x, y): above its lowest point."""
    step = WIDE / CELLS
    x = (np.arange(CELLS) + 0.5) * step - WIDE / 2
    gap = height(*np.meshgrid(x, x, indexing="ij")) - DEPTH
    wave = 2 * np.pi * np.fft.fftfreq(CELLS, step)
    k = np.hypot(wave[:, None], wave[None, :CELLS // 2 + 1])
    k[0, 0] = 1e-6
    q, a = np.minimum(k * THICK, 40), 3 - 4 * POISSON
    shear = YOUNG / (2 * (1 + POISSON))
    give = (1 - POISSON) / shear / k * (a * np.sinh(2 * q) - 2 * q) / (
        a * np.cosh(2 * q) + 2 * q * q + 5 - 12 * POISSON + 8 * POISSON**2)

    def sink(pressure):
        return np.fft.irfft2(give * np.fft.rfft2(pressure), s=gap.shape)

    # Conjugate gradients over what presses (Polonsky and Keer 1999, Wear 231).
    pressure = np.where(gap < 0, YOUNG / 10, 0.0)
    way, before, keep = np.zeros_like(pressure), 1.0, 0.0
    for _ in range(400):
        left = sink(pressure) + gap
        rest = np.where(pressure > 0, left, 0)
        now = np.sum(rest**2)
        way = np.where(pressure > 0, rest + keep * now / before * way, 0)
        before, last = now, pressure
        size = np.sum(rest * way) / np.sum(sink(way) * way)
        pressure = np.maximum(pressure - size * way, 0)
        more = (pressure == 0) & (left < 0)
        keep = 0.0 if more.any() else 1.0
        pressure = np.where(more, pressure - size * left, pressure)
        if np.abs(pressure - last).sum() < 1e-5 * pressure.sum():
            return pressure.sum() * step**2
    raise AssertionError("did not converge")


def force_by_layer(pad, shape, **where):
    press = prepare(shape, sensor=pad, depth=DEPTH, model="hydroelastic", **where)
    while not press.done:
        step = press.step()
        assert step.report.ok
    return float(step.object_force[2])


def surface(height, wide, cells=160):
    """A closed surface whose underside is height(x, y) over a square; steep where that jumps."""
    x = np.linspace(-wide / 2, wide / 2, cells + 1)
    x, y = np.meshgrid(x, x, indexing="ij")
    low = np.c_[x.ravel(), y.ravel(), np.minimum(height(x, y), 3e-3).ravel()]
    i = np.arange((cells + 1)**2).reshape(cells + 1, -1)
    a, b, c, d = (k.ravel() for k in (i[:-1, :-1], i[1:, :-1], i[1:, 1:], i[:-1, 1:]))
    down = np.r_[np.c_[a, c, b], np.c_[a, d, c]]
    rim = np.r_[i[:-1, 0], i[-1, :-1], i[:0:-1, -1], i[0, :0:-1]]
    up = np.arange(len(rim)) + len(low)
    high = np.c_[low[rim, :2], np.full(len(rim), 5e-3)]
    k, n = np.arange(len(rim)), np.roll(np.arange(len(rim)), -1)
    wall = np.r_[np.c_[rim[k], rim[n], up[n]], np.c_[rim[k], up[n], up[k]]]
    roof = np.c_[up[k], up[n], np.full(len(rim), len(low) + len(rim))]
    return (np.r_[low, high, [[0, 0, 5e-3]]], np.r_[down, wall, roof])


def disc(radius):
    """Round and flat, with sides of five to one."""
    return lambda x, y: 5 * np.maximum(np.hypot(x, y) - radius, 0)


def bars(x, y):
    """1 mm wide, 2 mm apart, five of them."""
    across = abs((x + 1e-3) % 2e-3 - 1e-3) - 5e-4
    return 5 * np.maximum(np.maximum(across, abs(x) - 4.5e-3), np.maximum(abs(y) - 4e-3, 0)).clip(0)


HEIGHTS = {"ball": lambda x, y: (x * x + y * y) / 3e-3 + (x * x + y * y)**2 / 2.7e-8, "point": disc(5e-4),
           "disc": disc(2e-3), "bars": bars, "trough": lambda x, y: x * x / 1e-2 + 5 * np.maximum(abs(y) - 5e-3, 0)}


@pytest.mark.parametrize("name", HEIGHTS)
def test_a_layer_pushes_back_as_the_theory_says(pad, name):
    theory = force_by_theory(HEIGHTS[name])
    shape = surface(HEIGHTS[name], 14e-3, 280)
    found = [force_by_layer(pad, shape, at=at) for at in ((0, 0), (2e-4, 1e-4), (3e-4, 3e-4))]
    off = np.array(found) / theory - 1
    print(f"FIGURE coat_forces.{name} = {100 * off.mean():+.1f} % of {theory:.3f} N, "
          f"{100 * np.ptp(off):.1f} % by where it is")
    assert abs(off.mean()) < 0.05 and np.ptp(off) < 0.04
