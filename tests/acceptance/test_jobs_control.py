"""Changing, hurrying and cancelling jobs, waiting or running, and that nobody does it to another's."""

from __future__ import annotations

import asyncio
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from harness.calls import JOBS, Api
from harness.sink import Sink, SinkAnswer
from harness.waiting import eventually

FAR = "2099-06-01T12:00:00Z"


async def test_a_changed_job_runs_as_changed(ada: Api, sink: Sink, path: str) -> None:
    job = await ada.create("before", execute_at=FAR, labels={"kept": "yes"})
    at = datetime.now(UTC) + timedelta(seconds=0.5)
    change = {"message": "after", "execute_at": at.isoformat(), "target": {"kind": "http", "url": sink.url(path)}}
    changed = (await ada.patch(f"{JOBS}/{job['id']}", change)).data
    assert (changed["message"], changed["status"], changed["labels"]) == ("after", "created", {"kept": "yes"})
    await ada.until(job["id"], "succeeded")
    [arrival] = await sink.records(path)
    assert arrival.body == "after"
    assert arrival.arrived >= at.timestamp(), "it came early"


async def test_a_job_that_was_near_can_be_put_off(ada: Api) -> None:
    job = await ada.create(delay="2s")
    (await ada.patch(f"{JOBS}/{job['id']}", {"execute_at": FAR})).data  # noqa: B018
    marker = await ada.create(execute_at=job["execute_at"])
    await ada.until(marker["id"], "succeeded")
    assert (await ada.job(job["id"]))["status"] == "created"
    assert await ada.runs(job["id"]) == []


@pytest.mark.parametrize(
    ("change", "field"),
    [
        ({}, None),
        ({"status": "succeeded"}, "status"),
        ({"id": 7}, "id"),
        ({"message": "m\0"}, "message"),
        ({"execute_at": "2201-01-01T00:00:00Z"}, "execute_at"),
        ({"execute_at": FAR, "delay": "1s"}, "delay"),
        ({"expires_at": "2001-01-01T00:00:00Z"}, "expires_at"),
        ({"target": {"kind": "http", "url": "file:///etc/passwd"}}, "target.url"),
    ],
)
async def test_a_change_that_is_not_right(ada: Api, change: dict[str, object], field: str | None) -> None:
    job = await ada.create("m", execute_at=FAR)
    (await ada.patch(f"{JOBS}/{job['id']}", change)).error(422, "invalid", field)
    assert (await ada.job(job["id"])).items() >= job.items()


async def test_null_takes_an_expiry_away(ada: Api) -> None:
    job = await ada.create("m", execute_at=FAR, expires_at="2099-12-31T00:00:00Z")
    path = f"{JOBS}/{job['id']}"
    assert (await ada.patch(path, {"priority": 7})).data["expires_at"] == "2099-12-31T00:00:00Z"
    assert (await ada.patch(path, {"expires_at": None})).data["expires_at"] is None
    assert (await ada.job(job["id"]))["expires_at"] is None


async def test_an_ended_job_is_changed_no_more(ada: Api) -> None:
    job = await ada.create()
    await ada.until(job["id"], "succeeded")
    (await ada.patch(f"{JOBS}/{job['id']}", {"message": "too late"})).error(409, "conflict")
    (await ada.post(f"{JOBS}/{job['id']}/run-now")).error(409, "conflict")


async def test_run_now_does_not_wait_for_the_instant(ada: Api) -> None:
    job = await ada.create(execute_at=FAR)
    hurried = (await ada.post(f"{JOBS}/{job['id']}/run-now")).data
    assert hurried["execute_at"] == FAR
    done = await ada.until(job["id"])
    assert (done["status"], done["attempts"]) == ("succeeded", 1)
    assert done["execute_at"] == FAR


async def test_a_cancelled_job_never_runs(ada: Api, sink: Sink, path: str) -> None:
    at = (datetime.now(UTC) + timedelta(seconds=2)).isoformat()
    target = {"kind": "http", "url": sink.url(path)}
    ids = await ada.bulk([{"message": "m", "execute_at": at, "target": target} for _ in range(20)])
    replies = await asyncio.gather(*(ada.post(f"{JOBS}/{job_id}/cancel") for job_id in ids[:10]))
    assert {reply.data["status"] for reply in replies} == {"cancelled"}
    for job_id in ids[10:]:
        await ada.until(job_id, "succeeded")
    assert {arrival.job_id for arrival in await sink.records(path)} == set(ids[10:])


