"""Tactile sensors of a Sim: depth image, normals, markers."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from haptos import _core
from haptos.errors import refuse

if TYPE_CHECKING:
    from haptos.scene import SensorSpec
    from haptos.sim import Sim


class MarkerReading(NamedTuple):
    """Where the markers are; gel frame, row by row of the grid."""

    position: NDArray[np.float64]  #: (env, n, 3) [m]
    flow: NDArray[np.float64]  #: position less rest position, (env, n, 3) [m]
    pixel: NDArray[np.float64]  #: (column, row), (env, n, 2)
    pixel_flow: NDArray[np.float64]  #: (env, n, 2) [pixel]
    in_view: NDArray[np.bool_]  #: (env, n)


class TactileSensor:
    """A camera under the coat of a soft body. Made by Scene.add_sensor().

    The gel frame has its origin at the rest top centre and +z out of the gel; it moves with the
    prescribed or affine body that the gel is glued to.
    """

    def __init__(self, sim: Sim, spec: SensorSpec) -> None:
        if spec.body not in sim.names("soft"):
            near = _core.nearest_name(spec.body, sim.names("soft"))
            refuse(f'sensor "{spec.name}" body', f'"{spec.body}"', "names no soft body",
                   f'did you mean "{near}"?' if near else "add the soft body first")
        self.name = spec.name
        self.body = spec.body
        self.camera = spec.camera
        self._sim = sim
        entry = next(e for e in sim.entries["soft"] if e["name"] == spec.body)
        self._carrier = next(iter(entry["glue"]), None)
        position = np.zeros(3) if spec.position is None else np.asarray(spec.position, float)
        turn = np.eye(3) if spec.quaternion is None else _rotation(spec.quaternion)
        # X_BG: the gel frame in the body's mesh frame; X_WB at the start.
        body = entry["pose"]
        self._start = (_rotation(body[3:]) @ turn, _rotation(body[3:]) @ position + body[:3])
        self._carrier_start = np.zeros(7) if self._carrier is None else sim.pose(self._carrier)[0]
        rest = (np.asarray(sim.mesh(spec.body).vertices) - position) @ turn
        coat = sim.coat(spec.body)
        self._depth = _core.DepthSensor(spec.camera, rest, coat)
        self._markers = (None if spec.markers is None
                         else _core.MarkerSensor(spec.camera, rest, coat, spec.markers))

    def frame(self, env: int = 0) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Rotation (3, 3) and origin (3) [m] of the gel frame in the world now."""
        turn, origin = self._start
        if self._carrier is None:
            return turn, origin
        a, b = self._carrier_start, self._sim.pose(self._carrier)[env]
        moved = _rotation(b[3:]) @ _rotation(a[3:]).T
        return moved @ turn, moved @ (origin - a[:3]) + b[:3]

    def nodes(self) -> NDArray[np.float64]:
        """The gel's nodes now, gel frame [m], (env, V, 3)."""
        x = self._sim.positions(self.body)
        frames = [self.frame(k) for k in range(len(x))]
        return np.stack([(x[k] - origin) @ turn for k, (turn, origin) in enumerate(frames)])

    def depth(self) -> NDArray[np.float32]:
        """How far the coat is pressed in [m], (env, height, width); negative where it bulges out,
        not-a-number where the camera sees no coat."""
        return self.image()[0]

    def image(self) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
        """Depth (env, height, width) [m] and unit normals (env, 3, height, width), gel frame."""
        images = [self._depth.measure(x) for x in self.nodes()]
        return np.stack([i[0] for i in images]), np.stack([i[1] for i in images])

    @property
    def has_markers(self) -> bool:
        """Whether the sensor has a marker grid."""
        return self._markers is not None

    def markers(self) -> MarkerReading:
        """The markers now and their flow since rest. Raises InputError without a marker grid."""
        if self._markers is None:
            refuse(f'sensor "{self.name}"', "", "has no markers",
                   "give add_sensor(markers=haptos.MarkerGrid())")
        rows = [self._markers.measure(x) for x in self.nodes()]
        return MarkerReading(*(np.stack([r[k] for r in rows]) for k in
                               ("position", "flow", "pixel", "pixel_flow")),
                             np.stack([r["in_view"] for r in rows]).astype(bool))


def _rotation(quaternion: object) -> NDArray[np.float64]:
    """Rotation matrix of a quaternion w x y z."""
    q = np.asarray(quaternion, float)
    if q.shape != (4,) or not np.isfinite(q).all() or not abs(q @ q - 1) < 1e-6:
        refuse("quaternion", quaternion, "must be four numbers of length 1 (w x y z)",
               "no turn is 1 0 0 0")
    w, x, y, z = q
    return np.array([
        [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
        [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
        [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)],
    ])
