"""Physics that does not know where north is: each scene runs once as described, and once in a world
that is turned, shifted and moves at a constant velocity, gravity and all. Seen from there it is the
same motion. Whatever mixes two frames, or takes an axis of the world for one of a body, shows.

What remains: solves that stop at a tolerance, and the compliance of near-rigid contact, whose
estimate of how easily a body turns is made in world axes (docs/laws/sap.md, "Limits")."""

import dataclasses

import haptos
import numpy as np
import pytest
from haptos.base.turns import quaternion, rotation

Shape = haptos.RobotShape


def about(axis, angle):
    axis = np.asarray(axis, float) / np.linalg.norm(axis)
    return np.r_[np.cos(angle / 2), np.sin(angle / 2) * axis]


@dataclasses.dataclass
class World:
    turn: np.ndarray = dataclasses.field(default_factory=lambda: np.eye(3))
    shift: np.ndarray = dataclasses.field(default_factory=lambda: np.zeros(3))
    speed: np.ndarray = dataclasses.field(default_factory=lambda: np.zeros(3))

    def along(self, vector):
        return self.turn @ np.asarray(vector, float)

    def moving(self, velocity=(0, 0, 0)):
        return self.along(velocity) + self.speed

    def pose(self, position, turn=(1, 0, 0, 0), time=0.0):
        return {"position": self.along(position) + self.shift + self.speed * time,
                "quaternion": quaternion(self.turn @ rotation(np.asarray(turn, float)))}

    def path(self, poses, times):
        """Keyframes of the poses that a function of the time gives."""
        keys = []
        for time in times:
            pose = self.pose(*poses(time), time=time)
            keys.append((time, pose["position"], pose["quaternion"]))
        return keys

    def seen(self, points, time):
        return (np.asarray(points) - self.shift - self.speed * time) @ self.turn


def scene_of(world, dt=2e-3):
    scene = haptos.Scene(dt=dt, gravity=tuple(world.along((0, 0, -9.81))))
    scene.newton.force_tolerance = 1e-9
    scene.newton.velocity_tolerance = 1e-10
    return scene


def add_ground(scene, world):
    normal = world.along((0, 0, 1))
    scene.add_half_space("ground", tuple(normal), float(normal @ world.shift))


def brick(scene, world, name, size, at, turn=(1, 0, 0, 0), velocity=(0, 0, 0), omega=(0, 0, 0),
          **more):
    scene.add_rigid(name, Shape("box", extents=size), density=500, velocity=world.moving(velocity),
                    omega=world.along(omega), **world.pose(at, turn), **more)


SOME_TURN = about((1, 2, 3), 0.6)


def links_of(kind):
    links = [haptos.RobotLink("l0", 0.5, (0, 0, 0.05), inertia=np.diag([1e-3, 1e-3, 5e-4]),
                              collisions=[Shape("box", extents=(0.06, 0.06, 0.1))])]
    joints = []
    bounds = {} if kind == "ball" else {"lower": -1.2, "upper": 1.2, "damping": 0.01,
                                        "friction": 0.05, "armature": 1e-3}
    for k in (1, 2, 3):
        links.append(haptos.RobotLink(f"l{k}", 0.3, (0.02, 0, 0.1),
                                      inertia=np.diag([1e-3, 1.2e-3, 5e-4])))
        joints.append(haptos.RobotJoint(f"j{k}", kind, k - 1, k,
                                        axis=(0, 0, 1) if kind == "ball" else (k % 2, 1 - k % 2, 0),
                                        frame=(0, 0, 0.2, 1, 0, 0, 0), **bounds))
    return links, joints


def add_chain(scene, world, kind="revolute", floats=True, **more):
    links, joints = links_of(kind)
    base = haptos.RobotJoint("base", "free" if floats else "fixed", -1, 0)
    if floats:
        inner = 9 if kind == "ball" else 3
        more["velocity"] = np.r_[world.moving((0.3, 0, -1)), world.along((3, 1, 2)),
                                 np.zeros(inner)]
    scene.add_robot("chain", haptos.Robot("chain", links, [base, *joints]),
                    **world.pose((0, 0, 0.12), SOME_TURN), **more)


def chain_of_hinges(world):
    scene = scene_of(world)
    add_chain(scene, world, motors={"kp": 5, "kd": 0.1})
    return scene, 100


def chain_of_balls(world):
    scene = scene_of(world)
    add_chain(scene, world, "ball")
    return scene, 100


