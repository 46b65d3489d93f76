"""Bodies of material points on grids of their own that touch each other."""

import numpy as np
import pytest

import haptos

SIDE, DENSITY = 0.1, 400.0
WEIGHT = DENSITY * SIDE**3 * 9.81


def cube(scene, name, position, seeding="poisson", cell=0.025, **fields):
    scene.add_material_points(name, haptos.RobotShape("box", extents=(SIDE,) * 3), position=position, seeding=seeding,
                              **{"young": 1e5, "cell": cell, "density": DENSITY, "friction": 0.45} | fields)


def stack(slope=0.0, cells=(0.025, 0.025), **fields):
    """A cube on a cube of its own size, which sticks to a plane; the plane rises by `slope`."""
    along = np.array([slope, 0, -1]) / np.hypot(1, slope)
    scene = haptos.Scene(dt=0.01, gravity=tuple(9.81 * along))
    scene.add_half_space("plane", friction=2.0)
    cube(scene, "lower", (0, 0, SIDE / 2), cell=cells[0], **fields)
    cube(scene, "upper", (0, 0, 1.5 * SIDE), cell=cells[1], **fields)
    return scene


def middle(sim, name):
    return sim.material_points[name].position[0].mean(axis=0)


@pytest.mark.parametrize(("cells", "seeding", "at"), [
    ((0.025, 0.025), "lattice", "points"), ((0.025, 0.025), "poisson", "points"),
    pytest.param((0.025, 0.02), "poisson", "points", marks=pytest.mark.full),
    pytest.param((0.02, 0.025), "poisson", "nodes", marks=pytest.mark.full)])
def test_a_cube_rests_on_a_cube(cells, seeding, at):
    sim = stack(cells=cells, seeding=seeding, contact_at=at).compile(quiet=True)
    start = middle(sim, "upper")
    report = sim.run("0.4 s")
    force = sim.contact_wrench("upper", by="lower").force[0]
    moved = middle(sim, "upper") - start
    print(f"FIGURE cube on cube, cells {cells} m, {seeding}, {at}: {force[2]:.4f} N of {WEIGHT:.4f}, down by {-1e3 * moved[2]:.2f} mm")
    assert report.ok
    assert force[2] == pytest.approx(WEIGHT, rel=5e-3)
    assert np.hypot(*force[:2]) < 0.01 * WEIGHT
    # 3.9 N press .39 kPa on 100 kPa: .3 mm of strain, and what contact gives.
    assert np.hypot(*moved[:2]) < 5e-4 and -2e-3 < moved[2] < 0
    assert np.abs(sim.material_points["upper"].velocity).max() < 5e-3
    np.testing.assert_allclose(sim.contact_wrench("lower", by="upper").force[0], -force, atol=1e-9)


@pytest.mark.full
@pytest.mark.parametrize("at", ["points", "nodes"])
def test_a_cube_on_an_equal_one_holds_on_a_slope(at):
    sim = stack(0.3, contact_at=at).compile(quiet=True)
    start = middle(sim, "upper")
    far = []
    for _ in range(6):
        sim.run("0.1 s")
        far.append(middle(sim, "upper")[0] - start[0])
    print(f"FIGURE equal cubes at slope .3, {at}: friction .45 sways by {1e3 * min(far):.1f} to {1e3 * max(far):.1f} mm")
    # Two soft cubes are a tower that sways; it does not go on. One that slid at friction .2 would be 170 mm away.
    assert max(np.abs(far)) < 0.025
    assert far[-1] < max(far[:3]) + 0.005


def test_a_cube_slides_on_a_slab_as_coulomb_says():
    scene = haptos.Scene(dt=0.01, gravity=tuple(9.81 * np.array([0.3, 0, -1]) / np.hypot(1, 0.3)))
    scene.add_half_space("plane", friction=2.0)
    scene.add_material_points("slab", haptos.RobotShape("box", extents=(0.15, 0.15, 0.05)), position=(0, 0, 0.025), young=1e5,
                              cell=0.025, density=DENSITY, friction=0.2)
    cube(scene, "cube", (0, 0, 0.05 + SIDE / 2), friction=0.2)
    sim = scene.compile(quiet=True)
    sim.run("0.08 s")
    before = sim.material_points["cube"].velocity[0].mean(axis=0)[0]
    sim.run("0.12 s")
    force = sim.contact_wrench("cube", by="slab").force[0]
    pull = (sim.material_points["cube"].velocity[0].mean(axis=0)[0] - before) / 0.12
    expected = 9.81 * (0.3 - 0.2) / np.hypot(1, 0.3)
    print(f"FIGURE cube on slab at slope .3, friction .2: {-force[0] / force[2]:.3f} of the normal force, {pull:.3f} m/s2 of {expected:.3f}")
    assert -force[0] / force[2] == pytest.approx(0.2, rel=0.04)
    assert pull == pytest.approx(expected, rel=0.05)


