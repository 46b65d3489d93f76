"""The F-TAC hand, a gel pad on each of 17 faces, closes on a ball, holds it and lifts it; prints
what the pads feel and writes hand.png. Takes the folder of f_tac_hand_description.
"""

import sys
import warnings
from pathlib import Path

import numpy as np

import haptos

DT = 0.02
RADIUS, MASS = 0.025, 0.05  # of the ball [m], [kg]
CENTRE = np.array([0.006, -0.036, 0.1 + 0.0156 - RADIUS - 0.0012])  # under the palm [m]
CLOSE, LIFT, END, HEIGHT = 1.0, 2.0, 2.5, 0.06  # [s], [m]


def targets(closed, lifted=0.0):
    """Angles of the joints from open (0) to closed (1), and the height of the hand."""
    fingers = {f"{finger}_{k}": 0.45 + 0.95 * closed
               for finger in ("index", "middle", "ring", "little") for k in (1, 2, 3)}
    thumb = {"thumb_1": 0.55 + 0.85 * closed, "thumb_2": -0.5 * closed, "thumb_3": -0.5 * closed}
    return {"base": lifted} | thumb | fingers


def make_scene(folder):
    """The hand on a hoist, palm down, over a ball on a post; and the names of its pads."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # the description has odd inertias and no efforts
        robot = haptos.load_robot(folder / "urdf" / "f_tac_hand_rigid.urdf").copy()
        pads = haptos.load_pad_set("f-tac", folder)
    robot.joints[0].name, robot.joints[0].kind, robot.joints[0].axis = "base", "prismatic", (0, 0, 1)
    for joint in robot.joints[1:]:
        joint.damping, joint.armature = 0.002, 1e-5
    scene = haptos.Scene(dt=DT)
    scene.contact.support = 1e-4
    scene.add_robot("hand", robot, start=targets(0), position=(0, 0, 0.1), self_contact=False,
                    motors=[{"kp": 1e4, "kd": 400, "effort": 100, "joints": ["base"]},
                            {"kp": 2, "kd": 0.02, "effort": 0.12,
                             "joints": [j.name for j in robot.joints[1:]]}])
    names = pads.add_to(scene, "hand")
    scene.add_affine("ball", haptos.icosphere(RADIUS, 0.005), position=CENTRE, friction=1.0,
                     density=MASS / (4 / 3 * np.pi * RADIUS**3))
    scene.add_prescribed("post", haptos.cylinder(0.005, 0.03, 0.003).transformed(
        position=CENTRE - (0, 0, RADIUS + 0.015 + 1.5e-4)), friction=0.5)
    return scene, names


def main(folder):
    scene, names = make_scene(Path(folder))
    sim = scene.compile()
    hand, held = sim.robots["hand"], None
    for k in range(1, round(END / DT) + 1):
        t = k * DT
        hand.set_command(position=targets(
            min(t / CLOSE, 1.0), HEIGHT * np.clip((t - LIFT) / (END - LIFT), 0, 1)))
        report = sim.step()
        assert (report.status == 0).all(), report
        over = sim.pose("ball")[0, :3] - hand.link_poses[0, 0, :3]
        held = over if t <= LIFT else held
    weight = sim.mass("ball") * 9.81
    force = sim.contact_wrench("ball").force[0, 2]
    moved = sim.inertia_wrench("ball").force[0, 2]
    touched = [n for n in names if sim.sensors[n].touch().area[0] > 0]
    print(f"lifted by {(sim.pose('ball')[0, 2] - CENTRE[2]) * 1e3:.1f} mm; in the hand the ball "
          f"moved by {np.linalg.norm(over - held) * 1e3:.2f} mm meanwhile; {len(touched)} pads "
          f"touch it, with {force / weight:.4f} of its weight, which moves it with "
          f"{moved / weight:.4f}")
    for name in touched:
        sensor = sim.sensors[name]
        print(f"{name}: {np.nanmax(sensor.depth()) * 1e3:.2f} mm deep, "
              f"{sensor.touch().area[0] * 1e6:.1f} mm2, "
              f"{np.linalg.norm(sim.contact_wrench(name).force[0]):.3f} N, "
              f"{np.count_nonzero(sensor.points().contact)} points of its cloud")
    stage = haptos.SimStage(sim)
    look = haptos.Look(camera=(0.9, 0.35, 0.35), color="pressure", legend=True)
    haptos.save_png("hand.png", haptos.draw(stage.stage, stage.take(), look))


if __name__ == "__main__":
    main(sys.argv[1])
