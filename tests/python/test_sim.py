"""Scene and Sim: what is built, stepped, read, saved and refused."""

import threading
import time
from pathlib import Path

import numpy as np
import pytest

import haptos
from conftest import small_pad, small_scene

ROOT = Path(__file__).resolve().parents[2]


def test_arrays_carry_the_env_axis(pressed):
    v = len(pressed.mesh("gel").vertices)
    assert pressed.positions("gel").shape == (1, v, 3)
    assert pressed.positions("ball").shape == (1, 642, 3) or pressed.positions("ball").ndim == 3
    assert pressed.pose("ball").shape == (1, 7)
    assert pressed.time.shape == pressed.status.shape == pressed.step_count.shape == (1,)
    assert pressed.reaction("ball").force.shape == (1, 3)
    assert pressed.sensors["camera"].depth().shape == (1, 60, 80)


def test_the_ball_goes_where_its_trajectory_says(pressed):
    assert pressed.time[0] == pytest.approx(0.2) and pressed.step_count[0] == 4
    np.testing.assert_allclose(pressed.pose("ball")[0, :3], [0, 0, 3.7e-3], atol=1e-12)


def test_contact_and_glue_balance(pressed):
    contact, torque = pressed.reaction("ball")
    glue, glue_torque = pressed.reaction("mount")
    assert contact[0, 2] > 0.02
    scale = np.linalg.norm(contact)
    assert np.linalg.norm(contact + glue) < 1e-4 * scale
    assert np.linalg.norm(torque + glue_torque) < 1e-4 * scale * 3e-3


def test_contact_records_add_up_to_the_force(pressed):
    rows = pressed.contacts
    assert rows.dtype == haptos.CONTACT_DTYPE and len(rows) > 10
    assert set(rows["env"]) == {0}
    ball = pressed.body_id("ball")
    sign = np.where(rows["body_a"] == ball, 1.0, -1.0)[:, None]
    np.testing.assert_allclose((sign * rows["force"]).sum(axis=0),
                               pressed.reaction("ball").force[0], rtol=1e-6, atol=1e-9)
    np.testing.assert_allclose(np.linalg.norm(rows["n"], axis=1), 1, rtol=1e-9)
    assert rows["gap"].min() > 0
    np.testing.assert_allclose(np.einsum("ij,ij->i", rows["force"], rows["n"]),
                               rows["normal_force"], atol=1e-12)
    assert pressed.body_name(ball) == "ball"


def test_depth_and_markers_see_the_press(pressed):
    camera = pressed.sensors["camera"]
    depth, normal = camera.image()
    assert depth.dtype == np.float32
    row, col = np.unravel_index(np.nanargmax(depth[0]), depth[0].shape)
    assert abs(row - 29.5) < 4 and abs(col - 39.5) < 4
    assert 0.29e-3 < np.nanmax(depth) < 0.36e-3
    assert np.nanmin(depth) < 0  # the gel bulges beside the ball
    inside = np.isfinite(depth[0])
    np.testing.assert_allclose(np.linalg.norm(normal[0], axis=0)[inside], 1, atol=1e-5)
    markers = camera.markers()
    assert markers.flow.shape == (1, 15, 3) and markers.in_view.all()
    # Frictionless: markers move away from the ball, none moves sideways as a whole.
    assert np.abs(markers.flow[0, :, :2].mean(axis=0)).max() < 2e-6
    middle = markers.flow[0, 7]
    assert middle[2] == pytest.approx(-np.nanmax(depth), rel=0.05)


def test_the_sensor_moves_with_the_mount():
    pad = small_pad()
    scene = haptos.Scene(dt=0.05, gravity=(0, 0, 0))
    turn = (np.cos(0.3), 0, np.sin(0.3), 0)
    scene.add_prescribed("mount", trajectory=[(0, (0, 0, 0)), (0.1, (0, 0.01, 0), turn)])
    scene.add_soft("gel", pad.mesh, glue={"mount": pad.base_vertices}, coat=pad.coat,
                   position=(0.1, 0, 0.003), material={"young": 1e6})
    scene.add_sensor("camera", "gel")
    sim = scene.compile()
    assert np.nanmax(np.abs(sim.sensors["camera"].depth())) == 0
    sim.run(0.1)
    sim.run(1.0)
    origin = sim.sensors["camera"].frame()[1]
    c, s = np.cos(0.6), np.sin(0.6)
    np.testing.assert_allclose(origin, [0.1 * c + 0.003 * s, 0.01, -0.1 * s + 0.003 * c],
                               atol=1e-9)
    assert np.nanmax(np.abs(sim.sensors["camera"].depth())) < 2e-6


