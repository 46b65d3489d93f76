"""Mistakes of a first day, each with the sentence that answers it.

A row is what a person writes and what the answer must hold: what was given, the rule, and what to
do. Rows of MISTAKES are errors, those of WARNINGS are said and go on, and are errors when strict.
"""

import types
import warnings

import numpy as np
import pytest

import haptos
from conftest import outside_file, small_pad, small_scene

ARM = """<robot name="arm">
  <link name="base"/>
  <link name="upper"><inertial><mass value="1"/>
    <inertia ixx=".01" iyy=".01" izz=".01" ixy="0" ixz="0" iyz="0"/></inertial>
    <collision><geometry><box size=".05 .05 .3"/></geometry></collision></link>
  <link name="lower"><inertial><mass value="1"/>
    <inertia ixx="{ixx}" iyy=".01" izz=".01" ixy="0" ixz="0" iyz="0"/></inertial>
    <collision><geometry><box size=".05 .05 .3"/></geometry></collision></link>
  <joint name="shoulder" type="revolute"><parent link="base"/><child link="upper"/>
    <axis xyz="0 1 0"/><limit lower="-2.9" upper="2.9" effort="50" velocity="2"/></joint>
  <joint name="elbow" type="revolute"><parent link="upper"/><child link="lower"/>
    <origin xyz="0 0 .4"/><axis xyz="0 1 0"/>
    <limit lower="-2.9" upper="2.9" effort="50" velocity="2"/></joint>
</robot>"""


def arm_file(folder, ixx=0.01):
    path = folder / "arm.urdf"
    path.write_text(ARM.format(ixx=ixx))
    return path


def cube(**options):
    return haptos.RobotShape("box", **({"extents": (0.1, 0.1, 0.1)} | options))


def with_faces(radius):
    """Vertices and faces of a ball, as trimesh.Trimesh holds them."""
    ball = haptos.icosphere(radius, radius / 4)
    return types.SimpleNamespace(vertices=np.array(ball.vertices), faces=np.array(ball.triangles))


@pytest.fixture(scope="module")
def world(tmp_path_factory):
    """Everything that a mistake may be made with."""
    w = types.SimpleNamespace(folder=tmp_path_factory.mktemp("mistakes"))
    w.file = arm_file(w.folder)
    w.scene, w.sim = small_scene, small_scene().compile()
    scene = haptos.Scene(dt=0.002)
    scene.add_robot("arm", w.file, motors={"kp": 100, "kd": 10})
    scene.add_robot_sensor("arm", "angles", "joint_position")
    w.arms = scene.compile(envs=4)
    w.arm = w.arms.robots["arm"]
    bare = haptos.Scene(dt=0.002)
    bare.add_robot("arm", w.file)
    w.bare = bare.compile().robots["arm"]
    return w


def rigid(**options):
    scene = haptos.Scene()
    scene.add_rigid("ball", haptos.RobotShape("sphere", (0.1,)), **options)
    return scene


