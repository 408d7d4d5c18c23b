"""Reports how a run ended: to the breakers of this scheduler, or to the scheduler elsewhere that offered the run."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from duetime.bus.port import Ended, ExecutorEnd, SchedulerEnd
from duetime.engine.due.host_watch import HostWatch, ended_run
from duetime.engine.launching.held import HeldRuns
from duetime.model.run import Settlement


class EndReports:
    """Reports the ends of runs once they are settled."""

    def __init__(self, held: HeldRuns, hosts: HostWatch, bus: ExecutorEnd, ends: Sequence[SchedulerEnd] = ()) -> None:
        """`ends` are the ends of buses that count this scheduler's launches until they are settled."""
        self._held, self._hosts, self._bus, self._ends = held, hosts, bus, ends
        self._to_report: dict[int, Ended] = {}
        """The reports of runs that were taken as offers and call a host, by job."""

    def attempt_ended(self, one: Settlement) -> None:
        """After an attempt that called a host: inform the breaker, or keep a report for the offering scheduler."""
        if one.run.job_id in self._held.taken:
            self._to_report[one.run.job_id] = ended_run(one)
        else:
            self._hosts.ended(one)

    def recorded(self, job_ids: Collection[int], *, final: bool) -> None:
        """Report runs that are settled; `final` is false when their jobs wait for another attempt."""
        taken = self._held.release(job_ids)
        if taken:
            self._bus.report([self._to_report.pop(job_id, None) or Ended(job_id, final) for job_id in taken])
        for end in self._ends:
            end.forget(job_ids)

    def withdrawn(self, job_id: int) -> None:
        """Report a job that a person ended: if its launch was on offer, its scheduler stops counting it."""
        self._bus.report([Ended(job_id)])

    def not_held(self, job_ids: Collection[int]) -> None:
        """Drop the reports of runs that another holder has settled."""
        for job_id in self._held.release(job_ids):
            self._to_report.pop(job_id, None)
