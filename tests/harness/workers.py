"""Runs workers as users do: `python -m duetime work module:app` in its own process and directory."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
from collections.abc import Mapping
from pathlib import Path

from harness.calls import PASSWORD
from harness.process import descendants, environment
from harness.waiting import eventually

TASKS = Path(__file__).parent / "worker_tasks.py"


class WorkerProcess:
    """One `duetime work`. Its output is read as it comes."""

    def __init__(
        self, directory: Path, url: str, user: str | None, *options: str, app: str = "worker_tasks:app"
    ) -> None:
        """Without a user the worker finds a login by itself. `HOME` has none."""
        login = {} if user is None else {"DUETIME_USERNAME": user, "DUETIME_PASSWORD": PASSWORD}
        own = {"DUETIME_URL": url, "WORKER_DIRECTORY": str(directory), "HOME": str(directory)}
        self._env: Mapping[str, str] = environment(**own, **login)
        self._directory = directory
        command = [sys.executable, "-m", "duetime", "work", app, *options]
        self._process = subprocess.Popen(
            command,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            env=self._env,
            cwd=directory,
            start_new_session=True,
        )
        self._lines: list[str] = []
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()

    @property
    def pid(self) -> int:
        return self._process.pid

    @property
    def output(self) -> str:
        return "".join(self._lines)

    def children(self) -> list[int]:
        return descendants(self.pid)

    async def ready(self, times: int = 1, seconds: float = 60.0) -> WorkerProcess:
        """Wait until so many worker processes have registered since the start."""

        def enough() -> bool:
            assert self._process.poll() is None, f"it ended:\n{self.output}"
            return self._lines.count("ready\n") >= times

        await eventually(enough, seconds)
        return self

    def signal(self, number: signal.Signals) -> None:
        if self._process.poll() is None:
            os.kill(self.pid, number)

    def wait(self, seconds: float = 60.0) -> int:
        code = self._process.wait(seconds)
        self._reader.join(5)
        return code

    def stop(self) -> int:
        """Send SIGTERM. Returns the exit code."""
        self.signal(signal.SIGTERM)
        return self.wait()

    def clean_up(self) -> None:
        left = [] if self._process.poll() is not None else self.children()
        self.signal(signal.SIGKILL)
        self._process.wait()
        for pid in left:
            try:
                os.kill(pid, signal.SIGKILL)
            except ProcessLookupError:
                continue

    def _read(self) -> None:
        assert self._process.stdout is not None
        with self._process.stdout as pipe:
            for line in pipe:
                self._lines.append(line.decode(errors="replace"))
