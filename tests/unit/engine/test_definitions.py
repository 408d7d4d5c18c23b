"""Definitions at hand: what is remembered is bounded, and nobody loses what somebody else forgets."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from datetime import date

import pytest

from duetime.engine.intake import definitions as remembering
from duetime.engine.intake.definitions import Definitions
from duetime.model.definition import Definition
from duetime.model.targets.http import HttpTarget

DAY = date(2026, 1, 1)


class Shelf:
    """A store that has every definition, and answers when it is told to."""

    def __init__(self) -> None:
        self.may_answer = asyncio.Event()
        self.may_answer.set()

    async def intern(self, wanted: Sequence[tuple[int, bytes, bytes]], day: date) -> dict[tuple[int, bytes], int]:
        return {(user, digest): int.from_bytes(digest[:4]) >> 2 for user, digest, _ in wanted}

    async def definitions(self, ids: Sequence[int]) -> dict[int, Definition]:
        await self.may_answer.wait()
        return {one: Definition() for one in ids}


@pytest.fixture
def shelf(monkeypatch: pytest.MonkeyPatch) -> Shelf:
    monkeypatch.setattr(remembering, "REMEMBERED", 10)
    return Shelf()


async def test_what_somebody_waits_for_is_not_forgotten_with_the_rest(shelf: Shelf) -> None:
    definitions = Definitions(shelf, shelf)
    await definitions.by_ids(set(range(10)))
    shelf.may_answer.clear()
    one = asyncio.create_task(definitions.by_ids({0, 100}))
    await asyncio.sleep(0)
    await definitions.intern([(1, Definition(target=HttpTarget(url="https://example.com/")))], DAY)
    other = asyncio.create_task(definitions.by_ids({1, 200}))
    await asyncio.sleep(0)
    shelf.may_answer.set()
    assert (await one).keys() >= {0, 100}
    assert (await other).keys() >= {1, 200}


async def test_a_process_that_only_stores_jobs_remembers_no_more_than_others(shelf: Shelf) -> None:
    definitions = Definitions(shelf, shelf)
    for n in range(100):
        await definitions.intern([(1, Definition(target=HttpTarget(url=f"https://example.com/{n}")))], DAY)
    assert len(definitions._by_id) <= 12
