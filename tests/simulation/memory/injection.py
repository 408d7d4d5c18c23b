"""`InjectionStore` in memory: as sql/injection.sql."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime

from duetime.store.injection_port import KeyedJob, Move, Overtaken, RecordId, Refused
from duetime.store.port import JobRow, Stored
from simulation.memory.link import Link
from simulation.memory.submit import insert
from simulation.memory.tables import Tables


class MemoryInjection:
    """What topics bring."""

    def __init__(self, tables: Tables, link: Link) -> None:
        self._tables, self._link = tables, link
        self._offsets: dict[tuple[str, int], int] = {}
        self._keys: dict[tuple[str, bytes], tuple[int, RecordId]] = {}
        self._refused: dict[int, tuple[str, Refused]] = {}

    async def offsets(self, source: str) -> dict[int, int]:
        """The next offset to read, by partition."""
        return await self._link.call(
            "offsets", lambda: {part: at for (name, part), at in self._offsets.items() if name == source}
        )

    async def begin(self, source: str, first: Mapping[int, int]) -> None:
        """Set the offsets of partitions that have none."""

        def work() -> None:
            for partition, offset in first.items():
                self._offsets.setdefault((source, partition), offset)

        await self._link.call("begin", work)

    async def inject(
        self,
        source: str,
        moves: Sequence[Move],
        rows: Sequence[JobRow],
        keyed: Sequence[KeyedJob],
        refused: Sequence[Refused],
        now: datetime,
    ) -> list[Stored]:
        """Store jobs, keys and refused records, and move the offsets."""

        def work() -> list[Stored]:
            if any(self._offsets.get((source, one.partition)) != one.expected for one in moves):
                raise Overtaken
            for one in moves:
                self._offsets[source, one.partition] = one.upto
            stored = insert(self._tables, rows, now) if rows else []
            for one in keyed:
                if one.row is None:
                    self._keys.pop((source, one.key), None)
                else:
                    self._keys[source, one.key] = (stored[one.row].job_id, one.origin)
            self.keep_refused(source, refused)
            return stored

        return await self._link.call("inject", work)

    def offset(self, source: str, partition: int) -> int:
        """The next offset of a partition, for files."""
        return self._offsets[source, partition]

    def set_offset(self, source: str, partition: int, offset: int | None) -> None:
        """Set or remove the offset of a partition, for files."""
        self._offsets.pop((source, partition), None)
        if offset is not None:
            self._offsets[source, partition] = offset

    def keep_refused(self, source: str, refused: Sequence[Refused]) -> None:
        """Keep refused records until they are published."""
        for one in refused:
            number = self._tables.number("refused")
            self._refused[number] = (source, one._replace(id=number))

    def drop_refused(self, source: str, partition: int) -> None:
        """Forget the refused records of a partition, for files."""
        kept = {
            number: (name, one)
            for number, (name, one) in self._refused.items()
            if (name, one.origin.partition) != (source, partition)
        }
        self._refused.clear()
        self._refused.update(kept)

    async def jobs_of_keys(self, source: str, keys: Mapping[bytes, RecordId]) -> dict[bytes, int]:
        """The jobs that earlier records with these keys became."""

        def work() -> dict[bytes, int]:
            known = {key: self._keys[source, key] for key in keys if (source, key) in self._keys}
            return {
                key: job
                for key, (job, origin) in known.items()
                if origin.partition != keys[key].partition or origin.offset < keys[key].offset
            }

        return await self._link.call("jobs_of_keys", work)

    async def refused(self, source: str, partitions: Sequence[int], limit: int) -> list[Refused]:
        """Refused records that are not published."""

        def work() -> list[Refused]:
            found = [
                one for name, one in self._refused.values() if name == source and one.origin.partition in partitions
            ]
            return found[:limit]

        return await self._link.call("refused", work)

    async def published(self, ids: Sequence[int]) -> None:
        """Forget refused records."""

        def work() -> None:
            for one in ids:
                self._refused.pop(one, None)

        await self._link.call("published", work)

    async def sweep_keys(self, source: str, after: bytes, limit: int) -> bytes | None:
        """Forget keys whose jobs have ended."""

        def work() -> bytes | None:
            some = sorted(key for name, key in self._keys if name == source and key > after)[:limit]
            for key in some:
                if self._keys[source, key][0] not in self._tables.jobs:
                    del self._keys[source, key]
            return some[-1] if some else None

        return await self._link.call("sweep_keys", work)
