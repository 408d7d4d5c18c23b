"""Edits of jobs, each in the database that the job lives in."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine, Sequence
from datetime import datetime
from typing import Any, TypeVar

from duetime.model.errors import StoreAway
from duetime.model.events import JobEnded
from duetime.model.ids import NodeId, shard_of
from duetime.model.states import JobState
from duetime.store.port import Cancelled, ColumnChange, ControlStore, Edited
from duetime.store.spread.definitions import DefinitionCopies
from duetime.store.spread.member import SpreadMember
from duetime.store.spread.members import Members
from duetime.store.spread.places import SpreadPlaces

T = TypeVar("T")


class SpreadControl:
    """`ControlStore` over several databases."""

    def __init__(self, members: Members, places: SpreadPlaces, copies: DefinitionCopies) -> None:
        self._members, self._places, self._copies = members, places, copies

    async def withdraw(
        self, user_id: int, job_id: int, state: JobState, reason: str, now: datetime, actor: int
    ) -> JobEnded | None:
        """End a job that is not in flight."""
        return await self._where_it_lives(
            job_id, lambda store: store.withdraw(user_id, job_id, state, reason, now, actor)
        )

    async def edit(self, user_id: int, job_id: int, change: ColumnChange, now: datetime, actor: int) -> Edited | None:
        """Change a job that is not in flight."""
        if change.definition_id is not None:
            await self._copies.bring(self._members.of_job(job_id), {change.definition_id}, now.date())
        return await self._where_it_lives(job_id, lambda store: store.edit(user_id, job_id, change, now, actor))

    async def request_cancel(self, user_id: int, job_id: int, now: datetime, actor: int) -> NodeId | None:
        """Ask a run to stop."""
        member = self._members.of_job(job_id)
        executor = await member.ask(lambda stores: stores.control.request_cancel(user_id, job_id, now, actor))
        # This node goes by one id, the one that it has at home.
        return self._members.home.lease.node if executor == member.lease.node else executor

    async def cancel_many(self, user_id: int, job_ids: Sequence[int], now: datetime, actor: int) -> Cancelled:
        """Cancel jobs, each where it lives. One that is just being moved is left for the next call."""
        done = Cancelled([], {})
        for member, some in self._members.by_member(job_ids, shard_of).items():
            ended, asked = await member.ask(
                lambda stores, ids=some: stores.control.cancel_many(user_id, ids, now, actor)
            )
            done.ended.extend(ended)
            here, home = member.lease.node, self._members.home.lease.node
            done.asked.update({job_id: home if node == here else node for job_id, node in asked.items()})
        return done

    async def cancel_requests(self, node: NodeId) -> list[int]:
        """The runs of this node that were asked to stop."""
        found = await asyncio.gather(*(self._asked(member) for member in self._members))
        return [job_id for some in found for job_id in some]

    async def _asked(self, member: SpreadMember) -> list[int]:
        try:
            return await member.ask(lambda stores: stores.control.cancel_requests(member.lease.node))
        except StoreAway:
            return []

    async def _where_it_lives(self, job_id: int, call: Callable[[ControlStore], Coroutine[Any, Any, T]]) -> T:
        """Change a job where it lives. One that was not found there may have moved meanwhile."""
        while True:
            closed = self._places.closed(shard_of(job_id))
            if closed is not None:
                raise StoreAway(closed)
            member = self._members.of_job(job_id)
            done = await member.ask(lambda stores: call(stores.control))
            if done:
                return done
            await self._places.look_again()
            if self._members.of_job(job_id) is member and self._places.closed(shard_of(job_id)) is None:
                return done
