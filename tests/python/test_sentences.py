"""Damage, odd input and signals end in one sentence, not in a traceback, a crash or a hang."""

import os
import signal
import subprocess
import sys
import threading

import h5py
import pytest

import haptos
from conftest import run_haptos, small_scene
from haptos.press.matrix import FORMAT, Matrix, read_result
from haptos.record.recording import group_keys
from haptos.robots.visual_files import read_visual

MANIFESTS = {
    "a number beyond all": '{"format": "%s", "what": 1e400}',
    "a list": '{"format": "%s", "what": [1, 2]}',
    "a text": '{"format": "%s", "what": "sphere"}',
    "nothing": '{"format": "%s"}',
    "a list of all": "[1, 2, 3]",
    "brackets": "[" * 100_000,
    "bytes": b"\xff\xfe\x00",
}


@pytest.mark.parametrize("name", MANIFESTS)
def test_a_damaged_manifest_is_refused(tmp_path, name):
    text = MANIFESTS[name]
    if isinstance(text, str):
        text = (text % FORMAT if "%s" in text else text).encode()
    (tmp_path / "manifest.json").write_bytes(text)
    with pytest.raises(haptos.InputError, match=r"manifest\.json") as caught:
        Matrix(tmp_path, ["sphere"], depth=1e-4)
    assert "use --overwrite or another folder" in str(caught.value)


@pytest.mark.parametrize("result", ["3", "[]", "{}", "[" * 100_000, "nonsense"])
def test_a_result_that_is_none_is_made_again(tmp_path, result):
    with h5py.File(tmp_path / "run.h5", "w") as f:
        f.attrs.update(finished=True, frames=1, press_key="k")
        f["time"] = [0.0]
        f.create_group("r").attrs["press_result"] = result[:60_000]
        f.attrs["press_result"] = result[:60_000]
    assert read_result(tmp_path / "run.h5", "k") is None


def test_bodies_whose_names_differ_by_a_slash_are_recorded_apart(tmp_path):
    assert group_keys(["a/b", "a_b", "a_b_", ".", "_"]) == {
        "a/b": "a_b", "a_b": "a_b_", "a_b_": "a_b__", ".": "_", "_": "__"}
    scene = haptos.Scene(gravity=(0, 0, 0))
    for k, name in enumerate(("a/b", "a_b")):
        scene.add_prescribed(name, haptos.box((0.1, 0.1, 0.1)), position=(k, 0, 0))
    sim = scene.compile()
    with haptos.Recorder(tmp_path / "run.h5", sim) as recorder:
        recorder.record(sim.step())
    with haptos.Recording(tmp_path / "run.h5") as kept:
        poses = kept.take(1).poses
        assert poses["a/b"][0] == 0 and poses["a_b"][0] == 1


def test_a_file_that_may_not_grow_is_refused_before_it_is_made(tmp_path, pad_file):
    for size in (1_000, 200_000, 1_000_000):
        done = run_haptos("press", "sphere", "--pad", pad_file, "--depth", "0.1mm", "--steps", "1",
                          "--out", f"o{size}", cwd=tmp_path, largest_file=size)
        assert done.returncode == 74, done.stderr
        assert "Traceback" not in done.stderr
        assert done.stderr.splitlines()[-1].endswith(
            "the file may not grow any further; make room and run again, earlier frames are kept.")
        assert not list((tmp_path / f"o{size}").glob("*.part"))


def test_a_recording_in_use_says_so_and_stays_whole(tmp_path):
    sim = small_scene(steps=2).compile()
    with haptos.Recorder(tmp_path / "run.h5", sim) as recorder:
        with pytest.raises(haptos.InputError, match="is in use: another recorder writes it"):
            haptos.Recorder(tmp_path / "run.h5", sim)
        recorder.record(sim.step())
    with haptos.Recording(tmp_path / "run.h5") as kept:
        assert len(kept) == 2
    with pytest.raises(haptos.InputError, match="cannot be written: No such file or directory"):
        haptos.Recorder(tmp_path / "none" / "run.h5", sim)


DAE = """<COLLADA xmlns="http://www.collada.org/2005/11/COLLADASchema" version="1.4.1">
<library_geometries><geometry id="g"><mesh>
<source id="p"><float_array id="f" count="9">0 0 0 1 0 0 0 1 0</float_array>
<technique_common><accessor source="#f" count="3" stride="{stride}"/></technique_common></source>
<vertices id="v"><input semantic="{semantic}" source="#p"/></vertices>
<triangles count="1"><input semantic="VERTEX" source="#v" offset="{offset}"/><p>{p}</p></triangles>
</mesh></geometry></library_geometries></COLLADA>"""
GOOD = {"stride": "3", "semantic": "POSITION", "offset": "0", "p": "0 1 2"}


@pytest.mark.parametrize("change", [
    {"stride": "0"}, {"stride": "-3"}, {"stride": "1"}, {"stride": "99999999999999999999"},
    {"stride": "x"}, {"semantic": "NORMAL"}, {"offset": "-1"}, {"offset": "1000000000"},
    {"p": "0 1 9"}, {"p": "0 1"}, {"p": "-1 0 1"}, {"p": "a b c"}, {"p": "1e999 0 1"}])
def test_a_damaged_collada_file_is_refused(tmp_path, change):
    path = tmp_path / "a.dae"
    path.write_text(DAE.format(**GOOD))
    assert len(read_visual(path)[0].mesh.triangles) == 1
    path.write_text(DAE.format(**GOOD | change))
    with pytest.raises(haptos.InputError, match=r"a\.dae: (is damaged|holds no triangles)"):
        read_visual(path)


