"""RGB models, their files, noise and metrics through the Python front end."""

import zlib

import numpy as np
import pytest
from PIL import Image

import haptos
from haptos import _core

SIZE = (60, 80)
PITCH = 2e-4


def rig():
    return haptos.LightRig(
        [haptos.TactileLight.point((0.016, 0.004, -0.008), (150, 30, 20)),
         haptos.TactileLight.point((-0.010, 0.015, -0.010), (20, 140, 30)),
         haptos.TactileLight.directional((-0.3, -1, -0.6), (25, 35, 150))],
        ambient=(30, 30, 30), specular=0.2, shininess=12)


def camera():
    return haptos.TactileCamera.orthographic(SIZE[1], SIZE[0], PITCH)


def dented():
    rows, columns = np.mgrid[: SIZE[0], : SIZE[1]]
    r2 = ((columns - 45) ** 2 + (rows - 25) ** 2) * PITCH**2
    depth = (8e-4 * np.exp(-r2 / 6e-6)).astype(np.float32)
    return depth, haptos.normals_from_depth(depth, PITCH)


def flat():
    depth = np.zeros(SIZE, np.float32)
    return depth, haptos.normals_from_depth(depth, PITCH)


def test_no_contact_shows_exactly_the_background_and_contact_does_not():
    rng = np.random.default_rng(3)
    back = rng.uniform(0, 255, (*SIZE, 3)).astype(np.float32)
    coefficients = rng.normal(size=(3, 20, 20, 6)).astype(np.float32)
    for model in (haptos.PhotometricModel(camera(), rig(), back),
                  haptos.RgbTable(coefficients, back)):
        assert np.array_equal(model.render_float(*flat()), back)
        assert np.array_equal(model.render(*flat()), (back + 0.5).astype(np.uint8))
        changed = np.abs(model.render_float(*dented()) - back).max()
        assert changed > 5


def test_a_sensor_file_gives_the_model_that_it_describes(tmp_path):
    (tmp_path / "lights.yaml").write_text("""
image: {width: 80, height: 60, pitch: 200 um}
ambient: [30, 30, 30]
specular: 0.2
shininess: 12
lights:
  - {position: [16 mm, 4 mm, -8 mm], colour: [150, 30, 20]}
  - {position: [-10 mm, 15 mm, -10 mm], colour: [10, 70, 15], intensity: 2}
  - {direction: [-0.3, -1, -0.6], colour: [25, 35, 150]}
""")
    sensor = haptos.load_rgb(tmp_path / "lights.yaml")
    wanted = haptos.PhotometricModel(camera(), rig()).render(*dented())
    assert np.array_equal(sensor.image(*dented()), wanted)
    batch = sensor.images(np.stack([dented()[0]] * 2), np.stack([dented()[1]] * 2))
    assert batch.shape == (2, 60, 80, 3) and np.array_equal(batch[1], wanted)


def test_a_table_survives_its_file_and_bgr_is_turned(tmp_path):
    rng = np.random.default_rng(5)
    w = rng.normal(size=(3, 12, 12, 6)).astype(np.float32)
    back = np.full((*SIZE, 3), 90, np.float32)
    haptos.write_table(tmp_path / "t.npz", w, back)
    read = haptos.read_table(tmp_path / "t.npz")
    assert np.array_equal(read["coefficients"], w) and np.array_equal(read["background"], back)
    assert np.array_equal(haptos.read_table(tmp_path / "t.npz", order="BGR")["coefficients"],
                          w[::-1])
    (tmp_path / "s.yaml").write_text("image: {width: 80, height: 60, pitch: 200 um}\n"
                                     "table: t.npz\n")
    assert np.array_equal(haptos.load_rgb(tmp_path / "s.yaml").image(*dented()),
                          haptos.RgbTable(w, back).render(*dented()))


