"""The contract of the store for files of injection: which node reads a file, and how it ended.

A file is known by its source and its content. Its records are stored through `InjectionStore`, with the file's id as
the partition, so a lease that ran out, or a node that believes it still holds one, stores no record twice.
Obligations: see `store.port`.
"""

from __future__ import annotations

from datetime import datetime
from typing import Literal, NamedTuple, Protocol

from duetime.store.injection_port import Refused

FileState = Literal["open", "done", "failed"]


class KnownFile(NamedTuple):
    """A file as the store knows it."""

    id: int
    state: FileState
    name: str
    """The name under which it came first."""
    taken_at: datetime
    """When it was taken first. Its delays count from this instant."""
    ended_at: datetime | None
    moved: bool
    """Whether the file has left its directory."""
    records: int
    """How many records were read."""
    stored: int
    """How many of them were stored."""
    reason: str | None
    """Why the file as a whole failed."""
    next_record: int
    """The number of the first record that is not stored."""
    held: bool
    """Whether the caller holds it now."""


class FileEnd(NamedTuple):
    """How a file ended."""

    state: FileState
    records: int
    stored: int
    reason: str | None = None
    refused: tuple[Refused, ...] = ()
    """Refused records that are not stored yet."""


class FileStore(Protocol):
    """Knows the files that injection has read."""

    async def claim(
        self, source: str, content: bytes, name: str, holder: str, now: datetime, until: datetime
    ) -> KnownFile | None:
        """Take a file until an instant, if it is new, or open and without a holder. Returns the file as it is.

        A new file begins with the offset 0. A repeat by the same holder extends its lease. Returns None while another
        node is taking it for the first time.
        """
        ...

    async def hold(self, file_id: int, holder: str, until: datetime) -> bool:
        """Extend a lease. Returns false if another node has the file, or it has ended."""
        ...

    async def finish(self, file_id: int, end: FileEnd, now: datetime) -> bool:
        """Record how an open file ended, with its refused records. The first end counts: a repeat returns false."""
        ...

    async def moved(self, file_id: int) -> None:
        """Note that an ended file has left its directory, and forget its refused records. A repeat has no effect."""
        ...

    async def forget(self, file_id: int) -> None:
        """Forget an ended file: the same content is a new file then. A repeat has no effect."""
        ...

    async def ended_before(self, source: str, instant: datetime, limit: int) -> list[int]:
        """Returns files that ended before an instant."""
        ...
