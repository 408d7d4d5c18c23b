"""JSON that is nested too deeply is the caller's mistake, wherever it is sent: a refusal, and the server goes on."""

from __future__ import annotations

import re
from base64 import urlsafe_b64encode

import pytest

from duetime.api.table import TABLE
from harness.calls import JOBS, Api

DEPTH = 50_000
LISTS = b"[" * DEPTH + b"]" * DEPTH
OBJECTS = b'{"a":' * DEPTH + b"1" + b"}" * DEPTH
WITH_BODY = [(route.method, route.path) for route in TABLE if route.body is not None]


@pytest.mark.parametrize(("method", "path"), WITH_BODY, ids=lambda part: str(part))
async def test_no_call_fails_on_it(admin: Api, method: str, path: str) -> None:
    path = re.sub(r"\{\w+\}", "1", path)
    for raw in (LISTS, OBJECTS, b'{"message":' + LISTS + b"}", b'{"target":' + OBJECTS + b"}", b"[{" + LISTS):
        reply = await admin.call(method, path, raw=raw, headers={"Content-Type": "application/json"})
        assert 400 <= reply.status < 500, (reply.status, reply.body[:200])
        assert reply.json["success"] is False


async def test_no_line_of_many_fails_on_it(ada: Api) -> None:
    lines = b'{"message": "m"}\n{"message": ' + LISTS + b"}\n"
    for broken in (lines, b"{\n" + lines, lines + b"{\n"):
        reply = await ada.call("POST", f"{JOBS}/bulk", raw=broken, headers={"Content-Type": "application/x-ndjson"})
        assert 400 <= reply.status < 500, (reply.status, reply.body[:200])
    assert (await ada.stats()).get("created", 0) == 0


@pytest.mark.parametrize("part", [0, 1])
async def test_no_token_fails_on_it(anyone: Api, part: int) -> None:
    parts = ["e30", "e30", "e30"]
    parts[part] = urlsafe_b64encode(b"[" * 3_000 + b"]" * 3_000).decode().rstrip("=")
    (await anyone.holding(".".join(parts)).get("/api/v1/me")).error(401, "unauthorized")
