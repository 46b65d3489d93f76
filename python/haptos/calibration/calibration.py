"""Calibration of the RGB models from pictures of a ball pressed into a real sensor."""

from __future__ import annotations

import os
from collections.abc import Sequence
from fnmatch import fnmatch
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from haptos._core import LightRig, PhotometricModel, RgbTable, TactileCamera, TactileLight
from haptos.base.errors import refuse
from haptos.base.units import show_length
from haptos.calibration import fit as fitting
from haptos.calibration.circles import Circle, find_circle
from haptos.calibration.fit import LightFit, Samples
from haptos.calibration.sensor import (
    DEFAULT_SENSOR,
    flip,
    pitch_of,
    write_colours,
    write_sensor,
)
from haptos.calibration.table import fit_table
from haptos.tactile.image_metrics import ImageScore, compare_images
from haptos.tactile.rgb import read_image
from haptos.tactile.sensor_models import load_sensor

Array = NDArray[np.float64]
SUFFIXES = (".png", ".jpg", ".jpeg", ".bmp", ".tif", ".tiff")
BACKGROUND = ("background*", "bg*", "no_contact*", "nocontact*", "rest*", "empty*")
MOST_IMAGES = 2000
LEAST_PRESSES = 8
LEAST_RADIUS = 6  #: of a circle that is used [pixel]
ROUNDS = 3  #: of fitting lights and moving centres
STEEPEST = 0.94  #: largest radius of contact over the ball's: 70 degrees
RADIUS_TOLERANCE = 0.1  #: of the ball's radius, before it is said that another fits better
RADIUS_GAIN = 0.1


class Press(NamedTuple):
    """One picture of a press."""

    name: str
    image: Array
    circle: Circle
    held_out: bool


class Reconstruction(NamedTuple):
    """Depth from the picture of a held-out press against the ball."""

    name: str
    expected: float  #: height of the cap over 0.8 of its radius [m]
    found: float  #: [m]


class Calibration(NamedTuple):
    """What calibrate() found. Scores are of held-out presses, inside the circle."""

    background: Array
    presses: Sequence[Press]
    lights: LightFit
    light_model: PhotometricModel
    table_model: RgbTable
    light_scores: Sequence[ImageScore]
    table_scores: Sequence[ImageScore]
    reconstruction: Sequence[Reconstruction]
    noise: float  #: standard deviation of a pixel over frames without contact [grey value]
    best_radius: float  #: of the ball, by the shading [m]
    radius_gain: float  #: how much less is left there than at the radius given, 0..1
    warnings: Sequence[str]
    ball_radius: float
    pitch: float
    pitch_given: bool  #: and not taken from the sensor
    mirror: str  #: which way pictures were turned round when they were read: "", x, y or xy

    @property
    def held_out(self) -> list[Press]:
        """The presses that no fit saw."""
        return [p for p in self.presses if p.held_out]


