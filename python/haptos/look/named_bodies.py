"""Bodies of a Stage by the names that a person gives them: a body, a robot, or "robot/link"."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from haptos.base.errors import refuse
from haptos.look.snapshots import Array, Snapshot, Stage
from haptos.meshes.given import remedy_for
from haptos.scene.shown import STILL, ShownBody, place


def shown_names(stage: Stage) -> list[str]:
    """The names of what can be looked at: bodies, robots, links as "robot/link"."""
    names: dict[str, None] = {}
    for body in stage.bodies:
        parts = body.name.split("/") if body.kind in ("robots", "pendulums") else [body.name]
        for n in range(1, max(2, len(parts))):
            names["/".join(parts[:n])] = None
    return list(names)


def parts_of(stage: Stage, name: str, option: str) -> list[ShownBody]:
    """The surfaces of a body, a robot or a link. Raises InputError, naming the option."""
    found = [b for b in stage.bodies if b.name == name or b.name.startswith(f"{name}/")]
    if not found:
        refuse(option, f'"{name}"', "is no body that is shown",
               remedy_for(name, shown_names(stage), "there is none"))
    return found


def middle_of(parts: Sequence[ShownBody], snap: Snapshot) -> Array:
    """The middle of a body at a moment, (3) [m]: that of its box, carried along with it. Of several
    parts the mean, which sways less than a box round them."""
    middles = []
    for body in parts:
        x = snap.positions[body.name] if body.deforms else body.vertices
        box = 0.5 * (np.min(x, axis=0) + np.max(x, axis=0))
        middles.append(box if body.deforms
                       else place(box[None], snap.poses.get(body.name, STILL))[0])
    return np.mean(middles, axis=0)
