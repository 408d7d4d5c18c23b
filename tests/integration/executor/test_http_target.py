"""An HTTP target against a real server: requests, answers, failures, limits."""

import asyncio
import gzip
import hashlib
import hmac
from base64 import b64decode
from collections.abc import AsyncIterator, Callable
from typing import Any

import msgspec
import pytest
import uvloop
from aiohttp import ClientResponse

from duetime.clock.manual import ManualClock
from duetime.executor.targets.http.outgoing import OutgoingRules
from duetime.executor.targets.http.runner import HttpRunner as Sender
from duetime.model.policy import Policy
from duetime.model.states import JobState
from duetime.model.targets.http import BasicAuth, HttpAnswer, HttpTarget
from harness.answers import body_of
from integration.executor.local_server import AT, Exchange, local_server, run_of

LAPTOP = OutgoingRules(allow_loopback=True)
AT_MOST_ONCE = Policy(delivery="at_most_once")


@pytest.fixture(params=[asyncio.DefaultEventLoopPolicy, uvloop.EventLoopPolicy], ids=["asyncio", "uvloop"])
def event_loop_policy(request: pytest.FixtureRequest) -> asyncio.AbstractEventLoopPolicy:
    return request.param()


@pytest.fixture
async def sender() -> AsyncIterator[Sender]:
    sender = Sender(LAPTOP, clock=ManualClock(AT), response_limit=1000)
    yield sender
    await sender.close()


async def hello(exchange: Exchange) -> None:
    await exchange.answer("200 OK", b"hello")


async def test_a_2xx_answer_is_success(sender: Sender) -> None:
    async def created(exchange: Exchange) -> None:
        await exchange.answer("201 Created", b'{"id": 7}', "Content-Type: application/json", "Set-Cookie: s3cret")

    async with local_server(created) as server:
        outcome = await sender.run(run_of(HttpTarget(server.url("/hook?x=1")), '{"a": 1}'))
    assert outcome.state is JobState.SUCCEEDED
    assert outcome.failure is None
    assert isinstance(outcome.answer, HttpAnswer)
    assert outcome.answer.status == 201
    assert outcome.answer.body == '{"id": 7}'
    assert not outcome.answer.body_cut
    assert outcome.answer.address == "127.0.0.1"
    assert outcome.answer.headers == {
        "content-length": "9",
        "content-type": "application/json",
        "set-cookie": "(hidden)",
    }
    (request,) = server.requests
    assert request.line == "POST /hook?x=1 HTTP/1.1"
    assert request.body == b'{"a": 1}'
    assert request.headers["host"] == f"127.0.0.1:{server.port}"
    assert request.headers["content-type"] == "application/json"
    assert request.headers["webhook-id"] == "1024-1"
    assert request.headers["idempotency-key"] == "1024/2026-03-01T09:30:00Z"


@pytest.mark.parametrize("method", ["GET", "POST", "PUT", "PATCH", "DELETE", "HEAD"])
async def test_every_method_is_sent_as_such(sender: Sender, method: Any) -> None:
    async def answer(exchange: Exchange) -> None:
        body = b"" if method == "HEAD" else b"hello"
        await exchange.send(b"HTTP/1.1 200 OK\r\ncontent-length: 5\r\n\r\n" + body)

    async with local_server(answer) as server:
        for message in ("", "text"):
            outcome = await sender.run(run_of(HttpTarget(server.url(), method=method), message))
            assert outcome.state is JobState.SUCCEEDED
            assert isinstance(outcome.answer, HttpAnswer)
            assert outcome.answer.body == ("" if method == "HEAD" else "hello")
    assert [request.line for request in server.requests] == [f"{method} / HTTP/1.1"] * 2
    assert [request.body for request in server.requests] == [b"", b"text"]
    assert "transfer-encoding" not in server.requests[1].headers


async def test_the_users_headers_and_credentials_arrive(sender: Sender) -> None:
    target = {"headers": {"SOAPAction": "urn:x", "X-U": "grün"}, "auth": BasicAuth("me", "pw")}
    async with local_server(hello) as server:
        await sender.run(run_of(HttpTarget(server.url(), **target)))
    headers = server.requests[0].headers
    assert headers["soapaction"] == "urn:x"
    assert headers["x-u"] == "grün"
    assert b64decode(headers["authorization"].removeprefix("Basic ")) == b"me:pw"
    assert headers["accept-encoding"] == "identity"


