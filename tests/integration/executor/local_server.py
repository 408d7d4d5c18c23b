"""A server on loopback that a test scripts byte by byte, and runs of HTTP targets to send to it."""

import asyncio
import contextlib
import ssl
from collections.abc import AsyncIterator, Awaitable, Callable
from dataclasses import dataclass, field
from datetime import UTC, datetime

from duetime.model.definition import Definition
from duetime.model.ids import DefinitionId, JobId, NodeId, UserId
from duetime.model.policy import Policy
from duetime.model.run import LaunchedRun
from duetime.model.targets.port import TargetKind

AT = datetime(2026, 3, 1, 9, 30, tzinfo=UTC)


@dataclass
class Request:
    """A request as the server got it."""

    line: str
    headers: dict[str, str]
    body: bytes
    connection: int


@dataclass
class Exchange:
    """One request, and the means to answer it."""

    request: Request
    reader: asyncio.StreamReader
    writer: asyncio.StreamWriter

    async def send(self, data: bytes) -> None:
        self.writer.write(data)
        await self.writer.drain()

    async def answer(self, status: str, body: bytes = b"", *headers: str) -> None:
        lines = [f"HTTP/1.1 {status}", f"content-length: {len(body)}", *headers, "", ""]
        await self.send("\r\n".join(lines).encode() + body)

    def close(self) -> None:
        self.writer.close()

    def reset(self) -> None:
        self.writer.transport.abort()

    async def until_client_closes(self) -> None:
        with contextlib.suppress(ConnectionError):
            while await self.reader.read(65536):
                pass


Script = Callable[[Exchange], Awaitable[None]]


@dataclass
class LocalServer:
    """Keeps what it was asked; answers as the script says."""

    script: Script
    port: int = 0
    scheme: str = "http"
    requests: list[Request] = field(default_factory=list[Request])
    connections: int = 0
    faults: list[Exception] = field(default_factory=list[Exception])
    handlers: set[asyncio.Task[None]] = field(default_factory=set[asyncio.Task[None]])
    writers: list[asyncio.StreamWriter] = field(default_factory=list[asyncio.StreamWriter])

    def url(self, path: str = "/", host: str = "127.0.0.1") -> str:
        return f"{self.scheme}://{host}:{self.port}{path}"

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        self.handlers.add(task)
        self.writers.append(writer)
        self.connections += 1
        connection = self.connections
        try:
            while not writer.is_closing() and (request := await _read(reader, connection)):
                self.requests.append(request)
                await self.script(Exchange(request, reader, writer))
        except (ConnectionError, asyncio.CancelledError):
            pass
        except Exception as error:
            self.faults.append(error)
        finally:
            self.handlers.discard(task)
            writer.close()


@contextlib.asynccontextmanager
async def local_server(script: Script, tls: ssl.SSLContext | None = None) -> AsyncIterator[LocalServer]:
    """A server for one test."""
    server = LocalServer(script, scheme="https" if tls else "http")
    listening = await asyncio.start_server(server.serve, "127.0.0.1", 0, ssl=tls)
    server.port = listening.sockets[0].getsockname()[1]
    try:
        yield server
    finally:
        listening.close()
        for task in list(server.handlers):
            task.cancel()
        await asyncio.gather(*server.handlers, return_exceptions=True)
        for writer in server.writers:
            # One with unread bytes would stay open after it was closed.
            writer.transport.abort()
        await asyncio.sleep(0)
    assert server.faults == []


async def _read(reader: asyncio.StreamReader, connection: int) -> Request | None:
    try:
        head = (await reader.readuntil(b"\r\n\r\n")).decode()
    except asyncio.IncompleteReadError:
        return None
    line, *lines = head.rstrip().split("\r\n")
    headers = {name.lower(): value for name, _, value in (each.partition(": ") for each in lines)}
    body = await reader.readexactly(int(headers.get("content-length", 0)))
    return Request(line, headers, body, connection)


def run_of(
    target: TargetKind, message: str = "{}", policy: Policy | None = None, *, job: int = 1024, attempt: int = 1
) -> LaunchedRun:
    """A run of a target."""
    return LaunchedRun(
        job_id=JobId(job),
        user_id=UserId(3),
        attempt=attempt,
        definition_id=DefinitionId(1),
        definition=Definition(target, policy or Policy()),
        message=message,
        execute_at=AT,
        due_at=AT,
        executor=NodeId(1),
    )
