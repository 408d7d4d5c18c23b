"""Where an HTTP target may be led: addresses, names, redirects, TLS."""

import asyncio
import socket
import ssl
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
import uvloop

from duetime.clock.manual import ManualClock
from duetime.executor.targets.http.connect import CheckedResolver, Refused, check_address, is_own_address
from duetime.executor.targets.http.outgoing import OutgoingRules
from duetime.executor.targets.http.runner import HttpRunner as Sender
from duetime.model.outcome import Failure, Outcome
from duetime.model.states import JobState
from duetime.model.targets.http import BearerAuth, HttpAnswer, HttpTarget
from integration.executor.local_server import AT, Exchange, Script, local_server, run_of

CLOSED = OutgoingRules()
LAPTOP = OutgoingRules(allow_loopback=True)


@pytest.fixture(params=[asyncio.DefaultEventLoopPolicy, uvloop.EventLoopPolicy], ids=["asyncio", "uvloop"])
def event_loop_policy(request: pytest.FixtureRequest) -> asyncio.AbstractEventLoopPolicy:
    return request.param()


@pytest.fixture
async def sender() -> AsyncIterator[Sender]:
    sender = Sender(LAPTOP, clock=ManualClock(AT))
    yield sender
    await sender.close()


async def sent(target: HttpTarget, rules: OutgoingRules, tls: ssl.SSLContext | None = None) -> Outcome:
    sender = Sender(rules, clock=ManualClock(AT), tls=tls)
    try:
        return await sender.run(run_of(target))
    finally:
        await sender.close()


def failure(outcome: Outcome, kind: str) -> Failure:
    assert outcome.failure is not None, outcome
    assert outcome.failure.kind == kind
    return outcome.failure


async def hello(exchange: Exchange) -> None:
    await exchange.answer("200 OK", b"hello")


def redirect(location: str, status: str = "302 Found") -> Script:
    async def answer(exchange: Exchange) -> None:
        await exchange.answer(status, b"", f"Location: {location}")

    return answer


@pytest.mark.parametrize("host", ["localhost", "127.0.0.1", "LOCALHOST"])
async def test_loopback_is_refused_unless_the_operator_opened_it(host: str) -> None:
    async with local_server(hello) as server:
        url = server.url("/?token=s3cret", host=host)
        message = failure(await sent(HttpTarget(url), CLOSED), "refused").message
        assert "loopback" in message
        assert "s3cret" not in message
        assert server.connections == 0
        assert (await sent(HttpTarget(url), LAPTOP)).state is JobState.SUCCEEDED


@pytest.mark.parametrize(
    "host",
    [
        "0.0.0.0",
        "[::]",
        "[::ffff:127.0.0.1]",
        "[::ffff:7f00:1]",
        "[::127.0.0.1]",
        "[64:ff9b::7f00:1]",
        "[2002:7f00:1::]",
        "[::1%25lo]",
        "2130706433",
        "017700000001",
        "0x7f000001",
        "0x7f.1",
        "127.1",
        "127.0.0.1.",
        "127.0.1",
        "0177.0.0.1",
    ],
)
async def test_no_other_spelling_of_this_machine_gets_through(host: str) -> None:
    """Even where loopback is open: what means something else than it says is refused."""
    async with local_server(hello) as server:
        failure(await sent(HttpTarget(server.url(host=host)), LAPTOP), "refused")
        assert server.connections == 0


async def test_fullwidth_digits_are_an_address_like_any() -> None:
    async with local_server(hello) as server:
        failure(await sent(HttpTarget(server.url(host="１２７.0.0.1")), CLOSED), "refused")
        assert server.connections == 0


async def test_an_own_listener_is_refused_even_where_loopback_is_open() -> None:
    async with local_server(hello) as own, local_server(hello) as other:
        for listener in ("127.0.0.1", "localhost", "0.0.0.0", "::"):
            rules = OutgoingRules(allow_loopback=True, own_listeners=((listener, own.port),))
            for host in ("127.0.0.1", "localhost"):
                outcome = await sent(HttpTarget(own.url(host=host)), rules)
                assert "listens on itself" in failure(outcome, "refused").message
                outcome = await sent(HttpTarget(other.url(host=host)), rules)
                assert outcome.state is JobState.SUCCEEDED
        assert own.connections == 0


def test_knows_the_machines_own_addresses() -> None:
    assert is_own_address("127.0.0.1")
    assert not is_own_address("192.0.2.77")
    assert not is_own_address("not an address")


def test_an_address_of_this_machine_is_its_own_listener(monkeypatch: pytest.MonkeyPatch) -> None:
    """A node with a public address that listens everywhere; here the only address at hand is loopback."""
    rules = OutgoingRules(allow_private=("127.0.0.0/8",), own_listeners=(("0.0.0.0", 8080),))
    monkeypatch.setattr("duetime.executor.targets.http.connect.refusal", lambda *_: None)
    with pytest.raises(Refused, match="listens on itself"):
        check_address("127.0.0.1", 8080, rules)
    check_address("127.0.0.1", 8081, rules)


