"""Where a picture's camera stands, and the colours of bodies: measured in the pictures."""

import itertools
import math

import numpy as np
import pytest
from PIL import Image

import haptos
from haptos.cli.main import run_command
from haptos.look import drawing, named_bodies, sheets
from haptos.look.aim import Aim
from haptos.look.colours import read_colour

RADIUS, PLACE = 0.05, (0.3, -0.2, 0.4)
RED = (1.0, 0.0, 0.0)


def two_balls():
    """A ball that falls at PLACE and one that stays at the origin, no ground."""
    scene = haptos.Scene(dt=0.01)
    scene.add_rigid("far", haptos.RobotShape("sphere", RADIUS), mass=1, position=PLACE)
    scene.add_prescribed("near", haptos.icosphere(RADIUS, 0.005))
    return scene.compile(quiet=True)


def drawn(sim, **look):
    """A picture with the ball that falls in red, and where that ball is in it: (row, column) of the
    middle and radius of a disc of its area [pixel]."""
    taker = haptos.SimStage(sim)
    image = haptos.draw(taker.stage, taker.take(), haptos.Look(
        width=200, height=160, camera="front", colors={"far": "red"}, **look))
    r, g, b = np.moveaxis(image.astype(int), 2, 0)
    rows, columns = np.nonzero((r > g + 40) & (r > b + 40))
    return image, (rows.mean(), columns.mean()), math.sqrt(len(rows) / math.pi)


def test_the_camera_looks_at_a_place_from_a_distance():
    sim, distance = two_balls(), 1.5
    _, middle, radius = drawn(sim, target=PLACE, distance=distance)
    assert middle == pytest.approx((79.5, 99.5), abs=0.5)
    # The outline of a ball is the cone that touches it.
    focal = 80 / math.tan(0.5 * 0.42)
    seen = focal * math.tan(math.asin(RADIUS / distance))
    assert radius == pytest.approx(seen, rel=0.02)
    # A place to the left puts it to the right by the slope of its ray.
    _, (_, column), _ = drawn(sim, target=(PLACE[0] - 0.1, *PLACE[1:]), distance=distance)
    assert column - 99.5 == pytest.approx(focal * 0.1 / distance, abs=0.6)


def test_a_body_in_the_middle_takes_most_of_the_picture():
    sim = two_balls()
    _, middle, radius = drawn(sim, target="far")
    assert middle == pytest.approx((79.5, 99.5), abs=0.5)
    assert 0.6 < radius / 80 < 0.8
    whole = drawn(sim)[2]
    assert whole < 0.3 * radius
    # Both are seen from as far away where only a place is given.
    assert drawn(sim, target=PLACE)[2] == pytest.approx(whole, rel=0.1)


def test_a_camera_follows_a_body_that_falls():
    sim = two_balls()
    taker = haptos.SimStage(sim)
    aim = Aim(taker.stage, haptos.Look(width=200, height=160, camera="front", follow="far"))
    snaps = [taker.take()]
    for _ in range(3):
        sim.run(0.1)
        snaps.append(taker.take())
    assert snaps[0].poses["far/far/0"][2] - snaps[-1].poses["far/far/0"][2] > 0.4
    for snap in snaps:
        aim.add(snap)
    look = aim.look()
    assert look.distance > 0 and look.target is None
    for snap in snaps:
        image = haptos.draw(taker.stage, snap, look).astype(int)
        rows, columns = np.nonzero(image[..., 2] > image[..., 0] + 25)  # blue, as collision shapes are
        assert (rows.mean(), columns.mean()) == pytest.approx((79.5, 99.5), abs=1.5)


def test_a_picture_of_a_recording_looks_at_a_body_where_it_is_then(tmp_path):
    sim = two_balls()
    with haptos.Recorder(tmp_path / "run.h5", sim) as recorder:
        sim.run(0.3, each=recorder.record)
    for frame in ("0", "-1"):
        out = tmp_path / f"{frame}.png"
        assert run_command(["render", str(tmp_path / "run.h5"), "--frame", frame, "--target", "far",
                            "--camera", "front", "--color", "far=red", "--size", "100x100", "--out",
                            str(out)]) == 0
        with Image.open(out) as image:
            r, g, _ = np.moveaxis(np.asarray(image).astype(int), 2, 0)
        for at in np.nonzero(r > g + 40):
            assert 0.5 * (at.min() + at.max()) == pytest.approx(49.5, abs=0.6)


