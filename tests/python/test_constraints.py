"""Constraints between bodies: scene files, Python, readings of many environments."""

import numpy as np
import pytest

import haptos

G = 9.81


def crate(edge=0.1):
    return haptos.box((edge, edge, edge))


def test_a_scene_file_joins_bodies(tmp_path):
    (tmp_path / "scene.yaml").write_text("""
sim: {dt: 5 ms}
affine:
  - name: sign
    shape:
      box: {size: [10 cm, 10 cm, 10 cm]}
    pose: {position: [0, 0, 1 m]}
rigid:
  - name: bob
    shape:
      sphere: {radius: 5 cm}
    mass: 2 kg
    pose: {position: [1 m, 0, 50 cm]}
constraints:
  - {name: screw, bodies: [sign], pose: {position: [0, 0, 5 cm]}}
  - {name: rope, kind: distance, bodies: [bob], other: {position: [1 m, 0, 1 m]}}
""")
    scene = haptos.load_scene(tmp_path / "scene.yaml")
    entries = {e["name"]: e for e in scene.entries()["constraints"]}
    assert entries["screw"]["kind"] == "weld" and entries["screw"]["bodies"] == ("sign", None)
    assert entries["rope"]["kind"] == "distance" and entries["rope"]["distance"] == "start"
    sim = scene.compile(envs=2)
    sim.run(0.5)
    force, torque = sim.constraint_wrench("screw")
    assert force.shape == torque.shape == (2, 3)
    np.testing.assert_allclose(force, [[0, 0, G]] * 2, atol=1e-3)
    np.testing.assert_allclose(sim.constraint_wrench("rope").force, [[0, 0, 2 * G]] * 2, atol=1e-3)
    assert sim.constraint_error("screw").shape == (2, 2)
    assert (sim.constraint_error("screw") < 1e-5).all()


def test_a_hinge_made_in_python_lets_a_door_turn():
    scene = haptos.Scene(dt=2e-3, gravity=(0, 0, 0))
    scene.add_affine("door", haptos.box((0.4, 0.02, 0.6)), position=(0.2, 0, 0))
    scene.add_constraint("pin", "door", kind="hinge", position=(-0.2, 0, 0))
    sim = scene.compile()
    sim.set_wrench("door", force=(0, 1.0, 0))
    sim.run(0.2)
    x, y, z = sim.pose("door")[0, :3]
    # M = F L / 2 about the pin: the angle is M t^2 / 2 I.
    mass = 1000 * 0.4 * 0.02 * 0.6
    inertia = mass * (0.4**2 + 0.02**2) / 12 + mass * 0.2**2
    angle = 0.5 * 0.2 / inertia * 0.2 * (0.2 + 2e-3)
    assert np.arctan2(y, x) == pytest.approx(angle, rel=2e-3)
    assert np.hypot(x, y) == pytest.approx(0.2, abs=1e-6) and abs(z) < 1e-6


def test_constraints_are_part_of_the_models_identity_and_of_saved_states(tmp_path):
    def sim_of(**more):
        scene = haptos.Scene(dt=2e-3)
        scene.add_affine("door", crate())
        scene.add_constraint("pin", "door", **{"kind": "ball", "position": (0.05, 0, 0), **more})
        return scene.compile()

    sim = sim_of()
    sim.run(0.05)
    sim.save(tmp_path / "state")
    again = sim_of()
    again.load(tmp_path / "state")
    sim.run(0.05)
    again.run(0.05)
    assert sim.state.hash() == again.state.hash()
    with pytest.raises(haptos.InputError):
        sim_of(position=(0.04, 0, 0)).load(tmp_path / "state")


@pytest.mark.parametrize("more, says", [
    ({"a": "dor"}, 'did you mean "door"'), ({"b": "gel"}, "glue soft bodies"),
    ({"kind": "hinges"}, 'did you mean "hinge"'), ({"kind": "distance"}, "needs the other point"),
    ({"distance": 0.1}, "of kind distance only"), ({"b": "arm"}, "robot of several links"),
])
def test_what_cannot_be_joined_is_refused(more, says):
    from conftest import small_pad
    from test_sim import ROOT

    scene = haptos.Scene()
    scene.add_affine("door", crate())
    scene.add_soft("gel", small_pad().mesh, position=(0, 0, 1))
    scene.add_robot("arm", ROOT / "scenes/robots/arm.urdf")
    with pytest.raises(haptos.InputError) as e:
        values = {"a": "door", **more}
        scene.add_constraint("pin", values.pop("a"), values.pop("b", None), **values)
        scene.validate()
    assert says in str(e.value), str(e.value)
