"""Noise of tactile sensors in a scene: what its numbers say is what depth, markers and colours have."""

import numpy as np
import pytest
from PIL import Image

import haptos
from conftest import small_pad

SIZE, PITCH = (48, 64), 1.5e-4
GRID = (5, 6, 1.4e-3, 1.4e-3)


def scene_with(noise=None, rgb=None, grid=GRID):
    pad = small_pad()
    scene = haptos.Scene(dt=0.05, gravity=(0, 0, 0))
    scene.add_prescribed("mount")
    scene.add_soft("gel", pad.mesh, material=haptos.Material(young=1e5, poisson=0.45),
                   glue={"mount": pad.base_vertices}, coat=pad.coat)
    scene.add_sensor("camera", "gel", camera=haptos.TactileCamera.orthographic(*SIZE[::-1], PITCH),
                     markers=haptos.MarkerGrid(*grid), rgb=rgb, noise=noise)
    return scene


def sensor_with(noise=None, envs=1, **options):
    return scene_with(noise, **options).compile(envs=envs).sensors["camera"]


def test_without_numbers_there_is_no_noise():
    for noise in (None, haptos.TactileNoise()):
        sensor = sensor_with(noise)
        assert not sensor.depth().any()
        reading, clean = sensor.markers(), sensor.markers(clean=True)
        for a, b in zip(reading, clean, strict=True):
            assert np.array_equal(a, b)
        assert not reading.lost.any() and not reading.pixel_flow.any()


def test_markers_jitter_and_get_lost_as_often_as_said():
    sensor = sensor_with(haptos.TactileNoise(jitter=0.5, loss=0.1), envs=100)
    reading, clean = sensor.markers(), sensor.markers(clean=True)
    n = reading.lost.size  # 3000
    off = reading.pixel - clean.pixel
    assert np.array_equal(off, reading.pixel_flow - clean.pixel_flow)
    assert abs(off.std() - 0.5) < 4 * 0.5 / np.sqrt(2 * 2 * n)
    assert abs(off.mean()) < 4 * 0.5 / np.sqrt(2 * n)
    assert abs(reading.lost.mean() - 0.1) < 4 * np.sqrt(0.09 / n)
    assert np.array_equal(reading.position, clean.position)  # what jitters is the picture
    assert len({r.tobytes() for r in off}) == 100


def test_a_sensor_without_colours_has_a_rough_surface():
    sensor = sensor_with(haptos.TactileNoise(texture=2e-6), envs=2)
    depth, normal = sensor.image()
    n = depth[0].size
    assert abs(depth.std() - 2e-6) < 4 * 2e-6 / np.sqrt(2 * 2 * n)
    assert np.array_equal(sensor.depth(), depth) and not np.array_equal(depth[0], depth[1])
    assert np.array_equal(sensor.points("gel").normal, np.moveaxis(normal, 1, -1))
    assert not sensor.depth(clean=True).any()
    # Slopes by central differences of independent heights, sigma sqrt(2) / (2 pitch).
    inner = (normal[:, 0] / normal[:, 2])[:, 1:-1, 1:-1]
    assert inner.std() == pytest.approx(2e-6 * np.sqrt(2) / (2 * PITCH), rel=0.05)
    assert not sensor.contact_field().traction.any()  # forces have none


def test_the_same_seed_and_step_have_the_same_noise_and_no_others():
    noise = haptos.TactileNoise(texture=2e-6, jitter=0.3)
    sim = scene_with(noise).compile()
    sensor = sim.sensors["camera"]
    first, jitter = sensor.depth(), sensor.markers().pixel
    assert np.array_equal(sensor.depth(), first)
    sim.step()
    assert not np.array_equal(sensor.depth(), first)
    sim.reset()
    assert np.array_equal(sensor.depth(), first)
    assert np.array_equal(sensor.markers().pixel, jitter)
    sim.reset(seed=5)
    assert not np.array_equal(sensor.depth(), first)
    scene = scene_with(noise)
    scene.sim.seed = 5
    assert np.array_equal(scene.compile().sensors["camera"].depth(), sensor.depth())
    sensor.noise = haptos.TactileNoise()
    assert not sensor.depth().any()


def test_markers_are_printed_beside_the_grid_once_for_each_sensor():
    noise = haptos.TactileNoise(fabrication=1e-4)
    sim = scene_with(noise).compile(envs=40)
    sensor = sim.sensors["camera"]
    off = (sensor.markers().position - sensor.markers(clean=True).position)[..., :2]
    assert np.abs(off).max() < 1e-4 and abs(np.abs(off).mean() - 5e-5) < 4 * 2.9e-5 / np.sqrt(2400)
    assert len({r.tobytes() for r in off}) == 40
    before = sensor.markers().position
    sim.step()
    np.testing.assert_allclose(sensor.markers().position, before, atol=1e-9)
    # A new seed for two of them.
    chosen = np.zeros(40, bool)
    chosen[[3, 7]] = True
    sim.reset(chosen, seed=9)
    changed = np.abs(sensor.markers().position - before).max(axis=(1, 2)) > 1e-6
    assert np.array_equal(changed, chosen)


