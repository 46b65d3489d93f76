"""A gel that is glued to what moves at the start moves with it, unless it is told its own speed."""

import haptos
import numpy as np
import pytest

DT = 2e-3
SPEED, TURNING = np.array([1.0, 0.2, 0]), np.array([0, 0, 5.0])
PAD = haptos.box_pad(0.012, 0.012, 0.003, grading=haptos.PadGrading.uniform(0.003))


def add_mount(scene, kind):
    """A body that moves and turns; returns the name of what carries the gel."""
    if kind == "affine":
        scene.add_affine("mount", haptos.box((0.02, 0.02, 0.01)), velocity=SPEED, omega=TURNING,
                         position=(0, 0, -0.005))
        return "mount"
    shape = haptos.RobotShape("box", extents=(0.02, 0.02, 0.01))
    if kind == "rigid":
        scene.add_rigid("mount", shape, velocity=SPEED, omega=TURNING, position=(0, 0, -0.005))
        return "mount"
    inertia = np.eye(3) * 1e-5
    links = [haptos.RobotLink("arm", 0.1, inertia=inertia),
             haptos.RobotLink("tip", 0.1, inertia=inertia)]
    joints = [haptos.RobotJoint("base", "free", -1, 0), haptos.RobotJoint("wrist", "revolute", 0, 1)]
    scene.add_robot("mount", haptos.Robot("mount", links, joints), velocity=(*SPEED, 0, 0, 0, 5.0))
    return "mount/tip"


def first_step(kind, **told):
    scene = haptos.Scene(dt=DT, gravity=(0, 0, 0))
    mount = add_mount(scene, kind)
    scene.add_soft("gel", PAD.mesh, material={"young": 1e5, "poisson": 0.45}, coat=PAD.coat,
                   glue={mount: PAD.base_vertices}, **told)
    sim = scene.compile(quiet=True)
    before = sim.positions("gel")[0].copy()
    sim.step()
    return before, sim.positions("gel")[0]


@pytest.mark.parametrize("kind", ["affine", "rigid", "link"])
def test_it_moves_with_its_mount(kind):
    before, after = first_step(kind)
    expected = before + DT * (SPEED + np.cross(TURNING, before))
    # Its own inertia bends it by what a turn of .01 rad in a step is off a straight line.
    assert np.abs(after - expected).max() < 0.02 * DT * np.linalg.norm(SPEED)


@pytest.mark.parametrize("kind", ["affine", "rigid", "link"])
def test_it_keeps_the_speed_that_it_is_told(kind):
    before, after = first_step(kind, velocity=(0, 0, 1e-6))
    free = np.setdiff1d(np.arange(len(before)), PAD.base_vertices)
    lag = np.linalg.norm((after - before)[free].mean(0) - DT * SPEED)
    assert lag > 0.02 * DT * np.linalg.norm(SPEED)


def test_a_path_begins_at_rest():
    scene = haptos.Scene(dt=DT, gravity=(0, 0, 0))
    scene.add_prescribed("mount", None, trajectory=[(0, (0, 0, 0)), (1, (1, 0, 0))])
    scene.add_soft("gel", PAD.mesh, material={"young": 1e5, "poisson": 0.45},
                   glue={"mount": PAD.base_vertices})
    sim = scene.compile(quiet=True)
    before = sim.positions("gel")[0].copy()
    sim.step()
    moved = (sim.positions("gel")[0] - before)[:, 0]
    assert moved[PAD.base_vertices] == pytest.approx(DT, rel=1e-9)
    assert moved.min() < 0.97 * DT  # the gel was left behind
