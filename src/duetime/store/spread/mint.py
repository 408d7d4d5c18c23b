"""Launching occurrences in several databases: a schedule lives where its occurrences do."""

from __future__ import annotations

from collections.abc import Callable, Coroutine, Sequence
from datetime import datetime
from typing import Any

from duetime.model.errors import StoreAway
from duetime.model.ids import NodeId, shard_of
from duetime.store.schedule_port import Minted, Minting, ScheduleRow
from duetime.store.spread.launch import those_that_work
from duetime.store.spread.member import SpreadMember
from duetime.store.spread.members import Members
from duetime.store.stores import Stores

Work = Callable[[Stores, NodeId, Sequence[Minting]], Coroutine[Any, Any, Minted]]


class SpreadMint:
    """`MintStore` over several databases; each plan is one transaction in the one that it is for."""

    def __init__(self, members: Members) -> None:
        self._members = members

    async def to_launch(self, ids: Sequence[int]) -> list[tuple[ScheduleRow, list[int]]]:
        """Schedules by id, from wherever they live."""
        found = await self._members.each(lambda stores: stores.mint.to_launch(ids))
        return [one for member, some in found for one in some if self._members.of(one[0].shard) is member]

    async def launch_and_mint(self, node: NodeId, now: datetime, mintings: Sequence[Minting]) -> Minted:
        """Launch occurrences that go as they are."""
        return await self._each(now, mintings, lambda stores, who, some: stores.mint.launch_and_mint(who, now, some))

    async def mint(self, node: NodeId, now: datetime, mintings: Sequence[Minting]) -> Minted:
        """Carry plans out."""
        return await self._each(now, mintings, lambda stores, who, some: stores.mint.mint(who, now, some))

    async def _each(self, now: datetime, mintings: Sequence[Minting], work: Work) -> Minted:
        groups = self._members.by_member(mintings, lambda one: shard_of(one.job_id))
        done = await those_that_work([self._there(member, now, some, work) for member, some in groups.items()])
        minted = Minted()
        for one in done:
            minted.rows.extend(one.rows)
            minted.next.extend(one.next)
            minted.queued.update(one.queued)
            minted.outdated.update(one.outdated)
            minted.deferred.update(one.deferred)
            minted.moved.update(one.moved)
        return minted

    async def _there(self, member: SpreadMember, now: datetime, mintings: Sequence[Minting], work: Work) -> Minted:
        node, ids = member.lease.node, [one.job_id for one in mintings]
        member.launched_as.update(dict.fromkeys(ids, node))
        try:
            minted = await member.ask(lambda stores: work(stores, node, mintings))
        except StoreAway:
            member.doubt(node, now, ids)
            raise
        for job_id in set(ids) - minted.launched:
            member.launched_as.pop(job_id, None)
        return minted
