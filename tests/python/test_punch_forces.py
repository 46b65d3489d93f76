"""Force of a flat punch on a bonded layer against the exact one, for elements of several widths.

A rigid punch of radius a is pressed without friction into a layer of height h that is bonded below:
F = 2 E a u / (1 - nu^2) times the mean of phi over 0 < t < 1, where phi solves
phi(t) - (1/pi) int_-1^1 K(t - s) phi(s) ds = 1 with K(s) = (a/h) int_0^inf (1 - L(w)) cos(w s a/h) dw
and L(w) = (2 k sinh 2w - 4w) / (2 k cosh 2w + 4 w^2 + 1 + k^2), k = 3 - 4 nu (N. N. Lebedev and
Ia. S. Ufliand, J. Appl. Math. Mech. 22, 1958; W. C. Hayes et al., J. Biomech. 5, 1972).
"""

import time

import numpy as np
import pytest
from test_default_meshes import HalfPress

import haptos
from haptos.tactile.pads import Fine

YOUNG, POISSON, RADIUS, HEIGHT = 4.35e5, 0.48, 3e-3, 4e-3
FLAT = """\
name: Flat
pad: {kind: box, width: 32 mm, depth: 32 mm, thickness: 4 mm, elements: {centre: 0.6 mm, even: 20 mm}}
material: {young: 435 kPa, poisson: 0.48, density: 1000}
camera: {kind: orthographic, width: 64, height: 64, pitch: 0.2 mm}
"""


def mean_phi(ratio, nu, points=100, length=20.0):
    """What a layer is stiffer than a half-space, for a / h = ratio."""
    k = 3 - 4 * nu
    t, weight = np.polynomial.legendre.leggauss(points)
    w, dw = np.polynomial.legendre.leggauss(4 * points)
    w, dw = 0.5 * length * (w + 1), 0.5 * length * dw
    cosh = np.cosh(2 * w)
    kernel = (2 * k * np.tanh(2 * w) - 4 * w / cosh) / (2 * k + (4 * w**2 + 1 + k * k) / cosh)
    turns = np.cos(w[:, None, None] * np.abs(t[:, None] - t) * ratio)
    matrix = ratio / np.pi * np.tensordot((1 - kernel) * dw, turns, axes=(0, 0)) * weight
    return 0.5 * float(weight @ np.linalg.solve(np.eye(points) - matrix, np.ones(points)))


def test_the_exact_force_has_its_limits():
    assert mean_phi(1e-5, 0.48) == pytest.approx(1, abs=2e-5)  # a half-space
    assert mean_phi(0.75, 0.48) == pytest.approx(mean_phi(0.75, 0.48, 50, 12.0), rel=1e-6)
    # A thin layer that does not swell sideways: F = pi a^2 u M / h, M the modulus of a held column.
    column = (1 - 0.3) / ((1 + 0.3) * (1 - 0.6))
    thin = [2 / (1 - 0.3**2) * mean_phi(r, 0.3, 200) / (np.pi * r * column) for r in (10, 20)]
    assert 1 < thin[1] < thin[0] < 1.2


@pytest.mark.full
def test_force_of_a_flat_punch_converges_to_that_of_a_layer(tmp_path):
    (tmp_path / "flat.yaml").write_text(FLAT)
    stiffness = 2 * YOUNG / (1 - POISSON**2) * RADIUS * mean_phi(RADIUS / HEIGHT, POISSON)
    errors = []
    for width in (None, 0.6e-3, 0.4e-3, 0.3e-3, 0.2e-3):
        fine = None if width is None else Fine(width, (0.0, 0.0), (7.2e-3, 7.2e-3))
        press = HalfPress(haptos.load_sensor(str(tmp_path / "flat.yaml")), "cylinder", fine=fine,
                          support=2e-5)
        begin = time.process_time()
        press.go(4e-5, 0, 2)
        rest, top = np.asarray(press.sim.mesh("gel").vertices), np.unique(press.sim.coat("gel"))
        down = (rest - press.sim.positions("gel")[0])[top][:, 2]
        # Under the punch the coat is flat: u is how far it went, the gap of the barrier included.
        u = down[np.hypot(*rest[top][:, :2].T) < 0.8 * RADIUS].mean()
        errors.append(press.force() / (stiffness * u) - 1)
        print(f"FIGURE punch.{'default' if width is None else f'{1e3 * width:g}mm'} = "
              f"{100 * errors[-1]:+.2f} %, {press.vertices} vertices of half the gel, "
              f"{time.process_time() - begin:.0f} CPU s", flush=True)
    assert errors[0] < 0.10 and errors[2] < 0.035 and errors[3] < 0.02 and abs(errors[4]) < 0.01
    assert all(a > b > 0 for a, b in zip(errors[1:], errors[2:], strict=False))
