"""The page in the browser and movies. No browser is there: what the page would show is read back."""

import os
import signal
import time
import urllib.request

import numpy as np
import pytest
from PIL import Image

import haptos
import haptos.press.press
from conftest import ROOT, small_scene
from haptos.cli.main import run_command
from haptos.cli.shown_files import live_press

pytest.importorskip("viser")
ffmpeg = pytest.importorskip("imageio_ffmpeg")

ARM = """<robot name="arm"><link name="base"/>
<link name="upper"><inertial><origin xyz="0 0 -0.5"/><mass value="2"/>
<inertia ixx="0.17" iyy="0.17" izz="0.001"/></inertial>
<collision><origin xyz="0 0 -0.5"/><geometry><capsule radius="0.02" length="0.9"/></geometry></collision></link>
<link name="pointer"><inertial><mass value="0.1"/><inertia ixx="1e-4" iyy="1e-4" izz="1e-4"/></inertial></link>
<joint name="shoulder" type="revolute"><parent link="base"/><child link="upper"/>
<axis xyz="0 1 0"/><limit lower="-1" upper="2" effort="300" velocity="5"/></joint>
<joint name="wrist" type="continuous"><origin xyz="0 0 -1"/><parent link="upper"/>
<child link="pointer"/><axis xyz="0 1 0"/><mimic joint="shoulder" multiplier="-1" offset="0.1"/></joint></robot>"""


@pytest.fixture
def arm(tmp_path):
    path = tmp_path / "arm.urdf"
    path.write_text(ARM)
    return path


def until(viewer, met, seconds=10.0):
    """Updates until something is so: what the page does comes from other threads."""
    end = time.monotonic() + seconds
    while not met() and time.monotonic() < end:
        viewer.update()
        time.sleep(0.01)
    assert met()


def moving_scene(arm):
    scene = haptos.Scene(dt=5e-3)
    scene.add_half_space("floor", offset=-1.5)
    scene.add_robot("arm", arm, motors={"kp": 500, "kd": 50, "joints": "shoulder"})
    scene.add_rigid("ball", haptos.RobotShape("sphere", 0.1), mass=1, position=(1, 0, -1.3))
    scene.add_affine("block", haptos.box((0.1, 0.1, 0.1)), position=(-1, 0, -1.44))
    return scene


def test_a_page_shows_the_bodies_and_its_sliders_drive_motors(arm, port):
    sim = moving_scene(arm).compile()
    with haptos.Viewer(sim, port=port) as viewer:
        with urllib.request.urlopen(viewer.url, timeout=10) as page:
            assert page.status == 200 and b"<html" in page.read().lower()
        (robot, joint, slider), = viewer._joints.sliders
        assert joint == "shoulder" and (slider.min, slider.max) == (-1, 2)
        slider.value = 0.8
        until(viewer, lambda: sim.robots["arm"].command[0, 0, 0] == 0.8)
        viewer._run.play.value = True
        until(viewer, lambda: viewer.playing)
        for _ in range(20):  # seconds; less than one where nothing else runs
            viewer.run(seconds=1.0)
            if sim.time[0] > 0.2:
                break
        assert sim.time[0] > 0.2
        viewer.playing = False
        sim.run(2.0)
        viewer.update()
        pose = robot.link_pose("upper")[0]
        shown = viewer._scene.nodes["arm/upper/0"]
        # The page is not sent what changes by less than 1e-5.
        np.testing.assert_allclose(shown.position, pose[:3], atol=2e-5)
        np.testing.assert_allclose(shown.wxyz, pose[3:], atol=2e-5)
        assert robot.position[0, 0] == pytest.approx(0.8, abs=0.05)
        ball = viewer._scene.nodes["ball/ball/0"]
        assert ball.position[2] == pytest.approx(-1.4, abs=1e-3)
        np.testing.assert_allclose(viewer._scene.nodes["block"].vertices, sim.positions("block")[0],
                                   atol=1e-6)
        viewer._look.force.value = 5.0
        viewer.update()
        arrows = np.asarray(viewer._scene.others["arrows"].points)
        pushed = [p for p in arrows if abs(p[0, 0] + 1) < 0.2]  # on the block: its weight
        weight = 9.81 * sim.mass("block")
        assert sum(abs(p[1, 2] - p[0, 2]) for p in pushed) == pytest.approx(5e-3 * weight, rel=0.01)


