"""Names of schedules, unique for each user across all databases: kept at home."""

from __future__ import annotations

from collections.abc import Sequence

from duetime.model.schedule import name_taken
from duetime.store.spread.members import Members


class ScheduleNames:
    """Reserves names before schedules are stored, and frees them after schedules are gone.

    Whoever dies in between leaves a name without a schedule; the next who wants it finds that out and takes it.
    """

    def __init__(self, members: Members) -> None:
        self._members = members

    async def reserve(self, user_id: int, names: Sequence[str], ids: Sequence[int]) -> None:
        """Take names; `Conflict` when one is another's."""
        wanted = dict(zip(names, ids, strict=True))
        if len(wanted) < len(names):
            name = next(name for name in names if names.count(name) > 1)
            raise name_taken(name, names)
        home = self._members.home
        mine = await home.ask(lambda _: home.placing.reserve_names(user_id, names, ids))
        for name in [name for name in names if name not in mine]:
            holders = await home.ask(lambda _, one=name: home.placing.names(user_id, [one]))
            holder = holders.get(name)
            if holder == wanted[name]:
                continue
            if holder is not None and await self._lives(user_id, holder, name):
                await self.free_all(user_id, {one: wanted[one] for one in mine})
                raise name_taken(name, names)
            if holder is not None:
                await self.free(user_id, name, holder)
            await home.ask(lambda _, one=name: home.placing.reserve_names(user_id, [one], [wanted[one]]))

    async def free(self, user_id: int, name: str, schedule_id: int) -> None:
        """A schedule does not have this name any more."""
        await self.free_all(user_id, {name: schedule_id})

    async def free_all(self, user_id: int, names: dict[str, int]) -> None:
        """Schedules do not have these names any more."""
        home = self._members.home
        if names:
            await home.ask(lambda _: home.placing.free_names(user_id, list(names), list(names.values())))

    async def _lives(self, user_id: int, schedule_id: int, name: str) -> bool:
        """Whether a schedule has this name; `StoreAway` when that cannot be known."""
        row = await self._members.first(lambda stores: stores.schedules.schedule(user_id, schedule_id))
        return row is not None and row.name == name
