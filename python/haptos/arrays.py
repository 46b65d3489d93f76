"""Arrays with the environment axis first."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray


def stack_envs(rows: Sequence[Any]) -> NDArray[Any]:
    """The arrays of all environments, env axis first; of a single one a view, without a copy."""
    if len(rows) == 1:
        return np.asarray(rows[0])[None]
    return np.stack([np.asarray(r) for r in rows])