# What is written; what the answer holds.
MISTAKES = {
    # Names.
    "sensor of a Sim": (lambda w: w.sim.sensors["camra"],
                        '"camra": is no tactile sensor of this Sim; did you mean '
                        '"camera"? there is "camera"'),
    "robot of a Sim": (lambda w: w.arms.robots["harm"], 'did you mean "arm"? there is "arm"'),
    "robot where there is none": (lambda w: w.sim.robots["arm"], "scene.add_robot()"),
    "sensor of a robot": (lambda w: w.arm.sensors["angle"], 'did you mean "angles"?'),
    "a number for a name": (lambda w: w.sim.sensors[0], "an int: is no tactile sensor"),
    "body to read": (lambda w: w.sim.positions("gell"), 'did you mean "gel"? there are "gel"'),
    "kind of body": (lambda w: w.sim.names("softs"), 'did you mean "soft"?'),
    "link": (lambda w: w.arm.link_pose("lowr"), 'did you mean "lower"?'),
    "joint": (lambda w: w.arm.coordinates("elbo"), 'did you mean "elbow"? there are "shoulder"'),
    "motor": (lambda w: w.arm.set_command({"elbo": 0.1}),
              'position = "elbo": is no motor of it; did you mean "elbow"?'),
    "joint of the start": (lambda w: haptos.Scene().add_robot("a", w.file, start={"elbo": 1}),
                           'did you mean "elbow"? there are "base", "shoulder", "elbow"'),
    "joint of motors": (lambda w: haptos.Scene().add_robot("a", w.file,
                                                           motors={"joints": ["elbo"]}),
                        'did you mean "elbow"?'),
    "key of motors": (lambda w: haptos.Scene().add_robot("a", w.file, motors={"Kp": 3}),
                      "write some of joints, kp, kd"),
    "option": (lambda w: haptos.Scene().contact.suport, "support"),
    "material": (lambda w: haptos.Material(youngs=1e5), "young"),
    "sensor by name": (lambda w: haptos.load_sensor("gelsight-mimi"), "gelsight-mini"),
    "module attribute": (lambda w: haptos.Scenes, "did you mean haptos.Scene?"),
    "attribute of a report": (lambda w: w.sim.step().statuses, "did you mean 'status'?"),
    "glue": (lambda w: glued("mont").compile(), 'did you mean "mount"?'),
    "body of a sensor": (lambda w: sensing("gal").compile(), "gal"),
    # Units and numbers.
    "unit of another kind": (lambda w: haptos.Material(young="435 mm"), "435 mm"),
    "unit of no kind": (lambda w: rigid(mass="100 gramm"), "kg, g or mg"),
    "a text for a number": (lambda w: rigid(mass="heavy"), 'rigid body "ball" mass'),
    "a list for a number": (lambda w: rigid(mass=[1, 2]), "a list: must be a number in kg"),
    "an angle without a unit": (lambda w: haptos.Scene().add_robot("a", w.file,
                                                                   start={"elbow": "90"}),
                                "write 90 deg or 90 rad"),
    "mass -1": (lambda w: rigid(mass=-1), "must be from 1e-12 to 1e+12 kg"),
    "mass 0": (lambda w: rigid(mass=0), "must be from 1e-12 to 1e+12 kg"),
    "mass NaN": (lambda w: rigid(mass=np.nan), "must be from 1e-12 to 1e+12 kg"),
    "mass and density": (lambda w: rigid(mass=1, density=1), "leave one of them out"),
    "poisson": (lambda w: haptos.Material(poisson=0.5), "0.499"),
    "dt 20": (lambda w: haptos.Scene(dt=20), "20"),
    "dt with a wrong unit": (lambda w: haptos.Scene(dt="5 Hz"), "ms"),
    "duration": (lambda w: w.sim.run("5 m"), "ms"),
    "negative duration": (lambda w: w.sim.run(-1), "must be greater than 0"),
    "quaternion that is not unit": (lambda w: rigid(quaternion=(1, 1, 0, 0)).compile(),
                                    "quaternion"),
    "gravity as a number": (lambda w: haptos.Scene(gravity=-9.81), "must be three numbers"),
    # Types.
    "step(100)": (lambda w: w.sim.step(100), "for 100 steps of 0.05 s write sim.run(5)"),
    "step(action)": (lambda w: w.sim.step(np.zeros(3)), "set_command()"),
    "envs as a text": (lambda w: w.scene().compile(envs="4"), "for example envs=256"),
    "each that cannot be called": (lambda w: w.sim.run(0.05, each=3), "each=recorder.record"),
    "a surface for a volume": (lambda w: haptos.Scene().add_soft("gel", haptos.box((1, 1, 1))),
                               "haptos.tetrahedralise(surface, size)"),
    "a trimesh for a volume": (lambda w: haptos.Scene().add_soft("gel", with_faces(1.0)),
                               "haptos.tetrahedralise(surface, size)"),
    "a volume for a surface": (
        lambda w: haptos.Scene().add_prescribed("a", small_pad().mesh),
        "haptos.boundary_surface(mesh)[0]"),
    "a number for a surface": (lambda w: haptos.Scene().add_prescribed("a", 3),
                               "an int: must be a triangle surface"),
    "vertices alone": (lambda w: haptos.Scene().add_affine("a", np.zeros((4, 3))),
                       "an array of shape (4, 3): must be a triangle surface"),
    "missing mesh": (lambda w: haptos.Scene().add_prescribed("a", "none.stl"), "none.stl"),
    "a mesh for a shape": (lambda w: haptos.Scene().add_rigid("a", haptos.box((1, 1, 1))),
                           'haptos.RobotShape("hull", mesh=surface)'),
    "a text for a shape": (lambda w: haptos.Scene().add_rigid("a", "box"), "extents="),
    "a number for a robot": (lambda w: haptos.Scene().add_robot("a", 7), "haptos.load_robot"),
    "a number for a robot's file": (lambda w: haptos.load_robot(7), "must be the path"),
    "robot of another kind": (lambda w: haptos.load_robot("franka.usd"), ".urdf"),
    "a name that is no text": (lambda w: haptos.Scene().add_half_space(3), "must be a text"),
    "glue as a list": (lambda w: haptos.Scene().add_soft("g", small_pad().mesh, glue=[1]),
                       "must be a mapping of bodies to vertices"),
    "material as a number": (lambda w: haptos.Scene().add_soft("g", small_pad().mesh,
                                                               material=1e5),
                             "haptos.Material(young=1e5)"),
    "motors as a number": (lambda w: haptos.Scene().add_robot("a", w.file, motors=[3]),
                           '{"kp": 100, "kd": 5}'),
    "box of two sizes": (lambda w: haptos.RobotShape("box", (1, 1, 1), extents=(1, 1, 1)),
                         "leave one of them out"),
    "half extents of a ball": (lambda w: haptos.RobotShape("sphere", half_extents=(1, 1, 1)),
                               "is not for a sphere"),
    "state of another kind": (lambda w: setattr(w.sim, "state", 3), "sim.state returned"),
    "state of another scene": (lambda w: setattr(w.sim, "state", w.arms.states[0]),
                               "has other sizes than this model; take it from a run of the same scene"),
    "read_surface of an array": (lambda w: haptos.read_surface(np.zeros((3, 3))), "part.stl"),
    # Shapes.
    "command of another shape": (lambda w: w.arm.set_command([1, 2, 3]),
                                 "shape (3,): must have the shape (4, 2) or (2,); one for each of "
                                 "shoulder, elbow"),
    "torque of another shape": (lambda w: w.arm.set_torque(np.zeros(3)), "(4, 2) or (2,)"),
    "NaN torque": (lambda w: w.arm.set_torque([[0, 0], [0, 0], [0, np.nan], [0, 0]]),
                   'nan for environment 2, number 1 ("elbow"): must be finite'),
    "NaN for all": (lambda w: w.arm.set_torque([np.nan, 0]),
                    'nan for every environment, number 0 ("shoulder")'),
    "NaN command": (lambda w: w.arm.set_command({"elbow": np.nan}), 'position of "elbow"'),
    "command as a text": (lambda w: w.arm.set_command("fast"), "must be numbers in SI units"),
    "reset of environments": (lambda w: w.arms.reset([0, 2]),
                              "for example [True, False, True, False]"),
    "reset of one": (lambda w: w.arms.reset([True]), "for example [True, False, False, False]"),
    "command without motors": (lambda w: w.bare.set_command({"elbow": 1.0}),
                               'has no motors that could take it; describe some where it is added: '
                               'add_robot(..., motors={"kp": 100, "kd": 10})'),
    "keyframe": (lambda w: haptos.Scene().add_prescribed("a", trajectory=[(1, 2, 3, 4)]),
                 "must be (time, position) or (time, position, quaternion)"),
    "keyframe as a number": (lambda w: haptos.Scene().add_prescribed("a", trajectory=[0.1]),
                             "a float: must be (time, position)"),
    "position of two numbers": (lambda w: rigid(position=(1, 2)), "must be three numbers"),
    "velocity of two numbers": (lambda w: rigid(velocity=(1, 2)), "must be three numbers"),

    "start inside, in mm": (lambda w: ball_on_pad(4).compile(),
                            '"ball" is 8 m in size and "gel" 12 mm: lengths are in m, so if mm were '
                            'meant give 8 mm'),
    "start in intersection": (lambda w: ball_on_pad(4e-3, gap=-1e-4).compile(),
                              "start in intersection"),
    "depth in m": (lambda w: haptos.press.prepare("sphere", depth=0.5), "--depth 1mm"),
    "depth as a wrong unit": (lambda w: haptos.press.prepare("sphere", depth="1 N"), "mm"),
    "rgb without lights": (lambda w: w.sim.sensors["camera"].rgb(), "rgb"),
}


