"""Events within the process: published in batches by the stages, delivered to listeners beside them."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Awaitable, Callable, Collection, Sequence

import structlog

from duetime.model.events import Event

log = structlog.get_logger()
KEPT = 10_000
"""How many events wait for a listener at most; beyond that the oldest are dropped."""
Handler = Callable[[Sequence[Event]], Awaitable[None]]


class Listener:
    """One listener. Its events wait in a bounded buffer of its own, and its errors affect no other part."""

    def __init__(self, kinds: Collection[type[Event]], handle: Handler, kept: int) -> None:
        self.kinds = frozenset(kinds)
        self.dropped = 0
        """How many events were dropped because the buffer was full."""
        self._handle, self._kept = handle, kept
        self._waiting: deque[Event] = deque()
        self._task: asyncio.Task[None] | None = None

    def put(self, events: Sequence[Event]) -> None:
        """Add events to the buffer, and start handling them."""
        self._waiting.extend(events)
        while len(self._waiting) > self._kept:
            self._waiting.popleft()
            self.dropped += 1
        if self._task is None:
            self._task = asyncio.get_running_loop().create_task(self._deliver())

    async def drain(self) -> None:
        """Wait until all events in the buffer are handled."""
        while self._task is not None:
            await asyncio.wait([self._task])

    async def _deliver(self) -> None:
        try:
            while self._waiting:
                batch = list(self._waiting)
                self._waiting.clear()
                try:
                    await self._handle(batch)
                except Exception:
                    log.exception("a listener failed: its events are dropped", events=len(batch))
        finally:
            self._task = None


class Events:
    """Passes events to the listeners that asked for their kind. A listener can neither delay nor fail a stage.

    A stage checks `wanted` before it makes events: without a listener it does nothing else.
    """

    def __init__(self) -> None:
        self._listeners: dict[type[Event], list[Listener]] = {}

    def listen(self, kinds: Collection[type[Event]], handle: Handler, *, kept: int = KEPT) -> Listener:
        """Call `handle` with events of these kinds, in the order in which they are published."""
        listener = Listener(kinds, handle, kept)
        for kind in listener.kinds:
            self._listeners.setdefault(kind, []).append(listener)
        return listener

    def remove(self, listener: Listener) -> None:
        """Stop passing events to a listener."""
        for kind in listener.kinds:
            self._listeners[kind].remove(listener)
            if not self._listeners[kind]:
                del self._listeners[kind]

    def wanted(self, kind: type[Event]) -> bool:
        """Whether a listener asked for this kind."""
        return kind in self._listeners

    def publish(self, kind: type[Event], events: Sequence[Event]) -> None:
        """Pass events of one kind to its listeners."""
        if events:
            for listener in self._listeners.get(kind, ()):
                listener.put(events)
