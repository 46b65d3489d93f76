"""haptos render: a picture or a movie of a scene, a robot, a recording or a press; no display."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple

import numpy as np
import typer

from haptos import _core
from haptos.base.console import say
from haptos.base.errors import refuse
from haptos.base.progress import Bar, Stopper
from haptos.base.units import parse_quantity, show_time
from haptos.cli.shown_files import is_scene, open_shown, scene_end
from haptos.look.aim import CAMERAS, Aim, Look, camera_direction
from haptos.look.colours import read_pairs
from haptos.look.drawing import ARROWS, OBJECTS, Image, Ranges
from haptos.look.images import save_png
from haptos.look.movies import GIF_FPS, MOVIES, need, save_movie
from haptos.look.sheets import picture_of
from haptos.look.snapshots import FIELDS, Snapshot, SimStage, Stage
from haptos.record.replay import Recording
from haptos.scene.sim import Sim

MAX_FRAMES = 100_000
_SCANNED = 48  # frames of a recording that are looked at for scales and for what is in the picture
_SIZE = (1280, 720)  # of a picture where none is asked for
_SHORT, _SLOWED = 2.0, 4.0  # a recording shorter than this is slowed to last this long [s]


class Moments(NamedTuple):
    """What a file shows over time."""

    stage: Stage
    times: np.ndarray  #: of each moment [s]
    take: Callable[[int], Snapshot]
    ranges: Ranges
    look: Look  #: whose camera holds all of them
    view: Callable[[int], Image] | None = None  #: what a camera of the scene sees instead

    def picture(self, k: int, images: bool) -> Image:
        """Of one of them; images: of the sensors beside it."""
        return (picture_of(self.stage, self.take(k), self.look, self.ranges, images) if self.view is None
                else self.view(k))


class Asked(NamedTuple):
    """What was asked for besides the file."""

    out: str | None
    overwrite: bool
    time: float | None  #: of a picture [s]
    frame: int | None
    seconds: float | None  #: simulated, of a scene
    speed: float | None  #: of a movie; 1 is real time
    fps: float
    images: bool
    packages: list[str]
    roots: list[str]
    through: str = ""  #: a camera of the scene


def scene_camera(camera: str | None) -> str:
    """What --camera gives that may be the name of a camera of the scene; "" for what cannot."""
    return "" if camera is None or "," in camera else camera


def parse_look(camera: str | None, color: list[str], objects: str | None, forces: str, markers: bool,
               size: str, target: str | None = None, distance: str | None = None,
               follow: str = "") -> Look:
    """The Look of options; color: what the gel is coloured by, and BODY=COLOUR. Raises
    InputError."""
    fields, colors = read_pairs(color)
    if len(fields) > 1:
        refuse("--color", " and ".join(fields), "are two ways to colour the gel", "leave one out")
    shown = fields[0] if fields else "none"
    for option, value, known in (("--color", shown, ("none", *FIELDS)),
                                 ("--objects", objects or "solid", OBJECTS),
                                 ("--forces", forces, ARROWS)):
        if value not in known:
            refuse(option, value, "must be one of " + ", ".join(known)
                   + (", or BODY=COLOUR" if option == "--color" else ""), "choose one")
    width, cross, height = size.lower().partition("x")
    if not (cross and width.isascii() and width.isdigit() and height.isascii()
            and height.isdigit() and 16 <= int(width) <= 8192 and 16 <= int(height) <= 8192):
        refuse("--size", size, "must be WIDTHxHEIGHT, each from 16 to 8192 pixels",
               "for example 1280x720")
    own = scene_camera(camera)  # looked for once the file is open
    place = camera_direction("above" if camera is None or (own and own not in CAMERAS) else camera)
    return Look(camera=place, color="" if shown == "none" else shown,
                objects=objects or ("solid" if shown == "none" else "ghost"), arrows=forces,
                markers=markers, width=int(width), height=int(height), legend=True,
                colors=colors,
                target=None if target is None else _target(target), follow=follow,
                distance=None if distance is None else parse_quantity(distance, "m", "--distance"))


def _target(text: str) -> str | tuple[float, ...]:
    """A body's name, or three lengths [m]."""
    parts = text.split(",")
    if len(parts) == 1:
        return text
    if len(parts) != 3:
        refuse("--target", text, "must be a body's name or X,Y,Z", "for example 0,0,5cm")
    return tuple(parse_quantity(p, "m", "--target") for p in parts)


