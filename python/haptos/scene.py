"""Scene: everything a person describes. compile() makes a Sim of it."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from haptos import _core
from haptos.errors import refuse
from haptos.options import Material, Options

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

    from haptos.sim import Sim


class SensorSpec(NamedTuple):
    """A tactile sensor as described: name, soft body, camera, marker grid or None, gel frame."""

    name: str
    body: str
    camera: _core.TactileCamera
    markers: _core.MarkerGrid | None
    position: Any
    quaternion: Any


class Scene:
    """Bodies, sensors and options; editable until compile().

    SI units; world z up; quaternions w x y z. Options are grouped: scene.sim (dt, gravity_z, ...),
    scene.newton, scene.solver, scene.contact; `haptos describe` lists them with units and ranges. Wrong names
    and values out of range raise InputError at once, the rest when compiled.
    """

    def __init__(self, *, dt: float | None = None, gravity: Sequence[float] | None = None) -> None:
        """dt: time step [s]; gravity: (3) [m/s2], default (0, 0, -9.81)."""
        self._core = _core.Scene()
        self._sensors: list[SensorSpec] = []
        self.text = ""  #: the scene file it was loaded from, word for word
        if dt is not None:
            self.sim.dt = dt
        if gravity is not None:
            if len(gravity) != 3:
                refuse("gravity", gravity, "must be three numbers", "for example 0, 0, -9.81")
            self.sim.update(gravity_x=gravity[0], gravity_y=gravity[1], gravity_z=gravity[2])

    def options(self, group: str) -> Options:
        """The options of a group: "sim", "newton", "solver", "contact"."""
        return Options(group, lambda: self._core.options()[group],
                       lambda values: self._core.set_options(group, values))

    @property
    def sim(self) -> Options:
        """Time step, gravity, threads."""
        return self.options("sim")

    @property
    def newton(self) -> Options:
        """The solver: tolerances and limits."""
        return self.options("newton")

    @property
    def solver(self) -> Options:
        """The linear solver: direct or iterative."""
        return self.options("solver")

    @property
    def contact(self) -> Options:
        """Contact: support, stiffness, quadrature."""
        return self.options("contact")

    def add_soft(
        self,
        name: str,
        mesh: _core.TetMesh,
        *,
        material: Material | Mapping[str, float] | None = None,
        position: ArrayLike | None = None,
        quaternion: ArrayLike | None = None,
        velocity: ArrayLike | None = None,
        element: str = "composite",
        glue: Mapping[str, ArrayLike] | None = None,
        held: Iterable[tuple[ArrayLike, str]] = (),
        coat: ArrayLike | None = None,
    ) -> None:
        """Adds a soft body.

        mesh: tetrahedra at rest in the body's own frame [m]; material: a Material, or a mapping of
        its options; position (3) [m], quaternion (4): pose of that frame at the start; velocity
        (3) [m/s]; element: "composite" (every tetrahedron is split into eight, does not lock) or
        "linear"; glue: vertices (n,) of the mesh held on a prescribed body, by its name; held:
        (vertices, axes) whose displacement is kept at zero, axes such as "x" or "xyz"; coat:
        triangles (n, 3) of mesh vertices that read as the sensing surface, or None for all.
        """
        values = dict(material.items()) if isinstance(material, (Options, Mapping)) else {}
        if material is not None and not isinstance(material, (Options, Mapping)):
            refuse(f'soft body "{name}" material', repr(material), "must be a Material",
                   "for example haptos.Material(young=1e5)")
        self._core.add_soft(name, mesh, values, position, quaternion, velocity, element,
                            dict(glue or {}), list(held), coat)

    def add_prescribed(
        self,
        name: str,
        surface: _core.TriMesh | None = None,
        *,
        trajectory: Iterable[Sequence[Any]] = (),
        position: ArrayLike | None = None,
        quaternion: ArrayLike | None = None,
    ) -> None:
        """Adds a body whose motion is given.

        surface: triangles in the body's own frame [m], or None for a mount that only carries glue;
        trajectory: keyframes (time [s], position (3) [m]) or (time, position, quaternion (4)),
        straight and at constant turning rate in between, held beyond the ends; position,
        quaternion: where it stays when there is no trajectory.
        """
        rows = []
        for k, frame in enumerate(trajectory):
            if len(frame) not in (2, 3):
                refuse(f'prescribed body "{name}" keyframe {k}', f"{len(frame)} entries",
                       "must be (time, position) or (time, position, quaternion)",
                       "for example (0.1, (0, 0, 0.01))")
            rows.append((frame[0], frame[1], frame[2] if len(frame) == 3 else None))
        if position is not None or quaternion is not None:
            if rows:
                refuse(f'prescribed body "{name}"', "", "has both a pose and a trajectory",
                       "leave one of them out")
            rows.append((0.0, position, quaternion))
        self._core.add_prescribed(name, surface, rows)

    def add_half_space(self, name: str, normal: ArrayLike = (0.0, 0.0, 1.0),
                       offset: float = 0.0) -> None:
        """Adds everything behind the plane normal . x = offset [m]; normal (3): unit, outward."""
        self._core.add_half_space(name, normal, offset)

    def add_sphere(
        self,
        name: str,
        radius: float,
        mass: float,
        *,
        position: ArrayLike | None = None,
        quaternion: ArrayLike | None = None,
        velocity: ArrayLike | None = None,
        omega: ArrayLike | None = None,
        friction: float = 0.5,
        stiffness: float = 1e5,
        dissipation: float = 0.01,
    ) -> None:
        """Adds a free rigid sphere that rests and rolls on half-spaces.

        radius [m]; mass [kg], solid; position (3) [m], velocity (3) [m/s], omega (3) [rad/s],
        world; friction: coefficient; stiffness [N/m]; dissipation: relaxation time [s].
        """
        self._core.add_sphere(name, radius, mass, position, quaternion, velocity, omega, friction,
                              stiffness, dissipation)

    def add_pendulum(
        self,
        name: str,
        *,
        length: Sequence[float] = (1.0, 1.0),
        mass: Sequence[float] = (1.0, 1.0),
        angle: Sequence[float] = (0.0, 0.0),
        rate: Sequence[float] = (0.0, 0.0),
        damping: float = 0.0,
    ) -> None:
        """Adds a double pendulum of slender rods, hinged about +y on a fixed pin.

        length (2) [m]; mass (2) [kg]; angle (2) [rad] from straight down, the second relative to
        the first; rate (2) [rad/s]; damping: viscous, both joints [N m s].
        """
        for what, value in (("length", length), ("mass", mass), ("angle", angle), ("rate", rate)):
            if len(value) != 2:
                refuse(f'pendulum "{name}" {what}', value, "must be two numbers", "one per link")
        self._core.add_pendulum(name, list(length), list(mass), list(angle), list(rate), damping)

    def add_pair(self, a: str, b: str, *, enabled: bool = True, stiffness: float = 0.0) -> None:
        """Sets contact between a soft body and one other body apart from the scene's options.

        stiffness [Pa/m]; 0 keeps the scene's.
        """
        self._core.add_pair(a, b, enabled, stiffness)

    def add_sensor(
        self,
        name: str,
        body: str,
        *,
        camera: _core.TactileCamera | None = None,
        markers: _core.MarkerGrid | None = None,
        position: ArrayLike | None = None,
        quaternion: ArrayLike | None = None,
    ) -> None:
        """Adds a tactile camera under the coat of a soft body.

        body: the soft body; camera: None takes 320 x 240 pixels of 63.4 um; markers: a grid to
        track, or None; position (3) [m], quaternion (4): gel frame (origin at the rest top centre,
        +z out of the gel) in the frame of the body's mesh. It moves with what the body is glued
        to. Reading: sim.sensors[name].
        """
        if any(s.name == name for s in self._sensors):
            refuse(f'sensor "{name}"', "", "has the name of another sensor", "give it another name")
        if camera is None:
            camera = _core.TactileCamera.orthographic(320, 240, 6.34e-5)
        self._sensors.append(SensorSpec(name, body, camera, markers, position, quaternion))

    @property
    def sensors(self) -> tuple[SensorSpec, ...]:
        """Sensors as described so far."""
        return tuple(self._sensors)

    def entries(self) -> dict[str, list[dict[str, Any]]]:
        """What the scene holds, by kind: soft, prescribed, half_spaces, spheres, pendulums."""
        return self._core.entries()

    @property
    def warnings(self) -> list[str]:
        """Sentences of whoever read the scene: what is odd about it but can be simulated."""
        return self._core.warnings()

    def validate(self) -> None:
        """Raises InputError for the first thing that is wrong and can be known before compiling."""
        self._core.validate()

    def compile(self, envs: int = 1, device: str = "cpu") -> Sim:
        """Makes a Sim. The scene may be changed and compiled again.

        envs: number of copies that run side by side, 1 in this version; device: "cpu".
        Raises InputError for a scene that cannot run, for example one that starts in intersection.
        """
        from haptos.sim import Sim

        if isinstance(envs, bool) or not isinstance(envs, int) or envs != 1:
            refuse("envs", envs, "must be 1 in this version",
                   "compile several Sims for several environments")
        if device != "cpu":
            refuse("device", device, 'must be "cpu" in this version', "leave it out")
        return Sim(self)


def load_scene(path: str | os.PathLike[str]) -> Scene:
    """The scene of a YAML file. Raises InputError that names file and line."""
    scene = Scene()
    scene._core = _core.load_scene(os.fspath(path))
    with open(path, encoding="utf-8", errors="replace") as f:
        scene.text = f.read()
    return scene
