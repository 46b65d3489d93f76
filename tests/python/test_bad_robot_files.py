"""Robot files that are wrong: every one is refused with a sentence that says where and why.

A table, by rows: what is wrong, and what must be said, for URDF and for MJCF. Each file is read in a
process of its own for each format, so that a crash or a hang is a failure of its row.
"""

import json
import os
import re
import struct
import subprocess
import sys

import pytest

import haptos
from conftest import outside_file

NO_MUJOCO = 'the package mujoco is not installed: pip install "haptos[mujoco]"'
U = "r.urdf"
M = "m.xml"
CUBE = '<geom type="box" size=".1 .1 .1"/>'
OBJ = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\n"
FACES = "f 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n"


def stl(count, cut=0, head=b"", first=0.0):
    corners = [(0, 0, 0), (0, 1, 0), (1, 0, 0), (0, 0, 0), (1, 0, 0), (0, 0, 1),
               (0, 0, 0), (0, 0, 1), (0, 1, 0), (1, 0, 0), (0, 1, 0), (0, 0, 1)]
    corners[0] = (first, 0, 0)
    data = head.ljust(80, b"\0") + struct.pack("<I", count)
    for t in range(4):
        data += struct.pack("<12fH", 0, 0, 0, *(x for c in corners[3 * t:3 * t + 3] for x in c), 0)
    return data[:len(data) - cut]


def mjcf(body="", before="", after=""):
    return f"<mujoco>{before}\n<worldbody>\n{body}\n</worldbody>\n{after}</mujoco>"


def moving(geom=CUBE, joint="<joint/>", more=""):
    return mjcf(f'<body name="b" {more}>\n{joint}\n{geom}\n</body>')


def urdf(inside=""):
    return f'<robot name="r">\n{inside}\n</robot>'


def link(name, inside=""):
    return f'<link name="{name}">{inside}</link>'


def inertial(mass="1", inertia='ixx="1" iyy="1" izz="1"', origin=""):
    return f"<inertial>{origin}<mass value=\"{mass}\"/><inertia {inertia}/></inertial>"


def joint(name="j", parent="a", child="b", kind="continuous", inside='<axis xyz="0 0 1"/>'):
    return (f'<joint name="{name}" type="{kind}"><parent link="{parent}"/><child link="{child}"/>'
            f"{inside}</joint>")


def two(mass=None, more="", j=None):
    return urdf("\n".join([link("a"), link("b", mass or inertial()), j or joint(), more]))


def collision(mesh):
    return urdf(link("a", f'\n<collision><geometry><mesh filename="{mesh}"/></geometry></collision>'))


def asset(file):
    return mjcf('<geom type="mesh" mesh="a"/>', f'<asset>\n<mesh name="a" file="{file}"/></asset>')


BOMB = ('<?xml version="1.0"?><!DOCTYPE l [<!ENTITY a "ha"><!ENTITY b "&a;&a;&a;">]>')
XXE = '<?xml version="1.0"?><!DOCTYPE l [<!ENTITY a SYSTEM "file:///etc/hostname">]>'

