"""From a committed launch to a run that an executor can carry out: the same for launches here and for taken offers."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from duetime.engine.definitions import Definitions
from duetime.model.ids import DefinitionId, JobId, NodeId, UserId
from duetime.model.run import LaunchedRun
from duetime.store.port import LaunchedRow


async def as_runs(rows: Sequence[LaunchedRow], executor: NodeId, definitions: Definitions) -> list[LaunchedRun]:
    """What was read under the lock, with its definition."""
    found = await definitions.by_ids({row.definition_id for row in rows})
    return [
        LaunchedRun(
            job_id=JobId(row.id),
            user_id=UserId(row.user_id),
            attempt=row.attempt + 1,
            definition_id=DefinitionId(row.definition_id),
            definition=found[row.definition_id],
            message=row.message,
            execute_at=row.execute_at,
            due_at=row.due_at,
            executor=executor,
            lane=row.lane,
            base_attempt=row.base_attempt,
            flow=row.flow,
        )
        for row in rows
    ]


def expired(rows: Sequence[LaunchedRow], now: datetime) -> set[int]:
    """Those whose time to start has passed."""
    return {row.id for row in rows if row.expires_at is not None and row.expires_at <= now}
