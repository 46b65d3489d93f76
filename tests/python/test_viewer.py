"""The page in the browser and movies. No browser is there: what the page would show is read back."""

import socket
import time
import urllib.request

import numpy as np
import pytest

import haptos
from conftest import ROOT, run_haptos

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


@pytest.fixture
def port():
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        return s.getsockname()[1]


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
        (robot, joint, slider), = viewer._sliders
        assert joint == "shoulder" and (slider.min, slider.max) == (-1, 2)
        slider.value = 0.8
        until(viewer, lambda: sim.robots["arm"].command[0, 0, 0] == 0.8)
        viewer._play.value = True
        until(viewer, lambda: viewer.playing)
        viewer.run(seconds=1.0)
        assert sim.time[0] > 0.2
        viewer.playing = False
        sim.run(2.0)
        viewer.update()
        pose = robot.link_pose("upper")[0]
        shown = viewer._frames["arm", "upper"]
        np.testing.assert_allclose(shown.position, pose[:3], atol=1e-6)
        np.testing.assert_allclose(shown.wxyz, pose[3:], atol=1e-6)
        assert robot.position[0, 0] == pytest.approx(0.8, abs=0.05)
        ball = viewer._frames["ball", "ball"]
        assert ball.position[2] == pytest.approx(-1.4, abs=1e-3)
        np.testing.assert_allclose(viewer._meshes["block"].vertices, sim.positions("block")[0],
                                   atol=1e-6)
        arrows = np.asarray(viewer._contacts.points)
        rows = sim.contacts
        assert arrows.shape == (len(rows), 2, 3)
        np.testing.assert_allclose(arrows[:, 1] - arrows[:, 0], 5e-3 * rows["force"], atol=1e-6)


def test_a_robot_alone_is_posed(arm, port):
    scene = haptos.Scene(gravity=(0, 0, 0))
    scene.add_robot("arm", arm)
    sim = scene.compile()
    with haptos.Viewer(sim, port=port, steps=False) as viewer:
        viewer._sliders[0][2].value = 0.5
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


def test_what_cannot_be_filmed_is_refused(tmp_path):
    image = np.zeros((4, 4, 3), np.uint8)
    for path, frames in (("a.avi", [image]), ("a.mp4", []), ("a.mp4", [image[:3]]),
                         ("a.mp4", [image, image[:2]])):
        with pytest.raises(haptos.InputError):
            haptos.save_movie(tmp_path / path, frames)
    assert not list(tmp_path.iterdir())


def test_the_command_films_a_scene(tmp_path):
    movie = tmp_path / "stand.mp4"
    done = run_haptos("view", ROOT / "scenes/quadruped_stands.yaml", "--movie", movie, "--seconds",
                      "0.1 s", "--fps", "10", cwd=tmp_path)
    assert done.returncode == 0 and "2 frames" in done.stdout, done.stderr
    again = run_haptos("view", ROOT / "scenes/quadruped_stands.yaml", "--movie", movie,
                       cwd=tmp_path)
    assert again.returncode == 2 and "exists already" in again.stderr
    other = run_haptos("view", tmp_path / "mesh.stl", cwd=tmp_path)
    assert other.returncode == 2 and "must be a scene or a robot" in other.stderr
