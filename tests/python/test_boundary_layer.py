"""Boundary layers in scenes: fields, refusals, and a scanned mug that stands still."""

import numpy as np
import pytest

import haptos
from haptos import scans


def standing_mug(layer=2.5e-3):
    scene = haptos.Scene()
    scene.sim.dt = 1e-3
    scene.sim.threads = 1
    scene.add_half_space("ground")
    mug = scans.mug(seed=1)
    lowest = np.asarray(mug.vertices)[:, 2].min()
    scene.add_rigid("mug", haptos.RobotShape("mesh", mesh=mug), mass=0.1, shell=True, layer=layer,
                    position=(0, 0, layer - lowest + 1e-3))
    return scene


def test_a_scanned_mug_of_22300_triangles_stands_still():
    sim = standing_mug().compile()
    for _ in range(500):
        sim.step()
    before = np.array(sim.robots["mug"].position)
    speeds = []
    for _ in range(200):
        sim.step()
        speeds.append(np.array(sim.robots["mug"].velocity).ravel())
    speeds = np.array(speeds)
    assert np.sqrt((speeds[:, :3] ** 2).sum(1).mean()) < 1e-6  # m/s
    assert np.sqrt((speeds[:, 3:] ** 2).sum(1).mean()) < 1e-5  # rad/s
    assert np.abs(np.array(sim.robots["mug"].position) - before).max() < 1e-6
    assert np.isclose(sim.contacts["force"][:, 2].sum(), 0.1 * 9.81, rtol=2e-3)


def test_a_scene_file_has_layers(tmp_path):
    (tmp_path / "scene.yaml").write_text("""
sim: {dt: 1 ms}
half_spaces:
  - {name: ground, layer: 1 mm}
rigid:
  - {name: crate, shape: {box: {size: [10 cm, 10 cm, 10 cm]}}, mass: 1 kg, layer: 2.5 mm, pose: {position: [0, 0, 53.5 mm]}}
  - {name: ball, shape: {sphere: {radius: 2 cm}}, mass: 100 g, pose: {position: [0, 0, 0.126]}}
""")
    sim = haptos.load_scene(tmp_path / "scene.yaml").compile()
    for _ in range(1000):
        sim.step()
    crate = np.asarray(sim.robots["crate"].position).ravel()
    assert np.isclose(crate[2], 0.0535, atol=1e-6)  # both layers, less a sag of 1e-7 m
    # The ball has no layer: it rests on the crate's.
    ball = np.asarray(sim.robots["ball"].position).ravel()
    assert np.isclose(ball[2], crate[2] + 0.05 + 2.5e-3 + 0.02, atol=1e-5)


@pytest.mark.parametrize("model, layer, said", [
    ("layer", 0, "needs a boundary layer"), ("point", 2e-3, "of which one has a boundary layer")])
def test_a_model_that_the_layers_do_not_fit_is_refused(model, layer, said):
    scene = haptos.Scene()
    scene.add_half_space("ground")
    scene.add_rigid("ball", haptos.RobotShape("sphere", 1e-2), mass=0.1, layer=layer, position=(0, 0, 1))
    scene.add_pair("ball", "ground", model=model)
    with pytest.raises(haptos.InputError, match=said):
        scene.compile()


def test_a_body_with_holes_is_told_to_have_the_mass_of_its_hull():
    scene = haptos.Scene()
    box = scans.break_mesh(scans.random_box(triangles=1200, seed=3), seed=2, flip=0.5, holes=0.02)
    scene.add_rigid("box", haptos.RobotShape("mesh", mesh=box), mass=1, layer=2e-3)
    with pytest.warns(haptos.SceneWarning, match="not closed, so mass and inertia are those of its convex hull"):
        scene.compile()


def test_a_shell_needs_a_mass():
    scene = haptos.Scene()
    with pytest.raises(haptos.InputError, match="must be given for a shell"):
        scene.add_rigid("mug", haptos.RobotShape("mesh", mesh=scans.mug(seed=1)), shell=True, layer=2e-3)
        scene.compile()
