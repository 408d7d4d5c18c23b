"""`duetime api`, `duetime scheduler` and `duetime executor` as real processes on one database, and on two."""

from __future__ import annotations

import asyncio
import json
import os
import re
import signal
from collections import Counter
from collections.abc import AsyncIterator, Iterator
from contextlib import ExitStack
from typing import Any

import pytest

from duetime.model.ids import shard_of
from harness.calls import JOBS, Api, calling
from harness.database import TestServer
from harness.process import DuetimeProcess, duetime_directory
from harness.sink import Sink, SinkAnswer
from harness.waiting import eventually

KEY = "a key that every API of this cluster has"
NET_FAR = ("--set", "engine.safety_net=1h")
"""Nothing is found by looking now and then: only what was told is known."""


class Cluster:
    """Processes on one database or several, each of one role."""

    def __init__(self, stack: ExitStack, *dsns: str) -> None:
        self._stack = stack
        self._where = {"DUETIME_DATABASE": dsns[0]} if len(dsns) == 1 else {"DUETIME_DATABASES": halves(*dsns)}

    def launch(self, role: str, *options: str, **env: str) -> DuetimeProcess:
        """Start one without waiting."""
        directory = self._stack.enter_context(duetime_directory())
        more = (*NET_FAR, *options)
        if role == "executor":
            more += ("--set", "outgoing.allow_loopback=true")
        env = {"DUETIME_SIGNING_KEY": KEY, **self._where, **env}
        process = DuetimeProcess(directory / "data", more, env, command=role)
        self._stack.callback(process.clean_up)
        process.launch()
        return process

    def start(self, *roles: str | tuple[str, ...]) -> list[DuetimeProcess]:
        """Start several at the same time, given as a role or a role with options; all are ready on return."""
        made = [self.launch(*((role,) if isinstance(role, str) else role)) for role in roles]
        for process in made:
            process.url = process.wait_for(re.compile(r"^ready (http://\S+)$", re.MULTILINE))[1]
        return made


def halves(first: str, second: str) -> str:
    return json.dumps([{"dsn": first, "shards": "0-511"}, {"dsn": second, "shards": "512-1023"}])


@pytest.fixture
async def cluster(server: TestServer) -> AsyncIterator[Cluster]:
    dsn = await server.fresh()
    with ExitStack() as stack:
        yield Cluster(stack, dsn)
    await server.drop(dsn)


@pytest.fixture
async def spread_cluster(server: TestServer) -> AsyncIterator[Cluster]:
    dsns = [await server.fresh(), await server.fresh()]
    with ExitStack() as stack:
        yield Cluster(stack, *dsns)
    for dsn in dsns:
        await server.drop(dsn)


@pytest.fixture(scope="module")
def server() -> Iterator[TestServer]:
    from harness.database import running_server

    with running_server() as running:
        yield running


def to(sink: Sink, path: str, **more: Any) -> dict[str, object]:
    return {"message": "m", "target": {"kind": "http", "url": sink.url(path)}, **more}


async def ended(api: Api, count: int) -> dict[str, int]:
    stats = await api.stats()
    assert sum(stats[state] for state in ("succeeded", "dead", "cancelled", "skipped", "lost")) == count, stats
    return stats


async def executors_of(api: Api, ids: list[int]) -> Counter[str]:
    runs = await asyncio.gather(*(api.runs(job_id) for job_id in ids))
    return Counter(run["executor"].rsplit(":", 1)[1] for attempts in runs for run in attempts)