def test_the_cut_goes_through_the_target():
    sim = two_balls()
    taker = haptos.SimStage(sim)
    for y, open_ in ((PLACE[1], True), (PLACE[1] + 2 * RADIUS, False)):
        image = haptos.draw(taker.stage, taker.take(), haptos.Look(
            width=200, height=160, camera="cut", distance=1.0, colors={"far": RED},
            target=(PLACE[0], y, PLACE[2]))).astype(int)
        r, g, b = np.moveaxis(image, 2, 0)
        assert ((r > g + 40) & (r > b + 40)).any() == open_  # what is nearer than the cut is gone


def test_a_link_and_a_robot_are_bodies_too(tmp_path):
    path = tmp_path / "arm.urdf"
    path.write_text("""<robot name="r"><material name="sea"><color rgba="0 0.2 1 1"/></material>
<link name="base"><visual><geometry><box size=".2 .2 .2"/></geometry><material name="sea"/></visual></link>
<link name="tip"><inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1"/></inertial><visual>
<geometry><box size=".1 .1 .1"/></geometry><material name="own"><color rgba="0 .5 0 .5"/></material></visual>
<collision><geometry><box size=".1 .1 .1"/></geometry></collision></link>
<joint name="j" type="revolute"><origin xyz="0 0 .5"/><parent link="base"/><child link="tip"/>
<limit lower="-1" upper="1" effort="1" velocity="1"/></joint></robot>""")
    scene = haptos.Scene()
    scene.add_robot("arm", path)
    taker = haptos.SimStage(scene.compile(quiet=True))
    stage, snap = taker.stage, taker.take()
    assert named_bodies.shown_names(stage) == ["arm", "arm/base", "arm/tip"]
    np.testing.assert_allclose(named_bodies.middle_of(
        named_bodies.parts_of(stage, "arm/tip", "target"), snap), (0, 0, 0.5), atol=1e-9)
    np.testing.assert_allclose(named_bodies.middle_of(
        named_bodies.parts_of(stage, "arm", "target"), snap), (0, 0, 0.25), atol=1e-9)
    # The colours of its file, of materials of the robot and of a visual; then those of a person.
    assert [b.color for b in stage.bodies] == [(0.0, 0.2, 1.0), (0.0, 0.5, 0.0)]
    assert stage.bodies[1].opacity == 0.5
    image = {}
    for what, colors in (("file", {}), ("own", {"arm/tip": "white", "arm": "#ff0000"})):
        look = haptos.Look(width=80, height=120, camera="front", target="arm/base", colors=colors)
        image[what] = haptos.draw(stage, snap, look)[60, 40].astype(int)
    assert image["file"][2] > image["file"][0] + 60 and image["own"][0] > image["own"][2] + 60
    recorded = tmp_path / "run.h5"
    with haptos.Recorder(recorded, taker.sim) as recorder:
        recorder.record()
    with haptos.Recording(recorded) as recording:
        assert [b.color for b in recording.stage.bodies] == [b.color for b in stage.bodies]


def test_colours_of_mjcf_are_those_of_geoms_classes_and_materials(tmp_path):
    pytest.importorskip("mujoco")
    path = tmp_path / "robot.xml"
    path.write_text("""<mujoco><default><default class="c"><geom rgba=".1 .2 .9 1"/></default></default>
<asset><material name="m" rgba=".9 .1 .2 1"/></asset><worldbody><body name="b"><joint type="hinge"/>
<geom name="a" type="box" size=".1 .1 .1" class="c"/><geom name="b" type="sphere" size=".1" material="m"/>
<geom name="c" type="sphere" size=".1" rgba=".3 .4 .5 1" material="m"/></body></worldbody></mujoco>""")
    scene = haptos.Scene()
    scene.add_robot("robot", path)
    bodies = haptos.SimStage(scene.compile(quiet=True)).stage.bodies
    np.testing.assert_allclose([b.color for b in bodies],
                               [(0.1, 0.2, 0.9), (0.9, 0.1, 0.2), (0.3, 0.4, 0.5)], atol=1e-6)


@pytest.mark.parametrize("look, said", [
    ({"target": "nea"}, 'did you mean "near"'), ({"target": (0, 0)}, "three finite numbers"),
    ({"target": (0, 0, np.nan)}, "three finite numbers"), ({"distance": 0.0}, "greater than 0"),
    ({"distance": np.inf}, "greater than 0"), ({"follow": "balloon"}, "is no body that is shown"),
    ({"follow": "near", "target": "far"}, "cannot both"), ({"colors": {"fat": RED}}, 'mean "far"'),
    ({"colors": {"far": "rad"}}, 'did you mean "red"'), ({"colors": {"far": (0, 0, 2)}}, "0 to 1"),
    ({"colors": {"far": "#12345"}}, "is no colour"),
])
def test_what_a_camera_cannot_do_is_told_in_one_sentence(look, said):
    taker = haptos.SimStage(two_balls())
    with pytest.raises(haptos.InputError, match=said):
        haptos.draw(taker.stage, taker.take(), haptos.Look(width=32, height=32, **look))


