"""RGB images of tactile sensors: from lights or tables, with noise; their files."""

from __future__ import annotations

import io
import os
import zipfile
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from PIL import Image

from haptos import _core
from haptos._core import (
    LightRig,
    PhotometricModel,
    RgbTable,
    ShadowTable,
    TactileCamera,
    TactileLight,
    TactileNoise,
    normals_from_depth,
)
from haptos.base.errors import InputError, refuse
from haptos.base.units import parse_quantity

if TYPE_CHECKING:
    from haptos.calibration.calibration import Calibration

__all__ = [
    "LightRig", "PhotometricModel", "RgbSensor", "RgbTable", "ShadowTable", "TactileLight",
    "TactileNoise", "calibrate", "load_rgb", "normals_from_depth", "read_image", "read_table",
    "write_table",
]

MOST_PIXELS = 1 << 26  #: of an image file
MOST_BYTES = 512 << 20  #: of an array file, unpacked
COLOURS = "rgb"


class RgbSensor:
    """An RGB model with its noise, ready to make images of one sensor. Made by load_rgb()."""

    def __init__(self, model: PhotometricModel | RgbTable, noise: TactileNoise | None = None,
                 *, pitch: float = 0.0, name: str = "", seed: int = 0,
                 others: Sequence[PhotometricModel | RgbTable] = ()) -> None:
        self.model = model
        self.others = tuple(others)  #: models with other backgrounds, one of which may be drawn
        self.noise = noise if noise is not None else TactileNoise()
        self.noise.check()
        self.pitch = pitch
        self.name = name
        self.seed = seed

    @property
    def background(self) -> NDArray[np.float32]:
        """What the sensor shows without contact, (height, width, 3) grey values."""
        return self.model.background

    def image(self, depth: ArrayLike, normal: ArrayLike, *, env: int = 0,
              sample: int = 0, seed: int | None = None) -> NDArray[np.uint8]:
        """The image (height, width, 3) of a depth image [m] and its normals (3, height, width).

        env, sample: which random numbers the noise takes; seed: in place of the sensor's. Without
        noise and other backgrounds they do nothing.
        """
        n = self.noise
        key = _core.tactile_noise_key(self.seed if seed is None else seed, env, self.name)
        if n.on_surface:
            depth, normal = _core.add_surface_noise(n, key, sample, self.pitch, depth, normal)
        models = (self.model, *self.others)
        model = models[key % len(models)]
        if (n.rgb, n.gain, n.gain_std, n.offset, n.offset_std) == (0, 1, 0, 0, 0):
            return model.render(depth, normal)
        image = _core.add_image_noise(n, key, sample, model.render_float(depth, normal))
        return (image + 0.5).astype(np.uint8)

    def images(self, depth: ArrayLike, normal: ArrayLike, *, sample: int = 0) -> NDArray[np.uint8]:
        """As image(), for (env, height, width) and (env, 3, height, width)."""
        pairs = zip(np.asarray(depth), np.asarray(normal), strict=True)
        return np.stack([self.image(d, n, env=k, sample=sample)
                         for k, (d, n) in enumerate(pairs)])


def load_rgb(path: str | os.PathLike[str], camera: TactileCamera | None = None, *,
             rest_height: ArrayLike | None = None, rest_normal: ArrayLike | None = None,
             name: str = "", seed: int = 0) -> RgbSensor:
    """Reads an RGB sensor file (docs/sensors/rgb.md).

    camera: of the depth images; none: parallel rays of the file's size and pitch. rest_height,
    rest_normal: the coat at rest, for a pad that is not flat. name, seed: of the noise. Raises
    InputError for anything wrong in the file or the files that it names.
    """
    camera, read, backgrounds, table = _read(Path(path), camera)
    if table is None:
        models: list[Any] = [PhotometricModel(camera, read.rig, behind, rest_height, rest_normal)
                             for behind in backgrounds]
    else:
        models = [RgbTable(table["coefficients"], behind, read.smoothing, table["shadow"],
                           rest_normal) for behind in backgrounds]
    return RgbSensor(models[0], read.noise, pitch=read.pitch or camera.pitch, name=name,
                     seed=seed, others=models[1:])


def read_colours(path: str | os.PathLike[str], camera: TactileCamera
                 ) -> tuple[_core.TactileColours, TactileNoise]:
    """The colours of an RGB sensor file for a camera, and the file's noise. Raises InputError."""
    camera, read, backgrounds, table = _read(Path(path), camera)
    # An empty one is what the lights show.
    images = [np.ascontiguousarray([] if b is None else b, np.float32) for b in backgrounds]
    if table is None:
        return _core.TactileColours.lights(str(path), read.pitch, read.rig, images), read.noise
    weights = np.ascontiguousarray(table["coefficients"], np.float32)
    return (_core.TactileColours.table(str(path), read.pitch, weights, read.smoothing,
                                       table["shadow"], images), read.noise)


