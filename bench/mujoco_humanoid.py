"""A humanoid that falls from its squat and comes to rest, with contact: Haptos against MuJoCo.

Usage: python bench/mujoco_humanoid.py [MODEL.xml [KEY]]    default: MuJoCo's humanoid, squat

Both sides in one process and one thread, 400 steps of 5 ms from the same start without control, in
turns; CPU time of each step, and how many contacts there are. MuJoCo: its Newton solver at
tolerance 1e-8, as the file says otherwise. Haptos: its default, a force tolerance relative to the
load. The two are different laws of contact (and joint limits), so they do not follow one path; what
is compared is the price of a step at about as many contacts.
"""

import pathlib
import sys
import time

import mujoco
import numpy as np

import haptos

STEPS, DT, ROUNDS = 400, 0.005, 3


def run_haptos(model: haptos.MjcfModel) -> tuple[np.ndarray, np.ndarray]:
    scene = haptos.Scene(dt=DT, gravity=model.options["gravity"])
    scene.newton.force_tolerance = 1e-8
    model.add_to(scene)
    sim = scene.compile()
    times, contacts = np.zeros(STEPS), np.zeros(STEPS)
    for k in range(STEPS):
        t = time.process_time()
        report = sim.step()
        times[k] = time.process_time() - t
        assert report.ok, report
        contacts[k] = len(sim.contacts)
    return times, contacts


def run_mujoco(m: mujoco.MjModel, key: int) -> tuple[np.ndarray, np.ndarray]:
    d = mujoco.MjData(m)
    mujoco.mj_resetDataKeyframe(m, d, key)
    times, contacts = np.zeros(STEPS), np.zeros(STEPS)
    for k in range(STEPS):
        t = time.process_time()
        mujoco.mj_step(m, d)
        times[k] = time.process_time() - t
        contacts[k] = d.ncon
    return times, contacts


def main() -> None:
    root = pathlib.Path(__file__).resolve().parents[1]
    file = sys.argv[1] if len(sys.argv) > 1 else root.parent / "shared/data/mjcf/humanoid.xml"
    key = sys.argv[2] if len(sys.argv) > 2 else "squat"
    m = mujoco.MjModel.from_xml_path(str(file))
    m.opt.timestep = DT
    model = haptos.load_mjcf(file, key=key)
    best = {}
    for _ in range(ROUNDS):
        for name in ("haptos", "mujoco"):
            times, contacts = (run_haptos(model) if name == "haptos" else
                               run_mujoco(m, m.key(key).id))
            kept = best.setdefault(name, [times, contacts])
            kept[0] = np.minimum(kept[0], times)
    for name, (times, contacts) in best.items():
        print(f"FIGURE {pathlib.Path(file).stem}.{name}.step = {1e6 * times.mean():.1f} us, median "
              f"{1e6 * np.median(times):.1f}, contacts {contacts.mean():.1f}")


main()
