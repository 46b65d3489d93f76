"""What people asked a page for: it is collected on the page's threads, and done by update()."""

from __future__ import annotations

import threading
from typing import Any


class Asks:
    """The last value asked for, by key, since they were taken last."""

    def __init__(self) -> None:
        self._lock = threading.RLock()  # a page may call back from the thread that puts
        self._asked: dict[Any, Any] = {}
        self._set: dict[Any, float] = {}  # what was put into sliders here, not by a person

    def ask(self, key: Any, value: Any) -> None:
        with self._lock:
            self._asked[key] = value

    def take(self) -> dict[Any, Any]:
        """All of it; nothing is left."""
        with self._lock:
            asked, self._asked = self._asked, {}
        return asked

    def watch(self, key: Any, slider: Any) -> None:
        """Asks for ("slider", key) when a person moves it, not for what put() puts there."""
        self._set[key] = slider.value
        slider.on_update(lambda _: self._person(key, slider))

    def put(self, key: Any, slider: Any, value: float) -> None:
        """Puts a value into a watched slider, of which no one is to take notice.

        Where a person has moved it and the page's call back is still to come, what the person asked
        for is kept and nothing is put: overwritten, the call back would find nothing to ask for.
        """
        with self._lock:  # a call back of the last put() must not see one without the other
            if self._set.get(key) != slider.value:
                self._person(key, slider)
            elif slider.value != value:
                self._set[key] = value
                slider.value = value

    def _person(self, key: Any, slider: Any) -> None:
        with self._lock:
            if self._set.get(key) != slider.value:
                self._set[key] = slider.value
                self.ask(("slider", key), slider.value)
