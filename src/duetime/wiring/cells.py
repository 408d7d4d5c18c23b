"""All cells of a node with several databases, and the services that route between them."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence

import structlog

from duetime.api.server.services import ActivityServices, JobServices, RecurringServices
from duetime.cells.accounts import HomeAccounts
from duetime.cells.activity import CellsActivity
from duetime.cells.backfill import CellsBackfill
from duetime.cells.breakers import CellsBreakers
from duetime.cells.calendars import CalendarCopies, CellCalendars, CellsCalendars
from duetime.cells.cells import Cells
from duetime.cells.census import CellsCensus, EveryCellsHints
from duetime.cells.control import CellsControl
from duetime.cells.counts import counts_of
from duetime.cells.dead_letters import CellsDeadLetters
from duetime.cells.insight import CellsInsight
from duetime.cells.logs import CellsLogs
from duetime.cells.numbers import JobNumbers
from duetime.cells.placement import CellPlacement
from duetime.cells.schedules import CellsSchedules
from duetime.cells.submit import CellsSubmit
from duetime.cells.workflows import CellsWorkflows
from duetime.engine.activity.overview import Overview
from duetime.engine.activity.planned import Planned
from duetime.engine.activity.shares import Shares
from duetime.engine.asking.accounts import Accounts
from duetime.engine.due.contests import PoolContests
from duetime.engine.due.node_shares import NodeShares
from duetime.engine.due.slot_share import USER_PART
from duetime.engine.intake.quota import Quota
from duetime.engine.node.health import DatabaseHealth
from duetime.engine.node.periodic import Periodic
from duetime.model.errors import StoreAway
from duetime.model.ids import SHARDS
from duetime.model.user import Quotas
from duetime.store.stores import Stores
from duetime.wiring.cell_database import TURNS_PER_LEASE, CellDatabase
from duetime.wiring.engine import Engine

log = structlog.get_logger()
LOOK_EVERY = 0.2
NUMBERS_EVERY = 15.0


class CellStores:
    """What the engines of all cells share, and the stores of each."""

    def __init__(self, databases: Sequence[CellDatabase], quotas: Quotas, user_slots: float = USER_PART) -> None:
        self.databases = tuple(databases)
        home = self.databases[0]
        self.cells = cells = Cells([one.cell for one in self.databases])
        for one in self.databases:
            one.placed_here = cells.learn
        self._accounts = HomeAccounts(cells.home, home.clock)
        self.accounts = Accounts(self._accounts, home.clock)
        self.quota = Quota(home.clock, self.accounts.by_id, counts_of(cells), quotas)
        self.shares = NodeShares(user_slots)

    def contests(self, database: CellDatabase, wake: Callable[[], None]) -> Callable[[str], PoolContests]:
        """Returns what makes the contests of a cell for each pool; `wake` starts a round of its scheduler."""
        return self.shares.of_cell(lambda: database.cell.answers, database.clock.monotonic, wake)

    def of(self, database: CellDatabase) -> Stores:
        """Returns the stores for the engine of a cell: users of the home cell, jobs in the cell's open shards."""
        own, cell, home = database.stores, database.cell, self.cells.home
        return own._replace(
            accounts=self._accounts,
            placement=CellPlacement(cell, self.cells),
            calendars=own.calendars if cell is home else CellCalendars(own.calendars, home),
            workers=None,  # a worker has a lease in one database
            notifications=None,  # rules are judged from the outbox of one database
        )

    async def learn_homes(self) -> None:
        """Read from the home database which cluster this is, and where each shard lives."""
        known = await self.databases[0].placing.placement()
        self.cells.set_homes(known.homes or [0] * SHARDS)
        for one in self.databases:
            one.cluster = known.cluster


class CellServices:
    """The services of all cells together, and what a node does regularly for them."""

    def __init__(self, stores: CellStores, engines: Sequence[Engine]) -> None:
        cells, databases = stores.cells, stores.databases
        self.cells, self._databases, self._engines = cells, databases, tuple(engines)
        self._shares = stores.shares
        for cell, engine in zip(cells, engines, strict=True):
            cell.services = engine
        home, clock = engines[0], databases[0].clock
        copies, insight = CalendarCopies(cells), CellsInsight(cells)
        self.submit = CellsSubmit(cells, stores.quota, insight.job, clock)
        self.insight, self.control, self.logs = insight, CellsControl(cells, insight), CellsLogs(cells)
        self.dead_letters, self.breakers = CellsDeadLetters(cells), CellsBreakers(cells)
        self.schedules = CellsSchedules(cells, home.schedules, copies)
        self.backfill = CellsBackfill(self.schedules)
        self.calendars = CellsCalendars(cells, home.calendars, copies)
        self.jobs = JobServices(
            submit=self.submit,
            control=self.control,
            insight=self.insight,
            dead_letters=self.dead_letters,
            breakers=self.breakers,
            results=home.results,
            workflows=CellsWorkflows(cells, stores.quota),
        )
        self.recurring = RecurringServices(schedules=self.schedules, backfill=self.backfill, calendars=self.calendars)
        self.census = CellsCensus(databases[0].census, [(one.cell, one.census) for one in databases[1:]])
        sums = CellsActivity(cells)
        overview = Overview(sums, sums.due, insight, self.dead_letters, self.breakers, self.census, clock)
        self.activity = ActivityServices(
            overview=overview,
            planned=Planned(sums, home.timetables, clock),
            shares=Shares(sums, overview, stores.accounts.by_id, clock),
        )
        self.hints = EveryCellsHints([(one.cell, one.hints) for one in databases])
        self._numbers = JobNumbers(cells)

    def duties(self, lease: float) -> list[Periodic]:
        """Returns the periodic work that looks across the cells."""
        clock, every = self._databases[0].clock, min(lease / TURNS_PER_LEASE, LOOK_EVERY)
        return [
            Periodic("cells", clock, every, self.look),
            Periodic("job numbers", clock, NUMBERS_EVERY, self._numbers.run_once),
        ]

    async def look(self) -> None:
        """Give up calls to databases that went away, and drain every cell in which this node is drained at home."""
        self._shares.look()
        for cell in self.cells:
            cell.look()
        draining = self._databases[0].ownership.draining
        await asyncio.gather(*(_follow(one, draining) for one in self._databases[1:]))

    async def named_artifacts(self, user_id: int, references: Sequence[str]) -> set[str]:
        """Returns which of these artifacts jobs and schedules in any database name."""
        found: set[str] = set()
        for database in self._databases:
            store = database.stores.artifacts
            if store is not None:
                found |= await store.named(user_id, references)
        return found

    def health(self) -> list[DatabaseHealth]:
        """Returns the health of each database."""
        return [one.health() for one in self._databases]

    def share_slots(self) -> None:
        """Wake the schedulers of the other cells when a slot, or the room of a launch, becomes free in one."""
        for engine in self._engines:
            others = [other for other in self._engines if other is not engine]
            engine.freed.listen(lambda others=others: _wake(others))
            engine.scheduler.made_room = lambda others=others: _wake(others)


async def _follow(database: CellDatabase, draining: bool) -> None:
    try:
        await database.follow(draining)
    except StoreAway:
        log.debug("a drain waits for a database", database=database.number)


def _wake(engines: Sequence[Engine]) -> None:
    for engine in engines:
        if engine.pick.waiting:
            engine.more()
        if engine.take is not None:
            engine.take.freed()
