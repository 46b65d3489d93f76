"""Options of every layer, as the C++ tables declare them: name, unit, range, sentence, default."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

from haptos import _core
from haptos.base.errors import refuse


class Option(NamedTuple):
    """One option; range is inclusive; words name the values 0, 1, 2, ... of a choice."""

    group: str
    name: str
    unit: str
    default: float | int | bool
    lo: float
    hi: float
    doc: str
    words: tuple[str, ...] = ()


def option_table() -> list[Option]:
    """Every option of every group."""
    return [Option(**row) for row in _core.option_table()]


def find_option(path: str) -> Option:
    """The option called "group.name". Raises InputError that names the nearest one."""
    table = option_table()
    for option in table:
        if path == f"{option.group}.{option.name}":
            return option
    paths = [f"{o.group}.{o.name}" for o in table]
    near = _core.nearest_name(path, paths)
    refuse(path, "", "unknown option",
           f'did you mean "{near}"?' if near else "haptos describe lists them")


class Options:
    """A group of options as attributes; setting one checks its name and range (InputError)."""

    def __init__(self, group: str, read: Callable[[], dict[str, Any]],
                 write: Callable[[dict[str, Any]], None]) -> None:
        object.__setattr__(self, "_group", group)
        object.__setattr__(self, "_read", read)
        object.__setattr__(self, "_write", write)

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(name)
        values = self._read()
        if name not in values:
            self._write({name: 0})  # raises InputError, which names the nearest option
        return values[name]

    def __setattr__(self, name: str, value: Any) -> None:
        self._write({name: value})

    def __dir__(self) -> list[str]:
        return sorted(self._read())

    def __iter__(self) -> Iterator[str]:
        return iter(self._read())

    def items(self) -> list[tuple[str, Any]]:
        """(name, value) of every option."""
        return list(self._read().items())

    def update(self, **values: Any) -> None:
        """Sets several options; all or none."""
        self._write(values)

    def __repr__(self) -> str:
        inside = ", ".join(f"{k}={v!r}" for k, v in self._read().items())
        return f"{self._group}({inside})"


class Material(Options):
    """An elastic material: Material(young=4.35e5, poisson=0.48); what is left out keeps its
    default. help(haptos.Material) lists the options, from the C++ table."""

    def __init__(self, **values: Any) -> None:
        store: dict[str, Any] = _core.complete_options("material", values)

        def write(new: dict[str, Any]) -> None:
            store.update(_core.complete_options("material", {**store, **new}))

        super().__init__("material", lambda: store, write)

    def __getstate__(self) -> dict[str, Any]:
        return dict(self._read())

    def __reduce__(self) -> tuple[Any, ...]:
        return _make_material, (dict(self._read()),)


def _make_material(values: dict[str, Any]) -> Material:
    return Material(**values)


def _option_lines(group: str) -> str:
    lines = []
    for o in option_table():
        if o.group == group:
            unit = f" [{o.unit}]" if o.unit else ""
            words = "".join(f", {k} {word}" for k, word in enumerate(o.words))
            lines.append(f"    {o.name}{unit} = {o.default:g}, {o.lo:g} to {o.hi:g}: {o.doc}{words}")
    return "\n".join(lines)


Material.__doc__ = (Material.__doc__ or "") + "\n\n" + _option_lines("material")
