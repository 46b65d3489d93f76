#!/usr/bin/env python3
"""An arm grasps a pen that lies on a table, turns it upright and lets it go over a cup.

    python scenes/pressure/pen_into_cup.py               one trial, told step by step
    python scenes/pressure/pen_into_cup.py --trials 100  each with another pen, cup and places
    python scenes/pressure/pen_into_cup.py --panda panda.urdf  by a Franka Panda instead of our arm
    python scenes/pressure/pen_into_cup.py --picture pen.png   draws four moments of the first trial
"""

import argparse
import math
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

import haptos
from haptos.base.turns import quaternion
from haptos.look.aim import Look
from haptos.look.drawing import draw
from haptos.look.snapshots import SimStage

PEN_RADIUS, PEN_LENGTH = 5e-3, 0.14  # a capsule [m]
CUP_INSIDE, CUP_OUTSIDE, CUP_HEIGHT, CUP_FLOOR = 30e-3, 34e-3, 90e-3, 5e-3  # [m]
MODULUS = 1e9  # of the pen [Pa/m]
ASIDE = 25e-3  # the pen is grasped so far from its middle [m]
GRIP = 15.0  # force of a finger [N]
KNOT = 0.05  # time from knot to knot of the motion [s]
STRIDE = 0.4  # most that a joint moves from knot to knot [rad]


@dataclass(frozen=True)
class Hand:
    """Of a robot: fingers point along z of the hand and close along y."""

    robot: Path
    link: str
    fingers: tuple  # joints with a motor
    tool: float  # from the hand to where it grasps, along z [m]
    wide: float  # how far each finger opens [m]
    high: float  # at which it turns the pen upright [m]
    turn: float = math.pi / 2  # from hand down to hand level, fingers outward [rad]
    out: float = 0.0  # all places are so much farther away [m]
    leaves: tuple = (0.08, 0.16)  # so far towards its base, at this height [m]
    home: dict = field(default_factory=dict)  # joint angles that the way begins near [rad]


ARM = Hand(Path(__file__).parents[1] / "robots/arm.urdf", "hand", ("left_slide",), tool=0.126, wide=0.025,
           high=0.24)


def panda(urdf: Path) -> Hand:
    """A Franka Panda. Its wrist cannot turn its fingers outward from straight down, so they turn inward."""
    return Hand(urdf, "panda_hand_tcp", ("panda_finger_joint1",), tool=6.5e-3, wide=0.03, high=0.28,
                turn=-math.pi / 2, out=0.02, leaves=(0.0, 0.24),
                home={"panda_joint2": -0.5, "panda_joint4": -2.4, "panda_joint6": 1.9, "panda_joint7": 0.8})


@dataclass(frozen=True)
class Trial:
    """Places are (distance from the arm [m], angle about it [rad])."""

    pen: tuple = (0.40, 0.0)
    cup: tuple = (0.42, 0.8)
    askew: float = 0.0  # of the pen to the line from the arm [rad]
    friction: float = 0.6  # of the pen
    mass: float = 0.02  # of the pen [kg]
    seen_off: tuple = (0.0, 0.0)  # how far off the arm takes the pen to be, along and across [m]


def any_trial(seed: int) -> Trial:
    rng = np.random.default_rng(seed)
    angle = rng.uniform(-0.6, 0.6)
    return Trial(pen=(rng.uniform(0.36, 0.43), angle),
                 cup=(rng.uniform(0.38, 0.44), angle + rng.choice([-1, 1]) * rng.uniform(0.5, 1.0)),
                 askew=rng.uniform(-0.12, 0.12), friction=rng.uniform(0.4, 0.9),
                 mass=rng.uniform(0.01, 0.04), seen_off=tuple(rng.uniform(-2e-3, 2e-3, 2)))


def at(distance: float, angle: float, height: float = 0.0) -> np.ndarray:
    return np.array([distance * math.cos(angle), distance * math.sin(angle), height])


def hand_pose(hand: Hand, place: np.ndarray, angle: float, raised: float) -> np.ndarray:
    """That grasps at a place; the fingers point down, or raised by so much outward [rad]."""
    out, up = at(1, angle), np.array([0, 0, 1.0])
    z = math.sin(raised) * out - math.cos(raised) * up
    y = np.cross(up, out)
    return np.array([*(place - hand.tool * z), *quaternion(np.column_stack([np.cross(y, z), y, z]))])


