"""Tactile sensors by name, or from a person's own file: pad, gel, camera and markers.

A sensor file is YAML; docs/sensors/models.md describes it, python/haptos/tactile/sensor_files holds those
that come with the library.
"""

from __future__ import annotations

import math
import os
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

import yaml

from haptos import _core
from haptos.base.errors import refuse
from haptos.base.options import Material
from haptos.tactile.pads import Fine, Gel, gel_of, read_pad, refuse_fine
from haptos.tactile.quality import DEFAULT_QUALITY, QUALITIES, Quality, find_quality, refuse_quality
from haptos.tactile.sensor_yaml import (
    Fact,
    Section,
    compose,
    find_file,
    names_in,
    open_sensor_file,
    read_facts,
    read_markers,
    read_material,
    title_of,
)

from haptos.tactile.noise import read_noise
from haptos.tactile.sensors import sensor_spec

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

    from haptos.scene.scene import Scene

_FILES = Path(__file__).parent / "sensor_files"
_OUTSIDE = _FILES / "outside"  # sensors whose meshes others made: they do not come with the library


@dataclass
class SensorModel:
    """A tactile sensor: what it is made of and what its camera sees.

    The gel frame has its origin at the rest top centre and +z out of the gel; x runs along the
    image's columns.
    """

    name: str
    about: str
    material: dict[str, float]  #: options of haptos.Material, SI
    friction: float  #: of the coat
    camera: _core.TactileCamera
    markers: _core.MarkerGrid | None
    rgb: str  #: file of lights or a table (docs/sensors/rgb.md), "" for none
    noise: _core.TactileNoise | None  #: None: that of the file of lights, or none
    facts: list[Fact]
    file: str
    mesh: str  #: file of the pad, "" for one that is made here
    refines: bool  #: whether a press chooses the elements where it presses
    _make: Callable[[tuple[float, float], Fine | None], Gel] = field(repr=False)
    quality: Quality = QUALITIES[DEFAULT_QUALITY]
    _reach: tuple[float, float] | None = field(default=None, repr=False)
    _gel: Gel | None = field(default=None, repr=False)

    @property
    def gel(self) -> Gel:
        """Mesh of the pad in the gel frame, its base and its coat. Made once."""
        if self._gel is None:
            self._gel = self._make((0.0, 0.0), None)
        return self._gel

    def gel_near(self, at: tuple[float, float], fine: Fine | None = None) -> Gel:
        """The pad for a press at (x, y) [m]: where its small elements do not cover all that the
        camera sees, they lie about that place, as far as they fit. fine: other elements, in a
        region of their own. Raises InputError for these in a pad from a mesh."""
        if fine is not None:
            return self._make(at, fine)
        if self._reach is None:
            return self.gel
        x, y = (max(-far, min(far, float(c))) for c, far in zip(at, self._reach, strict=True))
        return self.gel if x == y == 0 else self._make((x, y), None)

    def add_to(self, scene: Scene, name: str, *, mount: str | None = None,
               position: ArrayLike | None = None, quaternion: ArrayLike | None = None,
               frame: str | None = None, near: tuple[float, float] = (0.0, 0.0),
               rate: float | str = 0.0, delay: float | str = 0.0, model: str = "elastic") -> None:
        """Adds pad and camera to a scene: a soft body and a sensor, both called `name`.

        mount: a prescribed body, an affine body or a link to glue the base to, None takes `frame`,
        or adds a body "NAME mount" that stands still; position (3) [m], quaternion (4): pose of the
        gel frame at the start; frame: the body or link that this pose refers to, where it starts,
        None: the world; near: where it will be pressed, (x, y) in the gel frame [m], see gel_near();
        rate [Hz], delay [s]: of the readings, see Scene.add_sensor(); model: "elastic", or
        "hydroelastic" for a linear layer, a hundred times faster (docs/contact/touch.md).
        """
        mount = mount or frame
        if mount is None:
            mount = f"{name} mount"
            scene.add_prescribed(mount)
        gel = self.gel_near(near)
        scene.add_soft(name, gel.mesh, material=Material(**self.material), position=position,
                       quaternion=quaternion, frame=frame, glue={mount: gel.base}, coat=gel.coat,
                       friction=self.friction, model=model)
        scene.add_sensor(name, name, camera=self.camera, markers=self.markers,
                         rgb=self.rgb or None, noise=self.noise, rate=rate, delay=delay)

    def spec(self) -> _core.SensorSpec:
        """Camera, markers, colours and noise, for a scene that is being read."""
        return sensor_spec(camera=self.camera, markers=self.markers, rgb=self.rgb or None,
                           noise=self.noise)