async def test_a_target_that_changed_under_the_same_id_is_sent_as_it_is_now(sender: Sender) -> None:
    async with local_server(hello) as server:
        for headers in ({"x-a": "1"}, {"x-a": "2"}):
            await sender.run(run_of(HttpTarget(server.url(), headers=headers)))
    assert [request.headers["x-a"] for request in server.requests] == ["1", "2"]


async def test_the_signature_verifies() -> None:
    secrets = {3: b"of user three"}
    sender = Sender(LAPTOP, clock=ManualClock(AT), signing=secrets.get)
    async with local_server(hello) as server:
        await sender.run(run_of(HttpTarget(server.url()), '{"grün": 1}'))
        await sender.run(msgspec.structs.replace(run_of(HttpTarget(server.url())), user_id=4))
    await sender.close()
    first, second = server.requests
    signed = f"{first.headers['webhook-id']}.{first.headers['webhook-timestamp']}.".encode() + first.body
    version, made = first.headers["webhook-signature"].split(",")
    assert version == "v1"
    assert b64decode(made) == hmac.new(secrets[3], signed, hashlib.sha256).digest()
    assert int(first.headers["webhook-timestamp"]) == AT.timestamp()
    assert "webhook-signature" not in second.headers


@pytest.mark.parametrize("status", ["300 X", "304 X", "400 X", "404 X", "429 X", "500 X", "503 X", "599 X", "999 X"])
async def test_any_other_status_is_a_failure_of_its_kind(sender: Sender, status: str) -> None:
    async def answer(exchange: Exchange) -> None:
        await exchange.answer(status, b"" if status.startswith("304") else b"because", "Retry-After: 17")

    async with local_server(answer) as server:
        outcome = await sender.run(run_of(HttpTarget(server.url("/?token=s3cret"))))
    number = int(status[:3])
    assert outcome.state is JobState.FAILED
    assert outcome.failure is not None
    assert outcome.failure.kind == f"http_{number}"
    assert outcome.failure.retry_after == 17.0
    assert f"127.0.0.1:{server.port} answered {number}" in outcome.failure.message
    assert "s3cret" not in outcome.failure.message
    assert isinstance(outcome.answer, HttpAnswer)
    assert outcome.answer.status == number
    assert outcome.answer.body == ("" if number == 304 else "because")


async def test_interim_answers_are_passed_over(sender: Sender) -> None:
    async def answer(exchange: Exchange) -> None:
        await exchange.send(b"HTTP/1.1 103 Early Hints\r\nlink: x\r\n\r\n" * 3)
        await exchange.answer("204 No Content")

    async with local_server(answer) as server:
        outcome = await sender.run(run_of(HttpTarget(server.url())))
    assert isinstance(outcome.answer, HttpAnswer)
    assert outcome.answer.status == 204


@pytest.mark.parametrize("headers", [b"upgrade: x\r\nconnection: upgrade\r\n", b"", b"content-length: 9\r\n"])
async def test_a_switch_of_protocols_is_not_waited_on(sender: Sender, headers: bytes) -> None:
    async def answer(exchange: Exchange) -> None:
        await exchange.send(b"HTTP/1.1 101 Switching Protocols\r\n" + headers + b"\r\n")
        await exchange.until_client_closes()

    async with asyncio.timeout(10), local_server(answer) as server:
        outcome = await sender.run(run_of(HttpTarget(server.url())))
        assert outcome.failure is not None
        assert outcome.failure.kind == "http_101"
        await sender.close()


@pytest.mark.parametrize("size", [0, 999, 1000, 1001, 5_000_000])
async def test_a_big_body_is_cut(sender: Sender, size: int) -> None:
    async with local_server(lambda exchange: exchange.answer("200 OK", b"a" * size)) as server:
        outcome = await sender.run(run_of(HttpTarget(server.url())))
    assert outcome.state is JobState.SUCCEEDED
    assert isinstance(outcome.answer, HttpAnswer)
    assert outcome.answer.body == "a" * min(size, 1000)
    assert outcome.answer.body_cut == (size > 1000)


