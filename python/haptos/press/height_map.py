"""A tactile image from the shape alone, without simulating the gel.

The object's height map is cut with the coat at rest, and what lies beside the contact is smoothed,
as the gel's skin would bridge it. Inside the contact the image is the object. This is no solution
of elasticity: the gel does not bulge, nothing is pushed aside, and there are no forces.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from haptos import _core
from haptos.press.parts import first_touch, middle_of
from haptos.tactile.rgb import RgbSensor, load_rgb
from haptos.tactile.sensor_models import SensorModel

Image = NDArray[np.float32]

PASSES = (1.0, 0.5, 0.25, 0.125)  # widths of the blurs, over the smoothing length
_MOST_POINTS = 1200  # of the height map along a side


class HeightMap:
    """Images of one sensor, from height maps."""

    def __init__(self, sensor: SensorModel, smoothing: float) -> None:
        """smoothing: standard deviation of the widest blur beside the contact [m]; 0: none."""
        self._sensor, self._smoothing = sensor, smoothing
        gel, camera = sensor.gel, sensor.camera
        x, coat = np.asarray(gel.mesh.vertices), np.asarray(gel.coat)
        half = np.abs(x[np.unique(coat), :2]).max(axis=0)
        pitch = max(camera.pitch, 2 * float(half.max()) / _MOST_POINTS)
        # As many columns, less an even number, as the image: points then lie on its pixels.
        wide, high = (int(2 * math.ceil((h / pitch - 0.5 * (n - 1))) + n)
                      for h, n in zip(half, (camera.width, camera.height), strict=True))
        self._pitch, self._above = pitch, _core.TactileCamera.orthographic(wide, high, pitch)
        self._rest = np.asarray(_core.DepthSensor(self._above, x, coat).rest_height())
        column, row = np.meshgrid(np.arange(wide), np.arange(high))
        self._points = np.stack([(column - 0.5 * (wide - 1)) * pitch,
                                 (0.5 * (high - 1) - row) * pitch,
                                 np.nan_to_num(self._rest)], axis=-1).reshape(-1, 3)
        n = np.arange(wide * high).reshape(high, wide)
        a, b, c, d = n[:-1, :-1], n[:-1, 1:], n[1:, :-1], n[1:, 1:]  # c d lie below a b
        cells = np.stack([a, c, b, b, c, d], axis=-1).reshape(-1, 3)
        self._cells = cells[np.isfinite(self._rest.ravel())[cells].all(axis=1)].astype(np.int32)
        self._depth = _core.DepthSensor(camera, self._points, self._cells)
        self._rgb = None if not sensor.rgb else load_colours(sensor)

    def press(self, surface: _core.TriMesh, at: tuple[float, float], depth: float, seed: int
              ) -> dict[str, NDArray[np.generic]]:
        """Depth (height, width) [m], unit normals (3, height, width), and rgb (height, width, 3)
        where the sensor has colours, of an object whose middle is over `at` [m] and that is `depth`
        [m] deeper than where it touches first. seed: of the noise."""
        dent = self.dent(surface, at, depth)
        nodes = self._points.copy()
        nodes[:, 2] -= dent.ravel()
        image, normal = self._depth.measure(nodes)
        made: dict[str, NDArray[np.generic]] = {}
        if self._rgb is not None:
            made["rgb"] = self._rgb.image(image, normal, seed=seed)
        noise = self._sensor.noise or (None if self._rgb is None else self._rgb.noise)
        if noise is not None and noise.on_surface:
            key = _core.tactile_noise_key(seed, 0, "camera")
            image, normal = _core.add_surface_noise(noise, key, 0, self._sensor.camera.pitch,
                                                    image, normal)
        return {"depth": image, "normal": normal, **made}

    def dent(self, surface: _core.TriMesh, at: tuple[float, float], depth: float
             ) -> NDArray[np.float64]:
        """How deep the coat is pressed in on the points of the height map [m]."""
        notes: list[str] = []
        middle, lowest = middle_of(surface, self._sensor.gel, depth, notes)
        down = first_touch(surface, middle, lowest, at, self._sensor.gel) - depth
        x = np.asarray(surface.vertices) + [at[0] - middle[0], at[1] - middle[1], down]
        cells = np.asarray(surface.triangles)
        near = cells[(x[cells][:, :, 2] < 1e-3).any(axis=1)]  # others cannot be in the gel
        object_height = np.asarray(_core.DepthSensor(self._above, x, near).rest_height())
        inside = np.nan_to_num(self._rest.astype(float) - object_height)
        dent = np.maximum(inside, 0.0)
        touched, cut = dent > 0, dent.copy()
        for share in PASSES:
            dent = _blurred(dent, share * self._smoothing / self._pitch)
            dent[touched] = cut[touched]
        return dent


def load_colours(sensor: SensorModel) -> RgbSensor:
    """The colours of a sensor over its coat at rest, as its camera in a scene has them."""
    gel = sensor.gel
    rest = _core.DepthSensor(sensor.camera, gel.mesh.vertices, gel.coat)
    rgb = load_rgb(sensor.rgb, sensor.camera, rest_height=rest.rest_height(),
                   rest_normal=rest.measure(gel.mesh.vertices)[1], name="camera")
    if sensor.noise is not None:
        rgb.noise = sensor.noise
    return rgb


def _blurred(image: NDArray[np.float64], sigma: float) -> NDArray[np.float64]:
    """A Gaussian blur of standard deviation sigma [pixel]; the image goes on as its border is."""
    reach = math.ceil(3 * sigma)
    if reach < 1:
        return image
    weight = np.exp(-0.5 * (np.arange(-reach, reach + 1) / sigma) ** 2)
    weight /= weight.sum()
    for axis in (0, 1):
        padded = np.pad(image, [(reach, reach) if a == axis else (0, 0) for a in (0, 1)], "edge")
        n = image.shape[axis]
        image = sum(w * padded.take(range(k, k + n), axis) for k, w in enumerate(weight))
    return image
