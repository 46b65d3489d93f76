"""Haptos' material points beside Newton's implicit material points and an explicit solver: error and time.

Usage: python bench/peers/points.py [--runs bar ball column] [--engines haptos newton explicit] [--budget 120] [--out bench/peers/results/points]

Python must have haptos and, for the peers that are there, newton and taichi (requirements.txt). All have the same points, on
one thread; time is process CPU time of the steps, after one step that compiles kernels. Right answers are closed forms:

  bar     .1 x .1 x .4 m, E = 100 kPa, Poisson's ratio 0, on a floor: the mean of how far it sinks is rho g H^2 / (3 E).
          Mean over the last half of 2 s, since what nothing damps swings about it
  ball    of 1 m on a slope of 45 degrees, friction .2, E = 100 MPa: after 1 s it is (1 - .2) g sin(45) / 2 away
  column  of water, .1 x .1 x .2 m, in a box, at rest for 1 s: its middle stays where it is

Newton is run at its defaults and as its examples of a twisted beam and a breaking dam set it. `explicit` is the usual scheme with a time step below that of sound, of ours (points_explicit.py), in taichi.
"""

from __future__ import annotations

import argparse
import datetime
import importlib.metadata
import json
import pathlib
import sys
import time
from collections.abc import Callable

import numpy as np

sys.path.insert(0, str(pathlib.Path(__file__).parent))
from run import cpu_name

G, DENSITY, SOUND = 9.81, 1000.0, 20.0  # [m/s2], [kg/m3], of the water [m/s]
YOUNG = {"bar": 1e5, "ball": 1e8, "column": DENSITY * SOUND**2}
POISSON = {"bar": 0.0, "ball": 0.2, "column": 0.49}
SECONDS = {"bar": 2.0, "ball": 1.0, "column": 1.0}
VOLUME = {"bar": 0.004, "ball": np.pi / 6, "column": 0.002}  # [m3]
CELLS = {"bar": (0.05, 0.025), "ball": (0.2, 0.125), "column": (0.05, 0.025)}
STEPS = (0.01, 0.0025)  # of the implicit ones [s]


def lattice(case: str, cell: float) -> np.ndarray:
    """Rows of points, two in a cell; half a spacing inside."""
    size = {"bar": (0.1, 0.1, 0.4), "ball": (1.0, 1.0, 1.0), "column": (0.1, 0.1, 0.2)}[case]
    rows = [np.linspace(0, s, n + 1)[:-1] + s / n / 2 for s, n in ((s, round(2 * s / cell)) for s in size)]
    x = np.stack(np.meshgrid(*rows, indexing="ij"), -1).reshape(-1, 3) - np.array([size[0] / 2, size[1] / 2, 0])
    return x[np.linalg.norm(x - [0, 0, 0.5], axis=1) < 0.5 - cell / 8] if case == "ball" else x


def gravity(case: str) -> tuple[float, float, float]:
    s = G * 0.5**0.5
    return (s, 0.0, -s) if case == "ball" else (0.0, 0.0, -G)


def error(case: str, times: np.ndarray, middles: np.ndarray) -> float:
    """Relative, of the middle of the points (steps, 3) [m]."""
    moved = middles - middles[0]
    if case == "bar":
        right = DENSITY * G * 0.4**2 / (3 * YOUNG["bar"])
        return abs(-moved[times > 1.0, 2].mean() / right - 1)
    if case == "ball":
        right = 0.5 * 0.8 * G * 0.5**0.5
        return abs(moved[-1, 0] / right - 1)
    return abs(moved[-1, 2]) / 0.1