async def test_a_body_without_end_is_not_read_to_its_end(sender: Sender) -> None:
    given_up = asyncio.Event()

    async def answer(exchange: Exchange) -> None:
        await exchange.send(b"HTTP/1.1 200 OK\r\n\r\n")
        try:
            while True:
                await exchange.send(b"a" * 10_000)
        except ConnectionError:
            given_up.set()

    async with local_server(answer) as server:
        outcome = await sender.run(run_of(HttpTarget(server.url())))
        await given_up.wait()
    assert isinstance(outcome.answer, HttpAnswer)
    assert outcome.answer.body_cut


async def test_a_gzip_bomb_is_cut(sender: Sender) -> None:
    bomb = gzip.compress(b"\0a" * 300_000)
    assert len(bomb) < 1000
    async with local_server(lambda exchange: exchange.answer("200 OK", bomb, "Content-Encoding: gzip")) as server:
        outcome = await sender.run(run_of(HttpTarget(server.url())))
    assert isinstance(outcome.answer, HttpAnswer)
    assert outcome.answer.body == "a" * 500
    assert outcome.answer.body_cut


@pytest.mark.parametrize(
    "headers",
    [
        b"x-long: " + b"a" * 9000 + b"\r\n",
        b"".join(b"x-%d: a\r\n" % n for n in range(1000)),
        b"".join(b"x-%d: %s\r\n" % (n, b"a" * 8000) for n in range(20)),
    ],
    ids=["one long", "many", "large together"],
)
async def test_headers_larger_than_allowed_are_refused(sender: Sender, headers: bytes) -> None:
    async def answer(exchange: Exchange) -> None:
        await exchange.send(b"HTTP/1.1 200 OK\r\n" + headers + b"content-length: 0\r\n\r\n")

    async with local_server(answer) as server:
        outcome = await sender.run(run_of(HttpTarget(server.url())))
    assert outcome.failure is not None
    assert outcome.failure.kind == "protocol"
    assert "headers that are larger than allowed" in outcome.failure.message


async def test_headers_that_never_end_are_refused(sender: Sender) -> None:
    given_up = asyncio.Event()

    async def drip(exchange: Exchange) -> None:
        await exchange.send(b"HTTP/1.1 200 OK\r\n")
        try:
            while True:
                await exchange.send(b"x: y\r\n")
        except ConnectionError:
            given_up.set()

    async with local_server(drip) as server:
        outcome = await sender.run(run_of(HttpTarget(server.url())))
        await given_up.wait()
    assert outcome.failure is not None
    assert outcome.failure.kind == "protocol"


async def test_silence_is_a_time_out(sender: Sender) -> None:
    async def silence(exchange: Exchange) -> None:
        await exchange.until_client_closes()

    async with local_server(silence) as server:
        outcome = await sender.run(run_of(HttpTarget(server.url()), policy=Policy(timeout=0.05)))
    assert outcome.failure is not None
    assert outcome.failure.kind == "timeout"
    assert "sent nothing" in outcome.failure.message


