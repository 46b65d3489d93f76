"""Calibration on presses rendered with hidden lights: what it finds is held against what was hidden,
and bad input is one sentence."""

import numpy as np
import pytest
from PIL import Image

import haptos
from conftest import run_haptos

scipy = pytest.importorskip("scipy", reason="calibration needs scipy")

from haptos import calibration_fit as fitting  # noqa: E402
from haptos.calibration_circles import Circle, find_circle  # noqa: E402

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


@pytest.fixture(scope="module")
def pictures(tmp_path_factory):
    """A folder of 10 frames without contact and 40 presses; the circles that were drawn."""
    folder = tmp_path_factory.mktemp("pictures")
    rng, hidden = np.random.default_rng(1), hidden_model()
    for k in range(10):
        Image.fromarray(noisy(rng, hidden.background)).save(folder / f"background{k}.png")
    circles = {}
    for k in range(40):
        image, circles[f"press{k:02}.png"] = press_picture(rng, hidden)
        Image.fromarray(image).save(folder / f"press{k:02}.png")
    return folder, circles


@pytest.fixture(scope="module")
def calibrated(pictures, tmp_path_factory):
    out = tmp_path_factory.mktemp("out")
    return haptos.calibrate(pictures[0], "4mm", PITCH, out), out


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
        assert ssim.mean() > 0.95 and correlation.min() > 0.95
        assert ssim.min() > 0.93 and null.max() < 0.75


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
    sensor = haptos.load_rgb(out / "sensor.yaml")
    press = result.held_out[0]
    depth, normal = fitting.ball_depth(SIZE, PITCH, press.circle, BALL)
    assert np.array_equal(sensor.image(depth, normal), result.table_model.render(depth, normal))
    flat = np.zeros(SIZE, np.float32)
    rest = sensor.image(flat, haptos.normals_from_depth(flat, PITCH))
    assert np.array_equal(rest, (result.background.astype(np.float32) + 0.5).astype(np.uint8))
    text = (out / "sensor.yaml").read_text().replace("model: table", "model: lights")
    (out / "lights.yaml").write_text(text)
    lights = haptos.load_rgb(out / "lights.yaml").image(depth, normal)
    difference = lights.astype(int) - result.light_model.render(depth, normal)
    assert np.abs(difference).max() <= 1
    report = (out / "report.html").read_text()
    assert report.count("null") >= 4 and "Reconstruction" in report


@pytest.mark.parametrize("ratio", [0.8, 1.25])
def test_a_wrong_ball_radius_is_noticed(calibrated, ratio):
    # As calibrate() would have it with another radius: gradients of the same circles.
    result, _ = calibrated
    samples = fitting.join([
        fitting.take_samples(p.image, result.background, p.circle, BALL * ratio, PITCH)
        for p in result.presses if not p.held_out])
    fit = fitting.fit_lights(samples, SIZE, PITCH)
    best, gain = fitting.best_radius(samples, fit, SIZE, PITCH)
    print(f"FIGURE calibrate.radius{ratio} = best {best * ratio:.3f} of the true one, leaves "
          f"{100 * gain:.0f} % less")
    assert abs(best * ratio - 1) < 0.12 and gain > 0.1


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


def test_the_command_says_bad_input_in_one_line(tmp_path):
    done = run_haptos("calibrate", "--images", tmp_path, "--ball-radius", "4", "--pitch", "60um",
                      "--out", tmp_path / "out", cwd=tmp_path)
    assert done.returncode == 2 and done.stderr.count("\n") == 1
    assert not (tmp_path / "out").exists()
