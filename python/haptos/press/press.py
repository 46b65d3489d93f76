"""The press test: an object goes down into a gel pad, step by step.

prepare() reads and checks everything and compiles; nothing is written before it returns. The pad's
frame is the world: origin at the highest point of the gel, +z out of it, base glued to a mount.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from haptos.base.errors import PressError, refuse
from haptos.base.options import Material
from haptos.base.units import known_units, show_length
from haptos.meshes.given import number
from haptos.press.motion import (
    FORCE_TOLERANCE,
    KEPT_TOLERANCE,
    SHEAR_STEP,
    STEP_LENGTH,
    TWIST_STEP,
    Motion,
    Plan,
    PressStep,
)
from haptos.press.parts import (
    SURFACE_SUFFIXES,
    check_size,
    chosen_width,
    fine_region,
    first_touch,
    load_object,
    load_pad,
    middle_of,
)
from haptos.scene.scene import Scene
from haptos.scene.sim import Sim
from haptos.tactile.pads import Gel, sensor_of
from haptos.tactile.quality import find_quality
from haptos.tactile.sensor_models import load_sensor

__all__ = ["SURFACE_SUFFIXES", "Press", "PressStep", "prepare"]

# The pad of a GelSight Mini: measured modulus, and a ratio that silicone is near to.
DEFAULTS: dict[str, float] = {
    "material.young": 4.35e5,
    "material.poisson": 0.48,
    "material.density": 1000.0,
    "contact.divisions": 4,
    "sim.gravity_z": 0.0,
}
DEFAULT_FRICTION = 0.8  # where a press shears or twists without a sensor
MOST_TARGETS = 1000  # depths or forces of one press
DT = 0.05  # [s]; a wave crosses the pad in 0.2 ms, so inertia is below 1e-5 of the forces


@dataclass
class Press:
    """A press test ready to run."""

    sim: Sim
    pad_name: str
    plan: Plan
    notes: list[str]  #: what was assumed, mended or looks odd in the files, a sentence each
    settings: dict[str, Any]
    start: np.ndarray  #: where the object's frame is at the start (3) [m]
    axis: np.ndarray  #: of the press, x and y [m]
    history: list[PressStep] = field(default_factory=list)

    def __post_init__(self) -> None:
        self._motion = Motion(self.sim, self.plan, self.start, self.axis)
        self._moves = self._motion.steps()
        self._missed: list[str] = []  # what of the press came out otherwise than it was meant

    @property
    def gap(self) -> float:
        """Between object and gel at the start [m]."""
        return self.plan.gap

    @property
    def steps(self) -> int:
        """Steps in all; of a press down to a force a guess, until it is done."""
        return len(self.history) if self.done else self._motion.expected

    @property
    def done(self) -> bool:
        """Whether every step was taken."""
        return self._motion.done

    @property
    def warnings(self) -> list[str]:
        """What is odd about the scene, less what the notes say of the object's file, and about the
        press so far."""
        own = 'Prescribed body "object": '
        return [w for w in self.sim.warnings
                if not any(w.removeprefix(own) in note for note in self.notes)] + self._missed

    @property
    def sensor(self) -> Any:
        """The camera under the coat."""
        return self.sim.sensors["camera"]

    def step(self) -> PressStep:
        """The next step; see also done. Raises PressError where the press cannot go on, and with
        sim.strict where it ends its way down without having touched the gel."""
        step = next(self._moves)
        self.history.append(step)
        if self.plan.depths and step.target == self.plan.depths[-1] and not np.any(
                step.object_force):
            self._missed.append(
                f"At a depth of {show_length(step.target)} the object does not touch the gel: depth "
                "counts from the highest point of the gel, and the gel is lower where the object "
                "goes, or the object is not there; press deeper, or elsewhere (at, face).")
            if self.settings["strict"]:
                raise PressError(self._missed[-1])
        return step

    def records(self) -> list[tuple[float, PressStep]]:
        """The steps that met a depth [m] or a force [N] of the plan, in order."""
        return [(s.target, s) for s in self.history if s.target is not None]


def prepare(
    shape: Any,
    *,
    depth: float | str | Sequence[float | str] | None = None,
    force: float | str | Sequence[float | str] | None = None,
    shear: float | str | tuple[float | str, float | str] = 0.0,
    twist: float | str = 0.0,
    pad: str | None = None,
    unit: str | None = None,
    face: str | None = None,
    pad_face: str = "top",
    sensor: str | None = None,
    friction: float | None = None,
    steps: int | None = None,
    at: tuple[float, float] = (0.0, 0.0),
    quality: str | None = None,
    elements: float | None = None,
    model: str = "soft",
    seed: int = 1,
    options: Mapping[str, float] | None = None,
) -> Press:
    """Reads, checks, places and compiles a press test.

    shape: a surface file (.stl, .obj, .ply, .off), a name of haptos.shape_names(), or a surface in
    metres (a TriMesh, a trimesh.Trimesh, (vertices, triangles)). Lengths, forces and angles may be
    texts with units ("0.5 mm"). depth: how
    far the object goes on from where it touches the gel first [m], one or several,
    None takes 1 mm; force: instead, what the gel is to push back with [N], met within
    FORCE_TOLERANCE at no more than half the pad's thickness; shear: how far the object then goes
    sideways, along x or (x, y) [m]; twist: by what angle it then turns about the vertical through
    its middle [rad]; pad: "box", "dome", or a volume file (.vtk, .msh), None the sensor's or "box";
    unit: "mm" or "m" of the files, None guesses from their size; face: which side of the object is
    pressed, "bottom" or "top" (None: bottom of a file, top of a named shape, where its feature is);
    pad_face: which side of a pad file is the coat; sensor: a name of haptos.sensor_names() or a
    sensor file (.yaml), whose pad, gel, friction, camera and markers are taken; friction: of gel
    and object, None the sensor's, or without one 0, or DEFAULT_FRICTION with shear or twist; steps:
    number of steps down, None takes one each 80 um; at: where the middle of the object goes, x and
    y [m]; quality: "fast", "normal" (None) or "fine", a word for elements, contact and tolerances
    (docs/press.md#quality); elements: instead, the width of the gel's elements where it is pressed
    [m], 0: those of the pad; model: "soft" simulates the gel, "hydroelastic" takes it for a linear
    layer, a hundred times faster (docs/contact/touch.md); seed: of the shape "random"; options: values of "group.name" options,
    as haptos describe lists them. Raises InputError.
    """
    notes: list[str] = []
    layer = is_layer(model, elements)
    wanted = find_quality(quality)
    known = None if sensor is None else load_sensor(sensor, quality=wanted.name)
    if known is not None and pad is not None:
        refuse("pad", pad, "cannot be given beside a sensor, which has one", "leave one out")
    own = {} if known is None else {f"material.{k}": v for k, v in known.material.items()}
    values = {**DEFAULTS, **wanted.options(), **own, **(options or {})}
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
    surface = load_object(shape, unit, face, seed, notes)
    gel = (load_pad(pad or "box", unit, pad_face, quality=wanted) if known is None
           else known.gel_near(at))
    notes += gel.notes
    gap = 1.05 * scene.contact.support
    plan = make_plan(gel, dict(material.items()), depth, force, shear, twist, steps, gap)
    check_size(surface, gel, at, notes)
    middle, lowest = middle_of(surface, gel, plan.depths[-1] if plan.depths else plan.deepest / 2,
                               notes)
    if elements == 0 or layer:
        elements = None
    elif elements is None and (pad in (None, "box", "dome") if known is None else known.refines):
        elements = chosen_width(surface, middle, lowest, plan, wanted)
    if elements is not None:
        if elements <= 3.5e-4 and "contact.divisions" not in (options or {}):
            scene.contact.update(divisions=2)  # samples as close as in wider elements
        fine = fine_region(surface, middle, lowest, plan, elements, at, gel, wanted)
        gel = (load_pad(pad or "box", unit, pad_face, fine) if known is None
               else known.gel_near(at, fine))
    start = np.array([at[0] - middle[0], at[1] - middle[1],
                      gap + first_touch(surface, middle, lowest, at, gel)])
    if friction is None:
        friction = 0.0 if known is None else known.friction
        if known is None and (any(plan.shear) or plan.twist):
            friction = DEFAULT_FRICTION
            notes.append(f"The coefficient of friction is taken to be {friction:g} (--friction "
                         "says otherwise).")

    scene.add_prescribed("mount")
    scene.add_soft("gel", gel.mesh, material=material, glue={"mount": gel.base}, coat=gel.coat,
                   friction=friction, model="hydroelastic" if layer else "elastic")
    scene.add_prescribed("object", surface, position=start, friction=friction)
    camera, grid = sensor_of(gel) if known is None else (known.camera, known.markers)
    scene.add_sensor("camera", "gel", camera=camera, markers=grid,
                     rgb=known.rgb or None if known is not None else None,
                     noise=None if known is None else known.noise)
    sim = scene.compile(quiet=True)
    settings = {
        "shape": shape if isinstance(shape, str) else "object",
        "strict": bool(scene.sim.strict),
        "pad": pad or ("box" if known is None else known.name),
        "sensor": sensor, "model": model, "depth": list(plan.depths), "force": list(plan.forces),
        "shear": list(plan.shear), "twist": plan.twist, "steps": sum(plan.descent()),
        "at": list(at), "quality": wanted.name, "elements": elements, "seed": seed,
        "gap": gap, "friction": friction,
        "material": dict(material.items()), "dt": scene_dt,
        "rates": {"down": STEP_LENGTH / scene_dt, "shear": SHEAR_STEP / scene_dt,
                  "twist": TWIST_STEP / scene_dt},
        "tolerances": {"force": FORCE_TOLERANCE, "force while sheared": KEPT_TOLERANCE},
        "contact": dict(scene.contact.items()), "newton": dict(scene.newton.items()),
    }
    return Press(sim, "gel", plan, notes, settings, start, np.array(at, float))


# -- what is asked for -------------------------------------------------------------------------


def is_layer(model: str, elements: float | None) -> bool:
    """Whether a press takes its gel for a layer. Raises InputError for another word, and elements
    with a layer."""
    if model not in ("soft", "hydroelastic"):
        refuse("model", model, "must be soft or hydroelastic",
               "soft simulates the gel, hydroelastic takes it for a linear layer")
    if model == "hydroelastic" and elements:
        refuse("elements", elements, "are those of a simulated gel; a layer has the sensor's own",
               'leave it out, or take model="soft"')
    return model == "hydroelastic"


def make_plan(gel: Gel, material: Mapping[str, float], depth: float | Sequence[float] | None,
              force: float | Sequence[float] | None, shear: float | tuple[float, float],
              twist: float, steps: int | None, gap: float) -> Plan:
    """What prepare() is asked for, checked against the pad. Raises InputError."""
    if depth is not None and force is not None:
        refuse("depth and force", "", "cannot both be asked for", "leave one out")
    deepest = 0.5 * gel.thickness
    depths = () if force is not None else _depths(depth, gel.thickness)
    forces = () if force is None else _forces(force, gel, material)
    way, turn = _numbers("shear", shear, "m"), _numbers("twist", twist, "rad")
    way = (*way, 0.0) if len(way) == 1 else way
    extent = np.ptp(np.asarray(gel.mesh.vertices), axis=0)
    most = 0.5 * float(extent[:2].min())
    if len(way) != 2 or not np.isfinite(way).all() or math.hypot(*way) > most:
        refuse("shear", ", ".join(show_length(w) if math.isfinite(w) else str(w) for w in way),
               f"must be at most half the pad's width, {show_length(most)}",
               "write for example --shear 0.5mm")
    if len(turn) != 1 or not abs(turn[0]) <= math.pi:
        refuse("twist", ", ".join(f"{math.degrees(v):.4g} deg" for v in turn),
               "must be from -180 to 180 deg", "write for example --twist 10deg")
    return Plan(depths, forces, (way[0], way[1]), turn[0], steps, gap, deepest)


def _depths(depth: float | Sequence[float] | None, thickness: float) -> tuple[float, ...]:
    depths = _numbers("depth", 1e-3 if depth is None else depth, "m")
    for d in depths:
        if not (math.isfinite(d) and 0 <= d < thickness and (d > 0 or len(depths) > 1)):
            refuse("depth", show_length(d) if math.isfinite(d) else d, "must be more than 0 and "
                   f"less than the pad's thickness of {show_length(thickness)}",
                   "write for example --depth 1mm")
    _ascending("depth", depths, show_length)
    return depths


def _forces(force: float | Sequence[float], gel: Gel, material: Mapping[str, float]
            ) -> tuple[float, ...]:
    forces = _numbers("force", force, "N")
    e, nu = material["young"], material["poisson"]
    mu, lame = e / (2 * (1 + nu)), e * nu / ((1 + nu) * (1 - 2 * nu))
    size = np.ptp(np.asarray(gel.mesh.vertices), axis=0)
    # A plate over the whole pad between walls, pressed to half the thickness: no object gets there.
    most = float(size[0] * size[1]) * (1.5 * mu + 2 * math.log(2) * lame)
    for f in forces:
        if not (math.isfinite(f) and f > 0):
            refuse("force", f"{f:g} N", "must be more than 0", "write for example --force 5N")
        if f > most:
            refuse("force", f"{f:g} N", f"is more than this pad can bear, {most:.3g} N pressed "
                   "flat to half its thickness", "write for example --force 5N")
    _ascending("force", forces, lambda f: f"{f:g} N")
    return forces


def _numbers(name: str, value: Any, unit: str) -> tuple[float, ...]:
    """One number or several in a row, in SI units or texts with units."""
    row = value if hasattr(value, "__len__") and not isinstance(value, str) else [value]
    if np.ndim(row) != 1:
        refuse(name, str(value)[:60], "must be a number or a row of numbers in SI units",
               f'or texts with units, as "1 {known_units(unit)[-1]}"')
    return tuple(number(v, unit, name) for v in row)


def _ascending(name: str, values: tuple[float, ...], show: Callable[[float], str]) -> None:
    if not values or len(values) > MOST_TARGETS:
        refuse(name, len(values), f"must be 1 to {MOST_TARGETS} values", f"give one --{name}")
    for a, b in zip(values, values[1:], strict=False):
        if b <= a:
            refuse(name, f"{show(a)}, {show(b)}", "must rise from value to value",
                   "the object goes down once and is read at each")
