"""The executor: slots, runs in them, and what came of each handed to whoever settles."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping, Sequence
from datetime import datetime

from duetime.clock.port import Clock
from duetime.executor.attempt import attempt
from duetime.executor.targets.port import InstantTarget, Target
from duetime.model.outcome import CANCELLED, Outcome, failed
from duetime.model.run import LaunchedRun, Settlement

Report = Callable[[Sequence[Settlement]], None]
"""Told of runs that ended."""


class Worker:
    """Runs attempts, at most `slots` at a time."""

    def __init__(
        self,
        slots: int,
        clock: Clock,
        *,
        targets: Mapping[type, Target],
        instant: Mapping[type, InstantTarget],
        report: Report,
        unsettled: Callable[[], int],
    ) -> None:
        self._slots, self._clock, self._report, self._unsettled = slots, clock, report, unsettled
        self._targets, self._instant = targets, instant
        self._tasks: dict[tuple[int, int], asyncio.Task[None]] = {}
        """By job and attempt: a node that is its own heir may run a job's next attempt beside the last."""
        self._cancelled: set[tuple[int, int]] = set()

    def room(self) -> int:
        """Free slots. Results that wait for the record take room too: memory stays bounded."""
        return max(0, min(self._slots - len(self._tasks), 8 * self._slots - self._unsettled()))

    def start(self, runs: Sequence[LaunchedRun]) -> None:
        """Start launched runs: what needs no waiting in line, everything else as a task."""
        now, ended = self._clock.now(), list[Settlement]()
        for run in runs:
            kind = type(run.definition.target)
            instant = self._instant.get(kind)
            if instant is not None:
                ended.append(Settlement(run, instant.run_now(run), now, now))
            else:
                task = asyncio.get_running_loop().create_task(self._carry_out(run, kind))
                self._tasks[run.job_id, run.attempt] = task
                task.add_done_callback(lambda task, run=run: self._done(run, task))
        if ended:
            self._report(ended)

    def cancel(self, job_id: int) -> bool:
        """Ask a job's run to stop; whether it runs here."""
        mine = [key for key in self._tasks if key[0] == job_id]
        for key in mine:
            self._cancelled.add(key)
            self._tasks[key].cancel()
        return bool(mine)

    @property
    def running(self) -> int:
        """How many runs are under way."""
        return len(self._tasks)

    async def stop(self, grace: float) -> None:
        """Let runs end by themselves for a while; then stop them and hand them back as interrupted."""
        if self._tasks:
            await asyncio.wait(self._tasks.values(), timeout=grace)
        for task in list(self._tasks.values()):
            task.cancel()
        if self._tasks:
            await asyncio.wait(self._tasks.values(), timeout=5)
        for target in self._targets.values():
            await target.close()

    async def _carry_out(self, run: LaunchedRun, kind: type) -> None:
        started = self._clock.now()
        try:
            target = self._targets.get(kind)
            if target is None:
                outcome = failed("no_target", f"This executor cannot carry out targets of kind {kind.__name__}.")
            else:
                outcome = await attempt(run, target)
        except asyncio.CancelledError:
            outcome = None
        self._ended(run, outcome, started)

    def _done(self, run: LaunchedRun, task: asyncio.Task[None]) -> None:
        self._tasks.pop((run.job_id, run.attempt), None)
        if task.cancelled():  # before it began: what began reports by itself
            self._ended(run, None, None)
        self._cancelled.discard((run.job_id, run.attempt))

    def _ended(self, run: LaunchedRun, outcome: Outcome | None, started: datetime | None) -> None:
        """Report a run; one without an outcome was stopped, by who asked for it or by the end of this process."""
        key = (run.job_id, run.attempt)
        asked = key in self._cancelled
        self._cancelled.discard(key)
        stopped = CANCELLED if asked else INTERRUPTED
        self._report([Settlement(run, outcome or stopped, started, self._clock.now(), asked)])


INTERRUPTED = failed("crash", "The executor stopped before the attempt ended.")