def test_a_table_follows_its_polynomials():
    bins = 125
    rng = np.random.default_rng(11)
    w = np.zeros((3, bins, bins, 6), np.float32)
    w[:, 1:] = rng.normal(size=(3, bins - 1, bins, 6)) * [1e-3, 1e-3, 1e-3, 0.05, 0.05, 3]
    back = np.full((*SIZE, 3), 128, np.float32)
    depth, normal = dented()
    got = haptos.RgbTable(w, back).render_float(depth, normal)
    gx, gy = normal[0] / normal[2], -normal[1] / normal[2]
    tilt = np.arctan(np.hypot(gx, gy)) / (np.pi / 2 / (bins - 1))
    turn = (np.arctan2(gy, gx) + np.pi) / (2 * np.pi / (bins - 1))
    m, d = np.floor(tilt).astype(int), np.floor(turn).astype(int)
    rows, columns = np.mgrid[: SIZE[0], : SIZE[1]].astype(float)
    phi = np.stack([columns**2, rows**2, columns * rows, columns, rows, np.ones(SIZE)], -1)
    for c in range(3):
        wanted = np.clip(128 + (w[c, m, d] * phi).sum(-1), 0, 255)
        # Pixels on the edge of a bin may fall to either side.
        sure = (np.abs(tilt - np.rint(tilt)) > 1e-4) & (np.abs(turn - np.rint(turn)) > 1e-4)
        sure |= m == 0
        assert sure.mean() > 0.95
        assert np.abs(got[..., c] - wanted)[sure].max() < 2e-3


def test_noise_depends_on_seed_env_name_and_sample_and_is_off_by_default(tmp_path):
    (tmp_path / "s.yaml").write_text("""
image: {width: 80, height: 60, pitch: 200 um}
lights: [{position: [16 mm, 4 mm, -8 mm], colour: [150, 130, 120]}]
noise: {rgb: 2, gain_std: 0.05, texture: 2 um, morphology: 3, blur: 1}
""")
    pictures = {}
    for key in ((0, "a", 0, 0), (1, "a", 0, 0), (0, "b", 0, 0), (0, "a", 1, 0), (0, "a", 0, 1)):
        seed, name, env, sample = key
        sensor = haptos.load_rgb(tmp_path / "s.yaml", name=name, seed=seed)
        pictures[key] = sensor.image(*dented(), env=env, sample=sample).tobytes()
        again = haptos.load_rgb(tmp_path / "s.yaml", name=name, seed=seed)
        assert pictures[key] == again.image(*dented(), env=env, sample=sample).tobytes()
    assert len(set(pictures.values())) == 5
    noise = haptos.TactileNoise()
    image = np.full((*SIZE, 3), 100, np.float32)
    key = _core.tactile_noise_key(0, 0, "a")
    assert np.array_equal(_core.add_image_noise(noise, key, 0, image), image)
    noise.rgb = 4.0
    noisy = _core.add_image_noise(noise, key, 0, image)
    assert abs(noisy.std() - 4) < 0.1 and abs(noisy.mean() - 100) < 0.15


def test_whole_similarity_never_comes_without_its_null():
    back = np.full((40, 50, 3), 100.0)
    reference = back.copy()
    reference[15:27, 20:34] += np.random.default_rng(2).normal(0, 30, (12, 14, 3))
    mask = np.zeros((40, 50), bool)
    mask[15:27, 20:34] = True
    same = haptos.compare_images(reference, reference, back, mask)
    assert same.ssim == pytest.approx(1) and same.masked_ssim == pytest.approx(1)
    assert same.correlation == pytest.approx(1) and same.l1 == 0 and same.psnr == float("inf")
    none = haptos.compare_images(back, reference, back, mask)
    assert none.masked_ssim == none.masked_ssim_null < 0.3 < 0.6 < none.ssim == none.ssim_null
    assert none.correlation == 0 and none.mse == none.mse_null
    assert str(none).count("null") == 3


def test_similarity_is_that_of_its_formula():
    rng = np.random.default_rng(8)
    a, b = rng.uniform(0, 255, (2, 12, 13))
    x, y = a[2:9, 4:11], b[2:9, 4:11]
    c1, c2 = 2.55**2, 7.65**2
    cov = np.cov(x.ravel(), y.ravel())
    wanted = ((2 * x.mean() * y.mean() + c1) * (2 * cov[0, 1] + c2)
              / ((x.mean()**2 + y.mean()**2 + c1) * (cov[0, 0] + cov[1, 1] + c2)))
    assert haptos.ssim_map(a, b)[5, 7] == pytest.approx(wanted, rel=1e-12)


