"""Pads of model hydroelastic: linear layers whose coat touches in frozen contact, docs/contact/touch.md."""

import numpy as np
import pytest

import haptos
from haptos.base.turns import rotation
from haptos.press import prepare

PAD = """\
name: Small
pad: {kind: box, width: 12 mm, depth: 12 mm, thickness: 3 mm, elements: {centre: 0.8 mm, even: [12 mm, 12 mm], top: 0.75 mm, base: 0.75 mm}}
material: {young: 100 kPa, poisson: %s, density: 1000}
friction: 0.8
camera: {kind: orthographic, width: 64, height: 64, pitch: 0.15 mm}
markers: {rows: 7, columns: 7, pitch: 1.2 mm}
"""
E, AREA, THICK = 1e5, 0.012**2, 3e-3


@pytest.fixture(scope="module")
def pads(tmp_path_factory):
    """Sensor files with Poisson's ratio .45 and 0."""
    folder = tmp_path_factory.mktemp("pads")
    for name, poisson in (("small", 0.45), ("straight", 0.0)):
        (folder / f"{name}.yaml").write_text(PAD % poisson)
    return folder


def on_table(file, *, dt=5e-3, gravity=(0, 0, -9.81), **plate):
    """A pad on a table that does not move, and a plate of 20 x 20 x 4 mm over it, 10 um above."""
    scene = haptos.Scene(dt=dt, gravity=gravity)
    haptos.load_sensor(str(file)).add_to(scene, "pad", model="hydroelastic")
    scene.add_rigid("plate", haptos.RobotShape("box", [0.01, 0.01, 0.002]),
                    position=(0, 0, 0.002 + 1e-5), **{"mass": 0.1, "friction": 0.8} | plate)
    return scene.compile(quiet=True)


def settle(sim, seconds=0.5):
    for _ in range(round(seconds / sim.dt)):
        assert sim.step().ok


def pose(sim, name="plate"):
    return sim.robots[name].link_pose(name)[0]


@pytest.mark.parametrize(("mass", "dt"), [(0.02, 5e-3), (0.2, 5e-3), (0.2, 2e-3)])
def test_a_plate_sinks_by_the_law_of_the_pad(pads, mass, dt):
    # Without Poisson's effect a pad under a plate is a column: the law log_neo_hookean has
    # P = E / 2 (1 / s - s) at the stretch s, whatever mass and step.
    sim = on_table(pads / "straight.yaml", dt=dt, mass=mass)
    settle(sim)
    p = mass * 9.81 / (E * AREA)
    sunk = THICK * (1 + p - np.sqrt(1 + p * p))
    assert 0.002 - pose(sim)[2] == pytest.approx(sunk, rel=5e-3)
    touch = sim.sensors["pad"].touch()
    assert touch.force[0] == pytest.approx([0, 0, -mass * 9.81], abs=2e-3 * mass * 9.81)
    assert np.abs(touch.torque[0]).max() < 1e-6


def test_what_is_pushed_aside_takes_the_coat_along_and_does_not_creep(pads):
    sim = on_table(pads / "small.yaml")
    settle(sim)
    before, push = pose(sim), np.array([0.1, 0, 0])
    for part in np.linspace(0, 1, 21)[1:]:  # all at once it swings, and slips a little
        sim.robots["plate"].set_wrench("plate", force=part * push)
        settle(sim, sim.dt)
    settle(sim)
    held = pose(sim)
    assert sim.sensors["pad"].touch().force[0] == pytest.approx(push - [0, 0, 0.981], abs=5e-3)
    face = [rotation(p[3:]) @ [0, 0, -0.002] + p[:3] for p in (before, held)]
    moved = face[1][0] - face[0][0]
    stiffness = E / (2 * 1.45) * AREA / THICK  # G A / t, less for sides that are free
    assert 1.0 < moved * stiffness / push[0] < 1.6
    assert sim.sensors["pad"].markers().flow[0, :, 0].mean() == pytest.approx(moved, rel=0.05)
    settle(sim, 1.0)
    assert np.abs(pose(sim)[:3] - held[:3]).max() < 2e-7


def test_what_slides_has_the_friction_of_its_normal_force(pads):
    sim = on_table(pads / "small.yaml", dt=1e-3)
    settle(sim)
    sim.robots["plate"].set_wrench("plate", force=(0.9, 0, 0))
    settle(sim, 0.03)
    assert sim.robots["plate"].link_velocity("plate")[0, 0] > 0.05
    # It leans forward, and the pad with it.
    force = rotation(pose(sim)[3:]).T @ sim.sensors["pad"].touch().force[0]
    assert force[0] == pytest.approx(-0.8 * force[2], rel=0.02)


def press(file, model, depth=3e-4, **more):
    made = prepare("sphere2", sensor=str(file), depth=depth, model=model, elements=0 if model == "soft"
                   else None, **more)
    while not made.done:
        step = made.step()
        assert step.report.ok
    return made, step


def test_a_press_is_that_of_the_gel(pads):
    soft, by_gel = press(pads / "small.yaml", "soft", shear=(1e-4, 0.0))
    fast, by_layer = press(pads / "small.yaml", "hydroelastic", shear=(1e-4, 0.0))
    a, b = by_gel.object_force, by_layer.object_force
    print(f"FIGURE coats.press = {b} of {a} N")
    # Elements of .8 mm under a contact of 2 mm: on those of sensors, test_touch_shapes.py.
    assert b[2] == pytest.approx(a[2], rel=0.25) and b[0] == pytest.approx(a[0], rel=0.25)
    depth, of_layer = soft.sensor.depth()[0], fast.sensor.depth()[0]
    seen = np.isfinite(depth) & np.isfinite(of_layer)
    assert np.sqrt(np.mean((depth - of_layer)[seen]**2)) < 1.5e-5
    flow, of_flow = soft.sensor.markers().pixel_flow[0], fast.sensor.markers().pixel_flow[0]
    assert np.sqrt(np.mean((flow - of_flow)**2)) < 0.35 * np.sqrt(np.mean(flow**2))


