"""Everything that workers ask of one store, in one value. With several stores, a worker is routed here."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import datetime

from duetime.bus.port import SchedulerEnd
from duetime.engine.intake.definitions import Definitions
from duetime.engine.intake.submit import Submit
from duetime.engine.launching.held import HeldRuns
from duetime.engine.node.context import NodeContext
from duetime.engine.settling.ends import Ends
from duetime.engine.settling.settle import Settle
from duetime.engine.workers.beats import Beats
from duetime.engine.workers.broadcasts import Broadcasts
from duetime.engine.workers.desk import Desk
from duetime.engine.workers.insight import WorkerInsight
from duetime.engine.workers.leaving import Leaving
from duetime.engine.workers.offers import WorkerOffers
from duetime.engine.workers.pull import Deliveries, PullEnd
from duetime.engine.workers.registry import Registry
from duetime.engine.workers.settling import WorkerRuns, WorkerSettle
from duetime.engine.workers.takes import Takes
from duetime.model.run import LaunchedRun
from duetime.store.port import LaunchStore
from duetime.store.worker_insight_port import WorkerInsightStore
from duetime.store.worker_port import WorkerStore


class Workers:
    """The services for workers, and the end of the bus at which the scheduler of this node launches for them."""

    def __init__(
        self,
        store: WorkerStore,
        insight: WorkerInsightStore,
        node: NodeContext,
        definitions: Definitions,
        ends: Ends,
        settle: Settle,
        held: HeldRuns,
        instant: Callable[[], datetime],
        lease: float,
        more: Callable[[], None],
        elsewhere: SchedulerEnd | None,
        ended: Callable[[int], None],
        submit: Submit,
        launches: LaunchStore,
    ) -> None:
        """`elsewhere` is the end at which a scheduler offers launches to workers; None if this node has none.

        `ended` is called with each job of which a run was settled here.
        """
        desk, runs, clock, ownership = Desk(), WorkerRuns(), node.clock, node.ownership
        deliveries = Deliveries(store, desk, ends, definitions, runs.remember, settle.expire, _handed_out(node))

        def alone() -> bool:
            return all(ownership.held)

        self.offers = WorkerOffers(store, desk, deliveries, node.hints, instant, alone)
        self.pull = (
            None
            if elsewhere is None
            else PullEnd(store, launches, desk, deliveries, elsewhere, instant, self.offers.arrived)
        )
        self.registry = Registry(store, desk, node.hints, lease, node.counts)
        self.desk = desk
        self.takes = Takes(store, self.registry, desk, self.offers, definitions, clock, more)
        self.settle = WorkerSettle(store, settle, definitions, runs, held, node, ended)
        self.beats = Beats(store, self.registry, self.settle, ends, definitions, clock)
        self.broadcasts = Broadcasts(store, submit, clock)
        self.insight = WorkerInsight(insight, store, definitions, clock)
        self.leaving = Leaving(store, self.registry, self.settle, definitions, desk, clock)


def _handed_out(node: NodeContext) -> Callable[[Sequence[LaunchedRun], datetime], None]:
    """Returns what counts the runs that are handed to workers, and reports those that are traced."""
    counts, traces, clock = node.counts, node.traces, node.clock

    def handed_out(runs: Sequence[LaunchedRun], at: datetime) -> None:
        counts.worker_runs_taken += len(runs)
        if traces is not None:
            traces.launched(runs, at, clock.now())

    return handed_out
