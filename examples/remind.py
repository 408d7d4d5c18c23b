"""A reminder in ten seconds, called back over HTTP: run `make run` first, then this file with a password.

`DUETIME_PASSWORD=… .venv/bin/python examples/remind.py http://127.0.0.1:9000/hook`
"""

from __future__ import annotations

import os
import sys

from duetime.client import SyncClient


def main(callback: str) -> None:
    """Create a job that calls back, and show what became of it."""
    with SyncClient(os.environ.get("DUETIME_URL", "http://127.0.0.1:8080")) as duetime:
        duetime.login("admin", os.environ["DUETIME_PASSWORD"])
        job = duetime.create_job("time is up", delay="10s", target={"kind": "http", "url": callback})
        print(f"job {job.id} is due at {job.execute_at}")
        for state in duetime.watch(job.id):
            print(state.status)
        for run in duetime.runs(job.id):
            print(f"attempt {run.attempt}: {run.state}, {run.lateness_ms} ms late")


if __name__ == "__main__":
    main(sys.argv[1] if len(sys.argv) > 1 else "http://127.0.0.1:9000/hook")
