"""Scenes from YAML: the core reads the file, Python brings what the core has no program for."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from haptos import _core
from haptos.base.errors import refuse
from haptos.robots.visual_files import read_solid
from haptos.scene.scene import Scene
from haptos.tactile.pad_sets import load_pad_set
from haptos.tactile.sensor_models import load_sensor

if TYPE_CHECKING:
    from haptos.meshes.tets import TetProgress


def load_scene(path: str | os.PathLike[str], *,
               progress: Callable[[str, TetProgress], None] | None = None) -> Scene:
    """The scene of a YAML file. Raises InputError that names file and line.

    A soft body that is given by its surface is filled with tetrahedra here, or taken from the cache
    of earlier ones (haptos.meshes.cache); progress: called meanwhile with the surface's file name and
    how far it is. Tactile sensors and sets of pads are read here too, since what colours them are
    pictures and archives of numpy; the core puts them into the scene.
    """

    def fill(surface: _core.TriMesh, name: str, size: float, epsilon: float,
             seed: int) -> _core.TetMesh:
        from haptos.meshes.tets import make_tets

        def told(now: TetProgress) -> None:
            if progress:
                progress(os.path.basename(name), now)

        return make_tets(surface, size, epsilon=epsilon or None, seed=seed, cache=True,
                         progress=told, name="").mesh

    def mjcf(file: str, root: str, key: str, hulls: bool) -> _core.Robot:
        from haptos.robots.mjcf import load_mjcf

        return load_mjcf(file, key=key or None, hulls=hulls, roots=[root]).robot

    def sensor(body: str, name: str, root: str, folder: str,
               near: tuple[float, float], quality: str) -> tuple[Any, ...]:
        model = load_sensor(name, folder or None, quality=quality or None)
        for file in (model.mesh, model.rgb):
            _stay_inside(file, root, f'sensor "{model.name}"')
        gel = model.gel_near(near)
        return gel.mesh, gel.base, gel.coat, dict(model.material), model.friction, model.spec()

    def pads(robot: str, name: str, root: str, folder: str) -> tuple[Any, ...]:
        made = load_pad_set(name, folder or None)
        for file in made.files:
            _stay_inside(file, root, f'pad set "{made.name}"')
        rows = [(p.name, p.link, (p.gel.mesh, p.gel.base, p.gel.coat, dict(made.material),
                                  made.friction, made.spec(p)), p.position, p.quaternion)
                for p in made.pads]
        return rows, made.touch_robot

    scene = Scene()
    scene._core = _core.load_scene(os.fspath(path), fill, mjcf, sensor, pads, read_solid)
    with open(path, encoding="utf-8", errors="replace") as f:
        scene.text = f.read()
    return scene


def _stay_inside(file: str, root: str, what: str) -> None:
    """Refuses a file that a part of a scene names outside what a scene may name."""
    allowed = [root, *os.environ.get("HAPTOS_ASSET_ROOTS", "").split(":"),
               str(Path(_core.__file__).parent)]
    real = Path(file).resolve()
    if file and not any(real.is_relative_to(Path(r).resolve()) for r in allowed if r):
        refuse(what, f'"{file}"', "leads out of the scene's folder",
               "put the file beside the scene, or list its folder in HAPTOS_ASSET_ROOTS")
