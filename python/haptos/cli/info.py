"""haptos check and haptos describe."""

from __future__ import annotations

import sys
import warnings
from pathlib import Path
from typing import Any

import numpy as np

from haptos import _core
from haptos.base.console import new_table, say, wide_console
from haptos.base.errors import InputError, refuse
from haptos.base.options import option_table
from haptos.base.units import show_length
from haptos.cli.meshes import compile_telling, load_scene_telling
from haptos.cli.robots import check_robot_file, parse_packages, parse_roots
from haptos.meshes.files import read_surface, read_volume
from haptos.meshes.tet_report import measure_tets
from haptos.press.parts import SURFACE_SUFFIXES
from haptos.robots.load import ROBOT_SUFFIXES, robot_facts
from haptos.scene.fields import field_table
from haptos.scene.scene import Scene
from haptos.tactile.pad_sets import pad_set_titles
from haptos.tactile.pads import VOLUME_SUFFIXES
from haptos.tactile.quality import QUALITIES
from haptos.tactile.sensor_models import (
    is_sensor_file,
    load_sensor,
    outside_sensor_names,
    sensor_names,
    sensor_titles,
)

SCENE_SUFFIXES = (".yaml", ".yml")


def check_file(file: str, packages: list[str] | None = None, picture: str | None = None,
               overwrite: bool = False, strict: bool = False,
               roots: list[str] | None = None) -> int:
    """Prints what is wrong with a file; 0 if it can be used, 1 if not.

    packages, picture, overwrite, roots: of robots; see check_robot_file(). strict: of scenes,
    whether a warning makes one unusable.
    """
    suffix = Path(file).suffix.lower()
    known = SURFACE_SUFFIXES + VOLUME_SUFFIXES + SCENE_SUFFIXES + ROBOT_SUFFIXES
    if suffix not in known:
        refuse("check", file, "must be a mesh, a robot or a scene",
               "its name must end with one of " + " ".join(known))
    if not Path(file).exists():
        refuse("check", file, "does not exist", "check the path")
    if strict and suffix not in SCENE_SUFFIXES:
        refuse("--strict", "", "is for scenes", "leave it out for other files")
    if suffix in ROBOT_SUFFIXES:
        return check_robot_file(file, parse_packages(packages), picture, overwrite,
                                parse_roots(roots))
    for name, value in (("--package", packages), ("--root", roots), ("--picture", picture)):
        if value:
            refuse(name, str(value), "is for robots", "leave it out for other files")
    try:
        if suffix in SCENE_SUFFIXES:
            _check_scene(file, strict)
        elif suffix in SURFACE_SUFFIXES:
            _check_surface(file)
        else:
            _check_volume(file)
    except InputError as e:
        print(f"cannot be used: {e}")
        return 1
    print("can be used")
    return 0


def _size(bounds: np.ndarray) -> str:
    return " x ".join(f"{v:.6g}" for v in np.ptp(bounds, axis=0))


def _print_findings(findings: list[str], notes: list[str]) -> None:
    for sentence in [*notes, *findings]:
        print(f"found: {sentence}")
    if not findings:
        print("found: nothing wrong")


def _check_surface(file: str) -> None:
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        mesh = read_surface(file)
    r = _core.check_surface(mesh)
    parts = f", {r.segments} segments, {r.points} points" if r.segments + r.points else ""
    parts += f", {r.components} parts" if r.components > 1 else ""
    print(f"{file}: surface, {r.vertices} vertices, {r.triangles} triangles, {r.edges} edges"
          f"{parts}")
    print(f"size {_size(np.asarray(r.bounds))}, area {r.area:.6g}, volume {r.volume:.6g}, in the "
          "file's unit")
    _print_findings(r.findings(), [str(w.message) for w in caught])
    _core.require_contact_surface(mesh, file)


def _check_volume(file: str) -> None:
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        mesh = read_volume(file)
    r = _core.check_volume(mesh)
    parts = f", {r.components} parts" if r.components > 1 else ""
    print(f"{file}: volume, {r.vertices} vertices, {r.tets} tetrahedra{parts}")
    print(f"size {_size(np.asarray(r.bounds))}, volume {r.volume:.6g}, in the file's unit; worst "
          f"quality {r.worst_quality:.3g} (tetrahedron {r.worst_tet})")
    _print_findings(r.findings(), [str(w.message) for w in caught])
    _core.require_volume(mesh, file)
    for line in measure_tets(mesh).lines(lengths_in_metres=False)[1:]:
        print(line)