def sensor_names() -> list[str]:
    """Names that load_sensor() knows."""
    return names_in(_FILES)


def outside_sensor_names() -> list[str]:
    """Names that load_sensor() knows with the folder of a mesh that does not come with the library."""
    return names_in(_OUTSIDE)


def sensor_titles() -> dict[str, str]:
    """What each name stands for; names with a mesh from outside begin with "FOLDER/"."""
    return ({name: title_of(_FILES / f"{name}.yaml") for name in sensor_names()}
            | {f"FOLDER/{name}": title_of(_OUTSIDE / f"{name}.yaml")
               for name in outside_sensor_names()})


def load_sensor(name: str, folder: str | os.PathLike[str] | None = None, *,
                quality: str | None = None) -> SensorModel:
    """A sensor by its name (sensor_names()) or from a file (.yaml). Raises InputError.

    folder: of the pad's mesh, None: that of the file; outside_sensor_names() need one, which may
    also stand before the name, "FOLDER/NAME". quality: how wide the pad's elements are, "fast",
    "normal" (None: those of the sensor file) or "fine", where it will be pressed (near, at); a pad
    whose mesh is in a file has its own only. docs/sensors/models.md#quality has errors and costs.
    """
    wanted = find_quality(quality)
    before, last = os.path.split(name)
    if last not in outside_sensor_names():
        path = find_file(name, _FILES, "sensor")
    elif folder is None and not before:
        refuse("sensor", f'"{name}"', "has a mesh that does not come with the library",
               f'give its folder before the name, "FOLDER/{name}"; docs/sensors/models/{name}.md '
               "says where it comes from")
    else:
        path, folder = _OUTSIDE / f"{last}.yaml", folder or before
    return _read(open_sensor_file(path, "sensor"), path, Path(folder or path.parent), wanted)


def is_sensor_file(path: str) -> bool:
    """Whether a path is a YAML file with a pad, so a sensor's and not a scene's."""
    file = Path(path)
    if file.suffix.lower() not in (".yaml", ".yml") or not file.is_file():
        return False
    try:
        node = compose(file)
    except (yaml.YAMLError, UnicodeDecodeError):
        return False
    return isinstance(node, yaml.MappingNode) and any(k.value == "pad" for k, _ in node.value)


# -- reading -----------------------------------------------------------------------------------


def _read(s: Section, path: Path, meshes: Path, quality: Quality) -> SensorModel:
    facts = read_facts(s)
    camera, view = _camera(s.section("camera"))
    pad = s.section("pad")
    mesh, make, reach = _pad(pad, meshes, view, quality)
    # A file that gives elements means them, but another word is asked for on purpose.
    refines = quality.pad is not None or (pad.text("kind") == "box"
                                          and "elements" not in pad.nodes)
    model = SensorModel(
        name=s.text("name"), about=s.text("about", ""), material=read_material(s.section("material")),
        friction=s.number("friction", "", 0, 10, 0.0), camera=camera,
        markers=read_markers(s.section("markers", required=False)), rgb=_rgb(s, path.parent),
        noise=read_noise(s.section("noise", required=False)), facts=facts, file=str(path), mesh=mesh,
        refines=refines, _make=make, quality=quality, _reach=reach)
    s.done()
    return model


def _camera(s: Section) -> tuple[_core.TactileCamera, tuple[float, float]]:
    """The camera, and how much of the rest top it sees along x and y [m]."""
    kind = s.text("kind", among=("orthographic", "pinhole", "fisheye"))
    width, height = s.whole("width", 1, 4096), s.whole("height", 1, 4096)
    if kind == "orthographic":
        pitch = s.number("pitch", "m", 1e-7, 1e-2)
        camera = _core.TactileCamera.orthographic(width, height, pitch)
        view = width * pitch, height * pitch
    else:
        focal, distance = s.number("focal", "", 1, 1e6), s.number("distance", "m", 1e-4, 1)
        if kind == "fisheye":
            camera = _core.TactileCamera.fisheye(width, height, focal, distance)
            far = [math.tan(min(0.5 * n / focal, 1.5)) for n in (width, height)]
        else:
            camera = _core.TactileCamera.pinhole(width, height, focal, distance,
                                                 s.number("k1", "", -100, 100, 0.0),
                                                 s.number("k2", "", -100, 100, 0.0))
            far = [0.5 * n / focal for n in (width, height)]
        view = 2 * distance * far[0], 2 * distance * far[1]
    s.done()
    return camera, view


