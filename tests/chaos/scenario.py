"""One run: a cluster, a load, a nemesis; then everything heals and drains, and what is left is a history."""

from __future__ import annotations

import asyncio
import time
from collections import Counter
from collections.abc import Callable, Sequence

from msgspec import Struct
from msgspec.structs import replace

from chaos import recording
from chaos.cluster import Cluster
from chaos.history import History, Sample
from chaos.load import Load, Mix
from chaos.nemesis import Nemesis, Planned
from chaos.sink import ChaosSink
from harness.calls import calling
from harness.waiting import eventually

SETTLED = """
SELECT count(*) FROM open_jobs j
WHERE j.due_at <= to_timestamp($1) AND j.state <> 'dead'
  AND NOT EXISTS (SELECT FROM open_jobs d WHERE d.user_id = j.user_id AND d.lane = j.lane AND d.state = 'dead')
"""
STANDING = """
SELECT (SELECT count(*) FROM shards WHERE owner IS NULL OR owner NOT IN (SELECT node_id FROM leases))
     + (SELECT count(*) FROM leases WHERE until < clock_timestamp())
"""
EFFECTIVE = "SELECT json_object_agg(id, extract(epoch FROM effective_from)) FROM schedules"
DRAIN_SECONDS = 90.0


class Outcome(Struct):
    """What a run left: the history, and figures that are no part of it."""

    history: History
    answers: Counter[str]
    drained_in: float
    """Seconds from the healing of the last fault to the end of everything that was due by then."""


async def run(
    cluster: Cluster,
    sink: ChaosSink,
    mix: Mix,
    planned: Sequence[Planned],
    seconds: float,
    seed: int,
    *,
    say: Callable[[str], None] = lambda text: None,
    zombies_expected: bool = False,
) -> Outcome:
    """Load and faults together for so many seconds; then heal, drain, stop, and read."""
    token = await _token(cluster)
    nemesis, samples = Nemesis(cluster, say), list[Sample]()
    sampling = asyncio.ensure_future(_sample(cluster, samples))
    async with Load([node.url for node in cluster.nodes], token, sink, mix, seed) as load:
        await load.make_schedules()
        await asyncio.gather(load.run(seconds), nemesis.carry_out(planned))
        healed_at = time.time()
        say(f"healed; {len(load.asked)} requests noted so far")
        await load.answered()
    drained_in = await drained(cluster, healed_at)
    sampling.cancel()
    outcome = await read(cluster, sink, load, healed_at)
    history = replace(
        outcome, faults=nemesis.faults, samples=samples, zombies_expected=zombies_expected, healed_at=healed_at
    )
    return Outcome(history, load.answers, drained_in)


async def drained(cluster: Cluster, healed_at: float) -> float:
    """Wait until everything that was due has ended and every shard is held; how long that took."""

    async def at_rest() -> bool:
        open_jobs = await cluster.value(SETTLED, healed_at)
        homeless = await cluster.value(STANDING)
        assert open_jobs == 0, f"{open_jobs} due jobs are open"
        assert homeless == 0, f"{homeless} shards or leases are with nobody alive"
        return True

    await eventually(at_rest, DRAIN_SECONDS, every=0.2)
    return time.time() - healed_at


async def read(cluster: Cluster, sink: ChaosSink, load: Load, healed_at: float) -> History:
    """The standing while the nodes run, a clean stop, and then the store and the sink."""
    standing = await recording.read_standing(cluster.dsn)
    since: dict[str, float] = await _json(cluster, EFFECTIVE)
    await cluster.stop_nodes()
    return History(
        asked=load.asked,
        edited=load.edited,
        recurring=[replace(one, created_at=since[str(one.schedule_id)]) for one in load.recurring],
        arrivals=await sink.arrivals(),
        stale_writes=sum(node.stale_writes() for node in cluster.nodes),
        healed_at=healed_at,
        ended_at=time.time(),
        **standing,
        **await recording.read(cluster.dsn),
    )


async def _json(cluster: Cluster, query: str) -> dict[str, float]:
    import msgspec

    found = await cluster.value(query)
    return msgspec.json.decode(str(found)) if found else {}


async def _token(cluster: Cluster) -> str:
    async with calling(cluster.nodes[0].url) as anyone:
        user = await anyone.new_user("chaos")
        assert user.token is not None
        return user.token


async def _sample(cluster: Cluster, samples: list[Sample]) -> None:
    while True:
        found = [node.sample(time.time()) for node in cluster.nodes]
        samples += [sample for sample in found if sample is not None]
        await asyncio.sleep(1.0)
