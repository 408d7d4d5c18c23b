"""Real nodes on real databases: one is taken away and comes back, and shards move while jobs run."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import subprocess
import sys
import tempfile
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager, suppress
from pathlib import Path
from typing import Any

import pytest

from duetime.model.ids import shard_of, shard_of_lane
from duetime.store.postgres.embedded import EmbeddedServer
from harness.calls import JOBS, Api, calling
from harness.database import TestServer, postgres_programs
from harness.etcd import Etcd
from harness.process import descendants, environment, running_duetime
from harness.sink import Sink, running_sink
from harness.waiting import eventually


@contextmanager
def second_server() -> Iterator[EmbeddedServer]:
    """A server that can be stopped alone."""
    with tempfile.TemporaryDirectory(prefix="duetime-two-") as directory:
        server = EmbeddedServer(Path(directory) / "pg", {"shared_buffers": "64MB", "fsync": "off"}, postgres_programs())
        server.start()
        try:
            yield server
        finally:
            server.stop()


@pytest.fixture
async def home(server: TestServer) -> AsyncIterator[str]:
    """A fresh database for the home."""
    made = await server.fresh()
    yield made
    await server.drop(made)


@pytest.fixture(scope="module")
def sink() -> Iterator[Sink]:
    with running_sink() as running:
        yield running


def listed(*dsns: str, shards: tuple[str, ...] = ("0-511", "512-1023")) -> str:
    return json.dumps([{"dsn": dsn, "shards": some} for dsn, some in zip(dsns, shards, strict=True)])


async def test_etcd_judges_the_leases_of_every_cell(home: str, server: TestServer, etcd: Etcd) -> None:
    """Each database has leases of its own in etcd, under the database's own id."""
    other = await server.fresh()
    judged = ("--set", "coordinator=etcd", "--set", f"etcd.endpoints={etcd.endpoint}", "--processes", "2")
    async with cluster(listed(home, other), *judged) as anyone:
        api = await anyone.new_user("judged")
        ids = [(await api.create())["id"] for _ in range(10)]
        assert {shard_of(one) < 512 for one in ids} == {True, False}
        for job_id in ids:
            assert (await api.until(job_id, seconds=20))["status"] == "succeeded"
        nodes = (await (await api.admin()).get("/api/v1/cluster")).data["nodes"]
        assert sum(node["shards"] for node in nodes) == 1024
        assert {node["lease_left_ms"] for node in nodes} == {None}
    await server.drop(other)


@asynccontextmanager
async def cluster(databases: str, *options: str) -> AsyncIterator[Api]:
    env = {"DUETIME_DATABASES": databases, "DUETIME_OUTGOING_ALLOW_LOOPBACK": "true"}
    with running_duetime(*options, env=env) as process:
        async with calling(process.url) as anyone:
            yield anyone


def lane_in(number: int, user: int) -> str:
    return next(lane for lane in (f"lane {n}" for n in range(99)) if shard_of_lane(user, lane) // 512 == number)


async def answering(api: Api) -> list[bool]:
    return [one["answers"] for one in (await api.get("/readyz")).data["databases"]]


async def test_one_database_down_stops_only_its_shards(home: str) -> None:
    with second_server() as second:
        async with cluster(listed(home, second.dsn)) as anyone:
            api = await anyone.new_user("several")
            user = api.user["id"]
            before = [(await api.create(delay="4s"))["id"] for _ in range(12)]
            there = [one for one in before if shard_of(one) >= 512]
            assert 0 < len(there) < 12
            assert await answering(api) == [True, True]

            await asyncio.to_thread(second.stop)
            await eventually(lambda: _is(api, [True, False]), 20)
            seen = (await (await api.admin()).get("/api/v1/cluster")).data["databases"]
            assert [(one["number"], one["answers"]) for one in seen] == [(0, True), (1, False)]
            metrics = (await api.get("/metrics")).body.decode()
            assert 'duetime_database_up{database="0"} 1.0' in metrics
            assert 'duetime_database_up{database="1"} 0.0' in metrics
            new = [(await api.create())["id"] for _ in range(10)]
            assert all(shard_of(one) < 512 for one in new)
            for job_id in [*new, *(one for one in before if one not in there)]:
                assert (await api.until(job_id, seconds=20))["status"] == "succeeded"
            refused = await api.post(JOBS, {"message": "m", "ordering_key": lane_in(1, user)})
            error = refused.error(503, "store_away")
            assert "Database 1 (shards 512-1023)" in error["message"]
            assert refused.headers["retry-after"] == "1"
            (await api.get(f"{JOBS}/{there[0]}")).error(503, "store_away")
            listing = await api.get(JOBS)
            assert {one["id"] for one in listing.data} == {*new, *before} - set(there)
            assert listing.headers["duetime-incomplete"].startswith("Database 1 (shards 512-1023) does not answer")

            await asyncio.to_thread(second.start)
            await eventually(lambda: _is(api, [True, True]), 30)
            for job_id in there:
                assert (await api.until(job_id, seconds=20))["status"] == "succeeded"
            assert "duetime-incomplete" not in (await api.get(JOBS)).headers
            assert (await api.create(ordering_key=lane_in(1, user)))["id"]
            assert (await api.stats())["succeeded"] >= 22


async def test_a_database_that_hangs_stops_only_its_shards(home: str) -> None:
    """Frozen, not gone: connections stay open, and nothing answers on them."""
    with second_server() as second:
        async with cluster(listed(home, second.dsn)) as anyone:
            api = await anyone.new_user("frozen")
            there = [(await api.create(delay="6s"))["id"] for _ in range(8)]
            there = [one for one in there if shard_of(one) >= 512]
            with frozen(second):
                await eventually(lambda: _is(api, [True, False]), 20)
                for _ in range(6):
                    job_id = (await api.create())["id"]
                    assert (await api.until(job_id, seconds=20))["status"] == "succeeded"
            await eventually(lambda: _is(api, [True, True]), 45)
            for job_id in there:
                assert (await api.until(job_id, seconds=30))["status"] == "succeeded"
                assert len(await api.runs(job_id)) == 1


@contextmanager
def frozen(server: EmbeddedServer) -> Iterator[None]:
    """Every process of a server stands still."""
    assert server.pid is not None
    below = [server.pid, *descendants(server.pid)]
    for pid in below:
        os.kill(pid, signal.SIGSTOP)
    try:
        yield
    finally:
        for pid in below:
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGCONT)


