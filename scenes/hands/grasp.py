#!/usr/bin/env python3
"""A hand with 17 gel pads closes on a can, holds it and lifts it, in many environments at once.

    python scenes/hands/grasp.py                          one environment, told by step
    python scenes/hands/grasp.py --envs 256 --threads 2   each with its can elsewhere and turned, lighter or heavier, pads softer or stiffer
    python scenes/hands/grasp.py --picture grasp.png      draws four moments
    python scenes/hands/grasp.py --envs 24 --wall wall.png   draws all at the end, those that failed with a red rim

Sizes of the pads are those of the F-TAC hand, their nodes about as many as in Taccel's benchmark of it;
links are boxes. examples/python/hand_grasps.py does the same with the description of the real hand.
"""

import argparse
import time
from dataclasses import dataclass

import numpy as np

import haptos
from haptos.learn import starts

DT = 0.02
CLOSE, LIFT, END, HEIGHT = 1.0, 2.0, 2.5, 0.06  # [s], [s], [s], [m]
HIGH = 0.05  # that a can is lifted which is held [m]
RADIUS, LONG, MASS = 29e-3, 66e-3, 80e-3  # of the can, which lies along x [m], [m], [kg]
GAP = 1.2e-3  # between the can and the pads of the palm [m]
THICK, ELEMENT = 2.5e-3, 1.7e-3  # of the pads, of their elements [m]
PALM = (62e-3, 78e-3, 12e-3)
ROOT = 39e-3  # of fingers and thumb, from the middle of the palm [m]
FINGERS = {"index": -21e-3, "middle": -7e-3, "ring": 7e-3, "little": 21e-3}  # where along x [m]
# Length, width and thickness of each link, and sides of its pad [m].
FINGER = (((40e-3, 12e-3, 12e-3), (11.2e-3, 21e-3)), ((26e-3, 12e-3, 12e-3), (11.2e-3, 11.25e-3)),
          ((24e-3, 12e-3, 12e-3), (11.2e-3, 15.2e-3)))
THUMB = (((42e-3, 36e-3, 12e-3), (35e-3, 38.6e-3)), ((26e-3, 13e-3, 12e-3), (11.2e-3, 21e-3)),
         ((24e-3, 13e-3, 12e-3), (12.2e-3, 16.4e-3)))
ON_PALM = {"palm upper": (0, 19e-3, 56.9e-3, 34.6e-3), "palm lower": (0, -17e-3, 39.2e-3, 20.5e-3)}
# Of the joints of a digit, open and closed [rad]. On a can of this radius pads as thick as these lie flat at 1.55, .4 and .67: the
# joints are sent so much farther that their motors push about as hard as they may.
BENDS = ((0.9, 1.75), (0.1, 0.85), (0.1, 0.95))
EFFORT = 0.12  # of each joint [N m]
SLIP = 5e-3  # that the can may move in the hand while it is lifted [m]


def box_link(name, length, width, thick, density=1200):
    size = np.array((width, length, thick))
    mass = density * size.prod()
    inertia = mass / 12 * np.diag((size**2).sum() - size**2)
    centre = (0, length / 2, 0)
    shape = haptos.RobotShape("box", extents=tuple(size), frame=(*centre, 1, 0, 0, 0))
    return haptos.RobotLink(name, mass, centre, inertia, collisions=[shape])


def hand():
    """Palm down, fingers along y; a joint's value above 0 bends."""
    palm = haptos.RobotLink("palm", 0.4, (0, 0, PALM[2] / 2), np.eye(3) * 3e-4, collisions=[
        haptos.RobotShape("box", extents=PALM, frame=(0, 0, PALM[2] / 2, 1, 0, 0, 0))])
    links, joints = [palm], [haptos.RobotJoint("hoist", "prismatic", -1, 0)]

    def digit(name, parts, frame):
        parent = 0
        for k, (size, _) in enumerate(parts, 1):
            links.append(box_link(f"{name}_{k}", *size))
            joints.append(haptos.RobotJoint(f"{name}_{k}", "revolute", parent, len(links) - 1, axis=(-1, 0, 0),
                                            frame=frame, lower=-0.1, upper=1.8, damping=0.002, armature=1e-5))
            parent, frame = len(links) - 1, (0, size[0], 0, 1, 0, 0, 0)

    for name, x in FINGERS.items():
        digit(name, FINGER, (x, ROOT, 6e-3, 1, 0, 0, 0))
    digit("thumb", THUMB, (0, -ROOT, 6e-3, 0, 0, 0, 1))
    return haptos.Robot("hand", links, joints)


