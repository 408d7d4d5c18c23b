"""Whatever a target sends ends its own run, at a bound, and closes its connection."""

import asyncio
import gzip
from collections.abc import AsyncIterator

import pytest
import uvloop

from duetime.clock.manual import ManualClock
from duetime.executor.targets.http.outgoing import OutgoingRules
from duetime.executor.targets.http.runner import HttpRunner as Sender
from duetime.model.states import JobState
from duetime.model.targets.http import HttpAnswer, HttpTarget
from harness.answers import body_of
from integration.executor.local_server import AT, Exchange, local_server, run_of

LIMIT = 64 * 1024
OK = b"HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok"
CHUNKED = b"HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n"
HINTS = b"HTTP/1.1 103 Early Hints\r\nlink: </a.css>\r\n\r\n"
PATIENCE = 30


@pytest.fixture(params=[asyncio.DefaultEventLoopPolicy, uvloop.EventLoopPolicy], ids=["asyncio", "uvloop"])
def event_loop_policy(request: pytest.FixtureRequest) -> asyncio.AbstractEventLoopPolicy:
    return request.param()


@pytest.fixture
async def sender() -> AsyncIterator[Sender]:
    sender = Sender(OutgoingRules(allow_loopback=True), clock=ManualClock(AT), response_limit=LIMIT)
    yield sender
    await sender.close()


class Flood:
    """Sends a beginning once and a block until the caller closes, and counts."""

    def __init__(self, first: bytes, repeated: bytes) -> None:
        self.first, self.block, self.sent = first, repeated * max(1, 16_384 // len(repeated)), 0
        self.ended = asyncio.Event()

    async def __call__(self, exchange: Exchange) -> None:
        try:
            await exchange.send(self.first)
            while True:
                await exchange.send(self.block)
                self.sent += len(self.block)
        finally:
            self.ended.set()


@pytest.mark.parametrize(
    ("first", "repeated", "words"),
    [
        (b"", b"HTTP/1.1 100 Continue\r\n\r\n", "headers that are larger than allowed"),
        (b"", HINTS, "headers that are larger than allowed"),
        (b"HTTP/1.1 200 OK\r\n", b"x-more: yes\r\n", "headers that are larger than allowed"),
        (b"HTTP/1.1 200 OK\r\nx-long: ", b"x", "headers that are larger than allowed"),
        (CHUNKED, b"1\r\nx\r\n", "larger than allowed"),
        (CHUNKED + b"1;", b"x", "larger than allowed"),
        (CHUNKED + b"0\r\n", b"x-more: yes\r\n", "sent"),
    ],
    ids=["100", "103", "headers", "header", "chunks", "extension", "trailers"],
)
async def test_what_never_ends_is_ended_at_a_bound(sender: Sender, first: bytes, repeated: bytes, words: str) -> None:
    flood = Flood(first, repeated)
    async with local_server(flood) as server, asyncio.timeout(PATIENCE):
        outcome = await sender.run(run_of(HttpTarget(server.url())))
        await flood.ended.wait()
    assert outcome.failure is not None
    assert outcome.failure.kind == "protocol"
    assert words in outcome.failure.message


@pytest.mark.parametrize("head", [b"content-length: 1000000000000", b"connection: close"])
async def test_a_body_without_an_end_is_cut(sender: Sender, head: bytes) -> None:
    flood = Flood(b"HTTP/1.1 200 OK\r\n" + head + b"\r\n\r\n", b"x" * 4096)
    async with local_server(flood) as server, asyncio.timeout(PATIENCE):
        outcome = await sender.run(run_of(HttpTarget(server.url())))
        await flood.ended.wait()
    assert isinstance(outcome.answer, HttpAnswer)
    assert (outcome.state, len(outcome.answer.body), outcome.answer.body_cut) == (JobState.SUCCEEDED, LIMIT, True)


async def test_a_packed_body_is_unpacked_up_to_the_limit(sender: Sender) -> None:
    packed = gzip.compress(b"0" * 50_000_000)
    async with local_server(lambda exchange: exchange.answer("200 OK", packed, "content-encoding: gzip")) as server:
        outcome = await sender.run(run_of(HttpTarget(server.url())))
    assert isinstance(outcome.answer, HttpAnswer)
    assert (outcome.answer.body, outcome.answer.body_cut) == ("0" * LIMIT, True)


@pytest.mark.parametrize("unasked", [b"\r\n", OK, OK * 20_000, HINTS])
@pytest.mark.parametrize("at_once", [True, False])
async def test_bytes_that_nobody_asked_for_close_a_kept_connection(
    sender: Sender, unasked: bytes, at_once: bool
) -> None:
    closed, answered = asyncio.Event(), asyncio.Event()

    async def script(exchange: Exchange) -> None:
        if exchange.request.connection > 1:
            await exchange.answer("200 OK", b"second")
            return
        if at_once:
            await exchange.send(OK + unasked)
        else:
            await exchange.send(OK)
            await answered.wait()
            await exchange.send(unasked)
        await exchange.until_client_closes()
        closed.set()

    async with local_server(script) as server, asyncio.timeout(PATIENCE):
        first = await sender.run(run_of(HttpTarget(server.url())))
        answered.set()
        await closed.wait()
        second = await sender.run(run_of(HttpTarget(server.url())))
    assert (first.state, body_of(first)) == (JobState.SUCCEEDED, "ok")
    assert (second.state, body_of(second)) == (JobState.SUCCEEDED, "second")


async def test_a_server_that_speaks_first_is_not_listened_to(sender: Sender) -> None:
    async def greet(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.write(OK)
        await reader.read()
        writer.close()

    server = await asyncio.start_server(greet, "127.0.0.1", 0)
    async with server, asyncio.timeout(PATIENCE):
        outcome = await sender.run(run_of(HttpTarget(f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}/")))
    # The greeting can come before the request or after it. Either way the run ends.
    assert outcome.state in {JobState.FAILED, JobState.SUCCEEDED}


async def test_a_few_interim_answers_are_read_over(sender: Sender) -> None:
    async with local_server(lambda exchange: exchange.send(HINTS * 5 + OK)) as server:
        outcomes = [await sender.run(run_of(HttpTarget(server.url()))) for _ in range(2)]
    assert [body_of(outcome) for outcome in outcomes] == ["ok", "ok"]
    assert server.connections == 1


@pytest.mark.parametrize("size", [1, 10, 4000, 5000, 200_000])
async def test_every_way_to_cut_an_answer_into_pieces_gives_the_same_body(sender: Sender, size: int) -> None:
    body = bytes(range(32, 127)) * 50
    chunks = b"".join(b"%x\r\n%s\r\n" % (len(body[at : at + 100]), body[at : at + 100]) for at in range(0, 4750, 100))
    answer = HINTS + CHUNKED + chunks + b"0\r\n\r\n"

    async def script(exchange: Exchange) -> None:
        for at in range(0, len(answer), size):
            await exchange.send(answer[at : at + size])

    async with local_server(script) as server, asyncio.timeout(PATIENCE):
        outcomes = [await sender.run(run_of(HttpTarget(server.url()))) for _ in range(2)]
    assert [body_of(outcome) for outcome in outcomes] == [body.decode()] * 2
    assert server.connections == 1
