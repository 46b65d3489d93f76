#!/usr/bin/env python3
"""An elastic cube that two panels hold with 10 N: solved implicitly, and by explicit steps with penalty contact.

    python scenes/particles/held_cube.py              tells forces and how far it sinks, for steps of 1 and 10 ms, and explicit
    python scenes/particles/held_cube.py --step 25    explicit steps of 25 us instead of 40

Cube, panels and the explicit rule of contact are those of Zong et al. 2024 (arXiv 2403.13783): a point that is deep in a panel
is pushed back by 1e5 N/m, and held by the smaller of its mass x 1e4/s x its speed along the panel and friction x that push.
"""

import argparse
import tempfile
from pathlib import Path

import numpy as np

import haptos

SIDE, MASS, YOUNG, POISSON, FRICTION, PUSH = 0.1, 0.4, 1e5, 0.4, 0.8, 10.0
CELL, PANEL = 0.025, 0.1  # [m], mass of a panel [kg]
SETTLED, END = 0.15, 0.25  # from when on forces are told, and when it ends [s]
FILE = """<robot name="panel"><link name="base"/><link name="panel"><inertial><mass value="{mass}"/>
<inertia ixx="1e-3" iyy="1e-3" izz="1e-3"/></inertial><collision><geometry><box size="0.02 0.2 0.2"/></geometry></collision></link>
<joint name="slide" type="prismatic"><parent link="base"/><child link="panel"/><axis xyz="1 0 0"/>
<limit lower="-1" upper="1" effort="100" velocity="10"/></joint></robot>"""


def told(forces: np.ndarray, sunk: float) -> dict[str, float]:
    """Of forces on the cube by the left panel (n, 3) [N], and how far the cube has sunk since they are told [m]."""
    return {"normal": forces[:, 0].mean(), "swing": forces[:, 0].std(), "up": forces[:, 2].mean(),
            "sideways": float(np.sqrt((forces[:, 1] ** 2).mean())), "sunk": sunk}


def implicit(dt: float) -> dict[str, float]:
    scene = haptos.Scene(dt=dt)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "panel.urdf"
        path.write_text(FILE.format(mass=PANEL))
        for name, x in (("left", -0.06), ("right", 0.06)):
            scene.add_robot(name, path, position=(x, 0, 0), friction=FRICTION)
    scene.add_material_points("cube", haptos.RobotShape("box", extents=(SIDE, SIDE, SIDE)), density=MASS / SIDE**3, young=YOUNG,
                              poisson=POISSON, cell=CELL, seeding="lattice", friction=FRICTION)
    sim = scene.compile(quiet=True)
    sim.robots["left"].set_torque([[PUSH]])
    sim.robots["right"].set_torque([[-PUSH]])
    forces, start = [], 0.0
    for k in range(round(END / dt)):
        report = sim.step()
        if not report.ok:
            raise RuntimeError(report.describe())
        if k + 1 == round(SETTLED / dt):
            start = sim.material_points["cube"].position[0, :, 2].mean()
        if k + 1 > round(SETTLED / dt):
            forces.append(sim.contact_wrench("cube", by="left/panel").force[0])
    return told(np.array(forces), start - sim.material_points["cube"].position[0, :, 2].mean())


