"""What is odd about scenes while they are compiled: an error, a warning, or left to be asked for."""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from haptos.base.errors import SceneWarning


@contextmanager
def strictness(scenes: Sequence[Any], strict: bool | None) -> Iterator[None]:
    """Sets sim.strict of scenes for a while; None leaves it."""
    before = [scene.sim.strict for scene in scenes]
    try:
        if strict is not None:
            for scene in scenes:
                scene.sim.strict = bool(strict)
        yield
    finally:
        for scene, was in zip(scenes, before, strict=True):
            scene.sim.strict = was


def warn_of(sentences: Sequence[str]) -> None:
    """Each as a SceneWarning of the line that calls the function which asks."""
    for sentence in sentences:
        warnings.warn(sentence, SceneWarning, stacklevel=3)
