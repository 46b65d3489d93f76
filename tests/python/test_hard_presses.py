"""Gels under what is hard on them: a spike to nine tenths of the thickness, moduli of 10 kPa to 10 MPa,
Poisson's ratios to .499, an edge that a slab hangs over, a load of 100,000 times the gel's mass."""

import numpy as np
import pytest

import haptos

THICKNESS = 4e-3


def crossings(sim, soft, stiff, mesh):
    """Pairs of triangles of a soft and a stiff body that meet (exact)."""
    x, y = sim.positions(soft)[0], sim.positions(stiff)[0]
    inner, outer = sim.surface(soft), np.asarray(mesh.triangles)
    both = haptos.TriMesh(np.concatenate([x, y]),
                          np.concatenate([inner, outer + len(x)]).astype(np.int32))
    return [p for p in haptos.intersecting_triangles(both) if (p[0] < len(inner)) != (p[1] < len(inner))]


def spike():
    """A cone of 3 mm, its blunt tip of .3 mm at the origin, pointing down."""
    cone = haptos.cone(3e-3, 0.3e-3, 8e-3, 0.7e-3)
    v = np.array(cone.vertices)
    v[:, 2] = 8e-3 - v[:, 2]
    return haptos.TriMesh(v, np.ascontiguousarray(np.asarray(cone.triangles)[:, ::-1]))


def force_of_a_spike(young, poisson, size, share=0.9, steps=24):
    """Force over modulus [m2] of a spike pressed to a share of the thickness, without friction."""
    pad = haptos.box_pad(10e-3, 10e-3, THICKNESS, grading=haptos.PadGrading.uniform(size))
    scene = haptos.Scene(dt=0.05, gravity=(0, 0, 0))
    scene.sim.threads = 1
    scene.contact.support = 2e-5
    scene.newton.force_tolerance = 1e-4  # forces are compared to 1e-3 below
    tip = spike()
    scene.add_prescribed("mount")
    scene.add_soft("gel", pad.mesh, material=haptos.Material(young=young, poisson=poisson),
                   glue={"mount": pad.base_vertices}, coat=pad.coat)
    scene.add_prescribed("spike", tip, trajectory=[(0, (0, 0, 2.02e-5)),
                                                       (0.05 * steps, (0, 0, -share * THICKNESS))])
    sim = scene.compile()
    before = 0.0
    for step in range(steps):
        report = sim.step()
        assert report.ok, report.describe()
        assert float(np.ravel(report.smallest_volume_ratio)[0]) > 0
        force = sim.contact_wrench("spike").force[0, 2]
        assert force > before or step < 2
        before = force
    assert len(crossings(sim, "gel", "spike", tip)) == 0
    assert np.ravel(sim.pose("spike"))[2] == pytest.approx(-share * THICKNESS, abs=1e-9)
    assert sim.reaction("mount").force[0, 2] == pytest.approx(-force, rel=1e-3)
    return force / young


@pytest.mark.parametrize("poisson", [0.3, 0.499])
def test_a_spike_goes_to_nine_tenths_of_a_gel_of_any_modulus(poisson):
    """Without another scale of stress the force is proportional to the modulus."""
    soft, hard = (force_of_a_spike(young, poisson, 2e-3) for young in (1e4, 1e7))
    assert hard == pytest.approx(soft, rel=1e-3)


@pytest.mark.full
@pytest.mark.parametrize("poisson", [0.3, 0.45, 0.48, 0.499])
def test_a_spike_goes_to_nine_tenths_of_every_gel(poisson):
    forces = [force_of_a_spike(young, poisson, 2e-3) for young in (1e4, 1e5, 1e6, 1e7)]
    spread = max(forces) / min(forces) - 1
    print(f"FIGURE spike.nu{poisson}.spread_over_moduli = {spread:.1e} (at most 1e-3)")
    assert spread < 1e-3
    fine = force_of_a_spike(1e5, poisson, 1.3e-3)
    print(f"FIGURE spike.nu{poisson}.force_over_modulus = {1e6 * fine:.3f} mm2")


@pytest.mark.parametrize(("over", "falls"), [(-1e-3, False), (1e-3, True)])
def test_a_slab_falls_off_an_edge_if_its_middle_is_beyond(over, falls):
    scene = haptos.Scene(dt=0.01)
    scene.sim.threads = 1
    scene.contact.support = 5e-5
    slab = haptos.box_pad(20e-3, 10e-3, THICKNESS, grading=haptos.PadGrading.uniform(2e-3))
    scene.add_soft("slab", slab.mesh, friction=1, position=(over, 0, THICKNESS + 4e-5),
                   material=haptos.Material(young=1e5, poisson=0.45, density=1000,
                                            stiffness_damping=5e-3))
    block = haptos.box((40e-3, 40e-3, 20e-3))
    scene.add_prescribed("block", block, position=(-20e-3, 0, -10e-3),
                         friction=1)
    sim = scene.compile()
    for _ in range(60):
        report = sim.step()
        assert report.ok, report.describe()
        assert len(crossings(sim, "slab", "block", block)) == 0
    x = sim.positions("slab")[0]
    if falls:
        assert x[:, 2].mean() < -0.5  # .6 s of which .3 s in the air
    else:
        assert abs(x[:, 0].mean() - over) < 1e-4 and x[:, 2].mean() > THICKNESS / 2 - 1e-4


def test_a_load_of_a_hundred_thousand_times_its_mass_rests_on_a_gel():
    scene = haptos.Scene(dt=5e-3)
    scene.sim.threads = 1
    scene.contact.support = 5e-5
    pad = haptos.box_pad(10e-3, 10e-3, THICKNESS, grading=haptos.PadGrading.uniform(2e-3))
    scene.add_prescribed("mount")
    scene.add_soft("gel", pad.mesh, friction=0.5, glue={"mount": pad.base_vertices},
                   material=haptos.Material(young=1e8, poisson=0.45, density=1000,
                                            stiffness_damping=5e-3))
    mass = 1e5 * 1000 * pad.mesh.volume  # 40 kg
    box = haptos.box((20e-3, 20e-3, 20e-3))
    scene.add_affine("load", box, density=mass / 8e-6, stiffness=1e10,
                     position=(0, 0, 10e-3 + 4e-5), friction=0.5)
    sim = scene.compile()
    for _ in range(100):
        report = sim.step()
        assert report.ok, report.describe()
    assert len(crossings(sim, "gel", "load", box)) == 0
    weight = 9.81 * mass
    assert sim.contact_wrench("load").force[0, 2] == pytest.approx(weight, rel=1e-3)
    assert sim.reaction("mount").force[0, 2] == pytest.approx(-weight, rel=1e-3)
    # Between a column that may widen and one that may not: stress over E and over the modulus of both.
    sinks = 4e-5 - (np.ravel(sim.pose("load"))[2] - 10e-3)
    free = weight / 1e-4 / 1e8 * THICKNESS
    held = free * (1 + 0.45) * (1 - 2 * 0.45) / (1 - 0.45)
    assert held < sinks < free + 5e-5
