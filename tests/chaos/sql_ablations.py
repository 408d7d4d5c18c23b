"""Safeguards cut out of the real SQL, one at a time: of a function, a statement or a table in a scratch database.

Each cut names its clause by a regular expression, and fails when the clause is not found. A scenario is a fixed order
of calls by two nodes; it says what went wrong, or None. The names are those of `simulation.ablations`.
"""

from __future__ import annotations

import re
from collections.abc import Awaitable, Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any, NamedTuple

from contract.store.place import NOW, PostgresPlace, at
from contract.store.schedules import minting, occurrence, schedule
from duetime.model.ids import shard_of
from duetime.model.states import JobState
from duetime.store.port import Again, ColumnChange, Ending, KeyClaim
from duetime.store.postgres.queries import STATEMENTS

DEFINITIONS = "SELECT pg_get_functiondef(oid) FROM pg_proc WHERE pronamespace = 'public'::regnamespace AND prosrc ~ $1"


class InFunction(NamedTuple):
    """A clause of the database's functions, and what stands in its place."""

    clause: str
    instead: str = ""


class InStatement(NamedTuple):
    """A clause of one named statement, and what stands in its place."""

    name: str
    clause: str
    instead: str = ""


class Dropped(NamedTuple):
    """A constraint or an index that is dropped."""

    command: str


Cut = InFunction | InStatement | Dropped
Scenario = Callable[[PostgresPlace], Awaitable[str | None]]


class SqlAblation(NamedTuple):
    """A safeguard, how it is cut out, and the calls that show that it is missed."""

    name: str
    cuts: Sequence[Cut]
    scenario: Scenario


@contextmanager
def cut_statements(cuts: Sequence[Cut]) -> Iterator[None]:
    """Statements without their clauses, for a while."""
    before: dict[tuple[str, str], str] = {}
    try:
        for cut in cuts:
            if isinstance(cut, InStatement):
                file, _, block = cut.name.partition(".")
                found = _blocks(file)
                before.setdefault((file, block), found[block])
                found[block] = _without(cut.clause, cut.instead, found[block], cut.name)
        _read_again()
        yield
    finally:
        for (file, block), text in before.items():
            _blocks(file)[block] = text
        _read_again()


def _blocks(file: str) -> dict[str, str]:
    """The statements of one file, as they are kept."""
    found = STATEMENTS.blocks(file)
    assert isinstance(found, dict)
    return found


def _read_again() -> None:
    """Forget the statements that were asked for before."""
    kept: Any = STATEMENTS.sql
    kept.cache_clear()


async def cut_database(place: PostgresPlace, cuts: Sequence[Cut]) -> None:
    """Functions without their clauses, and tables without their constraints."""
    for cut in cuts:
        if isinstance(cut, InFunction):
            rows = await place.pool.rows(DEFINITIONS, cut.clause)
            assert rows, f"no function says {cut.clause!r} any more: find where the safeguard is now"
            for row in rows:
                await _execute(place, _without(cut.clause, cut.instead, row[0], "a function"))
        elif isinstance(cut, Dropped):
            await _execute(place, cut.command)


async def _execute(place: PostgresPlace, command: str) -> None:
    async with place.pool.transaction() as connection:
        await connection.execute(command)


def _without(clause: str, instead: str, text: str, where: str) -> str:
    changed, number = re.subn(clause, instead, text)
    assert number, f"{where} does not say {clause!r} any more: find where the safeguard is now"
    return changed


async def stale_term(place: PostgresPlace) -> str | None:
    """A shard passes to another node; the first one then launches under its old term."""
    ref, old = await place.add(), dict(place.terms)
    shard = shard_of(ref.id)
    await place.coordinator.release(place.node, [shard])
    other = await place.coordinator.join("other", ("scheduler",), "0", 3600.0)
    assert await place.coordinator.acquire(other, [shard])
    launched = await place.launch(ref, term=old[shard])
    return f"node {place.node} launched {launched}, whose shard is node {other}'s" if launched else None


