"""The table of calls, row by row, through real HTTP: what goes in, what comes out, and how each call fails."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta

import pytest

from harness.calls import JOBS, PASSWORD, Api

UTC_TEXT = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{1,6})?Z")
FAR = "2099-06-01T12:00:00Z"


async def test_create_a_user(anyone: Api) -> None:
    reply = await anyone.post("/api/v1/users", {"username": "table.user", "password": PASSWORD, "job_weight": 2.5})
    user = reply.data
    assert reply.status == 201
    assert set(user) == {"id", "username", "job_weight"}
    assert (user["username"], user["job_weight"]) == ("table.user", 2.5)
    plain = (await anyone.post("/api/v1/users", {"username": "table.plain", "password": PASSWORD})).data
    assert plain["job_weight"] == 1.0


@pytest.mark.parametrize(
    ("body", "field"),
    [
        ({"password": PASSWORD}, "username"),
        ({"username": "short", "password": "seven77"}, "password"),
        ({"username": "has space", "password": PASSWORD}, "username"),
        ({"username": "", "password": PASSWORD}, "username"),
        ({"username": 7, "password": PASSWORD}, "username"),
        ({"username": "w", "password": PASSWORD, "job_weight": 0}, "job_weight"),
        ({"username": "w", "password": PASSWORD, "job_weight": "2"}, "job_weight"),
        ({"username": "w", "password": PASSWORD, "colour": "red"}, "colour"),
    ],
)
async def test_a_user_that_is_not_right(anyone: Api, body: dict[str, object], field: str) -> None:
    (await anyone.post("/api/v1/users", body)).error(422, "invalid", field)


async def test_a_user_name_that_is_taken_in_whatever_capitals(anyone: Api) -> None:
    await anyone.post("/api/v1/users", {"username": "taken", "password": PASSWORD})
    (await anyone.post("/api/v1/users", {"username": "TAKEN", "password": PASSWORD})).error(409, "conflict")


async def test_log_in(anyone: Api) -> None:
    user = (await anyone.post("/api/v1/users", {"username": "table.login", "password": PASSWORD})).data
    reply = await anyone.post("/api/v1/auth/login", {"username": "table.login", "password": PASSWORD})
    assert reply.status == 200
    assert reply.headers["cache-control"] == "no-store"
    assert set(reply.data) == {"expire", "token", "user"}
    assert reply.data["user"] == user
    assert UTC_TEXT.fullmatch(reply.data["expire"])
    assert datetime.fromisoformat(reply.data["expire"]) > datetime.now(UTC) + timedelta(minutes=10)
    assert reply.data["token"].count(".") == 2


async def test_log_in_with_what_is_wrong_says_the_same_for_name_and_password(ada: Api) -> None:
    username = ada.user["username"]
    name = await ada.anonymous().post("/api/v1/auth/login", {"username": "nobody-here", "password": PASSWORD})
    word = await ada.anonymous().post("/api/v1/auth/login", {"username": username, "password": "wrong password"})
    assert name.error(401, "unauthorized") == word.error(401, "unauthorized")
    assert word.headers["www-authenticate"].startswith("Bearer")
    (await ada.post("/api/v1/auth/login", {"username": username})).error(422, "invalid", "password")


async def test_refresh(ada: Api) -> None:
    data = (await ada.post("/api/v1/auth/refresh")).data
    assert set(data) == {"expire", "token"}
    assert (await ada.holding(data["token"]).get("/api/v1/me")).data["id"] == ada.user["id"]
    (await ada.anonymous().post("/api/v1/auth/refresh")).error(401, "unauthorized")


async def test_create_a_job(ada: Api) -> None:
    reply = await ada.post(JOBS, {"message": "grüße", "execute_at": "2099-06-01T14:00:00.123456+02:00"})
    job = reply.data
    assert reply.status == 201
    assert reply.headers["location"] == f"{JOBS}/{job['id']}"
    assert job["user_id"] == ada.user["id"]
    assert (job["message"], job["status"]) == ("grüße", "created")
    assert job["execute_at"] == "2099-06-01T12:00:00.123456Z"
    assert job["shard_id"] == job["id"] % 1024
    assert 0 < job["id"] < 2**53
    assert job.pop("created") is True
    assert (await ada.job(job["id"])) == {**job, "held": None, "result": None}


async def test_list_jobs_newest_first_with_finished_ones(ada: Api) -> None:
    first = await ada.create("first")
    await ada.until(first["id"], "succeeded")
    second = await ada.create("second", execute_at=FAR)
    third = await ada.create("third", execute_at=FAR)
    (await ada.post(f"{JOBS}/{third['id']}/cancel")).data  # noqa: B018
    page = (await ada.get(JOBS)).json
    assert [job["id"] for job in page["data"]] == [third["id"], second["id"], first["id"]]
    assert [job["status"] for job in page["data"]] == ["cancelled", "created", "succeeded"]
    assert page["next_cursor"] is None
    assert page["success"] is True


@pytest.mark.parametrize(
    ("params", "field"),
    [
        ({"limit": "0"}, "limit"),
        ({"limit": "1001"}, "limit"),
        ({"limit": "ten"}, "limit"),
        ({"status": "done"}, "status"),
        ({"from": "yesterday"}, "from"),
        ({"to": "2026-01-01T00:00:00"}, "to"),
        ({"cursor": "made-up"}, "cursor"),
        ({"colour": "red"}, "colour"),
    ],
)
async def test_a_listing_that_is_not_right(ada: Api, params: dict[str, str], field: str) -> None:
    (await ada.get(JOBS, **params)).error(422, "invalid", field)


async def test_show_a_finished_job(ada: Api) -> None:
    job = await ada.create("to be shown")
    done = await ada.until(job["id"])
    assert done["status"] == "succeeded"
    assert (done["message"], done["id"], done["attempts"]) == ("to be shown", job["id"], 1)
    assert UTC_TEXT.fullmatch(done["finished_at"])


async def test_cancel_a_job_that_waits_and_one_that_ended(ada: Api) -> None:
    job = await ada.create(execute_at=FAR)
    cancelled = (await ada.post(f"{JOBS}/{job['id']}/cancel")).data
    assert (cancelled["id"], cancelled["status"]) == (job["id"], "cancelled")
    (await ada.post(f"{JOBS}/{job['id']}/cancel")).error(409, "conflict")
    done = await ada.create()
    await ada.until(done["id"], "succeeded")
    (await ada.post(f"{JOBS}/{done['id']}/cancel")).error(409, "conflict")
    assert (await ada.job(done["id"]))["status"] == "succeeded"


@pytest.mark.parametrize("job_id", ["0", "-1", "abc", "1.5", "9007199254740992", "99999999999999999999", "1%00"])
async def test_an_id_that_nothing_has(ada: Api, job_id: str) -> None:
    (await ada.get(f"{JOBS}/{job_id}")).error(404, "not_found")


async def test_reads_of_the_page_that_are_not_right(ada: Api) -> None:
    for path, params, field in (
        ("overview", {"window": "2h"}, "window"),
        ("planned", {"minutes": "0"}, "minutes"),
        ("calendar", {"from": "yesterday"}, "from"),
        ("calendar", {"colour": "red"}, "colour"),
        ("jobs/count", {"status": "done"}, "status"),
        ("dead-letters/groups", {"from": "yesterday"}, "from"),
        ("dead-letters/count", {"colour": "red"}, "colour"),
    ):
        (await ada.get(f"/api/v1/me/{path}", **params)).error(422, "invalid", field)
        (await ada.anonymous().get(f"/api/v1/me/{path}")).error(401, "unauthorized")


async def test_count_jobs_and_dead_letters_before_acting_on_them(ada: Api) -> None:
    for n in range(3):
        await ada.create(f"m {n}", execute_at=FAR)
    found = (await ada.get(f"{JOBS}/count", status="created", q="m 1")).data
    assert (found["count"], found["by_status"]["created"], found["capped"]) == (1, 1, False)
    assert (await ada.get("/api/v1/me/dead-letters/count")).data == {"count": 0, "capped": False}
    assert (await ada.get("/api/v1/me/dead-letters/groups")).data == {"groups": [], "looked_at": 0, "complete": True}


async def test_what_is_no_json_or_no_path_or_no_method(ada: Api) -> None:
    for raw in (b"", b"{", b"\xff\xfe", b'{"message": "m"} trailing'):
        (await ada.post(JOBS, raw=raw)).error(400, "malformed")
    for value in (b"null", b"7", b'"text"', b"[]", b"[" * 100_000):
        (await ada.post(JOBS, raw=value)).error(422, "invalid")
    (await ada.get("/api/v1/nothing")).error(404, "not_found")
    (await ada.get("/api/v1/me/jobs/")).error(404, "not_found")
    reply = await ada.call("DELETE", JOBS)
    reply.error(405, "method_not_allowed")
    assert {"GET", "POST"} <= set(reply.headers["allow"].split(", "))
    (await ada.post(JOBS, {"message": "m"}, params={"dry": "1"})).error(422, "invalid")


async def test_the_document_and_its_page_are_there_and_say_the_same(anyone: Api) -> None:
    reply = await anyone.get("/openapi.json")
    assert reply.headers["content-type"] == "application/json"
    document = reply.json
    assert document["openapi"].startswith("3.1")
    rows = {
        ("/api/v1/users", "post"),
        ("/api/v1/auth/login", "post"),
        ("/api/v1/auth/refresh", "post"),
        (JOBS, "get"),
        (JOBS, "post"),
        (JOBS + "/{id}", "get"),
        (JOBS + "/{id}", "patch"),
        (JOBS + "/{id}/cancel", "post"),
        (JOBS + "/{id}/run-now", "post"),
        (JOBS + "/{id}/runs", "get"),
        (JOBS + "/bulk", "post"),
        (JOBS + "/stats", "get"),
        (JOBS + "/count", "get"),
        ("/api/v1/me/overview", "get"),
        ("/api/v1/me/planned", "get"),
        ("/api/v1/me/calendar", "get"),
        ("/api/v1/me/queues", "get"),
        ("/api/v1/me/dead-letters/groups", "get"),
        ("/api/v1/me/dead-letters/count", "get"),
        ("/api/v1/me/sessions", "get"),
        ("/api/v1/auth/session", "post"),
        ("/api/v1/workers", "get"),
        ("/api/v1/workers/{key}", "get"),
        ("/api/v1/cluster/overview", "get"),
        ("/api/v1/cluster/planned", "get"),
        ("/api/v1/cluster/calendar", "get"),
        ("/api/v1/cluster/shares", "get"),
        ("/healthz", "get"),
        ("/readyz", "get"),
    }
    assert rows <= {(path, method) for path, item in document["paths"].items() for method in item}
    page = await anyone.get("/docs")
    assert page.headers["content-type"].startswith("text/html")
    for path in document["paths"]:
        assert path.encode() in page.body
