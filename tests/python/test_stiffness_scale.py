"""The stiffness of a soft body in each environment."""

import numpy as np
import pytest

import haptos
from haptos.learn import starts


def pressed(envs=1, young=1e5, element="linear"):
    """A pad glued to a mount, and a block pressed .3 mm into it."""
    scene = haptos.Scene(dt=0.05, gravity=(0, 0, 0))
    scene.sim.integrator = "quasi_static"
    pad = haptos.box_pad(0.012, 0.012, 0.004, grading=haptos.PadGrading(0.002, 0.002, 0.002, 0.002))
    scene.add_prescribed("mount")
    scene.add_soft("gel", pad.mesh, glue={"mount": pad.base_vertices}, element=element, material={"young": young, "poisson": 0.4})
    scene.add_prescribed("block", haptos.box((0.005, 0.005, 0.002)), position=(0, 0, 1.02e-3))
    sim = scene.compile(envs=envs, quiet=True)
    return sim


def force(sim):
    sim.set_target("block", (0, 0, 1e-3 - 3e-4))
    for _ in range(3):
        report = sim.step()
    assert report.ok
    return sim.reaction("block").force[:, 2]


@pytest.mark.parametrize("element", ["linear", "composite"])
def test_force_is_in_proportion(element):
    sim = pressed(3, element=element)
    assert (sim.stiffness_scale("gel") == 1).all()
    sim.set_stiffness_scale("gel", [1, 0.5, 4])
    found = force(sim)
    assert found[0] > 0.1
    # What the gap of contact takes is another part of the depth: .02 mm at most.
    assert found / found[0] == pytest.approx([1, 0.5, 4], rel=0.02)
    # A scene of that modulus has stiffer contact too, so its gap is another.
    assert found[2] == pytest.approx(force(pressed(young=4e5, element=element))[0], rel=0.03)
    stress = [np.abs(each.soft_stress("gel")[1]).max() for each in sim._each]
    assert stress[2] / stress[0] == pytest.approx(4, rel=0.05)


def test_environments_that_were_not_touched_have_the_same_bits():
    sim, alone = pressed(2), pressed()
    sim.set_stiffness_scale("gel", [1, 3])
    assert force(sim)[0] == force(alone)[0]
    assert (sim.positions("gel")[0] == alone.positions("gel")[0]).all()


def test_a_column_that_is_twice_as_stiff_sags_half_as_much():
    scene = haptos.Scene(dt=0.02)
    pad = haptos.box_pad(0.02, 0.02, 0.02, grading=haptos.PadGrading(0.005, 0.005, 0.005, 0.005))
    scene.add_prescribed("mount")
    material = {"young": 2e4, "poisson": 0.3, "law": "linear_corotated", "stiffness_damping": "20 ms"}
    scene.add_soft("column", pad.mesh, glue={"mount": pad.base_vertices}, contact="frozen", element="linear", material=material)
    sim = scene.compile(envs=2, quiet=True)
    sim.set_stiffness_scale("column", [1, 2])
    start = sim.positions("column").copy()
    for _ in range(100):
        sim.step()
    sag = np.abs(sim.positions("column") - start)[:, :, 2].max(1)
    assert sag[0] / sag[1] == pytest.approx(2, rel=0.01)


def test_it_is_part_of_the_state(tmp_path):
    sim = pressed(2)
    sim.set_stiffness_scale("gel", [2, 3])
    force(sim)
    sim.save(tmp_path / "state")
    other = pressed(2)
    other.load(tmp_path / "state")
    assert (other.stiffness_scale("gel") == (2, 3)).all()
    sim.step(), other.step()
    assert (sim.positions("gel") == other.positions("gel")).all()
    other.reset([True, False])
    assert (other.stiffness_scale("gel") == (1, 3)).all()
    starts.stiffness("gel", 0.5, 2)(other, np.array([False, True]), [np.random.default_rng(k) for k in range(2)])
    assert other.stiffness_scale("gel")[0] == 1 and 0.5 <= other.stiffness_scale("gel")[1] <= 2


@pytest.mark.parametrize("scale", [0.0, -1.0, np.nan, 1e4, [1.0, 2.0, 3.0]])
def test_what_is_no_factor(scale):
    sim = pressed()
    with pytest.raises(haptos.InputError, match="stiffness"):
        sim.set_stiffness_scale("gel", scale)
    with pytest.raises(haptos.InputError, match="gel"):
        sim.set_stiffness_scale("gal", 1.0)
    assert (sim.stiffness_scale("gel") == 1).all()


def test_a_layer_has_the_stiffness_of_the_scene():
    scene = haptos.Scene()
    pad = haptos.box_pad(0.012, 0.012, 0.004, grading=haptos.PadGrading(0.002, 0.002, 0.002, 0.002))
    scene.add_prescribed("mount")
    scene.add_soft("gel", pad.mesh, glue={"mount": pad.base_vertices}, coat=pad.coat, model="hydroelastic", material={"young": 1e5, "poisson": 0.4})
    with pytest.raises(haptos.InputError, match="layer"):
        scene.compile(quiet=True).set_stiffness_scale("gel", 2.0)
