"""The contract of the store for workers. The obligations of `store.port` and `store.offer_port` apply here too.

A worker is a holder of runs that is not a node: it has a lease of its own, judged by the store's clock whichever
coordinator is used, and no shards. The nodes' `fence` removes leases that ran out, and rescue then finds the runs as it
finds those of a dead node.

A run becomes a worker's in one of three ways: it is launched into the worker's hands, a launch of a node is handed to
it, or it takes an offer. All carry the name of the worker's take, and all runs of one take carry the same instant.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import NamedTuple, Protocol

from duetime.model.ids import NodeId, UserId
from duetime.model.pull import Worker
from duetime.model.shown_worker import ShownWorker
from duetime.model.states import JobState
from duetime.store.port import LaunchedRow, LaunchIntent


class PulledRow(NamedTuple):
    """What a worker is to run."""

    row: LaunchedRow
    labels: str | None
    """Of the job, as JSON."""
    checkpoint: str | None
    """What an earlier attempt saved, as JSON."""


class PulledRows(NamedTuple):
    """Runs that became a worker's, and jobs (`gone`) whose launch the caller takes back."""

    rows: list[PulledRow]
    gone: list[int]


class KnownWorker(NamedTuple):
    """A living worker, and when the runs of a take became its own, if that take was its last one."""

    worker: Worker
    draining: bool
    taken_at: datetime | None


class HeldRow(NamedTuple):
    """A run that a worker holds since an instant; `cancel`: it was asked to stop."""

    row: LaunchedRow
    since: datetime
    cancel: bool
    labels: str | None
    checkpoint: str | None


class Note(NamedTuple):
    """What a run reports: progress and a checkpoint, each as JSON or None."""

    job_id: int
    attempt: int
    progress: str | None
    checkpoint: str | None


class BeatRun(NamedTuple):
    """A run of a worker, as a beat sees it; without `definition_id`, its job is gone."""

    job_id: int
    attempt: int
    since: datetime
    cancel: bool
    definition_id: int | None
    noted_at: datetime | None
    """When the run last reported something."""


class SettledRun(NamedTuple):
    """An attempt on record: its state, and the kind of its failure."""

    job_id: int
    attempt: int
    state: JobState
    kind: str | None


class Beaten(NamedTuple):
    """The answer to a beat."""

    draining: bool
    runs: list[BeatRun]


class WorkerStore(Protocol):
    """Workers, their leases and their runs."""

    async def register(self, worker: Worker, ttl: float, most: int) -> NodeId | None:
        """Create a worker with a lease of `ttl` seconds. Returns its id, new with every call.

        None if its user has `most` living workers already. The worker's own `id` is ignored.
        """
        ...

    async def worker(self, worker: NodeId, take_id: str | None = None) -> KnownWorker | None:
        """Returns a worker that has a lease."""
        ...

    async def living(self, workers: Sequence[int]) -> set[int]:
        """Returns those of these workers that have a lease."""
        ...

    async def of_user(self, user_id: int, limit: int) -> list[ShownWorker]:
        """Returns the living workers of a user, by id."""
        ...

    async def elsewhere(self, node: NodeId) -> list[Worker]:
        """Returns the living workers, while another node than this one has an API at which they can take runs."""
        ...

    async def launch(
        self,
        node: NodeId,
        worker: NodeId,
        take_id: str,
        now: datetime,
        launches: Sequence[LaunchIntent],
        requires: str,
    ) -> PulledRows:
        """Commit launches that the worker holds, in the answer to a take. The checks are those of `LaunchStore.launch`.

        Nothing is launched for a worker without a lease.
        """
        ...

    async def hand_to(
        self, node: NodeId, worker: NodeId, take_id: str, now: datetime, rows: Sequence[LaunchedRow], requires: str
    ) -> list[PulledRow]:
        """Give launches of this node, whose runs have not been started, to a worker. Returns those it holds now."""
        ...

    async def on_offer(self, limit: int) -> list[str]:
        """Returns pools of workers that have launches on offer."""
        ...

    async def take(self, worker: NodeId, take_id: str, limit: int, now: datetime) -> PulledRows:
        """Take offers that fit the worker, oldest first. A worker without a lease, or a drained one, gets none."""
        ...

    async def take_back(self, held: Sequence[bool], before: datetime, limit: int) -> list[int]:
        """Undo offers to workers that none took; as `OfferStore.take_back`."""
        ...

    async def beat(
        self, worker: NodeId, ttl: float, free: int | None, notes: Sequence[Note], now: datetime
    ) -> Beaten | None:
        """Renew a lease for `ttl` seconds, store what runs report, and return the worker's runs.

        None if the lease has ended; the worker's id is then dead for good.
        """
        ...

    async def held(
        self, worker: NodeId, job_ids: Sequence[int] | None = None, since: datetime | None = None
    ) -> list[HeldRow]:
        """Returns a worker's runs: of these jobs, or of the take that has this instant, or all."""
        ...

    async def settled(self, worker: NodeId, user_id: int, job_ids: Sequence[int]) -> list[SettledRun]:
        """Returns the attempts of these jobs that are on record with a worker, whether it settled or lost them."""
        ...

    async def drain(self, worker: NodeId, user_id: UserId, draining: bool) -> bool:
        """Set whether a user's worker takes nothing more. Returns false when there is no such living worker."""
        ...

    async def leave(self, worker: NodeId) -> None:
        """End a lease at once. Runs that the worker still has are rescued. A repeat has no effect."""
        ...

    async def forget_notes(self, before: datetime) -> None:
        """Remove what runs of ended jobs had reported before an instant."""
        ...
