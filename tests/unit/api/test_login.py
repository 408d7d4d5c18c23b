"""Logging in: a wrong name and a wrong password get one answer, and only wrong passwords use up attempts."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from datetime import datetime, timedelta
from typing import Any, cast

import msgspec
import pytest
from msgspec.structs import replace

from duetime.api.auth.limits import ACCOUNT_BURST, STRANGERS_BURST
from duetime.api.auth.passwords import Passwords, hash_password
from duetime.api.server.app import make_app
from duetime.api.server.services import Services
from duetime.clock.manual import ManualClock
from duetime.engine.asking.accounts import Accounts
from duetime.model.errors import StoreAway
from duetime.model.ids import UserId
from duetime.model.user import Credentials, User
from duetime.store.port import AccountStore

Ask = Callable[..., Awaitable[Any]]
RIGHT, NEW = "correct horse", "battery staple"


class OneUser:
    """A store of one user, as far as logging in reads and writes it."""

    def __init__(self, clock: ManualClock) -> None:
        self.ada = User(UserId(7), "Ada", 2.0, "user", clock.now(), clock.now())
        self.password_hash = hash_password(RIGHT)
        self.away = False

    async def credentials(self, username: str) -> Credentials | None:
        if self.away:
            raise StoreAway
        return Credentials(self.ada, self.password_hash) if username.lower() == "ada" else None

    async def user(self, user_id: int) -> User | None:
        return self.ada if user_id == self.ada.id else None

    async def set_password(self, user_id: int, password_hash: str, now: datetime, actor: int) -> User | None:
        assert (user_id, actor) == (7, 7)
        self.password_hash = password_hash
        self.ada = replace(self.ada, tokens_from=now)
        return self.ada


@pytest.fixture(scope="module")
def passwords() -> Passwords:
    return Passwords()


@pytest.fixture
def store(clock: ManualClock) -> OneUser:
    return OneUser(clock)


@pytest.fixture
def post(
    make_services: Callable[..., Services], passwords: Passwords, store: OneUser, clock: ManualClock, ask_app: Ask
) -> Ask:
    app = make_app(make_services(accounts=Accounts(cast(AccountStore, store), clock)), passwords=passwords)

    async def send(path: str, token: str = "", address: str = "127.0.0.1", **fields: str) -> Any:
        headers = [(b"authorization", b"Bearer " + token.encode())] if token else []
        sent = [msgspec.json.encode(fields)]
        return await ask_app(app, "POST", f"/api/v1/{path}", headers=headers, chunks=sent, address=address)

    return send


async def test_the_right_password_gets_a_token_that_is_good(post: Ask, clock: ManualClock) -> None:
    answer = await post("auth/login", username="aDA", password=RIGHT)
    assert answer.status == 200
    data = answer.json["data"]
    assert data["user"] == {"id": 7, "username": "Ada", "job_weight": 2.0}
    assert data["expire"] == "2026-01-01T01:00:00Z"
    clock.advance(60)
    refreshed = await post("auth/refresh", data["token"])
    assert refreshed.json["data"]["expire"] == "2026-01-01T01:01:00Z"
    assert set(refreshed.json["data"]) == {"expire", "token"}


async def test_a_wrong_name_and_a_wrong_password_are_answered_alike(post: Ask) -> None:
    wrong_password = await post("auth/login", username="ada", password="wrong")
    wrong_name = await post("auth/login", username="eve", password=RIGHT)
    assert wrong_password.status == 401
    assert (wrong_name.status, wrong_name.body, wrong_name.headers) == (
        401,
        wrong_password.body,
        wrong_password.headers,
    )


async def test_too_many_wrong_passwords_from_an_address_shut_even_the_right_one_out_for_a_while(
    post: Ask, clock: ManualClock
) -> None:
    statuses = [(await post("auth/login", username="ada", password="wrong")).status for _ in range(ACCOUNT_BURST)]
    assert set(statuses) == {401}
    shut_out = await post("auth/login", username="ADA", password=RIGHT)
    assert (shut_out.status, shut_out.json["error"]["code"]) == (429, "over_limit")
    clock.advance(int(shut_out.headers["retry-after"]))
    assert (await post("auth/login", username="ada", password=RIGHT)).status == 200


async def test_strangers_who_guess_do_not_shut_a_known_address_out(post: Ask) -> None:
    async def statuses(address: str, password: str, times: int = 1) -> set[int]:
        answers = [await post("auth/login", address=address, username="ada", password=password) for _ in range(times)]
        return {answer.status for answer in answers}

    assert await statuses("192.0.2.1", RIGHT) == {200}
    for number in range(STRANGERS_BURST // ACCOUNT_BURST):
        assert await statuses(f"10.0.{number}.1", "wrong", ACCOUNT_BURST) == {401}
    assert await statuses("10.0.99.1", RIGHT) == {429}
    assert await statuses("192.0.2.1", RIGHT) == {200}
    assert await statuses("192.0.2.1", "wrong") == {401}


async def test_refreshing_ends_with_the_session(post: Ask, clock: ManualClock) -> None:
    token = (await post("auth/login", username="ada", password=RIGHT)).json["data"]["token"]
    start, days = clock.now(), 0
    while (answer := await post("auth/refresh", token)).status == 200:
        token, expire = answer.json["data"]["token"], datetime.fromisoformat(answer.json["data"]["expire"])
        days = (expire - start).days
        assert days <= 30
        clock.advance_to(max(clock.now() + timedelta(seconds=1), expire - timedelta(seconds=1)))
    assert (days, answer.status) == (30, 401)
    assert (await post("auth/login", username="ada", password=RIGHT)).status == 200


async def test_neither_right_passwords_nor_a_store_that_is_away_use_up_attempts(post: Ask, store: OneUser) -> None:
    for away in (True, False):
        store.away = away
        for _ in range(ACCOUNT_BURST + 1):
            assert (await post("auth/login", username="ada", password=RIGHT)).status == (503 if away else 200)


async def test_a_new_password_voids_every_token_and_hands_out_one(post: Ask, clock: ManualClock) -> None:
    old = (await post("auth/login", username="ada", password=RIGHT)).json["data"]["token"]
    clock.advance(1)
    changed = await post("me/password", old, current=RIGHT, new=NEW)
    assert changed.status == 200
    assert (await post("auth/refresh", old)).status == 401
    assert (await post("auth/refresh", changed.json["data"]["token"])).status == 200
    assert (await post("auth/login", username="ada", password=RIGHT)).status == 401
    assert (await post("auth/login", username="ada", password=NEW)).status == 200


async def test_a_new_password_needs_the_current_one_and_guesses_are_limited(post: Ask, store: OneUser) -> None:
    token = (await post("auth/login", username="ada", password=RIGHT)).json["data"]["token"]
    before = store.password_hash
    for _ in range(ACCOUNT_BURST):
        assert (await post("me/password", token, current="wrong", new=NEW)).status == 403
    assert (await post("me/password", token, current=RIGHT, new=NEW)).status == 429
    assert store.password_hash == before


@pytest.mark.parametrize("new", ["short", "x" * 1025])
async def test_a_new_password_has_a_length(new: str, post: Ask) -> None:
    token = (await post("auth/login", username="ada", password=RIGHT)).json["data"]["token"]
    answer = await post("me/password", token, current=RIGHT, new=new)
    assert (answer.status, answer.json["error"]["details"]) == (422, {"field": "new"})


@pytest.mark.parametrize("username", ["", "a b", "x" * 65, "a\0", "ada\n"])
async def test_an_impossible_name_never_reaches_the_store(username: str, post: Ask, store: OneUser) -> None:
    store.away = True
    answer = await post("auth/login", username=username, password=RIGHT)
    assert (answer.status, answer.json["error"]["details"]) == (422, {"field": "username"})
