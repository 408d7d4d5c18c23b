"""Leases as rows in PostgreSQL, over two reserved connections, one of which also carries hints by NOTIFY."""

from __future__ import annotations

import asyncio
from collections import defaultdict
from collections.abc import Callable, Sequence
from typing import Any

import structlog

from duetime.coordination.hint_text import join_hints
from duetime.coordination.port import EVERYTHING, Member, Owners
from duetime.coordination.reserved import ReservedConnection
from duetime.model.errors import StoreAway
from duetime.model.ids import NodeId
from duetime.postgres.pool import Connection, Pool

log = structlog.get_logger()
CHANNEL = "duetime"
SHARDS_MOVED = "shards "
MAX_PAYLOAD = 7000
"""PostgreSQL allows at most 8000 bytes."""
HINT_SPACING = 0.02
"""At most fifty notifications a second from one node: the first is sent at once, and later ones are joined."""
SECONDS = 10.0
"""How long a verb other than `renew` may last."""
RENEWALS_PER_LEASE = 2
"""A renewal that lasts longer than its part of the lease is abandoned, so that there is time for another."""


class PostgresCoordinator:
    """`LeaseRows` (and so `Coordinator`) and `Hints` on PostgreSQL.

    Renewals have a connection to themselves: fencing and acquiring can wait for other nodes' statements.
    """

    def __init__(self, pool: Pool) -> None:
        self._renewals = ReservedConnection(pool)
        self._line = ReservedConnection(pool, self._listening)
        self._listeners: dict[str, list[Callable[[str], None]]] = defaultdict(list)
        self._waiting: dict[str, dict[str, str]] = defaultdict(dict)
        """Unsent hints by topic, in order, each text with its short form."""
        self._listened = False
        self._undelivered: set[str] = set()
        """Topics of hints that could not be sent."""
        self._sender: asyncio.TimerHandle | None = None
        self._sent_at = 0.0
        self._sending: set[asyncio.Task[None]] = set()

    async def join(self, name: str, roles: Sequence[str], version: str, ttl: float, standby: int = 0) -> NodeId:
        """Become a member with a lease, and hint to the others."""
        rows = await self._rows("join", name, list(roles), version, ttl, standby)
        self.send("shards", "")
        return NodeId(rows[0]["node_id"])

    async def renew(self, node: NodeId, ttl: float) -> bool:
        """Prolong the lease."""
        return bool(await self._renewals.rows("renew", node, ttl, seconds=ttl / RENEWALS_PER_LEASE))

    async def fence(self) -> list[int]:
        """End the leases that have expired."""
        return await self.fence_these([])

    async def members(self) -> list[Member]:
        """Returns the living schedulers."""
        return [Member(*row) for row in await self._rows("members")]

    async def owners(self) -> Owners:
        """Returns the owner and the term of each shard."""
        return Owners(*(await self._rows("owners"))[0])

    async def acquire(self, node: NodeId, shards: Sequence[int]) -> dict[int, int]:
        """Acquire shards that are free."""
        return {row["shard"]: row["term"] for row in await self._rows("acquire", node, shards)}

    async def release(self, node: NodeId, shards: Sequence[int]) -> None:
        """Release shards."""
        if shards:
            await self._rows("release", node, shards)
            await self._notify(SHARDS_MOVED)

    async def drain(self, node: NodeId, draining: bool) -> bool:
        """Ask a node to own nothing, or allow it again."""
        found = await self._rows("drain", node, draining)
        await self._notify(SHARDS_MOVED)
        return bool(found)

    async def leave(self, node: NodeId) -> None:
        """End the lease at once."""
        await self._rows("leave", node)
        await self._notify(SHARDS_MOVED)

    async def cluster(self) -> str:
        """Returns the id of the cluster that the database belongs to."""
        return str((await self._rows("cluster"))[0]["id"])

    async def confirm(self, node: NodeId) -> bool:
        """Let a row end only when it is deleted."""
        return bool(await self._rows("confirm", node))

    async def confirmed(self) -> list[int]:
        """Returns the nodes whose rows only an outside coordinator can end."""
        return [row["node_id"] for row in await self._rows("confirmed")]

    async def alive(self, node: NodeId, seconds: float) -> bool:
        """Returns whether the node has a row."""
        return bool(await self._renewals.rows("alive", node, seconds=seconds))

    async def fence_these(self, nodes: Sequence[int]) -> list[int]:
        """End the leases of these nodes and those that have expired."""
        return [row["node_id"] for row in await self._rows("fence", list(nodes))]

    def send(self, topic: str, text: str, short: str = "", shard: int | None = None) -> None:
        """Send a text to the other nodes soon."""
        self._waiting[topic][text] = short
        if self._sender is None:
            loop = asyncio.get_running_loop()
            self._sender = loop.call_at(max(loop.time(), self._sent_at + HINT_SPACING), self._flush)

    def listen(self, topic: str, heard: Callable[[str], None]) -> None:
        """Call `heard` for each hint from another node; on the topic `shards` also for this node's own."""
        self._listeners[topic].append(heard)

    def hint_here(self, topic: str) -> None:
        """Call this node's own listeners, as if another node had sent a hint."""
        for heard in self._listeners[topic]:
            heard("")

    async def close(self) -> None:
        """Close the connections."""
        if self._sender:
            self._sender.cancel()
        if self._sending:
            await asyncio.wait(self._sending, timeout=1)
        await self._renewals.close()
        await self._line.close()

    async def _rows(self, name: str, *arguments: object) -> list[Any]:
        return await self._line.rows(name, *arguments, seconds=SECONDS)

    async def _listening(self, connection: Connection) -> None:
        """Listen. Hints sent without a connection, here or to here, are lost: `EVERYTHING` stands for them."""
        await connection.add_listener(CHANNEL, self._heard)
        undelivered, self._undelivered = self._undelivered, set()
        for topic in undelivered:
            self.send(topic, EVERYTHING)
        if self._listened:
            for listeners in list(self._listeners.values()):
                for heard in listeners:
                    heard(EVERYTHING)
        self._listened = True

    def _heard(self, connection: Any, pid: int, channel: str, payload: str) -> None:
        topic, _, text = payload.partition(" ")
        if pid == connection.get_server_pid() and topic != "shards":
            return
        for heard in self._listeners[topic]:
            heard(text)

    def _flush(self) -> None:
        self._sender, self._sent_at = None, asyncio.get_running_loop().time()
        waiting, self._waiting = self._waiting, defaultdict(dict)
        for topic, texts in waiting.items():
            payload = f"{topic} {join_hints(texts, MAX_PAYLOAD)}"
            task = asyncio.get_running_loop().create_task(self._notify(payload))
            self._sending.add(task)
            task.add_done_callback(self._sending.discard)

    async def _notify(self, payload: str) -> None:
        try:
            await self._rows("notify", CHANNEL, payload)
        except StoreAway:
            self._undelivered.add(payload.partition(" ")[0])
            log.debug("a hint was lost: the database is away")