# (row, file, text of the file, what must be said, other files)
TABLE = [
    (1, U, "", "is empty", {}), (1, M, "", "is empty", {}),
    (2, U, '<robot name="r"><link', r"r\.urdf:1:\d+", {}),
    (2, M, "<mujoco>\n<worldbody><geom", r"m\.xml:2:\d+", {}),
    (3, U, bytes(range(1, 200)), r"r\.urdf", {}), (3, M, bytes(range(1, 200)), r"m\.xml", {}),
    (3, U, "\ufeff<robot/>".encode("utf-16"), "UTF-16", {}),
    (3, M, "\ufeff<mujoco/>".encode("utf-16"), "UTF-16", {}),
    (3, U, b"<robot>\0</robot>", r"r\.urdf", {}), (3, M, b"<mujoco>\0</mujoco>", r"m\.xml", {}),
    (4, U, "<robot>" + "<link>" * 20000 + "</link>" * 20000 + "</robot>", "deeper than 256", {}),
    (4, M, "<mujoco>" + "<body>" * 20000 + "</body>" * 20000 + "</mujoco>", "deeper than 256", {}),
    (5, U, BOMB + "<robot>&b;</robot>", "document type", {}),
    (5, M, BOMB + "<mujoco>&b;</mujoco>", "document type", {}),
    (6, U, XXE + "<robot>&a;</robot>", "document type", {}),
    (6, M, XXE + "<mujoco>&a;</mujoco>", "document type", {}),
    (7, U, collision("../../../../../../../../etc/passwd"), "r.urdf:3: .*leads out of the robot's folders", {}),
    (7, M, asset("../../../../../../../../etc/passwd"), r"m\.xml:2: <mesh>.*leaves the model's folder",
     {}),
    (8, U, collision("/etc/passwd"), "r.urdf:3", {}), (8, M, asset("/etc/passwd"), "leaves", {}),
    (8, U, collision("out.stl"), "r.urdf:3", {"out.stl": ("link", "/etc/passwd")}),
    (8, M, asset("out.stl"), "leaves", {"out.stl": ("link", "/etc/passwd")}),
    (8, U, collision("C:\\\\a.stl"), "r.urdf:3", {}), (8, M, asset("C:\\a.stl"), "on this machine", {}),
    (8, U, collision("\\\\host\\x.stl"), "r.urdf:3", {}),
    (8, M, asset("\\\\host\\x.stl"), "on this machine", {}),
    (9, U, collision("http://169.254.169.254/a.stl"), "r.urdf:3", {}),
    (9, M, asset("http://169.254.169.254/a.stl"), "nothing is fetched", {}),
    (10, M, '<mujoco><include file="m.xml"/></mujoco>', "m.xml > m.xml: must not include itself", {}),
    (10, M, '<mujoco><include file="a.xml"/></mujoco>', "m.xml > a.xml > m.xml",
     {"a.xml": '<mujoco><include file="m.xml"/></mujoco>'}),
    (11, M, '<mujoco><include file="pipe"/></mujoco>', "must be a regular file", {"pipe": ("fifo", "")}),
    (11, M, '<mujoco><include file="zero"/></mujoco>', "leaves",
     {"zero": ("link", "/dev/zero")}),
    (11, M, '<mujoco><include file="d"/></mujoco>', "must be a regular file", {"d": ("folder", "")}),
    (12, U, urdf(link("a", '<collision><geometry><sphere raduis="1"/></geometry></collision>')),
     'r.urdf:2:.*"radius"', {}),
    (12, M, moving('<geom sizee="1"/>'), 'm.xml:5: <geom>.*did you mean "size"', {}),
    (12, M, mjcf("<bodyy/>"), "m.xml:3: <bodyy>.*did you mean <body>", {}),
    (13, U, urdf(link("a") + "\n" + link("a")), "r.urdf:3:.*line 2", {}),
    (13, M, mjcf('<body name="a"/>\n<body name="a"/>'), "m.xml:3 and m.xml:4", {}),
    (14, U, urdf(link("a") + link("b") + "\n" + joint(child="bb")), "r.urdf:3", {}),
    (14, M, mjcf('<geom size="1" material="steell"/>', '<asset><material name="steel"/></asset>'),
     'm.xml:3.*"steel"', {}),
    (14, M, mjcf('<body name="a">' + "<joint name='hip'/>" + CUBE + "</body>", "",
                 '<actuator><motor joint="hipp"/></actuator>'), '"hip"', {}),
    (15, U, two(inertial("-1")), "mass", {}), (15, M, moving('<geom size="1" mass="-1"/>'), "mass", {}),
    (15, U, two(inertial("nan")), "r.urdf:3", {}),
    (15, M, moving('<geom size="1" mass="nan"/>'), "m.xml:5: <geom>, mass = nan", {}),
    (15, U, two(inertial("0", 'ixx="0" iyy="0" izz="0"')), 'joint "j": It moves without inertia', {}),
    (15, M, moving('<geom size="1" mass="0"/>'), "what moves needs a mass", {}),
    (16, U, two(inertial("1", 'ixx="1" iyy="-1" izz="1"')), "principal moments of inertia are -1, 1, 1",
     {}),
    (16, U, two(inertial("1", 'ixx="1" iyy="1" izz="1" ixy="5"')), "-4, 1, 6", {}),
    (16, M, moving('<inertial pos="0 0 0" mass="1" diaginertia="1 1 10"/>'),
     "1, 1, 10 kg m2.*sum of the others, 2", {}),
    (16, M, moving('<inertial pos="0 0 0" mass="1" diaginertia="1 -1 1"/>'), "-1, 1, 1", {}),
    (16, M, moving('<inertial pos="0 0 0" mass="1" fullinertia="1 1 1 5 0 0"/>'), "-4, 1, 6", {}),
    (17, U, two(j=joint(inside='<origin xyz="inf 0 0"/>')), "r.urdf:4.*inf", {}),
    (17, U, two(j=joint(inside='<origin rpy="nan 0 0"/>')), "r.urdf:4.*nan", {}),
    (17, M, moving(more='pos="inf 0 0"'), "m.xml:3: <body>, pos = inf 0 0", {}),
    (17, M, moving(more='quat="nan 0 0 1"'), "m.xml:3: <body>, quat", {}),
    (17, M, moving(more='quat="0 0 0 0"'), "m.xml:3: <body>.*zero quaternion", {}),
    *[(18, M, mjcf(CUBE, f'<option timestep="{v}"/>'), says, {}) for v, says in (
        ("0", "1e-9 to 1 s"), ("-1", "1e-9 to 1 s"), ("1e9", "1e-9 to 1 s"), ("nan", "finite"))],
    (19, M, mjcf('<geom size="1" friction="-1"/>'), "m.xml:3: <geom>, friction = -1", {}),
    (19, M, mjcf('<geom size="1" friction="nan"/>'), "friction = nan", {}),
    (19, M, moving('<geom size="1" density="0"/>'), "what moves needs a mass", {}),
    (19, U, two(j=joint(inside='<dynamics friction="-1"/>')), "r.urdf:4", {}),
    *[(20, M, mjcf(f'<geom size="{v}"/>'), "m.xml:3: <geom>", {}) for v in ("0", "-1", "1e300")],
    (20, M, mjcf('<geom name="s" size="1e-300"/>'), 'geom "s", size', {}),
    *[(20, U, urdf(link("a", f'<collision><geometry><sphere radius="{v}"/></geometry></collision>')),
       "r.urdf:2", {}) for v in ("0", "-1", "1e300", "1e-300")],
    (21, U, two(j=joint(kind="revolute", inside='<limit lower="1" upper="-1" effort="1" '
                        'velocity="1"/>')), "lower must not be above upper", {}),
    (21, U, two(j=joint(inside='<axis xyz="0 0 0"/>')), "r.urdf:4.*axis", {}),
    (21, U, two(j=joint(inside='<mimic joint="j"/>')), "r.urdf:4.*itself", {}),
    (21, M, moving(joint='<joint range="1 -1" limited="true"/>'), r"m.xml:4: <joint>.*range\[0\]", {}),
    (21, M, moving(joint='<joint axis="0 0 0"/>'), "m.xml:4: <joint>.*axis too small", {}),
    (21, M, mjcf('<body><joint name="a"/>' + CUBE + "</body>", "",
                 '<equality><joint joint1="a" joint2="a"/></equality>'), "repeated", {}),
    (22, U, urdf(link("a") + link("b")), "r.urdf.*root", {}),
    (22, U, urdf(link("a") + link("b") + joint() + joint("k", "b", "a")), "r.urdf", {}),
    (22, U, urdf(link("a") + link("b") + link("c") + joint("j", "a", "c") + joint("k", "b", "c")),
     "r.urdf.*\"c\"", {}),
    (22, U, urdf(), "link", {}), (22, M, mjcf(), "must hold a body or a geom", {}),
    (22, M, mjcf("<body>" + CUBE + "<body><freejoint/>" + CUBE + "</body></body>"),
     "free joint can only be used on top level", {}),
    (23, U, two(inertial("1,5")), "r.urdf:3.*1,5", {}),
    (23, M, moving('<geom size="1,5"/>'), "m.xml:5: <geom>.*decimal point", {}),
    (24, M, mjcf(f'<replicate count="2000000000" offset="1 0 0">{CUBE}</replicate>'),
     "m.xml:3: <replicate>, count = 2000000000", {}),
    (24, M, mjcf('<replicate count="90000" offset="1 0 0"><replicate count="90000" offset="1 0 0">'
                 f"{CUBE}</replicate></replicate>"), "must not make more than", {}),
    (24, M, mjcf('<geom type="hfield" hfield="h"/>',
                 '<asset><hfield name="h" nrow="100000" ncol="100000" size="1 1 1 1"/></asset>'),
     "<hfield>, nrow x ncol = 10000000000", {}),
    (24, M, mjcf(CUBE, '<asset><texture name="t" type="2d" builtin="flat" width="100000" '
                 'height="100000"/></asset>'), "<texture>, width x height", {}),
    (24, M, mjcf('<body><composite type="grid" count="100000 100000 1" spacing="1"/></body>'),
     "<composite>, count", {}),
    (24, M, mjcf("".join(f'<attach model="a" body="x" prefix="p{i}"/>' for i in range(50)),
                 '<asset><model name="a" file="a.xml"/></asset>'), "must not make more than",
     {f"{c}.xml": mjcf("<body name='x'>" + "".join(
         f'<attach model="{d}" body="x" prefix="p{i}"/>' for i in range(50)) + "</body>",
         f'<asset><model name="{d}" file="{d}.xml"/></asset>') for c, d in ("ab", "bc", "cd")}
     | {"d.xml": mjcf('<body name="x"><geom size="1"/></body>')}),
    (10, M, mjcf('<attach model="a" body="x" prefix="p"/>',
                 '<asset><model name="a" file="a.xml"/></asset>'), "a.xml > m.xml: must not include",
     {"a.xml": mjcf("<body name='x'/>", '<asset><model name="b" file="m.xml"/></asset>')}),
    (25, U, collision("a.stl"), "4294967295", {"a.stl": stl(2**32 - 1, 116)}),
    (25, M, asset("a.stl"), "4294967295", {"a.stl": stl(2**32 - 1, 116)}),
    (26, U, collision("a.stl"), "a.stl.*cut short", {"a.stl": stl(4, 30)}),
    (26, M, asset("a.stl"), "a.stl.*cut short", {"a.stl": stl(4, 30)}),
    (26, U, collision("a.stl"), None, {"a.stl": stl(4, head=b"solid x")}),
    (26, M, asset("a.stl"), None, {"a.stl": stl(4, head=b"solid x")}),
    *[(27, U, collision("a.stl"), "a.stl: vertex 0 of triangle 0", {"a.stl": stl(4, first=v)})
      for v in (float("nan"), 3e38)],
    *[(27, M, asset("a.stl"), "a.stl: vertex 0 of triangle 0", {"a.stl": stl(4, first=v)})
      for v in (float("nan"), 3e38)],
    *[(27, name, text("a.obj"), "a.obj:2: vertex 1", {"a.obj": OBJ.replace("v 1", f"v {v}") + FACES})
      for v in ("nan", "1e39") for name, text in ((U, collision), (M, asset))],
    *[(28, name, text("a.obj"), "a.obj:5: face 0", {"a.obj": f"{OBJ}f {v} 1 2\n{FACES}"})
      for v in ("0", "-99", "99", "99999999999999") for name, text in ((U, collision), (M, asset))],
    (28, U, collision("a.obj"), "a.obj:5", {"a.obj": OBJ + "f 1 2\n" + FACES}),
    # MuJoCo leaves such a face out, and cuts large ones into triangles.
    (28, M, asset("a.obj"), None, {"a.obj": OBJ + "f 1 2\n" + FACES}),
    (36, U, collision("a.obj"), "r.urdf:3", {"a.obj": OBJ.replace("0 0 1", "1 1 0") + FACES}),
    (36, M, asset("a.obj"), "coplanar", {"a.obj": OBJ.replace("0 0 1", "1 1 0") + FACES}),
    (36, U, collision("a.obj"), "r.urdf:3",
     {"a.obj": "v 0 0 0\nv 1 0 0\nv 2 0 0\nv 3 0 0\n" + FACES}),
    (36, M, asset("a.obj"), "collinear",
     {"a.obj": "v 0 0 0\nv 1 0 0\nv 2 0 0\nv 3 0 0\n" + FACES}),
]

