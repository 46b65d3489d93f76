"""Meshes as they are, beside Klamp't and MuJoCo: error and time of the same scenes.

Usage: python bench/peers/layers.py [--engines haptos klampt mujoco] [--rounds 3] [--out FILE.json]

Python must have haptos and, for the peers that are there, klampt and mujoco (requirements.txt). An
engine that is missing is left out with a sentence. All run on one thread; time is process CPU time
of the steps alone, the least of the rounds, per simulated second.

  slide   a cube of .1 m at 1 m/s, friction .3, floors of 2, 512 and 12,800 triangles: way against
          v^2 / (2 mu g)
  stack   five such cubes of 12 to 1,200 triangles, 5 s: largest way of one from its place
  mug     an open mesh of 22,300 triangles from 1 mm, 2 s: largest speed in the last second
  pair    contacts of two such mugs 1 mm deep in layers of 2.5 mm: time of one query, no step

Layers are 2.5 mm on bodies and 0 on floors, which are Klamp't's. Klamp't multiplies friction by
.7071, which is undone. MuJoCo takes convex hulls, and a plane for the floor.
"""

from __future__ import annotations

import argparse
import contextlib
import importlib.util
import io
import json
import pathlib
import time
from collections.abc import Callable
from typing import Any

import numpy as np

from haptos import scans

G, LAYER, MU = 9.81, 2.5e-3, 0.3
FLOORS = (2, 512, 12800)


def cubes() -> list[tuple[Any, np.ndarray]]:
    """Five cubes cut into ever more triangles, each on the next one's layer."""
    counts = (12, 40, 120, 400, 1200)
    return [(scans.random_box(k, triangles=n),
             np.array([0, 0, 0.05 + LAYER + k * (0.1 + 2 * LAYER)]))
            for k, n in enumerate(counts)]


class Haptos:
    """The library that this bench belongs to."""

    def __init__(self, dt: float, floor: Any, bodies: list, mu: float, v: tuple) -> None:
        import haptos

        scene = haptos.Scene(dt=dt, gravity=(0, 0, -G))
        scene.sim.threads = 1
        scene.add_rigid("floor", haptos.RobotShape("mesh", mesh=floor), fixed=True, friction=mu)
        for k, (mesh, at, mass, shell) in enumerate(bodies):
            scene.add_rigid(f"b{k}", haptos.RobotShape("mesh", mesh=mesh), mass=mass, shell=shell,
                            layer=LAYER, friction=mu, position=tuple(at), velocity=v)
        self.sim = scene.compile(quiet=True)
        self.names = [f"b{k}" for k in range(len(bodies))]

    def step(self) -> None:
        self.sim.step()

    def places(self) -> np.ndarray:
        return np.array([self.sim.robots[n].position[0, :3] for n in self.names])

    def speeds(self) -> np.ndarray:
        return np.array([np.abs(self.sim.robots[n].velocity[0, :3]).max() for n in self.names])


