"""haptos check for robots."""

from __future__ import annotations

import sys
import warnings
from collections.abc import Sequence
from pathlib import Path

from rich.text import Text

from haptos import _core
from haptos.base.console import new_table, say, wide_console
from haptos.base.errors import InputError, refuse
from haptos.look.images import save_png
from haptos.robots.load import load_robot, robot_picture
from haptos.scene.scene import Scene


def parse_packages(texts: list[str] | None) -> dict[str, str]:
    """Folders of packages from NAME=FOLDER texts."""
    packages = {}
    for text in texts or []:
        name, equals, folder = text.partition("=")
        if not equals or not name or not folder:
            refuse("--package", text, "must be NAME=FOLDER",
                   "for example --package my_robot=~/ws/src/my_robot")
        path = Path(folder).expanduser()
        if not path.is_dir():
            refuse("--package", text, "must name a folder that exists", "check the path")
        packages[name] = str(path)
    return packages


def parse_roots(texts: list[str] | None) -> list[str]:
    """Further folders that a robot's files may lie in."""
    folders = [str(Path(text).expanduser()) for text in texts or []]
    for folder in folders:
        if not Path(folder).is_dir():
            refuse("--root", folder, "must name a folder that exists", "check the path")
    return folders


def check_robot_file(file: str, packages: dict[str, str], picture: str | None,
                     overwrite: bool, roots: Sequence[str] = ()) -> int:
    """Prints what a robot is and what is wrong with it; 0 if it can be used, 1 if not."""
    if picture is not None:
        if Path(picture).suffix.lower() != ".png":
            refuse("--picture", picture, "must end with .png", "for example --picture robot.png")
        if Path(picture).exists() and not overwrite:
            refuse("--picture", picture, "exists already", "name another file, or add --overwrite")
    try:
        robot = load_robot(file, packages=packages, roots=roots)
    except InputError as e:
        print(f"cannot be used: {e}")
        return 1
    _print_summary(file, robot)
    _print_tree(robot)
    _print_joints(robot)
    _print_motors(robot)
    _print_closures(robot)
    _print_meshes(robot)
    findings = _core.check_robot(robot)
    say("warning", robot.warnings, sys.stdout)
    for severity in ("note", "warning", "error"):
        say(severity, _gathered([f for f in findings if f.severity == severity]), sys.stdout)
    if any("no body has these" in f.sentence for f in findings):
        say("note", ["haptos.repair_inertia() in Python gives such links the inertia of their "
                     "shapes."], sys.stdout)
    if not robot.warnings and not findings:
        print("found: nothing wrong")
    if picture is not None:
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            save_png(picture, robot_picture(robot))
        say("warning", [str(w.message) for w in caught], sys.stdout)
        print(f"picture: {picture}")
    if any(f.severity == "error" for f in findings):
        print("cannot be used: mend the errors above")
        return 1
    try:
        _compile_alone(robot)
    except InputError as e:
        print(f"cannot be used: {e}")
        return 1
    print("can be used")
    return 0


def _compile_alone(robot: _core.Robot) -> None:
    """Compiles a scene of nothing but the robot: what `haptos run` would refuse, this refuses."""
    scene = Scene()
    scene.add_robot("robot", robot)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        scene.compile()
    say("warning", [str(w.message) for w in caught], sys.stdout)


def _gathered(findings: list[_core.RobotFinding]) -> list[str]:
    """Sentences with the elements that they are about, the same one said once."""
    about: dict[str, list[str]] = {}
    for f in findings:
        about.setdefault(f.sentence, []).append(f.element)
    return [f"{', '.join(elements[:4])}"
            f"{f' and {len(elements) - 4} more' if len(elements) > 4 else ''}: {sentence}"
            for sentence, elements in about.items()]


def _print_summary(file: str, robot: _core.Robot) -> None:
    shapes = sum(len(link.collisions) for link in robot.links)
    visuals = sum(len(link.visuals) for link in robot.links)
    fixed = all(j.kind == "fixed" for j in robot.joints if j.parent < 0)
    print(f'{file}: robot "{robot.name}", {len(robot.links)} links, '
          f"{robot.degrees_of_freedom} degrees of freedom{' with the base fixed' if fixed else ''}, "
          f"{robot.total_mass:.6g} kg, {shapes} collision shapes, {visuals} visuals")


def _print_tree(robot: _core.Robot) -> None:
    depth: list[int] = []
    for joint, link in zip(robot.joints, robot.links, strict=True):
        depth.append(0 if joint.parent < 0 else depth[joint.parent] + 1)
        root = joint.parent < 0 and joint.kind == "fixed"
        by = "" if root else f"  by {joint.name} ({joint.kind})"
        print(f"{'  ' * depth[-1]}{link.name}  {link.mass:.4g} kg{by}")


def _print_joints(robot: _core.Robot) -> None:
    moving = [j for j in robot.joints if j.kind != "fixed"]
    if not moving:
        return
    table = new_table("joints", "joint", "kind", "lower", "upper", "effort", "speed", "damping",
              "friction", "follows")
    for j in moving:
        follows = "" if j.mimic is None else f"{j.mimic[1]:g} x {j.mimic[0]} + {j.mimic[2]:g}"
        one = j.kind in ("revolute", "prismatic")
        table.add_row(Text(j.name), j.kind, *(f"{v:.5g}" if one else "" for v in (j.lower, j.upper)),
                      *(f"{v:.5g}" for v in (j.effort, j.speed, j.damping, j.friction)), Text(follows))
    wide_console().print(table)


def _print_motors(robot: _core.Robot) -> None:
    if not robot.motors:
        return
    table = new_table("motors", "motor", "joint", "kp", "kd", "effort")
    for m in robot.motors:
        table.add_row(Text(m.name or m.joint), Text(m.joint),
                      *(f"{v:.5g}" for v in (m.kp, m.kd, m.effort)))
    wide_console().print(table)


def _print_closures(robot: _core.Robot) -> None:
    """One line for each loop and each coupling."""
    for c in robot.closures:
        names = [j.name for j in robot.joints] if c.kind == "coupler" else [
            link.name for link in robot.links]
        a, b = (names[i] if i >= 0 else "the world" for i in (c.a, c.b))
        if c.kind == "coupler":
            b = " + ".join(f"{k:.5g} {b}^{i}" if i else f"{k:.5g}"
                           for i, k in enumerate(c.polynomial) if k or not i)
            print(f"coupling {c.name}: {a} = {b}")
        else:
            print(f"loop {c.name}: {c.kind} between {a} and {b}")


def _print_meshes(robot: _core.Robot) -> None:
    """One line for each file that collisions are read from."""
    seen: dict[str, _core.RobotShape] = {}
    for link in robot.links:
        for shape in link.collisions:
            if shape.file:
                seen.setdefault(shape.file, shape)
    for file, shape in seen.items():
        r = _core.check_surface(shape.mesh)
        health = "closed" if r.closed and r.outward else "; ".join(
            s.rstrip(".") for s in r.findings()[:2])
        print(f"mesh {Path(file).name}: {r.triangles} triangles, {health}")
