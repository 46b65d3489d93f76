"""A door on a hinge, a lift on a rail, a wheel on an axle: each with a motor, and no robot.

    python examples/python/door_lift_wheel.py

says where they are after 2.2 s, and draws door_lift_wheel.png. The door is held by its motor against
a spring and stops at 110 degrees; the lift carries its weight; the wheel turns against dry friction.
"""

import numpy as np

import haptos

HALF = np.sqrt(0.5)


def post(scene, name, size, position):
    scene.add_rigid(name, haptos.RobotShape("box", extents=size), position=position, fixed=True,
                    friction=0)


def main() -> None:
    scene = haptos.Scene(dt=2e-3)
    scene.add_half_space("floor")
    post(scene, "post", (0.06, 0.06, 1.0), (-0.05, 0, 0.5))
    scene.add_affine("door", haptos.box((0.6, 0.03, 0.9)), position=(0.3, 0, 0.52), density=300)
    scene.add_constraint("pin", "door", "post", kind="hinge", position=(-0.3, 0, 0),
                         limits=("0 deg", "110 deg"), stiffness=2, damping=2,
                         motor={"kp": 60, "kd": 15, "position": "50 deg"})
    post(scene, "rail", (0.05, 0.05, 1.0), (1.0, 0.04, 0.5))
    scene.add_affine("lift", haptos.box((0.3, 0.2, 0.06)), position=(1.0, -0.1, 0.3), density=400)
    scene.add_constraint("guide", "lift", "rail", kind="slider", limits=("-20 cm", "50 cm"),
                         motor={"kp": 2000, "kd": 200, "position": "30 cm"})
    post(scene, "stand", (0.06, 0.06, 0.4), (1.7, 0.12, 0.2))
    spokes = [haptos.RobotShape("box", extents=(0.4, 0.05, 0.08)),
              haptos.RobotShape("box", extents=(0.08, 0.05, 0.4))]
    scene.add_rigid("wheel", spokes, density=500, position=(1.7, 0, 0.35), friction=0)
    scene.add_constraint("axle", "wheel", "stand", kind="hinge", quaternion=(HALF, -HALF, 0, 0),
                         friction=0.1, motor={"kd": 1, "velocity": 4})
    sim = scene.compile()
    sim.run(2.2)
    print(f"door {np.degrees(sim.constraint_position('pin')[0]):.1f} deg, "
          f"lift {1e3 * sim.constraint_position('guide')[0]:.1f} mm, "
          f"wheel {sim.constraint_velocity('axle')[0]:.3f} rad/s")
    stage = haptos.SimStage(sim)
    look = haptos.Look(width=960, height=540, target=(0.85, 0, 0.5), distance=3.6)
    haptos.save_png("door_lift_wheel.png", haptos.draw(stage.stage, stage.take(readings=False), look))


if __name__ == "__main__":
    main()
