"""What comes from elsewhere is not believed unseen: numbers of vertices, links and environments, names of
files, sizes."""
import io
import os
import zipfile

import h5py
import numpy as np
import pytest

import haptos
from haptos import _core
from haptos.base.inside_file import leads_out
from haptos.cli.shown_files import live_press
from haptos.meshes import cache as mesh_cache
from haptos.record.replay import Recording

V = np.array([[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]], float)
FAR = 99_999_999


# -- numbers of things ----------------------------------------------------------------------------

@pytest.mark.parametrize("make", [
    lambda n: haptos.TriMesh(V, [[0, 1, n]]),
    lambda n: haptos.TriMesh(V, [[0, 1, 2]], segments=[[0, n]]),
    lambda n: haptos.TriMesh(V, [[0, 1, 2]], points=[n]),
    lambda n: haptos.TetMesh(V, [[0, 1, 2, n]]),
    lambda n: _core.ContactFieldSensor(V[:3], [[0, 1, n]]),
    lambda n: _core.DepthSensor(haptos.TactileCamera.orthographic(8, 8, 1e-3), V[:3], [[0, 1, n]]),
    lambda n: _core.MarkerSensor(haptos.TactileCamera.orthographic(8, 8, 1e-3), V[:3], [[0, 1, n]],
                                 haptos.MarkerGrid(2, 2)),
])
@pytest.mark.parametrize("number", [FAR, 4, -1, 2**31 - 1, 2**40])
def test_vertices_that_are_not_there_are_refused_where_they_are_given(make, number):
    with pytest.raises(haptos.InputError, match=str(number)):
        make(number)


def test_the_mesh_that_crashed_is_refused_by_row_and_number():
    with pytest.raises(haptos.InputError, match="triangles, row 0 = 99999999.*from 0 to 2"):
        haptos.intersecting_triangles(haptos.TriMesh(np.random.rand(3, 3),
                                                     np.array([[0, 1, FAR]], np.int32)))


def test_a_mesh_without_vertices_has_none_to_name():
    with pytest.raises(haptos.InputError, match="there are none"):
        haptos.TriMesh(np.zeros((0, 3)), [[0, 1, 2]])


def test_vertex_numbers_are_not_changed_behind_the_check():
    surface = haptos.TriMesh(V, [[0, 1, 2]], segments=[[0, 3]])
    volume = haptos.TetMesh(V, [[0, 1, 2, 3]])
    for rows in (surface.triangles, surface.segments, volume.tets):
        with pytest.raises(ValueError):
            rows[0, 0] = FAR
    surface.vertices[0] = (0, 0, -1)  # positions may move
    assert surface.bounds[0][2] == -1


def gel(**how):
    scene = haptos.Scene()
    scene.add_prescribed("mount")
    scene.add_soft("gel", haptos.TetMesh(0.01 * V, [[0, 1, 2, 3]]), **how)
    return scene


@pytest.mark.parametrize("make", [
    lambda: gel(coat=[[0, 1, FAR]]).compile(),
    lambda: gel(glue={"mount": [FAR]}).compile(),
])
def test_a_gel_names_only_its_own_vertices(make):
    with pytest.raises(haptos.InputError, match=str(FAR)):
        make()


def robots():
    scene = haptos.Scene()
    scene.add_sphere("ball", radius=0.05, mass=0.1, position=(0, 0, 1))
    batch = _core.Batch(scene._core, 2)
    return batch, batch.robots("ball")


@pytest.mark.parametrize("number", [-1, 1, 2, FAR, -2**31])
def test_links_and_environments_are_counted(number):
    batch, ball = robots()
    one = np.ones((2, 1))
    vector = np.zeros((2, 3))
    for ask in (lambda: ball.link_pose(number), lambda: ball.link_velocity(number),
                lambda: ball.mass_scale(number), lambda: ball.set_mass_scale(number, one),
                lambda: ball.set_wrench(number, vector, vector)):
        with pytest.raises(haptos.InputError, match="link"):
            ask()
    if number != 1:
        with pytest.raises(haptos.InputError, match="environment"):
            batch.env(number)
    with pytest.raises(haptos.InputError, match="sensor"):
        _core.read_robot_sensor(batch, "ball", number)


