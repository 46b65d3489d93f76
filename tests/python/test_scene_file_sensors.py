"""Tactile sensors of scene files: as added in Python, kept inside the scene's folder, drawn by runs."""

import json
import os
from pathlib import Path

import numpy as np
import pytest
from conftest import outside_file, run_haptos
from test_pad_sets import write_set

import haptos
from haptos.cli.main import run_command

ROOT = Path(__file__).resolve().parents[2]
OWN = """\
name: Mine
pad: {kind: box, width: 8 mm, depth: 8 mm, thickness: 2 mm, elements: {top: 1 mm, base: 1 mm, centre: 1.6 mm, rim: 1.6 mm}}
material: {young: 200 kPa, poisson: 0.45, density: 1050}
friction: 0.6
camera: {kind: orthographic, width: 32, height: 24, pitch: 0.2 mm}
markers: {rows: 2, columns: 3, pitch: [3 mm, 2 mm]}
rgb: lights.yaml
"""
LIGHTS = """\
model: lights
ambient: [30, 30, 30]
diffuse: 1
specular: 0
shininess: 1
lights:
  - {position: [16 mm, 0 mm, -6 mm], colour: [120, 18, 18]}
"""
BALL = """\
prescribed:
  - name: ball
    shape:
      sphere: {radius: 3 mm, facet: 0.6 mm}
    trajectory:
      - {time: 0 s, position: [0, 0, 3.03 mm]}
      - {time: 0.1 s, position: [0, 0, 2.7 mm]}
"""
ARM = """\
<robot name="arm"><link name="base"/>
<link name="hand"><inertial><origin xyz="0 0 0.05"/><mass value="0.1"/><inertia ixx="1e-5" iyy="1e-5" izz="1e-5"/></inertial>
<collision><geometry><sphere radius="0.01"/></geometry></collision></link>
<joint name="pin" type="revolute"><parent link="base"/><child link="hand"/><axis xyz="0 1 0"/>
<limit lower="-2" upper="2" effort="20" velocity="50"/></joint></robot>
"""
HEAD = "sim: {dt: 50 ms, gravity_z: 0}\ncontact: {support: 0.02 mm}\n"


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "mine.yaml").write_text(OWN)
    (tmp_path / "lights.yaml").write_text(LIGHTS)
    return tmp_path


def load(folder, text, head=HEAD):
    (folder / "scene.yaml").write_text(head + text)
    return haptos.load_scene(folder / "scene.yaml")


def test_a_sensor_of_a_scene_is_the_one_that_python_adds(folder):
    sim = load(folder, "soft: [{name: finger, sensor: mine.yaml}]\n" + BALL).compile()
    scene = haptos.Scene(dt=0.05, gravity=(0, 0, 0))
    scene.contact.support = 2e-5
    scene.add_prescribed("ball", haptos.icosphere(radius=3e-3, facet=6e-4),
                         trajectory=[(0, (0, 0, 3.03e-3)), (0.1, (0, 0, 2.7e-3))])
    haptos.load_sensor(str(folder / "mine.yaml")).add_to(scene, "finger")
    twin = scene.compile()
    flat = sim.sensors["finger"].rgb()[0].astype(int)
    for s in (sim, twin):
        s.run(0.1)
    a, b = (s.sensors["finger"] for s in (sim, twin))
    assert a.depth().max() > 1e-4
    # 3.03 mm and 3.03e-3 are not the same bits.
    np.testing.assert_allclose(a.depth(), b.depth(), rtol=0, atol=1e-15)
    np.testing.assert_allclose(a.markers().position, b.markers().position, rtol=0, atol=1e-15)
    np.testing.assert_array_equal(a.rgb(), b.rgb())
    assert np.abs(a.rgb()[0].astype(int) - flat).max() > 5
    np.testing.assert_allclose(sim.reaction("finger mount").force,
                               twin.reaction("finger mount").force, rtol=0, atol=1e-9)


