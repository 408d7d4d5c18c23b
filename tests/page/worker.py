"""A worker of a user, made over the API: it takes runs and reports, as a process with the SDK does."""

from __future__ import annotations

from typing import Any

from msgspec import Struct

from page.conftest import Server


class PageWorker(Struct, frozen=True):
    """A registered worker."""

    server: Server
    name: str

    def call(self, what: str, body: object) -> Any:
        """The data of an answer to the worker."""
        return self.server.call("POST", f"workers/{self.name}/{what}", body)

    def take(self) -> Any:
        """Takes one run, which must be there within seconds."""
        (run,) = self.call("take", {"take_id": "1", "max": 1, "wait_ms": 20_000})["runs"]
        return run

    def report(self, run: str, progress: object) -> None:
        """Reports progress of a run."""
        self.call("beat", {"runs": [{"run": run, "progress": progress}]})

    def log(self, run: str, seq: int, *lines: str) -> None:
        """Adds lines to a run's log."""
        self.call("logs", {"run": run, "seq": seq, "lines": lines})


def registered(server: Server, name: str, queue: str) -> PageWorker:
    """A new worker of `ada`."""
    body = {
        "name": name,
        "queues": [queue],
        "tasks": ["send"],
        "slots": 4,
        "sdk": "duetime 0.1",
        "labels": {"zone": "a"},
    }
    return PageWorker(server, server.call("POST", "workers", body)["worker"])
