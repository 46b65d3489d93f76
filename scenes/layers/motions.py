"""Motions of the humanoid of `haptos scan humanoid` in the scenes of this folder.

Each is a list of postures, so slow that the robot is balanced at every moment. Their angles are
what its motors are told.
"""

import numpy as np
from scipy.interpolate import LinearNDInterpolator
from scipy.spatial.transform import Rotation

SIDES = {"left": 1, "right": -1}
BACKWARD = (0.0, 0.0, 0.0, 1.0)  # facing -x, the robot's left at -y
SOLE, MIDDLE = 0.1, 0.03  # of the foot's frame above its sole, and behind the sole's middle [m]
# Of the hand's frame above the ground, and behind the middle of hand and fingers, where the wrist lies
# as low as the edge of the palm: turned by so much from flat [m], [rad].
WRIST, REACH, RAISED = 0.024, 0.11, 0.075


def smooth(s):
    """0 to 1 without a jump of speed or acceleration at the ends."""
    return s**3 * (10 - 15 * s + 6 * s * s)


def bent(postures, **angles):
    """Coordinates with the same angles of joints on both sides, fingers open."""
    q = np.zeros(postures.tree.nq)
    q[3] = 1
    for name in postures.leaders:
        joint = name.split("_", 1)[-1].removesuffix("_joint")
        if joint.endswith("_1"):
            q[postures.tree.q_of(name)] = 0.02
        elif joint in angles:
            q[postures.tree.q_of(name)] = angles[joint]
    return q


class Motion:
    """Postures one after the other, all near `start`.

    at: where things are: "left" and "right" foot frames (3) [m], "mass" the centre of mass (2) [m],
    "height" of the pelvis [m], free where it is left out, "lean" of the pelvis forward [rad].
    upright: how much it weighs that the pelvis leans otherwise.
    """

    def __init__(self, postures, start, upright, **at):
        self.postures, self.upright = postures, upright
        self.at = {name: np.array(value, float) for name, value in ({"lean": 0} | at).items()}
        self.nominal = self.q = start
        self.q = self._solve()
        self.times, self.rows = [0.0], [self.q]

    def _solve(self):
        lean = self.at["lean"] / 2
        return self.postures.solve(
            self.q, {f"{side}_foot": (self.at[side], BACKWARD) for side in SIDES},
            self.at["mass"], nominal=self.nominal,
            heights={"pelvis": self.at["height"]} if "height" in self.at else None,
            leaning={"pelvis": ((0, -np.sin(lean), 0, np.cos(lean)), self.upright)}, damped=True)

    def go(self, seconds, steps=8, **to):
        """All of `to` at once, along straight lines; what is left out stays."""
        first = dict(self.at)
        for k in range(1, steps + 1):
            s = smooth(k / steps)
            for name, value in to.items():
                self.at[name] = (1 - s) * first[name] + s * np.array(value, float)
            self.q = self._solve()
            self.times.append(self.times[-1] + seconds / steps)
            self.rows.append(self.q)
        return self

    def hold(self, seconds):
        """With rows near both ends, so that a cubic through them stays at rest between."""
        start = self.times[-1]
        near = min(0.1, seconds / 3)
        self.times += [start + near, start + seconds - near, start + seconds]
        self.rows += [self.q] * 3
        return self

    def lines(self):
        """A trajectory as text."""
        yield "time," + ",".join(self.postures.leaders)
        for t, q in zip(self.times, self.rows, strict=True):
            yield f"{t:.6g}," + ",".join(f"{q[k]:.6g}" for k in self.postures.at)


def standing(postures, x, mass, upright, **at):
    """Facing -x, the frames of the feet at x, knees bent a little."""
    start = bent(postures, thigh=-0.4, shank=0.8, ankle=-0.4, shoulder_roll=0.35, forearm=-0.3)
    start[:7] = (x, 0, 0.72, *BACKWARD)
    return Motion(postures, start, upright, left=(x, -0.09, SOLE), right=(x, 0.09, SOLE),
                  mass=mass, **at)


STAND = 0.08  # x of the feet before a ladder, beneath the edge of its first tread [m]


def shift(postures):
    """All weight on the left foot, the right one lifted by 30 mm, and back onto both: 9.5 s."""
    x, middle = STAND, STAND - MIDDLE
    m = standing(postures, x, (middle, 0), 2.0)
    m.hold(2).go(1.5, mass=(middle, -0.09)).hold(0.5)
    m.go(1, right=(x - 0.02, 0.09, SOLE + 0.03)).hold(1)
    return m.go(1, right=(x, 0.09, SOLE)).go(1.5, mass=(middle, 0)).hold(1)