def test_what_is_pressed_lies_on_what_presses(pads):
    # Between nodes too, by what probes give way beyond them: without it the middle of a ball is 76 um off.
    # A tip of .5 mm is narrower than nodes are apart, and drawn too deep.
    for shape, radius, off in (("cylinder", 1.5e-3, 8e-6), ("sphere", 1e-4, 8e-6), ("cone", 1e-4, 7e-5)):
        made = prepare(shape, sensor=str(pads / "small.yaml"), depth=2e-4, model="hydroelastic", friction=0.0)
        rest = made.sim.positions("gel").reshape(-1, 3).copy()
        while not made.done:
            made.step()
        now = made.sim.positions("gel").reshape(-1, 3)
        under = (np.hypot(rest[:, 0], rest[:, 1]) < radius) & (rest[:, 2] > -1e-6)
        sunk = (rest - now)[under, 2]
        print(f"FIGURE coats.sunk.{shape} = {1e6 * sunk.min():.1f} to {1e6 * sunk.max():.1f} um of 200")
        assert len(sunk) and sunk == pytest.approx(2e-4, abs=off)


@pytest.mark.parametrize("beside", [0.0, 1e-4])
def test_a_ball_stays_about_where_it_is_put(pads, beside):
    # Nodes .8 mm apart must not pull it from one to the next: with pressure on nodes alone it rolled 1.1 mm.
    scene = haptos.Scene(dt=2e-3)
    haptos.load_sensor(str(pads / "small.yaml")).add_to(scene, "pad", model="hydroelastic")
    scene.add_rigid("ball", haptos.RobotShape("sphere", 0.004), mass=0.05, position=(beside, 0, 0.0041))
    sim = scene.compile(quiet=True)
    way = 0.0
    for _ in range(100):
        settle(sim, 0.01)
        way = max(way, float(np.hypot(pose(sim, "ball")[0] - beside, pose(sim, "ball")[1])))
    print(f"FIGURE coats.ball_moved.{1e6 * beside:.0f} = {1e6 * way:.0f} um")
    assert way < 4e-4
    assert sim.sensors["pad"].touch().force[0, 2] == pytest.approx(-0.05 * 9.81, rel=0.01)


def test_the_image_sums_to_the_wrench(pads):
    made, step = press(pads / "small.yaml", "hydroelastic", shear=(1e-4, 5e-5))
    image = made.sensor.force_image()
    total = image.force[0].sum(axis=(1, 2)) + image.outside[0]
    assert total == pytest.approx(-step.object_force, abs=1e-9)
    assert made.sensor.touch().force[0] == pytest.approx(-step.object_force, abs=1e-9)
    assert step.mount_force == pytest.approx(-step.object_force, abs=1e-9)
    pressure = made.sensor.contact_field().pressure[0]  # smoothed
    assert pressure.min() > -0.01 * pressure.max()


def test_without_contact_everything_is_zero(pads):
    sim = on_table(pads / "small.yaml", gravity=(0, 0, 0))
    settle(sim, 0.05)
    sensor = sim.sensors["pad"]
    assert not sensor.depth(raw=True)[0].any() and not sensor.touch().force.any()
    assert not sensor.markers().flow.any() and not sensor.force_image().force.any()


def test_a_pad_that_is_moved_and_turned_reads_the_same(pads):
    read = []
    turn = np.array([0.5, 0.1, -0.7, 0.5]) / np.linalg.norm([0.5, 0.1, -0.7, 0.5])
    for position, quaternion in (((0, 0, 0), (1, 0, 0, 0)), ((0.3, -0.2, 0.5), turn)):
        scene = haptos.Scene(dt=5e-3, gravity=(0, 0, 0))
        scene.add_prescribed("mount", position=position, quaternion=quaternion)
        haptos.load_sensor(str(pads / "small.yaml")).add_to(
            scene, "pad", frame="mount", model="hydroelastic")
        scene.add_rigid("ball", haptos.RobotShape("sphere", 0.003), fixed=True,
                        position=rotation(quaternion) @ [1e-3, 5e-4, 0.003 - 2e-4] + position,
                        quaternion=quaternion)
        sim = scene.compile(quiet=True)
        settle(sim, 0.05)
        read.append((sim.sensors["pad"].depth()[0], sim.sensors["pad"].touch().force[0]))
    assert np.nanmax(np.abs(read[0][0] - read[1][0])) < 1e-8
    assert read[1][1] == pytest.approx(read[0][1], rel=1e-6)


def test_what_has_no_inside_is_said_not_to_touch(pads):
    x, y = np.meshgrid(*2 * [np.linspace(-0.01, 0.01, 3)])
    sheet = haptos.TriMesh(np.c_[x.ravel(), y.ravel(), np.full(9, 1e-3)],
                           [[0, 1, 4], [0, 4, 3], [1, 2, 5], [1, 5, 4], [3, 4, 7], [3, 7, 6],
                            [4, 5, 8], [4, 8, 7]])
    scene = haptos.Scene(dt=5e-3, gravity=(0, 0, 0))
    haptos.load_sensor(str(pads / "small.yaml")).add_to(scene, "pad", model="hydroelastic")
    scene.add_prescribed("sheet", sheet)
    said = scene.compile(quiet=True).warnings
    assert any('"sheet" has no inside, so pads of model hydroelastic do not touch it' in w for w in said)
