"""haptos dataset: many presses as one file."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import typer

from haptos.base.console import say
from haptos.base.errors import refuse
from haptos.base.progress import Stopper
from haptos.cli.press import parse_values
from haptos.press.file import ABOUT
from haptos.press.recipe import QUANTITIES


def parse_quantities(texts: dict[str, str | None]) -> dict[str, Any]:
    """Values of options: "0.5mm", "0.5mm,1mm", "0:1mm:11", or the range "0.2..1mm"."""
    found: dict[str, Any] = {}
    for name, text in texts.items():
        if text is None:
            continue
        if ".." in text:
            if "," in text:
                refuse("--" + name.replace("_", "-"), text, "must be a list or a range, not both",
                       "for example 0.2..1mm")
            found[name] = text
        else:
            found[name] = parse_values(text, QUANTITIES[name].unit, "--" + name.replace("_", "-"))
    return found


def run_dataset(shapes: Sequence[str], out: str, quantities: dict[str, Any], workers: int | None,
                **options: Any) -> None:
    """Makes a data set, or goes on with one; prints what came out."""
    from haptos.press.run import PressRun
    from haptos.press.telling import run_telling, tell_outcome

    if not out.strip() or Path(out).is_dir():
        refuse("--out", f'"{out}"', "must name a file", "for example --out presses.h5")
    with PressRun(out, list(shapes), **options, **quantities) as run:
        say("note", run.notes)
        total, there = len(run.recipe), len(run.done)
        print(f"{total} presses in {out}, {run.recipe.model}: {ABOUT[run.recipe.model]}"
              + (f"; {there} of them are there already" if there else ""), flush=True)
        with Stopper("stopping; once more stops at once") as stopper:
            outcome = run_telling(run, workers, lambda: bool(stopper.signal))
        print(f"{len(run.done)} of {total} presses are done")
    tell_outcome(outcome)
    if outcome.whole:
        print(f"file: {out} ({Path(out).stat().st_size / 1e6:.1f} MB)")
    elif stopper.signal:
        print("the same command goes on with it")
        raise typer.Exit(stopper.exit_code)
    if outcome.failed or outcome.lost:
        raise typer.Exit(1)
