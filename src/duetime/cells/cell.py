"""One cell: a database with some of the shards, the engine on it, and whether the database answers."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from typing import Any, Protocol, TypeVar

from duetime.engine.activity.due_jobs import DueJobs
from duetime.engine.asking.breakers import Breakers
from duetime.engine.asking.control import Control
from duetime.engine.asking.dead_letters import DeadLetters
from duetime.engine.asking.insight import Insight
from duetime.engine.asking.logs import Logs
from duetime.engine.intake.submit import Submit
from duetime.engine.recurring.backfill import Backfill
from duetime.engine.recurring.repair import ScheduleRepair
from duetime.engine.recurring.schedules import Schedules
from duetime.engine.workflows.workflows import Workflows
from duetime.model.errors import Elsewhere, StoreAway
from duetime.model.ids import SHARDS, NodeId
from duetime.model.shard_ranges import written_shards
from duetime.store.cell_port import PlacedStore, PlacementStore
from duetime.store.stores import Stores

T = TypeVar("T")


class Lease(Protocol):
    """This node's lease in the database of a cell."""

    @property
    def node(self) -> NodeId:
        """The id that this node has there."""
        ...

    @property
    def trusted(self) -> bool:
        """Whether the lease can still be relied on."""
        ...


class CellServices(Protocol):
    """What the engine of a cell does for people."""

    submit: Submit
    control: Control
    insight: Insight
    logs: Logs | None
    dead_letters: DeadLetters
    breakers: Breakers
    schedules: Schedules
    backfill: Backfill
    repair: ScheduleRepair
    due_jobs: DueJobs
    workflows: Workflows | None


class Cell:
    """A database as the other cells see it. It counts as away while this node's lease in it is not renewed."""

    def __init__(self, number: int, stores: Stores, placed: PlacedStore, placing: PlacementStore, lease: Lease) -> None:
        self.number, self.stores, self.placed, self.placing, self.lease = number, stores, placed, placing, lease
        self.services: CellServices
        """The services of the cell's engine, which is built after the cells."""
        self.away: frozenset[int] = frozenset(range(SHARDS))
        """The shards that are not open here, as last read."""
        self.version = -1
        self._asked: set[asyncio.Task[Any]] = set()

    @property
    def answers(self) -> bool:
        """Whether this node relies on the database."""
        return self.lease.trusted

    @property
    def here(self) -> frozenset[int]:
        """The shards that are open here."""
        return frozenset(range(SHARDS)) - self.away

    def sentence(self) -> str:
        """Returns what does not answer."""
        return f"Database {self.number} (shards {written_shards(self.here)}) does not answer"

    def refuse_away(self, what: str = "try again.") -> None:
        """Raises `StoreAway` while the database is away."""
        if not self.answers:
            raise StoreAway(f"{self.sentence()}: {what}")

    async def ask(self, call: Callable[[CellServices], Coroutine[Any, Any, T]]) -> T:
        """Call a service of this cell. Raises `StoreAway` at once while the database is away."""
        return await self.run(lambda: call(self.services))

    async def run(self, call: Callable[[], Coroutine[Any, Any, T]]) -> T:
        """Make a call to this cell's database. `look` gives the call up if the database goes away meanwhile."""
        self.refuse_away()
        task = asyncio.get_running_loop().create_task(call())
        self._asked.add(task)
        try:
            return await task
        except asyncio.CancelledError:
            if task in self._asked:
                raise
            raise StoreAway(f"{self.sentence()}: try again.") from None
        except Elsewhere:
            raise
        except StoreAway as error:
            if error.message == StoreAway().message:
                raise StoreAway(f"{self.sentence()}: try again.") from error
            raise
        finally:
            self._asked.discard(task)

    def look(self) -> None:
        """Give up the calls under way if the database is away. To be called regularly."""
        if self._asked and not self.answers:
            given_up, self._asked = self._asked, set()
            for task in given_up:
                task.cancel()
