"""How a picture is asked for, and where its camera stands.

A camera looks along a direction. Without more it holds all that there is; a target or a body to
follow puts that in the middle of the picture, a distance says how near.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import ArrayLike

from haptos import _core
from haptos.base.errors import refuse
from haptos.look.colours import Colour, coloured
from haptos.look.named_bodies import middle_of, parts_of
from haptos.look.snapshots import Array, Snapshot, Stage
from haptos.scene.shown import ShownBody

#: Directions that a picture can be taken in; "cut" also cuts everything open through the middle, or
#: through the target.
CAMERAS = {"above": (0.35, 1.0, -0.8), "front": (0.0, 1.0, -0.15), "side": (-1.0, 0.0, -0.15),
           "top": (0.0, 0.01, -1.0), "cut": (0.0, 1.0, -0.2)}

_PART = 0.7  # of the picture that a body takes which the camera looks at by name


@dataclass(frozen=True)
class Look:
    """How a snapshot is drawn."""

    camera: str | tuple[float, float, float] = "above"  #: of CAMERAS, or a direction
    color: str = ""  #: of FIELDS, "" for none
    objects: str = "solid"  #: of OBJECTS: those that press on a gel
    arrows: str = "none"  #: of ARROWS
    markers: bool = False
    width: int = 1280
    height: int = 960
    frame: ArrayLike | None = None  #: box (2, 3) that fills the picture [m]
    legend: bool = False  #: time and scale of colours
    target: str | Sequence[float] | None = None  #: middle of the picture: a body, or x y z [m]
    distance: float | None = None  #: of the camera from there [m]
    follow: str = ""  #: a body that stays in the middle of the picture
    colors: Mapping[str, Colour] = field(default_factory=dict)  #: of bodies, robots, "robot/link"

    @property
    def fov(self) -> float:
        """Vertical angle that the picture holds [rad]."""
        return 0.22 if self.camera == "cut" else 0.42


def camera_direction(text: str) -> str | tuple[float, float, float]:
    """A name of CAMERAS, or a direction from "AZIMUTH,ELEVATION" in degrees: where the camera is,
    counted from the front (-y) towards +x, and up. Raises InputError."""
    if text in CAMERAS:
        return text
    parts = text.split(",")
    try:
        azimuth, elevation = (math.radians(float(p)) for p in parts)
    except ValueError:
        near = _core.nearest_name(text, list(CAMERAS))
        refuse("--camera", text, "must be one of " + ", ".join(CAMERAS)
               + ", or AZIMUTH,ELEVATION in degrees",
               f'did you mean "{near}"?' if near else "for example 30,40")
    if not (math.isfinite(azimuth) and abs(elevation) <= math.radians(89.5)):
        refuse("--camera", text, "must be finite, its elevation from -89.5 to 89.5",
               "for example 30,40")
    return (-math.sin(azimuth) * math.cos(elevation), math.cos(azimuth) * math.cos(elevation),
            -math.sin(elevation))


def view_box(stage: Stage, snaps: Iterable[Snapshot]) -> Array | None:
    """The box (2, 3) [m] that a picture of these should hold; None where there is nothing.

    Where gels carry sensors it is that of the gels, with room for what presses on them.
    """
    gels = {s.body for s in stage.sensors}
    around_gels = gels and not stage.of("robots", "affine", "material_points")
    lo, hi = np.full(3, np.inf), np.full(3, -np.inf)
    for snap in snaps:
        for body in stage.bodies:
            if not around_gels or body.name in gels:
                x = snap.vertices(body)
                x = x[np.isfinite(x).all(axis=1)]
                if len(x):
                    lo, hi = np.minimum(lo, x.min(axis=0)), np.maximum(hi, x.max(axis=0))
    if not np.isfinite(lo).all():
        return None
    if around_gels:
        hi[2] += 0.6 * float(np.min(hi - lo))
    return np.array([lo, hi])


# -- where the camera stands -------------------------------------------------------------------


class Aim:
    """Finds where the camera of a Look stands, from the moments that it is to show."""

    def __init__(self, stage: Stage, look: Look, option: str = "") -> None:
        """option: what stands before the names of options in sentences. Raises InputError for a
        body that is not there and for numbers that cannot be used."""
        self._stage, self._look = stage, look
        self._box: Array | None = None
        self._middle: Array | None = None  # of the body, at the first moment [m]
        self._reach = 0.0  # of the body from its middle [m]
        self._parts: list[ShownBody] = []
        coloured(stage, look.colors, f"{option}color" if option else "colors")
        if look.follow and look.target is not None:
            refuse(f"{option}target and {option}follow", "", "cannot both be given",
                   "leave one out")
        if look.distance is not None and not (np.isfinite(look.distance) and look.distance > 0):
            refuse(f"{option}distance", look.distance, "must be greater than 0",
                   "give it in m, for example 0.5")
        if look.follow or isinstance(look.target, str):
            which = "follow" if look.follow else "target"
            self._parts = parts_of(stage, getattr(look, which), option + which)
        elif look.target is not None and (np.shape(look.target) != (3,)
                                          or not np.isfinite(look.target).all()):
            refuse(f"{option}target", look.target, "must be a body's name or three finite numbers",
                   "give x, y, z in m")

    def add(self, snap: Snapshot) -> Aim:
        """Takes a moment in; returns itself."""
        box = view_box(self._stage, [snap])
        if box is not None:
            now = box if self._box is None else self._box
            self._box = np.array([np.minimum(now[0], box[0]), np.maximum(now[1], box[1])])
        if self._parts:
            middle = middle_of(self._parts, snap)
            self._middle = middle if self._middle is None else self._middle
            for body in self._parts:
                away = np.linalg.norm(snap.vertices(body) - middle, axis=1)
                self._reach = max(self._reach, float(away.max(initial=0.0)))
        return self

    def look(self) -> Look:
        """The Look with the numbers that it left out, so that all its pictures fit together."""
        look = self._look
        target = look.target if look.follow or not isinstance(look.target, str) else (
            None if self._middle is None else self._middle)
        distance = look.distance
        if distance is None and self._reach > 0:
            # A ball of that reach touches a cone of half the angle.
            half = math.atan(math.tan(0.5 * look.fov) * min(1.0, look.width / look.height))
            distance = self._reach / (_PART * math.sin(half))
        return replace(look, target=None if target is None else tuple(map(float, target)),
                       distance=distance, frame=self._box if look.frame is None else look.frame)


def middle_in(stage: Stage, snap: Snapshot, look: Look) -> Array | None:
    """Where the camera of a Look from Aim.look() looks at a moment, (3) [m]; None: at all there
    is."""
    if look.follow:
        return middle_of(parts_of(stage, look.follow, "follow"), snap)
    return None if look.target is None else np.asarray(look.target, float)