class Klampt:
    """Klamp't, whose method boundary layers are."""

    def __init__(self, dt: float, floor: Any, bodies: list, mu: float, v: tuple) -> None:
        import klampt

        self.dt = dt
        self.world = klampt.WorldModel()
        terrain = self.world.makeTerrain("floor")
        terrain.geometry().setTriangleMesh(self.mesh(floor))
        self.bodies = []
        for k, (mesh, at, mass, _) in enumerate(bodies):
            body = self.world.makeRigidObject(f"b{k}")
            body.geometry().setTriangleMesh(self.mesh(mesh))
            m = body.getMass()
            m.setMass(mass), m.setCom([0, 0, 0]), m.setInertia([mass * 0.1**2 / 6] * 3)
            body.setMass(m)
            body.setTransform([1, 0, 0, 0, 1, 0, 0, 0, 1], list(map(float, at)))
            self.bodies.append(body)
        with contextlib.redirect_stdout(io.StringIO()):
            self.sim = klampt.Simulator(self.world)
        self.sim.setGravity([0, 0, -G])
        self.sim.setSimStep(dt)
        for model, layer in [(terrain, 0.0), *((b, LAYER) for b in self.bodies)]:
            body = self.sim.body(model)
            body.setCollisionPadding(layer)
            s = body.getSurface()
            s.kFriction, s.kRestitution = mu / 0.7071, 0
            s.kStiffness = s.kDamping = float("inf")
            body.setSurface(s)
        for b in self.bodies:
            self.sim.body(b).setVelocity([0, 0, 0], list(v))

    @staticmethod
    def mesh(m: Any) -> Any:
        import klampt

        t = klampt.TriangleMesh()
        t.setVertices(np.asarray(m.vertices, float))
        t.setIndices(np.asarray(m.triangles, np.int32))
        return t

    def step(self) -> None:
        self.sim.simulate(self.dt)

    def places(self) -> np.ndarray:
        return np.array([self.sim.body(b).getObjectTransform()[1] for b in self.bodies])

    def speeds(self) -> np.ndarray:
        return np.array([np.abs(self.sim.body(b).getVelocity()[1]).max() for b in self.bodies])


class Mujoco:
    """Convex hulls on a plane."""

    def __init__(self, dt: float, floor: Any, bodies: list, mu: float, v: tuple) -> None:
        import mujoco

        spec = mujoco.MjSpec()
        spec.option.timestep, spec.option.gravity = dt, [0, 0, -G]
        spec.option.cone = mujoco.mjtCone.mjCONE_ELLIPTIC
        friction = [mu, 0.005, 1e-4]
        spec.worldbody.add_geom(type=mujoco.mjtGeom.mjGEOM_PLANE, size=[5, 5, 1], friction=friction)
        for k, (mesh, at, mass, _) in enumerate(bodies):
            spec.add_mesh(name=f"m{k}", uservert=np.asarray(mesh.vertices).ravel(),
                          userface=np.asarray(mesh.triangles).ravel(),
                          inertia=mujoco.mjtMeshInertia.mjMESH_INERTIA_CONVEX)
            # Hulls touch without a layer: as much lower.
            body = spec.worldbody.add_body(pos=at - [0, 0, LAYER + 2 * k * LAYER])
            body.add_freejoint()
            body.add_geom(type=mujoco.mjtGeom.mjGEOM_MESH, meshname=f"m{k}", mass=mass,
                          friction=friction)
        self.mj, self.model = mujoco, spec.compile()
        self.data = mujoco.MjData(self.model)
        for k in range(len(bodies)):
            self.data.qvel[6 * k:6 * k + 3] = v

    def step(self) -> None:
        self.mj.mj_step(self.model, self.data)

    def places(self) -> np.ndarray:
        return self.data.xipos[1:].copy()

    def speeds(self) -> np.ndarray:
        return np.abs(self.data.qvel.reshape(-1, 6)[:, :3]).max(axis=1)


ENGINES: dict[str, Any] = {"haptos": Haptos, "klampt": Klampt, "mujoco": Mujoco}


def run(make: Callable[[], Any], dt: float, seconds: float, judge: Callable) -> tuple[float, float]:
    """Error, and CPU time of the steps."""
    with contextlib.redirect_stdout(io.StringIO()):
        world = make()
    start, watched, cpu = world.places(), [], 0.0
    for k in range(round(seconds / dt)):
        t = time.process_time()
        world.step()
        cpu += time.process_time() - t
        if (k + 1) * dt > seconds - 1:
            watched.append(world.speeds().max())
    return judge(start, world.places(), np.array(watched)), cpu / seconds


def slide(engine: Any, dt: float, triangles: int) -> tuple[float, float]:
    way = 1 / (2 * MU * G)
    body = [(scans.random_box(1, triangles=12), np.array([0, 0, 0.05 + LAYER]), 1.0, False)]
    floor = scans.plane(3, triangles=triangles)
    return run(lambda: engine(dt, floor, body, MU, (1, 0, 0)), dt, 0.6,
               lambda a, b, _: abs(b[0, 0] - a[0, 0] - way) / way)


