"""The process that makes presses of a data set; only haptos.press.pool starts it.

Processes, because presses with a mesh, a material and a place of their own cannot be environments
of one batch, and because a crash is then a sentence and not the end of the run. A worker reads
numbers of presses from stdin, one a line, and answers each with a line of JSON.
"""

from __future__ import annotations

import ctypes
import gc
import json
import os
import signal
import sys
from pathlib import Path
from typing import Any

PR_SET_PDEATHSIG = 1


def _tied_to_parent() -> None:
    """Ends with the process that started this one, and leaves Ctrl-C to it."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
    except (OSError, AttributeError):
        pass  # not Linux


def _keep_to_one_thread() -> None:
    """Lets the core look for processors while this process may use one only. It then keeps to one
    thread: a worker for each processor, and they do not get in each other's way."""
    from haptos import _core

    allowed = os.sched_getaffinity(0)
    os.sched_setaffinity(0, {min(allowed)})
    try:
        _core.thread_count()
    finally:
        os.sched_setaffinity(0, allowed)


def main(folder: str) -> None:
    """Makes the presses whose numbers come from stdin, until it ends."""
    _tied_to_parent()
    answers = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)  # what libraries print does not get between the answers
    _keep_to_one_thread()
    from haptos.press.make import Maker

    maker = Maker(Path(folder))
    for line in sys.stdin:
        k = int(line)
        try:
            outcome, sentence = maker.make(k)
            answer: dict[str, Any] = {"press": k, "outcome": outcome, "sentence": sentence}
        except MemoryError:
            answer = {"press": k, "error": "there is not enough memory for it"}
        except OSError as e:
            answer = {"press": k, "errno": e.errno or 0, "error": str(e)}
        print(json.dumps(answer), file=answers, flush=True)
        gc.collect()  # a Sim and its sensors know each other; it may be hundreds of MB
