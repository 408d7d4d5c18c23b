"""Applies the schedules of a file: creates new names, and changes others that differ. A repeat has no effect."""

from __future__ import annotations

from collections.abc import Sequence

from duetime.api.schedules.parse import differences
from duetime.engine.recurring.schedules import Schedules
from duetime.model.schedule import ScheduleContent


class ScheduleRecords:
    """The schedules of one user."""

    def __init__(self, schedules: Schedules, user_id: int) -> None:
        self._schedules, self._user_id = schedules, user_id

    async def check(self, contents: Sequence[ScheduleContent]) -> None:
        """Raise what would be raised if these were applied."""
        names = {one.name for one in contents}
        present = {one.content.name for one in await self._schedules.named(self._user_id, sorted(names))}
        await self._schedules.check(self._user_id, contents, names - present)

    async def apply(self, contents: Sequence[ScheduleContent]) -> None:
        """Create and change schedules. Of one name, the last counts."""
        last = {one.name: one for one in contents}
        present = {one.content.name: one for one in await self._schedules.named(self._user_id, list(last))}
        new = [one for one in last.values() if one.name not in present]
        if new:
            await self._schedules.create(self._user_id, new, self._user_id)
        for one in last.values():
            before = present.get(one.name)
            if before is not None and differences(before.content, one):
                await self._schedules.edit(self._user_id, before.id, one, self._user_id)
