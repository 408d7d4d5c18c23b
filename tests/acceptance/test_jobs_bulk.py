"""Many jobs in one request: as an array or line by line, all or nothing."""

from __future__ import annotations

import json
from typing import Any

import pytest

from harness.calls import JOBS, Api
from harness.waiting import eventually

BULK = f"{JOBS}/bulk"
FAR = "2099-06-01T12:00:00Z"


def lines(jobs: list[dict[str, Any]]) -> bytes:
    return "\n".join(json.dumps(job) for job in jobs).encode()


async def test_ten_thousand_at_once_and_not_one_more(ada: Api) -> None:
    jobs = [{"message": f"n{i}", "execute_at": FAR} for i in range(10_000)]
    reply = await ada.post(BULK, jobs)
    assert reply.status == 201
    ids = reply.data["ids"]
    assert len(set(ids)) == 10_000
    for at in (0, 4_999, 9_999):
        assert (await ada.job(ids[at]))["message"] == f"n{at}"
    (await ada.post(BULK, [*jobs, {"message": "one more"}])).error(413, "too_large")
    assert (await ada.stats())["created"] == 10_000


@pytest.mark.parametrize("content_type", ["application/x-ndjson", "application/x-ndjson; charset=utf-8"])
async def test_line_by_line(ada: Api, content_type: str) -> None:
    raw = lines([{"message": "one"}, {"message": "two", "delay": "1h"}]) + b"\n"
    reply = await ada.post(BULK, raw=raw, headers={"Content-Type": content_type})
    one, two = reply.data["ids"]
    await ada.until(one, "succeeded")
    assert (await ada.job(two))["status"] == "created"


@pytest.mark.parametrize(
    ("wrong", "field"),
    [
        ({"message": "m\0"}, "[2].message"),
        ({"message": "m", "colour": "red"}, "[2].colour"),
        ({"message": "m", "execute_at": "2201-01-01T00:00:00Z"}, "[2].execute_at"),
        ({"message": "m", "delay": "soon"}, "[2].delay"),
        ({"message": "m", "target": {"kind": "http", "url": "ftp://example.com/"}}, "[2].target.url"),
    ],
)
@pytest.mark.parametrize("form", ["array", "lines"])
async def test_one_wrong_job_stops_them_all(ada: Api, wrong: dict[str, Any], field: str, form: str) -> None:
    jobs = [{"message": "right"}, {"message": "right"}, wrong, {"message": "right"}]
    if form == "array":
        reply = await ada.post(BULK, jobs)
    else:
        reply = await ada.post(BULK, raw=lines(jobs), headers={"Content-Type": "application/x-ndjson"})
    error = reply.error(422, "invalid", field)
    assert error["details"]["index"] == 2
    assert error["details"].get("line") == (3 if form == "lines" else None)
    assert error["message"].startswith("Line 3: ") is (form == "lines")
    assert (await ada.get(JOBS)).data == []


async def test_a_line_that_is_no_json_is_named(ada: Api) -> None:
    raw = lines([{"message": "right"}]) + b'\n{"message": \n'
    error = (await ada.post(BULK, raw=raw, headers={"Content-Type": "application/x-ndjson"})).error(400, "malformed")
    assert (error["details"]["index"], error["details"]["line"]) == (1, 2)
    assert error["message"].startswith("Line 2 is not valid JSON")
    assert (await ada.get(JOBS)).data == []


async def test_nothing_at_all_and_a_key_for_many_are_refused(ada: Api) -> None:
    (await ada.post(BULK, [])).error(422, "invalid")
    (await ada.post(BULK, raw=b"", headers={"Content-Type": "application/x-ndjson"})).error(422, "invalid")
    (await ada.post(BULK, raw=b"\n\n", headers={"Content-Type": "application/x-ndjson"})).error(422, "invalid")
    (await ada.post(BULK, {"message": "not a list"})).error(422, "invalid")
    many = await ada.post(BULK, [{"message": "m"}], headers={"Idempotency-Key": "k"})
    many.error(422, "invalid", "Idempotency-Key")


async def test_one_too_large_message_stops_them_all(ada: Api) -> None:
    jobs = [{"message": "right"}, {"message": "m" * 262_145}]
    (await ada.post(BULK, jobs)).error(413, "too_large", "[1].message")
    assert (await ada.get(JOBS)).data == []


async def test_all_of_a_bulk_run_each_once(ada: Api) -> None:
    ids = await ada.bulk([{"message": f"n{i}"} for i in range(2_000)])

    async def done() -> bool:
        return (await ada.stats())["succeeded"] == len(ids)

    await eventually(done, 30)
    jobs = {job["id"]: job for job in await ada.all_jobs()}
    assert set(jobs) == set(ids)
    assert {job["attempts"] for job in jobs.values()} == {1}
