"""Broadcast: one job for each living worker of a queue."""

from __future__ import annotations

from hashlib import blake2b

from msgspec import UNSET
from msgspec.structs import replace

from duetime.clock.port import Clock
from duetime.engine.asking.unmet_workers import why_not_pulled
from duetime.engine.intake.submit import Submit
from duetime.model.definition import Definition
from duetime.model.job import NewJob
from duetime.model.pull import BroadcastPart, pull_pool
from duetime.model.run import LaunchedRun
from duetime.store.worker_port import WorkerStore

LABEL = "broadcast"
"""The label of a broadcast's jobs: its value is the id of the job that they come from."""
MOST = 1000


class Broadcasts:
    """Creates the jobs of broadcasts. A repeat creates none for a worker that has one already."""

    def __init__(self, store: WorkerStore, submit: Submit, clock: Clock) -> None:
        self._store, self._submit, self._clock = store, submit, clock

    async def spread(self, run: LaunchedRun) -> list[int] | str:
        """Create a job for each worker that takes it. Returns their ids, or why there is no such worker."""
        definition = run.definition
        pulled = definition.target.spreads()
        if pulled is None:
            return "The job was changed while it was being launched."
        living = await self._store.of_user(run.user_id, MOST)
        requires = definition.policy.requires or None
        pool = pull_pool(run.user_id, pulled, requires)
        fitting = [one.worker for one in living if not one.draining and one.worker.fits(pool)]
        if not fitting:
            return why_not_pulled(run.user_id, pulled, requires, living)
        policy = replace(definition.policy, limit=None, requires=UNSET)
        ids: list[int] = []
        for index, worker in enumerate(fitting):
            key = f"broadcast\x1f{run.job_id}\x1f{run.base_attempt}\x1f{worker.id}"
            job = NewJob(
                run.user_id,
                Definition(definition.target.part_for(BroadcastPart(worker.id, index, len(fitting))), policy),
                run.message,
                self._clock.now(),
                labels={LABEL: str(run.job_id)},
                idempotency_key=key,
                fingerprint=blake2b(key.encode(), digest_size=16).digest(),
            )
            ids.append((await self._submit.one(job)).job.id)
        return ids
