"""Meshes that touch as they are: Haptos' boundary layers beside Klamp't, MuJoCo and FCL.

Usage: python bench/peers/meshes.py [--scenes slide stack mugs] [--engines haptos klampt mujoco fcl]
           [--rounds 3] [--limit 120] [--out bench/peers/results/meshes]

Python must have haptos and, for the peers that are there, klampt, mujoco and fcl
(requirements.txt). One thread; time is process CPU time of the steps alone, the least of the rounds,
which engines take in turns.

  slide   a cube of 12 triangles, .1 m, 1 kg, at 1 m/s on a floor of 2, 512, 12,800 and 115,200
          triangles, friction .3, in three directions: where it stops, in steps of 4, 2, 1 and .5 ms
  stack   ten such cubes, each cut into 12 to 1,200 triangles and turned, for 5 s: how far from where
          rigid ones are
  mugs    contacts of two scanned-looking mugs of 22,300 triangles, 1 mm into each other's layers of
          2.5 mm, at 40 poses: time of a pair

Klamp't is the only other engine that has layers: it gets the same widths. MuJoCo takes the hull of a
mesh and has no layer; its floor is a slab. Each class below says what its engine is asked for.

Prints a table and FIGURE lines and writes the results as JSON, a file for each scene.
"""

from __future__ import annotations

import argparse
import datetime
import importlib.util
import json
import os
import pathlib
import signal
import sys
import time
from typing import Any

import numpy as np

sys.path.insert(0, str(pathlib.Path(__file__).parent))
from run import cpu_name, pack

SIZE, LAYER, G = 0.1, 2.5e-3, 9.8
Mesh = tuple[np.ndarray, np.ndarray]


def grid(n: int, jitter: float, random: np.random.Generator) -> Mesh:
    """A square of side 1 in z = 0, cut n x n times, vertices inside moved, diagonals at random."""
    u, v = np.meshgrid(np.arange(n + 1.0), np.arange(n + 1.0), indexing="ij")
    inner = (slice(1, n), slice(1, n))
    for w in (u, v):
        w[inner] += random.uniform(-jitter, jitter, w[inner].shape)
    at = np.arange((n + 1)**2).reshape(n + 1, n + 1)
    p, q, r, s = (a.ravel() for a in (at[:-1, :-1], at[1:, :-1], at[1:, 1:], at[:-1, 1:]))
    turned = random.random(n * n) < 0.5
    first = np.where(turned[:, None], np.stack([p, q, r], 1), np.stack([p, q, s], 1))
    second = np.where(turned[:, None], np.stack([p, r, s], 1), np.stack([q, r, s], 1))
    x = np.stack([u.ravel() / n - 0.5, v.ravel() / n - 0.5, np.zeros(u.size)], 1)
    return x, np.concatenate([first, second])


def cube(n: int, seed: int) -> Mesh:
    """About the origin, every face cut n x n times; faces share the vertices of their edges."""
    random = np.random.default_rng(seed)
    xs, ts, first = [], [], 0
    for axis in range(3):
        for sign in (1, -1):
            x, t = grid(n, 0.3, random)
            y = np.zeros_like(x)
            y[:, axis] = 0.5 * sign
            y[:, (axis + 1) % 3], y[:, (axis + 2) % 3] = x[:, 0], sign * x[:, 1]
            xs.append(SIZE * y), ts.append(t + first)
            first += len(x)
    x = np.concatenate(xs)
    unique, same = np.unique(np.round(x, 12), axis=0, return_inverse=True)
    return unique, same.reshape(-1)[np.concatenate(ts)]


def floor(n: int) -> Mesh:
    """4 m wide."""
    x, t = grid(n, 0.3, np.random.default_rng(n))
    return 4 * x, t


# -- engines: bodies are meshes with a mass of 1 kg, over a floor ----------------------------------


