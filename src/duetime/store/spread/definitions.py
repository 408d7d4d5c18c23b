"""Definitions have their ids from the home database and a copy wherever jobs need them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import date

from duetime.model.ids import UserId
from duetime.store.spread.member import SpreadMember
from duetime.store.spread.members import Members
from duetime.store.spread.port import DefinitionCopy

REMEMBERED = 20_000


class DefinitionCopies:
    """Brings definitions to where jobs go, each once a day."""

    def __init__(self, members: Members) -> None:
        self._members = members
        self._bodies: dict[int, DefinitionCopy] = {}
        self._day: date | None = None

    def remember(
        self, wanted: Sequence[tuple[UserId, bytes, bytes]], ids: Mapping[tuple[int, bytes], int], day: date
    ) -> None:
        """These were given ids just now."""
        if day != self._day or len(self._bodies) > REMEMBERED:
            self._day = day
            self._bodies.clear()
            for member in self._members:
                member.copied.clear()
        for user_id, digest, body in wanted:
            definition_id = ids[user_id, digest]
            self._bodies[definition_id] = DefinitionCopy(definition_id, user_id, digest, body)

    async def bring(self, member: SpreadMember, ids: set[int], day: date) -> None:
        """See that a database has these definitions."""
        if member is self._members.home:
            return
        wanted = ids - member.copied
        if not wanted:
            return
        unknown = [one for one in wanted if one not in self._bodies]
        if unknown:
            home = self._members.home
            found = await home.ask(lambda _: home.placed.whole_definitions(unknown))
            self._bodies.update({one.id: one for one in found})
        copies = [self._bodies[one] for one in sorted(wanted)]
        await member.ask(lambda _: member.placed.copy_definitions(copies, day))
        member.copied |= wanted
