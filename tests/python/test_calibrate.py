"""Calibration on presses rendered with hidden lights: what it finds is held against what was hidden,
and bad input is one sentence."""

import re
import shlex

import h5py
import numpy as np
import pytest
from PIL import Image

import haptos
from conftest import ROOT, run_haptos
from haptos.cli.main import run_command
from haptos.tactile.image_metrics import compare_images

scipy = pytest.importorskip("scipy", reason="calibration needs scipy")

from haptos.calibration import fit as fitting  # noqa: E402
from haptos.calibration.circles import Circle, find_circle  # noqa: E402

SIZE, PITCH, BALL = (120, 160), 1.268e-4, 4e-3
NOISE = 1.0  # standard deviation of a pixel [grey value]


def hidden_model():
    point = haptos.TactileLight.point
    return haptos.PhotometricModel(
        haptos.TactileCamera.orthographic(SIZE[1], SIZE[0], PITCH),
        haptos.LightRig([point((0.016, 0.004, -0.008), (120, 22, 15)),
                         point((-0.010, 0.015, -0.010), (15, 120, 22)),
                         point((-0.006, -0.017, -0.007), (18, 25, 125))],
                        ambient=(30, 30, 30), specular=0.25, shininess=12))


def press_picture(rng, hidden, ball=BALL):
    """A press with a soft shoulder at a random place, as a camera would show it."""
    radius = rng.uniform(1.0e-3, 2.3e-3) / PITCH
    circle = Circle(rng.uniform(radius + 2, SIZE[1] - radius - 3),
                    rng.uniform(radius + 2, SIZE[0] - radius - 3), radius)
    depth, normal = fitting.ball_depth(SIZE, PITCH, circle, ball, 6e-4)
    return noisy(rng, hidden.render_float(depth, normal)), circle


def noisy(rng, image):
    return np.clip(image + rng.normal(0, NOISE, image.shape) + 0.5, 0, 255).astype(np.uint8)


def take_pictures(folder, seed):
    """Saves 10 frames without contact and 40 presses; the circles that were drawn."""
    rng, hidden = np.random.default_rng(seed), hidden_model()
    for k in range(10):
        Image.fromarray(noisy(rng, hidden.background)).save(folder / f"background{k}.png")
    circles = {}
    for k in range(40):
        image, circles[f"press{k:02}.png"] = press_picture(rng, hidden)
        Image.fromarray(image).save(folder / f"press{k:02}.png")
    return circles


@pytest.fixture(scope="module")
def pictures(tmp_path_factory):
    """A folder of pictures; the circles that were drawn."""
    folder = tmp_path_factory.mktemp("pictures")
    return folder, take_pictures(folder, 1)


@pytest.fixture(scope="module")
def calibrated(pictures, tmp_path_factory):
    out = tmp_path_factory.mktemp("out")
    return haptos.calibrate(pictures[0], "4mm", out=out), out


def test_held_out_presses_are_predicted_by_lights_and_by_table(calibrated):
    result, _ = calibrated
    assert len(result.held_out) == 8
    for name, scores in (("lights", result.light_scores), ("table", result.table_scores)):
        ssim = np.array([s.masked_ssim for s in scores])
        null = np.array([s.masked_ssim_null for s in scores])
        correlation = np.array([s.correlation for s in scores])
        print(f"FIGURE calibrate.{name} = masked SSIM {ssim.mean():.4f}, worst {ssim.min():.4f}, "
              f"null {null.mean():.4f}; correlation {correlation.mean():.4f}, worst "
              f"{correlation.min():.4f}; RMSE {np.mean([s.mse for s in scores])**0.5:.2f} of "
              f"{np.mean([s.mse_null for s in scores])**0.5:.1f}")
        assert ssim.min() > 0.95 and correlation.min() > 0.95
        assert null.max() < 0.75


@pytest.mark.full
def test_presses_at_other_places_are_predicted_as_well(tmp_path):
    """One set of places says little: the worst press of a set is where few others were."""
    worst = {"lights": [], "table": []}
    for seed in range(2, 32):
        folder = tmp_path / str(seed)
        folder.mkdir()
        take_pictures(folder, seed)
        result = haptos.calibrate(folder, "4mm", PITCH)
        assert not any("the shading fits" in w for w in result.warnings)
        for name, scores in (("lights", result.light_scores), ("table", result.table_scores)):
            worst[name].append(min(s.masked_ssim for s in scores))
            assert min(s.correlation for s in scores) > 0.95
    for name, values in worst.items():
        print(f"FIGURE calibrate.sets.{name} = worst masked SSIM of {len(values)} sets "
              f"{min(values):.4f} to {max(values):.4f}, {sum(v <= 0.95 for v in values)} not above .95, "
              + " ".join(f"{v:.4f}" for v in values))
    # A bin's polynomial of second order cannot follow the lights into the corners: one set in thirty
    # has its worst press there.
    assert min(worst["lights"]) > 0.95
    assert min(worst["table"]) > 0.945 and sum(v > 0.95 for v in worst["table"]) >= 28