def calibrate(images: str | os.PathLike[str], ball_radius: float, pitch: float | None = None,
              out: str | os.PathLike[str] | None = None, *, sensor: str | None = None,
              mirror: str = "", background: str | None = None, lights: int = 3,
              bins: int = 125) -> Calibration:
    """Fits lights and a table to pictures of a ball pressed into a sensor.

    images: folder of pictures of one size; those without contact are named background*, bg*,
    no_contact*, rest* or empty*, or match `background`; every other one shows one press.
    ball_radius [m]; pitch: metres of the gel per pixel, None: of a picture that shows what the
    camera of `sensor` shows; out: folder for sensor.yaml, rgb.yaml, rgb.npz and report.html, made
    if missing; sensor: name or file of the sensor whose pad, markers and camera sensor.yaml has,
    None: gelsight-mini; mirror: "x", "y" or "xy" for pictures whose columns, rows or both run
    against those of the gel seen from outside; lights: how many; bins: of the table. Every fifth
    press is held out. Raises InputError.
    """
    base = load_sensor(sensor or DEFAULT_SENSOR)
    flip(np.zeros((1, 1)), mirror)  # checks
    pitch_given = pitch is not None
    if not (np.isfinite(ball_radius) and 2e-4 <= ball_radius <= 0.05):
        refuse("ball_radius", ball_radius, "must be 0.2 mm to 50 mm",
               "give metres, or write the unit, for example 4mm")
    if pitch is not None and not (np.isfinite(pitch) and 1e-6 <= pitch <= 2e-3):
        refuse("pitch", pitch, "must be 1 um to 2 mm per pixel",
               "give metres per pixel, or write the unit, for example 63.4um")
    if not 1 <= lights <= 12:
        refuse("lights", lights, "must be 1 to 12", "most sensors have 3")
    if not 10 <= bins <= 1000:
        refuse("bins", bins, "must be 10 to 1000", "125 is usual")
    names, empty = _sort_files(Path(images), background)
    rest, noise, warnings = _background(empty, mirror)
    shape = rest.shape[:2]
    if sensor is None:
        warnings.append(f"no sensor was named: sensor.yaml is a {base.name} with these colours; "
                        "--sensor names another")
    if pitch is None:
        pitch = pitch_of(base, shape[1], shape[0])
        warnings.append(f"no pitch was given: a pixel is {1e6 * pitch:.4g} um, as where the pictures "
                        f"show all that the camera of a {base.name} shows; --pitch gives another")
    presses = _find_presses(names, rest, noise, ball_radius, pitch, mirror, warnings)
    light_fit, samples, presses = _fit_lights(presses, rest, ball_radius, pitch, lights)
    ratio, gain = fitting.best_radius(samples, light_fit, shape, pitch)
    if abs(ratio - 1) > RADIUS_TOLERANCE and gain > RADIUS_GAIN:
        warnings.append(
            f"the shading fits a ball of {show_length(ratio * ball_radius)} better than one of "
            f"{show_length(ball_radius)} (it leaves {100 * gain:.0f} % less): check the ball's "
            "radius and the pitch")
    table = fit_table(samples, shape, pitch, light_fit, noise, bins)
    if light_fit.rms > max(6 * noise, 6.0):
        warnings.append(f"the lights leave {light_fit.rms:.1f} grey values, {light_fit.rms / noise:.0f}"
                        " times the noise: prefer the table")
    camera = TactileCamera.orthographic(shape[1], shape[0], pitch)
    rig = LightRig([TactileLight.point(p, c) for p, c in
                    zip(light_fit.position, light_fit.colour, strict=True)],
                   ambient=light_fit.ambient, specular=light_fit.specular,
                   shininess=int(light_fit.shininess))
    back = rest.astype(np.float32)
    light_model, table_model = PhotometricModel(camera, rig, back), RgbTable(table, back)
    held = [p for p in presses if p.held_out]
    scores = [[_score(m, p, rest, ball_radius, pitch) for p in held]
              for m in (light_model, table_model)]
    inverse = fitting.fit_inverse(samples, shape)
    checks = [_reconstruct(inverse, p, rest, ball_radius, pitch) for p in held]
    result = Calibration(rest, presses, light_fit, light_model, table_model, scores[0], scores[1],
                         checks, noise, ratio * ball_radius, gain, warnings, ball_radius, pitch,
                         pitch_given, mirror)
    if out is not None:
        from haptos.calibration.report import write_report

        folder = Path(out)
        try:
            folder.mkdir(parents=True, exist_ok=True)
        except OSError as e:
            refuse("out", folder, f"cannot be made: {e.strerror}", "name another folder")
        write_colours(folder, result)
        write_sensor(folder, result, base)
        write_report(folder, result)
    return result


# -- reading ---------------------------------------------------------------------------------------


def _sort_files(folder: Path, pattern: str | None) -> tuple[list[Path], list[Path]]:
    """Pictures of presses and of no contact."""
    if not folder.is_dir():
        refuse("images", f'"{folder}"', "must be a folder", "name the folder of the pictures")
    files = sorted(p for p in folder.iterdir()
                   if p.suffix.lower() in SUFFIXES and p.is_file())
    if not files:
        refuse("images", f'"{folder}"', "holds no pictures", "PNG, JPEG, BMP and TIFF are read")
    if len(files) > MOST_IMAGES:
        refuse("images", f"{len(files)} pictures", f"must be at most {MOST_IMAGES}",
               "40 to 100 presses are plenty")
    patterns = (pattern,) if pattern else BACKGROUND
    empty = [p for p in files if any(fnmatch(p.name.lower(), q.lower()) for q in patterns)]
    if not empty:
        refuse("images", f'"{folder}"', "has no picture without contact",
               "name them background1.png, background2.png, ..., or give --background")
    return [p for p in files if p not in set(empty)], empty


def _background(files: Sequence[Path], mirror: str) -> tuple[Array, float, list[str]]:
    """Mean of the frames without contact, noise of a pixel, warnings."""
    warnings: list[str] = []
    total = square = None
    for path in files:
        image = _read(path, mirror)
        if total is None:
            total, square = np.zeros_like(image), np.zeros_like(image)
        _same_size(image, total, path, files[0])
        total, square = total + image, square + image * image
    assert total is not None and square is not None
    n = len(files)
    if n < 10:
        warnings.append(f"{n} picture{'s' * (n > 1)} without contact; 10 or more average the noise "
                        "away")
    mean = total / n
    if n == 1:
        return mean, 1.0, warnings
    variance = np.maximum(square - n * mean * mean, 0) / (n - 1)
    return mean, max(float(np.sqrt(np.median(variance.mean(axis=2)))), 0.3), warnings


def _read(path: Path, mirror: str) -> Array:
    return flip(read_image(path), mirror).astype(float)


def _same_size(image: Array, other: Array, path: Path, first: Path) -> None:
    if image.shape != other.shape:
        refuse("picture", f"{image.shape[1]} x {image.shape[0]} pixels",
               f"must have the size of {first.name}, {other.shape[1]} x {other.shape[0]}",
               "crop and scale all pictures alike", str(path))