async def fenced_node(place: PostgresPlace) -> str | None:
    """A node's lease is taken away; it then launches under a term that still stands."""
    ref = await place.add()
    await place.let_lease_end(place.node)
    assert place.node in await place.coordinator.fence()
    launched = await place.launch(ref)
    return f"node {place.node} launched {launched} without a lease" if launched else None


async def launched_twice(place: PostgresPlace) -> str | None:
    """A job is launched, and launched again while it is in flight."""
    ref = await place.add()
    assert await place.launch(ref)
    again = await place.launch(ref)
    return f"{again} is in flight twice" if again else None


async def settled_by_another(place: PostgresPlace) -> str | None:
    """A run of one node is settled by another, in each of the three ways of settling."""
    other, _ = await place.new_node()
    refs = [await place.add() for _ in range(3)]
    await place.launch(*refs)
    plain, told, again = [ref.id for ref in refs]
    settled = await place.stores.settle.finish([Ending(plain, other, 1, JobState.SUCCEEDED, NOW, NOW, None, None)])
    settled |= await place.stores.settle.finish([Ending(told, other, 1, JobState.DEAD, NOW, NOW, "x", None)])
    back = await place.stores.settle.retry([Again(again, other, 1, JobState.FAILED, NOW, NOW, None, NOW, False)])
    if len(settled) + len(back) in (0, 3):
        return f"node {other} settled {sorted(settled)} and {back}, which node {place.node} holds" if settled else None
    raise AssertionError("only some of the three ways of settling have the safeguard")


async def attempt_forgotten(place: PostgresPlace) -> str | None:
    """A run whose executor went away before it said that it started goes again."""
    ref = await place.add()
    assert await place.launch(ref)
    again = Again(ref.id, place.node, 1, JobState.FAILED, None, NOW, None, NOW, False)
    (back,) = await place.stores.settle.retry([again])
    assert await place.launch(back)
    attempts = [run.attempt for run in await place.stores.insight.runs(place.user, ref.id)]
    return f"attempts {attempts}: one run's identity stands for two" if attempts != [1, 2] else None


async def two_of_a_lane(place: PostgresPlace) -> str | None:
    """A job of a lane is in flight when another one is stored before it, and that is launched as the head."""
    running = await place.add(5, lane="a")
    assert await place.launch(running)
    before = await place.add(0, lane="a")
    launched = await place.launch(before)
    return f"{launched} and {running.id} of one lane are in flight" if launched else None


async def out_of_order(place: PostgresPlace) -> str | None:
    """The second job of a lane is launched before the first."""
    await place.add(0, lane="a")
    second = await place.add(5, lane="a")
    launched = await place.launch(second)
    return f"{launched} was launched before the head of its lane" if launched else None


async def one_instant_twice(place: PostgresPlace) -> str | None:
    """A schedule's next occurrence is planned for an instant that has an unfinished occurrence already."""
    pair = await occurrence(place, await schedule(place))
    await place.stores.mint.mint(place.node, at(10), [minting(place, pair.next, after=0)])
    records = await place.stores.schedules.history(place.user, pair.next.schedule_id or 0, 2**53, 10)
    nominal = [one.job_id for one in records if one.nominal == NOW]
    return f"jobs {nominal} are for one nominal instant" if len(nominal) > 1 else None


async def edited_in_flight(place: PostgresPlace) -> str | None:
    """A running job is edited and cancelled, and both are acknowledged."""
    ref, gone = await place.add(), await place.add()
    await place.launch(ref, gone)
    change = ColumnChange("job.edited", message="other")
    edited = await place.stores.control.edit(place.user, ref.id, change, NOW, place.user)
    ended = await place.stores.control.withdraw(place.user, gone.id, JobState.CANCELLED, "x", NOW, place.user)
    return f"{edited} and {ended} were acknowledged of running jobs" if edited or ended else None


async def stored_twice(place: PostgresPlace) -> str | None:
    """A request with an idempotency key comes twice."""
    for _ in range(2):
        await place.stores.submit.submit_once([place.row()], [KeyClaim("k", b"f")], NOW)
    counts = await place.stores.insight.stats(place.user)
    return f"one key stored {counts}" if counts != {JobState.CREATED: 1} else None


