"""A quadruped on rubble: robots with boundary layers on many stones, scenes/layers/rubble.yaml."""

import sys

import numpy as np
import pytest

from conftest import ROOT, outside_file
from test_layer_scenes import made

import haptos
from haptos.base.turns import rotation

SCENES = ROOT / "scenes/layers"
sys.path.insert(0, str(SCENES))


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
    sim = haptos.load_scene(files.parent / "rubble.yaml").compile(strict=True)
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
