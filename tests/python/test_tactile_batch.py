"""Tactile sensors of many environments: each reads what it reads alone, with rate, delay and noise,
and all of it is restored with the state."""

import numpy as np
import pytest
from conftest import small_pad

import haptos

NOISE = {"morphology": 3, "blur": 1.0, "texture": 2e-6, "rgb": 2.0, "jitter": 0.5, "loss": 0.1,
         "fabrication": 1e-4, "rotation": 0.05}
LIGHTS = ("model: lights\nambient: [30, 30, 30]\nlights:\n"
          "  - {position: [16 mm, 0 mm, -6 mm], colour: [120, 18, 18]}\n")
DT = 0.02


def scene_of(folder, *, seed=3, noise=NOISE, sensor=True, **timing):
    """A ball pressed into the small pad and drawn over it, under a camera with everything."""
    pad = small_pad()
    scene = haptos.Scene(dt=DT, gravity=(0, 0, 0))
    scene.sim.seed = seed
    scene.contact.support = 5e-5
    scene.add_prescribed("mount")
    scene.add_soft("gel", pad.mesh, material=haptos.Material(young=1e5, poisson=0.45),
                   glue={"mount": pad.base_vertices}, coat=pad.coat, friction=0.5)
    scene.add_prescribed("ball", haptos.icosphere(4e-3, 1e-3), friction=0.5,
                         trajectory=[(0, (0, 0, 4.03e-3)), (4 * DT, (0, 0, 3.7e-3)),
                                     (8 * DT, (4e-4, 0, 3.7e-3))])
    (folder / "lights.yaml").write_text(LIGHTS)
    if not sensor:
        return scene
    scene.add_sensor("camera", "gel", camera=haptos.TactileCamera.orthographic(40, 30, 2.8e-4),
                     markers=haptos.MarkerGrid(3, 4, 2e-3, 2e-3, radius=3e-4),
                     rgb=folder / "lights.yaml", noise=haptos.TactileNoise(**noise), **timing)
    return scene


def read(sim, name="camera"):
    """Everything that the sensor says, {what: array}."""
    s = sim.sensors[name]
    found = dict(zip(("depth", "normal"), s.image(), strict=True))
    found["compensated"] = s.depth(compensated=True)
    found["rgb"] = s.rgb()
    found["turn"], found["origin"] = (np.stack(x) for x in zip(*map(s.frame, range(sim.envs)),
                                                               strict=True))
    for what, part in (("markers", s.markers()), ("touch", s.touch()), ("field", s.contact_field()),
                       ("image", s.force_image((3, 4))), ("points", s.points())):
        found |= {f"{what}.{k}": v for k, v in part._asdict().items()}
    return found


def same(a, b, k=None):
    for what in a:
        other = b[what] if k is None else b[what][k:k + 1]
        np.testing.assert_array_equal(a[what], other, err_msg=what)


@pytest.mark.parametrize("timing", [{}, {"rate": 20.0, "delay": 0.05}])
def test_an_environment_reads_what_it_reads_alone_bit_for_bit(tmp_path, timing):
    seeds = [11, 5, 8, 2]
    many = scene_of(tmp_path, **timing).compile(len(seeds))
    many.reset(seed=seeds)
    alone = [scene_of(tmp_path, **timing).compile() for _ in seeds]
    for sim, seed in zip(alone, seeds, strict=True):
        sim.reset(seed=[seed])
    for _ in range(6):
        many.step()
        for sim in alone:
            sim.step()
    whole = read(many)
    for k, sim in enumerate(alone):
        same(read(sim), whole, k)
    assert not np.array_equal(whole["depth"][0], whole["depth"][1])  # their noise differs
    assert np.abs(whole["touch.force"]).max() > 0.01


def test_a_sensor_with_rate_and_delay_reads_the_sample_of_then(tmp_path):
    timing = {"rate": 1 / (2 * DT), "delay": DT}
    late, now = scene_of(tmp_path, **timing).compile(), scene_of(tmp_path).compile()
    # Samples at 0, 2 dt, 4 dt ..., each to be read a step later.
    seen = {0: read(now)}
    assert late.sensors["camera"].time[0] == 0
    same(read(late), seen[0])
    for step in range(1, 7):
        for sim in (late, now):
            sim.step()
        seen[step] = read(now)
        then = (step - 1) // 2 * 2
        assert late.sensors["camera"].time[0] == pytest.approx(then * DT, abs=1e-12)
        same(read(late), seen[then])
    assert np.nanmax(np.abs(seen[6]["depth"] - seen[4]["depth"])) > 1e-6


