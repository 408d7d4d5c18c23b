"""The bodies of requests about jobs, and how they are encoded."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from datetime import datetime, timedelta
from typing import Any, Literal, TypedDict

import msgspec
from msgspec import UNSET, Struct, UnsetType

from ..errors import DuetimeError, Invalid

Delivery = Literal["at_least_once", "at_most_once"]
OnFailure = Literal["block", "skip"]
Duration = timedelta | float | str
"""A `timedelta`, seconds, or text as the server reads it: "30m", "PT1H"."""
Fields = Mapping[str, Any] | Struct
"""An object of the API, with the names that the API has: a dict, or any msgspec struct."""

MAX_CHUNK = 10_000
MAX_CHUNK_BYTES = 8 * 1024 * 1024


class JobRules(TypedDict, total=False):
    """A job's target and policy, as keyword arguments. None counts as not given."""

    target: Fields | None
    priority: int | None
    timeout: Duration | None
    delivery: Delivery | None
    retry: Fields | bool | None
    on_failure: OnFailure | None
    breaker: bool | None


class NewJobRules(JobRules, total=False):
    """The keyword arguments for a new job."""

    ordering_key: str | None
    expires_at: datetime | None
    labels: Mapping[str, str] | None
    limit: Fields | None
    hours: Fields | None
    requires: Mapping[str, str] | None
    traceparent: str | None


class ChangedJobRules(JobRules, total=False):
    """The keyword arguments for a change of a job. None removes a limit, hours or required labels."""

    message: Any
    limit: Fields | UnsetType | None
    hours: Fields | UnsetType | None
    requires: Mapping[str, str] | UnsetType | None


class JobSpec(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A job to create. Without `execute_at` and `delay` it is due at once."""

    message: Any
    """Text, or any other value that JSON has."""
    execute_at: datetime | None = None
    delay: Duration | None = None
    target: Fields | None = None
    ordering_key: str | None = None
    priority: int | None = None
    timeout: Duration | None = None
    expires_at: datetime | None = None
    delivery: Delivery | None = None
    retry: Fields | bool | None = None
    on_failure: OnFailure | None = None
    labels: Mapping[str, str] | None = None
    limit: Fields | None = None
    hours: Fields | None = None
    breaker: bool | None = None
    requires: Mapping[str, str] | None = None
    traceparent: str | None = None
    """The span that the job comes from, as in W3C Trace Context."""


class JobChange(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A change of a job that has not started. None removes an expiry, a limit, hours or required labels."""

    execute_at: datetime | None = None
    delay: Duration | None = None
    message: Any = None
    target: Fields | None = None
    priority: int | None = None
    timeout: Duration | None = None
    expires_at: datetime | UnsetType | None = UNSET
    delivery: Delivery | None = None
    retry: Fields | bool | None = None
    on_failure: OnFailure | None = None
    limit: Fields | UnsetType | None = UNSET
    hours: Fields | UnsetType | None = UNSET
    breaker: bool | None = None
    requires: Mapping[str, str] | UnsetType | None = UNSET


def encode(body: JobSpec | JobChange) -> bytes:
    """Returns the body of a request, with durations in seconds. Refuses instants without a UTC offset."""
    if body.execute_at is not None and body.delay is not None:
        raise Invalid("Give either an instant or a delay, not both.")
    seconds: dict[str, float] = {}
    for name in body.__struct_fields__:
        value = getattr(body, name)
        if isinstance(value, timedelta):
            seconds[name] = value.total_seconds()
        elif isinstance(value, datetime):
            require_offset(name, value)
    return msgspec.json.encode(msgspec.structs.replace(body, **seconds) if seconds else body)


def require_offset(name: str, instant: datetime | None) -> None:
    """Refuses an instant without a UTC offset, which would be ambiguous."""
    if instant is not None and instant.utcoffset() is None:
        raise Invalid(f"{name} is {instant.isoformat()}, which has no UTC offset: give it a time zone.")


def chunks(jobs: Iterable[JobSpec | Mapping[str, Any] | bytes]) -> Iterator[tuple[int, bytes]]:
    """Yields request bodies, each with as many jobs as one may hold: the count, and the NDJSON.

    Bytes are one line of NDJSON already.
    """
    lines: list[bytes] = []
    size = 0
    for job in jobs:
        line = _line(job)
        if lines and (len(lines) == MAX_CHUNK or size + len(line) > MAX_CHUNK_BYTES):
            yield len(lines), b"\n".join(lines)
            lines, size = [], 0
        lines.append(line)
        size += len(line) + 1
    if lines:
        yield len(lines), b"\n".join(lines)


def shift_position(error: DuetimeError, before: int) -> None:
    """Makes the position in an error count over all requests. `before` entries were in earlier requests."""
    index, line, field = (error.details.get(name) for name in ("index", "line", "field"))
    if isinstance(index, int):
        error.details["index"] = index + before
        if isinstance(field, str):
            error.details["field"] = field.replace(f"[{index}]", f"[{index + before}]", 1)
    if isinstance(line, int):
        error.details["line"] = line + before
        error.message = error.message.replace(f"Line {line}", f"Line {line + before}", 1)
        error.args = (error.message,)


def _line(job: JobSpec | Mapping[str, Any] | bytes) -> bytes:
    if isinstance(job, bytes):
        return job
    return encode(job) if isinstance(job, JobSpec) else msgspec.json.encode(job)
