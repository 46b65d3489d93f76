"""Soft bodies in frozen contact: beside the live family, material points, statics and closed forms."""

import functools
import itertools
from pathlib import Path

import numpy as np
import pytest

import haptos
from test_material_points import PLATE, force_on


def block(size, n):
    """A box of tetrahedra about the origin, six to a cell, each half the mirror of the other."""
    n = np.array(n)
    v = np.stack(np.meshgrid(*[np.arange(k + 1) for k in n], indexing="ij"), -1).reshape(-1, 3)
    cells = np.stack(np.meshgrid(*[np.arange(k) for k in n], indexing="ij"), -1).reshape(-1, 3)
    way = np.where(2 * cells < n, 1, -1)
    tets = []
    for order in itertools.permutations(range(3)):
        corners = [cells + (way < 0)]
        for axis in order:
            corners.append(corners[-1] + way * np.eye(3, dtype=int)[axis])
        t = np.stack([(c[:, 0] * (n[1] + 1) + c[:, 1]) * (n[2] + 1) + c[:, 2] for c in corners], 1)
        odd = np.linalg.det(np.eye(3)[list(order)]) * way.prod(1) < 0
        t[odd] = t[odd][:, [0, 2, 1, 3]]
        tets.append(t)
    return haptos.TetMesh((v / n - 0.5) * np.array(size), np.concatenate(tets))


def lumped_masses(mesh, density):
    """Of linear elements, per vertex [kg]."""
    v, tets = np.array(mesh.vertices), np.array(mesh.tets)
    volume = np.linalg.det(v[tets[:, 1:]] - v[tets[:, :1]]) / 6
    return np.bincount(tets.ravel(), np.repeat(density / 4 * volume, 4), len(v))


def settle(sim, seconds):
    for _ in range(round(seconds / sim.dt)):
        report = sim.step()
        assert report.ok, report
    return report


def held_cube(folder, kind):
    """A cube of 10 cm between two plates that push with 10 N, in a family of contact: the forces of each plate."""
    (folder / "plate.urdf").write_text(PLATE)
    scene = haptos.Scene(dt=0.01)
    scene.newton.force_tolerance = 1e-7
    for name, x in (("left", -0.0601), ("right", 0.0601)):
        scene.add_robot(name, folder / "plate.urdf", position=(x, 0, 0), friction=0.8)
    if kind == "points":
        scene.add_material_points("cube", haptos.RobotShape("box", extents=(0.1, 0.1, 0.1)), density=400, young=1e5,
                                  poisson=0.4, cell=0.025, seeding="lattice", friction=0.8)
    else:
        contact, law, element = kind
        scene.add_soft("cube", block((0.1, 0.1, 0.1), (4, 4, 4)), contact=contact, element=element, friction=0.8,
                       material={"density": 400, "young": 1e5, "poisson": 0.4, "law": law})
    sim = scene.compile(quiet=True)
    sim.robots["left"].set_torque([[10.0]])
    sim.robots["right"].set_torque([[-10.0]])
    settle(sim, 0.4)
    return np.array([force_on(sim, "cube", "left/plate"), force_on(sim, "cube", "right/plate")])


KINDS = [("live", "log_neo_hookean", "composite"), ("frozen", "log_neo_hookean", "composite"),
         ("frozen", "linear_corotated", "composite"), ("frozen", "linear_corotated", "linear"),
         ("hydroelastic", "log_neo_hookean", "composite"), ("hydroelastic", "linear_corotated", "linear"), "points"]
BOTH = pytest.mark.parametrize("contact", ["frozen", "hydroelastic"])


@pytest.mark.parametrize("kind", KINDS, ids=lambda k: "-".join(k) if isinstance(k, tuple) else k)
def test_a_cube_held_at_ten_newtons_has_the_forces_of_statics(tmp_path, kind):
    forces = held_cube(tmp_path, kind)
    up = 0.5 * 0.4 * 9.81
    print(f"FIGURE held_cube.{kind} = {forces[0, 0]:.5f} N normal, {forces[0, 2]:.5f} N up of {up:.5f}")
    assert forces[:, 0] == pytest.approx([10, -10], rel=2e-3)
    assert forces[:, 2] == pytest.approx([up, up], rel=2e-3)
    assert np.abs(forces[:, 1]).max() < 2e-3 * up