def test_what_the_body_says_goes_before_the_sensor(folder):
    scene = load(folder, "soft: [{name: finger, sensor: {name: mine.yaml}, material: {young: 3e5},\n"
                 "  pose: {position: [0, 0, 1 cm]}, glue: [{body: jaw, where: base}]}]\n"
                 "affine: [{name: jaw, shape: {box: {size: [8 mm, 8 mm, 2 mm]}},\n"
                 "  pose: {position: [0, 0, 6.9 mm]}}]\n"
                 "pairs: [{bodies: [finger, jaw], enabled: false}]\n")
    entry = scene.entries()["soft"][0]
    assert entry["material"]["young"] == 3e5 and entry["material"]["poisson"] == 0.45
    assert entry["friction"][0] == 0.6 and list(entry["glue"]) == ["jaw"]
    assert [s.name for s in scene.sensors] == ["finger"]
    scene.compile().step()


def test_a_pad_that_is_fine_in_one_place_is_fine_where_it_is_said(folder):
    (folder / "mine.yaml").write_text(OWN.replace("rim: 1.6 mm", "rim: 3 mm, even: 2 mm")
                                      .replace("width: 8 mm, depth", "width: 20 mm, depth"))
    x = [load(folder, "soft: [{name: f, sensor: {name: mine.yaml, near: [%s, 0]}}]\n" % at)
         .entries()["soft"][0]["mesh"].vertices for at in ("0", "5 mm")]
    model = haptos.load_sensor(str(folder / "mine.yaml"))
    np.testing.assert_array_equal(x[1], model.gel_near((5e-3, 0)).mesh.vertices)
    assert not np.array_equal(x[0], x[1])


def test_a_sensor_sits_on_the_link_that_its_pose_refers_to(folder):
    """In a scene file and in Python, for a robot whose joint is turned at the start."""
    (folder / "arm.urdf").write_text(ARM)
    head = "sim: {dt: 20 ms}\n"
    robots = ("robots: [{name: arm, file: arm.urdf, start: {pin: 40 deg}, pose: {position: [0.1, 0, 0]}}]\n")
    scene = load(folder, robots + "soft: [{name: tip, sensor: mine.yaml, "
                 "pose: {frame: arm/hand, position: [0, 0, 14 mm]}}]\n", head)
    twin = load(folder, robots, head)
    haptos.load_sensor(str(folder / "mine.yaml")).add_to(twin, "tip", frame="arm/hand",
                                                         position=(0, 0, 0.014))
    angle = np.deg2rad(40)
    up = np.array([np.sin(angle), 0, np.cos(angle)])
    for s in (scene, twin):
        assert list(s.entries()["soft"][0]["glue"]) == ["arm/hand"]
        sim = s.compile()
        turn, origin = sim.sensors["tip"].frame()
        np.testing.assert_allclose(origin, [0.1, 0, 0] + 0.014 * up, atol=1e-12)
        np.testing.assert_allclose(turn[:, 2], up, atol=1e-12)
        assert sim.step().status[0] == 0
        # Nothing holds the pin: the hand falls, and the sensor with it.
        q = sim.carrier_pose("arm/hand")[0, 3:]
        fallen = 2 * np.arctan2(q[2], q[0])
        assert fallen > angle + 0.01
        np.testing.assert_allclose(sim.sensors["tip"].frame()[0][:, 2],
                                   [np.sin(fallen), 0, np.cos(fallen)], atol=1e-9)


@pytest.mark.parametrize(("sensor", "said"), [
    ("gelsight-mni", ("gelsight-mini",)),
    ("yours.yaml", ("yours.yaml", "does not exist")),
    ("../mine.yaml", ("leads out of the scene's folder",)),
    ("{name: taccel-mini}", ("does not come with the library", "folder")),
    ("{name: taccel-mini, folder: nowhere}", ("nowhere",)),
    ("damaged.yaml", ("damaged.yaml", "young")),
    ("outside.yaml", ("leads out of the scene's folder", "HAPTOS_ASSET_ROOTS")),
])
def test_wrong_sensors_are_refused_with_place_and_remedy(tmp_path, pad_file, sensor, said):
    folder = tmp_path / "scene"
    folder.mkdir()
    (tmp_path / "mine.yaml").write_text(OWN)
    (folder / "lights.yaml").write_text(LIGHTS)
    (folder / "damaged.yaml").write_text(OWN.replace("200 kPa", "-1"))
    (folder / "outside.yaml").write_text(OWN.replace("rgb: lights.yaml\n", "").replace(
        OWN.splitlines()[1], f"pad: {{kind: mesh, mesh: {os.path.relpath(pad_file, folder)}, unit: mm}}"))
    with pytest.raises(haptos.InputError) as error:
        load(folder, f"soft:\n  - {{name: finger, sensor: {sensor}}}\n")
    assert error.value.line > 0 and error.value.file.endswith(".yaml")
    for part in said:
        assert part in str(error.value)


