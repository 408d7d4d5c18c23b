"""The matrix: each step of a job's life fails before and after it, by a crash, an error and a sleep past the lease."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable, Sequence
from contextlib import AsyncExitStack

from msgspec import Struct
from msgspec.structs import replace

from chaos import recording
from chaos.cluster import ChaosNode, Cluster
from chaos.history import Fault, History
from chaos.load import Load, Mix
from chaos.nemesis import kill, restart_database, sleep_during
from chaos.scenario import drained, new_user, registered
from chaos.sink import ChaosSink
from chaos.worker import STEPS
from chaos.workers import ChaosWorker, running_workers
from harness.waiting import eventually

SECONDS = 3.0
ASLEEP = 3.5
"""Longer than the default lease."""
MIX = Mix(
    rate=40.0,
    lanes=4,
    schedules=24,
    every=(1,),
    singles=10.0,
    edits=12.0,
    ahead=1.5,
    schedules_end_after=SECONDS,
    schedule_delay=1300,
)
"""Some occurrences overlap with earlier ones, so that not all launch unchanged. A quarter of the edits are cancels on
the first node: enough that it almost surely has two of them."""


SLEEPERS = Mix(rate=100.0, lanes=4, schedules=0, singles=0.0, edits=0.0, to_sink=1.0, ahead=1.5, delay=800)
"""Long runs, so that some are open whenever a node is paused."""


RESCUED = """
SELECT (SELECT count(*) FROM leases) = 1
   AND NOT EXISTS (SELECT FROM in_flight f WHERE f.executor > 0
                   AND NOT EXISTS (SELECT FROM leases l WHERE l.node_id = f.executor))
"""
"""Whether one node is alive and no other node's run is open."""


class Case(Struct, frozen=True):
    """A failpoint rule, and what else happens while it is armed, which can be the fault itself."""

    rule: str
    point: str
    trigger: str = "load"
    by_workers: bool = False
    """Whether workers carry out the runs, not executors."""

    def __str__(self) -> str:
        """For the name of a test."""
        return f"{self.rule or self.trigger}{' with workers' if self.by_workers else ''}"


HOT = (
    "submit.intern",
    "submit.submit",
    "submit.submit_once",
    "due.due",
    "due.promote",
    "launch.launch",
    "settle.finish",
    "settle.retry",
    "mint.to_launch",
    "mint.launch_and_mint",
    "mint.mint",
    "control.withdraw",
    "control.edit",
)
"""Steps of every job, or of many."""
DUTIES = ("due.sweep_lanes", "settle.orphans", "coordinator.renew", "coordinator.fence", "coordinator.members")
FOR_WORKERS = (
    "workers.worker",
    "workers.launch",
    "offers.offer",
    "workers.on_offer",
    "workers.take",
    "workers.beat",
    "workers.held",
    "settle.finish",
    "settle.retry",
)
"""Steps of every run that a worker has."""
WITH_SCHEDULES = ("workers.hand_to", "mint.launch_and_mint")
"""Steps of occurrences for workers."""
WORKER_DUTIES = ("workers.living", "workers.elsewhere", "workers.register", "settle.orphans")
MOVES = ("coordinator.acquire", "coordinator.release")
"""Steps when a node joins or leaves."""


def cases() -> list[Case]:
    """All cases."""
    found: list[Case] = []
    for point in (*HOT, *DUTIES, *MOVES):
        trigger = "other node dies" if point in MOVES else "load"
        call = "@2" if point in HOT else "@1"
        for when in ("before", "after"):
            found.append(Case(f"{point}:{when}:crash{call}", point, trigger))
            found.append(Case(f"{point}:{when}:error{call}-3", point, trigger))
            found.append(Case(f"{point}:{when}:sleep={ASLEEP}{call}", point, trigger))
    for when in ("before", "after"):
        doubt = "launch.launch:after:error@2-4"  # the store may have refused one of them completely
        for action in ("crash", "error", f"sleep={ASLEEP}"):
            found.append(Case(f"{doubt},launch.unlaunch:{when}:{action}@1", "launch.unlaunch"))
        found.append(Case(f"executor.start:{when}:crash@2", "executor.start"))
        found.append(Case(f"executor.start:{when}:block={ASLEEP}@2", "executor.start"))
    for point in (
        "coordinator.renew",
        "launch.launch",
        "mint.launch_and_mint",
        "mint.mint",
        "settle.finish",
        "settle.retry",
    ):
        found.append(Case(f"{point}:before:block={ASLEEP}@2", point))
    return found


def worker_cases() -> list[Case]:
    """The same with workers as executors, and what can happen to workers."""
    found = [
        Case(f"{point}:{when}:{action}", point, "a worker dies" if point == "workers.register" else "load", True)
        for points, first, some in ((FOR_WORKERS, "@2", "@2-3"), ((*WITH_SCHEDULES, *WORKER_DUTIES), "@1", "@1-2"))
        for point in points
        for when in ("before", "after")
        for action in (f"crash{first}", f"error{some}", f"sleep={ASLEEP}{first}")
    ]
    found += [Case("", "", f"a worker dies when {step}", True) for step in STEPS]
    return [*found, *(Case("", "", trigger, True) for trigger in ("a worker sleeps", "the database crashes"))]


