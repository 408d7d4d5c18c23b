"""The promise at length: nothing acknowledged is lost, nothing that succeeded runs again, nothing runs early."""

from __future__ import annotations

import asyncio
from collections import Counter
from datetime import UTC, datetime, timedelta
from typing import Any

from acceptance.conftest import StartDuetime
from harness.calls import JOBS, Api, calling
from harness.process import DuetimeProcess
from harness.sink import Sink
from harness.waiting import eventually

BULK = 2_000
KILLED_JOBS, KILLED_TO_SINK = 20_000, 5_000
TIMED_JOBS, TIMED_TO_SINK, TIMED_SECONDS = 10_000, 1_000, 10


async def succeeded(user: Api, count: int) -> bool:
    stats = await user.stats()
    assert stats["succeeded"] == count, stats
    return True


async def submit(user: Api, jobs: list[dict[str, Any]], acknowledged: list[int]) -> None:
    """Hand jobs in, bulk by bulk, and note the ids of each bulk that was acknowledged."""
    for at in range(0, len(jobs), BULK):
        acknowledged += await user.bulk(jobs[at : at + BULK])


async def test_kill_9_in_the_middle_of_20000_jobs(start_duetime: StartDuetime, sink: Sink, path: str) -> None:
    process = start_duetime()
    url, share = sink.url(path), KILLED_JOBS // KILLED_TO_SINK
    targets = [{"kind": "http", "url": url} if i % share == 0 else {"kind": "log"} for i in range(KILLED_JOBS)]
    acknowledged: list[int] = []
    async with calling(process.url) as anyone:
        user = await anyone.new_user()
        jobs = [{"message": f"n{i}", "target": target} for i, target in enumerate(targets)]
        submitting = asyncio.ensure_future(submit(user, jobs, acknowledged))
        done_before = await _finished_in_the_middle(user, submitting)
        await asyncio.to_thread(process.kill)
        await asyncio.gather(submitting, return_exceptions=True)
    seen_before = await sink.counts(path)
    unsent = jobs[len(acknowledged) :]
    process.start()
    async with calling(process.url) as anyone:
        again = anyone.holding(user.token or "")
        known = {job["id"] for job in await again.all_jobs()}
        assert set(acknowledged) <= known, f"{len(set(acknowledged) - known)} acknowledged jobs are gone"
        # A bulk whose answer was cut off is there as a whole, or not at all.
        assert (len(known) - len(acknowledged)) in (0, BULK)
        await submit(again, unsent[len(known) - len(acknowledged) :], acknowledged)
        await eventually(lambda: succeeded(again, KILLED_JOBS), 120, every=0.25)
        jobs_after = {job["id"]: job for job in await again.all_jobs()}
        assert len(jobs_after) == KILLED_JOBS
        assert set(acknowledged) <= set(jobs_after)
        assert {job["status"] for job in jobs_after.values()} == {"succeeded"}
        for job_id, before in done_before.items():
            after = jobs_after[job_id]
            assert (after["attempts"], after["finished_at"]) == before, "a job that had succeeded ran again"
        await _sink_agrees(again, sink, path, jobs_after, done_before, seen_before)


async def _finished_in_the_middle(user: Api, submitting: asyncio.Future[None]) -> dict[int, tuple[int, str]]:
    """Wait until work is well under way, and return the jobs recorded as succeeded, just before the kill."""

    async def under_way() -> bool:
        return submitting.done() or sum((await user.stats()).values()) >= KILLED_JOBS // 2

    await eventually(under_way, 60)
    page = (await user.get(JOBS, status="succeeded", limit="1000")).data
    found = {job["id"]: (job["attempts"], job["finished_at"]) for job in page}
    assert found, "nothing had succeeded yet: the kill would not be in the middle"
    stats = await user.stats()
    assert stats["succeeded"] < KILLED_JOBS, "everything had succeeded: the kill would not be in the middle"
    return found


async def _sink_agrees(
    user: Api,
    sink: Sink,
    path: str,
    jobs: dict[int, dict[str, Any]],
    done_before: dict[int, tuple[int, str]],
    seen_before: Counter[str],
) -> None:
    arrivals = await sink.records(path)
    by_run = Counter(each.run_id for each in arrivals)
    assert {each.job_id for each in arrivals} == {i for i, job in jobs.items() if job["target"]["kind"] == "http"}
    assert set(by_run.values()) == {1}, "an attempt was sent twice"
    for each in arrivals:
        assert each.attempt <= jobs[each.job_id]["attempts"]
        if each.job_id in done_before:
            assert each.run_id in seen_before, "a job recorded as succeeded was sent again after the kill"
    # Whatever went twice went because its first run was open at the kill, and the record says so.
    twice = [job_id for job_id, count in Counter(each.job_id for each in arrivals).items() if count > 1]
    for job_id in twice:
        states = [run["state"] for run in await user.runs(job_id)]
        assert states[-1] == "succeeded"
        assert "succeeded" not in states[:-1], f"job {job_id} ran again although it had succeeded"


async def test_10000_jobs_over_10_seconds(
    start_duetime: StartDuetime, sink: Sink, path: str, record_property: Any, capsys: Any
) -> None:
    process = start_duetime()
    async with calling(process.url) as anyone:
        user = await anyone.new_user()
        url, share = sink.url(path), TIMED_JOBS // TIMED_TO_SINK
        first = datetime.now(UTC) + timedelta(seconds=3)
        due = [first + timedelta(seconds=TIMED_SECONDS) * i / TIMED_JOBS for i in range(TIMED_JOBS)]
        targets = [{"kind": "http", "url": url} if i % share == 0 else {"kind": "log"} for i in range(TIMED_JOBS)]
        jobs = [
            {"message": f"n{i}", "execute_at": at.isoformat(), "target": target}
            for i, (at, target) in enumerate(zip(due, targets, strict=True))
        ]
        acknowledged: list[int] = []
        await submit(user, jobs, acknowledged)
        await eventually(lambda: succeeded(user, TIMED_JOBS), 60, every=0.25)
        wanted = dict(zip(acknowledged, due, strict=True))
        listed = {job["id"]: job for job in await user.all_jobs()}
    assert set(listed) == set(wanted), "lost or made up"
    assert {job["attempts"] for job in listed.values()} == {1}, "some ran twice"
    for arrival in (arrivals := await sink.records(path)):
        assert arrival.arrived >= wanted[arrival.job_id].timestamp(), "it came early at the sink"
    assert Counter(each.job_id for each in arrivals) == Counter(acknowledged[::share])
    lateness = await _lateness(process, wanted)
    assert len(lateness) == TIMED_JOBS
    assert lateness[0] >= 0, "launched early by the record"
    figures = {name: round(lateness[int(part * TIMED_JOBS)], 2) for name, part in (("p50", 0.5), ("p99", 0.99))}
    figures["max"] = round(lateness[-1], 2)
    record_property("lateness_ms", figures)
    with capsys.disabled():
        print(f"\n10,000 jobs over 10 s: launch - due in ms: {figures}")  # noqa: T201


async def _lateness(process: DuetimeProcess, due: dict[int, datetime]) -> list[float]:
    """Launch minus due of every job in ms, sorted, by the record and by the instants that were asked for."""
    import asyncpg

    connection = await asyncpg.connect(f"postgresql://duetime@/duetime?host={process.data / 'postgres'}")
    try:
        rows = await connection.fetch("SELECT id, launched_at FROM history WHERE id = ANY($1)", list(due))
    finally:
        await connection.close()
    return sorted((row["launched_at"] - due[row["id"]]).total_seconds() * 1000 for row in rows)