def check_out(file: str, asked: Asked, look: Look) -> Path:
    """Where to write, before anything is computed. Raises InputError."""
    path = Path(asked.out) if asked.out else Path(f"{Path(file).resolve().stem}.png")
    movie = path.suffix in MOVIES
    if not movie and path.suffix.lower() != ".png":
        refuse("--out", path, "must end with .png, .mp4 or .gif", "for example press.png")
    if path.is_dir():
        refuse("--out", path, "is a folder", "name a file in it")
    if path.exists() and not asked.overwrite:
        refuse("--out", path, "exists already", "choose another name, or add --overwrite")
    if not path.parent.is_dir():
        refuse("--out", path, f"cannot be made: there is no folder {path.parent}",
               "make it, or name another")
    if not os.access(path.parent, os.W_OK | os.X_OK):
        refuse("--out", path, f"cannot be made: {path.parent} may not be written to",
               "name another folder")
    if path.suffix == ".mp4":
        need("imageio_ffmpeg")
        if look.width % 2 or look.height % 2:
            refuse("--size", f"{look.width}x{look.height}", "must be even for a movie",
                   "for example 1280x720")
    if movie:
        most = 240 if path.suffix == ".mp4" else GIF_FPS
        if not (np.isfinite(asked.fps) and 0.1 <= asked.fps <= most):
            refuse("--fps", asked.fps, f"must be from 0.1 to {most:g}", "for example 30")
        for name, value in (("--time", asked.time), ("--frame", asked.frame)):
            if value is not None:
                refuse(name, value, "is for a picture", "leave it out, or name a .png")
    elif asked.speed is not None:
        refuse("--speed", asked.speed, "is for a movie", "leave it out, or name an .mp4")
    if asked.time is not None and asked.frame is not None:
        refuse("--time and --frame", "", "cannot both be given", "leave one out")
    for name, value in (("--speed", asked.speed), ("--seconds", asked.seconds)):
        if value is not None and not (np.isfinite(value) and value > 0):
            refuse(name, value, "must be greater than 0", "for example 1")
    if asked.time is not None and not (np.isfinite(asked.time) and asked.time >= 0):
        refuse("--time", asked.time, "must be 0 or more", "for example 0.5s")
    return path


def render_file(file: str, look: Look, asked: Asked) -> None:
    """Draws the file as a PNG, an MP4 or a GIF. Ctrl-C ends a movie early, as a whole file."""
    path = check_out(file, asked, look)
    movie = path.suffix in MOVIES
    with Stopper("stopping after this frame; once more stops at once") as stopper:
        source = open_shown(file, asked.packages, asked.roots)
        asked = _through(source, look, asked, movie and path.suffix == ".mp4")
        if isinstance(source, Recording):
            if asked.seconds is not None:
                refuse("--seconds", asked.seconds, "is for scenes", "--speed makes a recording "
                       "last longer")
            if look.color and look.color not in source.fields:
                refuse("--color", look.color, f"is not in {file}",
                       "record it anew, or choose " + (" or ".join(source.fields) or "none"))
            moments = _recorded(source, look, asked, movie)
        else:
            for warning in source.warnings:
                say("warning", [warning])
            moments = _simulated(source, file, look, asked, movie, stopper)
        if not movie:
            if stopper.signal:
                raise typer.Exit(stopper.exit_code)
            last = len(moments.times) - 1
            image = moments.picture(last, asked.images)
            save_png(path, image)
            print(f"picture: {path}, {image.shape[1]} x {image.shape[0]}, at {moments.times[last]:.6g} s")
            return
        wanted, made = _film(path, moments, asked, stopper)
        early = f" of {wanted}, stopped early" if made < wanted else ""
        print(f"movie: {path}, {made} frames{early}, {show_time(made / asked.fps)}")
    if stopper.signal:
        raise typer.Exit(stopper.exit_code)


def _through(source: Sim | Recording, look: Look, asked: Asked, mp4: bool) -> Asked:
    """With the camera of the scene that --camera names, if any: a scene's own comes before the places to look
    from. Raises InputError where there is none of that name, or where something is asked that it does not do."""
    cameras = list(source.cameras)
    if not asked.through or (asked.through in CAMERAS and asked.through not in cameras):
        return asked._replace(through="")
    if asked.through not in cameras:
        known = [*CAMERAS, *cameras]
        near = _core.nearest_name(asked.through, known)
        refuse("--camera", asked.through, "must be one of " + ", ".join(CAMERAS)
               + ", AZIMUTH,ELEVATION in degrees, or a camera of the scene" + (
                   ": " + ", ".join(cameras) if cameras else ", which has none"),
               f'did you mean "{near}"?' if near else "for example 30,40")
    for option, given in (("--color", bool(look.color or look.colors)), ("--forces", look.arrows != "none"),
                          ("--markers", look.markers), ("--images", asked.images), ("--target", look.target is not None),
                          ("--distance", look.distance is not None), ("--follow", bool(look.follow)),
                          ("--size", (look.width, look.height) != _SIZE), ("--objects", look.objects != "solid")):
        if given:
            refuse(option, "", f'is not for the camera "{asked.through}" of the scene, which shows what it sees',
                   "leave it out")
    if mp4:
        shape = (source.view(asked.through, 0).depth.shape if isinstance(source, Recording) else
                 (source.cameras[asked.through].height, source.cameras[asked.through].width))
        if shape[0] % 2 or shape[1] % 2:
            refuse("--camera", asked.through, f"is of {shape[1]} x {shape[0]} pixels, which must be even for an .mp4",
                   "name a .gif, or change width and height of the camera")
    return asked


def _fields(look: Look) -> tuple[str, ...]:
    return (look.color,) if look.color else ()


