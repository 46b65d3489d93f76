"""A wall of environments: one picture of many, side by side."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from haptos.base.errors import refuse
from haptos.look.aim import Look
from haptos.look.colours import Colour, read_colour
from haptos.look.drawing import Ranges, draw
from haptos.look.snapshots import SimStage

if TYPE_CHECKING:
    from haptos.scene.sim import Sim

Image = NDArray[np.uint8]


def draw_wall(sim: Sim, envs: Sequence[int] | None = None, *, look: Look | None = None,
              columns: int | None = None, gap: int = 2, rims: Sequence[Colour | None] | None = None) -> Image:
    """Many environments in one picture, row by row, (rows * height, columns * width, 3).

    envs: numbers of environments, default all; look: of each of them, default 160 x 120 pixels that
    hold what the first one shows; columns: default as many as make the wall about square; gap:
    between pictures [pixel]; rims: for each a colour of its rim or None, for example for those that
    have failed. Raises InputError for environments that are not there.
    """
    chosen = list(range(sim.envs)) if envs is None else [int(k) for k in envs]
    for k in chosen:
        if not 0 <= k < sim.envs:
            refuse("envs", k, f"must be from 0 to {sim.envs - 1}", "leave it out for all")
    if not chosen:
        refuse("envs", "[]", "must name at least one environment", "leave it out for all")
    if rims is not None and len(rims) != len(chosen):
        refuse("rims", len(rims), f"must be as many as environments, {len(chosen)}", "give None for those without")
    if columns is not None and columns < 1:
        refuse("columns", columns, "must be 1 or more", "leave it out")
    look = look or Look(width=160, height=120)
    across = columns or int(np.ceil(np.sqrt(len(chosen) * look.height / look.width)))
    down = -(-len(chosen) // across)
    wall = np.full((down * (look.height + gap) - gap, across * (look.width + gap) - gap, 3), 255, np.uint8)
    ranges = Ranges()
    for n, k in enumerate(chosen):
        stage = SimStage(sim, k)
        snap = stage.take(readings=False)
        if look.frame is None:
            seen = [x for x in map(snap.vertices, stage.stage.bodies) if len(x)]
            if seen:
                look = replace(look, frame=(np.min([x.min(axis=0) for x in seen], axis=0),
                                            np.max([x.max(axis=0) for x in seen], axis=0)))
        tile = np.array(draw(stage.stage, snap, look, ranges.grow(stage.stage, snap)))
        if rims is not None and rims[n] is not None:
            colour = (255 * np.asarray(read_colour(rims[n]))).astype(np.uint8)
            wide = max(2, look.height // 40)
            for part in (tile[:wide], tile[-wide:], tile[:, :wide], tile[:, -wide:]):
                part[...] = colour
        y, x = (n // across) * (look.height + gap), (n % across) * (look.width + gap)
        wall[y:y + look.height, x:x + look.width] = tile
    return wall
