"""What the suite asks of a store: its ports, a coordinator over the same truth, and leases that can be let run out.

`PLACES` names every implementation: a further one is a class here and a line there.
"""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import datetime, timedelta
from itertools import count
from typing import Any, ClassVar, NamedTuple

import asyncpg
import msgspec

from duetime.clock.manual import START
from duetime.coordination.port import Coordinator
from duetime.coordination.postgres import PostgresCoordinator
from duetime.model.definition import Definition, definition_hash, encode_definition
from duetime.model.ids import SHARDS, DefinitionId, NodeId, UserId, flow_of, shard_of
from duetime.model.outcome import Failure, Result
from duetime.model.states import JobState
from duetime.postgres.pool import Pool
from duetime.store.audit_port import AuditStore
from duetime.store.file_port import FileStore
from duetime.store.injection_port import InjectionStore
from duetime.store.log_port import LogStore
from duetime.store.notification_port import NotificationStore
from duetime.store.offer_port import OfferStore
from duetime.store.outbox_port import OutboxStore
from duetime.store.placement import SingleDatabase
from duetime.store.port import Again, Ending, JobRef, JobRow, LaunchedRow, LaunchIntent
from duetime.store.postgres.placed import PlacedSubmit
from duetime.store.postgres.stores import placed_stores, postgres_stores
from duetime.store.stores import Stores
from duetime.store.worker_insight_port import WorkerInsightStore
from duetime.store.worker_port import WorkerStore
from harness.database import TestServer
from simulation.memory.audit import MemoryAudit
from simulation.memory.coordinator import MemoryCoordinator
from simulation.memory.files import MemoryFiles
from simulation.memory.injection import MemoryInjection
from simulation.memory.launch import put_in_flight
from simulation.memory.link import DirectLink
from simulation.memory.logs import MemoryLogs
from simulation.memory.notifications import MemoryNotifications
from simulation.memory.offers import MemoryOffers
from simulation.memory.outbox import MemoryOutbox
from simulation.memory.stores import memory_stores
from simulation.memory.tables import Flight, Tables, Taken
from simulation.memory.worker_insight import MemoryWorkerInsight
from simulation.memory.workers import MemoryWorkers

NOW = START
EVERYTHING = [True] * SHARDS
SHARD = 5


def at(seconds: float) -> datetime:
    """An instant near the suite's present."""
    return NOW + timedelta(seconds=seconds)


class Audited(NamedTuple):
    """A change on record: who made it, what it was, and of what."""

    actor: int | None
    action: str
    subject: str


