"""What every stage of one node shares."""

from __future__ import annotations

from typing import NamedTuple

from duetime.clock.port import Clock
from duetime.coordination.ownership import Ownership
from duetime.coordination.port import Hints
from duetime.engine.activity.counting import Activity
from duetime.engine.events import Events
from duetime.metrics.counts import Counts
from duetime.tracing.port import Traces


class NodeContext(NamedTuple):
    """The clock, the node's lease and shards, hints to other nodes, events, and what is counted."""

    clock: Clock
    ownership: Ownership
    hints: Hints
    events: Events
    counts: Counts
    activity: Activity
    traces: Traces | None = None
    """None where no spans are made."""
