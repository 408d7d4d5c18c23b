"""Schemathesis against /openapi.json: whatever is sent, no 5xx, and every answer as the document says."""

from __future__ import annotations

import asyncio
import os
import re
import sys
from asyncio.subprocess import PIPE, STDOUT
from pathlib import Path

from acceptance.conftest import StartDuetime
from harness.calls import calling
from harness.sink import Sink, SinkAnswer

CHECKS = (
    "not_a_server_error,status_code_conformance,content_type_conformance,response_headers_conformance,"
    "response_schema_conformance,negative_data_rejection,missing_required_header,unsupported_method,"
    "allow_header_conformance,ignored_auth"
)
EXAMPLES = "10"
SECONDS = 300.0


async def test_no_5xx_and_no_answer_that_the_document_does_not_know(
    start_duetime: StartDuetime, sink: Sink, path: str, tmp_path: Path
) -> None:
    process = start_duetime()
    async with calling(process.url) as anyone:
        admin = await anyone.admin()
        # Something to find: finished, failed and waiting jobs, in a lane and out of one.
        broken = await sink.rule(path, SinkAnswer(status=500))
        done = await admin.create(ordering_key="lane", labels={"a": "b"})
        dead = await admin.create(target={"kind": "http", "url": broken}, retry=False)
        await admin.create(execute_at="2099-01-01T00:00:00Z", ordering_key="lane")
        await admin.until(done["id"], "succeeded")
        await admin.until(dead["id"], "dead")
    process.stop()
    # Only the API from here on: what is made up must not be carried out, it would call strangers.
    process.start("--roles", "api")
    command = [sys.executable, "-m", "schemathesis.cli", "run", f"{process.url}/openapi.json"]
    options = ["--header", f"Authorization: Bearer {admin.token}", "--checks", CHECKS]
    # A node that is drained rightly says 503 at /readyz, and this is the only one.
    options += ["--exclude-path-regex", "/drain$"]
    # One worker: two that parse source at the same time crash Python 3.11 (its issue 106905).
    bounds = ["--phases", "examples,coverage,fuzzing", "--max-examples", EXAMPLES, "--workers", "1", "--no-color"]
    running = await asyncio.create_subprocess_exec(
        *command,
        *options,
        *bounds,
        "--generation-deterministic",
        "--request-timeout",
        "20",
        "--warnings",
        "off",
        stdin=asyncio.subprocess.DEVNULL,
        stdout=PIPE,
        stderr=STDOUT,
        cwd=tmp_path,
        env={**os.environ, "PYTHONWARNINGS": "ignore", "COLUMNS": "150"},
    )
    try:
        output, _ = await asyncio.wait_for(running.communicate(), SECONDS)
    finally:
        if running.returncode is None:
            running.kill()
            await running.wait()
    text = output.decode(errors="replace")
    assert running.returncode == 0, text[-20_000:]
    counted = re.search(r"Selected: (\d+)/\d+\s+Tested: (\d+)", text), re.search(r"(\d+) generated", text)
    assert counted[0], text
    assert counted[1], text
    assert counted[0][1] == counted[0][2], "some calls were not tried"
    assert int(counted[1][1]) > 1000, "next to nothing was tried"
    assert "request failed" not in process.output, "an error was caught at the last wall"
    assert "Traceback" not in process.output
