"""A nut on its bolt: Haptos' hydroelastic contact beside MuJoCo's signed distance fields.

Usage: python bench/peers/nut.py [--seconds 0.8] [--out bench/peers/results/nut]

Python must have haptos and mujoco (requirements.txt). Each has the thread that it comes with, and is
held against the law of the screw for that: MuJoCo the formulas of its plugin, 12 turns a metre with
flanks at 45 degrees and a nut of .5 m and 304 kg (MuJoCo's own mass and inertia are not those of the
shape, so they are given); Haptos an M20 nut and bolt as meshes (scenes/pressure/nut_on_bolt.py). A
nut starts on the thread and runs down by its weight. One thread of the processor; time is process CPU
time of the steps.

By the law of the screw it gains speed about its axis by

  alpha = m g r (s - u) / (1 + u s) / (I + m b^2),   s = b / r,  b = P / 2 pi,  u = mu / cos 45 degrees,

with the pitch P and the mean radius r of the thread, and sinks by P a turn.

MuJoCo's is asked with the settings of its own example (solref 10 ms, solimp .95 to .99, 60 starts of
15 iterations, but without that example's damping, 30 N m s), with more starts, and with shorter steps.

newton, the third engine that has such contact, is left out: newton 1.8.0 makes its distance fields
on CUDA devices only ("SDF.create_from_mesh requires a CUDA device").
"""

from __future__ import annotations

import argparse
import datetime
import json
import math
import pathlib
import sys
import time
from typing import Any

import numpy as np

sys.path.insert(0, str(pathlib.Path(__file__).parent))
sys.path.insert(0, str(pathlib.Path(__file__).parents[2] / "scenes/pressure"))
import nut_on_bolt
from run import cpu_name

BOLT, NUT = 0.255, 0.26  # radii at the root of the thread [m]; loose as an M20 nut is
PITCH, THREAD, G = 1 / 12, 0.5 / 12, 9.81  # [m], depth of the thread [m]
RADIUS = 0.5 * (BOLT + NUT) + 0.5 * THREAD  # mean one of where the flanks meet [m]
START = 9 * PITCH - (NUT - BOLT)  # height of the nut, where its flanks lie on the bolt's [m]
MUJOCO = [{"dt": 2e-3, "starts": 60}, {"dt": 2e-3, "starts": 400}, {"dt": 5e-4, "starts": 60},
          {"dt": 5e-4, "starts": 400}]
HAPTOS = [{"dt": 4e-3}, {"dt": 4e-3, "cells": 14}, {"dt": 4e-3, "merged": 0}, {"dt": 1e-3}]


def model(friction: float, dt: float = 2e-3, starts: int = 60, inertial: str = "") -> Any:
    import mujoco

    for library in (pathlib.Path(mujoco.__file__).parent / "plugin").glob("*sdf*"):
        mujoco.mj_loadPluginLibrary(str(library))
    parts = (("nut", NUT), ("bolt", BOLT))
    plugins = "".join(f'<plugin plugin="mujoco.sdf.{n}"><instance name="{n}">'
                      f'<config key="radius" value="{r}"/></instance></plugin>' for n, r in parts)
    meshes = "".join(f'<mesh name="{n}"><plugin instance="{n}"/></mesh>' for n, _ in parts)
    geoms = {n: f'<geom type="sdf" mesh="{n}" solref="0.01 1" solimp=".95 .99 .0001" '
                f'friction="{friction}" condim="{3 if friction else 1}"><plugin instance="{n}"/></geom>'
             for n, _ in parts}
    return mujoco.MjModel.from_xml_string(
        f'<mujoco><extension>{plugins}</extension><asset>{meshes}</asset>'
        f'<option timestep="{dt}" sdf_iterations="15" sdf_initpoints="{starts}" gravity="0 0 -{G}"/>'
        f'<worldbody><body euler="180 0 0">{geoms["bolt"]}</body>'
        f'<body name="nut" pos="0 0 {START}" euler="180 0 0"><freejoint/>{inertial}{geoms["nut"]}</body>'
        '</worldbody></mujoco>')


def weighed(friction: float, dt: float = 2e-3, starts: int = 60) -> Any:
    """The same with the mass and the inertia of the nut's mesh."""
    mass, middle, inertia = solid(*mesh(model(friction), "nut"))
    return model(friction, dt, starts,
                 f'<inertial pos="{" ".join(map(str, middle))}" mass="{mass}" '
                 f'diaginertia="{" ".join(map(str, inertia))}"/>')


def mesh(m: Any, name: str) -> tuple[np.ndarray, np.ndarray]:
    k = m.mesh(name).id
    v = m.mesh_vert[m.mesh_vertadr[k]:m.mesh_vertadr[k] + m.mesh_vertnum[k]]
    t = m.mesh_face[m.mesh_faceadr[k]:m.mesh_faceadr[k] + m.mesh_facenum[k]]
    return np.array(v, dtype=float), np.array(t, dtype=int)


