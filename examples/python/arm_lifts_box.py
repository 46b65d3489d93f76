"""An arm reaches for a box on a table, closes its fingers, and lifts it; writes lift.png.

The way is a list of places for the hand; inverse kinematics turns them into angles, between which
the motors go straight. What the fingers feel is printed at the end.
"""

from pathlib import Path

import numpy as np

import haptos
from haptos import pictures

BOX = 0.04  # edge [m]
PLACE = np.array([0.42, 0.05, BOX / 2])  # of the box [m]
GRIP = 0.115  # from the hand's joint to the middle of the fingers' pads [m]
YAW = np.arctan2(PLACE[1], PLACE[0])  # of the box, which faces the arm [rad]
# The hand as the box, but upside down: half a turn about its y.
DOWN = (0.0, -np.sin(YAW / 2), np.cos(YAW / 2), 0.0)
OPEN, CLOSED = 0.035, 0.0  # of the fingers [m]

# Time [s], height of the grip over the box [m], opening of the fingers [m].
WAY = ((0.0, 0.15, OPEN), (1.0, 0.15, OPEN), (2.0, 0.0, OPEN), (2.5, 0.0, CLOSED),
       (4.0, 0.15, CLOSED), (6.0, 0.15, CLOSED))


def reach(tree, height, start):
    """Coordinates that bring the grip to a height [m] over the box, fingers down."""
    at = PLACE + (0, 0, height + GRIP)
    target = haptos.IkTarget(tree.link("hand"), (*at, *DOWN))
    result = tree.inverse_kinematics([target], start)
    assert result.reached, f"the arm does not reach {at}"
    return result.q


def main():
    scene = haptos.Scene(dt=2e-3)
    robot = haptos.load_robot(Path(__file__).parents[2] / "scenes/robots/arm.urdf")
    tree = haptos.Tree(robot)
    joints = [j.name for j in robot.joints if j.kind != "fixed" and j.mimic is None]
    q = np.zeros(tree.nq)
    q[[tree.q_of(j).start for j in joints[:5]]] = 0.1, 0.5, 1.2, 0.0, 1.4
    rows = []
    for _, height, opening in WAY:
        q = reach(tree, height, q)
        row = {j: float(q[tree.q_of(j)][0]) for j in joints}
        rows.append(row | {"left_slide": opening})
    scene.add_rigid("table", haptos.RobotShape("box", extents=(0.6, 0.6, 0.1)), fixed=True,
                    position=(0.5, 0, -0.05))
    scene.add_rigid("box", haptos.RobotShape("box", extents=(BOX,) * 3), mass=0.2, position=PLACE,
                    quaternion=(np.cos(YAW / 2), 0, 0, np.sin(YAW / 2)), friction=0.8)
    start = {j: [v] for j, v in rows[0].items()} | {"right_slide": [rows[0]["left_slide"]]}
    scene.add_robot("arm", robot, start=start, friction=0.8, motors=[
        {"kp": 2000, "kd": 100, "joints": joints[:5]},
        {"kp": 2000, "kd": 50, "effort": 30, "joints": "left_slide"}])
    sim = scene.compile()
    arm = sim.robots["arm"]
    times = [w[0] for w in WAY]
    sim.controllers.append(lambda now: arm.set_command(position={
        j: np.interp(now.time[0] + now.dt, times, [row[j] for row in rows]) for j in joints}))
    report = sim.run(WAY[-1][0])
    height = sim.robots["box"].position[0, 2] - PLACE[2]
    grip = sim.contact_wrench("arm/left_finger").force[0]
    print(f"{report.describe()}: the box is {1e3 * height:.1f} mm up, a finger presses with "
          f"{np.linalg.norm(grip):.1f} N")
    haptos.save_png("lift.png", pictures.scene_above(sim))


if __name__ == "__main__":
    main()