def test_rows_of_another_size_are_refused():
    _, ball = robots()
    short = np.zeros((1, 3))
    for ask in (lambda: ball.set_state(short, short, short[:, :1]), lambda: ball.set_torque(short),
                lambda: ball.set_wrench(0, short, short),
                lambda: ball.set_mass_scale(0, short[:, :1]),
                lambda: ball.set_friction_scale(short[:, :1]), lambda: ball.set_commands(short),
                lambda: ball.set_gains(short)):
        with pytest.raises(haptos.InputError, match="for each environment"):
            ask()


# -- recordings -----------------------------------------------------------------------------------

SECRET = "secret.h5"


@pytest.fixture
def secret(tmp_path):
    with h5py.File(tmp_path / SECRET, "w") as f:
        f["key"] = np.arange(12.0)
    (tmp_path / "secret.bin").write_bytes(bytes(96))
    return tmp_path


def recorded(path, extra):
    with h5py.File(path, "w") as f:
        f.attrs["format"], f.attrs["format_version"], f.attrs["dt"] = "haptos run", 1, 1e-3
        f["time"] = np.zeros((1, 1))
        extra(f)
    return path


@pytest.mark.parametrize("extra,says", [
    (lambda f: f.__setitem__("soft", h5py.ExternalLink(SECRET, "/")), "another file at /soft"),
    (lambda f: f.create_group("step").__setitem__("index", h5py.ExternalLink(SECRET, "key")),
     "another file at /step/index"),
    (lambda f: f.create_dataset("step/index", (12,), "f8", external=[("secret.bin", 0, 96)]),
     "/step/index in another file"),
    (lambda f: f.create_virtual_dataset(
        "virtual", _layout(), fillvalue=0), "/virtual in another file"),
    (lambda f: f.__setitem__("soft", h5py.SoftLink("/elsewhere")), "in place of data at /soft"),
])
def test_a_recording_reads_no_other_file(secret, extra, says):
    path = recorded(secret / "run.h5", extra)
    with pytest.raises(haptos.InputError, match=says):
        Recording(path)


def _layout():
    layout = h5py.VirtualLayout(shape=(12,), dtype="f8")
    layout[:] = h5py.VirtualSource(SECRET, "key", shape=(12,))
    return layout


def test_groups_that_hold_each_other_end():
    with h5py.File(io.BytesIO(), "w") as f:
        a = f.create_group("a")
        a["b"] = f
        a["self"] = a
        assert leads_out(f) == ""


class Kept:
    """A recording of a press, as far as going on with it looks at one."""

    def __init__(self, path, shape, **more):
        self.path = path
        self.settings = {"shape": shape, "at": [0, 0], "material": {}, "contact": {}, "newton": {},
                         "pad": "box", **more}
        self.command = ""


@pytest.mark.parametrize("what", ["shape", "pad", "sensor"])
def test_a_recording_opens_no_file_of_the_computer(what, tmp_path, monkeypatch):
    folder, elsewhere = tmp_path / "runs", tmp_path / "elsewhere"
    folder.mkdir()
    elsewhere.mkdir()
    work = tmp_path / "work"
    work.mkdir()
    monkeypatch.chdir(work)
    secret = elsewhere / "secret.stl"
    secret.write_bytes(b"")
    (folder / "linked.stl").symlink_to(secret)
    for name in (str(secret), "../elsewhere/secret.stl", str(folder / "linked.stl"), "/etc/passwd",
                 "/dev/zero", "a/../../elsewhere/secret.stl", "nul\0.stl"):
        kept = {"shape": "sphere", what: name}
        with pytest.raises(haptos.InputError, match="which no recording may open"):
            live_press(Kept(folder / "run.h5", **kept))
    # What lies beside it, or where one works, may be opened; this one is found to be empty.
    (work / "mine.stl").write_bytes(b"")
    (folder / "beside.stl").write_bytes(b"")
    for name in ("mine.stl", str(folder / "beside.stl")):
        with pytest.raises(haptos.InputError, match="empty|STL"):
            live_press(Kept(folder / "run.h5", name))


# -- archives -------------------------------------------------------------------------------------

def npz(path, members):
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as z:
        for name, data in members.items():
            z.writestr(name, data)
    return str(path)


def npy(header, data=b""):
    text = header.ljust(117) + "\n"
    return b"\x93NUMPY\x01\x00" + len(text).to_bytes(2, "little") + text.encode() + data


HUGE = "{'descr': '<f8', 'fortran_order': False, 'shape': (%d,), }"


