"""Who may create an account, and with which weight and role."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from duetime.api.auth.limits import SIGNUP_BURST
from duetime.api.auth.passwords import Passwords
from duetime.api.server.parts import make_parts
from duetime.api.server.route import Call
from duetime.api.server.services import Services
from duetime.api.users.bodies import UserBody, check_username
from duetime.api.users.signup import check_signup
from duetime.clock.manual import START
from duetime.model.errors import Forbidden, Invalid, OverLimit, Unauthorized
from duetime.model.ids import UserId
from duetime.model.user import Role, User

Ask = Callable[..., int | None]
LOCAL = {"signup": "local", "loopback": True}
OPEN = {"signup": "open", "loopback": True}
PUBLIC = {"signup": "open", "loopback": False}
CLOSED = {"signup": "admin", "loopback": False}


HERE = [(b"host", b"localhost:8080")]


def someone(role: Role) -> User:
    return User(UserId(1), "x", 1.0, role, START, START)


@pytest.fixture(scope="module")
def passwords() -> Passwords:
    return Passwords()


@pytest.fixture
def signup(make_services: Callable[..., Services], passwords: Passwords) -> Ask:
    parts: dict[str, Any] = {}

    def ask(
        settings: dict[str, Any], caller: User | None = None, headers: Any = (), version: str = "1.1", **fields: Any
    ) -> int | None:
        more = {"address": fields.pop("address")} if "address" in fields else {}
        headers, address = list(headers or HERE), more.get("address", "127.0.0.1")
        name = str(settings)
        if name not in parts:
            parts[name] = make_parts(make_services(**settings), passwords, openapi=b"", docs_page=b"")
        body = UserBody("eve", "long enough", **fields)
        return check_signup(Call(parts[name], caller, body, None, 0, headers, address, version=version))

    return ask


@pytest.mark.parametrize("settings", [LOCAL, PUBLIC, CLOSED])
def test_an_admin_may_make_anyone(signup: Ask, settings: dict[str, Any]) -> None:
    assert signup(settings, someone("admin"), job_weight=9.0, role="admin") == 1


def test_where_sign_up_is_closed_only_an_admin_may(signup: Ask) -> None:
    with pytest.raises(Unauthorized):
        signup(CLOSED)
    with pytest.raises(Forbidden):
        signup(CLOSED, someone("user"))


def test_on_this_machine_anyone_may_and_chooses_the_weight(signup: Ask) -> None:
    assert signup(LOCAL, job_weight=3.0) is None
    assert signup(LOCAL, someone("user"), job_weight=3.0) is None


def test_off_this_machine_an_open_sign_up_cannot_choose_its_weight(signup: Ask) -> None:
    assert signup(PUBLIC) is None
    assert signup(PUBLIC, job_weight=1.0) is None
    for weight in (1.5, 0.5):
        with pytest.raises(Forbidden, match="job_weight"):
            signup(PUBLIC, job_weight=weight)
        with pytest.raises(Forbidden, match="job_weight"):
            signup(PUBLIC, someone("user"), job_weight=weight)


@pytest.mark.parametrize("settings", [LOCAL, PUBLIC])
@pytest.mark.parametrize("role", ["admin", "user"])
def test_an_open_sign_up_cannot_choose_a_role(signup: Ask, settings: dict[str, Any], role: Role) -> None:
    with pytest.raises(Forbidden, match="role"):
        signup(settings, role=role)


@pytest.mark.parametrize("host", [b"localhost:8080", b"127.0.0.1:8080", b"[::1]:8080", b"LOCALHOST", b"d.localhost"])
def test_local_names_are_local(signup: Ask, host: bytes) -> None:
    assert signup(LOCAL, headers=[(b"host", host), (b"origin", b"http://" + host)]) is None


@pytest.mark.parametrize(
    "headers",
    [
        [(b"host", b"evil.example:8080")],
        [(b"host", b"localhost.evil.example")],
        [(b"host", b"127.0.0.1.evil.example")],
        [(b"host", b"localhost@evil.example")],
        [(b"host", b"[::1")],
        [(b"host", b"localhost:8080"), (b"origin", b"https://evil.example")],
        [(b"host", b"localhost:8080"), (b"origin", b"null")],
    ],
)
def test_a_page_from_elsewhere_cannot_sign_up_through_a_browser_here(signup: Ask, headers: Any) -> None:
    with pytest.raises(Forbidden, match="localhost"):
        signup(LOCAL, headers=headers)


@pytest.mark.parametrize(
    "shows",
    [
        {"headers": [*HERE, (b"x-forwarded-for", b"192.0.2.7")]},
        {"headers": [*HERE, (b"x-forwarded-proto", b"https")]},
        {"headers": [*HERE, (b"forwarded", b"for=192.0.2.7")]},
        {"headers": [*HERE, (b"x-real-ip", b"127.0.0.1")]},
        {"headers": [*HERE, (b"via", b"1.1 proxy")]},
        {"headers": [(b"host", b"duetime.example")]},
        {"headers": [(b"accept", b"*/*")]},
        {"version": "1.0"},
        {"address": "192.0.2.7"},
        {"settings": {**LOCAL, "trusted_proxies": ("127.0.0.0/8",)}},
    ],
)
def test_a_proxy_on_this_machine_gives_strangers_nothing_that_loopback_allows(signup: Ask, shows: Any) -> None:
    shows = dict(shows)
    settings = shows.pop("settings", LOCAL)
    with pytest.raises(Forbidden, match="this machine only"):
        signup(settings, **shows)
    with pytest.raises(Forbidden, match="this machine only"):
        signup(settings, someone("user"), **shows)
    assert signup({**settings, "signup": "open"}, **shows) is None
    with pytest.raises(Forbidden, match="weights"):
        signup({**settings, "signup": "open"}, job_weight=1e6, **shows)
    assert signup(settings, someone("admin"), job_weight=1e6, **shows) == 1
    assert signup(LOCAL, job_weight=1e6) is None
    assert signup(OPEN, job_weight=1e6, address="::ffff:127.0.0.1") is None


def test_open_sign_ups_off_this_machine_are_limited(signup: Ask) -> None:
    for _ in range(SIGNUP_BURST):
        signup(PUBLIC)
    with pytest.raises(OverLimit):
        signup(PUBLIC)
    assert signup(PUBLIC, someone("admin")) == 1


@pytest.mark.parametrize("name", ["a", "A-b_c.d@e", "x" * 64])
def test_good_names(name: str) -> None:
    check_username(name)


@pytest.mark.parametrize("name", ["", "x" * 65, "a b", "a\n", "\0", "é", "a/b", "١"])
def test_bad_names(name: str) -> None:
    with pytest.raises(Invalid):
        check_username(name)