class Haptos:
    """With its defaults."""

    stiff = False

    def __init__(self, dt: float, mu: float, ground: Mesh, bodies: list[tuple[Mesh, np.ndarray,
                 np.ndarray]], velocity: tuple[float, float, float], gap: float) -> None:
        import haptos

        self.version = haptos.__version__
        scene = haptos.Scene(dt=dt, gravity=(0, 0, -G))
        scene.sim.threads = 1
        if self.stiff:
            scene.point_contact.sag, scene.point_contact.near_rigid = 1e-8, 0.01

        def shape(mesh: Mesh) -> Any:
            return haptos.RobotShape("mesh", mesh=haptos.TriMesh(*mesh))

        scene.add_rigid("floor", shape(ground), fixed=True, layer=LAYER, friction=mu)
        self.names = []
        for k, (mesh, p, q) in enumerate(bodies):
            self.names.append(f"body{k}")
            scene.add_rigid(self.names[-1], shape(mesh), mass=1.0, layer=LAYER, friction=mu,
                            position=p + [0, 0, gap], quaternion=q, velocity=velocity)
        self.sim = scene.compile(quiet=True)
        self.step = self.sim.step

    def positions(self) -> np.ndarray:
        return np.array([self.sim.robots[n].position[0, :3] for n in self.names])


class StiffHaptos(Haptos):
    """As peers.md found it most accurate: a sag of 1e-8 m, near-rigid .01."""

    stiff = True