def explicit(dt: float) -> dict[str, float]:
    """The same cube on the same grid, symplectic: forces of where the step starts, penalty contact."""
    line = (np.arange(8) + 0.5) / 8 * SIDE - SIDE / 2
    x = np.stack(np.meshgrid(line, line, line, indexing="ij"), -1).reshape(-1, 3)
    count, spacing = len(x), SIDE / 8
    v, C, F = np.zeros_like(x), np.zeros((count, 3, 3)), np.tile(np.eye(3), (count, 1, 1))
    mass, volume, unit = MASS / count, SIDE**3 / count, np.eye(3)
    mu, lame = YOUNG / 2 / (1 + POISSON), YOUNG * POISSON / (1 + POISSON) / (1 - 2 * POISSON)
    offsets = np.stack(np.meshgrid(*[np.arange(3)] * 3, indexing="ij"), -1).reshape(-1, 3)
    wide, origin = 14, np.array([-7, -7, -7])
    panels, speeds = np.array([-0.05, 0.05]), np.zeros(2)  # their inner faces
    forces, start = [], 0.0
    for k in range(round(END / dt)):
        base = np.floor(x / CELL - 0.5).astype(int)
        d = x / CELL - base
        w1 = np.stack([0.5 * (1.5 - d) ** 2, 0.75 - (d - 1) ** 2, 0.5 * (d - 0.5) ** 2], 1)  # point, node, axis
        g1 = np.stack([d - 1.5, -2 * (d - 1), d - 0.5], 1) / CELL
        a, b, c = (w1[:, offsets[:, i], i] for i in range(3))
        w = a * b * c
        grad = np.stack([g1[:, offsets[:, 0], 0] * b * c, a * g1[:, offsets[:, 1], 1] * c, a * b * g1[:, offsets[:, 2], 2]], -1)
        nodes = base[:, None] + offsets
        flat = ((nodes - origin) * [wide * wide, wide, 1]).sum(-1).ravel()
        to = nodes * CELL - x[:, None]
        U, S, V = np.linalg.svd(F)
        R = U @ V
        stress = 2 * mu * (F - R) + lame * (S.sum(1) - 3)[:, None, None] * R
        pull = np.zeros_like(x)
        bears = np.zeros(2)
        for side, sign in ((0, 1), (1, -1)):
            deep = np.maximum(0, spacing / 2 - sign * (x[:, 0] - panels[side]))
            push = 1e5 * deep
            along = np.hypot(v[:, 1], v[:, 2])
            hold = np.minimum(mass * 1e4 * along, FRICTION * push) / np.maximum(along, 1e-12)
            pull[:, 0] += sign * push
            pull[:, 1:] -= hold[:, None] * v[:, 1:] * (deep > 0)[:, None]
            bears[side] = push.sum()
            if side == 0 and k * dt >= SETTLED:
                forces.append([push.sum(), *(-(hold[:, None] * v[:, 1:])[deep > 0].sum(0))])
        force = np.einsum("pn,pi->pni", w, pull) - volume * np.einsum("pij,pkj,pnk->pni", stress, F, grad)
        momentum = mass * w[..., None] * (v[:, None] + np.einsum("pij,pnj->pni", C, to)) + dt * force
        m = np.bincount(flat, (mass * w).ravel(), wide**3)
        u = np.stack([np.bincount(flat, momentum[..., i].ravel(), wide**3) for i in range(3)], -1)
        u = u / np.maximum(m, 1e-12)[:, None] - [0, 0, 9.81 * dt]
        u = u[flat].reshape(count, 27, 3)
        v = np.einsum("pn,pni->pi", w, u)
        C = 4 / CELL**2 * np.einsum("pn,pni,pnj->pij", w, u, to)
        F = (unit + dt * np.einsum("pni,pnj->pij", u, grad)) @ F
        x = x + dt * v
        speeds += dt / PANEL * (np.array([PUSH, -PUSH]) + bears * [-1, 1])
        panels += dt * speeds
        if abs(k * dt - SETTLED) < 0.5 * dt:
            start = x[:, 2].mean()
    return told(np.array(forces), start - x[:, 2].mean())


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--step", type=float, default=40, help="of the explicit run [us]")
    given = parser.parse_args()
    runs = [(f"implicit, {1e3 * dt:g} ms", implicit(dt)) for dt in (1e-3, 1e-2)]
    runs.append((f"explicit, {given.step:g} us", explicit(1e-6 * given.step)))
    for name, found in runs:
        print(f"{name}: pressed by {found['normal']:.4f} N (swings by {found['swing']:.4f}), held by {found['up']:.4f} N, "
              f"sideways {found['sideways']:.4f} N; sinks by {1e3 * found['sunk']:.4f} mm in {END - SETTLED:.2f} s")


if __name__ == "__main__":
    main()
