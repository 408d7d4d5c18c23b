"""`PlacedStore` and `PlacementStore` in memory: as store/postgres/placed.py and placement.py."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from datetime import datetime
from typing import TypeVar

from duetime.model import ids
from duetime.model.errors import Elsewhere
from duetime.model.ids import shard_of, shard_of_key
from duetime.store.cell_port import CalendarCopy, DefinitionCopy, Placement
from duetime.store.port import JobRow, KeyClaim, KeyHolder, Stored
from simulation.memory.link import Link
from simulation.memory.submit import MemorySubmit, insert
from simulation.memory.tables import Tables

T = TypeVar("T")


class MemoryPlaced(MemorySubmit):
    """Stores jobs in one database of several."""

    async def submit(self, rows: Sequence[JobRow], now: datetime) -> list[Stored]:
        """Store jobs durably: all or none."""
        return await self._where_open("submit", [row.shard for row in rows], lambda: insert(self._tables, rows, now))

    async def submit_once(self, rows: Sequence[JobRow], keys: Sequence[KeyClaim], now: datetime) -> list[Stored]:
        """Store jobs that carry idempotency keys."""
        shards = [row.shard for row in rows] + _key_shards([row.user_id for row in rows], keys)
        return await self._where_open("submit_once", shards, lambda: self._once(rows, keys, now))

    async def new_ids(self, shards: Sequence[int]) -> list[int]:
        """An id for a job in each of these shards."""
        return await self._link.call("new_ids", lambda: [self._tables.job_id(shard) for shard in shards])

    async def claim(
        self, users: Sequence[int], keys: Sequence[KeyClaim], job_ids: Sequence[int], now: datetime
    ) -> list[KeyHolder]:
        """Reserve keys for jobs of other databases."""

        def reserve() -> list[KeyHolder]:
            tables = self._tables
            for user, claim, job_id in zip(users, keys, job_ids, strict=True):
                if (user, claim.key) not in tables.keys or not tables.safeguards.idempotency:
                    tables.keys[user, claim.key] = (job_id, claim.fingerprint)
                    tables.key_times[user, claim.key] = now
            found = [tables.keys[user, claim.key] for user, claim in zip(users, keys, strict=True)]
            return [KeyHolder(*one) for one in found]  # type: ignore[arg-type]

        return await self._where_open("claim", _key_shards(users, keys), reserve)

    async def submit_absent(self, rows: Sequence[JobRow], now: datetime) -> list[Stored | None]:
        """Store jobs whose ids are given, except those that are here already."""

        def store() -> list[Stored | None]:
            here = {*self._tables.jobs, *(one.job.id for one in self._tables.history)}
            wanted = sorted((row for row in rows if row.taken_id not in here), key=lambda row: row.taken_id or 0)
            found = {one.job_id: one for one in insert(self._tables, wanted, now)}
            return [found.get(row.taken_id or 0) for row in rows]

        return await self._where_open("submit_absent", [shard_of(row.taken_id or 0) for row in rows], store)

    async def whole_definitions(self, ids: Sequence[int]) -> list[DefinitionCopy]:
        """Definitions, to be copied."""
        known = {number: key for key, number in self._tables.definition_ids.items()}
        return [DefinitionCopy(one, *known[one], self._tables.definitions[one]) for one in ids]

    async def last_number(self) -> int:
        """How far the numbers of jobs have come."""
        return await self._link.call("last_number", lambda: self._tables.reached("job"))

    async def raise_number(self, to: int) -> None:
        """Let numbers go on from here."""
        await self._link.call("raise_number", lambda: self._tables.go_on_from("job", to))

    async def _where_open(self, name: str, shards: Iterable[int], work: Callable[[], T]) -> T:
        def look_and_work() -> T:
            if self._tables.away.intersection(shards):
                raise Elsewhere
            return work()

        return await self._link.call(name, look_and_work)


class MemoryPlacement:
    """What a database knows about its cluster."""

    def __init__(self, tables: Tables, link: Link, number: int, databases: int) -> None:
        self._tables, self._link, self._number, self._databases = tables, link, number, databases

    async def placement(self) -> Placement:
        """The placement as it is now."""
        return await self._link.call("placement", self._read)

    async def reserve_names(self, user_id: int, names: Sequence[str], ids: Sequence[int]) -> set[str]:
        """Reserve names for schedules."""

        def reserve() -> set[str]:
            known = self._tables.schedule_names
            new = {name: one for name, one in zip(names, ids, strict=True) if (user_id, name) not in known}
            known.update(((user_id, name), one) for name, one in new.items())
            return set(new)

        return await self._link.call("reserve_names", reserve)

    async def names(self, user_id: int, names: Sequence[str]) -> dict[str, int]:
        """Which schedule has each of these names."""
        known = self._tables.schedule_names
        return await self._link.call(
            "names", lambda: {name: known[user_id, name] for name in names if (user_id, name) in known}
        )

    async def free_names(self, user_id: int, names: Sequence[str], ids: Sequence[int]) -> None:
        """Release the names of schedules."""

        def free() -> None:
            for name, one in zip(names, ids, strict=True):
                if self._tables.schedule_names.get((user_id, name)) == one:
                    del self._tables.schedule_names[user_id, name]

        await self._link.call("free_names", free)

    async def calendar_copies(self, ids: Sequence[int] | None) -> list[CalendarCopy]:
        """Calendars, to be copied: no schedule of the simulation uses one."""
        return []

    async def copy_calendars(self, copies: Sequence[CalendarCopy]) -> None:
        """No calendar is ever copied here."""

    async def drop_calendar(self, calendar_id: int) -> None:
        """No calendar is ever copied here."""

    def _read(self) -> Placement:
        homes = tuple(shard * self._databases // ids.SHARDS for shard in range(ids.SHARDS))
        return Placement(
            "simulated", self._number, self._databases, 0, self._tables.away, None if self._number else homes
        )


def _key_shards(users: Sequence[int], keys: Sequence[KeyClaim]) -> list[int]:
    return [shard_of_key(user, one.key) for user, one in zip(users, keys, strict=True)]