@functools.cache
def pressed(contact, law="log_neo_hookean", element="composite", dt=0.01, friction=0.5):
    """Force of a ball of 4 mm that is 1 mm deep in a pad of 4 mm, then 1 mm further along it [N]."""
    scene = haptos.Scene(dt=dt)
    scene.sim.gravity_z = 0
    scene.contact.support = "20 um"
    pad = haptos.box_pad(0.02, 0.02, 0.004, grading=haptos.PadGrading(top_size=1.2e-3, base_size=2e-3,
                                                                      centre_size=1.2e-3, rim_size=3e-3))
    scene.add_prescribed("base")
    at = [(0, 4.03e-3), (0.1, 3e-3), (0.15, 3e-3), (0.25, 3e-3), (0.3, 3e-3)]
    along = [0, 0, 0, 1e-3, 1e-3]
    scene.add_prescribed("ball", haptos.icosphere(4e-3, 5e-4), friction=friction,
                         trajectory=[(t, (x, 0, z)) for (t, z), x in zip(at, along)])
    scene.add_soft("gel", pad.mesh, material={"young": 1e5, "poisson": 0.48, "law": law}, friction=friction,
                   glue={"base": pad.base_vertices}, contact=contact, element=element)
    sim = scene.compile(quiet=True)
    settle(sim, 0.15)
    deep = sim.reaction("ball").force[0]
    settle(sim, 0.15)
    return deep, sim.reaction("ball").force[0]


def test_a_pressed_pad_gives_the_forces_of_the_live_family():
    (deep, along), (live_deep, live_along) = pressed("frozen"), pressed("live")
    print(f"FIGURE pressed_pad = {deep[2]:.4f} N frozen, {live_deep[2]:.4f} N live; "
          f"sheared {-along[0]:.4f} and {-live_along[0]:.4f} N")
    # Barrier contact stands off by up to the support of 20 um, 3 % of the force of a depth of 1 mm.
    assert deep[2] == pytest.approx(live_deep[2], rel=0.03)
    assert along[2] == pytest.approx(live_along[2], rel=0.03)
    # 4.2 %, with tighter tolerances too.
    assert along[0] == pytest.approx(live_along[0], rel=0.05)
    assert np.abs(deep[:2]).max() < 2e-3 * deep[2]


def test_pressure_inside_a_pad_gives_these_forces_too():
    (deep, along), (points_deep, points_along) = pressed("hydroelastic"), pressed("frozen")
    print(f"FIGURE pressed_pad_inside = {deep[2]:.4f} N by pressure, {points_deep[2]:.4f} N at points; "
          f"sheared {-along[0]:.4f} and {-points_along[0]:.4f} N")
    # Contact gives way by a thirtieth of an element of 1.2 mm, and the ball is 1 mm deep.
    assert deep[2] == pytest.approx(points_deep[2], rel=0.05)
    assert along[2] == pytest.approx(points_along[2], rel=0.05)
    assert along[0] == pytest.approx(points_along[0], rel=0.04)
    assert np.abs(deep[:2]).max() < 2e-3 * deep[2]


