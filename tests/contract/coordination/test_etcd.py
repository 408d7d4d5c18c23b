"""What only etcd can do to us: quorum lost, a restart, a password; and what its watch is for."""

from __future__ import annotations

import asyncio
import signal
import subprocess
from collections.abc import AsyncIterator, Iterator
from contextlib import AsyncExitStack
from pathlib import Path
from typing import Any

import pytest

from contract.coordination.sites import EtcdSite
from duetime.coordination.etcd_gateway import EtcdAccess, EtcdGateway
from duetime.model.errors import CoordinatorAway, StoreAway
from duetime.postgres.pool import Pool
from harness.etcd import Etcd, running_etcd
from harness.waiting import eventually

ROLES = ("scheduler",)
TTL = 4.0


@pytest.fixture
def own_etcd() -> Iterator[Etcd]:
    """An etcd that may be treated badly."""
    with running_etcd() as running:
        yield running


@pytest.fixture
async def site(own_etcd: Etcd, dsn: str) -> AsyncIterator[EtcdSite]:
    async with AsyncExitStack() as stack:
        pool = Pool(dsn, size=4)
        await pool.open()
        stack.push_async_callback(pool.close)
        yield EtcdSite(pool, stack, own_etcd, "/t")


async def test_without_etcd_nobody_is_renewed_and_nobody_is_fenced(site: EtcdSite, own_etcd: Etcd) -> None:
    """An etcd that cannot commit stops renewals, so holders stop by themselves; but nobody takes over either."""
    one, two = site.coordinator(), site.coordinator()
    first, second = await one.join("one", ROLES, "0", TTL), await two.join("two", ROLES, "0", TTL)
    taken = await one.acquire(first, [1])
    own_etcd.stop()
    with pytest.raises(CoordinatorAway, match="etcd cannot do 'lease/keepalive' now"):
        await one.renew(first, TTL)
    with pytest.raises(CoordinatorAway):
        await two.fence()
    with pytest.raises(CoordinatorAway):
        await one.join("three", ROLES, "0", TTL)
    assert await two.acquire(second, [1]) == {}
    assert await site.launch(first, 1, taken[1]), "the store has not fenced it: nobody could say that it is dead"
    await asyncio.to_thread(own_etcd.start)
    assert await one.renew(first, TTL), "leases live on when etcd comes back"
    assert await two.renew(second, TTL)
    assert await two.fence() == []


async def test_an_etcd_that_hangs_is_given_up_within_the_lease(site: EtcdSite, own_etcd: Etcd) -> None:
    one = site.coordinator()
    node = await one.join("one", ROLES, "0", TTL)
    own_etcd.signal(signal.SIGSTOP)
    with pytest.raises(CoordinatorAway, match="keepalive"):
        await one.renew(node, TTL)
    own_etcd.signal(signal.SIGCONT)
    assert await one.renew(node, TTL)


async def test_a_node_that_is_cut_from_the_store_lets_its_lease_run_out(site: EtcdSite) -> None:
    """Though etcd is at hand: one that can reach the store must be able to take over."""
    one, two = site.coordinator(), site.coordinator()
    node = await one.join("one", ROLES, "0", 2.0)

    async def cut(*_: Any) -> Any:
        raise StoreAway

    one._rows.alive = cut  # type: ignore[method-assign]

    async def fenced() -> bool:
        with pytest.raises(StoreAway):
            await one.renew(node, 2.0)
        return await two.fence() == [node]

    await eventually(fenced, 20.0, every=0.2)


async def test_an_etcd_that_forgot_everything_fences_all_and_all_join_again(site: EtcdSite, own_etcd: Etcd) -> None:
    one = site.coordinator()
    node = await one.join("one", ROLES, "0", TTL)
    taken = await one.acquire(node, [1])
    gateway = EtcdGateway(EtcdAccess((own_etcd.endpoint,)))
    site.stack.push_async_callback(gateway.close)
    await gateway._call("kv/deleterange", {"key": "AA==", "range_end": "AA=="}, 5.0)
    assert await one.fence() == [node]
    assert not await one.renew(node, TTL)
    assert not await site.launch(node, 1, taken[1])
    again = await one.join("one", ROLES, "0", TTL)
    assert (await one.acquire(again, [1]))[1] > taken[1]


