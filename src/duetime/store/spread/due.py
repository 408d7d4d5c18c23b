"""What is due in several databases, merged in due order."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine, Sequence
from datetime import datetime
from operator import itemgetter
from typing import Any

from duetime.model.errors import StoreAway
from duetime.model.ids import shard_of, shard_of_lane
from duetime.store.port import DueStore, JobRef, Wanted, position_of
from duetime.store.spread.member import SpreadMember
from duetime.store.spread.members import Members


class SpreadDue:
    """`DueStore` over several databases. One that is away gives nothing: what it has is read when it is back."""

    def __init__(self, members: Members) -> None:
        self._members = members

    async def due(self, after: tuple[datetime, int], until: datetime, held: Sequence[bool], limit: int) -> list[JobRef]:
        """The look-ahead: the first of all databases' pages is the first page of all."""
        pages = await self._members.everyone(lambda stores: stores.due.due(after, until, held, limit))
        found = {ref.id: ref for page in pages for ref in page}
        return sorted(found.values(), key=lambda ref: (ref.due_at, ref.id))[:limit]

    async def backlog(self, wanted: Sequence[Wanted], now: datetime, held: Sequence[bool]) -> list[JobRef]:
        """What is next in queues: of what each database has, what goes first."""
        pages = await self._members.everyone(lambda stores: stores.due.backlog(wanted, now, held))
        found: dict[int, list[JobRef]] = {one.flow: [] for one in wanted}
        for page in pages:
            for ref in page:
                found[ref.flow].append(ref)
        return [ref for one in wanted for ref in sorted(found[one.flow], key=position_of)[: one.limit]]

    async def due_flows(self, now: datetime) -> list[int]:
        """Queues with something due anywhere."""
        found = await self._members.everyone(lambda stores: stores.due.due_flows(now))
        return sorted({flow for flows in found for flow in flows})

    async def sweep_lanes(self, after: tuple[int, str], limit: int) -> list[tuple[int, str, int | None]]:
        """The next lanes of all databases after a position."""
        pages = await self._members.everyone(lambda stores: stores.due.sweep_lanes(after, limit))
        return sorted({lane for page in pages for lane in page}, key=itemgetter(0, 1))[:limit]

    async def promote(self, lanes: Sequence[tuple[int, str]]) -> list[JobRef]:
        """What is next in lanes, made ready where they live; what is in a database that is away is swept up later."""
        return await self._of_each(lanes, lambda due, some: due.promote(some))

    async def promote_waiting(self, lanes: Sequence[tuple[int, str]]) -> list[JobRef]:
        """What is next in lanes that somebody waits in."""
        return await self._of_each(lanes, lambda due, some: due.promote_waiting(some))

    async def hold_back(self, refs: Sequence[JobRef]) -> None:
        """Ready no longer, wherever they live."""
        groups = self._members.by_member(refs, lambda ref: shard_of(ref.id))
        await asyncio.gather(
            *(member.ask(lambda stores, some=some: stores.due.hold_back(some)) for member, some in groups.items())
        )

    async def _of_each(
        self,
        lanes: Sequence[tuple[int, str]],
        ask: Callable[[DueStore, Sequence[tuple[int, str]]], Coroutine[Any, Any, list[JobRef]]],
    ) -> list[JobRef]:
        groups = self._members.by_member(lanes, lambda lane: shard_of_lane(*lane))

        async def answer(member: SpreadMember, some: Sequence[tuple[int, str]]) -> list[JobRef]:
            try:
                return await member.ask(lambda stores: ask(stores.due, some))
            except StoreAway:
                return []

        heads = await asyncio.gather(*(answer(member, some) for member, some in groups.items()))
        return [ref for some in heads for ref in some]
