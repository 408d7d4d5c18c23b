"""Logs over several databases: each is kept where its job is, and a search is one search over all."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Any, cast

from hypothesis import given
from hypothesis import strategies as st

from duetime.cells.cells import Cells
from duetime.cells.logs import CellsLogs
from duetime.clock.manual import START
from duetime.model.ids import shard_of
from duetime.model.logs import LogFilter, LogHit, LogLine, LogPage, first_of
from harness.cells import CellEngines


async def test_lines_are_read_and_found_in_every_database(cells: CellEngines) -> None:
    user = await cells.user()
    cells.bus.answer = lambda run: None
    ids = [await cells.add(user) for _ in range(40)]
    await cells.settle_down()
    halves = {shard_of(job_id) // 512 for job_id in ids}
    assert halves == {0, 1}
    logs = CellsLogs(cells.cells)
    for number, job_id in enumerate(ids):
        run = cells.bus.open[job_id]
        assert await logs.add(run.executor, (job_id, run.attempt), 0, [f"needle {number}", "hay"]) == 2
        cells.clock.advance(0.001)
    assert await logs.lines(user, ids[3], 1, skip=1) == ["hay"]
    seen, before = list[int](), None
    while True:
        page = await logs.search(user, LogFilter(("needle",), before=before, limit=7))
        seen += [hit.job_id for hit in page.hits]
        before = page.floor
        if before is None:
            break
    assert seen == ids[::-1]
    assert await logs.search(user + 1, LogFilter(("needle",))) == LogPage([], None)


class ListedLogs:
    """A cell of nothing but hits, each at an instant of its own."""

    answers = True

    def __init__(self, number: int, instants: Sequence[int]) -> None:
        self.number, self.here, self.logs, self.services = number, frozenset[int](), self, self
        self._hits = [
            LogHit(at, 1, datetime.fromtimestamp(START.timestamp() + at, START.tzinfo), 1, (LogLine(1, ""),))
            for at in sorted(instants, reverse=True)
        ]

    async def run(self, call: Any) -> Any:
        return await call()

    async def search(self, user_id: int, wanted: LogFilter) -> LogPage:
        hits = [hit for hit in self._hits if wanted.before is None or hit.at < wanted.before]
        return first_of(hits, wanted.limit) or LogPage(hits, None)


@given(st.lists(st.lists(st.integers(0, 30), unique=True), min_size=1, max_size=3), st.integers(1, 5))
async def test_pages_of_several_databases_are_the_pages_of_one(where: list[list[int]], limit: int) -> None:
    logs = CellsLogs(Cells([cast(Any, ListedLogs(number, some)) for number, some in enumerate(where)]))
    seen, before = list[int](), None
    for _ in range(200):
        page = await logs.search(1, LogFilter(before=before, limit=limit))
        seen += [hit.job_id for hit in page.hits]
        before = page.floor
        if before is None:
            break
    assert seen == sorted((at for some in where for at in some), reverse=True)
