"""Measures peers at the same work, on the same machine, in the same run: no-op tasks with a payload of 100 bytes."""

from __future__ import annotations

from pathlib import Path

from bench.peers.catalogue import PEERS
from bench.peers.measure import PeerBenchmark

NAMES = tuple(PEERS)


def benchmark(name: str, where: Path) -> PeerBenchmark:
    """Returns the benchmark of one peer. It installs the peer below the directory `where`."""
    return PeerBenchmark(PEERS[name], where)