def test_a_folder_of_meshes_is_allowed_by_name(tmp_path, pad_file, monkeypatch):
    (tmp_path / "mine.yaml").write_text(OWN.replace("rgb: lights.yaml\n", "").replace(
        OWN.splitlines()[1], f"pad: {{kind: mesh, mesh: {pad_file.name}, unit: mm}}"))
    folder = tmp_path / "scene"
    folder.mkdir()
    monkeypatch.setenv("HAPTOS_ASSET_ROOTS", f"{tmp_path}:{pad_file.parent}")
    text = f"soft: [{{name: finger, sensor: {{name: mine.yaml, folder: {pad_file.parent.name}}}}}]\n"
    monkeypatch.setenv("HAPTOS_ASSET_ROOTS", f"{tmp_path}:{pad_file.parent.parent}")
    assert len(load(folder, text).sensors) == 1


def test_a_run_draws_and_describes_every_sensor(folder, capsys):
    (folder / "scene.yaml").write_text(
        HEAD + "soft:\n  - {name: one, sensor: mine.yaml}\n"
        "  - {name: two, sensor: mine.yaml, pose: {position: [3 cm, 0, 0]}}\n" + BALL)
    done = run_haptos("run", "scene.yaml", "--duration", "0.1s", "--out", "out", cwd=folder)
    assert done.returncode == 0, done.stderr
    made = {p.stem for p in (folder / "out").iterdir() if p.suffix == ".png"}
    assert made == {"above", "side"} | {k + n for k in ("depth", "markers", "rgb") for n in ("", "1")}
    page = (folder / "out" / "report.html").read_text()
    assert "one: Depth of the coat" in page and "two: What the camera shows" in page
    assert page.count("data:image/png;base64,") == 8
    assert run_command(["describe", str(folder / "scene.yaml")]) == 0
    shown = capsys.readouterr().out
    assert shown.count("tactile sensor") == 2 and "colours" in shown


def test_the_scene_of_two_sensors_is_whole():
    scene = haptos.load_scene(ROOT / "scenes" / "sensors" / "pinch.yaml")
    assert [s.name for s in scene.sensors] == ["left", "right"]
    assert scene.compile().step().status[0] == 0


@pytest.mark.full
def test_two_sensors_hold_and_lift_a_ball():
    sim = haptos.load_scene(ROOT / "scenes" / "sensors" / "pinch.yaml").compile()
    start = sim.pose("ball")[0, 2]
    assert sim.run(0.6).ok
    ball = sim.pose("ball")[0]
    print(f"FIGURE pinch.ball = lifted by {1e3 * (ball[2] - start):.3f} mm")
    # What the gels are sheared by, weight over stiffness, is far less than the 5 mm of the jaws.
    assert ball[2] - start == pytest.approx(5e-3, abs=2e-4)
    assert np.abs(ball[:2]).max() < 5e-5
    ball = haptos.icosphere(radius=8e-3, facet=8e-4)
    a, b, c = np.asarray(ball.vertices)[np.asarray(ball.triangles)].swapaxes(0, 1)
    weight = 9.81 * 7800 * np.einsum("ij,ij->i", a, np.cross(b, c)).sum() / 6
    left, right = (sim.contact_wrench(side).force[0] for side in ("left", "right"))
    print(f"FIGURE pinch.force = the gels carry {-left[2] - right[2]:.5f} N of {weight:.5f} N, "
          f"and are pressed with {left[0]:.4f} and {right[0]:.4f} N")
    assert -left[2] - right[2] == pytest.approx(weight, rel=0.01)
    assert left[0] == pytest.approx(-right[0], rel=1e-3) and left[0] < -1


