"""The stiffness of contact by default: from the masses that meet, whatever their size."""

from __future__ import annotations

import numpy as np
import pytest

import haptos

STONES = """
<mujoco model="stones">
  <worldbody>
    <geom type="plane" size="0 0 1"/>
    <body name="left" pos="-1.5 0 2"><freejoint/><geom type="box" size=".5 .6 2" mass="25000"/></body>
    <body name="right" pos="1.5 0 2"><freejoint/><geom type="box" size=".5 .6 2" mass="25000"/></body>
    <body name="lintel" pos="0 0 4.4"><freejoint/><geom type="box" size="2.2 .6 .4" mass="12000"/></body>
  </worldbody>
</mujoco>
"""


def stones(tmp_path, **options) -> np.ndarray:
    """Heights of three stones after 2 s less those at the start [m]."""
    pytest.importorskip("mujoco")
    path = tmp_path / "stones.xml"
    path.write_text(STONES)
    model = haptos.load_mjcf(path)
    scene = haptos.Scene(dt=2e-3)
    names = model.add_to(scene, **options)
    sim = scene.compile()
    moving = [n for n in names if any(n.endswith(w) for w in ("left", "right", "lintel"))]
    assert len(moving) == 3
    z = np.array([sim.pose(n)[0, 2] for n in moving])
    for _ in range(1000):
        assert sim.step().ok
    return np.array([sim.pose(n)[0, 2] for n in moving]) - z


def test_stones_of_25_tonnes_from_mjcf_stand_on_the_ground_and_on_each_other(tmp_path) -> None:
    moved = stones(tmp_path)
    print(f"FIGURE stones.deepest = {-moved.min():.2e} m")
    assert np.all(np.abs(moved) < 1e-6)


def test_a_stiffness_given_to_add_to_is_that_of_the_contacts(tmp_path) -> None:
    # 37 t on two stones' 2 k, k = 1e8 N/m each in series with the ground's own, k/2 a pair.
    moved = stones(tmp_path, stiffness=1e8)
    depth = (25000 + 6000) * 9.81 / 5e7
    assert moved[:2] == pytest.approx(-depth, rel=0.02)


def test_auto_leaves_the_stiffness_to_the_other_body() -> None:
    scene = haptos.Scene(dt=1e-3)
    scene.add_rigid("table", haptos.RobotShape("box", (1, 1, 0.1)), fixed=True,
                    position=(0, 0, -0.1), stiffness=1e4)
    scene.add_rigid("box", haptos.RobotShape("box", (0.05, 0.05, 0.05)), mass=1,
                    position=(0, 0, 0.05))
    sim = scene.compile()
    for _ in range(500):
        sim.step()
    assert 0.05 - sim.pose("box")[0, 2] == pytest.approx(9.81 / 1e4, rel=1e-3)


@pytest.mark.parametrize("wrong", ["stiff", 0, -1.0])
def test_a_stiffness_that_is_none_is_refused(wrong) -> None:
    scene = haptos.Scene()
    with pytest.raises(haptos.InputError, match="auto"):
        scene.add_sphere("ball", 0.1, 1.0, stiffness=wrong)


def test_scene_files_know_auto(tmp_path) -> None:
    path = tmp_path / "scene.yaml"
    path.write_text("""
sim: {dt: 1 ms}
half_spaces: [{name: ground}]
spheres:
  - {name: ball, radius: 0.1, mass: 25000, pose: {position: [0, 0, 0.1]}, stiffness: auto}
""")
    sim = haptos.load_scene(path).compile()
    for _ in range(300):
        sim.step()
    assert 0 < 0.1 - sim.pose("ball")[0, 2] < 1e-6