SELECTED = (
    "launch.launch:after:crash@2",
    "settle.finish:after:error@2-3",
    "mint.launch_and_mint:after:error@2-3",
)
SELECTED_WITH_WORKERS = (
    "workers.launch:after:crash@2",
    "workers.take:after:error@2-3",
    "a worker dies when taken",
    "a worker dies when settling",
    "a worker sleeps",
    "the database crashes",
)
"""The cases of `make check`."""


async def run_case(cluster: Cluster, sink: ChaosSink, case: Case, number: int) -> History:
    """Run load on both nodes with the failpoint armed in the first; then heal and drain."""
    armed, other = cluster.nodes
    before = len(armed.struck(case.point))
    token, user_id = await new_user(cluster)
    name = f"case {number}"
    mix, several = replace(MIX, by_workers=case.by_workers), len(cluster.dsns) > 1
    urls = [armed.url, other.url]
    async with AsyncExitStack() as stack:
        workers = await stack.enter_async_context(running_workers(urls, token, sink)) if case.by_workers else []
        load = await stack.enter_async_context(Load(urls, token, sink, mix, number, name, several=several))
        await load.make_schedules()
        began = time.time()
        if case.rule:
            armed.arm(case.rule)
        _, struck = await asyncio.gather(load.run(SECONDS), _trigger(case.trigger, cluster, workers))
        if case.rule:
            await _struck(armed, case, before)
            await _healed(armed, case)
            struck = len(armed.struck(case.point)) - before
        healed_at = time.time()
        await load.answered()
        standing = await drained(cluster, time.time() + MIX.ahead)
    stored = await recording.read(cluster.dsns, user_id)
    mine = {job.job_id for job in (*stored["open_jobs"], *stored["ended_jobs"])}
    arrivals = [one for one in await sink.arrivals() if one.job_id in mine or one.message.startswith(f"{name} ")]
    return History(
        asked=load.asked,
        edited=load.edited,
        recurring=await registered(cluster, load),
        arrivals=arrivals,
        faults=[Fault(kind=str(case), node=0, began=began, healed=healed_at, happened=struck)],
        healed_at=healed_at,
        ended_at=time.time(),
        **standing,
        **stored,
    )


async def _trigger(trigger: str, cluster: Cluster, workers: Sequence[ChaosWorker]) -> int:
    """What happens beside the load. Returns how often it did."""
    if trigger == "other node dies":
        # Down past its lease: a node that is back earlier keeps its shards, and the other acquires none.
        return await kill(cluster.nodes[1], 2 * ASLEEP)
    if trigger == "load":
        return 0
    await asyncio.sleep(0.5)
    if trigger == "the database crashes":
        return await restart_database(cluster, 0.0)
    if trigger == "a worker sleeps":
        return await workers[0].sleep_past_the_lease()
    if "when" in trigger:
        return await workers[0].die_at(trigger.rsplit(" ", 1)[1])
    # A case of the server's own steps: whichever node a new process registers at, one of several comes to the first.
    return sum([await workers[0].die() for _ in range(4)])


async def _struck(armed: ChaosNode, case: Case, before: int) -> None:
    """Wait until the failpoint has acted; a crash also shows that."""

    def so() -> bool:
        if ":crash" in case.rule and case.trigger == "load":
            return not armed.process.running
        return len(armed.struck(case.point)) > before

    await eventually(so, 20.0, every=0.1)


async def _healed(armed: ChaosNode, case: Case) -> None:
    """Restart a crashed node without the failpoint; wait for a sleeping one."""
    await asyncio.sleep(ASLEEP if "sleep" in case.rule or "block" in case.rule else 0.0)
    armed.disarm()
    if ":crash" in case.rule:
        await asyncio.to_thread(armed.process.wait)
        await asyncio.to_thread(armed.start)


async def fall_asleep(cluster: Cluster, sink: ChaosSink, number: int) -> History:
    """Pause the first node past its lease while runs are open, and resume it when other nodes have those runs."""
    token, user_id = await new_user(cluster)
    name, faults = f"sleeper {number}", list[Fault]()
    before = sum(node.stale_writes() for node in cluster.nodes)
    async with Load([cluster.nodes[1].url], token, sink, SLEEPERS, number, name) as load:
        await asyncio.gather(load.run(SECONDS), _sleep(cluster, faults))
        await load.answered()
    standing = await drained(cluster, time.time() + SLEEPERS.ahead)
    return History(
        asked=load.asked,
        arrivals=[one for one in await sink.arrivals() if one.message.startswith(f"{name} ")],
        faults=faults,
        healed_at=time.time(),
        zombies_expected=True,
        stale_writes=sum(node.stale_writes() for node in cluster.nodes) - before,
        **standing,
        **await recording.read(cluster.dsns, user_id),
    )


async def _sleep(cluster: Cluster, faults: list[Fault]) -> None:
    """Pause a node with open runs until the other node has rescued them."""
    await asyncio.sleep(1.0)
    began, sleeper = time.time(), cluster.nodes[0]
    happened = await sleep_during(sleeper, eventually(lambda: _rescued(cluster), 30.0, every=0.1))
    faults.append(Fault(kind="sleep", node=0, began=began, healed=time.time(), happened=happened))


Runner = Callable[[Case], Awaitable[History]]


async def _rescued(cluster: Cluster) -> bool:
    return any(await cluster.values(RESCUED))
