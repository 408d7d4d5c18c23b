"""Submits jobs: makes their bodies, and sends them in bulk."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Any

import msgspec

from duetime.bench.api import JOBS, ApiLoad

PAYLOAD = "x" * 100
"""The same for Duetime and its peers."""
CHUNK = 10_000
FAR_OFF = datetime(2100, 1, 1, tzinfo=UTC)


Bodies = Callable[[int], bytes]
"""Returns the body of a call with so many jobs."""


def line(at: datetime | None = None, lane: str | None = None, target: dict[str, str] | None = None) -> bytes:
    """Returns one job as JSON."""
    body: dict[str, object] = {"message": PAYLOAD}
    if at is not None:
        body["execute_at"] = at
    if lane is not None:
        body["ordering_key"] = lane
    if target is not None:
        body["target"] = target
    return msgspec.json.encode(body)


def same(count: int, **job: Any) -> bytes:
    """Returns `count` equal jobs as NDJSON."""
    return b"\n".join([line(**job)] * count)


def as_clients_send(count: int) -> bytes:
    """Returns `count` jobs with a delay and a target, as most clients spell them out."""
    job = {"message": PAYLOAD, "delay": "0s", "target": {"kind": "log"}}
    return b"\n".join([msgspec.json.encode(job)] * count)


def with_everything(count: int) -> bytes:
    """Returns `count` jobs with a delay, a target, an ordering key of four jobs, labels and a message of 1 KB."""
    jobs: list[dict[str, object]] = [
        {
            "message": "x" * 1024,
            "delay": "0s",
            "target": {"kind": "log"},
            "ordering_key": f"customer-{n // 4}",
            "labels": {"order": str(n), "region": "eu"},
        }
        for n in range(count)
    ]
    return b"\n".join(map(msgspec.json.encode, jobs))


def evenly_due(
    first: int, count: int, start: datetime, per_second: float, target: dict[str, str] | None = None
) -> bytes:
    """Returns `count` jobs as NDJSON, from number `first` of a series that is due at an even rate from `start`."""
    step = timedelta(seconds=1 / per_second)
    return b"\n".join([line(start + n * step, target=target) for n in range(first, first + count)])


async def bulk(api: ApiLoad, body: bytes) -> None:
    """Submits a body in one call."""
    await api.call("POST", JOBS + "/bulk", body, kind="x-ndjson")


async def feed(api: ApiLoad, count: int, body_of: Callable[[int, int], bytes], *, width: int = 2) -> None:
    """Submits jobs in calls of 10,000, `width` at a time. `body_of(first, count)` returns the body of each call."""
    chunks = iter([(at, min(CHUNK, count - at)) for at in range(0, count, CHUNK)])

    async def work(own: ApiLoad) -> None:
        try:
            for first, size in chunks:
                await bulk(own, body_of(first, size))
        finally:
            own.close()

    async with asyncio.TaskGroup() as group:
        for _ in range(width):
            group.create_task(work(api.twin()))


async def feed_same(api: ApiLoad, count: int, **job: Any) -> None:
    """Submits `count` equal jobs."""
    full = same(min(CHUNK, count), **job)
    await feed(api, count, lambda _, size: full if size == min(CHUNK, count) else same(size, **job))
