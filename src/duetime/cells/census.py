"""The cluster as operators see it, over several cells: each node with what it has in all of them."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine, Iterable, Sequence
from datetime import date, datetime
from itertools import chain
from typing import Any, TypeVar

import msgspec

from duetime.cells.cell import Cell
from duetime.coordination.census import Census
from duetime.coordination.port import Hints
from duetime.model.cluster import ClusterIdentity, NodeState
from duetime.model.errors import StoreAway
from duetime.model.ids import NodeId
from duetime.model.partial_answers import note_missing

T = TypeVar("T")


class CellsCensus:
    """`Census` over several cells. A node has one name, and an id in each cell; the id in the home cell is shown.

    What a cell that is away would have said is noted as missing.
    """

    def __init__(self, home: Census, others: Sequence[tuple[Cell, Census]]) -> None:
        self._home, self._others = home, tuple(others)

    async def identity(self) -> ClusterIdentity:
        """Returns which cluster this is."""
        return await self._home.identity()

    async def nodes(self) -> list[NodeState]:
        """Returns every node that has a lease in the home cell, with what it has in the others too."""
        home, others = await self._home.nodes(), await self._ask(lambda census: census.nodes())
        return summed(home, chain.from_iterable(others))

    async def owners(self) -> list[int]:
        """Returns the owner of each shard, by the ids in the home cell."""
        at_home, owners = _by_name(await self._home.nodes()), await self._home.owners()
        for names in await self._ask(_owning):
            owners = [at_home.get(name, 0) or owner for name, owner in zip(names, owners, strict=True)]
        return owners

    async def orphaned(self) -> int:
        """Returns how many shards no living node owns, in the cells that they live in."""
        return await self._home.orphaned() + sum(await self._ask(lambda census: census.orphaned()))

    async def recent_definitions(self, since: date, limit: int) -> list[int]:
        """Returns the definitions of new jobs in the home cell."""
        return await self._home.recent_definitions(since, limit)

    async def report(self, node: NodeId, oldest_due: datetime | None, clock_skew: float) -> bool | None:
        """Report how this node is, in the home cell."""
        return await self._home.report(node, oldest_due, clock_skew)

    async def _ask(self, call: Callable[[Census], Coroutine[Any, Any, T]]) -> list[T]:
        answers = await asyncio.gather(*(_answer(cell, census, call) for cell, census in self._others))
        return [one for answer in answers for one in answer]


class EveryCellsHints:
    """`Hints` that reach every cell that answers, for what concerns the whole cluster."""

    def __init__(self, cells: Sequence[tuple[Cell, Hints]]) -> None:
        self._cells = tuple(cells)

    def send(self, topic: str, text: str, short: str = "", shard: int | None = None) -> None:
        """Send a text to the other nodes, in every cell."""
        for cell, hints in self._cells:
            if cell.answers:
                hints.send(topic, text, short)

    def listen(self, topic: str, heard: Callable[[str], None]) -> None:
        """Call `heard` for each hint of any cell."""
        for _, hints in self._cells:
            hints.listen(topic, heard)


def summed(home: Sequence[NodeState], elsewhere: Iterable[NodeState]) -> list[NodeState]:
    """Returns the nodes of the home cell, each with the shards and runs that the node of its name has elsewhere."""
    found, at_home = {node.id: node for node in home}, _by_name(home)
    for node in elsewhere:
        if node.name in at_home:
            number = at_home[node.name]
            found[number] = _plus(found[number], node)
    return list(found.values())


def _by_name(nodes: Sequence[NodeState]) -> dict[str, int]:
    """Returns ids by name. A node that lost its lease and joined again has the same name and a higher id."""
    return {node.name: node.id for node in sorted(nodes, key=lambda node: node.id)}


def _plus(node: NodeState, there: NodeState) -> NodeState:
    lowest = [term for term in (node.lowest_term, there.lowest_term) if term is not None]
    highest = [term for term in (node.highest_term, there.highest_term) if term is not None]
    oldest = [at for at in (node.oldest_due, there.oldest_due) if at is not None]
    return msgspec.structs.replace(
        node,
        shards=node.shards + there.shards,
        running=node.running + there.running,
        lowest_term=min(lowest, default=None),
        highest_term=max(highest, default=None),
        oldest_due=min(oldest, default=None),
    )


async def _owning(census: Census) -> list[str]:
    """Returns the name of each shard's owner; empty where a shard has none."""
    names = {node.id: node.name for node in await census.nodes()}
    return [names.get(owner, "") for owner in await census.owners()]


async def _answer(cell: Cell, census: Census, call: Callable[[Census], Coroutine[Any, Any, T]]) -> list[T]:
    try:
        return [await cell.run(lambda: call(census))]
    except StoreAway:
        note_missing(f"{cell.sentence()}: what it has is missing here.")
        return []