@pytest.mark.parametrize("timing", [{}, {"rate": 1 / (2 * DT), "delay": 3 * DT}])
def test_readings_come_back_with_the_state(tmp_path, timing):
    sim = scene_of(tmp_path, **timing).compile(2)
    sim.reset(seed=[4, 9])
    for _ in range(3):
        sim.step()
    sim.save(tmp_path / "there")
    hashes = [s.hash() for s in sim.states]
    for _ in range(2):
        sim.step()
    after = read(sim)
    other = scene_of(tmp_path, **timing).compile(2)
    other.load(tmp_path / "there")
    assert [s.hash() for s in other.states] == hashes
    for _ in range(2):
        other.step()
    same(after, read(other))  # the seeds came with the state
    other.reset(seed=[4, 9])
    again = scene_of(tmp_path, **timing).compile(2)
    again.reset(seed=[4, 9])
    same(read(other), read(again))


def test_samples_belong_to_the_state_and_a_present_reading_does_not(tmp_path):
    plain, late = (scene_of(tmp_path, noise={}, **t).compile() for t in ({}, {"delay": DT}))
    assert plain.model_hash != late.model_hash
    for sim in (plain, late):
        sim.step()
    sizes = []
    for k, sim in enumerate((plain, late)):
        sim.save(tmp_path / f"{k}")
        sizes.append((tmp_path / f"{k}").stat().st_size)
    surface = len(np.unique(late.surface("gel")))
    # What is read, the ring of a delay of one step, 14 numbers and ten for each vertex of the surface.
    assert sizes[1] - sizes[0] >= 8 * 4 * (13 + 10 * surface)
    with pytest.raises(haptos.InputError, match="other model|another model"):
        late.load(tmp_path / "0")


@pytest.mark.parametrize(("timing", "said"), [
    ({"rate": -1.0}, "rate = -1"), ({"delay": float("nan")}, "delay"), ({"delay": "90 s"}, "MiB"),
    ({"rate": "5 m"}, "rate")])
def test_wrong_rates_and_delays_are_refused(tmp_path, timing, said):
    with pytest.raises(haptos.InputError) as error:
        scene_of(tmp_path, **timing).compile()
    assert said in str(error.value) and "camera" in str(error.value)


def test_noise_that_is_assigned_or_changed_in_place_is_that_of_the_next_reading(tmp_path):
    sensor = scene_of(tmp_path, noise={}).compile(2).sensors["camera"]
    clean = sensor.depth()
    sensor.noise = haptos.TactileNoise(texture=1e-6)
    assert not np.array_equal(sensor.depth(), clean)
    np.testing.assert_array_equal(sensor.depth(clean=True), clean)
    sensor.noise.texture = 0
    np.testing.assert_array_equal(sensor.depth(), clean)
    with pytest.raises(haptos.InputError, match="outside the coat|beside|coat"):
        sensor.noise = haptos.TactileNoise(translation=0.05)


def test_prints_follow_noise_that_is_changed_in_place_and_bad_numbers_are_refused(tmp_path):
    sensor = scene_of(tmp_path, noise={"rotation": 0.05}).compile(2).sensors["camera"]
    first = sensor.markers().position.copy()
    sensor.noise.rotation = 0.02
    second = sensor.markers().position.copy()
    assert not np.array_equal(first, second)
    sensor.noise.rotation = 0.05
    assert np.array_equal(sensor.markers().position, first)
    sensor.noise.blur = float("nan")
    with pytest.raises(haptos.InputError, match="blur"):
        sensor.depth()


def test_a_state_of_a_scene_without_sensors_takes_the_noise_of_the_run(tmp_path):
    scene_of(tmp_path, sensor=False).compile().save(tmp_path / "blind.state")
    sim = scene_of(tmp_path).compile()
    sim.load(tmp_path / "blind.state")
    same(read(sim), read(scene_of(tmp_path).compile()))


def test_sensors_that_start_again_without_a_seed_have_the_noise_of_the_scene(tmp_path):
    sim = scene_of(tmp_path).compile()
    first = read(sim)
    sim.restart_sensors(seed=9)
    assert not np.array_equal(read(sim)["rgb"], first["rgb"])
    sim.restart_sensors()
    same(read(sim), first)
