"""Dead letters over real HTTP: found, inspected, given another life, given up."""

from __future__ import annotations

import asyncio
import json
import sys
from datetime import UTC, datetime, timedelta
from itertools import pairwise
from typing import Any

import pytest

from duetime.client import Client, DeadLetterFilter
from harness.calls import Api
from harness.process import environment
from harness.sink import Sink, SinkAnswer
from harness.waiting import eventually

DEAD = "/api/v1/me/dead-letters"


async def die(api: Api, url: str, count: int = 1, **more: Any) -> list[int]:
    """Jobs that fail for good, in the order of their ids."""
    job = {"message": "m", "target": {"kind": "http", "url": url}, "retry": False, "breaker": False, **more}
    ids = await api.bulk([job] * count)
    for job_id in ids:
        assert (await api.until(job_id))["status"] == "dead"
    return sorted(ids)


async def found(api: Api, **params: str) -> list[int]:
    return [job["id"] for job in (await api.get(DEAD, **params)).data]


async def test_a_job_that_failed_for_good_is_found_by_what_it_is(ada: Api, sink: Sink, path: str) -> None:
    busy = await sink.rule(f"{path}/busy", SinkAnswer(503))
    gone = await sink.rule(f"{path}/gone", SinkAnswer(410))
    (first,) = await die(ada, busy)
    (second,) = await die(ada, gone, ordering_key="k 1", on_failure="skip")
    (parked,) = await die(ada, gone, ordering_key="k 2")
    assert await found(ada) == sorted([first, second, parked], reverse=True)
    assert await found(ada, error="503 SERVICE") == [first]
    assert await found(ada, error="410") == sorted([second, parked], reverse=True)
    assert await found(ada, error="http_410") == sorted([second, parked], reverse=True)
    assert await found(ada, error="%") == []
    assert await found(ada, ordering_key="k 2") == [parked]
    definition = (await ada.job(first))["definition_id"]
    assert await found(ada, definition_id=str(definition)) == [first]
    ended = datetime.fromisoformat((await ada.job(first))["finished_at"])
    assert first in await found(ada, **{"from": ended.isoformat()})
    assert await found(ada, to=(ended - timedelta(seconds=60)).isoformat()) == []
    assert await found(ada, **{"from": (datetime.now(UTC) + timedelta(hours=1)).isoformat()}) == []


async def test_pages_go_on_where_the_last_one_ended(ada: Api, sink: Sink, path: str) -> None:
    ids = await die(ada, await sink.rule(path, SinkAnswer(500)), 5)
    first = (await ada.get(DEAD, limit="2")).json
    second = (await ada.get(DEAD, limit="2", cursor=first["next_cursor"])).json
    third = (await ada.get(DEAD, limit="2", cursor=second["next_cursor"])).json
    pages = [[job["id"] for job in page["data"]] for page in (first, second, third)]
    assert pages == [ids[:-3:-1], ids[-3:-5:-1], ids[:1]]
    assert third["next_cursor"] is None
    jobs_cursor = (await ada.get("/api/v1/me/jobs", limit="1")).json["next_cursor"]
    (await ada.get(DEAD, cursor=jobs_cursor)).error(422, "invalid", "cursor")


async def test_one_is_shown_with_its_attempts(ada: Api, sink: Sink, path: str) -> None:
    url = await sink.rule(path, SinkAnswer(503, body="busy"))
    (dead,) = await die(ada, url, retry={"max_attempts": 3, "delays": [0]})
    shown = (await ada.get(f"{DEAD}/{dead}")).data
    assert (shown["job"]["id"], shown["job"]["status"]) == (dead, "dead")
    assert [run["attempt"] for run in shown["runs"]] == [1, 2, 3]
    assert shown["runs"][-1]["response"]["body"] == "busy"
    alive = await ada.create("later", delay="1h")
    (await ada.get(f"{DEAD}/{alive['id']}")).error(404, "not_found")
    (await ada.get(f"{DEAD}/1024")).error(404, "not_found")


async def test_another_life_has_all_its_attempts_and_new_run_ids(ada: Api, sink: Sink, path: str) -> None:
    url = await sink.rule(path, SinkAnswer(503), SinkAnswer(503), SinkAnswer(503), SinkAnswer(200))
    (dead,) = await die(ada, url, retry={"max_attempts": 2, "delays": [0]})
    answer = (await ada.post(f"{DEAD}/{dead}/redrive")).data
    assert (answer["id"], answer["finished_at"]) == (dead, None)
    assert (await ada.until(dead))["status"] == "succeeded"
    assert [arrival.run_id for arrival in await sink.records(path)] == [f"{dead}-{n}" for n in (1, 2, 3, 4)]
    assert [run["state"] for run in await ada.runs(dead)] == ["failed", "dead", "failed", "succeeded"]
    assert await found(ada) == []
    (await ada.post(f"{DEAD}/{dead}/redrive")).error(409, "conflict")
    stats = await eventually(lambda: _settled(ada))
    assert (stats["dead"], stats["succeeded"], stats["created"]) == (0, 1, 0)


