"""A signal wakes the loops that wait for work."""

from __future__ import annotations

from collections.abc import Callable


class Signal:
    """Calls its listeners. Without a listener, raising it does nothing."""

    __slots__ = ("_listeners",)

    def __init__(self) -> None:
        self._listeners: list[Callable[[], None]] = []

    def listen(self, listener: Callable[[], None]) -> None:
        """Call `listener` whenever the signal is raised."""
        self._listeners.append(listener)

    def __call__(self) -> None:
        """Raise the signal."""
        for listener in self._listeners:
            listener()
