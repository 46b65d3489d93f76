"""Two pads of the quality "fast" on a gripper lift a box and hold it: scenes/sensors/lift_box.yaml."""

import shutil
import time

import numpy as np
import pytest

import haptos
from conftest import ROOT

FOLDER = ROOT / "scenes" / "sensors"
WEIGHT, EFFORT, FRICTION = 0.1 * 9.81, 4.0, 0.8  # of the box; of a finger's motor [N]
STIFFNESS = 2e4  # kp of the hoist's motor [N/m]
GRIPPED, HELD, END = 0.375, 0.9, 1.0  # closed, before the hoist moves; it stands still; the end [s]
HEIGHT = 0.02  # of the hoist's way [m]


def lift(effort, folder):
    """The scene with another effort of the fingers, run; where box and hoist were at each step."""
    for name in ("pad_gripper.urdf", "lift_box.csv"):
        shutil.copy(FOLDER / name, folder)
    text = (FOLDER / "lift_box.yaml").read_text()
    assert text.count("effort: 4 N") == 1
    (folder / "scene.yaml").write_text(text.replace("effort: 4 N", f"effort: {effort} N"))
    sim = haptos.load_scene(folder / "scene.yaml").compile()
    seen, iterations, begin = [], 0, time.process_time()
    while sim.time[0] < END - 1e-9:
        report = sim.step()
        assert report.ok
        iterations += int(report.iterations[0])
        seen.append((sim.time[0], sim.pose("box")[0, 2], sim.robots["gripper"].position[0, 0]))
    cost = time.process_time() - begin
    print(f"FIGURE lift_box.{effort:g}N.cpu = {cost / END:.2f} s for a simulated second, "
          f"{iterations / len(seen):.1f} iterations a step", flush=True)
    return sim, np.array(seen)


def test_the_scene_has_fast_pads():
    scene = haptos.load_scene(FOLDER / "lift_box.yaml")
    assert [s.name for s in scene.sensors] == ["left", "right"]
    sim = scene.compile()
    assert len(sim.positions("left")[0]) < 1500
    assert sim.step().status[0] == 0


@pytest.mark.full
def test_fast_pads_lift_a_box_and_hold_it(tmp_path):
    sim, seen = lift(EFFORT, tmp_path)
    time, box, hoist = seen.T
    at, held = np.searchsorted(time, [GRIPPED - 1e-9, HELD - 1e-9])
    risen, drop = box[-1] - box[at], (hoist[-1] - hoist[at]) - (box[-1] - box[at])
    # The floor bears the box until the gels do; then they are sheared by its weight. A slab of the
    # area that touches, glued below, gives way by F h / (G A); the pad spreads the force wider and
    # is stiffer, the springs of sticking friction are 30 times as stiff.
    model = haptos.load_sensor("gelsight-mini")
    modulus = model.material["young"] / (2 * (1 + model.material["poisson"]))
    area = min(float(sim.sensors[side].touch().area[0]) for side in ("left", "right"))
    slab = 0.5 * WEIGHT * model.gel.thickness / (modulus * area)
    print(f"FIGURE lift_box.risen = {1e3 * risen:.3f} mm of {1e3 * HEIGHT:g} mm")
    print(f"FIGURE lift_box.drop = {1e6 * drop:.1f} um (at most {1.25e6 * slab:.1f})")
    # The hoist's motor gives way to the weight that it carries more.
    assert 0 < drop < 1.25 * slab and risen > HEIGHT - 1.25 * slab - 1.1 * WEIGHT / STIFFNESS
    creep = np.ptp((hoist - box)[held:])
    print(f"FIGURE lift_box.creep = {1e6 * creep:.2f} um in {END - HELD:.2f} s (at most 2)")
    assert creep < 2e-6
    # A step leaves a thousandth of the load as residual (newton.force_tolerance), here on both sides.
    forces = [sim.contact_wrench(side).force[0] for side in ("left", "right")]
    carried, residual = -sum(f[2] for f in forces), 1e-3 * 2 * EFFORT
    print(f"FIGURE lift_box.carried = {carried:.5f} N "
          f"(within {WEIGHT - residual:.4f} to {WEIGHT + residual:.4f})")
    assert carried == pytest.approx(WEIGHT, abs=residual)
    for f, sign in zip(forces, (-1, 1), strict=True):
        assert f[0] == pytest.approx(sign * EFFORT, abs=residual)
    assert np.abs(sim.pose("box")[0, :2]).max() < 2e-5  # it stays in the middle


@pytest.mark.full
def test_fast_pads_that_press_too_little_leave_the_box(tmp_path):
    effort = 0.3 * WEIGHT / (2 * FRICTION)  # so that friction can carry 30 % of the weight
    sim, seen = lift(round(effort, 3), tmp_path)
    assert seen[-1, 1] - seen[0, 1] < 1e-4 and seen[-1, 2] > HEIGHT - 1e-3
