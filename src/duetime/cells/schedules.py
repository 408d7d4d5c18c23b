"""Schedules of several cells: each lives in the cell of its occurrences, and the home cell keeps their names."""

from __future__ import annotations

from collections.abc import Callable, Collection, Coroutine, Iterable, Sequence
from datetime import datetime
from typing import Any, TypeVar

from duetime.cells.calendars import CalendarCopies
from duetime.cells.cell import Cell, CellServices
from duetime.cells.cells import Cells
from duetime.cells.names import ScheduleNames
from duetime.engine.recurring.schedules import Schedules
from duetime.model.errors import Conflict, NotFound, PartlyStored, StoreAway
from duetime.model.ids import MAX_ID
from duetime.model.schedule import Schedule, ScheduleContent, ScheduleRecord
from duetime.store.schedule_port import ScheduleRow
from duetime.timing.preview import Preview
from duetime.timing.spec import Timing

T = TypeVar("T")
REMEMBERED = 100_000


class CellsSchedules:
    """Routes what the engine's `Schedules` does. Creating many is all or none in each cell."""

    def __init__(self, cells: Cells, home: Schedules, copies: CalendarCopies) -> None:
        self._cells, self._home, self._copies = cells, home, copies
        self._names = ScheduleNames(cells)
        self._where: dict[int, Cell] = {}
        """Where schedules were last seen."""

    async def create(self, user_id: int, contents: Sequence[ScheduleContent], actor: int) -> list[int]:
        """Create schedules. Everything that can be wrong with one is found before any is stored."""
        home, names = self._cells.home, [content.name for content in contents]
        await home.ask(lambda at: at.schedules.check(user_id, contents, set(names)))
        ids = await home.run(lambda: home.stores.schedules.numbers(len(contents)))
        shards = [self._home.shard(user_id, one, content) for one, content in zip(ids, contents, strict=True)]
        self._cells.refuse_closed(shards)
        await self._names.reserve(user_id, names, ids)
        done: list[int] = []
        for cell, positions in self._cells.by_cell(range(len(contents)), shards.__getitem__).items():
            some, given = [contents[at] for at in positions], [ids[at] for at in positions]
            try:
                await self._bring(cell, user_id, some)
                await cell.ask(lambda at, a=some, b=given: at.schedules.create(user_id, a, actor, b))
            except StoreAway as error:
                if not done:
                    raise
                left = [at for at in range(len(contents)) if at not in done]
                raise PartlyStored(
                    f"{len(done)} of {len(contents)} schedules were registered; the others were not, or it is not "
                    "known, because of their database: register those again.",
                    not_stored=left,
                    reasons={error.message: left},
                ) from error
            done += positions
            self._seen(cell, given)
        return ids

    async def check(self, user_id: int, contents: Sequence[ScheduleContent], new: Collection[str]) -> None:
        """Refuse invalid timings, and timings without a future instant if the schedule's name is `new`."""
        await self._cells.home.ask(lambda at: at.schedules.check(user_id, contents, new))

    async def show(self, user_id: int, schedule_id: int) -> Schedule:
        """Returns one schedule."""
        return await self.in_its_cell(user_id, schedule_id, lambda at: at.schedules.show(user_id, schedule_id))

    async def named(self, user_id: int, names: Sequence[str]) -> list[Schedule]:
        """Returns the schedules that exist among these names."""
        return self._merged(await self._cells.each(lambda at: at.schedules.named(user_id, names)))

    async def list(
        self, user_id: int, after_id: int, limit: int, state: str | None = None, q: str | None = None
    ) -> list[Schedule]:
        """Returns schedules in order of their ids."""
        pages = await self._cells.each(lambda at: at.schedules.list(user_id, after_id, limit, state, q))
        return self._merged(pages)[:limit]

    async def history(self, user_id: int, schedule_id: int, before_id: int, limit: int) -> list[ScheduleRecord]:
        """Returns the record of a schedule's instants, newest first, from every cell that it lived in."""
        pages = await self._cells.everyone(lambda at: at.schedules.recorded(user_id, schedule_id, before_id, limit))
        found = {record.job_id: record for page in pages for record in page}
        if not found and before_id > MAX_ID:
            await self.show(user_id, schedule_id)
        return [found[job_id] for job_id in sorted(found, reverse=True)][:limit]

    async def preview(
        self, user_id: int, schedule_id: int, count: int, after: datetime | None
    ) -> tuple[Timing, Preview]:
        """Returns the timing of a schedule and its next instants."""
        return await self.in_its_cell(
            user_id, schedule_id, lambda at: at.schedules.preview(user_id, schedule_id, count, after)
        )

    async def preview_of(self, user_id: int, timing: Timing, name: str, count: int, after: datetime | None) -> Preview:
        """Returns the next instants of a timing that is not saved."""
        return await self._cells.home.ask(lambda at: at.schedules.preview_of(user_id, timing, name, count, after))

    async def edit(self, user_id: int, schedule_id: int, content: ScheduleContent, actor: int) -> Schedule:
        """Replace a schedule's content. Raises `Conflict` if it would belong to another cell then."""
        cell, row = await self._found(user_id, schedule_id)
        shard = self._home.shard(user_id, schedule_id, content)
        self._cells.refuse_closed([row.shard, shard])
        if self._cells.of(shard) is not cell:
            raise Conflict(
                "With this ordering key or limit the schedule would live in another database: delete it, and create it "
                "again."
            )
        await self._bring(cell, user_id, [content])
        if content.name != row.name:
            await self._names.reserve(user_id, [content.name], [schedule_id])
        edited = await cell.ask(lambda at: at.schedules.edit(user_id, schedule_id, content, actor))
        if content.name != row.name:
            await self._names.free(user_id, row.name, schedule_id)
        return edited

    async def pause(self, user_id: int, schedule_id: int, actor: int) -> Schedule:
        """Pause a schedule: no occurrence launches from now on."""
        return await self.in_its_cell(
            user_id, schedule_id, lambda at: at.schedules.pause(user_id, schedule_id, actor), change=True
        )

    async def resume(self, user_id: int, schedule_id: int, actor: int) -> Schedule:
        """Resume a paused schedule. Instants that passed during the pause are recorded as skipped."""
        return await self.in_its_cell(
            user_id, schedule_id, lambda at: at.schedules.resume(user_id, schedule_id, actor), change=True
        )

    async def delete(self, user_id: int, schedule_id: int, actor: int) -> Schedule:
        """Delete a schedule. Its runs continue, and its history stays with its jobs. Returns the deleted schedule."""
        deleted = await self.in_its_cell(
            user_id, schedule_id, lambda at: at.schedules.delete(user_id, schedule_id, actor), change=True
        )
        await self._names.free(user_id, deleted.content.name, schedule_id)
        return deleted

    async def in_its_cell(
        self,
        user_id: int,
        schedule_id: int,
        call: Callable[[CellServices], Coroutine[Any, Any, T]],
        *,
        change: bool = False,
    ) -> T:
        """Call a service of the cell that a schedule lives in. A `change` is refused while its shard moves."""
        cell, row = await self._found(user_id, schedule_id)
        if change:
            self._cells.refuse_closed([row.shard])
        return await cell.ask(call)

    async def _found(self, user_id: int, schedule_id: int) -> tuple[Cell, ScheduleRow]:
        """Returns a schedule's row and its cell. While a shard moves, both cells may have the row."""

        async def look(cell: Cell) -> tuple[Cell, ScheduleRow] | None:
            row = await cell.stores.schedules.schedule(user_id, schedule_id)
            return None if row is None or self._cells.of(row.shard) is not cell else (cell, row)

        found = await self._cells.first(look, self._where.get(schedule_id))
        if found is None:
            raise NotFound(f"There is no schedule {schedule_id}.")
        self._seen(found[0], [schedule_id])
        return found

    async def _bring(self, cell: Cell, user_id: int, contents: Iterable[ScheduleContent]) -> None:
        names = {content.timing.calendar for content in contents if content.timing.calendar is not None}
        await self._copies.bring_named(cell, user_id, names)

    def _merged(self, pages: Iterable[tuple[Cell, list[Schedule]]]) -> list[Schedule]:
        found: dict[int, Schedule] = {}
        for cell, some in pages:
            for one in some:
                if one.id not in found or self._where.get(one.id) is cell:
                    found[one.id] = one
        return [found[schedule_id] for schedule_id in sorted(found)]

    def _seen(self, cell: Cell, ids: Iterable[int]) -> None:
        if len(self._where) > REMEMBERED:
            self._where.clear()
        self._where.update(dict.fromkeys(ids, cell))
