"""Every verb that writes is a failpoint, and is struck: in the matrix, under load, or in the suite of repeats.

A verb that is neither, nor a read, nor named in `LEFT_OUT` with a reason, fails this test: so a new verb cannot be
forgotten. That a read does not write is shown by calling it where the database refuses every write.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable
from inspect import getmembers, isfunction
from typing import Any, get_args, get_type_hints

import asyncpg
import pytest

from chaos.matrix import cases
from contract.store.place import EVERYTHING, NOW, PostgresPlace
from contract.store.test_repeats import WRITES
from duetime.coordination.port import Coordinator, LeaseRows
from duetime.coordination.postgres import PostgresCoordinator
from duetime.model.audit import AuditFilter
from duetime.model.job import DeadFilter, JobFilter
from duetime.model.logs import LogFilter
from duetime.store.injection_port import RecordId
from duetime.store.port import Wanted
from duetime.store.stores import Stores
from duetime.wiring import failpoints
from harness.database import TestServer
from harness.engine import Engine

WORKERS = "tests/contract/store/test_workers.py has its repeats; no failpoint strikes it"
ENQUEUED = "a claim ends by itself, and a request is removed after its job is stored: test_enqueued.py"
FILES = "a repeat has no effect, or returns what the first did: test_files.py there, and kills in tests/acceptance"
SHOWS = "it only shows what there is"
ARTIFACTS = "tests/contract/store/test_artifacts.py has its repeats; the content is compared whenever it is fetched"
LEFT_OUT: dict[str, str] = {
    "worker_insight.run": SHOWS,
    "worker_insight.running": SHOWS,
    "worker_insight.runs": SHOWS,
    "worker_insight.waiting": SHOWS,
    "workers.elsewhere": WORKERS,
    "workers.forget_notes": WORKERS,
    "workers.held": WORKERS,
    "workers.living": WORKERS,
    "workers.of_user": WORKERS,
    "workers.on_offer": WORKERS,
    "workers.settled": WORKERS,
    "workers.take_back": WORKERS,
    "workers.worker": WORKERS,
    "artifacts.begin": ARTIFACTS,
    "artifacts.push": ARTIFACTS,
    "artifacts.remove": ARTIFACTS,
    "artifacts.forget": ARTIFACTS,
    "files.claim": FILES,
    "files.hold": FILES,
    "files.finish": FILES,
    "files.moved": FILES,
    "files.forget": FILES,
    "enqueued.claim": ENQUEUED,
    "enqueued.refuse": ENQUEUED,
    "enqueued.remove": ENQUEUED,
    "signals.schedules": "it reads counts for metrics, by which nothing is decided",
    "signals.standing": "it reads counts for metrics, by which nothing is decided",
    "signals.workers": "it reads counts for metrics, by which nothing is decided",
    "sessions.begin": "a login whose answer is lost leaves a session that nobody has; it ends unused",
    "sessions.use": "it records a minute; the next use records another",
    "sessions.end": "a repeat finds nothing; tests/contract/store/test_sessions.py",
    "activity.add": "sums for people, by which nothing is decided: a lost answer may count twice",
    "activity.drop": "it deletes what is old; a repeat finds nothing",
    "coordinator.close": "it closes connections, and writes nothing",
    "placement.look_again": "it reads what is so into this node's memory, and writes nothing",
    "coordinator.cluster": "it writes the cluster's id once, when the first node starts; tests/contract/coordination",
    "coordinator.confirm": "only an outside judge (etcd) calls it; tests/contract/coordination has its faults",
    "coordinator.fence_these": "only an outside judge (etcd) calls it; tests/contract/coordination has its faults",
}
"""Verbs that no failpoint needs to strike, each with the reason."""

STARTS = "executor.start"
"""Handing a run over, which is no verb of a port."""

Read = Callable[[Stores, PostgresCoordinator], Awaitable[Any]]
READS: dict[str, Read] = {
    "due.due": lambda to, _: to.due.due((NOW, 0), NOW, EVERYTHING, 1),
    "due.backlog": lambda to, _: to.due.backlog([Wanted(1, 1)], NOW, EVERYTHING),
    "due.due_flows": lambda to, _: to.due.due_flows(NOW),
    "due.sweep_lanes": lambda to, _: to.due.sweep_lanes((0, ""), 1),
    "submit.other_definitions": lambda to, _: to.submit.other_definitions(1, [b"x"]),
    "launch.left_behind": lambda to, _: to.launch.left_behind(_node(1), [NOW]),
    "launch.definitions": lambda to, _: to.launch.definitions([1]),
    "settle.launched_before": lambda to, _: to.settle.launched_before(_node(1), NOW, 1),
    "settle.orphans": lambda to, _: to.settle.orphans(EVERYTHING, 1),
    "mint.to_launch": lambda to, _: to.mint.to_launch([1]),
    "control.cancel_requests": lambda to, _: to.control.cancel_requests(_node(1)),
    "dead.dead": lambda to, _: to.dead.dead(1, DeadFilter()),
    "dead.groups": lambda to, _: to.dead.groups(1, DeadFilter()),
    "dead.lanes": lambda to, _: to.dead.lanes(1, lane=None, blocked=False, limit=1),
    "dead.blocked_lanes": lambda to, _: to.dead.blocked_lanes(1),
    "insight.job": lambda to, _: to.insight.job(1, 1),
    "insight.jobs": lambda to, _: to.insight.jobs(1, JobFilter()),
    "insight.open_ids": lambda to, _: to.insight.open_ids(1, JobFilter(labels={"a": "b"})),
    "insight.search_floor": lambda to, _: to.insight.search_floor(1, JobFilter(q="x")),
    "insight.count": lambda to, _: to.insight.count(1, JobFilter()),
    "insight.definitions": lambda to, _: to.insight.definitions(1, 1),
    "insight.jobs_by_key": lambda to, _: to.insight.jobs_by_key(1, ["x"]),
    "insight.lane_heads": lambda to, _: to.insight.lane_heads(1, ["a"]),
    "insight.runs": lambda to, _: to.insight.runs(1, 1),
    "insight.stats": lambda to, _: to.insight.stats(1),
    "insight.usage": lambda to, _: to.insight.usage(1),
    "insight.message_bytes": lambda to, _: to.insight.message_bytes(1),
    "accounts.credentials": lambda to, _: to.accounts.credentials("x"),
    "accounts.user": lambda to, _: to.accounts.user(1),
    "accounts.users": lambda to, _: to.accounts.users(1, 0),
    "accounts.shares": lambda to, _: to.accounts.shares(),
    "sessions.session": lambda to, _: to.sessions.session(1),
    "sessions.sessions": lambda to, _: to.sessions.sessions(1),
    "activity.read": lambda to, _: to.activity.read(1, 60, NOW, NOW),
    "activity.launches": lambda to, _: to.activity.launches(NOW, 1),
    "activity.due_now": lambda to, _: to.activity.due_now(1, NOW, 1),
    "activity.due_flows": lambda to, _: to.activity.due_flows(1, NOW),
    "activity.in_flight": lambda to, _: to.activity.in_flight(1),
    "activity.totals": lambda to, _: to.activity.totals(),
    "activity.blocked_lanes": lambda to, _: to.activity.blocked_lanes(1),
    "activity.schedules": lambda to, _: to.activity.schedules([1]),
    "activity.planned": lambda to, _: to.activity.planned(1, NOW, NOW, 1),
    "gates.closed_gates": lambda to, _: to.gates.closed_gates(1),
    "gates.broken_hosts": lambda to, _: to.gates.broken_hosts(1),
    "gates.reset_requests": lambda to, _: to.gates.reset_requests(_node(1)),
    "schedules.schedule": lambda to, _: to.schedules.schedule(1, 1),
    "schedules.named": lambda to, _: to.schedules.named(1, ["x"]),
    "schedules.schedules": lambda to, _: to.schedules.schedules(1, 0, 1, None, None),
    "schedules.count": lambda to, _: to.schedules.count(1),
    "schedules.needing_repair": lambda to, _: to.schedules.needing_repair(1),
    "schedules.of_calendar": lambda to, _: to.schedules.of_calendar(1, 0, 1),
    "schedules.every": lambda to, _: to.schedules.every(0, 1),
    "schedules.history": lambda to, _: to.schedules.history(1, 1, 2**53, 1),
    "schedules.fact": lambda to, _: to.schedules.fact("x"),
    "calendars.calendar": lambda to, _: to.calendars.calendar(1, 1),
    "calendars.named": lambda to, _: to.calendars.named(1, ["x"]),
    "calendars.calendars": lambda to, _: to.calendars.calendars(1, 0, 1),
    "offers.standing": lambda to, _: _there(to.offers).standing([1]),
    "offers.executors": lambda to, _: _there(to.offers).executors(),
    "offers.other_keys": lambda to, _: _there(to.offers).other_keys(b"x"),
    "injection.offsets": lambda to, _: _there(to.injection).offsets("x"),
    "injection.jobs_of_keys": lambda to, _: _there(to.injection).jobs_of_keys("x", {b"x": RecordId(0, 0)}),
    "injection.refused": lambda to, _: _there(to.injection).refused("x", [0], 1),
    "files.ended_before": lambda to, _: _there(to.files).ended_before("x", NOW, 1),
    "audit.entries": lambda to, _: _there(to.audit).entries(AuditFilter()),
    "audit.links": lambda to, _: _there(to.audit).links(0, 1),
    "audit.unlinked": lambda to, _: _there(to.audit).unlinked(),
    "audit.head": lambda to, _: _there(to.audit).head(),
    "notifications.rule": lambda to, _: _there(to.notifications).rule(1, 1),
    "notifications.rules": lambda to, _: _there(to.notifications).rules(1, 0, 1),
    "notifications.rules_of": lambda to, _: _there(to.notifications).rules_of([1], [1]),
    "notifications.look": lambda to, _: _there(to.notifications).look(NOW, 1),
    "notifications.facts": lambda to, _: _there(to.notifications).facts([]),
    "notifications.incidents": lambda to, _: _there(to.notifications).incidents([(1, "job:1")]),
    "notifications.open_conditions": lambda to, _: _there(to.notifications).open_conditions([1]),
    "notifications.notices": lambda to, _: _there(to.notifications).notices(1, None, 1),
    "notifications.closed_since": lambda to, _: _there(to.notifications).closed_since([1], NOW),
    "workflows.inputs": lambda to, _: _there(to.workflows).inputs([1], 1),
    "workflows.list": lambda to, _: _there(to.workflows).list(1, None, 1, None, None),
    "workflows.show": lambda to, _: _there(to.workflows).show(1, 1),
    "workflows.overdue": lambda to, _: _there(to.workflows).overdue(EVERYTHING, NOW, 1),
    "workflows.timed_out": lambda to, _: _there(to.workflows).timed_out(EVERYTHING, NOW, 1),
    "workflows.waits": lambda to, _: _there(to.workflows).waits(1, [1]),
    "logs.lines": lambda to, _: _there(to.logs).lines(1, 1, 1),
    "logs.search": lambda to, _: _there(to.logs).search(1, LogFilter()),
    "artifacts.list": lambda to, _: _there(to.artifacts).list(1),
    "artifacts.named": lambda to, _: _there(to.artifacts).named(1, ["x@"]),
    "artifacts.unused": lambda to, _: _there(to.artifacts).unused(NOW, 1),
    "artifacts.upload": lambda to, _: _there(to.artifacts).upload(1, "x"),
    "artifacts.version": lambda to, _: _there(to.artifacts).version(1, "x", None),
    "artifacts.versions": lambda to, _: _there(to.artifacts).versions(1, "x"),
    "outbox.read": lambda to, _: _there(to.outbox).read("x", 1),
    "coordinator.members": lambda _, coordinator: coordinator.members(),
    "coordinator.owners": lambda _, coordinator: coordinator.owners(),
    "coordinator.confirmed": lambda _, coordinator: coordinator.confirmed(),
    "coordinator.alive": lambda _, coordinator: coordinator.alive(_node(1), 5.0),
}
"""Verbs that only read, each with a call of it."""


def _node(number: int) -> Any:
    return number


def _there(part: Any) -> Any:
    assert part is not None
    return part


def verbs() -> set[str]:
    """Every coroutine of every port and of the coordinator, as failpoints name them."""
    ports = {name: next(one for one in (*get_args(kind), kind) if one is not type(None)) for name, kind in _fields()}
    found = {f"{name}.{verb}" for name, port in ports.items() for verb in _coroutines(port)}
    return found | {f"coordinator.{verb}" for port in (Coordinator, LeaseRows) for verb in _coroutines(port)}


def _fields() -> list[tuple[str, Any]]:
    return list(get_type_hints(Stores).items())


def _coroutines(port: type) -> list[str]:
    named = getmembers(port, isfunction)
    return [name for name, verb in named if not name.startswith("_") and verb.__code__.co_flags & 0x80]


def struck() -> set[str]:
    """What the matrix strikes on running nodes, or the suite of repeats on every implementation of the store."""
    return {case.point for case in cases()} | set(WRITES)


def test_every_verb_is_struck_or_reads_or_is_left_out_with_a_reason() -> None:
    missing = verbs() - struck() - READS.keys() - LEFT_OUT.keys()
    assert not missing, f"{sorted(missing)}: strike them in test_repeats.py or in the matrix, or name a reason here"


def test_nothing_is_named_that_there_is_not_or_that_is_struck() -> None:
    assert (READS.keys() | LEFT_OUT.keys()) <= verbs()
    assert {case.point for case in cases()} - {STARTS} <= verbs()
    assert not READS.keys() & WRITES.keys()
    assert not LEFT_OUT.keys() & struck()


async def test_what_writes_is_wrapped(engine: Engine) -> None:
    points = failpoints.Failpoints("nobody.home:before:crash", engine.clock)
    points.wrap("coordinator", engine.coordinator)
    points.stores(engine.stores)
    points.slots(engine.bus)
    assert (verbs() | {STARTS}) <= points.known


NO_WRITES = """
CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS
    $$ BEGIN RAISE EXCEPTION 'written: %', TG_TABLE_NAME; END $$;
