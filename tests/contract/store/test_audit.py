"""The audit: every change with whose it is, and a chain over all of them that holds."""

from __future__ import annotations

from datetime import timedelta

import msgspec

from contract.store.place import NOW, Place, at
from duetime.model.audit import FIRST_HASH, AuditFilter, find_breaks
from duetime.model.user import UserChange
from duetime.timing.calendars import Calendar
from harness.waiting import eventually


async def sealed(place: Place) -> int:
    """Seal everything; a transaction elsewhere may hold some of it back for a moment. Returns the chain's length."""
    audit = place.audit_store

    async def done() -> bool:
        await audit.seal(2)
        return (await audit.head()).unsealed == 0

    await eventually(done)
    return (await audit.head()).number


async def change(place: Place, number: int = 1) -> None:
    for weight in range(number):
        await place.stores.accounts.change_user(place.user, UserChange(job_weight=weight + 2.0), NOW, place.user)


async def test_entries_say_who_and_whose_and_are_found_by_each(place: Place) -> None:
    audit = place.audit_store
    other = await place.new_user()
    await change(place)
    await place.stores.accounts.change_user(other, UserChange(job_weight=2.0), at(5), place.user)
    (newest, *_), every = await audit.entries(AuditFilter()), await audit.entries(AuditFilter())
    assert (newest.actor, newest.owner, newest.action, newest.subject, newest.at) == (
        place.user,
        other,
        "user.changed",
        f"user:{other}",
        at(5),
    )
    own = await audit.entries(AuditFilter(user_id=other))
    assert [one.action for one in own] == ["user.changed", "user.created"]
    assert await audit.entries(AuditFilter(actor=other)) == []
    assert [one.id for one in await audit.entries(AuditFilter(before_id=newest.id, limit=1))] == [every[1].id]
    assert len(await audit.entries(AuditFilter(action="user.ch"))) == 2
    assert await audit.entries(AuditFilter(subject=f"user:{other}", from_=at(5), to=at(6))) == [newest]
    assert await audit.entries(AuditFilter(from_=at(6))) == []


async def test_every_entry_is_sealed_once_and_the_chain_holds(place: Place) -> None:
    audit = place.audit_store
    await change(place, 5)
    number = await sealed(place)
    assert number == len(await audit.entries(AuditFilter(limit=1000)))
    assert await audit.seal(10) == 0
    links, head = await audit.links(0, 1000), await audit.head()
    assert find_breaks(FIRST_HASH, links, head) == []
    assert links[-1].hash == head.hash
    assert await audit.unlinked() == 0
    await change(place)
    assert await sealed(place) == number + 1
    part = await audit.links(number - 1, 1000)
    assert find_breaks(links[-2].hash, part, head) == []


async def test_days_past_retention_are_dropped_and_the_chain_still_holds(place: Place) -> None:
    audit = place.audit_store
    tomorrow = NOW + timedelta(days=1)
    await change(place)
    await place.stores.calendars.create(place.user, "x", _content(), tomorrow, place.user)
    await sealed(place)
    await audit.drop_days(NOW.date())
    assert len(await audit.entries(AuditFilter(limit=1000))) > 1
    assert await audit.drop_days(tomorrow.date()) == 1
    kept = await audit.entries(AuditFilter(limit=1000))
    assert [one.action for one in kept] == ["calendar.created"]
    links, head = await audit.links(0, 1000), await audit.head()
    assert len(links) == 2
    assert find_breaks(None, links, head) == []


def _content() -> str:
    return msgspec.json.encode(Calendar("x", (NOW.date(),), "exclude")).decode()