class Place:
    """A store, and what tests do to it most."""

    needs_server: ClassVar[bool] = False
    """Whether `opened` is given a PostgreSQL server."""
    refusals: tuple[type[Exception], ...]
    """What a broken wall raises."""
    stores: Stores
    coordinator: Coordinator

    def __init__(self) -> None:
        self._names = count()
        self.user, self.node, self.terms = UserId(0), NodeId(0), dict[int, int]()
        self.definition = DefinitionId(0)

    @classmethod
    @asynccontextmanager
    async def opened(cls, server: TestServer | None) -> AsyncIterator[Place]:
        """An empty store with one user and one node that owns every shard."""
        raise NotImplementedError
        yield

    async def let_lease_end(self, node: NodeId) -> None:
        """A node's lease runs out without its knowing."""
        raise NotImplementedError

    async def audit(self) -> list[Audited]:
        """The changes on record, first to last."""
        raise NotImplementedError

    @property
    def offers(self) -> OfferStore:
        """The port of launches on offer, which every place has."""
        assert self.stores.offers is not None
        return self.stores.offers

    @property
    def outbox(self) -> OutboxStore:
        """The port of ends that must not be missed, which every place has."""
        assert self.stores.outbox is not None
        return self.stores.outbox

    @property
    def workers(self) -> WorkerStore:
        """The port of workers, which every place has."""
        assert self.stores.workers is not None
        return self.stores.workers

    @property
    def worker_insight(self) -> WorkerInsightStore:
        """The port for looking at workers, which every place has."""
        assert self.stores.worker_insight is not None
        return self.stores.worker_insight

    @property
    def injection(self) -> InjectionStore:
        """The port of jobs that topics bring, which every place has."""
        assert self.stores.injection is not None
        return self.stores.injection

    @property
    def files(self) -> FileStore:
        """The port of files that were read, which every place has."""
        assert self.stores.files is not None
        return self.stores.files

    @property
    def audit_store(self) -> AuditStore:
        """The port of the audit, which every place has."""
        assert self.stores.audit is not None
        return self.stores.audit

    @property
    def notifications(self) -> NotificationStore:
        """The port of notifications, which every place has."""
        assert self.stores.notifications is not None
        return self.stores.notifications

    @property
    def logs(self) -> LogStore:
        """The port of logs, which every place has."""
        assert self.stores.logs is not None
        return self.stores.logs

    async def put_in_flight(self, ref: JobRef) -> None:
        """A launch of the owner that stands although its job is gone or elsewhere: it died before it could look."""
        raise NotImplementedError

    async def prepare(self) -> Place:
        """A user, a definition and a node with every shard."""
        await self.stores.retention.make_days(at(-86_400).date(), at(86_400).date())
        self.user = await self.new_user()
        self.definition = await self.intern(Definition())
        self.node, self.terms = await self.new_node(range(SHARDS))
        return self

    async def new_user(self) -> UserId:
        made = await self.stores.accounts.create_user(f"user{next(self._names)}", "x", 1.0, "user", NOW, None)
        return made.id

    async def new_node(self, shards: range = range(0)) -> tuple[NodeId, dict[int, int]]:
        node = await self.coordinator.join("node", ("scheduler", "executor"), "0", 3600.0)
        return node, await self.coordinator.acquire(node, list(shards)) if shards else {}

    async def intern(self, definition: Definition) -> DefinitionId:
        body = encode_definition(definition)
        found = await self.stores.submit.intern([(self.user, definition_hash(body), body)], NOW.date())
        return DefinitionId(found[self.user, definition_hash(body)])

    def row(self, seconds: float = 0.0, **more: Any) -> JobRow:
        """A job for an instant near the present."""
        fields: dict[str, Any] = {
            "taken_id": None,
            "shard": SHARD,
            "user_id": self.user,
            "definition_id": self.definition,
            "flow": flow_of(self.user),
            "priority": 5,
            "ready": True,
            "execute_at": at(seconds),
            "due_at": at(seconds),
            "expires_at": None,
            "schedule_id": None,
            "lane": None,
            "labels": None,
            "message": "m",
        }
        return JobRow(**{**fields, **more})

    async def add(self, seconds: float = 0.0, **more: Any) -> JobRef:
        """Store one job; the reference that a scheduler would have."""
        row = self.row(seconds, **more)
        (stored,) = await self.stores.submit.submit([row], at(-10))
        return JobRef(
            stored.job_id, row.user_id, row.flow, row.priority, row.due_at, 0, row.lane, row.execute_at, row.schedule_id
        )

    async def launch(self, *refs: JobRef, node: NodeId | None = None, term: int | None = None) -> set[int]:
        """Launch, by default as the owner; the ids launched."""
        return {row.id for row in await self.rows(*refs, node=node, term=term)}

    async def rows(self, *refs: JobRef, node: NodeId | None = None, term: int | None = None) -> list[LaunchedRow]:
        """Launch, by default as the owner, once all are due, and take back what is gone. Returns what to run."""
        chosen = [LaunchIntent(ref, self.terms[shard_of(ref.id)] if term is None else term) for ref in refs]
        holder, now = node or self.node, max(NOW, *(ref.due_at for ref in refs))
        launched = await self.stores.launch.launch(holder, now, chosen)
        if launched.gone:
            await self.stores.launch.unlaunch(holder, launched.gone, now)
        return launched.rows

    async def succeed(self, ref: JobRef) -> None:
        """The owner's run of this job ended well at its first attempt."""
        await self.stores.settle.finish([Ending(ref.id, self.node, 1, JobState.SUCCEEDED, NOW, NOW, None, None)])

    async def die(self, ref: JobRef, message: str = "broken", kind: str = "http_500", *, park: bool = False) -> None:
        """Launch a job and let its attempt fail for good: it goes to history, or holds its lane (`park`)."""
        assert await self.launch(ref) == {ref.id}
        result = msgspec.json.encode(Result(Failure(kind, message))).decode()
        run = (ref.id, self.node, ref.attempt + 1)
        if park:
            again = Again(*run, JobState.FAILED, NOW, at(1), result, at(1), True)
            assert await self.stores.settle.retry([again]), "it held the run"
        else:
            assert await self.stores.settle.finish([Ending(*run, JobState.DEAD, NOW, at(1), message, result)])

    async def state(self, job_id: int) -> str | None:
        """A job's state, as people see it."""
        job = await self.stores.insight.job(self.user, job_id)
        return None if job is None else job.state.value


