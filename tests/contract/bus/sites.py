"""What the conformance suite asks of a bus: both its ends, on a real database, with executors that the test drives."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import AsyncExitStack
from datetime import timedelta

from duetime.bus.local import LocalBus
from duetime.bus.port import Ended, ExecutorEnd, SchedulerEnd
from duetime.bus.postgres import PostgresExecutorEnd, PostgresSchedulerEnd
from duetime.clock.manual import ManualClock
from duetime.coordination.ownership import Ownership
from duetime.coordination.postgres import PostgresCoordinator
from duetime.engine.intake.definitions import Definitions
from duetime.engine.launching.runs import as_runs
from duetime.model.definition import Definition
from duetime.model.ids import JobId, NodeId, UserId, flow_of
from duetime.model.labels import ANY, spelled
from duetime.model.run import LaunchedRun
from duetime.model.states import JobState
from duetime.postgres.pool import Pool
from duetime.store.offer_port import Abilities
from duetime.store.port import Ending, JobRef, JobRow, LaunchedRow, LaunchIntent
from duetime.store.postgres.stores import postgres_stores
from harness.waiting import eventually

TTL = 3600.0
SHARD = 5


class Listener:
    """A scheduler that notes what its end of the bus says."""

    def __init__(self) -> None:
        self.freed: list[int] = []
        self.reported: list[Ended] = []
        self.back: list[int] = []

    def released(self, refs: Sequence[JobRef]) -> None:
        self.freed += [ref.id for ref in refs]

    def ended(self, ref: JobRef, ended: Ended) -> None:
        self.reported.append(ended)

    def missed(self, refs: Sequence[JobRef] | None) -> None:
        self.back += [] if refs is None else [ref.id for ref in refs]


class Party:
    """A node: a lease, its own connection for hints, and the stores."""

    def __init__(self, pool: Pool, clock: ManualClock, *roles: str) -> None:
        self.coordinator = PostgresCoordinator(pool)
        self.ownership = Ownership(self.coordinator, clock, name="node", roles=roles, version="0", ttl=TTL)

    async def join(self, stack: AsyncExitStack) -> None:
        stack.push_async_callback(self.coordinator.close)
        await self.ownership.join()
        await self.ownership.run_once()

    @property
    def node(self) -> NodeId:
        return self.ownership.node


class HandSlots:
    """`Slots` whose runs end when the test says so. It holds what it starts, however often it starts it."""

    def __init__(self, slots: int) -> None:
        self._slots = slots
        self.open: dict[int, LaunchedRun] = {}
        self.started: list[LaunchedRun] = []

    def room(self) -> int:
        return self._slots - len(self.open)

    def instant_room(self) -> int:
        return self.room()

    def start(self, runs: Sequence[LaunchedRun]) -> None:
        self.started += runs
        self.open.update((run.job_id, run) for run in runs)


class Site:
    """One scheduler and one executor, at the two ends of a bus."""

    scheduler: SchedulerEnd
    executor: ExecutorEnd

    def __init__(self, pool: Pool, slots: int) -> None:
        self.pool, self.clock, self.stores = pool, ManualClock(), postgres_stores(pool)
        self.definitions = Definitions(self.stores.submit, self.stores.launch)
        self.slots, self.listener = HandSlots(slots), Listener()
        self.user = UserId(0)
        self.offering: Party
        """The node that schedules."""
        self.taking: Party
        """The node that executes; the same where the bus stays within a process."""

    async def open(self, stack: AsyncExitStack) -> Site:
        now = self.clock.now()
        await self.stores.retention.make_days((now - timedelta(1)).date(), (now + timedelta(1)).date())
        self.user = (await self.stores.accounts.create_user("user", "x", 1.0, "user", now, None)).id
        await self._connect(stack)
        await self.learn()
        return self

    async def _connect(self, stack: AsyncExitStack) -> None:
        raise NotImplementedError

    async def learn(self) -> None:
        """Let the executor report, and the scheduler look."""
        await self.scheduler.run_once()

    async def jobs(self, count: int, message: str = "m") -> list[JobRef]:
        """Store jobs that are due; returns the references that a scheduler has."""
        now, flow = self.clock.now(), flow_of(self.user)
        (definition,) = await self.definitions.intern([(self.user, Definition())], now.date())
        row = JobRow(None, SHARD, self.user, definition.id, flow, 5, True, now, now, None, None, None, None, message)
        stored = await self.stores.submit.submit([row] * count, now)
        return [JobRef(one.job_id, self.user, flow, 5, now, 0, None, now) for one in stored]

    def intents(self, refs: Sequence[JobRef], older: int = 0) -> list[LaunchIntent]:
        term = self.offering.ownership.terms[SHARD]
        return [LaunchIntent(ref, term - older) for ref in refs]

    async def launch(self, refs: Sequence[JobRef], pool: str = ANY, *, older: int = 0) -> set[int]:
        """Launch as a scheduler does: expect, commit, start what is for here, forget what is not out."""
        self.scheduler.expect(refs, pool)
        committed = await self.scheduler.launch(self.offering.node, self.clock.now(), self.intents(refs, older), pool)
        await self.start(committed.here)
        launched = committed.ids()
        self.scheduler.forget([ref.id for ref in refs if ref.id not in committed.elsewhere])
        return launched

    async def start(self, rows: Sequence[LaunchedRow]) -> None:
        self.slots.start(await as_runs(rows, self.taking.node, self.definitions))

    async def deliver(self) -> list[int]:
        """Let the executor take what there is, within its slots, and start it. Returns every job started so far."""
        taken = await self.executor.take(self.taking.node, self.slots.room(), self.clock.now())
        await self.start([one.row for one in taken if one.row is not None])
        return [run.job_id for run in self.slots.started]

    async def settle(self, run: LaunchedRun, node: NodeId | None = None) -> bool:
        """Record a success in a node's name; returns whether that node holds the run."""
        now = self.clock.now()
        ending = Ending(
            run.job_id, run.executor if node is None else node, run.attempt, JobState.SUCCEEDED, now, now, None, None
        )
        return run.job_id in await self.stores.settle.finish([ending])

    async def end(self, job_id: int, *, reported: bool = True) -> None:
        """A run ends: it is recorded, its slot is free, and its end is reported."""
        run = self.slots.open.pop(job_id)
        assert await self.settle(run)
        if reported:
            self.executor.report([Ended(job_id, succeeded=True)])

    async def lease_ends(self, party: Party) -> None:
        """A node is fenced and does not know it."""
        await self.pool.run(
            "UPDATE leases SET until = clock_timestamp() - interval '1 s' WHERE node_id = $1", party.node
        )
        other = PostgresCoordinator(self.pool)
        try:
            await eventually(lambda: _fenced(other, party.node))
        finally:
            await other.close()

    async def hints_arrive(self) -> None:
        """Wait until hints that the executor has sent by now have reached the scheduler."""

    async def in_flight(self) -> int:
        row = await self.pool.row("SELECT count(*) AS n FROM in_flight")
        return row["n"]

    async def records(self, job_id: int) -> int:
        row = await self.pool.row("SELECT count(*) AS n FROM history WHERE id = $1", JobId(job_id))
        return row["n"]


