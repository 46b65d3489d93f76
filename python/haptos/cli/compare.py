"""haptos compare: one press into the simulated gel and into the gel as a layer."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from haptos.cli.runs import check_folder, make_folder
from haptos.comparison.presses import compare, table, write


def run_compare(shape: str, options: dict[str, Any], out: str | None, overwrite: bool) -> None:
    """Presses with both models, prints what differs and writes it."""
    folder = check_folder(out, f"compare-{Path(shape).stem}", overwrite)
    made = compare(shape, lambda what: print(what, flush=True), **options)
    print("\n".join(table(made)))
    make_folder(folder)
    for name in write(made, folder):
        print(folder / name)
