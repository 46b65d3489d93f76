"""Tactile sensors of a Sim: depth, normals, markers, contact fields, stress, point clouds.

Everything is read from the state and the contact records of the last step. Frames, equations and
accuracy: docs/sensors/tactile.md.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from haptos import _core
from haptos.base.arrays import stack_envs
from haptos.base.errors import refuse
from haptos.base.turns import rotation
from haptos.tactile.noise import noisy_surface, on_prints, on_surface
from haptos.tactile.rgb import load_rgb

if TYPE_CHECKING:
    from haptos.scene.scene import SensorSpec
    from haptos.scene.sim import Sim


class MarkerReading(NamedTuple):
    """Where the markers are; gel frame, row by row of the grid."""

    position: NDArray[np.float64]  #: (env, n, 3) [m]
    flow: NDArray[np.float64]  #: position less rest position, (env, n, 3) [m]
    pixel: NDArray[np.float64]  #: (column, row), (env, n, 2)
    pixel_flow: NDArray[np.float64]  #: (env, n, 2) [pixel]
    in_view: NDArray[np.bool_]  #: (env, n)
    hidden: NDArray[np.bool_]  #: a fold of the coat lies before the marker, (env, n)
    undistorted: NDArray[np.float64]  #: pixel in a pinhole without distortion, (env, n, 2)
    lost: NDArray[np.bool_]  #: by the noise, (env, n); its pixel says nothing
    normal: NDArray[np.float64]  #: of the coat's triangle, unit, outward, (env, n, 3)


class ContactField(NamedTuple):
    """Pressure and shear on the vertices of the coat; gel frame.

    The integral of traction over the present coat, linear over each triangle, is the force: the
    sum of traction times area.
    """

    position: NDArray[np.float64]  #: (env, N, 3) [m]
    normal: NDArray[np.float64]  #: outward, (env, N, 3)
    area: NDArray[np.float64]  #: of the present coat that a vertex stands for, (env, N) [m2]
    traction: NDArray[np.float64]  #: of the object on the gel, (env, N, 3) [Pa]
    pressure: NDArray[np.float64]  #: -traction . normal, (env, N) [Pa]
    shear: NDArray[np.float64]  #: tangential part of traction, (env, N, 3) [Pa]
    touched: NDArray[np.float64]  #: part of the vertex's area that is in contact, (env, N)
    off_coat: NDArray[np.float64]  #: force on nodes that are not on the coat, (env, 3) [N]


class ForceImage(NamedTuple):
    """The contact field in equal bins of the image; force in bins and outside is all there is."""

    force: NDArray[np.float64]  #: on the gel in each bin, gel frame, (env, 3, height, width) [N]
    pressure: NDArray[np.float64]  #: mean over the bin's coat, (env, height, width) [Pa]
    shear: NDArray[np.float64]  #: gel frame, (env, 3, height, width) [Pa]
    area: NDArray[np.float64]  #: of the present coat in each bin, (env, height, width) [m2]
    touched: NDArray[np.float64]  #: the part of it in contact, (env, height, width) [m2]
    outside: NDArray[np.float64]  #: force on coat that the image does not show, (env, 3) [N]


class Touch(NamedTuple):
    """What touches the gel, as a whole; gel frame, torque about its origin. Zero without contact."""

    area: NDArray[np.float64]  #: of the present coat in contact, (env,) [m2]
    force: NDArray[np.float64]  #: on the gel, (env, 3) [N]
    torque: NDArray[np.float64]  #: (env, 3) [N m]
    centre: NDArray[np.float64]  #: of pressure, (env, 3) [m]
    centre_pixel: NDArray[np.float64]  #: (column, row), (env, 2)
    triangles: NDArray[np.bool_]  #: coat triangles at least half in contact, (env, T)


class PointCloud(NamedTuple):
    """What each pixel sees of the coat; not-a-number where it sees none."""

    position: NDArray[np.float64]  #: (env, height, width, 3) [m]
    normal: NDArray[np.float64]  #: unit, outward, (env, height, width, 3)
    seen: NDArray[np.bool_]  #: (env, height, width)
    contact: NDArray[np.bool_]  #: pressed in deeper than the threshold, (env, height, width)


class MarkerPoints(NamedTuple):
    """The markers as points."""

    position: NDArray[np.float64]  #: (env, n, 3) [m]
    normal: NDArray[np.float64]  #: of the coat there, unit, outward, (env, n, 3)


class GelStress(NamedTuple):
    """Cauchy stress; gel axes. Tension is positive."""

    element: NDArray[np.float64]  #: mean of each tetrahedron as given, (env, E, 3, 3) [Pa]
    coat: NDArray[np.float64]  #: on the vertices of the coat, (env, N, 3, 3) [Pa]
    element_von_mises: NDArray[np.float64]  #: (env, E) [Pa]
    coat_von_mises: NDArray[np.float64]  #: (env, N) [Pa]


class TactileSensor:
    """A camera under the coat of a soft body. Made by Scene.add_sensor().

    The gel frame has its origin at the rest top centre and +z out of the gel; it moves with the
    prescribed body, affine body or link of a robot that the gel is glued to. What a camera shows
    (depth, normals, points, marker pixels, colours) has the noise of the step, where the sensor has
    any, unless `clean` is asked for; forces and stress have none.
    """

    def __init__(self, sim: Sim, spec: SensorSpec, seed: int = 0) -> None:
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
        self._carrier_start = np.zeros(7) if self._carrier is None else sim.carrier_pose(self._carrier)[0]
        rest = (np.asarray(sim.mesh(spec.body).vertices) - position) @ turn
        coat = sim.coat(spec.body)
        self._rest, self._coat = rest, coat
        self._fields: dict[float | None, Any] = {}
        self._depth = _core.DepthSensor(spec.camera, rest, coat)
        self._contours = _core.ContourSmoother(spec.camera, rest, coat)
        self._grid = spec.markers
        self._markers = (None if spec.markers is None
                         else _core.MarkerSensor(spec.camera, rest, coat, spec.markers))
        self._printed: list[Any] = []
        self._seeds = [(seed, k) for k in range(sim.envs)]  # of the noise, and whose it is
        self._rgb = None if spec.rgb is None else load_rgb(
            spec.rgb, spec.camera, rest_height=self._depth.rest_height(),
            rest_normal=self._depth.measure(rest)[1], name=spec.name,
            seed=seed)
        if spec.noise is not None:
            self.noise = spec.noise
        elif self._rgb is not None:
            self.noise = self._rgb.noise
        else:
            self.noise = _core.TactileNoise()

    @property
    def noise(self) -> _core.TactileNoise:
        """The noise; assign another to change it, one without numbers to switch it off. Raises
        InputError for numbers that cannot be used and for markers that it would print beside the
        coat."""
        return self._noise

    @noise.setter
    def noise(self, noise: _core.TactileNoise) -> None:
        noise.check()
        self._noise = noise
        if self._rgb is not None:
            self._rgb.noise = noise
        self._print(range(self._sim.envs))

    def _print(self, envs: Iterable[int]) -> None:
        """Prints the markers of these environments where the noise wants them."""
        if self._grid is None or not on_prints(self._noise):
            self._printed = []
            return
        if not self._printed:
            self._printed = [self._markers] * self._sim.envs
        for k in envs:
            at = _core.printed_markers(self._noise, self._key(k), self._grid)
            self._printed[k] = _core.MarkerSensor(self.camera, self._rest, self._coat, at)

    def _key(self, env: int) -> int:
        return _core.tactile_noise_key(*self._seeds[env], self.name)

    def _reseed(self, chosen: NDArray[np.bool_], seeds: list[tuple[int, int]]) -> None:
        for k in np.flatnonzero(chosen):
            self._seeds[int(k)] = seeds[int(k)]
        self._print([int(k) for k in np.flatnonzero(chosen)])

    def frame(self, env: int = 0) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Rotation (3, 3) and origin (3) [m] of the gel frame in the world now.

        env: which environment. Raises InputError for one that is not there.
        """
        if not 0 <= env < self._sim.envs:
            refuse("env", env, f"must be from 0 to {self._sim.envs - 1}",
                   "environments are counted from 0")
        turn, origin = self._start
        if self._carrier is None:
            return turn, origin
        a, b = self._carrier_start, self._sim.carrier_pose(self._carrier)[env]
        moved = _rotation(b[3:]) @ _rotation(a[3:]).T
        return moved @ turn, moved @ (origin - a[:3]) + b[:3]

    def nodes(self, *, compensated: bool = False) -> NDArray[np.float64]:
        """The gel's nodes now, gel frame [m], (env, V, 3).

        compensated: those in contact moved over the gap to what presses on them.
        """
        x = self._sim.positions(self.body)
        frames = [self.frame(k) for k in range(len(x))]
        nodes = stack_envs([(x[k] - origin) @ turn for k, (turn, origin) in enumerate(frames)])
        if compensated:
            nodes += stack_envs([c["to_surface"] for c in self._nodal_contact()])
        return nodes

    def depth(self, *, compensated: bool = False, clean: bool = False, raw: bool = False
              ) -> NDArray[np.float32]:
        """How far the coat is pressed in [m], (env, height, width); negative where it bulges out,
        not-a-number where the camera sees no coat.

        compensated, clean, raw: see image().
        """
        return self.image(compensated=compensated, clean=clean, raw=raw)[0]

    def image(self, *, compensated: bool = False, clean: bool = False, raw: bool = False
              ) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
        """Depth (env, height, width) [m] and unit normals (env, 3, height, width), gel frame.

        compensated: of the surface that touches instead of the coat. The barrier keeps them apart
        by a part of contact.support; each vertex in contact is moved over its gap, so the depth
        becomes that of the object. clean: without noise. raw: the triangles of the coat as they
        are; without it they are smoothed along the contours of the dent, over two elements, where
        vertices beside a sharp edge stand up and down with the mesh.
        """
        nodes = self.nodes(compensated=compensated)
        images = [self._depth.measure(x) if raw else self._contours.measure(self._depth, x)
                  for x in nodes]
        if on_surface(self._noise) and not clean:
            images = [noisy_surface(self._noise, self._key(k), int(step), self.camera.pitch, *i)
                      for k, (i, step) in enumerate(zip(images, self._sim.step_count, strict=True))]
        return stack_envs([i[0] for i in images]), stack_envs([i[1] for i in images])

    # -- contact -------------------------------------------------------------------------------

    @property
    def coat_vertices(self) -> NDArray[np.int32]:
        """Vertex of positions(body) of each vertex of the coat, (N,)."""
        return self._field(None).nodes

    @property
    def coat_triangles(self) -> NDArray[np.int32]:
        """Triangles of the coat as its own vertices, outward, (T, 3)."""
        return self._field(None).triangles

    def contact_field(self, *, smoothing: float | None = None) -> ContactField:
        """Pressure and shear on the coat from the contact forces of the last step, which they keep.

        smoothing: length over which forces are spread [m]; None takes the size of the elements.
        Raises InputError for a negative length.
        """
        rows = [self._field(smoothing).measure(x, c["force"], c["area"])
                for x, c in zip(self.nodes(), self._nodal_contact(), strict=True)]
        return ContactField(*_stacked(rows, ContactField._fields))

    def force_image(self, shape: tuple[int, int] | None = None, *,
                    smoothing: float | None = None) -> ForceImage:
        """The contact field in bins of the image: forces add up to the force in view.

        shape: rows and columns of bins, None takes the camera's pixels; smoothing: as in
        contact_field(). Raises InputError for a shape without bins.
        """
        height, width = (0, 0) if shape is None else shape
        if shape is not None and not (height >= 1 and width >= 1):
            refuse("shape", shape, "must be at least one row and one column", "for example 24, 32")
        field = self._field(smoothing)
        rows = [field.image(self.camera, x, c["force"], c["area"], width, height)
                for x, c in zip(self.nodes(), self._nodal_contact(), strict=True)]
        return ForceImage(*_stacked(rows, ForceImage._fields))

    def touch(self) -> Touch:
        """Wrench, area and centre of pressure of what touches the gel, from the last step."""
        field = self._field(None)
        rows = [field.patch(x, c["force"], c["area"])
                for x, c in zip(self.nodes(), self._nodal_contact(), strict=True)]
        area, force, torque, centre, inside = _stacked(
            rows, ("area", "force", "torque", "centre", "inside"))
        return Touch(area, force, torque, centre, self.camera.project(centre), inside.astype(bool))

    def contact_mask(self, threshold: float = 5e-5) -> NDArray[np.bool_]:
        """Pixels that are pressed in deeper than threshold [m], (env, height, width), as one tells
        contact from a real image. What touches by its forces is in touch() and force_image()."""
        return _deeper(self.depth(), threshold)

    # -- point clouds --------------------------------------------------------------------------

    def points(self, frame: str = "world", *, threshold: float = 5e-5,
               compensated: bool = False, clean: bool = False) -> PointCloud:
        """The point of the coat that each pixel sees, its normal, and whether it is in contact.

        frame: "world" or "gel"; threshold: of the depth that counts as contact [m]; compensated,
        clean: see image(). Raises InputError for another frame.
        """
        depth, normal = self.image(compensated=compensated, clean=clean)
        position = stack_envs([self._depth.points(d.ravel()) for d in depth])
        normals = np.moveaxis(normal, 1, -1).astype(float)
        seen = np.isfinite(depth)
        normals[~seen] = np.nan
        position, normals = self._in_frame(frame, position, normals)
        return PointCloud(position, normals, seen, _deeper(depth, threshold))

    def marker_points(self, frame: str = "world") -> MarkerPoints:
        """The markers as a sparse point cloud.

        frame: "world" or "gel". Raises InputError for another one and without a marker grid.
        """
        markers = self.markers()
        return MarkerPoints(*self._in_frame(frame, markers.position, markers.normal))

    def _in_frame(self, frame: str, position: NDArray[np.float64], vectors: NDArray[np.float64]
                  ) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        if frame not in ("world", "gel"):
            refuse("frame", frame, "must be world or gel", "the gel frame moves with its carrier")
        if frame == "gel":
            return position, vectors
        turns = [self.frame(k) for k in range(len(position))]
        return (stack_envs([p @ turn.T + at for p, (turn, at) in zip(position, turns, strict=True)]),
                stack_envs([v @ turn.T for v, (turn, _) in zip(vectors, turns, strict=True)]))

    # -- inside the gel ------------------------------------------------------------------------

    def stress(self) -> GelStress:
        """Cauchy stress in the gel from its law and its deformation, without damping."""
        element, coat = [], []
        for k, each in enumerate(self._sim._each):
            turn = self.frame(k)[0]
            of_element, of_node = each.soft_stress(self.body)
            element.append(turn.T @ of_element @ turn)
            coat.append(turn.T @ of_node[self.coat_vertices] @ turn)
        e, c = stack_envs(element), stack_envs(coat)
        return GelStress(e, c, _von_mises(e), _von_mises(c))

    # -- parts ---------------------------------------------------------------------------------

    def _field(self, smoothing: float | None) -> Any:
        """Factored once for each smoothing length."""
        if smoothing not in self._fields:
            self._fields[smoothing] = _core.ContactFieldSensor(self._rest, self._coat, smoothing)
        return self._fields[smoothing]

    def _nodal_contact(self) -> list[dict[str, NDArray[np.float64]]]:
        """What touched each node in the last step, gel frame, per environment."""
        out = []
        for k, each in enumerate(self._sim._each):
            turn = self.frame(k)[0]
            c = each.nodal_contact(self.body)
            out.append({"force": c["force"] @ turn, "area": c["area"],
                        "to_surface": c["to_surface"] @ turn})
        return out

    def rgb(self, *, clean: bool = False) -> NDArray[np.uint8]:
        """What the camera shows, grey values (env, height, width, 3), red first; the mirror image of
        what a camera inside sees. Without contact and noise exactly the background. clean:
        without noise and other backgrounds. Raises InputError without a file of lights or a table."""
        if self._rgb is None:
            refuse(f'sensor "{self.name}"', "", "has no colours",
                   "give add_sensor(rgb=...) a file of lights or a table")
        depth, normal = self.image(clean=True)
        if clean:
            return stack_envs([self._rgb.model.render(d, n)
                               for d, n in zip(depth, normal, strict=True)])
        return stack_envs([
            self._rgb.image(depth[k], normal[k], sample=int(step), seed=self._seeds[k][0],
                            env=self._seeds[k][1])
            for k, step in enumerate(self._sim.step_count)])

    @property
    def has_colours(self) -> bool:
        """Whether the sensor has lights or a table."""
        return self._rgb is not None

    @property
    def has_markers(self) -> bool:
        """Whether the sensor has a marker grid."""
        return self._markers is not None

    def markers(self, *, clean: bool = False) -> MarkerReading:
        """The markers now and their flow since rest.

        With noise they sit where they were printed; position and flow are exact, pixel, pixel_flow
        and undistorted jitter, some are lost. clean: without noise. Raises InputError without a
        marker grid.
        """
        if self._markers is None:
            refuse(f'sensor "{self.name}"', "", "has no markers",
                   "give add_sensor(markers=haptos.MarkerGrid())")
        of = self._printed if self._printed and not clean else [self._markers] * self._sim.envs
        rows = [m.measure(x) for m, x in zip(of, self.nodes(), strict=True)]
        position, flow, normal, pixel, pixel_flow, in_view, hidden = _stacked(
            rows, ("position", "flow", "normal", "pixel", "pixel_flow", "in_view", "hidden"))
        lost = np.zeros(in_view.shape, bool)
        if not clean and (self._noise.jitter or self._noise.loss):
            for k, step in enumerate(self._sim.step_count):
                seen = np.ones(len(pixel[k]))
                moved, seen = _core.add_marker_noise(self._noise, self._key(k), int(step), pixel[k],
                                                     seen)
                pixel_flow[k] += moved - pixel[k]
                pixel[k], lost[k] = moved, np.asarray(seen) == 0
        undistorted = self.camera.undistort(pixel.reshape(-1, 2)).reshape(pixel.shape)
        return MarkerReading(position, flow, pixel, pixel_flow, in_view.astype(bool),
                             hidden.astype(bool), undistorted, lost, normal)


def _stacked(rows: list[Any], names: Iterable[str]) -> list[NDArray[Any]]:
    """The named entries of all rows, env axis first."""
    return [stack_envs([r[n] for r in rows]) for n in names]


def _deeper(depth: NDArray[np.float32], threshold: float) -> NDArray[np.bool_]:
    with np.errstate(invalid="ignore"):
        return depth > threshold


def _von_mises(stress: NDArray[np.float64]) -> NDArray[np.float64]:
    """sqrt(3/2 s : s) of the deviator s, (...)."""
    deviator = stress - np.trace(stress, axis1=-2, axis2=-1)[..., None, None] / 3 * np.eye(3)
    return np.sqrt(1.5 * (deviator**2).sum((-2, -1)))


def _rotation(quaternion: object) -> NDArray[np.float64]:
    """Rotation matrix of a quaternion w x y z. Raises InputError."""
    q = np.asarray(quaternion, float)
    if q.shape != (4,) or not np.isfinite(q).all() or not abs(q @ q - 1) < 1e-6:
        refuse("quaternion", quaternion, "must be four numbers of length 1 (w x y z)",
               "no turn is 1 0 0 0")
    return rotation(q)