class LocalSite(Site):
    """Both ends within one process."""

    async def _connect(self, stack: AsyncExitStack) -> None:
        self.offering = self.taking = Party(self.pool, self.clock, "scheduler", "executor")
        await self.offering.join(stack)
        self.scheduler = self.executor = LocalBus(self.slots, self.stores.launch, {})


class PostgresSite(Site):
    """Two nodes, and offers in PostgreSQL between them."""

    async def _connect(self, stack: AsyncExitStack) -> None:
        self.offering = Party(self.pool, self.clock, "scheduler")
        self.taking = Party(self.pool, self.clock, "executor")
        for party in (self.offering, self.taking):
            await party.join(stack)
        offers = self.stores.offers
        assert offers is not None
        self.scheduler = PostgresSchedulerEnd(
            offers, self.offering.ownership, self.offering.coordinator, self.clock, self.listener
        )
        self.executor = PostgresExecutorEnd(offers, self.taking.ownership, self.taking.coordinator, {}, None)

    async def learn(self) -> None:
        free = self.slots.room()
        report = Abilities(free + len(self.slots.open), free + len(self.slots.open), free, spelled({}))
        await self.stores.offers.report(self.taking.node, report, first=False)
        await super().learn()

    async def hints_arrive(self) -> None:
        heard: list[str] = []
        self.offering.coordinator.listen("probe", heard.append)
        self.taking.coordinator.send("probe", "x")
        await eventually(lambda: heard)


async def _fenced(coordinator: PostgresCoordinator, node: NodeId) -> bool:
    return node in await coordinator.fence() or not await coordinator.alive(node, 5.0)