def test_depth_and_marker_scores_are_those_of_known_errors():
    rows, columns = np.mgrid[:100, :100]
    r = np.hypot(columns - 50, rows - 50) * 1e-4
    depth = np.maximum(1e-3 - r * 0.25, 0)
    score = haptos.compare_depth(depth + 1e-5 * (depth > 0), depth, 1e-4)
    assert score.rmse == pytest.approx(1e-5) and score.peak_error == pytest.approx(1e-5)
    wide = haptos.compare_depth(np.maximum(1.1e-3 - r * 0.25, 0), depth, 1e-4)
    assert wide.radius_error == pytest.approx(4e-4, rel=0.05)
    assert wide.iou == pytest.approx((3.6 / 4.0) ** 2, rel=0.03)
    flow = np.array([[1.0, 0], [0, 2.0], [3.0, 3.0]])
    turned = flow @ np.array([[np.cos(0.1), np.sin(0.1)], [-np.sin(0.1), np.cos(0.1)]])
    markers = haptos.compare_markers(turned, flow, [1, 1, 0], threshold=0.5)
    assert markers.count == 2 and markers.angle == pytest.approx(0.1)
    assert markers.mean == pytest.approx(3 * np.sin(0.05))
    assert markers.relative == pytest.approx(2 * np.sin(0.05))


@pytest.mark.parametrize("text, words", [
    ("lights: []\nbackgruond: a.png\n", 'nearest known key is "background"'),
    ("lights: [{position: [1 mm, 0, 5 mm], colour: [1, 1, 1]}]\n", "below the coat"),
    ("lights: [{colour: [1, 1, 1]}]\n", "either a position or a direction"),
    ("background: /etc/passwd\nlights: []\n", "relative to this file"),
    ("table: ../t.npz\n", "stay in the folder"),
    ("noise: {}\n", "neither lights nor a table"),
    ("lights: []\nmodel: table\n", "is not described"),
    ("lights: []\nshininess: 0\n", "1 to 256"),
    ("lights: []\nbackground: small.png\n", "must have shape (60, 80, 3)"),
    ("lights: []\nbackground: broken.png\n", "cannot be read"),
    ("lights: []\nbackground: deep.png\n", "8 bits a colour"),
    ("lights: []\nbackground: huge.png\n", "2^26 pixels"),
    ("lights: []\nbackground: none.png\n", "does not exist"),
    ("table: objects.npz\n", "Python objects"),
    ("table: words.npz\n", "real numbers"),
    ("table: part.npz\n", "grad_g"),
])
def test_bad_files_are_one_sentence(tmp_path, text, words):
    Image.new("RGB", (20, 10)).save(tmp_path / "small.png")
    (tmp_path / "broken.png").write_bytes(b"\x89PNG\r\n\x1a\n" + bytes(20))
    Image.fromarray(np.zeros(SIZE, np.uint16)).save(tmp_path / "deep.png")
    header = b"IHDR" + (65535).to_bytes(4, "big") * 2 + b"\x08\x02\x00\x00\x00"
    (tmp_path / "huge.png").write_bytes(
        b"\x89PNG\r\n\x1a\n" + (13).to_bytes(4, "big") + header
        + zlib.crc32(header).to_bytes(4, "big") + (0).to_bytes(4, "big") + b"IEND\xaeB`\x82")
    plain = np.zeros((5, 5, 6), np.float32)
    np.savez(tmp_path / "objects.npz", grad_r=np.array([None]), grad_g=plain, grad_b=plain)
    np.savez(tmp_path / "words.npz", grad_r=np.array(["a"]), grad_g=plain, grad_b=plain)
    np.savez(tmp_path / "part.npz", grad_r=plain)
    (tmp_path / "s.yaml").write_text(
        "image: {width: 80, height: 60, pitch: 200 um}\n" + text)
    with pytest.raises(haptos.InputError) as e:
        haptos.load_rgb(tmp_path / "s.yaml")
    assert words in str(e.value) and "\n" not in str(e.value)


