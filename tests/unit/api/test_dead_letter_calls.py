"""Calls about dead letters and lanes: selections, ordering keys in paths, optional bodies."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from types import SimpleNamespace
from typing import Any
from urllib.parse import quote, unquote

import msgspec
import pytest

from duetime.api.auth.passwords import Passwords
from duetime.api.auth.tokens import Tokens
from duetime.api.dead_letters.bodies import DiscardBody, RedriveBody, RedriveManyBody
from duetime.api.dead_letters.parse import parse_selection
from duetime.api.jobs.bodies import JobPatch
from duetime.api.server.app import make_app
from duetime.api.server.services import Services
from duetime.clock.manual import ManualClock
from duetime.model.bounds import REDRIVEN
from duetime.model.errors import Invalid, NotFound
from duetime.model.ids import UserId
from duetime.model.job import DeadFilter
from duetime.model.user import User

Ask = Callable[..., Awaitable[Any]]
LANES = "/api/v1/me/lanes/"


def many(**fields: Any) -> DeadFilter:
    return parse_selection(msgspec.json.decode(msgspec.json.encode(fields), type=RedriveManyBody))


def test_ids_or_a_filter_but_one_of_them() -> None:
    assert many(ids=[3, 1]) == DeadFilter(ids=(3, 1), limit=REDRIVEN)
    assert many(filter={"error": "503"}) == DeadFilter(error="503", limit=REDRIVEN + 1)
    assert many(filter={}) == DeadFilter(limit=REDRIVEN + 1)
    for fields in ({}, {"ids": [1], "filter": {}}):
        with pytest.raises(Invalid):
            many(**fields)
    with pytest.raises(Invalid):
        parse_selection(DiscardBody())


@pytest.mark.parametrize(
    "fields",
    [
        {"ids": []},
        {"ids": [0]},
        {"ids": [2**53]},
        {"ids": list(range(1, REDRIVEN + 2))},
        {"filter": {"definition_id": 2**31}},
        {"filter": {"from": "2026-01-01T00:00:00"}},
        {"filter": {"error": ""}},
        {"ids": [1], "per_second": 0},
    ],
)
def test_what_does_not_fit_is_refused(fields: dict[str, Any]) -> None:
    with pytest.raises(msgspec.ValidationError):
        many(**fields)


@pytest.mark.parametrize("field", ["error", "ordering_key"])
def test_no_nul_reaches_the_store(field: str) -> None:
    with pytest.raises(Invalid) as caught:
        many(filter={field: "a\0"})
    assert caught.value.details["field"] == field


def test_a_change_on_the_way_back_is_a_patch_without_times() -> None:
    assert RedriveBody().patch() is None
    assert RedriveBody(message="m", limit=None).patch() == JobPatch(message="m", limit=None)
    assert set(JobPatch.__struct_fields__) - set(RedriveBody.__struct_fields__) == {"execute_at", "delay", "expires_at"}


class DeadLetters:
    """Remembers which keys it was asked for, and knows none of them."""

    def __init__(self) -> None:
        self.asked: list[tuple[str, str]] = []

    async def lane(self, user_id: int, lane: str) -> Any:
        self.asked.append(("show", lane))
        raise NotFound

    async def skip_head(self, user_id: int, lane: str, actor: int) -> int:
        self.asked.append(("skip", lane))
        return 1025


@pytest.fixture
def dead_letters() -> DeadLetters:
    return DeadLetters()


@pytest.fixture
def ask_as_ada(
    make_services: Callable[..., Services], clock: ManualClock, dead_letters: DeadLetters, ask_app: Ask
) -> Callable[[str, str], Awaitable[Any]]:
    """Asks with a path as it is sent over the wire, the way a server hands it over."""
    user = User(UserId(7), "ada", 1.0, "user", clock.now(), clock.now())

    async def by_id(_: int) -> User:
        return user

    services = make_services(accounts=SimpleNamespace(by_id=by_id), dead_letters=dead_letters)
    app = make_app(services, passwords=Passwords())
    token = Tokens(services.settings.signing_key, 60, clock).issue(user).token.encode()

    async def with_raw_path(scope: Any, receive: Any, send: Any) -> None:
        raw = scope["path"]
        await app({**scope, "raw_path": raw.encode(), "path": unquote(raw)}, receive, send)

    async def ask(method: str, path: str) -> Any:
        return await ask_app(with_raw_path, method, path, headers=[(b"authorization", b"Bearer " + token)])

    return ask


@pytest.mark.parametrize(
    "key", ["plain", "a/b", "a/skip", "skip", "/", "//", "a%2Fb", "ü", "a b", "?x=1", "#", ".", "..", "%", "+", "😀"]
)
async def test_any_key_goes_through_a_path(key: str, ask_as_ada: Ask, dead_letters: DeadLetters) -> None:
    encoded = quote(key, safe="")
    assert (await ask_as_ada("GET", LANES + encoded)).status == 404
    answer = await ask_as_ada("POST", f"{LANES}{encoded}/skip")
    assert (answer.status, answer.json["data"]) == (200, {"ids": [1025], "lane": None})
    assert ("skip", key) in dead_letters.asked
    assert {lane for _, lane in dead_letters.asked} == {key}


@pytest.mark.parametrize("path", ["%FF", "%00", "a%00", "x" * 256, "", "a/b", "a/skip/skip"])
async def test_what_cannot_be_a_key_is_not_found(path: str, ask_as_ada: Ask, dead_letters: DeadLetters) -> None:
    answer = await ask_as_ada("POST", f"{LANES}{path}/skip")
    assert answer.status == 404
    assert answer.json["success"] is False
    assert dead_letters.asked == []
