"""What commands print: tables, and sentences of one line each, warnings and notes."""

from __future__ import annotations

import shlex
import sys
from collections.abc import Iterable
from typing import TextIO

from rich import box
from rich.console import Console
from rich.table import Table
from rich.text import Text


_arguments: list[str] = []


def set_command(arguments: list[str]) -> None:
    """Notes what the command that runs now was given."""
    _arguments[:] = arguments


def command_line() -> str:
    """The command as a person would type it again."""
    return shlex.join(["haptos", *_arguments])


def wide_console() -> Console:
    """Standard output; wide enough for tables where it is not a terminal."""
    return Console() if sys.stdout.isatty() else Console(width=150)


def new_table(title: str, *columns: str) -> Table:
    """An empty table whose cells are folded, not cut."""
    table = Table(title=title, title_justify="left", box=box.SIMPLE_HEAD, title_style="bold")
    for column in columns:
        table.add_column(column, overflow="fold")
    return table


def say(kind: str, sentences: Iterable[str], file: TextIO | None = None) -> None:
    """Prints "KIND: sentence" for each; on a terminal the kind stands out.

    kind: "warning", of what is odd, or "note", of what was assumed; file: default stderr.
    """
    console = Console(file=file or sys.stderr)
    style = "bold yellow" if kind == "warning" else "bold"
    for sentence in sentences:
        line = Text.assemble((f"{kind}:", style), " ", " ".join(sentence.split()))
        console.print(line, soft_wrap=True, highlight=False)
