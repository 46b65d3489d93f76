"""A gripper with a gel sensor on each finger closes on a cylinder, lifts it, and holds it while it
is pulled sideways; prints what the gels and the object feel, and writes gripper.png, the left
finger's depth images.
"""

import numpy as np

import haptos

HALF = 0.008  # of the object: its radius [m]
MASS = 0.06  # [kg]
PULL = 1.0  # sideways, along y [N]
THICKNESS = 0.004  # of a pad [m]
DT = 0.01


def box_link(name, mass, half):
    inertia = np.diag([mass / 3 * (np.dot(half, half) - h * h) for h in half])
    return haptos.RobotLink(name, mass, inertia=inertia,
                            collisions=[haptos.RobotShape("box", half_extents=half)])


def gripper():
    """A hoist along z; on it two fingers that slide towards each other along x."""
    links = [haptos.RobotLink("hoist", 0.5, inertia=np.eye(3) * 1e-4)]
    joints = [haptos.RobotJoint("lift", "prismatic", -1, 0, axis=(0, 0, 1))]
    for k, (name, side) in enumerate((("left", -1), ("right", 1)), start=1):
        links.append(box_link(name, 0.1, (0.004, 0.012, 0.015)))
        joints.append(haptos.RobotJoint(
            name, "prismatic", 0, k, axis=(-side, 0, 0),
            frame=(side * (HALF + THICKNESS + 0.004 + 5e-4), 0, 0.018, 1, 0, 0, 0)))
    motors = [haptos.RobotMotor("lift", kp=2e4, kd=5e2),
              *(haptos.RobotMotor(f, kp=5e3, kd=1e2, effort=8) for f in ("left", "right"))]
    return haptos.Robot("gripper", links, joints, motors=motors)


def make_scene():
    """The gripper, a pad and a camera on the inner face of each finger, a cylinder on the floor."""
    pad = haptos.box_pad(0.021, 0.025, THICKNESS, 0.0, haptos.PadGrading(3e-3, 3e-3, 3e-3, 3e-3))
    scene = haptos.Scene(dt=DT)
    scene.contact.support = 1e-4
    scene.add_robot("gripper", gripper())
    s = np.sqrt(0.5)
    for name, side in (("left", -1), ("right", 1)):
        scene.add_soft(name, pad.mesh, material={"young": 3e5, "poisson": 0.48,
                                                 "stiffness_damping": 0.01},
                       frame=f"gripper/{name}", position=(-side * (0.004 + THICKNESS), 0, 0),
                       quaternion=(s, 0, -side * s, 0),  # the gel looks inwards
                       glue={f"gripper/{name}": pad.base_vertices}, coat=pad.coat, friction=0.8)
        scene.add_sensor(name, name, camera=haptos.TactileCamera.orthographic(210, 250, 1e-4))
    volume = np.pi * HALF**2 * 0.03
    scene.add_affine("object", haptos.cylinder(HALF, 0.03, 0.002), density=MASS / volume,
                     position=(0, 0, 0.015 + 5e-5), friction=0.8)
    scene.add_half_space("floor", friction=0)
    return scene


def main(seconds=(0.3, 0.6, 0.9)):
    """Closes, lifts, and pulls the object sideways; returns the figures that it prints."""
    sim = make_scene().compile()
    hand, closed, lifted, end = sim.robots["gripper"], *seconds
    images, figures = [], {}
    while sim.time[0] < end - DT / 2:
        t = sim.time[0] + DT
        grip = 2.0e-3 * min(t / closed, 1.0)
        up = 0.02 * np.clip((t - closed) / (lifted - closed), 0, 1)
        hand.set_command(position={"left": grip, "right": grip, "lift": up})
        sim.set_wrench("object", (0, PULL * (t > lifted), 0))
        report = sim.step()
        assert (report.status == 0).all(), report
        if abs(t - lifted) < DT / 2 or abs(t - end) < DT / 2:
            images.append(sim.sensors["left"].depth()[0])
    touch = sim.sensors["left"].touch()
    weight = MASS * 9.81
    figures["height"] = float(sim.pose("object")[0, 2] - 0.015)
    figures["carried"] = float(sim.contact_wrench("object").force[0, 2] / weight)
    figures["pressed"] = float(-sim.contact_wrench("left").force[0, 0])
    figures["pull"] = float(-sim.contact_wrench("object").force[0, 1])
    figures["deepest"] = float(np.nanmax(images[-1]))
    print(f"lifted by {figures['height'] * 1e3:.1f} mm, the gels carry {figures['carried']:.4f} of "
          f"the weight, {figures['pull']:.3f} N "
          f"of the pull, each pressed with {figures['pressed']:.2f} N, "
          f"{figures['deepest'] * 1e3:.2f} mm deep; contact {touch.area[0] * 1e6:.0f} mm2")
    titles = ("held", "pulled with 1 N")
    rows = [haptos.depth_picture(d, 1e-4, 2, t) for d, t in zip(images, titles, strict=True)]
    haptos.save_png("gripper.png", np.concatenate(rows, axis=1))
    return figures


if __name__ == "__main__":
    main()