def pads(element=ELEMENT, young=1e5):
    """All 17, on the inner faces of their links."""
    def pad(name, link, x, y, z, sides):
        made = haptos.box_pad(*sides, THICK, grading=haptos.PadGrading.uniform(element))
        gel = haptos.Gel(made.mesh, made.base_vertices, made.coat, THICK)
        return haptos.LinkPad(name, link, gel, np.array((x, y, z - THICK)), np.array((0.0, 0, 1, 0)))

    made = [pad(name, "palm", x, y, 0, sides) for name, (x, y, *sides) in ON_PALM.items()]
    for name, parts in [*((f, FINGER) for f in FINGERS), ("thumb", THUMB)]:
        made += [pad(f"{name} {k}", f"{name}_{k}", 0, size[0] / 2, -size[2] / 2, sides)
                 for k, (size, sides) in enumerate(parts, 1)]
    return haptos.PadSet("17 pads", "as large as those of the F-TAC hand",
                         {"young": young, "poisson": 0.4, "density": 1000}, 1.0, made, touch_robot=False)


def targets(closed, lifted=0.0):
    """Of all joints, from open (0) to closed (1), and how high the hand is [m]."""
    angles = {"hoist": lifted}
    for name in (*FINGERS, "thumb"):
        for k, (is_open, is_closed) in enumerate(BENDS, 1):
            angles[f"{name}_{k}"] = is_open + (is_closed - is_open) * closed
    return angles


def centre():
    """Of the can at the start, under a palm at z = 0 [m]."""
    return np.array((0, 0, -THICK - GAP - RADIUS))


def scene(dt=DT, element=ELEMENT):
    s = haptos.Scene(dt=dt)
    s.contact.support = 1e-4
    robot = hand()
    s.add_robot("hand", robot, start=targets(0), self_contact=False, motors=[
        {"kp": 1e4, "kd": 400, "effort": 100, "joints": ["hoist"]},
        {"kp": 0.5, "kd": 0.05, "effort": EFFORT, "joints": [j.name for j in robot.joints[1:]]}])
    pads(element).add_to(s, "hand")
    s.add_rigid("can", haptos.RobotShape(
        "cylinder", (RADIUS, LONG / 2), frame=(0, 0, 0, np.sqrt(0.5), 0, np.sqrt(0.5), 0)), mass=MASS, position=centre(), friction=1.0)
    s.add_prescribed("post", haptos.box((30e-3, 12e-3, 30e-3)), position=below(), friction=0.5)
    return s


def below():
    """The middle of the post that the can stands on [m]."""
    return centre() - (0, 0, RADIUS + 15e-3 + 1.5e-4)


def vary(sim, seed=0, far=4e-3, turned=10.0):
    """Puts the can of each environment, with its post, elsewhere by at most so much along x and y [m] and about
    z [degrees]; draws its mass, and the stiffness of the pads, between half and one and a half times theirs."""
    def elsewhere(sim, mask, random):
        can = sim.robots["can"]
        position = can.position
        off = starts.draw(mask, random, (-far, -far, 0), (far, far, 0))
        half = 0.5 * np.radians(starts.draw(mask, random, -turned, turned))
        turn = np.c_[np.cos(half), 0 * half, 0 * half, np.sin(half)]
        position[:, :3] += off
        position[:, 3:] = turn
        can.set_state(position, np.zeros_like(can.velocity), mask)
        sim.set_target("post", below() + off, turn)

    def pads(sim, mask, random):
        scale = starts.draw(mask, random, 0.5, 1.5)
        for name in sim.sensors:
            sim.set_stiffness_scale(name, scale)

    starts.randomise(sim, [elsewhere, starts.mass("can", 0.5, 1.5), pads], seed=seed)


@dataclass
class Outcome:
    """Of each environment."""

    lifted: np.ndarray  # of the can [m]
    moved: np.ndarray  # of the can in the hand, from when it begins to lift [m]
    pads: np.ndarray  # that touch it
    balance: np.ndarray  # what all contacts push it with, less what its weight and its motion ask for, over its weight
    unsettled: np.ndarray  # steps that did not converge
    residual: np.ndarray  # largest of a step that did not, over its load

    @property
    def held(self):
        return (self.lifted > HIGH) & (self.moved < SLIP)

    def reason(self, env):
        """Why it is held, or is not."""
        if self.held[env]:
            return f"held by {self.pads[env]} pads"
        where = f"lifted by {1e3 * self.lifted[env]:.1f} mm, moved by {1e3 * self.moved[env]:.1f} mm in the hand"
        return f"slips: {where}" if self.lifted[env] > 0.2 * HEIGHT else f"left behind: {where}"


def in_hand(sim):
    """Of the can from the palm [m]."""
    return sim.pose("can")[:, :3] - sim.robots["hand"].link_poses[:, 0, :3]


