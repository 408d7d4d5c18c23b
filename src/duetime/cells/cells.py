"""All cells of a cluster: which one a shard lives in, and calls to several at once."""

from __future__ import annotations

import asyncio
from collections import defaultdict
from collections.abc import Callable, Coroutine, Iterable, Iterator, Sequence
from typing import Any, TypeVar

from duetime.cells.cell import Cell, CellServices
from duetime.model.errors import StoreAway
from duetime.model.ids import SHARDS, shard_of, shard_of_lane
from duetime.model.partial_answers import note_missing
from duetime.store.cell_port import Placement

T = TypeVar("T")
I = TypeVar("I")  # noqa: E741 - an item


class Cells:
    """The cells in order. The first one is the home of users, calendars and the names of schedules."""

    def __init__(self, cells: Sequence[Cell]) -> None:
        self._all = tuple(cells)
        self._homes: list[int] = [0] * SHARDS

    @property
    def home(self) -> Cell:
        """The first cell."""
        return self._all[0]

    def __iter__(self) -> Iterator[Cell]:
        """Every cell."""
        return iter(self._all)

    def __len__(self) -> int:
        """How many there are."""
        return len(self._all)

    def of(self, shard: int) -> Cell:
        """Returns the cell that a shard lives in, or is leaving."""
        return self._all[self._homes[shard]]

    def of_job(self, job_id: int) -> Cell:
        """Returns the cell of a job. A job that ended before its shard moved is on record in another cell."""
        return self._all[self._homes[shard_of(job_id)]]

    def of_lane(self, user_id: int, lane: str) -> Cell:
        """Returns the cell of a lane."""
        return self._all[self._homes[shard_of_lane(user_id, lane)]]

    def set_homes(self, homes: Sequence[int]) -> None:
        """Learn from the home database where shards live: for databases that cannot be asked."""
        self._homes = list(homes)
        self._work_out()

    def learn(self, cell: Cell, placement: Placement) -> bool:
        """Take in what a database says about itself. Returns whether it is new."""
        if placement.version <= cell.version:
            return False
        cell.version, cell.away = placement.version, placement.away
        self._work_out()
        return True

    def closed(self, shard: int) -> str | None:
        """Returns a sentence that says why a shard cannot be changed now: it is away, or moving. None: it can."""
        cell = self.of(shard)
        if not cell.answers:
            return f"{cell.sentence()}: what belongs there cannot be stored now, try again."
        if shard in cell.away:
            return f"Shard {shard} is just being moved to another database: try again."
        return None

    def refuse_closed(self, shards: Iterable[int]) -> None:
        """Raises `StoreAway` if one of the shards cannot be changed now."""
        for shard in shards:
            closed = self.closed(shard)
            if closed is not None:
                raise StoreAway(closed)

    async def look_again(self) -> None:
        """Ask every database which shards are open in it."""
        await asyncio.gather(*(self._look(cell) for cell in self._all if cell.answers))

    def by_cell(self, items: Iterable[I], shard: Callable[[I], int]) -> dict[Cell, list[I]]:
        """Returns items by the cell of their shard."""
        groups: dict[Cell, list[I]] = defaultdict(list)
        homes, cells = self._homes, self._all
        for item in items:
            groups[cells[homes[shard(item)]]].append(item)
        return groups

    async def everyone(self, call: Callable[[CellServices], Coroutine[Any, Any, T]]) -> list[T]:
        """Returns what every cell that answers says. What the others would have said is noted as missing."""
        return [answer for _, answer in await self.each(call)]

    async def each(self, call: Callable[[CellServices], Coroutine[Any, Any, T]]) -> list[tuple[Cell, T]]:
        """As `everyone`, each answer with its cell."""
        return await self.each_of(lambda cell: call(cell.services))

    async def each_of(self, call: Callable[[Cell], Coroutine[Any, Any, T]]) -> list[tuple[Cell, T]]:
        """As `each`, for calls that are not services."""
        answers = await asyncio.gather(*(self._or_none(cell, call) for cell in self._all))
        found = [answer for answer in answers if answer is not None]
        if not found:
            raise StoreAway
        return found

    async def first(self, call: Callable[[Cell], Coroutine[Any, Any, T | None]], at: Cell | None = None) -> T | None:
        """Returns the first answer that is not None, beginning with one cell.

        Raises `StoreAway` when there is none, and a cell that may have one is away.
        """
        away: StoreAway | None = None
        for cell in sorted(self._all, key=lambda one: one is not at):
            try:
                found = await cell.run(lambda one=cell: call(one))
            except StoreAway as error:
                away = error
                continue
            if found is not None:
                return found
        if away is not None:
            raise away
        return None

    async def _or_none(self, cell: Cell, call: Callable[[Cell], Coroutine[Any, Any, T]]) -> tuple[Cell, T] | None:
        try:
            return cell, await cell.run(lambda: call(cell))
        except StoreAway:
            note_missing(f"{cell.sentence()}: what it has is missing here.")
            return None

    async def _look(self, cell: Cell) -> None:
        try:
            self.learn(cell, await cell.run(cell.placing.placement))
        except StoreAway:
            return

    def _work_out(self) -> None:
        """A shard lives where it is open. One that is open nowhere is moving: it stays where it was until it opens."""
        for cell in self._all:
            for shard in cell.here:
                self._homes[shard] = cell.number
