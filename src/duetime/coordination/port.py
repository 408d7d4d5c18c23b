"""The contracts of coordination: leases and shards (`Coordinator`), and hints between nodes (`Hints`)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple, Protocol

from duetime.model.ids import NodeId

EVERYTHING = "*"
"""The text of a hint that stands for every text: it was too long, or hints were lost."""


class Member(NamedTuple):
    """A living node that schedules."""

    id: int
    name: str
    shards: int
    """How many it owns."""
    standby: int = 0
    """0 for an active scheduler; else it is a spare, active while fewer than so many others are."""
    draining: bool = False
    """Whether it was asked to release its shards, or is stopping."""


class Owners(NamedTuple):
    """The owner and the term of each shard."""

    owners: Sequence[int]
    """Nodes, dead or alive; 0 where a shard has no owner."""
    terms: Sequence[int]


class Renewals(Protocol):
    """Prolongs leases over connections of its own, so that a thread of its own can."""

    async def renew(self, node: NodeId, ttl: float) -> bool:
        """Prolong the lease; as `Coordinator.renew`."""
        ...

    async def close(self) -> None:
        """Close the connections."""
        ...


class Coordinator(Protocol):
    """Keeps leases and shards. DESIGN.md in this package has the argument; these are the obligations.

    - One clock, the coordinator's, decides when a lease expires. A node's clock never does.
    - A node's id is new at each `join`. Once its lease has ended, the id is dead for good: `renew` returns false
      from then on, `acquire` gives it nothing, and no launch is committed in its name.
    - `fence` returns only after no node that it names can commit a launch any more. A dead node whose launch is being
      committed at that moment is left for the next call: `fence` does not wait for it.
    - A shard has one owner at a time. No node acquires what a living node owns; the owner releases it.
    - The term of a shard rises in the store, in the transaction that acquires the shard, and never falls, whatever the
      coordinator is and whatever happens to it.
    - `release`, `leave` and `drain` take effect at once: a call of another node that begins after they returned sees
      them.
    - A verb whose answer was lost (it raises `StoreAway`) may be called again: repeating it does no harm.
    - `renew` waits neither behind a node's ordinary work nor behind the other verbs.
    """

    async def join(self, name: str, roles: Sequence[str], version: str, ttl: float, standby: int = 0) -> NodeId:
        """Become a member with a lease. Returns a new id at every call."""
        ...

    async def renew(self, node: NodeId, ttl: float) -> bool:
        """Prolong the lease. Returns false when it has ended; the id is then dead for good."""
        ...

    async def fence(self) -> list[int]:
        """End the leases that have expired. Returns the nodes that held them."""
        ...

    async def members(self) -> list[Member]:
        """Returns the living schedulers, by id."""
        ...

    async def owners(self) -> Owners:
        """Returns the owner and the term of each shard."""
        ...

    async def acquire(self, node: NodeId, shards: Sequence[int]) -> dict[int, int]:
        """Acquire those of the shards that are free or already this node's. Returns the term of each one acquired."""
        ...

    async def release(self, node: NodeId, shards: Sequence[int]) -> None:
        """Release shards and tell the others. The caller has stopped launching from them."""
        ...

    async def drain(self, node: NodeId, draining: bool) -> bool:
        """Ask a node to own nothing, or allow it again, and tell all nodes. Returns false when it has no lease."""
        ...

    async def leave(self, node: NodeId) -> None:
        """End the lease at once and tell the others, so that they need not wait until it expires."""
        ...


class LeaseRows(Coordinator, Protocol):
    """What a coordinator outside the store asks of the store: the coordinator ends leases, and the store fences.

    A row that is not confirmed expires by the store's clock, as if there were no other coordinator. A confirmed row
    ends only when it is deleted.
    """

    async def cluster(self) -> str:
        """Returns the id of the cluster that the store belongs to: one outside coordinator may serve several."""
        ...

    async def confirm(self, node: NodeId) -> bool:
        """The outside coordinator has this node now: its row no longer expires. Returns false when it is gone."""
        ...

    async def confirmed(self) -> list[int]:
        """Returns the nodes whose rows only the outside coordinator can end."""
        ...

    async def alive(self, node: NodeId, seconds: float) -> bool:
        """Returns, within so many seconds, whether the node has a row; waits behind no other verb."""
        ...

    async def fence_these(self, nodes: Sequence[int]) -> list[int]:
        """End the leases of these nodes and those that have expired; as `fence`."""
        ...

    async def close(self) -> None:
        """Close the connections."""
        ...


class Hints(Protocol):
    """Short messages between nodes. They may be lost, repeated, late or out of order: only speed may depend on them.

    A node that could not listen for a while receives `EVERYTHING` on each topic when it listens again.
    """

    def send(self, topic: str, text: str, short: str = "", shard: int | None = None) -> None:
        """Send a text to the other nodes soon, or at least to the owner of a shard; a burst is joined by commas.

        `short` is a shorter form, which several texts may share. It is sent when the texts of a burst are too long
        together. Without it, or when the short forms are too long as well, `EVERYTHING` is sent.
        """
        ...

    def listen(self, topic: str, heard: Callable[[str], None]) -> None:
        """Call `heard` with the text of each hint that another node sends on a topic."""
        ...
