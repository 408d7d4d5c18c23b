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
            JobId(job_id),
            UserId(user_id),
            attempt + 1,
            DefinitionId(definition_id),
            found[definition_id],
            message,
            execute_at,
            due_at,
            executor,
            lane,
            base_attempt,
            flow,
        )
        for job_id, user_id, definition_id, message, execute_at, due_at, _, lane, attempt, base_attempt, flow in rows
    ]


def expired(rows: Sequence[LaunchedRow], now: datetime) -> set[int]:
    """Those whose time to start has passed."""
    return {row.id for row in rows if row.expires_at is not None and row.expires_at <= now}