def haptos_run(case: str, cell: float, dt: float) -> tuple[int, Callable[[], object], Callable[[], np.ndarray]]:
    import haptos

    scene = haptos.Scene(dt=dt, gravity=gravity(case))
    scene.sim.threads = 1
    scene.add_half_space("floor")
    if case == "column":
        for name, normal in {"w": (1, 0, 0), "e": (-1, 0, 0), "s": (0, 1, 0), "n": (0, -1, 0)}.items():
            scene.add_half_space(name, normal=normal, offset=-0.05)
    shape = {"bar": haptos.RobotShape("box", extents=(0.1, 0.1, 0.4)), "ball": haptos.RobotShape("sphere", (0.5,)),
             "column": haptos.RobotShape("box", extents=(0.1, 0.1, 0.2))}[case]
    fields: dict[str, object] = {"law": "liquid", "sound_speed": SOUND, "friction": 0.0} if case == "column" else {
        "young": YOUNG[case], "poisson": POISSON[case], "friction": 0.2 if case == "ball" else 0.0}
    high = {"bar": 0.2, "ball": 0.5, "column": 0.1}[case]
    scene.add_material_points("points", shape, position=(0, 0, high), cell=cell, density=DENSITY, seeding="lattice", **fields)
    sim = scene.compile(quiet=True)
    return sim.material_points["points"].position.shape[1], sim.step, lambda: sim.material_points["points"].position[0].mean(axis=0)


def newton_run(case: str, cell: float, dt: float, as_example: bool = False) -> tuple[int, Callable[[], object], Callable[[], np.ndarray]]:
    import newton
    import warp as wp
    from newton.solvers import SolverImplicitMPM

    wp.set_device("cpu")
    x = lattice(case, cell)
    builder = newton.ModelBuilder()
    SolverImplicitMPM.register_custom_attributes(builder)
    volume = VOLUME[case] / len(x)
    builder.add_particles(pos=[wp.vec3(*p) for p in x], vel=[wp.vec3(0.0)] * len(x), mass=[DENSITY * volume] * len(x),
                          radius=[0.5 * volume ** (1 / 3)] * len(x))
    shape = newton.ModelBuilder.ShapeConfig(mu=0.2 if case == "ball" else 0.0)
    builder.add_ground_plane(cfg=shape)
    if case == "column":
        for sx, sy in ((1, 0), (-1, 0), (0, 1), (0, -1)):
            builder.add_shape_box(body=-1, cfg=shape, xform=wp.transform(wp.vec3(0.1 * sx, 0.1 * sy, 0.2), wp.quat_identity()),
                                  hx=0.05 if sx else 0.2, hy=0.05 if sy else 0.2, hz=0.4)
    model = builder.finalize()
    model.set_gravity(gravity(case))
    if case == "column":
        model.mpm.friction.fill_(0.0)
    else:
        model.mpm.young_modulus.fill_(YOUNG[case])
        model.mpm.poisson_ratio.fill_(POISSON[case])
        model.mpm.yield_stress.fill_(1e12)
        model.mpm.tensile_yield_ratio.fill_(1.0)
    config = SolverImplicitMPM.Config()
    config.voxel_size = cell
    config.air_drag = 0.0
    if as_example and case == "column":
        # What its example of a breaking dam sets.
        model.mpm.tensile_yield_ratio.fill_(1.0)
        config.max_iterations, config.tolerance, config.warmstart_mode, config.collider_basis = 50, 1e-3, "particles", "pic"
    elif as_example:
        # What its example of a twisted beam sets, with a solver that takes contact after its own.
        config.solver, config.tolerance, config.strain_basis = ("cr", "gs"), 1e-6, "P1d"
        config.warmstart_mode, config.carry_residual_strain = "particles", "unconverged"
    solver = SolverImplicitMPM(model, config=config)
    states = [model.state(), model.state()]

    def step() -> None:
        solver.step(states[0], states[1], None, None, dt)
        solver.project_outside(states[1], states[1], dt)
        states.reverse()

    return len(x), step, lambda: states[0].particle_q.numpy().astype(float).mean(axis=0)


