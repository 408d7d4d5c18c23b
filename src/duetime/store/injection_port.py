"""The contract of injection's store: jobs and the offsets in the topics that they come from move together.

Obligations: see `store.port`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import NamedTuple, Protocol

from duetime.model.errors import DuetimeError
from duetime.store.port import JobRow, Stored


class Overtaken(DuetimeError):
    """Another reader has moved an offset: nothing was stored."""

    code = "overtaken"


class RecordId(NamedTuple):
    """Where a record is."""

    partition: int
    offset: int


class Move(NamedTuple):
    """A partition whose offset moves: from where it must be, to the next record to read."""

    partition: int
    expected: int
    upto: int


class Refused(NamedTuple):
    """A record that is no job, as it will be published. `id` is the store's, 0 before it is stored."""

    origin: RecordId
    record: bytes
    id: int = 0


class KeyedJob(NamedTuple):
    """The key of a record, which of the rows its job is (None: the record ends the key), and its origin."""

    key: bytes
    row: int | None
    origin: RecordId


class InjectionStore(Protocol):
    """Stores what topics bring."""

    async def offsets(self, source: str) -> dict[int, int]:
        """Returns the next offset to read, by partition."""
        ...

    async def begin(self, source: str, first: Mapping[int, int]) -> None:
        """Set the offsets of partitions that have none. A repeat changes nothing."""
        ...

    async def inject(
        self,
        source: str,
        moves: Sequence[Move],
        rows: Sequence[JobRow],
        keyed: Sequence[KeyedJob],
        refused: Sequence[Refused],
        now: datetime,
    ) -> list[Stored]:
        """Store jobs, keys and refused records, and move the offsets: all of it or nothing.

        Raises `Overtaken` unless every offset is where it is expected. A repeat is overtaken by the first call.
        """
        ...

    async def jobs_of_keys(self, source: str, keys: Mapping[bytes, RecordId]) -> dict[bytes, int]:
        """Returns the jobs that earlier records with these keys became."""
        ...

    async def refused(self, source: str, partitions: Sequence[int], limit: int) -> list[Refused]:
        """Returns refused records that are not published, oldest first."""
        ...

    async def published(self, ids: Sequence[int]) -> None:
        """Forget refused records. A repeat has no effect."""
        ...

    async def sweep_keys(self, source: str, after: bytes, limit: int) -> bytes | None:
        """Forget keys whose jobs have ended, among the next `limit`. Returns the last one looked at, or None."""
        ...
