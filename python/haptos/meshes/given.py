"""What people hand to the functions of this package, made into what the library takes.

Numbers may be texts with units, meshes may be files, arrays or objects of other libraries, and
names may be wrong; what does not fit is one InputError that says what was given and what fits.
"""

from __future__ import annotations

import math
import os
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from haptos import _core
from haptos.base.errors import UnknownName, refuse
from haptos.meshes.files import read_surface, read_volume

Value = TypeVar("Value")

_MOST_LISTED = 12  # names in one message


def kind_of(value: object) -> str:
    """What a value is, in a word or two: "a list", "an array of shape (3, 4)"."""
    if isinstance(value, np.ndarray):
        return f"an array of shape {value.shape}"
    if value is None:
        return "None"
    module, name = type(value).__module__, type(value).__qualname__
    whole = name if module == "builtins" else f"{module.split('.')[0]}.{name}"
    return f"{'an' if whole[0] in 'aeiou' else 'a'} {whole}"


def listed(names: Sequence[str]) -> str:
    """Names as a sentence has them; of many the first."""
    shown = ", ".join(f'"{n}"' for n in names[:_MOST_LISTED])
    more = len(names) - _MOST_LISTED
    return f"{shown} and {more} more" if more > 0 else shown


def remedy_for(name: str, known: Sequence[str], none: str) -> str:
    """The nearest name and the list; `none` where there is nothing to choose from."""
    if not known:
        return none
    near = _core.nearest_name(name, list(known))
    there = f"there is {listed(known)}" if len(known) == 1 else f"there are {listed(known)}"
    return f'did you mean "{near}"? {there}' if near else there


class Named(Mapping[str, Value]):
    """Things by name, read only; a wrong name is an UnknownName with the nearest one and the list.

    what: what they are, in the singular; of: whose; none: what to do where there is none.
    """

    def __init__(self, values: Mapping[str, Value], what: str, of: str, none: str) -> None:
        self._values = dict(values)
        self._what, self._of, self._none = what, of, none

    def __getitem__(self, name: str) -> Value:
        try:
            return self._values[name]
        except (KeyError, TypeError):
            pass
        value = f'"{name}"' if isinstance(name, str) else kind_of(name)
        rule = f"is no {self._what} of {self._of}"
        remedy = remedy_for(str(name), list(self._values), self._none)
        raise UnknownName(_core.sentence("", value, "", rule, remedy), element=self._what,
                          value=value, rule=rule, remedy=remedy)

    def __iter__(self) -> Iterator[str]:
        return iter(self._values)

    def __len__(self) -> int:
        return len(self._values)

    def __repr__(self) -> str:
        return repr(self._values)


def number(value: Any, unit: str, what: str) -> float:
    """A number in the SI unit `unit`, given so or as a text with a unit ("100 g")."""
    if isinstance(value, str):
        return _core.parse_quantity(value, unit, what)
    try:
        if not isinstance(value, (bool, np.bool_)) and np.ndim(value) == 0:
            return float(value)
    except (TypeError, ValueError):
        pass
    units = _core.known_units(unit)
    refuse(what, kind_of(value), f"must be a number{f' in {unit}' if unit else ''}",
           f'or a text with a unit, as "1 {units[-1]}"' if units else "")


def maybe(value: Any, unit: str, what: str) -> float | None:
    """number(), or None for None."""
    return None if value is None else number(value, unit, what)


def positive(value: Any, unit: str, what: str) -> float:
    """number() that is above 0 and finite."""
    size = number(value, unit, what)
    if not (size > 0 and math.isfinite(size)):
        refuse(what, value, "must be greater than 0 and finite", f"give it in {unit}")
    return size


def chosen_envs(mask: Any, envs: int) -> NDArray[np.bool_]:
    """Which environments a mask (env,) chooses; None chooses all."""
    if mask is None:
        return np.ones(envs, bool)
    chosen = np.asarray(mask)
    if chosen.shape == (envs,) and chosen.dtype == bool:
        return chosen
    numbers = chosen.dtype.kind in "iu" and chosen.ndim == 1 and chosen.size
    inside = numbers and 0 <= chosen.min() and chosen.max() < envs
    few = np.isin(np.arange(envs), chosen if inside else [0])
    example = (f"for example {few.tolist()}" if envs <= 8 else "for example "
               f"numpy.isin(numpy.arange({envs}), {chosen.tolist() if inside else [0]})")
    refuse("mask", f"{chosen.dtype} of shape {chosen.shape}",
           f"must be booleans of shape ({envs},), one for each environment", example)


