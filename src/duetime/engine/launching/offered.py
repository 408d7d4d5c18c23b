"""What follows in this scheduler when a run that it offered to executors elsewhere ends."""

from __future__ import annotations

from collections.abc import Sequence

from duetime.bus.port import Ended
from duetime.clock.port import Clock
from duetime.engine.due.gates import Gates
from duetime.engine.due.host_watch import HostWatch
from duetime.engine.due.look_ahead import LookAhead
from duetime.engine.due.pick import Pick
from duetime.engine.signal import Signal
from duetime.store.port import JobRef


class OfferedRuns:
    """Releases jobs whose runs ended elsewhere, informs breakers, and looks again for jobs that wait for a retry."""

    def __init__(
        self, pick: Pick, gates: Gates, hosts: HostWatch, look_ahead: LookAhead, clock: Clock, more: Signal
    ) -> None:
        self._pick, self._gates, self._hosts, self._look_ahead = pick, gates, hosts, look_ahead
        self._clock, self._more = clock, more

    def released(self, refs: Sequence[JobRef]) -> None:
        """Release jobs whose launches were settled or taken back."""
        self._pick.release(ref.id for ref in refs)
        self._more()

    def ended(self, ref: JobRef, ended: Ended) -> None:
        """Handle an executor's report of how a run ended."""
        if ended.failure is not None or (ended.succeeded and self._gates.breaker(ref.flow) is not None):
            self._hosts.outcome(ref.flow, ended, self._clock.now())
        if not ended.succeeded:
            self.missed([ref])

    def missed(self, refs: Sequence[JobRef] | None) -> None:
        """Look again for jobs that were believed to be in flight and may wait; None stands for all jobs."""
        if refs is None:
            self._look_ahead.look_everywhere()
        else:
            self._look_ahead.look_at([ref.flow for ref in refs])
            self._look_ahead.rewind(self._clock.now())
        self._more()