def explicit_run(case: str, cell: float, dt: float) -> tuple[int, Callable[[], object], Callable[[], np.ndarray]]:
    from points_explicit import Explicit

    x = lattice(case, cell)
    volume = VOLUME[case] / len(x)
    walls = 0.05 if case == "column" else 0.0
    solver = Explicit(x, volume, DENSITY, cell, dt, gravity(case), YOUNG[case], POISSON[case],
                      friction=0.2 if case == "ball" else 0.0, sound=SOUND if case == "column" else 0.0, walls=walls)
    return len(x), solver.step, solver.middle


def runs(case: str, engine: str) -> list[tuple[str, float, float, Callable[[], tuple]]]:
    """(setting, cell, dt, maker)."""
    out = []
    for cell in CELLS[case]:
        if engine == "explicit":
            # Half of what sound takes through a cell.
            stiff = YOUNG[case] * (1 - POISSON[case]) / ((1 + POISSON[case]) * (1 - 2 * POISSON[case])) if case != "column" else YOUNG[case]
            dt = 0.5 * cell / (stiff / DENSITY) ** 0.5
            dt = 0.01 / np.ceil(0.01 / dt)
            out.append(("", cell, dt, lambda c=cell, t=dt: explicit_run(case, c, t)))
            continue
        for dt in STEPS:
            if engine == "haptos":
                out.append(("", cell, dt, lambda c=cell, t=dt: haptos_run(case, c, t)))
            else:
                out += [(name, cell, dt, lambda c=cell, t=dt, e=example: newton_run(case, c, t, e))
                        for name, example in (("defaults", False), ("as examples", True))]
    return out


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--runs", nargs="*", default=list(CELLS))
    parser.add_argument("--engines", nargs="*", default=["haptos", "newton", "explicit"])
    parser.add_argument("--budget", type=float, default=120.0, help="CPU seconds after which a run is given up")
    parser.add_argument("--out", type=pathlib.Path, default=pathlib.Path(__file__).parent / "results/points")
    given = parser.parse_args()
    rows = []
    for case in given.runs:
        for engine in given.engines:
            for setting, cell, dt, make in runs(case, engine):
                try:
                    count, step, middle = make()
                except ImportError as e:
                    print(f"{engine} is left out: {e}")
                    break
                steps = round(SECONDS[case] / dt)
                middles, times = [middle()], [0.0]
                spent = 0.0
                for k in range(steps):
                    began = time.process_time()
                    step()
                    spent += time.process_time() - began if k > 0 else 0.0
                    middles.append(middle())
                    times.append((k + 1) * dt)
                    if spent > given.budget:
                        break
                given_up = spent > given.budget
                off = float("nan") if given_up else error(case, np.array(times), np.array(middles))
                rate = spent / (times[-1] - dt)
                rows.append({"run": case, "engine": engine, "setting": setting, "cell": cell, "dt": dt, "points": count,
                             "error": off if np.isfinite(off) else None, "seconds_per_s": rate})
                found = f"given up after {times[-1]:.2f} s" if given_up else f"error {100 * off:7.2f} %"
                print(f"{case:7} {engine:9} {setting:11} cell {1e3 * cell:5.1f} mm, dt {1e3 * dt:7.4f} ms, {count:6} points: "
                      f"{found}, {rate:8.2f} s per s", flush=True)
    versions = {}
    for package in ("newton", "warp-lang", "taichi"):
        try:
            versions[package] = importlib.metadata.version(package)
        except importlib.metadata.PackageNotFoundError:
            continue
    given.out.mkdir(parents=True, exist_ok=True)
    path = given.out / "points.json"
    if path.exists():  # what was not run now stays
        rows += [r for r in json.loads(path.read_text())["rows"] if r["run"] not in given.runs or r["engine"] not in given.engines]
    path.write_text(json.dumps({"date": datetime.date.today().isoformat(), "processor": cpu_name(), "versions": versions,
                                "rows": rows}, indent=1) + "\n")
    print(f"written to {path}")


if __name__ == "__main__":
    main()