def answers(monkeypatch: pytest.MonkeyPatch, *rounds: list[str]) -> list[str]:
    """Make names resolve to what is given, round by round; the names that were asked for."""
    asked: list[str] = []

    def getaddrinfo(host: str, port: int, *_: Any, **__: Any) -> list[Any]:
        asked.append(host)
        found = rounds[min(len(asked), len(rounds)) - 1]
        return [
            (socket.AF_INET6, 1, 6, "", (each, port, 0, 3 if each.startswith("fe80") else 0))
            if ":" in each
            else (socket.AF_INET, 1, 6, "", (each, port))
            for each in found
        ]

    monkeypatch.setattr("duetime.executor.targets.http.connect.socket.getaddrinfo", getaddrinfo)
    return asked


@pytest.mark.parametrize("bad", ["10.0.0.1", "169.254.169.254", "::ffff:8.8.8.8", "fe80::1", "ff02::1"])
async def test_one_refused_answer_refuses_the_name(monkeypatch: pytest.MonkeyPatch, bad: str) -> None:
    async with local_server(hello) as server:
        answers(monkeypatch, ["127.0.0.1", bad])
        outcome = await sent(HttpTarget(server.url(host="mixed.example")), LAPTOP)
        assert bad not in failure(outcome, "refused").message
        assert server.connections == 0


async def test_a_name_is_resolved_once_and_that_answer_is_used(monkeypatch: pytest.MonkeyPatch) -> None:
    """A name server that answers with something else the second time is not asked a second time."""
    async with local_server(hello) as server:
        asked = answers(monkeypatch, ["127.0.0.1"], ["10.0.0.1"])
        outcome = await sent(HttpTarget(server.url(host="rebinding.example")), LAPTOP)
        assert outcome.state is JobState.SUCCEEDED
        assert server.requests[0].headers["host"] == f"rebinding.example:{server.port}"
    assert asked == ["rebinding.example"]


async def test_a_scoped_answer_keeps_its_interface(monkeypatch: pytest.MonkeyPatch) -> None:
    answers(monkeypatch, ["fe80::1"])
    resolver = CheckedResolver(OutgoingRules(allow_private=("fe80::/10",)))
    assert [found["host"] for found in await resolver.resolve("linked.example", 80)] == ["fe80::1%3"]
    await resolver.close()


async def test_a_name_without_an_answer_is_a_connection_failure(monkeypatch: pytest.MonkeyPatch) -> None:
    answers(monkeypatch, [])
    outcome = await sent(HttpTarget("http://empty.example/"), LAPTOP)
    assert "could not be resolved" in failure(outcome, "connection").message


async def test_a_name_that_cannot_be_encoded_is_a_connection_failure() -> None:
    resolver = CheckedResolver(LAPTOP)
    with pytest.raises(socket.gaierror):
        await resolver.resolve("a" * 64 + ".example", 80)
    await resolver.close()


async def test_redirects_are_not_followed_unless_asked_for(sender: Sender) -> None:
    async with local_server(hello) as there, local_server(redirect(there.url())) as here:
        outcome = await sender.run(run_of(HttpTarget(here.url())))
        assert "follow_redirects" in failure(outcome, "http_302").message
        assert there.requests == []


async def test_a_redirect_to_a_forbidden_address_is_refused(sender: Sender) -> None:
    for location in (
        "http://169.254.169.254/latest/meta-data/",
        "http://10.0.0.1/",
        "http://[::ffff:127.0.0.1]/",
        "http://0.0.0.0/",
        "http://2130706433/",
        "http://0x7f.1/",
        "file:///etc/passwd",
        "http://user:s3cret@127.0.0.1/",
    ):
        async with local_server(redirect(location)) as server:
            outcome = await sender.run(run_of(HttpTarget(server.url(), follow_redirects=3)))
        assert "s3cret" not in failure(outcome, "refused").message
        assert len(server.requests) == 1


async def test_a_redirect_to_an_own_listener_is_refused() -> None:
    async with local_server(hello) as own, local_server(redirect(own.url())) as server:
        rules = OutgoingRules(allow_loopback=True, own_listeners=(("127.0.0.1", own.port),))
        outcome = await sent(HttpTarget(server.url(), follow_redirects=1), rules)
        assert "listens on itself" in failure(outcome, "refused").message
        assert own.connections == 0


