"""One registration of a worker: from `register` to `leave`, or until the server knows it no more."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import secrets
from collections.abc import Callable, Mapping
from typing import Any, Literal

import msgspec
from msgspec import Raw

from ...client.errors import ApiError, Unreachable
from ...client.local_clock import local_sleep
from ...client.transport import backoff, random_fraction
from ..outcomes import Cancelled, Ending, Released, TimedOut, UnknownTask, outcome_of
from ..protocol.beat import BeatThread
from ..protocol.calls import WorkClient
from ..protocol.wire import Beat, BeatAnswer, BeatRun, LogLines, Registered, Taken, TakenRun, TakeRequest
from ..runners.port import Runner
from ..task import Task
from .attempt import Attempt
from .settle import Settler
from .slots import Slots

log = logging.getLogger("duetime.work")
WAIT_MS = 20_000
DRAINED_PAUSE = 2.0
"""Seconds between takes while the server hands out no work."""
LATE = 0.25
"""Seconds after its deadline at which a run is interrupted: the server counts from the same instant."""
LAST_SECONDS = 5.0
"""For interrupted functions to end, and for the last outcomes to be recorded."""
SEND_LINES_EVERY = 1.0
Ended = Literal["stopped", "lost"]


class WorkerSession:
    """A registered worker. It takes runs into free slots, gives them to runners, and settles them."""

    def __init__(
        self,
        client: WorkClient,
        registered: Registered,
        tasks: Mapping[str, Task[Any, Any]],
        runners: Mapping[str, Runner],
        slots: Slots,
    ) -> None:
        self._client, self._tasks, self._runners, self._slots = client, tasks, runners, slots
        self._worker = registered.worker
        self._loop = asyncio.get_running_loop()
        self._attempts: dict[str, Attempt] = {}
        self._settler = Settler(client, registered.worker)
        self._lost, self._empty = asyncio.Event(), asyncio.Event()
        self._after_beat: list[asyncio.Future[None]] = []
        """What waits for the next beat, which takes all that runs have reported with it."""
        self._beating: list[asyncio.Future[None]] = []
        """What waits for the beat that is under way."""
        self._logging: set[asyncio.Task[None]] = set()
        self._beat = BeatThread(client.url, registered.worker, registered.beat_ms / 1000, lambda: client.token, self)
        self.finished = 0
        self.handed_back = 0

    # ------------------------------------------------------------------ from start to end

    async def run(self, stop: asyncio.Event, grace: float) -> Ended:
        """Works until `stop` is set and everything is finished or handed back, or until the worker is lost."""
        self._beat.start()
        pull = self._loop.create_task(self._pull())
        lines = self._loop.create_task(self._send_lines_now_and_then())
        waiters = [self._loop.create_task(one.wait()) for one in (stop, self._lost)]
        try:
            await asyncio.wait([pull, *waiters], return_when=asyncio.FIRST_COMPLETED)
            if pull.done() and not pull.cancelled() and (error := pull.exception()):
                raise error
        finally:
            for task in (pull, *waiters):
                task.cancel()
            await asyncio.gather(pull, *waiters, return_exceptions=True)
            lost = self._lost.is_set()
            await (self._give_up() if lost else self._finish(grace))
            lines.cancel()
            await asyncio.gather(lines, *self._logging, return_exceptions=True)
            await self._settler.close()
            # Last, so that the lease outlives the last run.
            self._beat.stop()
        if not lost:
            with contextlib.suppress(ApiError, Unreachable):
                await self._client.leave(self._worker)
        return "lost" if lost else "stopped"

    async def _finish(self, grace: float) -> None:
        """Waits for functions, hands back what is left after the grace, and waits until all of it is recorded."""
        if self._attempts and not await self._ended_within(grace):
            self.handed_back = len(self._attempts)
            log.warning("the grace is up: %d runs are handed back", self.handed_back)
            for attempt in list(self._attempts.values()):
                self._interrupt(attempt, Released())
            await self._ended_within(LAST_SECONDS)
            for attempt in list(self._attempts.values()):
                attempt.fail(Released())
        if not await self._settler.flush(LAST_SECONDS):
            log.warning("%d outcomes could not be recorded before the stop", len(self._settler))

    async def _give_up(self) -> None:
        """The server gave the runs to other workers, or will: end the functions, and record nothing."""
        log.warning("the server knows this worker no more: %d runs are given up", len(self._attempts))
        for attempt in list(self._attempts.values()):
            self._interrupt(attempt, Cancelled("The worker lost its lease."))
        await self._ended_within(LAST_SECONDS)

    async def _ended_within(self, seconds: float) -> bool:
        self._empty.clear()
        if not self._attempts:
            return True
        try:
            await asyncio.wait_for(self._empty.wait(), seconds)
        except TimeoutError:
            return False
        return True

    # ------------------------------------------------------------------ taking

    async def _pull(self) -> None:
        """Takes runs into free slots, again and again. A take that failed is repeated with the same id."""
        failures, take_id = 0, secrets.token_hex(8)
        while not self._lost.is_set():
            free = await self._slots.some(lambda: len(self._settler))
            try:
                taken = await self._client.take(self._worker, TakeRequest(take_id, free, WAIT_MS))
            except ApiError as error:
                if error.status == 404:
                    self._lost.set()
                    return
                if error.status < 500 and error.status != 429:
                    raise
                log.warning("the server gave no runs: %s", error)
            except Unreachable as error:
                log.warning("the server cannot be reached: %s", error)
            else:
                failures, take_id = 0, secrets.token_hex(8)
                self._start_all(taken)
                # Functions that end at once free their slots before the next take.
                await local_sleep(DRAINED_PAUSE if taken.drain and not taken.runs else 0)
                continue
            await local_sleep(backoff(min(failures, 5), random_fraction()))
            failures += 1

    def _start_all(self, taken: Taken) -> None:
        for run in taken.runs:
            if run.run not in self._attempts:
                self._start(run)

    def _start(self, run: TakenRun) -> None:
        task = self._tasks.get(run.task)
        if task is None:
            known = ", ".join(sorted(self._tasks))
            unknown = UnknownTask(f"This worker has no task '{run.task}': it has {known}.")
            self._settler.put(outcome_of(run.run, unknown))
            return
        self._slots.used += 1
        attempt = Attempt(run, task, self._ended, self._freed)
        self._attempts[run.run] = attempt
        if run.deadline_ms is not None:
            attempt.timer = self._loop.call_later(run.deadline_ms / 1000 + LATE, self._time_is_up, attempt)
        self._runners[task.run_in].start(attempt)

    def _time_is_up(self, attempt: Attempt) -> None:
        self._interrupt(attempt, TimedOut())

    def _interrupt(self, attempt: Attempt, reason: Ending) -> None:
        self._runners[attempt.task.run_in].interrupt(attempt, reason)

    # ------------------------------------------------------------------ ending

    def _ended(self, attempt: Attempt) -> None:
        if attempt.lines or (attempt.context.reports.has_checkpoint and not attempt.succeeded):
            task = self._loop.create_task(self._settle_after_reports(attempt))
            self._logging.add(task)
            task.add_done_callback(self._logging.discard)
            return
        self._settle(attempt)

    async def _settle_after_reports(self, attempt: Attempt) -> None:
        """Settles a run when its log is sent and, for its next attempt, its checkpoint."""
        await self._send_lines(attempt)
        if attempt.context.reports.has_checkpoint and not attempt.succeeded:
            sent: asyncio.Future[None] = self._loop.create_future()
            self._after_beat.append(sent)
            self._beat.nudge()
            await asyncio.wait([sent], timeout=LAST_SECONDS)
        self._settle(attempt)

    def _settle(self, attempt: Attempt) -> None:
        if self._attempts.pop(attempt.run.run, None) is None or attempt.outcome is None:
            return
        if not self._lost.is_set():
            self._settler.put(attempt.outcome)
            self.finished += 1
        if not self._attempts:
            self._empty.set()

    def _freed(self, attempt: Attempt) -> None:
        self._slots.free()

    # ------------------------------------------------------------------ log lines

    async def _send_lines_now_and_then(self) -> None:
        while True:
            await local_sleep(SEND_LINES_EVERY)
            for attempt in list(self._attempts.values()):
                if attempt.lines:
                    await self._send_lines(attempt)

    async def _send_lines(self, attempt: Attempt) -> None:
        attempt.sending = attempt.sending or asyncio.Lock()
        async with attempt.sending:
            lines = attempt.collect_lines()
            if not lines:
                return
            first, attempt.seq = attempt.seq, attempt.seq + len(lines)
            try:
                await self._client.send_lines(self._worker, LogLines(attempt.run.run, first, lines))
            except (ApiError, Unreachable) as error:
                log.warning("%d log lines of job %d are not kept: %s", len(lines), attempt.run.job, error)

    # ------------------------------------------------------------------ the beat, in its own thread

    def beat_body(self) -> Beat:
        """Returns all runs, with what they have reported since the last beat."""
        self._beating += self._after_beat
        self._after_beat = []
        runs: list[BeatRun] = []
        for token, attempt in list(self._attempts.items()):
            progress, checkpoint = attempt.context.reports.collect()
            saved = msgspec.UNSET if checkpoint is None else Raw(checkpoint)
            runs.append(BeatRun(token, msgspec.UNSET if progress is None else progress, saved))
        return Beat(runs, max(0, self._slots.total - len(runs)))

    def beat_failed(self, body: Beat) -> None:
        """Puts back what the runs had reported, unless they have reported more since."""
        for one in body.runs:
            attempt = self._attempts.get(one.run)
            if attempt is not None:
                checkpoint = None if one.checkpoint is msgspec.UNSET else bytes(one.checkpoint)
                attempt.context.reports.put_back(None if one.progress is msgspec.UNSET else one.progress, checkpoint)

    def beat_answered(self, answer: BeatAnswer) -> None:
        """Stops runs that were cancelled, and gives up those that are no longer this worker's."""
        self._call(self._beaten)
        for token in (*answer.cancel, *answer.stale):
            attempt = self._attempts.get(token)
            if attempt is not None and not attempt.context.cancelled:
                # Functions in threads see it at once, even if the event loop is blocked.
                attempt.stop(Cancelled())
        if answer.cancel or answer.stale:
            self._call(self._carry_out, answer)

    def beat_refused(self, status: int) -> None:
        """The lease has ended."""
        if status == 404:
            self._call(self._lost.set)

    def _beaten(self) -> None:
        beating, self._beating = self._beating, []
        for waiter in beating:
            if not waiter.done():
                waiter.set_result(None)

    def _carry_out(self, answer: BeatAnswer) -> None:
        for token in answer.stale:
            attempt = self._attempts.get(token)
            if attempt is not None:
                self._interrupt(attempt, Cancelled("The run is no longer this worker's."))
        for token in answer.cancel:
            attempt = self._attempts.get(token)
            if attempt is not None:
                self._interrupt(attempt, Cancelled())

    def _call(self, what: Callable[..., object], *args: object) -> None:
        if not self._loop.is_closed():
            self._loop.call_soon_threadsafe(what, *args)
