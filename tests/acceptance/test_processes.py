"""`--processes 2`: two peers on one port that share the work, and go and come together."""

from __future__ import annotations

import asyncio
import os
import signal
from collections import Counter

from acceptance.conftest import StartDuetime
from harness.calls import JOBS, Api, calling
from harness.process import DuetimeProcess, command_of
from harness.sink import Sink
from harness.waiting import eventually, wait_for_end


def peers(process: DuetimeProcess) -> list[int]:
    """The node processes below the one that was started."""
    return [pid for pid in process.descendants() if b"node" in command_of(pid).split(b"\0")]


async def executors(url: str, token: str, ids: list[int]) -> Counter[str]:
    """Which node ran each job."""
    async with calling(url) as anyone:
        user = anyone.holding(token)
        runs = await asyncio.gather(*(user.runs(job_id) for job_id in ids))
    return Counter(run["executor"] for attempts in runs for run in attempts)


async def all_succeeded(user: Api, count: int) -> bool:
    stats = await user.stats()
    assert stats["succeeded"] == count, stats
    return True


async def test_both_serve_and_share_the_work_and_each_job_runs_once(
    start_duetime: StartDuetime, sink: Sink, path: str
) -> None:
    process = start_duetime("--processes", "2")
    assert len(peers(process)) == 2
    async with calling(process.url) as anyone:
        user = await anyone.new_user()
        target = {"kind": "http", "url": sink.url(path)}
        # Many connections, so that the kernel gives some to each; and a bulk, which one peer takes for both.
        singles = await asyncio.gather(*(_one(process.url, user.token or "") for _ in range(40)))
        ids = singles + await user.bulk([{"message": "m", "target": target} for _ in range(500)])
        await eventually(lambda: all_succeeded(user, len(ids)), 60)
        jobs = await user.all_jobs()
        assert {job["id"] for job in jobs} == set(ids)
        assert {job["attempts"] for job in jobs} == {1}
        counts = await sink.counts(path)
        assert len(counts) == 500
        assert set(counts.values()) == {1}
        shares = await executors(process.url, user.token or "", ids)
        assert len(shares) == 2, shares
        assert min(shares.values()) > len(ids) // 10, shares
        later = await user.create(delay="1h")
    await _cancel_is_seen_by_both(process.url, user.token or "", later["id"])
    below = process.descendants()
    process.stop()
    assert all(wait_for_end(pid, 10.0) for pid in below)


async def _one(url: str, token: str) -> int:
    async with calling(url) as anyone:
        return (await anyone.holding(token).create())["id"]


async def _cancel_is_seen_by_both(url: str, token: str, job_id: int) -> None:
    for expected in ("created", "cancelled"):
        for _ in range(10):
            async with calling(url) as anyone:
                assert (await anyone.holding(token).job(job_id))["status"] == expected
        if expected == "created":
            async with calling(url) as anyone:
                await anyone.holding(token).post(f"{JOBS}/{job_id}/cancel")


async def test_a_killed_peer_is_replaced_and_its_jobs_still_run(start_duetime: StartDuetime) -> None:
    process = start_duetime("--processes", "2")
    before = peers(process)
    async with calling(process.url) as anyone:
        user = await anyone.new_user()
        ids = await user.bulk([{"message": "m", "delay": "1s"} for _ in range(300)])
        os.kill(before[0], signal.SIGKILL)

    async def replaced() -> bool:
        now = peers(process)
        return len(now) == 2 and before[0] not in now

    await eventually(replaced, 20)
    async with calling(process.url) as anyone:
        again = anyone.holding(user.token or "")
        await eventually(lambda: all_succeeded(again, len(ids)), 60)
    process.stop()


async def test_peers_end_with_a_killed_parent_and_a_start_finds_everything(start_duetime: StartDuetime) -> None:
    process = start_duetime("--processes", "2")
    async with calling(process.url) as anyone:
        user = await anyone.new_user()
        ids = await user.bulk([{"message": "m", "delay": "2s"} for _ in range(100)])
    process.kill()
    process.start()
    async with calling(process.url) as anyone:
        again = anyone.holding(user.token or "")
        await eventually(lambda: all_succeeded(again, len(ids)), 60)