async def cancel_forgotten(place: PostgresPlace) -> str | None:
    """A run that is asked to stop was never sent, and its launch is taken back."""
    ref = await place.add()
    await place.launch(ref)
    assert await place.stores.control.request_cancel(place.user, ref.id, NOW, place.user)
    await place.stores.launch.unlaunch(place.node, [ref.id], NOW)
    state = await place.state(ref.id)
    return f"a job whose cancel was acknowledged is {state}" if state != "cancelled" else None


TERM = (
    InFunction(r"p\.term = CASE", "p.term <= CASE"),
    InFunction(r"CASE WHEN s\.owner = node THEN s\.term ELSE -1 END", "s.term"),
    InFunction(r" AND s\.owner = node\) END", ") END"),
)
FENCE = InFunction(r"IF NOT FOUND AND cardinality\(ids\) > 0 THEN RETURN[^;]*; END IF;")
NO_KEY = Dropped("ALTER TABLE in_flight DROP CONSTRAINT in_flight_pkey")
NO_IDEMPOTENCY = Dropped("ALTER TABLE idempotency DROP CONSTRAINT idempotency_pkey")
NO_LANE_INDEX = Dropped("DROP INDEX in_flight_lane")
HEAD = r"(ORDER BY e\.execute_at, e\.id LIMIT 1\) |position IS NULL THEN e\.id )= p\.job_id"
HOLDER = r"AND f\.attempt = d\.attempt AND f\.executor = d\.executor "

SQL_ABLATIONS = (
    SqlAblation("term check", TERM, stale_term),
    SqlAblation("fence check", (FENCE,), fenced_node),
    SqlAblation("unique launch", (NO_KEY,), launched_twice),
    SqlAblation(
        "holder check",
        (
            InStatement("settle.finish", HOLDER),
            InStatement("settle.retry", HOLDER),
            InStatement("settle.succeed", r"AND executor = \$1::int AND attempt = \$2::smallint"),
        ),
        settled_by_another,
    ),
    SqlAblation(
        "attempt counted before start",
        (
            InStatement(
                "settle.retry",
                r"SET attempt = r\.attempt,",
                "SET attempt = CASE WHEN r.started_at IS NULL THEN r.attempt - 1 ELSE r.attempt END,",
            ),
        ),
        attempt_forgotten,
    ),
    SqlAblation("lane index", (NO_LANE_INDEX,), two_of_a_lane),
    SqlAblation(
        "lane order",
        (InFunction(HEAD, r"\1IS NOT NULL"),),
        out_of_order,
    ),
    SqlAblation("unique nominal instant", (Dropped("DROP INDEX jobs_schedule"),), one_instant_twice),
    SqlAblation(
        "edit lock",
        (
            InStatement(
                "control.lock_job",
                r"DO UPDATE SET executor = 0 WHERE in_flight\.executor = -1",
                "DO UPDATE SET user_id = in_flight.user_id",
            ),
        ),
        edited_in_flight,
    ),
    SqlAblation(
        "idempotency key", (Dropped("ALTER TABLE idempotency DROP CONSTRAINT idempotency_pkey"),), stored_twice
    ),
    SqlAblation(
        "cancel kept when a launch is taken back",
        (InStatement("launch.unlaunch", r"FROM back WHERE cancel", "FROM back WHERE false"),),
        cancel_forgotten,
    ),
)
"""Those of `simulation.ablations` that SQL carries."""

IN_THE_ENGINE = {
    "lease looked at before sending": "the node looks at its own clock; no statement is part of it",
    "lease margin": "the node's own clock; no statement is part of it",
    "rescue sweep": "a duty of the engine: test_sql_ablations.py turns it by hand",
    "doubts": "the engine's memory of launches without an answer: tests/integration/engine/test_late_answers.py",
    "lane sweep": "a duty of the engine: test_sql_ablations.py turns it by hand",
}
"""Those that the engine carries, and where they are shown on the real store."""
