"""Runs as HDF5: the layout of docs/files.md, and files that stay valid when a run is cut off."""

import json
import subprocess
import sys
import textwrap

import h5py
import numpy as np
import pytest

import haptos
from conftest import ROOT, small_scene


@pytest.fixture(scope="module")
def recorded(tmp_path_factory):
    """(path, Sim) of a finished recording."""
    path = tmp_path_factory.mktemp("run") / "run.h5"
    sim = small_scene().compile()
    with haptos.Recorder(path, sim, command="a test", settings={"depth": 3e-4}) as recorder:
        sim.run(0.2, each=recorder.record)
    assert recorder.frames == 5
    return path, sim


def test_frames_are_frame_env_item_component(recorded):
    path, sim = recorded
    with h5py.File(path) as f:
        v = len(sim.mesh("gel").vertices)
        assert f["time"][:, 0] == pytest.approx([0, 0.05, 0.1, 0.15, 0.2])
        assert f["soft/gel/position"].shape == (5, 1, v, 3)
        assert f["prescribed/ball/pose"].shape == (5, 1, 7)
        assert f["sensors/camera/depth"].shape == (5, 1, 60, 80)
        assert f["sensors/camera/marker_flow"].shape == (5, 1, 15, 3)
        assert f["step/status"].dtype == np.uint32
        np.testing.assert_array_equal(f["soft/gel/position"][-1], sim.positions("gel"))
        np.testing.assert_array_equal(f["sensors/camera/depth"][-1],
                                      sim.sensors["camera"].depth())
        assert f["prescribed/ball/force"][-1, 0, 2] == sim.reaction("ball").force[0, 2]


def test_the_start_and_the_meshes_are_kept(recorded):
    path, sim = recorded
    with h5py.File(path) as f:
        np.testing.assert_array_equal(f["soft/gel/position"][0, 0], f["soft/gel/rest"][:])
        assert f["soft/gel/surface"][:].max() < len(f["soft/gel/rest"])
        assert f["soft/gel"].attrs["young"] == 1e5
        assert f["soft/gel"].attrs["body"] == sim.body_id("gel")
        assert f["prescribed/ball/triangles"].shape[1] == 3
        assert f["step/iterations"][0, 0] == 0 and f["step/iterations"][-1, 0] >= 1


def test_contacts_are_ragged_with_offsets(recorded):
    path, sim = recorded
    with h5py.File(path) as f:
        offset = f["contacts/offset"][:]
        assert offset[0] == offset[1] == 0 and len(offset) == 6
        assert np.all(np.diff(offset) >= 0) and offset[-1] == len(f["contacts/gap"])
        last = slice(offset[-2], offset[-1])
        np.testing.assert_array_equal(f["contacts/force"][last], sim.contacts["force"])
        assert set(f["contacts"]) - {"offset"} == set(haptos.CONTACT_DTYPE.names)


def test_the_head_says_what_made_it(recorded):
    with h5py.File(recorded[0]) as f:
        a = f.attrs
        assert a["format"] == "haptos run" and a["format_version"] == 1
        assert a["command"] == "a test" and json.loads(a["settings"]) == {"depth": 3e-4}
        assert a["finished"] and a["frames"] == 5 and a["envs"] == 1
        assert a["version_haptos"].startswith(haptos.__version__)
        assert f["time"].attrs["unit"] == "s" and f["soft/gel/position"].attrs["unit"] == "m"


def test_every_dataset_is_documented(recorded):
    text = (ROOT / "docs" / "files.md").read_text()
    missing = []
    with h5py.File(recorded[0]) as f:
        f.visititems(lambda name, item: missing.append(name) if isinstance(item, h5py.Dataset)
                     and f"`{name.rsplit('/', 1)[-1]}`" not in text else None)
    assert missing == []


def test_an_error_inside_leaves_a_whole_file_that_says_so(tmp_path):
    sim = small_scene().compile()
    with pytest.raises(KeyError), haptos.Recorder(tmp_path / "run.h5", sim) as recorder:
        recorder.record(sim.step())
        raise KeyError("mine")
    assert [p.name for p in tmp_path.iterdir()] == ["run.h5"]
    with h5py.File(tmp_path / "run.h5") as f:
        assert not f.attrs["finished"] and f["time"].shape == (2, 1)


def test_a_killed_run_can_be_read_to_its_last_frame(tmp_path):
    script = textwrap.dedent("""
        import os, signal, sys
        sys.path.insert(0, sys.argv[1])
        import haptos
        from conftest import small_scene
        sim = small_scene().compile()
        recorder = haptos.Recorder(sys.argv[2], sim)
        for _ in range(3):
            recorder.record(sim.step())
        os.kill(os.getpid(), signal.SIGKILL)
    """)
    path = tmp_path / "run.h5"
    done = subprocess.run([sys.executable, "-c", script, str(ROOT / "tests" / "python"), str(path)],
                          check=False, timeout=60)
    assert done.returncode == -9 and not path.exists()
    with h5py.File(tmp_path / "run.h5.part") as f:
        assert f["time"].shape == (4, 1) and not f.attrs["finished"]
        assert np.isfinite(f["soft/gel/position"][:]).all()


def test_a_recording_that_cannot_be_made_is_refused(tmp_path):
    sim = small_scene().compile()
    with pytest.raises(haptos.InputError, match="cannot be written"):
        haptos.Recorder(tmp_path / "none" / "run.h5", sim)
    assert list(tmp_path.iterdir()) == []


def test_what_touches_is_kept(recorded):
    """Bins of pressure and shear add up to the force of the touch, which is the sensor's."""
    path, sim = recorded
    camera = sim.sensors["camera"]
    with h5py.File(path) as f:
        group = f["sensors/camera"]
        touch, wrench = camera.touch(), group["touch_wrench"][-1, 0]
        np.testing.assert_array_equal(wrench, [*touch.force[0], *touch.torque[0]])
        np.testing.assert_array_equal(group["touch_area"][-1], touch.area)
        np.testing.assert_array_equal(group["touch_centre"][-1], touch.centre)
        assert wrench[2] < 0 and touch.area[0] > 0
        assert group["touch_area"][0, 0] == 0 and not group["touch_wrench"][0].any()
        rows, columns = group["pressure"].shape[2:]
        bin_area = 60 / rows * 80 / columns * camera.camera.pitch**2
        seen = [*group["shear"][-1, 0].sum(axis=(1, 2), dtype=float),
                -group["pressure"][-1, 0].sum(dtype=float)]
        outside = camera.force_image((rows, columns)).outside[0]
        np.testing.assert_allclose(np.multiply(seen, bin_area) + outside, touch.force[0],
                                   atol=1e-5 * -wrench[2])
        assert group["marker_hidden"].shape == group["marker_in_view"].shape


def test_a_closed_recording_says_so(recorded):
    recording = haptos.Recording(recorded[0])
    frames = len(recording)
    recording.close()
    recording.close()
    assert len(recording) == frames
    for use in (lambda: recording.take(0), recording.forces, lambda: recording.settings,
                lambda: recording.command, lambda: recording.finished):
        with pytest.raises(haptos.InputError, match="is closed"):
            use()


def test_an_environment_that_is_not_recorded_is_refused(recorded):
    for env in (-1, 1):
        with pytest.raises(haptos.InputError, match="env"):
            haptos.Recording(recorded[0], env=env)
