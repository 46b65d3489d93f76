"""Joints that a brake or a motor holds, while others swing or the whole robot tumbles.

A joint moves by its rate at the end of a step less what it was led by in its first half
(docs/laws/articulation.md, "With terms"). A joint that stood was led by nothing: it must not creep.
"""

import haptos
import numpy as np
import pytest
from haptos.base.turns import rotation

INERTIA = np.diag([1e-3, 1e-3, 5e-4])


def double_pendulum(dt, motors=None, friction=0.0):
    """A shoulder that is held; an elbow that swings from 1.5 rad; about y, .3 m each."""
    links = [haptos.RobotLink("base")]
    links += [haptos.RobotLink(name, 1, (0, 0, -0.15), inertia=INERTIA) for name in ("upper", "fore")]
    joints = [haptos.RobotJoint("base", "fixed", -1, 0),
              haptos.RobotJoint("shoulder", "revolute", 0, 1, axis=(0, 1, 0), friction=friction),
              haptos.RobotJoint("elbow", "revolute", 1, 2, axis=(0, 1, 0),
                                frame=(0, 0, -0.3, 1, 0, 0, 0))]
    scene = haptos.Scene(dt=dt)
    scene.add_robot("arm", haptos.Robot("arm", links, joints), start={"elbow": 1.5}, motors=motors)
    return scene.compile(quiet=True)


@pytest.mark.parametrize("dt", [2e-3, 1e-2])
def test_a_brake_holds_a_shoulder_under_a_swinging_elbow(dt):
    sim = double_pendulum(dt, friction=50.0)
    way = []
    for _ in range(round(3 / dt)):
        sim.step()
        way.append(sim.robots["arm"].position[0].copy())
    way = np.array(way)
    assert np.ptp(way[:, 1]) > 2.0
    assert np.abs(way[:, 0]).max() < 1e-6  # 7e-3 before, at 10 ms


@pytest.mark.parametrize("dt", [2e-3, 1e-2])
def test_a_stiff_motor_gives_way_by_its_load_and_no_more(dt):
    kp = 1e5
    sim = double_pendulum(dt, motors={"kp": kp, "kd": 1e3, "joints": ["shoulder"]})
    arm, off, load = sim.robots["arm"], 0.0, 0.0
    for _ in range(round(3 / dt)):
        sim.step()
        off = max(off, abs(arm.position[0, 0]))
        load = max(load, abs(arm.effort[0, 0]))
    assert load > 3
    assert off < 3 * load / kp  # a load that sets in swings to twice; 43 before, at 10 ms


def tumbling(dt, speed, **held):
    """Four links in free space that turn by `speed` [rad/s] about a slanted axis, joints held."""
    motors = held.pop("motors", None)
    links = [haptos.RobotLink("l0", 0.5, (0, 0, 0.05), inertia=INERTIA)]
    joints = [haptos.RobotJoint("base", "free", -1, 0)]
    for k in (1, 2, 3):
        links.append(haptos.RobotLink(f"l{k}", 0.3, (0.02, 0, 0.1),
                                      inertia=np.diag([1e-3, 1.2e-3, 5e-4])))
        joints.append(haptos.RobotJoint(f"j{k}", "revolute", k - 1, k, axis=(1 - k % 2, k % 2, 0),
                                        frame=(0, 0, 0.1 if k == 1 else 0.2, 1, 0, 0, 0), **held))
    spin = speed * np.array([3, 1, 2]) / np.sqrt(14)
    scene = haptos.Scene(dt=dt, gravity=(0, 0, 0))
    scene.add_robot("r", haptos.Robot("r", links, joints), motors=motors,
                    velocity=np.r_[0.1, 0, -0.2, spin, 0, 0, 0])
    return scene.compile(quiet=True), links


def energy_and_spin(sim, links):
    """Kinetic energy [J] and angular momentum about the origin [N m s]."""
    robot, energy, spin = sim.robots["r"], 0.0, np.zeros(3)
    for link, pose in zip(links, robot.link_poses[0], strict=True):
        turn, velocity = rotation(pose[3:]), robot.link_velocity(link.name)[0]
        arm = turn @ np.asarray(link.centre)
        inertia = turn @ np.asarray(link.inertia) @ turn.T
        omega, centre = velocity[3:], velocity[:3] + np.cross(velocity[3:], arm)
        energy += 0.5 * link.mass * centre @ centre + 0.5 * omega @ inertia @ omega
        spin += link.mass * np.cross(pose[:3] + arm, centre) + inertia @ omega
    return energy, spin


@pytest.mark.parametrize("held", [{"motors": {"kp": 200, "kd": 1}}, {"friction": 0.5}],
                         ids=["motors", "brakes"])
@pytest.mark.parametrize(("dt", "speed"), [(2e-3, 4.0), (2e-3, 15.0), (1e-2, 4.0)])
def test_a_robot_that_tumbles_with_its_joints_held_keeps_spin_and_energy(dt, speed, held):
    sim, links = tumbling(dt, speed, **held)
    energy, spin = energy_and_spin(sim, links)
    for _ in range(round(10 / dt)):
        sim.step()
    energy_now, spin_now = energy_and_spin(sim, links)
    lost = np.linalg.norm(spin_now - spin) / np.linalg.norm(spin)
    print(f"FIGURE tumbling.{dt:g}.{speed:g} = {lost:.1e} of the spin, "
          f"{energy_now / energy - 1:.1e} of the energy in 10 s")
    assert lost < 1e-9  # .0004 to .005 before
    assert abs(energy_now / energy - 1) < 1e-3


def test_what_brakes_hold_does_not_creep_as_it_tumbles():
    sim, _ = tumbling(1e-2, 4.0, friction=0.5)
    for _ in range(1000):
        sim.step()
    assert np.abs(sim.robots["r"].position[0, -3:]).max() < 1e-6  # .5 rad before