# Reads each folder's robot and prints one line: what was said, or null.
READ = """
import json, os, sys
import haptos
for folder in sys.argv[2:]:
    os.chdir(folder)
    try:
        haptos.load_robot(sys.argv[1]).validate()
        said = None
    except haptos.InputError as e:
        said = str(e)
    print(json.dumps(said), flush=True)
"""


def write(folder, name, text, others):
    folder.mkdir(parents=True)
    for other, content in {name: text, **others}.items():
        path = folder / other
        if isinstance(content, tuple):
            kind, target = content
            if kind == "link":
                path.symlink_to(target)
            elif kind == "fifo":
                os.mkfifo(path)
            else:
                path.mkdir()
        else:
            path.write_bytes(content if isinstance(content, bytes) else content.encode())


@pytest.mark.parametrize("name", [U, M])
def test_every_row_is_refused_with_where_and_why(tmp_path, name):
    if name == M:
        pytest.importorskip("mujoco", reason=NO_MUJOCO)
    rows = [row for row in TABLE if row[1] == name]
    folders = []
    for i, (number, _, text, _, others) in enumerate(rows):
        folders.append(tmp_path / f"{i}_row_{number}" / "model")
        write(folders[-1], name, text, others)
    done = subprocess.run([sys.executable, "-c", READ, name, *map(str, folders)], timeout=60,
                          capture_output=True, text=True, check=False)
    said = [json.loads(s) for s in done.stdout.splitlines()]
    assert done.returncode == 0 and len(said) == len(rows), (
        f"row {rows[len(said)][0]} ended the process: {done.stderr[-500:]}")
    wrong = []
    for (number, _, _, expected, _), sentence in zip(rows, said, strict=True):
        good = sentence is None if expected is None else (
            sentence is not None and re.search(expected, sentence) is not None
            and "\n" not in sentence and "Traceback" not in sentence)
        if not good:
            wrong.append(f"row {number}: expected {expected!r}, was told {sentence!r}")
    assert not wrong, "\n".join(wrong)
    assert {row[0] for row in rows} >= set(range(1, 29)) - ({10, 11, 18, 24} if name == U else set())


