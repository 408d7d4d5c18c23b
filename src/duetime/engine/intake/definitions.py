"""Definitions in memory: each is stored once, decoded once, and found by its content or by its id."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence
from datetime import date
from typing import NamedTuple, cast

from duetime.engine.workflows.inputs import StepInputs
from duetime.model.definition import PLAIN, Definition, definition_hash, encode_definition
from duetime.model.errors import Invalid
from duetime.model.flow import PART, flow_of_job, limited_definition
from duetime.model.ids import DefinitionId, Flow, UserId, shard_of_definition
from duetime.model.policy import Limit
from duetime.model.pull import Pulled
from duetime.store.port import LaunchStore, SubmitStore

REMEMBERED = 20_000
_Missing = dict[tuple[int, bytes], tuple[Definition, bytes, list[int]]]
"""By user and hash: a definition, its encoded form, and the positions in the answer that wait for it."""


class InternedDefinition(NamedTuple):
    """What a definition implies for every job that has it, computed once."""

    id: DefinitionId
    flow: Flow
    shard: int | None
    """The shard of all its jobs, if it has limits: one scheduler must count them. None otherwise."""


class Definitions:
    """Finds the id of a definition when jobs are stored, and a definition by its id when jobs are launched."""

    def __init__(self, way_in: SubmitStore, way_out: LaunchStore, *, has_workers: bool = True) -> None:
        """Without workers, jobs that workers pull are refused."""
        self._way_in, self._way_out, self._has_workers = way_in, way_out, has_workers
        self._plain: dict[int, InternedDefinition] = {}
        self._known: dict[tuple[int, bytes], InternedDefinition] = {}
        self._by_id: dict[int, Definition] = {}
        self._day: date | None = None
        self.admit: Callable[[int, Sequence[bytes]], Awaitable[None]] | None = None
        """Raises if a user may not have definitions with these hashes: called before they are stored."""
        self.inputs: StepInputs | None = None
        """Gives runs of steps their inputs. None: there are no workflows."""
        self.has_steps = False
        """Whether this node has met a step of a workflow. While it has not, nothing looks for steps."""

    async def intern(self, wanted: Sequence[tuple[int, Definition]], day: date) -> list[InternedDefinition]:
        """Store definitions of users that are new, and mark each as in use once a day. Returns all of them in order."""
        if day != self._day or len(self._known) > REMEMBERED:
            self._plain, self._known, self._day = {}, {}, day
        found: list[InternedDefinition | None] = []
        missing: _Missing = {}
        plain = self._plain
        keys: dict[tuple[int, int], tuple[int, bytes]] = {}
        """By user and `id()`: jobs of one request share the objects of their definitions."""
        for user_id, definition in wanted:
            known = plain.get(user_id) if definition is PLAIN else None
            if known is None:
                same = (user_id, id(definition))
                key = keys.get(same)
                if key is None:
                    body = encode_definition(definition)
                    key = keys[same] = (user_id, definition_hash(body))
                    if key not in self._known:
                        missing.setdefault(key, (definition, body, []))
                known = self._known.get(key)
                if known is None:
                    missing[key][2].append(len(found))
            found.append(known)
        if missing:
            await self._store(missing, day, found)
        return cast(list[InternedDefinition], found)

    def known(self, user_id: int, definition: Definition) -> InternedDefinition:
        """Returns a definition that `intern` has just found or stored."""
        return self._known[user_id, definition_hash(encode_definition(definition))]

    async def _store(self, missing: _Missing, day: date, found: list[InternedDefinition | None]) -> None:
        if not self._has_workers and any(one.target.pulled() or one.target.spreads() for one, _, _ in missing.values()):
            raise Invalid(
                "Queues and broadcasts need a single database, and this cluster has several: use another target.",
                field="target.kind",
            )
        if self.admit is not None:
            for user in {user_id for user_id, _ in missing}:
                await self.admit(user, [digest for user_id, digest in missing if user_id == user])
        rows = [(UserId(user_id), digest, body) for (user_id, digest), (_, body, _) in missing.items()]
        ids = await self._way_in.intern(rows, day)
        for key, (definition, _, positions) in missing.items():
            definition_id = DefinitionId(ids[key])
            shard = None if definition.policy.limit is None else shard_of_definition(*key)
            known = InternedDefinition(definition_id, flow_of_job(key[0], definition_id, definition), shard)
            self._known[key] = known
            self._remember({definition_id: definition})
            if definition is PLAIN:
                self._plain[key[0]] = known
            for position in positions:
                found[position] = known

    async def by_ids(self, ids: set[int]) -> dict[int, Definition]:
        """Returns definitions by id, in a dict of the caller's own: this memory can be cleared at any time."""
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
        self.has_steps = self.has_steps or any(one.step is True for one in definitions.values())

    def requires_of(self, definition_id: int) -> Mapping[str, str] | bool | None:
        """Returns the labels that a definition requires, from memory. False: the definition is not in memory."""
        definition = self._by_id.get(definition_id)
        return False if definition is None else definition.policy.requires or None

    def pulled_of(self, definition_id: int) -> Pulled | None:
        """Returns what a worker must take to pull jobs of a definition, from memory."""
        definition = self._by_id.get(definition_id)
        return None if definition is None else definition.target.pulled()

    def takes_slot(self, flow: int) -> bool:
        """Whether the runs of a flow other than a plain one take slots, from memory."""
        definition_id = limited_definition(flow)
        if definition_id is None:
            return bool(flow & PART)
        definition = self._by_id.get(definition_id)
        return definition is None or definition.target.takes_slot

    def limit_of(self, definition_id: int) -> Limit | bool | None:
        """Returns the limits of a definition, from memory. False: the definition is not in memory."""
        definition = self._by_id.get(definition_id)
        return False if definition is None else definition.policy.limit