def _find_presses(files: Sequence[Path], base: Array, noise: float, ball_radius: float,
                  pitch: float, mirror: str, warnings: list[str]) -> list[Press]:
    found: list[tuple[str, Array, Circle]] = []
    missed: list[str] = []
    steep: list[tuple[str, float]] = []
    for path in files:
        image = _read(path, mirror)
        _same_size(image, base, path, path.parent / "background")
        circle = find_circle(image, base, noise)
        if circle is None:
            missed.append(path.name)
        elif circle.radius < LEAST_RADIUS or not (
                4 <= circle.column <= base.shape[1] - 5 and 4 <= circle.row <= base.shape[0] - 5):
            missed.append(path.name)
        elif circle.radius * pitch > STEEPEST * ball_radius:
            steep.append((path.name, circle.radius * pitch))
        else:
            found.append((path.name, image, circle))
    if files and len(missed) == len(files):
        refuse("images", f"{len(files)} pictures", "show no circle of 6 pixels or more in any of them",
               "press a ball, and give pictures without contact of the same light")
    if len(steep) > len(found):
        name, radius = steep[0]
        refuse("ball_radius", show_length(ball_radius),
               f"is too small: {name} shows a circle of radius {show_length(radius)}",
               "check the ball's radius and the pitch, and their units")
    if len(found) < LEAST_PRESSES:
        refuse("images", f"{len(found)} presses with a circle",
               f"must be {LEAST_PRESSES} or more", "40 presses spread over the gel are usual")
    deepest = max(c.radius for _, _, c in found) * pitch
    if deepest < 0.08 * ball_radius:
        refuse("ball_radius", show_length(ball_radius),
               "is too large: the largest circle has a radius of " + show_length(deepest),
               "check the ball's radius and the pitch, and their units, or press deeper")
    if len(found) < 40:
        warnings.append(f"{len(found)} presses; 40 or more fill the table better")
    for names, what in ((missed, "no circle, or one too small or cut in half"), ([n for n, _ in steep], "a circle too large")):
        if names:
            warnings.append(f"left out for {what}: " + ", ".join(names[:8])
                            + (f" and {len(names) - 8} more" if len(names) > 8 else ""))
    return [Press(n, i, c, k % 5 == 4) for k, (n, i, c) in enumerate(found)]


# -- fitting ---------------------------------------------------------------------------------------


def _fit_lights(presses: list[Press], base: Array, ball_radius: float, pitch: float,
                lights: int) -> tuple[LightFit, Samples, list[Press]]:
    """Lights and centres in turn; held-out presses move their centres only."""
    fit: LightFit | None = None
    for _ in range(ROUNDS):
        samples = fitting.join([
            fitting.take_samples(p.image, base, p.circle, ball_radius, pitch)
            for p in presses if not p.held_out])
        if not samples.clear.any(axis=0).all():
            refuse("images", "", "have a colour that is black or white under every ball",
                   "expose the camera so that no colour clips")
        fit = fitting.fit_lights(samples, base.shape[:2], pitch, lights, start=fit)
        presses = [p._replace(circle=fitting.refine_centre(fit, p.image, base, p.circle,
                                                           ball_radius, pitch))
                   for p in presses]
    assert fit is not None
    return fit, samples, presses


def contact_mask(shape: tuple[int, int], circle: Circle, less: float = 3.0) -> NDArray[np.bool_]:
    """Where the coat follows the ball, `less` pixels inside the circle."""
    rows, columns = np.mgrid[: shape[0], : shape[1]]
    return np.hypot(columns - circle.column, rows - circle.row) < circle.radius - less


def predict(model: PhotometricModel | RgbTable, press: Press, ball_radius: float,
            pitch: float) -> Array:
    """What a model shows under the ball of a press; the gel around it counts as flat."""
    depth, normal = fitting.ball_depth(press.image.shape[:2], pitch, press.circle, ball_radius)
    return model.render_float(depth, normal).astype(float)


def _score(model: PhotometricModel | RgbTable, press: Press, base: Array, ball_radius: float,
           pitch: float) -> ImageScore:
    return compare_images(predict(model, press, ball_radius, pitch), press.image, base,
                          contact_mask(base.shape[:2], press.circle))


def _reconstruct(inverse: Array, press: Press, base: Array, ball_radius: float,
                 pitch: float) -> Reconstruction:
    z = fitting.reconstruct(inverse, press.image, base, pitch)
    c = press.circle
    rows, columns = np.mgrid[: z.shape[0], : z.shape[1]]
    r = np.hypot(columns - c.column, rows - c.row)
    ring, top = np.abs(r - 0.8 * c.radius) < 0.7, r < 1.5
    cap = ball_radius - np.sqrt(ball_radius**2 - (0.8 * c.radius * pitch) ** 2)
    return Reconstruction(press.name, float(cap), float(z[top].mean() - z[ring].mean()))
