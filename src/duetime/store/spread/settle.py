"""Settling in several databases: outcomes for one that is away wait here, and hold nothing else up."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from datetime import UTC, datetime

import structlog

from duetime.model.errors import StoreAway
from duetime.model.ids import NodeId, shard_of
from duetime.store.port import Again, Ending, JobRef, Orphan
from duetime.store.spread.launch import resolve_doubts, take_back
from duetime.store.spread.member import SpreadMember
from duetime.store.spread.members import Members

log = structlog.get_logger()
NEVER = datetime.max.replace(tzinfo=UTC)
AT_ONCE = 1000


class SpreadSettle:
    """`SettleStore` over several databases.

    An outcome whose database is away counts as settled for the engine, and is kept until `settle_what_waits` has
    stored it: no outcome is dropped, and the others' are not held up by it.
    """

    def __init__(self, members: Members) -> None:
        self._members = members

    @property
    def waiting(self) -> int:
        """Outcomes that wait for a database."""
        return sum(len(member.endings) + len(member.agains) for member in self._members)

    async def finish(self, endings: Sequence[Ending]) -> set[int]:
        """Move jobs to history."""
        groups = self._members.by_member(endings, lambda one: shard_of(one.job_id))
        settled = await asyncio.gather(*(self._finish(member, some) for member, some in groups.items()))
        return {job_id for some in settled for job_id in some}

    async def retry(self, again: Sequence[Again]) -> list[JobRef]:
        """Record runs and let their jobs wait for the next attempt."""
        groups = self._members.by_member(again, lambda one: shard_of(one.job_id))
        stored = await asyncio.gather(*(self._retry(member, some) for member, some in groups.items()))
        return [ref for some in stored for ref in some]

    async def launched_before(self, node: NodeId, before: datetime, limit: int) -> list[Orphan]:
        """Launches of this node that are older than an instant, under whatever id it has in each database."""
        found = await asyncio.gather(*(self._mine(member, before, limit) for member in self._members))
        return [orphan for some in found for orphan in some]

    async def orphans(self, held: Sequence[bool], limit: int) -> list[Orphan]:
        """Runs whose executor has no lease."""
        pages = await self._members.everyone(lambda stores: stores.settle.orphans(held, limit))
        return [orphan for page in pages for orphan in page][:limit]

    async def settle_what_waits(self) -> None:
        """Store the outcomes of databases that are back."""
        for member in self._members:
            if member.answers and (member.endings or member.agains):
                log.info("a database is back: outcomes that waited for it are stored", database=member.number)
                await self._settle_waiting(member)

    async def _settle_waiting(self, member: SpreadMember) -> None:
        while member.agains:
            some = member.agains[:AT_ONCE]
            stored = {ref.id for ref in await member.ask(lambda stores, s=some: stores.settle.retry(s))}
            del member.agains[: len(some)]
            member.endings += [one.stopped() for one in some if one.job_id not in stored]
        while member.endings:
            some = member.endings[:AT_ONCE]
            await member.ask(lambda stores, s=some: stores.settle.finish(s))
            del member.endings[: len(some)]

    async def _finish(self, member: SpreadMember, endings: Sequence[Ending]) -> set[int]:
        mine = [one._replace(executor=_holder(member, one.job_id, one.executor)) for one in endings]
        try:
            settled = await member.ask(lambda stores: stores.settle.finish(mine))
        except StoreAway:
            member.endings += mine
            settled = {one.job_id for one in mine}
        _forget(member, mine)
        return settled

    async def _retry(self, member: SpreadMember, again: Sequence[Again]) -> list[JobRef]:
        mine = [one._replace(executor=_holder(member, one.job_id, one.executor)) for one in again]
        try:
            stored = await member.ask(lambda stores: stores.settle.retry(mine))
        except StoreAway:
            member.agains += mine
            _forget(member, mine)
            # As references to something that is not due: the engine lets the runs go, and looks at nothing.
            return [JobRef(one.job_id, 0, 0, 0, NEVER, one.attempt, None, NEVER) for one in mine]
        done = {ref.id for ref in stored}
        # Those that were asked to stop are finished next, under the same id.
        _forget(member, [one for one in mine if one.job_id in done])
        return stored

    async def _mine(self, member: SpreadMember, before: datetime, limit: int) -> list[Orphan]:
        """What was launched there in this node's name; launches in doubt are taken back first."""
        if not member.answers:
            return []
        ended = _ended(member)
        try:
            if await take_back(member) + await resolve_doubts(member, before):
                member.blind = True
            node = member.lease.node
            found = await member.ask(lambda stores: stores.settle.launched_before(node, before, limit))
        except StoreAway:
            return []
        ended |= _ended(member)
        strays = [orphan for orphan in found if orphan.job_id not in ended]
        for orphan in strays:
            member.launched_as.setdefault(orphan.job_id, node)
        return strays


def _ended(member: SpreadMember) -> set[int]:
    """Runs that are over, though their database does not know it yet: nothing to take back."""
    return {one.job_id for one in member.endings} | {one.job_id for one in member.agains}


def _holder(member: SpreadMember, job_id: int, executor: int) -> int:
    """Under which id a run is held: this node's own in that database, or that of an executor that is gone."""
    return member.launched_as.get(job_id, executor)


def _forget(member: SpreadMember, settled: Sequence[Ending] | Sequence[Again]) -> None:
    for one in settled:
        member.launched_as.pop(one.job_id, None)
