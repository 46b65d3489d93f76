"""Taxels on bodies in hydroelastic contact (docs/contact/hydroelastic.md)."""

import numpy as np
import pytest

import haptos
from conftest import load_script

WEIGHT = 9.81 * 0.5


def plate(pitch: float, side: float) -> tuple:
    """Places on the upper face of a box of half height 1 cm."""
    x = pitch * (np.arange(round(side / pitch)) + 0.5) - 0.5 * side
    return np.array([(a, b, 0.01) for a in x for b in x]), pitch**2


def ball_on_pad(modulus: float | dict, ball: float | dict = 0, slope: float = 0.0, mesh: bool = False,
                friction: float = 0.5) -> haptos.Sim:
    """A ball of .5 kg and 2 cm, or a box in its place, on a pad that stands."""
    scene = haptos.Scene(dt=0.002, gravity=(9.81 * np.sin(slope), 0, -9.81 * np.cos(slope)))
    scene.add_rigid("pad", haptos.RobotShape("box", (0.03, 0.03, 0.01)), fixed=True, hydroelastic=modulus,
                    friction=friction)
    shape = haptos.RobotShape("sphere", 0.02)
    if mesh:
        shape = haptos.RobotShape("mesh", mesh=haptos.icosphere(0.02, 0.001))
    if slope:
        shape = haptos.RobotShape("box", (0.008, 0.008, 0.01))
    scene.add_rigid("body", shape, mass=0.5, position=(0, 0, 0.02 if slope else 0.03), hydroelastic=ball,
                    friction=friction)
    return scene.compile()


def settle(sim: haptos.Sim, steps: int = 400) -> haptos.Sim:
    for _ in range(steps):
        sim.step()
    return sim


@pytest.mark.parametrize(("modulus", "ball"), [(1e8, 0), (0, 1e8), (1e8, 2e8)])
def test_pressure_under_a_ball_is_a_paraboloid_and_adds_up_to_its_weight(modulus, ball):
    sim = settle(ball_on_pad(modulus, ball, friction=0.0))
    place, area = plate(2.5e-4, 0.02)
    taxels = haptos.Taxels(sim, "pad", place, area)
    image = taxels.read()
    assert image.force[0].sum(0) == pytest.approx([0, 0, -WEIGHT], abs=0.01 * WEIGHT)
    k = 1e8 if 0 in (modulus, ball) else 1 / (1 / 1e8 + 1 / 2e8)
    deep = 0.03 - sim.robots["body"].position[0, 2]
    r2 = (taxels.place[:, :2]**2).sum(1)
    # The ball's depth along the vertical, or the distance to its surface where the ball is soft.
    sphere = 0.02 - np.sqrt(r2 + (0.02 - deep)**2)
    upright = deep - (0.02 - np.sqrt(0.02**2 - r2))
    law = k * np.maximum(upright if ball == 0 else sphere, 0)
    assert image.pressure[0] == pytest.approx(law, abs=0.02 * law.max())
    assert image.pressure[0].max() == pytest.approx(k * deep, rel=0.02)
    share = 1 if ball == 0 else 0 if modulus == 0 else k / 1e8
    assert image.displacement[0].max() == pytest.approx(share * deep, rel=0.02, abs=1e-12)
    assert np.abs(image.shear).max() < 1e-3 * image.pressure.max()
    assert (image.pressure[0] == 0).any() and (image.normal[0] @ [0, 0, 1] > 0.8).all()


def test_a_table_and_a_mesh_give_what_they_should():
    rows = {"pressure": [[2e-5, 1e3], [1e-4, 3e4]]}
    sim = settle(ball_on_pad(rows, mesh=True, friction=0.0))
    place, area = plate(2.5e-4, 0.02)
    image = haptos.Taxels(sim, "pad", place, area).read()
    assert image.force[0].sum(0) == pytest.approx([0, 0, -WEIGHT], abs=0.015 * WEIGHT)


