#!/usr/bin/env python3
"""An M20 nut on its bolt, both as meshes: its weight turns it down the thread, or a spanner turns it up.

    python scenes/pressure/nut_on_bolt.py                  by its weight, beside the law of the screw
    python scenes/pressure/nut_on_bolt.py --friction 0.06  it locks
    python scenes/pressure/nut_on_bolt.py --spanner        one turn up
"""

import argparse
import math
from dataclasses import dataclass
from pathlib import Path

import numpy as np

import haptos

PITCH, PITCH_DIAMETER = 2.5e-3, 18.376e-3  # of M20 [m]
NUT_HEIGHT, DENSITY, GRAVITY = 16e-3, 8000, 9.81
ALLOWANCE = 0.1e-3  # of each thread, normal to it [m]
MODULUS = 1e8  # of the nut [Pa/m]: it sinks by some micrometres under its weight
START = 3 * PITCH - 2 * ALLOWANCE / math.cos(math.pi / 6)  # on the lower flanks [m]


@dataclass
class Motion:
    """Of the nut after each step."""

    time: np.ndarray  # [s]
    angle: np.ndarray  # about z [rad]
    rate: np.ndarray  # [rad/s]
    height: np.ndarray  # [m]

    def acceleration(self, start: float) -> float:
        """Mean from a time on [rad/s2]."""
        late = self.time >= start
        return float(np.polyfit(self.time[late], self.rate[late], 1)[0])

    def pitch(self, start: float) -> float:
        """Height per turn from a time on [m]."""
        first = np.searchsorted(self.time, start)
        turns = (self.angle[-1] - self.angle[first]) / (2 * math.pi)
        return float((self.height[-1] - self.height[first]) / turns)


def nut_mesh() -> haptos.TriMesh:
    return haptos.iso_nut(NUT_HEIGHT, allowance=ALLOWANCE)


def mass_and_inertia(mesh: haptos.TriMesh, density: float) -> tuple[float, float]:
    """Of the solid inside a mesh, about z [kg], [kg m2]."""
    v, t = np.asarray(mesh.vertices), np.asarray(mesh.triangles)
    a, b, c = v[t[:, 0]], v[t[:, 1]], v[t[:, 2]]
    six = np.einsum("ij,ij->i", a, np.cross(b, c))  # of the tetrahedron to the origin
    squares = (a**2 + b**2 + c**2 + a * b + b * c + c * a)[:, :2].sum(axis=1)
    return density * six.sum() / 6, density * (six * squares).sum() / 60


def screw_law(friction: float) -> float:
    """How fast a nut that nothing holds gains speed under its weight [rad/s2]; 0: it locks."""
    m, inertia = mass_and_inertia(nut_mesh(), DENSITY)
    slope, rub = PITCH / (math.pi * PITCH_DIAMETER), friction / math.cos(math.pi / 6)
    turning = m * GRAVITY * PITCH_DIAMETER / 2 * (slope - rub) / (1 + rub * slope)
    return max(0.0, turning / (inertia + m * (PITCH / (2 * math.pi))**2))


def scene(friction: float, dt: float, most_samples: int, spanner: bool) -> haptos.Scene:
    scene = haptos.Scene(dt=dt, gravity=(0, 0, -GRAVITY))
    scene.point_contact.most_samples = most_samples
    # A relaxation time would resist the speed at which facets of the threads meet.
    common = {"friction": friction, "relaxation_time": 0.0, "field_resolution": 128}
    bolt = haptos.iso_bolt(NUT_HEIGHT + 8 * PITCH, head_height=12.5e-3, allowance=ALLOWANCE)
    scene.add_rigid("bolt", haptos.RobotShape("mesh", mesh=bolt), fixed=True, **common)
    scene.add_rigid("nut", haptos.RobotShape("mesh", mesh=nut_mesh()), density=DENSITY,
                    hydroelastic=MODULUS, position=(0, 0, START), **common)
    if spanner:
        jaws = haptos.load_robot(Path(__file__).parent / "spanner.urdf")
        scene.add_robot("spanner", jaws, position=(0, 0, START + 0.5 * NUT_HEIGHT), friction=friction,
                        motors={"joints": ["turn"], "kd": 1.0, "effort": 5})
    return scene


def move(friction: float, seconds: float, dt: float = 4e-3, most_samples: int = 200,
         spanner: float = 0.0) -> Motion:
    """The nut from rest. spanner: speed at which one turns it [rad/s], 0: there is none."""
    sim = scene(friction, dt, most_samples, spanner != 0).compile()
    nut, rows, angle = sim.robots["nut"], [], 0.0
    if spanner:
        sim.robots["spanner"].set_command(velocity=spanner)
    before = nut.link_pose("nut")[0]
    for step in range(round(seconds / dt)):
        report = sim.step()
        if not report.ok:
            raise RuntimeError(report.describe())
        pose = nut.link_pose("nut")[0]
        angle += turned(before, pose)
        before = pose
        rows.append(((step + 1) * dt, angle, nut.link_velocity("nut")[0, 5], pose[2]))
    return Motion(*np.array(rows).T)


def turned(before: np.ndarray, after: np.ndarray) -> float:
    """About z between two poses, less than half a turn [rad]."""
    change = 2 * (math.atan2(after[6], after[3]) - math.atan2(before[6], before[3]))
    return (change + math.pi) % (2 * math.pi) - math.pi


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--friction", type=float, default=0.01)
    parser.add_argument("--dt", type=float, default=4e-3, help="step [s]")
    parser.add_argument("--spanner", action="store_true", help="turn it up")
    parser.add_argument("--unmerged", action="store_true", help="a contact for every patch")
    given = parser.parse_args()
    most = 0 if given.unmerged else 200
    if given.spanner:
        motion = move(given.friction, 2.0, given.dt, most, spanner=math.pi)
        print(f"turned by {motion.angle[-1]:.3f} rad, rose by {1e3 * motion.pitch(0.1):.4f} mm a turn")
        return
    motion = move(given.friction, 0.5, given.dt, most)
    print(f"gains {abs(motion.acceleration(0.1)):.2f} rad/s2, by the law of the screw "
          f"{screw_law(given.friction):.2f}; turned by {math.degrees(-motion.angle[-1]):.2f} degrees")
    if abs(motion.angle[-1]) > 0.1:
        print(f"sank by {1e3 * motion.pitch(0.1):.4f} mm a turn")


if __name__ == "__main__":
    main()
