"""Only tokens with our signature, issuer and audience are accepted, and only until they expire or are voided."""

from __future__ import annotations

import base64
import json
from datetime import timedelta
from typing import Any

import jwt
import pytest

from duetime.api.auth.authenticator import Authenticator
from duetime.api.auth.tokens import ALGORITHM, AUDIENCE, ISSUER, LEEWAY, Tokens
from duetime.clock.manual import ManualClock
from duetime.model.errors import ConfigError, Unauthorized
from duetime.model.ids import UserId
from duetime.model.user import User

KEY = b"0123456789abcdef0123456789abcdef"
LIFE = 3600.0


def user(clock: ManualClock, user_id: int = 7) -> User:
    return User(UserId(user_id), "ada", 1.0, "user", tokens_from=clock.now(), created_at=clock.now())


def claims(clock: ManualClock, **changes: Any) -> dict[str, Any]:
    now = clock.now().timestamp()
    good = {"iss": ISSUER, "aud": AUDIENCE, "sub": "7", "iat": now, "nbf": now, "exp": now + 60, "auth_time": now}
    return {name: value for name, value in (good | changes).items() if value is not None}


def signed(payload: dict[str, Any], key: bytes = KEY, algorithm: str = ALGORITHM) -> str:
    return jwt.encode(payload, key, algorithm=algorithm)


@pytest.fixture
def tokens(clock: ManualClock) -> Tokens:
    return Tokens(KEY, LIFE, clock)


class Accounts:
    """The one verb of the accounts that logging in by token needs."""

    def __init__(self, *users: User) -> None:
        self.users = {user.id: user for user in users}

    async def by_id(self, user_id: int) -> User | None:
        return self.users.get(UserId(user_id))


def authenticator(tokens: Tokens, accounts: Accounts, clock: ManualClock, **more: int) -> Authenticator:
    return Authenticator(tokens, accounts, None, clock, **more)  # type: ignore[arg-type]


def bearer(token: str) -> list[tuple[bytes, bytes]]:
    return [(b"host", b"localhost"), (b"authorization", b"Bearer " + token.encode())]


def test_what_is_issued_is_read_back(tokens: Tokens, clock: ManualClock) -> None:
    clock.advance(0.123457)
    issued = tokens.issue(user(clock))
    read = tokens.read(issued.token)
    assert (read.user_id, read.issued_at) == (7, clock.now())
    assert read.expires_at == issued.expire == clock.now() + timedelta(seconds=LIFE)


def test_a_token_is_good_to_the_last_moment_and_not_beyond(tokens: Tokens, clock: ManualClock) -> None:
    issued = tokens.issue(user(clock))
    clock.advance_to(issued.expire - timedelta(microseconds=1))
    assert tokens.read(issued.token).user_id == 7
    clock.advance_to(issued.expire)
    with pytest.raises(Unauthorized, match="expired"):
        tokens.read(issued.token)


@pytest.mark.parametrize(
    "changes",
    [
        {"iss": "someone"},
        {"iss": None},
        {"aud": "another-api"},
        {"aud": None},
        {"aud": [AUDIENCE]},
        {"sub": None},
        {"sub": "seven"},
        {"iat": None},
        {"nbf": None},
        {"exp": None},
        {"auth_time": None},
        {"auth_time": "once"},
        {"exp": "later"},
        {"exp": True},
        {"exp": float("nan")},
        {"exp": float("inf")},
        {"exp": 1e300},
    ],
)
def test_every_claim_counts(tokens: Tokens, clock: ManualClock, changes: dict[str, Any]) -> None:
    tokens.read(signed(claims(clock)))
    with pytest.raises(Unauthorized):
        tokens.read(signed(claims(clock, **changes)))


def test_refreshing_never_goes_past_the_end_of_the_session(clock: ManualClock) -> None:
    tokens = Tokens(KEY, LIFE, clock, session_life=2.5 * LIFE)
    ada, start = user(clock), clock.now()
    expire, refreshed = list[float](), tokens.issue(ada)
    for _ in range(4):
        expire.append((refreshed.expire - start).total_seconds() / LIFE)
        clock.advance_to(refreshed.expire - timedelta(seconds=1))
        refreshed = tokens.issue(ada, tokens.read(refreshed.token).logged_in_at)
    assert expire == pytest.approx([1, 2, 2.5, 2.5], abs=0.001)
    clock.advance(1)
    with pytest.raises(Unauthorized, match="log in again"):
        tokens.read(refreshed.token)
    with pytest.raises(Unauthorized, match="log in again"):
        tokens.issue(ada, start)