def keyframes(hand: Hand, trial: Trial) -> list:
    """(time [s], distance, angle, height of the grasp, raised, whether the fingers are closed)."""
    (r, a), (cup_r, cup_a) = trial.pen, trial.cup
    q = hand.turn
    r, a = r + hand.out + math.copysign(ASIDE, q) + trial.seen_off[0], a + trial.seen_off[1] / r
    cup_r = cup_r + hand.out
    return [(0.0, r, a, 0.12, 0, False), (0.7, r, a, PEN_RADIUS, 0, False),
            (0.8, r, a, PEN_RADIUS, 0, True), (1.1, r, a, PEN_RADIUS, 0, True),
            (1.7, r, a, hand.high - 0.04, 0, True), (2.5, cup_r, a, hand.high, q, True),
            (3.4, cup_r, cup_a, hand.high, q, True), (4.0, cup_r, cup_a, 0.135, q, True),
            (4.2, cup_r, cup_a, 0.135, q, False), (4.6, cup_r, cup_a, 0.135, q, False),
            (5.2, cup_r - hand.leaves[0], cup_a, hand.leaves[1], q, False)]


@dataclass
class Motion:
    """Joint angles at knots, and at which of them the fingers are closed."""

    joints: list
    angles: np.ndarray  # (knots, joints)
    closed: np.ndarray

    def at(self, time: float) -> tuple:
        k = min(time / KNOT, len(self.angles) - 1 - 1e-9)
        low, part = int(k), k - int(k)
        rate = (self.angles[low + 1] - self.angles[low]) / KNOT
        return self.angles[low] + part * KNOT * rate, rate, bool(self.closed[low])


def goals(hand: Hand, trial: Trial) -> tuple:
    """Poses of the hand at knots, and at which of them the fingers are closed."""
    frames = keyframes(hand, trial)
    poses, closed = [], []
    for k in range(round(frames[-1][0] / KNOT) + 1):
        now = k * KNOT
        n = max(i for i, f in enumerate(frames) if f[0] <= now + 1e-9)
        before, after = frames[n], frames[min(n + 1, len(frames) - 1)]
        s = (now - before[0]) / max(after[0] - before[0], 1e-9)
        s = s * s * (3 - 2 * s)
        r, angle, height, raised = (1 - s) * np.array(before[1:5]) + s * np.array(after[1:5])
        poses.append(hand_pose(hand, at(r, angle, height), angle, raised))
        closed.append(after[5])
    return poses, np.array(closed)


def reach(tree: haptos.Tree, target: haptos.IkTarget, q: np.ndarray, stride: float) -> np.ndarray | None:
    """Coordinates that meet the target, none of them farther from q than a stride."""
    rng = np.random.default_rng(1)
    for aside in np.linspace(0, stride if math.isfinite(stride) else 1, 40):
        start = q + aside * rng.uniform(-1, 1, len(q))
        found = tree.inverse_kinematics(target, start, starts=1, position_tolerance=1e-5, orientation_tolerance=1e-4)
        if found.reached and np.abs(found.q - q).max() < stride:
            return found.q
    return None


def plan(hand: Hand, robot: haptos.Robot, trial: Trial) -> Motion:
    """Joint angles at the knots, each near those before."""
    tree, angles = haptos.Tree(robot), []
    q = np.array(tree.start)
    for joint, angle in hand.home.items():
        q[tree.q_of(joint)] = angle
    poses, closed = goals(hand, trial)
    for k, pose in enumerate(poses):
        q = reach(tree, haptos.IkTarget(tree.link(hand.link), pose), q, STRIDE if angles else math.inf)
        if q is None:
            raise RuntimeError(f"{hand.link} does not reach {np.round(pose[:3], 3)} m at {k * KNOT:.2f} s")
        angles.append(q)
    moved = [j.name for j in robot.joints if j.kind == "revolute"]
    return Motion(moved, np.array(angles)[:, [tree.q_of(j).start for j in moved]], closed)


def cup_shapes() -> list:
    wall = haptos.ring(CUP_INSIDE, CUP_OUTSIDE, CUP_HEIGHT, 4e-3)
    return [haptos.RobotShape("mesh", mesh=wall, frame=(0, 0, 0.5 * CUP_HEIGHT, 1, 0, 0, 0)),
            haptos.RobotShape("cylinder", (CUP_INSIDE + 2e-3, 0.5 * CUP_FLOOR),
                              frame=(0, 0, 0.5 * CUP_FLOOR, 1, 0, 0, 0))]