def glued(mount, friction=None):
    pad = small_pad()
    scene = haptos.Scene(gravity=(0, 0, 0))
    scene.add_prescribed("mount")
    scene.add_soft("gel", pad.mesh, glue={mount: pad.base_vertices}, friction=friction)
    return scene


def sensing(body):
    scene = glued("mount")
    scene.add_sensor("camera", body)
    return scene


def ball_on_pad(radius, gap=1e-4, friction=None, own=None):
    scene = glued("mount", own)
    scene.add_prescribed("ball", haptos.icosphere(radius, radius / 4), friction=friction,
                         position=(0, 0, radius + gap if radius < 1 else 0))
    return scene


@pytest.mark.parametrize("name", MISTAKES)
def test_a_mistake_is_answered_by_a_sentence(world, name):
    write, holds = MISTAKES[name]
    with pytest.raises((haptos.InputError, AttributeError)) as caught:
        write(world)
    text = str(caught.value)
    assert holds in text, text
    assert "\n" not in text and "incompatible function arguments" not in text


def arm_scene(folder, dt=0.002, ixx=0.01, **options):
    scene = haptos.Scene(dt=dt)
    scene.add_robot("arm", arm_file(folder, ixx), **options)
    return scene


def box_scene(dt=0.001, gravity=(0, 0, -9.81), **options):
    scene = haptos.Scene(dt=dt, gravity=gravity)
    scene.add_rigid("box", cube(), **options)
    return scene


