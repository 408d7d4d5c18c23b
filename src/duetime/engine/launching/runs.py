"""Makes runs that an executor can carry out, from launches committed here and from taken offers."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import datetime

from duetime.engine.intake.definitions import Definitions
from duetime.model.ids import DefinitionId, JobId, NodeId, UserId
from duetime.model.outcome import Outcome
from duetime.model.run import LaunchedRun
from duetime.model.states import JobState
from duetime.store.port import LaunchedRow


async def as_runs(rows: Sequence[LaunchedRow], executor: NodeId, definitions: Definitions) -> list[LaunchedRun]:
    """Returns a run for each row that was read under the launch lock, with its definition."""
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
            schedule_id,
        )
        for (
            job_id,
            user_id,
            definition_id,
            message,
            execute_at,
            due_at,
            _,
            lane,
            attempt,
            base_attempt,
            flow,
            schedule_id,
        ) in rows
    ]


def in_time(
    runs: Sequence[LaunchedRun],
    rows: Sequence[LaunchedRow],
    now: datetime,
    expire: Callable[[LaunchedRun, Outcome], None],
) -> Sequence[LaunchedRun]:
    """Returns the runs that may still start, and calls `expire` for those whose expiry has passed."""
    late = {row.id for row in rows if row.expires_at is not None and row.expires_at <= now}
    if not late:
        return runs
    for run in runs:
        if run.job_id in late:
            expire(run, Outcome(JobState.SKIPPED))
    return [run for run in runs if run.job_id not in late]