def test_shear_holds_what_rests_on_a_slope_and_does_not_fade():
    sim = settle(ball_on_pad(1e8, slope=0.2))
    place, area = plate(2.5e-4, 0.03)
    taxels = haptos.Taxels(sim, "pad", place, area)
    first = taxels.read()
    pull = [WEIGHT * np.sin(0.2), 0, -WEIGHT * np.cos(0.2)]
    assert first.force[0].sum(0) == pytest.approx(pull, abs=0.01 * WEIGHT)
    pressed = first.pressure[0] > 0
    assert (np.linalg.norm(first.shear[0], axis=1) <= 0.5 * first.pressure[0] + 1e-9).mean() > 0.99
    assert pressed.sum() * area == pytest.approx(0.016**2, rel=0.07)
    # More at the lower edge than at the upper one, by the moment of the weight.
    x = taxels.place[pressed, 0]
    assert np.polyfit(x, first.pressure[0, pressed], 1)[0] > 0
    later = haptos.Taxels(settle(sim, 1000), "pad", place, area).read()
    assert later.force[0].sum(0) == pytest.approx(pull, abs=0.01 * WEIGHT)


def test_taxels_on_the_ball_feel_the_opposite():
    sim = settle(ball_on_pad(1e8, 2e8, friction=0.0))
    mesh = haptos.icosphere(0.02, 3e-4)
    taxels = haptos.Taxels.on_mesh(sim, "body", mesh)
    assert np.linalg.norm(taxels.place, axis=1) == pytest.approx(0.02, abs=1e-9)
    assert np.einsum("ij,ij->i", taxels.place, taxels.normal) == pytest.approx(0.02, abs=1e-9)
    image = taxels.read()
    place, area = plate(2.5e-4, 0.02)
    below = haptos.Taxels(sim, "pad", place, area).read()
    assert image.pressure.max() == pytest.approx(below.pressure.max(), rel=0.02)
    turn = haptos.base.turns.rotation(sim.robots["body"].position[0, 3:])
    assert turn @ image.force[0].sum(0) == pytest.approx([0, 0, WEIGHT], abs=0.02 * WEIGHT)


def test_environments_are_read_each_by_itself():
    scene = haptos.Scene(dt=0.002)
    scene.add_half_space("ground", normal=(0, 0, 1), offset=0)
    scene.add_rigid("cube", haptos.RobotShape("box", (0.01, 0.01, 0.01)), mass=0.5, hydroelastic=1e8,
                    position=(0, 0, 0.00999), friction=0.5)
    sim = scene.compile(envs=3)
    start = sim.robots["cube"].position.copy()
    start[1, 2] += 0.1  # in the air
    sim.robots["cube"].set_state(start, np.zeros((3, 6)))
    settle(sim, 20)
    place, area = plate(1e-3, 0.02)
    place[:, 2] = -0.01
    image = haptos.Taxels(sim, "cube", place, area).read()
    assert image.pressure.shape == (3, 400) and image.force.shape == (3, 400, 3)
    assert (image.pressure[1] == 0).all() and (image.pressure[0] > 0).all()
    assert (image.pressure[0] == image.pressure[2]).all()
    assert image.force[0].sum(0) == pytest.approx([0, 0, WEIGHT], rel=0.02, abs=1e-6)


def test_what_lies_over_an_edge_presses_on_the_face_alone():
    scene = haptos.Scene(dt=0.002)
    scene.add_rigid("pad", haptos.RobotShape("box", (0.02, 0.01, 0.01)), fixed=True, hydroelastic=1e8, friction=0.5)
    rod = haptos.RobotShape("cylinder", (0.01, 0.03), frame=(0, 0, 0, 2**-0.5, 2**-0.5, 0, 0))
    scene.add_rigid("rod", rod, mass=2.0, position=(0, 0, 0.02), friction=0.5)
    sim = settle(scene.compile())
    taxels = haptos.Taxels.on_mesh(sim, "pad", haptos.box((0.04, 0.02, 0.02), (160, 80, 80)))
    force = taxels.read().force[0]
    assert force.sum(0) == pytest.approx([0, 0, -9.81 * 2], abs=0.02 * 9.81 * 2)
    # On the faces at its ends only what lies nearer to them than to the upper one: k / 2 times depth squared.
    deep = 0.02 - sim.robots["rod"].link_pose("rod")[0, 2]
    x = np.linspace(-0.01, 0.01, 2001)
    depth = np.maximum(np.sqrt(0.01**2 - x**2) - (0.01 - deep), 0)
    law = 0.5 * 1e8 * np.trapezoid(depth**2, x)
    for side in (-1, 1):
        face = taxels.normal[:, 1] * side > 0.9
        assert -side * force[face, 1].sum() == pytest.approx(law, rel=0.12)