def _check_scene(file: str, strict: bool) -> None:
    scene = load_scene_telling(file)
    print(f"{file}: scene, {_count(scene)}")
    # Before anything is refused: what is odd is often why.
    before = scene.warnings
    say("warning", before, sys.stdout)
    scene.validate()
    sim = compile_telling(scene, strict=False)
    say("warning", (w for w in sim.warnings if w not in before), sys.stdout)
    if strict:
        scene.compile(strict=True, quiet=True)
    if not sim.warnings:
        print("found: nothing wrong")


def _count(scene: Scene) -> str:
    words = {"soft": "soft", "material_points": "bodies of material points", "prescribed": "prescribed", "affine": "affine", "half_spaces": "half-spaces",
             "robots": "robots and rigid bodies"}
    return ", ".join(f"{len(v)} {words.get(k, k)}" for k, v in scene.entries().items() if v)


def describe_what(what: str | None) -> None:
    """Prints tables of options, the parts of a scene, or the bodies of a scene file."""
    groups = list(dict.fromkeys(o.group for o in option_table()))
    sections = list(dict.fromkeys(f.section for f in field_table()))
    if what is None:
        for group in groups:
            _print_group(group)
        _print_parts()
    elif what in groups:
        _print_group(what)
    elif what == "scene":
        _print_parts()
    elif what in sections:
        _print_fields(what)
    elif what == "sensors":
        _print_sensors()
    elif what == "quality":
        _print_qualities()
    elif (Path(what).name in (*sensor_names(), *outside_sensor_names())
          or is_sensor_file(what)):
        _print_sensor(what)
    elif Path(what).suffix.lower() in SCENE_SUFFIXES:
        _print_scene(what)
    else:
        known = [*groups, *sections, "scene", "sensors", "quality", *sensor_names()]
        near = _core.nearest_name(what, known)
        refuse("describe", what, "is no group of options, sensor, scene file or sensor file",
               f'did you mean "{near}"?' if near else "known are " + ", ".join(known))


def _print_group(group: str) -> None:
    table = new_table(group, "option", "unit", "default", "range", "meaning")
    for o in option_table():
        if o.group == group:
            whole = "whole, " if isinstance(o.default, int) else ""
            choices = ", ".join(f"{word} ({k})" for k, word in enumerate(o.words))
            table.add_row(o.name, o.unit or "-", f"{o.default:g}",
                          choices or f"{whole}{o.lo:g} to {o.hi:g}", o.doc)
    wide_console().print(table)


def _print_fields(section: str) -> None:
    table = new_table(section, "key", "unit", "default", "range", "meaning")
    for f in field_table(section):
        table.add_row(f.name, f.unit or "-", f.default_text.replace("`", ""),
                      f.range_text.replace("`", ""), f.plain)
    wide_console().print(table)
    if section == "pairs":
        table = new_table("models of contact", "bodies", "models, the default first")
        for a, b, words in _core.pair_model_table():
            table.add_row(f"{a} and {b}", ", ".join(words) or "no contact")
        wide_console().print(table)


def _print_sensors() -> None:
    table = new_table("sensors", "name", "what")
    for name, title in sensor_titles().items():
        table.add_row(name, title)
    wide_console().print(table)
    table = new_table("sets of pads (haptos.load_pad_set)", "name", "what")
    for name, title in pad_set_titles().items():
        table.add_row(name, title)
    wide_console().print(table)


def _print_qualities() -> None:
    table = new_table("quality", "word", "for", "elements where a press presses",
                      "elements of a pad in a scene", "contact.support", "newton.force_tolerance")
    for q in QUALITIES.values():
        pressed = " to ".join(show_length(w) for w in (q.widths[0], q.widths[-1]))
        pad = "as in the sensor's file" if q.pad is None else show_length(q.pad.centre) + (
            " over what the camera sees" if q.pad.even is None else " in " + " x ".join(
                show_length(s) for s in q.pad.even) + " about where it is pressed")
        table.add_row(q.name, q.about, f"{pressed}, by the size of what is pressed in"
                      + (", or those of the pad" if q.whole_pad else ""), pad,
                      show_length(q.support), f"{q.force_tolerance:g}")
    wide_console().print(table)


