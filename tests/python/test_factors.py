"""Friction and mass of each body in each environment."""

import numpy as np
import pytest

import haptos
from haptos.learn import starts

G, SLOPE, MU = 9.81, 0.3, 0.5  # of the plane, rad
TILTED = (G * np.sin(SLOPE), 0, -G * np.cos(SLOPE))
FACTORS = np.array([1.0, 0.4, 0.0])


def box_shape(size):
    return haptos.RobotShape("box", extents=(size, size, size))


def on_the_floor(kind, floor):
    """A box of 40 mm that stands on something, with gravity along a slope of it."""
    scene = haptos.Scene(dt=0.01, gravity=TILTED)
    scene.contact.combine = "product"
    if floor == "half space":
        scene.add_half_space("floor", friction=1)
    elif floor == "prescribed":
        scene.add_prescribed("floor", haptos.box((2, 2, 0.02)), position=(0, 0, -0.02), friction=1)
    else:
        ground = haptos.RobotLink("floor", 1, inertia=np.eye(3), collisions=[
            haptos.RobotShape("box", extents=(2, 2, 0.02), frame=(0, 0, -0.01, 1, 0, 0, 0))])
        scene.add_robot("floor", haptos.Robot("floor", [ground], [haptos.RobotJoint("fixed", "fixed", -1, 0)]), friction=1)
    lift = 4e-5
    if kind == "affine":
        scene.add_affine("box", haptos.box((0.04, 0.04, 0.04)), position=(0, 0, 0.02 + lift), friction=MU)
    elif kind == "soft":
        pad = haptos.box_pad(0.04, 0.04, 0.04, grading=haptos.PadGrading.uniform(0.02)).mesh
        scene.add_soft("box", pad, position=(0, 0, 0.04 + lift), friction=MU, material={"young": 1e6, "stiffness_damping": "5 ms"})
    return scene


def slides(sim, steps=60):
    """Acceleration along the slope between a third of the way and its end, (env,)."""
    x = []
    for _ in range(steps):
        assert sim.step().ok
        x.append(sim.positions("box")[:, :, 0].mean(1))
    first = steps // 3
    v = (x[-1] - x[-2]) / sim.dt, (x[first] - x[first - 1]) / sim.dt
    return (v[0] - v[1]) / (sim.dt * (steps - 1 - first))


@pytest.mark.parametrize("whose", ["box", "floor"])
@pytest.mark.parametrize("kind,floor", [("affine", "half space"), ("affine", "prescribed"), ("affine", "robot"),
                                        ("soft", "half space"), ("soft", "prescribed")])
def test_a_box_holds_or_slides_as_its_environment_says(kind, floor, whose):
    sim = on_the_floor(kind, floor).compile(envs=3, quiet=True)
    assert (sim.friction_scale(whose) == 1).all()
    sim.set_friction_scale(whose, FACTORS)
    exact = G * (np.sin(SLOPE) - np.minimum(FACTORS * MU, np.tan(SLOPE)) * np.cos(SLOPE))
    assert slides(sim) == pytest.approx(exact, abs=1e-3 * G)


def test_friction_of_a_pair_is_its_own():
    scene = on_the_floor("affine", "half space")
    scene.add_pair("box", "floor", friction=MU)
    sim = scene.compile(quiet=True)
    sim.set_friction_scale("box", 0)
    assert slides(sim) == pytest.approx(0, abs=1e-3 * G)


def test_friction_comes_back():
    """Without friction it slides; with it again it stops where it is."""
    sim = on_the_floor("affine", "half space").compile(quiet=True)
    sim.set_friction_scale("box", 0)
    for _ in range(20):
        sim.step()
    assert sim.velocity("box")[0, 0] == pytest.approx(0.2 * TILTED[0], rel=0.01)
    sim.set_friction_scale("box", 1)
    for _ in range(100):
        assert sim.step().ok
    assert abs(sim.velocity("box")[0, 0]) < 1e-6


