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
from duetime.kafka.producer import BatchProducer, CannotPublish
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
        self._producer: BatchProducer | None = None
        self._subscribe_at = 0.0
        self._stopping = False
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

    def stop(self) -> None:
        """Wait for no further delivery: what is not acknowledged is published again later."""
        self._stopping = True
        if self._producer is not None:
            self._producer.stopping = True

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
        letters: list[Record] = []
        if self._settings.dead_topic is not None:
            letters = await self._dead_letters([one for one in ends if one.state is JobState.DEAD])
        # Making and sending thousands of records would hold the event loop for tens of milliseconds.
        await asyncio.to_thread(self._send, ends, letters)

    async def _dead_letters(self, ends: Sequence[JobEnded]) -> list[Record]:
        """Returns the records of dead letters. A job that was redriven or removed meanwhile has none."""
        settings, found = self._settings, list[Record]()
        for user_id in sorted({one.user_id for one in ends}):
            own = {one.job_id: one for one in ends if one.user_id == user_id}
            jobs = await self._dead.dead(user_id, DeadFilter(ids=tuple(own), limit=len(own)))
            found += [dead_record(job, own[job.id], settings.source, settings.dead_topic or "") for job in jobs]
        return found

    def _send(self, ends: Sequence[JobEnded], letters: Sequence[Record]) -> None:
        """Make records, and publish them. Runs in a thread."""
        settings = self._settings
        if self._producer is None:
            self._producer = BatchProducer(settings.cluster)
            self._producer.stopping = self._stopping
        states, topic = frozenset(settings.states), settings.topic
        own = (ended_record(one, settings.source, topic) for one in ends if topic is not None and one.state in states)
        self._producer.publish(chain(own, letters))
