"""All databases of a cluster: which one a shard lives in, and asking several at once."""

from __future__ import annotations

import asyncio
from collections import defaultdict
from collections.abc import Callable, Coroutine, Iterable, Iterator, Sequence
from typing import Any, TypeVar

from duetime.model.errors import StoreAway
from duetime.model.ids import SHARDS, shard_of, shard_of_lane
from duetime.model.partial_answers import note_missing
from duetime.store.spread.member import SpreadMember
from duetime.store.spread.port import Placement
from duetime.store.stores import Stores

T = TypeVar("T")
I = TypeVar("I")  # noqa: E741 - an item


class Members:
    """The databases in order; the first is the home of users, definitions and names."""

    def __init__(self, members: Sequence[SpreadMember]) -> None:
        self._all = tuple(members)
        self._homes: list[int] = [0] * SHARDS

    @property
    def home(self) -> SpreadMember:
        """Where users live."""
        return self._all[0]

    def __iter__(self) -> Iterator[SpreadMember]:
        """Every database."""
        return iter(self._all)

    def __len__(self) -> int:
        """How many there are."""
        return len(self._all)

    def of(self, shard: int) -> SpreadMember:
        """The database that a shard lives in, or is leaving."""
        return self._all[self._homes[shard]]

    def of_job(self, job_id: int) -> SpreadMember:
        """The database that a job lives in, unless it is long finished."""
        return self._all[self._homes[shard_of(job_id)]]

    def of_lane(self, user_id: int, lane: str) -> SpreadMember:
        """The database that a lane lives in."""
        return self._all[self._homes[shard_of_lane(user_id, lane)]]

    def place(self, homes: Sequence[int]) -> None:
        """Where shards live, as the home database says: for databases that cannot be asked."""
        self._homes = list(homes)
        self._work_out()

    def learn(self, member: SpreadMember, placement: Placement) -> bool:
        """Take in what a database says of itself; whether it is news. A shard that is open somewhere lives there."""
        if placement.version <= member.version:
            return False
        member.version, member.away = placement.version, placement.away
        self._work_out()
        return True

    def _work_out(self) -> None:
        """What is open nowhere just now is where it was last: closed there, and about to open elsewhere."""
        for member in self._all:
            for shard in member.here:
                self._homes[shard] = member.number

    def by_member(self, items: Iterable[I], shard: Callable[[I], int]) -> dict[SpreadMember, list[I]]:
        """Items by the database of their shard."""
        groups: dict[SpreadMember, list[I]] = defaultdict(list)
        homes, members = self._homes, self._all
        for item in items:
            groups[members[homes[shard(item)]]].append(item)
        return groups

    async def everyone(self, call: Callable[[Stores], Coroutine[Any, Any, T]]) -> list[T]:
        """What all databases that answer say. What others would have said is noted as missing."""
        return [answer for _, answer in await self.each(call)]

    async def each(self, call: Callable[[Stores], Coroutine[Any, Any, T]]) -> list[tuple[SpreadMember, T]]:
        """The same, with who said it."""
        answers = await asyncio.gather(*(self._or_none(member, call) for member in self._all))
        found = [answer for answer in answers if answer is not None]
        if not found:
            raise StoreAway
        return found

    async def first(
        self, call: Callable[[Stores], Coroutine[Any, Any, T | None]], at: SpreadMember | None = None
    ) -> T | None:
        """The first answer that is one, looking at one database before the others.

        `StoreAway` when there is none, and a database that may have one is away.
        """
        away: StoreAway | None = None
        for member in sorted(self._all, key=lambda one: one is not at):
            try:
                found = await member.ask(call)
            except StoreAway as error:
                away = error
                continue
            if found is not None:
                return found
        if away is not None:
            raise away
        return None

    async def _or_none(
        self, member: SpreadMember, call: Callable[[Stores], Coroutine[Any, Any, T]]
    ) -> tuple[SpreadMember, T] | None:
        try:
            return member, await member.ask(call)
        except StoreAway:
            note_missing(f"{member.sentence()}: what it has is missing here.")
            return None
