"""The executor of this process: slots, and the runs in them."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping, Sequence
from datetime import datetime

from duetime.clock.port import Clock
from duetime.executor.attempt import attempt
from duetime.executor.targets.port import Runner, WaitingRunner
from duetime.executor.targets.unknown import UnknownKindRunner
from duetime.model.bounds import MAX_TIMEOUT
from duetime.model.outcome import CANCELLED, Outcome, failed
from duetime.model.run import LaunchedRun, Settlement
from duetime.model.targets.port import TargetKind

LAUNCHES = 3
"""How many launches, each as large as there are slots, may be under way for runs that take no slot."""
UNSETTLED = 8000
"""How many outcomes may wait for the record before no further run starts."""
Report = Callable[[Sequence[Settlement]], None]
"""Called with runs that ended."""


class LocalExecutor:
    """Carries out runs, at most `slots` of them at a time, and reports what each ended with."""

    def __init__(
        self,
        slots: int,
        clock: Clock,
        *,
        runners: Mapping[type[TargetKind], Runner],
        report: Report,
        unsettled: Callable[[], int],
        longest: float = MAX_TIMEOUT,
    ) -> None:
        """`longest` bounds the time-out of every attempt, in seconds."""
        self._slots, self._clock, self._report, self._unsettled = slots, clock, report, unsettled
        self._longest = longest
        self._runners = runners
        self._tasks: dict[tuple[int, int], asyncio.Task[None]] = {}
        """By job and attempt: a node that rescues a run of its own may run the next attempt beside the last."""
        self._cancelled: set[tuple[int, int]] = set()

    def room(self) -> int:
        """Returns the free slots. Outcomes that wait for the record take room too, which bounds memory."""
        return max(0, min(self._slots - len(self._tasks), UNSETTLED - self._unsettled()))

    def instant_room(self) -> int:
        """Returns how many runs that wait for nothing may start. They take no slots, only room for their outcomes.

        The number of slots says how much this process works on at once, so it bounds the launches under way too.
        """
        return max(0, min(LAUNCHES * self._slots, UNSETTLED - self._unsettled()))

    def start(self, runs: Sequence[LaunchedRun], report: Report | None = None) -> None:
        """Start launched runs. Runs that wait for nothing are done on return; each other run gets a task.

        Their ends are reported to `report`, if it is given.
        """
        report = report or self._report
        now, ended, runner_of = self._clock.now(), list[Settlement](), self._runners.get
        for run in runs:
            runner = runner_of(type(run.definition.target), UNKNOWN_KIND)
            if runner.waits is True:
                self._begin(run, runner, report)
            else:
                ended.append(Settlement(run, runner.run(run), now, now))
        if ended:
            report(ended)

    def cancel(self, job_id: int) -> bool:
        """Ask a job's runs to stop. Returns whether the job runs here."""
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
        """Let runs end by themselves for `grace` seconds, then stop them and report them as interrupted."""
        if self._tasks:
            await asyncio.wait(self._tasks.values(), timeout=grace)
        for task in list(self._tasks.values()):
            task.cancel()
        if self._tasks:
            await asyncio.wait(self._tasks.values(), timeout=5)
        for runner in self._runners.values():
            if runner.waits is True:
                await runner.close()

    def _begin(self, run: LaunchedRun, runner: WaitingRunner, report: Report) -> None:
        task = asyncio.get_running_loop().create_task(self._carry_out(run, runner, report))
        self._tasks[run.job_id, run.attempt] = task
        task.add_done_callback(lambda task: self._done(run, task, report))

    async def _carry_out(self, run: LaunchedRun, runner: WaitingRunner, report: Report) -> None:
        started = self._clock.now()
        try:
            outcome = await attempt(run, runner, self._longest)
        except asyncio.CancelledError:
            outcome = None
        self._ended(run, outcome, started, report)

    def _done(self, run: LaunchedRun, task: asyncio.Task[None], report: Report) -> None:
        self._tasks.pop((run.job_id, run.attempt), None)
        if task.cancelled():  # before it began: a task that began reports by itself
            self._ended(run, None, None, report)
        self._cancelled.discard((run.job_id, run.attempt))

    def _ended(self, run: LaunchedRun, outcome: Outcome | None, started: datetime | None, report: Report) -> None:
        """Report a run. A run without an outcome was stopped, by a cancel or by the end of this process."""
        key = (run.job_id, run.attempt)
        asked = key in self._cancelled
        self._cancelled.discard(key)
        stopped = CANCELLED if asked else INTERRUPTED
        report([Settlement(run, outcome or stopped, started, self._clock.now(), asked)])


INTERRUPTED = failed("crash", "The executor stopped before the attempt ended.")
UNKNOWN_KIND = UnknownKindRunner()
