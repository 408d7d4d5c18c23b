"""Where jobs can be stored while there are several databases: open shards in turn, one database for each request."""

from __future__ import annotations

import asyncio
from secrets import randbelow

from duetime.model.errors import StoreAway
from duetime.model.ids import SHARDS, shard_of_key
from duetime.store.placement import Picker
from duetime.store.spread.member import SpreadMember
from duetime.store.spread.members import Members

STRIDE = 633
"""From one request to the next, in shards: nearly the golden part of all, so that databases take turns evenly."""


class SpreadPlaces:
    """`Places` over several databases."""

    several = True

    def __init__(self, members: Members) -> None:
        self._members = members
        self._request = self._turn = randbelow(SHARDS)
        self._known: tuple[tuple[bool, int], ...] = ()
        self._open: list[int] = []
        self._open_in: dict[int, list[int]] = {}

    def picker(self) -> Picker:
        """The next database in turn, each as often as it has open shards; then its shards in turn."""
        self._refresh()
        self._request += STRIDE
        everywhere = self._open or list(range(SHARDS))
        first = everywhere[self._request % len(everywhere)]
        shards = self._open_in.get(self._members.of(first).number) or [first]

        def pick(user_id: int, key: str | None) -> int:
            if key is not None:
                return shard_of_key(user_id, key)
            self._turn += 1
            return shards[self._turn % len(shards)]

        return pick

    def part(self, shard: int) -> int:
        """One part for each database."""
        return self._members.of(shard).number

    def key_part(self, user_id: int, key: str) -> int:
        """Where a key lives: in the database of its shard."""
        return self.part(shard_of_key(user_id, key))

    def closed(self, shard: int) -> str | None:
        """Away with its database, or on its way to another."""
        member = self._members.of(shard)
        if not member.answers:
            return f"{member.sentence()}: what belongs there cannot be stored now, try again."
        if shard in member.away:
            return f"Shard {shard} is just being moved to another database: try again."
        return None

    async def look_again(self) -> None:
        """Ask every database which shards are open."""
        await asyncio.gather(*(self._look(member) for member in self._members if member.answers))

    async def _look(self, member: SpreadMember) -> None:
        try:
            self._members.learn(member, await member.ask(lambda _: member.placing.placement()))
        except StoreAway:
            return

    def _refresh(self) -> None:
        """Work out anew what is open, when something changed."""
        known = tuple((member.answers, member.version) for member in self._members)
        if known == self._known:
            return
        self._known = known
        self._open_in = {member.number: sorted(member.here) for member in self._members if member.answers}
        self._open = sorted(shard for shards in self._open_in.values() for shard in shards)
