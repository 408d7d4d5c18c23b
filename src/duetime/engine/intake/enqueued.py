"""Jobs that programs enqueue in transactions of their own: stored soon after the commit, through `Submit` as all are.

A request is removed after its job is stored. A crash in between repeats it, and its key makes that harmless.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable

import structlog

from duetime.engine.services import SubmitService
from duetime.model.enqueued import EnqueuedJob
from duetime.model.errors import DuetimeError, Invalid, OverLimit, Stopping, StoreAway
from duetime.model.job import NewJob
from duetime.store.enqueued_port import EnqueuedStore

log = structlog.get_logger()
BATCH = 500
CLAIM_SECONDS = 30.0
TRY_AGAIN = (OverLimit, Stopping, StoreAway)
"""Errors that end by themselves. The request stays, and is tried again when its claim has ended."""


class Enqueued:
    """Turns committed requests into jobs. `parse` reads the body of a request as the API does."""

    def __init__(self, store: EnqueuedStore, submit: SubmitService, parse: Callable[[EnqueuedJob], NewJob]) -> None:
        self._store, self._submit, self._parse = store, submit, parse

    async def run_once(self) -> int:
        """Store the jobs of all waiting requests. Returns how many."""
        stored = 0
        while requests := await self._store.claim(BATCH, CLAIM_SECONDS):
            answers = await asyncio.gather(*map(self._store_one, requests))
            done = [request.number for request, error in zip(requests, answers, strict=True) if error is None]
            refused = {
                request.number: error.message
                for request, error in zip(requests, answers, strict=True)
                if error is not None and not isinstance(error, TRY_AGAIN)
            }
            if done:
                await self._store.remove(done)
            if refused:
                log.error(
                    "requests of duetime_enqueue cannot be jobs", count=len(refused), why=next(iter(refused.values()))
                )
                await self._store.refuse(refused)
            stored += len(done)
            if len(requests) < BATCH:
                break
        return stored

    async def _store_one(self, request: EnqueuedJob) -> DuetimeError | None:
        try:
            await self._submit.one(self._parse(request))
        except DuetimeError as error:
            return error
        except (ValueError, RecursionError) as error:
            return Invalid(str(error))
        return None
