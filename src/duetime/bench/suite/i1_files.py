"""I1: the records of one file that is put into a watched directory."""

from __future__ import annotations

import asyncio
import time
from pathlib import Path

import msgspec

from duetime.bench.bench import Bench
from duetime.bench.drain import API_ONLY
from duetime.bench.feed import FAR_OFF, line
from duetime.bench.server import temporary_directory

NAME = "i1"
TITLE = "Records of a file in a watched directory"
LOOK_SECONDS = 0.02


async def run(bench: Bench) -> None:
    """Puts one file after the other into directories that are read by record and by file."""
    count = bench.size(500_000, 10_000)
    with temporary_directory() as root:
        sources = [
            {"directory": str(root / atomic), "user": "admin", "complete": "rename", "atomic": atomic, "poll": 0.05}
            for atomic in ("record", "file")
        ]
        _make(root / "record", root / "file")
        given = msgspec.json.encode(sources).decode()
        async with bench.server(*API_ONLY, "--set", f"injection.files={given}") as server:
            for number in bench.each_round():
                for atomic in ("record", "file"):
                    bench.say(f"by {atomic}")
                    bench.figure(
                        f"by {atomic}", count / await _seconds(root / atomic, number, count), "records/s", "higher"
                    )
            bench.figure("peak RSS of the process", server.usage().python_rss, "MB", "lower")
    bench.note(f"{count:,} records of 100 bytes in a file, one process, no scheduler.")


async def _seconds(directory: Path, number: int, count: int) -> float:
    """Returns how long a file takes from its rename into the directory until it is done."""
    part, body = directory / ".part", line(FAR_OFF)
    with part.open("wb") as file:
        # No round has the content of another.
        file.write(msgspec.json.encode({"message": f"round {number}", "execute_at": FAR_OFF}) + b"\n")
        for at in range(1, count, 1000):
            file.write((body + b"\n") * min(1000, count - at))
    start = time.perf_counter()
    part.rename(directory / f"{number}.ndjson")
    while not _is_done(directory, number):  # noqa: ASYNC110 - another process does it
        await asyncio.sleep(LOOK_SECONDS)
    return time.perf_counter() - start


def _make(*directories: Path) -> None:
    for one in directories:
        one.mkdir()


def _is_done(directory: Path, number: int) -> bool:
    if failed := list(directory.glob("failed/*.json")):
        raise AssertionError(failed[0].read_text())
    return bool(list(directory.glob(f"done/{number}.*.ndjson")))
