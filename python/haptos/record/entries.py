"""What a recording says once of every entry of a scene: its fields, its shape, its number."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import h5py
import numpy as np

from haptos.robots.sensors import RobotSensor
from haptos.scene.fields import keywords
from haptos.scene.shown import robot_parts
from haptos.scene.sim import Sim


def write_entries(sim: Sim, group_of: Callable[[str, str], h5py.Group]) -> None:
    """Writes a group for each entry; group_of(kind, name) makes it."""
    for entry in sim.entries["soft"]:
        name = entry["name"]
        g = group_of("soft", name)
        _declare(g, "soft", entry)
        mesh = sim.mesh(name)
        write_constant(g, "rest", np.asarray(mesh.vertices), "m")
        write_constant(g, "tets", np.asarray(mesh.tets), "")
        write_constant(g, "surface", sim.surface(name), "")
        write_constant(g, "coat", np.asarray(sim.coat(name)), "")
        for key, value in entry["material"].items():
            g.attrs[key] = value
        g.attrs["body"] = sim.body_id(name)
        g.attrs["carrier"] = next(iter(entry["glue"]), "")
    for entry in sim.entries["material_points"]:
        g = group_of("material_points", entry["name"])
        _declare(g, "material_points", entry)
        points = sim.material_points[entry["name"]]
        g.attrs["mass"], g.attrs["volume"] = points.mass, points.volume
        g.attrs["body"] = sim.body_id(entry["name"])
    for entry in sim.entries["prescribed"]:
        g = group_of("prescribed", entry["name"])
        _declare(g, "prescribed", entry)
        write_constant(g, "vertices", np.asarray(entry["surface"].vertices), "m")
        write_constant(g, "triangles", np.asarray(entry["surface"].triangles), "")
        write_constant(g, "segments", np.asarray(entry["surface"].segments), "")
        write_constant(g, "points", np.asarray(entry["surface"].points), "")
        g.attrs["body"] = sim.body_id(entry["name"])
    for entry in sim.entries["affine"]:
        g = group_of("affine", entry["name"])
        _declare(g, "affine", entry)
        write_constant(g, "vertices", np.asarray(entry["surface"].vertices), "m")
        write_constant(g, "triangles", np.asarray(entry["surface"].triangles), "")
        g.attrs["mass"] = sim.mass(entry["name"])  # by density too
        g.attrs["body"] = sim.body_id(entry["name"])
    for entry in sim.entries["half_spaces"]:
        g = group_of("half_spaces", entry["name"])
        _declare(g, "half_spaces", entry)
    robots = {entry["name"]: entry for entry in sim.entries["robots"]}
    for name, robot in sim.robots.items():
        g = group_of("robots", name)
        _declare(g, "robots", robots[name])
        g.attrs["joints"] = robot.joint_names
        g.attrs["links"] = robot.link_names
        g.attrs["motors"] = robot.motor_names
        g.attrs["first_body"] = sim.link_id(name)
        for k, (part, link) in enumerate(robot_parts(name, robot.robot)):
            shown = g.create_group(f"parts/{k}")
            shown.attrs["link"] = link
            shown.attrs["rgba"] = (*part.color, part.opacity)
            write_constant(shown, "vertices", part.vertices, "m")
            write_constant(shown, "triangles", part.triangles, "")
    for entry in sim.entries["constraints"]:
        g = group_of("constraints", entry["name"])
        _declare(g, "constraints", entry)
        g.attrs["bodies"] = [name or "" for name in entry["bodies"]]


def write_robot_sensor(group: h5py.Group, sensor: RobotSensor) -> None:
    """What a sensor of a robot is, and what its channels are."""
    group.attrs["name"] = sensor.name
    group.attrs["kind"] = sensor.kind
    for name in ("channels", "units"):
        text = np.array(getattr(sensor, name), object)
        group.create_dataset(name, data=text, dtype=h5py.string_dtype())


def _declare(group: h5py.Group, section: str, entry: Mapping[str, Any]) -> None:
    """The declared fields of an entry as attributes; what was left out and has no default is not
    there."""
    for field in keywords(section):
        if (value := entry.get(field.name)) is not None:
            group.attrs[field.name] = value


def write_constant(group: h5py.Group, name: str, value: np.ndarray, unit: str) -> None:
    """Adds a dataset that does not grow, with its unit."""
    data = group.create_dataset(name, data=value)
    data.attrs["unit"] = unit
