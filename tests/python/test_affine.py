"""Affine bodies and friction from Python: forces against closed forms, files, pictures, errors."""

import h5py
import numpy as np
import pytest

import haptos
from conftest import ROOT, run_haptos
from haptos import pictures
from haptos.record.history import History

G = 9.81
SIZE = (0.06, 0.04, 0.03)
MASS = 500 * 0.06 * 0.04 * 0.03


def block_scene(friction=None, slope=0.0, floor=0.0, **body):
    """A block of 36 g with its lower face 10 um above a plane that falls by `slope` towards +x."""
    scene = haptos.Scene(dt=0.01)
    scene.newton.force_tolerance = 1e-9
    normal = np.array([np.sin(slope), 0, np.cos(slope)])
    scene.add_half_space("floor", normal, friction=floor)
    scene.add_affine("block", haptos.box(SIZE), friction=friction,
                     **{"density": 500, "position": normal * (0.015 + 1e-5),
                        "quaternion": (np.cos(slope / 2), 0, np.sin(slope / 2), 0), **body})
    return scene


def test_a_block_falls_and_then_weighs_on_the_floor():
    sim = block_scene(position=(0, 0, 0.018)).compile()
    sim.step()
    assert sim.velocity("block")[0, 2] == pytest.approx(-G * 0.01, rel=1e-9)
    assert sim.velocity("block").shape == (1, 6) and sim.pose("block").shape == (1, 7)
    assert sim.positions("block").shape == (1, 8, 3) and sim.strain("block").shape == (1,)
    assert sim.run(1.5).ok
    assert sim.mass("block") == pytest.approx(MASS, rel=1e-12)
    assert sim.reaction("block").force[0, 2] == pytest.approx(MASS * G, rel=1e-6)
    assert sim.contact_wrench("floor").force[0, 2] == pytest.approx(-MASS * G, rel=1e-6)
    assert 0.015 < sim.pose("block")[0, 2] < 0.015 + 3e-5
    assert sim.strain("block")[0] < 1e-6
    np.testing.assert_allclose(sim.positions("block")[0].mean(axis=0), sim.pose("block")[0, :3],
                               atol=1e-12)


@pytest.mark.parametrize("mu, holds", [(0.30, False), (0.42, True)])
def test_a_ramp_holds_the_block_or_lets_it_slide(mu, holds):
    slope = np.radians(20)  # tan = 0.364
    scene = block_scene(friction=mu, slope=slope, floor=mu)
    scene.newton.force_tolerance = 1e-6
    sim = scene.compile()
    start = sim.pose("block")[0, :3]
    report = sim.run(0.5)
    assert report.ok and report.lag_passes.shape == (1,)
    speed = np.linalg.norm(sim.velocity("block")[0, :3])
    rows = sim.contacts
    assert len(rows) >= 4
    np.testing.assert_allclose(rows["friction"], mu, rtol=1e-12)
    pull = np.linalg.norm(rows["tangential_force"], axis=1)
    assert (pull <= mu * rows["normal_force"] * (1 + 1e-6) + 1e-9).all()
    if holds:
        assert rows["sticking"].all() and speed < 1e-6
        assert np.linalg.norm(sim.pose("block")[0, :3] - start) < 3e-5
        assert np.linalg.norm(rows["tangential_force"].sum(axis=0)) == pytest.approx(
            MASS * G * np.sin(slope), rel=1e-3)
    else:
        expected = G * (np.sin(slope) - mu * np.cos(slope)) * 0.5
        assert not rows["sticking"].any() and speed == pytest.approx(expected, rel=0.02)


def test_kinetic_friction_and_pairs_replace_the_static_one():
    for friction, scene_pair in (((0.5, 0.2), None), (0.9, (0.5, 0.2))):
        scene = block_scene(friction=friction, floor=friction, velocity=(0.3, 0, 0))
        if scene_pair:
            scene.add_pair("floor", "block", friction=scene_pair)
        sim = scene.compile()
        sim.step()  # it lands
        first = sim.velocity("block")[0, 0]
        assert sim.run(0.04).ok
        change = first - sim.velocity("block")[0, 0]
        assert change == pytest.approx(0.2 * G * 0.04, rel=0.05)


def test_momentum_balances_what_acts_on_a_spinning_pushed_block():
    scene = block_scene(friction=0.3, floor=0.3, velocity=(0.2, 0.1, 0), omega=(0, 0, 3),
                        torque=(0, 0, 1e-4))
    sim = scene.compile()
    sim.set_wrench("block", (0.05, 0, -0.1), (0, 0, 2e-4))
    for _ in range(10):
        assert sim.step().ok
        about = sim.pose("block")[0, :3]
        force, torque = sim.reaction("block", about)
        change, turning = sim.inertia_wrench("block", about)
        np.testing.assert_allclose(force, change, atol=1e-6 * MASS * G)
        np.testing.assert_allclose(torque, turning, atol=2e-4 * MASS * G * 0.03)


