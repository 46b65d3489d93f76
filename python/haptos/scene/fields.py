"""Fields of bodies and of pairs, as the C++ tables declare them: name, unit, range, default, sentence.

The functions of Scene that add an entry take its fields as keywords. `declared` gives them the
signature and the documentation that the table says, so that a field is written once.
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable
from typing import Any, NamedTuple, TypeVar

from haptos import _core

Function = TypeVar("Function", bound=Callable[..., Any])


class Field(NamedTuple):
    """One field of a section of scene files; lo and hi: inclusive range of its numbers.

    type: "number", "whole", "flag", "word", "vector", "matrix", "pose", "friction", "text", or "part", what
    is read by hand. words: of a word its choices, of a number the word that stands for 0, of a part
    what the documentation calls its default.
    """

    section: str
    name: str
    unit: str
    type: str
    default: Any
    needed: bool
    direction: bool
    lo: float
    hi: float
    meaning: str
    words: str

    @property
    def default_text(self) -> str:
        """The default as documentation writes it."""
        if self.needed:
            return "needed"
        if self.type == "friction":
            return "combined" if self.default is None else f"{self.default[0]:g}"
        if self.type == "word":
            return "as `contact`" if self.default is None else f"`{self.default}`"
        if self.type == "flag":
            return "true" if self.default else "false"
        if self.type == "whole" or isinstance(self.default, float):
            return _short(self.default)
        if self.type == "vector" and self.default is not None:
            return "[" + ", ".join(f"{v:g}" for v in self.default) + "]"
        return self.words or "none"

    @property
    def range_text(self) -> str:
        """The range as documentation writes it."""
        if self.type == "word":
            return ", ".join(f"`{w}`" for w in self.words.split())
        if self.type not in ("number", "whole", "pressure", "vector", "friction") or self.direction:
            return ""
        if self.type == "vector" and self.lo == -self.hi or self.lo == -self.hi != 0:
            return f"+-{_short(self.hi)}"
        whole = "whole, " if self.type == "whole" else ""
        return whole + f"{_short(max(self.lo, 0.0) if self.type == 'friction' else self.lo)} to {_short(self.hi)}"

    @property
    def plain(self) -> str:
        """The meaning without markup."""
        return re.sub(r"\[([^\]]+)\]\([^)]+\)", r"\1", self.meaning).replace("`", "")


def _short(v: float) -> str:
    return f"{v:g}".replace("e+0", "e").replace("e-0", "e-").replace("e+", "e")


def field_table(section: str | None = None) -> list[Field]:
    """The fields of a section of scene files ("affine", "robots", ...), or of all."""
    return [f for f in map(_field, _core.field_table()) if section in (None, f.section)]


def _field(row: dict[str, Any]) -> Field:
    return Field(**row)


def keywords(section: str) -> list[Field]:
    """Fields that add_...() of a section takes as keywords; of a pose see `declared`."""
    return [f for f in field_table(section) if f.type != "part"]


def declared(section: str) -> Callable[[Function], Function]:
    """Gives a method the keywords of a section, after those that it names itself.

    A pose is two keywords, `position` (3) [m] and `quaternion` (4), w x y z.
    """

    def wrap(function: Function) -> Function:
        signature = inspect.signature(function)
        own = [p for p in signature.parameters.values() if p.kind is not p.VAR_KEYWORD]
        known = {p.name for p in own}
        lines = []
        for f in keywords(section):
            names = ("position", "quaternion") if f.type == "pose" else (f.name,)
            lines.append(_line(f))
            own += [inspect.Parameter(n, inspect.Parameter.KEYWORD_ONLY,
                                      default=_default(f), annotation=_annotation(f))
                    for n in names if n not in known]
        function.__signature__ = signature.replace(parameters=own)  # type: ignore[attr-defined]
        function.__doc__ = (inspect.getdoc(function) or "") + "\n\n" + "\n".join(lines)
        return function

    return wrap


def _default(f: Field) -> Any:
    if f.needed:
        return inspect.Parameter.empty
    return f.default if f.type in ("number", "whole", "pressure", "flag", "word", "text") else None


def _annotation(f: Field) -> str:
    return {"number": "float | str", "whole": "int", "flag": "bool", "word": "str", "text": "str",
            "friction": "float | Sequence[float]", "pressure": "float | str | dict"}.get(f.type, "ArrayLike")


def _line(f: Field) -> str:
    """A field as docstrings have it: 'density [kg/m3] = 1000: of the solid ...'."""
    if f.type == "pose":
        return f"position (3) [m], quaternion (4) w x y z: {f.plain}"
    shape = {"vector": " (3)", "matrix": " (3) or (3, 3)"}.get(f.type, "")
    unit = f" [{f.unit}]" if f.unit else ""
    default = "" if f.needed else f" = {f.default_text.replace('`', '')}"
    return f"{f.name}{shape}{unit}{default}: {f.plain}"
