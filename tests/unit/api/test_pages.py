"""Pages of lists: bounded by bytes as well as by number, read in parts, few at once."""

from __future__ import annotations

import asyncio
from types import SimpleNamespace
from typing import Any

import msgspec
import pytest

from duetime.api.server.listing import GROWTH, PAGE_BYTES, READ_BYTES, read_page
from duetime.api.server.page_reads import PageReads
from duetime.clock.manual import ManualClock

LARGEST = 256 * 1024


class Row(msgspec.Struct, frozen=True):
    """A job, as far as a listing sees it."""

    id: int
    message: str


class Rows:
    """A table of jobs, newest first, that remembers how much was read of it at once."""

    def __init__(self, messages: list[str]) -> None:
        self.rows = [Row(id_, message) for id_, message in enumerate(messages, 1)][::-1]
        self.most_read = 0
        self.parts = 0

    async def read(self, before: int | None, limit: int) -> list[Row]:
        found = [row for row in self.rows if before is None or row.id < before][:limit]
        self.most_read = max(self.most_read, sum(len(row.message) for row in found))
        self.parts += 1
        return found


def call(cursor: str | None, limit: int, reads: PageReads) -> Any:
    return SimpleNamespace(
        query=SimpleNamespace(cursor=cursor, limit=limit),
        services=SimpleNamespace(settings=SimpleNamespace(max_message_bytes=LARGEST), clock=ManualClock()),
        parts=SimpleNamespace(page_reads=reads),
        user=SimpleNamespace(id=7),
    )


async def all_pages(rows: Rows, limit: int) -> list[list[int]]:
    pages, cursor = list[list[int]](), None
    while True:
        page = await read_page("jobs", call(cursor, limit, PageReads()), rows.read, lambda row: row)
        data: Any = page.data
        assert sum(len(bytes(one)) for one in data) <= PAGE_BYTES or len(data) == 1
        pages.append([msgspec.json.decode(one)["id"] for one in data])
        cursor = page.next_cursor
        if cursor is None:
            return pages


@pytest.mark.parametrize("limit", [1, 7, 100, 1000])
@pytest.mark.parametrize(
    "messages",
    [
        [],
        ["m"] * 300,
        ["m" * LARGEST] * 40,
        ["m" * LARGEST] * 200 + ["m"] * 100,
        ["\0" * LARGEST, "m", "m" * LARGEST * 3, "m"],
    ],
)
async def test_every_row_is_on_one_page_and_no_page_or_part_is_large(messages: list[str], limit: int) -> None:
    rows = Rows(messages)
    pages = await all_pages(rows, limit)
    assert [id_ for page in pages for id_ in page] == list(range(len(messages), 0, -1))
    assert all(len(page) <= limit for page in pages)
    assert rows.most_read <= GROWTH * READ_BYTES


async def test_a_page_of_small_rows_takes_few_parts() -> None:
    rows = Rows(["m" * 200] * 1000)
    assert len((await all_pages(rows, 100))[0]) == 100
    assert rows.parts <= 4 * 10


async def test_one_user_reads_few_pages_at_once_and_leaves_room_for_others() -> None:
    reads, reading, most, go = PageReads(most=3, of_one_user=2), [0], 0, asyncio.Event()

    async def read(user_id: int) -> None:
        nonlocal most
        async with reads.turn(user_id):
            reading[0] += 1
            most = max(most, reading[0])
            await go.wait()
            reading[0] -= 1

    greedy = [asyncio.ensure_future(read(1)) for _ in range(10)]
    await asyncio.wait_for(_until(lambda: reading[0] == 2), 5)
    other = [asyncio.ensure_future(read(2)) for _ in range(2)]
    await asyncio.wait_for(_until(lambda: reading[0] == 3), 5)
    go.set()
    await asyncio.gather(*greedy, *other)
    assert most == 3
    assert reads._users == {}


async def _until(holds: Any) -> None:
    while not holds():  # noqa: ASYNC110 - it turns the loop
        await asyncio.sleep(0)
