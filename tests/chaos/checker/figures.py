"""I5 as figures: the lateness of launches, apart from faults and because of them, and other figures."""

from __future__ import annotations

from msgspec import Struct

from chaos.checker.lanes import zombies
from chaos.history import EndedJob, Fault, History

LATE = 0.5
"""A launch at least this late counts as an effect of a fault."""
SOON = 3.0
"""The budget for replacing a node. A job due later than this after a healing counts as apart from faults."""
AHEAD = 0.1
"""A job stored at least this long before it was due waited for its instant; others could launch only when stored."""
BEFORE = 0.5
"""A fault can affect a job that was due this shortly before it, because it may not have launched yet."""


class Lateness(Struct, frozen=True):
    """Launch minus due in milliseconds."""

    count: int
    p50: float
    p99: float
    most: float


class Recovery(Struct, frozen=True):
    """How long after its healing a fault still delayed launches; 0 if other nodes had taken over before."""

    kind: str
    lasted: float
    felt: float
    happened: int


class Figures(Struct, frozen=True):
    """The figures that are reported besides the violations."""

    jobs: int
    ended: dict[str, int]
    lateness_apart: Lateness | None
    """Of jobs that could launch more than `after` seconds after a healing, and neither in nor just before a fault."""
    lateness_apart_ahead: Lateness | None
    """The same, of jobs stored well before they were due: only the clock matters, neither commits nor hints."""
    lateness_all: Lateness | None
    recoveries: list[Recovery]
    zombie_arrivals: int
    stale_writes: int
    most_memory: int


def figures(history: History, after: float = SOON) -> Figures:
    """Compute the figures of a history."""
    first = [
        job
        for job in history.ended_jobs
        if job.launched_at is not None and job.attempts == 1 and job.lane is None and job.due_at <= history.healed_at
    ]
    ended: dict[str, int] = {}
    for job in history.ended_jobs:
        ended[job.state] = ended.get(job.state, 0) + 1
    apart = [job for job in first if not _within(_since(job), history.faults, after)]
    return Figures(
        jobs=len(history.ended_jobs),
        ended=ended,
        lateness_apart=_lateness(apart),
        lateness_apart_ahead=_lateness([job for job in apart if job.created_at <= job.due_at - AHEAD]),
        lateness_all=_lateness(first),
        recoveries=[_recovery(fault, first, history.faults) for fault in sorted(history.faults, key=_began)],
        zombie_arrivals=len(zombies(history)),
        stale_writes=history.stale_writes,
        most_memory=max((sample.rss for sample in history.samples), default=0),
    )


def _began(fault: Fault) -> float:
    return fault.began


def _within(at: float, faults: list[Fault], after: float) -> bool:
    return any(fault.began - BEFORE <= at <= fault.healed + after for fault in faults)


def _since(job: EndedJob) -> float:
    """The instant from which a job could launch: due and stored."""
    return max(job.due_at, job.created_at)


def _lateness(jobs: list[EndedJob]) -> Lateness | None:
    late = sorted((job.launched_at or 0.0) - _since(job) for job in jobs)
    if not late:
        return None
    return Lateness(
        len(late),
        round(1000 * late[len(late) // 2], 1),
        round(1000 * late[int(len(late) * 0.99)], 1),
        round(1000 * late[-1], 1),
    )


def _recovery(fault: Fault, jobs: list[EndedJob], faults: list[Fault]) -> Recovery:
    """The last late launch among the jobs due during the fault or soon after it, and before the next fault."""
    later = min((other.began for other in faults if other.began > fault.began), default=float("inf"))
    felt = [
        (job.launched_at or 0.0) - fault.healed
        for job in jobs
        if fault.began <= _since(job) < min(later - BEFORE, fault.healed + SOON)
        and (job.launched_at or 0.0) - _since(job) > LATE
    ]
    return Recovery(
        fault.kind, round(fault.healed - fault.began, 2), round(max(0.0, *felt), 2) if felt else 0.0, fault.happened
    )
