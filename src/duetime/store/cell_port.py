"""What a database can do, beyond the other ports of the store, to be one cell of several."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import NamedTuple, Protocol

from duetime.store.port import JobRow, KeyClaim, KeyHolder, Stored, SubmitStore


class DefinitionCopy(NamedTuple):
    """A definition that moves with the jobs of a shard. The receiving database gives it an id of its own."""

    id: int
    user_id: int
    hash: bytes
    body: bytes


class CalendarCopy(NamedTuple):
    """A calendar of the home database, to be copied to another database."""

    id: int
    user_id: int
    name: str
    content: str
    version: int
    created_at: datetime
    updated_at: datetime


class Placement(NamedTuple):
    """What a database is in its cluster: its number, how many there are, and which shards are not open in it."""

    cluster: str | None
    number: int
    databases: int
    version: int
    away: frozenset[int]
    homes: tuple[int, ...] | None
    """In the home database: the database that each shard lives in."""


class PlacedStore(SubmitStore, Protocol):
    """Stores jobs in one database of several.

    Every verb that adds jobs raises `Elsewhere`, and stores nothing, when a shard is closed here. Closing a shard waits
    for the statements that are adding jobs.
    """

    async def new_ids(self, shards: Sequence[int]) -> list[int]:
        """Returns an id for a job in each of these shards, which must live here."""
        ...

    async def claim(
        self, users: Sequence[int], keys: Sequence[KeyClaim], job_ids: Sequence[int], now: datetime
    ) -> list[KeyHolder]:
        """Reserve keys for jobs of other databases. Returns the holder of each key, by this call or an earlier one."""
        ...

    async def submit_absent(self, rows: Sequence[JobRow], now: datetime) -> list[Stored | None]:
        """Store jobs whose ids are given. Returns None for those that are here already, waiting or in history."""
        ...

    async def whole_definitions(self, ids: Sequence[int]) -> list[DefinitionCopy]:
        """Returns definitions, to be copied."""
        ...

    async def last_number(self) -> int:
        """Returns the highest number that the id of a job has been given here."""
        ...

    async def raise_number(self, to: int) -> None:
        """Let the numbers of new jobs start from a higher one, unless they are close to it or beyond."""
        ...


class PlacementStore(Protocol):
    """What a database records about its cluster, and what the home database keeps for all cells."""

    async def placement(self) -> Placement:
        """Returns the placement as it is now."""
        ...

    async def reserve_names(self, user_id: int, names: Sequence[str], ids: Sequence[int]) -> set[str]:
        """Reserve names for schedules in the whole cluster. Returns the names that this call reserved."""
        ...

    async def names(self, user_id: int, names: Sequence[str]) -> dict[str, int]:
        """Returns which schedule has each of these names."""
        ...

    async def free_names(self, user_id: int, names: Sequence[str], ids: Sequence[int]) -> None:
        """Release the names of these schedules."""
        ...

    async def calendar_copies(self, ids: Sequence[int] | None) -> list[CalendarCopy]:
        """Returns calendars, to be copied; all of them when none is named."""
        ...

    async def copy_calendars(self, copies: Sequence[CalendarCopy]) -> None:
        """Store copies of calendars of the home database. An older copy is replaced."""
        ...

    async def drop_calendar(self, calendar_id: int) -> None:
        """Delete a copy. Raises `Conflict` while a schedule here uses it."""
        ...
