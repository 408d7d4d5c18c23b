"""Definitions at hand: stored once, remembered both ways, decoded once."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import date
from typing import NamedTuple, cast

from duetime.model.definition import PLAIN, Definition, definition_hash, encode_definition
from duetime.model.flow import flow_of_job
from duetime.model.ids import DefinitionId, Flow, UserId, shard_of_definition
from duetime.model.policy import Limit
from duetime.store.port import LaunchStore, SubmitStore

REMEMBERED = 20_000
_Missing = dict[tuple[int, bytes], tuple[Definition, bytes, list[int]]]
"""By user and hash: a definition, its spelling, and the places that wait for it."""


class InternedDefinition(NamedTuple):
    """What follows from a definition for every job that has it: worked out once."""

    id: DefinitionId
    flow: Flow
    shard: int | None
    """The one shard of its jobs, if limits bind them together."""


class Definitions:
    """Finds a definition's id on the way in, and a definition by its id on the way out."""

    def __init__(self, way_in: SubmitStore, way_out: LaunchStore) -> None:
        self._way_in, self._way_out = way_in, way_out
        self._plain: dict[int, InternedDefinition] = {}
        self._known: dict[tuple[int, bytes], InternedDefinition] = {}
        self._by_id: dict[int, Definition] = {}
        self._day: date | None = None

    async def intern(self, wanted: Sequence[tuple[int, Definition]], day: date) -> list[InternedDefinition]:
        """Store the definitions of these users if they are new. Once a day each is marked as in use."""
        if day != self._day or len(self._known) > REMEMBERED:
            self._plain, self._known, self._day = {}, {}, day
        found: list[InternedDefinition | None] = []
        missing: _Missing = {}
        plain = self._plain
        for user_id, definition in wanted:
            known = plain.get(user_id) if definition is PLAIN else None
            if known is None:
                body = encode_definition(definition)
                key = (user_id, definition_hash(body))
                known = self._known.get(key)
                if known is None:
                    missing.setdefault(key, (definition, body, []))[2].append(len(found))
            found.append(known)
        if missing:
            await self._store(missing, day, found)
        return cast(list[InternedDefinition], found)

    def known(self, user_id: int, definition: Definition) -> InternedDefinition:
        """What `intern` has just found out."""
        return self._known[user_id, definition_hash(encode_definition(definition))]

    async def _store(self, missing: _Missing, day: date, found: list[InternedDefinition | None]) -> None:
        rows = [(UserId(user_id), digest, body) for (user_id, digest), (_, body, _) in missing.items()]
        ids = await self._way_in.intern(rows, day)
        for key, (definition, _, places) in missing.items():
            definition_id = DefinitionId(ids[key])
            shard = None if definition.policy.limit is None else shard_of_definition(definition_id)
            known = InternedDefinition(definition_id, flow_of_job(key[0], definition_id, definition), shard)
            self._known[key] = known
            self._remember({definition_id: definition})
            if definition is PLAIN:
                self._plain[key[0]] = known
            for place in places:
                found[place] = known

    async def by_ids(self, ids: set[int]) -> dict[int, Definition]:
        """Definitions by id. The answer is the caller's own: what is remembered here may be forgotten at any time."""
        found = {one: self._by_id[one] for one in ids if one in self._by_id}
        missing = [one for one in ids if one not in found]
        if missing:
            read = await self._way_out.definitions(missing)
            self._remember(read)
            found |= read
        return found

    def _remember(self, definitions: Mapping[int, Definition]) -> None:
        if len(self._by_id) > REMEMBERED:
            self._by_id.clear()
        self._by_id.update(definitions)

    def requires_of(self, definition_id: int) -> Mapping[str, str] | bool | None:
        """The labels that a definition requires, from memory; False when it is not there."""
        definition = self._by_id.get(definition_id)
        return False if definition is None else definition.policy.requires or None

    def limit_of(self, definition_id: int) -> Limit | bool | None:
        """The limits of a definition, from memory; False when it is not there."""
        definition = self._by_id.get(definition_id)
        return False if definition is None else definition.policy.limit
