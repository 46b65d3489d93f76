"""Tactile sensors of a Sim: depth, normals, markers, contact fields, stress, point clouds.

Everything is read in C++ (TactileReader): from the state and the contact records of the last step, or
from the sample that rate and delay let a reader see. Frames, equations, accuracy:
docs/sensors/tactile.md.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from haptos import _core
from haptos.base.arrays import in_place, stack_envs
from haptos.base.errors import refuse
from haptos.meshes.given import number
from haptos.tactile.rgb import read_colours

if TYPE_CHECKING:
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


def sensor_spec(name: str = "", body: str = "", *, camera: _core.TactileCamera | None = None,
                markers: _core.MarkerGrid | None = None,
                rgb: str | os.PathLike[str] | None = None,
                noise: _core.TactileNoise | None = None, position: ArrayLike | None = None,
                quaternion: ArrayLike | None = None, rate: float | str = 0.0,
                delay: float | str = 0.0) -> _core.SensorSpec:
    """A tactile sensor as described, with Scene.add_sensor()'s arguments. Raises InputError."""
    if camera is None:
        camera = _core.TactileCamera.orthographic(320, 240, 6.34e-5)
    colours = None
    if rgb is not None:
        colours, of_file = read_colours(rgb, camera)
        noise = of_file if noise is None else noise
    return _core.SensorSpec(name, body, camera, markers, position, quaternion, colours,
                            _core.TactileNoise() if noise is None else noise,
                            number(rate, "Hz", f'sensor "{name}" rate'),
                            number(delay, "s", f'sensor "{name}" delay'))