def test_what_cannot_be_is_refused():
    sim = ball_on_pad(1e8)
    with pytest.raises(haptos.InputError, match="taxels on \"pad\" 1 .*surface"):
        haptos.Taxels(sim, "pad", [(0, 0, 0.01), (0, 0, 0.1)])
    with pytest.raises(haptos.InputError, match="area = -1"):
        haptos.Taxels(sim, "pad", [(0, 0, 0.01)], -1)
    with pytest.raises(haptos.InputError, match="did you mean \"pad\""):
        haptos.Taxels(sim, "pda", [(0, 0, 0.01)])
    scene = haptos.Scene(dt=0.002)
    scene.add_rigid("box", haptos.RobotShape("box", (0.1, 0.1, 0.1)), mass=1)
    with pytest.raises(haptos.InputError, match="hydroelastic"):
        haptos.Taxels(scene.compile(), "box", [(0, 0, 0.1)])


def test_a_ring_on_a_fingertip_pulls_aside(tmp_path):
    scene = load_script("scenes/pressure/taxels.py")
    sim = scene.hold()
    taxels = haptos.Taxels.on_mesh(sim, "tip", scene.skin(6e-4))
    weight = 9.81 * scene.MASS
    pull = [weight * np.sin(0.2), 0, -weight * np.cos(0.2)]
    assert taxels.read().force[0].sum(0) == pytest.approx(pull, abs=0.02 * weight)
    scene.draw(sim, tmp_path / "taxels.png")
    assert (tmp_path / "taxels.png").stat().st_size > 10_000


def skin_scene(**sensor) -> haptos.Scene:
    """A ball on a pad with a skin."""
    scene = haptos.Scene(dt=0.002)
    scene.add_rigid("pad", haptos.RobotShape("box", (0.02, 0.02, 0.01)), fixed=True, hydroelastic=1e8)
    scene.add_rigid("ball", haptos.RobotShape("sphere", 0.01), mass=0.5, position=(0, 0, 0.02), friction=0.0)
    scene.add_robot_sensor("pad", "skin", "taxels", position=(0, 0, 0.012), grid=(40, 40), pitch=2.5e-4,
                           **sensor)
    return scene


def test_a_skin_is_read_as_its_places_are():
    sim = settle(skin_scene().compile(envs=2), 300)
    skin = sim.robots["pad"].sensors["skin"]
    assert skin.kind == "taxels" and skin.value.shape == (2, 12800)
    assert skin.channels[:5] == ("pressure_0", "shear_x_0", "shear_y_0", "shear_z_0", "displacement_0")
    assert skin.units[:8] == ("Pa",) * 4 + ("m", "", "", "")
    image = skin.taxels()
    x = 2.5e-4 * (np.arange(40) - 19.5)
    same = haptos.Taxels(sim, "pad", [(a, b, 0.01) for b in x[::-1] for a in x], 2.5e-4**2).read()
    for mine, other in zip(image, same, strict=True):
        assert mine == pytest.approx(other, abs=1e-12)
    assert image.force.sum(1) == pytest.approx(np.tile([0, 0, -WEIGHT], (2, 1)), abs=0.01 * WEIGHT)


