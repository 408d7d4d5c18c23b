"""The executor of this process: slots, and the runs in them."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Collection, Mapping, Sequence
from datetime import datetime

from duetime.clock.port import Clock
from duetime.executor.attempt import attempt, timed_out
from duetime.executor.sent_runs import SentRun, SentRuns
from duetime.executor.targets.port import Ended, ReportingRunner, Runner, WaitingRunner
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
        self._sent = SentRuns(clock, self._too_late)
        """The runs that their runners report, without tasks."""
        for runner in runners.values():
            if runner.waits == "report":
                runner.listen(self._reported)

    def room(self) -> int:
        """Returns the free slots. Outcomes that wait for the record take room too, which bounds memory."""
        return max(0, min(self._slots - self.running, UNSETTLED - self._unsettled()))

    def instant_room(self) -> int:
        """Returns how many runs that wait for nothing may start. They take no slots, only room for their outcomes.

        The number of slots says how much this process works on at once, so it bounds the launches under way too.
        """
        return max(0, min(LAUNCHES * self._slots, UNSETTLED - self._unsettled()))

    def start(self, runs: Sequence[LaunchedRun], report: Report | None = None) -> None:
        """Start launched runs. Runs that wait for nothing are done on return; others get a task or are reported.

        Their ends are reported to `report`, if it is given.
        """
        report = report or self._report
        now, ended, runner_of = self._clock.now(), list[Settlement](), self._runners.get
        sent: dict[ReportingRunner, list[LaunchedRun]] = {}
        for run in runs:
            runner = runner_of(type(run.definition.target), UNKNOWN_KIND)
            if runner.waits is True:
                self._begin(run, runner, report)
            elif runner.waits is False:
                ended.append(Settlement(run, runner.run(run), now, now))
            else:
                self._sent.add(run, now, min(run.definition.policy.timeout, self._longest), report)
                sent.setdefault(runner, []).append(run)
        if ended:
            report(ended)
        for runner, some in sent.items():
            runner.send(some)

    def cancel(self, job_id: int) -> bool:
        """Ask a job's runs to stop. Returns whether the job runs here. What a runner has sent off goes on."""
        mine = [key for key in self._tasks if key[0] == job_id]
        for key in mine:
            self._cancelled.add(key)
            self._tasks[key].cancel()
        sent = self._sent.of_job(job_id)
        self._cancelled.update(sent)
        return bool(mine or sent)

    @property
    def running(self) -> int:
        """How many runs are under way."""
        return len(self._tasks) + len(self._sent)

    async def stop(self, grace: float) -> None:
        """Let runs end by themselves for `grace` seconds, then stop them and report them as interrupted."""
        if self.running:
            waits = [*self._tasks.values(), asyncio.get_running_loop().create_task(self._sent.empty())]
            await asyncio.wait(waits, timeout=grace)
            waits[-1].cancel()
        for task in list(self._tasks.values()):
            task.cancel()
        if self._tasks:
            await asyncio.wait(self._tasks.values(), timeout=5)
        for runner in self._runners.values():
            if runner.waits is not False:
                await runner.close()
        for one in self._sent.clear():
            self._ended(one.run, None, one.started, one.report)

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

    def _reported(self, ended: Sequence[Ended]) -> None:
        """Report runs that their runner has reported, all at once. A run that was given up is passed over."""
        now, settled = self._clock.now(), dict[Report, list[Settlement]]()
        for run, outcome in ended:
            sent = self._sent.pop(run)
            if sent is None:
                continue
            asked = bool(self._cancelled) and self._asked_to_stop(run)
            settled.setdefault(sent.report, []).append(Settlement(run, outcome, sent.started, now, asked))
        for report, some in settled.items():
            report(some)

    def _too_late(self, late: Collection[SentRun]) -> None:
        now = self._clock.now()
        for one in late:
            outcome, asked = timed_out(one.limit), self._asked_to_stop(one.run)
            one.report([Settlement(one.run, outcome, one.started, now, asked)])

    def _asked_to_stop(self, run: LaunchedRun) -> bool:
        key = (run.job_id, run.attempt)
        asked = key in self._cancelled
        self._cancelled.discard(key)
        return asked

    def _ended(self, run: LaunchedRun, outcome: Outcome | None, started: datetime | None, report: Report) -> None:
        """Report a run. A run without an outcome was stopped, by a cancel or by the end of this process."""
        asked = self._asked_to_stop(run)
        stopped = CANCELLED if asked else INTERRUPTED
        report([Settlement(run, outcome or stopped, started, self._clock.now(), asked)])


INTERRUPTED = failed("crash", "The executor stopped before the attempt ended.")
UNKNOWN_KIND = UnknownKindRunner()
