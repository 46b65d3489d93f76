"""Friction, impacts and stacks by every law of point contact and by MuJoCo, beside closed forms.

Usage: python bench/peers/laws.py [--scenes disc slope impact stack] [--only coulomb mujoco ...]

  disc    a flat disc of radius .05 m that slides at .5 m/s and spins at 20 rad/s, friction .3:
          stops after .3233 s, v / (R omega) .605 at a tenth of v, turn 3.173 rad, travel 83.5 mm
          (quadrature under even pressure); on 60 feet, as a cylinder, and as an
          affine body under barrier contact; 1 ms
  slope   a box of 1 m from touch on a slope of atan(.5), 25 s, 10 ms: at .49 it slides
          1/2 a t (t + h), at .50 and .51 it stays: speed over the last 20 s
  impact  a ball (mu .1, .3, .6) and a box (mu .3) strike a plane at 2 m/s along it and 1 m/s into
          it, no gravity, no rebound: by the impulse of Coulomb's law; worst of 1, 5, 10 ms
  stack   ten boxes of .1 m and 1 kg, the top one of 1 or 1000 kg, 2 s: largest distance that one
          moves, worst of 2, 5, 10 ms; and in the last quarter of 20 s at 2 ms

Prints a table and FIGURE lines.
"""

from __future__ import annotations

import argparse
import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any, Protocol

import numpy as np

G = 9.81
RADIUS, HALF = 0.05, 0.001  # of the disc [m]
FEET = 60


@dataclass
class Body:
    kind: str  # box, ball, cylinder, feet, affine
    size: tuple[float, ...]
    mass: float
    at: tuple[float, float, float]
    velocity: tuple[float, float, float] = (0, 0, 0)
    omega: tuple[float, float, float] = (0, 0, 0)
    quaternion: tuple[float, float, float, float] = (1, 0, 0, 0)


@dataclass
class World:
    dt: float
    mu: float
    gravity: float = G
    slope: float = 0.0
    bodies: list[Body] = field(default_factory=list)

    @property
    def normal(self) -> np.ndarray:
        return np.array([math.sin(self.slope), 0, math.cos(self.slope)])


