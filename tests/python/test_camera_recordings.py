"""Cameras of a scene in recordings, and what haptos render shows through them."""

import numpy as np
import pytest
from PIL import Image

import haptos
from haptos.cli.main import run_command

SCENE = """
sim: {dt: 10 ms}
half_spaces: [{name: ground}]
rigid:
  - {name: box, shape: {box: {size: [.2, .2, .2]}}, mass: 1 kg, pose: {position: [0, 0, .3]}}
cameras:
  - {name: eye, pose: {position: [0, 0, 1]}, look_at: [0, 0, 0], width: 32, height: 24, fov: 50 deg}
  - {name: top, pose: {position: [.3, 0, 1]}, look_at: [0, 0, 0], width: 16, height: 12}
  - {name: on box, frame: box, pose: {position: [0, 0, .2]}, look_at: [0, .01, 0], width: 17, height: 11}
"""


@pytest.fixture(scope="module")
def recorded(tmp_path_factory):
    """A scene file, its recording, and what its cameras saw in each frame."""
    folder = tmp_path_factory.mktemp("cameras")
    (folder / "scene.yaml").write_text(SCENE)
    sim = haptos.load_scene(folder / "scene.yaml").compile(2, quiet=True)
    seen = []

    def see():
        seen.append({n: (c.rgb(), c.depth(), c.pose) for n, c in sim.cameras.items()})

    with haptos.Recorder(folder / "run.h5", sim) as recorder:
        see()
        for _ in range(4):
            recorder.record(sim.step())
            see()
    return folder, seen


def test_a_recording_holds_what_cameras_saw(recorded):
    folder, seen = recorded
    for env in range(2):
        with haptos.Recording(folder / "run.h5", env) as recording:
            assert recording.cameras == ["eye", "on box", "top"] and len(recording) == len(seen)
            for k, frame in enumerate(seen):
                for name, (rgb, depth, pose) in frame.items():
                    view = recording.view(name, k)
                    assert np.array_equal(view.rgb, rgb[env]) and np.array_equal(view.depth, depth[env])
                    assert view.pose[:3] == pytest.approx(pose.position[env], abs=1e-12)
                    assert view.intrinsics[0, 0] == view.intrinsics[1, 1] > 0
            # The box falls away below the eye: by 1/2 g t^2.
            fallen = recording.view("eye", -1).depth[12, 16] - recording.view("eye", 0).depth[12, 16]
            assert fallen == pytest.approx(0.5 * 9.81 * 0.04**2, rel=0.3)
            assert recording.view("on box", 0).pose[2] == pytest.approx(0.5)


def test_pictures_may_be_left_out(tmp_path, recorded):
    sim = haptos.load_scene(recorded[0] / "scene.yaml").compile(quiet=True)
    with haptos.Recorder(tmp_path / "run.h5", sim, cameras=False) as recorder:
        recorder.record(sim.step())
    with haptos.Recording(tmp_path / "run.h5") as recording:
        assert recording.cameras == []
        with pytest.raises(haptos.InputError, match="camera eye.*is not recorded; there is none"):
            recording.view("eye", 0)


def test_asking_for_what_is_not_there_is_said(recorded):
    with haptos.Recording(recorded[0] / "run.h5") as recording:
        with pytest.raises(haptos.InputError, match="camera ey.*is not recorded; there are eye, on box, top"):
            recording.view("ey", 0)
        with pytest.raises(haptos.InputError, match="frame 5.*must be from 0 to 4"):
            recording.view("eye", 5)


def test_render_shows_what_a_camera_of_the_scene_sees(tmp_path, recorded, capsys):
    folder, seen = recorded
    for source, more, expected in ((folder / "run.h5", ["--frame", "2"], seen[2]), (folder / "run.h5", [], seen[4]),
                                   (folder / "scene.yaml", ["--frame", "3"], seen[3])):
        out = tmp_path / f"{source.suffix[1:]}{len(more)}{more[-1:]}.png"
        assert run_command(["render", str(source), "--camera", "eye", *more, "--out", str(out)]) == 0
        with Image.open(out) as image:
            assert np.array_equal(np.asarray(image.convert("RGB")), expected["eye"][0][0])
    assert "32 x 24" in capsys.readouterr().out


def test_a_camera_of_the_scene_comes_before_a_place_to_look_from(tmp_path, recorded, capsys):
    folder, seen = recorded
    for camera, size in (("top", "16 x 12"), ("front", "1280 x 720"), (None, "1280 x 720")):
        out = tmp_path / f"{camera}.png"
        assert run_command(["render", str(folder / "run.h5"), *(["--camera", camera] if camera else []), "--out", str(out)]) == 0
        assert size in capsys.readouterr().out
    with Image.open(tmp_path / "top.png") as image:
        assert np.array_equal(np.asarray(image.convert("RGB")), seen[-1]["top"][0][0])


def test_a_run_records_its_cameras_unless_told(tmp_path, recorded):
    for option, names in (([], ["eye", "on box", "top"]), (["--no-cameras"], [])):
        out = tmp_path / f"run{len(option)}"
        assert run_command(["run", str(recorded[0] / "scene.yaml"), "--duration", "20 ms", *option, "--out", str(out)]) == 0
        with haptos.Recording(out / "run.h5") as recording:
            assert recording.cameras == names


def test_a_movie_through_a_camera(tmp_path, recorded):
    pytest.importorskip("imageio_ffmpeg")
    folder, _ = recorded
    for name, source in (("a.mp4", "run.h5"), ("b.mp4", "scene.yaml")):
        more = ["--seconds", "0.05"] if source == "scene.yaml" else []
        assert run_command(["render", str(folder / source), "--camera", "eye", "--fps", "50", "--speed", "1", *more, "--out",
                            str(tmp_path / name)]) == 0
        assert (tmp_path / name).stat().st_size > 500


@pytest.mark.parametrize(("options", "sentence"), [
    (["--camera", "ey"], 'did you mean "eye"'),
    (["--camera", "nose"], "or a camera of the scene: eye, on box, top"),
    (["--camera", "eye", "--color", "pressure"], "--color: is not for the camera"),
    (["--camera", "eye", "--size", "64x64"], "--size: is not for the camera"),
    (["--camera", "eye", "--follow", "box"], "--follow: is not for the camera"),
])
def test_what_a_camera_does_not_do_is_said(tmp_path, recorded, capsys, options, sentence):
    assert run_command(["render", str(recorded[0] / "run.h5"), *options, "--out", str(tmp_path / "x.png")]) != 0
    assert sentence in " ".join(capsys.readouterr().err.split())


def test_odd_pictures_make_no_mp4(tmp_path, recorded, capsys):
    pytest.importorskip("imageio_ffmpeg")
    assert run_command(["render", str(recorded[0] / "run.h5"), "--camera", "on box", "--out", str(tmp_path / "x.mp4")]) != 0
    assert "17 x 11 pixels, which must be even" in " ".join(capsys.readouterr().err.split())
