"""Ownership in several databases: in each a lease and shards of its own, seen by the engine as one."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence

import structlog

from duetime.coordination.ownership import Ownership
from duetime.coordination.port import Hints
from duetime.model.errors import StoreAway
from duetime.model.ids import SHARDS, NodeId

log = structlog.get_logger()


class SpreadOwnership(Ownership):
    """What this node holds in all databases together.

    Fencing stays where the jobs are: a database's launches are fenced by the lease and the terms in that same
    database. When one lease is not trusted any more, that database's shards count as not held, and nothing else
    changes. This node's id is the one that it has in the first, the home database.
    """

    def __init__(self, parts: Sequence[Ownership]) -> None:
        self.parts = tuple(parts)
        self.on_change: Callable[[], None] = lambda: None
        self.before_release: Callable[[], Awaitable[None]] | None = None
        self._trust: tuple[bool, ...] = ()
        self._merged_held: list[bool] = [False] * SHARDS
        self._merged_terms: list[int] = [0] * SHARDS
        for part in self.parts:
            part.on_change = self._changed
            part.before_release = self._before_release

    @property
    def node(self) -> NodeId:  # type: ignore[override]
        """The id at home."""
        return self.parts[0].node

    @property
    def trusted(self) -> bool:
        """Whether any lease can still be relied on."""
        return any(part.trusted for part in self.parts)

    @property
    def held(self) -> list[bool]:  # type: ignore[override]
        """Whether each shard is held, in whichever database."""
        self._merge()
        return self._merged_held

    @property
    def terms(self) -> list[int]:  # type: ignore[override]
        """The term of each shard held; 0 where it is not."""
        self._merge()
        return self._merged_terms

    @property
    def count(self) -> int:
        """How many shards this node holds."""
        return sum(self.held)

    @property
    def share(self) -> int | None:  # type: ignore[override]
        """How many shards should be held, as the last turns saw it; None while some have not looked."""
        shares = [part.share for part in self.parts if part.trusted]
        return None if not shares or any(share is None for share in shares) else sum(share or 0 for share in shares)

    @property
    def lease(self) -> object:
        """One lease lost or got anew is enough: what was begun before may be outdated in part."""
        return tuple(part.lease for part in self.parts)

    @property
    def draining(self) -> bool:  # type: ignore[override]
        """Whether this node was asked to own nothing: at home, where people ask."""
        return self.parts[0].draining

    @draining.setter
    def draining(self, draining: bool) -> None:
        self.parts[0].draining = draining

    def look(self) -> bool:
        """Notice that a lease ran out or is back; whether something changed."""
        if not self._merge():
            return False
        self.on_change()
        return True

    async def join(self) -> None:
        """Become a member in every database that answers."""
        joined = await asyncio.gather(*(part.join() for part in self.parts), return_exceptions=True)
        _raise_unless_one_worked(joined)
        self._changed()

    async def renew(self) -> None:
        """Prolong every lease."""
        await self._in_each(lambda part: part.renew())

    async def balance(self) -> None:
        """Give back and take, in every database."""
        await self._in_each(lambda part: part.balance())

    async def retire(self) -> None:
        """Hand everything over at once; the leases stay for what still runs here."""
        await asyncio.gather(*(part.retire() for part in self.parts if part.node))
        self._changed()

    async def _in_each(self, duty: Callable[[Ownership], Awaitable[None]]) -> None:
        joined = [part for part in self.parts if part.node]
        done = await asyncio.gather(*(duty(part) for part in joined), return_exceptions=True)
        _raise_unless_one_worked(done)
        self.look()

    async def run_once(self) -> None:
        """One turn in every database that this node has joined."""
        await self._in_each(lambda part: part.run_once())

    async def leave(self) -> None:
        """Give everything back and end the leases."""
        await asyncio.gather(*(part.leave() for part in self.parts if part.node))
        self._changed()

    def _merge(self, *, always: bool = False) -> bool:
        trust = tuple(part.trusted for part in self.parts)
        if trust == self._trust and not always:
            return False
        self._trust = trust
        self._merged_held, self._merged_terms = [False] * SHARDS, [0] * SHARDS
        for part, trusted in zip(self.parts, trust, strict=True):
            if trusted:
                for shard, held in enumerate(part.held):
                    if held:
                        self._merged_held[shard], self._merged_terms[shard] = True, part.terms[shard]
        return True

    def _changed(self) -> None:
        self._merge(always=True)
        self.on_change()

    async def _before_release(self) -> None:
        self._merge(always=True)
        if self.before_release is not None:
            await self.before_release()


class SpreadHints:
    """Hints over every database that this node has a lease in: whoever is there hears them, once or more often.

    What is for the owner of a shard goes over the database that the shard lives in: its owner has a lease there.
    """

    def __init__(self, parts: Sequence[Hints], leases: Sequence[Ownership], home_of: Callable[[int], int]) -> None:
        """`home_of` says which of the databases a shard lives in."""
        self._parts, self._leases, self._home_of = tuple(parts), tuple(leases), home_of

    def send(self, topic: str, text: str, short: str = "", shard: int | None = None) -> None:
        """Tell the other nodes, soon."""
        if shard is not None and self._leases[home := self._home_of(shard)].trusted:
            self._parts[home].send(topic, text, short)
            return
        for part, lease in zip(self._parts, self._leases, strict=True):
            if lease.trusted:
                part.send(topic, text, short)

    def listen(self, topic: str, heard: Callable[[str], None]) -> None:
        """Call back for each message."""
        for part in self._parts:
            part.listen(topic, heard)


def _raise_unless_one_worked(results: Sequence[BaseException | None]) -> None:
    for result in results:
        if result is not None and not isinstance(result, StoreAway):
            raise result
    if results and all(result is not None for result in results):
        raise StoreAway
