"""One run: a cluster, a load and a nemesis; then everything heals and drains. The result is a history."""

from __future__ import annotations

import asyncio
import time
from collections import Counter
from collections.abc import Callable, Sequence
from typing import Any

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from chaos import recording
from chaos.checker import convergence
from chaos.cluster import Cluster
from chaos.history import History, Recurring, Sample
from chaos.load import Load, Mix
from chaos.nemesis import Nemesis, Planned
from chaos.sink import ChaosSink
from harness.calls import calling
from harness.waiting import eventually

SETTLED = """
SELECT count(*) || ' due jobs are open, the first in shard ' || (min(j.id) & 1023) || ' with owner '
       || coalesce((SELECT s.owner FROM shards s WHERE s.shard = (min(j.id) & 1023))::text, 'nobody')
       || ' in the state ' || (min(ARRAY[j.id::text, j.state]))[2]
FROM open_jobs j
WHERE j.due_at <= to_timestamp($1) AND j.state <> 'dead'
  AND NOT EXISTS (SELECT FROM open_jobs d WHERE d.user_id = j.user_id AND d.lane = j.lane AND d.state = 'dead')
HAVING count(*) > 0
"""
EFFECTIVE = "SELECT json_object_agg(id, extract(epoch FROM effective_from)) FROM schedules"
DRAIN_SECONDS = 90.0


class Outcome(Struct):
    """The result of a run: the history, and figures that are not part of it."""

    history: History
    answers: Counter[str]
    drained_in: float
    """Seconds from the healing of the last fault until every job that was due by then had ended."""


async def run(
    cluster: Cluster,
    sink: ChaosSink,
    mix: Mix,
    planned: Sequence[Planned],
    seconds: float,
    seed: int,
    *,
    say: Callable[[str], None] = lambda text: None,
) -> Outcome:
    """Run load and faults together for some seconds; then heal, drain, stop, and read the history."""
    token, _ = await new_user(cluster)
    nemesis, samples = Nemesis(cluster, say), list[Sample]()
    sampling = asyncio.ensure_future(_sample(cluster, samples))
    urls, several = [node.url for node in cluster.nodes], len(cluster.dsns) > 1
    async with Load(urls, token, sink, mix, seed, several=several) as load:
        await load.make_schedules()
        await asyncio.gather(load.run(seconds), nemesis.carry_out(planned))
        healed_at = time.time()
        say(f"healed; {len(load.asked)} requests noted so far")
        await load.answered()
    standing = await drained(cluster, healed_at)
    drained_in = time.time() - healed_at
    sampling.cancel()
    history = await read(cluster, sink, load, healed_at, standing)
    return Outcome(replace(history, faults=nemesis.faults, samples=samples), load.answers, drained_in)


async def drained(cluster: Cluster, due_until: float, seconds: float = DRAIN_SECONDS) -> dict[str, list[Any]]:
    """Wait until every job due up to an instant has ended and every shard has an owner. Returns the owners."""

    async def at_rest() -> dict[str, list[Any]]:
        for open_jobs in await cluster.values(SETTLED, due_until):
            assert open_jobs is None, open_jobs
        standing = await recording.read_standing(cluster.dsns)
        found = list(convergence.check(History(**standing)))
        assert not found, found[0]
        return standing

    return await eventually(at_rest, seconds, every=0.2)


async def read(
    cluster: Cluster, sink: ChaosSink, load: Load, healed_at: float, standing: dict[str, list[Any]]
) -> History:
    """Stop the nodes cleanly, and read the store and the sink."""
    recurring = await registered(cluster, load)
    await cluster.stop_nodes()
    return History(
        asked=load.asked,
        edited=load.edited,
        recurring=recurring,
        arrivals=await sink.arrivals(),
        stale_writes=sum(node.stale_writes() for node in cluster.nodes),
        healed_at=healed_at,
        ended_at=time.time(),
        **standing,
        **await recording.read(cluster.dsns),
    )


async def registered(cluster: Cluster, load: Load) -> list[Recurring]:
    """The load's schedules, with the instants from which they apply in the store."""
    since = await _json(cluster, EFFECTIVE)
    return [replace(one, created_at=since[str(one.schedule_id)]) for one in load.recurring]


async def _json(cluster: Cluster, query: str) -> dict[str, float]:
    found: dict[str, float] = {}
    for one in await cluster.values(query):
        found |= msgspec.json.decode(str(one)) if one else {}
    return found


async def new_user(cluster: Cluster) -> tuple[str, int]:
    """Create a user. Returns the token and the id."""
    async with calling(cluster.nodes[0].url) as anyone:
        user = await anyone.new_user("chaos")
        assert user.token is not None
        return user.token, user.user["id"]


async def _sample(cluster: Cluster, samples: list[Sample]) -> None:
    while True:
        found = [node.sample(time.time()) for node in cluster.nodes]
        samples += [sample for sample in found if sample is not None]
        await asyncio.sleep(1.0)
