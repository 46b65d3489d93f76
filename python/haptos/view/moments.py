"""Moments of a live run, as many of the last ones as fit."""

from __future__ import annotations

from collections import deque

from haptos.look.snapshots import Snapshot

_KEPT = 256 << 20  # [byte]


class Moments:
    """The last snapshots, at least two, and 256 MiB of them."""

    def __init__(self) -> None:
        self._snaps: deque[Snapshot] = deque()
        self._bytes = 0

    def __len__(self) -> int:
        return len(self._snaps)

    def __getitem__(self, number: int) -> Snapshot:
        return self._snaps[number]

    def add(self, snap: Snapshot) -> None:
        self._snaps.append(snap)
        self._bytes += snap.size()
        while self._bytes > _KEPT and len(self._snaps) > 2:
            self._bytes -= self._snaps.popleft().size()

    def clear(self) -> None:
        self._snaps.clear()
        self._bytes = 0
