"""Scene: everything a person describes. compile() makes a Sim of it."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from haptos import _core
from haptos.base.errors import refuse
from haptos.base.options import Material, Options
from haptos.meshes.given import as_name, kind_of, positive
from haptos.meshes.given import surface as to_surface
from haptos.meshes.given import volume as to_volume
from haptos.robots.load import load_robot
from haptos.robots.sensors import add_robot_sensor
from haptos.scene.fields import declared
from haptos.scene.option_groups import SceneOptions
from haptos.scene.parts import axis_of, histories, motors_of, shapes_of, start_of
from haptos.scene.strictness import strictness, warn_of
from haptos.tactile.sensors import sensor_spec

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

    from typing_extensions import Unpack

    from haptos._fields import (
        AffineFields,
        CamerasFields,
        ConstraintsFields,
        HalfSpacesFields,
        MaterialPointsFields,
        PairsFields,
        PrescribedFields,
        RigidFields,
        RobotsFields,
        SoftFields,
    )
    from haptos.scene.sim import Sim
    from haptos.scene.trajectories import Trajectory

#: A number in SI units, or a text with a unit: 0.1, "100 g", "4 mm".
QuantityLike = float | str
#: A surface: a TriMesh, the path of a file in metres, (vertices, triangles), a trimesh.Trimesh.
SurfaceLike = _core.TriMesh | str | os.PathLike[str] | tuple[Any, Any] | Any
#: A volume: a TetMesh, the path of a file in metres, (vertices, tets).
VolumeLike = _core.TetMesh | str | os.PathLike[str] | tuple[Any, Any] | Any


class Scene(SceneOptions):
    """Bodies, sensors and options; editable until compile().

    SI units, or texts with units ("100 g", "4 mm"); world z up; quaternions w x y z. Options are grouped: scene.sim (dt, gravity_z, ...),
    scene.newton, scene.solver, scene.contact, scene.point_contact; `haptos describe` lists them with units and ranges. Wrong names
    and values out of range raise InputError at once, the rest when compiled.
    """

    def __init__(self, *, dt: QuantityLike | None = None,
                 gravity: Sequence[float] | None = None) -> None:
        """dt: time step [s]; gravity: (3) [m/s2], default (0, 0, -9.81)."""
        self._core = _core.Scene()
        self.text = ""  #: the scene file it was loaded from, word for word
        if dt is not None:
            self.sim.dt = dt
        if gravity is not None:
            if not hasattr(gravity, "__len__") or isinstance(gravity, str) or len(gravity) != 3:
                refuse("gravity", gravity, "must be three numbers", "for example 0, 0, -9.81")
            self.sim.update(gravity_x=gravity[0], gravity_y=gravity[1], gravity_z=gravity[2])

    @declared("soft")
    def add_soft(
        self,
        name: str,
        mesh: VolumeLike,
        *,
        material: Material | Mapping[str, Any] | None = None,
        position: ArrayLike | None = None,
        quaternion: ArrayLike | None = None,
        frame: str | None = None,
        glue: Mapping[str, ArrayLike] | None = None,
        held: Iterable[tuple[ArrayLike, str]] = (),
        coat: ArrayLike | None = None,
        **fields: Unpack[SoftFields],
    ) -> None:
        """Adds a soft body.

        mesh: tetrahedra at rest in the body's own frame [m], a TetMesh, the path of a file in
        metres or (vertices, tets); material: a Material, or a mapping of its options;
        position (3) [m], quaternion (4): pose of that frame at the start; frame: a prescribed body,
        an affine body or a link ("robot/link") that this pose refers to, where it starts, None: the
        world; glue: vertices (n,) of the mesh held on a prescribed body, an affine body or a link
        ("robot/link"), by its name; held: (vertices, axes) whose displacement is kept at zero, axes
        such as "x" or "xyz"; coat: triangles (n, 3) of mesh vertices that read as the sensing
        surface, or None for all. Raises InputError.
        """
        who = f'soft body "{as_name(name, "soft body name")}"'
        mesh = to_volume(mesh, f"{who} mesh")
        if glue is not None and not isinstance(glue, Mapping):
            refuse(f"{who} glue", kind_of(glue), "must be a mapping of bodies to vertices",
                   'for example {"mount": pad.base_vertices}')
        values = dict(material.items()) if isinstance(material, (Options, Mapping)) else {}
        if material is not None and not isinstance(material, (Options, Mapping)):
            refuse(f"{who} material", repr(material), "must be a Material",
                   "for example haptos.Material(young=1e5)")
        if coat is not None and np.size(coat) == 0:
            refuse(f'soft body "{name}" coat', "no triangle", "must have at least one triangle",
                   "leave it out and the whole surface reads")
        self._core.add("soft", name, {
            **fields, "mesh": mesh, "material": values, "position": position,
            "quaternion": quaternion, "frame": frame, "glue": dict(glue or {}), "held": list(held),
            "coat": coat})

    def add_force(self, body: str, vertices: ArrayLike, force: Any, *,
                  spread: str = "nodes") -> None:
        """Adds a dead force on vertices of a soft body.

        vertices (n,): of the mesh as given; force (3) [N], world: of all of them together, or
        pairs (time [s], force (3)), straight in between and held beyond the ends; spread: "nodes"
        (equal shares) or "area" (uniform over the rest area of the surface triangles whose corners
        are all listed).
        """
        self._core.add_force(body, vertices, histories(force, f'soft body "{body}", force'), spread)

    def add_pressure(self, body: str, pressure: Any, triangles: ArrayLike | None = None) -> None:
        """Adds a pressure that follows the surface of a soft body as it deforms.

        pressure [Pa], positive inwards, or pairs (time [s], pressure); triangles (n, 3): surface
        triangles by vertices of the mesh as given, corners in any order; None for all.
        """
        self._core.add_pressure(body, histories(pressure, f'soft body "{body}", pressure'),
                                triangles)

    def set_acceleration(self, body: str, acceleration: Any) -> None:
        """Sets the body force per mass of a soft body, which acts beside gravity.

        acceleration (3) [m/s2], world, or pairs (time [s], acceleration (3)).
        """
        self._core.set_acceleration(
            body, histories(acceleration, f'soft body "{body}", acceleration'))

    @declared("prescribed")
    def add_prescribed(
        self,
        name: str,
        surface: SurfaceLike | None = None,
        *,
        trajectory: Iterable[Sequence[Any]] = (),
        position: ArrayLike | None = None,
        quaternion: ArrayLike | None = None,
        **fields: Unpack[PrescribedFields],
    ) -> None:
        """Adds a body whose motion is given.

        surface: triangles, segments and points in the body's own frame [m], a TriMesh, the path of
        a file in metres, (vertices, triangles) or a trimesh.Trimesh, or None for a mount that only
        carries glue; trajectory: keyframes (time [s], position (3) [m]) or (time, position,
        quaternion (4)), straight and at constant turning rate in between, held beyond the ends;
        position, quaternion: where it stays when there is no trajectory. Raises InputError.
        """
        who = f'prescribed body "{as_name(name, "prescribed body name")}"'
        rows: list[tuple[Any, Any, Any]] = []
        for k, frame in enumerate(trajectory):
            count = len(frame) if hasattr(frame, "__len__") else 0
            if count not in (2, 3):
                refuse(f"{who} keyframe {k}", f"{count} entries" if count else kind_of(frame),
                       "must be (time, position) or (time, position, quaternion)",
                       "for example (0.1, (0, 0, 0.01))")
            rows.append((frame[0], frame[1], frame[2] if count == 3 else None))
        if position is not None or quaternion is not None:
            if rows:
                refuse(who, "", "has both a pose and a trajectory",
                       "leave one of them out")
            rows.append((0.0, position, quaternion))
        shell = None if surface is None else to_surface(surface, f"{who} surface")
        self._core.add("prescribed", name, {**fields, "surface": shell, "trajectory": rows})

    @declared("affine")
    def add_affine(self, name: str, surface: SurfaceLike, **fields: Unpack[AffineFields]) -> None:
        """Adds a stiff body that moves freely, touches everything and may carry glue.

        surface: closed, outward triangles in the body's own frame [m], a TriMesh, the path of a
        file in metres, (vertices, triangles) or a trimesh.Trimesh. Sim.set_wrench() gives other
        forces and torques. Raises InputError; what needs the whole scene is checked when compiled.
        """
        who = f'affine body "{as_name(name, "affine body name")}"'
        self._core.add("affine", name, {**fields, "surface": to_surface(surface, f"{who} surface")})

    @declared("material_points")
    def add_material_points(self, name: str, shape: _core.RobotShape | SurfaceLike,
                            **fields: Unpack[MaterialPointsFields]) -> None:
        """Adds a body that flows and tears: points on a grid, which fill a shape.

        shape: a haptos.RobotShape with an inside, or a closed surface as of a rigid body [m]. It
        touches rigid bodies, robots, half-spaces, soft bodies in frozen contact and prescribed
        bodies that have an inside; Sim.material_points has its points. Raises InputError; what needs
        the whole scene is checked when compiled.
        """
        who = f'body of material points "{as_name(name, "body name")}"'
        if not isinstance(shape, _core.RobotShape):
            shape = _core.RobotShape("mesh", mesh=to_surface(shape, f"{who} shape"))
        self._core.add("material_points", name, {**fields, "shape": shape})

    @declared("half_spaces")
    def add_half_space(self, name: str, normal: ArrayLike = (0.0, 0.0, 1.0),
                       offset: QuantityLike = 0.0, **fields: Unpack[HalfSpacesFields]) -> None:
        """Adds everything behind the plane normal . x = offset. Raises InputError."""
        as_name(name, "half-space name")
        self._core.add("half_spaces", name, {**fields, "normal": normal, "offset": offset})

    @declared("spheres")
    def add_sphere(self, name: str, radius: QuantityLike, mass: QuantityLike,
                   **fields: Unpack[RigidFields]) -> None:
        """Adds a solid rigid sphere: add_rigid() of a shape that is one. Raises InputError."""
        radius = positive(radius, "m", f'sphere "{name}" radius')
        self.add_rigid(name, _core.RobotShape("sphere", (radius,)), mass=mass, **fields)

    @declared("robots")
    def add_robot(
        self,
        name: str,
        robot: _core.Robot | str | os.PathLike[str],
        *,
        start: Mapping[str, Any] | ArrayLike | None = None,
        velocity: ArrayLike | None = None,
        motors: Mapping[str, Any] | Sequence[Mapping[str, Any]] | None = None,
        trajectory: Trajectory | None = None,
        **fields: Unpack[RobotsFields],
    ) -> None:
        """Adds an articulated robot, in frozen contact with half-spaces and other robots, and in
        live contact with soft, affine and prescribed bodies.

        robot: from haptos.load_robot(), or the path of its file; start: coordinates of joints by
        name, or of all (nq,), [rad] and [m]; velocity (nv,) at the start, else at rest; motors:
        {"kp": 100, "kd": 5, "ki": 0, "effort": 40, "joints": [...]}: one motor for each of these
        joints, or for each that moves along or about an axis and follows no other, or a list of
        such; effort is the joint's own where left out; None: those that the robot's file describes;
        trajectory: from haptos.load_trajectory(), played from the start of a run by the motors that
        its columns name. Other motors hold the joints where they start until
        sim.robots[name].set_command() says otherwise. friction and what follows are of shapes that
        have none of their own. Raises InputError for names that do not exist and numbers out of
        range; the rest is checked when compiled.
        """
        who = f'robot "{as_name(name, "robot name")}"'
        if isinstance(robot, (str, os.PathLike)):
            robot = load_robot(robot)
        elif not isinstance(robot, _core.Robot):
            refuse(who, kind_of(robot), "must be a robot",
                   "give haptos.load_robot(path), or the path of its file")
        if motors is not None:
            robot = robot.copy()
            robot.motors = [m for row in ([motors] if isinstance(motors, Mapping) else motors)
                            for m in motors_of(name, robot, row)]
        by_name = start_of(who, robot, start) if isinstance(start, Mapping) else {}
        self._core.add("robots", name, {
            **fields, "robot": robot, "start": by_name,
            "coordinates": None if isinstance(start, Mapping) else start, "velocity": velocity,
            "trajectory": None if trajectory is None else trajectory._core})

    def add_robot_sensor(
        self,
        robot: str,
        name: str,
        kind: str,
        target: str = "",
        *,
        position: ArrayLike | None = None,
        quaternion: ArrayLike | None = None,
        against: str = "",
        acts_on: str = "child",
        torque_constant: float = 1.0,
        rate: float = 0.0,
        delay: float = 0.0,
        noise: Mapping[str, Any] | None = None,
        angular_noise: Mapping[str, Any] | None = None,
        places: ArrayLike | None = None,
        area: ArrayLike | None = None,
        grid: tuple[int, int] | None = None,
        pitch: float | None = None,
    ) -> None:
        """Adds a sensor to a robot or a rigid body: sim.robots[robot].sensors[name].

        kind: one of haptos.ROBOT_SENSORS; target: a joint, a motor or a link by kind, left out: all
        joints or motors, or the only link; position (3) [m], quaternion (4): of the sensor's frame
        in its link; against: the link against which a frame is measured, or the other body of a
        contact sensor; acts_on: "child" or "parent", whose load force_torque reads;
        torque_constant of motor_current [N m/A] or [N/A]; rate [Hz], 0: every step; delay [s];
        noise and, for torques, angular velocities and orientations, angular_noise: mappings with
        any of std, bias, bias_std, walk, quantum, range=(low, high). Taxels are at places (n, 3) [m]
        in the sensor's frame, moved to the nearest surface of the link, each with its area [m2],
        default 1e-6; or in a grid=(rows, columns) in the frame's plane z = 0, neighbours pitch [m]
        apart, area pitch^2. docs/sensors/robots.md says
        what each kind reads and what becomes of it. Raises InputError for a robot that is not
        there, names that are not known and numbers out of range; the rest is checked when compiled.
        """
        add_robot_sensor(self._core, robot, name, kind, target, position, quaternion, against,
                         acts_on, torque_constant, rate, delay, noise, angular_noise, places, area,
                         grid, pitch)

    @declared("rigid")
    def add_rigid(self, name: str, shape: _core.RobotShape | Sequence[_core.RobotShape],
                  **fields: Unpack[RigidFields]) -> None:
        """Adds a rigid body: a robot of one link, sim.robots[name], in the same contact.

        shape: a haptos.RobotShape, or several that make up the body. Raises InputError for a mass
        and a density, and for what moves without a volume.
        """
        who = f'rigid body "{as_name(name, "rigid body name")}"'
        _core.add_rigid(self._core, name, shapes_of(shape, who), fields)

    @declared("constraints")
    def add_constraint(self, name: str, a: str, b: str | None = None, *,
                       other_position: ArrayLike | None = None,
                       other_quaternion: ArrayLike | None = None,
                       limits: Sequence[float | str | None] | None = None,
                       reference: float | str = 0.0,
                       motor: Mapping[str, Any] | None = None,
                       **fields: Unpack[ConstraintsFields]) -> None:
        """Joins two bodies, or a body and the world, as a joint of no robot does.

        a, b: affine bodies, rigid bodies or links ("robot/link"), b None: the world; position,
        quaternion: of the frame or point in the frame of a; other_position (3) [m],
        other_quaternion (4): the same in the frame of b, or in the world, both None: where the
        frame of a is at the start. Read it by sim.constraint_wrench(name).

        Of a hinge or a slider: limits (lower, upper) of what is free, None for a side without,
        reference: where a spring of `stiffness` pulls to, both [rad] or [m]; motor: a mapping with
        some of kp, kd, ki, integral_limit, effort, and position [rad or m] and velocity that it is
        told at the start, as of motors of robots; it is moved by sim.set_constraint_command(name)
        and read by sim.constraint_position(name). Raises InputError.
        """
        who = f'constraint "{as_name(name, "constraint name")}"'
        self._core.add("constraints", name, {
            **fields, "a": as_name(a, who), "b": None if b is None else as_name(b, who),
            "other_position": other_position, "other_quaternion": other_quaternion,
            **axis_of(who, fields.get("kind") == "hinge", limits, reference, motor)})

    @declared("cameras")
    def add_camera(self, name: str, *, frame: str | None = None, **fields: Unpack[CamerasFields]) -> None:
        """Adds a camera that sees colours and depth: sim.cameras[name].

        frame: a prescribed, affine or rigid body or a link ("robot/link") that carries it, None: the
        world; position, quaternion: of the camera in that frame, x along the rows of its pictures, y
        down, z forward; look_at (3) [m]: a point in the frame, in place of a quaternion. Raises
        InputError.
        """
        as_name(name, "camera name")
        self._core.add("cameras", name, {**fields, "frame": frame})

    @declared("pairs")
    def add_pair(self, a: str, b: str, **fields: Unpack[PairsFields]) -> None:
        """Sets contact between two bodies, or all bodies of two groups, apart from the scene's.

        a, b: names of bodies or groups; an entry that names bodies is stronger than one that names
        groups, and a soft body with self_contact may be named twice. Raises InputError.
        """
        who = f'contact pair "{a}" and "{b}"'
        self._core.add_pair(as_name(a, who), as_name(b, who), fields)

    def start_pose(self, name: str) -> NDArray[np.float64]:
        """Pose at the start of the frame of a prescribed body, an affine body or a link
        ("robot/link") that is in the scene: x y z [m], w x y z; (7,). Raises InputError."""
        return _core.start_pose(self._core, name)

    def add_sensor(
        self,
        name: str,
        body: str,
        *,
        camera: _core.TactileCamera | None = None,
        markers: _core.MarkerGrid | None = None,
        rgb: str | os.PathLike[str] | None = None,
        noise: _core.TactileNoise | None = None,
        position: ArrayLike | None = None,
        quaternion: ArrayLike | None = None,
        rate: QuantityLike = 0.0,
        delay: QuantityLike = 0.0,
    ) -> None:
        """Adds a tactile camera under the coat of a soft body.

        body: the soft body; camera: None takes 320 x 240 pixels of 63.4 um; markers: a grid to
        track, or None; rgb: a file of lights or a table (docs/sensors/rgb.md) for colour images;
        noise: of depth, colours and markers (docs/sensors/noise.md), None: what the file has;
        position (3) [m], quaternion (4): gel frame (origin at the rest top centre,
        +z out of the gel) in the frame of the body's mesh. It moves with what the body is glued
        to. rate: samples per second [Hz], 0 for one at every step; delay: from sample to reader
        [s]. Reading: sim.sensors[name].
        """
        as_name(name, "sensor name")
        if any(s.name == name for s in self.sensors):
            refuse(f'sensor "{name}"', "", "has the name of another sensor", "give it another name")
        _core.add_tactile(self._core, sensor_spec(
            name, body, camera=camera, markers=markers, rgb=rgb, noise=noise, position=position,
            quaternion=quaternion, rate=rate, delay=delay))

    @property
    def sensors(self) -> tuple[_core.SensorSpec, ...]:
        """Tactile sensors as described so far: name, body, camera, markers, position, quaternion,
        rgb, noise, rate, delay each."""
        return tuple(_core.tactile_sensors(self._core))

    def entries(self) -> dict[str, list[dict[str, Any]]]:
        """What the scene holds, by kind: soft, material_points, prescribed, affine, half_spaces,
        robots, constraints, cameras."""
        return self._core.entries()

    @property
    def warnings(self) -> list[str]:
        """What is odd about the scene as it is but can be simulated, a sentence each."""
        return self._core.warnings()

    def validate(self) -> None:
        """Raises InputError for the first thing that is wrong and can be known before compiling."""
        self._core.validate()

    def compile(self, envs: int = 1, device: str = "cpu", *, strict: bool | None = None,
                quiet: bool = False,
                progress: Callable[[str, float], object] | None = None) -> Sim:
        """Makes a Sim. The scene may be changed and compiled again.

        envs: number of copies that run side by side and know nothing of each other, one thread each
        where there are as many as threads; device: "cpu"; strict: whether a warning about the scene
        is an error, None takes the scene's sim.strict; quiet: leaves warnings to Sim.warnings, else
        each is a SceneWarning too; progress: called meanwhile with what is being done and the part of
        it that is done, 0 to 1, where a mesh with a layer takes long. What it raises ends the call, as
        Ctrl-C does. Raises InputError for a scene that cannot run, for example one that starts in
        intersection.
        """
        from haptos.scene.sim import Sim

        if (isinstance(envs, bool) or not isinstance(envs, (int, np.integer))
                or not 1 <= envs <= 1_000_000):
            refuse("envs", envs, "must be a whole number from 1 to 1000000", "for example envs=256")
        if device != "cpu":
            refuse("device", device, 'must be "cpu" in this version', "leave it out")
        with strictness([self], strict):
            sim = Sim(self, int(envs), progress)
        if not quiet:
            warn_of(sim.warnings)
        return sim