async def test_a_chain_of_redirects_ends_at_its_limit(sender: Sender) -> None:
    async def onwards(exchange: Exchange) -> None:
        step = int(exchange.request.line.split()[1].strip("/"))
        if step == 3:
            await hello(exchange)
        else:
            await exchange.answer("307 Temporary Redirect", b"", f"Location: /{step + 1}")

    async with local_server(onwards) as server:
        enough = await sender.run(run_of(HttpTarget(server.url("/0"), follow_redirects=3), "body"))
        assert enough.state is JobState.SUCCEEDED
        assert [request.body for request in server.requests] == [b"body"] * 4
        too_few = await sender.run(run_of(HttpTarget(server.url("/0"), follow_redirects=2)))
        assert "one redirect more than the 2" in failure(too_few, "http_307").message
        assert len(server.requests) == 4 + 3


async def test_a_redirect_without_a_place_is_a_plain_failure(sender: Sender) -> None:
    async with local_server(lambda exchange: exchange.answer("302 Found")) as server:
        failure(await sender.run(run_of(HttpTarget(server.url(), follow_redirects=3))), "http_302")


async def test_another_origin_gets_no_credentials() -> None:
    sender = Sender(LAPTOP, clock=ManualClock(AT), signing=lambda _: b"key")
    async with (
        local_server(hello) as other,
        local_server(redirect(other.url("/there"), "307 Temporary Redirect")) as here,
    ):
        headers = {"X-Api-Key": "s3cret", "Content-Type": "text/csv"}
        target = HttpTarget(here.url(), headers=headers, auth=BearerAuth("s3cret"), follow_redirects=1)
        outcome = await sender.run(run_of(target, "a,b"))
    await sender.close()
    assert outcome.state is JobState.SUCCEEDED
    assert here.requests[0].headers["authorization"] == "Bearer s3cret"
    assert "webhook-signature" in here.requests[0].headers
    (request,) = other.requests
    assert "s3cret" not in str(request.headers)
    assert {"authorization", "x-api-key", "webhook-signature"}.isdisjoint(request.headers)
    assert request.headers["content-type"] == "text/csv"
    assert request.headers["host"] == f"127.0.0.1:{other.port}"
    assert request.body == b"a,b"


async def test_the_same_origin_keeps_them(sender: Sender) -> None:
    async def once(exchange: Exchange) -> None:
        if exchange.request.line.startswith("POST"):
            await exchange.answer("303 See Other", b"", "Location: /done")
        else:
            await hello(exchange)

    async with local_server(once) as server:
        target = HttpTarget(server.url(), auth=BearerAuth("token"), follow_redirects=1)
        await sender.run(run_of(target, "body"))
    first, second = server.requests
    assert second.line == "GET /done HTTP/1.1"
    assert second.body == b""
    assert second.headers["authorization"] == first.headers["authorization"] == "Bearer token"


async def test_a_certificate_that_nobody_trusts_is_a_tls_failure(server_tls: ssl.SSLContext) -> None:
    async with local_server(hello, server_tls) as server:
        message = failure(await sent(HttpTarget(server.url("/?s3cret", "localhost")), LAPTOP), "tls").message
        assert "certificate is not trusted" in message
        assert "s3cret" not in message
        assert server.requests == []


async def test_the_name_of_the_url_is_the_one_that_tls_checks(
    server_tls: ssl.SSLContext, certificate: tuple[Path, Path]
) -> None:
    trusting = ssl.create_default_context(cafile=str(certificate[0]))
    asked_for: list[str | None] = []
    server_tls.sni_callback = lambda _, name, __: asked_for.append(name)
    async with local_server(hello, server_tls) as server:
        outcome = await sent(HttpTarget(server.url(host="localhost")), LAPTOP, trusting)
        assert outcome.state is JobState.SUCCEEDED
        assert asked_for == ["localhost"]
        assert isinstance(outcome.answer, HttpAnswer)
        assert outcome.answer.address == "127.0.0.1"
        failure(await sent(HttpTarget(server.url(host="127.0.0.1")), LAPTOP, trusting), "tls")
        assert len(server.requests) == 1


async def test_a_server_that_speaks_no_tls_is_a_tls_failure() -> None:
    async def plain(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.write(b"HTTP/1.1 400 Bad Request\r\n\r\n")
        await reader.read()
        writer.close()

    async with await asyncio.start_server(plain, "127.0.0.1", 0) as server:
        url = f"https://127.0.0.1:{server.sockets[0].getsockname()[1]}/"
        failure(await sent(HttpTarget(url), LAPTOP), "tls")


async def test_a_redirect_from_https_to_http_is_refused(
    server_tls: ssl.SSLContext, certificate: tuple[Path, Path]
) -> None:
    trusting = ssl.create_default_context(cafile=str(certificate[0]))
    async with (
        local_server(hello) as clear,
        local_server(redirect(clear.url(host="localhost")), server_tls) as server,
    ):
        target = HttpTarget(server.url(host="localhost"), follow_redirects=1)
        assert "in the clear" in failure(await sent(target, LAPTOP, trusting), "refused").message
        assert clear.requests == []
