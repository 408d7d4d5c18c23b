"""The takes that wait at this node: which workers ask for runs, and how many each can start."""

from __future__ import annotations

import asyncio
from datetime import datetime
from typing import NamedTuple

from msgspec import Struct

from duetime.model.pull import Worker
from duetime.model.run import LaunchedRun

MOST_POOLS = 10_000
"""How many pools are remembered before those that no take waits for are forgotten."""


class PulledRun(NamedTuple):
    """A run that a worker holds since an instant, with the job's labels and an earlier checkpoint, both as JSON."""

    run: LaunchedRun
    since: datetime
    labels: str | None
    checkpoint: str | None


class WaitingTake(Struct, eq=False):
    """A worker that waits for runs. Its answer is set once: runs, none, or an error."""

    worker: Worker
    take_id: str
    most: int
    answer: asyncio.Future[list[PulledRun]]

    def give(self, runs: list[PulledRun]) -> None:
        """Answer the take."""
        if not self.answer.done():
            self.answer.set_result(runs)

    def fail(self, error: Exception) -> None:
        """Answer the take with an error: whether it got runs is not known."""
        if not self.answer.done():
            self.answer.set_exception(error)


class _Pool:
    """The takes that wait for one pool, oldest first, and how many runs they ask for together."""

    __slots__ = ("room", "takes")

    def __init__(self) -> None:
        self.takes: dict[int, WaitingTake] = {}
        self.room = 0


class Desk:
    """The waiting takes by pool. A take that is claimed waits no longer; whoever claimed it answers it or puts it back.

    A worker has one take at a time. A pool is known from the first time it is asked for.
    """

    def __init__(self) -> None:
        self._waiting: dict[int, WaitingTake] = {}
        self._claimed: dict[int, WaitingTake] = {}
        self._pools: dict[str, _Pool] = {}
        self._known = 0
        """How many pools were ever made known: a worker's list of them is made again when this has changed."""
        self._fitting: dict[int, tuple[int, list[str]]] = {}

    def __len__(self) -> int:
        """How many takes wait."""
        return len(self._waiting)

    def current(self, worker: int) -> WaitingTake | None:
        """Returns the take of a worker that is not answered yet."""
        return self._waiting.get(worker) or self._claimed.get(worker)

    def add(self, take: WaitingTake) -> None:
        """Let a take wait."""
        self._waiting[take.worker.id] = take
        for name in self._pools_of(take.worker):
            pool = self._pools[name]
            pool.takes[take.worker.id] = take
            pool.room += take.most

    def remove(self, take: WaitingTake) -> bool:
        """Let a take wait no longer. Returns false when it was claimed: its answer is on the way."""
        if self._waiting.get(take.worker.id) is not take:
            return self._claimed.get(take.worker.id) is not take
        del self._waiting[take.worker.id]
        for name in self._pools_of(take.worker):
            pool = self._pools[name]
            if pool.takes.pop(take.worker.id, None) is not None:
                pool.room -= take.most
        return True

    def forget(self, worker: int) -> None:
        """Forget a worker that is gone."""
        self._fitting.pop(worker, None)

    def pools(self) -> list[str]:
        """Returns the pools that were asked for."""
        return list(self._pools)

    def room(self, pool: str) -> int:
        """Returns how many runs the waiting takes of a pool ask for."""
        return self._pool(pool).room

    def claim(self, pool: str, runs: int) -> list[tuple[WaitingTake, int]]:
        """Claim takes for so many runs of a pool, oldest first. Returns each with how many it gets."""
        claimed: list[tuple[WaitingTake, int]] = []
        takes = self._pool(pool).takes
        while runs > 0 and takes:
            take = next(iter(takes.values()))
            self.remove(take)
            self._claimed[take.worker.id] = take
            claimed.append((take, min(runs, take.most)))
            runs -= take.most
        return claimed

    def put_back(self, take: WaitingTake) -> None:
        """Let a claimed take wait again: it got nothing."""
        if self._claimed.pop(take.worker.id, None) is take and not take.answer.done():
            self.add(take)

    def answered(self, take: WaitingTake) -> None:
        """A claimed take has its answer."""
        if self._claimed.get(take.worker.id) is take:
            del self._claimed[take.worker.id]

    def end_all(self) -> None:
        """Answer every waiting take without runs: this node stops."""
        for take in list(self._waiting.values()):
            self.remove(take)
            take.give([])

    def _pool(self, name: str) -> _Pool:
        found = self._pools.get(name)
        if found is None:
            if len(self._pools) >= MOST_POOLS:
                self._pools = {known: pool for known, pool in self._pools.items() if pool.takes}
                self._fitting.clear()
            found = self._pools[name] = _Pool()
            self._known += 1
            for take in self._waiting.values():
                if take.worker.fits(name):
                    found.takes[take.worker.id] = take
                    found.room += take.most
        return found

    def _pools_of(self, worker: Worker) -> list[str]:
        """Returns the known pools that a worker is in."""
        known, pools = self._fitting.get(worker.id, (-1, []))
        if known != self._known:
            pools = [name for name in self._pools if worker.fits(name)]
            self._fitting[worker.id] = (self._known, pools)
        return pools