def test_bodies_have_the_colours_that_are_given(arm, port):
    sim = moving_scene(arm).compile()
    with haptos.Viewer(sim, port=port, colors={"arm": "red", "block": (0, 0.5, 1)}) as viewer:
        colors = {name: node.color for name, node in viewer._scene.nodes.items()}
        assert colors["arm/upper/0"] == (255, 0, 0) and colors["block"] == (0, 127, 255)
        assert colors["ball/ball/0"] == (114, 147, 188)  # as before
    with pytest.raises(haptos.InputError, match='mean "arm"'):
        haptos.Viewer(sim, port=port, colors={"arn": "red"})


def test_a_recording_is_replayed_with_gel_images_and_forces(tmp_path, port):
    sim = small_scene().compile()
    with haptos.Recorder(tmp_path / "run.h5", sim) as recorder:
        sim.run(0.2, each=recorder.record)
    recording = haptos.Recording(tmp_path / "run.h5")
    with haptos.Viewer(recording, port=port) as viewer:
        assert viewer.frame == 4 and viewer._run.slider.max == viewer._run.slider.value == 4
        np.testing.assert_allclose(viewer._scene.nodes["ball"].position, sim.pose("ball")[0, :3],
                                   atol=1e-9)
        viewer._run.slider.value = 0
        until(viewer, lambda: viewer.frame == 0)
        flat = viewer._images.sheets["camera"].image.copy()
        viewer._run.slider.value = 4
        until(viewer, lambda: viewer.frame == 4)
        np.testing.assert_allclose(viewer._scene.nodes["gel"].vertices, sim.positions("gel")[0],
                                   atol=1e-7)
        np.testing.assert_allclose(viewer._scene.nodes["ball"].position, sim.pose("ball")[0, :3],
                                   atol=1e-9)
        pressed = viewer._images.sheets["camera"].image
        assert np.abs(pressed.astype(int) - flat).max() > 100
        (arrow,) = np.asarray(viewer._scene.others["arrows"].points)
        assert arrow[1, 2] > arrow[0, 2]  # the gel pushes the ball up
        markers = sim.sensors["camera"].marker_points().position[0]
        np.testing.assert_allclose(viewer._scene.others["markers"].points, markers, atol=1e-6)
        skin = viewer._scene.skins["gel"]
        until(viewer, lambda: not viewer._scene.nodes["gel"].visible)  # the coloured one is there
        coloured = skin._pair[skin._front].glb_data
        viewer._look.color.value = "stress"
        until(viewer, lambda: skin._pair[skin._front].glb_data != coloured
              and skin._pair[skin._front].visible)
        assert viewer._look.scale.value.endswith("von Mises stress [kPa]")
        viewer._look.color.value = "none"
        until(viewer, lambda: viewer._scene.nodes["gel"].visible)
        assert not any(h is not None and h.visible for h in skin._pair)
        viewer._look.objects.value = "hidden"
        until(viewer, lambda: not viewer._scene.nodes["ball"].visible)
        viewer._run.speed.value = 2.0
        viewer._run.play.value = True
        until(viewer, lambda: viewer.playing)
        assert viewer.frame == 0  # from the end it begins again
        for _ in range(20):  # once where nothing else runs
            viewer.run(seconds=0.6)
            if not viewer.playing:
                break
        assert viewer.frame == 4 and not viewer.playing
        viewer.show_frame(-2)
        assert viewer.frame == 3 and viewer._run.slider.value == 3
        with pytest.raises(haptos.InputError, match="from 0 to 4"):
            viewer.show_frame(5)


