"""etcd decides which leases have expired. The store fences all the same: DESIGN.md says who can launch, and when."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from math import ceil

import msgspec
import structlog

from duetime.clock.port import Clock
from duetime.coordination.etcd_gateway import EtcdGateway
from duetime.coordination.port import LeaseRows, Member, Owners
from duetime.model.errors import CoordinatorAway
from duetime.model.ids import NodeId

log = structlog.get_logger()
SECONDS = 5.0
"""How long a call may last that no lease depends on."""
LEAVE_SECONDS = 1.0
CALLS_PER_LEASE = 4
"""A renewal that lasts longer than its part of the lease is abandoned, so that there is time for another."""
WATCH_AGAIN = 0.5


class EtcdRenewals:
    """`Renewals` of leases in etcd."""

    def __init__(self, gateway: EtcdGateway, rows: LeaseRows, leases: dict[int, int]) -> None:
        self._gateway, self._rows, self.leases = gateway, rows, leases

    async def renew(self, node: NodeId, ttl: float) -> bool:
        """Prolong the lease in etcd, if the store has not fenced this node.

        The store is asked first: a node that cannot reach it lets its lease expire, so that a node that can reach it
        succeeds it.
        """
        lease = self.leases.get(node)
        if lease is None or not await self._rows.alive(node, ttl / CALLS_PER_LEASE):
            return False
        if await self._gateway.keep_alive(lease, ttl / CALLS_PER_LEASE):
            return True
        self.leases.pop(node, None)
        return False

    async def close(self) -> None:
        """Close the connections to etcd and to the store."""
        await self._gateway.close()
        await self._rows.close()


class EtcdCoordinator:
    """`Coordinator` with leases in etcd and everything else in the store.

    A node is alive while its key under an etcd lease exists. Its row in the store is confirmed once that key is put,
    and is deleted by any node that reads, from a majority of etcd, that the key is gone.
    """

    def __init__(
        self, gateway: EtcdGateway, rows: LeaseRows, clock: Clock, *, prefix: str, changed: Callable[[], None]
    ) -> None:
        self._gateway, self._rows, self._clock = gateway, rows, clock
        self._root, self._folder, self._changed = prefix.rstrip("/"), "", changed
        self._renewals = EtcdRenewals(gateway, rows, {})
        self.leases = self._renewals.leases
        """The lease in etcd of each node id that this process has joined with."""
        self._watching: asyncio.Task[None] | None = None

    async def join(self, name: str, roles: Sequence[str], version: str, ttl: float, standby: int = 0) -> NodeId:
        """Grant a lease, insert a row, put a key under the lease, confirm the row: in this order."""
        await self._find_folder()
        lease, granted = await self._gateway.grant(ceil(ttl), SECONDS)
        node = await self._rows.join(name, roles, version, float(max(granted, ceil(ttl))), standby)
        value = msgspec.json.encode({"name": name, "roles": list(roles), "version": version})
        put = await self._gateway.put_new(self._key(node), value, lease, SECONDS)
        if not (put and await self._rows.confirm(node)):
            raise CoordinatorAway("Joining took longer than the lease lasts: the node tries again.")
        self.leases[node] = lease
        if self._watching is None:
            self._watching = asyncio.get_running_loop().create_task(self._watch())
        return node

    async def renew(self, node: NodeId, ttl: float) -> bool:
        """Prolong the lease in etcd, if the store has not fenced this node."""
        return await self._renewals.renew(node, ttl)

    async def fence(self) -> list[int]:
        """Delete the rows of nodes whose keys are gone.

        The rows are read first: a confirmed row had its key, so a key that is missing *after* that is gone for good,
        because it was put under a lease that has ended.
        """
        await self._find_folder()
        confirmed = await self._rows.confirmed()
        living = set(await self._gateway.keys(self._folder, SECONDS))
        return await self._rows.fence_these([node for node in confirmed if self._key(node) not in living])

    async def members(self) -> list[Member]:
        """Returns the living schedulers: those that have a row."""
        return await self._rows.members()

    async def owners(self) -> Owners:
        """Returns the owner and the term of each shard."""
        return await self._rows.owners()

    async def acquire(self, node: NodeId, shards: Sequence[int]) -> dict[int, int]:
        """Acquire shards that are free."""
        return await self._rows.acquire(node, shards)

    async def release(self, node: NodeId, shards: Sequence[int]) -> None:
        """Release shards."""
        await self._rows.release(node, shards)

    async def drain(self, node: NodeId, draining: bool) -> bool:
        """Ask a node to own nothing, or allow it again."""
        return await self._rows.drain(node, draining)

    async def leave(self, node: NodeId) -> None:
        """Delete the row first, so that no launch is committed any more; then end the lease."""
        await self._rows.leave(node)
        lease = self.leases.pop(node, None)
        if lease is None:
            return
        try:
            await self._gateway.revoke(lease, LEAVE_SECONDS)
        except CoordinatorAway as error:
            log.debug("the lease in etcd expires by itself", why=error.message)

    async def close(self) -> None:
        """Close the connections."""
        if self._watching is not None:
            self._watching.cancel()
            await asyncio.gather(self._watching, return_exceptions=True)
            self._watching = None
        await self._gateway.close()

    async def _watch(self) -> None:
        """Tell this node at once when a member joins or leaves. Only speed depends on it."""
        while True:
            try:
                async for _ in self._gateway.changes(self._folder):
                    self._changed()
            except CoordinatorAway as error:
                log.debug("etcd cannot be watched now", why=error.message)
            except Exception:
                log.exception("watching etcd failed: the watch starts again")
            await self._clock.sleep(WATCH_AGAIN)

    async def _find_folder(self) -> None:
        """Each cluster has its own keys: one etcd may serve several clusters."""
        if not self._folder:
            self._folder = f"{self._root}/{await self._rows.cluster()}/members/"

    def _key(self, node: int) -> str:
        return f"{self._folder}{node}"