def _recorded(source: Recording, look: Look, asked: Asked, movie: bool) -> Moments:
    aim = Aim(source.stage, look, "--")
    count = len(source)
    if asked.time is not None and asked.time > source.times[-1] + 0.5 * source.dt:
        refuse("--time", asked.time, f"is after the last frame, at {source.times[-1]:.6g} s",
               "choose an earlier one")
    chosen = (source.nearest(asked.time) if asked.time is not None else
              count - 1 if asked.frame is None else asked.frame)
    if not -count <= chosen < count:
        refuse("--frame", chosen, f"must be from 0 to {count - 1}", "choose another one")

    def take(k: int) -> Snapshot:
        return source.take(k, _fields(look), asked.images)

    if asked.through:
        frames = source.times if movie else source.times[[chosen]]
        return Moments(source.stage, frames, take, Ranges(), look,
                       lambda k: source.view(asked.through, k if movie else chosen).rgb)
    # Scales and the picture's frame are those of the whole recording, in pictures too.
    scanned = np.unique(np.linspace(0, count - 1, min(count, _SCANNED)).round().astype(int))
    ranges = Ranges()
    for k in scanned if movie else (chosen, *scanned):  # a target is where it is in the first one
        snap = take(int(k))
        ranges.grow(source.stage, snap)
        aim.add(snap)
    if movie:
        return Moments(source.stage, source.times, take, ranges, aim.look())
    return Moments(source.stage, source.times[[chosen]], lambda _: take(chosen), ranges,
                   aim.look())


def _simulated(sim: Sim, file: str, look: Look, asked: Asked, movie: bool,
               stopper: Stopper) -> Moments:
    """Runs a scene; of a picture only the end is kept, of a movie what it shows."""
    if look.color and not sim.names(FIELDS[look.color].of):
        kind = "a soft body" if FIELDS[look.color].of == "soft" else "material points"
        refuse("--color", look.color, f"is for scenes with {kind}", "leave it out")
    if asked.frame is not None and asked.frame < 0:
        refuse("--frame", asked.frame, "must be 0 or more in a scene", "it counts steps")
    end = (0.0 if not is_scene(file) else asked.time if asked.time is not None else
           asked.frame * sim.dt if asked.frame is not None else
           asked.seconds if asked.seconds is not None else scene_end(file))
    steps = round(end / sim.dt)
    if steps > 10_000_000:
        refuse("--time", f"{end:g} s", f"makes {steps} steps", "choose an earlier one")
    taker = SimStage(sim)
    aim, ranges, snaps = Aim(taker.stage, look, "--"), Ranges(), []
    times: list[float] = []
    seen: list[Image] = []  # through a camera of the scene
    apart = (asked.speed or 1.0) / asked.fps  # of frames [s]

    def note() -> None:
        times.append(float(sim.time[0]))
        if asked.through:
            seen.append(sim.cameras[asked.through].rgb()[0])
            return
        snaps.append(taker.take(_fields(look), asked.images))
        ranges.grow(taker.stage, snaps[-1])
        aim.add(snaps[-1])

    if movie or steps == 0:
        note()
    if steps:
        with Bar("simulate", steps) as bar:
            for k in range(1, steps + 1):
                if stopper.signal:
                    break
                sim.step()
                bar.advance(f"{sim.time[0]:.4g} s")
                if k == steps or (movie and k * sim.dt >= len(times) * apart - 0.5 * sim.dt):
                    note()
    if not times:
        note()
    if asked.through:
        return Moments(taker.stage, np.array(times), snaps.__getitem__, ranges, look, seen.__getitem__)
    return Moments(taker.stage, np.array(times), snaps.__getitem__, ranges, aim.look())


def _film(path: Path, moments: Moments, asked: Asked, stopper: Stopper) -> tuple[int, int]:
    """Writes a movie; returns the frames that were wanted and those that were made."""
    times = moments.times
    span = float(times[-1] - times[0])
    speed = asked.speed
    if speed is None:
        speed = span / _SLOWED if 0 < span < _SHORT else 1.0
        if speed != 1.0:
            say("note", [f"The run lasts {show_time(span)}; it is shown {1 / speed:.3g} times "
                         "slower. --speed 1 is real time."])
    wanted = max(1, int(np.floor(span / speed * asked.fps + 1e-6)) + 1)
    if wanted > MAX_FRAMES:
        refuse("--speed", speed, f"makes {wanted} frames", f"at most {MAX_FRAMES} are drawn")

    def drawn() -> Iterator[Image]:
        last, image = -1, None
        with Bar("draw", wanted) as bar:
            for k in range(wanted):
                if stopper.signal and image is not None:
                    return
                at = times[0] + k * speed / asked.fps
                found = max(0, int(np.searchsorted(times, at + 1e-9 * (1 + abs(at)), "right")) - 1)
                found = len(times) - 1 if k == wanted - 1 else found
                if found != last or image is None:
                    image = moments.picture(found, asked.images)
                    last = found
                bar.advance(f"{times[found]:.4g} s")
                yield image

    return wanted, save_movie(path, drawn(), asked.fps)