def squeezed(n, jitter=0.0, contact="frozen", modulus=1e10, floor=0.0):
    """A block between a floor and a plate without friction, 1 % shorter: its mean pressure and gaps, E and K."""
    young, size = 1e5, np.array([0.04, 0.04, 0.02])
    mesh = block(size, (n, n, n))
    if jitter:
        v = np.array(mesh.vertices)
        inner = (np.abs(v) < 0.499 * size).all(1)
        v[inner] += jitter * size / n * (np.random.default_rng(3).random((inner.sum(), 3)) - 0.5)
        mesh = haptos.TetMesh(v, mesh.tets)
    scene = haptos.Scene(dt=0.01)
    scene.sim.gravity_z, scene.newton.force_tolerance = 0, 1e-9
    if contact == "frozen":
        scene.sim.integrator = "quasi_static"
    scene.add_half_space("floor", hydroelastic=floor)
    top = 0.02 + 0.002
    scene.add_prescribed("plate", haptos.box((0.06, 0.06, 0.004)),
                         trajectory=[(0, (0, 0, top)), (0.1, (0, 0, top - 2e-4))])
    scene.add_soft("block", mesh, position=(0, 0, 0.01), contact=contact, modulus=modulus,
                   material={"young": young, "poisson": 0.3, "law": "linear"})
    sim = scene.compile(quiet=True)
    settle(sim, 0.3)
    rows = sim.contacts
    return rows, sim.reaction("plate").force[0, 2], young, modulus


def test_uniform_pressure_is_carried_exactly():
    # Any mesh: the forces are those of one pressure, each by its area, and the block is as stiff as E A / L.
    rows, force, young, modulus = squeezed(4, jitter=0.3)
    area, pressure = 0.04**2, force / 0.04**2
    assert rows["area"].sum() == pytest.approx(2 * area, rel=1e-12)
    assert rows["normal_force"] == pytest.approx(pressure * rows["area"], rel=1e-5)
    strain = (2e-4 + 2 * rows["gap"].mean()) / 0.02
    assert pressure == pytest.approx(young * strain, rel=1e-5)
    assert -rows["gap"] == pytest.approx(np.full(len(rows), pressure / modulus), rel=1e-4)


def test_uniform_pressure_inside_tetrahedra_is_that_of_its_depth():
    # On a floor that has a pressure too, both give way. Beside the walls depth is that to the wall, which is told by
    # a 32nd of an element: 1 % of the area bears half.
    rows, force, young, modulus = squeezed(4, jitter=0.3, contact="hydroelastic", modulus=1e9, floor=5e8)
    area = (0.04 * (1 + 0.3 * 0.01)) ** 2  # by now; that of points is the one at rest
    pressure = force / 0.04**2
    assert rows["area"].sum() == pytest.approx(2 * area, rel=1e-3)
    low = rows["n"][:, 2] > 0
    assert -np.median(rows["gap"][~low]) == pytest.approx(pressure / modulus, rel=2e-2)
    assert -np.median(rows["gap"][low]) == pytest.approx(pressure * (1 / modulus + 1 / 5e8), rel=2e-2)
    strain = (2e-4 + np.median(rows["gap"][low]) + np.median(rows["gap"][~low])) / 0.02
    assert pressure == pytest.approx(young * strain, rel=2e-3)


@BOTH
@pytest.mark.parametrize("dt", [0.001, 0.01, 0.03])
def test_linear_corotated_elements_converge_from_a_cold_start(dt, contact):
    # Convex: a soft cube that starts half a millimetre in the floor, turned and at a speed.
    scene = haptos.Scene(dt=dt)
    scene.add_half_space("floor", friction=0.5)
    scene.add_soft("cube", block((0.04, 0.04, 0.04), (3, 3, 3)), position=(0, 0, 0.0275), contact=contact,
                   element="linear", quaternion=(np.cos(np.pi / 8), np.sin(np.pi / 8), 0, 0), velocity=(0.3, 0, -1), friction=0.5,
                   material={"young": 3e4, "poisson": 0.3, "law": "linear_corotated"})
    sim = scene.compile(quiet=True)
    for _ in range(round(0.6 / dt)):
        report = sim.step()
        # By pressure a step is solved up to four times (docs/contact/soft_frozen.md).
        assert report.ok and report.iterations[0] <= (15 if contact == "frozen" else 60), report
    assert sim.positions("cube")[0][:, 2].min() > (-1e-3 if contact == "frozen" else -2e-3)


