"""Who may make accounts: anyone on this machine where that is open, else admins."""

from __future__ import annotations

from typing import Any

import pytest

from acceptance.conftest import StartDuetime
from duetime.config import Config
from harness.calls import PASSWORD, Api, calling

USERS = "/api/v1/users"


def body(name: str, **more: Any) -> dict[str, object]:
    return {"username": name, "password": PASSWORD, **more}


async def test_open_sign_up_on_loopback_gives_no_roles(anyone: Api) -> None:
    (await anyone.post(USERS, body("climber", role="admin"))).error(403, "forbidden", "role")
    (await anyone.anonymous().post("/api/v1/auth/login", {"username": "climber", "password": PASSWORD})).error(
        401, "unauthorized"
    )


@pytest.mark.parametrize("header", ["Host", "Origin"])
async def test_open_sign_up_is_not_for_pages_from_elsewhere(anyone: Api, header: str) -> None:
    value = "evil.example" if header == "Host" else "http://evil.example"
    (await anyone.post(USERS, body("rebound"), headers={header: value})).error(403, "forbidden")


async def test_only_admins_see_and_change_accounts(ada: Api, admin: Api) -> None:
    (await ada.get(USERS)).error(403, "forbidden")
    user_id = ada.user["id"]
    (await ada.patch(f"{USERS}/{user_id}", {"job_weight": 100.0})).error(403, "forbidden")
    changed = (await admin.patch(f"{USERS}/{user_id}", {"job_weight": 3.0})).data
    assert changed["job_weight"] == 3.0
    (await admin.patch(f"{USERS}/2147483646", {"job_weight": 3.0})).error(404, "not_found")
    (await admin.patch(f"{USERS}/{2**52}", {"job_weight": 3.0})).error(404, "not_found")
    (await admin.patch(f"{USERS}/{user_id}", {"job_weight": -1})).error(422, "invalid", "job_weight")


async def test_the_users_are_listed_page_by_page(anyone: Api, admin: Api) -> None:
    made = [(await anyone.new_user("paged")).user["id"] for _ in range(3)]
    seen, cursor = list[int](), None
    while True:
        page = (await admin.get(USERS, limit="2", **({"cursor": cursor} if cursor else {}))).json
        assert len(page["data"]) <= 2
        seen += [user["id"] for user in page["data"]]
        cursor = page["next_cursor"]
        if cursor is None:
            break
    assert seen == sorted(set(seen))
    assert set(made) < set(seen)


async def test_sign_up_set_to_admin_is_for_admins_alone(start_duetime: StartDuetime) -> None:
    process = start_duetime("--signup", "admin")
    assert "Anyone who can reach it may sign up" not in process.output
    async with calling(process.url) as anyone:
        (await anyone.post(USERS, body("early"))).error(401, "unauthorized")
        admin = await anyone.admin()
        assert (await admin.post(USERS, body("made", job_weight=4.0, role="admin"))).data["job_weight"] == 4.0
        made = await anyone.anonymous().login("made")
        assert (await made.get("/api/v1/me")).data["role"] == "admin"
        user = await anyone.new_user("ordinary")
        (await user.post(USERS, body("by-a-user"))).error(403, "forbidden")


@pytest.mark.parametrize(
    ("host", "signup", "is_open"),
    [
        ("127.0.0.1", "auto", True),
        ("::1", "auto", True),
        ("localhost", "auto", True),
        ("0.0.0.0", "auto", False),
        ("::", "auto", False),
        ("192.0.2.1", "auto", False),
        ("0.0.0.0", "open", True),
        ("127.0.0.1", "admin", False),
    ],
)
def test_sign_up_is_open_by_itself_on_loopback_only(host: str, signup: str, is_open: bool) -> None:
    config = Config(host=host, signup=signup)  # type: ignore[arg-type]
    assert config.open_signup is is_open
    assert config.loopback_targets is config.local
