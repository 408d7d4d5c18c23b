"""The executor: slots, runs in them, and what came of each handed to whoever settles."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping, Sequence

from duetime.clock.port import Clock
from duetime.executor.attempt import attempt
from duetime.executor.targets.port import InstantTarget, Target
from duetime.model.outcome import CANCELLED, failed
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
        self._tasks: dict[int, asyncio.Task[None]] = {}
        self._cancelled: set[int] = set()

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
                self._tasks[run.job_id] = task
                task.add_done_callback(lambda _, job_id=run.job_id: self._tasks.pop(job_id, None))
        if ended:
            self._report(ended)

    def cancel(self, job_id: int) -> bool:
        """Ask a run to stop; whether it runs here."""
        task = self._tasks.get(job_id)
        if task is None:
            return False
        self._cancelled.add(job_id)
        task.cancel()
        return True

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
            outcome = CANCELLED if run.job_id in self._cancelled else INTERRUPTED
        asked = run.job_id in self._cancelled
        self._cancelled.discard(run.job_id)
        self._report([Settlement(run, outcome, started, self._clock.now(), asked)])


INTERRUPTED = failed("crash", "The executor stopped before the attempt ended.")
