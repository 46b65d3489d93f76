"""Many bodies with boundary layers in scenes/layers: stirred mugs, a quadruped on rubble."""

import sys

import numpy as np
import pytest

from conftest import ROOT, outside_file
from test_layer_scenes import made

import haptos
from haptos import scans
from haptos.base.turns import rotation

SCENES = ROOT / "scenes/layers"
sys.path.insert(0, str(SCENES))


# -- what meets, told without any of the library's geometry ------------------------------------


def volumes(a, b, c, d):
    """Six times the volumes of tetrahedra, 0 where rounding may have made the sign."""
    u, v, w = b - a, c - a, d - a
    x = np.einsum("ij,ij->i", np.cross(u, v), w)
    size = np.linalg.norm(u, axis=1) * np.linalg.norm(v, axis=1) * np.linalg.norm(w, axis=1)
    return np.where(np.abs(x) < 1e-12 * size, 0.0, x)


def pierced(p, q, t):
    """Whether segments p q (n, 3) meet triangles t (n, 3, 3); doubt counts as meeting."""
    a, b, c = t[:, 0], t[:, 1], t[:, 2]
    both = volumes(a, b, c, p) * volumes(a, b, c, q) <= 0
    around = np.stack([volumes(p, q, a, b), volumes(p, q, b, c), volumes(p, q, c, a)])
    return both & ((around >= 0).all(0) | (around <= 0).all(0))


class Triangles:
    """Of a mesh somewhere: corners (n, 3, 3), and boxes of each and of all."""

    def __init__(self, x):
        self.x = x
        self.low, self.high = (np.stack([f(f(x[:, 0, k], x[:, 1, k]), x[:, 2, k])
                                         for k in range(3)], axis=1)
                               for f in (np.minimum, np.maximum))
        self.box = (self.low.min(0), self.high.max(0)) if len(x) else (np.inf, -np.inf)

    def near(self, box):
        """Those whose boxes overlap another one."""
        if (self.box[0] > box[1]).any() or (self.box[1] < box[0]).any():
            return Triangles(self.x[:0])
        return Triangles(self.x[((self.low <= box[1]) & (self.high >= box[0])).all(1)])


def near_pairs(s, t):
    """Pairs of triangles whose boxes overlap."""
    if len(s.x) * len(t.x) > 1_000_000:
        from scipy.spatial import cKDTree

        middle = [m.x.mean(1) for m in (s, t)]
        far = sum(np.linalg.norm(m.high - m.low, axis=1).max() for m in (s, t))
        found = cKDTree(middle[0]).sparse_distance_matrix(cKDTree(middle[1]), far,
                                                          output_type="ndarray")
        i, j = found["i"], found["j"]
    else:
        i, j = (x.ravel() for x in np.indices((len(s.x), len(t.x))))
    over = ((s.low[i] <= t.high[j]) & (t.low[j] <= s.high[i])).all(1)
    return i[over], j[over]


def count_meeting(s, t):
    """Pairs of triangles that share a point: an edge of one meets the other."""
    s = s.near(t.box)
    t = t.near(s.box) if len(s.x) else s
    if not len(t.x):
        return 0
    i, j = near_pairs(s, t)
    x, y = s.x[i], t.x[j]
    meet = np.zeros(len(i), bool)
    for k in range(3):
        meet |= pierced(x[:, k], x[:, k - 1], y) | pierced(y[:, k], y[:, k - 1], x)
    return int(meet.sum())


def placed(mesh, pose=(0, 0, 0, 1, 0, 0, 0)):
    """Triangles of a mesh somewhere."""
    x = np.asarray(mesh.vertices) @ rotation(pose[3:]).T + pose[:3]
    return Triangles(x[np.asarray(mesh.triangles)])


def test_the_test_of_triangles_finds_what_meets():
    one, other = scans.mug(seed=1), scans.mug(seed=2)
    a = placed(one)
    for x, meets in ((0.083, False), (0.077, True), (0.0, True)):  # beside, into, within each other
        b = placed(other, (-x, 0, 0, 0, 0, 0, 1))
        n = len(a.x)
        both = haptos.TriMesh(np.concatenate([a.x, b.x]).reshape(-1, 3),
                              np.arange(3 * (n + len(b.x))).reshape(-1, 3))
        exact = sum((i < n) != (j < n) for i, j in haptos.intersecting_triangles(both))
        assert count_meeting(a, b) == exact
        assert (exact > 0) == meets


# -- mugs --------------------------------------------------------------------------------------


