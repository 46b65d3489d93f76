"""Recordings read back, snapshots, and what is drawn of them."""

import json
import shutil
import signal
import sys
import time

import h5py
import numpy as np
import pytest
from PIL import Image

import haptos
from conftest import ROOT, small_pad, small_scene, start_haptos
from haptos import _core
from haptos.base import turns
from haptos.cli.main import run_command
from haptos.cli.shown_files import live_press, open_shown, press_of
from haptos.look import drawing, sheets, snapshots


@pytest.fixture(scope="module")
def recorded(tmp_path_factory):
    """(folder, Sim) of a finished recording of the small press."""
    folder = tmp_path_factory.mktemp("run")
    sim = small_scene().compile()
    with haptos.Recorder(folder / "run.h5", sim, command="a test") as recorder:
        sim.run(0.2, each=recorder.record)
    return folder, sim


def test_a_recording_shows_what_the_simulation_showed(recorded):
    folder, sim = recorded
    live = haptos.SimStage(sim)
    now = live.take()
    with haptos.Recording(folder / "run.h5") as recording:
        assert len(recording) == 5 and recording.finished
        assert recording.fields == ["pressure", "displacement", "stress"]
        was = recording.take(-1)
        names = [b.name for b in live.stage.bodies]
        assert [b.name for b in recording.stage.bodies] == names == ["gel", "ball"]
        assert recording.stage.soft_ids == live.stage.soft_ids
        for body in live.stage.bodies:
            np.testing.assert_allclose(was.vertices(body), now.vertices(body), atol=1e-9)
        for name in live.fields:
            np.testing.assert_allclose(was.fields[name]["gel"], now.fields[name]["gel"],
                                       rtol=1e-5, atol=1e-9)
        a, b = was.readings["camera"], now.readings["camera"]
        for name in ("depth", "pressure", "pixel", "pixel_flow", "in_view", "markers"):
            np.testing.assert_allclose(getattr(a, name), getattr(b, name), rtol=1e-6, atol=1e-9)
        np.testing.assert_array_equal(was.contact_forces, now.contact_forces)
        assert recording.nearest(0.1) == 2 and recording.nearest(0.149) == 2
        for name, field in recording.take(0).fields.items():
            assert np.abs(field["gel"]).max() < (1e-3 if name == "stress" else 1e-9)


def test_fields_and_the_pressure_image_add_up_to_the_force(recorded):
    _, sim = recorded
    snap = haptos.SimStage(sim).take()
    force = -sim.contact_wrench("gel").force[0, 2]
    # The integral of the nodal pressure over the coat, linear on each triangle, along the normal.
    x, coat = snap.positions["gel"].astype(float), np.asarray(sim.coat("gel"))
    p = x[coat]
    normal = 0.5 * np.cross(p[:, 1] - p[:, 0], p[:, 2] - p[:, 0])
    pushed = (snap.fields["pressure"]["gel"][coat].mean(axis=1) * normal[:, 2]).sum()
    assert pushed == pytest.approx(force, rel=0.02)  # frictionless
    image = snap.readings["camera"].pressure
    camera = sim.sensors["camera"].camera
    area = (camera.width / image.shape[1]) * (camera.height / image.shape[0]) * camera.pitch**2
    shape = image.shape
    beside = -float(sim.sensors["camera"].force_image(shape).outside[0, 2])
    assert image.sum() * area + beside == pytest.approx(force, rel=1e-5)
    at, total = drawing.sum_forces(haptos.SimStage(sim).stage, snap)
    assert len(at) == 1 and total[0, 2] == pytest.approx(force, rel=1e-5)  # on the ball, up
    _, spread = drawing.spread_forces(haptos.SimStage(sim).stage, snap, 1e-3)
    assert 1 < len(spread) and spread.sum(axis=0)[2] == pytest.approx(force, rel=1e-5)