def _print_sensor(what: str) -> None:
    model = load_sensor(what)
    console = wide_console()
    table = new_table(f"{model.name}: {model.about}", "part", "value")
    size = np.ptp(np.asarray(model.gel.mesh.vertices), axis=0)
    m, c = model.material, model.camera
    view = np.array([c.width, c.height]) * c.pitch
    table.add_row("pad", " x ".join(show_length(v) for v in size) + f", {model.gel.mesh}")
    for word, quality in QUALITIES.items():
        if quality.pad is not None and not model.mesh:
            table.add_row(f"pad, {word}", str(load_sensor(what, quality=word).gel.mesh))
    table.add_row("gel", f"E = {m['young']:g} Pa, nu = {m['poisson']:g}, density = "
                  f"{m['density']:g} kg/m3, friction {model.friction:g}")
    table.add_row("camera", f"{c.width} x {c.height} pixels of "
                  f"{show_length(c.pitch)}, sees {show_length(view[0])} x "
                  f"{show_length(view[1])}")
    g = model.markers
    table.add_row("markers", "none" if g is None else f"{g.rows} rows x {g.cols} columns, "
                  f"{show_length(g.pitch_y)} and {show_length(g.pitch_x)} apart")
    console.print(table)
    facts = new_table("where the numbers come from", "what", "kind", "source")
    for f in model.facts:
        facts.add_row(f.what, f.kind, f.source)
    console.print(facts)


def _print_parts() -> None:
    table = new_table("scene", "in a scene file", "in Python", "meaning")
    for key, method in (("soft", Scene.add_soft), ("material_points", Scene.add_material_points), ("prescribed", Scene.add_prescribed),
                        ("affine", Scene.add_affine), ("half_spaces", Scene.add_half_space), ("spheres", Scene.add_sphere),
                        ("robots", Scene.add_robot), ("rigid", Scene.add_rigid),
                        ("pairs", Scene.add_pair)):
        table.add_row(key, f"Scene.{method.__name__}()", (method.__doc__ or "").splitlines()[0])
    wide_console().print(table)


def _friction(entry: dict[str, Any]) -> str:
    static, kinetic = entry["friction"]
    if static == 0:
        return ""
    return f", friction {static:g}" + (f" and {kinetic:g}" if kinetic != static else "")


def _print_scene(file: str) -> None:
    scene = load_scene_telling(file)
    table = new_table(file, "name", "kind", "what")
    entries = scene.entries()
    for e in entries["soft"]:
        m = e["material"]
        table.add_row(e["name"], "soft", f"{e['mesh']}, {e['element']}, E = {m['young']:g} Pa, "
                      f"nu = {m['poisson']:g}, density = {m['density']:g} kg/m3"
                      + "".join(f", {len(v)} vertices glued to {k}" for k, v in e["glue"].items())
                      + (f", {e['forces']} forces" if e["forces"] else "")
                      + (f", {e['pressures']} pressures" if e["pressures"] else "")
                      + _friction(e))
    for e in entries["material_points"]:
        yields = f", yields at {e['yield_stress']:g} Pa" if e["yield_stress"] else ""
        table.add_row(e["name"], "material points", f"E = {e['young']:g} Pa, nu = {e['poisson']:g}{yields}, "
                      f"density = {e['density']:g} kg/m3, cells of {show_length(e['cell'])}, friction {e['friction']:g}")
    for s in scene.sensors:
        table.add_row(s.name, "tactile sensor", f"under {s.body}, {s.camera.width} x {s.camera.height} pixels of "
                      f"{show_length(s.camera.pitch)}" + (", markers" if s.markers else "")
                      + (", colours" if s.rgb else ""))
    for e in entries["prescribed"]:
        times = [k[0] for k in e["trajectory"]]
        moves = f", keyframes from {times[0]:g} to {times[-1]:g} s" if len(times) > 1 else ", still"
        surface = e["surface"] if len(e["surface"].vertices) else "no surface"
        table.add_row(e["name"], "prescribed", f"{surface}{moves}{_friction(e)}")
    for e in entries["affine"]:
        heavy = (f"mass = {e['mass']:g} kg" if e["mass"] else f"density = {e['density']:g} kg/m3")
        table.add_row(e["name"], "affine", f"{e['surface']}, {heavy}{_friction(e)}")
    for e in entries["half_spaces"]:
        table.add_row(e["name"], "half-space", f"normal {e['normal']}, offset {e['offset']:g} m"
                      + _friction(e))
    for e in entries["robots"]:
        table.add_row(e["name"], "robot", f"{robot_facts(e['robot'])}, friction {e['friction']:g}")
    console = wide_console()
    console.print(table)
    s = scene.sim
    console.print(f"time step {s.dt:g} s, gravity ({s.gravity_x:g}, {s.gravity_y:g}, "
                  f"{s.gravity_z:g}) m/s2, contact support {scene.contact.support:g} m",
                  highlight=False)
