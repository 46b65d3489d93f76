"""haptos scan."""

from __future__ import annotations

import time
from typing import Any

from haptos.base.console import new_table, wide_console
from haptos.base.errors import refuse
from haptos.base.units import show_time
from haptos.cli.meshes import SURFACE_WRITERS, check_out
from haptos.robots.load import load_robot
from haptos.scans.breaking import break_mesh
from haptos.scans.humanoid import humanoid_places, write_humanoid
from haptos.scans.kinds import KINDS, ROBOT, find_kind, read_parameters
from haptos.scans.measure import measure_scan


def list_kinds() -> None:
    """Prints the kinds and their parameters."""
    table = new_table("Kinds of scans", "kind", "what", "parameter", "default", "meaning")
    for name, kind in KINDS.items():
        first = [name, kind.what]
        for key, parameter in kind.parameters.items():
            table.add_row(*first, key, parameter.show(kind.default(key)), parameter.meaning)
            first = ["", ""]
        if first[0]:
            table.add_row(*first, "", "", "")
    table.add_row(ROBOT, "robot of 57 links of 3,600 triangles and 42 kg, to a .urdf", "meshes", "obj",
                  "their files: obj, stl or ply")
    wide_console().print(table)


def run_scan(name: str | None, out: str | None, seed: int, settings: list[str], faults: dict[str, Any],
             overwrite: bool) -> None:
    """Makes a scan, breaks it where asked, writes it and prints what it is like."""
    if name is None:
        refuse("scan", "", "needs a kind", "haptos scan --list has them")
    if name == ROBOT:
        _run_humanoid(out, seed, settings, faults, overwrite)
        return
    kind = find_kind(name)
    if out is None:
        refuse("--out", "", "must be given", f"for example --out {name}.ply")
    path = check_out("--out", out, list(SURFACE_WRITERS), None, overwrite)
    began = time.monotonic()
    mesh = kind.make(seed, **read_parameters(name, settings))
    if any(faults.values()):
        mesh = break_mesh(mesh, seed, **faults)
    took = show_time(time.monotonic() - began)
    SURFACE_WRITERS[path.suffix.lower()](path, mesh)
    for line in measure_scan(mesh).lines():
        print(line)
    print(f"{path}: written in metres, seed {seed}, {took}")


def _run_humanoid(out: str | None, seed: int, settings: list[str], faults: dict[str, Any],
                  overwrite: bool) -> None:
    if out is None:
        refuse("--out", "", "must be given", "for example --out humanoid.urdf")
    meshes = "obj"
    for text in settings:
        key, _, meshes = (part.strip() for part in text.partition("="))
        if key != "meshes":
            refuse("--set", text, "is no parameter of humanoid", "for example --set meshes=stl")
    urdf = check_out("--out", out, [".urdf"], None, overwrite)
    for beside in humanoid_places(urdf):
        if beside.exists() and not overwrite:
            refuse("--out", out, f"has {beside.name} beside it already",
                   "use --overwrite or another name")
    files = write_humanoid(urdf, seed, meshes=meshes, **faults)
    robot = load_robot(urdf, floating=True, srdf=files[1])
    print(f"{len(robot.links)} links, {sum(link.mass for link in robot.links):.4g} kg")
    print(f"{urdf}: written with {files[1].name} and {len(files) - 2} meshes in "
          f"{files[2].parent.name}, seed {seed}")