def _read(file: Path, camera: TactileCamera | None
          ) -> tuple[TactileCamera, _core.LightFile, list[Any], dict[str, Any] | None]:
    """The camera, the file, its backgrounds (one of them None for that of lights alone), and its
    table or None."""
    read = _core.parse_light_file(_read_text(file), str(file))
    background = None
    if read.background:
        background = _read_background(_beside(file, read.background))
    size = (read.width, read.height)
    if camera is None:
        if not read.width and background is not None and background.ndim == 3:
            size = (background.shape[1], background.shape[0])
        if not size[0] or not read.pitch:
            refuse("image", "", "must give width, height and pitch, or a camera must be given",
                   "for example image: {width: 320, height: 240, pitch: 63.4 um}", str(file))
        camera = TactileCamera.orthographic(*size, read.pitch)
    elif read.width and size != (camera.width, camera.height):
        refuse("image", f"{size[0]} x {size[1]} pixels",
               f"must be the camera's, {camera.width} x {camera.height}",
               "calibrate for this camera", str(file))
    shape = (camera.height, camera.width, 3)
    named = [(background, read.background)] if background is not None else []
    for other in read.backgrounds:
        named.append((_read_background(_beside(file, other)), other))
    for image, where in named:
        if image.shape != shape:
            refuse("background", f"shape {image.shape}", f"must have shape {shape}",
                   "use the camera's size", str(_beside(file, where)))
    others = [image for image, where in named if where in read.backgrounds]
    table = None
    if read.model != "lights":
        table = read_table(_beside(file, read.table))
        if background is None:
            background = table["background"]
        if background is None:
            refuse("background", "", "is in neither file", "write background: in the sensor file",
                   str(file))
        if background.shape[:2] != shape[:2]:
            refuse("background", f"shape {background.shape}", f"must have shape {shape}",
                   "use the camera's size", str(file))
    return camera, read, [background, *others], table


def read_table(path: str | os.PathLike[str], *, order: str = "RGB") -> dict[str, Any]:
    """Reads a table of polynomials (.npz) in the layout of Taxim.

    Arrays grad_r, grad_g, grad_b, (bins, bins, 6) each: gradient magnitude, direction, polynomial
    x^2 y^2 xy x y 1; optionally background (height, width, 3), shadowTable (3, directions,
    depths, steps), shadowDirections [rad] and shadowDepths [m]. order: "BGR" for files whose
    grad_r is blue. Returns coefficients (3, bins, bins, 6), background and shadow or None.
    Arrays of Python objects are refused. Raises InputError.
    """
    if order not in ("RGB", "BGR"):
        refuse("order", order, "must be RGB or BGR", "BGR is the order of OpenCV")
    names = [f"grad_{c}" for c in COLOURS]
    found = _archive(Path(path), names, ("background", "shadowTable", "shadowDirections",
                                         "shadowDepths"))
    shapes = {found[n].shape for n in names}
    shape = found[names[0]].shape
    if len(shapes) != 1 or len(shape) != 3 or shape[0] != shape[1] or shape[2] != 6:
        refuse("grad_r, grad_g, grad_b", " ".join(str(found[n].shape) for n in names),
               "must have shape (bins, bins, 6), alike", "check the file", str(path))
    coefficients = np.stack([found[n] for n in names])
    if order == "BGR":
        coefficients = coefficients[::-1].copy()
    shadow = None
    if "shadowTable" in found:
        for n in ("shadowDirections", "shadowDepths"):
            if n not in found:
                refuse(n, "", "is missing beside shadowTable", "write it too", str(path))
        shadow = ShadowTable(found["shadowTable"], found["shadowDirections"],
                             found["shadowDepths"])
    return {"coefficients": coefficients, "background": found.get("background"), "shadow": shadow}


def write_table(path: str | os.PathLike[str], coefficients: ArrayLike,
                background: ArrayLike | None = None, *, shadow_table: ArrayLike | None = None,
                shadow_directions: ArrayLike | None = None,
                shadow_depths: ArrayLike | None = None) -> None:
    """Writes a table of polynomials as read_table() reads it, whole or not at all."""
    w = np.asarray(coefficients, np.float32)
    if w.ndim != 4 or w.shape[0] != 3 or w.shape[1] != w.shape[2] or w.shape[3] != 6:
        refuse("table", f"shape {w.shape}", "must have shape (3, bins, bins, 6)",
               "colour, magnitude, direction, polynomial")
    arrays: dict[str, Any] = {f"grad_{c}": w[k] for k, c in enumerate(COLOURS)}
    arrays["bins"] = np.int32(w.shape[1])
    if background is not None:
        arrays["background"] = np.asarray(background, np.float32)
    if shadow_table is not None:
        ShadowTable(shadow_table, shadow_directions, shadow_depths)  # checks
        arrays["shadowTable"] = np.asarray(shadow_table, np.float32)
        arrays["shadowDirections"] = np.asarray(shadow_directions, np.float32)
        arrays["shadowDepths"] = np.asarray(shadow_depths, np.float32)
    path = Path(path)
    part = path.with_name(path.name + ".part")
    try:
        with open(part, "wb") as f:
            np.savez_compressed(f, **arrays)
        os.replace(part, path)
    except BaseException:
        part.unlink(missing_ok=True)
        raise


