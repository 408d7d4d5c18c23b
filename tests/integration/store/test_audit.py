"""The audit on a real database: what is on record of a change, and what the chain finds when rows are altered."""

from __future__ import annotations

from collections.abc import AsyncIterator

import asyncpg
import pytest

from contract.store.place import NOW, PostgresPlace, at
from duetime.model.audit import FIRST_HASH, AuditEntry, AuditFilter, changes_from, find_breaks
from duetime.model.definition import Definition
from duetime.model.notification import RuleContent, WebhookChannel
from duetime.model.targets.http import BearerAuth, HttpTarget
from duetime.model.user import UserChange
from duetime.store.port import ColumnChange
from harness.database import TestServer
from harness.waiting import eventually


@pytest.fixture
async def place(server: TestServer) -> AsyncIterator[PostgresPlace]:
    async with PostgresPlace.opened(server) as opened:
        assert isinstance(opened, PostgresPlace)
        yield opened


async def newest(place: PostgresPlace) -> AuditEntry:
    (entry,) = await place.audit_store.entries(AuditFilter(limit=1))
    return entry


async def breaks(place: PostgresPlace) -> list[str]:
    """What does not fit in the chain."""
    return find_breaks(FIRST_HASH, await place.audit_store.links(0, 1000), await place.audit_store.head())


async def seal(place: PostgresPlace) -> None:
    async def done() -> bool:
        await place.audit_store.seal(100)
        return (await place.audit_store.head()).unsealed == 0

    await eventually(done)


async def by_hand(place: PostgresPlace, statement: str) -> None:
    """Alter rows as a superuser can: with the triggers off."""
    async with place.pool.transaction() as connection:
        await connection.execute("SET LOCAL session_replication_role = replica")
        await connection.execute(statement)


async def test_a_change_says_from_where_and_what_it_was_before_and_after(place: PostgresPlace) -> None:
    with changes_from("192.0.2.7"):
        await place.stores.accounts.change_user(place.user, UserChange(job_weight=4.0), NOW, place.user)
    entry = await newest(place)
    assert (entry.origin, entry.owner, entry.actor) == ("192.0.2.7", place.user, place.user)
    assert entry.details == {"job_weight": {"before": 1.0, "after": 4.0}}
    ref = await place.add(60)
    target = HttpTarget("https://example.com/?token=abc", auth=BearerAuth("a secret token"))
    changed = ColumnChange(
        "job.edited", at(90), at(90), "a private message", await place.intern(Definition(target)), priority=7
    )
    assert await place.stores.control.edit(place.user, ref.id, changed, NOW, place.user)
    entry = await newest(place)
    assert (entry.action, entry.origin) == ("job.edited", None)
    assert entry.details["priority"] == {"before": 5, "after": 7}
    assert entry.details["target"]["after"]["url"] == "https://example.com/?token=(hidden)"
    secrets = ("a secret token", "abc", "a private message")
    assert not any(secret in str(entry.details) for secret in secrets)
    rule = RuleContent("r", ("dead",), (WebhookChannel("https://example.com", "a secret of some length"),))
    await place.notifications.create_rule(place.user, rule, NOW, place.user)
    assert "of some length" not in str((await newest(place)).details)


async def test_an_entry_can_be_neither_changed_nor_deleted(place: PostgresPlace) -> None:
    for statement in ("UPDATE audit SET action = 'x'", "DELETE FROM audit", "TRUNCATE audit"):
        with pytest.raises(asyncpg.RaiseError, match="append-only"):
            await place.pool.run(statement)


async def test_the_chain_finds_an_entry_that_was_edited_by_hand(place: PostgresPlace) -> None:
    for weight in (2.0, 3.0, 4.0):
        await place.stores.accounts.change_user(place.user, UserChange(job_weight=weight), NOW, place.user)
    await seal(place)
    assert await breaks(place) == []
    entry = (await place.audit_store.entries(AuditFilter(limit=2)))[1]
    await by_hand(place, f"UPDATE audit SET actor = NULL WHERE id = {entry.id}")
    assert await breaks(place) == [f"Entry {entry.id} of {NOW.isoformat()} is not what was sealed."]


async def test_the_chain_finds_a_gap_and_an_entry_that_was_slipped_in(place: PostgresPlace) -> None:
    await place.stores.accounts.change_user(place.user, UserChange(job_weight=2.0), NOW, place.user)
    await seal(place)
    entry = await newest(place)
    await by_hand(place, f"DELETE FROM audit WHERE id = {entry.id}")
    assert await breaks(place) == [f"Entry {entry.id} of {NOW.isoformat()} is missing."]
    await by_hand(place, "INSERT INTO audit (xid, at, action, subject) VALUES ('1', now(), 'user.changed', 'user:1')")
    assert await place.audit_store.unlinked() == 1
    await by_hand(place, "DELETE FROM audit_chain WHERE number = 1")
    assert find_breaks(None, await place.audit_store.links(0, 100), await place.audit_store.head()) == [
        f"Entry {entry.id} of {NOW.isoformat()} is missing."
    ]


async def test_entries_of_a_day_that_is_made_later_move_there_unchanged(place: PostgresPlace) -> None:
    later = at(10 * 86_400)
    await place.stores.accounts.change_user(place.user, UserChange(job_weight=2.0), later, place.user)
    await seal(place)
    before = await newest(place)
    await place.stores.retention.make_days(later.date(), later.date())
    assert await newest(place) == before
    rows = await place.pool.rows(f"SELECT id FROM audit_{later:%Y%m%d}")
    assert [row["id"] for row in rows] == [before.id]
    assert await breaks(place) == []
    with pytest.raises(asyncpg.RaiseError, match="append-only"):
        await place.pool.run(f"DELETE FROM audit_{later:%Y%m%d}")