def test_displacement_is_against_the_carrier(pressed):
    sim = small_scene().compile()
    sim.set_target("mount", (0.5e-3, 0, 0), (np.cos(0.05), 0, 0, np.sin(0.05)))
    sim.set_target("ball", (0.5e-3, 0, 5e-3))
    for _ in range(2):
        sim.step()
    moved = haptos.SimStage(sim).take().fields["displacement"]["gel"]
    assert moved.max() < 1e-5  # the whole pad went 0.5 mm and turned by 5.7 degrees
    deep = haptos.SimStage(pressed).take().fields["displacement"]["gel"]
    assert 0.3e-3 <= deep.max() < 0.4e-3  # nodes between those in contact hang lower


def test_quaternions_go_round():
    rng = np.random.default_rng(3)
    for q in [*rng.normal(size=(50, 4)), *np.eye(4)]:
        q = q / np.linalg.norm(q) * (1 if q[0] >= 0 else -1)
        np.testing.assert_allclose(turns.quaternion(turns.rotation(q)), q, atol=1e-12)
    a, b = rng.normal(size=(2, 4))
    a, b = a / np.linalg.norm(a), b / np.linalg.norm(b)
    np.testing.assert_allclose(turns.rotation(turns.product(a, b)),
                               turns.rotation(a) @ turns.rotation(b), atol=1e-12)


def test_robots_and_spheres_are_replayed(tmp_path):
    scene = haptos.Scene(dt=5e-3)
    scene.add_half_space("floor", offset=-0.5)
    scene.add_robot("quad", ROOT / "scenes/robots/quadruped.urdf")
    scene.add_sphere("ball", 0.05, mass=1, position=(0.5, 0, 0.1))
    scene.add_robot("swing", ROOT / "scenes/robots/pendulum.urdf", position=(2, 0, 2),
                    start={"shoulder": 0.4})
    sim = scene.compile()
    with haptos.Recorder(tmp_path / "run.h5", sim) as recorder:
        sim.run(0.05, each=recorder.record)
    live = haptos.SimStage(sim)
    now = live.take()
    with haptos.Recording(tmp_path / "run.h5") as recording:
        was = recording.take(-1)

        def corners(stage, snap):
            return sorted((b.kind, *np.round(snap.vertices(b).mean(axis=0), 7).tolist())
                          for b in stage.bodies)

        assert corners(recording.stage, was) == corners(live.stage, now)
        assert len(recording.stage.planes) == 1 and not recording.fields
        kinds = {b.kind for b in recording.stage.bodies}
        assert kinds == {"robots"}
        picture = drawing.draw(recording.stage, was, haptos.Look(width=160, height=120))
        assert picture.astype(float).mean(axis=2).std() > 10


@pytest.mark.parametrize("damage, said", [
    (lambda f: f.attrs.__setitem__("format", "other"), "is no recording"),
    (lambda f: f.attrs.__setitem__("format_version", 99), "newer"),
    (lambda f: f["time"].resize(0, axis=0), "no frames"),
    (lambda f: f.__delitem__("time"), "damaged"),
    (lambda f: f.__delitem__("soft/gel/rest"), "damaged"),
    (lambda f: f["soft/gel/surface"].__setitem__(0, 10**8), "vertices that are not there"),
    (lambda f: f["prescribed/ball/triangles"].__setitem__(0, -1), "vertices that are not there"),
    (lambda f: f["soft/gel/position"].resize(2, axis=0), "damaged"),
    (lambda f: f["soft/gel/position"].resize(5, axis=2), "damaged"),
    (lambda f: f["contacts/offset"].__setitem__(5, 10**9), "damaged"),
])
def test_a_damaged_recording_is_told_in_one_sentence(recorded, tmp_path, damage, said):
    path = tmp_path / "run.h5"
    shutil.copy(recorded[0] / "run.h5", path)
    with h5py.File(path, "r+") as f:
        damage(f)
    with pytest.raises(haptos.InputError, match=said) as told:
        with haptos.Recording(path) as recording:
            recording.take(-1)
    assert str(path) in str(told.value) and "\n" not in str(told.value)