def calibrate(images: str | os.PathLike[str], ball_radius: float | str,
              pitch: float | str | None = None,
              out: str | os.PathLike[str] | None = None, **options: Any) -> Calibration:
    """Fits lights and a table to pictures of a ball pressed into a sensor; needs scipy.

    haptos.calibrate() has the arguments. ball_radius and pitch are metres, or texts
    with a unit. Raises InputError.
    """
    try:
        import scipy  # noqa: F401
    except ImportError:
        refuse("calibration", "", "needs scipy", 'run pip install "haptos[calibrate]"')
    from haptos.calibration import calibration

    if isinstance(ball_radius, str):
        ball_radius = parse_quantity(ball_radius, "m", "ball_radius")
    if isinstance(pitch, str):
        pitch = parse_quantity(pitch, "m", "pitch")
    return calibration.calibrate(images, ball_radius, pitch, out, **options)


def read_image(path: str | os.PathLike[str]) -> NDArray[np.uint8]:
    """Reads a picture with 8 bits a colour as (height, width, 3), red first. Raises InputError."""
    name = str(path)
    try:
        with Image.open(path) as picture:
            width, height = picture.size
            if width * height > MOST_PIXELS:
                refuse("image", f"{width} x {height} pixels", "must have at most 2^26 pixels",
                       "scale it down", name)
            if picture.mode not in ("RGB", "RGBA", "P", "L"):
                refuse("image", f"mode {picture.mode}", "must have 8 bits a colour",
                       "save it as an RGB picture", name)
            return np.asarray(picture.convert("RGB"))
    except InputError:
        raise
    except FileNotFoundError:
        refuse("image", "", "does not exist", "check the path", name)
    except Image.DecompressionBombError:
        refuse("image", "", "must have at most 2^26 pixels", "scale it down", name)
    except (OSError, ValueError, SyntaxError) as e:
        refuse("image", "", "cannot be read: " + (str(e).splitlines() or ["broken"])[0],
               "save it again as PNG", name)


def _read_text(path: Path) -> str:
    try:
        if path.stat().st_size > 1 << 20:
            refuse("file", f"{path.stat().st_size} bytes", "must be at most 1 MiB",
                   "put images and tables into files of their own", str(path))
        if not path.is_file():
            refuse("file", "", "must be a regular file", "check the path", str(path))
        return path.read_text(encoding="utf-8")
    except UnicodeDecodeError:
        refuse("file", "", "must be UTF-8 text", "save it as UTF-8", str(path))
    except OSError as e:
        refuse("file", "", f"cannot be read: {e.strerror}", "check the path", str(path))


def _read_background(path: Path) -> NDArray[np.float32]:
    if path.suffix == ".npz":
        return _archive(path, ("background",))["background"]
    return read_image(path).astype(np.float32)


def _beside(file: Path, name: str) -> Path:
    """A file in the folder of `file`, links followed."""
    root = file.parent.resolve()
    path = (root / name).resolve()
    if root not in path.parents:
        refuse(name, "", "must stay in the folder of the sensor file", "copy it there", str(file))
    return path


def _archive(path: Path, needed: tuple[str, ...] | list[str],
             optional: tuple[str, ...] = ()) -> dict[str, NDArray[np.float32]]:
    """Arrays of an .npz as float32, sizes checked before they are unpacked."""
    name = str(path)
    out: dict[str, NDArray[np.float32]] = {}
    try:
        with zipfile.ZipFile(path) as z:
            members = {m.filename: m for m in z.infolist()}
            for key in (*needed, *optional):
                member = members.get(key + ".npy")
                if member is None:
                    if key in needed:
                        refuse(key, "", "is missing", "write the file with write_table()", name)
                    continue
                if member.file_size > MOST_BYTES:
                    refuse(key, f"{member.file_size} bytes", "must be at most 512 MiB",
                           "check the file", name)
                array = np.lib.format.read_array(io.BytesIO(z.read(member)), allow_pickle=False)
                if array.dtype.kind not in "fiu":
                    refuse(key, f"dtype {array.dtype}", "must hold real numbers",
                           "convert it with the script that made it", name)
                out[key] = np.ascontiguousarray(array, np.float32)
    except InputError:
        raise
    except (OSError, ValueError, EOFError, MemoryError, zipfile.BadZipFile, NotImplementedError,
            RuntimeError) as e:
        why = ("holds Python objects, which are not read" if "pickle" in str(e) or "Object" in str(e)
               else "cannot be read: " + (str(e).splitlines() or ["broken"])[0])
        refuse("arrays", "", why, "write the file with write_table()", name)
    return out
