"""The press test: an object goes down into a gel pad, step by step.

prepare() reads and checks everything and compiles; nothing is written before it returns. The pad's
frame is the world: origin at the highest point of the gel, +z out of it, base glued to a mount.
"""

from __future__ import annotations

import math
import warnings
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from haptos import _core
from haptos.errors import InputError, refuse
from haptos.meshes import read_surface
from haptos.options import Material
from haptos.pads import Gel, default_grading, file_scale, gel_of, read_pad, sensor_of
from haptos.scene import Scene
from haptos.sensor_models import load_sensor
from haptos.sim import Sim, StepReport
from haptos.units import show_length

SURFACE_SUFFIXES = (".stl", ".obj", ".ply", ".off")

# The pad of a GelSight Mini: measured modulus, and a ratio that silicone is near to.
DEFAULTS: dict[str, float] = {
    "material.young": 4.35e5,
    "material.poisson": 0.48,
    "material.density": 1000.0,
    "contact.divisions": 4,
    "newton.force_tolerance": 1e-4,
    "newton.velocity_tolerance": 2e-5,  # 1 um in a time step
    "sim.gravity_z": 0.0,
}
STEP_LENGTH = 8e-5  # aimed at per step [m]
DT = 0.05  # [s]; a wave crosses the pad in 0.2 ms, so inertia is below 1e-5 of the forces


@dataclass
class Press:
    """A press test ready to run."""

    sim: Sim
    pad_name: str
    depth: float  #: [m]
    steps: int
    gap: float  #: between object and gel at the start [m]
    notes: list[str]  #: what was assumed, mended or looks odd in the files, a sentence each
    settings: dict[str, Any]
    start: np.ndarray  #: where the object's frame is at the start [m]
    history: list[PressStep] = field(default_factory=list)

    @property
    def warnings(self) -> list[str]:
        """What is odd about the scene, less what the notes say of the object's file."""
        own = 'Prescribed body "object": '
        return [w for w in self.sim.warnings
                if not any(w.removeprefix(own) in note for note in self.notes)]

    @property
    def sensor(self) -> Any:
        """The camera under the coat."""
        return self.sim.sensors["camera"]

    def step(self) -> PressStep:
        """The next step down; see also steps."""
        k = len(self.history) + 1
        position = self.start - [0, 0, (self.gap + self.depth) * k / self.steps]
        self.sim.set_target("object", position)
        report = self.sim.step()
        pushed = (self.gap + self.depth) * k / self.steps - self.gap - float(report.missed[0])
        contact = self.sim.reaction("object")
        glue = self.sim.reaction("mount")
        self.history.append(
            PressStep(report, pushed, contact.force[0], contact.torque[0], glue.force[0],
                      glue.torque[0]))
        return self.history[-1]


@dataclass
class PressStep:
    """One step of a press: depth [m], force [N] and torque about the origin [N m], world frame."""

    report: StepReport
    depth: float
    object_force: np.ndarray
    object_torque: np.ndarray
    mount_force: np.ndarray
    mount_torque: np.ndarray

    @property
    def imbalance(self) -> float:
        """|contact force + glue force| over |contact force|; 0 without contact."""
        size = float(np.linalg.norm(self.object_force))
        return float(np.linalg.norm(self.object_force + self.mount_force)) / size if size else 0.0


