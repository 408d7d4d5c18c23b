"""Reads a topic as a member of a consumer group, from offsets that are kept elsewhere.

A consumer belongs to one thread (confluent-kafka-python#2322), so a thread does all of it: it waits for records, takes
those that have come, and gives them to the event loop; it reads on when they are stored. `poll` waits, and `consume`
with no time-out takes the rest: `consume` alone waits until its batch is full.
"""

from __future__ import annotations

import asyncio
import logging
import threading
from collections.abc import Callable, Coroutine, Mapping, Sequence
from typing import Any, NamedTuple, Protocol

from confluent_kafka import Consumer, KafkaException, Message, TopicPartition
from confluent_kafka.admin import AdminClient
from confluent_kafka.cimpl import NewTopic

from duetime.kafka.cluster import Cluster

WAIT_SECONDS = 0.1
ANSWER_SECONDS = 10.0
SESSION_MS = 6000


class ReaderProblem(Exception):
    """The topic cannot be read on. The text says why."""


class Extent(NamedTuple):
    """The first offset that a partition still has, and the next one to be written."""

    first: int
    end: int


class Reading(Protocol):
    """What takes the records. All of it is called on the event loop, except `prepare`."""

    async def assigned(self, partitions: Mapping[int, Extent]) -> Mapping[int, int]:
        """Returns the offset to read each partition from. Raises `ReaderProblem` if it cannot be read from there."""
        ...

    def revoked(self, partitions: Sequence[int]) -> None:
        """Another reader has these now."""
        ...

    def prepare(self, messages: Sequence[Message]) -> Any:
        """Called in the reader's thread, so that long work does not hold the event loop."""
        ...

    async def keep(self, prepared: Any) -> Mapping[int, int]:
        """Store what was prepared. Returns how far each partition is stored now."""
        ...


class TopicReader:
    """Reads one topic until it is stopped or cannot read on."""

    def __init__(self, cluster: Cluster, topic: str, group: str, reading: Reading, *, batch: int) -> None:
        self._cluster, self._topic, self._group, self._reading, self._batch = cluster, topic, group, reading, batch
        self._stopping = False
        self._failed: BaseException | None = None

    async def run(self) -> None:
        """Read until `stop`. Raises what ended the reading."""
        loop = asyncio.get_running_loop()
        self._loop = loop
        ended: asyncio.Future[None] = loop.create_future()

        def work() -> None:
            try:
                self._read()
            except BaseException as error:
                _from_thread(loop, _end, ended, error)
            else:
                _from_thread(loop, _end, ended, None)

        threading.Thread(target=work, name=f"kafka-{self._group}", daemon=True).start()
        await ended

    def stop(self) -> None:
        """Read no further. What is being stored is finished."""
        self._stopping = True

    def _read(self) -> None:
        consumer = Consumer(
            {
                "group.id": self._group,
                "partition.assignment.strategy": "cooperative-sticky",
                "session.timeout.ms": SESSION_MS,
                "heartbeat.interval.ms": SESSION_MS // 3,
                "enable.auto.commit": False,
                "enable.auto.offset.store": False,
                "auto.offset.reset": "error",
                "isolation.level": "read_committed",
                "fetch.queue.backoff.ms": 1,
                "queued.max.messages.kbytes": 16_384,
                "reconnect.backoff.ms": 50,
                "reconnect.backoff.max.ms": 500,
                **self._cluster.connection,
            },
            logger=logging.getLogger(f"kafka.{self._cluster.name}"),
        )
        try:
            consumer.subscribe([self._topic], on_assign=self._assigned, on_revoke=self._revoked, on_lost=self._revoked)
            while not self._stopping:
                first = consumer.poll(WAIT_SECONDS)
                if self._failed is not None:
                    raise self._failed
                if first is not None:
                    self._pass_on(consumer, [first, *consumer.consume(self._batch - 1, 0)])
        finally:
            consumer.close()

    def _pass_on(self, consumer: Consumer, messages: list[Message]) -> None:
        for message in messages:
            error = message.error()
            if error is not None and not error.retriable():
                raise ReaderProblem(f"Topic '{self._topic}' cannot be read: {error.str()} ({error.name()}).")
        records = [message for message in messages if message.error() is None]
        if not records:
            return
        stored = self._call(self._reading.keep(self._reading.prepare(records)))
        if stored:
            # Only for tools that show lag: what counts is in the store.
            consumer.commit(
                offsets=[TopicPartition(self._topic, partition, offset) for partition, offset in stored.items()],
                asynchronous=True,
            )

    def _assigned(self, consumer: Consumer, partitions: list[TopicPartition]) -> None:
        try:
            extents = {
                one.partition: Extent(*consumer.get_watermark_offsets(one, timeout=ANSWER_SECONDS))
                for one in partitions
            }
            starts = self._call(self._reading.assigned(extents))
            consumer.incremental_assign([TopicPartition(self._topic, one, starts[one]) for one in extents])
        except Exception as error:
            self._failed = error

    def _revoked(self, consumer: Consumer, partitions: list[TopicPartition]) -> None:
        numbers = [one.partition for one in partitions]
        _from_thread(self._loop, self._reading.revoked, numbers)

    def _call(self, work: Coroutine[Any, Any, Any]) -> Any:
        return asyncio.run_coroutine_threadsafe(work, self._loop).result()


def ensure_topic(cluster: Cluster, topic: str) -> None:
    """Create a topic that does not exist, with the brokers' defaults. Blocks. Raises `ReaderProblem`."""
    admin = AdminClient(dict(cluster.connection))
    try:
        if topic not in admin.list_topics(timeout=ANSWER_SECONDS).topics:
            admin.create_topics([NewTopic(topic, -1, -1)])[topic].result(ANSWER_SECONDS)
    except KafkaException as error:
        cause: Any = error.args[0]
        if cause.name() != "TOPIC_ALREADY_EXISTS":
            raise ReaderProblem(f"Topic '{topic}' does not exist and cannot be created: {cause.str()}.") from None


def _from_thread(loop: asyncio.AbstractEventLoop, call: Callable[..., Any], *arguments: Any) -> None:
    try:
        loop.call_soon_threadsafe(call, *arguments)
    except RuntimeError:
        return  # The loop has ended, and nothing waits any more.


def _end(ended: asyncio.Future[None], error: BaseException | None) -> None:
    if ended.done():
        return
    if error is None:
        ended.set_result(None)
    else:
        ended.set_exception(error)