class Klampt:
    """Rigid, as its own demonstrations of piles are, with at most 20 contacts of a pair."""

    def __init__(self, dt: float, mu: float, ground: Mesh, bodies: list[tuple[Mesh, np.ndarray,
                 np.ndarray]], velocity: tuple[float, float, float], gap: float) -> None:
        import klampt

        self.version = "0.10.1"
        self.world = klampt.WorldModel()
        terrain = self.world.makeTerrain("floor")
        terrain.geometry().setTriangleMesh(_klampt_mesh(klampt, ground))
        terrain.setFriction(mu)
        self.objects = []
        for k, (mesh, p, q) in enumerate(bodies):
            o = self.world.makeRigidObject(f"body{k}")
            o.geometry().setTriangleMesh(_klampt_mesh(klampt, mesh))
            m = klampt.Mass()
            m.setMass(1.0)
            m.setCom([0, 0, 0])
            m.setInertia([SIZE**2 / 6, 0, 0, 0, SIZE**2 / 6, 0, 0, 0, SIZE**2 / 6])
            o.setMass(m)
            c = o.getContactParameters()
            c.kFriction, c.kRestitution = mu, 0.0
            c.kStiffness, c.kDamping = float("inf"), float("inf")
            o.setContactParameters(c)
            w, x, y, z = q
            rotation = np.array([
                [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
                [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
                [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)]])
            o.setTransform(rotation.T.ravel().tolist(), (p + [0, 0, gap]).tolist())
            self.objects.append(o)
        self.sim = klampt.Simulator(self.world)
        self.sim.setGravity([0, 0, -G])
        self.sim.setSimStep(dt)
        self.sim.setSetting("maxContacts", "20")
        self.sim.setSetting("autoDisable", "0")
        self.sim.body(terrain).setCollisionPadding(LAYER)
        for o in self.objects:
            self.sim.body(o).setCollisionPadding(LAYER)
            self.sim.body(o).setVelocity([0, 0, 0], list(velocity))
        self.dt = dt

    def step(self) -> None:
        self.sim.simulate(self.dt)

    def positions(self) -> np.ndarray:
        return np.array([self.sim.body(o).getObjectTransform()[1] for o in self.objects])


def _klampt_mesh(klampt: Any, mesh: Mesh) -> Any:
    m = klampt.TriangleMesh()
    m.setVertices(np.ascontiguousarray(mesh[0], float))
    m.setIndices(np.ascontiguousarray(mesh[1], np.int32))
    return m


class Mujoco:
    """With its defaults."""

    stiff = False

    def __init__(self, dt: float, mu: float, ground: Mesh, bodies: list[tuple[Mesh, np.ndarray,
                 np.ndarray]], velocity: tuple[float, float, float], gap: float) -> None:
        import mujoco

        self.version = mujoco.__version__
        self.mujoco = mujoco
        spec = mujoco.MjSpec()
        spec.option.timestep = dt
        spec.option.gravity = [0, 0, -G]
        if self.stiff:
            spec.option.cone = mujoco.mjtCone.mjCONE_ELLIPTIC
            spec.option.impratio = 100

        def mesh(name: str, of: Mesh) -> None:
            spec.add_mesh(name=name, uservert=of[0].ravel().tolist(),
                          userface=of[1].ravel().tolist(),
                          inertia=mujoco.mjtMeshInertia.mjMESH_INERTIA_SHELL)

        def geom(body: Any, name: str) -> None:
            law = ({"solref": [2 * dt, 1], "solimp": [0.999, 0.999, 1e-3, 0.5, 2]}
                   if self.stiff else {})
            body.add_geom(type=mujoco.mjtGeom.mjGEOM_MESH, meshname=name, friction=[mu, 0, 0],
                          condim=3, **law)

        # What is flat has no hull.
        corners = ground[0][np.abs(ground[0]).max(axis=1) > 1.999] - [0, 0, 0.1]
        mesh("floor", (np.concatenate([ground[0], corners]), ground[1]))
        geom(spec.worldbody, "floor")
        for k, (m, p, q) in enumerate(bodies):
            mesh(f"body{k}", m)
            body = spec.worldbody.add_body(name=f"body{k}", pos=p + [0, 0, gap], quat=q)
            body.add_freejoint()
            body.mass, body.explicitinertial = 1.0, True
            body.inertia = [SIZE**2 / 6] * 3
            geom(body, f"body{k}")
        self.model = spec.compile()
        self.data = mujoco.MjData(self.model)
        for k in range(len(bodies)):
            self.data.qvel[6 * k:6 * k + 3] = velocity
        mujoco.mj_forward(self.model, self.data)

    def step(self) -> None:
        self.mujoco.mj_step(self.model, self.data)

    def positions(self) -> np.ndarray:
        return self.data.qpos.reshape(-1, 7)[:, :3].copy()


class StiffMujoco(Mujoco):
    """As peers.md found it most accurate: elliptic cones, time constant 2 dt, impedance .999."""

    stiff = True


class TooLong(Exception):
    pass


def timed(make: Any, steps: int, limit: float, watch: Any) -> tuple[float, bool]:
    """Seconds of CPU of the steps; whether it came to its end."""

    def stop(*_: object) -> None:
        raise TooLong

    before = signal.signal(signal.SIGALRM, stop)
    signal.alarm(int(limit))
    seconds = 0.0
    try:
        for n in range(steps):
            t = time.process_time()
            make.step()
            seconds += time.process_time() - t
            watch(n)
        return seconds, True
    except TooLong:
        return seconds, False
    finally:
        signal.alarm(0)
        signal.signal(signal.SIGALRM, before)


# -- scenes -----------------------------------------------------------------------------------------


def stand(engine: str) -> float:
    """What the layers of two bodies add to the distance of their meshes [m]."""
    return 0.0 if engine.startswith("mujoco") else 2 * LAYER


def slide(engine: str, make: Any, limit: float) -> list[dict[str, Any]]:
    mu, exact = 0.3, 1 / (2 * 0.3 * G)
    rows = []
    for triangles in (2, 512, 12_800, 115_200):
        for dt in (4e-3, 2e-3, 1e-3, 5e-4):
            worst: dict[str, Any] = {}
            for degrees in (0, 30, 45):  # friction has no direction
                n = round((triangles / 2)**0.5)
                gap = stand(engine)
                start = np.array([-0.1, 0.013, SIZE / 2])
                c, s = np.cos(np.radians(degrees)), np.sin(np.radians(degrees))
                half = np.radians(degrees) / 2
                q = np.array([np.cos(half), 0, 0, np.sin(half)])
                e = make(dt, mu, floor(n), [(cube(1, 0), start, q)], (float(c), float(s), 0), gap)
                seconds, done = timed(e, round(0.6 / dt), limit, lambda _: None)
                x = e.positions()[0] - start
                along, aside = x[0] * c + x[1] * s, x[1] * c - x[0] * s
                row = {"engine": engine, "triangles": triangles, "dt": dt, "done": done,
                       "degrees": degrees, "x": float(along),
                       "error": float(abs(along / exact - 1)), "aside": float(abs(aside)),
                       "height": float(abs(x[2] - gap)),
                       "us_per_step": 1e6 * seconds / round(0.6 / dt),
                       "seconds_per_s": seconds / 0.6, "version": e.version}
                least = min(row["error"], worst.get("least", row["error"]))
                worst = row if not worst or row["error"] > worst["error"] else worst
                worst["least"] = least  # of the three directions
            rows.append(worst)
    return rows


def stack(engine: str, make: Any, limit: float) -> list[dict[str, Any]]:
    rows = []
    for dt in (4e-3, 2e-3, 1e-3):
        random = np.random.default_rng(5)
        gap = stand(engine)
        bodies = []
        for k in range(10):
            yaw = random.uniform(-0.3, 0.3)
            bodies.append((cube(int(random.integers(1, 11)), k),
                           np.array([0, 0, SIZE / 2 + k * (SIZE + gap)]),
                           np.array([np.cos(yaw / 2), 0, 0, np.sin(yaw / 2)])))
        e = make(dt, 0.5, floor(16), bodies, (0, 0, 0), gap)
        steps = round(5 / dt)
        speed: list[np.ndarray] = []
        last = round(4 / dt)

        def watch(n: int, e: Any = e, speed: list[np.ndarray] = speed, last: int = last) -> None:
            if n >= last:
                speed.append(e.positions())

        seconds, done = timed(e, steps, limit, watch)
        x = e.positions() - np.array([b[1] for b in bodies]) - [0, 0, gap]
        moved = np.diff(np.array(speed), axis=0) / dt if len(speed) > 1 else np.array([np.nan])
        rows.append({"engine": engine, "dt": dt, "done": done,
                     "error": float(np.abs(x).max()), "sink": float(np.abs(x[:, 2]).max()),
                     "drift": float(np.linalg.norm(x[:, :2], axis=1).max()),
                     "rms_speed": float(np.sqrt(np.square(moved).mean())),
                     "us_per_step": 1e6 * seconds / steps, "seconds_per_s": seconds / 5,
                     "version": e.version})
    return rows


def mug_poses() -> list[tuple[np.ndarray, np.ndarray]]:
    """Places and turns of one mug beside another: crosswise, upright, handle to wall."""
    random = np.random.default_rng(1)
    out = []
    for _ in range(40):
        q = random.normal(size=4)
        angle = random.uniform(0, 2 * np.pi)
        out.append((np.array([np.cos(angle), np.sin(angle), random.uniform(-0.3, 0.3)]),
                    q / np.linalg.norm(q)))
    return out


def turn(q: np.ndarray) -> np.ndarray:
    w, x, y, z = q
    return np.array([[1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
                     [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
                     [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)]])


def mugs(engines: list[str], limit: float, rounds: int) -> list[dict[str, Any]]:
    """Each engine finds the contacts of the same pairs; Haptos finds how far apart they are to be."""
    import haptos
    from haptos.scans.mug import mug

    mesh = mug()
    x, t = np.array(mesh.vertices), np.array(mesh.triangles)
    a = haptos.Surface((x, t), LAYER, sheet=True)
    poses = []
    for direction, q in mug_poses():
        low, high = 0.0, 0.3  # the distance at which the deepest contact is 1 mm deep
        for _ in range(30):
            middle = 0.5 * (low + high)
            gaps = haptos.contacts(a, a, None, (*(middle * direction), *q)).gap
            deep = len(gaps) > 0 and gaps.min() < -1e-3
            low, high = (middle, high) if deep else (low, middle)
        poses.append((high * direction, q))
    rows = []
    for name in engines:
        best: dict[str, Any] | None = None
        for _ in range(rounds):
            find, version = FINDERS[name](x, t)
            times, counts = [], []
            for p, q in poses:
                find(p, q)  # trees that are made when they are first needed
                clock = time.process_time()
                counts.append(find(p, q))
                times.append(time.process_time() - clock)
                if sum(times) > limit:
                    break
            row = {"engine": name, "pairs": len(times), "ms": 1e3 * float(np.mean(times)),
                   "ms_most": 1e3 * float(np.max(times)), "contacts": float(np.mean(counts)),
                   "error": 0.0, "version": version, "done": len(times) == len(poses)}
            if best is None or row["ms"] < best["ms"]:
                best = row
        rows.append(best)
    return rows


def _find_haptos(x: np.ndarray, t: np.ndarray) -> tuple[Any, str]:
    import haptos

    a = haptos.Surface((x, t), LAYER, sheet=True)
    return (lambda p, q: len(haptos.contacts(a, a, None, (*p, *q)).gap)), haptos.__version__


def _find_klampt(x: np.ndarray, t: np.ndarray) -> tuple[Any, str]:
    import klampt

    a, b = klampt.Geometry3D(), klampt.Geometry3D()
    for g in (a, b):
        g.setTriangleMesh(_klampt_mesh(klampt, (x, t)))

    def find(p: np.ndarray, q: np.ndarray) -> int:
        b.setCurrentTransform(turn(q).T.ravel().tolist(), p.tolist())
        found = a.contacts(b, LAYER, LAYER, 0)  # its vectors go with it
        return len(found.depths)

    return find, "0.10.1"


def _find_fcl(x: np.ndarray, t: np.ndarray) -> tuple[Any, str]:
    """The distance alone: FCL has contacts only of triangles that meet."""
    import fcl

    model = fcl.BVHModel()
    model.beginModel(len(x), len(t))
    model.addSubModel(x, t)
    model.endModel()
    a, b = (fcl.CollisionObject(model, fcl.Transform()) for _ in range(2))

    def find(p: np.ndarray, q: np.ndarray) -> int:
        b.setTransform(fcl.Transform(turn(q), p))
        fcl.distance(a, b, fcl.DistanceRequest(enable_nearest_points=True), fcl.DistanceResult())
        return 1

    return find, importlib.metadata.version("python-fcl")


FINDERS = {"haptos": _find_haptos, "klampt": _find_klampt, "fcl": _find_fcl}
ENGINES = {"haptos": Haptos, "haptos-stiff": StiffHaptos, "klampt": Klampt, "mujoco": Mujoco,
           "mujoco-stiff": StiffMujoco}
MODULES = {"haptos": "haptos", "haptos-stiff": "haptos", "klampt": "klampt", "mujoco": "mujoco",
           "mujoco-stiff": "mujoco", "fcl": "fcl"}
COLOURS = {"haptos": "#d62728", "haptos-stiff": "#ff9896", "klampt": "#2ca02c",
           "mujoco": "#1f77b4", "mujoco-stiff": "#aec7e8", "fcl": "#7f7f7f"}
SCENES = {"slide": slide, "stack": stack}


def show(name: str, rows: list[dict[str, Any]]) -> None:
    keys = [k for k in rows[0] if k != "version"]
    print(name, *keys, sep="  ")
    for r in rows:
        print(*(f"{r[k]:.4g}" if isinstance(r[k], float) else r[k] for k in keys), sep="  ")
    for engine in dict.fromkeys(r["engine"] for r in rows):
        own = [r for r in rows if r["engine"] == engine]
        if name == "mugs":
            print(f"FIGURE mesh {name} {engine} = {own[0]['ms']:.3g} ms")
        else:
            print(f"FIGURE mesh {name} {engine} worst error = {max(r['error'] for r in own):.3g}")


def draw(folder: pathlib.Path, out: pathlib.Path) -> None:
    """Error against time of slide and stack, time of a pair of mugs."""
    import io

    import matplotlib

    matplotlib.use("agg")
    import matplotlib.pyplot as plt
    from PIL import Image
    from show import load_file

    plt.rcParams.update({"font.size": 8})
    figure, axes = plt.subplots(1, 3, figsize=(11, 3.6))
    for ax, name, title in ((axes[0], "slide", "a cube slides over 2 to 115,200 triangles"),
                            (axes[1], "stack", "ten cubes of triangles: largest movement [m]")):
        rows = load_file(folder / f"mesh_{name}.json")["rows"]
        for engine in dict.fromkeys(r["engine"] for r in rows):
            own = [r for r in rows if r["engine"] == engine and r["done"]]
            for floor_of in dict.fromkeys(r.get("triangles") for r in own):
                group = [r for r in own if r.get("triangles") == floor_of]
                ax.plot([r["seconds_per_s"] for r in group],
                        [min(max(r["error"], 1e-7), 10) for r in group], ".-", lw=0.7,
                        color=COLOURS[engine])
            ax.plot([], [], ".-", color=COLOURS[engine], label=engine)
        ax.set(xscale="log", yscale="log", title=title, xlabel="CPU seconds per simulated second",
               ylabel="error of the way" if name == "slide" else "")
        ax.grid(True, which="major", lw=0.3)
        ax.legend(fontsize=7)
    rows = load_file(folder / "mesh_mugs.json")["rows"]
    names = [r["engine"] for r in rows]
    axes[2].bar(names, [r["ms_most"] for r in rows], color="#dddddd")
    axes[2].bar(names, [r["ms"] for r in rows], color=[COLOURS[n] for n in names])
    axes[2].set(title="a pair of mugs: mean and longest [ms]")
    figure.tight_layout()
    buffer = io.BytesIO()
    figure.savefig(buffer, dpi=100, metadata={"Software": None})
    Image.open(buffer).convert("RGB").quantize(256).save(out, optimize=True)
    print("wrote", out)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--scenes", nargs="+", default=["slide", "stack", "mugs"],
                        choices=["slide", "stack", "mugs"])
    parser.add_argument("--engines", nargs="+", default=list(MODULES), choices=list(MODULES))
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--limit", type=float, default=120, help="seconds of one run")
    parser.add_argument("--out", type=pathlib.Path)
    parser.add_argument("--draw", type=pathlib.Path, help="a picture of what --out holds; no run")
    args = parser.parse_args()
    if args.draw:
        draw(args.out or pathlib.Path(__file__).parent / "results/meshes", args.draw)
        return
    engines = []
    for e in args.engines:
        if importlib.util.find_spec(MODULES[e]) is None:
            print(f"{e} is left out: this Python has no module {MODULES[e]}.")
        else:
            engines.append(e)
    for name in args.scenes:
        if name == "mugs":
            rows = mugs([e for e in engines if e in FINDERS], args.limit, args.rounds)
        else:
            best: dict[str, list[dict[str, Any]]] = {}
            for _ in range(args.rounds):
                for e in (e for e in engines if e in ENGINES):
                    found = SCENES[name](e, ENGINES[e], args.limit)
                    kept = best.setdefault(e, found)
                    for old, new in zip(kept, found, strict=True):
                        for key in ("us_per_step", "seconds_per_s"):
                            old[key] = min(old[key], new[key])
            rows = [r for group in best.values() for r in group]
        show(name, rows)
        if args.out:
            args.out.mkdir(parents=True, exist_ok=True)
            data = {"scene": f"mesh_{name}", "date": datetime.date.today().isoformat(),
                    "cpu": cpu_name(), "cores": os.cpu_count(),
                    "load": [round(os.getloadavg()[0], 2)],
                    "versions": {r["engine"]: r["version"] for r in rows},
                    "rows": [{k: v for k, v in r.items() if k != "version"} for r in rows]}
            (args.out / f"mesh_{name}.json").write_text(pack(data))
            print("wrote", args.out / f"mesh_{name}.json")


if __name__ == "__main__":
    main()
