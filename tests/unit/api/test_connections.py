"""What connections may cost: raw sockets against the real server, whose clock the test turns."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from typing import Any

import pytest
from starlette.requests import Request
from starlette.responses import PlainTextResponse
from starlette.routing import Route

from duetime.api.connections.bounds import (
    HEAD_BYTES,
    LINGER_BYTES,
    LINGER_SECONDS,
    MAX_HEADERS,
    MAX_PIPELINED,
    Bounds,
)
from duetime.api.connections.forwarded import Proxies
from duetime.api.connections.whole_answer import COPIED, head_of
from duetime.api.server.app import make_app
from duetime.api.server.services import Services
from duetime.clock.manual import ManualClock
from harness.web import RunningWeb, request, running_web

LOGIN = "/api/v1/auth/login"
LARGE = 32 * 1024 * 1024


async def _large(_request: Request) -> PlainTextResponse:
    return PlainTextResponse(b"x" * LARGE)


async def _client(seen: Request) -> PlainTextResponse:
    return PlainTextResponse(seen.client.host if seen.client else "")


@pytest.fixture
def serve(make_services: Callable[..., Services], clock: ManualClock) -> Iterator[Callable[..., RunningWeb]]:
    app = make_app(make_services(), mounts=[Route("/large", _large), Route("/client", _client)])
    with ExitStack() as stack:

        def start(proxies: Proxies | None = None, **bounds: Any) -> RunningWeb:
            return stack.enter_context(running_web(app, Bounds(**bounds), clock, proxies))

        yield start


def chunk(data: bytes, extension: bytes = b"") -> bytes:
    return b"%x%s\r\n%s\r\n" % (len(data), extension, data)


CHUNKED = request("POST", LOGIN, "Transfer-Encoding: chunked")
START = b"GET /healthz HTTP/1.1\r\nHost: localhost\r\n"


@pytest.mark.parametrize(
    ("sent", "status"),
    [
        (START + b"X-Long: " + b"a" * HEAD_BYTES, 431),
        (START + b"X-Long: " + b"a" * HEAD_BYTES + b"\r\n\r\n", 431),
        (START + b"".join(b"X-%d: %s\r\n" % (n, b"a" * 600) for n in range(120)) + b"\r\n", 431),
        (START + b"".join(b"X-%d: a\r\n" % n for n in range(MAX_HEADERS)) + b"\r\n", 431),
        (START + b"X-Name" + b"a" * HEAD_BYTES, 431),
        (b"GET /" + b"a" * HEAD_BYTES + b" HTTP/1.1\r\nHost: localhost\r\n\r\n", 414),
        (b"GET /healthz?" + b"a" * HEAD_BYTES, 414),
        (START + b"X-Folded: a\r\n" + b" a\r\n" * HEAD_BYTES, (400, 431)),
        (b"\r\n" * HEAD_BYTES, (414, 431)),
        (CHUNKED + chunk(b"{", b";x=" + b"a" * HEAD_BYTES * 2), 431),
        (CHUNKED + chunk(b"{") + b"1;" + b"a" * HEAD_BYTES * 2, 431),
        (CHUNKED + b"0\r\nX-Trailer: " + b"a" * HEAD_BYTES * 2 + b"\r\n\r\n", 431),
    ],
)
def test_a_head_or_a_framing_past_its_bound_is_refused(
    serve: Callable[..., RunningWeb], sent: bytes, status: int | tuple[int, ...]
) -> None:
    web = serve()
    raw = web.connect().send(sent)
    answer = raw.answer()
    assert answer.status in (status if isinstance(status, tuple) else (status,))
    assert answer.headers["connection"] == "close"
    assert answer.code in ("too_large", "malformed")
    raw.close()
    assert web.connect().get().status == 200


def test_a_head_past_its_bound_behind_a_request_ends_the_connection_after_the_answer(
    serve: Callable[..., RunningWeb],
) -> None:
    raw = serve().connect().send(request("GET", "/healthz") + START + b"X-Long: " + b"a" * HEAD_BYTES)
    answer = raw.answer()
    assert answer.status == 200
    # The head may come whole before the answer to the first request, or only in part.
    if answer.headers.get("connection") != "close":
        assert raw.answer().status == 431
    assert raw.ended()


def test_a_large_head_within_the_bound_and_a_body_in_many_small_chunks_are_read(
    serve: Callable[..., RunningWeb],
) -> None:
    raw = serve().connect()
    assert raw.get("/healthz", "X-Long: " + "a" * (HEAD_BYTES - 1000)).status == 200
    small = b"".join(chunk(b" ") for _ in range(30_000))
    assert raw.send(CHUNKED + small + chunk(b"nope") + b"0\r\nX-Trailer: a\r\n\r\n").answer().code == "malformed"
    assert raw.send(request("POST", LOGIN, body=b" " * 60_000 + b"nope") * 2).answer().code == "malformed"
    assert raw.answer().code == "malformed"
    assert raw.get().status == 200


def test_a_hundred_megabytes_of_headers_cost_no_memory(serve: Callable[..., RunningWeb]) -> None:
    web = serve()
    raw = web.connect().send(START)
    for _ in range(1600):
        raw.send(b"X-Long: " + b"a" * HEAD_BYTES + b"\r\n")
    web.pass_time(LINGER_SECONDS + 1)
    raw.drained()
    assert web.in_loop(lambda: len(web.connections)) == 0


@pytest.mark.parametrize(
    "headers",
    [
        ("Host: localhost", "Host: evil.example"),
        ("Host: localhost", "host: localhost"),
        ("Content-Length: 0", "Content-Length: 0"),
        ("Content-Length: 1", "Content-Length: 2"),
        ("Content-Length: 1", "Transfer-Encoding: chunked"),
    ],
)
def test_two_of_what_must_be_one_are_refused(serve: Callable[..., RunningWeb], headers: tuple[str, ...]) -> None:
    answer = serve().connect().get("/healthz", *headers)
    assert (answer.status, answer.code) == (400, "malformed")


def test_a_request_without_a_host_is_refused_but_not_in_http_1_0(serve: Callable[..., RunningWeb]) -> None:
    web = serve()
    assert web.connect().send(b"GET /healthz HTTP/1.1\r\n\r\n").answer().status == 400
    assert web.connect().send(b"GET /healthz HTTP/1.0\r\n\r\n").answer().status == 200


def test_connections_that_send_nothing_or_half_are_closed(serve: Callable[..., RunningWeb]) -> None:
    web = serve(header_timeout=10, body_timeout=30, idle_timeout=75)
    silent, half_head = web.connect(), web.connect().send(START)
    half_body = web.connect().send(request("POST", LOGIN, "Content-Length: 100") + b"{")
    dripping = web.connect().send(request("POST", LOGIN, "Content-Length: 100") + b"{")
    idle = web.connect()
    assert idle.get().status == 200
    web.pass_time(9)
    assert web.in_loop(lambda: len(web.connections)) == 5
    web.pass_time(2)
    assert silent.ended()
    assert half_head.answer().status == 408
    assert half_head.ended()
    for _ in range(10):
        dripping.send(b" ")
        web.pass_time(2)
    assert half_body.answer().status == 408
    assert dripping.answer().status == 408
    assert idle.get().status == 200
    web.pass_time(76)
    assert idle.ended()
    assert web.in_loop(lambda: len(web.connections)) == 0


def test_a_body_that_comes_slowly_but_steadily_is_read(serve: Callable[..., RunningWeb]) -> None:
    web = serve(body_timeout=5)
    raw = web.connect().send(request("POST", LOGIN, "Content-Length: 60000"))
    for _ in range(3):
        raw.send(b" " * 20_000)
        web.pass_time(1.9)
    assert raw.answer().code == "malformed"


def test_a_client_that_does_not_read_is_closed(serve: Callable[..., RunningWeb]) -> None:
    web = serve(write_timeout=30)
    raw = web.connect().send(request("GET", "/large"))
    closing = web.connect().send(request("GET", "/large", "Connection: close"))
    other = web.connect()
    assert other.get().status == 200
    web.pass_time(1)
    web.pass_time(29)
    assert other.get().status == 200
    assert web.in_loop(lambda: len(web.connections)) == 3
    web.pass_time(2)
    assert raw.drained() < LARGE
    assert closing.drained() < LARGE
    assert other.get().status == 200


def test_answers_that_nobody_reads_are_bounded_together(serve: Callable[..., RunningWeb]) -> None:
    web = serve(answer_memory=2 * LARGE)
    raws = [web.connect().send(request("GET", "/large")) for _ in range(5)]
    assert web.connect().get().status == 200
    lengths = sorted(int(len(raw.answer().body) == LARGE) if index > 2 else 0 for index, raw in enumerate(raws))
    assert lengths == [0, 0, 0, 1, 1]
    assert all(raw.drained() < LARGE for raw in raws[:3])


def test_health_is_answered_when_all_connections_are_taken(serve: Callable[..., RunningWeb]) -> None:
    web = serve(connections=5, reserve=3, header_timeout=10)
    silent = [web.connect() for _ in range(5)]
    assert web.connect().get("/healthz").status == 200
    refused = web.connect().get("/openapi.json")
    assert (refused.status, refused.code, refused.headers["retry-after"]) == (503, "overloaded", "1")
    flood = [web.connect() for _ in range(20)]
    assert flood[0].ended()
    assert web.connect().get("/healthz?x").status == 200
    web.pass_time(11)
    assert all(one.ended() for one in silent)
    assert web.connect().get("/openapi.json").status == 200


def test_an_idle_connection_makes_room_for_a_new_one(serve: Callable[..., RunningWeb]) -> None:
    web = serve(connections=2)
    first, second = web.connect(), web.connect()
    assert first.get().status == second.get().status == 200
    assert web.connect().get("/openapi.json").status == 200
    assert first.ended()
    assert second.get().status == 200


def test_one_address_cannot_have_all_connections(serve: Callable[..., RunningWeb]) -> None:
    web = serve(connections=10, per_address=2)
    taken = [web.connect(), web.connect()]
    refused = web.connect().get("/openapi.json")
    assert (refused.status, refused.code, refused.headers["retry-after"]) == (429, "over_limit", "1")
    assert web.connect().get("/healthz").status == 200
    taken[0].close()
    web.pass_time(0)
    assert web.connect().get("/openapi.json").status == 200


def test_behind_a_trusted_proxy_the_clients_address_counts(serve: Callable[..., RunningWeb]) -> None:
    web = serve(Proxies(("127.0.0.0/8", "10.0.0.0/8")), connections=10, per_address=1)
    held = web.connect().send(request("POST", LOGIN, "X-Forwarded-For: 192.0.2.7", "Content-Length: 5"))
    proxy = web.connect()
    assert proxy.get("/client", "X-Forwarded-For: 192.0.2.7, 192.0.2.8, 10.1.1.1").body == b"192.0.2.8"
    refused = proxy.get("/client", "X-Forwarded-For: 192.0.2.8, 192.0.2.7")
    assert (refused.status, refused.headers["retry-after"]) == (429, "1")
    assert held.send(b"nope!").answer().status == 400
    assert web.connect().get("/client", "X-Forwarded-For: 192.0.2.7").body == b"192.0.2.7"


def test_an_address_in_a_header_does_not_count_from_elsewhere(serve: Callable[..., RunningWeb]) -> None:
    sent = ("X-Forwarded-For: 192.0.2.7", "Forwarded: for=192.0.2.7", "X-Real-IP: 192.0.2.7")
    assert serve().connect().get("/client", *sent).body == b"127.0.0.1"


def test_requests_that_wait_on_one_connection_are_answered_in_order_and_bounded(
    serve: Callable[..., RunningWeb],
) -> None:
    web = serve()
    raw = web.connect().send(request("GET", "/healthz") * MAX_PIPELINED + request("GET", "/nothing"))
    assert [raw.answer().status for _ in range(MAX_PIPELINED + 1)] == [200] * MAX_PIPELINED + [404]
    deep = web.connect().send(request("GET", "/healthz") * 5000)
    assert deep.answer().status == 200
    assert deep.drained() < 5000 * 100
    assert web.connect().get().status == 200


def test_after_an_upgrade_nothing_more_is_taken_for_a_request(serve: Callable[..., RunningWeb]) -> None:
    hidden = request("GET", "/client")
    raw = serve().connect()
    raw.send(request("POST", LOGIN, "Connection: upgrade", "Upgrade: other", body=hidden))
    assert raw.answer().headers["connection"] == "close"
    assert raw.drained() == 0


def test_an_early_answer_ends_the_connection_when_much_of_the_body_is_still_to_come(
    serve: Callable[..., RunningWeb],
) -> None:
    web = serve()
    raw = web.connect().send(request("POST", LOGIN, f"Content-Length: {LINGER_BYTES * 40}") + b"{")
    assert raw.answer().code == "too_large"
    # Nothing more is read, and the client has a moment to read the answer.
    assert web.in_loop(lambda: len(web.connections)) == 1
    web.pass_time(LINGER_SECONDS / 2)
    assert web.in_loop(lambda: len(web.connections)) == 1
    web.pass_time(LINGER_SECONDS)
    assert raw.ended()
    assert web.in_loop(lambda: len(web.connections)) == 0


def test_an_early_answer_keeps_the_connection_when_little_of_the_body_is_still_to_come(
    serve: Callable[..., RunningWeb],
) -> None:
    web, length = serve(), 70_000
    raw = web.connect().send(request("POST", LOGIN, f"Content-Length: {length}") + b"{")
    assert raw.answer().code == "too_large"
    web.pass_time(LINGER_SECONDS * 2)
    assert raw.send(b"x" * (length - 1)).get().status == 200


def test_an_answer_is_written_whole_with_the_headers_of_all_answers(serve: Callable[..., RunningWeb]) -> None:
    web = serve()
    raw = web.connect().send(request("GET", "/healthz"))
    received = raw.socket.recv(1 << 16)
    assert received.endswith(b'"success":true}'), "head and body come in one piece"
    head = received.partition(b"\r\n\r\n")[0].lower().split(b"\r\n")
    assert head[0] == b"http/1.1 200 ok"
    assert {line.split(b":")[0] for line in head[1:]} == {
        b"date",
        b"content-type",
        b"cache-control",
        b"x-content-type-options",
        b"content-length",
    }
    closing = web.connect().get("/healthz", "Connection: close")
    assert (closing.status, closing.headers["connection"]) == (200, "close")
    large = web.connect().get("/openapi.json")
    assert len(large.body) > COPIED


@pytest.mark.parametrize("value", [b"a\r\nx: y", b"a\n", b"\r", b"a\0"])
def test_a_header_cannot_become_two(value: bytes) -> None:
    with pytest.raises(ValueError, match="line end or a NUL"):
        head_of(200, b"", [(b"location", value)], keep_alive=True)