def played(folder, degrees):
    path = folder / "motion.csv"
    path.write_text(f"time,elbow\n0,0\n1,{degrees}\n")
    return haptos.load_trajectory(path)


WARNINGS = {
    "friction on the ball only": (
        lambda f: ball_on_pad(4e-3, friction=0.8),
        '"gel" has no friction and "ball", which it may touch, has a coefficient of 0.8'),
    "friction on the gel only": (
        lambda f: ball_on_pad(4e-3, own=0.8), '"ball" has no friction and "gel"'),
    "quaternion as x y z w": (
        lambda f: box_scene(quaternion=(0, 0, 0, 1)), "write it as 0, 0, 0, -1"),
    "tilted quaternion as x y z w": (
        lambda f: box_scene(quaternion=(0, np.sqrt(0.5), 0, np.sqrt(0.5))), "axis askew"),
    "prescribed quaternion as x y z w": (
        lambda f: mounted_ball(quaternion=(0, 0, 0, 1)), "quaternions are w x y z"),
    "start 90 degrees": (
        lambda f: arm_scene(f, start={"elbow": 90}),
        'joint "elbow" starts at 90 rad, outside its limits -2.9 to 2.9 rad, which looks like '
        "degrees (90 deg is 1.5708 rad)"),
    "start beyond a limit": (
        lambda f: arm_scene(f, start={"elbow": 3.0}), "outside its limits -2.9 to 2.9 rad:"),
    "trajectory in degrees": (
        lambda f: arm_scene(f, motors={"kp": 100, "kd": 10}, trajectory=played(f, 45)),
        'trajectory column "elbow" commands'),
    "dt .5 with an arm": (
        lambda f: arm_scene(f, dt=0.5), "swings in"),
    "motor stiffer than the step": (
        lambda f: arm_scene(f, dt=0.02, motors={"kp": 1e5, "kd": 1}), 'motor "elbow" (kp 1e+05, kd 1) answers within 3e-04 s'),
    "triangle inequality": (
        lambda f: arm_scene(f, ixx=0.05), "which breaks the triangle inequality"),
    "fast body": (
        lambda f: box_scene(dt=0.01, gravity=(0, 0, 0), velocity=(20, 0, 0)),
        "moves 200 mm in a step of 0.01 s and is 100 mm in size that way"),
    "fall in a step": (
        lambda f: box_scene(dt=0.2), "falls 392.4 mm in its first step of 0.2 s"),
    "fast keyframes": (
        lambda f: ball_moved(0.01), '"ball" moves'),
    "rigid ball of radius 5": (
        lambda f: big_ball(), "moves freely and is 10 m in size"),
    "gel and ball a thousand apart": (
        lambda f: beside(4.0), '"ball" is 8 m in size and "gel", which it may touch, 12 mm'),
    "a ball scaled twice": (
        lambda f: beside(4e-6), "files in m no scale"),
    "a hinge limited in degrees": (
        lambda f: door((30, 90)), '"pin" has an angle of 30 rad, more than a full turn'),
    "a hinge that starts beyond its limits": (
        lambda f: door((0.2, 1.0)), '"pin" starts at 0, outside its limits 0.2 to 1 rad'),
}