def test_what_is_no_recording_is_refused(recorded, tmp_path):
    (tmp_path / "text.h5").write_text("no HDF5")
    cut = (recorded[0] / "run.h5").read_bytes()
    (tmp_path / "cut.h5").write_bytes(cut[:len(cut) // 2])
    for path in (tmp_path / "none.h5", tmp_path / "text.h5", tmp_path / "cut.h5", tmp_path):
        with pytest.raises(haptos.InputError):
            haptos.Recording(path)
    with pytest.raises(haptos.InputError, match="env 1"):
        haptos.Recording(recorded[0] / "run.h5", env=1)
    with haptos.Recording(recorded[0] / "run.h5") as recording:
        for frame in (5, -6):
            with pytest.raises(haptos.InputError, match="from 0 to 4"):
                recording.take(frame)


def test_a_folder_of_results_is_opened_and_one_of_many_is_asked_for(recorded, tmp_path):
    assert isinstance(open_shown(str(recorded[0])), haptos.Recording)
    for name in ("a", "b"):
        (tmp_path / name).mkdir()
        shutil.copy(recorded[0] / "run.h5", tmp_path / name)
    with pytest.raises(haptos.InputError, match="holds 2 runs: a, b"):
        open_shown(str(tmp_path))
    (tmp_path / "c").mkdir()
    with pytest.raises(haptos.InputError, match="no run.h5"):
        open_shown(str(tmp_path / "c"))
    part = tmp_path / "c" / "run.h5.part"
    shutil.copy(recorded[0] / "run.h5", part)
    assert open_shown(str(tmp_path / "c")).path == part


def test_a_press_is_made_again_from_its_recording(tmp_path, pad_file, capsys, monkeypatch):
    monkeypatch.chdir(pad_file.parent)  # a recording opens files beside it or where one works
    assert run_command(["press", "cone", "--pad", str(pad_file), "--unit", "mm", "--at", "1mm,0",
                        "--depth", "0.1mm", "--steps", "2", "--young", "200kPa", "--set",
                        "contact.support=30um", "--out", str(tmp_path / "p")]) == 0
    capsys.readouterr()
    with haptos.Recording(tmp_path / "p" / "run.h5") as recording:
        how = press_of(recording)
        assert how["shape"] == "cone" and how["at"] == (1e-3, 0) and how["unit"] == "mm"
        press = live_press(recording)
        first = recording.take(0)
        np.testing.assert_allclose(press.sim.positions("gel")[0], first.positions["gel"],
                                   atol=1e-9)
        np.testing.assert_allclose(press.sim.pose("object")[0], first.poses["object"], atol=1e-12)
        assert press.settings["material"] == recording.settings["material"]
        assert press.settings["contact"] == recording.settings["contact"]
    with h5py.File(tmp_path / "p" / "run.h5", "r+") as f:
        f.attrs["settings"] = "{}"
    with haptos.Recording(tmp_path / "p" / "run.h5") as recording:
        assert press_of(recording) is None


# -- drawing -----------------------------------------------------------------------------------


def test_the_gel_is_coloured_where_it_is_pressed(recorded):
    _, sim = recorded
    live = haptos.SimStage(sim)
    snap = live.take()
    plain = haptos.Look(width=200, height=150, objects="hidden", camera="top")
    bare = drawing.draw(live.stage, snap, plain).astype(int)
    for color in live.fields:
        look = haptos.Look(width=200, height=150, objects="hidden", camera="top", color=color)
        image = drawing.draw(live.stage, snap, look).astype(int)
        middle, corner = image[70:80, 95:105], image[40:46, 60:66]
        assert np.abs(middle - bare[70:80, 95:105]).mean() > 40
        assert np.abs(middle.mean(axis=(0, 1)) - corner.mean(axis=(0, 1))).max() > 60
    ghost = haptos.Look(width=200, height=150, color="pressure", objects="ghost", camera="top")
    solid = haptos.Look(width=200, height=150, color="pressure", objects="solid", camera="top")
    image = drawing.draw(live.stage, snap, ghost).astype(int)
    bare = haptos.Look(width=200, height=150, color="pressure", objects="hidden", camera="top")
    hidden = drawing.draw(live.stage, snap, bare).astype(int)
    assert np.abs(image - drawing.draw(live.stage, snap, solid)).max() > 60
    # What is nearly clear throws no shadow: to the lower right of the ball.
    shadow = (slice(118, 132), slice(105, 118))
    shaded = drawing.draw(live.stage, snap, solid).astype(int)
    assert (hidden - shaded)[shadow].mean() > 20
    assert np.abs(image - hidden)[shadow].mean() < 4


def test_the_scale_of_colours_is_that_of_the_picture():
    part = drawing.field_colors(np.linspace(0, 1, 101))
    assert part.shape == (101, 3)
    np.testing.assert_allclose(part[0], drawing.GEL, atol=1e-9)
    np.testing.assert_allclose(part[30:], _core.map_colors(np.linspace(0, 1, 101))[30:], atol=1e-9)
    assert drawing.field_colors([np.nan, -1.0]).tolist() == [list(drawing.GEL)] * 2
    for value, top in ((0, 1), (0.9, 1), (1, 1), (1.2, 1.5), (31, 50), (2.9e-5, 3e-5), (np.nan, 1)):
        assert drawing.nice_top(value) == pytest.approx(top)


def test_arrows_fit_the_scene_or_have_a_scale(pressed):
    live = haptos.SimStage(pressed)
    snap = live.take()
    ranges = drawing.Ranges().grow(live.stage, snap)
    (start, end), = drawing.arrows(live.stage, snap, "sum", ranges, 1.0)
    assert end[2] - start[2] == pytest.approx(0.3, rel=1e-3)
    (start, end), = drawing.arrows(live.stage, snap, "sum", ranges, 1.0, 0.01)
    force = float(pressed.reaction("ball").force[0, 2])
    assert end[2] - start[2] == pytest.approx(0.01 * force, rel=1e-4)
    assert len(drawing.arrows(live.stage, snap, "none", ranges, 1.0)) == 0
    size = float(np.linalg.norm(np.ptp(drawing.view_box(live.stage, [snap]), axis=0)))
    spread = drawing.arrows(live.stage, snap, "spread", ranges, size)
    assert np.linalg.norm(spread[:, 1] - spread[:, 0], axis=1).max() == pytest.approx(0.15 * size)


def test_a_sheet_has_the_images_that_there_are(pressed):
    live = haptos.SimStage(pressed)
    snap = live.take()
    sensor, reading = live.stage.sensors[0], snap.readings["camera"]
    ranges = drawing.Ranges().grow(live.stage, snap)
    panels = sheets.sensor_panels(sensor, reading, ranges)
    assert list(panels) == ["depth", "markers", "pressure"]
    assert all(p.astype(float).std() > 5 for p in panels.values())
    whole = sheets.sheet(panels)
    assert whole.shape[0] == 2 * max(p.shape[0] for p in panels.values())
    reading.rgb = np.full((60, 80, 3), 77, np.uint8)
    assert list(sheets.sensor_panels(sensor, reading, ranges)) == list(sheets.PANELS)
    assert sheets.sheet({}).shape == (16, 16, 3)


# -- haptos render -----------------------------------------------------------------------------


def size(path):
    with Image.open(path) as image:
        return image.size


def test_the_command_draws_a_recording(recorded, tmp_path, capsys):
    path = tmp_path / "a.png"
    look = ["--color", "pressure", "--forces", "sum", "--markers", "--images", "--size", "320x180",
            "--out", str(path)]
    assert run_command(["render", str(recorded[0]), *look]) == 0
    assert "at 0.2 s" in capsys.readouterr().out and size(path) == (320, 180)
    first = path.read_bytes()
    assert run_command(["render", str(recorded[0]), "--out", str(path)]) == 2
    assert "exists already" in capsys.readouterr().err
    assert run_command(["render", str(recorded[0] / "run.h5"), *look, "--frame", "0",
                        "--overwrite"]) == 0
    assert path.read_bytes() != first
    assert [p.name for p in tmp_path.iterdir()] == ["a.png"]


@pytest.mark.parametrize("options, said", [
    (("--camera", "abov"), 'did you mean "above"'), (("--camera", "10,95"), "-89.5 to 89.5"),
    (("--camera", "nan,0"), "finite"), (("--color", "pressur"), "must be one of"),
    (("--size", "0x0"), "16 to 8192"), (("--size", "100000x100000"), "16 to 8192"),
    (("--size", "640"), "WIDTHxHEIGHT"), (("--frame", "5"), "from 0 to 4"),
    (("--time", "-1s"), "0 or more"), (("--time", "9s"), "after the last frame"),
    (("--time", "0.1s", "--frame", "1"), "cannot both"), (("--speed", "2"), "is for a movie"),
    (("--seconds", "1s"), "is for scenes"), (("--out", "a.avi"), "must end with"),
    (("--out", "a.gif", "--fps", "60"), "0.1 to 50"), (("--out", "a.gif", "--frame", "1"), "is for a picture"),
    (("--out", "none/a.png"), "there is no folder"), (("--out", "a.mp4", "--fps", "0"), "0.1 to"),
    (("--out", "a.mp4", "--size", "321x180"), "even"),
    (("--out", "a.mp4", "--speed", "0"), "greater than 0"),
    (("--out", "a.mp4", "--speed", "1e-9"), "frames"),
    (("--out", "a.mp4", "--frame", "1"), "is for a picture"),
    (("--frame",), "requires an argument"), (("--colour", "none"), "No such option"),
])
def test_what_cannot_be_drawn_is_refused_and_nothing_is_made(recorded, tmp_path, monkeypatch,
                                                             capsys, options, said):
    monkeypatch.chdir(tmp_path)
    if "a.mp4" in options:
        pytest.importorskip("imageio_ffmpeg")
    assert run_command(["render", str(recorded[0]), "--size", "320x180", *options]) == 2
    err = capsys.readouterr().err
    told = [line for line in err.splitlines() if line.startswith("haptos:")]
    assert len(told) == 1 and said in told[0]
    assert not list(tmp_path.iterdir())


def test_a_scene_is_run_and_drawn(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    assert run_command(["render", str(ROOT / "scenes/pendulum.yaml"), "--time", "0.1s", "--size",
                        "160x120"]) == 0
    assert "at 0.1 s" in capsys.readouterr().out
    assert size(tmp_path / "pendulum.png") == (160, 120)


def test_a_movie_lasts_as_long_as_asked_and_ends_whole_when_stopped(recorded, tmp_path, capsys):
    ffmpeg = pytest.importorskip("imageio_ffmpeg")

    def frames(path):
        reader = ffmpeg.read_frames(str(path))
        next(reader)
        return sum(1 for _ in reader)

    movie = tmp_path / "a.mp4"
    assert run_command(["render", str(recorded[0]), "--size", "64x48", "--speed", "0.2", "--fps",
                        "10", "--out", str(movie)]) == 0
    assert "11 frames, 1.1 s" in capsys.readouterr().out
    assert frames(movie) == 11
    other = tmp_path / "b.mp4"
    process = start_haptos("render", recorded[0], "--size", "640x480", "--images", "--speed",
                           "0.01", "--fps", "200", "--out", other, cwd=tmp_path)
    for line in process.stderr:
        if line.startswith("draw:"):
            break
    time.sleep(0.7)
    process.send_signal(signal.SIGINT)
    out, _ = process.communicate(timeout=60)
    assert process.returncode == 130 and "stopped early" in out
    assert 1 <= frames(other) < 4001
    assert sorted(p.name for p in tmp_path.iterdir()) == ["a.mp4", "b.mp4"]


# -- haptos doctor -----------------------------------------------------------------------------


def test_the_doctor_finds_this_installation_working(capsys):
    code = run_command(["doctor", "--json"])
    told = json.loads(capsys.readouterr().out)
    assert code == 0 and told["works"], told
    lines = {c["name"]: c for c in told["checks"]}
    assert {"Python", "core", "processor", "threads", "memory", "numpy", "viser", "CUDA", "cache",
            "this folder", "a tiny press"} <= set(lines)
    assert lines["a tiny press"]["state"] == "ok" and "balance" in lines["a tiny press"]["found"]
    for line in told["checks"]:
        assert line["state"] in ("ok", "warn", "missing")
        assert line["remedy"] or line["state"] == "ok", line


def test_the_doctor_names_what_is_missing(tmp_path, monkeypatch, capsys):
    from haptos.cli import doctor

    monkeypatch.setenv("HAPTOS_CACHE", "/proc/nowhere")
    monkeypatch.setitem(sys.modules, "viser", None)  # cannot be imported
    monkeypatch.setattr(doctor, "_cpu_flags", lambda: ("an old one", {"sse2"}))
    assert doctor.run_doctor(False) == 1
    text = capsys.readouterr().out
    assert "missing viser" in text and "pip install 'haptos[view]'" in text
    assert "an old one lacks" in text and "avx2" in text
    assert "cannot be written to" in text and "HAPTOS_CACHE" in text
    assert "does not work here" in text
    extra = [doctor.Line("viser", "missing", "", "", needed=False)]
    assert doctor.works(extra)


def test_a_gel_on_a_moving_link_is_not_displaced_by_it(tmp_path):
    arm = tmp_path / "arm.urdf"
    arm.write_text("""<robot name="arm"><link name="base"/><link name="finger"><inertial>
<mass value="1"/><inertia ixx="0.01" iyy="0.01" izz="0.01"/></inertial></link>
<joint name="turn" type="revolute"><parent link="base"/><child link="finger"/><axis xyz="0 0 1"/>
<limit lower="-1" upper="1" effort="100" velocity="5"/></joint></robot>""")
    pad = small_pad()
    scene = haptos.Scene(dt=0.02, gravity=(0, 0, 0))
    scene.add_robot("arm", arm, motors={"kp": 50, "kd": 20, "joints": "turn"})
    scene.add_soft("gel", pad.mesh, material=haptos.Material(young=1e5, poisson=0.45),
                   glue={"arm/finger": pad.base_vertices}, coat=pad.coat)
    scene.add_sensor("camera", "gel", camera=haptos.TactileCamera.orthographic(40, 30, 2.8e-4),
                     markers=haptos.MarkerGrid(2, 2, 2e-3, 2e-3))
    sim = scene.compile()
    sim.robots["arm"].set_command(position=0.2)
    with haptos.Recorder(tmp_path / "run.h5", sim) as recorder:
        sim.run(0.2, each=recorder.record)
    turned = sim.robots["arm"].position[0, 0]
    assert turned > 0.02  # 0.12 mm at the edge of the pad
    live = haptos.SimStage(sim).take()
    with haptos.Recording(tmp_path / "run.h5") as recording:
        was = recording.take(-1)
    for snap in (live, was):
        assert snap.fields["displacement"]["gel"].max() < 1e-5
    np.testing.assert_allclose(was.readings["camera"].markers, live.readings["camera"].markers,
                               atol=1e-9)