@pytest.mark.parametrize("members,says", [
    ({"time.npy": npy(HUGE % 2**40)}, "more than the file holds"),
    ({"time.npy": npy(HUGE % 2**63)}, "more than the file holds"),
    ({"time.npy": npy("{'descr': '<f8', 'fortran_order': False, 'shape': (2**40,), }")}, "NPZ"),
    ({"time.npy": npy("{'descr': '|O', 'fortran_order': False, 'shape': (1,), }", b"x" * 99)},
     "Python objects"),
    ({"time.npy": npy("{'descr': '<f8', 'fortran_order': False, 'shape': (-3,), }")}, "NPZ|numbers"),
    ({"time.npy": b"\x93NUMPY\x09\x00"}, "NPY version 9"),
    ({"time.npy": b""}, "NPZ"),
    ({"time.npy": b"no array"}, "NPZ"),
    ({"time.txt": b"0"}, "nothing else"),
    ({}, "nothing else"),
])
def test_arrays_that_are_not_what_they_say_are_refused(tmp_path, members, says):
    with pytest.raises(haptos.InputError, match=says):
        haptos.load_trajectory(npz(tmp_path / "t.npz", members))


def test_a_small_archive_of_large_arrays_is_refused_unread(tmp_path):
    # Two arrays of 2^27 zeros are 2 GiB, and 2 MB in the archive; here written in pieces.
    path = tmp_path / "bomb.npz"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as z, \
            z.open("time.npy", "w", force_zip64=True) as f:
        f.write(npy(HUGE % 2**26))
        for _ in range(2**26 * 8 // 2**24):
            f.write(bytes(2**24))
    assert path.stat().st_size < 4e6
    with pytest.raises(haptos.InputError, match="would take more than 256 MiB"):
        haptos.load_trajectory(str(path))


def test_devices_and_folders_are_no_archives(tmp_path):
    os.mkfifo(tmp_path / "pipe.npz")
    (tmp_path / "folder.npz").mkdir()
    for name in ("pipe.npz", "folder.npz"):
        with pytest.raises(haptos.InputError, match="must be a file"):
            haptos.load_trajectory(str(tmp_path / name))


def test_a_sound_archive_is_read_as_before(tmp_path):
    t = np.linspace(0, 1, 11)
    np.savez_compressed(tmp_path / "t.npz", time=t, hinge=np.sin(t), slide=np.arange(11))
    got = haptos.load_trajectory(str(tmp_path / "t.npz"))
    assert list(got.names) == ["hinge", "slide"]
    assert got.start == 0 and got.end == 1


# -- the cache ------------------------------------------------------------------------------------

@pytest.fixture
def kept(tmp_path, monkeypatch):
    monkeypatch.setenv("HAPTOS_CACHE", str(tmp_path))
    tets = np.array([[0, 1, 2, 3]], np.int32)
    mesh_cache.store("a" * 64, V, tets)
    return mesh_cache.folder() / ("a" * 64 + ".npz")


def test_a_cached_mesh_comes_back(kept):
    x, tets = mesh_cache.load("a" * 64)
    assert (x == V).all() and tets.tolist() == [[0, 1, 2, 3]]


def poisoned(file, **change):
    with np.load(file) as f:
        arrays = {name: f[name] for name in f.files} | change
    np.savez_compressed(file, **arrays)


@pytest.mark.parametrize("poison", [
    lambda f: poisoned(f, vertices=V * 2),
    lambda f: poisoned(f, tets=np.array([[0, 2, 1, 3]], np.int32)),
    lambda f: poisoned(f, vertices=np.asfortranarray(V + 1e-16 * (V == 0) + 1e-12)),
    lambda f: poisoned(f, content="0" * 64),
    lambda f: np.savez_compressed(f, vertices=V, tets=np.array([[0, 1, 2, 3]], np.int32)),
    lambda f: f.write_bytes(f.read_bytes()[:-7]),
    lambda f: f.write_bytes(b""),
])
def test_a_poisoned_entry_is_not_used_and_goes(kept, poison):
    poison(kept)
    assert mesh_cache.load("a" * 64) is None
    assert not kept.exists()


def test_an_entry_under_another_name_is_not_used(kept):
    other = kept.with_name("b" * 64 + ".npz")
    other.write_bytes(kept.read_bytes())
    assert mesh_cache.load("b" * 64) is None
    assert mesh_cache.load("a" * 64) is not None
