"""The token: where it comes from, when it is renewed, how it is won back."""

from __future__ import annotations

import asyncio
from datetime import UTC, datetime, timedelta

import jwt
import pytest

from duetime.client import ApiError, Client, NotLoggedIn, Token
from duetime.client.tokens import KeptToken, from_text
from unit.client.scripted_api import Reply, ScriptedApi, Seen, fail, ok, token

LOGIN = "POST /api/v1/auth/login"
REFRESH = "POST /api/v1/auth/refresh"
ME = "GET /api/v1/me"
NOW = datetime(2030, 1, 1, tzinfo=UTC)
HOUR = timedelta(hours=1)
ADA = ok({"id": 1, "username": "ada", "job_weight": 2.0, "role": "user"})


class Now:
    """A present that the test sets."""

    def __init__(self) -> None:
        self.at = NOW

    def __call__(self) -> datetime:
        return self.at


@pytest.fixture
def now() -> Now:
    return Now()


def given(life: timedelta = HOUR, issued: datetime = NOW) -> str:
    claims = {"iat": issued.timestamp(), "exp": (issued + life).timestamp()}
    return jwt.encode(claims, "k" * 32, algorithm="HS256")


async def test_login_is_used_from_then_on(api: ScriptedApi, now: Now) -> None:
    api.on(LOGIN, token("one", NOW + HOUR)).on(ME, ADA)
    heard: list[Token] = []
    async with Client(api.url, now=now, on_token=heard.append) as client:
        answer = await client.login("ada", "secret")
        me = await client.me()
    assert api.seen[0].json == {"username": "ada", "password": "secret"}
    assert api.seen[0].bearer is None
    assert api.seen[1].bearer == "one"
    assert heard == [answer]
    assert (answer.expire, answer.user and answer.user.username) == (NOW + HOUR, "ada")
    assert (me.role, me.job_weight) == ("user", 2.0)


async def test_without_a_token_nothing_is_sent(api: ScriptedApi) -> None:
    async with Client(api.url) as client:
        with pytest.raises(NotLoggedIn):
            await client.me()
    assert api.seen == []


async def test_signing_up_needs_no_token_but_takes_it_along(api: ScriptedApi) -> None:
    api.on("POST /api/v1/users", ADA)
    async with Client(api.url) as client:
        await client.create_user("ada", "secret", job_weight=2.0)
    async with Client(api.url, token="t") as client:
        await client.create_user("ada", "secret")
    first, second = api.seen
    assert first.bearer is None
    assert first.json == {"username": "ada", "password": "secret", "job_weight": 2.0}
    assert second.bearer == "t"
    assert second.json == {"username": "ada", "password": "secret"}


async def test_a_token_is_renewed_before_it_runs_out(api: ScriptedApi, now: Now) -> None:
    api.on(LOGIN, token("one", NOW + HOUR)).on(ME, ADA)
    api.on(REFRESH, token("two", NOW + 2 * HOUR))
    heard: list[str] = []
    async with Client(api.url, now=now, on_token=lambda t: heard.append(t.token)) as client:
        await client.login("ada", "secret")
        now.at = NOW + timedelta(minutes=50)
        await client.me()
        now.at = NOW + timedelta(minutes=56)
        await client.me()
        await client.me()
    assert [seen.bearer for seen in api.calls(ME)] == ["one", "two", "two"]
    assert [seen.bearer for seen in api.calls(REFRESH)] == ["one"]
    assert heard == ["one", "two"]


async def test_many_calls_at_once_renew_once(api: ScriptedApi, now: Now) -> None:
    api.on(ME, ADA).on(REFRESH, token("two", NOW + 2 * HOUR))
    now.at = NOW + timedelta(minutes=59)
    async with Client(api.url, token=given(), now=now) as client:
        await asyncio.gather(*(client.me() for _ in range(20)))
    assert len(api.calls(REFRESH)) == 1
    assert {seen.bearer for seen in api.calls(ME)} == {"two"}