def run(sim, each=None):
    """All steps; returns the outcome, iterations by step and environment, and seconds of each step."""
    hand, start = sim.robots["hand"], sim.pose("can")[:, 2]
    unsettled, residual = np.zeros(sim.envs, int), np.zeros(sim.envs)
    iterations, seconds, before = [], [], in_hand(sim)
    for k in range(1, round(END / sim.dt) + 1):
        t = k * sim.dt
        hand.set_command(position=targets(min(t / CLOSE, 1), HEIGHT * np.clip((t - LIFT) / (END - LIFT), 0, 1)))
        speed = sim.velocity("can")[:, :3]
        began = time.perf_counter()
        report = sim.step()
        seconds.append(time.perf_counter() - began)
        iterations.append(report.iterations)
        bad = report.status != 0
        unsettled += bad
        residual = np.where(bad, np.maximum(residual, report.residual / np.maximum(report.load, 1e-12)), residual)
        if t <= LIFT + 1e-9:
            before = in_hand(sim)
        if each:
            each(sim)
    mass = MASS * sim.mass_scale("can")
    asked = (sim.velocity("can")[:, :3] - speed) / sim.dt + (0, 0, 9.81)  # by its motion and its weight, for each kg
    force = np.linalg.norm(sim.contact_wrench("can").force - mass[:, None] * asked, axis=1)
    touching = np.sum([sim.sensors[name].touch().area > 0 for name in sim.sensors], axis=0)
    found = Outcome(sim.pose("can")[:, 2] - start, np.linalg.norm(in_hand(sim) - before, axis=1), touching,
                    force / (9.81 * mass), unsettled, residual)
    return found, np.array(iterations), np.array(seconds)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--envs", type=int, default=1)
    parser.add_argument("--threads", type=int, default=0, help="0: one for each core")
    parser.add_argument("--dt", type=float, default=DT, help="[s]")
    parser.add_argument("--element", type=float, default=1e3 * ELEMENT, help="of the pads [mm]")
    parser.add_argument("--far", type=float, default=4, help="cans elsewhere by at most so much along x and y [mm]")
    parser.add_argument("--picture", metavar="FILE")
    parser.add_argument("--wall", metavar="FILE")
    given = parser.parse_args()
    s = scene(given.dt, 1e-3 * given.element)
    s.sim.threads = given.threads
    if given.picture:
        return picture(s, given.picture)
    sim = s.compile(given.envs, quiet=True)
    if given.envs > 1:
        vary(sim, far=1e-3 * given.far)

    def told(sim):
        if sim.envs == 1 and round(sim.time[0] / sim.dt) % 10 == 0:
            print(f"{sim.time[0]:4.1f} s: can {1e3 * in_hand(sim)[0, 2]:6.2f} mm from the palm, "
                  f"{1e3 * (sim.pose('can')[0, 2] - centre()[2]):5.1f} mm up")

    found, iterations, seconds = run(sim, told)
    for k in np.flatnonzero(~found.held)[:20]:
        print(f"environment {k}: {found.reason(k)}")
    nodes = sum(len(sim.mesh(name).vertices) for name in sim.sensors)
    print(f"{found.held.sum()} of {sim.envs} held, by {found.pads.min()} to {found.pads.max()} of {len(sim.sensors)} pads "
          f"of {nodes} nodes; lifted by {1e3 * found.lifted.min():.1f} to {1e3 * found.lifted.max():.1f} mm, moved in the hand by "
          f"{1e3 * found.moved.max():.2f} mm at most; forces balance to {found.balance.max():.1e} of the weight")
    print(f"{found.unsettled.sum()} of {iterations.size} steps did not converge, residual at most {found.residual.max():.1e} of the load; "
          f"Newton iterations {iterations.mean():.2f} a step, at most {iterations.max()}; "
          f"force tolerance {s.newton.force_tolerance:g}")
    print(f"{iterations.size / seconds.sum():.1f} environment-steps a second; the slowest step took "
          f"{seconds.max() / np.median(seconds):.1f} times the median")
    if given.wall:
        haptos.save_png(given.wall, haptos.draw_wall(sim, look=view(160), rims=[None if ok else "red" for ok in found.held]))


def view(size):
    return haptos.Look(camera=(0.9, 0.35, -0.2), width=size, height=size, frame=((-0.05, -0.09, -0.085), (0.05, 0.09, 0.08)),
                       colors={"can": (0.85, 0.45, 0.1)})


def picture(s, file):
    from haptos.look.drawing import draw
    from haptos.look.snapshots import SimStage

    sim = s.compile(quiet=True)
    look = view(420)
    wanted, stills = [DT, 0.6, 1.0, END], []

    def see(sim):
        if wanted and sim.time[0] >= wanted[0] - 1e-9:
            wanted.pop(0)
            stage = SimStage(sim)
            stills.append(draw(stage.stage, stage.take(readings=False), look))

    run(sim, see)
    haptos.save_png(file, np.hstack(stills))


if __name__ == "__main__":
    main()