def arm_over_ground(world):
    scene = scene_of(world)
    add_chain(scene, world, floats=False, motors={"kp": 20, "kd": 1})
    add_ground(scene, world)
    return scene, 100


def chain_on_ground(world):
    scene = scene_of(world)
    add_chain(scene, world)
    add_ground(scene, world)
    return scene, 100


def bricks(world):
    scene = scene_of(world)
    brick(scene, world, "a", (0.1, 0.08, 0.06), (0, 0, 0.12), SOME_TURN, (0.5, 0.2, 0), (3, 1, 2))
    brick(scene, world, "b", (0.1, 0.1, 0.1), (0.02, 0.03, 0.02), velocity=(0, 0, 0.5))
    return scene, 100


def joined_bricks(world):
    scene = scene_of(world)
    for k, name in enumerate("abcde"):
        brick(scene, world, name, (0.1, 0.08, 0.06), (0.15 * k, 0, 0), about((1, 2, 3), 0.5 * k),
              (0, 0.1, 0.2 * k), (3, 1, 2))
    scene.add_constraint("ball", "a", "b", kind="ball", position=(0.075, 0, 0))
    scene.add_constraint("hinge", "b", "c", kind="hinge", position=(0.075, 0, 0), limits=(-0.3, 0.3))
    scene.add_constraint("slider", "c", "d", kind="slider", position=(0.075, 0, 0),
                         motor={"kp": 50, "kd": 1})
    scene.add_constraint("weld", "d", "e", kind="weld", position=(0.075, 0, 0))
    return scene, 100


def brick_on_a_path(world):
    scene = scene_of(world)
    brick(scene, world, "a", (0.1, 0.08, 0.06), (0.2, 0, 0))
    path = world.path(lambda t: ((0, 0, 0), about((1, 0, 0), t)), np.linspace(0, 1, 11))
    scene.add_prescribed("crank", haptos.box((0.1, 0.1, 0.02)), trajectory=path)
    scene.add_constraint("hinge", "crank", "a", kind="hinge", position=(0.1, 0, 0),
                         quaternion=about((0, 1, 0), 1.0))
    return scene, 100


def soft_cube(world, **contact):
    scene = scene_of(world, 4e-3)
    for name, value in contact.items():
        setattr(scene.contact, name, value)
    mesh = haptos.box_pad(0.04, 0.04, 0.02, grading=haptos.PadGrading.uniform(0.02)).mesh
    scene.add_soft("gel", mesh, material={"young": 2e5, "poisson": 0.4, "stiffness_damping": 1e-3},
                   velocity=world.moving((0.1, 0, -0.3)), friction=0.5, **world.pose((0, 0, 0.03)))
    scene.add_affine("cube", haptos.box((0.02, 0.02, 0.02)), friction=0.5,
                     velocity=world.moving((0.1, 0, 0)), omega=world.along((1, 2, 3)),
                     **world.pose((0.003, 0.002, 0.05), about((1, 2, 3), 0.3)))
    path = world.path(lambda t: ((0, 0, -0.01),), (0.0, 1.0))
    scene.add_prescribed("floor", haptos.box((0.2, 0.2, 0.02)), trajectory=path, friction=0.5)
    return scene, 25


def soft_cube_by_mortar(world):
    return soft_cube(world, model="mortar")


def frozen_soft_cube(world):
    scene = scene_of(world)
    mesh = haptos.box_pad(0.04, 0.04, 0.02, grading=haptos.PadGrading.uniform(0.02)).mesh
    scene.add_soft("gel", mesh, contact="frozen", friction=0.5, **world.pose((0, 0, 0.03)),
                   material={"young": 2e5, "poisson": 0.4, "law": "linear_corotated"},
                   velocity=world.moving((0.1, 0, -0.3)))
    add_ground(scene, world)
    return scene, 50


def affine_cubes(world):
    scene = scene_of(world)
    scene.add_affine("a", haptos.box((0.02, 0.02, 0.02)), friction=0.5,
                     velocity=world.moving((0.1, 0, -0.5)), omega=world.along((1, 2, 30)),
                     **world.pose((0.003, 0.002, 0.03), about((1, 2, 3), 0.3)))
    scene.add_affine("b", haptos.box((0.04, 0.04, 0.02)), friction=0.5, velocity=world.moving(),
                     **world.pose((0, 0, 0), about((1, 2, 3), 0.1)))
    return scene, 60


