"""Publishes refused records to the topic for them, at least once, before more of their source is read."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from typing import Any

import msgspec
import structlog

from duetime.kafka.cluster import Cluster
from duetime.kafka.producer import Delivery, RecordProducer
from duetime.model.targets.kafka import Record
from duetime.store.injection_port import InjectionStore, Refused

log = structlog.get_logger()
PAGE = 500
_decode = msgspec.msgpack.Decoder(Record).decode


class RefusedRecords:
    """The refused records of one source, from the store to their topic."""

    def __init__(self, source: str, store: InjectionStore, cluster: Cluster) -> None:
        self._source, self._store, self._cluster = source, store, cluster
        self._producer: RecordProducer[asyncio.Future[Any]] | None = None

    async def publish(self, partitions: Sequence[int], pause: Callable[[], Awaitable[None]]) -> None:
        """Publish what waits, and forget it. While that fails it is tried again, after a `pause`, which may raise."""
        while page := await self._store.refused(self._source, partitions, PAGE):
            problem = await self._send([one for one in page if one.record])
            if problem is None:
                await self._store.published([one.id for one in page])
                continue
            log.error("refused records cannot be published: the source waits", source=self._source, error=problem)
            await pause()

    async def close(self) -> None:
        """End the producer."""
        if self._producer is not None:
            await self._producer.close()

    async def _send(self, refused: Sequence[Refused]) -> str | None:
        """Publish records. Returns what went wrong; None if all are there."""
        if not refused:
            return None
        if self._producer is None:
            self._producer = RecordProducer(self._cluster, _delivered)
        loop = asyncio.get_running_loop()
        waiting: list[asyncio.Future[Any]] = []
        for one in refused:
            report: asyncio.Future[Any] = loop.create_future()
            try:
                self._producer.send(_decode(one.record), report)
            except Exception as error:
                return str(error)
            waiting.append(report)
        errors = [error for error in await asyncio.gather(*waiting) if error is not None]
        return str(errors[0]) if errors else None


def _delivered(reports: Sequence[Delivery[asyncio.Future[Any]]]) -> None:
    for one in reports:
        if not one.token.done():
            one.token.set_result(one.error)
