"""`FileStore` in memory: as sql/files.sql."""

from __future__ import annotations

from datetime import datetime

from duetime.store.file_port import FileEnd, KnownFile
from simulation.memory.injection import MemoryInjection
from simulation.memory.link import Link


class MemoryFiles:
    """The files that injection has read."""

    def __init__(self, injection: MemoryInjection, link: Link) -> None:
        self._injection, self._link = injection, link
        self._files: dict[tuple[str, bytes], KnownFile] = {}
        self._held: dict[int, tuple[str, datetime]] = {}
        self._last = 0

    async def claim(
        self, source: str, content: bytes, name: str, holder: str, now: datetime, until: datetime
    ) -> KnownFile | None:
        """Take a file until an instant."""

        def work() -> KnownFile:
            file = self._files.get((source, content))
            if file is None:
                self._last += 1
                file = KnownFile(self._last, "open", name, now, None, False, 0, 0, None, 0, held=False)
                self._files[source, content] = file
                self._injection.set_offset(source, file.id, 0)
            elif file.state != "open" or (self._held[file.id][1] > now and self._held[file.id][0] != holder):
                return file
            self._held[file.id] = holder, until
            return file._replace(next_record=self._injection.offset(source, file.id), held=True)

        return await self._link.call("claim", work)

    async def hold(self, file_id: int, holder: str, until: datetime) -> bool:
        """Extend a lease."""

        def work() -> bool:
            file = self._by_id(file_id)[1]
            if file is None or file.state != "open" or self._held[file_id][0] != holder:
                return False
            self._held[file_id] = holder, until
            return True

        return await self._link.call("hold", work)

    async def finish(self, file_id: int, end: FileEnd, now: datetime) -> bool:
        """Record how an open file ended."""

        def work() -> bool:
            key, file = self._by_id(file_id)
            if key is None or file is None or file.state != "open":
                return False
            self._files[key] = file._replace(
                state=end.state, ended_at=now, records=end.records, stored=end.stored, reason=end.reason
            )
            self._injection.keep_refused(key[0], end.refused)
            return True

        return await self._link.call("finish", work)

    async def moved(self, file_id: int) -> None:
        """Note that an ended file has left its directory."""

        def work() -> None:
            key, file = self._by_id(file_id)
            if key is not None and file is not None and file.state != "open":
                self._files[key] = file._replace(moved=True)
                self._injection.drop_refused(key[0], file_id)

        await self._link.call("moved", work)

    async def forget(self, file_id: int) -> None:
        """Forget an ended file."""

        def work() -> None:
            key, file = self._by_id(file_id)
            if key is not None and file is not None and file.state != "open":
                del self._files[key]
                self._injection.drop_refused(key[0], file_id)
                self._injection.set_offset(key[0], file_id, None)

        await self._link.call("forget", work)

    async def ended_before(self, source: str, instant: datetime, limit: int) -> list[int]:
        """The files that ended before an instant."""

        def work() -> list[int]:
            ended = [one for (name, _), one in self._files.items() if name == source and one.ended_at is not None]
            return sorted(one.id for one in ended if one.ended_at is not None and one.ended_at < instant)[:limit]

        return await self._link.call("ended_before", work)

    def _by_id(self, file_id: int) -> tuple[tuple[str, bytes], KnownFile] | tuple[None, None]:
        return next(((key, one) for key, one in self._files.items() if one.id == file_id), (None, None))