@pytest.mark.parametrize("name", [
    "robots/panda_description/urdf/panda.urdf", "robots/panda_description/urdf/panda_collision.urdf",
    "robots/go2_description/urdf/go2.urdf",
    "robots/allegro_hand_description/urdf/allegro_right_hand.urdf",
    "robots/allegro_hand_description/urdf/allegro_left_hand.urdf",
    "robots/f_tac_hand_description/urdf/f_tac_hand.urdf",
    "robots/f_tac_hand_description/urdf/f_tac_hand_rigid.urdf", "mjcf/arm26.xml", "mjcf/car.xml",
    "mjcf/humanoid.xml", "mjcf/newton_cradle.xml", "mjcf/nutbolt.xml", "mjcf/slider_crank.xml",
    "mjcf/tactile.xml"])
def test_every_outside_model_loads_or_says_why_not(name):
    if name.endswith(".xml"):
        pytest.importorskip("mujoco", reason=NO_MUJOCO)
    file = outside_file(name)
    packages = None if name.endswith(".xml") else {"example-robot-data": file.parents[3]}
    try:
        robot = haptos.load_robot(file, packages=packages)
    except haptos.InputError as e:
        # Its include is not there; test_mjcf.py reads it with one.
        assert name == "mjcf/nutbolt.xml" and "nutbolt.xml:18: <include>" in str(e)
        return
    assert robot.links and haptos.Tree(robot).nv == sum(
        {"revolute": 1, "prismatic": 1, "free": 6, "ball": 3}.get(j.kind, 0) for j in robot.joints)


def test_models_may_take_from_shared_folders_beside_theirs(tmp_path):
    pytest.importorskip("mujoco", reason='the package mujoco is not installed: pip install "haptos[mujoco]"')
    text = '<mujoco><asset><mesh name="a" file="../%s/a.obj"/></asset><worldbody><body><geom type="mesh" mesh="a"/></body></worldbody></mujoco>'
    (tmp_path / "hand").mkdir()
    for folder in ("stls", "shared_meshes", "secrets"):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "a.obj").write_text("v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 2 3 4\nf 3 1 4\n")
    for folder in ("stls", "shared_meshes"):
        (tmp_path / "hand" / "m.xml").write_text(text % folder)
        assert len(haptos.load_mjcf(tmp_path / "hand" / "m.xml").robot.links) == 1
    # Others, and links that lead out, stay closed.
    (tmp_path / "meshes").symlink_to(tmp_path / "secrets")
    for folder in ("secrets", "meshes"):
        (tmp_path / "hand" / "m.xml").write_text(text % folder)
        with pytest.raises(haptos.InputError, match="leaves the model's folder"):
            haptos.load_mjcf(tmp_path / "hand" / "m.xml")