def rod():
    """The stirrer's capsule as triangles with corners on it, in its link."""
    from scipy.spatial import ConvexHull

    around, up = np.meshgrid(np.linspace(0, 2 * np.pi, 64, endpoint=False),
                             np.linspace(0, np.pi / 2, 17))
    ball = np.stack([np.cos(up) * np.cos(around), np.cos(up) * np.sin(around), np.sin(up)], -1)
    x = np.concatenate([(0, 0, 0.1) + 0.02 * ball.reshape(-1, 3),
                        (0, 0, -0.1) - 0.02 * ball.reshape(-1, 3)]) + (0, 0, 0.13)
    return haptos.TriMesh(x, ConvexHull(x).simplices)


class Stirred:
    """Mugs in the tray: what is asked of every step, and of frames."""

    def __init__(self, sim, count):
        self.sim, self.arm = sim, sim.robots["stirrer"]
        self.mugs = [sim.robots[f"mug{k}"] for k in range(count)]
        self.mug, self.rod = scans.mug(seed=1), rod()
        self.tray = placed(haptos.read_surface(SCENES / "tray.obj"))
        self.energy = self.work = self.excess = 0.0  # of the start, of the motors, beyond both [J]
        self.parted = self.off = 0.0  # steps in parts; sum of ways beside the path [m]
        self.steps, self.seconds = 0, 0.0
        self.over = np.zeros(count, bool)  # was beyond a wall

    def places(self):
        return np.array([mug.position[0] for mug in self.mugs])

    def step(self):
        report = self.sim.step()
        assert report.status[0] == 0 and report.crossed[0] == 0
        x = self.places()[:, :3]
        inside = np.abs(x[:, :2]).max(1) < 0.3
        # What leaves pops over the walls and falls onto the table.
        assert (x[:, 2] > np.where(inside, 0, -0.05)).all()
        self.over |= ~inside
        self.steps += 1
        self.seconds += report.seconds[0]
        self.parted += report.parts[0] > 1
        self.work += self.sim.dt * float(self.arm.effort[0] @ self.arm.velocity[0])
        energy = report.kinetic[0] + report.potential[0]
        if self.steps == 1:
            self.energy = energy
        self.excess = max(self.excess, energy - self.energy - self.work)
        self.off += np.linalg.norm(self.arm.position[0] - self.arm.command[0, :, 0])

    def count_meeting(self):
        """Pairs of triangles that meet, of mugs, tray and stirrer."""
        mugs = [placed(self.mug, place) for place in self.places()]
        others = [self.tray, placed(self.rod, self.arm.link_pose("rod")[0])]
        return sum(count_meeting(one, other) for k, one in enumerate(mugs)
                   for other in mugs[:k] + others)


def test_mugs_are_stirred():
    from stirring import WAIT, stirred

    files = made(mugs="stir.csv")
    scene = haptos.Scene(dt=1e-3)
    robot = haptos.load_robot(SCENES / "stirrer.urdf")
    scene.add_robot("stirrer", robot, friction=0.5, motors={"kp": 4e4, "kd": 400})
    tray = haptos.RobotShape("mesh", mesh=haptos.read_surface(SCENES / "tray.obj"))
    scene.add_rigid("tray", tray, fixed=True, layer=2.5e-3, friction=0.5)
    mug = haptos.RobotShape("mesh", mesh=haptos.read_surface(files / "mug.ply"))
    lies = (np.sqrt(0.5), np.sqrt(0.5), 0, 0)
    for k, (x, y, turn) in enumerate([(0.09, 0.08, (1, 0, 0, 0)), (0.2, 0.1, lies),
                                      (0.05, 0.19, (0, 0, 0, 1))]):
        scene.add_rigid(f"mug{k}", mug, mass=0.1, shell=True, layer=2.5e-3, friction=0.5,
                        position=(x, y, 0.055), quaternion=turn)
    pile = Stirred(scene.compile(quiet=True), 3)
    start = pile.places()
    for k in range(700):
        x, y = stirred(np.array([WAIT + (k + 1) * 1e-3]))[0]
        pile.arm.set_command(position={"x": x, "y": y})
        pile.step()
        if k % 100 == 99:
            assert pile.count_meeting() == 0
    assert np.linalg.norm(pile.places() - start, axis=1).max() > 0.05
    assert pile.excess < 1e-3 and not pile.over.any()