class MemoryPlace(Place):
    """The simulation's store."""

    refusals = (Taken,)

    def __init__(self) -> None:
        super().__init__()
        self._lapse = timedelta(0)
        self.tables = Tables(lambda: NOW + self._lapse)
        link = DirectLink()
        workers = MemoryWorkers(self.tables, link)
        injection = MemoryInjection(self.tables, link)
        self.stores = memory_stores(self.tables, link, SingleDatabase())._replace(
            offers=MemoryOffers(self.tables, link),
            outbox=MemoryOutbox(self.tables, link),
            workers=workers,
            worker_insight=MemoryWorkerInsight(self.tables, workers),
            injection=injection,
            files=MemoryFiles(injection, link),
            notifications=MemoryNotifications(self.tables, link),
            audit=MemoryAudit(self.tables, link),
            logs=MemoryLogs(self.tables),
        )
        self.coordinator = MemoryCoordinator(self.tables, link)

    @classmethod
    @asynccontextmanager
    async def opened(cls, server: TestServer | None) -> AsyncIterator[Place]:
        yield await cls().prepare()

    async def audit(self) -> list[Audited]:
        return [Audited(one.actor, one.action, one.subject) for one in self.tables.audit]

    async def let_lease_end(self, node: NodeId) -> None:
        self.tables.leases[node].until = self.tables.clock() - timedelta(seconds=1)

    async def put_in_flight(self, ref: JobRef) -> None:
        term = self.terms[shard_of(ref.id)]
        put_in_flight(self.tables, Flight(ref.id, ref.user_id, self.node, term, ref.attempt + 1, NOW, ref.lane))


class PostgresPlace(Place):
    """A real database."""

    needs_server = True
    refusals = (asyncpg.UniqueViolationError,)

    def __init__(self, dsn: str) -> None:
        super().__init__()
        self.dsn = dsn
        self.pool = Pool(dsn, size=4)
        self.stores = self.stores_on(self.pool)
        self.coordinator: PostgresCoordinator = PostgresCoordinator(self.pool)

    @classmethod
    @asynccontextmanager
    async def opened(cls, server: TestServer | None) -> AsyncIterator[Place]:
        assert server is not None
        made = cls(await server.fresh())
        try:
            await made.pool.open()
            yield await made.prepare()
        finally:
            await made.coordinator.close()
            await made.pool.close()
            await server.drop(made.dsn)

    def stores_on(self, pool: Pool) -> Stores:
        """The stores of a database."""
        return postgres_stores(pool)

    async def audit(self) -> list[Audited]:
        return [Audited(*row) for row in await self.pool.rows("SELECT actor, action, subject FROM audit ORDER BY id")]

    async def let_lease_end(self, node: NodeId) -> None:
        await self.pool.run("UPDATE leases SET until = clock_timestamp() - interval '1 s' WHERE node_id = $1", node)

    async def put_in_flight(self, ref: JobRef) -> None:
        await self.pool.run(
            "INSERT INTO in_flight (job_id, user_id, executor, term, attempt, launched_at, lane)"
            " VALUES ($1, $2, $3, $4, $5, $6, $7)",
            *(ref.id, ref.user_id, self.node, self.terms[shard_of(ref.id)], ref.attempt + 1, NOW, ref.lane),
        )


class CellPlace(PostgresPlace):
    """A real database that is one cell of several: whatever adds jobs checks first that their shards are here."""

    def stores_on(self, pool: Pool) -> Stores:
        return placed_stores(pool, PlacedSubmit(pool))


PLACES: dict[str, type[Place]] = {"memory": MemoryPlace, "postgres": PostgresPlace, "cell": CellPlace}
"""Every implementation of the store: each test of this suite runs on all of them."""
