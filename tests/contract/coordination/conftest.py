"""The sites that the conformance suite runs on."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator
from contextlib import AsyncExitStack
from typing import Literal

import pytest

from contract.coordination.sites import EtcdSite, PostgresSite, Site
from duetime.postgres.pool import Pool
from harness.etcd import Etcd, running_etcd
from simulation.memory.site import MemorySite


@pytest.fixture(scope="session")
def etcd() -> Iterator[Etcd]:
    """One real etcd for the session."""
    with running_etcd() as running:
        yield running


Judge = Etcd | Literal["postgres", "memory"]


@pytest.fixture(params=["memory", "postgres", "etcd"])
def judge(request: pytest.FixtureRequest) -> Judge:
    """Who judges leases: the simulation's store, PostgreSQL itself, or etcd (started before there is a loop)."""
    return request.getfixturevalue("etcd") if request.param == "etcd" else request.param


@pytest.fixture
async def site(judge: Judge, dsn: str) -> AsyncIterator[Site]:
    """A fresh site of each kind."""
    if judge == "memory":
        yield MemorySite()
        return
    async with AsyncExitStack() as stack:
        pool = Pool(dsn, size=4)
        await pool.open()
        stack.push_async_callback(pool.close)
        if judge == "postgres":
            yield PostgresSite(pool, stack)
        elif isinstance(judge, Etcd):
            yield EtcdSite(pool, stack, judge, f"/test/{dsn.split('@/')[1].split('?')[0]}")
