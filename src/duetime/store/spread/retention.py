"""Keeping several databases in shape: each for itself, and one that is away does not stop the others."""

from __future__ import annotations

from datetime import date, datetime

from duetime.model.errors import StoreAway
from duetime.store.spread.member import SpreadMember
from duetime.store.spread.members import Members

AT_ONCE = 5000


class SpreadRetention:
    """`RetentionStore` over several databases."""

    def __init__(self, members: Members) -> None:
        self._members = members
        self._days: tuple[date, date] | None = None
        self._made: dict[int, tuple[date, date]] = {}

    async def make_days(self, first: date, last: date) -> None:
        """Make sure that every database can take what finishes; one that is away, when it is back."""
        self._days = (first, last)
        await self._make_missing_days()

    async def drop_days(self, before: date) -> list[date]:
        """Drop what finished before a day."""
        dropped = await self._members.everyone(lambda stores: stores.retention.drop_days(before))
        return sorted({day for days in dropped for day in days})

    async def fold_tallies(self) -> None:
        """Fold counts; and let the databases catch up with each other."""
        await self._make_missing_days()
        await self._members.everyone(lambda stores: stores.retention.fold_tallies())
        await self._keep_numbers_together()

    async def drop_keys(self, before: datetime, now: datetime, limit: int) -> int:
        """Forget old idempotency keys."""
        return sum(await self._members.everyone(lambda stores: stores.retention.drop_keys(before, now, limit)))

    async def drop_definitions(self, before: date) -> int:
        """Remove definitions that nothing refers to; at home only those that no other database has."""
        home = self._members.home
        others = [member for member in self._members if member is not home]
        if not all(member.answers for member in self._members):
            return 0
        dropped = 0
        for member in others:
            dropped += await member.ask(lambda stores: stores.retention.drop_definitions(before))
            await self._keep_at_home(member, before)
        return dropped + await home.ask(lambda stores: stores.retention.drop_definitions(before))

    async def _keep_at_home(self, member: SpreadMember, before: date) -> None:
        home, after = self._members.home, 0
        while ids := await member.ask(lambda _, past=after: member.placed.definition_ids(past, AT_ONCE)):
            await home.ask(lambda _, some=ids: home.placed.mark_used(some, before))
            after = ids[-1]

    async def _make_missing_days(self) -> None:
        days = self._days
        if days is None:
            return
        for member in self._members:
            if member.answers and self._made.get(member.number) != days:
                try:
                    await member.ask(lambda stores: stores.retention.make_days(*days))
                except StoreAway:
                    continue
                self._made[member.number] = days

    async def _keep_numbers_together(self) -> None:
        """Ids come from a sequence in each database; kept close, they sort by creation nearly as in one."""
        there = [member for member in self._members if member.answers]
        numbers = [await member.ask(lambda _, one=member: one.placed.last_number()) for member in there]
        for member in there:
            await member.ask(lambda _, one=member: one.placed.raise_number(max(numbers)))
