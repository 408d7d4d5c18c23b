"""The overview and its companions: counts of what happened, what waits, and what is planned, by user and for admins."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

from harness.calls import Api
from harness.waiting import eventually

JOBS = "/api/v1/me/jobs"
MANY = 100
OVERVIEW, PLANNED, CALENDAR = "/api/v1/me/overview", "/api/v1/me/planned", "/api/v1/me/calendar"


async def overview(user: Api, path: str = OVERVIEW, **query: str) -> dict[str, Any]:
    return (await user.get(path, **query)).data


async def test_what_was_launched_and_how_it_ended_is_counted_within_seconds(ada: Api) -> None:
    for _ in range(3):
        await ada.create("m")
    bad = {"kind": "http", "url": "http://127.0.0.1:1/"}
    await ada.create("m", target=bad, retry=False, breaker=False)

    async def counted() -> bool:
        counts = (await overview(ada))["counts"]
        return (counts["launched"], counts["succeeded"], counts["dead"]) == (4, 3, 1)

    await eventually(counted, 15.0, 0.3)
    seen = await overview(ada)
    late, series = seen["lateness"], seen["series"]
    assert 0 <= late["p50_ms"] <= late["p99_ms"] <= late["worst_ms"]
    assert late["launched"] == 4
    assert (series["step"], len(series["launched"]), sum(series["launched"])) == (60, 60, 4)
    assert seen["jobs"]["succeeded"] == 3
    assert seen["needs"]["dead_letters"] == 1
    day = await overview(ada, window="24h")
    assert (day["series"]["step"], len(day["series"]["dead"]), day["counts"]["dead"]) == (3600, 24, 1)


async def test_a_new_user_has_an_overview_of_nothing(ada: Api) -> None:
    seen = await overview(ada)
    assert seen["lateness"]["p99_ms"] is None
    assert set(seen["counts"].values()) == {0}
    assert seen["waiting"] == {
        "overdue": 0,
        "overdue_capped": False,
        "oldest_due_at": None,
        "held": 0,
        "held_capped": False,
        "oldest_held_at": None,
    }
    (await ada.get(OVERVIEW, window="2h")).error(422, "invalid", "window")


async def test_what_a_limit_holds_back_is_held_and_not_overdue(ada: Api) -> None:
    slow = {"max_concurrency": 1, "rate": 1, "per": "hour", "burst": 1}
    past = (datetime.now(UTC) - timedelta(minutes=1)).isoformat()
    for _ in range(5):
        await ada.create("m", limit=slow, execute_at=past)

    async def held() -> bool:
        waiting = (await overview(ada))["waiting"]
        return waiting["held"] == 4 and waiting["overdue"] == 0 and waiting["oldest_held_at"] is not None

    await eventually(held, 15.0, 0.3)


async def test_what_no_executor_and_no_worker_takes_is_held_and_not_overdue(ada: Api) -> None:
    past = (datetime.now(UTC) - timedelta(minutes=1)).isoformat()
    await ada.create("m", requires={"gpu": "h100"}, execute_at=past)
    for _ in range(2):
        await ada.create("m", target={"kind": "queue", "queue": "nobody"}, execute_at=past)

    async def held() -> bool:
        waiting = (await overview(ada))["waiting"]
        return waiting["held"] == 3 and waiting["overdue"] == 0 and waiting["oldest_due_at"] is None

    await eventually(held, 15.0, 0.3)


async def test_planned_runs_are_jobs_and_the_instants_of_schedules(ada: Api) -> None:
    soon = datetime.now(UTC) + timedelta(minutes=10)
    await ada.create("m", execute_at=soon.isoformat())
    await ada.create("far", execute_at="2099-01-01T00:00:00Z")
    created = await ada.post("/api/v1/me/schedules", {"name": "often", "cron": "* * * * *", "message": "m"})
    planned = (await ada.get(PLANNED, minutes="30")).data
    assert created.status == 201
    assert len(planned["counts"]) == 30
    assert planned["complete"]
    assert planned["total"] in (30, 31)
    assert planned["crowds"][0]["count"] == 2
    assert planned["next"][0]["schedule"] == "often"
    assert {one["schedule"] for one in planned["next"]} == {"often", None}


async def test_the_calendar_has_every_hour_with_what_is_planned(ada: Api) -> None:
    await ada.post("/api/v1/me/schedules", {"name": "hourly", "cron": "30 * * * *", "message": "m"})
    now = datetime.now(UTC)
    first, until = now - timedelta(hours=5), now + timedelta(hours=24)
    seen = (await ada.get(CALENDAR, **{"from": first.isoformat(), "to": until.isoformat()})).data
    assert seen["complete"]
    assert 30 <= len(seen["hours"]) <= 31
    planned = [hour["planned"] for hour in seen["hours"]]
    assert planned[:4] == [0, 0, 0, 0]
    assert planned[7:-1] == [1] * len(planned[7:-1])
    (await ada.get(CALENDAR, **{"from": first.isoformat(), "to": "2099-01-01T00:00:00Z"})).error(422, "invalid", "to")
    (await ada.get(CALENDAR, **{"from": until.isoformat(), "to": first.isoformat()})).error(422, "invalid", "to")


async def test_a_calendar_says_from_when_on_more_may_be_planned(ada: Api) -> None:
    await ada.post("/api/v1/me/schedules", {"name": "each second", "every": "1s", "message": "m"})
    now = datetime.now(UTC)
    seen = (await ada.get(CALENDAR, **{"from": now.isoformat(), "to": (now + timedelta(days=2)).isoformat()})).data
    known_until = datetime.fromisoformat(seen["known_until"])
    assert not seen["complete"]
    assert timedelta(hours=5) < known_until - now < timedelta(hours=6)
    for hour in seen["hours"][1:]:
        if datetime.fromisoformat(hour["at"]) + timedelta(hours=1) <= known_until:
            assert hour["planned"] == 3600


async def test_admins_see_all_users_together_each_user_and_shares(ada: Api, admin: Api) -> None:
    # The 50 users with the most launches are shown, and the server has the users of other tests too.
    assert len((await ada.post(f"{JOBS}/bulk", [{"message": "m"}] * MANY)).data["ids"]) == MANY

    async def shared() -> bool:
        users = (await overview(admin, "/api/v1/cluster/shares"))["users"]
        return any(one["user_id"] == ada.user["id"] and one["launched"] == MANY for one in users)

    await eventually(shared, 15.0, 0.3)
    shares = await overview(admin, "/api/v1/cluster/shares")
    assert abs(sum(one["weight_part"] for one in shares["users"]) - 1) < 1e-6
    assert abs(sum(one["launched_part"] for one in shares["users"]) - 1) < 1e-6
    everybody = await overview(admin, "/api/v1/cluster/overview")
    assert everybody["counts"]["launched"] >= 1
    assert everybody["waiting"]["overdue"] is None
    own = await overview(admin, f"/api/v1/users/{ada.user['id']}/overview")
    assert own["counts"]["launched"] == MANY
    (await admin.get("/api/v1/users/999999/overview")).error(404, "not_found")
    assert (await admin.get("/api/v1/cluster/planned")).data["step"] == 60
    assert len((await admin.get("/api/v1/cluster/calendar")).data["hours"]) >= 168
    (await ada.get("/api/v1/cluster/overview")).error(403, "forbidden")
