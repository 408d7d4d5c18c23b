"""The launches that a scheduler has out: sent or about to be sent, and not known to have ended. Pure."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from datetime import datetime, timedelta
from typing import NamedTuple

from duetime.store.port import JobRef

RECENT = timedelta(seconds=1)


class Expected(NamedTuple):
    """A launch that is out."""

    ref: JobRef
    pool: str
    since: datetime


class Outstanding:
    """Counts launches by pool, and those that ended within the last second."""

    def __init__(self, now: datetime) -> None:
        self._launches: dict[int, Expected] = {}
        self._counts: dict[str, int] = {}
        self._window = (now, 0, 0)
        """The beginning of the present second, and how many launches ended in the one before it and within it."""

    def __len__(self) -> int:
        """How many launches are out."""
        return len(self._launches)

    def __iter__(self) -> Iterator[int]:
        """The jobs whose launches are out."""
        return iter(self._launches)

    def get(self, job_id: int) -> Expected | None:
        """Returns the launch of a job, if it is out."""
        return self._launches.get(job_id)

    def count(self, pool: str) -> int:
        """Returns how many launches are out in a pool."""
        return self._counts.get(pool, 0)

    def add(self, refs: Sequence[JobRef], pool: str, now: datetime) -> None:
        """Count these launches; a job that is counted already counts once."""
        self.remove([ref.id for ref in refs])
        for ref in refs:
            self._launches[ref.id] = Expected(ref, pool, now)
        self._counts[pool] = self._counts.get(pool, 0) + len(refs)

    def remove(self, job_ids: Collection[int]) -> list[Expected]:
        """Stop counting these. Returns those that were out."""
        if not self._launches:
            return []
        found = [one for job_id in job_ids if (one := self._launches.pop(job_id, None)) is not None]
        for one in found:
            self._counts[one.pool] -= 1
            if not self._counts[one.pool]:
                del self._counts[one.pool]
        return found

    def before(self, instant: datetime) -> list[int]:
        """Returns the jobs whose launches have been out since an instant or longer."""
        return [job_id for job_id, one in self._launches.items() if one.since <= instant]

    def note_ended(self, count: int, now: datetime) -> None:
        """So many launches ended."""
        start, before, current = self._window
        if now - start >= RECENT:
            recent = now - start < 2 * RECENT
            start, before, current = now, current if recent else 0, 0
        self._window = (start, before, current + count)

    def ended_recently(self, now: datetime) -> int:
        """Returns about how many launches ended within a second."""
        start, before, current = self._window
        return max(before, current) if now - start < 2 * RECENT else 0