async def test_joining_that_took_too_long_is_not_half_done(site: EtcdSite) -> None:
    """The row ended before it was confirmed: the join fails, and leaves nothing that anybody waits for."""
    one = site.coordinator()
    put = one._gateway.put_new

    async def slowly(*arguments: Any) -> Any:
        done = await put(*arguments)
        await site.pool.run("UPDATE leases SET until = clock_timestamp() - interval '1 s'")
        await site.rows().fence()
        return done

    one._gateway.put_new = slowly  # type: ignore[method-assign]
    with pytest.raises(CoordinatorAway, match="Joining took longer than the lease"):
        await one.join("one", ROLES, "0", TTL)
    assert await one.members() == []


async def test_the_watch_tells_of_comings_and_goings(site: EtcdSite) -> None:
    one, two = site.coordinator(), site.coordinator()
    await one.join("one", ROLES, "0", TTL)
    await eventually(lambda: site.changes >= 1)
    before = site.changes
    node = await two.join("two", ROLES, "0", TTL)
    await eventually(lambda: site.changes > before)
    before = site.changes
    await site.forget(node)
    await eventually(lambda: site.changes > before)


async def test_another_endpoint_is_tried_and_a_user_is_let_in(site: EtcdSite, own_etcd: Etcd) -> None:
    """With a password; the token is fetched again when etcd has forgotten it."""
    plain = EtcdGateway(EtcdAccess((own_etcd.endpoint,)))
    site.stack.push_async_callback(plain.close)
    for verb, body in (
        ("auth/user/add", {"name": "root", "password": "secret"}),
        ("auth/role/add", {"name": "root"}),
        ("auth/user/grant", {"user": "root", "role": "root"}),
        ("auth/enable", {}),
    ):
        await plain._call(verb, body, 5.0)
    with pytest.raises(CoordinatorAway):
        await plain.keys("/t/", 5.0)
    endpoints = ("http://127.0.0.1:9", own_etcd.endpoint)
    for password, right in (("secret", True), ("wrong", False)):
        gateway = EtcdGateway(EtcdAccess(endpoints, "root", password))
        site.stack.push_async_callback(gateway.close)
        if not right:
            with pytest.raises(CoordinatorAway, match="refuses the user 'root'"):
                await gateway.keys("/t/", 5.0)
            continue
        lease, ttl = await gateway.grant(5, 5.0)
        assert ttl >= 5
        gateway._token = "stale.1"
        assert await gateway.put_new("/t/k", b"v", lease, 5.0)
        assert not await gateway.put_new("/t/k", b"w", lease, 5.0)
        assert await gateway.keys("/t/", 5.0) == ["/t/k"]
        await gateway.revoke(lease, 5.0)
        assert await gateway.keys("/t/", 5.0) == []
        assert not await gateway.keep_alive(lease, 5.0)


@pytest.fixture
def certificate(tmp_path: Path) -> tuple[Path, Path]:
    """A certificate for this machine that vouches for itself, and its key."""
    made = tmp_path / "cert.pem", tmp_path / "key.pem"
    subject = ["-subj", "/CN=localhost", "-addext", "subjectAltName=IP:127.0.0.1"]
    usage = ["-addext", "extendedKeyUsage=serverAuth,clientAuth", "-days", "2", "-nodes"]
    key = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-keyout", str(made[1]), "-out", str(made[0])]
    subprocess.run(["openssl", "req", "-x509", *key, *subject, *usage], check=True, capture_output=True, timeout=60)
    return made


@pytest.fixture
def guarded_etcd(certificate: tuple[Path, Path]) -> Iterator[Etcd]:
    """An etcd that wants a client certificate."""
    cert, key = map(str, certificate)
    with running_etcd(cert_file=cert, key_file=key, trusted_ca_file=cert, client_cert_auth="true") as running:
        yield running


async def test_certificates_on_both_sides(guarded_etcd: Etcd, certificate: tuple[Path, Path]) -> None:
    cert, key = certificate
    known = EtcdGateway(EtcdAccess((guarded_etcd.endpoint,), ca=cert, cert=cert, key=key))
    stranger = EtcdGateway(EtcdAccess((guarded_etcd.endpoint,), ca=cert))
    distrustful = EtcdGateway(EtcdAccess((guarded_etcd.endpoint,)))
    try:
        assert (await known.grant(5, 5.0))[1] >= 5
        for refused in (stranger, distrustful):
            with pytest.raises(CoordinatorAway):
                await refused.grant(5, 5.0)
    finally:
        for gateway in (known, stranger, distrustful):
            await gateway.close()
