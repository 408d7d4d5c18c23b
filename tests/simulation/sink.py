"""The sink of the simulation: each run reaches it, takes some time, and ends as its message says."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from datetime import datetime, timedelta

from duetime.model.outcome import SUCCEEDED, Outcome, failed
from duetime.model.run import LaunchedRun
from simulation.clock import EPOCH
from simulation.history import Start, Stop
from simulation.loop import Owner

HANG = 3600.0


class Sink:
    """Records what arrives. It is outside of every node, so that no fault of a node changes it."""

    def __init__(self, clock: Callable[[], datetime]) -> None:
        self._clock = clock
        self.starts: list[Start] = []
        self.stops: list[Stop] = []

    def arrived(self, run: LaunchedRun, owner: Owner) -> None:
        """An attempt begins."""
        once = run.definition.policy.delivery == "at_most_once"
        self.starts.append(
            Start(
                self._clock(),
                run.job_id,
                run.attempt,
                run.executor,
                run.message,
                run.user_id,
                run.lane,
                once,
                None if owner.woken is None else EPOCH + timedelta(seconds=owner.woken),
            )
        )

    def ended(self, run: LaunchedRun, outcome: Outcome | None) -> None:
        """An attempt ends; the outcome is None if it was interrupted."""
        said = "stopped" if outcome is None else outcome.state.value
        self.stops.append(Stop(self._clock(), run.job_id, run.attempt, run.executor, said))


class Behaviour:
    """What a message says: `token/kind/seconds`; the kind is ok, fail, flaky (fails twice) or hang."""

    def __init__(self, message: str) -> None:
        _, kind, seconds = message.split("/")[:3]
        self.kind, self.seconds = kind, HANG if kind == "hang" else float(seconds)

    def outcome(self, attempt: int) -> Outcome:
        """How an attempt ends."""
        if self.kind == "fail" or (self.kind == "flaky" and attempt <= 2):
            return failed("http_500", "The sink said no.")
        return SUCCEEDED


class SinkRunner:
    """`WaitingRunner` of one node: carries a run out at the sink, in virtual time."""

    waits = True

    def __init__(self, sink: Sink, owner: Owner) -> None:
        self._sink, self._owner = sink, owner

    async def run(self, run: LaunchedRun) -> Outcome:
        """Run the attempt."""
        behaviour = Behaviour(run.message)
        self._sink.arrived(run, self._owner)
        try:
            await asyncio.sleep(behaviour.seconds)
        except asyncio.CancelledError:
            self._sink.ended(run, None)
            raise
        outcome = behaviour.outcome(run.attempt - run.base_attempt)
        self._sink.ended(run, outcome)
        return outcome

    async def close(self) -> None:
        """Do nothing: there is nothing to close."""


class InstantSinkRunner:
    """`InstantRunner` of one node."""

    waits = False

    def __init__(self, sink: Sink, owner: Owner) -> None:
        self._sink, self._owner = sink, owner

    def run(self, run: LaunchedRun) -> Outcome:
        """Do it at once."""
        self._sink.arrived(run, self._owner)
        self._sink.ended(run, SUCCEEDED)
        return SUCCEEDED
