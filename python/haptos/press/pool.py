"""The processes that make the presses of a data set side by side: started, fed, watched, ended."""

from __future__ import annotations

import contextlib
import json
import os
import selectors
import subprocess
import sys
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import IO, NamedTuple

import haptos
from haptos.press.file import FAILED, GOOD

# Modules of the folder it is started in must not stand in for those of packages.
_CODE = "import sys; sys.path[:1] = []; from haptos.press.worker import main; main(sys.argv[1])"
_WAIT = 0.2  # between questions whether to stop [s]
_TRIES = 2  # of a press whose process ends


class Answer(NamedTuple):
    """What a worker says of a press."""

    press: int
    outcome: int = GOOD
    sentence: str = ""
    error: str = ""  #: why it was not made
    errno: int = 0

    def words(self) -> str:
        """A few words for the progress."""
        if self.error:
            return f"press {self.press} was not made"
        return f"press {self.press}" + (" failed" if self.outcome == FAILED else "")


class _Worker:
    """One process, and what it was given to make."""

    def __init__(self, folder: Path) -> None:
        package = str(Path(haptos.__file__).resolve().parents[1])
        path = os.pathsep.join(p for p in (package, os.environ.get("PYTHONPATH")) if p)
        self.errors: IO[bytes] = tempfile.TemporaryFile()
        self.process = subprocess.Popen(
            [sys.executable, "-c", _CODE, os.path.abspath(folder)], stdin=subprocess.PIPE,
            stdout=subprocess.PIPE, stderr=self.errors, text=True, encoding="utf-8", bufsize=1,
            env={**os.environ, "PYTHONPATH": path, "OPENBLAS_NUM_THREADS": "1"})
        assert self.process.stdin is not None and self.process.stdout is not None
        self.orders, self.answers = self.process.stdin, self.process.stdout
        self.press = -1  #: what it makes now

    def give(self, press: int) -> None:
        """Has it make a press."""
        self.press = press
        try:
            self.orders.write(f"{press}\n")
        except BrokenPipeError:
            pass  # its end is seen on its stdout

    def why(self) -> str:
        """Why it ended."""
        code = self.process.wait()
        self.errors.seek(0)
        lines = self.errors.read().decode(errors="replace").strip().splitlines()
        said = f": {lines[-1][:120]}" if lines else ""
        return (f"the process that made it was ended by signal {-code}" if code < 0
                else f"the process that made it ended with code {code}") + said

    def end(self) -> None:
        """Ends it at once; what it had begun is not there."""
        self.process.kill()
        self.process.wait()
        for pipe in (self.orders, self.answers, self.errors):
            with contextlib.suppress(OSError):  # an order that nobody read
                pipe.close()


def run_workers(folder: Path, presses: Sequence[int], count: int, each: Callable[[Answer], None],
                stop: Callable[[], bool]) -> None:
    """Has `count` processes make presses whose job is in the folder; each(answer) after each. Ends
    them when stop() says so, and when each() or Ctrl-C raises."""
    waiting, tries = list(reversed(presses)), dict.fromkeys(presses, 0)
    workers: set[_Worker] = set()
    with selectors.DefaultSelector() as ready:

        def start() -> None:
            worker = _Worker(folder)
            workers.add(worker)
            ready.register(worker.answers, selectors.EVENT_READ, worker)
            worker.give(waiting.pop())

        def leave(worker: _Worker) -> None:
            ready.unregister(worker.answers)
            workers.remove(worker)
            worker.end()

        try:
            while (waiting or workers) and not stop():
                while waiting and len(workers) < count:
                    start()
                for key, _ in ready.select(_WAIT):
                    worker: _Worker = key.data
                    line = worker.answers.readline()
                    if line:
                        each(Answer(**json.loads(line)))
                        if waiting:
                            worker.give(waiting.pop())
                        else:
                            leave(worker)
                    else:
                        press, why = worker.press, worker.why()
                        leave(worker)
                        tries[press] += 1
                        if tries[press] < _TRIES:
                            waiting.append(press)
                        else:
                            each(Answer(press, error=why))
        finally:
            for worker in workers:
                worker.end()
