"""Sentences beside the results of a command, one line each: warnings and notes."""

from __future__ import annotations

import sys
from collections.abc import Iterable
from typing import TextIO

from rich.console import Console
from rich.text import Text


def say(kind: str, sentences: Iterable[str], file: TextIO | None = None) -> None:
    """Prints "KIND: sentence" for each; on a terminal the kind stands out.

    kind: "warning", of what is odd, or "note", of what was assumed; file: default stderr.
    """
    console = Console(file=file or sys.stderr)
    style = "bold yellow" if kind == "warning" else "bold"
    for sentence in sentences:
        line = Text.assemble((f"{kind}:", style), " ", " ".join(sentence.split()))
        console.print(line, soft_wrap=True, highlight=False)
