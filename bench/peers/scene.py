"""What a driver of bench/peers does around an engine: reads scenes, steps and measures each.

A scene is bodies (boxes and balls) over one half-space through the origin, as lines of text on
standard input; the result is a line of JSON for each. The C++ drivers do the same: peer.h has the
format. Time is process CPU time of the steps alone.
"""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any, Protocol

import numpy as np

TOUCH = 1e-4  # pairs nearer than this are contacts, whatever the engine says [m]


@dataclass
class Body:
    box: bool
    mass: float  # [kg]
    size: float  # edge of a box, radius of a ball [m]
    p: np.ndarray  # [m]
    q: np.ndarray  # w x y z


@dataclass
class Scene:
    dt: float = 0.01
    gravity: float = 9.8
    mu: float = 0.5
    steps: int = 0
    force_steps: int = 0  # reads the force on the ground in the last so many steps
    balls: bool = False  # measures penetration after every step
    normal: np.ndarray = field(default_factory=lambda: np.array([0.0, 0.0, 1.0]))
    bodies: list[Body] = field(default_factory=list)
    options: dict[str, str] = field(default_factory=dict)

    def number(self, name: str, otherwise: float) -> float:
        return float(self.options.get(name, otherwise))

    def text(self) -> str:
        """The scene as the drivers read it."""
        rows = [f"dt {self.dt!r}", f"gravity {self.gravity!r}", f"mu {self.mu!r}",
                f"steps {self.steps}", f"force_steps {self.force_steps}", f"balls {self.balls:d}",
                "normal " + " ".join(repr(float(x)) for x in self.normal)]
        for b in self.bodies:
            numbers = [b.mass, b.size, *b.p, *b.q]
            rows.append(f"body {'box' if b.box else 'ball'} " +
                        " ".join(repr(float(x)) for x in numbers))
        rows += [f"option {name} {value}" for name, value in self.options.items()]
        return "\n".join(rows) + "\nend\n"


def read_scenes(lines: Iterable[str]) -> Iterator[Scene]:
    s = Scene()
    for line in lines:
        key, *words = line.split()
        if key == "end":
            yield s
            s = Scene()
        elif key in ("dt", "gravity", "mu"):
            setattr(s, key, float(words[0]))
        elif key in ("steps", "force_steps"):
            setattr(s, key, int(words[0]))
        elif key == "balls":
            s.balls = words[0] == "1"
        elif key == "normal":
            s.normal = np.array([float(w) for w in words])
        elif key == "body":
            n = [float(w) for w in words[1:]]
            s.bodies.append(Body(words[0] == "box", n[0], n[1], np.array(n[2:5]),
                                 np.array(n[5:9])))
        elif key == "option":
            s.options[words[0]] = words[1]
        else:
            sys.exit(f"scene.py: cannot read the line: {line}")


class Engine(Protocol):
    version: str
    not_converged: int  # steps that missed their own tolerance
    iterations: int  # of all steps

    def step(self) -> None: ...
    def positions(self) -> np.ndarray: ...  # (bodies, 3)
    def contacts(self) -> int: ...  # of the last step, as the engine counts them
    def ground_force(self) -> float: ...  # along the normal, of the last step [N]


class Penetration:
    """Gaps of balls by their positions alone, alike for every engine."""

    def __init__(self, scene: Scene) -> None:
        self.normal = scene.normal
        self.radius = np.array([b.size for b in scene.bodies])
        self.pairs = np.triu_indices(len(self.radius), 1)
        self.sums = self.radius[self.pairs[0]] + self.radius[self.pairs[1]]
        self.squares = self.deepest = self.count = 0.0

    def add(self, p: np.ndarray) -> None:
        d = p[self.pairs[0]] - p[self.pairs[1]]
        square = np.einsum("ij,ij->i", d, d)
        near = square < (self.sums + TOUCH)**2
        gaps = np.concatenate([p @ self.normal - self.radius,
                               np.sqrt(square[near]) - self.sums[near]])
        depth = np.maximum(0, -gaps[gaps <= TOUCH])
        self.count += len(depth)
        self.squares += float(depth @ depth)
        self.deepest = max(self.deepest, float(depth.max(initial=0)))


def drive(make: Callable[[Scene], Engine]) -> None:
    """Runs every scene on standard input in an engine that make() sets up for it."""
    for scene in read_scenes(sys.stdin):
        run_and_print(scene, make(scene))


def run_and_print(scene: Scene, engine: Engine) -> None:
    weight = sum(b.mass for b in scene.bodies) * scene.gravity * scene.normal[2]
    depth = Penetration(scene) if scene.balls else None
    last = scene.steps - scene.force_steps
    seconds, own, force_squares = 0.0, 0, 0.0
    step, clock = engine.step, time.process_time
    t = clock()
    for n in range(scene.steps):
        step()
        if depth is None and n < last:
            continue
        seconds += clock() - t
        own += engine.contacts()
        if n >= last:
            force_squares += (engine.ground_force() / weight - 1)**2
        if depth is not None:
            depth.add(engine.positions())
        t = clock()
    out: dict[str, Any] = {"version": engine.version, "not_converged": engine.not_converged,
                           "iterations": engine.iterations / scene.steps}
    if depth is None and scene.force_steps == 0:
        seconds += clock() - t
    out["seconds"] = seconds
    if scene.force_steps:
        out["force_error"] = (force_squares / scene.force_steps)**0.5
    if depth is not None or scene.force_steps:
        out["own_contacts"] = own / (scene.steps if depth else scene.force_steps)
    if depth is not None:
        out |= {"rms": (depth.squares / max(1, depth.count))**0.5, "deepest": depth.deepest,
                "contacts": depth.count / scene.steps}
    out["positions"] = engine.positions().tolist()
    print(json.dumps(out), flush=True)