DO $$ DECLARE t regclass; BEGIN
    FOR t IN SELECT oid::regclass FROM pg_class
             WHERE relkind IN ('r', 'p') AND NOT relispartition AND relnamespace = 'public'::regnamespace LOOP
        EXECUTE format('CREATE TRIGGER no_writes BEFORE INSERT OR UPDATE OR DELETE ON %s'
                       ' FOR EACH STATEMENT EXECUTE FUNCTION refuse()', t);
    END LOOP;
END $$;
"""
"""Makes every table refuse every write, also one of no rows."""


@pytest.fixture
async def reader(server: TestServer) -> AsyncIterator[PostgresPlace]:
    """A store that refuses every write."""
    async with PostgresPlace.opened(server) as place:
        assert isinstance(place, PostgresPlace)
        await place.add(lane="a")
        async with place.pool.transaction() as connection:
            await connection.execute(NO_WRITES)
        yield place


async def test_a_read_writes_nothing(reader: PostgresPlace) -> None:
    for verb, read in READS.items():
        try:
            await read(reader.stores, reader.coordinator)
        except asyncpg.RaiseError as error:
            pytest.fail(f"{verb} is named as a read, and writes: {error}")
    with pytest.raises(asyncpg.RaiseError):
        await reader.stores.schedules.remember("x", "y")