def _rgb(s: Section, folder: Path) -> str:
    name = s.text("rgb", "")
    if name and not (folder / name).is_file():
        s.fail("rgb", str(folder / name), "is no file", "give it relative to the sensor file",
               s.nodes["rgb"])
    return str(folder / name) if name else ""


def _pad(s: Section, folder: Path, view: tuple[float, float], quality: Quality
         ) -> tuple[str, Callable[[tuple[float, float], Fine | None], Gel],
                    tuple[float, float] | None]:
    """The file of the pad's mesh, if any; what makes the pad, from the centre of its small
    elements; how far from the middle that may be [m], None where they need not move."""
    kind = s.text("kind", among=("box", "round", "mesh"))
    if kind == "mesh":
        file = folder / s.text("mesh")
        unit = s.text("unit", among=("mm", "m"))
        face = s.text("face", "top", among=("top", "bottom"))
        glued = s.number("glued", "m", 1e-5, 0.1) if "glued" in s.nodes else None
        s.done()
        if not file.is_file():
            s.fail("mesh", str(file), "is no file",
                   "give it relative to the sensor file, or the folder that it is in",
                   s.nodes["mesh"])
        if quality.pad is not None:
            refuse_quality(quality.name, file.name)

        def read(at: tuple[float, float], fine: Fine | None) -> Gel:
            if fine is not None:
                refuse_fine(file.name)
            return read_pad(str(file), unit, face, glued)

        return str(file), read, None
    thickness = s.number("thickness", "m", 1e-4, 0.1)
    chamfer = s.number("chamfer", "m", 0, 0.5 * thickness, 0.0)
    own = _grading(s.section("elements", required=False), thickness, view, kind == "box")
    grading = own if quality.pad is None else quality.pad.grading(
        thickness, view, kind == "box")
    if kind == "round":
        radius = s.number("radius", "m", 1e-4, 0.5)
        s.done()

        def make_round(at: tuple[float, float], fine: Fine | None) -> Gel:
            return gel_of(_core.round_pad(radius, thickness, chamfer, grading if fine is None else
                                          fine.round_grading(own, thickness)))

        return "", make_round, None
    width, depth = s.number("width", "m", 1e-4, 1), s.number("depth", "m", 1e-4, 1)
    dome = s.pair("dome", "m", 1e-3, 1e3, (0.0, 0.0))
    rim = _rim(s.section("rim", required=False))
    s.done()

    def make(at: tuple[float, float], fine: Fine | None) -> Gel:
        grading.centre_at = at
        sizes = grading if fine is None else fine.grading(own, thickness)
        return gel_of(_core.box_pad(width, depth, thickness, chamfer, sizes,
                                    dome if dome[0] else None, rim))

    even = grading.even
    covered = all(e >= v * (1 - 1e-9) for e, v in zip(even, view, strict=True))
    reach = (max(0.5 * (width - even[0]) - chamfer, 0.0), max(0.5 * (depth - even[1]) - chamfer, 0.0))
    return "", make, None if covered else reach


def _rim(s: Section | None) -> tuple[float, float, float] | None:
    """How far a rounded rim falls, and its width along x and y [m]."""
    if s is None:
        return None
    drop, width = s.number("drop", "m", 1e-6, 0.1), s.pair("width", "m", 1e-5, 0.5)
    s.done()
    return drop, *width


def _grading(s: Section | None, thickness: float, view: tuple[float, float],
             box: bool) -> _core.PadGrading:
    """Element sizes. Without others the coat is even where the camera sees it, since depth is as
    good as its elements are wide; the layer at the top is thin, which flow needs, and two more
    reach the base. A box has elements twice as wide below the top layer."""
    def size(key: str, default: float) -> float:
        return default if s is None else s.number(key, "m", 5e-5, 0.02, default)

    def ratio(key: str, default: float) -> float:
        return default if s is None else s.number(key, "", 1, 100, default)

    top = size("top", min(0.65e-3, 0.25 * thickness))
    grading = _core.PadGrading(
        top, size("base", 0.54 * thickness), size("centre", 0.6e-3), size("rim", 2.5e-3),
        ratio("growth", 1.5), view if s is None else s.pair("even", "m", 0, 1, view),
        ratio("layer_growth", 1.85))
    below = 2 if s is None else s.whole("below", 1, 2, 2) if box else 1
    grading.widen = box and below == 2
    if s is not None:
        s.done()
    return grading
