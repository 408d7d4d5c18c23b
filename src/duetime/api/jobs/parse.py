"""Turns what a client sent into a job for the engine. Pure: the present instant is an argument."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from hashlib import blake2b
from typing import Any

import msgspec
from msgspec import UNSET, UnsetType
from msgspec.structs import replace

from duetime.api.jobs.bodies import JobBody, JobPatch
from duetime.api.jobs.policy import check_hours, check_labels, check_limit, parse_timeout
from duetime.api.jobs.retry import check_delivery, parse_retry
from duetime.api.server.fields import LAST_YEAR, duration, job_instant, refuse_nul
from duetime.model.bounds import MAX_TIMEOUT
from duetime.model.definition import PLAIN, Definition
from duetime.model.errors import Invalid, TooLarge
from duetime.model.ids import UserId
from duetime.model.job import DEFAULT_PRIORITY, Job, JobEdit, NewJob
from duetime.model.message import MARKS, stored_message, trace_of, with_trace, without_trace
from duetime.model.policy import Policy
from duetime.model.targets import Target
from duetime.model.targets.port import TargetKind
from duetime.model.trace import sampled_parent

_NOTHING = (None,) * 8
_canonical = msgspec.json.Encoder(order="deterministic")
_spelling = msgspec.json.Encoder().encode
TargetCheck = Callable[[TargetKind], None]
"""Raises `Invalid` if the operator does not let the caller have a target."""


def any_target(target: TargetKind) -> None:
    """The check where the operator forbids nothing."""


class JobParser:
    """Parses the jobs of one request. What repeats from job to job, a delay or a target, is read once.

    `parse` raises `Invalid` with the field and what would be right.
    """

    def __init__(
        self,
        user_id: UserId,
        now: datetime,
        max_message_bytes: int,
        max_timeout: float = MAX_TIMEOUT,
        check_target: TargetCheck = any_target,
        trace: str | None = None,
    ) -> None:
        """`trace` is the trace parent of jobs that have none of their own."""
        self._user_id, self._now, self._max_message_bytes = user_id, now, max_message_bytes
        self._max_timeout, self._check_target, self._trace = max_timeout, check_target, trace
        self._after: dict[str | float, datetime] = {}
        self._definitions: dict[bytes, Definition] = {}

    def parse(
        self,
        body: JobBody,
        *,
        idempotency_key: str | None = None,
        always_in_lane: bool = False,
        trace: str | None = None,
    ) -> NewJob:
        """Returns a job for the engine. `always_in_lane`: the job waits in a lane even without an ordering key.

        `trace` is the trace parent of the span that stands for this job's creation; without it, the job's own counts.
        """
        message = check_message(body.message, self._max_message_bytes)
        if body.on_failure is not None:
            _check_on_failure(body.on_failure, in_lane=always_in_lane or body.ordering_key is not None)
        execute_at = self._execute_at(body.execute_at, body.delay)
        expires_at = None if body.expires_at is None else job_instant("expires_at", body.expires_at)
        # A repeat with the same idempotency key must be checked as the first request was, so without what
        # depends on the present instant.
        if expires_at is not None and (body.execute_at is not None or idempotency_key is None):
            _check_expiry(expires_at, execute_at)
        if body.ordering_key is not None:
            refuse_nul("ordering_key", body.ordering_key)
        definition = self._definition(body)
        if definition is not PLAIN:
            definition.target.check_message(message)
        if trace is None:
            trace = self._trace if body.traceparent is None else sampled_parent(body.traceparent)
        return NewJob(
            self._user_id,
            definition,
            message if trace is None else with_trace(message, trace),
            execute_at,
            body.ordering_key,
            DEFAULT_PRIORITY if body.priority is None else body.priority,
            expires_at,
            None if body.labels is None else _labels(body.labels),
            idempotency_key,
            fingerprint=None if idempotency_key is None else fingerprint(body),
        )

    def _execute_at(self, execute_at: datetime | None, delay: str | float | None) -> datetime:
        if execute_at is not None or delay is None:
            return _execute_at(execute_at, delay, self._now)
        after = self._after.get(delay)
        if after is None:
            after = self._after[delay] = _execute_at(None, delay, self._now)
        return after

    def _definition(self, body: JobBody) -> Definition:
        target = None if body.target == PLAIN.target else body.target
        rules = (body.timeout, body.delivery, body.retry, body.on_failure, body.limit, body.hours, body.breaker)
        if target is None and (*rules, body.requires) == _NOTHING:
            return PLAIN
        spelling = _spelling((target, *rules, body.requires))
        definition = self._definitions.get(spelling)
        if definition is None:
            definition = self._definitions[spelling] = _definition(body, self._max_timeout, self._check_target)
        return definition


def parse_patch(
    patch: JobPatch,
    job: Job,
    *,
    now: datetime,
    max_message_bytes: int,
    max_timeout: float = MAX_TIMEOUT,
    check_target: TargetCheck = any_target,
) -> JobEdit:
    """Returns what a patch sets on a job."""
    if patch == JobPatch():
        known = ", ".join(JobPatch.__struct_fields__)
        raise Invalid(f"There is nothing to change: give at least one of {known}.")
    message = None if patch.message is UNSET else check_message(patch.message, max_message_bytes)
    execute_at = None if patch.execute_at is UNSET else patch.execute_at
    delay = None if patch.delay is UNSET else patch.delay
    moved_to = None if execute_at is None and delay is None else _execute_at(execute_at, delay, now)
    expires_at = (
        job_instant("expires_at", patch.expires_at) if isinstance(patch.expires_at, datetime) else patch.expires_at
    )
    _check_expiry(job.expires_at if expires_at is UNSET else expires_at, moved_to or job.execute_at)
    if patch.on_failure is not UNSET:
        _check_on_failure(patch.on_failure, in_lane=job.lane is not None)
    definition = _patched(patch, job.definition, max_timeout, check_target)
    definition.target.check_message(without_trace(job.message) if message is None else message)
    return JobEdit(
        execute_at=moved_to,
        message=None if message is None else with_trace(message, trace_of(job.message)),
        definition=None if definition == job.definition else definition,
        priority=None if patch.priority is UNSET else patch.priority,
        expires_at=expires_at,
    )


def fingerprint(body: JobBody) -> bytes:
    """The hash of a request, the same for every spelling: key order, offsets, and ways to write a duration.

    Each try of a client has a span of its own, so the trace parent does not count.
    """
    asked = replace(
        body,
        traceparent=None,
        execute_at=None if body.execute_at is None else job_instant("execute_at", body.execute_at),
        expires_at=None if body.expires_at is None else job_instant("expires_at", body.expires_at),
        delay=None if body.delay is None else duration("delay", body.delay).total_seconds(),
        timeout=None if body.timeout is None else duration("timeout", body.timeout).total_seconds(),
    )
    return blake2b(_canonical.encode(asked), digest_size=16).digest()


def check_message(given: Any, max_bytes: int) -> str:
    """Returns the message as it is stored, if it is not too long and has no NUL."""
    # Plain text, the most frequent message, costs no call.
    message = given if given.__class__ is str and given[:1] not in MARKS else stored_message(given)
    if len(message) * 4 > max_bytes and (len(message) > max_bytes or len(message.encode()) > max_bytes):
        raise TooLarge(f"'message' may have at most {max_bytes} bytes in UTF-8.", field="message", limit=max_bytes)
    refuse_nul("message", message)
    return message


def _execute_at(execute_at: datetime | None, delay: str | float | None, now: datetime) -> datetime:
    if execute_at is not None:
        if delay is not None:
            raise Invalid("Give either 'execute_at' or 'delay', not both.", field="delay")
        return job_instant("execute_at", execute_at)
    if delay is None:
        return now
    try:
        return job_instant("delay", now + duration("delay", delay))
    except OverflowError:
        raise Invalid(f"'delay' must not reach beyond the year {LAST_YEAR}.", field="delay") from None


def _check_expiry(expires_at: datetime | None, execute_at: datetime) -> None:
    if expires_at is not None and expires_at <= execute_at:
        raise Invalid("'expires_at' must be later than the job's instant.", field="expires_at")


def _check_on_failure(on_failure: str | None, *, in_lane: bool) -> None:
    # "block" is the default, and answers show it for every job.
    if on_failure == "skip" and not in_lane:
        raise Invalid(
            "'on_failure' decides about later jobs with the same 'ordering_key': give a key as well, or leave "
            "'on_failure' out.",
            field="on_failure",
        )


def _definition(body: JobBody, max_timeout: float, check_target: TargetCheck) -> Definition:
    policy = PLAIN.policy
    delivery = body.delivery or policy.delivery
    retry = policy.retry if body.retry is None else parse_retry(body.retry)
    check_delivery(delivery, retry)
    return Definition(
        target=PLAIN.target if body.target is None else _target(body.target, check_target),
        policy=Policy(
            timeout=policy.timeout if body.timeout is None else parse_timeout(body.timeout, max_timeout),
            delivery=delivery,
            retry=retry,
            on_failure=body.on_failure or policy.on_failure,
            limit=check_limit("limit", body.limit),
            hours=check_hours(body.hours),
            breaker=policy.breaker if body.breaker is None else body.breaker,
            requires=_requires(body.requires),
        ),
    )


def _patched(patch: JobPatch, before: Definition, max_timeout: float, check_target: TargetCheck) -> Definition:
    policy = before.policy
    delivery = policy.delivery if patch.delivery is UNSET else patch.delivery
    retry = policy.retry if patch.retry is UNSET else parse_retry(patch.retry)
    check_delivery(delivery, retry)
    return Definition(
        target=before.target if patch.target is UNSET else _target(patch.target, check_target),
        policy=replace(
            policy,
            timeout=policy.timeout if patch.timeout is UNSET else parse_timeout(patch.timeout, max_timeout),
            delivery=delivery,
            retry=retry,
            on_failure=policy.on_failure if patch.on_failure is UNSET else patch.on_failure,
            limit=policy.limit if patch.limit is UNSET else check_limit("limit", patch.limit),
            hours=policy.hours if patch.hours is UNSET else check_hours(patch.hours),
            breaker=policy.breaker if patch.breaker is UNSET else patch.breaker,
            requires=policy.requires if patch.requires is UNSET else _requires(patch.requires),
        ),
        step=before.step,
    )


def _requires(labels: dict[str, str] | None) -> dict[str, str] | UnsetType:
    return check_labels("requires", labels) or UNSET


def _target(target: Target, check_target: TargetCheck) -> Target:
    target.check()
    target.check_secrets()
    check_target(target)
    return target


def _labels(labels: dict[str, str]) -> dict[str, str] | None:
    for name, value in labels.items():
        refuse_nul("labels", name)
        refuse_nul(f"labels.{name}", value)
    return labels or None
