#!/usr/bin/env python3
"""Checks a worker in any language against the pull protocol, in plain HTTP and with the standard library only.

    DUETIME_URL=http://127.0.0.1:8080 DUETIME_TOKEN=... python3 conformance.py ./worker

The worker is started with DUETIME_URL, DUETIME_TOKEN and DUETIME_QUEUE in its environment. It takes every task of that
queue, and does these:

    echo    succeeds with the message as its result
    fail    fails with the error kind "asked", and says that it is not retryable
    flaky   fails at the first attempt, with retry_in_ms 0, and succeeds at the second with the attempt as its result
    later   snoozes for 100 ms if the run has no checkpoint, after a beat with the checkpoint 1; then succeeds with it
    wait    runs until it is asked to stop, and then settles as failed

On SIGTERM it leaves.
"""

from __future__ import annotations

import json
import os
import secrets
import signal
import subprocess
import sys
import time
import urllib.request
from typing import Any

SECONDS = 40.0
URL, TOKEN = os.environ["DUETIME_URL"].rstrip("/"), os.environ["DUETIME_TOKEN"]
QUEUE = f"conformance-{secrets.token_hex(4)}"


def call(method: str, path: str, body: object = None) -> Any:
    """One call of the API. Returns the data of its answer."""
    data = None if body is None else json.dumps(body).encode()
    headers = {"Authorization": f"Bearer {TOKEN}", "Content-Type": "application/json"}
    request = urllib.request.Request(f"{URL}/api/v1{path}", data, headers, method=method)
    with urllib.request.urlopen(request, timeout=60) as answer:
        return json.load(answer)["data"]


def create(task: str, message: object = None, **more: object) -> int:
    """Create a job of the queue under test."""
    target = {"kind": "queue", "queue": QUEUE, "task": task}
    return call("POST", "/me/jobs", {"message": message or task, "target": target, **more})["id"]


def result(job: int) -> Any:
    """Wait until a job has ended."""
    end = time.monotonic() + SECONDS
    while time.monotonic() < end:
        found = call("GET", f"/me/jobs/{job}/result?wait_ms=5000")
        if found["done"]:
            return found
    sys.exit(f"job {job} has not ended within {SECONDS:g} s")


def until(what: str, condition: Any) -> Any:
    """Ask until the answer is true."""
    end = time.monotonic() + SECONDS
    while time.monotonic() < end:
        if found := condition():
            return found
        time.sleep(0.1)
    sys.exit(f"within {SECONDS:g} s: {what}")


def mine() -> list[dict[str, Any]]:
    """The living workers of the queue under test."""
    return [one for one in call("GET", "/workers") if QUEUE in one["queues"]]


def check(name: str, ok: bool, found: object) -> None:
    """Print the outcome of one check. The first failure ends the script."""
    print(f"{'ok' if ok else 'FAILED'}: {name}")
    if not ok:
        sys.exit(f"found: {found}")


def main(command: list[str]) -> None:
    """Run all checks."""
    worker = subprocess.Popen(command, env={**os.environ, "DUETIME_QUEUE": QUEUE})
    try:
        until("a worker registers for the queue in DUETIME_QUEUE", mine)
        for message in ("grüße", {"a": [1, None, "\"\\'"]}):
            found = result(create("echo", message))
            check("echo gives the message back", (found["status"], found["result"]) == ("succeeded", message), found)
        many = [create("echo", n + 1) for n in range(50)]
        check("fifty jobs", [result(job)["result"] for job in many] == list(range(1, 51)), many)
        found = result(create("fail"))
        kind = (found["error"] or {}).get("kind")
        check("fail is final, with its kind", (found["status"], kind) == ("dead", "asked"), found)
        found = result(create("flaky", retry={"base": 3600}))
        check("flaky is tried again at once", (found["status"], found["result"]) == ("succeeded", 2), found)
        job = create("later", retry={"max_attempts": 1})
        found = result(job)
        check("later costs no attempt, and keeps its checkpoint", found["result"] == 1, found)
        waiting = create("wait")
        until("a run of 'wait' begins", lambda: call("GET", f"/me/jobs/{waiting}")["status"] == "running")
        call("POST", f"/me/jobs/{waiting}/cancel")
        found = result(waiting)
        check("wait stops when it is asked to", found["status"] == "cancelled", found)
        worker.send_signal(signal.SIGTERM)
        worker.wait(SECONDS)
        check("the worker leaves on SIGTERM", not mine(), mine())
    finally:
        worker.kill()
        worker.wait()


if __name__ == "__main__":
    main(sys.argv[1:] or sys.exit(__doc__))