def test_a_blow_keeps_momentum():
    scene = haptos.Scene(dt=0.005, gravity=(0, 0, 0))
    cube(scene, "a", (0, 0, 0), cell=0.025)
    cube(scene, "b", (0.12, 0.03, 0), cell=0.03, velocity=(-1, 0, 0))
    sim = scene.compile(quiet=True)

    def momentum():
        return sum(float(p.mass) * p.velocity[0].sum(axis=0) for p in (sim.material_points[n] for n in "ab"))

    def energy():
        return sum(0.5 * float(p.mass) * (p.velocity[0] ** 2).sum() for p in (sim.material_points[n] for n in "ab"))

    p, k = momentum(), energy()
    sim.run("0.2 s")
    assert np.abs(momentum() - p).max() < 1e-9 * np.linalg.norm(p)
    assert 0.45 * k < energy() < k
    assert sim.material_points["a"].velocity[0].mean(axis=0)[0] < -0.3  # it was hit


def test_ten_metres_a_second_do_not_pass_a_cube():
    scene = haptos.Scene(dt=0.01, gravity=(0, 0, 0))
    cube(scene, "a", (0, 0, 0))
    cube(scene, "b", (0.2, 0, 0), velocity=(-10, 0, 0))
    sim = scene.compile(quiet=True)
    sim.run("0.05 s")
    a, b = (sim.material_points[n].velocity[0].mean(axis=0)[0] for n in "ab")
    assert a < b < -1
    assert middle(sim, "a")[0] + 0.05 < middle(sim, "b")[0]


def wet():
    """Water on a slab of dough, in a shaft."""
    scene = haptos.Scene(dt=0.01)
    scene.add_half_space("table", friction=1.0)
    for name, normal in {"west": (1, 0, 0), "east": (-1, 0, 0), "south": (0, 1, 0), "north": (0, -1, 0)}.items():
        scene.add_half_space(name, normal=normal, offset=-0.05, friction=0.0)
    scene.add_material_points("dough", haptos.RobotShape("box", extents=(0.1, 0.1, 0.06)), position=(0, 0, 0.03), young=1e5,
                              cell=0.025, density=1200.0, friction=0.3)
    scene.add_material_points("water", haptos.RobotShape("box", extents=(0.1, 0.1, 0.08)), position=(0, 0, 0.10), law="liquid",
                              cell=0.025, friction=0.0)
    return scene


def test_water_stands_on_dough():
    sim = wet().compile(quiet=True)
    sim.run("0.5 s")
    force = sim.contact_wrench("water", by="dough").force[0]
    water, dough = (sim.material_points[n].position[0][:, 2] for n in ("water", "dough"))
    print(f"FIGURE water on dough: {force[2]:.3f} N of {0.8 * 9.81:.3f}; lowest {1e3 * water.min():.1f} mm, dough up to {1e3 * dough.max():.1f} mm")
    assert force[2] == pytest.approx(0.8 * 9.81, rel=0.01)
    assert water.min() > dough.max() - 0.003
    assert sim.material_points["water"].volume_ratio.mean() == pytest.approx(1, abs=0.01)


def test_a_pair_switches_contact_off_or_sets_its_friction():
    scene = stack()
    scene.add_pair("lower", "upper", enabled=False)
    off = scene.compile(quiet=True)
    off.run("0.1 s")
    assert middle(off, "upper")[2] < 1.5 * SIDE - 0.02
    scene = stack(0.3)
    scene.add_pair("lower", "upper", friction=0.0)
    smooth = scene.compile(quiet=True)
    smooth.run("0.1 s")
    assert smooth.material_points["upper"].velocity[0].mean(axis=0)[0] > 0.2


def test_a_kept_state_threads_and_an_environment_of_many_have_the_same_bits():
    sim = wet().compile(quiet=True)
    sim.run("0.05 s")
    kept = sim.state
    sim.run("0.05 s")
    assert np.any(sim.contact_wrench("water", by="dough").force != 0)
    place = sim.material_points["water"].position
    scene = wet()
    scene.sim.threads = 2
    threads = scene.compile(quiet=True)
    threads.run("0.1 s")
    assert np.array_equal(threads.material_points["water"].position, place)
    many = wet().compile(envs=2, quiet=True)
    many.set_state(kept, mask=[False, True])
    many.run("0.05 s")
    assert np.array_equal(many.material_points["water"].position[1], place[0])
