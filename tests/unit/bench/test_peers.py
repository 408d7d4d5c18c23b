"""Peers: which ones are compared, and how the reports of their workers become a rate."""

from __future__ import annotations

import asyncio
import sys
from pathlib import Path

import pytest
from bench.peers.catalogue import PEERS
from bench.peers.driver import DRIVERS, Driver
from bench.peers.tallies import Tallies

from duetime.bench.bench import Skipped
from duetime.bench.claims import CLAIMS

WORKER = """
import os, signal, sys, time
if sys.argv[1] == "one":
    print("chatter"); print(float(sys.argv[3])); sys.exit(0)
if sys.argv[1] == "bulk":
    print("Traceback", file=sys.stderr); sys.exit("RuntimeError: there is no queue")
print("[chatter]", flush=True)
for n in {counts}:
    print([os.getpid(), n, 100.0, 100.0 + n / 50], flush=True)
{then}
"""


def a_driver(
    directory: Path, monkeypatch: pytest.MonkeyPatch, counts: list[int], then: str = "signal.pause()"
) -> Driver:
    (directory / "celery_driver.py").write_text(WORKER.format(counts=counts, then=then))
    monkeypatch.setattr("bench.peers.driver.DRIVERS", directory)
    return Driver(PEERS["celery"], Path(sys.executable), directory, {})


def test_a_rate_goes_from_the_first_task_of_all_to_the_last_of_all() -> None:
    tallies = Tallies()
    tallies.record(1, 10, 100.0, 103.0)
    tallies.record(2, 70, 101.0, 104.0)
    tallies.record(1, 30, 100.0, 105.0)
    assert tallies.done == 100
    assert tallies.rate == pytest.approx(20.0)


def test_every_peer_that_duetime_is_held_against_is_measured() -> None:
    sources = [claim.against for claim in CLAIMS if claim.against is not None]
    named = {source.benchmark.removeprefix("peer-") for source in sources if source.benchmark.startswith("peer-")}
    assert named == {"graphile-worker", "pgqueuer", "celery", "bullmq"}
    assert named <= set(PEERS)
    assert 64 in PEERS["bullmq"].at_once


def test_every_peer_has_a_driver() -> None:
    names = {path.name for path in DRIVERS.iterdir()}
    suffixes = {"python": "py", "node": "mjs"}
    assert {f"{name.replace('-', '_')}_driver.{suffixes[peer.language]}" for name, peer in PEERS.items()} <= names


async def test_workers_are_read_until_all_is_done_and_then_stopped(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    driver = a_driver(tmp_path, monkeypatch, [10, 100])
    assert await asyncio.wait_for(driver.drain(100, 1), 20) == pytest.approx(50.0)


async def test_workers_that_end_too_soon_are_told_with_what_they_said(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    driver = a_driver(tmp_path, monkeypatch, [10], then='sys.exit("OSError: no such queue")')
    with pytest.raises(Skipped, match="its workers stopped at 10 of 100 jobs: OSError: no such queue"):
        await asyncio.wait_for(driver.drain(100, 1), 20)


async def test_tasks_that_run_twice_are_no_rate(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    driver = a_driver(tmp_path, monkeypatch, [110])
    with pytest.raises(Skipped, match="ran 110 tasks for 100 jobs"):
        await asyncio.wait_for(driver.drain(100, 1), 20)


async def test_a_driver_is_told_how_many_at_a_time_and_says_how_long_it_took(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert await a_driver(tmp_path, monkeypatch, []).finish("one", 5, 64) == 64.0


async def test_a_driver_that_fails_is_skipped_with_its_last_word(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with pytest.raises(Skipped, match="failed at 'bulk': RuntimeError: there is no queue"):
        await a_driver(tmp_path, monkeypatch, []).finish("bulk", 5)
