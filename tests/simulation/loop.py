"""A deterministic asyncio loop on virtual time.

Time stands still while anything is ready and jumps to the next timer when nothing is. Every callback belongs
to an `Owner` (a simulated process), known by its context. Within one owner callbacks run in the order in which
asyncio promises them; between owners a seeded random chooses, so that interleavings vary from seed to seed.
A paused owner runs no callback until it is resumed. A dead one never runs again, and nothing of it is unwound,
as SIGSTOP and SIGKILL do to a process.
"""

from __future__ import annotations

import asyncio
import contextvars
import heapq
from collections import deque
from collections.abc import Callable, Coroutine
from contextlib import suppress
from random import Random
from typing import Any, TypeVar

T = TypeVar("T")
OWNER: contextvars.ContextVar[Owner | None] = contextvars.ContextVar("owner", default=None)
AT_ONE_INSTANT = 200_000
"""More callbacks than this without time moving on are a livelock."""


PRUNE_AT = 1000
"""How many tasks are kept before those that are done are dropped."""


class Hang(AssertionError):
    """Nothing is ready and no timer is set, but the awaited result has not come."""


class Livelock(AssertionError):
    """Callbacks follow callbacks, and time does not move on."""


class Owner:
    """A simulated process, to which callbacks belong."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.paused = False
        self.dead = False
        self.woken: float | None = None
        """When it was last resumed."""
        self.ready: deque[asyncio.Handle] = deque()
        self.listed = False

    def context(self) -> contextvars.Context:
        """A context whose callbacks belong to this owner."""
        context = contextvars.copy_context()
        context.run(OWNER.set, self)
        return context


class VirtualLoop(asyncio.AbstractEventLoop):
    """The part of an event loop that the engine needs, without any real I/O."""

    def __init__(self, seed: int) -> None:
        self._random = Random(seed)
        self._time = 0.0
        self._order = 0
        self._timers: list[tuple[float, int, asyncio.TimerHandle]] = []
        self._world = Owner("world")
        self._turn: list[Owner] = []
        self._acting: Owner | None = None
        self._running = False
        self._closed = False
        self._steps = 0
        self._tasks: list[asyncio.Task[Any]] = []
        self._prune_at = PRUNE_AT
        self.broken: list[str] = []
        """Unhandled errors that were reported to the loop."""

    def time(self) -> float:
        """Virtual seconds since the beginning."""
        return self._time

    def call_soon(self, callback: Callable[..., object], *args: Any, context: Any = None) -> asyncio.Handle:
        """Call at the present instant, after the callbacks that are already ready."""
        handle = asyncio.Handle(callback, args, self, context)
        self._make_ready(handle)
        return handle

    def call_later(
        self, delay: float, callback: Callable[..., object], *args: Any, context: Any = None
    ) -> asyncio.TimerHandle:
        """Call after a delay."""
        return self.call_at(self._time + delay, callback, *args, context=context)

    def call_at(
        self, when: float, callback: Callable[..., object], *args: Any, context: Any = None
    ) -> asyncio.TimerHandle:
        """Call at a virtual instant."""
        handle = asyncio.TimerHandle(when, callback, args, self, context)
        self._order += 1
        heapq.heappush(self._timers, (when, self._order, handle))
        return handle

    def create_future(self) -> asyncio.Future[Any]:
        """A future of this loop."""
        return asyncio.Future(loop=self)

    def create_task(self, coro: Any, *, name: str | None = None, context: Any = None) -> asyncio.Task[Any]:
        """A task of this loop. It is kept until it is done: the tasks of a killed process are not unwound."""
        task = asyncio.Task(coro, loop=self, name=name, context=context)
        task._log_destroy_pending = False  # type: ignore[attr-defined] - a killed process says nothing
        self._tasks.append(task)
        if len(self._tasks) > self._prune_at:
            self._tasks = [one for one in self._tasks if not one.done()]
            self._prune_at = PRUNE_AT + len(self._tasks)
        return task

    def run_until_complete(self, future: Coroutine[Any, Any, T]) -> T:
        """Run until a future is done. Raises `Hang` if it never can be."""
        before = asyncio._get_running_loop()
        asyncio._set_running_loop(self)
        self._running = True
        try:
            task = self.create_task(future)
            while not task.done():
                if self._turn:
                    self._step()
                else:
                    self._jump()
            return task.result()
        finally:
            self._running = False
            asyncio._set_running_loop(before)

    def pause(self, owner: Owner) -> None:
        """Run no callback of an owner until it is resumed."""
        owner.paused = True
        self._unlist(owner)

    def kill(self, owner: Owner) -> None:
        """Run no callback of an owner any more."""
        owner.dead = True
        self._unlist(owner)

    def resume(self, owner: Owner) -> None:
        """Resume a paused owner. Timers that came due meanwhile are ready now."""
        owner.paused, owner.woken = False, self._time
        self._list(owner)

    def get_debug(self) -> bool:
        """Always false."""
        return False

    def is_running(self) -> bool:
        """Whether it runs."""
        return self._running

    def is_closed(self) -> bool:
        """Whether it was closed."""
        return self._closed

    def close(self) -> None:
        """Forget everything. What was never finished is unwound here, where nothing that it says counts any more."""
        self._closed = True
        self._timers.clear()
        self._turn.clear()
        for task in self._tasks:
            coroutine = task.get_coro()
            if not task.done() and coroutine is not None:
                with suppress(BaseException):
                    coroutine.close()  # type: ignore[union-attr] - tasks here are made of coroutines
        self._tasks.clear()

    def call_exception_handler(self, context: dict[str, Any]) -> None:
        """Keep an unhandled error."""
        error = context.get("exception")
        self.broken.append(f"{context.get('message')}: {error!r}")

    def _timer_handle_cancelled(self, handle: asyncio.TimerHandle) -> None:
        """Do nothing: a cancelled timer is dropped when its instant comes."""

    def _make_ready(self, handle: asyncio.Handle) -> None:
        owner = handle._context.get(OWNER) or self._world
        if owner.dead:
            return
        owner.ready.append(handle)
        if not owner.listed:
            self._list(owner)

    def _list(self, owner: Owner) -> None:
        if owner.ready and not owner.listed and not owner.paused and not owner.dead:
            owner.listed = True
            self._turn.append(owner)

    def _unlist(self, owner: Owner) -> None:
        if owner.listed and owner is not self._acting:
            owner.listed = False
            self._turn.remove(owner)

    def _step(self) -> None:
        """Run one callback of one owner."""
        turn = self._turn
        index = int(self._random.random() * len(turn)) if len(turn) > 1 else 0
        owner = turn[index]
        handle = owner.ready.popleft()
        self._acting = owner
        if not handle._cancelled:
            self._steps += 1
            if self._steps > AT_ONE_INSTANT:
                raise Livelock(f"{AT_ONE_INSTANT} callbacks at {self._time:.6f} s; the last one: {handle!r}")
            try:
                handle._context.run(handle._callback, *handle._args)
            except (SystemExit, KeyboardInterrupt):
                raise
            except BaseException as error:
                self.broken.append(f"a callback failed: {error!r}")
        self._acting = None
        if not owner.ready or owner.paused or owner.dead:
            owner.listed = False
            turn.remove(owner)

    def _jump(self) -> None:
        """Advance the time to the next timer."""
        timers = self._timers
        while timers and timers[0][2]._cancelled:
            heapq.heappop(timers)
        if not timers:
            raise Hang(f"nothing can happen any more at {self._time:.6f} s")
        self._time = max(self._time, timers[0][0])
        self._steps = 0
        while timers and timers[0][0] <= self._time:
            handle = heapq.heappop(timers)[2]
            if not handle._cancelled:
                self._make_ready(handle)
