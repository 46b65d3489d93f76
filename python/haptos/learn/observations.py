"""What an agent sees: parts of the observation of haptos.learn.VectorEnv.

Each function makes a part; `scale` multiplies its numbers, which are in SI units, so that they come
near one. A part needs no more than a Sim: part.bind(sim).read() is an array, env axis first.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from haptos.base.errors import refuse
from haptos.base.turns import rotation

if TYPE_CHECKING:
    from haptos.scene.sim import Sim
    from haptos.tactile.sensors import TactileSensor

Array = NDArray[Any]


class BoundObservation(NamedTuple):
    """A part of the observation in a Sim."""

    shape: tuple[int, ...]  #: of one environment
    image: bool  #: of whole numbers from 0 to 255; else of real numbers
    low: float  #: the least that it reads
    high: float
    read: Callable[[], Array]  #: (env, *shape)


@dataclass(frozen=True)
class Observation:
    """A part of an observation: bind(sim) gives it in a Sim."""

    bind: Callable[[Sim], BoundObservation]


def value(read: Callable[[Sim], ArrayLike], *, scale: float = 1.0, low: float = -np.inf,
          high: float = np.inf) -> Observation:
    """What a function of the Sim returns, (env, ...); it is kept within low and high."""
    def bind(sim: Sim) -> BoundObservation:
        def scaled() -> Array:
            return np.clip(scale * np.asarray(read(sim), float), low, high)

        shape = np.shape(read(sim))
        if len(shape) < 1 or shape[0] != sim.envs:
            refuse("observation", f"shape {shape}", f"must have {sim.envs} rows, one for each "
                   "environment", "return an array with the environment axis first")
        return BoundObservation(shape[1:] or (1,), False, low, high,
                                lambda: scaled().reshape(sim.envs, *(shape[1:] or (1,))))

    return Observation(bind)


# -- bodies and robots -----------------------------------------------------------------------------


def joint_positions(robot: str, joints: Sequence[str] | None = None, *,
                    scale: float = 1.0) -> Observation:
    """Coordinates [rad] or [m] of a robot's joints, None: of all that move."""
    return _of_joints(robot, joints, scale, lambda view, at: view.position[:, at],
                      lambda view, joint: view.coordinates(joint))


def joint_velocities(robot: str, joints: Sequence[str] | None = None, *,
                     scale: float = 1.0) -> Observation:
    """Velocities [rad/s] or [m/s] of a robot's joints, None: of all that move."""
    return _of_joints(robot, joints, scale, lambda view, at: view.velocity[:, at],
                      lambda view, joint: view.unknowns(joint))


def motor_efforts(robot: str, *, scale: float = 1.0) -> Observation:
    """What each motor exerted in the last step [N m] or [N]."""
    return value(lambda sim: sim.robots[robot].effort, scale=scale)


def constraint_positions(constraints: str | Sequence[str], *, scale: float = 1.0) -> Observation:
    """How far hinges are turned [rad] and sliders shifted [m], one number for each name."""
    return _of_constraints(constraints, scale, "constraint_position")


def constraint_velocities(constraints: str | Sequence[str], *, scale: float = 1.0) -> Observation:
    """Rates [rad/s] or [m/s] of hinges and sliders, one number for each name."""
    return _of_constraints(constraints, scale, "constraint_velocity")


def body_position(name: str, relative_to: str | None = None, *, scale: float = 1.0) -> Observation:
    """Where the frame of a body is [m], world axes, (3).

    name: a prescribed, affine or rigid body, or a link ("robot/link"); relative_to: another one,
    from which it is counted.
    """
    def read(sim: Sim) -> Array:
        here = sim.pose(name)[:, :3]
        return here if relative_to is None else here - sim.pose(relative_to)[:, :3]

    return value(read, scale=scale)


def body_pose(name: str, *, scale: float = 1.0) -> Observation:
    """Where the frame of a body is and how it is turned, (9): its origin [m] times scale, and the
    first two columns of its rotation, which unlike a quaternion do not jump."""
    def read(sim: Sim) -> Array:
        pose = sim.pose(name)
        turns = np.stack([rotation(q) for q in pose[:, 3:]])
        return np.concatenate([scale * pose[:, :3], turns[:, :, 0], turns[:, :, 1]], axis=1)

    return value(read)


def body_velocity(name: str, *, scale: float = 1.0) -> Observation:
    """Velocity [m/s] and angular velocity [rad/s] of an affine or rigid body or a link, world
    axes, (6)."""
    return value(lambda sim: sim.velocity(name), scale=scale)


def contact_force(name: str, *, scale: float = 1.0) -> Observation:
    """Force of all contact on a body, a robot or a link ("robot/link") in the last step [N], world
    axes, (3)."""
    return value(lambda sim: sim.contact_wrench(name).force, scale=scale)


def robot_sensor(robot: str, sensor: str, channels: Sequence[int] | None = None, *,
                 scale: float = 1.0) -> Observation:
    """Readings of a sensor of a robot, with its noise and delay; channels: some of its numbers."""
    pick = slice(None) if channels is None else list(channels)
    return value(lambda sim: sim.robots[robot].sensors[sensor].value[:, pick], scale=scale)


# -- tactile sensors and cameras -------------------------------------------------------------------


