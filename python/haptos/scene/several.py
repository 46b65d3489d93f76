"""One Sim of several scenes, an environment of each."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from haptos.base.errors import refuse
from haptos.meshes.given import kind_of
from haptos.scene.scene import Scene
from haptos.scene.sim import Sim
from haptos.scene.strictness import strictness, warn_of


def compile_scenes(scenes: Sequence[Scene], *, strict: bool | None = None, quiet: bool = False,
                   progress: Callable[[str, float], object] | None = None) -> Sim:
    """Makes a Sim with an environment for each scene, for what no factor changes: sizes of meshes,
    materials, stiffness of contact, paths, where bodies begin, options.

    scenes: alike but for numbers. They have the same bodies by name, surfaces of the same triangles, the same
    joints, motors and sensors, and the same time step; a scene that is there many times is compiled
    once. strict, quiet, progress: as of Scene.compile(). Each environment has the bits of its scene
    compiled alone. Raises InputError for a scene that cannot run or is not alike, by its number.
    """
    if isinstance(scenes, Scene) or not isinstance(scenes, Sequence) or not scenes:
        refuse("scenes", kind_of(scenes), "must be a list of haptos.Scene, one for each environment",
               "copies of one scene are scene.compile(envs=...)")
    for k, scene in enumerate(scenes):
        if not isinstance(scene, Scene):
            refuse(f"scenes[{k}]", kind_of(scene), "must be a haptos.Scene", "make it with haptos.Scene()")
    with strictness(scenes, strict):
        sim = Sim(list(scenes), progress=progress)
    if not quiet:
        warn_of(sim.warnings)
    return sim
