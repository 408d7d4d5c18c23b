"""The contract of a bus: how a launch gets from a scheduler to an executor, and its end back to the scheduler.

A bus has two ends. A scheduler launches over `SchedulerEnd`. An executor takes runs from `ExecutorEnd`, and reports
their ends to it. A bus is a courier: the truth is the row in `in_flight`, which names the launch's holder.

There are two kinds of bus:

- **addressed**: the launch names its holder when it is committed. The run is delivered to that executor alone.
- **offered**: the launch names no holder. An executor becomes the holder when it takes the offer.

Obligations of every bus:

- *Commit before send.* A launch is committed, with the checks of `LaunchStore.launch`, before an executor can learn of
  it. Neither a scheduler nor an executor whose lease has ended becomes or makes a holder.
- *One holder.* A launch is taken at most once. Only its holder can settle it, so a run that is sent, delivered or
  reported twice is recorded once.
- *Nothing depends on a message.* Messages may be lost, repeated, late or out of order. A launch whose message is lost
  is still found: by its executor, or by the scheduler, which takes it back. A report that is lost costs the time until
  the scheduler looks by itself (`run_once`). A report of a launch that the scheduler does not expect changes nothing.
- *No more than fits.* `room` counts what is expected. Together, schedulers never have more launches out in a pool than
  twice the slots of its executors: a decision made too early is unfair later.
- *Fresh decisions.* A launch that no executor starts is taken back after a while, and the scheduler decides again.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from collections.abc import Set as AbstractSet
from datetime import datetime
from typing import NamedTuple, Protocol

from duetime.model.ids import NodeId
from duetime.model.run import LaunchedRun
from duetime.store.offer_port import Taken
from duetime.store.port import JobRef, LaunchedRow, LaunchIntent


class Ended(NamedTuple):
    """What an executor reports of a launch that is no longer in flight.

    The run succeeded; or it failed, in a way that a breaker counts (`failure`, at a `host`) or not. Without success the
    job may wait for another attempt.
    """

    job_id: int
    succeeded: bool = False
    failure: str | None = None
    host: str = ""


class Committed(NamedTuple):
    """What a launch over the bus committed."""

    here: Sequence[LaunchedRow] = ()
    """Launches that name the executor of this process, and what they are to run: the caller starts them."""
    gone: Sequence[int] = ()
    """Launches that name this node and have nothing to run, because the job changed meanwhile: taken back unsent."""
    elsewhere: AbstractSet[int] = frozenset()
    """Launches for executors elsewhere: the bus has sent them."""

    @property
    def total(self) -> int:
        """How many launches were committed."""
        return len(self.here) + len(self.elsewhere)

    def ids(self) -> set[int]:
        """Returns the jobs that were launched."""
        return {row.id for row in self.here}.union(self.elsewhere)

    def plus(self, other: Committed) -> Committed:
        """Returns both together."""
        return Committed([*self.here, *other.here], [*self.gone, *other.gone], self.elsewhere | other.elsewhere)


class LaunchListener(Protocol):
    """A scheduler as its end of the bus sees it: learns what became of launches elsewhere."""

    def released(self, refs: Sequence[JobRef]) -> None:
        """These are not in flight any more."""
        ...

    def ended(self, ref: JobRef, ended: Ended) -> None:
        """An executor reports how a run ended; `released` follows."""
        ...

    def missed(self, refs: Sequence[JobRef] | None) -> None:
        """These jobs may wait again; None: any job may."""
        ...


class SchedulerEnd(Protocol):
    """The end of the bus at which a scheduler launches."""

    def room(self, pool: str) -> int:
        """Returns how many more launches the executors of a pool can start soon. What is expected is subtracted."""
        ...

    def free_slots(self, pool: str) -> int:
        """Returns how many of these may take a slot."""
        ...

    def expect(self, refs: Sequence[JobRef], pool: str, taking_slots: Collection[int] = ()) -> None:
        """Count these launches from now on, before they are committed: a report of their end may come first.

        `taking_slots` are the ids of those whose runs take a slot. Expecting a job again replaces what was expected of
        it.
        """
        ...

    def forget(self, job_ids: Collection[int]) -> None:
        """Stop counting these launches: they were refused, or their executor's slots count them.

        A launch that is not counted is passed over.
        """
        ...

    async def launch(self, node: NodeId, now: datetime, intents: Sequence[LaunchIntent], pool: str) -> Committed:
        """Commit launches for a pool, atomically in each database, and send those for executors elsewhere.

        What is not among the committed was refused. When this raises, any part of it may be committed.
        """
        ...

    async def hand_over(self, node: NodeId, rows: Sequence[LaunchedRow], pool: str) -> Committed:
        """Give a pool the launches that this node committed in its own name and did not start; as `launch`."""
        ...

    async def run_once(self) -> None:
        """Learn what executors can start, find ends that were not reported, take back what no executor started."""
        ...


class ExecutorEnd(Protocol):
    """The end of the bus at which an executor takes runs, and at which ends are reported."""

    def listen(self, arrived: Callable[[], None]) -> None:
        """Call `arrived` when there may be something to take. A call may be missing: look now and then as well."""
        ...

    async def take(self, node: NodeId, limit: int, now: datetime) -> list[Taken]:
        """Take at most `limit` launches, the oldest ones; the executor asks for no more than its free slots.

        From then on `node` is their holder: it starts them, or takes them back. No other call returns the same launch.
        A node without a lease takes nothing. When this raises, any part of it may be taken; the launches carry the
        instant `now`.
        """
        ...

    def report(self, ended: Sequence[Ended]) -> None:
        """Report launches that are no longer in flight to the schedulers that expect them.

        The holder reports a run once it is on record. A launch that is cancelled or changed before an executor took it
        is reported too.
        """
        ...


class Slots(Protocol):
    """The executor of this process, as the bus sees it."""

    def room(self) -> int:
        """Returns the free slots."""
        ...

    def instant_room(self) -> int:
        """Returns how many runs that take no slot may start, whether or not slots are free."""
        ...

    def start(self, runs: Sequence[LaunchedRun]) -> None:
        """Start runs that this node holds."""
        ...
