"""Calls about jobs by the caller's own names for them: idempotency keys and labels."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime
from typing import Any, Unpack
from urllib.parse import quote

import msgspec
from msgspec import UNSET, Struct, UnsetType

from ..errors import Invalid
from .answers import Cancelled, Job
from .calls import Calls
from .spec import ChangedJobRules, Duration, JobChange, encode, require_offset

JOBS = "/api/v1/me/jobs"
AT_ONCE = 1000


class WaitingJobsFilter(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """Selects jobs that have not ended; without any field, all of them. `from_` and `to` bound `execute_at`."""

    labels: dict[str, str] | None = None
    status: str | None = None
    schedule_id: int | None = None
    ordering_key: str | None = None
    from_: datetime | None = msgspec.field(name="from", default=None)
    to: datetime | None = None
    q: str | None = None


def key_path(key: str) -> str:
    """Returns the path of the job of an idempotency key. A key of dots only is encoded: it would read as a step."""
    return f"{JOBS}/by-key/{quote(key, safe='') if key.strip('.') else key.replace('.', '%2E')}"


class SelectedJobCalls(Calls):
    """Shows, changes and cancels jobs by idempotency key, and cancels many at once."""

    async def job_by_key(self, key: str) -> Job:
        """Returns the job that was created with an idempotency key. Raises `ApiError` 404 when there is none."""
        return self._read(await self._session.call("GET", key_path(key), safe=True), Job)

    async def edit_by_key(
        self,
        key: str,
        *,
        at: datetime | None = None,
        delay: Duration | None = None,
        expires_at: datetime | UnsetType | None = UNSET,
        **rules: Unpack[ChangedJobRules],
    ) -> Job:
        """Changes the job of an idempotency key, as `edit` does."""
        change = JobChange(execute_at=at, delay=delay, expires_at=expires_at, **rules)
        return self._read(await self._session.call("PATCH", key_path(key), body=encode(change)), Job)

    async def cancel_by_key(self, key: str) -> Job:
        """Cancels the job of an idempotency key, as `cancel` does."""
        return self._read(await self._session.call("POST", f"{key_path(key)}/cancel"), Job)

    async def cancel_many(
        self,
        which: WaitingJobsFilter | None = None,
        *,
        ids: Iterable[int] | None = None,
        keys: Iterable[str] | None = None,
        dry_run: bool = False,
    ) -> Cancelled:
        """Cancels many jobs, by a filter, ids or idempotency keys, in as many requests as needed.

        Each request cancels up to 1,000 jobs together or none. Returns what all of them did.
        """
        if sum(given is not None for given in (which, ids, keys)) != 1:
            raise Invalid("Give a WaitingJobsFilter, 'ids' or 'keys'.")
        done = Cancelled(dry_run=dry_run)
        if which is not None:
            require_offset("from_", which.from_)
            require_offset("to", which.to)
            cursor: str | None = None
            while True:
                body = {"filter": which, "dry_run": dry_run, **({} if cursor is None else {"cursor": cursor})}
                some, cursor = await self._cancel(body)
                done = done.and_also(some)
                if cursor is None:
                    return done
        name, values = ("ids", ids) if ids is not None else ("keys", keys)
        named: list[Any] = list(values or ())
        for start in range(0, len(named), AT_ONCE):
            some, _ = await self._cancel({name: named[start : start + AT_ONCE], "dry_run": dry_run})
            done = done.and_also(some)
        return done

    async def _cancel(self, body: dict[str, Any]) -> tuple[Cancelled, str | None]:
        answer = await self._session.call("POST", f"{JOBS}/cancel", body=msgspec.json.encode(body))
        return self._read(answer, Cancelled), answer.next_cursor