def test_bodies_in_frozen_contact_have_their_own():
    """A robot without friction leaves that of gels which it does not touch."""
    scene = haptos.Scene(dt=0.005, gravity=TILTED)
    pad = haptos.box_pad(0.04, 0.04, 0.02, grading=haptos.PadGrading.uniform(0.02)).mesh
    material = {"young": 1e5, "stiffness_damping": "10 ms"}
    scene.add_soft("low", pad, friction=0.8, contact="frozen", material=material,
                   held=[(np.flatnonzero(np.asarray(pad.vertices)[:, 2] < -0.019), "xyz")])
    scene.add_soft("box", pad, position=(0, 0, 0.02), friction=0.8, contact="frozen", material=material)
    links = [haptos.RobotLink("far", 1, inertia=np.eye(3), collisions=[box_shape(0.02)])]
    joint = haptos.RobotJoint("fixed", "fixed", -1, 0)
    scene.add_robot("ice", haptos.Robot("ice", links, [joint]), position=(1, 0, 0), friction=0)
    sim = scene.compile(envs=2, quiet=True)
    sim.set_friction_scale("low", [1, 0])
    found = slides(sim, 80)
    assert abs(found[0]) < 0.01 * G
    assert found[1] == pytest.approx(TILTED[0], rel=0.05)


def test_what_is_heavier_weighs_and_hesitates():
    scene = haptos.Scene(dt=0.01)
    scene.add_half_space("floor")
    scene.add_affine("box", haptos.box((0.04, 0.04, 0.04)), position=(0, 0, 0.02 + 4e-5), density=1000)
    pad = haptos.box_pad(0.04, 0.04, 0.02, grading=haptos.PadGrading.uniform(0.02)).mesh
    scene.add_soft("soft", pad, position=(0.2, 0, 0.02 + 4e-5), material={"young": 1e6, "density": 500, "stiffness_damping": "5 ms"})
    scene.add_rigid("ball", haptos.RobotShape("sphere", 0.02), mass=0.3, position=(-0.2, 0, 0.02))
    sim = scene.compile(envs=3, quiet=True)
    factors = np.array([1, 0.5, 3])
    for name in ("box", "soft", "ball"):
        sim.set_mass_scale(name, factors)
        assert (sim.mass_scale(name) == factors).all()
    for _ in range(150):
        assert sim.step().ok
    mass = {"box": 0.064, "soft": 500 * pad.volume, "ball": 0.3}
    for name, one in mass.items():
        assert sim.contact_wrench(name).force[:, 2] == pytest.approx(factors * one * G, rel=1e-3), name
    # Without floor and gravity, one push: a = F / m, and as much less turning.
    sim.set_gravity((0, 0, 1.0))
    for _ in range(20):
        sim.step()
    sim.set_gravity((0, 0, 0))
    before = sim.velocity("box").copy()
    sim.set_wrench("box", (0.064, 0, 0), (0, 0, 1e-6))
    for _ in range(10):
        assert sim.step().ok
    gained = sim.velocity("box") - before
    assert gained[:, 0] == pytest.approx(0.1 / factors, rel=1e-6)
    assert gained[:, 5] == pytest.approx(0.1e-6 / (0.064 * 0.04**2 / 6) / factors, rel=1e-4)


def test_a_soft_body_on_a_mount_weighs_on_it():
    scene = haptos.Scene(dt=0.02)
    pad = haptos.box_pad(0.02, 0.02, 0.02, grading=haptos.PadGrading.uniform(0.01))
    scene.add_prescribed("mount")
    scene.add_soft("gel", pad.mesh, glue={"mount": pad.base_vertices}, material={"young": 1e6, "density": 2000, "stiffness_damping": "20 ms"})
    sim = scene.compile(envs=2, quiet=True)
    sim.set_mass_scale("gel", [1, 4])
    for _ in range(60):
        assert sim.step().ok
    weight = 2000 * pad.mesh.volume * G
    assert sim.reaction("mount").force[:, 2] == pytest.approx([-weight, -4 * weight], rel=1e-3)