class TactileSensor:
    """A camera under the coat of a soft body. Made by Scene.add_sensor() and by scene files.

    The gel frame has its origin at the rest top centre and +z out of the gel; it moves with the
    prescribed body, affine body or link of a robot that the gel is glued to. What a camera shows
    (depth, normals, points, marker pixels, colours) has the noise of the step, where the sensor has
    any, unless `clean` is asked for; forces and stress have none. A sensor with a rate or a delay
    reads a sample that the state keeps (`time` says of when), else it reads the present.
    """

    def __init__(self, sim: Sim, number: int, spec: _core.SensorSpec) -> None:
        self.name: str = spec.name
        self.body: str = spec.body
        self.camera: _core.TactileCamera = spec.camera
        self.rate: float = spec.rate  #: samples per second [Hz]; 0: at every step
        self.delay: float = spec.delay  #: from sample to reader [s]
        self._sim = sim
        self._markers = spec.markers is not None
        self._colours = spec.rgb is not None
        self._read = _core.TactileReader(sim._batch, number)

    @property
    def noise(self) -> _core.TactileNoise:
        """The noise; assign another to change it, one without numbers to switch it off. Raises
        InputError for numbers that cannot be used and for markers that it would print beside the
        coat."""
        return self._read.noise

    @noise.setter
    def noise(self, noise: _core.TactileNoise) -> None:
        self._read.noise = noise

    @property
    def time(self) -> NDArray[np.float64]:
        """When what is read now was sampled, (env,) [s]."""
        return self._read.frames()[2]

    def frame(self, env: int = 0) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Rotation (3, 3) and origin (3) [m] of the gel frame in the world, at `time`.

        env: which environment. Raises InputError for one that is not there.
        """
        if not 0 <= env < self._sim.envs:
            refuse("env", env, f"must be from 0 to {self._sim.envs - 1}",
                   "environments are counted from 0")
        turn, origin, _ = self._read.frames()
        return turn[env], origin[env]

    def nodes(self, *, compensated: bool = False) -> NDArray[np.float64]:
        """The gel's nodes at `time`, gel frame [m], (env, V, 3). With a rate or a delay, nodes
        inside the gel are where they are at rest.

        compensated: those in contact moved over the gap to what presses on them.
        """
        return self._read.nodes(compensated)

    def depth(self, *, compensated: bool = False, clean: bool = False, raw: bool = False
              ) -> NDArray[np.float32]:
        """How far the coat is pressed in [m], (env, height, width); negative where it bulges out,
        not-a-number where the camera sees no coat.

        compensated, clean, raw: see image().
        """
        return self._read.surface(compensated, clean, raw, False)["depth"]

    def image(self, *, compensated: bool = False, clean: bool = False, raw: bool = False
              ) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
        """Depth (env, height, width) [m] and unit normals (env, 3, height, width), gel frame.

        compensated: of the surface that touches instead of the coat. The barrier keeps them apart
        by a part of contact.support; each vertex in contact is moved over its gap, so the depth
        becomes that of the object. clean: without noise. raw: the triangles of the coat as they
        are; without it they are smoothed along the contours of the dent, over two elements, where
        vertices beside a sharp edge stand up and down with the mesh.
        """
        made = self._read.surface(compensated, clean, raw, True)
        return made["depth"], made["normal"]

    # -- contact -------------------------------------------------------------------------------

    @property
    def coat_vertices(self) -> NDArray[np.int32]:
        """Vertex of positions(body) of each vertex of the coat, (N,)."""
        return self._read.coat_nodes

    @property
    def coat_triangles(self) -> NDArray[np.int32]:
        """Triangles of the coat as its own vertices, outward, (T, 3)."""
        return self._read.coat_triangles

    def contact_field(self, *, smoothing: float | None = None) -> ContactField:
        """Pressure and shear on the coat from the contact forces of the last step, which they keep.

        smoothing: length over which forces are spread [m]; None takes the size of the elements.
        Raises InputError for a negative length.
        """
        return ContactField(**self._read.contact_field(smoothing))

    def force_image(self, shape: tuple[int, int] | None = None, *,
                    smoothing: float | None = None) -> ForceImage:
        """The contact field in bins of the image: forces add up to the force in view.

        shape: rows and columns of bins, None takes the camera's pixels; smoothing: as in
        contact_field(). Raises InputError for a shape without bins.
        """
        height, width = (self.camera.height, self.camera.width) if shape is None else shape
        if not (height >= 1 and width >= 1):
            refuse("shape", shape, "must be at least one row and one column", "for example 24, 32")
        return ForceImage(**self._read.force_image(width, height, smoothing))

    def touch(self) -> Touch:
        """Wrench, area and centre of pressure of what touches the gel, from the last step."""
        made = self._read.touch()
        made["triangles"] = made["triangles"].view(np.bool_)
        return Touch(**made)

    def contact_mask(self, threshold: float = 5e-5) -> NDArray[np.bool_]:
        """Pixels that are pressed in deeper than threshold [m], (env, height, width), as one tells
        contact from a real image. What touches by its forces is in touch() and force_image()."""
        return in_place(_deeper(self.depth(), threshold))

    # -- point clouds --------------------------------------------------------------------------

    def points(self, frame: str = "world", *, threshold: float = 5e-5,
               compensated: bool = False, clean: bool = False) -> PointCloud:
        """The point of the coat that each pixel sees, its normal, and whether it is in contact.

        frame: "world" or "gel"; threshold: of the depth that counts as contact [m]; compensated,
        clean: see image(). Raises InputError for another frame.
        """
        depth, normal = self.image(compensated=compensated, clean=clean)
        normals = np.moveaxis(normal, 1, -1).astype(float)
        seen = np.isfinite(depth)
        normals[~seen] = np.nan
        position, normals = self._in_frame(frame, self._read.points(depth), normals)
        return PointCloud(*map(in_place, (position, normals, seen, _deeper(depth, threshold))))

    def marker_points(self, frame: str = "world") -> MarkerPoints:
        """The markers as a sparse point cloud.

        frame: "world" or "gel". Raises InputError for another one and without a marker grid.
        """
        markers = self.markers()
        return MarkerPoints(*map(in_place, self._in_frame(frame, markers.position, markers.normal)))

    def _in_frame(self, frame: str, position: NDArray[np.float64], vectors: NDArray[np.float64]
                  ) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        if frame not in ("world", "gel"):
            refuse("frame", frame, "must be world or gel", "the gel frame moves with its carrier")
        if frame == "gel":
            return position, vectors
        turn, origin, _ = self._read.frames()
        to_world = turn.swapaxes(1, 2)  # of rows
        return ((position.reshape(len(turn), -1, 3) @ to_world + origin[:, None]).reshape(position.shape),
                (vectors.reshape(len(turn), -1, 3) @ to_world).reshape(vectors.shape))

    # -- inside the gel ------------------------------------------------------------------------

    def stress(self) -> GelStress:
        """Cauchy stress in the gel now, from its law and its deformation, without damping; no
        reading, so rate and delay do not change it."""
        element, coat = [], []
        turns = self._read.frames(now=True)[0]
        for turn, each in zip(turns, self._sim._each, strict=True):
            of_element, of_node = each.soft_stress(self.body)
            element.append(turn.T @ of_element @ turn)
            coat.append(turn.T @ of_node[self.coat_vertices] @ turn)
        e, c = stack_envs(element), stack_envs(coat)
        return GelStress(*map(in_place, (e, c, _von_mises(e), _von_mises(c))))

    # -- colours and markers -------------------------------------------------------------------

    def rgb(self, *, clean: bool = False) -> NDArray[np.uint8]:
        """What the camera shows, grey values (env, height, width, 3), red first; the mirror image of
        what a camera inside sees. Without contact and noise exactly the background. clean:
        without noise and other backgrounds. Raises InputError without a file of lights or a table."""
        if not self._colours:
            refuse(f'sensor "{self.name}"', "", "has no colours",
                   "give add_sensor(rgb=...) a file of lights or a table")
        return self._read.colours(clean)

    @property
    def has_colours(self) -> bool:
        """Whether the sensor has lights or a table."""
        return self._colours

    @property
    def has_markers(self) -> bool:
        """Whether the sensor has a marker grid."""
        return self._markers

    def markers(self, *, clean: bool = False) -> MarkerReading:
        """The markers at `time` and their flow since rest.

        With noise they sit where they were printed; position and flow are exact, pixel, pixel_flow
        and undistorted jitter, some are lost. clean: without noise. Raises InputError without a
        marker grid.
        """
        if not self._markers:
            refuse(f'sensor "{self.name}"', "", "has no markers",
                   "give add_sensor(markers=haptos.MarkerGrid())")
        made = self._read.markers(clean)
        for flag in ("in_view", "hidden", "lost"):
            made[flag] = made[flag].view(np.bool_)
        return MarkerReading(**made)


def _deeper(depth: NDArray[np.float32], threshold: float) -> NDArray[np.bool_]:
    with np.errstate(invalid="ignore"):
        return depth > threshold


def _von_mises(stress: NDArray[np.float64]) -> NDArray[np.float64]:
    """sqrt(3/2 s : s) of the deviator s, (...)."""
    deviator = stress - np.trace(stress, axis1=-2, axis2=-1)[..., None, None] / 3 * np.eye(3)
    return np.sqrt(1.5 * (deviator**2).sum((-2, -1)))
