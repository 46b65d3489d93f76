"""A folder that one process at a time works in."""

from __future__ import annotations

import fcntl
import os
from pathlib import Path


class FolderLock:
    """Holds a folder against other processes until it is closed, or the process ends."""

    def __init__(self, folder: Path, name: str) -> None:
        """folder: made where it is missing; name: of the file in it that is locked. Raises
        BlockingIOError where another process holds it, OSError where it cannot be made."""
        folder.mkdir(parents=True, exist_ok=True)
        self._file: int | None = os.open(folder / name, os.O_RDWR | os.O_CREAT, 0o644)
        try:
            fcntl.flock(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            self.close()
            raise BlockingIOError from None

    def close(self) -> None:
        """Gives the folder free."""
        if self._file is not None:
            os.close(self._file)
            self._file = None