def test_a_wrench_is_part_of_the_state(tmp_path):
    def free():
        scene = haptos.Scene(dt=0.01, gravity=(0, 0, 0))
        scene.add_affine("block", haptos.box(SIZE), force=(0, 0, 1))
        return scene.compile()

    sim, other = free(), free()
    sim.set_wrench("block", (1, 0, 0), (0, 0, 1e-4))
    sim.run(0.05)
    sim.save(tmp_path / "pushed")
    other.load(tmp_path / "pushed")
    for s in (sim, other):
        s.run(0.05)
    assert sim.state.hash() == other.state.hash()
    other.reset()
    other.run(0.01)
    assert other.velocity("block")[0, 0] == 0


def test_a_wrench_is_held_until_reset():
    scene = haptos.Scene(dt=0.01, gravity=(0, 0, 0))
    scene.add_affine("block", haptos.box(SIZE), mass=0.5, inertia=(1e-3, 1e-3, 1e-3),
                     centre=(0.01, 0, 0), force=(0, 0, 1))
    sim = scene.compile()
    assert sim.mass("block") == 0.5
    sim.set_wrench("block", (1, 0, 0))
    sim.run(0.1)
    np.testing.assert_allclose(sim.velocity("block")[0], [0.2, 0, 0, 0, 0, 0], atol=1e-9)
    sim.reset()
    sim.run(0.1)
    assert sim.velocity("block")[0, 2] == pytest.approx(0.2, rel=1e-9)
    before = sim.state.hash()
    for bad in ((np.nan, 0, 0), (1, 2), "up"):
        with pytest.raises(haptos.InputError):
            sim.set_wrench("block", bad)
    with pytest.raises(haptos.InputError, match='did you mean "block"'):
        sim.set_wrench("blok", (0, 0, 0))
    for read in (sim.mass, sim.strain, sim.pose, sim.velocity, sim.positions):
        with pytest.raises(haptos.InputError, match='did you mean "block"'):
            read("blok")
    assert sim.state.hash() == before


@pytest.mark.parametrize("model", ["barrier", "mortar"])
def test_a_guided_body_presses_until_it_meets_its_force(model):
    scene = haptos.Scene()
    scene.sim.update(gravity_z=0, integrator="quasi_static")
    pad = haptos.box_pad(0.01, 0.01, 0.004, grading=haptos.PadGrading.uniform(0.002))
    scene.add_prescribed("mount")
    scene.add_soft("gel", pad.mesh, glue={"mount": pad.base_vertices}, group="gels",
                   self_contact=True)
    scene.add_affine("ball", haptos.icosphere(0.003, 0.001), position=(0, 0, 0.0035),
                     guide=(0, 0, 2), gravity=False, force=(0, 0, -0.05), group="tools")
    scene.add_pair("gels", "tools", support=3e-5, model=model)
    sim = scene.compile()
    report = sim.run(0.01)
    assert report.ok
    assert sim.contact_wrench("ball").force[0, 2] == pytest.approx(0.05, rel=1e-3)
    assert sim.reaction("mount").force[0, 2] == pytest.approx(-0.05, rel=1e-3)
    assert sim.pose("ball")[0, 2] < 0.0029 and sim.velocity("ball").shape == (1, 6)
    assert sim.pose("ball")[0, :2] == pytest.approx((0, 0), abs=1e-15)
    entry = scene.entries()["affine"][0]
    assert entry["group"] == "tools" and not entry["gravity"]
    np.testing.assert_array_equal(entry["guide"], (0, 0, 1))
    with pytest.raises(haptos.InputError, match="must be barrier, mortar, point, layer or hydroelastic"):
        scene.add_pair("gel", "ball", model="mortr")
    with pytest.raises(haptos.InputError, match="did you mean"):
        scene.add_pair("gel", "tool")
        scene.validate()


