"""A reminder in ten seconds, delivered to a listener in this same process. Start `make run` first, then this file:

`.venv/bin/python examples/remind.py`
"""

from __future__ import annotations

import os
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from threading import Thread

from duetime.client import SyncClient

URL = os.environ.get("DUETIME_SERVER", "http://127.0.0.1:8080")
PASSWORD_FILE = Path(os.environ.get("DUETIME_DATA", ".duetime")) / "admin-password"


class Listener(BaseHTTPRequestHandler):
    """Prints the message of each request."""

    def do_POST(self) -> None:
        """Answer a delivery."""
        message = self.rfile.read(int(self.headers["content-length"])).decode()
        print(f"received {message!r}, run {self.headers['webhook-id']}")
        self.send_response(204)
        self.end_headers()

    def log_request(self, code: int | str = "-", size: int | str = "-") -> None:
        """Print nothing else."""


def main() -> None:
    """Create a job that calls the listener, follow it, and show its attempts."""
    server = HTTPServer(("127.0.0.1", 0), Listener)
    Thread(target=server.serve_forever, daemon=True).start()
    with SyncClient(URL) as duetime:
        duetime.login("admin", os.environ.get("DUETIME_PASSWORD") or PASSWORD_FILE.read_text().strip())
        target = {"kind": "http", "url": f"http://127.0.0.1:{server.server_port}/reminder"}
        job = duetime.create_job("time is up", delay="10s", target=target)
        print(f"job {job.id} is due at {job.execute_at}")
        for state in duetime.watch(job.id):
            print(state.status)
        for run in duetime.runs(job.id):
            print(f"attempt {run.attempt}: {run.state}, {run.lateness_ms} ms late")


if __name__ == "__main__":
    main()