async def _settled(api: Api) -> dict[str, int]:
    stats = await api.stats()
    return stats if stats["succeeded"] == 1 else {}


async def test_one_is_changed_on_the_way_back(ada: Api, sink: Sink, path: str) -> None:
    broken = await sink.rule(f"{path}/broken", SinkAnswer(500))
    (dead,) = await die(ada, broken)
    sound = await sink.rule(f"{path}/sound", SinkAnswer(200))
    edit = {"message": "new", "target": {"kind": "http", "url": sound}, "limit": {"max_concurrency": 1}, "priority": 9}
    answer = (await ada.post(f"{DEAD}/{dead}/redrive", edit)).data
    assert (answer["message"], answer["target"]["url"], answer["priority"]) == ("new", sound, 9)
    assert (await ada.until(dead))["status"] == "succeeded"
    assert [arrival.body for arrival in await sink.records(f"{path}/sound")] == ["new"]
    assert await sink.count(f"{path}/broken") == 1
    assert (await ada.job(dead))["limit"]["max_concurrency"] == 1


async def test_a_change_that_cannot_be_leaves_the_dead_letter_alone(ada: Api, sink: Sink, path: str) -> None:
    (dead,) = await die(ada, await sink.rule(path, SinkAnswer(500)))
    redrive = f"{DEAD}/{dead}/redrive"
    (await ada.post(redrive, {"limit": {}})).error(422, "invalid", "limit")
    (await ada.post(redrive, {"execute_at": "2030-01-01T00:00:00Z"})).error(422, "invalid", "execute_at")
    (await ada.post(redrive, {"target": {"kind": "http", "url": "nowhere"}})).error(422, "invalid", "target.url")
    assert await found(ada) == [dead]
    (await ada.post(redrive, {})).data  # noqa: B018
    await ada.until(dead, "dead")


async def test_many_by_filter_first_dry_then_paced_the_oldest_first(ada: Api, sink: Sink, path: str) -> None:
    ids = await die(ada, await sink.rule(path, SinkAnswer(503)), 6)
    (other,) = await die(ada, await sink.rule(f"{path}-other", SinkAnswer(410)))
    await sink.rule(path, SinkAnswer(200))
    asked = {"filter": {"error": "503"}, "per_second": 20}
    dry = (await ada.post(f"{DEAD}/redrive", {**asked, "dry_run": True})).data
    assert dry == {"ids": ids, "count": 6, "more_remain": False, "dry_run": True}
    assert len(await found(ada)) == 7
    done = (await ada.post(f"{DEAD}/redrive", asked)).data
    assert done == dry | {"dry_run": False}
    due = [datetime.fromisoformat((await ada.job(job_id))["due_at"]) for job_id in ids]
    assert [after - before for before, after in pairwise(due)] == [timedelta(seconds=0.05)] * 5
    for job_id in ids:
        assert (await ada.until(job_id))["status"] == "succeeded"
    assert await found(ada) == [other]


async def test_many_by_ids_leaves_out_what_is_not_dead(ada: Api, sink: Sink, path: str) -> None:
    ids = await die(ada, await sink.rule(path, SinkAnswer(503)), 3)
    alive = (await ada.create("later", delay="1h"))["id"]
    await sink.rule(path, SinkAnswer(200))
    asked = {"ids": [alive, ids[2], ids[0], 1024]}
    assert (await ada.post(f"{DEAD}/redrive", {**asked, "dry_run": True})).data["ids"] == [ids[0], ids[2]]
    assert (await ada.post(f"{DEAD}/redrive", asked)).data["ids"] == [ids[0], ids[2]]
    assert (await ada.until(ids[2]))["status"] == "succeeded"
    assert await found(ada) == [ids[1]]
    assert (await ada.job(alive))["status"] == "created"
    for body in ({}, {"ids": [1], "filter": {}}):
        (await ada.post(f"{DEAD}/redrive", body)).error(422, "invalid", "ids")


async def test_more_than_one_call_can_do_is_said(ada: Api, sink: Sink, path: str) -> None:
    url = await sink.rule(path, SinkAnswer(410))
    job = {"message": "m", "target": {"kind": "http", "url": url}, "retry": False}
    await ada.bulk([job] * 1003)

    async def all_dead() -> bool:
        return (await ada.stats())["dead"] == 1003

    await eventually(all_dead, 60)
    first = (await ada.post(f"{DEAD}/discard", {"filter": {}})).data
    assert (first["count"], len(first["ids"]), first["more_remain"]) == (1000, 1000, True)
    second = (await ada.post(f"{DEAD}/discard", {"filter": {}})).data
    assert (second["count"], second["more_remain"]) == (3, False)
    assert not set(first["ids"]) & set(second["ids"])
    assert await found(ada) == []


