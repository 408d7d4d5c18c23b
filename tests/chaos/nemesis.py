"""The nemesis: makes a plan of faults from a seed alone, and causes them."""

from __future__ import annotations

import asyncio
import os
import signal
import time
from collections.abc import Awaitable, Callable, Sequence
from pathlib import Path
from random import Random

import msgspec
from msgspec import Struct

from chaos.cluster import ChaosNode, Cluster
from chaos.history import Fault
from chaos.wallclock import library

LEASE = 2.0
HOUR = 3600.0


class Planned(Struct, frozen=True):
    """A planned fault: when it begins, its kind, the number of its node, and how long it lasts."""

    after: float
    kind: str
    node: int
    seconds: float


def plan(
    seed: int, seconds: float, nodes: int, kinds: Sequence[str], every: tuple[float, float] = (3.0, 5.0)
) -> list[Planned]:
    """The faults of a seed, always the same. Each kind comes once before any comes twice."""
    chance = Random(seed)
    planned: list[Planned] = []
    after, bag = chance.uniform(1.0, 2.0), list[str]()
    while after < seconds:
        if not bag:
            bag = chance.sample(list(kinds), len(kinds))
        planned.append(Planned(round(after, 3), bag.pop(), chance.randrange(nodes), round(chance.uniform(1.0, 3.0), 3)))
        after += chance.uniform(*every)
    return planned


class Nemesis:
    """Causes the faults of a plan. If the node of a fault already has one, the next node without a fault gets it."""

    def __init__(self, cluster: Cluster, say: Callable[[str], None] = lambda text: None) -> None:
        self._cluster, self._say = cluster, say
        self._busy: set[int] = set()
        self._freed = asyncio.Condition()
        self._database = asyncio.Lock()
        self.faults: list[Fault] = []

    async def carry_out(self, planned: Sequence[Planned]) -> None:
        """Cause all faults at their times. Returns when everything is healed."""
        begun = asyncio.get_running_loop().time()
        under_way: list[asyncio.Task[None]] = []
        for fault in planned:
            await asyncio.sleep(max(0.0, begun + fault.after - asyncio.get_running_loop().time()))
            under_way.append(asyncio.ensure_future(self._strike(fault)))
        await asyncio.gather(*under_way)

    async def _strike(self, fault: Planned) -> None:
        if fault.kind in DATABASE_FAULTS:
            async with self._database:
                await self._noted(fault, None, lambda: DATABASE_FAULTS[fault.kind](self._cluster, fault.seconds))
            return
        node = await self._free_node(fault.node)
        try:
            await self._noted(fault, node.number, lambda: NODE_FAULTS[fault.kind](node, fault.seconds))
        finally:
            async with self._freed:
                self._busy.discard(node.number)
                self._freed.notify_all()

    async def _free_node(self, wanted: int) -> ChaosNode:
        """The planned node, or the next one without a fault. If all have one, the first that is healed."""
        count = len(self._cluster.nodes)
        async with self._freed:
            await self._freed.wait_for(lambda: len(self._busy) < count)
            number = next(n % count for n in range(wanted, wanted + count) if n % count not in self._busy)
            self._busy.add(number)
        return self._cluster.nodes[number]

    async def _noted(self, fault: Planned, node: int | None, strike: Callable[[], Awaitable[int]]) -> None:
        began = time.time()
        happened = await strike()
        healed = time.time()
        self.faults.append(Fault(kind=fault.kind, node=node, began=began, healed=healed, happened=happened))
        where = "the database" if node is None else f"node {node}"
        self._say(f"{fault.kind:>16} on {where} for {healed - began:.1f} s, struck {happened} times")


async def kill(node: ChaosNode, seconds: float) -> int:
    """SIGKILL, and a restart after a while."""
    await asyncio.to_thread(node.process.kill)
    await asyncio.sleep(seconds / 2)
    await asyncio.to_thread(node.start)
    return 1


async def sleep_past_the_lease(node: ChaosNode, seconds: float) -> int:
    """SIGSTOP until long after its lease has expired, then SIGCONT. The node must notice."""
    return await sleep_during(node, asyncio.sleep(LEASE + seconds))


async def sleep_during(node: ChaosNode, wait: Awaitable[object]) -> int:
    """SIGSTOP, wait, SIGCONT. Returns how often the node slept to the end."""
    node.process.signal(signal.SIGSTOP)
    try:
        await wait
        return int(_state(node.process.pid) == "T")
    finally:
        node.process.signal(signal.SIGCONT)


def _state(pid: int) -> str:
    return Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0]


