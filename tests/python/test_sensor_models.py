"""Sensors by name and from a person's own file."""

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from conftest import outside_file, run_haptos
from PIL import Image

import haptos
from haptos import _core
from haptos.press import prepare

OWN = """\
name: My pad
pad: {{kind: mesh, mesh: {mesh}, unit: mm}}
material: {{young: 200 kPa, poisson: 0.45, density: 1050}}
friction: 0.6
camera: {{kind: pinhole, width: 32, height: 24, focal: 40, distance: 20 mm}}
markers: {{rows: 2, columns: 3, pitch: [3 mm, 2 mm]}}
"""


@pytest.fixture
def own_file(tmp_path, pad_file):
    path = tmp_path / "mine.yaml"
    path.write_text(OWN.format(mesh=pad_file))
    return path


@pytest.mark.parametrize("name", haptos.sensor_names())
def test_a_named_sensor_is_whole(name):
    model = haptos.load_sensor(name)
    gel = model.gel
    assert haptos.check_volume(gel.mesh).findings() == []
    x = np.asarray(gel.mesh.vertices)
    assert x[:, 2].max() == pytest.approx(0, abs=1e-12)
    np.testing.assert_allclose(x[gel.base, 2], -gel.thickness, atol=1e-9)
    # Every pixel sees coat, every marker lies on it and in the image.
    rest = _core.DepthSensor(model.camera, x, gel.coat).rest_height()
    assert rest.shape == (model.camera.height, model.camera.width) and np.isfinite(rest).all()
    if model.markers is not None:
        reading = _core.MarkerSensor(model.camera, x, gel.coat, model.markers).measure(x)
        assert np.asarray(reading["in_view"]).all()
        assert len(reading["in_view"]) == model.markers.rows * model.markers.cols
    if model.rgb:
        rgb = haptos.load_rgb(model.rgb, model.camera)
        assert rgb.background.shape == (*rest.shape, 3) and rgb.background.std() > 1
    assert model.facts and all(f.kind in ("measured", "published", "assumed") and f.source
                               for f in model.facts)


def test_the_camera_of_the_mini_sees_what_its_maker_says():
    camera = haptos.load_sensor("gelsight-mini").camera
    assert camera.width * camera.pitch == pytest.approx(20.3e-3, rel=1e-3)
    assert camera.height * camera.pitch == pytest.approx(15.2e-3, rel=2e-3)


@pytest.mark.parametrize(("camera", "made"), [
    ("{kind: fisheye, width: 32, height: 24, focal: 20, distance: 12 mm}",
     haptos.TactileCamera.fisheye(32, 24, 20, 0.012)),
    ("{kind: pinhole, width: 32, height: 24, focal: 40, distance: 20 mm, k1: -0.2, k2: 0.03}",
     haptos.TactileCamera.pinhole(32, 24, 40, 0.02, -0.2, 0.03)),
])
def test_a_file_may_have_a_camera_with_a_lens(own_file, camera, made):
    lines = own_file.read_text().splitlines()
    own_file.write_text("\n".join(
        f"camera: {camera}" if line.startswith("camera:") else line for line in lines))
    read = haptos.load_sensor(str(own_file)).camera
    points = [[3e-3, 2e-3, 0], [1e-3, -4e-3, -5e-4]]
    assert read.kind == made.kind
    np.testing.assert_array_equal(read.project(points), made.project(points))


def test_a_sensor_with_lights_shows_the_press_in_colours(tmp_path, own_file):
    (tmp_path / "lights.yaml").write_text(
        "model: lights\nambient: [30, 30, 30]\ndiffuse: 1\nspecular: 0\nshininess: 1\nlights:\n"
        "  - {position: [16 mm, 0 mm, -6 mm], colour: [120, 18, 18]}\n"
        "  - {position: [-16 mm, 0 mm, -6 mm], colour: [18, 120, 18]}\n")
    own_file.write_text(own_file.read_text() + "rgb: lights.yaml\n")
    press = prepare("sphere", sensor=str(own_file), depth=4e-4, steps=5)
    flat = press.sensor.rgb()
    assert flat.shape == (1, 24, 32, 3) and flat.dtype == np.uint8
    for _ in range(press.steps):
        press.step()
    change = press.sensor.rgb()[0].astype(int) - flat[0]
    # From inside a dent is a hill: its side at +x faces the red light there.
    left, right = change[:, :16, 0].sum(), change[:, 16:, 0].sum()
    assert abs(change).max() > 10 and right > 0 > left
    assert change[:, :16, 1].sum() > 0 > change[:, 16:, 1].sum()
    press.sim.reset()
    assert np.array_equal(press.sensor.rgb(), flat)
    with pytest.raises(haptos.InputError, match="has no colours"):
        prepare("sphere", depth=2e-4).sensor.rgb()


