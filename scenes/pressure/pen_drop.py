#!/usr/bin/env python3
"""A bar is held away from its centre of mass by two flat pads, and let go: while they ease off, it
turns between them before it falls. How fast it turns when they let go depends on friction and on how
much of it they hold.

    python scenes/pressure/pen_drop.py                     one drop
    python scenes/pressure/pen_drop.py --sweep drop.png    over friction and width, as a figure

turn_by_contact() is hydroelastic contact. turn_by_limit() is a rigid bar under what a patch of even
pressure can bear: forces and torques within an ellipsoid. They share nothing.
"""

import argparse
import math
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

import haptos

GRAVITY = 9.81
FRICTIONS, WIDTHS = (0.3, 0.4, 0.5, 0.7, 0.9), (5e-3, 10e-3, 15e-3, 20e-3)


@dataclass(frozen=True)
class Drop:
    """The bar, the grip and how it opens; SI units."""

    friction: float = 0.5
    width: float = 0.01  # of the bar along its length that the pads hold
    height: float = 0.02  # of the bar
    length: float = 0.2
    mass: float = 0.1
    offset: float = 0.05  # of the centre of mass from the middle of what is held
    grip: float = 20.0  # of each pad [N]
    held: float = 0.02  # before the pads ease off [s]
    release: float = 0.05  # until nothing is left [s]

    @property
    def inertia(self) -> float:
        """About the axis of the pads, through the centre of mass [kg m2]."""
        return self.mass * (self.length**2 + self.height**2) / 12

    @property
    def end(self) -> float:
        """Time when the pads have let go [s]."""
        return self.held + self.release

    def push(self, time: float) -> float:
        """Of a pad at a time [N]."""
        return self.grip * float(np.clip((self.end - time) / self.release, 0, 1))


def scene(drop: Drop, dt: float, most_samples: int = 200) -> haptos.Scene:
    """The pads and the bar, which ends by the width inside them."""
    scene = haptos.Scene(dt=dt, gravity=(0, 0, -GRAVITY))
    scene.point_contact.most_samples = most_samples
    scene.add_robot("pads", haptos.load_robot(Path(__file__).parent / "pads.urdf"),
                    friction=drop.friction,
                    motors={"joints": ["left_slide", "right_slide"], "effort": 100})
    centre = drop.offset - drop.width / 2
    half = [drop.length / 2, drop.height / 2, drop.height / 2]
    box = haptos.RobotShape("box", half, frame=[half[0] - drop.width - centre, 0, 0, 1, 0, 0, 0])
    about_x = drop.mass * drop.height**2 / 6
    link = haptos.RobotLink("bar", drop.mass, inertia=np.diag([about_x, drop.inertia, drop.inertia]),
                            collisions=[box])
    bar = haptos.Robot("bar", [link], [haptos.RobotJoint("free", "free", -1, 0)])
    scene.add_robot("bar", bar, position=(centre, 0, 0), friction=drop.friction)
    return scene


def turn_by_contact(drop: Drop, dt: float = 2e-4, most_samples: int = 200) -> float:
    """Rate of the bar about the axis of the pads when they have let go [rad/s]."""
    sim = scene(drop, dt, most_samples).compile()
    pads, bar = sim.robots["pads"], sim.robots["bar"]
    for step in range(round(drop.end / dt)):
        pads.set_command(effort=drop.push((step + 1) * dt))
        report = sim.step()
        if not report.ok:
            raise RuntimeError(report.describe())
    return float(bar.link_velocity("bar")[0, 4])


def mean_distance(a: float, b: float) -> float:
    """Of the points of a rectangle with these sides from its middle."""
    a, b = a / 2, b / 2
    d = math.hypot(a, b)
    return d / 3 + a * a / (6 * b) * math.log((b + d) / a) + b * b / (6 * a) * math.log((a + d) / b)


