"""Calibration on pictures that this project did not draw: a small ray caster with rows of LEDs behind
diffusers, a diffuse wall and shadows. None of its light is a point light of the model that is fitted."""

import numpy as np
import pytest
from PIL import Image

import haptos

pytest.importorskip("scipy", reason="calibration needs scipy")

SIZE, PITCH, BALL = (120, 160), 1.268e-4, 4e-3
ROW, COLUMN = np.mgrid[:SIZE[0], :SIZE[1]]
WALL = np.array((26.0, 26.0, 28.0))  # grey values that a surface across the view gets of the wall


def heights(column, row, radius):
    """Gel over a ball [m]: its cap within the circle, then a shoulder that sinks within .6 mm."""
    far, a, width = np.hypot(COLUMN - column, ROW - row) * PITCH, radius * PITCH, 6e-4
    slope = a / np.sqrt(BALL**2 - a**2)  # at the rim, where cap and shoulder meet
    cap = np.sqrt(BALL**2 - np.minimum(far, a)**2) - np.sqrt(BALL**2 - a**2)
    return np.where(far <= a, cap + slope * width, slope * width * np.exp(-(far - a) / width))


def lamps():
    """(points (n, 3) [m], colour, facing) of three rows of LEDs, 3 mm beside what the camera sees."""
    half = np.array((SIZE[1], SIZE[0])) * PITCH / 2
    rows = []
    for side, colour in (((-1, 0), (300, 40, 30)), ((1, 0), (30, 280, 45)), ((0, -1), (35, 50, 260))):
        out = np.array(side, float)
        along = np.array((abs(side[1]), abs(side[0])), float) * half
        rows.append((np.array([(*(out * (half + 3e-3) + along * s), z)
                               for s in np.linspace(-1, 1, 7) for z in np.linspace(1.5e-3, 3.5e-3, 3)]),
                     np.array(colour, float), -np.append(out, 0)))
    return rows


def shadowed(at, height, direction):
    """Whether the gel stands between each pixel and a lamp: rays are marched over the heights."""
    flat = np.hypot(direction[..., 0], direction[..., 1])
    hidden = np.zeros(SIZE, bool)
    for step in np.arange(2, 40, 3):  # pixels
        x, y = (c + direction[..., k] / flat * step for k, c in ((0, COLUMN), (1, ROW)))
        inside = (x >= 0) & (x <= SIZE[1] - 1) & (y >= 0) & (y <= SIZE[0] - 1)
        there = height[np.clip(np.rint(y), 0, SIZE[0] - 1).astype(int),
                       np.clip(np.rint(x), 0, SIZE[1] - 1).astype(int)]
        ray = at[..., 2] + direction[..., 2] / flat * step * PITCH
        hidden |= inside & (there > ray + 5e-6)
    return hidden


def picture(height):
    """Grey values of a matt gel of these heights under the lamps and the wall."""
    at = np.stack([(COLUMN - (SIZE[1] - 1) / 2) * PITCH, (ROW - (SIZE[0] - 1) / 2) * PITCH, height], -1)
    down, right = np.gradient(height, PITCH)
    normal = np.stack([-right, -down, np.ones(SIZE)], -1)
    normal /= np.linalg.norm(normal, axis=-1, keepdims=True)
    image = WALL * (0.5 + 0.5 * normal[..., 2:])
    for points, colour, facing in lamps():
        light = np.zeros(SIZE)
        for point in points:
            way = point - at
            distance = np.linalg.norm(way, axis=-1)
            way /= distance[..., None]
            falls = np.maximum((normal * way).sum(-1), 0) * np.maximum(-(way @ facing), 0) / distance**2
            light += np.where(shadowed(at, height, way), 0, falls)
        image = image + colour * (5.5e-5 * light / len(points))[..., None]
    return image


@pytest.mark.full
def test_presses_under_area_lights_are_predicted(tmp_path):
    rng = np.random.default_rng(7)

    def save(image, name):
        noisy = np.clip(image + rng.normal(0, 1, image.shape) + 0.5, 0, 255).astype(np.uint8)
        Image.fromarray(noisy).save(tmp_path / name)

    flat = picture(np.zeros(SIZE))
    assert flat.max() < 220 and flat.min() > 20  # nothing is clipped
    for k in range(10):
        save(flat, f"background{k}.png")
    for k in range(40):
        radius = rng.uniform(1.0e-3, 2.3e-3) / PITCH
        save(picture(heights(rng.uniform(radius + 2, SIZE[1] - radius - 3),
                             rng.uniform(radius + 2, SIZE[0] - radius - 3), radius)), f"press{k:02}.png")
    result = haptos.calibrate(tmp_path, "4mm", PITCH)
    assert len(result.presses) == 40 and len(result.held_out) == 8
    for name, scores, mean, worst in (("table", result.table_scores, 0.95, 0.95),
                                      # Three point lights have neither the width nor the shadows.
                                      ("lights", result.light_scores, 0.95, 0.9)):
        for what, values in (("masked_ssim", [s.masked_ssim for s in scores]),
                             ("correlation", [s.correlation for s in scores])):
            print(f"FIGURE area_lights.{name}.{what}.mean = {np.mean(values):.4f} (at least {mean})")
            print(f"FIGURE area_lights.{name}.{what}.worst = {min(values):.4f} (at least {worst})")
            assert np.mean(values) > mean and min(values) > worst
    null = max(s.masked_ssim_null for s in result.table_scores)
    print(f"FIGURE area_lights.null = {null:.4f} (at most 0.9)")
    assert null < 0.9  # what no press at all would score
    ratio = np.array([r.found / r.expected for r in result.reconstruction])
    print(f"FIGURE area_lights.depth = {ratio.mean():.3f} of the cap (within 0.85 to 1.15)")
    assert abs(ratio.mean() - 1) < 0.15
