"""Calls about dead letters: jobs that failed for good."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterable
from datetime import datetime
from typing import Unpack

import msgspec
from msgspec import Struct

from ..errors import Invalid
from .answers import Chosen, DeadLetter, Job
from .calls import Calls
from .spec import ChangedJobRules, JobChange, encode, require_offset

DEAD_LETTERS = "/api/v1/me/dead-letters"


class DeadLetterFilter(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """Selects dead letters; without any field, all of them. `from_` and `to` bound when they ended."""

    error: str | None = None
    definition_id: int | None = None
    from_: datetime | None = msgspec.field(name="from", default=None)
    to: datetime | None = None
    ordering_key: str | None = None


class DeadLetterCalls(Calls):
    """Lists, redrives and discards dead letters."""

    async def dead_letters(
        self, wanted: DeadLetterFilter | None = None, *, limit: int | None = None
    ) -> AsyncIterator[Job]:
        """Yields the user's dead letters, newest first; at most `limit` of them."""
        asked = msgspec.to_builtins(_checked(wanted or DeadLetterFilter()))
        params = {name: str(value) for name, value in asked.items()}
        async for job in self._pages(DEAD_LETTERS, params, Job, limit):
            yield job

    async def dead_letter(self, job_id: int) -> DeadLetter:
        """Returns a dead letter with its attempts."""
        return self._read(await self._session.call("GET", f"{DEAD_LETTERS}/{job_id}", safe=True), DeadLetter)

    async def redrive(self, job_id: int, **rules: Unpack[ChangedJobRules]) -> Job:
        """Redrives a dead letter at once, with the given changes. None removes a limit, hours or required labels."""
        answer = await self._session.call("POST", f"{DEAD_LETTERS}/{job_id}/redrive", body=encode(JobChange(**rules)))
        return self._read(answer, Job)

    async def redrive_many(
        self,
        which: Iterable[int] | DeadLetterFilter,
        *,
        per_second: float | None = None,
        dry_run: bool = False,
    ) -> Chosen:
        """Redrives dead letters, by ids or by a filter; at most 1,000 per call, the oldest first."""
        body = {**_selection(which), "dry_run": dry_run}
        if per_second is not None:
            body["per_second"] = per_second
        answer = await self._session.call("POST", f"{DEAD_LETTERS}/redrive", body=msgspec.json.encode(body))
        return self._read(answer, Chosen)

    async def discard(self, which: Iterable[int] | DeadLetterFilter, *, dry_run: bool = False) -> Chosen:
        """Discards dead letters, by ids or by a filter; at most 1,000 per call. They end as cancelled."""
        body = msgspec.json.encode({**_selection(which), "dry_run": dry_run})
        return self._read(await self._session.call("POST", f"{DEAD_LETTERS}/discard", body=body), Chosen)


def _selection(which: Iterable[int] | DeadLetterFilter) -> dict[str, object]:
    if isinstance(which, DeadLetterFilter):
        return {"filter": _checked(which)}
    ids = list(which)
    if not ids:
        raise Invalid("Give at least one id, or a DeadLetterFilter.")
    return {"ids": ids}


def _checked(wanted: DeadLetterFilter) -> DeadLetterFilter:
    require_offset("from_", wanted.from_)
    require_offset("to", wanted.to)
    return wanted
