"""Limits, hours, quotas, shards and breakers over real HTTP: what is asked for is what holds."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import UTC, datetime, timedelta
from typing import Any
from urllib.parse import quote

import pytest

from duetime.client import Client
from duetime.engine.due.breaker import FIRST_PAUSE
from duetime.model.policy import Limit
from duetime.model.user import Quotas
from harness.calls import Api
from harness.sink import Sink, SinkAnswer
from harness.waiting import eventually

JOBS = "/api/v1/me/jobs"
BUSY = SinkAnswer(503)


def http(url: str) -> dict[str, Any]:
    return {"kind": "http", "url": url}


def closed_hours() -> dict[str, str]:
    """Hours that are closed now and for at least a day."""
    day = (datetime.now(UTC) + timedelta(days=3)).strftime("%a").upper()
    return {"window": f"{day} 09:00-17:00", "zone": "UTC"}


def most_at_once(runs: Iterable[dict[str, Any]]) -> int:
    """The largest number of runs under way at the same time, by the record."""
    changes = [(run[name], step) for run in runs for name, step in (("started_at", 1), ("finished_at", -1))]
    under_way = most = 0
    for _, step in sorted((datetime.fromisoformat(at), step) for at, step in changes):
        under_way += step
        most = max(most, under_way)
    return most


async def run_all(api: Api, ids: list[int]) -> list[dict[str, Any]]:
    """The runs of jobs that must all succeed at the first attempt."""
    for job_id in ids:
        assert (await api.until(job_id, seconds=30))["status"] == "succeeded"
    return [run for job_id in ids for run in await api.runs(job_id)]


async def test_jobs_of_one_definition_share_its_limit(ada: Api, sink: Sink, path: str) -> None:
    url = await sink.rule(path, SinkAnswer(delay=0.05))
    limited = {"message": "m", "target": http(url), "limit": {"max_concurrency": 2}}
    free = {"message": "m", "target": http(url)}
    ids = await ada.bulk([limited] * 12 + [free] * 12)
    assert most_at_once(await run_all(ada, ids[:12])) == 2
    assert most_at_once(await run_all(ada, ids[12:])) > 2
    shown = await ada.job(ids[0])
    assert shown["limit"] == {"max_concurrency": 2, "rate": None, "per": "second", "burst": None}
    assert shown["definition_id"] != (await ada.job(ids[12]))["definition_id"]


async def test_a_rate_holds(ada: Api) -> None:
    ids = await ada.bulk([{"message": "m", "limit": {"rate": 20, "burst": 2}}] * 12)
    launched = sorted(datetime.fromisoformat(run["launched_at"]) for run in await run_all(ada, ids))
    # Two at once and then one every 50 ms: the ten others need half a second, whatever the machine.
    assert launched[-1] - launched[0] >= timedelta(seconds=0.45)


async def test_a_users_limits_hold_for_all_of_its_jobs(ada: Api, admin: Api, sink: Sink, path: str) -> None:
    url = await sink.rule(path, SinkAnswer(delay=0.03))
    changed = await admin.patch(f"/api/v1/users/{ada.user['id']}", {"limits": {"max_concurrency": 1}})
    assert changed.data["limits"]["max_concurrency"] == 1
    # A change takes effect within a second.
    due = (datetime.now(UTC) + timedelta(seconds=1.2)).isoformat()
    kinds = [{"timeout": seconds} for seconds in (10, 20, 30)]
    ids = await ada.bulk([{"message": "m", "target": http(url), "execute_at": due, **kind} for kind in kinds * 3])
    assert most_at_once(await run_all(ada, ids)) == 1


@pytest.mark.parametrize(
    ("fields", "field"),
    [
        ({"limit": {}}, "limit"),
        ({"limit": {"rate": 0}}, "limit.rate"),
        ({"limit": {"max_concurrency": 1, "burst": 5}}, "limit.burst"),
        ({"limit": {"max": 1}}, "limit.max"),
        ({"hours": {"window": "whenever"}}, "hours.window"),
        ({"hours": {"window": "09:00-17:00", "zone": "Mars/Base"}}, "hours.zone"),
        ({"hours": {"zone": "UTC"}}, "hours.window"),
        ({"breaker": "yes"}, "breaker"),
        ({"retry": {"retry_on": ["tomeout"]}}, "retry.retry_on"),
        ({"retry": {"give_up_on": ["http_9xx"]}}, "retry.give_up_on"),
    ],
)
async def test_what_cannot_be_is_refused_with_its_field(ada: Api, fields: dict[str, Any], field: str) -> None:
    (await ada.post(JOBS, {"message": "m", **fields})).error(422, "invalid", field)
    many = (await ada.post(f"{JOBS}/bulk", [{"message": "m"}, {"message": "m", **fields}])).error(422, "invalid")
    assert many["details"]["index"] == 1
    job = await ada.create("m", delay="1h")
    (await ada.patch(f"{JOBS}/{job['id']}", fields)).error(422, "invalid", field)
    assert (await ada.job(job["id"])).items() >= job.items()


async def test_hours_move_the_first_attempt_and_taking_them_away_lets_it_go(ada: Api) -> None:
    hours = closed_hours()
    job = await ada.create("m", hours=hours)
    assert job["hours"] == hours
    due = datetime.fromisoformat(job["due_at"])
    assert (due.strftime("%a").upper(), due.hour, due.minute) == (hours["window"][:3], 9, 0)
    assert datetime.fromisoformat(job["execute_at"]) < due
    changed = (await ada.patch(f"{JOBS}/{job['id']}", {"hours": None})).data
    assert changed["hours"] is None
    assert (await ada.until(job["id"]))["status"] == "succeeded"


async def test_hours_that_come_later_hold_as_well(ada: Api) -> None:
    hours = closed_hours()
    job = await ada.create("m", delay="1h")
    changed = (await ada.patch(f"{JOBS}/{job['id']}", {"hours": hours})).data
    assert datetime.fromisoformat(changed["due_at"]).hour == 9
    assert changed["execute_at"] == job["execute_at"]
    moved = (await ada.patch(f"{JOBS}/{job['id']}", {"delay": 0})).data
    assert datetime.fromisoformat(moved["due_at"]) > datetime.now(UTC) + timedelta(days=1)
    # A person's word counts more than the hours.
    await ada.post(f"{JOBS}/{job['id']}/run-now")
    assert (await ada.until(job["id"]))["status"] == "succeeded"


async def test_a_retry_waits_for_the_hours(ada: Api, sink: Sink, path: str) -> None:
    url = await sink.rule(path, BUSY)
    job = await ada.create("m", target=http(url), hours=closed_hours(), breaker=False)
    await ada.post(f"{JOBS}/{job['id']}/run-now")

    async def failed_once() -> bool:
        return len(await ada.runs(job["id"])) == 1 and (await ada.job(job["id"]))["status"] == "created"

    await eventually(failed_once)
    assert datetime.fromisoformat((await ada.job(job["id"]))["due_at"]) > datetime.now(UTC) + timedelta(days=1)


async def test_failures_to_give_up_on_are_not_tried_again(ada: Api, sink: Sink, path: str) -> None:
    url = await sink.rule(path, SinkAnswer(404))
    retry = {"max_attempts": 3, "delays": [0], "give_up_on": ["http_4xx"]}
    job = await ada.create("m", target=http(url), retry=retry)
    assert (await ada.until(job["id"]))["status"] == "dead"
    assert await sink.count(path) == 1


async def test_a_quota_of_pending_jobs(ada: Api, admin: Api) -> None:
    await set_user(admin, ada, quotas={"pending_jobs": 3})
    ids = [(await ada.create("m", delay="1h"))["id"] for _ in range(3)]
    refused = await ada.post(JOBS, {"message": "m"})
    error = refused.error(429, "over_limit")
    assert error["details"] == {"quota": "pending_jobs", "limit": 3}
    assert int(refused.headers["retry-after"]) >= 1
    assert (await ada.post(f"{JOBS}/bulk", [{"message": "m"}] * 2)).error(429, "over_limit")
    await ada.post(f"{JOBS}/{ids[0]}/cancel")

    async def room() -> bool:
        return (await ada.post(JOBS, {"message": "m", "delay": "1h"})).status == 201

    await eventually(room)


async def test_a_quota_of_bytes(ada: Api, admin: Api) -> None:
    await set_user(admin, ada, quotas={"payload_bytes": 10})
    error = (await ada.post(JOBS, {"message": "é" * 6})).error(413, "too_large")
    assert error["details"] == {"quota": "payload_bytes", "limit": 10}
    await ada.create("é" * 5)


async def test_users_see_what_they_may_have_and_what_they_have(ada: Api, admin: Api) -> None:
    await ada.bulk([{"message": "m", "delay": "1h"}] * 4)
    await ada.post("/api/v1/me/schedules", {"name": "n", "every": "1h", "message": "m"})
    await ada.post("/api/v1/me/calendars", {"name": "c", "dates": ["2026-12-25", "2026-12-26"]})
    shown = (await ada.get("/api/v1/me")).data
    assert shown["quotas"] is None
    assert {name: most for name, most in shown["allowed"].items() if most is not None} == {
        "pending_jobs": 20_000_000,
        "stored_bytes": 20_000_000_000,
        "schedules": 5_000_000,
        "calendars": 10_000,
        "calendar_dates": 1_000_000,
        "definitions": 20_000_000,
    }
    used = shown["used"]
    assert (used["pending_jobs"], used["schedules"], used["calendars"], used["calendar_dates"]) == (5, 1, 1, 2)
    assert used["definitions"] >= 1
    await set_user(admin, ada, quotas={"calendars": 1})

    async def allowed() -> bool:
        return (await ada.get("/api/v1/me")).data["allowed"]["calendars"] == 1

    await eventually(allowed)
    error = (await ada.post("/api/v1/me/calendars", {"name": "d", "dates": []})).error(429, "over_limit")
    assert error["details"] == {"quota": "calendars", "limit": 1}


async def test_a_quota_of_requests(ada: Api, admin: Api) -> None:
    await set_user(admin, ada, quotas={"requests_per_second": 0.5})

    async def refused() -> Any:
        answer = await ada.get("/api/v1/me")
        return answer if answer.status == 429 else None

    answer = await eventually(refused)
    assert answer.error(429, "over_limit")["details"]["quota"] == "requests_per_second"
    assert int(answer.headers["retry-after"]) >= 1
    assert (await admin.get("/api/v1/me")).status == 200


async def set_user(admin: Api, user: Api, **change: Any) -> None:
    """Change a user; the answer must show it."""
    account = (await admin.patch(f"/api/v1/users/{user.user['id']}", change)).data
    for name, value in change.items():
        assert value.items() <= account[name].items()


async def test_jobs_go_to_the_shards_that_a_user_is_pinned_to(ada: Api, admin: Api) -> None:
    users = f"/api/v1/users/{ada.user['id']}"
    pinned = (await admin.patch(users, {"distribution": {"kind": "pin", "shards": [700, 3, 3]}})).data
    assert pinned["distribution"] == {"kind": "pin", "shards": [3, 700]}
    ids = await ada.bulk([{"message": "m", "delay": "1h"}] * 20)
    assert {job_id & 1023 for job_id in ids} == {3, 700}
    assert (await ada.get("/api/v1/me")).data["distribution"] == pinned["distribution"]
    await admin.patch(users, {"distribution": {"kind": "spread"}})
    ids = await ada.bulk([{"message": "m", "delay": "1h"}] * 20)
    assert len({job_id & 1023 for job_id in ids}) == 20


async def test_what_an_admin_cannot_set_is_refused(ada: Api, admin: Api) -> None:
    users = f"/api/v1/users/{ada.user['id']}"
    labels = {"distribution": {"kind": "labels", "labels": {"": "yes"}}}
    (await admin.patch(users, labels)).error(422, "invalid", "distribution.labels")
    (await admin.patch(users, {})).error(422, "invalid")
    (await admin.patch(users, {"limits": {"burst": 1}})).error(422, "invalid", "limits")
    (await admin.patch(users, {"quotas": {"pending": 1}})).error(422, "invalid", "quotas.pending")
    (await admin.patch("/api/v1/users/999999", {"job_weight": 2})).error(404, "not_found")
    (await ada.patch(users, {"job_weight": 100})).error(403, "forbidden")
    assert (await ada.get("/api/v1/me")).data["job_weight"] == 1.0


async def test_a_quota_of_schedules_is_kept(ada: Api, admin: Api) -> None:
    users = f"/api/v1/users/{ada.user['id']}"
    await admin.patch(users, {"quotas": {"schedules": 2}})
    schedules = "/api/v1/me/schedules"
    daily = [{"name": name, "every": "1d"} for name in "abc"]

    async def kept() -> bool:
        return (await ada.get("/api/v1/me")).data["quotas"] is not None

    await eventually(kept)
    error = (await ada.post(f"{schedules}/bulk", daily)).error(429, "over_limit")
    assert error["details"] == {"quota": "schedules", "limit": 2}
    first = (await ada.post(schedules, daily[0])).data
    await ada.post(schedules, daily[1])
    (await ada.post(schedules, daily[2])).error(429, "over_limit")
    (await ada.post(f"{schedules}/apply", {"schedules": daily, "dry_run": True})).error(429, "over_limit")
    assert (await ada.post(f"{schedules}/apply", {"schedules": daily[:2]})).status == 200
    assert (await ada.patch(f"{schedules}/{first['id']}", {"every": "2d"})).status == 200
    await ada.call("DELETE", f"{schedules}/{first['id']}")
    assert (await ada.post(schedules, daily[2])).status == 201


async def test_what_is_set_is_shown_and_can_be_taken_away(ada: Api, admin: Api) -> None:
    async with Client(admin.url, token=admin.token) as client:
        changed = await client.set_user(
            ada.user["id"], job_weight=2, limits=Limit(rate=600, per="minute"), quotas={"schedules": 4}
        )
        assert (changed.job_weight, changed.limits, changed.quotas) == (
            2.0,
            {"max_concurrency": None, "rate": 600.0, "per": "minute", "burst": None},
            dict.fromkeys(Quotas.__struct_fields__) | {"schedules": 4},
        )
        assert changed.distribution == {"kind": "spread"}
        assert changed in [user async for user in client.users()]
        plain = await client.set_user(ada.user["id"], limits=None, quotas=None)
        assert (plain.job_weight, plain.limits, plain.quotas) == (2.0, None, None)


async def test_a_host_that_is_down_is_seen_and_its_jobs_wait(ada: Api, sink: Sink, path: str) -> None:
    url = await sink.rule(path, BUSY)
    for job_id in await ada.bulk([{"message": "m", "target": http(url), "retry": False}] * 12):
        assert (await ada.until(job_id))["status"] == "dead"
    found: Any = await eventually(lambda: _breakers(ada))
    (broken,) = found
    assert broken["host"] == url.removesuffix(path)
    assert broken["failures"] >= 10
    assert datetime.fromisoformat(broken["next_probe_at"]) >= datetime.fromisoformat(broken["opened_at"])
    waiting = (await ada.create("waits", target=http(url)))["id"]
    await sink.rule(path, SinkAnswer(200))
    rash = (await ada.create("goes", target=http(url), breaker=False))["id"]
    log = (await ada.create("goes too"))["id"]
    for job_id in (rash, log):
        assert (await ada.until(job_id))["status"] == "succeeded"
    eve = await ada.new_user("eve")
    assert await _breakers(eve) == []
    # After a pause one tries, and its success lets everything go.
    done = await ada.until(waiting, seconds=30)
    assert (done["status"], done["attempts"]) == ("succeeded", 1)
    launched = [datetime.fromisoformat((await ada.runs(job_id))[0]["launched_at"]) for job_id in (waiting, rash, log)]
    assert launched[0] - datetime.fromisoformat(broken["opened_at"]) >= FIRST_PAUSE
    assert max(launched[1:]) < launched[0]

    async def healed() -> bool:
        return await _breakers(ada) == []

    await eventually(healed)


async def test_a_job_says_that_its_hosts_breaker_is_open_until_a_reset(ada: Api, sink: Sink, path: str) -> None:
    url = await sink.rule(path, BUSY)
    for job_id in await ada.bulk([{"message": "m", "target": http(url), "retry": False}] * 12):
        await ada.until(job_id, "dead")
    (broken,) = await eventually(lambda: _breakers(ada))  # type: ignore[misc]
    await sink.rule(path, SinkAnswer(200))
    job = await ada.create("waits", target=http(url))

    async def reason() -> Any:
        return [one for one in (await ada.job(job["id"]))["waiting_for"] if one["kind"] == "breaker"]

    (held,) = await eventually(reason)
    assert (held["host"], held["since"]) == (broken["host"], broken["opened_at"])
    eve = await ada.new_user("eve")
    host = quote(broken["host"], safe="")
    (await eve.post(f"/api/v1/me/breakers/{host}/reset")).error(404, "not_found")
    (await eve.post(f"/api/v1/cluster/breakers/{host}/reset")).error(403, "forbidden")
    assert (await ada.post(f"/api/v1/me/breakers/{host}/reset")).data == {"host": broken["host"], "breakers": 1}
    await ada.until(job["id"], "succeeded")


async def _breakers(api: Api) -> list[dict[str, Any]]:
    return (await api.get("/api/v1/me/breakers")).data
