"""Logins and tokens: who gets one, how long it holds, and that nothing but a short list goes without."""

from __future__ import annotations

import json
import re
from base64 import urlsafe_b64decode, urlsafe_b64encode
from collections.abc import Iterator
from datetime import datetime

import jwt
import pytest

from harness.calls import PASSWORD, Api, calling
from harness.process import DuetimeProcess, running_duetime
from harness.waiting import eventually

WITHOUT_LOGIN = {
    ("GET", "/healthz"),
    ("GET", "/readyz"),
    ("GET", "/openapi.json"),
    ("GET", "/metrics"),  # for this machine, where the API is on loopback
    ("GET", "/docs"),
    ("GET", "/docs/style.css"),
    ("POST", "/api/v1/auth/login"),
    ("POST", "/api/v1/auth/session"),
    ("POST", "/api/v1/users"),  # where sign-up is open
    ("PUT", "/api/v1/artifacts/uploads/{key}"),  # its address is signed
}
ME = "/api/v1/me"


def signing_key(process: DuetimeProcess) -> bytes:
    return (process.data / "signing.key").read_text().strip().encode()


def claims_of(token: str) -> dict[str, object]:
    middle = token.split(".")[1]
    return json.loads(urlsafe_b64decode(middle + "=" * (-len(middle) % 4)))


async def test_every_route_but_a_short_list_needs_a_login(anyone: Api) -> None:
    paths = (await anyone.get("/openapi.json")).json["paths"]
    walked = 0
    for path, item in paths.items():
        for method in (name.upper() for name in item if name in {"get", "post", "put", "patch", "delete"}):
            if (method, path) in WITHOUT_LOGIN:
                continue
            walked += 1
            address = re.sub(r"\{[^}]*\}", "1", path)
            for caller in (anyone, anyone.holding("not.a.token")):
                reply = await caller.call(method, address, {"message": "m"} if method != "GET" else None)
                reply.error(401, "unauthorized")
                assert reply.headers["www-authenticate"].startswith("Bearer")
    assert walked >= 12


async def test_there_are_no_default_credentials(anyone: Api) -> None:
    for password in ("admin", "password", "duetime", "changeme", "123456789"):
        (await anyone.post("/api/v1/auth/login", {"username": "admin", "password": password})).error(
            401, "unauthorized"
        )


async def test_a_token_that_somebody_tampered_with(ada: Api, shared_duetime: DuetimeProcess) -> None:
    assert ada.token is not None
    head, _, sign = ada.token.split(".")
    claims = claims_of(ada.token)
    admin_claims = urlsafe_b64encode(json.dumps(claims | {"sub": "1"}).encode()).rstrip(b"=").decode()
    key = signing_key(shared_duetime)
    bad = [
        f"{head}.{admin_claims}.{sign}",
        jwt.encode(claims, None, algorithm="none"),  # type: ignore[arg-type]
        jwt.encode(claims, key + b"x", algorithm="HS256"),
        jwt.encode(claims, key, algorithm="HS512"),
        jwt.encode(claims | {"iss": "other"}, key, algorithm="HS256"),
        jwt.encode(claims | {"aud": "other"}, key, algorithm="HS256"),
        jwt.encode(claims | {"exp": 1}, key, algorithm="HS256"),
        jwt.encode(claims | {"nbf": 4e9}, key, algorithm="HS256"),
        jwt.encode(claims | {"sub": "2147483646"}, key, algorithm="HS256"),
        *(
            jwt.encode({n: v for n, v in claims.items() if n != missing}, key, algorithm="HS256")
            for missing in ("exp", "nbf", "iss", "aud", "sub", "iat")
        ),
    ]
    for token in bad:
        (await ada.holding(token).get(ME)).error(401, "unauthorized")
    good = jwt.encode(claims, key, algorithm="HS256")
    assert (await ada.holding(good).get(ME)).status == 200, "the forgeries above were refused for another reason"


@pytest.mark.parametrize("scheme", ["Basic", "Token", ""])
async def test_another_scheme_than_bearer(ada: Api, scheme: str) -> None:
    sent = {"Authorization": f"{scheme} {ada.token}".strip()}
    (await ada.anonymous().call("GET", ME, headers=sent)).error(401, "unauthorized")


