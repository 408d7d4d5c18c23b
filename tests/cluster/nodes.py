"""Several real nodes on one real database, with one signing key, as on several machines."""

from __future__ import annotations

import asyncio
from contextlib import AsyncExitStack
from pathlib import Path
from typing import Any

from harness.calls import Api, calling
from harness.process import DuetimeProcess, duetime_directory
from harness.waiting import eventually

CLUSTER = "/api/v1/cluster"


class Nodes:
    """Starts nodes; each has a data directory of its own and is ended after the test."""

    def __init__(self, dsn: str, stack: AsyncExitStack, *options: str) -> None:
        self._dsn, self._stack, self._options = dsn, stack, options

    def make(self, *options: str) -> DuetimeProcess:
        """A node that is not started yet."""
        directory: Path = self._stack.enter_context(duetime_directory()) / "data"
        directory.mkdir(mode=0o700)
        (directory / "signing.key").write_text("0123456789abcdef" * 4)
        own = ("--database", self._dsn, "--grace", "20s", "--set", "outgoing.allow_loopback=true")
        process = DuetimeProcess(directory, (*own, *self._options, *options))
        self._stack.push_async_callback(asyncio.to_thread, process.clean_up)
        return process

    async def start(self, *options: str) -> DuetimeProcess:
        """A node that serves."""
        process = self.make(*options)
        await asyncio.to_thread(process.start)
        return process

    async def admin(self, process: DuetimeProcess) -> Api:
        """The administrator, calling this node."""
        return await (await self._stack.enter_async_context(calling(process.url))).admin()


async def nodes_of(admin: Api) -> dict[str, dict[str, Any]]:
    """The living nodes as this one sees them, by the process id in their names."""
    return {node["name"].rsplit(":", 1)[1]: node for node in (await admin.get(CLUSTER)).data["nodes"]}


async def until_shards(admin: Api, wanted: dict[DuetimeProcess, int], seconds: float = 30.0) -> dict[str, Any]:
    """Wait until these nodes, and no others, hold so many shards (one more or less)."""

    async def so() -> dict[str, Any]:
        found = await nodes_of(admin)
        assert set(found) == {str(process.pid) for process in wanted}, found
        for process, shards in wanted.items():
            assert abs(found[str(process.pid)]["shards"] - shards) <= 1, found
        return found

    return await eventually(so, seconds, every=0.1)