@BOTH
def test_a_blow_keeps_momentum_and_gives_no_energy(contact):
    # A soft cube flies into a free rigid one, off the middle, without gravity.
    scene = haptos.Scene(dt=0.002)
    scene.sim.gravity_z, scene.newton.force_tolerance = 0, 1e-9
    mesh = block((0.04, 0.04, 0.04), (3, 3, 3))
    scene.add_soft("soft", mesh, contact=contact, velocity=(1, 0, 0), friction=0.5, element="linear",
                   material={"young": 3e4, "poisson": 0.3, "law": "linear_corotated"})
    scene.add_rigid("rigid", haptos.RobotShape("box", extents=(0.04, 0.04, 0.04)), position=(0.05, 0.01, 0),
                    mass=0.1, friction=0.5)
    sim = scene.compile(quiet=True)
    lumped = lumped_masses(mesh, 1000)
    energy, touched, before = [], False, sim.positions("soft")[0]
    for _ in range(80):
        report = sim.step()
        assert report.ok
        touched |= sim.contacts.size > 0
        energy.append(report.kinetic[0] + report.potential[0])
        now = sim.positions("soft")[0]
        momentum = lumped @ (now - before) / sim.dt + 0.1 * sim.robots["rigid"].link_velocity("rigid")[0, :3]
        before = now
        assert momentum == pytest.approx([0.064, 0, 0], abs=1e-9)
    assert touched and sim.contacts.size == 0
    assert max(energy) <= 0.5 * 0.064 * (1 + 1e-9)


@BOTH
def test_the_finger_of_a_robot_carries_what_its_pad_bears(tmp_path, contact):
    (tmp_path / "plate.urdf").write_text(PLATE.replace('xyz="1 0 0"', 'xyz="0 0 1"').replace("0.02 0.2 0.2", "0.05 0.05 0.02"))
    scene = haptos.Scene(dt=0.01)
    scene.add_half_space("floor", friction=0.5)
    scene.add_robot("arm", tmp_path / "plate.urdf", position=(0, 0, 0.0305))
    mesh = block((0.04, 0.04, 0.02), (4, 4, 2))
    scene.add_soft("pad", mesh, position=(0, 0, 0.0105), contact=contact, friction=0.5,
                   glue={"arm/plate": np.flatnonzero(mesh.vertices[:, 2] > 0.0099)},
                   material={"young": 1e5, "poisson": 0.4})
    sim = scene.compile(quiet=True)
    sim.robots["arm"].set_torque([[-5.0]])
    settle(sim, 0.5)
    weight = (0.1 + 1000 * 0.04 * 0.04 * 0.02) * 9.81
    floor = force_on(sim, "pad", "floor")
    assert floor[2] == pytest.approx(5 + weight, rel=1e-3)
    assert force_on(sim, "pad", "arm/plate") == pytest.approx(np.zeros(3), abs=0)


@BOTH
def test_a_saved_state_and_an_environment_of_many_go_on_alike(contact):
    scene = haptos.Scene(dt=0.01)
    scene.add_half_space("floor", friction=0.5)
    scene.add_soft("cube", block((0.04, 0.04, 0.04), (3, 3, 3)), position=(0, 0, 0.022), contact=contact,
                   velocity=(0.5, 0, -0.5), friction=0.5, material={"young": 3e4, "poisson": 0.3})
    alone, many = scene.compile(quiet=True), scene.compile(envs=3, quiet=True)
    settle(alone, 0.1)
    state = alone.state
    settle(alone, 0.1)
    settle(many, 0.2)
    for k in range(3):
        assert np.array_equal(many.positions("cube")[k], alone.positions("cube")[0])
    again = scene.compile(quiet=True)
    again.set_state(state)
    settle(again, 0.1)
    assert np.array_equal(again.positions("cube"), alone.positions("cube"))


