"""Ctrl-C while the haptos command is being loaded, which takes half a second: one line, no traceback.

The package imports this first. It acts for the command only (haptos, python -m haptos), and
cli.main() puts Python's own way back before it runs anything.
"""

from __future__ import annotations

import os
import signal
import sys
import threading
from types import FrameType


def _stop(number: int, frame: FrameType | None) -> None:
    del number, frame
    os.write(2, b"haptos: stopped\n")
    os._exit(130)


def is_command() -> bool:
    """Whether this process is the haptos command."""
    first = sys.argv[0] if getattr(sys, "argv", None) else ""
    return os.path.basename(first) == "haptos" or (
        first == "-m" and "haptos" in sys.orig_argv[1:4])


def loaded() -> None:
    """Ctrl-C raises KeyboardInterrupt from here on."""
    if threading.current_thread() is threading.main_thread() and (
            signal.getsignal(signal.SIGINT) is _stop):
        signal.signal(signal.SIGINT, signal.default_int_handler)


if (is_command() and threading.current_thread() is threading.main_thread()
        and signal.getsignal(signal.SIGINT) is signal.default_int_handler):
    signal.signal(signal.SIGINT, _stop)