def solid(v: np.ndarray, t: np.ndarray) -> tuple[float, np.ndarray, np.ndarray]:
    """Mass at 1000 kg/m3, its centre, moments of inertia about axes through that."""
    a, b, c = v[t[:, 0]], v[t[:, 1]], v[t[:, 2]]
    mass = 1000 * np.einsum("ij,ij->i", a, np.cross(b, c)) / 6  # of tetrahedra to the origin
    middle = (mass[:, None] * (a + b + c)).sum(axis=0) / 4 / mass.sum()
    squares = (mass[:, None] * (a**2 + b**2 + c**2 + a * b + b * c + c * a)).sum(axis=0) / 10
    squares -= mass.sum() * middle**2
    return float(mass.sum()), middle, squares.sum() - squares


def law(friction: float) -> float:
    """How fast the nut gains speed [rad/s2]."""
    mass, _, inertia = solid(*mesh(model(friction), "nut"))
    b, rub = PITCH / (2 * math.pi), friction / math.cos(math.pi / 4)
    slope = b / RADIUS
    return mass * G * RADIUS * (slope - rub) / (1 + rub * slope) / (inertia[2] + mass * b**2)


def by_mujoco(friction: float, seconds: float, dt: float, starts: int) -> dict:
    import mujoco

    m = weighed(friction, dt, starts)
    d = mujoco.MjData(m)
    rows, spent, contacts = [], 0.0, 0
    for _ in range(round(seconds / dt)):
        start = time.process_time()
        mujoco.mj_step(m, d)
        spent += time.process_time() - start
        contacts = max(contacts, d.ncon)
        # The frame is turned over, and so is its z.
        rows.append((d.time, *d.qpos[:3], -d.qvel[5], tilt(d.qpos[3:])))
    return told(np.array(rows), spent, contacts) | {"law": law(friction), "of_pitch": PITCH}


def by_haptos(friction: float, seconds: float, dt: float, cells: int = 28,
              merged: int = 200) -> dict:
    scene = nut_on_bolt.scene(friction, dt, merged, False)
    scene.sim.threads, scene.point_contact.patch_cells = 1, cells
    sim = scene.compile()
    nut, rows, spent, contacts = sim.robots["nut"], [], 0.0, 0
    for k in range(round(seconds / dt)):
        start = time.process_time()
        sim.step()
        spent += time.process_time() - start
        contacts = max(contacts, len(sim.contacts))
        pose = nut.link_pose("nut")[0]
        rows.append(((k + 1) * dt, *pose[:3], nut.link_velocity("nut")[0, 5], tilt(pose[3:])))
    return told(np.array(rows), spent, contacts) | {"law": nut_on_bolt.screw_law(friction),
                                                    "of_pitch": nut_on_bolt.PITCH}


def tilt(q: np.ndarray) -> float:
    """Of the axis against z [rad]."""
    up = 1 - 2 * (q[1]**2 + q[2]**2)
    return math.acos(min(1.0, abs(up)))


def told(rows: np.ndarray, spent: float, contacts: int) -> dict:
    t, height, rate = rows[:, 0], rows[:, 3], rows[:, 4]
    late = t >= 0.2 * t[-1]  # it falls on the flanks first
    # Both go on by the velocity at the end of a step.
    turns = rate[late][1:].sum() * (t[1] - t[0]) / (2 * math.pi)
    fell = height[late][-1] - height[late][0]
    return {"alpha": abs(float(np.polyfit(t[late], rate[late], 1)[0])),
            "pitch": float(fell / turns),
            "height": float(height[-1]), "aside": float(np.hypot(rows[:, 1], rows[:, 2]).max()),
            "tilt": float(rows[:, 5].max()), "contacts": contacts,
            "step": spent / len(t), "real_time": float(t[-1] / spent)}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seconds", type=float, default=0.8)
    parser.add_argument("--out", type=pathlib.Path,
                        default=pathlib.Path(__file__).parent / "results/nut")
    given = parser.parse_args()
    import mujoco

    import haptos

    results = []
    for friction in (0.0, 0.01):
        for engine, run, asked in (("mujoco", by_mujoco, MUJOCO), ("haptos", by_haptos, HAPTOS)):
            for how in asked:
                row = run(friction, given.seconds, **how)
                results.append({"engine": engine, "friction": friction} | how | row)
                print(f"friction {friction} {engine} {how}: gains {row['alpha'] / row['law'] - 1:+.2%}, "
                      f"pitch {row['pitch'] / row['of_pitch'] - 1:+.2%}, {row['contacts']} contacts, "
                      f"{1e3 * row['step']:.2f} ms a step, {row['real_time']:.2f} x real time",
                      flush=True)
    given.out.mkdir(parents=True, exist_ok=True)
    (given.out / "nut.json").write_text(json.dumps(
        {"date": datetime.date.today().isoformat(), "cpu": cpu_name(), "haptos": haptos.__version__,
         "mujoco": mujoco.__version__, "rows": results}, indent=1) + "\n")


if __name__ == "__main__":
    main()