def test_a_skin_is_sampled_late_noisy_and_goes_on_where_it_was_saved(tmp_path):
    sim = skin_scene(rate=100, delay=0.01, noise={"std": 50.0, "range": (0, 1e6)}).compile()
    skin = sim.robots["pad"].sensors["skin"]
    assert (skin.taxels().pressure >= 0).all() and skin.taxels().normal[0, 0] == pytest.approx([0, 0, 1])
    settle(sim, 306)
    assert skin.time[0] == pytest.approx(0.6) and skin.samples[0] == 62
    sim.save(tmp_path / "state")
    after = [settle(sim, 5).robots["pad"].sensors["skin"].value for _ in range(3)]
    assert not np.array_equal(after[0], after[1])
    sim.load(tmp_path / "state")
    for value in after:
        assert np.array_equal(settle(sim, 5).robots["pad"].sensors["skin"].value, value)
    with haptos.Recorder(tmp_path / "run.h5", sim) as recorder:
        recorder.record(sim.step())
    import h5py
    with h5py.File(tmp_path / "run.h5") as f:
        kept = f["robots/pad/sensors/skin"]
        assert kept.attrs["kind"] == "taxels" and kept["channels"][8].decode() == "pressure_1"
        assert np.array_equal(kept["value"][1], skin.value) and kept["time"][1] == skin.time


def test_a_scene_file_has_skins(tmp_path):
    text = """
sim: {dt: 2 ms}
rigid:
  - name: ball
    shape: {sphere: {radius: 1 cm}}
    mass: 0.5
    pose: {position: [0, 0, 9.9 mm]}
    hydroelastic: 1e8 Pa/m
    friction: 0
    sensors:
      - {name: skin, kind: taxels, pose: {position: [0, 0, -1 cm]}, SKIN}
half_spaces: [{name: ground, friction: 0}]
"""
    def load(skin: str) -> haptos.Sim:
        (tmp_path / "scene.yaml").write_text(text.replace("SKIN", skin))
        return haptos.load_scene(tmp_path / "scene.yaml").compile()
    sim = settle(load("grid: [31, 30], pitch: .1 mm"), 300)
    grid = sim.robots["ball"].sensors["skin"].taxels()
    assert grid.pressure.shape == (1, 930) and grid.pressure.max() > 0
    places = load("places: [[0, 0, 0], [1 mm, 0, .1 mm]], area: 4 mm2")
    pair = settle(places, 300).robots["ball"].sensors["skin"].taxels()
    assert pair.pressure[0, 0] == pytest.approx(grid.pressure.max(), rel=0.01)
    deep = pair.displacement[0, 0] / 0.01  # of the radius: what is pressed away gets narrower inwards
    force = 4e-6 * pair.pressure[0, 0] * (1 - deep + deep**2 / 3)
    assert pair.force[0, 0] == pytest.approx([0, 0, force], rel=1e-3, abs=1e-4)
    for skin, line in {"grid: [4, 4]": "pitch", "pitch: 1 mm": "needs a grid", "area: 1 mm2": "only for taxels",
                       "grid: [4, 4], pitch: 1 mm, places: [[0, 0, 0]]": "beside grid",
                       "rate: 100 Hz": "1 to 10000 places", "grid: [9999, 9999], pitch: 1 mm": "grid.*1 to 10000 places",
                       "places: [[0, 0, 5 cm]]": "on the surface"}.items():
        with pytest.raises(haptos.InputError, match=line):
            load(skin)


@pytest.mark.parametrize(("modulus", "probe"), [(1e8, 0), (0, 1e8), (1e8, 2e8)])
def test_a_pad_feels_a_probe_that_is_pressed_into_it(modulus, probe):
    scene = haptos.Scene(dt=1e-3, gravity=(0, 0, 0))
    scene.add_rigid("pad", haptos.RobotShape("box", (0.03, 0.03, 0.01)), mass=1, hydroelastic=modulus)
    scene.add_constraint("held", "pad")
    place, area = plate(2.5e-4, 0.02)
    scene.add_prescribed("probe", haptos.icosphere(0.02, 0.001), hydroelastic=probe, friction=0.5,
                         trajectory=[(0, (0, 0, 0.031)), (0.05, (0, 0, 0.0297))])
    sim = scene.compile()
    sim.run(0.1)
    image = haptos.Taxels(sim, "pad", place, area).read()
    push = sim.contact_wrench("pad").force[0]
    assert push[2] < -0.1
    np.testing.assert_allclose(image.force[0].sum(0), push, atol=0.01 * np.linalg.norm(push))
    k = modulus * probe / (modulus + probe) if modulus and probe else modulus + probe
    assert image.pressure[0].max() == pytest.approx(k * 3e-4, rel=0.03)