def test_what_frozen_contact_is_not_for_is_said():
    def scene_with(**fields):
        scene = haptos.Scene(dt=0.01)
        scene.add_soft("cube", block((0.04, 0.04, 0.04), (1, 1, 1)), contact="frozen", **fields)
        return scene

    with pytest.raises(haptos.InputError, match="no contact of a surface with itself"):
        scene_with(self_contact=True).compile()
    scene = scene_with()
    scene.sim.integrator = "bdf2"
    with pytest.raises(haptos.InputError, match="implicit_euler or quasi_static only"):
        scene.compile()
    scene = scene_with()
    scene.add_affine("other", haptos.box((0.04, 0.04, 0.04)), position=(0, 0, 0.1))
    with pytest.warns(UserWarning, match="pass through each other"):
        scene.compile()
    scene.add_pair("cube", "other", model="barrier")
    with pytest.raises(haptos.InputError, match="a soft body in frozen contact and an affine body take none"):
        scene.compile()


@BOTH
def test_one_finger_pushes_alike_in_both_families(tmp_path, contact):
    text = Path("scenes/gel_finger_pushes_block_frozen.yaml").read_text().replace("contact: frozen", f"contact: {contact}")
    (tmp_path / "frozen.yaml").write_text(text)
    frozen = haptos.load_scene(tmp_path / "frozen.yaml").compile(quiet=True)
    text = Path("scenes/gel_finger_pushes_block.yaml").read_text().replace("friction: [0.5, 0.4]", "friction: 0.5")
    (tmp_path / "live.yaml").write_text(text)
    live = haptos.load_scene(tmp_path / "live.yaml").compile(quiet=True)
    settle(frozen, 0.6)
    settle(live, 0.6)
    pushes = [-sim.reaction("hand").force[0, 0] for sim in (frozen, live)]
    print(f"FIGURE finger_pushes.{contact} = {pushes[0]:.5f} N, {pushes[1]:.5f} N live")
    floor = force_on(frozen, "block", "floor")
    assert pushes[0] == pytest.approx(0.5 * floor[2], rel=1e-3)
    assert pushes[0] == pytest.approx(pushes[1], rel=0.01)
    places = frozen.robots["block"].link_pose("block")[0, 0], live.pose("block")[0, 0]
    assert places[0] == pytest.approx(places[1], abs=1e-4)  # that is how far the barrier stands off


@pytest.mark.parametrize("kind", ["frozen", "hydroelastic", "points"])
def test_a_rigid_box_on_a_soft_one_stays_on_a_slope(kind):
    # 20 degrees, friction a fifth more than it takes, the rigid box five times as heavy.
    angle, size, high = np.radians(20), (0.6, 0.6, 0.3), 0.3
    friction = 1.2 * np.tan(angle)
    scene = haptos.Scene(dt=0.01)
    scene.sim.gravity_x, scene.sim.gravity_z = 9.81 * np.sin(angle), -9.81 * np.cos(angle)
    scene.add_half_space("slope")
    at = {"position": (0, 0, high / 2), "friction": friction}
    if kind == "points":
        scene.add_material_points("soft", haptos.RobotShape("box", extents=size), density=20, young=8e4,
                                  poisson=0.2, cell=0.15, **at)
    else:
        scene.add_soft("soft", block(size, (4, 4, 2)), contact=kind, element="linear",
                       material={"density": 20, "young": 8e4, "poisson": 0.2, "law": "linear_corotated"}, **at)
    scene.add_rigid("rigid", haptos.RobotShape("box", extents=size), density=100, friction=friction,
                    position=(0, 0, 1.5 * high))
    sim = scene.compile(quiet=True)

    def places():
        soft = sim.material_points["soft"].position[0] if kind == "points" else sim.positions("soft")[0]
        return np.array([soft.mean(0), sim.robots["rigid"].link_pose("rigid")[0, :3]])

    settle(sim, 1.5)
    start = places()
    settle(sim, 1)
    print(f"FIGURE stack_on_slope.{kind} = moved {1e3 * np.abs(places() - start).max():.4f} mm in 1 s")
    assert np.abs(places() - start).max() < 1e-3
    weight = 6 * 20 * 0.6 * 0.6 * high * 9.81
    assert force_on(sim, "soft", "slope") == pytest.approx(
        [-weight * np.sin(angle), 0, weight * np.cos(angle)], abs=2e-3 * weight)


