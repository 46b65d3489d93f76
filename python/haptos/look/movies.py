"""Movies of a Sim, as MP4, which needs the extra view (pip install haptos[view]), or as GIF."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray
from PIL import Image as Pil

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


MOVIES = (".mp4", ".gif")
GIF_FPS = 50.0  # at most: a GIF counts in hundredths of a second, and viewers slow down one of them
_GIF_BYTES = 256 * 2**20  # of its frames, which are kept until their common colours are known
_GIF_SAMPLES = 8  # frames that the colours are taken from
_GIF_EXACT = 8  # colours that are kept as they are


def save_movie(path: str | os.PathLike[str], frames: Iterable[NDArray[np.uint8]],
               fps: float = 30.0) -> int:
    """Writes pictures (height, width, 3), all of one size, as an MP4 (H.264) or, where the path ends
    with .gif, as a GIF that repeats; whole or not at all.

    Width and height of an MP4 must be even. A GIF has 256 colours, at most 50 frames a second, and
    is for short films. Returns the number of frames. Raises InputError for a path that ends with
    neither, no frames, and pictures that do not fit.
    """
    path = Path(path)
    if path.suffix not in MOVIES:
        refuse("movie", os.fspath(path), "must end with .mp4 or .gif", "for example run.mp4")
    if not fps > 0:
        refuse("fps", fps, "must be greater than 0", "for example 30")
    part = path.with_name(f"{path.stem}.part{path.suffix}")
    try:
        count = (_write_mp4 if path.suffix == ".mp4" else _write_gif)(part, frames, fps)
        os.replace(part, path)
    finally:
        part.unlink(missing_ok=True)
    return count


def _alike(frames: Iterable[NDArray[np.uint8]], even: bool) -> Iterable[NDArray[np.uint8]]:
    """The frames, once each is found to be a picture like the first one."""
    shape = None
    for image in frames:
        if shape is None:
            shape = image.shape
            if len(shape) != 3 or shape[2] != 3 or (even and (shape[0] % 2 or shape[1] % 2)):
                refuse("movie frame", f"shape {shape}",
                       "must be (even, even, 3)" if even else "must be (height, width, 3)",
                       "choose an even width and height" if even else "draw in three colours")
        if image.shape != shape or image.dtype != np.uint8:
            refuse("movie frame", f"{image.dtype} {image.shape}", f"must be bytes {shape}",
                   "make all of one size")
        yield np.ascontiguousarray(image)
    if shape is None:
        refuse("movie", "", "has no frames", "give at least one")


def _write_mp4(part: Path, frames: Iterable[NDArray[np.uint8]], fps: float) -> int:
    ffmpeg = need("imageio_ffmpeg")
    writer, count = None, 0
    try:
        for image in _alike(frames, even=True):
            if writer is None:
                writer = ffmpeg.write_frames(os.fspath(part), (image.shape[1], image.shape[0]),
                                             fps=fps, macro_block_size=1,
                                             output_params=["-crf", "20"])
                writer.send(None)
            writer.send(image)
            count += 1
    finally:
        if writer is not None:
            writer.close()
    return count


def _colours(frames: list[NDArray[np.uint8]]) -> NDArray[np.uint8]:
    """A table (256, 3) of colours for all frames.

    A colour weighs by the root of the number of its pixels, so that small things, such as the
    bright end of a scale, keep theirs beside a large background. The commonest are kept as they are.
    """
    chosen = np.unique(np.linspace(0, len(frames) - 1, _GIF_SAMPLES).round().astype(int))
    packed, counts = np.unique(np.concatenate([_packed(frames[k]).ravel() for k in chosen]),
                               return_counts=True)
    coarse, into = np.unique(packed & 0xFCFCFC, return_inverse=True)  # 64 shades of each colour
    weights = np.ceil(np.sqrt(np.bincount(into, counts))).astype(int)
    pixels = np.repeat(_unpacked(coarse + 0x020202), weights, axis=0)
    found = Pil.fromarray(pixels[None]).quantize(256, kmeans=3).getpalette()
    table = np.zeros((256, 3), np.uint8)
    table.ravel()[:len(found)] = found
    for colour in _unpacked(packed[np.argsort(counts)[-_GIF_EXACT:]]):
        table[_nearest(colour[None], table)] = colour
    return table


def _packed(image: NDArray[np.uint8]) -> NDArray[np.int64]:
    return image.astype(np.int64) @ [65536, 256, 1]


def _unpacked(colours: NDArray[np.int64]) -> NDArray[np.uint8]:
    return np.stack([colours >> 16, colours >> 8 & 255, colours & 255], axis=1).astype(np.uint8)


def _nearest(colours: NDArray[np.uint8], table: NDArray[np.uint8]) -> NDArray[np.int64]:
    """The numbers in the table of the colours nearest to some (n, 3)."""
    a, b = colours.astype(float), table.astype(float)
    return ((b * b).sum(axis=1) - 2 * a @ b.T).argmin(axis=1)


def _in_table(image: NDArray[np.uint8], table: NDArray[np.uint8]) -> Pil.Image:
    """A picture in the colours of the table. Pillow's own way is not the nearest colour."""
    colours, which = np.unique(_packed(image), return_inverse=True)
    numbers = _nearest(_unpacked(colours), table).astype(np.uint8)[which]
    out = Pil.fromarray(numbers.reshape(image.shape[:2]), "P")
    out.putpalette(table.ravel().tolist())
    return out


def _write_gif(part: Path, frames: Iterable[NDArray[np.uint8]], fps: float) -> int:
    """All frames share one table of colours: what does not change takes no room, nor does it flicker."""
    if fps > GIF_FPS:
        refuse("fps", fps, f"must be at most {GIF_FPS:g} for a GIF", "write an .mp4")
    kept: list[NDArray[np.uint8]] = []
    for image in _alike(frames, even=False):
        kept.append(image)
        if len(kept) * image.nbytes > _GIF_BYTES:
            refuse("movie", f"{len(kept)} frames", "are too many for a GIF",
                   "make them smaller or fewer, or write an .mp4")
    table = _colours(kept)
    pictures = [_in_table(image, table) for image in kept]
    # In ms, each a multiple of 10, so that their sum is the length of the film.
    ends = np.round(100 / fps * np.arange(len(kept) + 1)).astype(int) * 10
    pictures[0].save(part, format="GIF", save_all=True, append_images=pictures[1:],
                     duration=np.diff(ends).tolist(), loop=0, optimize=False)
    return len(kept)


def record_movie(path: str | os.PathLike[str], sim: Sim, seconds: float, *, fps: float = 30.0,
                 width: int = 960, height: int = 720, look: Look | None = None,
                 images: bool = False, progress: Callable[[float], Any] | None = None) -> int:
    """Runs a Sim of one environment and films it in real time, as an .mp4 or a .gif; returns the
    number of frames.

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
