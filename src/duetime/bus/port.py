"""The contracts of the two ways to an executor: within the process, and to others by offers."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from datetime import datetime
from typing import Protocol

from duetime.bus.envelope import Ended
from duetime.model.ids import NodeId
from duetime.model.run import LaunchedRun
from duetime.store.port import JobRef, LaunchIntent


class Bus(Protocol):
    """Carries launched runs to the executor of the same process.

    Obligations:
    - A run is handed over only after its launch is committed; duplicates are harmless, because only
      the holder named in the launch can settle it.
    - `room` promises no more than can be started at once.
    """

    def room(self) -> int:
        """How many more runs can be started now."""
        ...

    def send(self, runs: Sequence[LaunchedRun]) -> None:
        """Hand committed launches over."""
        ...


class OfferBus(Protocol):
    """Offers launches to executors elsewhere; whoever has the labels takes them.

    Obligations:
    - An offer is committed like a launch, with the same walls, before anybody can take it; it is taken at most
      once, and only by an executor whose lease stands.
    - `room` promises no more than executors can start soon: what is offered early is decided early, and that is
      unfair later. At most twice their slots are out at a time, over all schedulers.
    - What was expected stays counted until it is known to be over, by word or by looking. A lost word costs
      time, nothing else.
    - An offer that nobody takes is taken back after a while, and its job is looked at anew.
    """

    def room(self, pool: str) -> int:
        """How many more launches executors of a pool can start soon."""
        ...

    def expect(self, refs: Sequence[JobRef], pool: str) -> None:
        """These are about to be offered: count them from now on, for word of their end may come first."""
        ...

    def forget(self, job_ids: Collection[int]) -> None:
        """These were not offered after all."""
        ...

    async def offer(self, node: NodeId, now: datetime, launches: Sequence[LaunchIntent], pool: str) -> set[int]:
        """Commit launches on offer to a pool; the ids."""
        ...

    async def hand_over(self, node: NodeId, job_ids: Sequence[int], pool: str) -> None:
        """Put launches that this node committed for itself, and never sent, on offer to a pool."""
        ...

    def announce(self) -> None:
        """Tell executors that there is something to take."""
        ...


class OfferListener(Protocol):
    """Learns what became of launches that a scheduler offered."""

    def released(self, refs: Sequence[JobRef]) -> None:
        """These are not in flight any more."""
        ...

    def ended(self, ref: JobRef, ended: Ended) -> None:
        """An executor reports how a run ended; `released` follows."""
        ...

    def missed(self, refs: Sequence[JobRef] | None) -> None:
        """These jobs may wait again; None: any job."""
        ...