def test_circles_and_lights_are_found(calibrated, pictures):
    result, _ = calibrated
    error = np.array([np.subtract(p.circle, pictures[1][p.name]) for p in result.presses])
    hidden = np.array([light.at for light in hidden_model().rig.lights])
    found = result.lights.position
    nearest = [np.linalg.norm(found - h, axis=1).min() for h in hidden]
    print(f"FIGURE calibrate.circles = {len(result.presses)} of 40, centre off by "
          f"{np.abs(error[:, :2]).mean():.3f}, radius by {np.abs(error[:, 2]).mean():.2f} pixels; "
          f"lights off by {1e3 * np.mean(nearest):.2f} mm, they leave {result.lights.rms:.2f}; "
          f"best radius {result.best_radius / BALL:.3f} of the ball's")
    assert len(result.presses) >= 38
    assert np.abs(error[:, :2]).mean() < 0.2 and np.abs(error[:, 2]).mean() < 0.6
    assert max(nearest) < 2.5e-3
    assert not any("the shading fits" in w for w in result.warnings)


def test_depth_is_reconstructed(calibrated):
    ratio = np.array([r.found / r.expected for r in calibrated[0].reconstruction])
    print(f"FIGURE calibrate.depth = {ratio.mean():.3f} of the cap, {ratio.min():.2f} to "
          f"{ratio.max():.2f}")
    assert abs(ratio.mean() - 1) < 0.1 and np.abs(ratio - 1).max() < 0.3


def test_the_sensor_file_shows_what_the_fit_showed(calibrated):
    result, out = calibrated
    sensor = haptos.load_rgb(out / "rgb.yaml")
    press = result.held_out[0]
    depth, normal = fitting.ball_depth(SIZE, PITCH, press.circle, BALL)
    assert np.array_equal(sensor.image(depth, normal), result.table_model.render(depth, normal))
    flat = np.zeros(SIZE, np.float32)
    rest = sensor.image(flat, haptos.normals_from_depth(flat, PITCH))
    assert np.array_equal(rest, (result.background.astype(np.float32) + 0.5).astype(np.uint8))
    text = (out / "rgb.yaml").read_text().replace("model: table", "model: lights")
    (out / "lights.yaml").write_text(text)
    lights = haptos.load_rgb(out / "lights.yaml").image(depth, normal)
    difference = lights.astype(int) - result.light_model.render(depth, normal)
    assert np.abs(difference).max() <= 1
    report = (out / "report.html").read_text()
    assert report.count("null") >= 4 and "Reconstruction" in report


def test_the_sensor_it_writes_is_a_sensor_as_any_other(calibrated):
    result, out = calibrated
    model, base = haptos.load_sensor(str(out / "sensor.yaml")), haptos.load_sensor("gelsight-mini")
    # No pitch was given: 160 pixels show what the Mini's 320 show.
    assert result.pitch == pytest.approx(PITCH, rel=1e-12)
    assert [w for w in result.warnings if w.startswith("no ")] == [
        "no sensor was named: sensor.yaml is a GelSight Mini with these colours; --sensor names "
        "another",
        "no pitch was given: a pixel is 126.8 um, as where the pictures show all that the camera of "
        "a GelSight Mini shows; --pitch gives another"]
    assert (model.camera.width, model.camera.height) == (SIZE[1], SIZE[0])
    assert model.camera.pitch == pytest.approx(PITCH, rel=1e-8)
    assert model.material == base.material and model.friction == base.friction
    assert model.markers.rows == base.markers.rows
    kinds = {f.what: f.kind for f in model.facts}
    assert kinds["pixel pitch"] == "assumed" and kinds["colours"] == "measured"
    assert "lights" not in kinds and "Young's modulus and friction, together" in kinds
    scene = haptos.Scene(gravity=(0, 0, 0))
    model.add_to(scene, "finger")
    rest = scene.compile().sensors["finger"].rgb()[0]
    assert np.abs(rest.astype(int) - result.background).max() <= 1


def commands_of_the_page():
    """What docs/sensors/calibration.md says to type, in its order."""
    page = (ROOT / "docs/sensors/calibration.md").read_text()
    blocks = re.findall(r"^```\n(.*?)^```$", page, re.MULTILINE | re.DOTALL)
    return [shlex.split(line)[1:] for block in blocks for line in block.splitlines()
            if line.startswith("haptos ")]