class Engine(Protocol):
    def step(self) -> None: ...
    def motion(self, body: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Position, velocity and turning rate, world."""
        ...


def feet() -> Iterator[np.ndarray]:
    """Places of equal area on the disc, spread along a spiral."""
    for k in range(FEET):
        r, a = RADIUS * math.sqrt((k + 0.5) / FEET), k * math.pi * (3 - math.sqrt(5))
        yield np.array([r * math.cos(a), r * math.sin(a), -HALF])


class Haptos:
    def __init__(self, w: World, options: dict[str, Any]) -> None:
        import haptos
        s = haptos.Scene(dt=w.dt, gravity=(0, 0, -w.gravity))
        s.sim.threads = 1
        shape_of = {k: options[k] for k in ("stiffness", "relaxation_time") if k in options}
        for name, value in options.items():
            if name not in shape_of:
                setattr(s.point_contact, name, value)
        s.add_half_space("ground", w.normal, friction=w.mu)
        for k, b in enumerate(w.bodies):
            shape: Any
            if b.kind == "feet":
                tiny = 2e-4
                shape = [haptos.RobotShape("sphere", (tiny,), position=p + (0, 0, tiny))
                         for p in feet()]
            elif b.kind == "ball":
                shape = haptos.RobotShape("sphere", b.size)
            else:
                shape = haptos.RobotShape(b.kind, b.size)
            name = f"b{k}"
            if b.kind == "affine":
                surface = haptos.cylinder(b.size[0], 2 * b.size[1], b.size[0] / 8)
                s.add_affine(name, surface, mass=b.mass, inertia=disc_inertia(b.mass),
                             position=np.array(b.at) + (0, 0, 1e-5), velocity=b.velocity,
                             omega=b.omega, friction=w.mu)
            elif b.kind == "feet":
                # The mass of a disc, whatever the feet.
                robot = haptos.Robot(name, [haptos.RobotLink(
                    name, b.mass, (0, 0, 0), disc_inertia(b.mass), collisions=shape)],
                    [haptos.RobotJoint("free", "free", -1, 0)])
                s.add_robot(name, robot, position=b.at, velocity=[*b.velocity, *b.omega],
                            friction=w.mu, **shape_of)
            else:
                s.add_rigid(name, shape, mass=b.mass, position=b.at, quaternion=b.quaternion,
                            velocity=b.velocity, omega=b.omega, friction=w.mu, **shape_of)
        self.sim = s.compile()
        self.iterations = self.passes = self.bad = 0

    def step(self) -> None:
        r = self.sim.step()
        self.iterations += int(r.iterations[0])
        self.bad += not r.ok

    def motion(self, body: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        p, v = self.sim.pose(f"b{body}")[0], self.sim.velocity(f"b{body}")[0]
        return p[:3].copy(), v[:3].copy(), v[3:].copy()


def disc_inertia(mass: float) -> np.ndarray:
    across = mass * (RADIUS**2 / 4 + (2 * HALF)**2 / 12)
    return np.diag([across, across, mass * RADIUS**2 / 2])


class Mujoco:
    def __init__(self, w: World, options: dict[str, Any]) -> None:
        import mujoco
        self.mujoco = mujoco
        o = dict(options)
        geom = f'friction="{w.mu} 0 0" condim="3"'
        if "timeconst" in o:
            geom += f' solref="{o.pop("timeconst") * w.dt} 1"'
        if "impedance" in o:
            i = o.pop("impedance")
            geom += f' solimp="{i} {i} .001"'
        words = {"timestep": w.dt, "gravity": f"0 0 {-w.gravity}", "tolerance": 1e-10} | o
        row = lambda x: " ".join(repr(float(v)) for v in x)  # noqa: E731
        xml = ["<mujoco><option " + " ".join(f'{k}="{v}"' for k, v in words.items()) + "/>"
               f'<worldbody><geom type="plane" size="0 0 1" zaxis="{row(w.normal)}" {geom}/>']
        for b in w.bodies:
            xml.append(f'<body pos="{row(b.at)}" quat="{row(b.quaternion)}"><freejoint/>')
            if b.kind == "feet":
                d = np.diag(disc_inertia(b.mass))
                xml.append(f'<inertial pos="0 0 0" mass="{b.mass}" diaginertia="{row(d)}"/>')
                tiny = 2e-4
                xml += [f'<geom type="sphere" size="{tiny}" pos="{row(p + (0, 0, tiny))}" {geom}/>'
                        for p in feet()]
            else:
                kind = {"ball": "sphere"}.get(b.kind, b.kind)
                xml.append(f'<geom type="{kind}" size="{row(b.size)}" mass="{b.mass}" {geom}/>')
            xml.append("</body>")
        self.m = mujoco.MjModel.from_xml_string("".join(xml) + "</worldbody></mujoco>")
        self.d = mujoco.MjData(self.m)
        for k, b in enumerate(w.bodies):
            self.d.qvel[6 * k:6 * k + 6] = [*b.velocity, *b.omega]
        self.iterations = self.passes = self.bad = 0

    def step(self) -> None:
        self.mujoco.mj_step(self.m, self.d)

    def motion(self, body: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        v = self.d.qvel[6 * body:6 * body + 6]
        q = self.d.qpos[7 * body:7 * body + 7]
        r = np.zeros(9)
        self.mujoco.mju_quat2Mat(r, q[3:])
        return q[:3].copy(), v[:3].copy(), r.reshape(3, 3) @ v[3:]


Make = Callable[[World], Engine]


def disc(make: Make, kind: str) -> dict[str, float]:
    dt, v0, w0 = 1e-3, 0.5, 20.0
    size = (RADIUS, HALF)
    e = make(World(dt, 0.3, bodies=[Body(kind, size, 0.5, (0, 0, HALF), (v0, 0, 0), (0, 0, w0))]))
    ratio, turn, t = math.nan, 0.0, 0.0
    for n in range(1, 601):
        e.step()
        p, v, w = e.motion(0)
        speed, rim = float(np.hypot(v[0], v[1])), RADIUS * abs(float(w[2]))
        turn += dt * float(w[2])
        if math.isnan(ratio) and speed <= 0.1 * v0:
            ratio = speed / rim if rim > 0 else math.inf
        if max(speed, rim) > 0.01 * v0:
            # It stops evenly: by what is left, the time at which nothing is.
            t = n * dt + max(speed, rim) / (0.3 * G)
    return {"stop": t / 0.3233 - 1, "ratio": ratio / 0.605 - 1, "turn": turn / 3.173 - 1,
            "travel": float(np.hypot(p[0], p[1])) / 0.0835 - 1}


def slope(make: Make) -> dict[str, float]:
    angle, h, out = math.atan(0.5), 0.01, {}
    along = np.array([math.cos(angle), 0, -math.sin(angle)])
    for mu in (0.49, 0.5, 0.51):
        n = np.array([math.sin(angle), 0, math.cos(angle)])
        q = (math.cos(angle / 2), 0, math.sin(angle / 2), 0)
        e = make(World(h, mu, slope=angle, bodies=[
            Body("box", (0.5, 0.5, 0.5), 1000, tuple(0.5 * n), quaternion=q)]))
        x0 = 0.5 * n @ along
        for k in range(2500):
            e.step()
            if k == 499:
                x5 = e.motion(0)[0] @ along
        x = e.motion(0)[0] @ along
        if mu < 0.5:
            a = G * (math.sin(angle) - mu * math.cos(angle))
            out["slide .49"] = float(x - x0) / (0.5 * a * 25 * (25 + h)) - 1
        else:
            out[f"creep {mu:.2f}"] = float(x - x5) / 20
    return out


def impact(make: Make) -> dict[str, float]:
    out: dict[str, float] = {}
    vx, vz = 2.0, 1.0
    for what, mu in (("ball", 0.1), ("ball", 0.3), ("ball", 0.6), ("box", 0.3)):
        worst = 0.0
        for h in (1e-3, 5e-3, 1e-2):
            size = (0.05,) if what == "ball" else (0.1, 0.1, 0.01)
            b = Body(what, size, 1, (0, 0, size[-1] + 0.0123), (vx, 0, -vz))
            e = make(World(h, mu, gravity=0, bodies=[b]))
            for _ in range(round(0.1 / h)):
                e.step()
            _, v, w = e.motion(0)
            lost = min(mu * vz, 2 / 7 * vx) if what == "ball" else mu * vz
            spin = 2.5 * lost if what == "ball" else 0.0  # R omega
            worst = max(worst, abs(v[0] - (vx - lost)) / lost, abs(v[2]) / vz,
                        abs(w[1] * size[0] - spin) / lost)
        out[f"{what} {mu}"] = float(worst)
    return out


def stack(make: Make) -> dict[str, float]:
    out: dict[str, float] = {}
    for top in (1, 1000):
        def world(h: float, top: float = top) -> World:
            return World(h, 0.5, bodies=[
                Body("box", (0.05, 0.05, 0.05), top if k == 9 else 1, (0, 0, 0.05 + 0.1 * k))
                for k in range(10)])
        worst = 0.0
        for h in (2e-3, 5e-3, 1e-2):
            e = make(world(h))
            for _ in range(round(2 / h)):
                e.step()
            moved = [np.linalg.norm(e.motion(k)[0] - (0, 0, 0.05 + 0.1 * k)) for k in range(10)]
            worst = max(worst, float(max(moved)))
        out[f"top {top} kg"] = worst
    e = make(World(2e-3, 0.5, bodies=[
        Body("box", (0.05, 0.05, 0.05), 1, (0, 0, 0.05 + 0.1 * k)) for k in range(10)]))
    for n in range(10000):
        e.step()
        if n == 7499:
            before = [e.motion(k)[0] for k in range(10)]
    out["last 5 of 20 s"] = float(max(np.linalg.norm(e.motion(k)[0] - before[k])
                                      for k in range(10)))
    return out


SETTINGS: dict[str, tuple[type, dict[str, Any]]] = {
    "coulomb (defaults)": (Haptos, {}),
    "sap": (Haptos, {"law": "sap"}),
    "sap, not anchored": (Haptos, {"law": "sap", "anchored": False}),
    "lagged": (Haptos, {"law": "lagged"}),
    "similar": (Haptos, {"law": "similar"}),
    "coulomb, k 1e5": (Haptos, {"stiffness": 1e5}),
    "lagged, k 1e5": (Haptos, {"law": "lagged", "stiffness": 1e5}),
    "mujoco (defaults)": (Mujoco, {}),
    "mujoco, elliptic": (Mujoco, {"cone": "elliptic"}),
    "mujoco, elliptic, impratio 10, noslip 5":
        (Mujoco, {"cone": "elliptic", "impratio": 10, "noslip_iterations": 5}),
    "mujoco, timeconst 2 dt, impedance .9999":
        (Mujoco, {"timeconst": 2, "impedance": 0.9999}),
    "mujoco, elliptic, timeconst 2 dt, impedance .9999":
        (Mujoco, {"cone": "elliptic", "timeconst": 2, "impedance": 0.9999}),
    "mujoco, elliptic, timeconst 2 dt, impedance .999, noslip 20":
        (Mujoco, {"cone": "elliptic", "timeconst": 2, "impedance": 0.999,
                  "noslip_iterations": 20}),
}
SCENES: dict[str, Callable[[Make], dict[str, float]]] = {
    "disc, feet": lambda m: disc(m, "feet"),
    "disc, cylinder": lambda m: disc(m, "cylinder"),
    "disc, affine": lambda m: disc(m, "affine"),
    "slope": slope, "impact": impact, "stack": stack}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--scenes", nargs="+", default=["disc", "slope", "impact", "stack"])
    parser.add_argument("--only", nargs="+", default=[""], help="settings whose name has a word")
    args = parser.parse_args()
    for name, run in SCENES.items():
        if not any(name.startswith(s) for s in args.scenes):
            continue
        for setting, (kind, options) in SETTINGS.items():
            if not any(word in setting for word in args.only):
                continue
            if name == "disc, affine" and setting != "coulomb (defaults)":
                continue  # barrier contact has one law, and MuJoCo none
            made: list[Any] = []

            def make(w: World) -> Engine:
                made.append(kind(w, options))  # noqa: B023
                return made[-1]

            row = run(make)
            line = ", ".join(f"{k} {v:+.3g}" for k, v in row.items())
            bad = sum(e.bad for e in made)
            print(f"FIGURE laws.{name}: {setting}: {line}" +
                  (f"; {bad} steps not converged" if bad else ""), flush=True)


if __name__ == "__main__":
    main()