def test_colours_are_names_hexadecimal_or_numbers():
    assert read_colour("white") == (1, 1, 1) and read_colour("#ff0080") == (1, 0, 128 / 255)
    assert read_colour(np.array([0.1, 0.2, 0.3])) == (0.1, 0.2, 0.3)


# -- images of sensors beside a scene ----------------------------------------------------------


@pytest.mark.parametrize("counts", [(4,), (3,), (2,), (1,), (4, 4), (3, 4), (4, 4, 4), (4,) * 4, (2,) * 9])
def test_images_and_scene_fill_a_picture(counts):
    for aspect, (width, height) in itertools.product((1.2, 1.43, 1.8), (
            (1280, 720), (1920, 1080), (960, 720), (720, 720), (720, 1280))):
        layout = sheets.lay_out(counts, aspect, width, height)
        wide, tall = layout.cell
        places = list(sheets._cells(counts, layout.columns))
        assert len(set(places)) == len(places) == sum(counts)
        rows = 1 + max(row for row, _ in places)
        assert 1 + max(column for _, column in places) <= layout.columns
        # All cells lie in what the scene leaves, to the rounding of its sides to even pixels.
        room = ((width, height - layout.scene[1]) if layout.below
                else (width - layout.scene[0], height))
        assert layout.columns * wide <= room[0] + 1 and rows * tall <= room[1] + 1
        assert all(side % 2 == 0 for side in layout.scene)
        scene = layout.scene[0] * layout.scene[1] / (width * height)
        assert scene > 0.44
        empty = 1 - scene - sum(counts) * wide * tall / (width * height)
        assert empty < (0.17 if sum(counts) > 1 else 0.26)


def test_images_are_in_the_picture_and_no_half_is_empty(pressed):
    live = haptos.SimStage(pressed)
    snap = live.take()
    ranges = drawing.Ranges().grow(live.stage, snap)
    for size in ((640, 360), (360, 640)):
        look = haptos.Look(width=size[0], height=size[1])
        image = sheets.picture_of(live.stage, snap, look, ranges, images=True)
        assert image.shape == (size[1], size[0], 3)
        ink = np.argwhere((image < 250).any(axis=2))
        assert ink.min() < 10 and (ink.max(axis=0) > (0.95 * size[1], 0.95 * size[0])).all()
        halves = [h for axis in (0, 1) for h in np.array_split(image, 2, axis=axis)]
        assert all((half == 255).all(axis=2).mean() < 0.6 for half in halves)


BALL = """rigid:
  - name: ball
    shape:
      sphere: {radius: 50 mm}
    mass: 1
"""


@pytest.mark.parametrize("options, said", [
    (("--target", "bal"), '--target = "bal"'), (("--target", "0,1"), "X,Y,Z"),
    (("--target", "a,b,c"), "--target"), (("--follow", "bal"), 'did you mean "ball"'),
    (("--distance", "0m"), "greater than 0"), (("--color", "bal=red"), 'did you mean "ball"'),
    (("--color", "ball=rad"), 'did you mean "red"'), (("--color", "=red"), "BODY=COLOUR"),
    (("--color", "stress", "--color", "pressure"), "two ways"),
])
def test_the_command_refuses_before_it_simulates(tmp_path, capsys, options, said):
    (tmp_path / "a.yaml").write_text(BALL)
    out = tmp_path / "a.png"
    assert run_command(["render", str(tmp_path / "a.yaml"), *options, "--out", str(out)]) == 2
    err = capsys.readouterr().err
    assert said in err and "simulate" not in err and not out.exists()


def test_the_command_looks_at_a_body_in_a_colour(tmp_path):
    (tmp_path / "a.yaml").write_text(BALL)
    out = tmp_path / "a.png"
    assert run_command(["render", str(tmp_path / "a.yaml"), "--time", "0.1s", "--target",
                        "0,0,-49mm", "--distance", "1m", "--size", "100x100", "--color",
                        "ball=#00c000", "--out", str(out)]) == 0
    with Image.open(out) as image:
        r, g, _ = np.moveaxis(np.asarray(image).astype(int), 2, 0)
    for at in np.nonzero(g > r + 30):  # its ends, since a highlight is white
        assert 0.5 * (at.min() + at.max()) == pytest.approx(49.5, abs=0.6)