async def test_what_is_given_up_is_cancelled_and_lets_its_lane_go_on(ada: Api, sink: Sink, path: str) -> None:
    url = await sink.rule(path, SinkAnswer(500))
    plain, *_ = await die(ada, url)
    (parked,) = await die(ada, url, ordering_key="k")
    behind = await ada.create("behind", ordering_key="k")
    assert (await ada.post(f"{DEAD}/discard", {"ids": [plain, parked], "dry_run": True})).data["count"] == 2
    assert (await ada.job(behind["id"]))["status"] == "created"
    gone = (await ada.post(f"{DEAD}/discard", {"ids": [plain, parked]})).data
    assert gone["ids"] == [plain, parked]
    assert {(await ada.job(job_id))["status"] for job_id in gone["ids"]} == {"cancelled"}
    assert "500" in (await ada.job(plain))["reason"]
    assert (await ada.until(behind["id"]))["status"] == "succeeded"
    (await ada.post(f"{DEAD}/{plain}/redrive")).error(409, "conflict")


@pytest.mark.parametrize("verb", ["redrive", "discard"])
async def test_nobody_touches_the_dead_letters_of_others(ada: Api, sink: Sink, path: str, verb: str) -> None:
    (dead,) = await die(ada, await sink.rule(path, SinkAnswer(500)))
    eve = await ada.new_user("eve")
    (await eve.get(f"{DEAD}/{dead}")).error(404, "not_found")
    (await eve.post(f"{DEAD}/{dead}/redrive")).error(404, "not_found")
    assert (await eve.post(f"{DEAD}/{verb}", {"ids": [dead]})).data["ids"] == []
    assert (await eve.post(f"{DEAD}/{verb}", {"filter": {}})).data["ids"] == []
    assert await found(ada) == [dead]


async def test_the_client_does_all_of_it(ada: Api, sink: Sink, path: str) -> None:
    ids = await die(ada, await sink.rule(path, SinkAnswer(503)), 3)
    async with Client(ada.url, token=ada.token) as client:
        wanted = DeadLetterFilter(error="503", from_=datetime.now(UTC) - timedelta(hours=1))
        assert [job.id async for job in client.dead_letters(wanted)] == ids[::-1]
        assert (await client.dead_letter(ids[0])).runs[0].error is not None
        assert (await client.redrive_many(wanted, dry_run=True)).ids == ids
        assert (await client.redrive(ids[0], target={"kind": "log"})).message == "m"
        assert (await ada.until(ids[0]))["status"] == "succeeded"
        assert (await client.discard([ids[1]])).ids == [ids[1]]
        assert [job.id async for job in client.dead_letters()] == [ids[2]]


async def duetime(api: Api, *args: Any) -> list[Any]:
    """What a command prints as JSON; it must exit with 0."""
    command = [sys.executable, "-m", "duetime", *map(str, args), "--json"]
    env = environment(DUETIME_SERVER=api.url, DUETIME_TOKEN=api.token or "")
    pipe = asyncio.subprocess.PIPE
    process = await asyncio.create_subprocess_exec(
        *command, env=env, stdout=pipe, stderr=pipe, stdin=asyncio.subprocess.DEVNULL
    )
    out, err = await process.communicate()
    assert process.returncode == 0, err.decode()
    return [json.loads(line) for line in out.splitlines()]


async def test_the_command_line_does_all_of_it(ada: Api, admin: Api, sink: Sink, path: str) -> None:
    ids = await die(ada, await sink.rule(path, SinkAnswer(503)), 2)
    (parked,) = await die(ada, await sink.rule(path, SinkAnswer(503)), ordering_key="a/b")
    assert [job["id"] for job in await duetime(ada, "dead-letters", "list", "--error", "http_503")] == [
        parked,
        *ids[::-1],
    ]
    assert (await duetime(ada, "lanes", "list", "--blocked"))[0]["head"] == parked
    assert (await duetime(ada, "lanes", "skip", "a/b"))[0] == {"ids": [parked], "lane": None}
    await sink.rule(path, SinkAnswer(200))
    assert (await duetime(ada, "dead-letters", "redrive", "--error", "503", "--yes"))[0]["ids"] == sorted(
        [parked, *ids]
    )
    for job_id in (parked, *ids):
        assert (await ada.until(job_id))["status"] == "succeeded"
    assert await duetime(ada, "breakers", "list") == []
    settings = ("--weight", 2, "--rate", "600/minute", "--quota-pending", 50, "--pin", "1-3")
    (user,) = await duetime(admin, "users", "set", ada.user["id"], *settings)
    assert (user["job_weight"], user["limits"]["per"], user["quotas"]["pending_jobs"]) == (2.0, "minute", 50)
    assert user["distribution"]["shards"] == [1, 2, 3]