def tactile_depth(sensor: str, shape: tuple[int, int] | None = None, *,
                  scale: float = 1e3) -> Observation:
    """How far the coat of a tactile sensor is pressed in, (rows, columns); in mm with this scale.

    shape: rows and columns of a coarser image, whose numbers are means over what the camera sees
    there; None takes the camera's pixels. 0 where the camera sees no coat.
    """
    def bind(sim: Sim) -> BoundObservation:
        camera = sim.sensors[sensor].camera
        size = shape or (camera.height, camera.width)
        pool = _pooling((camera.height, camera.width), size, f'tactile_depth of "{sensor}"')
        return BoundObservation(size, False, -np.inf, np.inf,
                                lambda: scale * pool(sim.sensors[sensor].depth()))

    return Observation(bind)


def tactile_force(sensor: str, *, scale: float = 1.0) -> Observation:
    """Force of what touches a tactile sensor on its gel [N], gel frame (z out of the gel), (3)."""
    return value(lambda sim: sim.sensors[sensor].touch().force, scale=scale)


def force_image(sensor: str, shape: tuple[int, int], *, scale: float = 1.0) -> Observation:
    """Force on the gel in each bin of the image [N], gel frame, (3, rows, columns)."""
    return value(lambda sim: sim.sensors[sensor].force_image(shape).force, scale=scale)


def marker_flow(sensor: str, *, scale: float = 1.0) -> Observation:
    """How far each marker has moved in the image since rest [pixel], (markers, 2); 0 for markers
    that are lost."""
    def read(sim: Sim) -> Array:
        seen = sim.sensors[sensor].markers()
        return np.where(seen.lost[:, :, None], 0.0, np.nan_to_num(seen.pixel_flow))

    return value(read, scale=scale)


def tactile_rgb(sensor: str) -> Observation:
    """What the camera of a tactile sensor shows, grey values (height, width, 3)."""
    def bind(sim: Sim) -> BoundObservation:
        reader: TactileSensor = sim.sensors[sensor]
        size = (reader.camera.height, reader.camera.width, 3)
        return BoundObservation(size, True, 0, 255, reader.rgb)

    return Observation(bind)


def camera(width: int = 128, height: int = 96, *, view: Any = "above",
           frame: ArrayLike | None = None) -> Observation:
    """A picture of the scene, grey values (height, width, 3); it takes some ten milliseconds each.

    view: of haptos.look.aim.CAMERAS, or a direction; frame (2, 3): lower and upper corner of what it
    holds [m], None: what there is, wherever it is.
    """
    def bind(sim: Sim) -> BoundObservation:
        from haptos.learn.pictures import Camera

        film = Camera(sim, width, height, view=view, frame=frame)
        return BoundObservation((height, width, 3), True, 0, 255,
                                lambda: np.stack([film.take(k) for k in range(sim.envs)]))

    return Observation(bind)


def camera_rgb(name: str) -> Observation:
    """What a camera of the scene shows, colours (height, width, 3)."""
    def bind(sim: Sim) -> BoundObservation:
        seen = sim.cameras[name]
        return BoundObservation((seen.height, seen.width, 3), True, 0, 255, seen.rgb)

    return Observation(bind)


def camera_depth(name: str, shape: tuple[int, int] | None = None, *, scale: float = 1.0) -> Observation:
    """Depth that a camera of the scene sees [m], (rows, columns); `far` where it sees nothing.

    shape: rows and columns of a coarser image, whose numbers are means; None takes all pixels.
    """
    def bind(sim: Sim) -> BoundObservation:
        seen = sim.cameras[name]
        size = shape or (seen.height, seen.width)
        pool = _pooling((seen.height, seen.width), size, f'camera_depth of "{name}"')
        return BoundObservation(size, False, 0.0, scale * seen.far,
                                lambda: scale * pool(np.minimum(seen.depth(), np.float32(seen.far))))

    return Observation(bind)


# -- parts -----------------------------------------------------------------------------------------


def _of_constraints(constraints: str | Sequence[str], scale: float, reader: str) -> Observation:
    names = [constraints] if isinstance(constraints, str) else list(constraints)
    return value(lambda sim: np.stack([getattr(sim, reader)(n) for n in names], axis=1), scale=scale)


def _of_joints(robot: str, joints: Sequence[str] | None, scale: float,
               read: Callable[..., Array], slot: Callable[..., slice]) -> Observation:
    def bind(sim: Sim) -> BoundObservation:
        view = sim.robots[robot]
        names = [joints] if isinstance(joints, str) else joints
        at = np.concatenate([np.arange(s.start, s.stop) for s in
                             (slot(view, j) for j in names or view.joint_names)])
        return value(lambda _: read(view, at), scale=scale).bind(sim)

    return Observation(bind)


def _pooling(pixels: tuple[int, int], shape: tuple[int, int], who: str
             ) -> Callable[[Array], Array]:
    """Means over cells of an image (env, height, width), which differ by a pixel at most."""
    if len(shape) != 2 or not all(1 <= n <= m for n, m in zip(shape, pixels, strict=True)):
        refuse(f"{who} shape", shape, f"must be rows and columns, at most {pixels}",
               "for example (8, 8)")
    at = [np.arange(n) * m // n for n, m in zip(shape, pixels, strict=True)]

    def sums(image: Array) -> Array:
        return np.add.reduceat(np.add.reduceat(image, at[0], axis=1), at[1], axis=2)

    def pool(image: Array) -> Array:
        seen = np.isfinite(image)
        return sums(np.where(seen, image, 0.0)) / np.maximum(sums(seen.astype(np.float32)), 1)

    return pool
