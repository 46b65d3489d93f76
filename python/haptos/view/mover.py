"""Mover: sends a prescribed body of a Sim to a pose, a little with each step."""

from __future__ import annotations

import numpy as np

from haptos.base.turns import product
from haptos.look.snapshots import Array
from haptos.scene.sim import Sim

SPEED = 0.02  # [m/s]
STEP = 8e-5  # the largest way in one step [m]
_TURN = 0.01  # the largest turn in one step [rad]
_PATIENCE = 5  # steps without getting nearer, after which it is held to be blocked


class Mover:
    """Walks one prescribed body towards where a person sends it.

    Offsets count from its pose at the start: "depth", down [mm], from where it touches if `gap` [m]
    says how far that is; "x" and "y" [mm], world; "twist" about the vertical [degree].
    """

    def __init__(self, sim: Sim, name: str, env: int = 0, gap: float = 0.0) -> None:
        self.name = name
        self._sim, self._env, self._gap = sim, env, gap
        self.start = sim.pose(name)[env].copy()
        self._goal: Array | None = None
        self._before: tuple[float, float] | None = None
        self._stuck = 0  # steps in which it came no nearer
        self._at = {"depth": 0.0, "x": 0.0, "y": 0.0, "twist": 0.0}

    @property
    def goal(self) -> Array | None:
        """Where it goes: x y z [m], w x y z; None before it was sent anywhere."""
        return self._goal

    @property
    def is_on_its_way(self) -> bool:
        """Whether the goal is still ahead, and was neared in one of the last steps."""
        return self._goal is not None and self._stuck < _PATIENCE and self._left() is not None

    def offsets(self) -> dict[str, float]:
        """The offsets of the goal."""
        return dict(self._at)

    def move(self, axis: str, value: float) -> None:
        """Changes one offset of the goal."""
        self._at[axis] = float(value)
        a = self._at
        half = 0.5 * np.radians(a["twist"])
        goal = self.start.copy()
        goal[:3] += np.array([1e-3 * a["x"], 1e-3 * a["y"], -1e-3 * a["depth"] - self._gap])
        goal[3:] = product(np.array([np.cos(half), 0, 0, np.sin(half)]), self.start[3:])
        self._goal, self._stuck = goal, 0

    def go(self, pose: Array) -> None:
        """Sends it to a pose; the offsets follow."""
        goal = np.asarray(pose, float).copy()
        goal[3:] /= np.linalg.norm(goal[3:])
        self._goal, self._stuck = goal, 0
        away = goal[:3] - self.start[:3]
        turn = product(goal[3:], self.start[3:] * [1, -1, -1, -1])
        self._at = {"depth": -1e3 * (away[2] + self._gap), "x": 1e3 * away[0], "y": 1e3 * away[1],
                    "twist": float(np.degrees(2 * np.arctan2(turn[3], turn[0])))}
        self._at = {k: float(v) for k, v in self._at.items()}

    def reset(self) -> None:
        """Forgets where it was sent."""
        self._goal = None
        self._at = dict.fromkeys(self._at, 0.0)

    def _left(self) -> tuple[Array, float] | None:
        """Way and angle to the goal; None where it is there."""
        assert self._goal is not None
        now = self._sim.pose(self.name)[self._env]
        way = self._goal[:3] - now[:3]
        angle = 2 * np.arccos(min(1.0, abs(float(now[3:] @ self._goal[3:]))))
        return None if np.linalg.norm(way) < 1e-9 and angle < 1e-6 else (way, float(angle))

    def advance(self) -> None:
        """Sets the target of the next step; without a goal the scene's own path holds."""
        if self._goal is None:
            return
        left = self._left()
        pose = self._goal
        if left is not None:
            way, angle = left
            ahead = (float(np.linalg.norm(way)), angle)
            if self._before is not None:
                nearer = any(a < b - 1e-9 for a, b in zip(ahead, self._before, strict=True))
                self._stuck = 0 if nearer else self._stuck + 1
            self._before = ahead
            most = min(SPEED * self._sim.dt, STEP)
            part = min(1.0, most / max(float(np.linalg.norm(way)), 1e-300),
                       _TURN / max(angle, 1e-300))
            now = self._sim.pose(self.name)[self._env]
            q = self._goal[3:] * (1.0 if now[3:] @ self._goal[3:] >= 0 else -1.0)
            turn = now[3:] + part * (q - now[3:])
            pose = np.array([*(now[:3] + part * way), *(turn / np.linalg.norm(turn))])
        if self._sim.envs == 1:
            self._sim.set_target(self.name, pose[:3], pose[3:])
            return
        poses = self._sim.pose(self.name)
        poses[self._env] = pose
        self._sim.set_target(self.name, poses[:, :3], poses[:, 3:])
