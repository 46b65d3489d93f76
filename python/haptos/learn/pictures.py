"""Pictures of any environment of a Sim, for render() and for agents that see."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from haptos.look.aim import Look
from haptos.look.drawing import Ranges, draw
from haptos.look.snapshots import SimStage

if TYPE_CHECKING:
    from haptos.scene.sim import Sim


class Camera:
    """Takes pictures of environments, all from the same place."""

    def __init__(self, sim: Sim, width: int, height: int, *, view: Any = "above",
                 frame: ArrayLike | None = None) -> None:
        self._sim = sim
        self._look = Look(camera=view, width=width, height=height, frame=frame)
        self._stages: dict[int, SimStage] = {}

    def take(self, env: int) -> NDArray[np.uint8]:
        """The picture (height, width, 3) of an environment now."""
        if env not in self._stages:
            self._stages[env] = SimStage(self._sim, env)
        stage = self._stages[env]
        snap = stage.take(fields=(), readings=False)
        return draw(stage.stage, snap, self._look, Ranges())