def test_collision_meshes_in_collada_are_read(tmp_path):
    corners = "0 0 0 1 0 0 0 1 0 0 0 1"
    text = DAE.format(**GOOD | {"p": "0 2 1 0 1 3 1 2 3 0 3 2"}).replace(
        'count="9">0 0 0 1 0 0 0 1 0', f'count="12">{corners}').replace('count="3"', 'count="4"')
    (tmp_path / "solid.dae").write_text(text)
    (tmp_path / "r.urdf").write_text("""<robot name="r"><link name="a">
        <inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial>
        <collision><geometry><mesh filename="solid.dae" scale=".1 .1 .1"/></geometry></collision>
        </link></robot>""")
    for hulls, kind in ((True, "hull"), (False, "mesh")):
        shape = haptos.load_robot(tmp_path / "r.urdf", hulls=hulls).links[0].collisions[0]
        assert shape.kind == kind and shape.mesh.volume == pytest.approx(1e-3 / 6, rel=1e-12)
    (tmp_path / "s.yaml").write_text("robots: [{name: r, file: r.urdf, pose: {position: [0, 0, 1]}}]\n"
                                     "half_spaces: [{name: ground}]\n")
    sim = haptos.load_scene(tmp_path / "s.yaml").compile()
    assert len(sim.robots["r"].robot.links[0].collisions[0].mesh.vertices) == 4
    (tmp_path / "solid.dae").write_text("nonsense")
    with pytest.raises(haptos.InputError, match=r"solid\.dae: is damaged .* named by link \"a\""):
        haptos.load_robot(tmp_path / "r.urdf")


def test_a_package_in_this_folder_is_named_so(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "r.urdf").write_text("""<robot name="r"><link name="a"><collision><geometry>
        <mesh filename="package://p/no.stl"/></geometry></collision></link></robot>""")
    for folder in ("", "."):
        with pytest.raises(haptos.InputError, match="does not exist in this folder;"):
            haptos.load_robot("r.urdf", packages={"p": folder})
    (tmp_path / "s.yaml").write_text("prescribed: [{name: a, mesh: {file: no.stl, unit: m}}]\n")
    with pytest.raises(haptos.InputError, match="does not exist in this folder; put the file"):
        haptos.load_scene("s.yaml")


def test_bytes_that_are_no_text_are_shown_in_sentences(tmp_path):
    odd = os.fsdecode(os.path.join(os.fsencode(tmp_path), b"\xff.stl"))
    with pytest.raises(haptos.InputError, match=r"\\xff\.stl") as caught:
        haptos.read_surface(odd)
    str(caught.value).encode()  # may be printed anywhere
    path = tmp_path / "a.csv"
    path.write_bytes(b"time,jo\xffint\n0,1\n")
    with pytest.raises(haptos.InputError, match="printable characters in UTF-8"):
        haptos.load_trajectory(path)
    for name, text in (("a.ply", b"ply\nformat ascii 1.0\ncomment \xff\nelement vertex \xff\n"),
                       ("a.obj", b"v 0 0 0\n\xff 3\n"), ("a.yaml", b"\xff: 3\n"),
                       ("a.urdf", b"<robot name='\xff'/>")):
        (tmp_path / name).write_bytes(text)
        read = {"ply": haptos.read_surface, "obj": haptos.read_surface,
                "yaml": haptos.load_scene, "urdf": haptos.load_robot}[name[2:]]
        with pytest.raises(haptos.InputError, match=name):
            read(tmp_path / name)


@pytest.mark.parametrize("grid", ["٣x٣", "²x2", "3x", "0x3"])
def test_a_grid_is_of_plain_digits(tmp_path, grid):
    done = run_haptos("press", "sphere", "--grid", grid, "--depth", "0.1mm", cwd=tmp_path)
    assert done.returncode == 2 and "must be places along x and along y" in done.stderr
    done = run_haptos("press", "sphere", "--depth", "0:1mm:²", cwd=tmp_path)
    assert done.returncode == 2 and "FROM:TO:COUNT" in done.stderr


def test_ctrl_c_while_the_command_is_loaded_ends_in_one_line(tmp_path):
    # In place of the real module: a load that takes its time.
    (tmp_path / "h5py.py").write_text(
        "import sys, time\nprint('loading', file=sys.stderr, flush=True)\ntime.sleep(60)\n")
    path = os.pathsep.join([str(tmp_path), *filter(None, sys.path)])
    process = subprocess.Popen(
        [sys.executable, "-m", "haptos", "describe"], stderr=subprocess.PIPE, text=True,
        env={**os.environ, "PYTHONPATH": path}, cwd=tmp_path,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL))
    assert process.stderr.readline() == "loading\n"
    process.send_signal(signal.SIGINT)
    rest = process.stderr.read()
    assert process.wait(30) == 130 and rest == "haptos: stopped\n"


def test_a_step_beside_another_threads_is_refused_and_none_is_lost():
    sim = small_scene(steps=2).compile()
    inside, done = threading.Event(), threading.Event()

    def hold(_):
        inside.set()
        assert done.wait(60)

    sim.controllers.append(hold)
    other = threading.Thread(target=sim.step)
    other.start()
    assert inside.wait(60)
    with pytest.raises(haptos.InputError, match="is being taken by another thread"):
        sim.step()
    done.set()
    other.join()
    sim.controllers.clear()
    sim.step()
    assert sim.step_count[0] == 2


def test_names_that_are_no_text_are_refused():
    for name in ("a\udc80", "a\0b", "a\nb"):
        with pytest.raises(haptos.InputError, match="must be of printable characters"):
            haptos.Scene().add_half_space(name)


