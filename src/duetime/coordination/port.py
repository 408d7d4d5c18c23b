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


class Coordinator(Protocol):
    """Keeps leases and shards.

    Obligations:
    - A lease's expiry is judged by one clock, the coordinator's, never by a node's.
    - `fence` returns only after nothing of the fenced nodes can commit a launch any more.
    - `take` gives a shard to one node at a time, and raises its term in the store in the same
      transaction; what is owned by a living node is not taken.
    - None of it waits behind a node's ordinary work.
    """

    async def join(self, name: str, roles: Sequence[str], version: str, ttl: float) -> NodeId:
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

    async def take(self, node: NodeId, shards: Sequence[int]) -> dict[int, int]:
        """Take those of the shards that are free; the term of each one taken."""
        ...

    async def release(self, node: NodeId, shards: Sequence[int]) -> None:
        """Give shards back; the caller has stopped launching from them."""
        ...

    async def leave(self, node: NodeId) -> None:
        """End the lease at once, so that others need not wait for it."""
        ...


class Hints(Protocol):
    """Short messages between nodes. They may be lost or repeated: nothing may depend on them but speed."""

    def send(self, topic: str, text: str) -> None:
        """Tell the other nodes, soon; bursts are joined."""
        ...

    def listen(self, topic: str, heard: Callable[[str], None]) -> None:
        """Call back for each message of a topic from another node."""
        ...
