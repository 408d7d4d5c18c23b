"""Runs that a runner has sent off and will report: what is known of each, and when each is given up."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Collection, Sequence
from datetime import datetime
from typing import NamedTuple

from duetime.clock.port import Clock
from duetime.model.run import LaunchedRun, Settlement

Key = tuple[int, int]
"""Job and attempt."""


class SentRun(NamedTuple):
    """A run under way, when it started, how long it may take, and when that time is over by the monotonic clock."""

    run: LaunchedRun
    started: datetime
    limit: float
    deadline: float
    report: Callable[[Sequence[Settlement]], None]
    """What takes its end."""


class SentRuns:
    """The runs that are under way without a task. One timer watches all time-outs."""

    def __init__(self, clock: Clock, late: Callable[[Collection[SentRun]], None]) -> None:
        """`late` is called with runs whose time-out has passed; they are not kept any more."""
        self._clock, self._late = clock, late
        self._runs: dict[Key, SentRun] = {}
        self._by_limit: dict[float, dict[Key, SentRun]] = {}
        """The same runs by their time-outs. Those with the same time-out are in the order of their deadlines."""
        self._timer: asyncio.TimerHandle | None = None
        self._next_look = 0.0
        self._emptied = asyncio.Event()

    def __len__(self) -> int:
        """How many are under way."""
        return len(self._runs)

    def add(
        self, run: LaunchedRun, started: datetime, limit: float, report: Callable[[Sequence[Settlement]], None]
    ) -> None:
        """Keep a run until it ends or its time-out passes."""
        key, deadline = (run.job_id, run.attempt), self._clock.monotonic() + limit
        self._runs[key] = sent = SentRun(run, started, limit, deadline, report)
        self._by_limit.setdefault(limit, {})[key] = sent
        if self._timer is None or deadline < self._next_look:
            self._look_at(deadline)

    def pop(self, run: LaunchedRun) -> SentRun | None:
        """Stop keeping a run. Returns what is known of it; None if it was given up."""
        return self._pop((run.job_id, run.attempt))

    def of_job(self, job_id: int) -> list[Key]:
        """Returns the attempts of a job that are under way."""
        return [key for key in self._runs if key[0] == job_id]

    async def empty(self) -> None:
        """Wait until no run is under way."""
        while self._runs:
            self._emptied.clear()
            await self._emptied.wait()

    def clear(self) -> list[SentRun]:
        """Stop keeping all runs. Returns them."""
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        return [sent for key in list(self._runs) if (sent := self._pop(key)) is not None]

    def _pop(self, key: Key) -> SentRun | None:
        found = self._runs.pop(key, None)
        if found is not None:
            alike = self._by_limit[found.limit]
            del alike[key]
            if not alike:
                del self._by_limit[found.limit]
        if not self._runs:
            self._emptied.set()
        return found

    def _look_at(self, deadline: float) -> None:
        if self._timer is not None:
            self._timer.cancel()
        self._next_look = deadline
        wait = max(0.0, deadline - self._clock.monotonic())
        self._timer = asyncio.get_running_loop().call_later(wait, self._look)

    def _look(self) -> None:
        """Give up what is late, and wait for the next deadline."""
        self._timer = None
        now, late, following = self._clock.monotonic(), list[SentRun](), list[float]()
        for alike in list(self._by_limit.values()):
            for key, sent in list(alike.items()):
                if sent.deadline > now:
                    following.append(sent.deadline)
                    break
                late.append(sent)
                self._pop(key)
        if following:
            self._look_at(min(following))
        if late:
            self._late(late)
