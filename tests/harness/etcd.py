"""Real etcd for tests: the one on the path, else Debian's package unpacked into a cache of this checkout."""

from __future__ import annotations

import asyncio
import fcntl
import os
import shutil
import signal
import socket
import ssl
import subprocess
import tempfile
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from harness.waiting import eventually

ROOT = Path(__file__).resolve().parents[2]
CACHE = ROOT / "build" / "etcd"
START_SECONDS = 60.0


def etcd_binary() -> Path:
    """The path of the etcd program. Without one, tests are skipped with a reason, but never in CI."""
    found = shutil.which("etcd")
    if found:
        return Path(found)
    kept = CACHE / "usr" / "bin" / "etcd"
    if not kept.exists():
        try:
            with _alone():
                if not kept.exists():
                    _unpack()
        except (OSError, subprocess.SubprocessError) as error:
            why = f"There is no etcd on the path, and Debian's package etcd-server cannot be had ({error})."
            if os.environ.get("CI") == "true":
                pytest.fail(why)
            pytest.skip(why)
    return kept


@contextmanager
def _alone() -> Iterator[None]:
    """Lock, so that only one of several test processes unpacks."""
    CACHE.parent.mkdir(parents=True, exist_ok=True)
    with (CACHE.parent / "etcd.lock").open("w") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield


def _unpack() -> None:
    """Download and unpack Debian's package. This needs no root and installs nothing; the package list is our own."""
    with tempfile.TemporaryDirectory(dir=CACHE.parent) as work:
        try:
            _run("apt-get", "download", "etcd-server", cwd=work)
        except subprocess.CalledProcessError:
            own = ["-o", f"Dir::State::lists={work}/lists", "-o", f"Dir::Cache={work}/cache"]
            Path(work, "lists", "partial").mkdir(parents=True)
            Path(work, "cache", "archives", "partial").mkdir(parents=True)
            _run("apt-get", *own, "update", cwd=work)
            _run("apt-get", *own, "download", "etcd-server", cwd=work)
        (package,) = Path(work).glob("etcd-server_*.deb")
        _run("dpkg", "-x", str(package), f"{work}/unpacked", cwd=work)
        shutil.rmtree(CACHE, ignore_errors=True)
        Path(work, "unpacked").rename(CACHE)


def _run(*command: str, cwd: str) -> None:
    subprocess.run(command, cwd=cwd, check=True, timeout=300, stdin=subprocess.DEVNULL, capture_output=True)


class Etcd:
    """One etcd server on loopback; can be killed and started again on its data, or paused."""

    def __init__(self, binary: Path, data: Path, **options: str) -> None:
        self._binary, self._data, self._options = binary, data, options
        self._client, self._peer = _free_port(), _free_port()
        self._process: subprocess.Popen[bytes] | None = None

    @property
    def endpoint(self) -> str:
        """The URL for clients."""
        return f"{'https' if 'cert_file' in self._options else 'http'}://127.0.0.1:{self._client}"

    def start(self) -> None:
        """Start the server and wait until it can commit. This blocks, so that it must not run in an event loop."""
        peer = f"http://127.0.0.1:{self._peer}"
        options = {
            "name": "one",
            "data-dir": str(self._data),
            "listen-client-urls": self.endpoint,
            "advertise-client-urls": self.endpoint,
            "listen-peer-urls": peer,
            "initial-advertise-peer-urls": peer,
            "initial-cluster": f"one={peer}",
            "log-level": "error",
            "unsafe-no-fsync": "true",
            **{name.replace("_", "-"): value for name, value in self._options.items()},
        }
        known = subprocess.run([str(self._binary), "--help"], capture_output=True, timeout=30, check=False).stdout
        chosen = {name: value for name, value in options.items() if f"--{name}".encode() in known}
        self._process = subprocess.Popen(
            [str(self._binary), *(f"--{name}={value}" for name, value in chosen.items())],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        )
        asyncio.run(eventually(self._healthy, START_SECONDS, every=0.1))

    def signal(self, number: int) -> None:
        """Send a signal to this process, and to no other."""
        if self._process is not None and self._process.poll() is None:
            os.kill(self._process.pid, number)

    def stop(self) -> None:
        """Stop the server."""
        if self._process is not None:
            self.signal(signal.SIGCONT)
            self.signal(signal.SIGKILL)
            self._process.wait(10)
            self._process = None

    def _healthy(self) -> bool:
        try:
            with urllib.request.urlopen(f"{self.endpoint}/health", timeout=1, context=self._trust()) as answer:
                return b"true" in answer.read()
        except OSError:
            return False

    def _trust(self) -> ssl.SSLContext | None:
        if "cert_file" not in self._options:
            return None
        context = ssl.create_default_context(cafile=self._options["cert_file"])
        context.load_cert_chain(self._options["cert_file"], self._options["key_file"])
        return context


@contextmanager
def running_etcd(**options: str) -> Iterator[Etcd]:
    """A server in its own directory, with etcd's options, stopped and removed when the block ends."""
    binary = etcd_binary()
    with tempfile.TemporaryDirectory(prefix="duetime-etcd-") as directory:
        server = Etcd(binary, Path(directory) / "data", **options)
        try:
            server.start()
            yield server
        finally:
            server.stop()


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]
