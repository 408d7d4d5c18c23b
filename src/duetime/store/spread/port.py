"""What a database must be able to do beyond the store's ports to be one of several."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date, datetime
from typing import NamedTuple, Protocol

from duetime.store.port import JobRow, KeyClaim, KeyHolder, Stored, SubmitStore


class DefinitionCopy(NamedTuple):
    """A definition on its way from the home database to another."""

    id: int
    user_id: int
    hash: bytes
    body: bytes


class CalendarCopy(NamedTuple):
    """A calendar on its way from the home database to another."""

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
    """In the home database: where each shard lives."""


class PlacedStore(SubmitStore, Protocol):
    """The way into one database of several. Whatever adds jobs raises `Elsewhere`, having stored nothing, when a
    shard is closed here; and closing a shard waits for whatever is being added."""

    async def new_ids(self, shards: Sequence[int]) -> list[int]:
        """An id for a job in each of these shards, which must live here."""
        ...

    async def claim(
        self, users: Sequence[int], keys: Sequence[KeyClaim], job_ids: Sequence[int], now: datetime
    ) -> list[KeyHolder]:
        """Take keys for jobs of other databases; who has each key now, by this call or by an earlier one."""
        ...

    async def submit_absent(self, rows: Sequence[JobRow], now: datetime) -> list[Stored | None]:
        """Store jobs whose ids are given; None for those that were here already, waiting or on record."""
        ...

    async def copy_definitions(self, copies: Sequence[DefinitionCopy], day: date) -> None:
        """Definitions that the home database has given ids to. A repeat marks them as in use."""
        ...

    async def whole_definitions(self, ids: Sequence[int]) -> list[DefinitionCopy]:
        """Definitions as they stand here, to be copied."""
        ...

    async def definition_ids(self, after: int, limit: int) -> list[int]:
        """The ids of definitions that are here, in order."""
        ...

    async def mark_used(self, ids: Sequence[int], day: date) -> None:
        """Keep definitions that other databases need."""
        ...

    async def last_number(self) -> int:
        """How far the numbers of jobs have come."""
        ...

    async def raise_number(self, to: int) -> None:
        """Let numbers go on from here, if they are far behind."""
        ...


class PlacementStore(Protocol):
    """What a database knows of the cluster."""

    async def placement(self) -> Placement:
        """As it is now."""
        ...

    async def reserve_names(self, user_id: int, names: Sequence[str], ids: Sequence[int]) -> set[str]:
        """Take names for schedules of the whole cluster; those taken by this call."""
        ...

    async def names(self, user_id: int, names: Sequence[str]) -> dict[str, int]:
        """Which schedule has each of these names."""
        ...

    async def free_names(self, user_id: int, names: Sequence[str], ids: Sequence[int]) -> None:
        """These schedules do not have these names any more."""
        ...

    async def calendar_copies(self, ids: Sequence[int] | None) -> list[CalendarCopy]:
        """Calendars as they stand here, to be copied; all when none is named."""
        ...

    async def copy_calendars(self, copies: Sequence[CalendarCopy]) -> None:
        """Calendars of the home database; an older copy is replaced."""
        ...

    async def drop_calendar(self, calendar_id: int) -> None:
        """A copy that is not needed any more; `Conflict` while a schedule here goes by it."""
        ...