def test_reset_save_and_load_give_the_same_bits(tmp_path):
    sim = small_scene().compile()
    start = sim.positions("gel").copy()
    sim.step()
    sim.save(tmp_path / "one.state")
    kept = sim.state
    sim.step()
    after, hashed = sim.positions("gel").copy(), sim.state.hash()
    sim.load(tmp_path / "one.state")
    assert sim.step_count[0] == 1 and sim.state.hash() == kept.hash()
    sim.step()
    np.testing.assert_array_equal(sim.positions("gel"), after)
    assert sim.state.hash() == hashed
    sim.state = kept
    assert sim.time[0] == pytest.approx(0.05)
    sim.reset(mask=[False])
    assert sim.step_count[0] == 1
    sim.reset()
    np.testing.assert_array_equal(sim.positions("gel"), start)
    (tmp_path / "bad.state").write_bytes((tmp_path / "one.state").read_bytes()[:-5])
    for path in (tmp_path / "bad.state", tmp_path / "none.state"):
        with pytest.raises(haptos.InputError):
            sim.load(path)
    assert sim.step_count[0] == 0


def test_targets_of_any_layout_are_the_same():
    """Lists, tuples, strided and Fortran arrays, and float32 where it holds the numbers."""
    place, turn = [0.0009765625, 0, 0.0048828125], [1, 0, 0, 0]
    hashes = set()
    for layout in (list, tuple, np.float64, np.float32, "strided", "fortran"):
        def as_given(v, layout=layout):
            if layout == "strided":
                return np.repeat(np.asarray(v, float), 2)[::2]
            if layout == "fortran":
                return np.asfortranarray([v])
            return layout(v) if layout in (list, tuple) else np.asarray(v, layout)
        sim = small_scene().compile()
        sim.set_target("ball", as_given(place), as_given(turn))
        sim.step()
        hashes.add(sim.state.hash())
    assert len(hashes) == 1


def test_a_target_takes_the_place_of_the_trajectory():
    sim = small_scene().compile()
    sim.set_target("ball", [(0.001, 0, 0.0045)])
    sim.step()
    np.testing.assert_allclose(sim.pose("ball")[0, :3], [0.001, 0, 0.0045], atol=1e-12)
    before = sim.state.hash()
    for bad in ([0, 0], [0, 0, np.nan], "up", [[0, 0, 0], [0, 0, 0]], None):
        with pytest.raises((haptos.InputError, TypeError)):
            sim.set_target("ball", bad if bad is not None else [np.inf, 0, 0])
    with pytest.raises(haptos.InputError, match='did you mean "ball"'):
        sim.set_target("bal", (0, 0, 1))
    assert sim.state.hash() == before


def test_other_threads_run_while_a_step_is_taken():
    sim = small_scene().compile()
    woke = []

    def sleep():
        time.sleep(0.002)
        woke.append(time.monotonic())

    thread = threading.Thread(target=sleep)
    thread.start()
    for _ in range(4):
        sim.step()
    end = time.monotonic()
    thread.join()
    # A step that kept the interpreter to itself would let the sleeper wake only at its end.
    assert woke[0] < end


def test_a_strict_step_that_fails_raises_and_keeps_the_state():
    scene = small_scene()
    scene.newton.strict = True
    scene.newton.max_iterations = 1
    sim = scene.compile()
    before = sim.state.hash()
    with pytest.raises(haptos.StepError, match="not_converged") as e:
        sim.step()
    assert e.value.report.status[0] & 1 and not e.value.report.ok
    assert sim.state.hash() == before and sim.status[0] & 1


def test_spheres_and_robots_are_read():
    scene = haptos.Scene(dt=0.001)
    scene.add_half_space("ground")
    scene.add_sphere("ball", 0.01, 0.1, position=(0, 0, 0.5))
    scene.add_robot("arm", ROOT / "scenes/robots/pendulum.urdf", position=(0, 0, 3),
                    start={"shoulder": 0.5})
    sim = scene.compile()
    sim.run(0.1)
    fall = 0.5 * 9.81 * 0.1**2
    assert sim.pose("ball")[0, 2] == pytest.approx(0.5 - fall, rel=2e-3)
    assert sim.velocity("ball")[0, 2] == pytest.approx(-0.981, rel=1e-6)
    assert sim.robots["arm"].position.shape == (1, 2) and sim.robots["arm"].position[0, 0] < 0.5


def test_what_cannot_run_is_refused_with_the_name():
    pad = small_pad()
    ball = haptos.icosphere(4e-3, 1e-3)

    def scene(**soft):
        s = haptos.Scene()
        s.add_prescribed("mount")
        s.add_soft("gel", pad.mesh, **{"glue": {"mount": pad.base_vertices}, **soft})
        return s

    with pytest.raises(haptos.InputError, match='did you mean "mount"'):
        scene(glue={"moutn": [0]}).compile()
    with pytest.raises(haptos.InputError, match="gel.*glue"):
        scene(glue={"mount": [10**6]}).compile()
    with pytest.raises(haptos.InputError, match="element"):
        scene(element="cubic")
    with pytest.raises(haptos.InputError, match="axes"):
        scene(held=[([0], "q")])
    with pytest.raises(haptos.InputError, match="quaternion"):
        scene(quaternion=(0, 0, 0, 0)).compile()
    twice = scene()
    twice.add_prescribed("gel")
    with pytest.raises(haptos.InputError, match="gel"):
        twice.compile()
    deep = scene()
    deep.add_prescribed("ball", ball, position=(0, 0, 0.0035))
    with pytest.raises(haptos.InputError, match="intersection"):
        deep.compile()
    with pytest.raises(haptos.InputError, match="envs"):
        scene().compile(envs=10**9)
    with pytest.raises(haptos.InputError, match="envs"):
        scene().compile(envs=-1)
    with pytest.raises(haptos.InputError, match="device"):
        scene().compile(device="tpu")
    lost = scene()
    lost.add_sensor("camera", "gle")
    with pytest.raises(haptos.InputError, match='did you mean "gel"'):
        lost.compile()
    wide = scene()
    wide.add_sensor("camera", "gel", markers=haptos.MarkerGrid(9, 9, 5e-3, 5e-3))
    with pytest.raises(haptos.InputError, match="marker"):
        wide.compile()
    with pytest.raises(haptos.InputError, match="trajectory"):
        scene().add_prescribed("x", trajectory=[(0, (0, 0, 0))], position=(0, 0, 0))
    with pytest.raises(haptos.InputError, match="keyframe"):
        scene().add_prescribed("x", trajectory=[(0, (0, 0))])