def test_pressure_inside_feels_what_passes_between_points():
    # A needle of .5 mm radius, .3 mm deep in the middle of an element of 4 mm of a block that is nearly rigid.
    def force(contact):
        scene = haptos.Scene(dt=0.01)
        scene.sim.gravity_z = 0
        scene.sim.integrator = "quasi_static"
        mesh = block((0.024, 0.024, 0.012), (6, 6, 3))
        scene.add_soft("block", mesh, contact=contact, material={"young": 1e9, "poisson": 0.3}, element="linear", modulus=1e9,
                       glue={"base": np.flatnonzero(mesh.vertices[:, 2] < -0.0059)})
        scene.add_prescribed("base")
        tip = haptos.icosphere(5e-4, 5e-5)
        scene.add_prescribed("needle", tip, trajectory=[(0, (1.1e-3, 0.6e-3, 0.00651)), (0.1, (1.1e-3, 0.6e-3, 0.0062))])
        sim = scene.compile(quiet=True)
        settle(sim, 0.2)
        return sim.reaction("needle").force[0, 2]

    right = 1e9 * np.pi * 3e-4**2 * (5e-4 - 1e-4)
    found = force("hydroelastic")
    print(f"FIGURE needle = {found:.4f} N of {right:.4f} N")
    assert force("frozen") == 0
    assert found == pytest.approx(right, rel=0.15)


@pytest.mark.parametrize("thin", [False, True], ids=["floor", "plate"])
def test_pressure_inside_stops_what_is_fast(thin):
    # 5 m/s: 5 cm a step of 10 ms, more than the cube of 4 cm is wide, and 50 times a plate of 1 mm.
    scene = haptos.Scene(dt=0.01)
    if thin:
        scene.add_rigid("floor", haptos.RobotShape("box", extents=(1, 1, 0.001)), position=(0, 0, -0.0005), fixed=True)
    else:
        scene.add_half_space("floor")
    mesh = block((0.04, 0.04, 0.04), (3, 3, 3))
    scene.add_soft("cube", mesh, position=(0, 0, 0.1), velocity=(0, 0, -5), contact="hydroelastic", element="linear",
                   material={"young": 1e6, "poisson": 0.3, "law": "linear_corotated"})
    sim = scene.compile(quiet=True)
    lowest, fastest = 0, 0
    before = sim.positions("cube")[0].mean(0)
    for _ in range(40):
        assert sim.step().ok
        now = sim.positions("cube")[0].mean(0)
        lowest, fastest = min(lowest, now[2] - 0.02), max(fastest, (now - before)[2] / sim.dt)
        before = now
    assert lowest > -0.012
    assert fastest < 5


PAIRS = [("elements", "elements"), ("points", "elements"), ("elements", "points")]


def pair_of_cubes(low, high, tilt=0.0, friction=0.5, density=400.0, speed=(0, 0, 0)):
    """Two cubes of 10 cm on each other, on a floor that holds the lower one; friction is that between the two."""
    scene = haptos.Scene(dt=0.01)
    scene.sim.gravity_x, scene.sim.gravity_z = 9.81 * np.sin(tilt), -9.81 * np.cos(tilt)
    scene.add_half_space("floor")
    for name, kind, z, cell, own, fast in (("low", low, 0.05, 0.025, 2.0, (0, 0, 0)), ("high", high, 0.15, 0.02, 0.5, speed)):
        if kind == "points":
            scene.add_material_points(name, haptos.RobotShape("box", extents=(0.1, 0.1, 0.1)), position=(0, 0, z),
                                      density=density, poisson=0.3, cell=cell, friction=own, seeding="lattice", velocity=fast)
        else:
            scene.add_soft(name, block((0.1, 0.1, 0.1), [round(0.1 / cell)] * 3), contact="frozen", element="linear",
                           position=(0, 0, z), friction=own, velocity=fast,
                           material={"density": density, "young": 1e5, "poisson": 0.3, "law": "linear_corotated"})
    scene.add_pair("low", "high", friction=friction)
    return scene


