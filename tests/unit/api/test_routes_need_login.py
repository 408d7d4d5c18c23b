"""Every route answers 401 without a login, except those listed here."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any

import pytest

from duetime.api.table import TABLE

OPEN = {
    ("POST", "/api/v1/auth/login"),
    ("POST", "/api/v1/auth/session"),
    ("PUT", "/api/v1/artifacts/uploads/{key}"),  # a signed address is the permission
    ("GET", "/healthz"),
    ("GET", "/readyz"),
    ("GET", "/docs"),
    ("GET", "/docs/style.css"),
    ("GET", "/openapi.json"),
}
SIGN_UP, METRICS = ("POST", "/api/v1/users"), ("GET", "/metrics")
BY_SETTING = {SIGN_UP, METRICS}
"""Open to strangers by a setting; without it these need an admin too (see test_signup and test_metrics)."""
FOR_ADMINS = {
    ("GET", "/api/v1/users"),
    ("PATCH", "/api/v1/users/{id}"),
    ("GET", "/api/v1/users/{id}/overview"),
    ("GET", "/api/v1/users/{id}/jobs"),
    ("GET", "/api/v1/users/{id}/logs"),
    ("GET", "/api/v1/cluster"),
    ("GET", "/api/v1/cluster/overview"),
    ("GET", "/api/v1/cluster/planned"),
    ("GET", "/api/v1/cluster/calendar"),
    ("GET", "/api/v1/cluster/shares"),
    ("GET", "/api/v1/audit"),
    ("GET", "/api/v1/audit/chain"),
    ("POST", "/api/v1/cluster/nodes/{id}/drain"),
    ("POST", "/api/v1/cluster/nodes/{id}/undrain"),
    ("POST", "/api/v1/cluster/rebalance"),
    ("GET", "/api/v1/cluster/breakers"),
    ("POST", "/api/v1/cluster/breakers/{key}/reset"),
}

GUARDED = [(route.method, route.path) for route in TABLE if (route.method, route.path) not in OPEN | {SIGN_UP}]
TOKENS = [
    None,
    b"",
    b"Bearer",
    b"Bearer ",
    b"Bearer x.y.z",
    b"Basic YWRtaW46YWRtaW4=",
    b"Bearer \xff",
    b"Bearer " + b"x" * 9000,
]


def test_the_table_names_the_open_routes_and_the_admins_ones() -> None:
    by_auth: dict[str, set[tuple[str, str]]] = {}
    for route in TABLE:
        by_auth.setdefault(route.auth, set()).add((route.method, route.path))
    assert by_auth["none"] == OPEN
    assert by_auth["optional"] == BY_SETTING
    assert by_auth["admin"] == FOR_ADMINS


def test_no_call_is_in_the_table_twice() -> None:
    calls = [(route.method, route.path) for route in TABLE]
    assert len(set(calls)) == len(calls)


@pytest.mark.parametrize(("method", "path"), GUARDED)
async def test_a_guarded_route_answers_401_and_reads_nothing(
    method: str, path: str, ask: Callable[..., Awaitable[Any]]
) -> None:
    for token in TOKENS:
        headers = [] if token is None else [(b"authorization", token)]
        answer = await ask(method, path.replace("{id}", "1024"), headers=headers, chunks=[b"{}"])
        assert answer.status == 401
        assert answer.headers["www-authenticate"].startswith("Bearer")
        assert answer.json["error"]["code"] == "unauthorized"
        assert answer.reads == 0


async def test_sign_up_needs_a_login_too_unless_it_is_open(ask: Callable[..., Awaitable[Any]]) -> None:
    answer = await ask("POST", "/api/v1/users", chunks=[b'{"username":"eve","password":"long enough"}'])
    assert answer.status == 401


async def test_head_is_guarded_like_get(ask: Callable[..., Awaitable[Any]]) -> None:
    answer = await ask("HEAD", "/api/v1/me")
    assert (answer.status, answer.body) == (401, b"")
    assert int(answer.headers["content-length"]) > 0


@pytest.mark.parametrize("path", ["/", "/api", "/api/v1/me/", "/api/v1/me/jobs/1/other", "/docs/../etc", "//healthz"])
async def test_an_unknown_path_is_404_in_the_envelope(path: str, ask: Callable[..., Awaitable[Any]]) -> None:
    answer = await ask("GET", path)
    assert answer.status == 404
    assert answer.json["success"] is False
    assert answer.headers["x-content-type-options"] == "nosniff"


@pytest.mark.parametrize(
    ("method", "path", "allowed"),
    [
        ("DELETE", "/api/v1/me/jobs", "GET, HEAD, POST"),
        ("PUT", "/api/v1/me/jobs/7", "GET, HEAD, PATCH"),
        ("GET", "/api/v1/me/jobs/bulk", "POST"),
        ("OPTIONS", "/healthz", "GET, HEAD"),
    ],
)
async def test_another_method_is_405_and_says_which_are_taken(
    method: str, path: str, allowed: str, ask: Callable[..., Awaitable[Any]]
) -> None:
    answer = await ask(method, path)
    assert answer.status == 405
    assert answer.headers["allow"] == allowed
    assert answer.json["error"]["code"] == "method_not_allowed"