def prepare(
    shape: str,
    *,
    depth: float = 1e-3,
    pad: str | None = None,
    unit: str | None = None,
    face: str | None = None,
    pad_face: str = "top",
    sensor: str | None = None,
    steps: int | None = None,
    at: tuple[float, float] = (0.0, 0.0),
    seed: int = 1,
    options: Mapping[str, float] | None = None,
) -> Press:
    """Reads, checks, places and compiles a press test.

    shape: a surface file (.stl, .obj, .ply, .off) or a name of haptos.shape_names(); depth: how
    far the lowest point of the object goes below the highest point of the gel [m]; pad: "box",
    "dome", or a volume file (.vtk, .msh), None the sensor's or "box"; unit: "mm" or "m" of the files, None guesses from their
    size; face: which side of the object is pressed, "bottom" or "top" (None: bottom of a file, top
    of a named shape, where its feature is); pad_face: which side of a pad file is the coat; sensor: a
    name of haptos.sensor_names() or a sensor file (.yaml), whose pad, gel, friction, camera and
    markers are taken; steps:
    number of steps, None takes one each 80 um; at: where the middle of the object goes, x and y
    [m]; seed: of the shape "random"; options: values of "group.name" options, as haptos describe
    lists them. Raises InputError.
    """
    notes: list[str] = []
    model = None if sensor is None else load_sensor(sensor)
    if model is not None and pad is not None:
        refuse("pad", pad, "cannot be given beside a sensor, which has one", "leave one out")
    own = {} if model is None else {f"material.{k}": v for k, v in model.material.items()}
    values = {**DEFAULTS, **own, **(options or {})}
    groups: dict[str, dict[str, float]] = {}
    for path, value in values.items():
        group, _, name = path.partition(".")
        groups.setdefault(group, {})[name] = value
    material = Material(**groups.pop("material"))
    scene = Scene(dt=DT)
    for group, inside in groups.items():
        scene.options(group).update(**inside)
    scene_dt = scene.sim.dt

    if steps is not None and not 1 <= steps <= 100_000:
        refuse("steps", steps, "must be a whole number from 1 to 100000", "for example 12")
    surface = _load_object(shape, unit, face, seed, notes)
    gel = _load_pad(pad or "box", unit, pad_face) if model is None else model.gel
    thickness = gel.thickness
    notes += gel.notes
    if not (math.isfinite(depth) and 0 < depth < thickness):
        refuse("depth", show_length(depth) if math.isfinite(depth) else depth,
               f"must be more than 0 and less than the pad's thickness of {show_length(thickness)}",
               "write for example --depth 1mm")
    _check_size(surface, gel, at, notes)

    support = scene.contact.support
    gap = 1.05 * support
    count = steps or max(4, math.ceil((depth + gap) / STEP_LENGTH))
    middle, lowest = _middle(surface, gel, depth, notes)
    start = np.array([at[0] - middle[0], at[1] - middle[1], gap - lowest])

    scene.add_prescribed("mount")
    scene.add_soft("gel", gel.mesh, material=material, glue={"mount": gel.base}, coat=gel.coat,
                   friction=None if model is None else model.friction)
    scene.add_prescribed("object", surface, position=start,
                         friction=None if model is None else model.friction)
    camera, grid = sensor_of(gel) if model is None else (model.camera, model.markers)
    scene.add_sensor("camera", "gel", camera=camera, markers=grid,
                     rgb=model.rgb or None if model is not None else None)
    sim = scene.compile()
    settings = {
        "shape": shape, "pad": pad or ("box" if model is None else model.name), "depth": depth, "steps": count, "at": list(at),
        "gap": gap, "friction": model.friction if model is not None else 0.0, "material": dict(material.items()), "dt": scene_dt,
        "contact": dict(scene.contact.items()), "newton": dict(scene.newton.items()),
    }
    return Press(sim, "gel", depth, count, gap, notes, settings, start)


# -- the object --------------------------------------------------------------------------------


def _load_object(shape: str, unit: str | None, face: str | None, seed: int,
                 notes: list[str]) -> _core.TriMesh:
    if unit not in (None, "mm", "m"):
        refuse("unit", unit, "must be mm or m", "leave it out to guess from the size")
    if face not in (None, "bottom", "top"):
        refuse("face", face, "must be bottom or top", "it is the side that touches the gel")
    if Path(shape).suffix.lower() in SURFACE_SUFFIXES or Path(shape).exists():
        mesh = _read_object(shape, unit, notes)
        turned = face == "top"
    else:
        try:
            mesh = _core.make_shape(shape, 0.3e-3, seed)
        except InputError:
            near = _core.nearest_name(shape, _core.shape_names())
            remedy = (f'did you mean "{near}"?' if near else "give an STL, OBJ, PLY or OFF file, "
                      "or one of " + ", ".join(_core.shape_names()))
            if shape in _core.shape_names():
                raise
            refuse("shape", shape, "is neither a file nor the name of a shape", remedy)
        turned = face != "bottom"
    return mesh.transformed(quaternion=(0.0, 1.0, 0.0, 0.0)) if turned else mesh


