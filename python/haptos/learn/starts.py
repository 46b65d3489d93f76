"""What differs from episode to episode: hooks that haptos.learn.VectorEnv calls at its resets.

Each function makes one; a hook is any function of (sim, mask, random): mask (env,) says which
environments begin an episode, random holds a numpy Generator for each. A hook draws from the
generators of chosen environments only, so that an environment has the same episodes whatever the
others do.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from haptos.base.errors import refuse
from haptos.base.turns import product
from haptos.meshes.given import chosen_envs, kind_of

if TYPE_CHECKING:
    from haptos._core import State
    from haptos.scene.sim import Sim

Mask = NDArray[np.bool_]
Start = Callable[["Sim", Mask, Sequence[np.random.Generator]], None]


def draw(mask: Mask, random: Sequence[np.random.Generator], low: ArrayLike, high: ArrayLike
         ) -> NDArray[np.float64]:
    """Uniform numbers between low and high, (env, ...); 0 where mask is false."""
    a, b = np.broadcast_arrays(np.asarray(low, float), np.asarray(high, float))
    out = np.zeros((len(mask), *a.shape))
    for k in np.flatnonzero(mask):
        out[k] = random[k].uniform(a, b)
    return out


def randomise(sim: Sim, hooks: Sequence[Start], *, seed: int, mask: ArrayLike | None = None,
              episode: int = 0) -> None:
    """Lets hooks draw, for who steps a Sim without a VectorEnv: where mask (env,) is true,
    everywhere by default.

    Environment k draws from a generator of its own, seeded by (seed, k, episode): it draws the same
    among few environments and among many. Raises InputError for other masks and seeds.
    """
    chosen = chosen_envs(mask, sim.envs)
    for what, number in (("seed", seed), ("episode", episode)):
        if isinstance(number, bool) or not isinstance(number, (int, np.integer)) or number < 0:
            refuse(what, number, "must be a whole number of 0 or more", "for example 7")
    random = [np.random.default_rng([seed, k, episode]) for k in range(sim.envs)]
    for hook in hooks:
        hook(sim, chosen, random)


def place(name: str, low: ArrayLike, high: ArrayLike, *, yaw: tuple[float, float] = (0.0, 0.0)
          ) -> Start:
    """Puts a rigid body, or a robot with a free base, somewhere in a box, at rest.

    low, high (3): corners of the box [m], world; yaw: range of a turn about z [rad], from where it
    stands in the scene. Nothing looks whether it then overlaps others.
    """
    def start(sim: Sim, mask: Mask, random: Sequence[np.random.Generator]) -> None:
        view = sim.robots[name]
        base = next((j for j in view.robot.joints if j.kind == "free"), None)
        if base is None:
            refuse(f'"{name}"', "", "does not move freely, so that it cannot be placed",
                   "starts.joints() draws the joints of a robot that is fixed to the world")
        position, velocity = view.position, np.zeros_like(view.velocity)
        at = view.coordinates(base.name).start
        position[:, at:at + 3] = draw(mask, random, low, high)
        half = 0.5 * draw(mask, random, *yaw)
        turn = np.array([np.cos(half), 0 * half, 0 * half, np.sin(half)])  # about z
        position[:, at + 3:at + 7] = product(turn, position[:, at + 3:at + 7].T).T
        view.set_state(position, velocity, mask)

    return start


def joints(robot: str, ranges: Mapping[str, tuple[float, float]]) -> Start:
    """Puts joints of a robot somewhere between (low, high) [rad] or [m], at rest; their motors hold
    them there."""
    def start(sim: Sim, mask: Mask, random: Sequence[np.random.Generator]) -> None:
        view = sim.robots[robot]
        position, velocity = view.position, view.velocity
        rows = view.command
        motors = [m.joint for m in view.robot.motors]
        for joint, (low, high) in ranges.items():
            at = view.coordinates(joint).start
            position[:, at] = draw(mask, random, low, high)
            velocity[:, view.unknowns(joint)] = 0
            for k in [k for k, m in enumerate(motors) if m == joint]:
                rows[mask, k, 0] = position[mask, at]
        view.set_state(position, velocity, mask)
        lengths = view.tendons
        for tendon in view.robot.tendons:
            for k in [k for k, m in enumerate(motors) if m == tendon.name]:
                if not tendon.joints.keys().isdisjoint(ranges):
                    rows[mask, k, 0] = lengths[tendon.name][mask]
        if motors:
            view.set_command(position=rows[:, :, 0])

    return start


def friction(name: str, low: float, high: float) -> Start:
    """Draws the factor of friction of a body of any kind, a robot or a half-space."""
    def start(sim: Sim, mask: Mask, random: Sequence[np.random.Generator]) -> None:
        sim.set_friction_scale(name, np.where(mask, draw(mask, random, low, high), sim.friction_scale(name)))

    return start


def mass(name: str, low: float, high: float, *, link: str | None = None) -> Start:
    """Draws the factor of mass and inertia of a soft, an affine or a rigid body; of a robot that of
    a link, None: the first one."""
    def start(sim: Sim, mask: Mask, random: Sequence[np.random.Generator]) -> None:
        body = name
        if name in sim.robots:
            body = f"{name}/{link or sim.robots[name].link_names[0]}"
        sim.set_mass_scale(body, np.where(mask, draw(mask, random, low, high), sim.mass_scale(body)))

    return start


def gains(robot: str, low: float, high: float) -> Start:
    """Draws one factor of all gains of a robot's motors."""
    def start(sim: Sim, mask: Mask, random: Sequence[np.random.Generator]) -> None:
        view = sim.robots[robot]
        factor = np.where(mask, draw(mask, random, low, high), 1.0)
        rows = factor[:, None, None] * view.gains
        view.set_gains(kp=rows[:, :, 0], kd=rows[:, :, 1], ki=rows[:, :, 2])

    return start