@pytest.mark.full
def test_the_commands_of_the_page_lead_to_a_press_like_the_pictures(pictures, tmp_path):
    (tmp_path / "pictures").symlink_to(pictures[0])
    commands = commands_of_the_page()
    assert [c[0] for c in commands] == ["calibrate", "calibrate", "describe", "press"]
    assert commands[0] == ["calibrate", "--images", "pictures", "--ball-radius", "4mm"]
    for command in commands:
        done = run_haptos(*command, cwd=tmp_path, timeout=600)
        assert done.returncode == 0, done.stderr
    made = [p for p in (tmp_path / "runs").glob("*/sensor.yaml")]
    assert len(made) == 1 and (made[0].parent / "report.html").exists()  # of the first command
    with h5py.File(tmp_path / "runs/mine/run.h5") as file:
        camera = file["sensors/camera"]
        depth, image = np.nan_to_num(camera["depth"][-1, 0]), camera["rgb"][-1, 0].astype(float)
        rest = camera["rgb"][0, 0].astype(float)
    # What the hidden lights would make of the same gel, as if it were flat at rest.
    hidden = hidden_model()
    true = hidden.render_float(depth, haptos.normals_from_depth(depth, PITCH)).astype(float)
    inside = depth > 1e-4
    score = compare_images(image, true, hidden.background.astype(float), inside)
    print(f"FIGURE calibrate.press = masked SSIM {score.masked_ssim:.3f}, null "
          f"{score.masked_ssim_null:.3f}, correlation {score.correlation:.3f}, "
          f"{inside.sum()} pixels")
    assert np.abs(rest - hidden.background).max() <= 3  # noise of a mean of 10 pictures
    assert score.masked_ssim > 0.95 > score.masked_ssim_null and score.correlation > 0.95


def test_pictures_that_were_mirrored_are_turned_back(pictures, calibrated, tmp_path):
    turned = tmp_path / "turned"
    turned.mkdir()
    for picture in sorted(pictures[0].iterdir())[:30]:
        Image.fromarray(np.asarray(Image.open(picture))[::-1, ::-1]).save(turned / picture.name)
    result = haptos.calibrate(turned, "4mm", PITCH, tmp_path / "out", sensor="digit", mirror="xy",
                              bins=40)
    first = {p.name: p for p in calibrated[0].presses}
    for press in result.presses:
        assert np.array_equal(press.image, first[press.name].image)
    assert result.mirror == "xy" and not any("named" in w for w in result.warnings)
    text = (tmp_path / "out" / "sensor.yaml").read_text()
    assert "mirrored along x and y" in text
    model, digit = haptos.load_sensor(str(tmp_path / "out" / "sensor.yaml")), haptos.load_sensor("digit")
    assert model.camera.kind == digit.camera.kind
    assert model.camera.pitch == pytest.approx(PITCH, rel=1e-8)
    assert {f.what: f.kind for f in model.facts}["pixel pitch"] == "measured"
    with pytest.raises(haptos.InputError, match="must be x, y or xy"):
        haptos.calibrate(turned, "4mm", PITCH, mirror="z")


def test_a_pad_of_ones_own_goes_with_the_sensor(calibrated, tmp_path):
    from haptos.calibration.sensor import pitch_of, write_colours, write_sensor

    (tmp_path / "own").mkdir()
    pad = haptos.box_pad(0.022, 0.018, 0.004, 0, haptos.PadGrading(2e-3, 2e-3, 3e-3, 3e-3))
    haptos.write_vtk(str(tmp_path / "own" / "pad.vtk"), pad.mesh)
    (tmp_path / "own" / "mine.yaml").write_text(
        "name: Mine\npad: {kind: mesh, mesh: pad.vtk, unit: m}\n"
        "material: {young: 0.2 MPa, poisson: 0.48, density: 1000}\n"
        "camera: {kind: pinhole, width: 320, height: 240, focal: 340, distance: 20 mm}\n")
    base = haptos.load_sensor(str(tmp_path / "own" / "mine.yaml"))
    assert pitch_of(base, 160, 120) == pytest.approx(2 * 0.02 / 340, rel=1e-12)
    with pytest.raises(haptos.InputError, match="give --pitch"):
        pitch_of(base, 160, 160)
    out = tmp_path / "out"
    out.mkdir()
    write_colours(out, calibrated[0])
    write_sensor(out, calibrated[0], base)
    (tmp_path / "own" / "pad.vtk").unlink()
    model = haptos.load_sensor(str(out / "sensor.yaml"))
    assert model.name == "Mine, calibrated" and len(model.gel.mesh.vertices) == len(pad.mesh.vertices)
    assert model.camera.distance == 0.02 and model.camera.pitch == pytest.approx(PITCH, rel=1e-8)