def test_a_live_run_can_be_looked_at_again_and_its_object_is_moved(port):
    sim = small_scene(depth=0.1e-3, steps=2).compile()
    with haptos.Viewer(sim, port=port) as viewer:
        for _ in range(3):
            viewer._asks.ask("step", True)
            viewer.update()
        assert sim.step_count[0] == 3 and viewer.frame == 3
        viewer._run.slider.value = 1
        until(viewer, lambda: viewer.frame == 1)
        assert viewer._snap.step == 1 and sim.step_count[0] == 3
        assert viewer._scene.nodes["ball"].position[2] == pytest.approx(4e-3 + 0.03e-3 - 0.065e-3)
        mover, sliders = viewer._movers["ball"].mover, viewer._movers["ball"].sliders
        start = mover.start[2]
        sliders["depth"].value = 0.25
        sliders["x"].value = 0.1
        sliders["twist"].value = 3.0
        until(viewer, lambda: mover.goal is not None and mover.offsets()["twist"] == 3.0)
        viewer._run.play.value = True
        until(viewer, lambda: viewer.playing)
        before = sim.pose("ball")[0, :3]
        for _ in range(100):
            viewer._step()
            viewer.update()
            now = sim.pose("ball")[0, :3]
            assert np.linalg.norm(now - before) < 8.1e-5  # never far in one step
            before = now
            if not mover.is_on_its_way:
                break
        np.testing.assert_allclose(now, [1e-4, 0, start - 0.25e-3], atol=1e-8)
        w, _, _, z = sim.pose("ball")[0, 3:]
        assert np.degrees(2 * np.arctan2(z, w)) == pytest.approx(3.0, abs=1e-3)
        assert sim.status[0] == 0 and viewer._snap.forces["ball"][2] > 0
        viewer._asks.ask(("grab", "ball"), ((0, 0, start + 1e-4), (1, 0, 0, 0)))
        viewer.update()
        assert sliders["depth"].value == pytest.approx(-0.1)
        viewer._asks.ask("reset", True)
        viewer.update()
        assert sim.step_count[0] == 0 and viewer.frame == 0 and mover.goal is None
        assert sliders["depth"].value == 0


def test_a_press_goes_on_live(tmp_path, port, pad_file, monkeypatch):
    monkeypatch.chdir(pad_file.parent)  # files beside the recording or in the working folder
    press = haptos.press.prepare("sphere", depth=0.16e-3, steps=2, pad=str(pad_file), unit="mm",
                                 options={"material.young": 1e5})
    with haptos.Recorder(tmp_path / "run.h5", press.sim, settings=press.settings,
                         command="haptos press sphere --unit mm") as recorder:
        for _ in range(2):
            recorder.record(press.step().report)
    recording = haptos.Recording(tmp_path / "run.h5")
    with haptos.Viewer(recording, port=port, live=lambda: live_press(recording)) as viewer:
        viewer._asks.ask("live", True)
        viewer.update()
        assert viewer.is_live and viewer.frame == 0 and viewer._run.folder.label == "Run"
        mover = viewer._movers["object"].mover
        viewer._movers["object"].sliders["depth"].value = 0.05
        until(viewer, lambda: mover.is_on_its_way)
        while mover.is_on_its_way:
            viewer.run(seconds=0.05)  # a press needs no play
        assert viewer._snap.forces["object"][2] > 0
        low = (np.asarray(viewer._stage.bodies[1].vertices)[:, 2].min()
               + press.sim.pose("object")[0, 2])
        assert low < 0


def test_a_robot_alone_is_posed(arm, port):
    scene = haptos.Scene(gravity=(0, 0, 0))
    scene.add_robot("arm", arm)
    sim = scene.compile()
    with haptos.Viewer(sim, port=port, steps=False) as viewer:
        viewer._joints.sliders[0][2].value = 0.5
        until(viewer, lambda: sim.robots["arm"].position[0, 0] == 0.5)
        assert sim.robots["arm"].position[0, 1] == pytest.approx(-0.4)  # it follows
        assert sim.step_count[0] == 0
    with pytest.raises(haptos.InputError, match="env"):
        haptos.Viewer(sim, env=1)


def test_a_run_is_filmed(arm, tmp_path):
    sim = moving_scene(arm).compile()
    done = []
    count = haptos.record_movie(tmp_path / "run.mp4", sim, 0.5, fps=20, width=160, height=120,
                                progress=done.append)
    assert count == 11 and sim.time[0] == pytest.approx(0.5)
    assert done[-1] == 1 and done == sorted(done)
    assert not list(tmp_path.glob("*.part*"))
    reader = ffmpeg.read_frames(str(tmp_path / "run.mp4"))
    meta = next(reader)
    frames = [np.frombuffer(f, np.uint8) for f in reader]
    assert meta["size"] == (160, 120) and meta["fps"] == 20 and len(frames) == 11
    assert np.abs(frames[0].astype(int) - frames[-1]).max() > 50  # something moved