def test_what_is_wrong_with_an_affine_body_is_said():
    ball = haptos.icosphere(0.01, 0.005)

    def scene(**more):
        s = haptos.Scene()
        s.add_affine("ball", ball, **more)
        return s

    for more, says in (({"mass": 1, "density": 1}, "both"), ({"mass": 1}, "inertia"),
                       ({"inertia": (1, 1, 1)}, "mass"), ({"mass": 0, "inertia": (1, 1, 1)}, "mass"),
                       ({"friction": "rough"}, "friction"), ({"friction": (1, 2, 3)}, "friction"),
                       ({"friction": -0.1}, "friction"), ({"force": (1, 2)}, "force"),
                       ({"mass": 1, "inertia": np.eye(2)}, "inertia")):
        with pytest.raises(haptos.InputError, match=says):
            scene(**more)
    for more, says in (({"friction": (0.4, 0.5)}, "kinetic"), ({"friction": 1e3}, "friction"),
                       ({"density": 0}, "density"), ({"stiffness": 0}, "stiffness"),
                       ({"mass": 1, "inertia": (1, 1, 3)}, "triangle inequality")):
        with pytest.raises(haptos.InputError, match=says):
            scene(**more).validate()
    with pytest.raises(haptos.InputError, match="geometric"):
        haptos.Scene().contact.combine = "loud"
    named = haptos.Scene()
    for k, word in enumerate(("product", "min", "max", "mean", "geometric")):
        named.contact.combine = word
        assert named.contact.combine == k


def test_entries_recordings_and_pictures_know_affine_bodies(tmp_path):
    sim = block_scene(friction=(0.5, 0.4)).compile()
    entry = sim.entries["affine"][0]
    assert entry["name"] == "block" and entry["density"] == 500 and entry["mass"] is None
    assert entry["friction"] == (0.5, 0.4) and sim.names("affine") == ["block"]
    history = History(sim)
    with haptos.Recorder(tmp_path / "run.h5", sim) as recorder:
        for _ in range(3):
            report = sim.step()
            history.add(report)
            recorder.record(report)
    assert ("block", "affine") in history.bodies and history.can_balance
    assert history.worst_imbalance < 1e-5
    text = (ROOT / "docs" / "files.md").read_text()
    with h5py.File(tmp_path / "run.h5") as f:
        group = f["affine/block"]
        assert group["pose"].shape == (4, 1, 7) and group["velocity"].shape == (4, 1, 6)
        np.testing.assert_array_equal(group["position"][-1], sim.positions("block"))
        np.testing.assert_array_equal(group["force"][-1], sim.reaction("block").force)
        assert group.attrs["mass"] == pytest.approx(MASS)
        assert group.attrs["body"] == sim.body_id("block")
        assert all(f"`{name}`" in text for name in group)
    image = pictures.scene_above(sim, 320, 240).astype(int)
    assert (image[:, :, 0] > image[:, :, 2] + 20).mean() > 0.02  # the colour of wood


def test_describe_and_check_list_affine_bodies_and_friction(capsys):
    from haptos.cli.main import run_command

    scene = str(ROOT / "scenes" / "gel_finger_pushes_block.yaml")
    assert run_command(["describe", scene]) == 0
    text = " ".join(capsys.readouterr().out.split())
    assert "affine" in text and "friction 0.5 and 0.4" in text and "2700 kg/m3" in text
    assert run_command(["check", scene]) == 0
    assert "1 affine" in capsys.readouterr().out
    assert run_command(["describe", "scene"]) == 0
    assert "Scene.add_affine()" in capsys.readouterr().out


def finished(name, tmp_path):
    done = run_haptos("run", ROOT / "scenes" / f"{name}.yaml", "--out", tmp_path / "out",
                      cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    page = (tmp_path / "out" / "report.html").read_text()
    assert "every step converged" in page and "affine" in page
    return tmp_path / "out" / "run.h5"


def test_the_block_on_the_ramp_stays(tmp_path):
    with h5py.File(finished("block_on_ramp", tmp_path)) as f:
        x = f["affine/cube/pose"][:, 0, :3]
        assert np.linalg.norm(x - x[0], axis=1).max() < 5e-5
        weight = f["affine/cube"].attrs["mass"] * G
        np.testing.assert_allclose(f["affine/cube/force"][-1, 0], [0, 0, weight],
                                   atol=2e-3 * weight)


def test_the_gel_finger_pushes_the_block_at_the_kinetic_coefficient(tmp_path):
    with h5py.File(finished("gel_finger_pushes_block", tmp_path)) as f:
        assert (f["step/status"][:] == 0).all()
        x = f["affine/block/pose"][:, 0, 0]
        assert 10e-3 < x[-1] - x[0] < 12e-3
        push = -f["soft/finger/contact_force"][:, 0, 0]
        weight = f["affine/block"].attrs["mass"] * G
        assert push[30:].mean() == pytest.approx(0.4 * weight, rel=0.01)
        assert push.max() > 0.45 * weight  # it stuck first
