"""What the page lists, counts and groups: several states, targets, hosts, errors, and admins' view of a user."""

from __future__ import annotations

from typing import Any

from harness.calls import JOBS, Api
from harness.waiting import eventually

DEAD = "/api/v1/me/dead-letters"
FAR = "2099-06-01T12:00:00Z"
REFUSING = "http://127.0.0.1:1"


def http(**more: Any) -> dict[str, Any]:
    return {"target": {"kind": "http", "url": f"{REFUSING}/x"}, "breaker": True, **more}


async def listed(user: Api, path: str = JOBS, **query: Any) -> list[int]:
    reply = await user.call("GET", path, params=query)
    assert reply.status == 200, reply.json
    return [job["id"] for job in reply.json["data"]]


async def test_jobs_by_several_states_target_and_host(ada: Api, admin: Api) -> None:
    done = (await ada.create("done"))["id"]
    plain = (await ada.create("later", execute_at=FAR))["id"]
    calls = (await ada.create("later", execute_at=FAR, **http()))["id"]
    gone = (await ada.create("gone", execute_at=FAR))["id"]
    await ada.post(f"{JOBS}/{gone}/cancel")
    await eventually(lambda: _is(ada, done, "succeeded"))
    assert await listed(ada, status="created") == [calls, plain]
    assert await listed(ada, status="cancelled") == [gone]
    both = (await ada.get(f"{JOBS}?status=cancelled&status=succeeded")).data
    assert [job["id"] for job in both] == [gone, done]
    assert await listed(ada, target="http") == [calls]
    assert await listed(ada, target="log", status="created") == [plain]
    assert await listed(ada, host=REFUSING) == [calls]
    assert await listed(ada, host="https://example.com") == []
    assert await listed(admin, f"/api/v1/users/{ada.user['id']}/jobs", target="http") == [calls]
    (await ada.get(f"/api/v1/users/{ada.user['id']}/jobs")).error(403, "forbidden")
    (await admin.get("/api/v1/users/999999/jobs")).error(404, "not_found")
    count = (await ada.get(f"{JOBS}/count")).data
    assert count == {"count": 4, "capped": False, "by_status": {"created": 2, "succeeded": 1, "cancelled": 1}}
    assert (await ada.get(f"{JOBS}/count", target="http")).data["count"] == 1
    body = {"filter": {"statuses": ["created"], "host": REFUSING}, "dry_run": True}
    assert (await ada.post(f"{JOBS}/cancel", body)).data["ids"] == [calls]
    assert (await ada.post(f"{JOBS}/cancel", {"filter": {"target": "log"}})).data["ids"] == [plain]


async def test_jobs_that_wait_for_another_attempt(ada: Api) -> None:
    again = (await ada.create("again", **http(breaker=False, retry={"max_attempts": 5, "base": 3600})))["id"]
    await ada.create("first", execute_at=FAR)

    async def waits() -> bool:
        return await listed(ada, retrying="true") == [again]

    await eventually(waits)
    (await ada.get(JOBS, retrying="true", status="dead")).error(422, "invalid", "retrying")
    assert (await ada.get(f"{JOBS}/count", retrying="true")).data["count"] == 1


async def test_dead_letters_by_error(ada: Api) -> None:
    first = [(await ada.create("m", **http(retry=False, breaker=False)))["id"] for _ in range(2)]
    lane = (await ada.create("m", ordering_key="a", **http(retry=False, breaker=False)))["id"]

    async def dead() -> bool:
        return len((await ada.get(DEAD)).data) == 3

    await eventually(dead)
    groups = (await ada.get(f"{DEAD}/groups")).data
    assert (groups["looked_at"], groups["complete"], len(groups["groups"])) == (3, True, 1)
    (group,) = groups["groups"]
    assert (group["count"], group["latest_id"], group["hosts"]) == (3, max(*first, lane), [REFUSING])
    assert group["reason"]
    kind = group["kind"]
    assert len((await ada.get(DEAD, kind=kind)).data) == 3
    assert (await ada.get(DEAD, kind=kind[:-1])).data == []
    assert (await ada.get(f"{DEAD}/count", kind=kind)).data == {"count": 3, "capped": False}
    assert (await ada.get(f"{DEAD}/count", ordering_key="a")).data["count"] == 1
    redriven = await ada.post(f"{DEAD}/redrive", {"filter": {"kind": kind, "ordering_key": "a"}, "dry_run": True})
    assert redriven.data["ids"] == [lane]
    (blocked,) = (await ada.get("/api/v1/me/lanes", blocked="true")).data
    assert blocked["blocked_since"] is not None


async def test_a_preview_says_the_timing_in_words(ada: Api) -> None:
    preview = (await ada.post("/api/v1/preview", {"cron": "30 2 * * *", "zone": "Europe/Riga"})).data
    assert preview["words"] == ["At 02:30 every day."]
    assert (await ada.post("/api/v1/preview", {"every": "90m"})).data["words"] == ["Every 1h30m of elapsed time."]


async def _is(user: Api, job: int, status: str) -> bool:
    return (await user.get(f"{JOBS}/{job}")).data["status"] == status
