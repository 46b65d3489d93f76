"""Colours that a person gives bodies: by name, as #rrggbb, or as three numbers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TypeAlias

import numpy as np
from PIL import ImageColor

from haptos import _core
from haptos.base.errors import refuse
from haptos.look.named_bodies import parts_of
from haptos.look.snapshots import Stage

Rgb: TypeAlias = tuple[float, float, float]
Colour: TypeAlias = str | Sequence[float]  #: a name, "#rrggbb", or red, green and blue, 0 to 1


def read_colour(colour: Colour, option: str = "color") -> Rgb:
    """Red, green and blue, 0 to 1 (sRGB), of one of the names that HTML has, "#rrggbb", or three
    numbers. Raises InputError, naming the option."""
    if isinstance(colour, str):
        try:
            red, green, blue = ImageColor.getrgb(colour)[:3]
        except ValueError:
            near = _core.nearest_name(colour, list(ImageColor.colormap))
            refuse(option, colour, "is no colour",
                   f'did you mean "{near}"?' if near else "give a name as in HTML, or #rrggbb")
        return red / 255, green / 255, blue / 255
    try:
        numbers = np.asarray(colour, float)
    except (TypeError, ValueError):
        numbers = np.zeros(0)
    if numbers.shape != (3,) or not ((numbers >= 0) & (numbers <= 1)).all():
        refuse(option, colour, "must be a name, #rrggbb or three numbers from 0 to 1",
               "for example 0.8, 0.2, 0.1")
    return float(numbers[0]), float(numbers[1]), float(numbers[2])


def coloured(stage: Stage, colors: Mapping[str, Colour], option: str = "colors") -> Stage:
    """The stage with bodies, robots and links ("robot/link") in these colours; the longest name
    that fits counts. Raises InputError, naming the option, for a body that is not there."""
    if not colors:
        return stage
    given: dict[str, Rgb] = {}
    for name in sorted(colors, key=len):
        rgb = read_colour(colors[name], f"{option} of {name}")
        given |= {part.name: rgb for part in parts_of(stage, name, option)}
    return replace(stage, bodies=[replace(b, color=given.get(b.name, b.color))
                                  for b in stage.bodies])


def read_pairs(texts: Sequence[str], option: str = "--color") -> tuple[list[str], dict[str, str]]:
    """Splits texts into those without "=" and BODY=COLOUR pairs. Raises InputError."""
    plain, pairs = [], {}
    for text in texts:
        name, equals, colour = text.partition("=")
        if not equals:
            plain.append(text)
        elif not (name and colour):
            refuse(option, text, "must be BODY=COLOUR", "for example ball=orange")
        else:
            pairs[name] = colour
    return plain, pairs