def turn_by_limit(drop: Drop, dt: float = 1e-5) -> float:
    """The same of a rigid bar under an ellipsoid of forces and torques, implicit in the velocity.

    Two pads bear a force f across and a torque t about their axis as long as
    |f|^2 + (t / c)^2 <= (2 mu N)^2, c the mean distance from the middle of the patch; what slips does
    so along the normal of the ellipsoid.
    """
    c = mean_distance(drop.width, drop.height)
    # Unknowns: velocity of the middle of the patch along x and z, rate w about y, scaled by c.
    arm = np.array([drop.offset, 0.0])  # to the centre of mass, along x and z; turns with the bar
    v, w = np.zeros(2), 0.0  # of the centre of mass
    for step in range(round(drop.end / dt)):
        bound = 2 * drop.friction * drop.push((step + 1) * dt) * dt
        free = np.array([v[0], v[1] - GRAVITY * dt, w])
        # Velocity of the patch: v - w x arm; about y, w x (x, z) = w (z, -x).
        jac = np.array([[1, 0, -arm[1]], [0, 1, arm[0]], [0, 0, c]])
        inverse = jac @ np.diag([1 / drop.mass, 1 / drop.mass, 1 / drop.inertia]) @ jac.T
        u = jac @ free
        stuck = -np.linalg.solve(inverse, u)
        impulse = stuck
        if np.linalg.norm(stuck) > bound:
            impulse = slipping(inverse, u, bound)
        free += np.diag([1 / drop.mass, 1 / drop.mass, 1 / drop.inertia]) @ jac.T @ impulse
        v, w = free[:2], free[2]
        turn = w * dt
        arm = np.array([arm[0] * math.cos(turn) + arm[1] * math.sin(turn),
                        arm[1] * math.cos(turn) - arm[0] * math.sin(turn)])
    return w


def slipping(inverse: np.ndarray, u: np.ndarray, bound: float) -> np.ndarray:
    """The impulse p of that size for which u + inverse p points against p: p = -(inverse + s)^-1 u."""
    if bound <= 0:
        return np.zeros(3)
    values, axes = np.linalg.eigh(inverse)
    part = axes.T @ u
    low, high = 0.0, np.linalg.norm(u) / bound
    for _ in range(100):
        s = 0.5 * (low + high)
        low, high = (s, high) if np.linalg.norm(part / (values + s)) > bound else (low, s)
    return -axes @ (part / (values + 0.5 * (low + high)))


def sweep(turn, drop: Drop = Drop(), frictions=FRICTIONS, widths=WIDTHS) -> np.ndarray:
    """Rates for each width and friction, (widths, frictions) [rad/s]."""
    return np.array([[turn(replace(drop, friction=mu, width=w)) for mu in frictions] for w in widths])


def draw(path: str) -> None:
    """Both over friction, a line for each width."""
    import matplotlib
    matplotlib.use("Agg")
    from matplotlib import pyplot

    figure, ax = pyplot.subplots(figsize=(6, 4))
    contact, limit = sweep(turn_by_contact), sweep(turn_by_limit)
    for k, width in enumerate(WIDTHS):
        ax.plot(FRICTIONS, contact[k], "o-", color=f"C{k}", label=f"{1e3 * width:g} mm held")
        ax.plot(FRICTIONS, limit[k], "--", color=f"C{k}")
    ax.plot([], [], "k--", label="limit ellipsoid")
    ax.set(xlabel="friction", ylabel="turns at the end with [rad/s]", ylim=(0, None))
    ax.legend()
    figure.tight_layout()
    figure.savefig(path, dpi=100)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--friction", type=float, default=Drop.friction)
    parser.add_argument("--width", type=float, default=Drop.width, help="of the bar that is held [m]")
    parser.add_argument("--sweep", metavar="PICTURE", help="over friction and width")
    given = parser.parse_args()
    if given.sweep:
        draw(given.sweep)
        return
    drop = Drop(given.friction, given.width)
    print(f"by contact {turn_by_contact(drop):.4f} rad/s, by the limit ellipsoid "
          f"{turn_by_limit(drop):.4f} rad/s")


if __name__ == "__main__":
    main()
