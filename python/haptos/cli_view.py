"""haptos view: a scene or a robot in the browser, or on film."""

from __future__ import annotations

from pathlib import Path

from haptos.cli_robots import parse_packages
from haptos.console import say
from haptos.errors import refuse
from haptos.movies import record_movie
from haptos.robots import ROBOT_SUFFIXES, load_robot
from haptos.scene import Scene, load_scene
from haptos.sim import Sim
from haptos.viewer import Viewer


def view_file(file: str, movie: str | None, seconds: float, fps: float, host: str, port: int,
              packages: list[str], overwrite: bool) -> None:
    """Opens a page on the file, or writes a movie of it."""
    suffix = Path(file).suffix.lower()
    if suffix not in (".yaml", ".yml", *ROBOT_SUFFIXES):
        refuse("view", file, "must be a scene or a robot",
               "its name must end with .yaml or one of " + " ".join(ROBOT_SUFFIXES))
    if movie is not None and Path(movie).exists() and not overwrite:
        refuse("--movie", movie, "exists already", "choose another name, or add --overwrite")
    is_scene = suffix in (".yaml", ".yml")
    if not is_scene and movie is not None:
        refuse("--movie", movie, "is for scenes", "make a scene of the robot")
    sim = load_scene(file).compile() if is_scene else _robot_sim(file, packages)
    for warning in sim.warnings:
        say("warning", [warning])
    if movie is not None:
        count = record_movie(movie, sim, seconds, fps=fps)
        print(f"movie: {movie}, {count} frames")
        return
    with Viewer(sim, host=host, port=port, steps=is_scene) as viewer:
        print(f"open {viewer.url} in a browser; Ctrl-C ends", flush=True)
        viewer.run()


def _robot_sim(file: str, packages: list[str]) -> Sim:
    """A robot alone, to look at."""
    scene = Scene(gravity=(0, 0, 0))
    scene.add_robot("robot", load_robot(file, packages=parse_packages(packages)))
    return scene.compile()