# -- sets of pads on robots --------------------------------------------------------------------


HAND = """\
<robot name="hand">
<link name="near"><inertial><mass value="0.05"/><inertia ixx="1e-6" iyy="1e-6" izz="1e-6"/></inertial>
<collision><geometry><box size="0.008 0.02 0.024"/></geometry></collision></link>
<link name="far"><inertial><mass value="0.05"/><inertia ixx="1e-6" iyy="1e-6" izz="1e-6"/></inertial>
<collision><geometry><box size="0.008 0.02 0.024"/></geometry></collision></link>
<joint name="b" type="revolute"><parent link="near"/><child link="far"/><axis xyz="0 1 0"/>
<origin xyz="0 0 0.04"/><limit lower="-2" upper="2" effort="20" velocity="50"/></joint></robot>
"""
ROBOTS = ("robots: [{name: hand, file: hand.urdf, start: {b: -50 deg}, pose: {position: [0.1, 0.2, 0.3]},"
          " self_contact: false%s}]\n")


@pytest.fixture
def hand(tmp_path):
    write_set(tmp_path)
    (tmp_path / "hand.urdf").write_text(HAND)
    return tmp_path


def test_a_set_of_pads_of_a_scene_is_the_one_that_python_adds(hand):
    head = "sim: {dt: 5 ms}\n"
    scene = load(hand, ROBOTS % ", pads: set.yaml" + "pairs: [{bodies: [hand/near pad, hand pads], "
                 "enabled: false}]\n", head)
    twin = load(hand, ROBOTS % "", head)
    names = haptos.load_pad_set(str(hand / "set.yaml")).add_to(twin, "hand")
    assert names == ["hand/near pad", "hand/far pad"] == [s.name for s in scene.sensors]
    a, b = scene.compile(), twin.compile()
    for name in names:
        np.testing.assert_allclose(a.positions(name), b.positions(name), atol=1e-12)
        np.testing.assert_allclose(a.sensors[name].frame()[1], b.sensors[name].frame()[1], atol=1e-12)
        assert a.sensors[name].camera.width == b.sensors[name].camera.width
    for s in (a, b):
        assert all((s.step().status == 0).all() for _ in range(3))
    np.testing.assert_allclose(a.robots["hand"].position, b.robots["hand"].position, atol=1e-9)
    entries = [s.entries()["soft"] for s in (scene, twin)]
    for mine, other in zip(*entries, strict=True):
        for key in ("name", "element", "friction", "material", "group"):
            assert mine.get(key) == other.get(key), key
        assert list(mine["glue"]) == list(other["glue"])


def test_pads_that_may_not_touch_their_robot_do_not(hand):
    values = json.loads((hand / "set.yaml").read_text()) | {"touch_robot": "no"}
    (hand / "set.yaml").write_text(json.dumps(values))
    # The far pad, turned down, reaches 1 mm into the near link.
    (hand / "hand.urdf").write_text(HAND.replace("0 0 0.04", "0 0 0.018"))
    text = (ROBOTS % ", pads: set.yaml").replace("-50 deg", "90 deg")
    load(hand, text).compile()
    (hand / "set.yaml").write_text(json.dumps(values | {"touch_robot": "yes"}))
    with pytest.raises(haptos.InputError, match="intersection"):
        load(hand, text).compile()


@pytest.mark.parametrize(("pads", "said"), [
    ("sat.yaml", "does not exist"), ("f-tak", "f-tac"), ("{sett: set.yaml}", '"set"'),
    ("f-tac", "is no file"), ("wrong.yaml", "thumb"), ("away.yaml", "leads out of"),
])
def test_wrong_sets_are_refused_with_their_place(hand, pads, said, tmp_path_factory):
    values = json.loads((hand / "set.yaml").read_text())
    far = tmp_path_factory.mktemp("far")
    write_set(far)
    for name, change in (("wrong", {"link": "thumb"}), ("away", {"mesh": str(far / "pad.vtk")})):
        (hand / f"{name}.yaml").write_text(json.dumps(
            values | {"pads": [values["pads"][0] | change]}))
    with pytest.raises(haptos.InputError) as error:
        load(hand, ROBOTS % f", pads: {pads}")
    assert said in str(error.value) and error.value.line > 0


