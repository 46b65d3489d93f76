"""Material points in skins, recordings, pictures, the page and reports."""

import h5py
import numpy as np
import pytest

import haptos
from conftest import ROOT
from haptos.cli.main import run_command
from haptos.look.snapshots import SimStage
from haptos.record.history import History

SCENE = """sim: {dt: 10 ms}
half_spaces: [{name: table}]
material_points:
  - name: dough
    shape: {box: {size: [8 cm, 6 cm, 4 cm]}}
    pose: {position: [0, 0, 2 cm]}
    young: 20 kPa
    yield_stress: 500
    cell: 2 cm
rigid:
  - {name: ball, shape: {sphere: {radius: 2 cm}}, mass: 300 g, pose: {position: [0, 0, 6 cm]}, velocity: [0, 0, -1]}
"""


@pytest.fixture
def dough(tmp_path):
    path = tmp_path / "dough.yaml"
    path.write_text(SCENE)
    return path


@pytest.fixture
def recorded(dough):
    sim = haptos.load_scene(dough).compile(quiet=True)
    with haptos.Recorder(dough.parent / "run.h5", sim) as recorder:
        for _ in range(8):
            recorder.record(sim.step())
    return sim, dough.parent / "run.h5"


def volume(mesh):
    a, b, c = (np.asarray(mesh.vertices)[np.asarray(mesh.triangles)[:, k]] for k in range(3))
    return np.einsum("ij,ij->", a, np.cross(b, c)) / 6


def test_the_skin_is_the_surface_of_the_body(dough):
    dough.write_text(SCENE.replace("cell: 2 cm", "cell: 6 mm"))
    body = haptos.load_scene(dough).compile(quiet=True).material_points["dough"]
    skin = body.skin(values=body.position[0, :, 0])
    assert haptos.check_surface(skin.mesh).closed
    assert volume(skin.mesh) == pytest.approx(0.08 * 0.06 * 0.04, rel=0.06)  # its edges are round
    x = np.asarray(skin.mesh.vertices)
    assert np.abs(x).max(0) == pytest.approx((0.04, 0.03, 0.04), abs=0.3 * body.spacing)
    assert skin.values == pytest.approx(x[:, 0], abs=body.spacing)
    alone = haptos.points_skin(body.position[0], body.spacing)
    assert len(alone.values) == 0 and np.array_equal(alone.mesh.vertices, x)


def test_bad_input_for_a_skin_is_named():
    for spacing in (0, -1, np.nan, "3 kg"):
        with pytest.raises(haptos.InputError, match="spacing of points_skin"):
            haptos.points_skin(np.zeros((2, 3)), spacing)
    with pytest.raises(haptos.InputError, match="3 values: must be one of each point"):
        haptos.points_skin(np.zeros((2, 3)), 1, [1, 2, 3])
    with pytest.raises(haptos.InputError, match="points of points_skin"):
        haptos.points_skin(np.zeros((2, 2)), 1)


def test_a_recording_shows_what_the_simulation_showed(recorded):
    sim, path = recorded
    with h5py.File(path) as f, haptos.Recording(path) as recording:
        group = f["material_points/dough"]
        body = sim.material_points["dough"]
        assert group["position"].shape == (9, 1, len(body), 3) and group["flow"].shape == (9, 1, len(body))
        assert np.array_equal(group["position"][-1], body.position)
        assert group.attrs["mass"] == body.mass and group.attrs["yield_stress"] == 500
        live = SimStage(sim)
        now, then = live.take(), recording.take(-1)
        assert recording.fields == live.fields == ["flow"]
        assert np.array_equal(now.positions["dough"], then.positions["dough"])
        assert np.array_equal(now.fields["flow"]["dough"], then.fields["flow"]["dough"]) and now.fields["flow"]["dough"].max() > 0.05
        looks = [haptos.Look(width=160, height=120, color=c) for c in ("", "flow")]
        plain, coloured = (haptos.draw(recording.stage, then, look) for look in looks)
        assert np.array_equal(plain, haptos.draw(live.stage, now, looks[0]))
        assert (plain != coloured).any(-1).mean() > 0.01
        nothing = recording.take(0)
        assert (haptos.draw(recording.stage, nothing, looks[0]) != plain).any()
    assert float(np.asarray(group_forces(path))[-1, 0, 2]) == pytest.approx(sim.contact_wrench("dough").force[0, 2])


def group_forces(path):
    with h5py.File(path) as f:
        return f["material_points/dough/contact_force"][:]


def test_a_damaged_recording_is_refused(recorded):
    _, path = recorded
    with h5py.File(path, "r+") as f:
        f["material_points/dough"].attrs["volume"] = -1.0
    with pytest.raises(haptos.InputError, match="each with a volume"):
        haptos.Recording(path)


def test_every_dataset_is_documented(recorded):
    _, path = recorded
    page = (ROOT / "docs/files.md").read_text()
    with h5py.File(path) as f:
        for name in f["material_points/dough"]:
            assert f"`{name}`" in page or f"/{name}`" in page, name


def test_the_commands_run_draw_and_tell(dough, capsys):
    out = dough.parent / "out"
    assert run_command(["run", str(dough), "--duration", "0.03s", "--out", str(out)]) == 0
    assert "material points, 0.192 kg" in (out / "report.html").read_text()
    assert run_command(["render", str(out), "--color", "flow", "--size", "160x120", "--out", str(dough.parent / "a.png")]) == 0
    assert run_command(["describe", str(dough)]) == 0
    assert "yields at 500 Pa" in capsys.readouterr().out
    assert run_command(["render", str(dough), "--color", "stress", "--out", str(dough.parent / "b.png")]) != 0
    assert "is for scenes with a soft body" in capsys.readouterr().err


def test_the_report_balances_forces_with_points(dough):
    sim = haptos.load_scene(dough).compile(quiet=True)
    history = History(sim)
    for _ in range(6):
        history.add(sim.step())
    assert history.can_balance and history.worst_imbalance < 1e-4
    assert ("dough", "material_points") in history.bodies


def test_the_page_shows_their_skin(recorded, port):
    pytest.importorskip("viser")
    sim, path = recorded
    with haptos.Viewer(sim, port=port) as viewer:
        node = viewer._scene.nodes["dough"]
        skin = sim.material_points["dough"].skin().mesh
        np.testing.assert_allclose(node.vertices, skin.vertices, atol=1e-4)
        before = len(node.faces)
        for _ in range(5):
            sim.step()
        viewer.update()
        skin = sim.material_points["dough"].skin().mesh
        assert len(node.faces) == pytest.approx(len(skin.triangles), rel=0.02) and len(node.faces) != before
        assert viewer._look.color.label == "points" and viewer._look.color.options == ("none", "flow")
        viewer._look.color.value = "flow"
        viewer.update()
        assert viewer._scene.skins["dough"].on
