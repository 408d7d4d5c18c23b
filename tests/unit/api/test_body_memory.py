"""The memory that large bodies share: a user may hold half, and what is over is refused with a time to wait."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from duetime.api.server.body import SMALL_BYTES, BodyMemory, HeldBody
from duetime.api.server.endpoint import Endpoint
from duetime.api.server.errors import Overloaded, reply_to
from duetime.api.server.parts import make_parts
from duetime.api.server.route import Call, Route
from duetime.api.server.services import Services
from duetime.model.errors import OverLimit

MIB = 1024 * 1024


def test_a_user_holds_at_most_half_and_all_together_no_more_than_there_is() -> None:
    memory = BodyMemory(8 * MIB)
    held = [HeldBody(memory, user_id) for user_id in (1, 1, 2, 3)]
    held[0].grow_to(3 * MIB)
    with pytest.raises(OverLimit):
        held[1].grow_to(2 * MIB)
    held[1].grow_to(MIB)
    held[2].grow_to(4 * MIB)
    with pytest.raises(Overloaded):
        held[3].grow_to(MIB)
    held[3].grow_to(SMALL_BYTES)
    held[2].release()
    held[3].grow_to(MIB)
    for one in held:
        one.release()
        one.release()
    assert len(memory) == 0
    assert not memory._by_user


def test_too_much_for_all_is_answered_503_with_a_time_to_wait() -> None:
    reply = reply_to(Overloaded(), {"type": "http", "method": "POST", "path": "/"})
    assert (reply.status, dict(reply.headers)[b"retry-after"]) == (503, b"1")


@pytest.mark.parametrize("fails", [False, True])
async def test_what_a_request_held_is_released_however_it_ends(
    make_services: Callable[..., Services], fails: bool
) -> None:
    parts = make_parts(make_services(body_memory=2 * MIB), None, openapi=b"", docs_page=b"")  # type: ignore[arg-type]
    seen: list[int] = []

    async def handle(call: Call[list[int], None]) -> int:
        seen.append(len(parts.body_memory))
        if fails:
            raise OverLimit(retry_after=1)
        return 1

    endpoint = Endpoint(Route("POST", "/x", handle, "Test", body=list[int], answer=int, auth="none", size="job"), parts)
    chunks = [b"[" + b" " * 500_000, b" " * 400_000 + b"]"]

    async def receive() -> Any:
        return {"type": "http.request", "body": chunks.pop(0), "more_body": bool(chunks)}

    sent: list[Any] = []

    async def send(message: Any) -> None:
        sent.append(message)

    scope = {"type": "http", "method": "POST", "path": "/x", "query_string": b"", "headers": []}
    await endpoint(scope, receive, send)
    assert seen == [900_002]
    assert len(parts.body_memory) == 0
    assert sent[0]["status"] == (429 if fails else 200)