@pytest.mark.parametrize("name", ["iat", "nbf"])
def test_a_token_from_the_future_is_not_good_yet(tokens: Tokens, clock: ManualClock, name: str) -> None:
    edge = (clock.now() + LEEWAY).timestamp()
    tokens.read(signed(claims(clock, **{name: edge})))
    with pytest.raises(Unauthorized, match="yet"):
        tokens.read(signed(claims(clock, **{name: edge + 1})))


def test_only_our_key_and_our_algorithm_count(tokens: Tokens, clock: ManualClock) -> None:
    good = claims(clock)
    strange = [signed(good, b"f" * 32), signed(good, KEY * 2, "HS512"), signed(good, KEY * 2, "HS384")]
    header = base64.urlsafe_b64encode(b'{"alg":"none","typ":"JWT"}').rstrip(b"=").decode()
    payload = base64.urlsafe_b64encode(json.dumps(good).encode()).rstrip(b"=").decode()
    strange += [f"{header}.{payload}.", f"{header}.{payload}.{signed(good).split('.')[2]}", "", "..", "é.é.é"]
    for token in strange:
        with pytest.raises(Unauthorized):
            tokens.read(token)


def test_a_changed_payload_breaks_the_signature(tokens: Tokens, clock: ManualClock) -> None:
    head, _, signature = signed(claims(clock)).split(".")
    _, other, _ = signed(claims(clock, sub="1")).split(".")
    with pytest.raises(Unauthorized):
        tokens.read(f"{head}.{other}.{signature}")


def test_a_short_key_is_refused(clock: ManualClock) -> None:
    with pytest.raises(ConfigError, match="32"):
        Tokens(KEY[:31], LIFE, clock)


async def test_a_voided_token_is_refused_even_after_it_was_verified(tokens: Tokens, clock: ManualClock) -> None:
    accounts = Accounts(user(clock))
    door = authenticator(tokens, accounts, clock)
    old = tokens.issue(accounts.users[UserId(7)]).token
    assert (await door.user(bearer(old))) == accounts.users[UserId(7)]

    clock.advance(0.000001)
    accounts.users[UserId(7)] = user(clock)
    with pytest.raises(Unauthorized):
        await door.user(bearer(old))
    new = tokens.issue(accounts.users[UserId(7)]).token
    assert (await door.user(bearer(new))) == accounts.users[UserId(7)]


async def test_a_new_token_is_good_though_this_clock_is_behind_the_database(tokens: Tokens, clock: ManualClock) -> None:
    ahead = clock.now() + timedelta(milliseconds=3)
    changed = User(UserId(7), "ada", 1.0, "user", tokens_from=ahead, created_at=clock.now())
    door = authenticator(tokens, Accounts(changed), clock)
    assert (await door.user(bearer(tokens.issue(changed).token))) == changed


async def test_a_verified_token_still_expires_and_its_user_can_go(tokens: Tokens, clock: ManualClock) -> None:
    accounts = Accounts(user(clock))
    door = authenticator(tokens, accounts, clock)
    token = tokens.issue(accounts.users[UserId(7)])
    await door.user(bearer(token.token))
    gone = accounts.users.pop(UserId(7))
    with pytest.raises(Unauthorized):
        await door.user(bearer(token.token))
    accounts.users[UserId(7)] = gone
    await door.user(bearer(token.token))
    clock.advance_to(token.expire)
    with pytest.raises(Unauthorized):
        await door.user(bearer(token.token))


async def test_a_request_without_a_token_has_no_user_and_another_scheme_is_refused(
    tokens: Tokens, clock: ManualClock
) -> None:
    door = authenticator(tokens, Accounts(user(clock)), clock)
    assert await door.user([(b"host", b"x")]) is None
    token = tokens.issue(user(clock)).token.encode()
    for scheme in (b"Basic ", b"Token ", b"", b"Bearer"):
        with pytest.raises(Unauthorized):
            await door.user([(b"authorization", scheme + token)])


async def test_the_number_of_verified_tokens_that_are_kept_is_bounded(tokens: Tokens, clock: ManualClock) -> None:
    ada = user(clock)
    door = authenticator(tokens, Accounts(ada), clock, max_verified=5)
    token = tokens.issue(ada).token.encode()
    spelled = [b"Bearer" + b" " * (spaces + 1) + token for spaces in range(40)]
    for number, credentials in enumerate(spelled, 1):
        assert await door.user([(b"authorization", credentials)]) == ada
        assert len(door) == min(number, 5)
    assert await door.user([(b"authorization", spelled[0])]) == ada