async def test_a_short_life_is_not_renewed_at_every_call(api: ScriptedApi, now: Now) -> None:
    api.on(ME, ADA).on(REFRESH, fail(500, "internal"))
    async with Client(api.url, token=given(timedelta(minutes=1)), now=now) as client:
        await client.me()
    assert api.calls(REFRESH) == []


async def test_a_failed_renewal_leaves_the_old_token_in_use(api: ScriptedApi, now: Now) -> None:
    old = given()
    api.on(ME, ADA).on(REFRESH, fail(401, "unauthorized"))
    now.at = NOW + timedelta(minutes=59)
    async with Client(api.url, token=old, now=now) as client:
        await client.me()
        await client.me()
    assert [seen.bearer for seen in api.calls(ME)] == [old, old]
    assert len(api.calls(REFRESH)) == 1


async def test_after_running_out_the_credentials_win_a_new_one(api: ScriptedApi, now: Now) -> None:
    api.on(LOGIN, token("one", NOW + HOUR), token("two", NOW + 9 * HOUR))
    api.on(REFRESH, fail(401, "unauthorized"))

    def me(seen: Seen) -> Reply:
        return ADA if seen.bearer == "two" else fail(401, "unauthorized")

    api.on(ME, me)
    async with Client(api.url, now=now) as client:
        await client.login("ada", "secret")
        now.at = NOW + 5 * HOUR
        users = await asyncio.gather(*(client.me() for _ in range(5)))
    assert len(users) == 5
    assert len(api.calls(LOGIN)) == 2


async def test_a_refusal_that_stays_is_told(api: ScriptedApi, now: Now) -> None:
    api.on(LOGIN, token("one", NOW + HOUR)).on(ME, fail(401, "unauthorized", "No token of ours."))
    async with Client(api.url, now=now) as client:
        await client.login("ada", "secret")
        with pytest.raises(ApiError, match="No token of ours"):
            await client.me()
    assert len(api.calls(ME)) == 2
    assert len(api.calls(LOGIN)) == 2


async def test_a_given_token_that_is_refused_is_told_at_once(api: ScriptedApi) -> None:
    api.on(ME, fail(401, "unauthorized"))
    async with Client(api.url, token="t") as client:
        with pytest.raises(ApiError) as caught:
            await client.me()
    assert caught.value.status == 401
    assert len(api.seen) == 1


async def test_a_changed_password_is_used_to_win_back(api: ScriptedApi, now: Now) -> None:
    api.on(LOGIN, token("one", NOW + HOUR), token("three", NOW + HOUR))
    api.on("POST /api/v1/me/password", token("two", NOW + HOUR)).on(ME, fail(401, "unauthorized"), ADA)
    async with Client(api.url, now=now) as client:
        await client.login("ada", "old")
        await client.change_password("old", "new")
        await client.me()
    assert api.calls("POST /api/v1/me/password")[0].json == {"current": "old", "new": "new"}
    assert [seen.bearer for seen in api.calls(ME)] == ["two", "three"]
    assert api.calls(LOGIN)[1].json["password"] == "new"


@pytest.mark.parametrize("text", ["opaque", "a.b.c", "a.e30.c", "..", "a.bm90IGpzb24.c", "ä.ö.ü"])
def test_tokens_that_cannot_be_read_are_used_as_they_are(text: str) -> None:
    assert from_text(text) == KeptToken(text)


def test_claims_are_read_for_the_times_only() -> None:
    kept = from_text(given(timedelta(minutes=10)))
    assert kept.expire == NOW + timedelta(minutes=10)
    assert kept.renew_from == NOW + timedelta(minutes=8)
    assert from_text(given(timedelta(days=1))).renew_from == NOW + timedelta(days=1) - timedelta(minutes=5)


def test_no_representation_shows_a_token() -> None:
    assert "secret" not in repr(KeptToken("secret")) + repr(Token("secret", NOW))
