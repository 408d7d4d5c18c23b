"""Definitions at hand: stored once, remembered both ways, decoded once."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import date

from duetime.model.definition import Definition, definition_hash, encode_definition
from duetime.model.ids import DefinitionId
from duetime.model.job import NewJob
from duetime.model.policy import Limit
from duetime.store.port import LaunchStore, SubmitStore

REMEMBERED = 20_000


class Definitions:
    """Finds a definition's id on the way in, and a definition by its id on the way out."""

    def __init__(self, way_in: SubmitStore, way_out: LaunchStore) -> None:
        self._way_in, self._way_out = way_in, way_out
        self._ids: dict[tuple[int, bytes], int] = {}
        self._by_id: dict[int, Definition] = {}
        self._plain = Definition()
        self._plain_hash = definition_hash(encode_definition(self._plain))
        self._day: date | None = None

    def known(self, user_id: int, definition: Definition) -> DefinitionId:
        """The id of a definition that `intern` has seen."""
        return DefinitionId(self._ids[user_id, self._hash(definition)])

    async def intern(self, jobs: Iterable[NewJob], day: date) -> None:
        """See that the definitions of these jobs are stored. Once a day each is marked as in use."""
        if day != self._day or len(self._ids) > REMEMBERED:
            self._ids.clear()
            self._day = day
        missing = {}
        for job in jobs:
            key = (job.user_id, self._hash(job.definition))
            if key not in self._ids:
                missing[key] = job.definition
        if missing:
            wanted = [(user, digest, encode_definition(one)) for (user, digest), one in missing.items()]
            found = await self._way_in.intern(wanted, day)
            self._ids.update(found)
            self._by_id.update({found[key]: one for key, one in missing.items()})

    async def by_ids(self, ids: set[int]) -> dict[int, Definition]:
        """Definitions by id."""
        missing = [one for one in ids if one not in self._by_id]
        if missing:
            if len(self._by_id) > REMEMBERED:
                self._by_id.clear()
                missing = list(ids)
            self._by_id.update(await self._way_out.definitions(missing))
        return self._by_id

    def limit_of(self, definition_id: int) -> Limit | bool | None:
        """The limits of a definition, from memory; False when it is not there."""
        definition = self._by_id.get(definition_id)
        return False if definition is None else definition.policy.limit

    def _hash(self, definition: Definition) -> bytes:
        if definition == self._plain:
            return self._plain_hash
        return definition_hash(encode_definition(definition))
