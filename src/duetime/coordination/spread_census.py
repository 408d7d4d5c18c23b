"""The cluster over several databases: each node counted with what it has in all of them."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine, Iterable, Sequence
from datetime import date, datetime
from itertools import chain
from typing import Any, Protocol, TypeVar

import msgspec

from duetime.coordination.census import Census
from duetime.model.cluster import ClusterIdentity, NodeState
from duetime.model.errors import StoreAway
from duetime.model.ids import NodeId
from duetime.model.partial_answers import note_missing

T = TypeVar("T")


class Asked(Protocol):
    """A database that may be away."""

    def sentence(self) -> str:
        """What is missing while it is away."""
        ...

    async def ask(self, call: Callable[[Any], Coroutine[Any, Any, T]], /) -> T:
        """Make a call on it; `StoreAway` when it is away."""
        ...


class SpreadCensus:
    """`Census` over several databases. A node has an id in each, and is known by its name; the id at home is shown.

    What a database that is away would have said is noted as missing.
    """

    def __init__(self, home: Census, others: Sequence[tuple[Asked, Census]]) -> None:
        self._home, self._others = home, tuple(others)

    async def identity(self) -> ClusterIdentity:
        """Which cluster this is."""
        return await self._home.identity()

    async def nodes(self) -> list[NodeState]:
        """Every node that has a lease at home, with what it has elsewhere too."""
        home, others = await self._home.nodes(), await self._ask(lambda census: census.nodes())
        return summed(home, chain.from_iterable(others))

    async def owners(self) -> list[int]:
        """Who owns each shard, by the ids at home; a shard has an owner only where it lives."""
        at_home, owners = _by_name(await self._home.nodes()), await self._home.owners()
        for names in await self._ask(_owning):
            owners = [at_home.get(name, 0) or owner for name, owner in zip(names, owners, strict=True)]
        return owners

    async def orphaned(self) -> int:
        """How many shards no living node owns, where they live."""
        return await self._home.orphaned() + sum(await self._ask(lambda census: census.orphaned()))

    async def recent_definitions(self, since: date, limit: int) -> list[int]:
        """Definitions that new jobs have had lately: home has them all."""
        return await self._home.recent_definitions(since, limit)

    async def report(self, node: NodeId, oldest_due: datetime | None, clock_skew: float) -> bool | None:
        """Say how this node is, at home."""
        return await self._home.report(node, oldest_due, clock_skew)

    async def _ask(self, call: Callable[[Census], Coroutine[Any, Any, T]]) -> list[T]:
        answers = await asyncio.gather(*(_answer(database, census, call) for database, census in self._others))
        return [one for answer in answers for one in answer]


def summed(home: Sequence[NodeState], elsewhere: Iterable[NodeState]) -> list[NodeState]:
    """Nodes at home, each with the shards and runs that the node of its name has elsewhere."""
    found, at_home = {node.id: node for node in home}, _by_name(home)
    for node in elsewhere:
        if node.name in at_home:
            number = at_home[node.name]
            found[number] = _plus(found[number], node)
    return list(found.values())


def _by_name(nodes: Sequence[NodeState]) -> dict[str, int]:
    """Ids by name; one that lost its lease and joined again has the same name and a higher id."""
    return {node.name: node.id for node in sorted(nodes, key=lambda node: node.id)}


def _plus(node: NodeState, there: NodeState) -> NodeState:
    lowest = [term for term in (node.lowest_term, there.lowest_term) if term is not None]
    highest = [term for term in (node.highest_term, there.highest_term) if term is not None]
    return msgspec.structs.replace(
        node,
        shards=node.shards + there.shards,
        running=node.running + there.running,
        lowest_term=min(lowest, default=None),
        highest_term=max(highest, default=None),
    )


async def _owning(census: Census) -> list[str]:
    """The name of each shard's owner; empty for nobody."""
    names = {node.id: node.name for node in await census.nodes()}
    return [names.get(owner, "") for owner in await census.owners()]


async def _answer(database: Asked, census: Census, call: Callable[[Census], Coroutine[Any, Any, T]]) -> list[T]:
    """What a database says; nothing while it is away."""
    try:
        return [await database.ask(lambda _: call(census))]
    except StoreAway:
        note_missing(f"{database.sentence()}: what it has is missing here.")
        return []
