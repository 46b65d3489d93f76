"""Readers and wrappers for learning. Each module can be imported without what it is made for."""

from __future__ import annotations

import importlib
from typing import Any

from haptos.base.errors import refuse

# What needs the extra learn, and where it is.
_GYMNASIUM = {"VectorEnv": "vector_env", "SingleEnv": "single_env"}
_MODULES = ("actions", "observations", "presses", "starts")


def __getattr__(name: str) -> Any:
    """A module, or a name of one, on its first use."""
    if name in _MODULES:
        return importlib.import_module(f"haptos.learn.{name}")
    if name in _GYMNASIUM:
        return getattr(importlib.import_module(f"haptos.learn.{_GYMNASIUM[name]}"), name)
    raise AttributeError(f"haptos.learn has no {name!r}")


def need_gymnasium(what: str) -> Any:
    """The module gymnasium. Raises InputError where it is not installed, or too old."""
    try:
        import gymnasium
        from gymnasium.vector import AutoresetMode  # noqa: F401  (since 1.1)
    except ImportError as e:
        refuse(what, "", f"needs the Python package gymnasium, 1.1 or newer ({e})",
               'install it: pip install "haptos[learn]"')
    return gymnasium
