"""Starts Duetime as users do, with `duetime up`, in its own process."""

from __future__ import annotations

import asyncio
import os
import shutil
import sys
import tempfile
from collections.abc import AsyncGenerator, Generator
from contextlib import asynccontextmanager, contextmanager
from pathlib import Path

import asyncpg

from duetime.bench.usage import ProcessUsage, usage_below
from duetime.postgres.pool import Connection
from duetime.store.postgres.embedded import EmbeddedServer

PASSWORD = "a password for the bench"
START_SECONDS = 60.0
STOP_SECONDS = 120.0
REPORTED_SETTINGS = (
    "server_version",
    "shared_buffers",
    "fsync",
    "synchronous_commit",
    "full_page_writes",
    "wal_level",
    "wal_compression",
    "max_wal_size",
    "checkpoint_timeout",
    "autovacuum_naptime",
    "effective_cache_size",
)


@contextmanager
def temporary_directory() -> Generator[Path]:
    """Creates a directory for data in TMPDIR. Removes it at the end."""
    directory = Path(tempfile.mkdtemp(prefix="duetime-bench-"))
    try:
        yield directory
    finally:
        shutil.rmtree(directory, ignore_errors=True)


class Server:
    """One `duetime up` on a data directory."""

    def __init__(
        self, data: Path, options: tuple[str, ...] = (), python: str = sys.executable, module: str = "duetime"
    ) -> None:
        """`python`: the interpreter of the environment that has Duetime, if it is another one. `module` is run."""
        self._data, self._options, self._python, self._module = data, options, python, module
        self._process: asyncio.subprocess.Process | None = None
        self._lines: list[str] = []
        self._reader: asyncio.Task[None] | None = None
        self.url = ""

    @property
    def dsn(self) -> str:
        """The DSN of the embedded database."""
        return EmbeddedServer(self._data / "postgres").dsn

    @property
    def pid(self) -> int:
        """The id of the process."""
        if self._process is None:
            raise RuntimeError("Duetime is not running.")
        return self._process.pid

    def signal(self, number: int) -> None:
        """Sends a signal to this process only."""
        if self._process is not None and self._process.returncode is None:
            self._process.send_signal(number)

    async def start(self) -> Server:
        """Starts Duetime and waits for the line `ready http://…`."""
        command = [self._python, "-m", self._module, "up", "--port", "0", "--data", str(self._data)]
        kept = {name: value for name, value in os.environ.items() if not name.startswith("DUETIME_")}
        self._data.parent.mkdir(parents=True, exist_ok=True)
        self._process = await asyncio.create_subprocess_exec(
            *command,
            *("--log-level", "warning", *self._options),
            stdin=asyncio.subprocess.DEVNULL,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.STDOUT,
            env=kept | {"PYTHONUNBUFFERED": "1", "DUETIME_ADMIN_PASSWORD": PASSWORD},
            cwd=self._data.parent,
            start_new_session=True,
        )
        ready: asyncio.Future[str] = asyncio.get_running_loop().create_future()
        self._reader = asyncio.create_task(self._read(self._process, ready))
        self.url = await asyncio.wait_for(ready, START_SECONDS)
        return self

    async def stop(self) -> None:
        """Stops Duetime with SIGTERM. Kills it if it does not stop in time."""
        process, self._process = self._process, None
        if process is None:
            return
        if process.returncode is None:
            process.terminate()
            try:
                await asyncio.wait_for(process.wait(), STOP_SECONDS)
            except TimeoutError:
                process.kill()
                await process.wait()
        if self._reader is not None:
            await self._reader

    def usage(self) -> ProcessUsage:
        """Returns the CPU time and memory that Duetime and its database have used so far."""
        if self._process is None:
            raise RuntimeError("Duetime is not running.")
        return usage_below(self._process.pid)

    @property
    def output(self) -> str:
        """Everything that Duetime has printed and logged."""
        return "".join(self._lines)

    @asynccontextmanager
    async def database(self) -> AsyncGenerator[Connection]:
        """Opens a connection to the database."""
        connection = await asyncpg.connect(self.dsn, server_settings={"application_name": "bench", "timezone": "UTC"})
        try:
            yield connection
        finally:
            await connection.close()

    @asynccontextmanager
    async def scheduler(self, *options: str, module: str = "duetime") -> AsyncGenerator[Server]:
        """Starts a second Duetime on the same database, with the roles scheduler and executor only."""
        data = Path(tempfile.mkdtemp(prefix="scheduler-", dir=self._data.parent))
        second = Server(data, ("--roles", "scheduler,executor", "--database", self.dsn, *options), self._python, module)
        try:
            yield await second.start()
        finally:
            await second.stop()
            shutil.rmtree(data, ignore_errors=True)

    async def postgres_settings(self) -> dict[str, str]:
        """Returns the PostgreSQL settings that matter for speed and durability."""
        async with self.database() as connection:
            return {name: await connection.fetchval(f"SHOW {name}") for name in REPORTED_SETTINGS}

    async def _read(self, process: asyncio.subprocess.Process, ready: asyncio.Future[str]) -> None:
        assert process.stdout is not None
        async for line in process.stdout:
            text = line.decode(errors="replace")
            self._lines.append(text)
            if text.startswith("ready ") and not ready.done():
                ready.set_result(text.split()[1])
        if not ready.done():
            ready.set_exception(RuntimeError(f"Duetime did not start:\n{self.output}"))