@pytest.mark.parametrize("ratio", [0.75, 1.25])
def test_a_wrong_ball_radius_is_noticed(pictures, tmp_path, ratio):
    some = tmp_path / "some"
    some.mkdir()
    for picture in sorted(pictures[0].iterdir())[:30]:
        (some / picture.name).write_bytes(picture.read_bytes())
    result = haptos.calibrate(some, BALL * ratio, PITCH, bins=40)
    print(f"FIGURE calibrate.radius{ratio} = best {result.best_radius / BALL:.3f} of the true one, "
          f"leaves {100 * result.radius_gain:.0f} % less")
    assert abs(result.best_radius / BALL - 1) < 0.12
    said = [w for w in result.warnings if "the shading fits a ball of" in w]
    assert len(said) == 1 and "check the ball's radius and the pitch" in said[0]


def test_integration_gives_back_a_surface():
    rows, columns = np.mgrid[:60, :80]
    z = 5 * np.exp(-((columns - 40) ** 2 + (rows - 30) ** 2) / 150)
    gy, gx = np.gradient(z)
    found = fitting.integrate_gradients(gx, gy)
    assert np.abs(found - found.mean() - z + z.mean()).max() < 0.06


def test_a_picture_without_contact_has_no_circle():
    rng, hidden = np.random.default_rng(4), hidden_model()
    assert find_circle(noisy(rng, hidden.background).astype(float),
                       hidden.background.astype(float), NOISE) is None


def folder_of(tmp_path, presses, *, backgrounds=1, size=SIZE):
    for k in range(backgrounds):
        Image.fromarray(np.full((*SIZE, 3), 100, np.uint8)).save(tmp_path / f"bg{k}.png")
    for k in range(presses):
        Image.fromarray(np.full((*size, 3), 100, np.uint8)).save(tmp_path / f"p{k}.png")
    return tmp_path


def test_what_cannot_be_calibrated_is_one_sentence(pictures, tmp_path):
    few = tmp_path / "few"
    few.mkdir()
    for name in ("background0.png", "press00.png", "press01.png"):
        (few / name).write_bytes((pictures[0] / name).read_bytes())
    cases = []
    for name, presses, options in (("sizes", 3, {"size": (50, 60)}), ("none", 3, {}),
                                   ("noback", 3, {"backgrounds": 0}), ("empty", 0,
                                                                       {"backgrounds": 0})):
        (tmp_path / name).mkdir()
        cases.append(folder_of(tmp_path / name, presses, **options))
    for call, words in (
            ((cases[0], 4e-3, PITCH), "must have the size of"),
            ((cases[1], 4e-3, PITCH), "show no circle"),
            ((cases[2], 4e-3, PITCH), "no picture without contact"),
            ((cases[3], 4e-3, PITCH), "holds no pictures"),
            ((few, 4e-3, PITCH), "must be 8 or more"),
            ((pictures[0], 4, PITCH), "0.2 mm to 50 mm"),
            ((pictures[0], 4e-3, 0.1268), "1 um to 2 mm"),
            ((few, 5e-4, PITCH), "too small"),
            ((tmp_path / "nowhere", 4e-3, PITCH), "must be a folder")):
        with pytest.raises(haptos.InputError) as e:
            haptos.calibrate(*call)
        assert words in str(e.value) and "\n" not in str(e.value)


@pytest.mark.parametrize(("radius", "words"), [
    ("4", "must be 0.2 mm to 50 mm; give metres, or write the unit, for example 4mm"),
    ("4m", "must be 0.2 mm to 50 mm; give metres, or write the unit, for example 4mm"),
    ("4mmm", "units are m, cm, mm, um or in"),
    ("-4mm", "must be 0.2 mm to 50 mm"),
    ("4mm", "show no circle of 6 pixels or more in any of them; press a ball"),
])
def test_the_command_says_bad_input_in_one_line(tmp_path, monkeypatch, capsys, radius, words):
    (tmp_path / "pictures").mkdir()
    folder_of(tmp_path / "pictures", 3)
    monkeypatch.chdir(tmp_path)
    assert run_command(["calibrate", "--images", "pictures", f"--ball-radius={radius}"]) == 2
    said = capsys.readouterr()
    assert said.err.startswith("haptos: ") and said.err.count("\n") == 1 and not said.out
    assert words in said.err and not (tmp_path / "runs").exists()
