"""Submitting to several cells: each job goes to the cell of its shard, and keys are unique across cells."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence

from duetime.cells.cell import Cell
from duetime.cells.cells import Cells
from duetime.cells.placement import CellRotation, bound_shard
from duetime.clock.port import Clock
from duetime.engine.intake.quota import Quota
from duetime.engine.intake.submit import Submitted
from duetime.model.errors import Conflict, DuetimeError, Elsewhere, PartlyStored, StoreAway
from duetime.model.ids import shard_of_key
from duetime.model.job import Job, NewJob
from duetime.store.port import KeyClaim

TRIES = 3
"""A shard can move while jobs are being stored in it. Each try chooses the cells again."""


class CellsSubmit:
    """Routes what the engine's `Submit` does.

    The jobs of one cell are stored all or none. Jobs without a bound shard all go to one cell, so a call with only
    such jobs is stored all or none, as with one database.
    """

    def __init__(self, cells: Cells, quota: Quota, look: Callable[[int, int], Awaitable[Job]], clock: Clock) -> None:
        """`look` finds a job in any cell."""
        self._cells, self._quota, self._look, self._clock = cells, quota, look, clock
        self._rotation = CellRotation(cells)

    async def one(self, job: NewJob) -> Submitted:
        """Accept one job."""
        await self._quota.check([job])
        for _ in range(TRIES):
            cell = self._cell_of(job)
            try:
                if job.idempotency_key is None:
                    return await cell.ask(lambda at: at.submit.one(job, checked=True))
                owner = self._cells.of(self._open(shard_of_key(job.user_id, job.idempotency_key)))
                if owner is cell:
                    return await self._with_key(cell, job)
                return await self._with_key_elsewhere(owner, cell, job, job.idempotency_key)
            except Elsewhere:
                await self._cells.look_again()
        raise Elsewhere

    async def many(self, jobs: Sequence[NewJob]) -> list[int]:
        """Accept many jobs, all or none in each cell. Returns their ids in order.

        Raises `PartlyStored`, which says for each job whether it is stored, when some cells stored their part.
        """
        if not jobs:
            return []
        await self._quota.check(jobs)
        stored: dict[int, int] = {}
        failed: dict[int, DuetimeError] = {}
        left: Sequence[int] = range(len(jobs))
        for _ in range(TRIES):
            groups = self._grouped(jobs, left, failed, refuse=not stored)
            results = await asyncio.gather(
                *(self._many(cell, [jobs[at] for at in positions]) for cell, positions in groups.items())
            )
            moved: list[int] = []
            for positions, result in zip(groups.values(), results, strict=True):
                if isinstance(result, Elsewhere):
                    moved += positions
                elif isinstance(result, DuetimeError):
                    failed.update(dict.fromkeys(positions, result))
                else:
                    stored.update(zip(positions, result, strict=True))
            left = sorted(moved)
            if not left:
                break
            await self._cells.look_again()
        failed.update(dict.fromkeys(left, Elsewhere()))
        if not failed:
            return [stored[at] for at in range(len(jobs))]
        if not stored:
            raise next(iter(failed.values()))
        raise _partly(len(jobs), stored, failed)

    async def stop(self) -> None:
        """Refuse new requests, and finish those that were accepted."""
        await asyncio.gather(*(cell.services.submit.stop() for cell in self._cells))

    def _cell_of(self, job: NewJob) -> Cell:
        """Returns the cell that a job goes to. Raises `StoreAway` when its one shard is closed."""
        shard, pins = bound_shard(job), self._quota.pins(job.user_id)
        if shard is None and pins is not None:
            return self._rotation.next(pins)
        if shard is None and job.idempotency_key is not None:
            shard = shard_of_key(job.user_id, job.idempotency_key)
        return self._rotation.next() if shard is None else self._cells.of(self._open(shard))

    def _open(self, shard: int) -> int:
        self._cells.refuse_closed([shard])
        return shard

    def _grouped(
        self, jobs: Sequence[NewJob], left: Sequence[int], failed: dict[int, DuetimeError], *, refuse: bool
    ) -> dict[Cell, list[int]]:
        """Returns the positions of jobs by their cells. With `refuse`, nothing is stored yet: a closed shard raises."""
        groups: dict[Cell, list[int]] = {}
        anywhere: dict[int, Cell] = {}
        """By user: the cell for its jobs without a bound shard, all in one."""
        for at in left:
            job = jobs[at]
            shard = bound_shard(job)
            if shard is None:
                cell = anywhere.get(job.user_id)
                if cell is None:
                    cell = anywhere[job.user_id] = self._rotation.next(self._quota.pins(job.user_id))
            else:
                closed = self._cells.closed(shard)
                if closed is not None and refuse:
                    raise StoreAway(closed)
                if closed is not None:
                    failed[at] = StoreAway(closed)
                    continue
                cell = self._cells.of(shard)
            groups.setdefault(cell, []).append(at)
        return groups

    async def _many(self, cell: Cell, jobs: Sequence[NewJob]) -> list[int] | DuetimeError:
        try:
            return await cell.ask(lambda at: at.submit.many(jobs, checked=True))
        except DuetimeError as error:
            return error

    async def _with_key(self, cell: Cell, job: NewJob) -> Submitted:
        """Store a job and its key in one cell. The key may be that of a job which has moved or ended elsewhere."""
        return await cell.ask(lambda at: at.submit.one(job, checked=True, look=self._look))

    async def _with_key_elsewhere(self, owner: Cell, cell: Cell, job: NewJob, key: str) -> Submitted:
        """Store the key in one cell and the job in another: the key takes the job's id first.

        If this node dies in between, the key names a job that does not exist. A repeat finds the key, and stores the
        job under that id.
        """
        shard = bound_shard(job)
        if shard is None:
            pins = self._quota.pins(job.user_id) or ()
            shard = next(pin for pin in pins if self._cells.of(pin) is cell)
        claim, now = KeyClaim(key, job.fingerprint or b""), self._clock.now()
        (job_id,) = await cell.run(lambda: cell.placed.new_ids([shard]))
        (holder,) = await owner.run(lambda: owner.placed.claim([job.user_id], [claim], [job_id], now))
        if holder.fingerprint != claim.fingerprint:
            raise Conflict("This idempotency key was used for a different job: use a new key for a new job.")
        cell = self._cells.of_job(holder.job_id)
        made = await cell.run(lambda: cell.services.submit.absent(cell.placed, job, holder.job_id))
        if made is not None:
            return Submitted(made)
        return Submitted(await self._look(job.user_id, holder.job_id), repeated=True)


def _partly(count: int, stored: dict[int, int], failed: dict[int, DuetimeError]) -> PartlyStored:
    reasons: dict[str, list[int]] = {}
    for at, error in sorted(failed.items()):
        reasons.setdefault(error.message, []).append(at)
    return PartlyStored(
        f"{len(stored)} of {count} jobs were stored; the others were not, or it is not known, because of their "
        "database: send those again.",
        stored={str(at): stored[at] for at in sorted(stored)},
        not_stored=sorted(failed),
        reasons=reasons,
    )
