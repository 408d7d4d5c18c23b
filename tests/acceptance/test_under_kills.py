"""Order and delivery while Duetime is killed again and again, as seen by a sink outside of it."""

from __future__ import annotations

import asyncio
from collections import defaultdict
from itertools import pairwise

import pytest

from harness.calls import JOBS, Api, calling
from harness.process import DuetimeProcess, running_duetime
from harness.sink import Arrival, Sink, SinkAnswer
from harness.waiting import eventually

KILLS = 3


async def all_ended(api: Api, count: int) -> dict[str, int]:
    stats = (await api.get(f"{JOBS}/stats")).data
    ended = sum(stats[state] for state in ("succeeded", "dead", "cancelled", "skipped", "lost"))
    assert ended == count, stats
    return stats


async def killed_while_working(process: DuetimeProcess, sink: Sink, path: str, kills: int, step: int) -> None:
    """Kill and start again, each time when the sink has seen some more."""
    for _ in range(kills):
        seen = await sink.count(path)
        await eventually(lambda seen=seen: _more_than(sink, path, seen + step), 60)
        await asyncio.to_thread(process.kill)
        await asyncio.to_thread(process.start, port=int(process.url.rsplit(":", 1)[1]))


async def _more_than(sink: Sink, path: str, count: int) -> bool:
    return await sink.count(path) > count


async def submitted(api: Api, bodies: list[dict[str, object]]) -> list[int]:
    return (await api.post(f"{JOBS}/bulk", bodies)).data["ids"]


def by_lane(arrivals: list[Arrival]) -> dict[str, list[Arrival]]:
    lanes: dict[str, list[Arrival]] = defaultdict(list)
    for arrival in arrivals:
        lanes[arrival.body].append(arrival)
    return lanes


async def run_lanes(sink: Sink, path: str, lanes: int, each: int, kills: int) -> None:
    with running_duetime("--slots", "64") as process:
        async with calling(process.url) as anyone:
            api = await anyone.new_user("lanes")
            await sink.rule(f"{path}/good", SinkAnswer(delay=0.005))
            await sink.rule(f"{path}/bad", SinkAnswer(status=500, delay=0.005), SinkAnswer(delay=0.005))
            bodies = [
                {
                    "message": f"lane {n % lanes}",
                    "ordering_key": f"lane {n % lanes}",
                    "target": {"kind": "http", "url": sink.url(f"{path}/{'bad' if n % 20 == 7 else 'good'}")},
                    "retry": {"max_attempts": 20, "delays": [0.05]},
                }
                for n in range(lanes * each)
            ]
            ids = await submitted(api, bodies)
            await killed_while_working(process, sink, path, kills, step=lanes * each // (kills + 3))
            stats = await eventually(lambda: all_ended(api, len(ids)), 120)
            assert stats["succeeded"] == len(ids)
    expected = {f"lane {n}": ids[n::lanes] for n in range(lanes)}
    seen = by_lane(await sink.records(path))
    for lane, arrivals in seen.items():
        assert list(dict.fromkeys(one.job_id for one in arrivals)) == expected[lane], f"{lane} is out of order"
        for before, after in pairwise(arrivals):
            assert before.ended <= after.arrived, f"{lane} ran two at once"
    assert set(seen) == set(expected)


async def test_lanes_keep_their_order_and_never_overlap(sink: Sink, path: str) -> None:
    await run_lanes(sink, path, lanes=50, each=20, kills=2)


@pytest.mark.long
async def test_a_thousand_lanes_of_a_hundred(sink: Sink, path: str) -> None:
    for chunk in range(10):
        await run_lanes(sink, f"{path}-{chunk}", lanes=100, each=100, kills=KILLS)


async def run_at_most_once(sink: Sink, path: str, count: int, kills: int) -> dict[str, int]:
    with running_duetime("--slots", "64") as process:
        async with calling(process.url) as anyone:
            api = await anyone.new_user("once")
            await sink.rule(path, SinkAnswer(delay=0.02))
            body = {
                "message": "once",
                "target": {"kind": "http", "url": sink.url(path)},
                "delivery": "at_most_once",
            }
            ids = await submitted(api, [body] * count)
            await killed_while_working(process, sink, path, kills, step=count // (kills + 3))
            stats = await eventually(lambda: all_ended(api, len(ids)), 120)
            lost = (await api.get(JOBS, status="lost", limit="1000")).data
    jobs = [one.job_id for one in await sink.records(path)]
    assert len(jobs) == len(set(jobs)), "the sink saw one twice"
    assert stats["succeeded"] + stats["lost"] + stats["dead"] == count
    assert stats["lost"] > 0, "no kill hit a run: the test shows nothing"
    assert {one["id"] for one in lost} <= set(ids)
    return stats


async def test_at_most_once_is_never_twice(sink: Sink, path: str) -> None:
    await run_at_most_once(sink, path, 1500, kills=2)


@pytest.mark.long
async def test_ten_thousand_at_most_once(sink: Sink, path: str) -> None:
    await run_at_most_once(sink, path, 10_000, kills=10)