def middle(sim, name):
    return (sim.material_points[name].position if name in sim.material_points else sim.positions(name))[0].mean(0)


@pytest.mark.parametrize(("low", "high"), PAIRS)
def test_soft_bodies_bear_each_other_and_material_points(low, high):
    sim = pair_of_cubes(low, high).compile(quiet=True)
    assert not sim.warnings
    settle(sim, 0.6)
    assert force_on(sim, "high", "low") == pytest.approx([0, 0, 0.4 * 9.81], abs=2e-3 * 0.4 * 9.81)
    assert force_on(sim, "low", "floor")[2] == pytest.approx(0.8 * 9.81, rel=2e-3)


@pytest.mark.parametrize(("low", "high"), PAIRS)
def test_soft_bodies_stick_to_each_other_and_slip_by_coulomb(low, high):
    angle = 0.3  # tan: .309
    sim = pair_of_cubes(low, high, angle, friction=0.45).compile(quiet=True)
    offsets, forces = [], []
    for _ in range(90):
        settle(sim, sim.dt)
        offsets.append(middle(sim, "high")[0] - middle(sim, "low")[0])
        forces.append(force_on(sim, "high", "low"))
    # It sways, and stays: the means of two later stretches agree, and it is borne by friction.
    assert max(offsets) < 9e-3
    assert np.mean(offsets[40:65]) == pytest.approx(np.mean(offsets[65:]), abs=1e-3)
    assert -np.mean(forces[40:], 0)[0] == pytest.approx(0.4 * 9.81 * np.sin(angle), rel=0.05)
    sim = pair_of_cubes(low, high, angle, friction=0.2).compile(quiet=True)
    settle(sim, 0.1)
    for _ in range(8):
        settle(sim, sim.dt)
        force = force_on(sim, "high", "low")
        assert 0.16 < -force[0] / force[2] < 0.2 * (1 + 1e-3)  # some points stick for a while
    settle(sim, 0.2)
    assert middle(sim, "high")[0] - middle(sim, "low")[0] > 0.05


@pytest.mark.parametrize(("low", "high"), PAIRS)
def test_a_blow_between_soft_bodies_keeps_momentum_and_gives_no_energy(low, high):
    scene = pair_of_cubes(low, high, speed=(0.3, 0, -1))
    scene.sim.gravity_x = scene.sim.gravity_z = 0
    scene.newton.force_tolerance = scene.newton.velocity_tolerance = 1e-12
    scene.add_pair("low", "floor", enabled=False)
    scene.sim.dt = 0.002
    sim = scene.compile(quiet=True)
    lumped = {}
    for name, kind, n in (("low", low, 4), ("high", high, 5)):
        if kind == "elements":
            lumped[name] = lumped_masses(block((0.1, 0.1, 0.1), [n] * 3), 400)
    before = {name: sim.positions(name)[0] for name in lumped}
    energy, touched = [], False
    for _ in range(30):
        report = sim.step()
        assert report.ok and report.parts == 1
        touched |= sim.contacts.size > 0
        energy.append(report.kinetic[0] + report.potential[0])
        total = np.zeros(3)
        for name in ("low", "high"):
            if name in lumped:
                now = sim.positions(name)[0]
                total += lumped[name] @ (now - before[name]) / sim.dt
                before[name] = now
            else:
                points = sim.material_points[name]
                total += points.mass * points.velocity[0].sum(0)
        assert total == pytest.approx([0.12, 0, -0.4], abs=1e-9)
    assert touched
    assert max(energy) <= 0.5 * 0.4 * 1.09 * (1 + 1e-9)