def pressure_boxes(world):
    scene = scene_of(world)
    scene.add_rigid("a", Shape("mesh", mesh=haptos.box((0.1, 0.08, 0.06))), hydroelastic=1e7,
                    field_resolution=24, density=500, velocity=world.moving((0.5, 0.2, -1)),
                    omega=world.along((3, 1, 2)), **world.pose((0, 0, 0.12), SOME_TURN))
    scene.add_rigid("b", Shape("box", extents=(0.3, 0.3, 0.1)), hydroelastic=1e7, density=900,
                    velocity=world.moving(), **world.pose((0.02, 0.03, 0)))
    return scene, 60


def layered_boxes(world):
    scene = scene_of(world)
    brick_mesh = haptos.box((0.1, 0.08, 0.06))
    for name, z, velocity in (("a", 0.12, (0.5, 0.2, -0.5)), ("b", 0, (0, 0, 0))):
        scene.add_rigid(name, Shape("mesh", mesh=brick_mesh), layer=0.003, density=500,
                        velocity=world.moving(velocity), omega=world.along((3, 1, 2)),
                        **world.pose((0, 0, z), SOME_TURN))
    return scene, 100


def press(world):
    scene = scene_of(world, 5e-3)
    pad = haptos.box_pad(0.012, 0.012, 0.003, grading=haptos.PadGrading.uniform(0.003))
    scene.add_soft("gel", pad.mesh, material={"young": 1e5, "poisson": 0.45}, coat=pad.coat,
                   glue={"mount": pad.base_vertices}, velocity=world.moving(), friction=0.5,
                   **world.pose((0, 0, 0)))
    scene.add_prescribed("mount", None, trajectory=world.path(lambda t: ((0, 0, 0),), (0.0, 1.0)))
    scene.add_prescribed("ball", haptos.icosphere(0.004, 0.0015), friction=0.5, trajectory=world.path(
        lambda t: ((0.01 * t, 0, 0.0042 - 0.012 * t), about((0, 0, 1), t)), np.linspace(0, 0.2, 21)))
    return scene, 12


# How far apart the two worlds may be in any step, as a part of the way that is gone.
EXACT, SOLVED, NEAR_RIGID = 1e-11, 1e-6, 1e-4
SCENES = [(chain_of_hinges, EXACT), (chain_of_balls, EXACT), (arm_over_ground, EXACT),
          (chain_on_ground, NEAR_RIGID), (bricks, NEAR_RIGID), (joined_bricks, NEAR_RIGID),
          (brick_on_a_path, NEAR_RIGID), (soft_cube, SOLVED), (soft_cube_by_mortar, SOLVED),
          (frozen_soft_cube, EXACT), (affine_cubes, SOLVED), (pressure_boxes, SOLVED),
          (layered_boxes, NEAR_RIGID), (press, SOLVED)]
STANDS = (arm_over_ground, chain_on_ground, frozen_soft_cube)  # on what cannot move
TURN = rotation(about((0.3, -1.1, 0.7), 1.3))
SHIFT, SPEED = np.array([3.0, -2, 5]), np.array([1.0, 2, -3])


def way_of(build, world):
    """Where all points, bodies and links are after each step, seen from that world."""
    scene, steps = build(world)
    sim = scene.compile(quiet=True)
    way = []
    for _ in range(steps):
        sim.step()
        assert sim.status[0] == 0
        places = [sim.positions(name)[0] for name in sim.names("soft")]
        places += [sim.pose(name)[:, :3] for name in sim.names("affine")]
        places += [sim.robots[name].link_poses[0][:, :3] for name in sim.names("robots")]
        way.append(world.seen(np.concatenate(places), float(sim.time[0])))
    return np.concatenate(way)


@pytest.mark.parametrize(("build", "bound"), SCENES, ids=[b.__name__ for b, _ in SCENES])
def test_a_scene_goes_on_in_another_world_as_in_this(build, bound):
    here = way_of(build, World())
    there = World(TURN, SHIFT, np.zeros(3) if build in STANDS else SPEED)
    off = np.abs(way_of(build, there) - here).max() / np.ptp(here, axis=0).max()
    print(f"FIGURE other_worlds.{build.__name__} = {off:.1e} (at most {bound:g})")
    assert off <= bound


def test_gravity_that_did_not_turn_would_show():
    def forgotten(world):
        scene, steps = bricks(world)
        scene.sim.gravity_x, scene.sim.gravity_y, scene.sim.gravity_z = 0.0, 0.0, -9.81
        return scene, steps

    here, there = way_of(bricks, World()), way_of(forgotten, World(TURN, SHIFT, SPEED))
    assert np.abs(there - here).max() > 0.01
