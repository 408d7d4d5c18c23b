"""Launches on offer in several databases: offered where the job lives, taken from all in turn."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from datetime import datetime

import msgspec

from duetime.model.errors import StoreAway
from duetime.model.ids import NodeId, shard_of
from duetime.store.offer_port import Abilities, Executor, InFlight, OfferStore, Taken
from duetime.store.port import LaunchIntent
from duetime.store.spread.launch import those_that_work
from duetime.store.spread.member import SpreadMember
from duetime.store.spread.members import Members
from duetime.store.stores import Stores


class SpreadOffers:
    """`OfferStore` over several databases. Every node reports in each; executors are counted in one of them."""

    def __init__(self, members: Members) -> None:
        self._members = members
        self._report: Abilities | None = None
        self._reported: dict[int, tuple[NodeId, Abilities]] = {}
        self._first = 0

    async def offer(
        self, node: NodeId, now: datetime, launches: Sequence[LaunchIntent], requires: str | None
    ) -> set[int]:
        """Commit launches on offer, each where its job lives."""
        groups = self._members.by_member(launches, lambda one: shard_of(one.ref.id))
        done = await those_that_work(
            [
                member.ask(lambda stores, m=member, a=some: _offers(stores).offer(m.lease.node, now, a, requires))
                for member, some in groups.items()
            ]
        )
        return {job_id for some in done for job_id in some}

    async def hand_over(self, node: NodeId, job_ids: Sequence[int], requires: str | None) -> None:
        """Put committed launches of this node, which were never sent, on offer."""
        for member, some in self._members.by_member(job_ids, shard_of).items():
            by_node: dict[NodeId, list[int]] = {}
            for job_id in some:
                by_node.setdefault(member.launched_as.get(job_id, node), []).append(job_id)
            for who, ids in by_node.items():
                await member.ask(lambda stores, w=who, i=ids: _offers(stores).hand_over(w, i, requires))
            for job_id in some:
                member.launched_as.pop(job_id, None)

    async def take(self, node: NodeId, labels: str, limit: int, now: datetime) -> list[Taken]:
        """Take what is on offer, each time beginning with another database."""
        self._first += 1
        members = [member for member in self._members if member.answers]
        taken: list[Taken] = []
        for at in range(len(members)):
            member, room = members[(self._first + at) % len(members)], limit - len(taken)
            if room > 0:
                taken += await self._take(member, labels, room, now)
        return taken

    async def take_back(self, held: Sequence[bool], before: datetime, limit: int) -> list[int]:
        """Undo offers that nobody took since an instant."""
        found = await self._members.everyone(lambda stores: _offers(stores).take_back(held, before, limit))
        return [job_id for some in found for job_id in some]

    async def standing(self, job_ids: Sequence[int]) -> list[InFlight]:
        """Which of these jobs are in flight; nothing is known of those of a database that is away."""
        groups = self._members.by_member(job_ids, shard_of)
        found = await asyncio.gather(*(self._standing(member, some) for member, some in groups.items()))
        return [one for some in found for one in some]

    async def report(self, node: NodeId, report: Abilities, *, first: bool) -> None:
        """Make known what this node says of itself, under the id that it has in each database."""
        self._report = report
        await self._report_everywhere()

    async def executors(self) -> list[Executor]:
        """The living executors, as one database knows them: home, or another while home is away."""
        await self._report_everywhere()
        for member in self._members:
            try:
                found = await member.ask(lambda stores: _offers(stores).executors())
            except StoreAway:
                continue
            here, me = member.lease.node, self._members.home.lease.node
            return [msgspec.structs.replace(one, node=me) if one.node == here else one for one in found]
        raise StoreAway

    async def other_keys(self, key_print: bytes) -> list[str]:
        """The names of living APIs whose tokens are signed with another key."""
        return await self._members.home.ask(lambda stores: _offers(stores).other_keys(key_print))

    async def _take(self, member: SpreadMember, labels: str, limit: int, now: datetime) -> list[Taken]:
        node = member.lease.node
        try:
            taken = await member.ask(lambda stores: _offers(stores).take(node, labels, limit, now))
        except StoreAway:
            member.doubt(node, now)
            return []
        member.launched_as.update(dict.fromkeys((one.job_id for one in taken), node))
        return taken

    async def _standing(self, member: SpreadMember, job_ids: Sequence[int]) -> list[InFlight]:
        try:
            return await member.ask(lambda stores: _offers(stores).standing(job_ids))
        except StoreAway:
            return []

    async def _report_everywhere(self) -> None:
        """Where it was not said yet: other slots, or a new id after a new lease."""
        report = self._report
        for member in self._members:
            node = member.lease.node
            if report is None or not member.answers or self._reported.get(member.number) == (node, report):
                continue
            first = self._reported.get(member.number, (NodeId(0), None))[0] != node
            try:
                await member.ask(lambda stores, n=node, f=first: _offers(stores).report(n, report, first=f))
            except StoreAway:
                continue
            self._reported[member.number] = (node, report)


def _offers(stores: Stores) -> OfferStore:
    if stores.offers is None:
        raise StoreAway
    return stores.offers