def test_the_f_tac_hand_of_the_shared_data_in_a_scene(tmp_path, monkeypatch):
    urdf = Path(outside_file("robots/f_tac_hand_description/urdf/f_tac_hand_rigid.urdf"))
    monkeypatch.setenv("HAPTOS_ASSET_ROOTS", str(urdf.parents[2]))
    (tmp_path / "scene.yaml").write_text(
        "sim: {dt: 20 ms}\nrobots:\n  - name: hand\n"
        "    file: f_tac_hand_description/urdf/f_tac_hand_rigid.urdf\n"
        "    motors: {kp: 2, kd: 0.02, effort: 0.12}\n    self_contact: false\n"
        "    packages: {f_tac_hand_description: f_tac_hand_description}\n"
        "    pads: {set: f-tac, folder: f_tac_hand_description}\n")
    sim = haptos.load_scene(tmp_path / "scene.yaml").compile()
    assert len(sim.sensors) == 17 and "hand/index_3" in sim.sensors
    assert (sim.step().status == 0).all()
    assert sum(len(np.asarray(s.markers().position)[0]) for s in sim.sensors.values()) == 462


# -- the section `sensors` ---------------------------------------------------------------------


def test_an_entry_of_sensors_is_the_soft_body_that_says_the_same(folder):
    text = "[{name: finger, sensor: mine.yaml, pose: {position: [0, 0, 1 mm]}, friction: 0.7}]\n"
    a, b = load(folder, "sensors: " + text), load(folder, "soft: " + text)
    for kind in ("soft", "prescribed"):
        for one, other in zip(a.entries()[kind], b.entries()[kind], strict=True):
            assert one["name"] == other["name"] and one["friction"] == other["friction"]
    assert a.compile().model_hash == b.compile().model_hash
    spec = a.sensors[0]
    assert (spec.name, spec.body, spec.rate, spec.delay) == ("finger", "finger", 0, 0)
    assert (spec.camera.width, spec.markers.cols, spec.rgb) == (32, 3, str(folder / "lights.yaml"))


def test_rate_and_delay_of_sensors_and_of_sets_of_pads_are_read(folder, hand):
    scene = load(folder, "sensors: [{name: f, sensor: mine.yaml, rate: 25 Hz, delay: 20 ms}]\n")
    assert (scene.sensors[0].rate, scene.sensors[0].delay) == (25, 0.02)
    scene = load(hand, ROBOTS % ", pads: {set: set.yaml, rate: 50, delay: 5 ms}", "sim: {dt: 5 ms}\n")
    assert [(s.rate, s.delay) for s in scene.sensors] == [(50, 0.005)] * 2


@pytest.mark.parametrize(("entry", "said"), [
    ("{name: f}", ("has no \"sensor\"", "gelsight-mini")),
    ("{name: f, sensor: gelsight-mni}", ("gelsight-mini",)),
    ("{name: f, sensor: mine.yaml, rate: -1}", ("rate", "-1")),
    ("{name: f, sensor: mine.yaml, dely: 1 ms}", ('"delay"',)),
    ("{name: f, sensor: mine.yaml, pose: {frame: arm/hnd}}", ("arm/hand", "names nothing")),
    ("{name: f, sensor: mine.yaml, pose: {frame: arm}}", ("arm", "link")),
    ("{name: f, sensor: mine.yaml, pose: {frame: arm/hand, position: [0, 0, 18 mm]}}",
     ("6 mm from", "arm/hand", "within 1 mm")),
    ("{name: f, sensor: mine.yaml, delay: 99}", ("delay", "MiB")),
])
def test_wrong_entries_of_sensors_are_refused_with_place_and_remedy(folder, entry, said):
    (folder / "arm.urdf").write_text(ARM)
    with pytest.raises(haptos.InputError) as error:
        load(folder, f"robots: [{{name: arm, file: arm.urdf}}]\nsensors:\n  - {entry}\n",
             "sim: {dt: 1 ms}\n").compile()
    for part in said:
        assert part in str(error.value)
    if "MiB" not in said:
        assert error.value.line >= 4 and error.value.file.endswith("scene.yaml"), str(error.value)
