"""Lanes over real HTTP: seen, and let go on when their first job failed for good."""

from __future__ import annotations

from urllib.parse import quote

import pytest

from duetime.client import ApiError, Client
from harness.calls import Api, Reply
from harness.sink import Sink, SinkAnswer

LANES = "/api/v1/me/lanes"
KEY = "order 7"


async def lane(api: Api, method: str, key: str, verb: str = "") -> Reply:
    """A call about a lane, with the key encoded as one segment."""
    return await api.call(method, f"{LANES}/{quote(key, safe='')}{verb}")


async def blocked(api: Api, sink: Sink, path: str, key: str = KEY) -> tuple[int, list[int]]:
    """A lane whose first job failed for good, with two behind it."""
    url = await sink.rule(path, SinkAnswer(503))
    head = await api.create("head", ordering_key=key, target={"kind": "http", "url": url}, retry=False, breaker=False)
    behind = [(await api.create(f"behind {n}", ordering_key=key))["id"] for n in range(2)]
    await api.until(head["id"], "dead")
    return head["id"], behind


async def test_a_blocked_lane_is_seen_with_its_head_and_its_length(ada: Api, sink: Sink, path: str) -> None:
    head, behind = await blocked(ada, sink, path)
    await ada.create("waits", ordering_key="another", delay="1h")
    shown = (await lane(ada, "GET", KEY)).data
    assert (shown["key"], shown["head"], shown["head_status"]) == (KEY, head, "dead")
    assert (shown["length"], shown["blocked"]) == (3, True)
    assert "503" in shown["reason"]
    both = (await ada.get(LANES)).data
    assert [(one["key"], one["blocked"], one["length"]) for one in both] == [("another", False, 1), (KEY, True, 3)]
    assert (await ada.get(LANES, blocked="true")).data == [shown]
    assert len((await ada.get(LANES, limit="1")).data) == 1
    stats = (await ada.get("/api/v1/me/stats")).data
    assert stats == {"jobs": await ada.stats(), "blocked_lanes": 1}
    async with Client(ada.url, token=ada.token) as client:
        assert (await client.summary()).blocked_lanes == 1
    assert {(await ada.job(job_id))["status"] for job_id in behind} == {"created"}
    (await ada.get(LANES, blocked="yes")).error(422, "invalid", "blocked")


async def test_skipping_leaves_the_first_behind_and_the_rest_go_on(ada: Api, sink: Sink, path: str) -> None:
    head, behind = await blocked(ada, sink, path)
    assert (await lane(ada, "POST", KEY, "/skip")).data["ids"] == [head]
    for job_id in behind:
        assert (await ada.until(job_id))["status"] == "succeeded"
    assert [job["id"] for job in (await ada.get("/api/v1/me/dead-letters")).data] == [head]
    (await lane(ada, "GET", KEY)).error(404, "not_found")
    (await lane(ada, "POST", KEY, "/skip")).error(404, "not_found")


async def test_retrying_gives_the_first_another_life_and_keeps_the_order(ada: Api, sink: Sink, path: str) -> None:
    head, behind = await blocked(ada, sink, path)
    assert (await lane(ada, "POST", KEY, "/retry")).data["ids"] == [head]
    await ada.until(head, "dead")
    await sink.rule(path, SinkAnswer(200))
    assert (await lane(ada, "POST", KEY, "/retry")).data["ids"] == [head]
    done = [await ada.until(job_id) for job_id in (head, *behind)]
    assert [job["status"] for job in done] == ["succeeded"] * 3
    assert [job["finished_at"] for job in done] == sorted(job["finished_at"] for job in done)
    assert [run["state"] for run in await ada.runs(head)] == ["dead", "dead", "succeeded"]


async def test_clearing_cancels_everything_that_waits(ada: Api, sink: Sink, path: str) -> None:
    head, behind = await blocked(ada, sink, path)
    cleared = (await lane(ada, "POST", KEY, "/clear")).data
    assert cleared == {"ids": [head, *behind], "lane": None}
    assert {(await ada.job(job_id))["status"] for job_id in cleared["ids"]} == {"cancelled"}
    (await lane(ada, "POST", KEY, "/clear")).error(404, "not_found")
    again = await ada.create("again", ordering_key=KEY)
    assert (await ada.until(again["id"]))["status"] == "succeeded"


async def test_clearing_leaves_what_runs(ada: Api, sink: Sink, path: str) -> None:
    url = await sink.rule(path, SinkAnswer(mode="hang"))
    running = (await ada.create("r", ordering_key=KEY, target={"kind": "http", "url": url}))["id"]
    await ada.until(running, "running")
    behind = (await ada.create("b", ordering_key=KEY))["id"]
    cleared = (await lane(ada, "POST", KEY, "/clear")).data
    assert (cleared["ids"], cleared["lane"]["head"], cleared["lane"]["length"]) == ([behind], running, 1)
    assert (await ada.post(f"/api/v1/me/jobs/{running}/cancel")).status == 200
    assert (await ada.until(running))["status"] == "cancelled"


async def test_a_lane_that_is_not_blocked_is_left_alone(ada: Api) -> None:
    job = await ada.create("waits", ordering_key=KEY, delay="1h")
    for verb in ("/skip", "/retry"):
        (await lane(ada, "POST", KEY, verb)).error(409, "conflict")
    assert (await ada.job(job["id"]))["status"] == "created"


@pytest.mark.parametrize("key", ["a/skip", "a/b/c", "skip", "ключ", "100 %", "a?b#c", "/"])
async def test_any_key_works_in_a_path(ada: Api, key: str) -> None:
    job = await ada.create("waits", ordering_key=key, delay="1h")
    assert (await lane(ada, "GET", key)).data["head"] == job["id"]
    (await lane(ada, "POST", key, "/skip")).error(409, "conflict")
    assert (await lane(ada, "POST", key, "/clear")).data["ids"] == [job["id"]]


@pytest.mark.parametrize("key", ["a/skip", "ключ", "100 %", "..", "."])
async def test_any_key_works_through_the_client(ada: Api, key: str) -> None:
    job = await ada.create("waits", ordering_key=key, delay="1h")
    async with Client(ada.url, token=ada.token) as client:
        assert (await client.lane(key)).head == job["id"]
        with pytest.raises(ApiError) as refused:
            await client.skip_lane(key)
        assert refused.value.status == 409
        assert (await client.clear_lane(key)).ids == [job["id"]]


async def test_lanes_of_others_do_not_exist(ada: Api, sink: Sink, path: str) -> None:
    head, _ = await blocked(ada, sink, path)
    eve = await ada.new_user("eve")
    assert (await eve.get(LANES)).data == []
    (await lane(eve, "GET", KEY)).error(404, "not_found")
    for verb in ("/skip", "/retry", "/clear"):
        (await lane(eve, "POST", KEY, verb)).error(404, "not_found")
    assert (await lane(ada, "GET", KEY)).data["head"] == head