def climb(postures):
    """Backwards before a ladder, as knees have room there: shift() on its floor, then onto its
    first tread, whose top is 0.325 m high and goes from x 0.121 to 0.231."""
    x, before, on, top = STAND, 0.03, 0.155, SOLE + 0.325
    m = shift(postures)
    m.go(1.5, mass=(x - MIDDLE, -0.09)).hold(0.5)
    m.go(1, right=(x - 0.02, 0.09, SOLE + 0.03))
    m.go(2.5, 16, right=(before, 0.09, top + 0.03), mass=(0.07, -0.09))
    m.go(1.5, right=(on, 0.09, top + 0.02), mass=(0.09, -0.09))
    m.go(1, right=(on, 0.09, top)).hold(0.3)
    m.go(3, 12, mass=(0.173, 0.09)).hold(0.5)
    m.go(1.5, 12, left=(before, -0.09, SOLE + 0.1))
    m.go(2.5, 16, left=(before, -0.09, top + 0.03))
    m.go(1.5, left=(on, -0.09, top + 0.02))
    m.go(1, left=(on, -0.09, top)).hold(0.3)
    return m.go(2, mass=(0.173, 0)).hold(4)  # at 32.4 s


def sit(postures, seat):
    """Before a chair that faces -x, whose seat is so high [m] and begins at x -0.19: leaning
    forward down onto it, then upright."""
    x = -0.25
    m = standing(postures, x, (x - MIDDLE, 0), 10.0, height=0.70)
    m.hold(0.5).go(3, 12, height=seat + 0.135, mass=(x - 0.01, 0), lean=0.8)
    return m.go(2.5, 12, height=seat + 0.12, mass=(-0.11, 0), lean=0.0).hold(3)  # at 9 s


def on_fours(postures, ground):
    """Hands and feet flat on rough ground, the centre of mass in the middle between them."""
    x = np.asarray(ground.vertices)
    height = LinearNDInterpolator(x[:, :2], x[:, 2])

    def plane(middle, sides):
        """Axes ahead, left, up of the plane under a rectangle, and a point of it that is as high as
        the highest ground."""
        grid = np.stack(np.meshgrid(*(s * np.linspace(-0.5, 0.5, 15) for s in sides)), -1)
        near = np.column_stack([grid.reshape(-1, 2), np.ones(grid[..., 0].size)])
        z = height(near[:, :2] + middle)
        slope = np.linalg.lstsq(near, z, rcond=None)[0]
        up = np.array([-slope[0], -slope[1], 1]) / np.sqrt(1 + slope[:2] @ slope[:2])
        ahead = np.array([1, 0, 0]) - up[0] * up
        ahead /= np.linalg.norm(ahead)
        top = np.array([*middle, slope[2] + (z - near @ slope).max()])
        return np.stack([ahead, np.cross(up, ahead), up], axis=1), top

    def turn(axes):
        return np.roll(Rotation.from_matrix(axes).as_quat(), 1)

    links, middles = {}, []
    for side, sign in SIDES.items():
        axes, top = plane((-0.34, sign * 0.14), (0.2, 0.11))
        links[f"{side}_foot"] = (top + axes @ (-MIDDLE, 0, SOLE), turn(axes))
        middles.append(top)
        axes, top = plane((0.44, sign * 0.22), (0.22, 0.085))
        # Fingers, at -z of the hand, ahead; its palm, at -y of the left one, down.
        z, y = -axes[:, 0], sign * axes[:, 2]
        hand = np.stack([np.cross(y, z), y, z], axis=1) @ Rotation.from_euler(
            "x", sign * RAISED).as_matrix()
        links[f"{side}_hand"] = (top + axes @ (-REACH, 0, WRIST), turn(hand))
        middles.append(top)
    start = bent(postures, thigh=-1.6, shank=1.0, ankle=-0.4, shoulder_pitch=-1.5, forearm=-0.4,
                 wrist_pitch=-1.2)
    start[:7] = (-0.15, 0, float(height(0, 0)) + 0.5, np.cos(0.6), 0, np.sin(0.6), 0)
    return postures.solve(start, links, np.mean(middles, axis=0)[:2],
                          leaning={"pelvis": ((np.cos(0.6), 0, np.sin(0.6), 0), 10.0)})
