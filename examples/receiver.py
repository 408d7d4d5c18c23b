"""Receives HTTP targets and prints them: `python3 examples/receiver.py 9000`.

It answers 200, and 500 to paths that begin with /fails.
"""

from __future__ import annotations

import sys
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer


class Receiver(BaseHTTPRequestHandler):
    """Prints the message of each request."""

    protocol_version = "HTTP/1.1"

    def do_POST(self) -> None:
        """Answers a delivery."""
        message = self.rfile.read(int(self.headers.get("content-length", 0))).decode()
        print(f"{self.command} {self.path} {message}", flush=True)
        self.send_response(500 if self.path.startswith("/fails") else 200)
        self.send_header("content-length", "0")
        self.end_headers()

    do_GET = do_PUT = do_DELETE = do_POST  # noqa: N815

    def log_request(self, code: int | str = "-", size: int | str = "-") -> None:
        """Prints nothing else."""


if __name__ == "__main__":
    ThreadingHTTPServer(("127.0.0.1", int(sys.argv[1])), Receiver).serve_forever()