def test_the_grid_is_wider_turned_and_moved_within_its_bounds():
    noise = haptos.TactileNoise(interval=0.05, rotation=0.1, translation=3e-4)
    sensor = sensor_with(noise, envs=60)
    p = sensor.markers().position[..., :2].reshape(60, *GRID[:2], 2)
    step = p[:, 0, 1] - p[:, 0, 0]
    wide = np.linalg.norm(step, axis=1) / GRID[2] - 1
    turn = np.arctan2(step[:, 1], step[:, 0])
    moved = p.mean(axis=(1, 2))
    for value, bound in ((wide, 0.05), (turn, 0.1), (moved[:, 0], 3e-4), (moved[:, 1], 3e-4)):
        assert np.abs(value).max() <= bound * (1 + 1e-9)
        assert abs(value.std() / (bound / np.sqrt(3)) - 1) < 0.35  # uniform; 60 of them
    with pytest.raises(haptos.InputError, match="must lie on the coat"):
        sensor_with(haptos.TactileNoise(translation=8e-3), envs=8)


def test_morphology_keeps_the_shape_of_a_domed_pad():
    scene = haptos.Scene(gravity=(0, 0, 0))
    model = haptos.load_sensor("gelsight-mini")
    model.add_to(scene, "finger")
    sensor = scene.compile().sensors["finger"]
    clean = sensor.image()[1]
    sensor.noise = haptos.TactileNoise(morphology=5, blur=2)
    np.testing.assert_allclose(sensor.image()[1], clean, atol=1e-6)
    assert clean[0, 0].std() > 0.01  # a dome


LIGHTS = """
image: {width: 64, height: 48}
lights: [{position: [16 mm, 4 mm, -8 mm], colour: [150, 130, 120]}]
"""


def test_pictures_have_the_noise_and_one_of_the_backgrounds(tmp_path):
    backs = [np.full((*SIZE, 3), v, np.uint8) for v in (90, 120, 150)]
    for k, b in enumerate(backs):
        Image.fromarray(b).save(tmp_path / f"b{k}.png")
    (tmp_path / "rgb.yaml").write_text(
        LIGHTS + "background: b0.png\nbackgrounds: [b1.png, b2.png]\nnoise: {rgb: 3}\n")
    sensor = sensor_with(rgb=tmp_path / "rgb.yaml", envs=30)
    pictures = sensor.rgb()
    middle = pictures.mean(axis=(1, 2, 3))
    taken = np.abs(middle[:, None] - (90, 120, 150)).argmin(axis=1)
    assert set(taken) == {0, 1, 2} and np.abs(middle - np.array((90, 120, 150))[taken]).max() < 0.3
    assert pictures[0].std() == pytest.approx(3, rel=0.05)
    assert np.array_equal(sensor.rgb(), pictures)
    assert (sensor.rgb(clean=True) == 90).all()
    # Noise of the scene stands in place of the file's.
    assert sensor_with(haptos.TactileNoise(), rgb=tmp_path / "rgb.yaml").rgb().std() == 0
    # Without a background of its own, what the lights show is the first one, and clean.
    (tmp_path / "alone.yaml").write_text(LIGHTS)
    (tmp_path / "rgb.yaml").write_text(LIGHTS + "backgrounds: [b1.png, b2.png]\n")
    shown = sensor_with(rgb=tmp_path / "alone.yaml").rgb()
    sensor = sensor_with(rgb=tmp_path / "rgb.yaml", envs=30)
    assert np.array_equal(sensor.rgb(clean=True)[:1], shown)
    assert {round(float(p.mean())) for p in sensor.rgb()} == {round(float(shown.mean())), 120, 150}
    (tmp_path / "rgb.yaml").write_text(LIGHTS + "backgrounds: [small.png]\n")
    Image.fromarray(backs[0][:5]).save(tmp_path / "small.png")
    with pytest.raises(haptos.InputError, match=r"small.png.*must have shape|must have shape.*small"):
        haptos.load_rgb(tmp_path / "rgb.yaml", haptos.TactileCamera.orthographic(64, 48, PITCH))


SENSOR = """\
name: Noisy
pad: {{kind: box, width: 22 mm, depth: 18 mm, thickness: 4 mm, elements: {{top: 2 mm, centre: 3 mm, rim: 3 mm}}}}
material: {{young: 200 kPa, poisson: 0.48, density: 1000}}
camera: {{kind: orthographic, width: 64, height: 48, pitch: 150 um}}
markers: {{rows: 3, columns: 4, pitch: 2 mm}}
noise: {noise}
"""


def test_a_sensor_file_has_noise(tmp_path):
    file = tmp_path / "noisy.yaml"
    file.write_text(SENSOR.format(noise="{texture: 2 um, jitter: 0.5, fabrication: 0.1 mm, "
                                  "rotation: 3 deg, morphology: 3}"))
    model = haptos.load_sensor(str(file))
    assert model.noise.texture == 2e-6 and model.noise.jitter == 0.5
    assert model.noise.rotation == pytest.approx(np.deg2rad(3)) and model.noise.morphology == 3
    scene = haptos.Scene(gravity=(0, 0, 0))
    model.add_to(scene, "finger")
    sensor = scene.compile().sensors["finger"]
    assert sensor.depth().any() and sensor.markers().pixel_flow.any()
    for noise, words in (("{jitter: -1}", "noise.jitter"), ("{jiter: 1}", 'did you mean "jitter"?'),
                         ("{texture: 2 mm}", "2e-6 is usual"), ("{morphology: 4}", "odd number")):
        file.write_text(SENSOR.format(noise=noise))
        with pytest.raises(haptos.InputError, match="noisy.yaml:6") as error:
            haptos.load_sensor(str(file))
        assert words in str(error.value) and "\n" not in str(error.value)
    with pytest.raises(haptos.InputError, match="0.05 is usual"):
        haptos.TactileNoise(interval=3)
