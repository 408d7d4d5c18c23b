"""A target that sends its request back: no secret of the request is stored or shown."""

from __future__ import annotations

import asyncio
import json
from base64 import b64encode
from collections.abc import AsyncIterator
from urllib.parse import quote

import pytest

from harness.calls import Api

JOBS = "/api/v1/me/jobs"
SECRET = 's3cr3t/"canary" ü'
IN_HEADER = "0123456789-header-canary"


def spelled(secret: str) -> set[str]:
    return {secret, quote(secret, safe=""), json.dumps(secret)[1:-1], b64encode(secret.encode()).decode().rstrip("=")}


@pytest.fixture
async def echo() -> AsyncIterator[str]:
    """The URL of a server that answers 500 with its request in the body and in headers."""

    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        head = await reader.readuntil(b"\r\n\r\n")
        lines = head.decode("latin-1").split("\r\n")
        secrets = "\n".join(sorted(spelled(SECRET) | spelled(IN_HEADER)))
        body = f"{head.decode('latin-1')}\n{secrets}".encode()
        own = [line for line in lines if line.lower().startswith(("authorization", "x-anything"))]
        shown = [f"Server: {line}" for line in own]
        fields = [f"Content-Length: {len(body)}", "Connection: close", f"Set-Cookie: {IN_HEADER}", *shown, *own]
        writer.write(("\r\n".join(["HTTP/1.1 500 No", *fields, "", ""])).encode("latin-1") + body)
        await writer.drain()
        writer.close()

    async with await asyncio.start_server(answer, "127.0.0.1", 0) as server:
        yield f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}/"


@pytest.mark.parametrize("kind", ["basic", "bearer"])
async def test_nothing_that_is_stored_or_shown_has_a_secret(ada: Api, echo: str, kind: str) -> None:
    secret = SECRET if kind == "basic" else "bearer-s3cr3t-canary"
    auth = (
        {"kind": "basic", "username": "u", "password": secret} if kind == "basic" else {"kind": kind, "token": secret}
    )
    target = {"kind": "http", "url": echo, "auth": auth, "headers": {"X-Anything": IN_HEADER, "Accept": "text/plain"}}
    job = await ada.create(target=target, retry=False)
    dead = await ada.until(job["id"], "dead")
    assert dead["target"]["headers"] == {"X-Anything": "(hidden)", "Accept": "text/plain"}
    [run] = await ada.runs(job["id"])
    assert "(hidden)" in run["response"]["body"]
    assert run["response"]["headers"]["set-cookie"] == "(hidden)"
    assert "accept: text/plain" in run["response"]["body"].lower()
    paths = (JOBS, f"{JOBS}/{job['id']}", f"{JOBS}/{job['id']}/runs", f"/api/v1/me/dead-letters/{job['id']}")
    for reply in [await ada.get(path) for path in paths]:
        shown = json.dumps(reply.data, ensure_ascii=False)
        for one in spelled(secret) | spelled(IN_HEADER):
            assert one not in shown
            assert json.dumps(one, ensure_ascii=False)[1:-1] not in shown
        assert b64encode(f"u:{secret}".encode()).decode()[4:-4] not in shown
