"""What a person who makes a data set of presses reads meanwhile, on stderr."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from haptos.base.console import say
from haptos.base.progress import Bar

if TYPE_CHECKING:
    from haptos.press.run import Outcome, PressRun

MOST_TOLD = 10  # presses whose sentence is printed


def run_telling(run: PressRun, workers: int | None, stop: Callable[[], bool] | None = None
                ) -> Outcome:
    """Makes what is not there, with progress on stderr."""
    if len(run.done) == len(run.recipe):
        return run.run(workers)
    with Bar("presses", len(run.recipe) - len(run.done), "to make") as bar:
        return run.run(workers, lambda answer: bar.advance(answer.words()), stop)


def tell_outcome(outcome: Outcome) -> None:
    """Says on stderr which presses are not good, and counts them."""
    for what, bad in (("has steps that did not converge", outcome.not_converged),
                      ("failed", outcome.failed), ("could not be made", outcome.lost)):
        say("warning", (f"press {k} {what}: {why}" for k, why in bad[:MOST_TOLD]))
        if len(bad) > MOST_TOLD:
            say("warning", [f"{len(bad)} presses in all: {what}."])
