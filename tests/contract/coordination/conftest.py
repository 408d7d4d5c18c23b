"""The sites that the conformance suite runs on."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator
from contextlib import AsyncExitStack

import pytest

from contract.coordination.sites import EtcdSite, PostgresSite, Site
from duetime.store.postgres.pool import Pool
from harness.etcd import Etcd, running_etcd


@pytest.fixture(scope="session")
def etcd() -> Iterator[Etcd]:
    """One real etcd for the session."""
    with running_etcd() as running:
        yield running


@pytest.fixture(params=["postgres", "etcd"])
def judge(request: pytest.FixtureRequest) -> Etcd | None:
    """Who judges leases: PostgreSQL itself, or etcd (started before there is a loop)."""
    return request.getfixturevalue("etcd") if request.param == "etcd" else None


@pytest.fixture
async def site(judge: Etcd | None, dsn: str) -> AsyncIterator[Site]:
    """A fresh site of each kind."""
    async with AsyncExitStack() as stack:
        pool = Pool(dsn, size=4)
        await pool.open()
        stack.push_async_callback(pool.close)
        if judge is None:
            yield PostgresSite(pool, stack)
        else:
            yield EtcdSite(pool, stack, judge, f"/test/{dsn.split('@/')[1].split('?')[0]}")