def test_bad_arrays_are_one_sentence():
    model = haptos.PhotometricModel(camera(), rig())
    depth, normal = flat()
    for call, words in (
            (lambda: model.render(depth[:5], normal), "must have shape (60, 80)"),
            (lambda: model.render(depth, normal[:2]), "must have shape (3, 60, 80)"),
            (lambda: model.render("depth", normal), "real numbers"),
            (lambda: model.render(depth.astype(complex), normal), "real numbers"),
            (lambda: haptos.RgbTable(np.full((3, 5, 5, 6), np.nan), np.zeros((6, 6, 3))),
             "no bin with numbers"),
            (lambda: haptos.RgbTable(np.zeros((3, 5, 4, 6)), np.zeros((6, 6, 3))), "must have shape"),
            (lambda: haptos.RgbTable(np.zeros((3, 5, 5, 6)), np.full((6, 6, 3), 256.0)), "0 to 255")):
        with pytest.raises(haptos.InputError) as e:
            call()
        assert words in str(e.value)
    # Views that are not contiguous are read like any other array.
    mirrored = np.asfortranarray(depth)
    assert np.array_equal(model.render(mirrored, normal[:, ::1]), model.render(depth, normal))


@pytest.mark.parametrize("name", [n for n in haptos.sensor_names() if haptos.load_sensor(n).rgb])
def test_the_flat_image_of_a_named_sensor_is_even_and_clips_nothing(name):
    # Backgrounds of real sensors with three lights vary by 10 to 33 grey values. Point lights beside
    # the gel clipped 4 % of red and green and varied by 200.
    model = haptos.load_sensor(name)
    flat = np.asarray(haptos.load_rgb(model.rgb, model.camera).background, float)
    assert flat.max() < 255 and flat.min() > 0
    for channel in np.moveaxis(flat, 2, 0):
        assert 5 < np.ptp(channel) <= 33


def test_a_row_of_lights_is_its_lights(tmp_path):
    head = "model: lights\nimage: {width: 32, height: 24, pitch: 0.5 mm}\nlights:\n"
    (tmp_path / "row.yaml").write_text(
        head + "  - {position: [16 mm, -4 mm, -8 mm], to: [16 mm, 4 mm, -8 mm], count: 3, "
        "colour: [90, 30, 60]}\n")
    (tmp_path / "three.yaml").write_text(head + "".join(
        f"  - {{position: [16 mm, {y} mm, -8 mm], colour: [30, 10, 20]}}\n" for y in (-4, 0, 4)))
    row, three = (np.asarray(haptos.load_rgb(str(tmp_path / f"{n}.yaml")).background)
                  for n in ("row", "three"))
    assert row.std() > 1 and np.allclose(row, three, atol=1e-4)


@pytest.mark.parametrize(("light", "said"), [
    ("{position: [16 mm, 0, -8 mm], to: [16 mm, 1 mm, -8 mm], colour: [1, 1, 1]}", "with a count"),
    ("{position: [16 mm, 0, -8 mm], count: 3, colour: [1, 1, 1]}", "with a count"),
    ("{direction: [1, 0, -1], to: [16 mm, 1 mm, -8 mm], count: 3, colour: [1, 1, 1]}", "with a count"),
    ("{position: [16 mm, 0, -8 mm], to: [16 mm, 1 mm, -8 mm], count: 65, colour: [1, 1, 1]}", "64"),
])
def test_a_row_that_cannot_be_is_refused(tmp_path, light, said):
    path = tmp_path / "row.yaml"
    path.write_text("model: lights\nimage: {width: 32, height: 24, pitch: 0.5 mm}\nlights:\n"
                    f"  - {light}\n")
    with pytest.raises(haptos.InputError, match=said):
        haptos.load_rgb(str(path))
