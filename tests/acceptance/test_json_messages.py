"""Messages that are any JSON value: through every way in, to the target, and back in every view."""

from __future__ import annotations

import json
from typing import Any

import pytest

from duetime.client import Client
from harness.calls import Api
from harness.sink import Sink, SinkAnswer

VALUES: list[Any] = [
    {"order": 4711, "nested": {"list": [1, 2.5, None, True], "umlaut": "ü"}},
    [1, "two"],
    7,
    1.5,
    True,
    None,
    {},
]
TEXTS = ["plain", "", '{"already": "encoded"}', '"quoted"', "\x1e1", "\x1e"]


async def test_every_value_arrives_as_json_and_every_text_as_it_is(ada: Api, sink: Sink, path: str) -> None:
    target = {"kind": "http", "url": sink.url(path)}
    ids = await ada.bulk([{"message": value, "target": target} for value in VALUES + TEXTS])
    for job_id, value in zip(ids, VALUES + TEXTS, strict=True):
        assert (await ada.until(job_id))["status"] == "succeeded"
        shown = (await ada.job(job_id))["message"]
        assert (shown, type(shown)) == (value, type(value))
    arrived = {arrival.job_id: arrival for arrival in await sink.records(path)}
    for job_id, value in zip(ids, VALUES, strict=False):
        assert json.loads(arrived[job_id].body) == value
        assert arrived[job_id].headers["content-type"] == "application/json"
    for job_id, text in zip(ids[len(VALUES) :], TEXTS, strict=True):
        assert arrived[job_id].body == text
    assert arrived[ids[len(VALUES)]].headers["content-type"] == "text/plain; charset=utf-8"


async def test_a_value_is_created_changed_searched_and_logged(ada: Api) -> None:
    job = await ada.create({"order": 4711}, delay="1h")
    assert job["message"] == {"order": 4711}
    assert [one["id"] for one in await ada.all_jobs(q='"order":4711')] == [job["id"]]
    changed = (await ada.patch(f"/api/v1/me/jobs/{job['id']}", {"message": [4712]})).data
    assert changed["message"] == [4712]
    await ada.post(f"/api/v1/me/jobs/{job['id']}/run-now")
    await ada.until(job["id"], "succeeded")
    assert [run["log"] for run in await ada.runs(job["id"])] == ["[4712]"]


async def test_the_same_key_compares_values(ada: Api) -> None:
    async def create(value: Any) -> int:
        body = {"message": value, "delay": "1h"}
        return (await ada.post("/api/v1/me/jobs", body, headers={"Idempotency-Key": "k"})).status

    statuses = [await create({"a": 1, "b": 2}), await create({"b": 2, "a": 1}), await create({"a": 1})]
    assert statuses == [201, 200, 409]


async def test_a_schedule_fills_in_values_and_keeps_them_valid(ada: Api, sink: Sink, path: str) -> None:
    name = 'quote " and backslash \\'
    message = {"at": "{{nominal}}", "of": ["{{schedule}}"]}
    body = {"name": name, "cron": "0 0 1 1 *", "message": message, "target": {"kind": "http", "url": sink.url(path)}}
    schedule = (await ada.post("/api/v1/me/schedules", body)).data
    assert schedule["message"] == message
    filled = {"at": schedule["next"]["nominal"], "of": [name]}
    assert (await ada.job(schedule["next"]["job_id"]))["message"] == filled
    applied = await ada.post("/api/v1/me/schedules/apply", {"schedules": [body]})
    assert [entry["action"] for entry in applied.data] == ["keep"]
    patched = (await ada.patch(f"/api/v1/me/schedules/{schedule['id']}", {"priority": 7})).data
    assert patched["message"] == message
    patched = (await ada.patch(f"/api/v1/me/schedules/{schedule['id']}", {"message": ["new"]})).data
    assert patched["message"] == ["new"]


async def test_a_dead_letter_is_redriven_with_another_value(ada: Api, sink: Sink, path: str) -> None:
    target = {"kind": "http", "url": await sink.rule(path, SinkAnswer(500), SinkAnswer(200))}
    job = await ada.create({"try": 1}, target=target, retry=False)
    await ada.until(job["id"], "dead")
    await ada.post(f"/api/v1/me/dead-letters/{job['id']}/redrive", {"message": {"try": 2}})
    assert (await ada.until(job["id"], "succeeded"))["message"] == {"try": 2}
    assert [arrival.body for arrival in await sink.records(path)] == ['{"try":1}', '{"try":2}']


async def test_the_client_gives_and_gets_values(ada: Api) -> None:
    async with Client(ada.url, token=ada.token) as client:
        job = await client.create_job({"order": 1}, delay="1h")
        assert (job.message, job.message_text) == ({"order": 1}, '{"order":1}')
        assert (await client.edit(job.id, message="text")).message == "text"


@pytest.mark.parametrize("depth", [1000, 5000, 100_000])
async def test_deep_nesting_is_stored_or_refused(ada: Api, depth: int) -> None:
    nested = b'{"message":' + b"[" * depth + b"]" * depth + b',"delay":"1h"}'
    for headers in ({}, {"Idempotency-Key": f"deep {depth}"}):
        answer = await ada.call("POST", "/api/v1/me/jobs", raw=nested, headers=headers)
        assert answer.status in {201, 400, 422}


async def test_a_value_is_bounded_like_text(ada: Api) -> None:
    (await ada.post("/api/v1/me/jobs", {"message": ["x" * 300_000]})).error(413, "too_large", "message")
