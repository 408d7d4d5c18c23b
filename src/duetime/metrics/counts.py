"""What the stages of one process count: plain integers and buckets, added to once per batch.

All engines of a process share one `Counts`. Nothing here waits, locks or allocates per job beyond one small list.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime
from typing import NamedTuple

from duetime.metrics import catalogue
from duetime.metrics.catalogue import Metric
from duetime.metrics.histogram import Histogram
from duetime.metrics.user_counts import UserCounts
from duetime.model.definition import Definition
from duetime.model.events import InstantsSkipped, JobEnded
from duetime.model.outcome import SUCCEEDED
from duetime.model.run import LaunchedRun, Settlement
from duetime.model.states import JobState
from duetime.store.port import Ending, JobRef

OTHER = "other"
"""The statement label of SQL that has no name, and the reason label of a reason that is not in the list."""
REASONS = frozenset({"misfire", "overlap", "paused", "edited", "calendar", "window", "timing", "expired"})
"""The first words of the reasons for which jobs and instants are skipped."""
MISFIRE = "misfire"
_timestamp = datetime.timestamp


class Sample(NamedTuple):
    """One value of a metric, with the values of its labels in their order."""

    metric: Metric
    labels: tuple[str, ...]
    value: float | Histogram


class TargetCounts:
    """The attempts of one kind of target."""

    __slots__ = ("duration", "outcomes")

    def __init__(self) -> None:
        self.outcomes: dict[str, int] = {}
        self.duration = Histogram(catalogue.RUN_DURATION.bounds)


class Counts:
    """Every counter and histogram of a process."""

    def __init__(self, *, users: int = 0) -> None:
        """`users`: how many users are counted one by one."""
        self.submitted = self.minted = self.launches = self.offers_taken = self.retries = self.missed = 0
        self.rescued = self.refused = self.offers = self.workers_registered = self.worker_runs_taken = 0
        self.worker_runs_settled: dict[str, int] = dict.fromkeys(("succeeded", "failed", "suspended"), 0)
        self.notifications: dict[str, int] = dict.fromkeys(("sent", "held", "dropped"), 0)
        self.last_launch = 0.0
        self.lateness = Histogram(catalogue.LATENESS.bounds)
        self.start_lateness = Histogram(catalogue.START_LATENESS.bounds)
        self.queue_wait = Histogram(catalogue.QUEUE_WAIT.bounds)
        self.loop_delay = Histogram(catalogue.LOOP_DELAY.bounds)
        self.ended: dict[str, int] = dict.fromkeys(("succeeded", "dead", "cancelled", "skipped", "lost"), 0)
        self.skipped: dict[str, int] = dict.fromkeys(sorted(REASONS), 0)
        self.targets: dict[str, TargetCounts] = {}
        self.statements: dict[str, Histogram] = {}
        self.requests: dict[tuple[str, str, str], Histogram] = {}
        self.users = UserCounts(users) if users else None

    def launched_here(self, runs: Sequence[LaunchedRun], launched_at: datetime, started_at: datetime) -> None:
        """Count launches whose runs start in this process."""
        if not runs:
            return
        dues = [run.due_at for run in runs]
        dues.sort()
        total = sum(map(_timestamp, dues))
        self.launches += len(dues)
        self.last_launch = launched_at.timestamp()
        self.lateness.observe_since(dues, launched_at, total)
        self.start_lateness.observe_since(dues, started_at, total)
        self.queue_wait.observe((started_at - launched_at).total_seconds(), len(dues))
        if self.users is not None:
            self.users.launched([run.user_id for run in runs])

    def offered(self, refs: Sequence[JobRef], launched_at: datetime) -> None:
        """Count launches that are on offer to other executors."""
        if not refs:
            return
        dues = sorted([ref.due_at for ref in refs])
        self.launches += len(dues)
        self.offers += len(dues)
        self.last_launch = launched_at.timestamp()
        self.lateness.observe_since(dues, launched_at, sum(map(_timestamp, dues)))
        if self.users is not None:
            self.users.launched([ref.user_id for ref in refs])

    def taken(self, runs: Sequence[LaunchedRun], started_at: datetime) -> None:
        """Count offers that this executor took and starts."""
        dues = sorted([run.due_at for run in runs])
        self.offers_taken += len(dues)
        self.start_lateness.observe_since(dues, started_at, sum(map(_timestamp, dues)))

    def settled_by_workers(self, settlements: Sequence[Settlement], refused: set[int]) -> None:
        """Count runs of workers whose outcomes are on record."""
        for one in settlements:
            if one.run.job_id not in refused:
                state = one.outcome.state.value
                self.worker_runs_settled[state] = self.worker_runs_settled.get(state, 0) + 1

    def attempts(self, settlements: Sequence[Settlement]) -> None:
        """Count attempts whose outcomes are on record."""
        if _are_alike(settlements):
            _add(self._target(settlements[0].run.definition.target.kind), len(settlements), len(settlements))
            return
        before: Definition | None = None
        target, successes, instant = _NO_TARGET, 0, 0
        for run, outcome, started, finished, _ in settlements:
            if run.definition is not before:
                _add(target, successes, instant)
                before, successes, instant = run.definition, 0, 0
                target = self._target(run.definition.target.kind)
            if outcome.state is JobState.SUCCEEDED:
                successes += 1
            else:
                target.outcomes[outcome.state.value] = target.outcomes.get(outcome.state.value, 0) + 1
            if started is finished:
                instant += 1
            elif started is not None:
                target.duration.observe((finished - started).total_seconds())
        _add(target, successes, instant)

    def ended_by_outcome(self, endings: Sequence[Ending], settlements: Sequence[Settlement]) -> None:
        """Count jobs that ended by the outcomes of their last runs."""
        if self.users is not None:
            self.users.ended_by_outcome(endings, settlements)
        states = [one.state for one in endings]
        succeeded = states.count(JobState.SUCCEEDED)
        self.ended["succeeded"] += succeeded
        if succeeded < len(states):
            for one in endings:
                if one.state is not JobState.SUCCEEDED:
                    self._end(one.state, one.reason)

    def ended_otherwise(self, ended: Sequence[JobEnded]) -> None:
        """Count jobs that ended by a person's order, by a skip, by a parked failure or by taking back a launch."""
        for one in ended:
            self._end(one.state, one.reason)
            if self.users is not None:
                self.users.ended(one.user_id, one.state.value)

    def instants_skipped(self, skips: Sequence[InstantsSkipped]) -> None:
        """Count ranges of skipped instants. A range that is too long to count counts as one."""
        for one in skips:
            self._skip(one.reason, one.number or 1)

    def statement(self, name: str, seconds: float) -> None:
        """Count one statement."""
        known = self.statements.get(name)
        if known is None:
            known = self.statements[name] = Histogram(catalogue.STORE.bounds)
        known.observe(seconds)

    def request(self, method: str, route: str, status: int, seconds: float) -> None:
        """Count one answered request."""
        key = (method, route, str(status))
        known = self.requests.get(key)
        if known is None:
            known = self.requests[key] = Histogram(catalogue.REQUESTS.bounds)
        known.observe(seconds)

    def samples(self) -> Iterator[Sample]:
        """Returns every value."""
        plain: Mapping[Metric, float | Histogram] = {
            catalogue.SUBMITTED: self.submitted,
            catalogue.MINTED: self.minted,
            catalogue.LAUNCHES: self.launches,
            catalogue.OFFERS_TAKEN: self.offers_taken,
            catalogue.OFFERS: self.offers,
            catalogue.WORKERS_REGISTERED: self.workers_registered,
            catalogue.WORKER_TAKEN: self.worker_runs_taken,
            catalogue.LATENESS: self.lateness,
            catalogue.START_LATENESS: self.start_lateness,
            catalogue.QUEUE_WAIT: self.queue_wait,
            catalogue.RETRIES: self.retries,
            catalogue.MISSED: self.missed,
            catalogue.LOST: self.ended["lost"],
            catalogue.RESCUED: self.rescued,
            catalogue.REFUSED: self.refused,
            catalogue.LAST_LAUNCH: self.last_launch,
            catalogue.LOOP_DELAY: self.loop_delay,
        }
        for metric, value in plain.items():
            yield Sample(metric, (), value)
        for state, number in self.ended.items():
            yield Sample(catalogue.ENDED, (state,), number)
        for outcome, number in self.worker_runs_settled.items():
            yield Sample(catalogue.WORKER_SETTLED, (outcome,), number)
        for result, number in self.notifications.items():
            yield Sample(catalogue.NOTIFICATIONS, (result,), number)
        for reason, number in self.skipped.items():
            yield Sample(catalogue.SKIPPED, (reason,), number)
        for kind, target in self.targets.items():
            yield Sample(catalogue.RUN_DURATION, (kind,), target.duration)
            for outcome, number in target.outcomes.items():
                yield Sample(catalogue.RUNS, (kind, outcome), number)
        for name, times in self.statements.items():
            yield Sample(catalogue.STORE, (name,), times)
        for labels, times in self.requests.items():
            yield Sample(catalogue.REQUESTS, labels, times)
        if self.users is not None:
            yield from _by_user(self.users)

    def _target(self, kind: str) -> TargetCounts:
        known = self.targets.get(kind)
        if known is None:
            known = self.targets[kind] = TargetCounts()
        return known

    def _end(self, state: JobState, reason: str | None) -> None:
        self.ended[state.value] = self.ended.get(state.value, 0) + 1
        if state is JobState.SKIPPED:
            self._skip(reason or "", 1)

    def _skip(self, reason: str, number: int) -> None:
        word = reason.partition(":")[0]
        key = word if word in REASONS else OTHER
        self.skipped[key] = self.skipped.get(key, 0) + number
        if key == MISFIRE:
            self.missed += number


def _are_alike(settlements: Sequence[Settlement]) -> bool:
    """Whether all are successes of one definition that took no time. Asked without a loop: most batches are so."""
    number = len(settlements)
    definitions = [one.run.definition for one in settlements]
    return (
        number > 0
        and definitions.count(definitions[0]) == number
        and [one.outcome for one in settlements].count(SUCCEEDED) == number
        and not [one for one in settlements if one.started_at is not one.finished_at]
    )


def _add(target: TargetCounts, successes: int, instant: int) -> None:
    if successes:
        target.outcomes["succeeded"] = target.outcomes.get("succeeded", 0) + successes
    if instant:
        target.duration.observe(0.0, instant)


def _by_user(users: UserCounts) -> Iterator[Sample]:
    for user, number in users.launches.items():
        if user in users.names:
            yield Sample(catalogue.USER_LAUNCHES, (users.names[user],), number)
    for (user, state), number in users.ends.items():
        if user in users.names:
            yield Sample(catalogue.USER_ENDED, (users.names[user], state), number)


_NO_TARGET = TargetCounts()
