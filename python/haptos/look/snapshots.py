"""What a scene looks like at one moment: what pages, pictures and movies draw.

A Stage holds what stays the same, a Snapshot what changes. Both come from a Sim (here) or from a
recording (haptos.record.replay), and whoever draws them need not know which. World frame, SI units.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from haptos import _core
from haptos.base.turns import rotation
from haptos.meshes.skin import PointsSkin, points_skin
from haptos.scene.shown import STILL, Plane, ShownBody, place, shown_bodies, shown_planes

if TYPE_CHECKING:
    from haptos.scene.sim import Sim
    from haptos.tactile.sensors import TactileSensor

Array = NDArray[Any]

BIN = 4  #: pixels that a bin of the pressure image has, each way


class FieldKind(NamedTuple):
    """A number on the nodes of soft bodies, or on material points, that can be shown as colour."""

    label: str  #: with the unit shown
    unit: float  #: shown number of one SI unit
    of: str = "soft"  #: the kind of body that has it


#: What a body can be coloured by.
FIELDS = {
    "pressure": FieldKind("pressure [kPa]", 1e-3),
    "displacement": FieldKind("displacement [mm]", 1e3),
    "stress": FieldKind("von Mises stress [kPa]", 1e-3),
    "flow": FieldKind("flow", 1.0, "material_points"),
}


@dataclass(frozen=True)
class ShownSensor:
    """A tactile sensor: its image."""

    name: str
    body: str
    width: int
    height: int
    pitch: float  #: of the gel per pixel [m]


@dataclass
class Stage:
    """What is there and does not change."""

    bodies: list[ShownBody]
    sensors: list[ShownSensor]
    planes: list[Plane]
    soft_ids: frozenset[int] = frozenset()  #: numbers of the soft bodies in contacts

    def of(self, *kinds: str) -> list[ShownBody]:
        """Bodies of these kinds."""
        return [b for b in self.bodies if b.kind in kinds]


@dataclass
class Reading:
    """What one sensor shows; None where it does not, or where a recording does not hold it."""

    depth: Array | None = None  #: (height, width) [m]
    rgb: Array | None = None  #: (height, width, 3) bytes
    pressure: Array | None = None  #: (rows, columns) of bins [Pa]
    pixel: Array | None = None  #: markers, (n, 2)
    pixel_flow: Array | None = None  #: (n, 2)
    in_view: Array | None = None  #: (n,)
    markers: Array | None = None  #: world, (n, 3) [m]


@dataclass
class Snapshot:
    """One moment."""

    time: float  #: [s]
    step: int
    positions: dict[str, Array]  #: vertices of the bodies that deform, material points, (V, 3) [m]
    poses: dict[str, Array]  #: of the others, (7): x y z [m], w x y z
    fields: dict[str, dict[str, Array]]  #: by name of FIELDS and of the body, (V,)
    contact_points: Array  #: (C, 3) [m]
    contact_forces: Array  #: on the first body of each, (C, 3) [N]
    contact_pairs: Array  #: numbers of the bodies, (C, 2)
    forces: dict[str, Array]  #: contact and glue on prescribed and affine bodies, (3) [N]
    readings: dict[str, Reading]

    def vertices(self, body: ShownBody) -> Array:
        """Where the vertices of a body are, (V, 3) [m]."""
        if body.deforms:
            return self.positions[body.name]
        return place(body.vertices, self.poses.get(body.name, STILL))

    def skin(self, body: ShownBody, field: str = "") -> PointsSkin:
        """The skin over a body of material points, with one of FIELDS where the moment has it."""
        return points_skin(self.positions[body.name], body.spacing, self.fields.get(field, {}).get(body.name))

    def size(self) -> int:
        """Bytes of its arrays, about."""
        readings = [a for r in self.readings.values() for a in vars(r).values() if a is not None]
        arrays = [*self.positions.values(), *(a for f in self.fields.values() for a in f.values()),
                  self.contact_points, self.contact_forces, self.contact_pairs, *readings]
        return sum(a.nbytes for a in arrays)


# -- poses -------------------------------------------------------------------------------------


def displacement(now: Array, rest: Array, pose: Array, start: Array) -> Array:
    """How far each vertex is from where a rigid gel on its carrier would have it, (V,) [m].

    rest (V, 3): world, at the start; pose, start (7): of the carrier now and then.
    """
    turn = rotation(pose[3:]) @ rotation(start[3:]).T
    return np.linalg.norm(now - ((rest - start[:3]) @ turn.T + pose[:3]), axis=1)


# -- of a Sim ----------------------------------------------------------------------------------


class SoftFields:
    """The fields of one soft body of a Sim, on its nodes."""

    def __init__(self, sim: Sim, name: str) -> None:
        self._sim, self._name = sim, name
        self.carrier = next(iter(self._entry(0)["glue"]), None)
        self._fields: dict[int, _core.ContactFieldSensor] = {}  # by what was compiled

    def _entry(self, env: int) -> dict[str, Any]:
        return next(e for e in self._sim.entries_of(env)["soft"] if e["name"] == self._name)

    def _field(self, env: int) -> _core.ContactFieldSensor:
        sim, key = self._sim, id(self._sim.entries_of(env))
        if key not in self._fields:
            coat, rest = sim.coat(self._name), np.asarray(sim.mesh(self._name, env).vertices)
            self._fields[key] = _core.ContactFieldSensor(rest, coat if len(coat) else sim.surface(self._name))
        return self._fields[key]

    def pressure(self, env: int) -> Array:
        """Contact pressure, (V,) [Pa]; 0 beside the coat, or beside the surface without one."""
        c = self._sim._each[env].nodal_contact(self._name)
        x = self._sim.positions(self._name)[env]
        out = np.zeros(len(x), np.float32)
        if np.any(c["force"]):
            field = self._field(env)
            out[field.nodes] = field.measure(x, c["force"], c["area"])["pressure"]
        return out

    def stress(self, env: int) -> Array:
        """Von Mises stress, (V,) [Pa]."""
        s = self._sim._each[env].soft_stress(self._name)[1]
        deviator = s - np.trace(s, axis1=-2, axis2=-1)[..., None, None] / 3 * np.eye(3)
        return np.sqrt(1.5 * (deviator**2).sum((-2, -1))).astype(np.float32)

    def displacement(self, env: int) -> Array:
        """Against the carrier, or the start where there is none, (V,) [m]."""
        sim = self._sim
        rest = place(np.asarray(sim.mesh(self._name, env).vertices), np.asarray(self._entry(env)["pose"], float))
        now, start = ((STILL, STILL) if self.carrier is None else
                      (sim.carrier_pose(self.carrier)[env], sim.start_poses[self.carrier][env]))
        return displacement(sim.positions(self._name)[env], rest, now, start).astype(np.float32)


def traction_image(sensor: TactileSensor) -> Array:
    """Force on the gel over area in bins of BIN x BIN pixels, gel frame, (env, 3, rows, columns)
    [Pa]."""
    camera = sensor.camera
    shape = (max(1, camera.height // BIN), max(1, camera.width // BIN))
    area = camera.height / shape[0] * camera.width / shape[1] * camera.pitch**2
    return (sensor.force_image(shape).force / area).astype(np.float32)


def pressure_image(sensor: TactileSensor) -> Array:
    """Normal force over area in bins of BIN x BIN pixels, (env, rows, columns) [Pa]."""
    return -traction_image(sensor)[:, 2]


class SimStage:
    """Takes snapshots of one environment of a Sim."""

    def __init__(self, sim: Sim, env: int = 0) -> None:
        self.sim, self.env = sim, env
        bodies, self._links = shown_bodies(sim, env)
        sensors = [ShownSensor(n, s.body, s.camera.width, s.camera.height, s.camera.pitch)
                   for n, s in sim.sensors.items()]
        self.stage = Stage(bodies, sensors, shown_planes(sim),
                           frozenset(sim.body_id(n) for n in sim.names("soft")))
        self._soft = {n: SoftFields(sim, n) for n in sim.names("soft")}

    @property
    def fields(self) -> list[str]:
        """Names of FIELDS that are known."""
        return [name for name, kind in FIELDS.items() if self.sim.names(kind.of)]

    def take(self, fields: Iterable[str] | None = None, readings: bool = True) -> Snapshot:
        """The present moment; fields: which of FIELDS to hold, None those that are known; readings:
        whether sensors are read."""
        sim, env = self.sim, self.env
        positions = {n: sim.positions(n)[env].astype(np.float32)
                     for kind in ("soft", "affine") for n in sim.names(kind)}
        positions |= {n: p.position[env].astype(np.float32) for n, p in sim.material_points.items()}
        poses = {n: sim.pose(n)[env] for n in sim.names("prescribed")}
        links = {n: r.link_poses[env] for n, r in sim.robots.items()}
        poses |= {part: links[robot][link] for part, robot, link in self._links}
        rows = sim.contacts
        rows = rows[rows["env"] == env]
        forces = {n: sim.reaction(n).force[env] for kind in ("prescribed", "affine")
                  for n in sim.names(kind)}
        return Snapshot(
            float(sim.time[env]), int(sim.step_count[env]), positions, poses,
            {f: self._field(f) for f in (self.fields if fields is None else fields)},
            rows["p"].astype(np.float32), rows["force"].astype(np.float32),
            np.stack([rows["body_a"], rows["body_b"]], axis=1), forces,
            {n: self._read(s) for n, s in sim.sensors.items()} if readings else {})

    def _field(self, field: str) -> dict[str, Array]:
        if field == "flow":
            return {n: p.flow[self.env].astype(np.float32) for n, p in self.sim.material_points.items()}
        return {n: getattr(s, field)(self.env) for n, s in self._soft.items()}

    def _read(self, sensor: TactileSensor) -> Reading:
        env = self.env
        reading = Reading(depth=sensor.depth()[env], pressure=pressure_image(sensor)[env])
        if sensor.has_colours:
            reading.rgb = sensor.rgb()[env]
        if sensor.has_markers:
            m = sensor.markers()
            reading.pixel, reading.pixel_flow = m.pixel[env], m.pixel_flow[env]
            reading.in_view = m.in_view[env] & ~m.lost[env]
            turn, origin = sensor.frame(env)
            reading.markers = m.position[env] @ turn.T + origin
        return reading
