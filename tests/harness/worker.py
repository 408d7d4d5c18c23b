"""A worker in plain HTTP, step by step: each call is a method, so that a test decides what happens between them."""

from __future__ import annotations

from itertools import count
from typing import Any

from harness.calls import Api, Reply

WORKERS = "/api/v1/workers"
_takes = count(1)


def queue_job(queue: str, task: str = "send", **more: Any) -> dict[str, Any]:
    """The target of a job that workers pull."""
    return {"kind": "queue", "queue": queue, "task": task, **more}


class HttpWorker:
    """A registered worker of a user."""

    def __init__(self, api: Api, registered: dict[str, Any]) -> None:
        self.api, self.name = api, registered["worker"]
        self.lease_ms, self.beat_ms = registered["lease_ms"], registered["beat_ms"]
        self.path = f"{WORKERS}/{self.name}"

    async def call(self, verb: str, body: object, **more: Any) -> Reply:
        """One call of the protocol."""
        return await self.api.post(f"{self.path}/{verb}", body, **more)

    async def take(self, most: int = 16, wait_ms: int = 10_000, take_id: str | None = None) -> list[dict[str, Any]]:
        """Take runs."""
        body = {"take_id": take_id or f"take-{next(_takes)}", "max": most, "wait_ms": wait_ms}
        return (await self.call("take", body)).data["runs"]

    async def beat(self, *runs: dict[str, Any]) -> dict[str, Any]:
        """Renew the lease. Each run is a token with what it reports."""
        return (await self.call("beat", {"runs": list(runs)})).data

    async def settle(self, *outcomes: dict[str, Any]) -> list[dict[str, Any]]:
        """Settle runs."""
        return (await self.call("settle", {"outcomes": list(outcomes)})).data["results"]

    async def succeed(self, run: dict[str, Any], result: object = None) -> str:
        """Settle one run as succeeded. Returns `recorded` or `stale`."""
        (answer,) = await self.settle({"run": run["run"], "status": "succeeded", "result": result})
        return answer["status"]

    async def leave(self) -> int:
        """Leave. Returns how many runs were handed back."""
        return (await self.api.call("DELETE", self.path)).data["released"]


async def register(api: Api, *queues: str, slots: int = 16, **more: Any) -> HttpWorker:
    """Register a worker of the caller."""
    body = {"name": "test", "queues": list(queues), "slots": slots, **more}
    reply = await api.post(WORKERS, body)
    assert reply.status == 201, reply.body
    return HttpWorker(api, reply.data)
