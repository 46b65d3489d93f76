"""Postures of a robot that stands: links where they should be, the centre of mass over its feet.

    min_q  sum (w |error|)^2 of links and centre of mass  +  |q - nominal|^2,   within the limits

What should hold weighs a thousand times what would be nice.
"""

import numpy as np
from scipy.optimize import least_squares, lsq_linear

import haptos
from haptos.base import turns

HOLD = 1e4  # weight of a target [1/m], [1/rad] against a radian off the nominal posture
MARGIN = 0.02  # kept from the limits of joints [rad]
STEPS = 60
DAMPING = 1.0  # weight of a radian of a step
LARGEST = 0.3  # of a step [rad], [m]


def turn_between(wanted, found):
    """The turn [rad], world axes, that takes one quaternion (w, x, y, z) to the other."""
    r = turns.rotation(wanted) @ turns.rotation(found).T
    v = np.array([r[2, 1] - r[1, 2], r[0, 2] - r[2, 0], r[1, 0] - r[0, 1]]) / 2
    s, c = np.linalg.norm(v), (np.trace(r) - 1) / 2
    return v if s < 1e-12 else v / s * np.arctan2(s, c)


def worst(wishes):
    """How far what should hold is off [m], [rad]."""
    return max(np.abs(e).max() for w, e, _ in wishes if w == HOLD)


class Postures:
    """Of a robot with a free base."""

    def __init__(self, robot):
        self.robot, self.tree = robot, haptos.Tree(robot)
        self.leaders = [j.name for j in robot.joints[1:] if j.mimic is None]
        # Unknowns of the tree from those that do not follow others.
        self.spread = np.zeros((self.tree.nv, 6 + len(self.leaders)))
        self.spread[:6, :6] = np.eye(6)
        for j in robot.joints[1:]:
            leader, times = (j.name, 1.0) if j.mimic is None else (j.mimic[0], j.mimic[1])
            leader = leader if isinstance(leader, str) else robot.joints[leader].name
            self.spread[self.tree.v_of(j.name), 6 + self.leaders.index(leader)] = times
        self.at = [self.tree.q_of(name).start for name in self.leaders]

    def named(self, q):
        """Angles by joint, without the joints that follow."""
        return {name: float(q[k]) for name, k in zip(self.leaders, self.at, strict=True)}

    def solve(self, q, links, mass_over=None, *, nominal=None, heights=None, leaning=None,
              damped=False):
        """Coordinates (nq) near `nominal` (q where left out).

        links: {name: (position [m], quaternion)} of link frames in the world, either may be None;
        mass_over: x and y of the centre of mass [m]; heights: {name: z [m]} of link frames;
        leaning: {name: (quaternion, weight)} of links that are to turn near it; damped: by short
        steps, so that postures one after the other do not jump. Raises ValueError
        where what should hold does not to 1e-4 m or rad.
        """
        tree = self.tree
        q = np.array(q, float)
        near = np.array(q if nominal is None else nominal)[self.at]
        bounds = [np.r_[[side * 10] * 6, limits[self.at] - side * MARGIN]
                  for side, limits in ((-1, tree.lower), (1, tree.upper))]

        def wishes(q):
            """(weight, error, Jacobian) of each."""
            poses = np.asarray(tree.forward_kinematics(q))
            at = {n: (poses[tree.link(n)], np.asarray(tree.jacobian(q, n)))
                  for n in {*links, *(heights or {}), *(leaning or {})}}
            for name, (place, turn) in links.items():
                pose, j = at[name]
                if place is not None:
                    yield HOLD, pose[:3] - place, j[3:]
                if turn is not None:
                    yield HOLD, -turn_between(turn, pose[3:]), j[:3]
            for name, z in (heights or {}).items():
                yield HOLD, at[name][0][2:3] - z, at[name][1][5:]
            if mass_over is not None:
                yield (HOLD, np.asarray(tree.centre_of_mass(q))[:2] - mass_over,
                       np.asarray(tree.centre_of_mass_jacobian(q))[:2])
            for name, (turn, weight) in (leaning or {}).items():
                yield weight, -turn_between(turn, at[name][0][3:]), at[name][1][:3]

        if damped:
            return self._step(q, near, bounds, wishes)

        for k in range(8):  # the base's turn is linear about where it is
            base = q.copy()

            def place(x):
                return self._placed(base, x)

            def residual(x):
                return np.concatenate([w * e for w, e, _ in wishes(place(x))] + [x[6:] - near])

            def jacobian(x):
                own = np.zeros((len(near), len(x)))
                own[:, 6:] = np.eye(len(near))
                return np.concatenate([w * j @ self.spread for w, _, j in wishes(place(x))] + [own])

            x = np.clip(np.r_[np.zeros(6), q[self.at]], bounds[0] + 1e-9, bounds[1] - 1e-9)
            q = place(least_squares(residual, x, jacobian, bounds, method=("dogbox", "trf")[k % 2],
                                    max_nfev=50).x)
            if worst(wishes(q)) < 1e-5:
                break
        return self._found(q, wishes)

    def _placed(self, base, x):
        """Coordinates with the base moved from there and the joints of x."""
        moved = np.asarray(self.tree.integrate(base, np.r_[x[:6], np.zeros(self.tree.nv - 6)]))
        moved[7:] = (self.spread @ x)[6:]
        return moved

    @staticmethod
    def _found(q, wishes):
        off = worst(wishes(q))
        if off > 1e-4:
            raise ValueError(f"no such posture: off by {off:.2g} m or rad")
        return q

    def _step(self, q, near, bounds, wishes):
        """Gauss and Newton's steps within the limits, damped, since what would be nice is far."""
        own = np.eye(len(near), 6 + len(near), 6)
        change = np.inf
        x = np.r_[np.zeros(6), np.clip(q[self.at], bounds[0][6:], bounds[1][6:])]
        for _ in range(STEPS):
            q = self._placed(q, x)
            x[:6] = 0
            found = list(wishes(q))
            if worst(found) < 1e-5 and change < 1e-3:
                return q
            rows = [w * j @ self.spread for w, _, j in found] + [own, DAMPING * np.eye(len(x))]
            wanted = [-w * e for w, e, _ in found] + [near - x[6:], np.zeros(len(x))]
            dx = lsq_linear(np.concatenate(rows), np.concatenate(wanted),
                            (bounds[0] - x - 1e-9, bounds[1] - x + 1e-9)).x
            change = np.abs(dx).max()
            x += dx * min(1, LARGEST / change)
        return self._found(q, wishes)