@pytest.mark.full
def test_eighteen_mugs_are_stirred_for_twenty_seconds():
    made(mugs="stir.csv")
    pile = Stirred(haptos.load_scene(SCENES / "mugs.yaml").compile(strict=True), 18)
    way, before = np.zeros(18), pile.places()
    for k in range(21_250):
        pile.step()
        if k % 100 == 99:
            assert pile.count_meeting() == 0
            way += np.linalg.norm(pile.places()[:, :3] - before[:, :3], axis=1)
            before = pile.places()
    print(f"FIGURE steps taken in parts = {pile.parted:.0f} of {pile.steps}")
    print(f"FIGURE energy beyond that of the start and of motors = "
          f"{1e3 * pile.excess:.4f} mJ (at most 1)")
    print(f"FIGURE mugs that went over a wall = {pile.over.sum()} of 18 (at most 4)")
    print(f"FIGURE mean way of the mugs = {way.mean():.3f} m (at least 0.5)")
    print(f"FIGURE stirrer beside its path, mean = {1e3 * pile.off / pile.steps:.2f} mm")
    print(f"FIGURE mean time of a step = {1e3 * pile.seconds / pile.steps:.1f} ms")
    assert pile.excess < 1e-3
    assert pile.over.sum() <= 4
    assert way.mean() > 0.5


# -- rubble ------------------------------------------------------------------------------------


def trotted(sim, name, trunk, command=None):
    """Way of the trunk [m], its lowest height [m] and largest lean [rad] in 8 s."""
    dog = sim.robots[name]
    start, lowest, lean = dog.link_pose(trunk)[0, :3].copy(), np.inf, 0.0
    for k in range(4000):
        if command:
            dog.set_command(position=command((k + 1) * 2e-3))
        report = sim.step()
        assert report.status[0] == 0 and report.crossed[0] == 0
        pose = dog.link_pose(trunk)[0]
        lowest = min(lowest, pose[2])
        lean = max(lean, np.arccos(np.clip(rotation(pose[3:])[2, 2], -1, 1)))
    return pose[:3] - start, lowest, lean


def test_a_quadruped_trots_over_rubble():
    files = made(rubble="trot.csv")
    assert 10_000 < len(haptos.read_surface(files / "rubble.ply").triangles) < 20_000
    sim = haptos.load_scene(files.parent / "rubble.yaml").compile(strict=True, quiet=True)
    way, lowest, lean = trotted(sim, "dog", "trunk")
    print(f"FIGURE way of the quadruped = {way[0]:.3f} m (at least 0.42)")
    print(f"FIGURE lean of its trunk = {np.degrees(lean):.2f} degrees (at most 30)")
    assert way[0] > 0.42  # the length of its trunk
    assert lowest > 0.2 and lean < np.radians(30)


# A meshed robot trots by the angles of ours, whose bars are nearly as long.
GO2 = {"front_left": "FL", "front_right": "FR", "rear_left": "RL", "rear_right": "RR",
       "roll": "hip_joint", "pitch": "thigh_joint", "knee": "calf_joint"}


@pytest.mark.full
def test_a_real_quadruped_of_meshes_trots_over_rubble():
    from gait import trot

    path = outside_file("robots/go2_description/urdf/go2.urdf")
    files = made(rubble="trot.csv")

    def angles(time):
        parts = ((*name.rsplit("_", 1), a) for name, a in trot(time).items())
        return {f"{GO2[leg]}_{GO2[joint]}": a for leg, joint, a in parts}

    robot = haptos.load_robot(path, packages={"example-robot-data": path.parents[3]},
                              floating=True, hulls=False)
    scene = haptos.Scene(dt=2e-3)
    scene.add_robot("go2", robot, position=(0, 0, 0.36), layer=2e-3, friction=0.8,
                    self_contact=False,
                    start={joint: [a] for joint, a in angles(0).items()},
                    motors={"kp": 150, "kd": 6, "joints": list(angles(0))})
    stones = haptos.RobotShape("mesh", mesh=haptos.read_surface(files / "rubble.ply"))
    scene.add_rigid("rubble", stones, fixed=True, layer=2e-3, friction=0.8)
    way, lowest, lean = trotted(scene.compile(quiet=True), "go2", "base", angles)
    print(f"FIGURE way of the real quadruped = {way[0]:.3f} m (at least 0.38)")
    print(f"FIGURE lean of its trunk = {np.degrees(lean):.2f} degrees (at most 30)")
    assert way[0] > 0.38  # the length of its trunk
    assert lowest > 0.2 and lean < np.radians(30)
