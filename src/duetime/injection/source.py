"""A source: a topic whose records become jobs, each exactly once with respect to the database.

The offset in each partition moves in the transaction that stores the jobs, from exactly where this reader believes it
to be. A reader that was paused, cut off or slow to hear of a rebalance does not match, stores nothing, and begins again
from the stored offsets. Kafka's own committed offsets are written as well, for tools that show lag.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from contextlib import suppress
from datetime import UTC, datetime
from functools import partial
from typing import Any, Literal

import msgspec
import structlog
from msgspec import Struct

from duetime.clock.port import Clock
from duetime.engine.asking.accounts import Accounts
from duetime.engine.asking.control import Control
from duetime.engine.intake.submit import Submit
from duetime.injection.records import Form, RecordParser, RecordRules, Request, SourceRecord, refused_record
from duetime.injection.refused import RefusedRecords
from duetime.kafka.cluster import Cluster
from duetime.kafka.reader import Extent, ReaderProblem, TopicReader, ensure_topic
from duetime.model.errors import DuetimeError, OverLimit, Stopping, StoreAway
from duetime.model.targets.port import TargetRules
from duetime.store.injection_port import InjectionStore, KeyedJob, Move, Overtaken, RecordId, Refused
from duetime.store.port import JobRow, Stored

log = structlog.get_logger()
BATCH = 2000
PAUSE, LONG_PAUSE = 0.2, 5.0
STOP_SECONDS = 5.0
"""How long a stop waits for the reader to leave its group."""
SWEPT = 1000
"""How many keys one round of the sweep looks at."""


class SourceSettings(Struct, frozen=True):
    """One topic, for which user, and what its records are."""

    name: str
    cluster: Cluster
    topic: str
    username: str
    form: Form
    keys: Literal["replace", "ignore"]
    start: Literal["earliest", "latest"]
    invalid_topic: str | None
    """Where records go that are no jobs; None: they are only counted."""
    targets: TargetRules
    max_message_bytes: int
    max_timeout: float


class Source:
    """Reads one topic for as long as the node runs, and tries again after every problem."""

    def __init__(
        self,
        settings: SourceSettings,
        store: InjectionStore,
        submit: Submit,
        control: Control,
        accounts: Accounts,
        clock: Clock,
    ) -> None:
        self._settings, self._store, self._submit, self._control = settings, store, submit, control
        self._accounts, self._clock = accounts, clock
        self._refused = RefusedRecords(settings.name, store, settings.cluster)
        self._next: dict[int, int] = {}
        """The stored offset of each partition that this reader has."""
        self._parser: RecordParser | None = None
        self._user_id = 0
        self._reader: TopicReader | None = None
        self._stopping = False
        self._swept = b""
        self._ended = asyncio.Event()
        self._ended.set()

    async def run(self) -> None:
        """Read until `stop`."""
        self._ended.clear()
        while not self._stopping:
            try:
                await self._read()
            except (Overtaken, Stopping):
                log.info("a source begins again from its stored offsets", source=self._settings.name)
            except (ReaderProblem, DuetimeError) as error:
                log.warning("a source of jobs cannot be read", source=self._settings.name, error=str(error))
                await self._pause(LONG_PAUSE)
            except Exception:
                log.exception("a source of jobs broke: it is tried again", source=self._settings.name)
                await self._pause(LONG_PAUSE)
        self._ended.set()

    async def stop(self) -> None:
        """Read no further; what is being stored is finished."""
        self._stopping = True
        if self._reader is not None:
            self._reader.stop()
        with suppress(TimeoutError):
            await asyncio.wait_for(self._ended.wait(), STOP_SECONDS)
        await self._refused.close()

    async def sweep(self) -> None:
        """Forget some keys whose jobs have ended."""
        self._swept = await self._store.sweep_keys(self._settings.name, self._swept, SWEPT) or b""

    async def _read(self) -> None:
        settings = self._settings
        user = await self._accounts.credentials(settings.username)
        if user is None:
            raise ReaderProblem(f"There is no user '{settings.username}': create the user, or correct the source.")
        self._user_id, self._next = user.user.id, {}
        rules = RecordRules(
            settings.form,
            settings.cluster.name,
            self._user_id,
            settings.username,
            settings.targets,
            settings.max_message_bytes,
            settings.max_timeout,
        )
        self._parser = RecordParser(rules, self._clock.now)
        if settings.invalid_topic is not None:
            await asyncio.to_thread(ensure_topic, settings.cluster, settings.invalid_topic)
        self._reader = TopicReader(settings.cluster, settings.topic, f"duetime-{settings.name}", self, batch=BATCH)
        if not self._stopping:
            await self._reader.run()

    async def assigned(self, partitions: Mapping[int, Extent]) -> Mapping[int, int]:
        """Returns the stored offsets, after setting those of new partitions."""
        name, latest = self._settings.name, self._settings.start == "latest"
        stored = await self._store.offsets(name)
        new = {one: extent.end if latest else extent.first for one, extent in partitions.items() if one not in stored}
        if new:
            await self._store.begin(name, new)
            stored = await self._store.offsets(name)
        for partition, extent in partitions.items():
            if not extent.first <= stored[partition] <= extent.end:
                raise ReaderProblem(
                    f"Partition {partition} of topic '{self._settings.topic}' has the offsets {extent.first} to "
                    f"{extent.end}, but the next one to read is {stored[partition]}: records are gone, or the topic "
                    "was created again. To read what is there, give the source another name."
                )
            self._next[partition] = stored[partition]
        await self._refused.publish(list(partitions), self._pause_or_stop)
        return stored

    def revoked(self, partitions: Sequence[int]) -> None:
        """Another reader has these now."""
        for partition in partitions:
            self._next.pop(partition, None)

    def prepare(self, messages: Sequence[Any]) -> list[Request]:
        """Returns what records ask for. Runs in the reader's thread."""
        return [] if self._parser is None else self._parser.parse([_record(message) for message in messages])

    async def keep(self, prepared: list[Request]) -> Mapping[int, int]:
        """Store what records ask for. Returns the new offsets."""
        fresh = [one for one in prepared if self._is_fresh(one.record.origin)]
        if not fresh:
            return {}
        await self._store_requests(fresh)
        touched = {one.record.origin.partition for one in fresh}
        if any(one.refusal is not None for one in fresh):
            await self._refused.publish(sorted(touched), self._pause_or_stop)
        return {one: self._next[one] for one in touched if one in self._next}

    def _is_fresh(self, origin: RecordId) -> bool:
        """Whether a record is in a partition that this reader has, and is not stored."""
        return origin.partition in self._next and self._next[origin.partition] <= origin.offset

    async def _store_requests(self, requests: list[Request]) -> None:
        """Store requests and move the offsets. A job that the user may not have is refused alone."""
        waited = False
        while True:
            try:
                await self._store_all(requests)
                return
            except Overtaken:
                raise
            except (OverLimit, StoreAway) as error:
                if not waited:
                    log.warning("a source waits", source=self._settings.name, reason=error.message)
                waited = True
                await self._pause_or_stop()
            except Stopping:
                raise
            except DuetimeError as error:
                if len(requests) > 1:
                    middle = len(requests) // 2
                    await self._store_requests(requests[:middle])
                    await self._store_requests(requests[middle:])
                    return
                if requests[0].refusal is not None:
                    raise
                requests = [requests[0]._replace(job=None, refusal=error)]

    async def _store_all(self, requests: list[Request]) -> None:
        moves = self._moves(requests)
        last = self._last_of_keys(requests)
        accepted = [one for one in requests if one.job is not None and self._counts(one, last)]
        jobs = [one.job for one in accepted if one.job is not None]
        rows = {one.record.origin: at for at, one in enumerate(accepted)}
        keyed = [KeyedJob(key, rows.get(one.record.origin), one.record.origin) for key, one in last.items()]
        refused = [self._as_refused(one) for one in requests if one.refusal is not None]
        if last:
            await self._end_earlier(last)
        await self._submit.through(jobs, partial(self._write, moves, keyed, refused))
        for move in moves:
            if move.partition in self._next:
                self._next[move.partition] = move.upto

    async def _write(
        self, moves: list[Move], keyed: list[KeyedJob], refused: list[Refused], rows: Sequence[JobRow], now: datetime
    ) -> list[Stored]:
        return await self._store.inject(self._settings.name, moves, rows, keyed, refused, now)

    def _moves(self, requests: list[Request]) -> list[Move]:
        upto: dict[int, int] = {}
        for one in requests:
            upto[one.record.origin.partition] = one.record.origin.offset + 1
        if not upto.keys() <= self._next.keys():
            raise Overtaken
        return [Move(partition, self._next[partition], end) for partition, end in sorted(upto.items())]

    def _last_of_keys(self, requests: list[Request]) -> dict[bytes, Request]:
        """Returns the last request of each key: within a batch it is the one that counts."""
        if self._settings.keys == "ignore":
            return {}
        return {one.record.key: one for one in requests if one.record.key is not None and one.refusal is None}

    def _counts(self, one: Request, last: Mapping[bytes, Request]) -> bool:
        key = one.record.key
        return key is None or last.get(key, one) is one

    async def _end_earlier(self, last: Mapping[bytes, Request]) -> None:
        """End the waiting jobs of earlier records with these keys, before the new ones are stored.

        A crash in between leaves neither job for a moment: the record is read again. A reader that is behind ends
        nothing, because the store compares the records' origins.
        """
        earlier = await self._store.jobs_of_keys(
            self._settings.name, {key: one.record.origin for key, one in last.items()}
        )
        cancelled = [job for key, job in earlier.items() if last[key].job is None]
        if cancelled:
            await self._control.cancel_many(self._user_id, cancelled, self._user_id)
        for key, job in earlier.items():
            if last[key].job is not None:
                await self._control.replace(self._user_id, job, self._user_id)

    def _as_refused(self, one: Request) -> Refused:
        to = self._settings.invalid_topic
        log.debug("a record is no job", source=self._settings.name, origin=one.record.origin, error=str(one.refusal))
        record = b"" if to is None else msgspec.msgpack.encode(refused_record(one, self._settings.topic, to))
        return Refused(one.record.origin, record)

    async def _pause_or_stop(self) -> None:
        """Wait a moment before another try. Raises `Stopping` when there is to be none."""
        if not self._stopping:
            await self._clock.sleep(PAUSE)
        if self._stopping:
            raise Stopping

    async def _pause(self, seconds: float) -> None:
        end = self._clock.monotonic() + seconds
        while not self._stopping and self._clock.monotonic() < end:
            await self._clock.sleep(PAUSE)


def _record(message: Any) -> SourceRecord:
    kind, milliseconds = message.timestamp()
    written_at = datetime.fromtimestamp(milliseconds / 1000, UTC) if kind else None
    origin = RecordId(message.partition(), message.offset())
    headers = tuple((name, value or b"") for name, value in message.headers() or ())
    return SourceRecord(origin, written_at, message.key(), message.value(), headers)
