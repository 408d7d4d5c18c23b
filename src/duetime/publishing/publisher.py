"""Publishes ends of jobs from the outbox to topics, and acknowledges a page when all of its records are there.

The node that owns the first shard does it. While shards move, two nodes may publish the same page: readers drop repeats
by the event's id. A topic that cannot be written holds the outbox back, and never a job.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from itertools import chain

import structlog
from msgspec import Struct

from duetime.clock.port import Clock
from duetime.engine.settling.outbox import OutboxReader
from duetime.kafka.cluster import Cluster
from duetime.kafka.producer import Delivery, RecordProducer
from duetime.kafka.reader import ReaderProblem, ensure_topic
from duetime.model.events import JobEnded
from duetime.model.job import DeadFilter
from duetime.model.states import JobState
from duetime.model.targets.kafka import Record
from duetime.publishing.cloud_events import ended_record
from duetime.publishing.dead_letters import dead_record
from duetime.store.outbox_port import OutboxStore, Subscription
from duetime.store.port import DeadStore

log = structlog.get_logger()
PAGE = 10
"""Settled batches in one page: some thousand ends."""
SUBSCRIBE_EVERY = 30.0
ENDS = (JobState.SUCCEEDED, JobState.DEAD, JobState.CANCELLED, JobState.SKIPPED, JobState.LOST)


class PublishingSettings(Struct, frozen=True):
    """Where events go, and which."""

    cluster: Cluster
    source: str
    topic: str | None
    """For ends; None: none are published."""
    dead_topic: str | None
    """For dead letters; None: none are published."""
    states: tuple[JobState, ...] = ENDS


class CannotPublish(Exception):
    """A record was not delivered. The text says why."""


class EndPublisher:
    """A duty: publishes what waits in the outbox, if this node is the one to do it."""

    def __init__(
        self,
        name: str,
        settings: PublishingSettings,
        outbox: OutboxStore,
        dead: DeadStore,
        clock: Clock,
        is_ours: Callable[[], bool],
    ) -> None:
        self._settings, self._dead, self._clock, self._is_ours = settings, dead, clock, is_ours
        wanted = set(settings.states) if settings.topic is not None else set[JobState]()
        if settings.dead_topic is not None:
            wanted.add(JobState.DEAD)
        self._reader = OutboxReader(outbox, Subscription(name, tuple(sorted(wanted))), self._publish, page=PAGE)
        self._producer: RecordProducer[_Page] | None = None
        self._subscribe_at = 0.0
        self._problem: str | None = None

    async def run_once(self) -> None:
        """Publish what waits. A problem is logged once, and tried again by the next call."""
        if not self._is_ours():
            return
        try:
            if self._clock.monotonic() >= self._subscribe_at:
                await self._prepare()
            await self._reader.run_once()
        except (CannotPublish, ReaderProblem) as problem:
            if str(problem) != self._problem:
                log.warning("events cannot be published: they wait in the outbox", error=str(problem))
            self._problem = str(problem)
        else:
            self._problem = None

    async def close(self) -> None:
        """End the producer."""
        if self._producer is not None:
            await self._producer.close()

    async def _prepare(self) -> None:
        """Subscribe, again and again: a node that was started with another configuration may have ended it."""
        settings = self._settings
        await self._reader.subscribe()
        for topic in (settings.topic, settings.dead_topic):
            if topic is not None:
                await asyncio.to_thread(ensure_topic, settings.cluster, topic)
        self._subscribe_at = self._clock.monotonic() + SUBSCRIBE_EVERY

    async def _publish(self, ends: Sequence[JobEnded]) -> None:
        """Publish the ends of one page, and wait until all are there. Raises `CannotPublish`."""
        settings = self._settings
        letters: list[Record] = []
        if settings.dead_topic is not None:
            letters = await self._dead_letters([one for one in ends if one.state is JobState.DEAD])
        if self._producer is None:
            self._producer = RecordProducer(settings.cluster, _delivered)
        page = _Page()
        # Making and sending thousands of records would hold the event loop for tens of milliseconds.
        page.expect(await asyncio.to_thread(self._send, self._producer, ends, letters, page))
        await page.complete.wait()
        if page.problem is not None:
            raise CannotPublish(page.problem)

    async def _dead_letters(self, ends: Sequence[JobEnded]) -> list[Record]:
        """Returns the records of dead letters. A job that was redriven or removed meanwhile has none."""
        settings, found = self._settings, list[Record]()
        for user_id in sorted({one.user_id for one in ends}):
            own = {one.job_id: one for one in ends if one.user_id == user_id}
            jobs = await self._dead.dead(user_id, DeadFilter(ids=tuple(own), limit=len(own)))
            found += [dead_record(job, own[job.id], settings.source, settings.dead_topic or "") for job in jobs]
        return found

    def _send(
        self, producer: RecordProducer[_Page], ends: Sequence[JobEnded], letters: Sequence[Record], page: _Page
    ) -> int:
        """Make and send records. Returns how many reports to wait for. Runs in a thread."""
        settings, sent = self._settings, 0
        states, topic = frozenset(settings.states), settings.topic
        own = (ended_record(one, settings.source, topic) for one in ends if topic is not None and one.state in states)
        try:
            for record in chain(own, letters):
                producer.send(record, page)
                sent += 1
        except Exception as error:
            page.problem = str(error)
        return sent


class _Page:
    """Records that are on their way together."""

    def __init__(self) -> None:
        self.complete = asyncio.Event()
        self.problem: str | None = None
        self._reported, self._expected = 0, -1

    def expect(self, count: int) -> None:
        """Say how many reports there will be: some may have come."""
        self._expected = count
        self.report(0)

    def report(self, count: int) -> None:
        """Count reports."""
        self._reported += count
        if self._reported == self._expected:
            self.complete.set()


def _delivered(reports: Sequence[Delivery[_Page]]) -> None:
    for one in reports:
        if one.error is not None:
            one.token.problem = str(one.error)
        one.token.report(1)