def _read_object(path: str, unit: str | None, notes: list[str]) -> _core.TriMesh:
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        mesh = read_surface(path)
    notes += [str(w.message) for w in caught]
    finite = np.asarray(mesh.vertices)[np.isfinite(mesh.vertices).all(axis=1)]
    scale = file_scale(path, unit, float(np.ptp(finite, axis=0).max()) if len(finite) else 0.0,
                        notes)
    if scale != 1.0:
        mesh = mesh.transformed(scale=scale)
    return _mend(mesh, path, notes)


def _mend(mesh: _core.TriMesh, path: str, notes: list[str]) -> _core.TriMesh:
    """The surface fit for contact; what cannot be mended and does not matter becomes a note."""
    report = _core.check_surface(mesh)
    if report.nonfinite_vertices or report.invalid_triangles:
        _core.require_contact_surface(mesh, path)
    if report.duplicate_vertices:
        mesh, merged, removed = _core.weld(mesh)
        notes.append(f"{path}: {merged} repeated vertices were joined"
                     + (f" and {removed} triangles that collapsed were left out." if removed
                        else "."))
    report = _core.check_surface(mesh)
    if report.degenerate_triangles or report.duplicate_triangles:
        mesh, removed = _core.remove_degenerate(mesh)
        notes.append(f"{path}: {removed} triangles without area or given twice were removed.")
        report = _core.check_surface(mesh)
    if report.inconsistent_edges or (report.closed and not report.outward):
        mesh, turned = _core.orient(mesh)
        notes.append(f"{path}: {turned} triangles were turned to face outward.")
        report = _core.check_surface(mesh)
    for finding in report.findings():
        notes.append(f"{path}: {finding} The press goes on: the object is rigid.")
    _core.require_contact_surface(mesh, path)
    return mesh


def _load_pad(pad: str, unit: str | None, face: str) -> Gel:
    if pad not in ("box", "dome"):
        return read_pad(pad, unit, face)
    return gel_of(_core.box_pad(25.25e-3, 20.75e-3, 4e-3, grading=default_grading(),
                                dome=(0.135, 0.259) if pad == "dome" else None))


def _check_size(surface: _core.TriMesh, gel: Gel, at: tuple[float, float],
                notes: list[str]) -> None:
    object_size = np.ptp(np.asarray(surface.vertices), axis=0)
    pad_size = np.ptp(np.asarray(gel.mesh.vertices), axis=0)
    shown = " x ".join(show_length(v) for v in object_size)
    if object_size.max() < 1e-4 or object_size.max() > 100 * pad_size.max():
        refuse("object", shown, f"does not fit a pad of {show_length(pad_size[0])} x "
               f"{show_length(pad_size[1])}", "its unit is probably another one: use --unit")
    if not np.isfinite(at).all() or abs(at[0]) > pad_size[0] / 2 or abs(at[1]) > pad_size[1] / 2:
        refuse("at", f"{show_length(at[0])}, {show_length(at[1])}", "must lie on the pad",
               "0,0 is its middle")
    if object_size[0] > pad_size[0] or object_size[1] > pad_size[1]:
        notes.append(f"The object measures {shown} and reaches beyond the pad of "
                     f"{show_length(pad_size[0])} x {show_length(pad_size[1])}.")


def _middle(surface: _core.TriMesh, gel: Gel, depth: float,
            notes: list[str]) -> tuple[np.ndarray, float]:
    """What goes over the middle of the pad (x, y), and the lowest height of the object [m].

    The middle of its box; of an object larger than the pad, the middle of what is pressed in.
    """
    x = np.asarray(surface.vertices)
    lo, hi = np.asarray(surface.bounds)
    pad = np.ptp(np.asarray(gel.mesh.vertices), axis=0)
    if (hi - lo)[0] <= pad[0] and (hi - lo)[1] <= pad[1]:
        return 0.5 * (lo + hi)[:2], float(lo[2])
    low = x[x[:, 2] <= lo[2] + depth]
    notes.append("What the object presses in first lies over the middle of the pad.")
    return 0.5 * (low.min(axis=0) + low.max(axis=0))[:2], float(lo[2])