def gravity(low: ArrayLike, high: ArrayLike) -> Start:
    """Draws gravity between two vectors (3) [m/s2], world: its size, and with it which way is down."""
    def start(sim: Sim, mask: Mask, random: Sequence[np.random.Generator]) -> None:
        drawn = draw(mask, random, np.broadcast_to(low, 3), np.broadcast_to(high, 3))
        sim.set_gravity(np.where(mask[:, None], drawn, sim.gravity))

    return start


def stiffness(soft: str, low: float, high: float) -> Start:
    """Draws the factor of the stiffness of a soft body."""
    def start(sim: Sim, mask: Mask, random: Sequence[np.random.Generator]) -> None:
        sim.set_stiffness_scale(soft, np.where(mask, draw(mask, random, low, high), sim.stiffness_scale(soft)))

    return start


def material(body: str, **ranges: tuple[float, float]) -> Start:
    """Draws factors of what a body of material points is made of, each from a range (low, high):
    stiffness, yield_stress, viscosity, density, friction."""
    def start(sim: Sim, mask: Mask, random: Sequence[np.random.Generator]) -> None:
        points = sim.material_points[body]
        now = points.scale
        points.set_scale(**{name: np.where(mask, draw(mask, random, low, high), now[name])
                            for name, (low, high) in ranges.items()})

    return start


def states(pool: Sequence[State]) -> Start:
    """Begins in one of these states, copies that sim.state gave of the same scene.

    It is the way to begin with gels pressed, and with soft and affine bodies elsewhere.
    """
    if not isinstance(pool, Sequence) or not pool:
        refuse("states", kind_of(pool), "must be a list of at least one haptos.State",
               "collect what sim.state returns")

    def start(sim: Sim, mask: Mask, random: Sequence[np.random.Generator]) -> None:
        picked: list[Any] = [pool[int(random[k].integers(len(pool)))] if mask[k] else pool[0]
                             for k in range(sim.envs)]
        sim.set_state(picked, mask)

    return start
