"""Carries out `kafka` targets: a run is a record in the producer's queue, and ends with the report of its delivery."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from typing import Any, ClassVar, Literal, Protocol

import structlog
from msgspec import Struct
from msgspec.structs import replace

from duetime.executor.targets.http.request import idempotency_key, rfc3339
from duetime.executor.targets.kafka.failure import REFUSED, failure_of
from duetime.executor.targets.port import Ended
from duetime.model.errors import DuetimeError, Invalid
from duetime.model.ids import run_id
from duetime.model.message import TRACED
from duetime.model.outcome import Outcome, failed
from duetime.model.run import LaunchedRun
from duetime.model.states import JobState
from duetime.model.targets.kafka import KafkaAnswer, KafkaTarget, Record
from duetime.model.targets.port import TargetRules
from duetime.tracing.hand_on import HandOn
from duetime.tracing.port import Traces

log = structlog.get_logger()
REMEMBERED = 100_000
"""How many names of users are kept. A name never changes."""


class Report(Protocol):
    """What became of a record."""

    token: Any
    partition: int
    offset: int
    error: Any


class Sender(Protocol):
    """Publishes records to one cluster, and reports each later."""

    def send(self, record: Record, token: Any) -> None:
        """Publish a record. Raises an exception if it cannot even be queued."""
        ...

    async def close(self) -> None:
        """Wait a bounded time for outstanding reports."""
        ...


class KafkaAccess(Struct, frozen=True):
    """The clusters of this node, what users may publish there, and how users are looked up."""

    rules: TargetRules = TargetRules()
    connect: Callable[[str, Callable[[Sequence[Any]], None]], Sender] | None = None
    """Returns the sender of a cluster by its name, given what takes its reports. None if no cluster is configured."""
    username: Callable[[int], Awaitable[str | None]] | None = None


class KafkaRunner:
    """Publishes a record for each run. No task waits for it: the producer reports deliveries in batches."""

    waits: ClassVar[Literal["report"]] = "report"

    def __init__(self, access: KafkaAccess, traces: Traces | None = None) -> None:
        self._access, self._traces = access, traces or HandOn()
        self._ended: Callable[[Sequence[Ended]], None] = lambda _: None
        self._senders: dict[str, Sender] = {}
        self._names: dict[int, str] = {}
        self._unnamed: dict[int, list[LaunchedRun]] = {}
        """Runs of users whose names are being looked up."""
        self._lookups: set[asyncio.Task[None]] = set()

    def listen(self, ended: Callable[[Sequence[Ended]], None]) -> None:
        """Call `ended` with runs that ended."""
        self._ended = ended

    def send(self, runs: Sequence[LaunchedRun]) -> None:
        """Begin runs: publish their records."""
        refused: list[Ended] = []
        for run in runs:
            name = self._names.get(run.user_id)
            if name is None:
                self._find_name(run)
            elif (outcome := self._publish(run, name)) is not None:
                refused.append(Ended(run, outcome))
        if refused:
            self._ended(refused)

    async def close(self) -> None:
        """Wait a bounded time for outstanding reports."""
        for task in self._lookups:
            task.cancel()
        for sender in self._senders.values():
            await sender.close()

    def _publish(self, run: LaunchedRun, username: str) -> Outcome | None:
        """Publish a run's record. Returns the outcome of a run that cannot be published."""
        target = run.definition.target
        if not isinstance(target, KafkaTarget):
            return failed("defect", f"A target of kind '{target.kind}' is no record.")
        try:
            target.check_rules(self._access.rules, username)
            record = target.record(run.message)
        except Invalid as error:
            return failed(REFUSED, error.message)
        headers = (*record.headers, *_identity(run))
        if run.message[:1] == TRACED:
            headers = (*headers, *self._trace(run, record))
        record = replace(record, headers=headers)
        try:
            self._sender(target.cluster).send(record, run)
        except BufferError:
            return failure_of("_QUEUE_FULL", "too many records wait for it", topic=record.topic, partition=None)
        except Exception as error:
            return _refusal(error, record, run)
        return None

    def _trace(self, run: LaunchedRun, record: Record) -> tuple[tuple[str, bytes], ...]:
        """Returns the header that hands a traced run's trace on, unless the record has one already."""
        parent = self._traces.parent_of_run(run)
        if parent is None or any(name.lower() == "traceparent" for name, _ in record.headers):
            return ()
        return (("traceparent", parent.encode()),)

    def _sender(self, cluster: str) -> Sender:
        sender = self._senders.get(cluster)
        if sender is None:
            if self._access.connect is None:
                raise RuntimeError("no cluster is configured")
            sender = self._senders[cluster] = self._access.connect(cluster, self._delivered)
        return sender

    def _delivered(self, reports: Sequence[Report]) -> None:
        self._ended([Ended(one.token, _outcome(one)) for one in reports])

    def _find_name(self, run: LaunchedRun) -> None:
        waiting = self._unnamed.get(run.user_id)
        if waiting is not None:
            waiting.append(run)
            return
        self._unnamed[run.user_id] = [run]
        task = asyncio.get_running_loop().create_task(self._look_up(run.user_id))
        self._lookups.add(task)
        task.add_done_callback(self._lookups.discard)

    async def _look_up(self, user_id: int) -> None:
        """Find a user's name, and publish what waits for it."""
        try:
            name = None if self._access.username is None else await self._access.username(user_id)
            problem = failed(REFUSED, "The job's user does not exist any more.") if name is None else None
        except DuetimeError as error:
            name, problem = None, failed("connection", f"The job's user could not be looked up: {error.message}")
        runs = self._unnamed.pop(user_id)
        if name is None:
            self._ended([Ended(run, problem or failed("defect", "The user has no name.")) for run in runs])
            return
        if len(self._names) >= REMEMBERED:
            self._names.clear()
        self._names[user_id] = name
        self.send(runs)


def _identity(run: LaunchedRun) -> tuple[tuple[str, bytes], ...]:
    """Returns the headers that say which run this is. The idempotency key is the same for all attempts."""
    nominal = rfc3339(run.execute_at)
    return (
        ("duetime-job-id", b"%d" % run.job_id),
        ("duetime-attempt", b"%d" % run.attempt),
        ("duetime-nominal", nominal.encode()),
        ("idempotency-key", idempotency_key(run, nominal).encode()),
    )


def _outcome(report: Report) -> Outcome:
    target = report.token.definition.target
    if report.error is None:
        return Outcome(JobState.SUCCEEDED, None, KafkaAnswer(target.topic, report.partition, report.offset))
    return failure_of(report.error.name(), report.error.str(), topic=target.topic, partition=target.partition)


def _refusal(error: Exception, record: Record, run: LaunchedRun) -> Outcome:
    """Returns the outcome of a record that the client did not take."""
    cause: Any = error.args[0] if error.args else None
    if hasattr(cause, "name") and hasattr(cause, "str"):
        return failure_of(cause.name(), cause.str(), topic=record.topic, partition=record.partition)
    log.error(
        "a record could not be published",
        error=str(error),
        topic=record.topic,
        user=run.user_id,
        job=run.job_id,
        run=run_id(run.job_id, run.attempt),
    )
    return failed("kafka", f"The record could not be published: {error}.")
