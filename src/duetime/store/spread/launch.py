"""Launching into several databases: each launch is fenced by the database that its job lives in."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine, Sequence
from datetime import datetime
from typing import Any, TypeVar

import structlog

from duetime.model.definition import Definition
from duetime.model.errors import StoreAway
from duetime.model.events import JobEnded
from duetime.model.ids import NodeId, shard_of
from duetime.store.port import Launched, LaunchIntent
from duetime.store.spread.member import SpreadMember
from duetime.store.spread.members import Members

log = structlog.get_logger()
T = TypeVar("T")


class SpreadLaunch:
    """`LaunchStore` over several databases.

    This node has an id of its own in each: under it a launch is committed, and under it the run is settled, so
    the id is remembered with each run. When one database fails, its launches count as not made, and are taken
    back as soon as it answers; the others go on.
    """

    def __init__(self, members: Members) -> None:
        self._members = members

    async def launch(self, node: NodeId, now: datetime, launches: Sequence[LaunchIntent]) -> Launched:
        """Commit launches and read what they are to do, each where its job lives."""
        groups = self._members.by_member(launches, lambda one: shard_of(one.ref.id))
        done = await those_that_work([self._launch(member, now, some) for member, some in groups.items()])
        return Launched([row for one in done for row in one.rows], [job_id for one in done for job_id in one.gone])

    async def unlaunch(self, node: NodeId, job_ids: Sequence[int], until: datetime) -> list[JobEnded]:
        """Take back launches that were never sent; those of a database that is away, when it is back.

        Which jobs ended by it is not returned: it may happen later.
        """
        for member, some in self._members.by_member(job_ids, shard_of).items():
            for job_id in some:
                who = member.launched_as.pop(job_id, node)
                member.owed.setdefault((who, until), set()).add(job_id)
        await asyncio.gather(*(_what_is_owed(member) for member in self._members if member.owed))
        return []

    async def left_behind(self, node: NodeId, instants: Sequence[datetime]) -> list[int]:
        """Launches that became this node's at one of these instants; a database that is away is asked later."""
        found = await asyncio.gather(*(self._left_behind(member, instants) for member in self._members))
        return [job_id for some in found for job_id in some]

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

    async def _launch(self, member: SpreadMember, now: datetime, launches: Sequence[LaunchIntent]) -> Launched:
        node, ids = member.lease.node, [one.ref.id for one in launches]
        member.launched_as.update(dict.fromkeys(ids, node))
        try:
            launched = await member.ask(lambda stores: stores.launch.launch(node, now, launches))
        except StoreAway:
            member.doubt(node, now, ids)
            raise
        for job_id in set(ids).difference((row.id for row in launched.rows), launched.gone):
            member.launched_as.pop(job_id, None)
        return launched

    async def _left_behind(self, member: SpreadMember, instants: Sequence[datetime]) -> list[int]:
        node = member.lease.node
        try:
            found = await member.ask(lambda stores: stores.launch.left_behind(node, instants))
        except StoreAway:
            for at in instants:
                member.doubt(node, at)
            return []
        member.launched_as.update(dict.fromkeys(found, node))
        return found


async def _what_is_owed(member: SpreadMember) -> None:
    try:
        await take_back(member)
    except StoreAway:
        log.debug("launches are taken back when their database answers", database=member.number)


async def take_back(member: SpreadMember) -> int:
    """Take back what is owed to a database; how many launches."""
    count = 0
    for (who, until), ids in list(member.owed.items()):
        asked = list(ids)
        await member.ask(lambda stores, w=who, i=asked, u=until: stores.launch.unlaunch(w, i, u))
        ids.difference_update(asked)
        if not ids:
            member.owed.pop((who, until), None)
        count += len(asked)
    return count


async def resolve_doubts(member: SpreadMember, before: datetime) -> int:
    """Take back what statements in doubt have done so far; how many launches. Those from before are over."""
    count = 0
    for (who, at), meant in list(member.doubts.items()):
        found = await member.ask(lambda stores, w=who, a=at: stores.launch.left_behind(w, [a]))
        mine = [job_id for job_id in found if meant is None or job_id in meant]
        if mine:
            await member.ask(lambda stores, w=who, i=mine, a=at: stores.launch.unlaunch(w, i, a))
            count += len(mine)
        if at < before:
            member.doubts.pop((who, at), None)
    return count


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
