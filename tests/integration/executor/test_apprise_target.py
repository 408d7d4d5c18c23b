"""Messages through a real Apprise, in a process of its own, to a real server."""

from __future__ import annotations

import asyncio
import os
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
from aiohttp import web

from duetime.executor.targets.apprise import sender
from duetime.executor.targets.apprise.runner import AppriseRunner
from duetime.model.outcome import Outcome
from duetime.model.states import JobState
from duetime.model.targets.apprise import AppriseAnswer, AppriseMessage, AppriseTarget, encode_message
from harness.waiting import eventually
from integration.executor.local_server import run_of

MESSAGE = encode_message(AppriseMessage("a subject", "line 1\nline 2")).decode()
SECRET = "s3cret-canary"


class Service:
    """A service that Apprise sends JSON to."""

    def __init__(self) -> None:
        self.bodies: list[dict[str, Any]] = []
        self.status = 200
        self.hangs = asyncio.Event()
        self.hangs.set()
        self.port = 0

    async def take(self, request: web.Request) -> web.Response:
        self.bodies.append(await request.json())
        await self.hangs.wait()
        return web.Response(status=self.status)


@pytest.fixture
async def service() -> AsyncIterator[Service]:
    found, app = Service(), web.Application()
    app.router.add_post("/{path:.*}", found.take)
    runner = web.AppRunner(app)
    await runner.setup()
    site = web.TCPSite(runner, "127.0.0.1", 0)
    await site.start()
    server: Any = site._server
    found.port = server.sockets[0].getsockname()[1]
    yield found
    found.hangs.set()
    await runner.cleanup()


async def send(url: str, *services: str, message: str = MESSAGE) -> Outcome:
    return await AppriseRunner(services or ("json",)).run(run_of(AppriseTarget(url), message=message))


def children() -> set[int]:
    """The processes of this one that send messages."""
    found = set[int]()
    for entry in Path("/proc").iterdir():
        try:
            if sender.__file__.encode() in (entry / "cmdline").read_bytes():
                found.add(int(entry.name))
        except (OSError, ValueError):
            continue
    return found - {os.getpid()}


async def test_a_message_is_sent_and_one_that_is_refused_is_tried_again(service: Service) -> None:
    url = f"json://user:{SECRET}@127.0.0.1:{service.port}/hook"
    assert await send(url) == Outcome(JobState.SUCCEEDED, None, AppriseAnswer("json"))
    (body,) = service.bodies
    assert body["title"] == "a subject"
    assert body["message"].split("\n")[:2] == ["line 1", "line 2"]
    service.status = 500
    refused = await send(url)
    assert refused.failure is not None
    assert (refused.failure.kind, refused.final) == ("apprise", False)
    assert SECRET not in str(refused)


async def test_what_is_not_allowed_or_not_readable_is_not_tried_again(service: Service) -> None:
    for url, allowed in ((f"xml://127.0.0.1:{service.port}/", "json"), (f"nosuch://{SECRET}", "nosuch")):
        outcome = await send(url, allowed)
        assert outcome.failure is not None
        assert (outcome.failure.kind, outcome.final) == ("refused", True)
        assert SECRET not in outcome.failure.message
    assert (await send("json://127.0.0.1/", message="no message")).final
    assert service.bodies == []


async def test_a_message_that_is_given_up_leaves_no_process_behind(service: Service) -> None:
    service.hangs.clear()
    task = asyncio.get_running_loop().create_task(send(f"json://127.0.0.1:{service.port}/"))
    await eventually(lambda: len(service.bodies) == 1, 30)
    assert children()
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    await eventually(lambda: not children())