def test_a_gif_lasts_as_long_as_asked_with_the_colours_of_its_frames(tmp_path):
    # Four colours come in and go; 30 frames a second are no whole number of hundredths.
    colours = np.array([(200, 30, 40), (20, 180, 60), (30, 40, 220), (240, 240, 240)], np.uint8)
    images = [np.tile(colours[k % 4], (31, 41, 1)) for k in range(12)]
    assert haptos.save_movie(tmp_path / "a.gif", images, fps=30) == 12
    with Image.open(tmp_path / "a.gif") as film:
        assert film.n_frames == 12 and film.size == (41, 31) and film.info["loop"] == 0
        lasts = 0
        for k, image in enumerate(images):
            film.seek(k)
            lasts += film.info["duration"]
            assert np.abs(np.asarray(film.convert("RGB")).astype(int) - image).max() <= 4
    assert lasts == 400  # [ms]
    assert [p.name for p in tmp_path.iterdir()] == ["a.gif"]


def test_what_cannot_be_filmed_is_refused(tmp_path):
    image = np.zeros((4, 4, 3), np.uint8)
    for path, frames in (("a.avi", [image]), ("a.mp4", []), ("a.mp4", [image[:3]]), ("a.gif", []),
                         ("a.mp4", [image, image[:2]]), ("a.gif", [image, image[:2]]),
                         ("a.gif", [image[:, :, 0]])):
        with pytest.raises(haptos.InputError):
            haptos.save_movie(tmp_path / path, frames)
    with pytest.raises(haptos.InputError, match="at most 50"):
        haptos.save_movie(tmp_path / "a.gif", [image], fps=60)
    with pytest.raises(haptos.InputError, match="too many for a GIF"):
        haptos.save_movie(tmp_path / "a.gif", (np.zeros((4096, 4096, 3), np.uint8) for _ in range(6)))
    assert not list(tmp_path.iterdir())


def test_the_command_films_a_scene(tmp_path, capsys):
    movie = tmp_path / "swing.mp4"
    assert run_command(["render", str(ROOT / "scenes/pendulum.yaml"), "--out", str(movie),
                        "--seconds", "0.1 s", "--fps", "10", "--speed", "1", "--size",
                        "160x120"]) == 0
    assert "2 frames" in capsys.readouterr().out
    reader = ffmpeg.read_frames(str(movie))
    assert next(reader)["size"] == (160, 120) and sum(1 for _ in reader) == 2


def test_the_command_serves_to_this_machine_unless_told(tmp_path, port, monkeypatch, capsys):
    def stop(viewer, seconds):
        os.kill(os.getpid(), signal.SIGTERM)
        time.sleep(0.05)

    monkeypatch.setattr(haptos.Viewer, "run", stop)
    scene = str(ROOT / "scenes/pendulum.yaml")
    assert run_command(["view", scene, "--port", str(port)]) == 0
    told = capsys.readouterr()
    assert f"open http://127.0.0.1:{port}/" in told.out and "other machines" not in told.err
    assert run_command(["view", scene, "--port", str(port), "--host", "0.0.0.0"]) == 0
    assert "open to other machines" in " ".join(capsys.readouterr().err.split())


@pytest.mark.parametrize("options, said", [
    (("x.stl",), "check the path"), (("x.yaml", "--port", "70000"), "0 to 65535"),
    (("x.yaml", "--host", "999.1.2.3"), "is no address"), (("x.yaml", "--port"), "requires an"),
    (("x.yaml", "--host", "192.0.2.1"), "cannot be served"), (("y.h5",), "does not exist"),
    (("x.yaml", "--frame", "7"), "from 0 to 0"), (("x.yaml", "--movie", "a.mp4"), "No such option"),
])
def test_what_cannot_be_shown_is_refused(tmp_path, monkeypatch, capsys, options, said):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "x.yaml").write_text("spheres: [{name: ball, radius: 1 cm, mass: 1}]\n")
    assert run_command(["view", *options]) == 2
    err = capsys.readouterr().err.strip()
    assert said in err and len(err.splitlines()) == 1
    assert [p.name for p in tmp_path.iterdir()] == ["x.yaml"]
