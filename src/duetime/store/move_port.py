"""What a database must be able to do for shards to leave it and to come to it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import AbstractAsyncContextManager
from datetime import date
from typing import IO, NamedTuple, Protocol


class Arrival(NamedTuple):
    """A shard that is expected; `received` once its jobs are there, though not let go yet."""

    shard: int
    source: int
    received: bool


class UnderWay(NamedTuple):
    """Runs of some shards, and how many of them nobody carries out any more."""

    runs: int
    orphans: int


class Part(NamedTuple):
    """The rows of one table, in PostgreSQL's binary form."""

    table: str
    columns: list[str]
    content: IO[bytes]


class Leaving(Protocol):
    """What leaves, held still until the block in which it was got ends."""

    shards: list[int]
    terms: list[int]
    last_number: int
    definitions: list[int]
    calendars: list[int]

    async def days(self) -> list[date]:
        """The days for which there must be room in the other database."""
        ...

    async def removed_rows(self) -> list[Part]:
        """Every row, deleted here, as it is to be stored there."""
        ...


class MoveStore(Protocol):
    """One database, for whoever moves shards. Every verb may be repeated."""

    async def arrivals(self) -> list[Arrival]:
        """Shards that are expected here."""
        ...

    async def leaving(self) -> dict[int, int]:
        """Shards that are leaving, their jobs still being here, and where to."""
        ...

    async def jobs_by_shard(self) -> dict[int, int]:
        """How many jobs wait in each shard."""
        ...

    async def old_nodes(self) -> list[str]:
        """In the home database: living nodes that do not know all databases."""
        ...

    async def expect(self, shards: Sequence[int], source: int) -> None:
        """Shards are to come here."""
        ...

    async def prepare_to_leave(self) -> None:
        """Make it cheap to find what belongs to a shard."""
        ...

    async def tidy_up(self) -> None:
        """Nothing leaves any more."""
        ...

    async def close(self, shards: Sequence[int], to: int) -> None:
        """From the return on no job is added to these shards, and nobody takes them; owners give them back."""
        ...

    async def open(self, shards: Sequence[int]) -> None:
        """These shards live here, for everybody to use."""
        ...

    async def forget_arrivals(self, shards: Sequence[int]) -> None:
        """These are not expected any more, unless they came already."""
        ...

    async def owned(self, shards: Sequence[int]) -> int:
        """How many of them a living node still holds."""
        ...

    async def mark(self) -> str:
        """A mark in time for `older_than`."""
        ...

    async def older_than(self, mark: str) -> int:
        """How many statements that began before the mark have not ended."""
        ...

    async def under_way(self, shards: Sequence[int]) -> UnderWay:
        """Runs of these shards."""
        ...

    async def set_homes(self, shards: Sequence[int], number: int) -> None:
        """In the home database: where these shards live."""
        ...

    def leaving_rows(self, shards: Sequence[int], to: int) -> AbstractAsyncContextManager[Leaving]:
        """What is in closed shards; gone from here when the block ends well, and as it was when it does not."""
        ...

    async def receive(
        self, leaving: Leaving, parts: Sequence[Part], days: Sequence[date], definitions: Mapping[int, int]
    ) -> int:
        """Store what comes, all or none; how many jobs. What came before of the same shards is replaced."""
        ...
