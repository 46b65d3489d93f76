"""A quadruped trots without looking: its feet follow a pattern, its motors follow its feet.

    quadruped_trots.py [seconds]        writes trot.png

Two diagonal legs swing while the other two push. The angles of a leg follow from where its foot
should be under its hip, two bars of equal length.
"""

import sys
from pathlib import Path

import numpy as np

import haptos
from haptos import pictures

BAR = 0.2  # length of thigh and shank [m]
PERIOD = 0.4  # of a stride [s]
HEIGHT, STRIDE, LIFT = 0.30, 0.10, 0.05  # of the hips, of a step, of a swinging foot [m]
LEGS = {"front_left": 0.0, "rear_right": 0.0, "front_right": 0.5, "rear_left": 0.5}  # phases


def leg_angles(x, z):
    """Pitch and knee [rad] that put the foot at x ahead of the hip and z below it."""
    length = np.hypot(x, z)
    knee = -2 * np.arccos(np.clip(length / (2 * BAR), -1, 1))
    return -knee / 2 - np.arctan2(x, z), knee


def trot(time, strength):
    """Where the motors should be at a time [s]; strength 0 stands, 1 trots in full."""
    command = {}
    for leg, offset in LEGS.items():
        phase = (time / PERIOD + offset) % 1.0
        swing = phase < 0.5
        s = 2 * phase if swing else 2 * phase - 1
        x = (s - 0.5 if swing else 0.5 - s) * STRIDE * strength
        lift = LIFT * strength * np.sin(np.pi * s) if swing else 0.0
        pitch, knee = leg_angles(x, HEIGHT - lift)
        command |= {f"{leg}_roll": 0.0, f"{leg}_pitch": pitch, f"{leg}_knee": knee}
    return command


def main(seconds=4.0):
    scene = haptos.Scene(dt=2e-3)
    scene.add_half_space("ground")
    robot = haptos.load_robot(Path(__file__).parents[2] / "scenes/robots/quadruped.urdf",
                              floating=True)
    start = {joint: [angle] for joint, angle in trot(0.0, 0.0).items()}
    scene.add_robot("quadruped", robot, position=(0, 0, HEIGHT + 0.021), start=start,
                    motors={"kp": 150, "kd": 4}, friction=0.8)
    sim = scene.compile()
    dog = sim.robots["quadruped"]
    sim.controllers.append(lambda now: dog.set_command(
        position=trot(now.time[0], min(1.0, now.time[0] / 0.5))))
    report = sim.run(seconds)
    x, y, z = dog.position[0, :3]
    up = 1 - 2 * (dog.position[0, 4] ** 2 + dog.position[0, 5] ** 2)
    print(f"{report.describe()}: after {seconds:g} s at x {x:.3f} m, y {y:+.3f} m, height {z:.3f} m, "
          f"upright {up:.3f}")
    haptos.save_png("trot.png", pictures.scene_above(sim))


if __name__ == "__main__":
    main(*map(float, sys.argv[1:]))