async def test_a_connection_that_is_not_made_is_a_time_out(sender: Sender) -> None:
    """The handshake of TLS belongs to making the connection, and this server never says a word."""
    heard = asyncio.Event()

    async def mute(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.read(1)
        heard.set()
        await reader.read()
        writer.close()

    async with await asyncio.start_server(mute, "127.0.0.1", 0) as server:
        url = f"https://127.0.0.1:{server.sockets[0].getsockname()[1]}/?token=s3cret"
        outcome = await sender.run(run_of(HttpTarget(url), policy=Policy(timeout=0.1)))
        assert heard.is_set()
    assert outcome.failure is not None
    assert outcome.failure.kind == "timeout"
    assert "No connection" in outcome.failure.message
    assert "s3cret" not in outcome.failure.message


class WatchedSender(Sender):
    """Tells when the head of an answer was read, and its body is being read."""

    def __init__(self) -> None:
        super().__init__(LAPTOP, clock=ManualClock(AT))
        self.reading = asyncio.Event()

    async def _read(self, response: ClientResponse) -> Any:
        self.reading.set()
        return await super()._read(response)


@pytest.mark.parametrize("end", [Exchange.reset, Exchange.close])
async def test_an_answer_that_breaks_off_is_a_failure_with_what_came(end: Callable[[Exchange], None]) -> None:
    sender = WatchedSender()

    async def answer(exchange: Exchange) -> None:
        await exchange.send(b"HTTP/1.1 200 OK\r\ncontent-length: 10\r\n\r\nhello")
        await sender.reading.wait()
        end(exchange)

    async with local_server(answer) as server:
        outcome = await sender.run(run_of(HttpTarget(server.url())))
    await sender.close()
    assert outcome.failure is not None
    assert outcome.failure.kind == "connection"
    assert isinstance(outcome.answer, HttpAnswer)
    assert outcome.answer.status == 200
    assert outcome.answer.body == "hello"
    assert outcome.answer.body_cut


async def test_a_body_that_turns_to_garbage_ends_the_run() -> None:
    """The library would leave the reader waiting for ever."""
    sender = WatchedSender()

    async def answer(exchange: Exchange) -> None:
        await exchange.send(b"HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n5\r\nhello\r\n")
        await sender.reading.wait()
        await exchange.send(b"not a size\r\n")
        await exchange.until_client_closes()

    async with asyncio.timeout(10), local_server(answer) as server:
        outcome = await sender.run(run_of(HttpTarget(server.url())))
    await sender.close()
    assert outcome.failure is not None
    assert outcome.failure.kind == "protocol"
    assert isinstance(outcome.answer, HttpAnswer)
    assert outcome.answer.body == "hello"


@pytest.mark.parametrize(
    "data",
    [b"s3cret is not HTTP\r\n\r\n", b"HTTP/1.1 2x0 s3cret\r\n\r\n", b"HTTP/1.1 200 OK\r\ns3cret\r\n\r\n", b"\0" * 99],
)
async def test_what_is_not_http_is_a_protocol_failure(sender: Sender, data: bytes) -> None:
    async def answer(exchange: Exchange) -> None:
        await exchange.send(data)
        await exchange.until_client_closes()

    async with local_server(answer) as server:
        outcome = await sender.run(run_of(HttpTarget(server.url())))
    assert outcome.failure is not None
    assert outcome.failure.kind == "protocol"
    assert "s3cret" not in outcome.failure.message


async def test_nobody_listening_is_a_connection_failure(sender: Sender) -> None:
    async with local_server(hello) as server:
        url = server.url("/?token=s3cret")
    outcome = await sender.run(run_of(HttpTarget(url)))
    assert outcome.failure is not None
    assert outcome.failure.kind == "connection"
    assert outcome.failure.message == f"No connection to 127.0.0.1:{server.port}: Connection refused."


async def test_a_name_that_does_not_exist_is_said_to_be_so(sender: Sender) -> None:
    outcome = await sender.run(run_of(HttpTarget("http://nothing-here.invalid/?token=s3cret")))
    assert outcome.failure is not None
    assert outcome.failure.kind == "connection"
    assert "nothing-here.invalid could not be resolved (DNS)" in outcome.failure.message


async def test_cancelling_closes_the_connection(sender: Sender) -> None:
    for beginning in (b"", b"HTTP/1.1 200 OK\r\nx: ", b"HTTP/1.1 200 OK\r\ncontent-length: 10\r\n\r\nhello"):
        asked, closed = asyncio.Event(), asyncio.Event()

        async def answer(
            exchange: Exchange,
            beginning: bytes = beginning,
            asked: asyncio.Event = asked,
            closed: asyncio.Event = closed,
        ) -> None:
            await exchange.send(beginning)
            asked.set()
            await exchange.until_client_closes()
            closed.set()

        async with local_server(answer) as server:
            task = asyncio.create_task(sender.run(run_of(HttpTarget(server.url()))))
            await asked.wait()
            task.cancel()
            with pytest.raises(asyncio.CancelledError):
                await task
            await closed.wait()


@pytest.mark.parametrize("method", ["GET", "PUT", "DELETE", "HEAD", "POST"])
async def test_an_unanswered_request_is_not_sent_twice(sender: Sender, method: Any) -> None:
    """The library sends those that are idempotent again by itself."""
    for end in (Exchange.close, Exchange.reset):

        async def answer(exchange: Exchange, end: Callable[[Exchange], None] = end) -> None:
            end(exchange)

        for policy in (Policy(), AT_MOST_ONCE):
            async with local_server(answer) as server:
                target = HttpTarget(server.url("/?token=s3cret"), method=method)
                outcome = await sender.run(run_of(target, policy=policy))
            assert outcome.failure is not None
            assert outcome.failure.kind == "connection"
            assert "s3cret" not in outcome.failure.message
            assert len(server.requests) == 1


async def test_connections_are_kept_and_used_again(sender: Sender) -> None:
    async with local_server(hello) as server:
        for n in range(5):
            outcome = await sender.run(run_of(HttpTarget(server.url()), job=1024 * n))
            assert isinstance(outcome.answer, HttpAnswer)
            assert outcome.answer.address == "127.0.0.1"
    assert [request.connection for request in server.requests] == [1] * 5


async def test_a_kept_connection_that_was_closed_costs_no_attempt(sender: Sender) -> None:
    async def only_one(exchange: Exchange) -> None:
        if [request.connection for request in server.requests].count(exchange.request.connection) == 1:
            await hello(exchange)
        else:
            exchange.close()

    async with local_server(only_one) as server:
        for method in ("GET", "POST"):
            for _ in range(2):
                outcome = await sender.run(run_of(HttpTarget(server.url(), method=method)))
                assert outcome.state is JobState.SUCCEEDED, outcome
    ids = {request.headers["webhook-id"] for request in server.requests}
    assert ids == {"1024-1"}


async def test_an_at_most_once_run_never_uses_a_kept_connection(sender: Sender) -> None:
    async with local_server(hello) as server:
        await sender.run(run_of(HttpTarget(server.url())))
        for _ in range(2):
            outcome = await sender.run(run_of(HttpTarget(server.url()), policy=AT_MOST_ONCE))
            assert outcome.state is JobState.SUCCEEDED
    assert [request.connection for request in server.requests] == [1, 2, 3]


async def test_many_runs_at_once(sender: Sender) -> None:
    async def echo(exchange: Exchange) -> None:
        await exchange.answer("200 OK", exchange.request.body)

    async with local_server(echo) as server:
        target = HttpTarget(server.url())
        outcomes = await asyncio.gather(*(sender.run(run_of(target, f"message {n}", job=1024 * n)) for n in range(300)))
    assert [body_of(outcome) for outcome in outcomes] == [f"message {n}" for n in range(300)]
    assert server.connections <= 256


async def test_nothing_is_taken_from_the_environment_or_kept(sender: Sender, monkeypatch: pytest.MonkeyPatch) -> None:
    async def cookie(exchange: Exchange) -> None:
        await exchange.answer("200 OK", b"", "Set-Cookie: a=b; Path=/")

    async with local_server(hello) as proxy, local_server(cookie) as server:
        for name in ("HTTP_PROXY", "http_proxy", "ALL_PROXY", "all_proxy"):
            monkeypatch.setenv(name, proxy.url())
        for _ in range(2):
            await sender.run(run_of(HttpTarget(server.url(host="localhost"))))
    assert proxy.requests == []
    assert ["cookie" in request.headers for request in server.requests] == [False, False]


async def test_a_closed_target_has_no_connections_left(sender: Sender) -> None:
    closed = asyncio.Event()

    async def answer(exchange: Exchange) -> None:
        await hello(exchange)
        await exchange.until_client_closes()
        closed.set()

    async with local_server(answer) as server:
        await sender.run(run_of(HttpTarget(server.url())))
        await sender.close()
        await closed.wait()
    await sender.close()


async def test_a_target_that_is_not_valid_is_refused_unsent(sender: Sender) -> None:
    async with local_server(hello) as server:
        outcome = await sender.run(run_of(HttpTarget(server.url(), headers={"Host": "evil.example"})))
    assert outcome.failure is not None
    assert outcome.failure.kind == "refused"
    assert server.requests == []