def door(limits):
    scene = haptos.Scene(dt=2e-3)
    scene.add_affine("door", haptos.box((0.4, 0.02, 0.6)), position=(0.2, 0, 0))
    scene.add_constraint("pin", "door", kind="hinge", position=(-0.2, 0, 0), limits=limits)
    return scene


def mounted_ball(**pose):
    scene = haptos.Scene()
    scene.add_prescribed("ball", haptos.icosphere(0.1, 0.05), **pose)
    return scene


def ball_moved(seconds):
    scene = haptos.Scene(dt=0.01)
    scene.add_prescribed("ball", haptos.icosphere(0.1, 0.05),
                         trajectory=[(0, (0, 0, 0)), (seconds, (1, 0, 0))])
    return scene


def big_ball():
    scene = haptos.Scene()
    scene.add_sphere("ball", 5, 1.0, position=(0, 0, 6))
    return scene


def beside(radius):
    scene = glued("mount")
    scene.add_prescribed("ball", haptos.icosphere(radius, radius / 4),
                         position=(0, 0, 1.1 * radius + 1e-3))
    return scene


@pytest.mark.parametrize("name", WARNINGS)
def test_what_is_hardly_meant_is_said_once_and_refused_when_strict(tmp_path, name):
    make, holds = WARNINGS[name]
    scene = make(tmp_path)
    with pytest.warns(haptos.SceneWarning) as caught:
        sim = scene.compile()
    said = [str(w.message) for w in caught]
    assert len(said) == 1 and said == sim.warnings, said
    assert holds in said[0] and "\n" not in said[0], said[0]
    with pytest.raises(haptos.InputError, match="has a warning and sim.strict is set: "):
        scene.compile(strict=True)
    assert not scene.sim.strict
    scene.sim.strict = True
    with pytest.raises(haptos.InputError):
        scene.compile()
    assert scene.compile(strict=False, quiet=True).warnings == said


# The same scenes as they were meant.
MEANT = {
    "friction on both": lambda f: ball_on_pad(4e-3, friction=0.8, own=0.5),
    "friction 0 on purpose": lambda f: ball_on_pad(4e-3, friction=0.8, own=0),
    "friction of the pair": lambda f: paired(),
    "rule that takes the largest": lambda f: largest(),
    "no friction": lambda f: ball_on_pad(4e-3),
    "half turn about z": lambda f: box_scene(quaternion=(0, 0, 0, -1)),
    "half turn about x": lambda f: box_scene(quaternion=(0, 1, 0, 0)),
    "gripper down and turned": lambda f: box_scene(
        quaternion=(0, np.sqrt(0.5), np.sqrt(0.5), 0)),
    "no turn": lambda f: box_scene(quaternion=(1, 0, 0, 0)),
    "start in rad": lambda f: arm_scene(f, start={"elbow": "90 deg"}),
    "motion in rad": lambda f: arm_scene(f, motors={"kp": 100, "kd": 10},
                                         trajectory=played(f, 1.5)),
    "damped stiff motor": lambda f: arm_scene(f, dt=0.01, motors={"kp": 1e5, "kd": 1e4}),
    "flat body": lambda f: arm_scene(f, ixx=0.02),
    "slower body": lambda f: box_scene(dt=0.01, gravity=(0, 0, 0), velocity=(5, 0, 0)),
    "ball and gel": lambda f: beside(4e-3),
    "hinge of several turns": lambda f: door((0, 4 * np.pi)),
    "hinge in degrees that says so": lambda f: door((0, "90 deg")),
}


def paired():
    scene = ball_on_pad(4e-3, friction=0.8)
    scene.add_pair("gel", "ball", friction=0.8)
    return scene


def largest():
    scene = ball_on_pad(4e-3, friction=0.8)
    scene.contact.combine = "max"
    return scene


