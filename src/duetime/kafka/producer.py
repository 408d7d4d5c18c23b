"""A producer for the event loop: records go in one by one, and their reports come back in batches.

The client library has threads of its own. `send` puts a record into its queue, on the loop's thread. One thread waits
for reports, and gives all that have come to the loop at once. It only collects them: calling the client from within a
report can crash the process (confluent-kafka-python#2313).
"""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable, Iterable, Sequence
from functools import partial
from typing import Any, Generic, NamedTuple, TypeVar

import structlog
from confluent_kafka import KafkaError, KafkaException, Message, Producer

from duetime.kafka.cluster import Cluster
from duetime.model.targets.kafka import Record

log = structlog.get_logger()
WAIT_SECONDS = 0.1
"""How long the thread waits for a report before it looks whether it shall end."""
METADATA_SECONDS = 5.0
FLUSH_SECONDS = 5.0
QUEUED = 200_000
"""How many records the client holds at most. Executors have fewer slots."""
BATCH_LINGER_MS = 5
FLUSH_SLICE = 0.2
"""Seconds between two looks whether a batch shall be given up."""
T = TypeVar("T")


class Delivery(NamedTuple, Generic[T]):
    """What became of a record: where it is, or why it is nowhere. `token` is what the sender gave with it."""

    token: T
    partition: int
    offset: int
    error: KafkaError | None


class RecordProducer(Generic[T]):
    """Publishes records to one cluster, with acknowledgement by all in-sync replicas."""

    def __init__(self, cluster: Cluster, delivered: Callable[[Sequence[Delivery[T]]], None]) -> None:
        """`delivered` is called on the event loop."""
        self._cluster, self._delivered = cluster, delivered
        self._producer = Producer(_settings(cluster), logger=_logger(cluster.name))
        self._loop = asyncio.get_running_loop()
        self._reports: list[Delivery[T]] = []
        self._handed = self._stopping = False
        self._thread = threading.Thread(target=self._wait, name=f"kafka-{cluster.name}", daemon=True)
        self._thread.start()

    def send(self, record: Record, token: T) -> None:
        """Publish a record; its delivery is reported later. Raises `KafkaException` or `BufferError`."""
        self._producer.produce(
            record.topic,
            record.value,
            record.key,
            -1 if record.partition is None else record.partition,
            partial(self._report, token),
            headers=list(record.headers),
        )

    async def close(self) -> None:
        """Wait for outstanding reports, for a bounded time, and end the thread."""
        await asyncio.to_thread(self._producer.flush, FLUSH_SECONDS)
        self._stopping = True
        await asyncio.to_thread(self._thread.join, 2 * WAIT_SECONDS + 1)
        self._hand_over()

    def _report(self, token: T, error: KafkaError | None, message: Message) -> None:
        if error is None:
            self._reports.append(Delivery(token, message.partition() or 0, message.offset() or 0, None))
        else:
            self._reports.append(Delivery(token, -1, -1, error))

    def _wait(self) -> None:
        """Collect reports until the end. Runs in the thread."""
        try:
            # The first record of an idempotent producer takes a second unless the brokers are known.
            self._producer.list_topics(timeout=METADATA_SECONDS)
        except KafkaException as error:
            log.warning("a Kafka cluster does not answer", cluster=self._cluster.name, error=str(error))
        while not self._stopping:
            self._producer.poll(WAIT_SECONDS)
            if self._reports and not self._handed:
                self._handed = True
                try:
                    self._loop.call_soon_threadsafe(self._hand_over)
                except RuntimeError:  # The loop has ended, and nothing waits for reports any more.
                    return

    def _hand_over(self) -> None:
        # First the mark, then the list: a report that comes in between is handed over by the next call.
        self._handed = False
        reports, self._reports = self._reports, []
        if reports:
            self._delivered(reports)


class CannotPublish(Exception):
    """Some records of a batch were not delivered. The text says why."""


class BatchProducer:
    """Publishes records in batches, in the caller's thread. Only records that fail are reported one by one."""

    def __init__(self, cluster: Cluster) -> None:
        more = {"linger.ms": BATCH_LINGER_MS, "delivery.report.only.error": True}
        self._producer = Producer({**_settings(cluster), **more}, logger=_logger(cluster.name))
        self._failed: list[str] = []
        self.stopping = False

    def publish(self, records: Iterable[Record]) -> None:
        """Publish records, and wait until all are there. Blocks. Raises `CannotPublish`."""
        self._failed.clear()
        try:
            for record in records:
                self._produce(record)
        except KafkaException as error:
            self._failed.append(str(error))
        # Every record is delivered or fails within the cluster's delivery time-out.
        while self._producer.flush(FLUSH_SLICE):
            if self.stopping:
                raise CannotPublish("The node stops.")
        if self._failed:
            raise CannotPublish(self._failed[0])

    def _produce(self, record: Record) -> None:
        while True:
            try:
                self._producer.produce(
                    record.topic, record.value, record.key, on_delivery=self._report, headers=list(record.headers)
                )
            except BufferError:
                self._producer.poll(WAIT_SECONDS)
            else:
                return

    def _report(self, error: KafkaError | None, message: Message) -> None:
        if error is not None:
            self._failed.append(error.str())


def _settings(cluster: Cluster) -> dict[str, Any]:
    return {
        "acks": "all",
        "enable.idempotence": True,
        "linger.ms": cluster.linger * 1000,
        "compression.type": cluster.compression,
        "delivery.timeout.ms": round(cluster.delivery_timeout * 1000),
        "message.max.bytes": cluster.max_record_bytes,
        "queue.buffering.max.messages": QUEUED,
        # How long a topic that no broker knows may be on its way from the one that created it.
        "topic.metadata.propagation.max.ms": 5000,
        # The choice of partitions that Java clients make: records of one key meet, whoever wrote them.
        "partitioner": "murmur2_random",
        "reconnect.backoff.ms": 50,
        "reconnect.backoff.max.ms": 500,
        **cluster.connection,
    }


def _logger(cluster: str) -> Any:
    import logging

    return logging.getLogger(f"kafka.{cluster}")
