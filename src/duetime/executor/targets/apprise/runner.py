"""Carries out `apprise` targets: each run is one process that sends one message."""

from __future__ import annotations

import asyncio
import os
import signal
import sys
from asyncio.subprocess import DEVNULL, PIPE, Process
from contextlib import suppress
from typing import Any, ClassVar, Literal

import msgspec
from msgspec.structs import replace

from duetime.executor.targets.apprise import sender
from duetime.model.outcome import Outcome, failed
from duetime.model.run import LaunchedRun
from duetime.model.states import JobState
from duetime.model.targets.apprise import AppriseAnswer, AppriseTarget, decode_message, service_of

PROBLEMS = {
    "missing": "Apprise is not installed on this executor: install 'duetime[apprise]'.",
    "unreadable": "Apprise cannot read the channel's URL.",
    "refused": "The service did not accept the message.",
}
FINAL = frozenset({"unreadable"})
AT_ONCE = 4
"""How many processes there are at a time."""


class AppriseRunner:
    """Starts a process for each message. What it may reach is not checked, so the operator lists the services."""

    waits: ClassVar[Literal[True]] = True

    def __init__(self, services: tuple[str, ...]) -> None:
        """`services` are those that the operator allows, by the scheme of their URLs."""
        self._services, self._room = services, asyncio.Semaphore(AT_ONCE)

    async def run(self, run: LaunchedRun) -> Outcome:
        """Send the message. A cancellation ends the process."""
        target = run.definition.target
        if not isinstance(target, AppriseTarget):
            return failed("defect", f"A target of kind '{target.kind}' is no service of Apprise.")
        service = service_of(target.url)
        if service not in self._services:
            allowed = ", ".join(self._services) or "none"
            return _final(f"This executor allows no service '{service}'. Set in notifications.apprise: {allowed}.")
        try:
            message = decode_message(run.message)
        except msgspec.DecodeError:
            return _final("The message of this job is no notification.")
        given = {"url": target.url, "title": message.title, "body": message.body}
        async with self._room:
            answer = await self._ask(msgspec.json.encode(given))
        problem = answer.get("problem")
        if answer.get("sent") is True:
            return Outcome(JobState.SUCCEEDED, None, AppriseAnswer(service))
        text = PROBLEMS.get(str(problem), "The process that sends messages ended without an answer.")
        return _final(text) if problem in FINAL else failed("apprise", text)

    async def close(self) -> None:
        """Nothing is pooled."""

    async def _ask(self, given: bytes) -> dict[str, Any]:
        """Returns the last line that the process wrote, decoded; empty if there is none."""
        # Isolated, with an empty environment and a session of its own: it inherits nothing, and can be ended whole.
        process = await asyncio.create_subprocess_exec(
            sys.executable, "-I", sender.__file__,
            stdin=PIPE, stdout=PIPE, stderr=DEVNULL, start_new_session=True, env={}, cwd="/",
        )  # fmt: skip
        try:
            written, _ = await process.communicate(given)
        except asyncio.CancelledError:
            await asyncio.shield(_end(process))
            raise
        try:
            return msgspec.json.decode(written.strip().rpartition(b"\n")[2], type=dict[str, Any])
        except msgspec.MsgspecError:
            return {}


async def _end(process: Process) -> None:
    with suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)
    await process.wait()


def _final(text: str) -> Outcome:
    return replace(failed("refused", text), final=True)
