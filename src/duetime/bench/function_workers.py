"""Starts worker processes as users do, with `duetime work`."""

from __future__ import annotations

import asyncio
import os
import sys
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager

from duetime.bench.server import PASSWORD, Server


@asynccontextmanager
async def running_workers(server: Server, *options: str, **environ: str) -> AsyncGenerator[None]:
    """Runs `duetime work` for the functions of the benchmark, and stops it at the end."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith("DUETIME_")}
    own = {"DUETIME_URL": server.url, "DUETIME_USERNAME": "admin", "DUETIME_PASSWORD": PASSWORD}
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "duetime", "work", "duetime.bench.functions:app", "--log-level", "error", *options),
        stdout=asyncio.subprocess.PIPE,
        env=kept | own | environ,
    )
    try:
        assert process.stdout is not None
        if not await asyncio.wait_for(process.stdout.readline(), 60):
            raise RuntimeError("The worker did not start.")
        yield
    finally:
        if process.returncode is None:
            process.terminate()
        await process.wait()