async def test_cancelling_a_running_job_closes_its_connection(ada: Api, sink: Sink, path: str) -> None:
    url = await sink.rule(path, SinkAnswer(mode="hang"))
    job = await ada.create(target={"kind": "http", "url": url})
    await eventually(lambda: sink.count(path))
    assert (await ada.job(job["id"]))["status"] == "running"
    asked = (await ada.post(f"{JOBS}/{job['id']}/cancel")).data
    assert asked["status"] == "cancelled" or asked["cancel_requested"] is True
    done = await ada.until(job["id"])
    assert done["status"] == "cancelled"
    arrivals: Any = await eventually(lambda: _closed(sink, path))
    [arrival] = arrivals
    assert arrival.job_id == job["id"]
    [run] = await ada.runs(job["id"])
    assert run["state"] == "cancelled"
    (await ada.post(f"{JOBS}/{job['id']}/cancel")).error(409, "conflict")


async def _closed(sink: Sink, path: str) -> list[object]:
    return [each for each in await sink.records(path) if each.state == "closed"]


async def test_a_running_job_is_changed_no_more(ada: Api, sink: Sink, path: str) -> None:
    url = await sink.rule(path, SinkAnswer(mode="hang"))
    job = await ada.create(target={"kind": "http", "url": url})
    await eventually(lambda: sink.count(path))
    (await ada.patch(f"{JOBS}/{job['id']}", {"message": "too late"})).error(409, "conflict")
    (await ada.post(f"{JOBS}/{job['id']}/run-now")).error(409, "conflict")
    (await ada.post(f"{JOBS}/{job['id']}/cancel")).data  # noqa: B018
    await ada.until(job["id"], "cancelled")


async def test_many_cancels_at_once_cancel_once(ada: Api) -> None:
    job = await ada.create(execute_at=FAR)
    replies = await asyncio.gather(*(ada.post(f"{JOBS}/{job['id']}/cancel") for _ in range(20)))
    assert [reply.status for reply in replies].count(200) == 1
    assert {reply.status for reply in replies} == {200, 409}


@pytest.mark.parametrize("state", ["waiting", "ended"])
async def test_somebody_elses_job_is_not_there(ada: Api, state: str) -> None:
    job = await ada.create("private", **({"execute_at": FAR} if state == "waiting" else {}))
    if state == "ended":
        await ada.until(job["id"], "succeeded")
    before = await ada.job(job["id"])
    for other in (await ada.new_user("mallory"), await ada.admin()):
        at = f"{JOBS}/{job['id']}"
        replies = [
            await other.get(at),
            await other.patch(at, {"message": "mine now"}),
            await other.post(f"{at}/cancel"),
            await other.post(f"{at}/run-now"),
            await other.get(f"{at}/runs"),
        ]
        unknown = (await other.get(f"{JOBS}/{2**52}")).error(404, "not_found")
        unknown["message"] = unknown["message"].replace(str(2**52), str(job["id"]))
        for reply in replies:
            assert reply.error(404, "not_found") == unknown, "the answer tells that the job exists"
        assert job["id"] not in {each["id"] for each in (await other.get(JOBS, q="private")).data}
    assert await ada.job(job["id"]) == before


async def test_a_job_that_expired_before_it_could_start_is_skipped_with_the_reason(
    ada: Api, sink: Sink, path: str
) -> None:
    first = await sink.rule(path, SinkAnswer(delay=3))
    target = {"kind": "http", "url": first}
    await ada.create(target=target, ordering_key="k")
    soon = (datetime.now(UTC) + timedelta(seconds=2)).isoformat()
    late = await ada.create(target=target, ordering_key="k", expires_at=soon)
    done = await ada.until(late["id"])
    assert done["status"] == "skipped"
    assert "expire" in done["reason"]
    assert await sink.count(path) == 1