@pytest.mark.parametrize("name", MEANT)
def test_what_is_meant_brings_no_warning(tmp_path, name):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert MEANT[name](tmp_path).compile(strict=True).warnings == []


def test_notes_on_a_robots_file_are_one_line_of_a_scene():
    path = outside_file("robots/panda_description/urdf/panda.urdf")
    robot = haptos.load_robot(path)
    assert len(robot.warnings) > 1
    scene = haptos.Scene(dt=0.001)
    scene.add_robot("panda", robot, start={"panda_joint4": -1.5})
    assert len(scene.warnings) == 1
    assert f"and {len(robot.warnings) - 1} more notes on its file: " in scene.warnings[0]
    assert "robot.warnings" in scene.warnings[0]
    sim = scene.compile(strict=True, quiet=True)  # what a reader left out is as it must be
    assert len(sim.warnings) == 2 and "overlap" in sim.warnings[1]


# Texts with units, and surfaces of other kinds, mean what they say.
def test_texts_with_units_are_the_same_numbers():
    assert haptos.Material(young="435 kPa").young == 435e3
    scene = haptos.Scene(dt="5 ms")
    assert scene.sim.dt == 5e-3
    scene.contact.support = "20 um"
    assert scene.contact.support == pytest.approx(2e-5, rel=1e-15)
    scene.add_rigid("a", haptos.RobotShape("sphere", "4 mm"), mass="100 g",
                    position=("1 cm", 0, "5 mm"), velocity=("20 mm/s", 0, 0))
    scene.add_sphere("b", "4 mm", "100 g", position=(1, 0, 0))
    a, b = (e for e in scene.entries()["robots"])
    assert a["robot"].links[0].mass == b["robot"].links[0].mass == pytest.approx(0.1, rel=1e-12)
    np.testing.assert_allclose(a["pose"][:3], [0.01, 0, 0.005], rtol=1e-15)
    assert a["robot"].links[0].collisions[0].size[0] == pytest.approx(4e-3, rel=1e-15)
    sim = scene.compile()
    assert sim.velocity("a")[0, 0] == pytest.approx(0.02, rel=1e-12)
    assert sim.run("20 ms").time[0] == pytest.approx(0.02)
    assert haptos.PadGrading.uniform("1.5 mm").top_size == 1.5e-3
    assert haptos.PadGrading(top_size="1 mm").top_size == 1e-3
    assert haptos.MarkerGrid(3, 5, "2 mm", 2e-3).pitch_x == 2e-3
    assert haptos.TactileCamera.orthographic(8, 6, "63 um").pitch == pytest.approx(63e-6)
    assert haptos.TactileCamera.pinhole(8, 6, 100, "2 cm").distance == 0.02
    ball = haptos.icosphere("4 mm", "1 mm")
    np.testing.assert_allclose(np.linalg.norm(ball.vertices, axis=1), 4e-3, rtol=1e-12)
    assert haptos.box(("4 cm", "2 cm", 0.01)).volume == pytest.approx(8e-6)


def test_a_box_is_the_same_by_half_and_by_whole_extents_as_in_a_scene_file(tmp_path):
    half = haptos.RobotShape("box", half_extents=(0.05, 0.1, 0.2))
    whole = haptos.RobotShape("box", extents=("10 cm", 0.2, 0.4))
    path = tmp_path / "box.yaml"
    path.write_text("rigid: [{name: a, shape: {box: {size: [10 cm, 20 cm, 40 cm]}}}]\n")
    read = haptos.load_scene(path).entries()["robots"][0]["robot"].links[0].collisions[0]
    for shape in (half, whole, read):
        np.testing.assert_allclose(shape.size, [0.05, 0.1, 0.2], rtol=1e-15)
    ball = haptos.RobotShape("ellipsoid", extents=(2, 4, 6))
    np.testing.assert_array_equal(ball.size, [1, 2, 3])