async def test_five_processes_share_the_work_and_each_job_runs_once(cluster: Cluster, sink: Sink, path: str) -> None:
    api, first, second, one, other = cluster.start(
        "api",
        "scheduler",
        "scheduler",
        ("executor", "--slots", "20"),
        ("executor", "--slots", "20", "--labels", "zone=eu"),
    )
    await sink.rule(path, SinkAnswer(delay=0.01))
    async with calling(api.url) as anyone:
        user = await anyone.new_user()
        now = await user.create("now")
        await user.until(now["id"], "succeeded")
        ids = await user.bulk([to(sink, path) for _ in range(300)])
        ids += await user.bulk([to(sink, path, requires={"zone": "eu"}) for _ in range(50)])
        await eventually(lambda: ended(user, len(ids) + 1), 60)
        counts = await sink.counts(path)
        assert len(counts) == len(ids)
        assert set(counts.values()) == {1}
        shares = await executors_of(user, ids[:300])
        assert set(shares) == {str(one.pid), str(other.pid)}, shares
        assert set(await executors_of(user, ids[300:])) == {str(other.pid)}
        nobody = await user.create("x", requires={"zone": "mars"})

        async def waits() -> Any:
            return [one["labels"] for one in (await user.job(nobody["id"]))["waiting_for"]]

        assert await eventually(waits) == [{"zone": "mars"}]
        for process in (first, second, one, other):
            async with calling(process.url) as health:
                await eventually(lambda health=health: _ready(health))
                (await health.get("/api/v1/me")).error(404, "not_found")
        (await user.post(f"{JOBS}/{nobody['id']}/cancel")).data  # noqa: B018
        await _rules_of_users(user, sink, path, str(other.pid))
    for process in (one, other, first, second, api):
        process.stop()


async def _ready(api: Api) -> bool:
    return (await api.get("/readyz")).status == 200


async def _rules_of_users(user: Api, sink: Sink, path: str, expected: str) -> None:
    """An administrator sends all of a user's jobs to executors with a label; it counts within a second or so."""
    admin = await user.admin()
    rule = {"distribution": {"kind": "labels", "labels": {"zone": "eu"}}}
    shown = (await admin.patch(f"/api/v1/users/{user.user['id']}", rule)).data
    assert shown["distribution"] == rule["distribution"]

    async def all_there() -> bool:
        ids = await user.bulk([to(sink, f"{path}/rule") for _ in range(20)])
        for job_id in ids:
            await user.until(job_id, "succeeded")
        assert set(await executors_of(user, ids)) == {expected}
        return True

    await eventually(all_there, 20)


async def test_a_job_for_now_needs_no_poll(cluster: Cluster) -> None:
    """The safety nets are an hour away: what goes at once was told of, from API to scheduler to executor and back."""
    several = ("--processes", "2")
    api, *rest = cluster.start("api", ("scheduler", *several), ("executor", *several))
    async with calling(api.url) as anyone:
        user = await anyone.new_user()
        for n in range(20):
            job = await user.create(f"now {n}", **({"ordering_key": "a lane"} if n % 2 else {}))
            await user.until(job["id"], "succeeded")
    for process in rest:
        process.stop()


