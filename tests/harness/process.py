"""Runs Duetime as users do: `python -m duetime up` in its own process, which can be stopped, killed and restarted."""

from __future__ import annotations

import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from harness.database import postgres_programs
from harness.waiting import wait_for_end

ADMIN_PASSWORD = "a password for the tests"
START_SECONDS = 60.0
STOP_SECONDS = 60.0
READY = re.compile(r"^ready (http://\S+)$", re.MULTILINE)


def environment(**more: str) -> dict[str, str]:
    """The environment of a process started by a test, without the caller's own settings for Duetime."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith("DUETIME_")}
    programs = postgres_programs()
    embedded = {"DUETIME_POSTGRES_PROGRAMS": str(programs)} if programs else {}
    return kept | {"PYTHONUNBUFFERED": "1", "DUETIME_ADMIN_PASSWORD": ADMIN_PASSWORD} | embedded | more


class DuetimeProcess:
    """One `duetime up` on a data directory; can be started again on the same data."""

    def __init__(
        self, data: Path, options: tuple[str, ...] = (), env: Mapping[str, str] | None = None, command: str = "up"
    ) -> None:
        self.data = data
        self.options = options
        self.env = dict(env or {})
        self.command = command
        self.url = ""
        self._process: subprocess.Popen[bytes] | None = None
        self._reader: threading.Thread | None = None
        self._lines: list[str] = []
        self._news = threading.Condition()
        self._ended = False
        self._started_at_line = 0
        self._left: list[int] = []

    @property
    def pid(self) -> int:
        """The process that was started."""
        assert self._process is not None, "it was not started"
        return self._process.pid

    @property
    def output(self) -> str:
        """Everything that the process has printed and logged, over all starts."""
        with self._news:
            return "".join(self._lines)

    @property
    def running(self) -> bool:
        """Whether the process is running."""
        return self._process is not None and self._process.poll() is None

    def postgres_pid(self) -> int:
        """The embedded PostgreSQL's main process."""
        return int((self.data / "postgres" / "data" / "postmaster.pid").read_text().split("\n", 1)[0])

    def descendants(self) -> list[int]:
        """All descendants of the process, including the embedded PostgreSQL."""
        return descendants(self.pid)

    def start(self, *more: str, port: int | None = None) -> DuetimeProcess:
        """Start the process and wait for the line `ready http://…`."""
        self.launch(*more, port=port)
        self.url = self.wait_for(READY)[1]
        return self

    def launch(self, *more: str, port: int | None = None) -> None:
        """Start the process without waiting."""
        assert not self.running, "it runs already"
        command = [sys.executable, "-m", "duetime", self.command, "--port", str(port or 0)]
        if self.command in ("up", "api"):
            command += ["--data", str(self.data)]
        with self._news:
            self._started_at_line, self._ended = len(self._lines), False
        self._process = subprocess.Popen(
            [*command, *self.options, *more],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            env=environment(**self.env),
            cwd=self.data.parent,
            start_new_session=True,
        )
        self._reader = threading.Thread(target=self._read, args=(self._process,), daemon=True)
        self._reader.start()

    def wait_for(self, pattern: re.Pattern[str], seconds: float = START_SECONDS) -> re.Match[str]:
        """Wait for the first match in the output since the last start."""

        def found() -> re.Match[str] | None:
            return pattern.search("".join(self._lines[self._started_at_line :]))

        with self._news:
            self._news.wait_for(lambda: found() or self._ended, seconds)
            match = found()
        assert match, f"{pattern.pattern!r} did not come; the output:\n{self.output}"
        return match

    def wait(self, seconds: float = STOP_SECONDS) -> int:
        """Wait until the process has ended and all of its output is read. Returns the exit code."""
        assert self._process is not None, "it was not started"
        code = self._process.wait(seconds)
        if self._reader is not None:
            self._reader.join(5.0)
        return code

    def stop(self, seconds: float = STOP_SECONDS) -> None:
        """Send SIGTERM and require a clean end: exit code 0, and no PostgreSQL left."""
        postgres = self._postgres_if_any()
        self.signal(signal.SIGTERM)
        code = self.wait(seconds)
        assert code == 0, f"it ended with {code}; the output:\n{self.output}"
        if postgres is not None:
            assert wait_for_end(postgres, 10.0), "PostgreSQL outlived a clean stop"

    def kill(self) -> None:
        """Send SIGKILL, and wait until PostgreSQL and the other node processes have ended by themselves."""
        self._left = below = self.descendants()
        self.signal(signal.SIGKILL)
        self.wait()
        for pid in below:
            assert wait_for_end(pid, 30.0), f"process {pid} outlived the one that started it"

    def signal(self, number: int) -> None:
        """Send a signal to the process that was started, and to no other."""
        if self.running:
            os.kill(self.pid, number)

    def clean_up(self) -> None:
        """End all remaining processes, by process id."""
        if self._process is None:
            return
        if self.running:
            self._left = self.descendants()
            self.signal(signal.SIGTERM)
            try:
                self._process.wait(15.0)
            except subprocess.TimeoutExpired:
                self._process.kill()
                self._process.wait()
        for pid in self._left:
            if not wait_for_end(pid, 15.0):
                os.kill(pid, signal.SIGKILL)
        if self._reader is not None:
            self._reader.join(5.0)

    def _postgres_if_any(self) -> int | None:
        try:
            return self.postgres_pid()
        except (OSError, ValueError):
            return None

    def _read(self, process: subprocess.Popen[bytes]) -> None:
        assert process.stdout is not None
        with process.stdout as pipe:
            for line in pipe:
                with self._news:
                    self._lines.append(line.decode(errors="replace"))
                    self._news.notify_all()
        with self._news:
            self._ended = True
            self._news.notify_all()


@contextmanager
def duetime_directory() -> Iterator[Path]:
    """A data directory, removed when the block ends; not below pytest's, because Unix socket paths must be short."""
    directory = Path(tempfile.mkdtemp(prefix="duetime-up-"))
    try:
        yield directory
    finally:
        shutil.rmtree(directory, ignore_errors=True)


@contextmanager
def running_duetime(*options: str, env: Mapping[str, str] | None = None) -> Iterator[DuetimeProcess]:
    """A started Duetime in its own directory, always ended when the block ends."""
    with duetime_directory() as directory:
        process = DuetimeProcess(directory / "data", options, env)
        try:
            yield process.start()
        finally:
            process.clean_up()


def command_of(pid: int) -> bytes:
    """The command line of a process; empty after it has ended."""
    try:
        return Path(f"/proc/{pid}/cmdline").read_bytes()
    except OSError:
        return b""


def descendants(pid: int) -> list[int]:
    """All descendants of a process."""
    parents: dict[int, list[int]] = {}
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                parent = int((entry / "stat").read_text().rsplit(")", 1)[1].split()[1])
            except OSError:
                continue
            parents.setdefault(parent, []).append(int(entry.name))
    found, rest = list[int](), [pid]
    while rest:
        below = parents.get(rest.pop(), [])
        found += below
        rest += below
    return found
