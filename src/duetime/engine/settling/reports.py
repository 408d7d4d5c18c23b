"""Who learns how a run ended: the breakers of this scheduler, or the scheduler elsewhere that offered the run."""

from __future__ import annotations

from collections.abc import Collection

from duetime.bus.port import Ended, ExecutorEnd, SchedulerEnd
from duetime.engine.due.host_watch import HostWatch, ended_run
from duetime.engine.launching.held import HeldRuns
from duetime.model.run import Settlement


class EndReports:
    """Reports the ends of runs once they are on record."""

    def __init__(self, held: HeldRuns, hosts: HostWatch, bus: ExecutorEnd, offers: SchedulerEnd | None) -> None:
        self._held, self._hosts, self._bus, self._offers = held, hosts, bus, offers
        self._to_report: dict[int, Ended] = {}
        """What to say of runs that were taken from the bus and call a host."""

    def attempt_ended(self, one: Settlement) -> None:
        """An attempt against a host ended: inform the breaker here, or keep it for the scheduler that offered it."""
        if one.run.job_id in self._held.taken:
            self._to_report[one.run.job_id] = ended_run(one)
        else:
            self._hosts.ended(one)

    def recorded(self, job_ids: Collection[int], *, final: bool) -> None:
        """These runs are on record; `final` unless their jobs wait for another attempt."""
        taken = self._held.release(job_ids)
        if taken:
            self._bus.report([self._to_report.pop(job_id, None) or Ended(job_id, final) for job_id in taken])
        if self._offers is not None:
            self._offers.forget(job_ids)

    def withdrawn(self, job_id: int) -> None:
        """A job was ended by order: if its launch was on offer, the scheduler that offered it stops counting it."""
        self._bus.report([Ended(job_id)])

    def not_held(self, job_ids: Collection[int]) -> None:
        """Another holder has settled these runs: there is nothing to report."""
        for job_id in self._held.release(job_ids):
            self._to_report.pop(job_id, None)
