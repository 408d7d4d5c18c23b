"""The contract of a coordinator."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple, Protocol

from duetime.model.ids import NodeId

EVERYTHING = "*"
"""What a hint says when there was too much to say."""


class Member(NamedTuple):
    """A living node that schedules."""

    id: int
    name: str
    shards: int
    """How many it owns."""
    standby: int = 0
    """0 for an active scheduler; else it is a spare that steps in while fewer than so many are active."""
    draining: bool = False
    """Whether it was asked to give its shards up, or is stopping."""


class Owners(NamedTuple):
    """Who owns what, shard by shard."""

    owners: Sequence[int]
    """Nodes, dead or alive; 0 where nobody is."""
    terms: Sequence[int]


class Coordinator(Protocol):
    """Keeps leases and shards. DESIGN.md in this package has the argument; these are the obligations.

    - A lease's expiry is judged by one clock, the coordinator's, never by a node's.
    - A node's id is new at each `join`. Once its lease is gone, the id is dead for good: `renew` says false
      from then on, `take` gives it nothing, and no launch is committed in its name.
    - `fence` returns only after nothing of the nodes that it names can commit a launch any more. A dead
      node whose launch is being committed just now is left for the next call: nobody waits for it.
    - A shard has one owner at a time. What a living node owns is not taken from it; it gives it back.
    - The term of a shard rises in the store in the same transaction in which the shard is taken, and never
      falls, whatever the coordinator is and whatever becomes of it.
    - `release`, `leave` and `drain` count at once: another's call that begins after they returned sees them.
    - A verb whose answer was lost (it raises `StoreAway`) may be called again: repeating it does no harm.
    - `renew` waits neither behind a node's ordinary work nor behind the other verbs.
    """

    async def join(self, name: str, roles: Sequence[str], version: str, ttl: float, standby: int = 0) -> NodeId:
        """Become a member with a lease; a new id at every call."""
        ...

    async def renew(self, node: NodeId, ttl: float) -> bool:
        """Prolong the lease; false when it is gone, and then this id is dead for good."""
        ...

    async def fence(self) -> list[int]:
        """Take away leases that ran out; whose."""
        ...

    async def members(self) -> list[Member]:
        """The living schedulers, by id."""
        ...

    async def owners(self) -> Owners:
        """The owner and the term of each shard."""
        ...

    async def take(self, node: NodeId, shards: Sequence[int]) -> dict[int, int]:
        """Take those of the shards that are free, or are this node's already; the term of each one taken."""
        ...

    async def release(self, node: NodeId, shards: Sequence[int]) -> None:
        """Give shards back, and tell the others; the caller has stopped launching from them."""
        ...

    async def drain(self, node: NodeId, draining: bool) -> bool:
        """Say that a node is to own nothing, or that it may again, and tell all; false when it has no lease."""
        ...

    async def leave(self, node: NodeId) -> None:
        """End the lease at once, and tell the others, so that they need not wait for it."""
        ...


class LeaseRows(Coordinator, Protocol):
    """What a coordinator outside the store asks of the store: it judges leases, and the store fences.

    A row that was not confirmed ends by the store's clock, as if there were no other judge; a confirmed one
    ends only when it is taken away.
    """

    async def cluster(self) -> str:
        """The id of the cluster that the store belongs to: the outside judge may serve several."""
        ...

    async def confirm(self, node: NodeId) -> bool:
        """The outside judge has this node now: its row does not run out any more. False when it is gone."""
        ...

    async def confirmed(self) -> list[int]:
        """The nodes whose rows only the outside judge can end."""
        ...

    async def alive(self, node: NodeId, seconds: float) -> bool:
        """Whether the node's row is there, found out within so many seconds; waits behind no other verb."""
        ...

    async def fence_these(self, nodes: Sequence[int]) -> list[int]:
        """Take away the rows of these, and those that ran out; as `fence`."""
        ...


class Hints(Protocol):
    """Short messages between nodes. They may be lost, repeated, late or out of order: only speed may depend on them.

    A node that could not hear for a while is told `EVERYTHING` on each topic when it can again.
    """

    def send(self, topic: str, text: str, short: str = "", shard: int | None = None) -> None:
        """Tell the other nodes, or at least the owner of a shard, soon; bursts are joined by commas.

        `short` says it more briefly, and the same for many: what others hear when the texts of a burst are too long
        together. Without it, or when that is too long as well, they hear `EVERYTHING`.
        """
        ...

    def listen(self, topic: str, heard: Callable[[str], None]) -> None:
        """Call back for each message of a topic from another node."""
        ...
