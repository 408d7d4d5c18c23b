"""The calls of the worker protocol, and the few others that tasks need."""

from __future__ import annotations

from typing import Any, TypeVar

import msgspec

from ...client.answers import Envelope, Job
from ...client.client import JOBS, Client
from .wire import (
    JobResult,
    LogLines,
    Outcome,
    Registered,
    Registration,
    Settled,
    Settlements,
    Taken,
    TakeRequest,
)

T = TypeVar("T")
WORKERS = "/api/v1/workers"
_encode = msgspec.json.Encoder().encode
_taken = msgspec.json.Decoder(Taken).decode
_settled = msgspec.json.Decoder(Settled).decode


class WorkClient(Client):
    """A client with the calls that workers and tasks need."""

    async def create_encoded(self, body: bytes, key: str) -> Job:
        """Creates a job from the body of a request."""
        headers = {"Idempotency-Key": key}
        return self._read(await self._session.call("POST", JOBS, body=body, headers=headers, safe=True), Job)

    async def job_result(self, job_id: int, wait_ms: int) -> JobResult:
        """Waits until a job has ended, but not longer than `wait_ms`. Returns its state, and its result if it has."""
        path, params = f"{JOBS}/{job_id}/result", {"wait_ms": str(wait_ms)}
        return self._read(await self._session.call("GET", path, params=params, safe=True), JobResult)

    async def register(self, registration: Registration) -> Registered:
        """Registers a worker. A repeat after a lost answer registers another one; the first one expires."""
        return self._read(await self._post("", registration), Registered)

    async def take(self, worker: str, request: TakeRequest) -> Taken:
        """Returns runs for a worker. Waits for the first one. The same `take_id` gives the same runs again."""
        return _taken((await self._post(f"/{worker}/take", request)).data)

    async def settle(self, worker: str, outcomes: list[Outcome]) -> Settled:
        """Records how runs ended. A repeat is harmless."""
        return _settled((await self._post(f"/{worker}/settle", Settlements(outcomes))).data)

    async def send_lines(self, worker: str, lines: LogLines) -> None:
        """Stores log lines of a run. A repeat is harmless."""
        await self._post(f"/{worker}/logs", lines)

    async def leave(self, worker: str) -> None:
        """Ends a worker: its runs go back at once."""
        await self._session.call("DELETE", f"{WORKERS}/{worker}", safe=True)

    async def _post(self, path: str, body: Any) -> Envelope:
        return await self._session.call("POST", f"{WORKERS}{path}", body=_encode(body), safe=True)

    @property
    def token(self) -> str | None:
        """The token that calls use now."""
        return self._session.token