def scene(hand: Hand, robot: haptos.Robot, trial: Trial, motion: Motion, dt: float) -> haptos.Scene:
    scene = haptos.Scene(dt=dt, gravity=(0, 0, -9.81))
    scene.point_contact.most_samples, scene.point_contact.patch_cells = 50, 12
    start = dict(zip(motion.joints, motion.angles[0])) | {f: hand.wide for f in hand.fingers}
    scene.add_robot("arm", robot, start=start, friction=0.8,
                    motors=[{"joints": motion.joints, "kp": 4000, "kd": 100, "effort": 200},
                            {"joints": list(hand.fingers), "kp": 5000, "kd": 60, "effort": GRIP}])
    lies = trial.pen[1] + trial.askew
    # A capsule is about z: lay it along the line from the arm.
    along = quaternion(np.column_stack([np.cross((0, 0, -1), at(1, lies)), (0, 0, -1), at(1, lies)]))
    scene.add_rigid("pen", haptos.RobotShape("capsule", (PEN_RADIUS, 0.5 * PEN_LENGTH - PEN_RADIUS)),
                    mass=trial.mass, hydroelastic=MODULUS, friction=trial.friction,
                    position=at(trial.pen[0] + hand.out, trial.pen[1], PEN_RADIUS), quaternion=along)
    scene.add_rigid("cup", cup_shapes(), fixed=True, friction=0.5,
                    position=at(trial.cup[0] + hand.out, trial.cup[1]),
                    field_resolution=96)
    scene.add_half_space("table", friction=0.5)
    return scene


@dataclass
class Outcome:
    lifted: bool  # the pen was off the table and in the hand
    in_cup: bool  # it stands in the cup at the end, at rest
    pen: np.ndarray  # its pose at the end


def run(hand: Hand = ARM, trial: Trial = Trial(), dt: float = 4e-3, after: float = 0.8,
        each: Callable = None) -> Outcome:
    robot = haptos.load_robot(hand.robot)
    motion = plan(hand, robot, trial)
    tree = haptos.Tree(robot)
    sim = scene(hand, robot, trial, motion, dt).compile()
    arm, pen = sim.robots["arm"], sim.robots["pen"]
    lifted, seconds = False, keyframes(hand, trial)[-1][0] + after
    for step in range(round(seconds / dt)):
        angles, rates, closed = motion.at(min(step * dt + dt, seconds - after))
        held = tree.gravity_compensation(arm.position[0])
        finger = 0.0 if closed else hand.wide
        arm.set_command(position=dict(zip(motion.joints, angles)) | {f: finger for f in hand.fingers},
                        velocity=dict(zip(motion.joints, rates)),
                        effort={j: held[tree.v_of(j).start] for j in motion.joints})
        report = sim.step()
        if not report.ok:
            raise RuntimeError(report.describe())
        pose = pen.link_pose("pen")[0]
        if abs(step * dt - 3.4) < 0.6 * dt:
            lifted = pose[2] > 0.1
        if each:
            each(sim, step)
    aside = np.linalg.norm(pose[:2] - at(trial.cup[0] + hand.out, trial.cup[1])[:2])
    still = np.linalg.norm(pen.link_velocity("pen")[0, :3]) < 0.01
    return Outcome(lifted, bool(aside < CUP_INSIDE and 0.05 < pose[2] < 0.09 and still), pose)


class Moments:
    """Pictures of a trial at some times."""

    TIMES = (0.95, 2.0, 3.9, 5.9)  # grasped, lifted, lowered, let go [s]
    LOOK = Look(camera=(-0.75, -0.55, -0.35), width=640, height=560, frame=((-0.1, -0.25, 0), (0.5, 0.45, 0.6)),
                colors={"arm": (0.85, 0.87, 0.9), "pen": (0.85, 0.2, 0.1), "cup": (0.2, 0.45, 0.3)})

    def __init__(self) -> None:
        self.pictures: list[np.ndarray] = []

    def look(self, sim: haptos.Sim, step: int) -> None:
        if len(self.pictures) < len(self.TIMES) and step * sim.dt >= self.TIMES[len(self.pictures)]:
            stage = SimStage(sim)
            self.pictures.append(draw(stage.stage, stage.take(readings=False), self.LOOK))

    def save(self, path: Path) -> None:
        a, b, c, d = self.pictures
        haptos.save_png(path, np.vstack([np.hstack([a, b]), np.hstack([c, d])]))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--trials", type=int, default=1)
    parser.add_argument("--seed", type=int, default=0, help="of the first trial")
    parser.add_argument("--picture", type=Path)
    parser.add_argument("--panda", type=Path, help="its URDF")
    given = parser.parse_args()
    hand, good = panda(given.panda) if given.panda else ARM, 0
    for k in range(given.trials):
        trial = any_trial(given.seed + k) if given.trials > 1 or given.seed else Trial()
        moments = Moments() if given.picture and not k else None
        outcome = run(hand, trial, each=moments and moments.look)
        if moments:
            moments.save(given.picture)
        good += outcome.in_cup
        told = ("in the cup" if outcome.in_cup else
                "lifted, but not in the cup" if outcome.lifted else "not lifted")
        print(f"{given.seed + k}: {told}, pen at {np.round(outcome.pen[:3], 3)} m", flush=True)
    print(f"{good} of {given.trials} in the cup")


if __name__ == "__main__":
    main()
