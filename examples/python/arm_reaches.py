"""An arm draws a circle in the air, by its gains alone and with the torques of inverse dynamics
added to them; prints how far the hand is off, and writes reach.png.

Inverse kinematics turns the circle into angles, differences make velocities and accelerations.
"""

from pathlib import Path

import numpy as np

import haptos
from haptos import pictures

DT = 2e-3
TURN = 3.0  # [s]
CENTRE, RADIUS = np.array([0.42, 0.0, 0.22]), 0.08  # in the plane y, z [m]


def circle(t):
    """Where the hand should be at t [s]: once round, from rest to rest."""
    s = min(t / TURN, 1.0)
    angle = 2 * np.pi * (10 - 15 * s + 6 * s * s) * s**3
    return CENTRE + RADIUS * np.array([0, np.sin(angle), np.cos(angle)])


def hand_pose(t):
    """The hand points down and faces away from the arm, which has five joints."""
    x, y, z = circle(t)
    yaw = np.arctan2(y, x)
    return (x, y, z, 0.0, -np.sin(yaw / 2), np.cos(yaw / 2), 0.0)


def angles(tree, q):
    """Coordinates at every step end, (steps, nq)."""
    rows = []
    for k in range(round(TURN / DT) + 3):
        found = tree.inverse_kinematics([haptos.IkTarget(tree.link("hand"), hand_pose(k * DT))], q)
        assert found.reached, f"the arm does not reach {circle(k * DT)}"
        rows.append(q := found.q)
    return np.array(rows)


def track(robot, tree, q, feed_forward):
    """Follows the angles; returns the Sim at the end and the hand's largest distance [m]."""
    scene = haptos.Scene(dt=DT)
    joints = [j.name for j in robot.joints if j.kind != "fixed" and j.mimic is None]
    scene.add_robot("arm", robot, start={j: q[0, tree.q_of(j)] for j in joints}
                    | {"right_slide": q[0, tree.q_of("right_slide")]},
                    motors={"kp": 400, "kd": 20, "joints": joints})
    sim = scene.compile()
    arm, off = sim.robots["arm"], 0.0
    v = np.gradient(q, DT, axis=0)
    tau = tree.inverse_dynamics(q, v, np.gradient(v, DT, axis=0))
    for k in range(1, len(q) - 2):
        arm.set_command(
            position={j: q[k, tree.q_of(j)][0] for j in joints},
            velocity={j: v[k, tree.v_of(j)][0] for j in joints},
            effort={j: tau[k, tree.v_of(j)][0] if feed_forward else 0.0 for j in joints})
        sim.step()
        hand = arm.link_poses[0, tree.link("hand"), :3]
        off = max(off, float(np.linalg.norm(hand - circle(k * DT))))
    return sim, off


def main():
    robot = haptos.load_robot(Path(__file__).parents[2] / "scenes/robots/arm.urdf")
    tree = haptos.Tree(robot)
    start = np.array(tree.start)
    start[:5] = 0.0, 0.5, 1.2, 0.0, 1.4
    q = angles(tree, start)
    _, gains = track(robot, tree, q, False)
    sim, both = track(robot, tree, q, True)
    print(f"off by {1e3 * gains:.2f} mm with gains alone, {1e3 * both:.3f} mm with torques ahead")
    haptos.save_png("reach.png", pictures.scene_above(sim))


if __name__ == "__main__":
    main()