async def test_a_token_ends_by_the_one_clock(ada: Api, shared_duetime: DuetimeProcess) -> None:
    assert ada.token is not None
    now = datetime.fromisoformat((await ada.create())["created_at"]).timestamp()
    short = jwt.encode(claims_of(ada.token) | {"exp": now + 2.0}, signing_key(shared_duetime), algorithm="HS256")
    holder = ada.holding(short)
    assert (await holder.get(ME)).status == 200

    async def expired() -> bool:
        return (await holder.get(ME)).status == 401

    await eventually(expired)
    (await holder.post("/api/v1/auth/refresh")).error(401, "unauthorized")


async def test_a_new_password_voids_every_token(ada: Api) -> None:
    other = await ada.anonymous().login(ada.user["username"])
    (await ada.post(f"{ME}/password", {"current": "wrong one!", "new": "battery staple"})).error(
        403, "forbidden", "current"
    )
    (await ada.post(f"{ME}/password", {"current": PASSWORD, "new": "short"})).error(422, "invalid", "new")
    assert (await other.get(ME)).status == 200
    fresh = (await ada.post(f"{ME}/password", {"current": PASSWORD, "new": "battery staple"})).data
    (await ada.get(ME)).error(401, "unauthorized")
    (await other.get(ME)).error(401, "unauthorized")
    (await other.post("/api/v1/auth/refresh")).error(401, "unauthorized")
    assert (await ada.holding(fresh["token"]).get(ME)).data["id"] == ada.user["id"]
    login = {"username": ada.user["username"], "password": PASSWORD}
    (await ada.anonymous().post("/api/v1/auth/login", login)).error(401, "unauthorized")
    assert (await ada.anonymous().login(ada.user["username"], "battery staple")).token


@pytest.fixture(scope="module")
def limited() -> Iterator[DuetimeProcess]:
    """A Duetime whose limits may be used up."""
    with running_duetime("--set", "api.requests_per_second=5") as process:
        yield process


async def test_wrong_passwords_are_limited_for_an_account_and_not_for_others(limited: DuetimeProcess) -> None:
    async with calling(limited.url) as anyone:
        victim, other = await anyone.new_user("victim"), await anyone.new_user("other")
        guess = {"username": victim.user["username"], "password": "guess number"}
        replies = [await anyone.post("/api/v1/auth/login", guess) for _ in range(12)]
        statuses = [reply.status for reply in replies]
        assert statuses[:10] == [401] * 10
        assert statuses[10:] == [429] * 2
        replies[-1].error(429, "over_limit")
        assert int(replies[-1].headers["retry-after"]) >= 1
        (await anyone.post("/api/v1/auth/login", guess | {"password": PASSWORD})).error(429, "over_limit")
        assert (await victim.get(ME)).status == 200, "a limit on log-ins does not end a session"
        assert (await anyone.anonymous().login(other.user["username"])).token


async def test_requests_over_the_rate_are_told_when_to_come_again(limited: DuetimeProcess) -> None:
    async with calling(limited.url) as anyone:
        user, other = await anyone.new_user("fast"), await anyone.new_user("calm")
        replies = [await user.get(ME) for _ in range(40)]
        over = [reply for reply in replies if reply.status == 429]
        assert replies[0].status == 200
        assert over
        over[0].error(429, "over_limit")
        assert int(over[0].headers["retry-after"]) >= 1
        assert (await other.get(ME)).status == 200


async def test_wrong_passwords_are_limited_for_an_address_over_all_accounts(limited: DuetimeProcess) -> None:
    async with calling(limited.url) as anyone:
        statuses = [
            (await anyone.post("/api/v1/auth/login", {"username": f"n{i}", "password": "guess number"})).status
            for i in range(80)
        ]
        assert statuses[0] == 401
        assert statuses[-1] == 429
        # What the test before used up comes back at one in two seconds.
        assert 30 <= statuses.count(401) <= 75
        assert {429} == set(statuses[statuses.index(429) :]) - {401}
