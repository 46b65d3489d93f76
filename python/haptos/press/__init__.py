"""Press tests: one press, a matrix of them, and data sets of many.

What is described in docs/press.md is loaded on first use: haptos.press.prepare, haptos.press.Press.
"""

import importlib
from typing import Any


def __getattr__(name: str) -> Any:
    found = getattr(importlib.import_module("haptos.press.press"), name, None)
    if name.startswith("_") or found is None:
        raise AttributeError(f"haptos.press has no {name!r}")
    return found
