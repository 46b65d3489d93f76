"""Accelerations of a robot from coordinates, velocities and torques: Haptos against MuJoCo.

Usage: python bench/mujoco_dynamics.py [MODEL.xml]     default: MuJoCo's humanoid, if it is there

Both sides in one process, one thread, in turns; CPU time, the least of the rounds. Haptos:
Tree.forward_dynamics (kinematics, inertias, ABA) over a batch of states. MuJoCo: steps of its own
rollout with constraints, contacts, springs, dampers and actuators switched off, which are
kinematics, mass matrix, factorisation, bias and an explicit step; what of a step is not dynamics
(integration, copying) is a few per cent. Before it counts, accelerations are compared.
"""

import pathlib
import sys
import time

import mujoco
import numpy as np
from mujoco import rollout

import haptos

STATES, ROUNDS = 2000, 15


def main() -> None:
    root = pathlib.Path(__file__).resolve().parents[1]
    file = sys.argv[1] if len(sys.argv) > 1 else root.parent / "shared/data/mjcf/humanoid.xml"
    m = mujoco.MjModel.from_xml_path(str(file))
    bits = mujoco.mjtDisableBit
    for bit in (bits.mjDSBL_CONSTRAINT, bits.mjDSBL_CONTACT, bits.mjDSBL_SPRING, bits.mjDSBL_DAMPER,
                bits.mjDSBL_ACTUATION, bits.mjDSBL_SENSOR, bits.mjDSBL_EULERDAMP):
        m.opt.disableflags |= int(bit)
    m.opt.timestep = 1e-5
    d = mujoco.MjData(m)
    robot = haptos.load_mjcf(file).robot
    tree = haptos.Tree(robot)
    rng = np.random.default_rng(0)
    q = np.tile(m.qpos0, (STATES, 1))
    for row in q:
        mujoco.mj_integratePos(m, row, rng.normal(size=m.nv), 1.0)
    qvel = 0.1 * rng.normal(size=(STATES, m.nv))
    v = haptos.velocity_from_mujoco(robot, q, qvel)
    gravity = m.opt.gravity
    ours = haptos.velocity_to_mujoco(robot, q, tree.forward_dynamics(q, v, gravity=gravity))
    worst = 0.0
    for k in range(50):
        d.qpos[:], d.qvel[:] = q[k], qvel[k]
        mujoco.mj_forward(m, d)
        worst = max(worst, np.abs(ours[k] - d.qacc).max() / np.abs(d.qacc).max())
    start = np.empty((1, mujoco.mj_stateSize(m, mujoco.mjtState.mjSTATE_FULLPHYSICS)))
    d.qpos[:], d.qvel[:] = m.qpos0, 0
    mujoco.mj_getState(m, d, start[0], mujoco.mjtState.mjSTATE_FULLPHYSICS)
    times = {"haptos": [], "mujoco": []}
    for _ in range(ROUNDS):
        t = time.process_time()
        tree.forward_dynamics(q, v, gravity=gravity)
        times["haptos"].append((time.process_time() - t) / STATES)
        t = time.process_time()
        rollout.rollout(m, d, start, nstep=STATES)
        times["mujoco"].append((time.process_time() - t) / STATES)
    print(f"{pathlib.Path(file).name}: nv {m.nv}, accelerations agree to {worst:.1e}")
    for name, t in times.items():
        print(f"FIGURE {pathlib.Path(file).stem}.{name}.dynamics = {1e6 * min(t):.2f} us")


main()