async def _network(node: ChaosNode, seconds: float, mode: str, latency: float = 0.0) -> int:
    before = node.proxy.happened.total()
    node.proxy.set(mode, latency)  # type: ignore[arg-type]
    await asyncio.sleep(seconds)
    happened = node.proxy.happened.total() - before
    node.proxy.heal()
    return happened


async def slow(node: ChaosNode, seconds: float) -> int:
    """All data between the node and the database is delayed."""
    return await _network(node, seconds, "slow", 0.05)


async def stall(node: ChaosNode, seconds: float) -> int:
    """All data waits until after the lease has expired; no connection is cut."""
    return await _network(node, LEASE + seconds, "stall")


async def cut_off(node: ChaosNode, seconds: float) -> int:
    """The node is cut off from the database for a while."""
    return await _network(node, seconds, "refuse")


async def half_open(node: ChaosNode, seconds: float) -> int:
    """Connections seem open, but all data is lost."""
    return await _network(node, seconds, "swallow")


async def one_way(node: ChaosNode, seconds: float) -> int:
    """The node's data arrives at the database; the answers are lost."""
    return await _network(node, seconds, "mute")


async def reset(node: ChaosNode, seconds: float) -> int:
    """Every connection is cut once."""
    before = node.proxy.happened.total()
    node.proxy.reset()
    return node.proxy.happened.total() - before


async def cut_after_commit(node: ChaosNode, seconds: float) -> int:
    """The database executes statements, but the connection is cut before the answer."""
    before = node.proxy.happened["cut after commit"]
    node.proxy.cut_after_commit(5)
    await asyncio.sleep(seconds)
    node.proxy.heal()
    return node.proxy.happened["cut after commit"] - before


async def skew(node: ChaosNode, seconds: float) -> int:
    """The wall clock jumps an hour ahead, an hour back, and back and forth."""
    steps = (HOUR, -HOUR, HOUR / 2, -HOUR / 2, 60.0, -60.0)
    for step in steps:
        node.clock.set(step)
        await asyncio.sleep(seconds / len(steps))
    node.clock.set(0.0)
    return len(steps) if library() else 0


async def block(node: ChaosNode, seconds: float) -> int:
    """The process is blocked for longer than the lease."""
    before = len(node.struck("coordinator.renew"))
    node.arm(f"coordinator.renew:before:block={LEASE + seconds:.1f}@1")
    await asyncio.sleep(LEASE + seconds + 1.0)
    node.disarm()
    return len(node.struck("coordinator.renew")) - before


async def busy(node: ChaosNode, seconds: float) -> int:
    """The event loop is blocked for longer than the lease, which is renewed beside it."""
    before = len(node.struck("coordinator.members"))
    node.arm(f"coordinator.members:before:busy={LEASE + seconds:.1f}@1")
    await asyncio.sleep(LEASE + seconds + 1.0)
    node.disarm()
    return len(node.struck("coordinator.members")) - before


async def restart_database(cluster: Cluster, seconds: float) -> int:
    """PostgreSQL crashes and starts again."""
    await cluster.restart_database()
    return 1


async def terminate_backends(cluster: Cluster, seconds: float) -> int:
    """The server ends every session."""
    return await cluster.terminate_backends()


async def fail_over(cluster: Cluster, seconds: float) -> int:
    """The primary is lost for good, and after a while its standby is promoted."""
    return await cluster.fail_over(seconds)


NODE_FAULTS: dict[str, Callable[[ChaosNode, float], Awaitable[int]]] = {
    "kill": kill,
    "sleep": sleep_past_the_lease,
    "slow": slow,
    "stall": stall,
    "cut off": cut_off,
    "half open": half_open,
    "one way": one_way,
    "reset": reset,
    "cut after commit": cut_after_commit,
    "skew": skew,
    "block": block,
    "busy": busy,
}
DATABASE_FAULTS: dict[str, Callable[[Cluster, float], Awaitable[int]]] = {
    "restart database": restart_database,
    "terminate": terminate_backends,
    "fail over": fail_over,
}
ALL_FAULTS = tuple(kind for kind in (*NODE_FAULTS, *DATABASE_FAULTS) if kind != "fail over")
"""The faults that every cluster can have; a failover needs a standby."""
SEED = "DUETIME_CHAOS_SEED"


def seed_or(given: int) -> int:
    """The seed from the environment, else the given one."""
    return int(os.environ.get(SEED) or given)


def as_text(planned: Sequence[Planned]) -> str:
    """A plan for the log."""
    return msgspec.json.encode(planned).decode()
