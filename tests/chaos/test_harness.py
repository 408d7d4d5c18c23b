"""Tests the harness: plans from seeds, network faults, wrong wall clocks, growth of resources."""

from __future__ import annotations

import asyncio
import os
import subprocess
import sys
import time
from collections import Counter
from collections.abc import AsyncIterator
from itertools import pairwise
from pathlib import Path

import pytest

from chaos.checker.figures import figures
from chaos.history import EndedJob, Fault, History, Sample
from chaos.nemesis import ALL_FAULTS, plan
from chaos.proxy import Proxy
from chaos.resources import TableSize, slopes
from chaos.wallclock import WallClock, library

HOUR = 3600.0


def test_a_plan_follows_from_its_seed_alone() -> None:
    assert plan(5, 60.0, 3, ALL_FAULTS) == plan(5, 60.0, 3, ALL_FAULTS)
    assert plan(5, 60.0, 3, ALL_FAULTS) != plan(6, 60.0, 3, ALL_FAULTS)


@pytest.mark.parametrize("seed", range(20))
def test_every_fault_comes_once_before_any_comes_twice(seed: int) -> None:
    planned = plan(seed, 200.0, 3, ALL_FAULTS)
    kinds = [fault.kind for fault in planned]
    assert set(kinds[: len(ALL_FAULTS)]) == set(ALL_FAULTS)
    assert max(Counter(kinds).values()) - min(Counter(kinds).values()) <= 1
    gaps = [after.after - before.after for before, after in pairwise(planned)]
    assert all(2.99 <= gap <= 5.01 for gap in gaps)


class Far:
    """The other end: it records what arrives and sends it back."""

    def __init__(self) -> None:
        self.heard = b""
        self.more = asyncio.Event()

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        while piece := await reader.read(100):
            self.heard += piece
            self.more.set()
            writer.write(piece)
        writer.close()


@pytest.fixture
async def way(tmp_path: Path) -> AsyncIterator[tuple[Proxy, Far]]:
    far = Far()
    server = await asyncio.start_unix_server(far.serve, str(tmp_path / "far"))
    proxy = await Proxy(tmp_path / "far").start()
    yield proxy, far
    await proxy.stop()
    server.close()


async def heard(reader: asyncio.StreamReader, seconds: float = 5.0) -> bytes | None:
    """The answer; None if none comes in time, empty if the connection is cut."""
    try:
        return await asyncio.wait_for(reader.read(100), seconds)
    except TimeoutError:
        return None
    except ConnectionError:
        return b""


A_MOMENT = 0.3


async def test_it_passes_until_told_otherwise_and_a_reset_cuts(way: tuple[Proxy, Far]) -> None:
    proxy, _ = way
    reader, writer = await asyncio.open_connection("127.0.0.1", proxy.port)
    writer.write(b"one")
    assert await heard(reader) == b"one"
    proxy.reset()
    assert await heard(reader) == b""
    assert proxy.happened["reset"] > 0
    writer.close()


async def test_a_stall_holds_everything_back_and_loses_nothing(way: tuple[Proxy, Far]) -> None:
    proxy, far = way
    reader, writer = await asyncio.open_connection("127.0.0.1", proxy.port)
    proxy.set("stall")
    writer.write(b"one")
    assert await heard(reader, A_MOMENT) is None
    assert far.heard == b""
    proxy.heal()
    assert await heard(reader) == b"one"
    writer.close()


async def test_a_one_way_cut_lets_the_client_be_heard_and_not_hear(way: tuple[Proxy, Far]) -> None:
    proxy, far = way
    reader, writer = await asyncio.open_connection("127.0.0.1", proxy.port)
    proxy.set("mute")
    writer.write(b"one")
    await asyncio.wait_for(far.more.wait(), 5.0)
    assert far.heard == b"one"
    assert await heard(reader, A_MOMENT) is None
    proxy.heal()
    assert await heard(reader) == b"", "a connection that lost something goes on"
    writer.close()