def test_a_scene_file_becomes_a_scene():
    from conftest import ROOT

    scene = haptos.load_scene(ROOT / "scenes" / "press_sphere.yaml")
    assert [e["name"] for e in scene.entries()["soft"]] == ["gel"]
    assert scene.text.startswith("#") and scene.sim.dt == 0.05
    with pytest.raises(haptos.InputError):
        haptos.load_scene(ROOT / "no such file.yaml")


def loaded_pad(**changes):
    """A glued pad under an end load, a pressure and an acceleration, stepped to rest."""
    scene = haptos.Scene(dt=10.0, gravity=(0, 0, 0))
    pad = small_pad()
    scene.newton.update(force_tolerance=1e-10, force_floor=1e-13)
    scene.add_prescribed("mount")
    scene.add_soft("gel", pad.mesh, material={"young": 1e5, "poisson": 0.45, "law": "linear"},
                   glue={"mount": pad.base_vertices})
    top = np.flatnonzero(pad.mesh.vertices[:, 2] > -1e-9)
    scene.add_force("gel", top, changes.get("force", (0, 0, 0.01)), spread="area")
    scene.add_force("gel", [int(top[0])], [(0, (0, 0, 0)), (40, (0.02, 0, 0))])
    scene.add_pressure("gel", changes.get("pressure", 100.0))
    scene.set_acceleration("gel", (0, 1, 0))
    return scene


def test_glue_carries_the_loads_at_rest():
    scene = loaded_pad()
    entry = scene.entries()["soft"][0]
    assert (entry["forces"], entry["pressures"], entry["load_time"]) == (2, 1, 40)
    sim = scene.compile()
    for _ in range(8):
        assert sim.step().status[0] == 0
    np.testing.assert_allclose(sim.load_wrench("gel").force[0], [0.02, 0, 0.01], atol=1e-12)
    weight = sim.inertia_wrench("gel").force[0]
    assert weight[1] < 0 and abs(weight[0]) < 1e-9
    np.testing.assert_allclose(sim.reaction("mount").force[0], [0.02, -weight[1], 0.01], atol=1e-9)


@pytest.mark.parametrize(("act", "match"), [
    (lambda s: s.add_force("gle", [0], (0, 0, 1)), 'did you mean "gel"'),
    (lambda s: s.add_force("gel", [0], (0, 0, 1), spread="even"), "nodes or area"),
    (lambda s: s.add_force("gel", [0], 3), "force"),
    (lambda s: s.add_force("gel", [0], [(0, (0, 0, 1), 2)]), "pair"),
    (lambda s: s.add_pressure("gel", "much"), "number"),
    (lambda s: s.add_pressure("gel", 1.0, np.zeros((0, 3), int)), "no triangles"),
    (lambda s: s.set_acceleration("gel", [("soon", (0, 0, 1))]), "time"),
])
def test_wrong_loads_are_refused(act, match):
    with pytest.raises(haptos.InputError, match=match):
        act(loaded_pad())


def test_loads_are_checked_when_compiled():
    for changes, match in (({"pressure": float("nan")}, "nan Pa"),
                           ({"force": [(1, (0, 0, 1)), (0, (0, 0, 1))]}, "later than")):
        with pytest.raises(haptos.InputError, match=match):
            loaded_pad(**changes).compile()


def test_one_word_of_a_scene_file_makes_the_patch_test_exact(tmp_path):
    from conftest import ROOT

    text = (ROOT / "scenes" / "patch_test.yaml").read_text()
    assert "{model: mortar" in text
    error = {}
    for model in ("mortar", "barrier"):
        (tmp_path / "scene.yaml").write_text(text.replace("{model: mortar", "{model: " + model))
        sim = haptos.load_scene(tmp_path / "scene.yaml").compile()
        assert sim.step().status[0] == 0
        contacts = sim.contacts
        assert abs(contacts["force"][:, 2].sum()) == pytest.approx(10, rel=1e-6)
        pressing = contacts[contacts["area"] > 0]
        error[model] = np.abs(pressing["normal_force"] / pressing["area"] / 10 - 1).max()
    assert error["mortar"] < 1e-6
    assert error["barrier"] > 1e-2
