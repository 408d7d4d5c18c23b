"""Sends outcomes to the server: what gathers while a call is under way goes with the next one."""

from __future__ import annotations

import asyncio
import logging

from ...client.errors import ApiError, Unreachable
from ...client.local_clock import local_sleep
from ...client.transport import backoff, random_fraction
from ..protocol.calls import WorkClient
from ..protocol.wire import Outcome

log = logging.getLogger("duetime.work")
MOST_OUTCOMES = 1_000
MOST_BYTES = 4 * 1024 * 1024
"""Results in one call: larger calls are split."""
LOST = (404, 409, 410)
"""The worker exists no more: what it settles is not recorded."""


class Settler:
    """Sends the outcomes of one worker, in batches, until the server has answered for each."""

    def __init__(self, client: WorkClient, worker: str) -> None:
        self._client, self._worker = client, worker
        self._waiting: list[Outcome] = []
        self._wake, self._idle = asyncio.Event(), asyncio.Event()
        self._idle.set()
        self._sent = 0
        """Outcomes in the call that is under way."""
        self.lost = False
        """The server knows the worker no more."""
        self._task = asyncio.get_running_loop().create_task(self._run())

    def __len__(self) -> int:
        """Returns how many outcomes the server has not answered for."""
        return len(self._waiting) + self._sent

    def put(self, outcome: Outcome) -> None:
        """Sends an outcome soon."""
        self._waiting.append(outcome)
        self._idle.clear()
        self._wake.set()

    async def flush(self, seconds: float) -> bool:
        """Waits until every outcome is answered for, but not longer. Returns whether that is so."""
        try:
            await asyncio.wait_for(self._idle.wait(), seconds)
        except TimeoutError:
            return False
        return True

    async def close(self) -> None:
        """Stops sending."""
        self._task.cancel()
        await asyncio.gather(self._task, return_exceptions=True)

    async def _run(self) -> None:
        while True:
            await self._wake.wait()
            self._wake.clear()
            while self._waiting:
                batch = self._next_batch()
                self._sent = len(batch)
                await self._send(batch)
                self._sent = 0
            self._idle.set()

    def _next_batch(self) -> list[Outcome]:
        size = count = 0
        for outcome in self._waiting:
            size += len(bytes(outcome.result)) + 200
            if count and (count == MOST_OUTCOMES or size > MOST_BYTES):
                break
            count += 1
        batch, self._waiting = self._waiting[:count], self._waiting[count:]
        return batch

    async def _send(self, batch: list[Outcome]) -> None:
        failures = 0
        while not self.lost:
            try:
                settled = await self._client.settle(self._worker, batch)
            except ApiError as error:
                if error.status in LOST:
                    self.lost = True
                    log.warning("the server knows this worker no more: %d outcomes are not recorded", len(batch))
                    return None
                if error.status < 500 and error.status not in (401, 429):
                    return await self._refused(batch, error)
                log.warning("the server could not record %d outcomes: %s", len(batch), error)
            except Unreachable as error:
                log.warning("the server cannot be reached to record %d outcomes: %s", len(batch), error)
            else:
                for one in settled.results:
                    if one.status != "recorded":
                        log.warning("an outcome came too late and was not recorded: run %s", one.run)
                return None
            await local_sleep(backoff(min(failures, 5), random_fraction()))
            failures += 1
        return None

    async def _refused(self, batch: list[Outcome], error: ApiError) -> None:
        """Sends the outcomes of a refused call one by one; one that is refused alone becomes a failure."""
        if len(batch) > 1:
            for one in batch:
                await self._send([one])
            return
        (one,) = batch
        if one.status == "failed":
            log.error("the server refused the outcome of run %s: %s", one.run, error)
            return
        from ..outcomes import UnusableResult, outcome_of

        await self._send([outcome_of(one.run, UnusableResult(f"The server refused the result: {error.message}"))])
