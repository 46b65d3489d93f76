"""What haptos view and haptos render open: scenes, robots, recordings, folders of results."""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import Any

from haptos.base.errors import refuse
from haptos.cli.meshes import compile_telling, load_scene_telling
from haptos.cli.robots import parse_packages, parse_roots
from haptos.cli.runs import _add_sensors, _steps_of
from haptos.press.press import Press, prepare
from haptos.record.replay import Recording
from haptos.robots.load import ROBOT_SUFFIXES, load_robot
from haptos.scene.scene import Scene
from haptos.scene.sim import Sim

SCENES = (".yaml", ".yml")
RECORDINGS = (".h5", ".hdf5", ".part")
_MOST_NAMED = 8


def is_scene(file: str) -> bool:
    """Whether a file is a scene by its name."""
    return Path(file).suffix.lower() in SCENES


def open_shown(file: str, packages: list[str] | None = None,
               roots: list[str] | None = None) -> Sim | Recording:
    """A Sim of a scene or of a robot alone, or a recording. Raises InputError.

    packages, roots: of a robot, as --package and --root give them.
    """
    path = Path(file)
    suffix = path.suffix.lower()
    for name, given in (("--package", packages), ("--root", roots)):
        if given and suffix not in ROBOT_SUFFIXES:
            refuse(name, " ".join(given), "is for the file of a robot", "leave it out")
    if path.is_dir():
        return Recording(recording_in(path))
    if suffix in RECORDINGS:
        return Recording(path)
    if suffix not in (*SCENES, *ROBOT_SUFFIXES):
        refuse("file", file, "must be a scene, a robot, a recording or a folder of results",
               "its name must end with one of " + " ".join((*SCENES, *RECORDINGS, *ROBOT_SUFFIXES))
               if path.exists() else "check the path")
    if suffix in ROBOT_SUFFIXES:
        scene = Scene(gravity=(0, 0, 0))
        scene.add_robot("robot", load_robot(file, packages=parse_packages(packages or []),
                                             roots=parse_roots(roots)))
        return scene.compile(quiet=True)
    scene = load_scene_telling(file)
    _add_sensors(scene, scene.entries())
    return compile_telling(scene)


def recording_in(folder: Path) -> Path:
    """The run.h5 of a folder of results, or what a killed run left of it. Raises InputError."""
    for name in ("run.h5", "run.h5.part"):
        if (folder / name).is_file():
            return folder / name
    below = sorted(p.parent.name for p in folder.glob("*/run.h5"))
    if below:
        more = f" and {len(below) - _MOST_NAMED} more" if len(below) > _MOST_NAMED else ""
        refuse("folder", str(folder), f"holds {len(below)} runs: "
               + ", ".join(below[:_MOST_NAMED]) + more,
               f"name one of them, for example {folder / below[0]}")
    refuse("folder", str(folder), "holds no run.h5", "haptos run and haptos press write one")


def scene_end(file: str) -> float:
    """When `haptos run` ends a scene: its last keyframe, or 1 s [s]."""
    scene = load_scene_telling(file)
    return _steps_of(scene, None) * scene.sim.dt


def press_of(recording: Recording) -> dict[str, Any] | None:
    """What prepare() is to be given for the press of a recording; None where it is of no press."""
    kept = recording.settings
    if not {"shape", "at", "material", "contact", "newton"} <= set(kept):
        return None
    options = {f"{group}.{name}": value for group in ("material", "contact", "newton")
               for name, value in kept[group].items() if not isinstance(value, bool)}
    how: dict[str, Any] = {"shape": kept["shape"], "at": tuple(kept["at"]), "options": options}
    words = _options(recording.command)
    sensor = kept.get("sensor", words.get("sensor"))
    how |= {"sensor": sensor} if sensor else {"pad": kept.get("pad", "box")}
    for name in ("unit", "face", "pad_face"):
        if name in words:
            how[name] = words[name]
    how["seed"] = int(kept.get("seed", words.get("seed", 1)))
    how["friction"] = kept.get("friction")
    how["quality"], how["elements"] = kept.get("quality"), kept.get("elements")
    return how


def _own(recording: Recording, what: str, value: object) -> str:
    """A name, or a file that a recording may have opened: beside it or in the working folder, links
    followed. A recording may come from anywhere; it names no other file of this computer."""
    text = str(value)
    try:
        path = Path(text)
        if not (path.suffix or len(path.parts) != 1 or path.exists()):
            return text  # a name
        real = path.resolve()
        if any(real.is_relative_to(folder.resolve())
               for folder in (Path.cwd(), recording.path.parent)):
            return text
    except (OSError, ValueError, RuntimeError):  # no path at all
        text = text[:80]
    refuse(what, text, "is a file outside of the recording's folder and of the working folder, "
           "which no recording may open",
           "press it anew with haptos press, or start in the folder that holds it",
           file=str(recording.path))


def _options(command: str) -> dict[str, str]:
    """Options with a value, of a command as it was typed."""
    try:
        words = shlex.split(command)
    except ValueError:
        return {}
    out = {}
    for k, word in enumerate(words):
        if word.startswith("--"):
            name, equals, value = word[2:].partition("=")
            if not equals and k + 1 < len(words):
                value = words[k + 1]
            out[name.replace("-", "_")] = value
    return out


def live_press(recording: Recording) -> Press:
    """The press of a recording from its start, to go on with by hand. Raises InputError where its
    files are not there any more, or lie where no recording may open them."""
    how = press_of(recording)
    if how is None:
        refuse("recording", str(recording.path), "is of no press", "haptos press writes one")
    for name in ("shape", "pad", "sensor"):
        if name in how:
            how[name] = _own(recording, name, how[name])
    return prepare(how.pop("shape"), **how)
