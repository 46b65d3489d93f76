"""A long job in a terminal: how far it is, and Ctrl-C."""

from __future__ import annotations

import signal
import sys
import time
from contextlib import AbstractContextManager
from types import FrameType, TracebackType
from typing import Any

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

from haptos.base.units import show_time


class Stopper(AbstractContextManager["Stopper"]):
    """Notes the first Ctrl-C or SIGTERM, so that a run can end in order; the second one ends it."""

    def __init__(self, words: str = "stopping after this step; once more stops at once") -> None:
        """words: what the first one prints."""
        self.signal = 0
        self._words = words
        self._before: dict[int, Any] = {}

    def _note(self, number: int, frame: FrameType | None) -> None:
        del frame
        if self.signal:
            signal.signal(number, signal.SIG_DFL)
            raise KeyboardInterrupt
        self.signal = number
        print(f"haptos: {self._words}", file=sys.stderr, flush=True)

    def __enter__(self) -> Stopper:
        for number in (signal.SIGINT, signal.SIGTERM):
            self._before[number] = signal.signal(number, self._note)
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None,
                 trace: TracebackType | None) -> None:
        for number, handler in self._before.items():
            signal.signal(number, handler)

    @property
    def exit_code(self) -> int:
        """128 plus the signal; 0 when none came."""
        return 128 + self.signal if self.signal else 0


class Bar(AbstractContextManager["Bar"]):
    """What is done, remaining time and a few words; a line now and then without a terminal."""

    def __init__(self, what: str, total: int, unit: str = "steps") -> None:
        self._console = Console(stderr=True)
        self._what, self._total, self._done, self._unit = what, total, 0, unit
        self._start = self._told = time.monotonic()
        self._bar: Progress | None = None
        if self._console.is_terminal:
            self._bar = Progress(TextColumn(what), BarColumn(), MofNCompleteColumn(),
                                 TimeRemainingColumn(), TextColumn("{task.fields[words]}"),
                                 console=self._console)
            self._task = self._bar.add_task(what, total=total, words="")

    def __enter__(self) -> Bar:
        if self._bar:
            self._bar.start()
        else:
            print(f"{self._what}: {self._total} {self._unit}", file=sys.stderr, flush=True)
        return self

    def __exit__(self, *ignored: object) -> None:
        if self._bar:
            self._bar.stop()

    def tell(self, words: str) -> None:
        """Says what is being done, on a terminal."""
        if self._bar:
            self._bar.update(self._task, words=words)

    def advance(self, words: str, total: int | None = None) -> None:
        """One step more; total: of what there is to do, where that has changed."""
        self._done += 1
        self._total = max(self._done, self._total if total is None else total)
        if self._bar:
            self._bar.update(self._task, advance=1, words=words, total=self._total)
            return
        now = time.monotonic()
        if now - self._told > 5 or self._done == self._total:
            self._told = now
            rest = self._total - self._done
            left = (now - self._start) / self._done * rest
            print(f"{self._what}: {self._done} of {self._total}, {words}"
                  + (f", {show_time(left)} left" if rest else ""), file=sys.stderr, flush=True)
