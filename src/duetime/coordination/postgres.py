"""Leases as rows in PostgreSQL, over a connection of their own, which also carries hints by NOTIFY."""

from __future__ import annotations

import asyncio
from collections import defaultdict
from collections.abc import Callable, Sequence
from typing import Any

import structlog

from duetime.coordination.port import EVERYTHING, Member
from duetime.model.errors import StoreAway
from duetime.model.ids import NodeId
from duetime.store.postgres.pool import Connection, Pool, translated
from duetime.store.postgres.queries import sql

log = structlog.get_logger()
CHANNEL = "duetime"
MAX_PAYLOAD = 7000
"""PostgreSQL takes at most 8000 bytes."""
HINT_SPACING = 0.02
"""At most fifty notifications a second from one node; what comes meanwhile is joined."""


class PostgresCoordinator:
    """`Coordinator` and `Hints` on PostgreSQL."""

    def __init__(self, pool: Pool) -> None:
        self._pool = pool
        self._connection: Connection | None = None
        self._lock = asyncio.Lock()
        self._listeners: dict[str, list[Callable[[str], None]]] = defaultdict(list)
        self._waiting: dict[str, set[str]] = defaultdict(set)
        self._sender: asyncio.TimerHandle | None = None
        self._sending: set[asyncio.Task[None]] = set()

    async def join(self, name: str, roles: Sequence[str], version: str, ttl: float) -> NodeId:
        """Become a member with a lease."""
        rows = await self._rows("join", name, list(roles), version, ttl)
        return NodeId(rows[0]["node_id"])

    async def renew(self, node: NodeId, ttl: float) -> bool:
        """Prolong the lease."""
        return bool(await self._rows("renew", node, ttl))

    async def fence(self) -> list[int]:
        """Take away leases that ran out."""
        return [row["node_id"] for row in await self._rows("fence")]

    async def members(self) -> list[Member]:
        """The living schedulers."""
        return [Member(*row) for row in await self._rows("members")]

    async def take(self, node: NodeId, shards: Sequence[int]) -> dict[int, int]:
        """Take shards that are free."""
        return {row["shard"]: row["term"] for row in await self._rows("take", node, shards)}

    async def release(self, node: NodeId, shards: Sequence[int]) -> None:
        """Give shards back, and tell the others."""
        await self._rows("release", node, shards)
        self.send("shards", "")

    async def leave(self, node: NodeId) -> None:
        """End the lease at once."""
        await self._rows("leave", node)
        await self._rows("notify", CHANNEL, "shards ")

    def send(self, topic: str, text: str) -> None:
        """Tell the other nodes, soon."""
        self._waiting[topic].add(text)
        if self._sender is None:
            self._sender = asyncio.get_running_loop().call_later(HINT_SPACING, self._flush)

    def listen(self, topic: str, heard: Callable[[str], None]) -> None:
        """Call back for each message from another node."""
        self._listeners[topic].append(heard)

    async def close(self) -> None:
        """Let the connection go."""
        if self._sender:
            self._sender.cancel()
        if self._sending:
            await asyncio.wait(self._sending, timeout=1)
        async with self._lock:
            connection, self._connection = self._connection, None
            if connection is not None and not connection.is_closed():
                await connection.close(timeout=2)

    async def _rows(self, name: str, *arguments: object) -> list[Any]:
        async with self._lock, translated():
            connection = self._connection
            if connection is None or connection.is_closed():
                self._connection = connection = await self._pool.connect()
                await connection.add_listener(CHANNEL, self._heard)
            return await connection.fetch(sql(f"leases/{name}"), *arguments)

    def _heard(self, connection: Any, pid: int, channel: str, payload: str) -> None:
        topic, _, text = payload.partition(" ")
        if pid == connection.get_server_pid() and topic != "shards":
            return
        for heard in self._listeners[topic]:
            heard(text)

    def _flush(self) -> None:
        self._sender = None
        waiting, self._waiting = self._waiting, defaultdict(set)
        for topic, texts in waiting.items():
            text = ",".join(sorted(texts))
            payload = f"{topic} {text if len(text) < MAX_PAYLOAD else EVERYTHING}"
            task = asyncio.get_running_loop().create_task(self._notify(payload))
            self._sending.add(task)
            task.add_done_callback(self._sending.discard)

    async def _notify(self, payload: str) -> None:
        try:
            await self._rows("notify", CHANNEL, payload)
        except StoreAway:
            log.debug("a hint was lost: the database is away")