def test_the_press_command_takes_a_sensor_without_markers(tmp_path, own_file):
    text = own_file.read_text()
    own_file.write_text("".join(k for k in text.splitlines(True) if "markers" not in k)
                        + "rgb: lights.yaml\n")
    (tmp_path / "lights.yaml").write_text(
        "model: lights\nambient: [30, 30, 30]\ndiffuse: 1\nspecular: 0\nshininess: 1\nlights:\n"
        "  - {position: [16 mm, 0 mm, -6 mm], colour: [120, 18, 18]}\n")
    done = run_haptos("press", "sphere", "--sensor", own_file, "--depth", "0.1mm", "--steps", "2",
                      "--out", "out", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert not (tmp_path / "out/markers.png").exists()
    assert np.asarray(Image.open(tmp_path / "out/rgb.png")).shape == (24, 32, 3)
    report = (tmp_path / "out/report.html").read_text()
    assert "What the camera shows" in report and "friction 0.6" in report


def test_a_sensor_of_ones_own_is_pressed(own_file):
    model = haptos.load_sensor(str(own_file))
    assert model.material == pytest.approx({"young": 2e5, "poisson": 0.45, "density": 1050})
    press = prepare("sphere", sensor=str(own_file), depth=2e-4, steps=4)
    assert (press.sensor.camera.width, press.sensor.camera.height) == (32, 24)
    for _ in range(press.steps):
        step = press.step()
        assert step.report.ok
    assert step.mount_force[2] < -1e-3 and step.imbalance < 1e-3
    assert press.sensor.markers().position.shape == (1, 6, 3)
    # An option given beside the sensor is stronger than the sensor's.
    stiff = prepare("sphere", sensor=str(own_file), depth=2e-4, options={"material.young": 4e5})
    assert stiff.settings["material"]["young"] == 4e5


def test_a_sensor_stands_in_a_scene_where_it_is_put(own_file):
    scene = haptos.Scene(dt=0.01)
    model = haptos.load_sensor(str(own_file))
    half = np.sqrt(0.5)
    model.add_to(scene, "left", position=(0, 0, 1), quaternion=(half, half, 0, 0))
    scene.add_prescribed("hand")
    model.add_to(scene, "right", mount="hand", position=(0.1, 0, 0))
    sim = scene.compile()
    turn, origin = sim.sensors["left"].frame()
    np.testing.assert_allclose(origin, [0, 0, 1], atol=1e-12)
    np.testing.assert_allclose(turn[:, 2], [0, -1, 0], atol=1e-12)
    assert sim.names("prescribed") == ["left mount", "hand"]
    assert np.nanmax(np.abs(sim.sensors["right"].depth())) == 0


@pytest.mark.parametrize(("old", "new", "line", "said"), [
    ("young: 200 kPa", "young: 200 mm", 3, "material.young"),
    ("poisson: 0.45", "poisson: 0.6", 3, "poisson"),
    ("friction: 0.6", "frction: 0.6", 4, "friction"),
    ("friction: 0.6", "friction: [1, 2, 3]", 4, "friction"),
    ("kind: pinhole", "kind: pinhol", 5, 'did you mean "pinhole"'),
    ("width: 32", "width: 3.5", 5, "whole number"),
    ("focal: 40", "focal: .nan", 5, "camera.focal"),
    ("rows: 2", "rows: 0", 6, "markers.rows"),
    ("pitch: [3 mm, 2 mm]", "pitch: [3 mm]", 6, "two numbers"),
    ("unit: mm", "unit: inch", 2, "pad.unit"),
    ("name: My pad", "name: My pad\nname: Another", 2, "given twice"),
    ("name: My pad", "name: {", 0, "YAML"),
    ("name: My pad", "about: x", 1, "name: is missing"),
    ("mesh: ", "mesh: no/", 2, "is no file"),
])
def test_a_bad_file_is_told_with_its_line(own_file, old, new, line, said):
    text = own_file.read_text()
    assert old in text
    own_file.write_text(text.replace(old, new, 1))
    with pytest.raises(haptos.InputError) as caught:
        haptos.load_sensor(str(own_file))
    assert said in str(caught.value) and str(own_file) in str(caught.value)
    assert line == 0 or caught.value.line == line


def test_the_pages_of_sensors_are_what_their_files_say():
    script = Path(__file__).parents[2] / "scripts/plots/sensor_pages"
    done = subprocess.run([sys.executable, script, "--check"], capture_output=True, text=True,
                          check=False)
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("name", haptos.outside_sensor_names())
def test_a_sensor_whose_mesh_is_outside_is_whole(name, tmp_path):
    with pytest.raises(haptos.InputError, match=f"FOLDER/{name}"):
        haptos.load_sensor(name)
    with pytest.raises(haptos.InputError, match="or the folder that it is in"):
        haptos.load_sensor(name, tmp_path)
    folder = outside_file("pads")
    model = haptos.load_sensor(f"{folder}/{name}")
    assert model.gel.mesh.vertices.tolist() == haptos.load_sensor(name, folder).gel.mesh.vertices.tolist()
    x = np.asarray(model.gel.mesh.vertices)
    assert x[:, 2].max() == pytest.approx(0, abs=1e-12) and x[model.gel.base, 2].max() < -2.8e-3
    rest = _core.DepthSensor(model.camera, x, model.gel.coat).rest_height()
    assert np.isfinite(rest).all()
    reading = _core.MarkerSensor(model.camera, x, model.gel.coat, model.markers).measure(x)
    assert np.asarray(reading["in_view"]).all()
    assert model.facts


def test_the_small_outside_pad_is_pressed_by_its_name():
    press = prepare("sphere", sensor=f"{outside_file('pads')}/taccel-mini", depth=3e-4, steps=2)
    while not press.done:
        step = press.step()
    # 56 vertices are glued, as where the pad comes from.
    assert len(haptos.load_sensor("taccel-mini", outside_file("pads")).gel.base) == 56
    assert np.nanmax(press.sensor.depth()[0]) == pytest.approx(3e-4, rel=0.35)  # elements of 3 mm
    assert step.normal > 0.05
    force, _ = press.sim.reaction("mount")
    assert force[0, 2] == pytest.approx(-step.normal, rel=1e-3)


def test_vertices_to_glue_may_be_given_by_depth(own_file):
    text = own_file.read_text()
    own_file.write_text(text.replace("unit: mm}", "unit: mm, glued: 2 mm}"))
    gel = haptos.load_sensor(str(own_file)).gel
    z = np.asarray(gel.mesh.vertices)[:, 2]
    assert set(gel.base) == set(np.flatnonzero(z < -2e-3 * (1 - 1e-3)))
    own_file.write_text(text.replace("unit: mm}", "unit: mm, glued: 9 mm}"))
    with pytest.raises(haptos.InputError, match="to be glued"):
        haptos.load_sensor(str(own_file)).gel  # noqa: B018


def test_a_pad_that_is_fine_in_one_place_is_fine_where_it_is_pressed():
    slim, mini = haptos.load_sensor("gelslim-3"), haptos.load_sensor("gelsight-mini")
    assert mini.gel_near((5e-3, 5e-3)) is mini.gel and slim.gel_near((0, 0)) is slim.gel
    for at, centre in (((0.012, -0.005), (0.012, -0.005)), ((1.0, 0), (0.0235 - 0.007, 0))):
        x = np.asarray(slim.gel_near(at).mesh.vertices)
        for axis in (0, 1):
            lines = np.unique(x[:, axis])
            widths = np.diff(lines)[np.abs(0.5 * (lines[1:] + lines[:-1]) - centre[axis]) < 5e-3]
            assert widths.max() < 0.6e-3
        np.testing.assert_allclose(np.ptp(x, axis=0), (0.047, 0.036, 0.004), atol=1e-12)
    press = prepare("sphere", sensor="gelslim-3", depth=3e-4, at=(0.012, -0.005))
    lines = np.unique(np.asarray(press.sim.mesh("gel").vertices)[:, 0])
    assert np.diff(lines)[np.abs(lines[1:] - 0.012) < 3e-3].max() < 0.6e-3


def test_sensors_and_sets_are_listed(tmp_path):
    done = run_haptos("describe", "sensors", cwd=tmp_path)
    assert done.returncode == 0
    for name in (*haptos.sensor_names(), *haptos.outside_sensor_names(), *haptos.pad_set_names()):
        assert name in done.stdout


def test_names_that_are_none_are_told_the_nearest():
    with pytest.raises(haptos.InputError, match='did you mean "digit"'):
        haptos.load_sensor("digt")
    with pytest.raises(haptos.InputError, match="is no file"):
        haptos.load_sensor("nowhere.yaml")
    with pytest.raises(haptos.InputError, match="leave one out"):
        prepare("sphere", sensor="digit", pad="dome")
