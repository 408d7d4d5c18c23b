"""Launching into several databases: each launch is fenced by the database that its job lives in."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine, Sequence
from datetime import datetime
from typing import Any, TypeVar

from duetime.model.definition import Definition
from duetime.model.errors import StoreAway
from duetime.model.ids import NodeId, shard_of
from duetime.store.port import Launch, LaunchedRow
from duetime.store.spread.member import Member
from duetime.store.spread.members import Members

T = TypeVar("T")


class SpreadLaunch:
    """`LaunchStore` over several databases.

    This node has an id of its own in each: under it a launch is committed, and under it the run is settled, so
    the id is remembered with each run. When one database fails, its launches count as not made, and are taken
    back as soon as it answers; the others go on.
    """

    def __init__(self, members: Members) -> None:
        self._members = members

    async def launch(self, node: NodeId, now: datetime, launches: Sequence[Launch]) -> list[LaunchedRow]:
        """Commit launches and read what they are to do, each where its job lives."""
        groups = self._members.by_member(launches, lambda one: shard_of(one.ref.id))
        rows = await those_that_work([self._launch(member, now, some) for member, some in groups.items()])
        return [row for some in rows for row in some]

    async def launched(self, launched: Sequence[tuple[int, int, int]], now: datetime) -> list[LaunchedRow]:
        """What committed launches are to do."""
        groups = self._members.by_member(launched, lambda one: shard_of(one[0]))
        rows = await those_that_work([self._launched(member, some, now) for member, some in groups.items()])
        return [row for some in rows for row in some]

    async def unlaunch(self, node: NodeId, job_ids: Sequence[int], until: datetime) -> None:
        """Take back launches that were never sent; those of a database that is away, when it is back."""
        groups = self._members.by_member(job_ids, shard_of)
        await asyncio.gather(*(self._unlaunch(member, node, some, until) for member, some in groups.items()))

    async def definitions(self, ids: Sequence[int]) -> dict[int, Definition]:
        """Definitions by id: from home, or from whichever database has a copy."""
        found: dict[int, Definition] = {}
        away: StoreAway | None = None
        for member in self._members:
            wanted = [one for one in ids if one not in found]
            if wanted:
                try:
                    found |= await member.ask(lambda stores, some=wanted: stores.launch.definitions(some))
                except StoreAway as error:
                    away = error
        if away is not None and any(one not in found for one in ids):
            raise away
        return found

    async def _launch(self, member: Member, now: datetime, launches: Sequence[Launch]) -> list[LaunchedRow]:
        node, ids = member.lease.node, [one.ref.id for one in launches]
        member.launched_as.update(dict.fromkeys(ids, node))
        try:
            rows = await member.ask(lambda stores: stores.launch.launch(node, now, launches))
        except StoreAway:
            member.doubt(ids, now)
            raise
        if len(rows) < len(ids):
            for job_id in set(ids).difference(row.id for row in rows):
                member.launched_as.pop(job_id, None)
        return rows

    async def _launched(self, member: Member, rows: Sequence[tuple[int, int, int]], now: datetime) -> list[LaunchedRow]:
        try:
            return await member.ask(lambda stores: stores.launch.launched(rows, now))
        except StoreAway:
            member.doubt([row[0] for row in rows], now)
            raise

    async def _unlaunch(self, member: Member, node: NodeId, job_ids: Sequence[int], until: datetime) -> None:
        try:
            await take_back(member, node, job_ids, until)
        except StoreAway:
            member.doubt([one for one in job_ids if one in member.launched_as], until)


async def take_back(member: Member, node: NodeId, job_ids: Sequence[int], until: datetime) -> None:
    """Take back launches up to an instant, under the id that each was launched with."""
    by_node: dict[NodeId, list[int]] = {}
    for job_id in job_ids:
        by_node.setdefault(member.launched_as.get(job_id, node), []).append(job_id)
    for launched_as, some in by_node.items():
        await member.ask(lambda stores, who=launched_as, ids=some: stores.launch.unlaunch(who, ids, until))
    for job_id in job_ids:
        member.launched_as.pop(job_id, None)
    member.doubts.difference_update(job_ids)


async def those_that_work(work: Sequence[Coroutine[Any, Any, T]]) -> list[T]:
    """The results of those databases that answered; `StoreAway` when none did."""
    results = await asyncio.gather(*work, return_exceptions=True)
    found: list[T] = []
    away: BaseException | None = None
    for result in results:
        if not isinstance(result, BaseException):
            found.append(result)
        elif isinstance(result, StoreAway):
            away = result
        else:
            raise result
    if away is not None and not found:
        raise away
    return found
