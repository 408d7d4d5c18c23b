"""Looking at jobs: filters, pages, attempts and counts."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from harness.calls import JOBS, Api
from harness.sink import Sink, SinkAnswer
from harness.waiting import eventually

FAR = datetime(2099, 6, 1, 12, tzinfo=UTC)


def at(hours: int) -> str:
    return (FAR + timedelta(hours=hours)).isoformat()


async def found(api: Api, **params: str) -> list[str]:
    return [job["message"] for job in (await api.get(JOBS, **params)).data]


async def test_filters_alone_and_together(ada: Api) -> None:
    done = await ada.create("done now")
    await ada.until(done["id"], "succeeded")
    await ada.create("apple 100%", execute_at=at(0), ordering_key="fruit")
    await ada.create("pear_x", execute_at=at(1), ordering_key="fruit")
    await ada.create("Plum", execute_at=at(2))
    assert await found(ada, status="succeeded") == ["done now"]
    assert await found(ada, status="created") == ["Plum", "pear_x", "apple 100%"]
    assert await found(ada, status="dead") == []
    assert await found(ada, ordering_key="fruit") == ["pear_x", "apple 100%"]
    assert await found(ada, **{"from": at(1)}) == ["Plum", "pear_x"]
    assert await found(ada, to=at(1)) == ["apple 100%", "done now"]
    assert await found(ada, **{"from": at(1), "to": at(2)}) == ["pear_x"]
    assert await found(ada, **{"from": "2099-06-01T15:00:00+02:00"}) == ["Plum", "pear_x"]
    assert await found(ada, q="pear") == ["pear_x"]
    assert await found(ada, q="%") == ["apple 100%"], "a pattern sign was not taken as itself"
    assert await found(ada, q="_") == ["pear_x"], "a pattern sign was not taken as itself"
    assert await found(ada, q="\\") == []
    assert await found(ada, q="apple", status="succeeded") == []
    assert await found(ada, ordering_key="fruit", **{"from": at(1)}) == ["pear_x"]


@pytest.mark.parametrize("limit", [1, 7, 50, 1000])
async def test_pages_hold_everything_once_in_order(ada: Api, limit: int) -> None:
    ids = await ada.bulk([{"message": f"n{i}", "execute_at": at(i % 5)} for i in range(50)])
    for job_id in ids[::5]:
        await ada.post(f"{JOBS}/{job_id}/cancel")
    seen, cursor, pages = list[int](), None, 0
    while pages < 60:
        page = (await ada.get(JOBS, limit=str(limit), **({"cursor": cursor} if cursor else {}))).json
        assert len(page["data"]) <= limit
        seen += [job["id"] for job in page["data"]]
        cursor, pages = page["next_cursor"], pages + 1
        if cursor is None:
            break
    assert seen == sorted(ids, reverse=True)


async def test_pages_of_a_filtered_listing(ada: Api) -> None:
    ids = await ada.bulk([{"message": "odd" if i % 2 else "even", "execute_at": at(0)} for i in range(20)])
    listed = await ada.all_jobs(q="odd", limit="3")
    assert [job["id"] for job in listed] == sorted(ids[1::2], reverse=True)


async def test_a_cursor_of_another_call_is_refused(admin: Api) -> None:
    cursor = (await admin.get("/api/v1/users", limit="1")).json["next_cursor"]
    (await admin.get(JOBS, cursor=cursor)).error(422, "invalid", "cursor")


async def test_new_jobs_do_not_shift_the_pages(ada: Api) -> None:
    ids = await ada.bulk([{"message": "m", "execute_at": at(0)} for _ in range(6)])
    first = (await ada.get(JOBS, limit="3")).json
    await ada.create("between", execute_at=at(0))
    second = (await ada.get(JOBS, limit="3", cursor=first["next_cursor"])).json
    assert [job["id"] for job in first["data"] + second["data"]] == sorted(ids, reverse=True)


async def test_counts_follow_the_jobs(ada: Api, sink: Sink, path: str) -> None:
    states = {
        "created",
        "queued",
        "running",
        "suspended",
        "failed",
        "succeeded",
        "dead",
        "cancelled",
        "skipped",
        "lost",
    }
    empty = await ada.stats()
    assert set(empty) == states
    assert set(empty.values()) == {0}
    await ada.bulk([{"message": "m"} for _ in range(5)] + [{"message": "m", "execute_at": at(0)} for _ in range(3)])
    gone = await ada.create(execute_at=at(0))
    await ada.post(f"{JOBS}/{gone['id']}/cancel")
    url = await sink.rule(path, SinkAnswer(status=500))
    await ada.create(target={"kind": "http", "url": url}, retry=False)

    async def counted() -> bool:
        counts = {state: count for state, count in (await ada.stats()).items() if count}
        assert counts == {"succeeded": 5, "created": 3, "cancelled": 1, "dead": 1}, counts
        return True

    await eventually(counted)


async def test_the_attempts_of_a_job_say_when_where_and_how_long(ada: Api, sink: Sink, path: str) -> None:
    url = await sink.rule(path, SinkAnswer(status=503, body="busy"), SinkAnswer(body="thanks", delay=0.1))
    retry = {"max_attempts": 3, "delays": [0.2]}
    job = await ada.create(target={"kind": "http", "url": url}, retry=retry)
    assert (await ada.until(job["id"]))["status"] == "succeeded"
    first, second = await ada.runs(job["id"])
    assert [run["attempt"] for run in (first, second)] == [1, 2]
    assert [run["state"] for run in (first, second)] == ["failed", "succeeded"]
    assert [run["response"]["status"] for run in (first, second)] == [503, 200]
    assert [run["response"]["body"] for run in (first, second)] == ["busy", "thanks"]
    assert first["error"]["kind"] == "http_503"
    assert second["error"] is None
    assert second["duration_ms"] >= 100
    for run in (first, second):
        due, launched, started, finished = (
            datetime.fromisoformat(run[name]) for name in ("due_at", "launched_at", "started_at", "finished_at")
        )
        assert due <= launched <= started <= finished
        assert run["lateness_ms"] == pytest.approx((launched - due).total_seconds() * 1000, abs=0.001)
        assert run["duration_ms"] == pytest.approx((finished - started).total_seconds() * 1000, abs=0.001)
        assert run["executor"]
    assert datetime.fromisoformat(second["due_at"]) >= datetime.fromisoformat(first["finished_at"])
    assert [each.run_id for each in await sink.records(path)] == [run["id"] for run in (first, second)]


async def test_a_job_that_has_not_started_has_no_attempts(ada: Api) -> None:
    job = await ada.create(execute_at=at(0))
    assert await ada.runs(job["id"]) == []


async def test_an_attempt_under_way_is_shown(ada: Api, sink: Sink, path: str) -> None:
    url = await sink.rule(path, SinkAnswer(mode="hang"))
    job = await ada.create(target={"kind": "http", "url": url})
    await eventually(lambda: sink.count(path))
    [run] = await ada.runs(job["id"])
    assert (run["state"], run["finished_at"], run["attempt"]) == ("running", None, 1)
    await ada.post(f"{JOBS}/{job['id']}/cancel")
    await ada.until(job["id"], "cancelled")
