"""Makes runs that an executor can carry out, from launches committed here and from taken offers."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import datetime

from duetime.engine.intake.definitions import Definitions
from duetime.engine.workflows.inputs import needs_inputs, too_large
from duetime.model.ids import DefinitionId, JobId, NodeId, UserId
from duetime.model.outcome import Outcome
from duetime.model.run import LaunchedRun
from duetime.model.states import JobState
from duetime.store.port import LaunchedRow


async def as_runs(
    rows: Sequence[LaunchedRow], executor: NodeId, definitions: Definitions, *, starting: bool = False
) -> list[LaunchedRun]:
    """Returns a run for each row that was read under the launch lock, with its definition.

    `starting`: the runs are about to start, and those of steps need their inputs.
    """
    found = await definitions.by_ids({row.definition_id for row in rows})
    runs = [
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
    if starting and definitions.inputs is not None and any(map(needs_inputs, found.values())):
        return await definitions.inputs.given(runs)
    return runs


def in_time(
    runs: Sequence[LaunchedRun],
    rows: Sequence[LaunchedRow],
    now: datetime,
    expire: Callable[[LaunchedRun, Outcome], None],
) -> Sequence[LaunchedRun]:
    """Returns the runs that may start. Calls `expire` for those whose expiry has passed or whose inputs do not fit."""
    late = {row.id for row in rows if row.expires_at is not None and row.expires_at <= now}
    refused = {run.job_id: Outcome(JobState.SKIPPED) for run in runs if run.job_id in late} if late else {}
    for run in runs:
        if run.inputs is not None and run.job_id not in late and (failure := too_large(run)) is not None:
            refused[run.job_id] = failure
    if not refused:
        return runs
    for run in runs:
        if run.job_id in refused:
            expire(run, refused[run.job_id])
    return [run for run in runs if run.job_id not in refused]