async def test_half_open_swallows_and_refuse_cuts(way: tuple[Proxy, Far]) -> None:
    proxy, far = way
    proxy.set("swallow")
    reader, writer = await asyncio.open_connection("127.0.0.1", proxy.port)
    writer.write(b"one")
    assert await heard(reader, A_MOMENT) is None
    assert far.heard == b""
    proxy.set("refuse")
    assert await heard(reader) == b""
    again, other = await asyncio.open_connection("127.0.0.1", proxy.port)
    assert await heard(again) == b""
    writer.close()
    other.close()


async def test_a_cut_after_commit_reaches_the_server_and_not_the_client(way: tuple[Proxy, Far]) -> None:
    proxy, far = way
    reader, writer = await asyncio.open_connection("127.0.0.1", proxy.port)
    proxy.cut_after_commit(1)
    writer.write(b"Q COMMIT")
    assert await heard(reader) == b""
    await asyncio.wait_for(far.more.wait(), 5.0)
    assert far.heard == b"Q COMMIT"
    assert proxy.happened["cut after commit"] == 1
    writer.close()


@pytest.mark.skipif(library() is None, reason="there is no C compiler here: wall clocks cannot be set wrong")
def test_a_wall_clock_is_off_and_the_monotonic_one_is_not(tmp_path: Path) -> None:
    clock = WallClock(tmp_path)
    clock.set(HOUR)
    script = "import time, datetime as d; print(time.time(), d.datetime.now().timestamp(), time.monotonic())"
    said = subprocess.run(
        [sys.executable, "-c", script], env=os.environ | clock.environment, capture_output=True, text=True, check=True
    )
    wall, other, monotonic = map(float, said.stdout.split())
    assert wall - time.time() == pytest.approx(HOUR, abs=60.0)
    assert other - time.time() == pytest.approx(HOUR, abs=60.0)
    assert monotonic == pytest.approx(time.monotonic(), abs=60.0)


def test_slopes_show_what_grows_and_forget_what_was_before_a_restart() -> None:
    samples = [Sample(node=1, at=60.0 * n, rss=(100 + n) << 20, files=20) for n in range(60)]
    samples += [Sample(node=1, at=3600 + 60.0 * n, rss=50 << 20, files=10) for n in range(60)]
    tables = [TableSize("jobs", 60.0 * n, 1000 * n) for n in range(60)]
    found = {one.what: one for one in slopes(samples, tables)}
    assert found["node 1 memory"].per_hour == pytest.approx(0.0)
    assert found["node 1 memory"].first == 50 << 20
    assert found["table jobs"].per_hour == pytest.approx(60_000.0)


def test_figures_tell_lateness_apart_from_faults_and_recovery() -> None:
    def job(number: int, due: float, late: float, ahead: float = 0.0) -> EndedJob:
        at = {"execute_at": due, "due_at": due, "created_at": due - ahead, "finished_at": due + late}
        started = {"launched_at": due + late, "started_at": due + late}
        return EndedJob(job_id=number, message="m", state="succeeded", attempts=1, **at, **started)

    history = History(
        ended_jobs=[
            job(1, 5.0, 0.01),
            job(5, 9.8, 3.0),
            job(2, 11.0, 4.0),
            job(3, 14.0, 0.02),
            job(4, 30.0, 0.03, 2.0),
        ],
        faults=[Fault(kind="kill", node=1, began=10.0, healed=13.0, happened=1)],
        healed_at=40.0,
    )
    seen = figures(history)
    assert seen.lateness_apart is not None
    assert (seen.lateness_apart.count, seen.lateness_apart.most) == (2, 30.0)
    assert seen.lateness_apart_ahead is not None
    assert (seen.lateness_apart_ahead.count, seen.lateness_apart_ahead.most) == (1, 30.0)
    assert seen.lateness_all is not None
    assert seen.lateness_all.most == 4000.0
    assert [(one.kind, one.felt) for one in seen.recoveries] == [("kill", 2.0)]
