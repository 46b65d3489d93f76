"""How the quadruped of rubble.yaml walks, without looking.

Two diagonal legs swing while the other two push: a trot. The angles of a leg follow from where its
foot should be below its hip, two bars of equal length.
"""

import numpy as np

BAR = 0.2  # length of thigh and shank [m]
PERIOD = 0.4  # of a stride [s]
HEIGHT, STRIDE, LIFT = 0.30, 0.08, 0.07  # of the hips, of a step, of a swinging foot [m]
LEGS = {"front_left": 0.0, "rear_right": 0.0, "front_right": 0.5, "rear_left": 0.5}  # phases
STAND, SPEED_UP, SECONDS = 0.3, 0.5, 8.0  # before it trots, until it does in full, in all [s]


def leg_angles(x, z):
    """Pitch and knee [rad] that put the foot x [m] ahead of the hip and z below it."""
    knee = -2 * np.arccos(np.clip(np.hypot(x, z) / (2 * BAR), -1, 1))
    return -knee / 2 - np.arctan2(x, z), knee


def trot(time):
    """Angles of joints by name at a time [s]."""
    strength = np.clip((time - STAND) / SPEED_UP, 0, 1)
    angles = {}
    for leg, offset in LEGS.items():
        phase = ((time - STAND) / PERIOD + offset) % 1.0
        swing, s = phase < 0.5, 2 * phase % 1.0
        ahead = s * s * (3 - 2 * s) if swing else 1 - s  # up first, then ahead
        x, lift = STRIDE * (ahead - 0.5), LIFT * np.sin(np.pi * s) if swing else 0.0
        pitch, knee = leg_angles(x * strength, HEIGHT - lift * strength)
        angles |= {f"{leg}_roll": 0.0, f"{leg}_pitch": pitch, f"{leg}_knee": knee}
    return angles


def trot_lines():
    """A trajectory as text."""
    yield "# scenes/layers/make.py"
    yield "time," + ",".join(trot(0))
    for t in np.arange(0, SECONDS + 1e-9, 0.01):
        yield f"{t:.6g}," + ",".join(f"{a:.6g}" for a in trot(t).values())
