"""What the cluster suites share."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator
from contextlib import AsyncExitStack

import pytest

from cluster.nodes import Nodes
from harness.etcd import Etcd, running_etcd
from harness.sink import Sink, running_sink


@pytest.fixture
async def nodes(dsn: str) -> AsyncIterator[Nodes]:
    """Nodes on a fresh database."""
    async with AsyncExitStack() as stack:
        yield Nodes(dsn, stack)


@pytest.fixture
def etcd() -> Iterator[Etcd]:
    """An etcd of the test's own."""
    with running_etcd() as running:
        yield running


@pytest.fixture(scope="session")
def sink() -> Iterator[Sink]:
    """One sink for all tests; each uses paths of its own."""
    with running_sink() as running:
        yield running
