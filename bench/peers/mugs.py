"""Whether mugs that are stirred stay in their tray: MuJoCo's on the starts and the path of Haptos'.

Usage: python bench/peers/mugs.py [--runs 4] [--seconds 21.25] [--force 50]

Python must have haptos and mujoco (requirements.txt). 18 mugs of .1 kg, each 16 staves, a bottom and a handle of
the size of the scanned ones, fall into a tray of .6 m with walls of .1 m and are stirred by a rod of
2 cm on two motors, as scenes/layers/mugs.yaml has them (friction .5, steps of 1 ms, the same motors and
path). Prints how many went over a wall: with the scene's path, with one half as fast, and from starts
that are turned at random. No contact of Haptos takes part.
"""

from __future__ import annotations

import argparse
import pathlib
import subprocess
import sys
from typing import Any

import numpy as np

SCENES = pathlib.Path(__file__).parents[2] / "scenes/layers"
sys.path.insert(0, str(SCENES))
import stirring

RADIUS, HEIGHT, WALL, HANDLE = 0.039, 0.0966, 0.003, 0.036  # of a mug [m]
STAVES = 16


def mug() -> str:
    """Geoms of a mug about its middle, its axis along z."""
    parts = []
    r, half = RADIUS - WALL / 2, np.pi * RADIUS / STAVES
    for k in range(STAVES):
        a = 2 * np.pi * k / STAVES
        parts.append(f'<geom class="mug" type="box" size="{WALL / 2} {half} {HEIGHT / 2}" '
                     f'pos="{r * np.cos(a)} {r * np.sin(a)} 0" euler="0 0 {a}"/>')
    parts.append(f'<geom class="mug" type="cylinder" size="{RADIUS} {WALL / 2}" pos="0 0 {(WALL - HEIGHT) / 2}"/>')
    thick = 0.005
    far, top = RADIUS + HANDLE - thick, 0.03
    for a, b in (((RADIUS, top), (far, top)), ((far, top), (far, -top)), ((far, -top), (RADIUS, -top))):
        parts.append(f'<geom class="mug" type="capsule" size="{thick}" fromto="{a[0]} 0 {a[1]} {b[0]} 0 {b[1]}"/>')
    return "".join(parts)


def starts() -> list[tuple[np.ndarray, np.ndarray]]:
    """Places [m] and quaternions of the scene's mugs."""
    import haptos

    if not (SCENES / "made/stir.csv").exists():
        subprocess.run([sys.executable, SCENES / "make.py", "mugs"], check=True)
    sim = haptos.load_scene(SCENES / "mugs.yaml").compile(quiet=True)
    poses = [sim.robots[f"mug{k}"].position[0] for k in range(18)]
    return [(p[:3], p[3:]) for p in poses]


def model(places: list[tuple[np.ndarray, np.ndarray]], force: float) -> Any:
    import mujoco

    walls = "".join(f'<geom type="box" size="{sx} {sy} 0.05" pos="{x} {y} 0.05"/>'
                    for sx, sy, x, y in ((0.01, 0.32, 0.31, 0), (0.01, 0.32, -0.31, 0),
                                         (0.3, 0.01, 0, 0.31), (0.3, 0.01, 0, -0.31)))
    shape = mug()
    mugs = "".join(f'<body pos="{p[0]} {p[1]} {p[2]}" quat="{q[0]} {q[1]} {q[2]} {q[3]}"><freejoint/>{shape}</body>'
                   for p, q in places)
    motors = "".join(f'<position joint="{j}" kp="4e4" kv="400" forcerange="{-force} {force}"/>' for j in "xy")
    found = mujoco.MjModel.from_xml_string(f"""
<mujoco>
  <compiler angle="radian" autolimits="true"/>
  <option timestep="0.001" cone="elliptic" integrator="implicitfast"/>
  <size memory="200M"/>
  <default><geom friction="0.5" solref="0.004 1"/>
    <default class="mug"><geom density="1000"/></default></default>
  <worldbody>
    <geom type="plane" size="2 2 1" pos="0 0 -0.05"/>
    <geom type="box" size="0.32 0.32 0.01" pos="0 0 -0.01"/>{walls}
    <body><joint name="x" type="slide" axis="1 0 0"/><inertial mass="0.5" pos="0 0 0" diaginertia="1e-3 1e-3 1e-3"/>
      <body><joint name="y" type="slide" axis="0 1 0"/>
        <inertial mass="0.5" pos="0 0 0.13" diaginertia="1e-3 1e-3 1e-3"/>
        <geom type="capsule" size="0.02" fromto="0 0 0.03 0 0 0.23"/></body></body>
    {mugs}
  </worldbody>
  <actuator>{motors}</actuator>
</mujoco>""")
    for k in range(18):  # .1 kg each
        b = found.nbody - 18 + k
        found.body_inertia[b] *= 0.1 / found.body_mass[b]
        found.body_mass[b] = 0.1
    mujoco.mj_setConst(found, mujoco.MjData(found))
    return found


def run(places: list[tuple[np.ndarray, np.ndarray]], seconds: float, force: float, slower: float) -> int:
    """How many mugs were beyond a wall."""
    import mujoco

    m = model(places, force)
    data = mujoco.MjData(m)
    over = np.zeros(18, bool)
    for k in range(round(seconds / m.opt.timestep)):
        t = data.time
        data.ctrl[:] = stirring.stirred(np.array([stirring.WAIT + max(t - stirring.WAIT, 0) / slower]))[0]
        mujoco.mj_step(m, data)
        x = data.xpos[-18:]
        over |= np.abs(x[:, :2]).max(1) > 0.3
        if k % 100 == 0 and not np.isfinite(x).all():
            raise RuntimeError("MuJoCo's state is not finite")
    return int(over.sum())


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--runs", type=int, default=4)
    parser.add_argument("--seconds", type=float, default=21.25)
    parser.add_argument("--force", type=float, default=50.0)
    given = parser.parse_args()
    places = starts()
    rng = np.random.default_rng(5)
    for k in range(given.runs):
        turned = places
        if k > 0:
            q = rng.normal(size=(18, 4))
            turned = [(p, v / np.linalg.norm(v)) for (p, _), v in zip(places, q, strict=True)]
        left = [run(turned, given.seconds, given.force, slower) for slower in (1.0, 2.0)]
        print(f"start {k}: {left[0]} of 18 over a wall by the scene's path, {left[1]} by one half as fast", flush=True)


if __name__ == "__main__":
    main()
