"""Movies of a Sim, as MP4. Needs the extra view (pip install haptos[view])."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from haptos.base.errors import refuse
from haptos.look.aim import Aim, Look
from haptos.look.drawing import Ranges
from haptos.look.sheets import picture_of
from haptos.look.snapshots import SimStage

if TYPE_CHECKING:
    from haptos.scene.sim import Sim


def need(module: str) -> Any:
    """A module of the extra view. Raises InputError where it is not installed."""
    import importlib

    try:
        return importlib.import_module(module)
    except ImportError:
        refuse(module, "", "is not installed", "install the extra: pip install 'haptos[view]'")


def save_movie(path: str | os.PathLike[str], frames: Iterable[NDArray[np.uint8]],
               fps: float = 30.0) -> int:
    """Writes pictures (height, width, 3), all of one size, as an MP4 (H.264), whole or not at all.

    Width and height must be even. Returns the number of frames. Raises InputError for a path that
    does not end with .mp4, no frames, and pictures that do not fit.
    """
    path = Path(path)
    if path.suffix != ".mp4":
        refuse("movie", os.fspath(path), "must end with .mp4", "for example run.mp4")
    if not fps > 0:
        refuse("fps", fps, "must be greater than 0", "for example 30")
    ffmpeg = need("imageio_ffmpeg")
    part = path.with_name(path.stem + ".part.mp4")
    writer, count, shape = None, 0, None
    try:
        for image in frames:
            if writer is None:
                shape = image.shape
                if len(shape) != 3 or shape[2] != 3 or shape[0] % 2 or shape[1] % 2:
                    refuse("movie frame", f"shape {shape}", "must be (even, even, 3)",
                           "choose an even width and height")
                writer = ffmpeg.write_frames(os.fspath(part), (shape[1], shape[0]), fps=fps,
                                             macro_block_size=1, output_params=["-crf", "20"])
                writer.send(None)
            if image.shape != shape or image.dtype != np.uint8:
                refuse("movie frame", f"{image.dtype} {image.shape}", f"must be bytes {shape}",
                       "make all of one size")
            writer.send(np.ascontiguousarray(image))
            count += 1
        if writer is None:
            refuse("movie", "", "has no frames", "give at least one")
        writer.close()
        writer = None
        os.replace(part, path)
    finally:
        if writer is not None:
            writer.close()
        part.unlink(missing_ok=True)
    return count


def record_movie(path: str | os.PathLike[str], sim: Sim, seconds: float, *, fps: float = 30.0,
                 width: int = 960, height: int = 720, look: Look | None = None,
                 images: bool = False, progress: Callable[[float], Any] | None = None) -> int:
    """Runs a Sim of one environment and films it in real time; returns the number of frames.

    seconds: simulated time; look: how it is drawn, in place of width and height; images: whether
    the images of its sensors are beside it; progress(part done) is called along the way. The
    picture holds all that the bodies do in that time, so the moments are kept and drawn at the end.
    """
    if sim.envs != 1:
        refuse("movie", f"{sim.envs} environments", "films one", "compile the scene with envs=1")
    if not (seconds > 0 and np.isfinite(seconds)):
        refuse("seconds", seconds, "must be greater than 0", "give it in s")
    look = look or Look(width=width, height=height)
    taker = SimStage(sim)
    fields = (look.color,) if look.color else ()
    aim, ranges, snaps = Aim(taker.stage, look), Ranges(), []

    def note() -> None:
        snaps.append(taker.take(fields, images))
        ranges.grow(taker.stage, snaps[-1])
        aim.add(snaps[-1])

    start = float(sim.time[0])
    note()
    while sim.time[0] - start < seconds - 0.5 * sim.dt:
        sim.step()
        if sim.time[0] - start >= len(snaps) / fps - 0.5 * sim.dt:
            note()
            if progress is not None:
                progress(0.5 * min(1.0, (sim.time[0] - start) / seconds))
    look = aim.look()

    def drawn() -> Iterable[NDArray[np.uint8]]:
        for k, snap in enumerate(snaps):
            yield picture_of(taker.stage, snap, look, ranges, images)
            if progress is not None:
                progress(0.5 + 0.5 * (k + 1) / len(snaps))

    return save_movie(path, drawn(), fps)