def test_surfaces_may_be_files_arrays_and_objects_of_other_libraries(tmp_path):
    ball = haptos.icosphere(0.01, 5e-3)
    path = tmp_path / "ball.obj"
    haptos.write_obj(path, ball)
    given = (ball, path, str(path), (ball.vertices, ball.triangles),
             types.SimpleNamespace(vertices=ball.vertices, faces=ball.triangles))
    scene = haptos.Scene()
    for k, surface in enumerate(given):
        scene.add_prescribed(f"a{k}", surface, position=(k, 0, 0))
        scene.add_affine(f"b{k}", surface, position=(k, 1, 0))
    entries = scene.entries()
    for e in entries["prescribed"] + entries["affine"]:
        np.testing.assert_allclose(e["surface"].vertices, ball.vertices, atol=1e-15)
    pad = small_pad()
    for k, mesh in enumerate((pad.mesh, pad, (pad.mesh.vertices, pad.mesh.tets))):
        scene.add_soft(f"c{k}", mesh, position=(k, 2, 0))
    assert len({len(e["mesh"].tets) for e in scene.entries()["soft"]}) == 1


def test_every_function_of_a_surface_takes_one_of_another_library():
    ball = with_faces(0.01)
    assert haptos.check_surface(ball).closed
    assert haptos.weld(ball)[0].volume == haptos.TriMesh(ball).volume > 4e-6
    assert len(haptos.RobotShape("hull", mesh=ball).mesh.vertices) == len(ball.vertices)
    assert haptos.distance_to_surface([[0, 0, 0.02]], ball)[0] == pytest.approx(0.01, rel=0.05)


def test_a_trimesh_is_taken_as_it_is():
    trimesh = pytest.importorskip("trimesh", reason="trimesh is not installed")
    scene = haptos.Scene()
    scene.add_prescribed("box", trimesh.creation.box((0.1, 0.1, 0.1)))
    assert len(scene.entries()["prescribed"][0]["surface"].triangles) == 12


def test_a_wrong_name_is_a_key_error_too_and_mappings_behave(world):
    with pytest.raises(KeyError) as caught:
        world.sim.sensors["camra"]
    assert isinstance(caught.value, haptos.UnknownName) and not str(caught.value).startswith("'")
    assert world.sim.sensors.get("camra") is None and "camra" not in world.sim.sensors
    assert list(world.arms.robots) == ["arm"] and len(world.sim.robots) == 0


def test_modules_are_there_as_documented(world):
    assert haptos.pictures.scene_above(world.sim).ndim == 3
    assert haptos.units.show_length(1e-3) == "1 mm"


def test_a_recorder_takes_the_present_state_without_a_report(world, tmp_path):
    sim = small_scene().compile()
    with haptos.Recorder(tmp_path / "run.h5", sim) as recorder:
        recorder.record()
        recorder.record(sim.step())
    assert recorder.frames == 3


def test_a_pads_own_density_may_be_left_out(tmp_path):
    path = tmp_path / "own.yaml"
    path.write_text("""name: own
pad: {kind: box, width: 10 mm, depth: 10 mm, thickness: 3 mm}
material: {young: 100 kPa, poisson: 0.45}
camera: {kind: orthographic, width: 64, height: 48, pitch: 125 um}
""")
    assert haptos.load_sensor(str(path)).material["density"] == haptos.Material().density


@pytest.mark.parametrize("envs", (1, 3))
def test_arrays_lie_where_dlpack_reads_them_without_a_copy(envs):
    sim = small_scene(steps=1).compile(envs=envs)
    sim.step()
    for array in (sim.positions("gel"), sim.pose("ball"), sim.sensors["camera"].depth()):
        assert array.ctypes.data % 64 == 0, array.shape


def test_a_press_that_never_touches_is_said_and_refused_when_strict(monkeypatch):
    # Depth counts from the first touch, so that only an object that is moved away misses.
    touch = haptos.press.first_touch
    monkeypatch.setattr("haptos.press.press.first_touch", lambda *a: touch(*a) + 1e-4)
    press = haptos.press.prepare("sphere", pad="dome", depth="20 um", at=(9e-3, 7e-3), steps=2)
    assert press.warnings == []
    while not press.done:
        press.step()
    assert len(press.warnings) == 1
    assert "At a depth of 20 um the object does not touch the gel" in press.warnings[0]
    strict = haptos.press.prepare("sphere", pad="dome", depth=2e-5, at=(9e-3, 7e-3), steps=2,
                                  options={"sim.strict": 1})
    with pytest.raises(haptos.PressError, match="does not touch the gel"):
        while not strict.done:
            strict.step()
