"""The workers in `examples/workers` pass the conformance script, in every language that this machine has."""

from __future__ import annotations

import asyncio
import shutil
import sys
from pathlib import Path

import pytest

from harness.calls import Api
from harness.process import environment

EXAMPLES = Path(__file__).parents[2] / "examples" / "workers"
SECONDS = 240.0


async def conforms(ada: Api, *command: str) -> None:
    """Run the script with a worker. Fails with what both printed."""
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, str(EXAMPLES / "conformance.py"), *command),
        env=environment(DUETIME_URL=ada.url, DUETIME_TOKEN=ada.token or ""),
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.STDOUT,
    )
    try:
        printed, _ = await asyncio.wait_for(process.communicate(), SECONDS)
    finally:
        if process.returncode is None:
            process.kill()
            await process.wait()
    assert process.returncode == 0, printed.decode(errors="replace")


@pytest.mark.skipif(not shutil.which("node"), reason="needs Node")
async def test_the_worker_in_node(ada: Api) -> None:
    await conforms(ada, "node", str(EXAMPLES / "worker.mjs"))


@pytest.mark.skipif(not shutil.which("curl") or not shutil.which("jq"), reason="needs curl and jq")
async def test_the_worker_in_bash(ada: Api) -> None:
    await conforms(ada, "bash", str(EXAMPLES / "worker.sh"))


@pytest.mark.skipif(not shutil.which("go"), reason="needs Go")
async def test_the_worker_in_go(ada: Api, tmp_path: Path) -> None:
    program = tmp_path / "worker"
    build = await asyncio.create_subprocess_exec("go", "build", "-o", str(program), str(EXAMPLES / "worker.go"))
    assert await asyncio.wait_for(build.wait(), SECONDS) == 0
    await conforms(ada, str(program))