def stack(engine: Any, dt: float) -> tuple[float, float]:
    bodies = [(mesh, at, 1.0, False) for mesh, at in cubes()]
    return run(lambda: engine(dt, scans.plane(3), bodies, 0.5, (0, 0, 0)), dt, 5,
               lambda a, b, _: np.linalg.norm(b - a, axis=1).max())


def mug(engine: Any, dt: float) -> tuple[float, float]:
    mesh = scans.mug(seed=1)
    low = np.asarray(mesh.vertices)[:, 2].min()
    body = [(mesh, np.array([0, 0, LAYER + 1e-3 - low]), 0.1, True)]
    return run(lambda: engine(dt, scans.plane(3), body, 0.5, (0, 0, 0)), dt, 2,
               lambda *w: w[2].max())


def pair(name: str, rounds: int) -> float | None:
    """CPU time [s] of the contacts of two mugs."""
    a, b = scans.mug(seed=1), scans.mug(seed=2)
    box = np.asarray(a.vertices).max(axis=0) - np.asarray(a.vertices).min(axis=0)
    gap = float(box[1]) + 2 * LAYER - 1e-3
    if name == "haptos":
        import haptos

        x, y = haptos.Surface(a, LAYER), haptos.Surface(b, LAYER)
        pose = (0, gap, 0, 1, 0, 0, 0)
        query: Callable = lambda: haptos.contacts(x, y, pose_b=pose)
    elif name == "klampt":
        import klampt

        g = [klampt.Geometry3D(), klampt.Geometry3D()]
        for k, m in enumerate((a, b)):
            g[k].setTriangleMesh(Klampt.mesh(m))
        g[1].setCurrentTransform([1, 0, 0, 0, 1, 0, 0, 0, 1], [0, gap, 0])
        query = lambda: g[0].contacts(g[1], LAYER, LAYER, 0)
    else:
        return None
    query()
    least = np.inf
    for _ in range(3 * rounds):
        t = time.process_time()
        query()
        least = min(least, time.process_time() - t)
    return least


def main() -> None:
    p = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    p.add_argument("--engines", nargs="+", default=list(ENGINES), choices=list(ENGINES))
    p.add_argument("--rounds", type=int, default=3)
    p.add_argument("--out", type=pathlib.Path)
    args = p.parse_args()
    engines = []
    for name in args.engines:
        if importlib.util.find_spec(name) is None:
            print(f"{name}: left out, the package is not there")
        else:
            engines.append(name)
    cases: list[tuple[str, Callable]] = [
        *((f"slide {n}", lambda e, dt, n=n: slide(e, dt, n)) for n in FLOORS),
        ("stack", stack), ("mug", mug)]
    rows = []
    for case, of in cases:
        for dt in (1e-3, 2e-3, 5e-3):
            best: dict[str, tuple[float, float]] = {}
            for _ in range(args.rounds):
                for name in engines:  # in turns
                    error, cpu = of(ENGINES[name], dt)
                    best[name] = (error, min(cpu, best.get(name, (0, np.inf))[1]))
            for name, (error, cpu) in best.items():
                rows.append({"scene": case, "engine": name, "dt": dt, "error": float(error),
                             "cpu_ms_per_s": 1e3 * cpu})
                print(f"{case:12} {name:8} dt {1e3 * dt:g} ms  error {error:.2e}  "
                      f"{1e3 * cpu:.1f} ms/s", flush=True)
    for name in engines:
        if (least := pair(name, args.rounds)) is not None:
            rows.append({"scene": "pair", "engine": name, "cpu_ms": 1e3 * least})
            print(f"pair         {name:8} {1e3 * least:.2f} ms", flush=True)
    if args.out:
        args.out.write_text(json.dumps(rows, indent=1) + "\n")


if __name__ == "__main__":
    main()
