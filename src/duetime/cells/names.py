"""Names of schedules, unique for each user across all cells: the home cell keeps them."""

from __future__ import annotations

from collections.abc import Sequence

from duetime.cells.cell import Cell
from duetime.cells.cells import Cells
from duetime.model.schedule import name_taken


class ScheduleNames:
    """Reserves names before schedules are stored, and releases them after schedules are deleted.

    A node that dies in between leaves a name without a schedule. The next call that wants the name finds that out and
    takes it over.
    """

    def __init__(self, cells: Cells) -> None:
        self._cells = cells

    async def reserve(self, user_id: int, names: Sequence[str], ids: Sequence[int]) -> None:
        """Reserve names. Raises `Conflict` when another schedule has one of them."""
        wanted = dict(zip(names, ids, strict=True))
        if len(wanted) < len(names):
            name = next(name for name in names if names.count(name) > 1)
            raise name_taken(name, names)
        home = self._cells.home
        mine = await home.run(lambda: home.placing.reserve_names(user_id, names, ids))
        for name in [name for name in names if name not in mine]:
            holders = await home.run(lambda one=name: home.placing.names(user_id, [one]))
            holder = holders.get(name)
            if holder == wanted[name]:
                continue
            if holder is not None and await self._lives(user_id, holder, name):
                await self.free_all(user_id, {one: wanted[one] for one in mine})
                raise name_taken(name, names)
            if holder is not None:
                await self.free(user_id, name, holder)
            await home.run(lambda one=name: home.placing.reserve_names(user_id, [one], [wanted[one]]))

    async def free(self, user_id: int, name: str, schedule_id: int) -> None:
        """Release the name of a schedule."""
        await self.free_all(user_id, {name: schedule_id})

    async def free_all(self, user_id: int, names: dict[str, int]) -> None:
        """Release the names of schedules."""
        home = self._cells.home
        if names:
            await home.run(lambda: home.placing.free_names(user_id, list(names), list(names.values())))

    async def _lives(self, user_id: int, schedule_id: int, name: str) -> bool:
        """Returns whether a schedule has this name. Raises `StoreAway` when that cannot be known."""

        async def look(cell: Cell) -> bool | None:
            row = await cell.stores.schedules.schedule(user_id, schedule_id)
            return row.name == name if row is not None else None

        return bool(await self._cells.first(look))
