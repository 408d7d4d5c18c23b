"""The oldest due job: how long the job that has waited longest is due. It shows a scheduler that is alive and idle."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime

from duetime.coordination.ownership import Ownership
from duetime.engine.due.backlog import Backlog
from duetime.engine.due.pick import Pick
from duetime.model.ids import user_of_flow
from duetime.store.port import DueStore, Wanted

RECENT = 5.0
"""While this scheduler has launched something within these seconds, its memory is enough."""
FLOWS = 200
"""How many flows are read in the store at most."""


class OldestDue:
    """Finds the oldest due job of the shards held that no limit and no breaker holds back.

    A scheduler whose loop stands still does not look for due jobs. So while nothing is launched, the store is read.
    """

    def __init__(
        self, store: DueStore, ownership: Ownership, backlog: Backlog, pick: Pick, last_launch: Callable[[], float]
    ) -> None:
        """`last_launch` returns when this process last launched a job, in seconds since 1970."""
        self._store, self._ownership, self._backlog, self._pick = store, ownership, backlog, pick
        self._last_launch = last_launch
        self.instant: datetime | None = None
        """When the oldest due job was due, as the last look saw it. None when there is no such job."""

    async def look(self, now: datetime) -> None:
        """Look for the oldest due job, in memory or in the store."""
        if not self._ownership.count:
            self.instant = None
        elif now.timestamp() - self._last_launch() < RECENT:
            heads = (self._backlog.head(flow) for flow in self._backlog.flows() if self._is_open(flow))
            self.instant = min((head[1] for head in heads if head is not None), default=None)
        else:
            flows = [flow for flow in await self._store.due_flows(now) if self._is_open(flow)]
            wanted = [Wanted(flow, 1) for flow in flows[:FLOWS]]
            refs = await self._store.backlog(wanted, now, self._ownership.held) if wanted else []
            self.instant = min((ref.due_at for ref in refs), default=None)

    def _is_open(self, flow: int) -> bool:
        return flow not in self._pick.closed_flows and user_of_flow(flow) not in self._pick.closed_users