def test_environments_alone_and_among_others_have_the_same_bits(tmp_path):
    """Also saved and loaded, and after factors that were taken back."""
    scene = on_the_floor("affine", "prescribed")
    many, alone = scene.compile(envs=3, quiet=True), scene.compile(quiet=True)
    many.set_friction_scale("box", FACTORS), alone.set_friction_scale("box", FACTORS[1])
    many.set_mass_scale("box", [1, 2, 3]), alone.set_mass_scale("box", 2)
    for _ in range(20):
        many.step(), alone.step()
    assert (many.positions("box")[1] == alone.positions("box")[0]).all()
    many.save(tmp_path / "state")
    other = scene.compile(envs=3, quiet=True)
    other.load(tmp_path / "state")
    assert (other.friction_scale("box") == FACTORS).all() and (other.mass_scale("box") == [1, 2, 3]).all()
    many.step(), other.step()
    assert (many.positions("box") == other.positions("box")).all()
    other.reset()
    assert (other.friction_scale("box") == 1).all() and (other.mass_scale("box") == 1).all()
    fresh = scene.compile(quiet=True)
    for _ in range(20):
        other.step(), fresh.step()
    assert (other.positions("box")[2] == fresh.positions("box")[0]).all()


def test_hooks_draw_them():
    scene = on_the_floor("affine", "robot")
    sim = scene.compile(envs=2, quiet=True)
    mask, random = np.array([False, True]), [np.random.default_rng(k) for k in range(2)]
    for name in ("box", "floor"):
        starts.friction(name, 0.5, 0.9)(sim, mask, random)
        assert sim.friction_scale(name)[0] == 1 and 0.5 <= sim.friction_scale(name)[1] <= 0.9
        starts.mass(name, 2, 3)(sim, mask, random)
    assert (sim.mass_scale("box")[0], sim.mass_scale("floor/floor")[0]) == (1, 1)
    assert 2 <= sim.mass_scale("box")[1] <= 3
    assert sim.robots["floor"].friction_scale[1] == sim.friction_scale("floor")[1]


def test_an_environment_draws_the_same_among_few_and_among_many():
    scene, hooks = on_the_floor("affine", "robot"), [starts.friction("box", 0.5, 2), starts.mass("box", 0.5, 2), starts.gravity(-9, -5)]
    few, many = scene.compile(envs=2, quiet=True), scene.compile(envs=5, quiet=True)
    for sim in (few, many):
        starts.randomise(sim, hooks, seed=7)
    assert (few.friction_scale("box") == many.friction_scale("box")[:2]).all()
    assert (few.mass_scale("box") == many.mass_scale("box")[:2]).all() and (few.gravity == many.gravity[:2]).all()
    assert len(set(many.mass_scale("box"))) == 5
    before = many.mass_scale("box").copy()
    starts.randomise(many, hooks, seed=7, mask=[False, True, False, False, False], episode=1)
    assert list(many.mass_scale("box") == before) == [True, False, True, True, True]
    starts.randomise(many, hooks, seed=7)
    assert (many.mass_scale("box") == before).all()
    for wrong in ({"seed": -1}, {"seed": 1.5}, {"seed": 1, "episode": True}, {"seed": 1, "mask": [True]}):
        with pytest.raises(haptos.InputError):
            starts.randomise(many, hooks, **wrong)


@pytest.mark.parametrize("scale", [-1.0, np.nan, 1e9, [1.0, 2.0, 3.0]])
def test_what_is_no_factor(scale):
    sim = on_the_floor("soft", "half space").compile(quiet=True)
    with pytest.raises(haptos.InputError, match="friction factor"):
        sim.set_friction_scale("box", scale)
    with pytest.raises(haptos.InputError, match="mass factor"):
        sim.set_mass_scale("box", scale)
    assert (sim.friction_scale("box") == 1).all() and (sim.mass_scale("box") == 1).all()


def test_who_has_none():
    scene = haptos.Scene()
    pad = haptos.box_pad(0.02, 0.02, 0.02, grading=haptos.PadGrading.uniform(0.01))
    scene.add_affine("carrier", haptos.box((0.02, 0.02, 0.02)), position=(0, 0, 0.0101))
    scene.add_soft("gel", pad.mesh, glue={"carrier": pad.base_vertices})
    scene.add_half_space("floor", offset=-1)
    sim = scene.compile(quiet=True)
    with pytest.raises(haptos.InputError, match="inertia of \"carrier\""):
        sim.set_mass_scale("gel", 2)
    with pytest.raises(haptos.InputError, match="mass factor of \"floor\""):
        sim.set_mass_scale("floor", 2)
    with pytest.raises(haptos.InputError, match="friction factor of \"flor\""):
        sim.set_friction_scale("flor", 2)
