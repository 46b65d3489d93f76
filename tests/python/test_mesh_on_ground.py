"""Rigid meshes and half-spaces in point contact, and what has no contact."""

import warnings

import numpy as np
import pytest

import haptos


def scene_of(mesh: haptos.TriMesh, height: float, **other) -> haptos.Scene:
    scene = haptos.Scene(dt=2e-3)
    scene.add_rigid("body", haptos.RobotShape("mesh", mesh=mesh), mass=0.5, friction=0.5, position=(0, 0, height))
    scene.add_half_space("ground", friction=0.5, **other)
    return scene


@pytest.mark.parametrize("height", [0.0101, 0.1, 0.2, 1.0])
def test_a_mesh_lies_on_the_ground(height):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        sim = scene_of(haptos.torus(0.03, 0.01, 2e-3), height).compile()
    assert sim.run(2.0).ok
    body = sim.robots["body"]
    assert body.position[0, :3] == pytest.approx([0, 0, 0.01], abs=2e-4)
    assert np.abs(body.velocity).max() < 1e-6
    for _ in range(20):  # the force of what lies still does not go to and fro within the tolerance
        sim.step()
        force, _ = sim.contact_wrench("body")
        assert force[0] == pytest.approx([0, 0, 0.5 * 9.81], abs=1e-5)


def test_it_does_so_as_its_hull_does():
    ball = haptos.icosphere(1.0, 0.3)
    stone = haptos.TriMesh(np.asarray(ball.vertices) * (0.03, 0.025, 0.02), ball.triangles)
    ends = []
    for kind in ("mesh", "hull"):
        scene = haptos.Scene(dt=2e-3)
        scene.add_rigid("body", haptos.RobotShape(kind, mesh=stone), mass=0.5, friction=0.5, position=(0, 0, 0.05),
                        quaternion=(0.8, 0.6, 0, 0))
        scene.add_half_space("ground", friction=0.5)
        sim = scene.compile()
        assert sim.run(0.3).ok
        ends.append(sim.robots["body"].position[0])
    assert ends[0] == pytest.approx(ends[1], abs=3e-4)


def test_meshes_that_meet_nothing_are_told():
    scene = scene_of(haptos.torus(0.03, 0.01, 2e-3), 0.02)
    for k in range(3):
        scene.add_rigid(f"other {k}", haptos.RobotShape("mesh", mesh=haptos.torus(0.03, 0.01, 2e-3)), mass=0.5,
                        friction=0.5, position=(0.2 * k + 0.2, 0, 0.2))
    with pytest.warns(haptos.SceneWarning, match='"body" and "other 0", .* 3 more pairs, pass through each other.*layer'):
        scene.compile()
    scene = scene_of(haptos.torus(0.03, 0.01, 2e-3), 0.02)
    scene.add_rigid("other", haptos.RobotShape("mesh", mesh=haptos.torus(0.03, 0.01, 2e-3)), mass=0.5, friction=0.5,
                    position=(0.2, 0, 0.2), layer=2e-3)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        scene.compile()


def test_a_sheet_on_the_ground_is_told():
    sheet = haptos.TriMesh([(0, 0, 0), (1, 0, 0), (0, 1, 0.0)], [(0, 1, 2)])
    scene = haptos.Scene(dt=2e-3)
    scene.add_rigid("sheet", haptos.RobotShape("mesh", mesh=sheet), mass=0.5, friction=0.5, shell=True,
                    position=(0, 0, 0.02))
    scene.add_half_space("ground", friction=0.5)
    with pytest.warns(haptos.SceneWarning, match='"sheet" and "ground" pass through'):
        scene.compile()