def as_name(value: Any, what: str) -> str:
    """A name, which is a text of printable characters."""
    if not isinstance(value, str):
        refuse(what, kind_of(value), "must be a text", 'for example "ball"')
    if not value.isprintable():  # control characters, and bytes that are not UTF-8
        refuse(what, ascii(value), "must be of printable characters", 'for example "ball"')
    return value


def _arrays(value: Any, second: str) -> tuple[Any, Any] | None:
    """(vertices, cells) of a pair, or of an object that has them; None of anything else."""
    if isinstance(value, (tuple, list)) and len(value) == 2 and all(
            np.ndim(v) == 2 for v in value):
        return value[0], value[1]
    vertices, cells = getattr(value, "vertices", None), getattr(value, second, None)
    return None if vertices is None or cells is None else (np.asarray(vertices), np.asarray(cells))


def surface(value: Any, what: str) -> _core.TriMesh:
    """A triangle surface [m]: a TriMesh, the path of a file in metres, (vertices, triangles), or an
    object that has vertices and faces, as a trimesh.Trimesh."""
    if isinstance(value, _core.TriMesh):
        return value
    if isinstance(value, (str, os.PathLike)):
        return read_surface(value)
    if isinstance(value, _core.TetMesh):
        refuse(what, "a haptos.TetMesh", "must be a triangle surface",
               "take haptos.boundary_surface(mesh)[0]")
    pair = _arrays(value, "faces")
    if pair is None:
        refuse(what, kind_of(value), "must be a triangle surface",
               "give a haptos.TriMesh, a trimesh.Trimesh, a pair (vertices (V, 3), triangles "
               "(T, 3)) or the path of a file in metres")
    return _core.TriMesh(*pair)


def volume(value: Any, what: str) -> _core.TetMesh:
    """A volume of tetrahedra [m]: a TetMesh, the path of a file in metres, (vertices, tets), or the
    mesh of a pad."""
    if isinstance(value, _core.TetMesh):
        return value
    if isinstance(value, (str, os.PathLike)):
        return read_volume(value)
    if isinstance(value, _core.Pad):
        return value.mesh
    if isinstance(value, _core.TriMesh) or _arrays(value, "faces") is not None and not isinstance(
            value, (tuple, list)):
        refuse(what, kind_of(value), "must be filled with tetrahedra, and this is a surface",
               "take haptos.tetrahedralise(surface, size)")
    pair = _arrays(value, "tets")
    if pair is None:
        refuse(what, kind_of(value), "must be a volume of tetrahedra",
               "give a haptos.TetMesh, a pair (vertices (V, 3), tets (T, 4)) or the path of a .vtk "
               "or .msh file in metres")
    return _core.TetMesh(*pair)


def fit_rows(who: str, value: Any, whole: tuple[int, ...],
             columns: Sequence[str] = ()) -> NDArray[np.float64]:
    """value as an array of the shape whole, (env, ...): given so, or without the env axis, or as one
    number; columns: what each number of a row is of, for messages."""
    shape = whole[1:]
    try:
        array = np.asarray(value, float)
    except (TypeError, ValueError):
        refuse(who, kind_of(value), "must be numbers in SI units",
               "give an array, a row or one number")
    if array.shape not in (whole, shape, ()) and array.shape != (1, *shape):
        names = ", ".join(columns[:12]) + (" ..." if len(columns) > 12 else "")
        refuse(who, f"shape {array.shape}", f"must have the shape {whole} or {shape}",
               f"one for each of {names}" if columns else "one for each environment, or one row "
               "for all")
    if not np.isfinite(array).all():
        at = tuple(int(i) for i in np.argwhere(~np.isfinite(array))[0])
        column = at[-1] if array.shape and array.shape[-1:] == shape[-1:] else None
        env = (f"environment {at[0]}" if array.ndim and array.shape == whole
               else "every environment")
        place = "" if column is None else f", number {column}" + (
            f' ("{columns[column]}")' if column < len(columns) else "")
        refuse(who, f"{array[at]} for {env}{place}", "must be finite", "give finite numbers")
    return np.ascontiguousarray(np.broadcast_to(array if array.ndim != 1 or array.shape == shape
                                                else array.reshape(-1, *(1,) * len(shape)),
                                                whole))
