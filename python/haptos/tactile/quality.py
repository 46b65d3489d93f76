"""Quality in a word: how wide the elements of a gel are, and what contact goes with them.

The errors and the cost of each word: docs/press.md and docs/sensors/models.md. Lengths are in
metres.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import NoReturn

from haptos import _core
from haptos.base.errors import refuse
from haptos.meshes.given import as_name


@dataclass(frozen=True)
class PadElements:
    """Elements of a pad that stands in a scene [m].

    centre, rim: their widths there; top, base: heights of the layers there, of the thickness; even:
    sides of the region about the place that will be pressed whose elements keep the width of the
    centre, None: all that the camera sees. Those of a box are twice as wide below the top layer.
    """

    centre: float
    rim: float
    top: float
    base: float
    even: tuple[float, float] | None = None

    def grading(self, thickness: float, view: tuple[float, float], box: bool = True
                ) -> _core.PadGrading:
        """Element sizes of a pad of this thickness, of which the camera sees `view` [m]; box:
        whether it is one, or round."""
        return _core.PadGrading(min(self.top * thickness, 2 * self.centre), self.base * thickness,
                                self.centre, self.rim, 1.5, self.even or view, 1.6, widen=box)


@dataclass(frozen=True)
class Quality:
    """What one word stands for."""

    name: str
    about: str
    pad: PadElements | None  #: of a pad that may be pressed anywhere; None: as its sensor file has it
    #: where a press presses: the first of these widths that makes no more columns of elements
    #: than this under and beside the object
    widths: tuple[float, ...]
    columns: int
    whole_pad: bool  #: whether an object too large for the last width takes the pad as it comes
    rim: float | None  #: widest elements of such a pad; None: those of the pad as it comes
    growth: float  #: ratio of neighbours on the way there
    support: float  #: contact.support of a press, and a good one for a scene
    force_tolerance: float  #: newton.force_tolerance of a press
    velocity_tolerance: float  #: newton.velocity_tolerance [m/s]; a step of a press is 50 ms

    def options(self) -> dict[str, float]:
        """Options of a press, where none are given."""
        return {"contact.support": self.support, "newton.force_tolerance": self.force_tolerance,
                "newton.velocity_tolerance": self.velocity_tolerance}

    def width_for(self, size: tuple[float, ...], margin: Callable[[float], float], beside: int
                  ) -> float | None:
        """Of the elements under an object that presses in a box of this size along x and y [m],
        None: those of the pad as it comes. margin: around the box, of a width; beside: elements
        along a side where they grow."""
        for width in self.widths:
            x, y = ((s + 2 * margin(width)) / width + beside for s in size)
            if x * y <= self.columns:
                return width
        return None if self.whole_pad else self.widths[-1]


#: The words, from fast to fine. The widths of "normal" cost no more than the sensors' own elements.
QUALITIES: dict[str, Quality] = {q.name: q for q in (
    Quality(
        "fast", "for learning and for many presses: shows where and how hard, not fine shapes",
        pad=PadElements(centre=2e-3, rim=2.5e-3, top=0.4, base=0.6),
        widths=(0.8e-3, 1e-3, 1.25e-3, 1.6e-3), columns=350, whole_pad=False, rim=4e-3, growth=2.0,
        support=2e-5, force_tolerance=1e-3, velocity_tolerance=1e-4),
    Quality(
        "normal", "the default: small elements where it is pressed, if they cost no more than the "
        "sensor's own",
        pad=None,
        widths=(0.4e-3, 0.45e-3, 0.5e-3), columns=650, whole_pad=True, rim=4e-3, growth=2.0,
        support=2e-5, force_tolerance=1e-4, velocity_tolerance=2e-5),
    Quality(
        "fine", "for sharp edges and for reference: smaller elements and a thinner contact",
        pad=PadElements(centre=0.3e-3, rim=2.5e-3, top=0.5, base=0.42, even=(8e-3, 8e-3)),
        widths=(0.3e-3, 0.35e-3, 0.4e-3), columns=1600, whole_pad=False, rim=None, growth=1.5,
        support=1e-5, force_tolerance=1e-4, velocity_tolerance=2e-5),
)}
DEFAULT_QUALITY = "normal"


def find_quality(word: str | None) -> Quality:
    """The quality of a word, None the default one. Raises InputError with the nearest word."""
    name = DEFAULT_QUALITY if word is None else as_name(word, "quality")
    if name not in QUALITIES:
        *words, last = QUALITIES
        near = _core.nearest_name(name, [*QUALITIES])
        refuse("quality", f'"{name}"', f"must be {', '.join(words)} or {last}",
               f'did you mean "{near}"?' if near else f"leave it out for {DEFAULT_QUALITY}")
    return QUALITIES[name]


def refuse_quality(word: str, what: str) -> NoReturn:
    """A pad from a mesh has the elements of its file, at any quality but the default."""
    refuse("quality", f'"{word}"', f"cannot be had: {what} is a mesh with elements of its own",
           "leave quality out, or give a coarser or a finer mesh")
