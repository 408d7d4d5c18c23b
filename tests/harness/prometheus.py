"""A real Prometheus that scrapes processes of a test and evaluates rules."""

from __future__ import annotations

import json
import shutil
import signal
import socket
import subprocess
import time
import urllib.error
import urllib.parse
import urllib.request
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
import yaml

PROGRAM = shutil.which("prometheus")
needs_prometheus = pytest.mark.skipif(PROGRAM is None, reason="prometheus (Debian: prometheus) is not installed")
START_SECONDS = 30.0


class Prometheus:
    """One Prometheus, asked over its API."""

    def __init__(self, url: str) -> None:
        self.url = url

    def get(self, path: str, **query: str) -> Any:
        """The data of an answer, which must be a success."""
        with urllib.request.urlopen(f"{self.url}{path}?{urllib.parse.urlencode(query)}", timeout=10) as answer:
            body = json.load(answer)
        assert body["status"] == "success", body
        return body["data"]

    def query(self, expression: str) -> list[dict[str, Any]]:
        """The series that an expression has now."""
        return self.get("/api/v1/query", query=expression)["result"]

    def firing(self) -> set[str]:
        """The alerts that fire now."""
        return {one["labels"]["alertname"] for one in self.get("/api/v1/alerts")["alerts"] if one["state"] == "firing"}

    def targets(self) -> list[tuple[str, str]]:
        """Health and last error of each target."""
        return [(one["health"], one["lastError"]) for one in self.get("/api/v1/targets")["activeTargets"]]


@contextmanager
def running_prometheus(directory: Path, addresses: Sequence[str], rules: str = "") -> Iterator[Prometheus]:
    """Start a Prometheus that scrapes these addresses every second; it is ended after the block."""
    assert PROGRAM is not None
    (directory / "rules.yml").write_text(rules)
    config = {
        "global": {"scrape_interval": "1s", "evaluation_interval": "1s"},
        "rule_files": ["rules.yml"] if rules else [],
        "scrape_configs": [{"job_name": "duetime", "static_configs": [{"targets": list(addresses)}]}],
    }
    (directory / "prometheus.yml").write_text(yaml.safe_dump(config))
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    command = [
        PROGRAM,
        f"--config.file={directory / 'prometheus.yml'}",
        f"--storage.tsdb.path={directory / 'data'}",
        f"--web.listen-address=127.0.0.1:{port}",
        "--log.level=warn",
    ]
    with (directory / "log").open("wb") as log:
        process = subprocess.Popen(command, stdout=log, stderr=log)
    try:
        _wait_until_ready(process, f"http://127.0.0.1:{port}")
        yield Prometheus(f"http://127.0.0.1:{port}")
    finally:
        process.send_signal(signal.SIGTERM)
        try:
            process.wait(10)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()


def _wait_until_ready(process: subprocess.Popen[bytes], url: str) -> None:
    end = time.monotonic() + START_SECONDS
    while time.monotonic() < end:
        assert process.poll() is None, "prometheus ended while starting"
        try:
            urllib.request.urlopen(f"{url}/-/ready", timeout=2).close()
        except (urllib.error.URLError, ConnectionError):
            time.sleep(0.05)
        else:
            return
    raise AssertionError("prometheus was not ready in time")
