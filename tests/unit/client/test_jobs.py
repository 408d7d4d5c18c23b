"""What the calls send, and what they make of the answers."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta, timezone

import msgspec
import pytest

from duetime.client import ApiError, Client, Job, JobSpec
from duetime.client.client import FIRST_LOOK, LONGEST_LOOK
from duetime.model.errors import Invalid
from duetime.model.policy import Retry
from duetime.model.targets.http import BearerAuth, HttpTarget
from unit.client.scripted_api import Reply, ScriptedApi, Seen, fail, job, ok

JOBS = "/api/v1/me/jobs"
AT = datetime(2030, 1, 31, 9, 30, 0, 123456, tzinfo=timezone(timedelta(hours=1)))


def created(seen: Seen) -> Reply:
    count = len(seen.body.splitlines())
    return ok({"ids": list(range(count))})


async def test_only_what_is_given_is_sent(api: ScriptedApi) -> None:
    api.on(f"POST {JOBS}", ok(job()))
    async with Client(api.url, token="t") as client:
        await client.create_job("hi")
        await client.create_job(
            "hi",
            at=AT,
            target=HttpTarget("https://example.com/", headers={"a": "b"}, auth=BearerAuth("x")),
            ordering_key="k",
            priority=9,
            timeout=timedelta(minutes=2),
            expires_at=AT,
            delivery="at_most_once",
            retry=Retry(max_attempts=2),
            labels={"l": "v"},
        )
        await client.create_job("hi", delay="30m", retry=False, target={"kind": "log"})
    plain, full, third = (seen.json for seen in api.seen)
    assert plain == {"message": "hi"}
    assert full["execute_at"] == full["expires_at"] == "2030-01-31T09:30:00.123456+01:00"
    assert (full["timeout"], full["ordering_key"], full["priority"]) == (120.0, "k", 9)
    assert (full["target"]["kind"], full["target"]["auth"]) == ("http", {"kind": "bearer", "token": "x"})
    assert (full["retry"]["max_attempts"], full["delivery"], full["labels"]) == (2, "at_most_once", {"l": "v"})
    assert third == {"message": "hi", "delay": "30m", "retry": False, "target": {"kind": "log"}}
    assert api.seen[0].headers["Content-Type"] == "application/json"


async def test_what_cannot_be_meant_is_refused_before_sending(api: ScriptedApi) -> None:
    naive = datetime(2030, 1, 1)  # noqa: DTZ001
    async with Client(api.url, token="t") as client:
        with pytest.raises(Invalid, match="has no UTC offset"):
            await client.create_job("m", at=naive)
        with pytest.raises(Invalid, match="has no UTC offset"):
            await client.create_jobs([JobSpec(message="m", expires_at=naive)])
        with pytest.raises(Invalid, match="not both"):
            await client.create_job("m", at=AT, delay=1)
    assert api.seen == []


async def test_answers_of_a_newer_server_are_read(api: ScriptedApi) -> None:
    api.on(f"GET {JOBS}/1025", ok(job(status="hibernating", priority=3), beside=1))
    async with Client(api.url, token="t") as client:
        found = await client.job(1025)
    assert found == Job(1025, 1, "m", "hibernating", datetime(2030, 1, 31, 9, tzinfo=UTC), shard_id=1, priority=3)
    assert not found.finished


@pytest.mark.parametrize(
    ("status", "finished"),
    [("created", False), ("running", False), ("failed", False), ("succeeded", True), ("dead", True), ("lost", True)],
)
def test_finished(status: str, finished: bool) -> None:
    assert msgspec.convert(job(status=status), Job).finished is finished


async def test_many_jobs_go_in_requests_of_ten_thousand(api: ScriptedApi) -> None:
    api.on(f"POST {JOBS}/bulk", created)
    steps: list[int] = []
    async with Client(api.url, token="t") as client:
        ids = await client.create_jobs(
            ({"message": str(n)} for n in range(20_001)), on_created=lambda more: steps.append(len(more))
        )
    assert steps == [10_000, 10_000, 1]
    assert len(ids) == 20_001
    lines = [line for seen in api.seen for line in seen.body.splitlines()]
    assert [msgspec.json.decode(line)["message"] for line in lines] == [str(n) for n in range(20_001)]
    assert {seen.headers["Content-Type"] for seen in api.seen} == {"application/x-ndjson"}


async def test_large_jobs_go_in_smaller_requests(api: ScriptedApi) -> None:
    api.on(f"POST {JOBS}/bulk", created)
    async with Client(api.url, token="t") as client:
        await client.create_jobs(JobSpec(message="x" * 1_000_000) for _ in range(20))
    assert len(api.seen) == 3
    assert all(len(seen.body) <= 8 * 1024 * 1024 for seen in api.seen)


async def test_no_jobs_are_no_request(api: ScriptedApi) -> None:
    async with Client(api.url, token="t") as client:
        assert await client.create_jobs([]) == []
    assert api.seen == []


async def test_after_a_refused_request_it_is_known_what_was_created(api: ScriptedApi) -> None:
    wrong = fail(422, "invalid", "Line 3: 'x' is wrong.", {"index": 2, "line": 3, "field": "[2].x"})
    api.on(f"POST {JOBS}/bulk", created, wrong, created)
    steps: list[int] = []
    async with Client(api.url, token="t") as client:
        with pytest.raises(ApiError, match="Line 10003: 'x' is wrong") as refused:
            await client.create_jobs([b'{"message":"m"}'] * 25_000, on_created=lambda more: steps.append(len(more)))
    assert steps == [10_000]
    assert refused.value.details == {"index": 10_002, "line": 10_003, "field": "[10002].x"}
    assert len(api.seen) == 2


def paged(seen: Seen) -> Reply:
    start, limit = int(seen.query.get("cursor", "0")), int(seen.query["limit"])
    ids = list(range(start, min(start + limit, 2500)))
    following = str(start + limit) if start + limit < 2500 else None
    return ok([job(n) for n in ids], next_cursor=following)


async def test_listing_goes_on_to_the_end(api: ScriptedApi) -> None:
    api.on(f"GET {JOBS}", paged)
    async with Client(api.url, token="t") as client:
        assert [found.id async for found in client.jobs()] == list(range(2500))
    assert [seen.query.get("cursor") for seen in api.seen] == [None, "1000", "2000"]


@pytest.mark.parametrize(("limit", "requests"), [(1, 1), (999, 1), (1000, 1), (1001, 2), (9999, 3)])
async def test_listing_stops_at_the_limit(api: ScriptedApi, limit: int, requests: int) -> None:
    api.on(f"GET {JOBS}", paged)
    async with Client(api.url, token="t") as client:
        assert len([found async for found in client.jobs(limit=limit)]) == min(limit, 2500)
    assert len(api.seen) == requests


async def test_filters_arrive_as_they_are_meant(api: ScriptedApi) -> None:
    api.on(f"GET {JOBS}", ok([]))
    async with Client(api.url, token="t") as client:
        assert [found async for found in client.jobs(status="dead", from_=AT, ordering_key="a&b=c", q="ü +%")] == []
    query = api.seen[0].query
    assert query == {
        "status": "dead",
        "from": "2030-01-31T09:30:00.123456+01:00",
        "ordering_key": "a&b=c",
        "q": "ü +%",
        "limit": "1000",
    }


async def test_the_other_calls(api: ScriptedApi) -> None:
    run = {"id": "1025-1", "attempt": 1, "state": "failed", "due_at": "2030-01-31T09:00:00Z", "lateness_ms": 1.5}
    run |= {"error": {"kind": "timeout", "message": "late"}, "response": None, "novel": 1}
    api.on(f"GET {JOBS}/1025/runs", ok([run])).on(f"GET {JOBS}/stats", ok({"created": 3, "dead": 0}))
    api.on(f"POST {JOBS}/1025/cancel", ok(job(status="cancelled")))
    api.on(f"POST {JOBS}/1025/run-now", ok(job())).on(f"PATCH {JOBS}/1025", ok(job()))
    user = {"id": 7, "username": "ada", "job_weight": 3.0}
    api.on("GET /api/v1/users", ok([user], next_cursor=None)).on("PATCH /api/v1/users/7", ok(user))
    async with Client(api.url, token="t") as client:
        (shown,) = await client.runs(1025)
        assert (shown.attempt, shown.lateness_ms, shown.error and shown.error.kind) == (1, 1.5, "timeout")
        assert await client.stats() == {"created": 3, "dead": 0}
        assert (await client.cancel(1025)).finished
        assert not (await client.run_now(1025)).finished
        await client.edit(1025, delay=5, message="")
        await client.edit(1025, expires_at=None)
        assert [found.username async for found in client.users()] == ["ada"]
        assert (await client.set_weight(7, 3.0)).job_weight == 3.0
    assert api.calls(f"PATCH {JOBS}/1025")[0].json == {"delay": 5, "message": ""}
    assert api.calls(f"PATCH {JOBS}/1025")[1].json == {"expires_at": None}
    assert api.calls("PATCH /api/v1/users/7")[0].json == {"job_weight": 3.0}


async def test_watching_yields_each_change_and_ends(api: ScriptedApi) -> None:
    still = [ok(job())] * 20
    api.on(f"GET {JOBS}/1025", *still, ok(job(status="running")), ok(job(status="running")), ok(job(status="dead")))
    naps: list[float] = []

    async def sleep(seconds: float) -> None:
        naps.append(seconds)

    async with Client(api.url, token="t", sleep=sleep) as client:
        states = [found.status async for found in client.watch(1025)]
    assert states == ["created", "running", "dead"]
    assert len(naps) == len(api.seen) - 1 == 22
    assert naps[0] == FIRST_LOOK
    assert naps[:20] == sorted(naps[:20])
    assert max(naps) == LONGEST_LOOK
    assert naps[20] == FIRST_LOOK, "after a change it looks often again"


async def test_watching_a_finished_job_asks_once(api: ScriptedApi) -> None:
    api.on(f"GET {JOBS}/1025", ok(job(status="succeeded")))
    async with Client(api.url, token="t") as client:
        assert [found.status async for found in client.watch(1025)] == ["succeeded"]
    assert len(api.seen) == 1


async def test_what_answers_lack_is_remembered_once(api: ScriptedApi) -> None:
    said = "Database 1 (shards 512-1023) does not answer: what it has is missing here."
    api.on(f"GET {JOBS}/stats", ok({})._replace(headers={"Duetime-Incomplete": said}))
    async with Client(api.url, token="t") as client:
        assert client.incomplete == ()
        await client.stats()
        await client.stats()
        assert client.incomplete == (said,)