async def _is(api: Api, wanted: list[bool]) -> bool:
    return await answering(api) == wanted


@contextmanager
def moving(databases: str, *what: str) -> Iterator[subprocess.Popen[bytes]]:
    """`duetime shards move` as a process of its own."""
    process = subprocess.Popen(
        [sys.executable, "-m", "duetime", "shards", "move", *what],
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        env=environment(DUETIME_DATABASES=databases),
    )
    try:
        yield process
    finally:
        if process.poll() is None:
            process.send_signal(signal.SIGKILL)
        process.wait(10)
        assert process.stdout is not None
        process.stdout.close()


async def test_shards_move_under_load_and_a_killed_mover_is_gone_on_with(
    home: str, server: TestServer, sink: Sink
) -> None:
    """Two nodes; every job reaches the sink once, in order within its lane, whichever database it was in."""
    other = await server.fresh()
    databases = listed(home, other)
    moved = range(64)
    async with cluster(databases, "--processes", "2") as anyone:
        api = await anyone.new_user("mover")
        target = {"kind": "http", "url": sink.url("/move")}
        sent: list[int] = []
        stop = asyncio.Event()

        async def load() -> None:
            number = 0
            while not stop.is_set():
                bodies: list[dict[str, Any]] = []
                for _ in range(40):
                    number += 1
                    lane = {"ordering_key": f"lane {number % 40}"} if number % 2 else {}
                    bodies.append({"message": str(number), "target": target, "delay": f"{number % 5}s", **lane})
                for body in bodies:
                    sent.append(await stored(api, body))

        loading = asyncio.ensure_future(load())
        try:
            await eventually(lambda: len(sent) > 100, 30)
            with moving(databases, "0-63", "--to", "1") as mover:
                assert mover.stdout is not None
                for _ in range(2):
                    line = await asyncio.to_thread(mover.stdout.readline)
                    assert line.startswith(b"Moved shards"), line
                mover.send_signal(signal.SIGKILL)
            with moving(databases, "0-63", "--to", "1") as mover:
                output = await asyncio.to_thread(mover.stdout.read)  # type: ignore[union-attr]
                assert await asyncio.to_thread(mover.wait, 60) == 0, output
            count = len(sent)
            await eventually(lambda: len(sent) > count + 50, 30)
        finally:
            stop.set()
            await loading
        await eventually(lambda: _all_ended(api, len(sent)), 60)
        assert (await api.stats())["succeeded"] == len(sent) == len(set(sent))
        counts = await sink.counts("/move")
        assert sorted(counts) == sorted(f"{job_id}-1" for job_id in sent)
        assert set(counts.values()) == {1}
        there = {row for row in sent if shard_of(row) in moved}
        assert there, "nothing was in the shards that moved"
        for job_id in sorted(there)[-3:]:
            assert (await api.job(job_id))["status"] == "succeeded"
    await server.drop(other)


async def stored(api: Api, body: dict[str, Any]) -> int:
    """A job stored, asked again while its shard is closed; the answer says that nothing was stored then."""

    async def once() -> int:
        reply = await api.post(JOBS, body)
        if reply.status == 503:
            assert "just being moved" in reply.json["error"]["message"], reply.json
        return reply.data["id"]

    return await eventually(once, 30)


async def _all_ended(api: Api, count: int) -> bool:
    stats = await api.stats()
    assert stats["succeeded"] + stats["dead"] == count, stats
    return True