async def test_roles_apart_share_two_databases(spread_cluster: Cluster, sink: Sink, path: str) -> None:
    """Offers, takes and ends go through whichever database a job lives in, in lanes and without."""
    api, scheduler, executor = spread_cluster.start("api", "scheduler", ("executor", "--labels", "zone=eu"))
    async with calling(api.url) as anyone:
        user = await anyone.new_user()
        loose = [(await user.create(**to(sink, path)))["id"] for _ in range(10)]
        lanes = await user.bulk([to(sink, path, ordering_key=f"lane {n % 10}") for n in range(40)])
        bound = await user.bulk([to(sink, path, requires={"zone": "eu"}) for _ in range(10)])
        ids = [*loose, *lanes, *bound]
        for some in (loose, lanes):
            assert {shard_of(job_id) // 512 for job_id in some} == {0, 1}, "not in both databases"
        await eventually(lambda: ended(user, len(ids)), 60)
        assert (await user.stats())["succeeded"] == len(ids)
        assert await sink.counts(path) == Counter(f"{job_id}-1" for job_id in ids)
        assert set(await executors_of(user, ids)) == {str(executor.pid)}
        shown = (await (await user.admin()).get("/api/v1/cluster")).data
        assert sum(node["shards"] for node in shown["nodes"]) == 1024, shown
        assert [(one["number"], one["answers"]) for one in shown["databases"]] == [(0, True), (1, True)]
    for process in (executor, scheduler, api):
        process.stop()


async def test_a_killed_executors_runs_go_again_or_are_lost(cluster: Cluster, sink: Sink, path: str) -> None:
    api, scheduler, victim = cluster.start("api", "scheduler", "executor")
    await sink.rule(f"{path}/again", SinkAnswer(mode="hang"), SinkAnswer())
    await sink.rule(f"{path}/once", SinkAnswer(mode="hang"), SinkAnswer())
    async with calling(api.url) as anyone:
        user = await anyone.new_user()
        again = await user.create(**to(sink, f"{path}/again"))
        once = await user.create(**to(sink, f"{path}/once", delivery="at_most_once"))
        await eventually(lambda: _arrived(sink, path, 2))
        os.kill(victim.pid, signal.SIGKILL)
        cluster.start("executor")
        job = await user.until(again["id"], "succeeded", seconds=30)
        assert job["attempts"] == 2
        await user.until(once["id"], "lost", seconds=30)
        assert await sink.count(f"{path}/once") == 1
    scheduler.stop()


async def _arrived(sink: Sink, path: str, count: int) -> bool:
    return await sink.count(path) >= count


async def test_schedulers_killed_with_offers_out_lose_and_double_nothing(
    cluster: Cluster, sink: Sink, path: str
) -> None:
    api, victim, _heir, _executor = cluster.start("api", "scheduler", "scheduler", ("executor", "--slots", "10"))
    await sink.rule(path, SinkAnswer(delay=0.02))
    async with calling(api.url) as anyone:
        user = await anyone.new_user()
        ids = await user.bulk([to(sink, path, delivery="at_most_once") for _ in range(400)])
        await eventually(lambda: _arrived(sink, path, 40), 30)
        os.kill(victim.pid, signal.SIGKILL)
        await eventually(lambda: _arrived(sink, path, 100), 30)
        cluster.start("scheduler")
        stats = await eventually(lambda: ended(user, len(ids)), 60)
        assert stats["succeeded"] == len(ids), "no executor died: nothing may be lost"
        counts = await sink.counts(path)
        assert len(counts) == len(ids)
        assert set(counts.values()) == {1}


async def test_cancelling_reaches_another_process(cluster: Cluster, sink: Sink, path: str) -> None:
    api, _scheduler, _executor = cluster.start("api", "scheduler", "executor")
    await sink.rule(path, SinkAnswer(mode="hang"))
    async with calling(api.url) as anyone:
        user = await anyone.new_user()
        running = await user.create(**to(sink, path))
        await eventually(lambda: _arrived(sink, path, 1))
        (await user.post(f"{JOBS}/{running['id']}/cancel")).data  # noqa: B018
        await user.until(running["id"], "cancelled")
        assert [arrival.state for arrival in await sink.records(path)] == ["closed"]


async def test_an_api_with_another_key_is_refused(cluster: Cluster) -> None:
    cluster.start("api")
    (same,) = cluster.start("api")
    same.stop()
    stranger = cluster.launch("api", DUETIME_SIGNING_KEY="another key, of which nobody else knows")
    assert stranger.wait() == 7
    assert "signs its tokens with another key" in stranger.output
    assert "nobody else knows" not in stranger.output


async def test_every_role_exports_its_part_of_the_metrics_over_two_databases(spread_cluster: Cluster) -> None:
    api, scheduler, executor = spread_cluster.start("api", "scheduler", "executor")
    async with calling(api.url) as anyone:
        user = await anyone.new_user()
        await user.bulk([{"message": "m"}] * 50)
        await eventually(lambda: ended(user, 50), 30)
    texts = list[str]()
    for process in (api, scheduler, executor):
        async with calling(process.url) as anyone:
            texts.append((await anyone.get("/metrics")).body.decode())
    at_api, at_scheduler, at_executor = texts
    assert "duetime_submitted_total 50.0" in at_api
    assert "duetime_launches_total 50.0" in at_scheduler
    assert "duetime_shards_owned 1024.0" in at_scheduler
    assert "duetime_offers_taken_total 50.0" in at_executor
    assert 'duetime_runs_total{outcome="succeeded",target="log"} 50.0' in at_executor
    assert "duetime_shards_owned" not in at_executor
    for text in texts:
        assert all(f'duetime_database_up{{database="{number}"}} 1.0' in text for number in (0, 1))
