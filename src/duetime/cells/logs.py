"""Logs across cells: read from the cell that has them, and searched in all."""

from __future__ import annotations

from collections.abc import Sequence

from duetime.cells.cell import Cell, CellServices
from duetime.cells.cells import Cells
from duetime.engine.asking.logs import Logs
from duetime.model.errors import NotYetActive
from duetime.model.logs import LogFilter, LogPage, first_of


class CellsLogs:
    """Routes what the engine's `Logs` does. Logs stay in the database in which they were written."""

    def __init__(self, cells: Cells) -> None:
        self._cells = cells

    async def add(self, holder: int, run: tuple[int, int], seq: int, lines: Sequence[str]) -> int:
        """Add lines to the log of a run, in the cell of its job."""
        return await self._cells.of_job(run[0]).ask(lambda at: _logs(at).add(holder, run, seq, lines))

    async def lines(self, user_id: int, job_id: int, attempt: int, skip: int = 0) -> list[str]:
        """Returns the log of an attempt: from the cell of its shard, or from a cell that its shard has left."""

        async def look(cell: Cell) -> list[str] | None:
            return await _logs(cell.services).lines(user_id, job_id, attempt, skip) or None

        return await self._cells.first(look, self._cells.of_job(job_id)) or []

    async def search(self, user_id: int, wanted: LogFilter) -> LogPage:
        """Returns lines that match, newest first, down to the latest of the instants that cells searched down to."""
        pages = await self._cells.everyone(lambda at: _logs(at).search(user_id, wanted))
        floor = max((page.floor for page in pages if page.floor is not None), default=None)
        hits = [hit for page in pages for hit in page.hits if floor is None or hit.at >= floor]
        hits.sort(key=lambda hit: hit.at, reverse=True)
        return first_of(hits, wanted.limit) or LogPage(hits, floor)


def _logs(at: CellServices) -> Logs:
    if at.logs is None:
        raise NotYetActive("There are no logs here.")
    return at.logs
