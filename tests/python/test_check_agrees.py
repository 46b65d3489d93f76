"""What `haptos check` calls usable compiles, and what it advises exists."""

import pytest

import haptos
from conftest import outside_file, run_haptos


def link(name, mass=1.0, more=""):
    i = 0.01 * mass
    return (f'<link name="{name}"><inertial><mass value="{mass}"/><inertia ixx="{i}" iyy="{i}" '
            f'izz="{i}" ixy="0" ixz="0" iyz="0"/></inertial>{more}</link>')


def hinge(parent, child, k, kind="continuous", more=""):
    return (f'<joint name="j{k}" type="{kind}"><parent link="{parent}"/><child link="{child}"/>'
            f'<axis xyz="0 1 0"/><origin xyz="0 0 -0.1"/>{more}</joint>')


def chain(n, **first):
    text = "".join(link(f"l{k}") for k in range(n + 1))
    return text + "".join(hinge(f"l{k}", f"l{k + 1}", k, **first) for k in range(n))


BALL = '<collision><geometry><sphere radius="0.02"/></geometry></collision>'
ROBOTS = {
    "one": link("a"),
    "two": chain(1),
    "sixty-five": chain(65),
    "hundred": chain(100),
    "massless-end": link("a") + link("b", 0.0) + hinge("a", "b", 0),
    "mimic": chain(1) + link("c") + hinge("l1", "c", 1, more='<mimic joint="j0"/>'),
    "mimic-of-itself": link("a") + link("b") + hinge("a", "b", 0, more='<mimic joint="j0"/>'),
    "crossed-limits": chain(1, kind="revolute",
                            more='<limit lower="1" upper="-1" effort="1" velocity="1"/>'),
    "touching": link("a", more=BALL) + link("b", more=BALL) + hinge("a", "b", 0),
    "mass-without-inertia": '<link name="a"/><link name="b"><inertial><mass value="1"/></inertial>'
                            "</link>" + hinge("a", "b", 0),
}


GEOM = '<geom type="sphere" size=".02" mass=".1"/>'
HINGE = '<joint type="hinge" axis="0 1 0"/>'
MODELS = {
    "one": f"<body>{GEOM}</body>",
    "free": f"<body><freejoint/>{GEOM}</body>",
    "hundred": f"<body>{HINGE}{GEOM}" * 100 + "</body>" * 100,
    "massless-end": f"<body>{HINGE}{GEOM}<body>{HINGE}</body></body>",
    "limit-of-one-number": f'<body><joint type="hinge" range="1"/>{GEOM}</body>',
    "unknown-joint": f'<body><joint type="screw"/>{GEOM}</body>',
    "negative-size": '<body><geom type="sphere" size="-.02"/></body>',
    "mesh-that-is-not-there": '<body><geom type="mesh" mesh="nowhere"/></body>',
}

ENTRIES = ([(f"{name}.urdf", f'<robot name="r">{text}</robot>') for name, text in ROBOTS.items()]
           + [(f"{name}.xml", f'<mujoco model="m"><worldbody>{text}</worldbody></mujoco>')
              for name, text in MODELS.items()])


def usable_and_compiles(file):
    """What `haptos check` says of the file, and whether a scene takes it."""
    from haptos.cli.robots import check_robot_file

    usable = check_robot_file(str(file), {}, None, False) == 0
    scene = haptos.Scene()
    try:
        scene.add_robot("r", haptos.load_robot(file))
        scene.compile(quiet=True)
        compiles = True
    except haptos.InputError:
        compiles = False
    return usable, compiles


@pytest.mark.parametrize(("name", "text"), ENTRIES, ids=[name for name, _ in ENTRIES])
def test_what_check_calls_usable_compiles_and_the_other_way_round(name, text, tmp_path, capsys):
    (tmp_path / name).write_text(text)
    usable, compiles = usable_and_compiles(tmp_path / name)
    assert usable == compiles, capsys.readouterr().out
    if name.endswith(".xml"):
        assert compiles == (name in ("one.xml", "free.xml", "hundred.xml"))


@pytest.mark.parametrize("folder", ["mjcf", "robots"])
def test_files_that_others_wrote_are_usable_where_they_compile(folder, capsys):
    files = [f for f in sorted(outside_file(folder).rglob("*"))
             if f.suffix == ".urdf" or (f.suffix == ".xml" and "<mujoco" in f.read_text())]
    assert files
    for file in files:
        usable, compiles = usable_and_compiles(file)
        assert usable == compiles, f"{file}: {capsys.readouterr().out}"


def test_files_in_a_folder_named_with_root_are_read(tmp_path):
    outside = tmp_path / "meshes"
    outside.mkdir()
    (outside / "tet.stl").write_text(
        "solid t\n" + "".join(
            "facet normal 0 0 0\nouter loop\n" + "".join(
                "vertex " + " ".join(str(c) for c in p) + "\n" for p in f) + "endloop\nendfacet\n"
            for f in ([(0, 0, 0), (0, 1, 0), (1, 0, 0)], [(0, 0, 0), (1, 0, 0), (0, 0, 1)],
                      [(0, 0, 0), (0, 0, 1), (0, 1, 0)], [(1, 0, 0), (0, 1, 0), (0, 0, 1)]))
        + "endsolid t\n")
    (tmp_path / "robot").mkdir()
    file = tmp_path / "robot" / "r.urdf"
    mesh = '<collision><geometry><mesh filename="../meshes/tet.stl"/></geometry></collision>'
    file.write_text(f'<robot name="r">{link("a", more=mesh)}</robot>')
    refused = run_haptos("check", file, cwd=tmp_path)
    assert "option roots" in " ".join((refused.stdout + refused.stderr).split())
    taken = run_haptos("check", file, "--root", outside, cwd=tmp_path)
    assert taken.returncode == 0, taken.stdout + taken.stderr
    drawn = run_haptos("render", file, "--root", outside, "--out", "r.png", "--size", "64x48", cwd=tmp_path)
    assert drawn.returncode == 0, drawn.stdout + drawn.stderr
    (tmp_path / "scene.yaml").write_text("haptos: 1\n")
    misplaced = run_haptos("render", tmp_path / "scene.yaml", "--root", outside, cwd=tmp_path)
    assert "is for the file of a robot" in " ".join((misplaced.stdout + misplaced.stderr).split())
