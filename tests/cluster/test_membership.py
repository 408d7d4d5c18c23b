"""Real nodes that come, go, die, freeze and are drained: each time the others have its shards, and jobs go on."""

from __future__ import annotations

import asyncio
import signal
import sys
from contextlib import AsyncExitStack

from cluster.nodes import CLUSTER, Nodes, nodes_of, until_shards
from harness.calls import JOBS, Api
from harness.etcd import Etcd
from harness.process import environment
from harness.sink import Sink, SinkAnswer
from harness.waiting import eventually


async def run_some(api: Api, count: int = 64) -> None:
    """Jobs for now, in every part of the shards: all of them end."""
    before = (await api.get(f"{JOBS}/stats")).data["succeeded"]
    await api.post(f"{JOBS}/bulk", [{"message": "now", "delay": "0s"} for _ in range(count)])

    async def ended() -> bool:
        return (await api.get(f"{JOBS}/stats")).data["succeeded"] == before + count

    await eventually(ended, 30.0)


async def duetime(*arguments: str, url: str, token: str) -> str:
    """The command line, as an administrator."""
    env = environment(DUETIME_SERVER=url, DUETIME_TOKEN=token)
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "duetime", *arguments), env=env, stdout=asyncio.subprocess.PIPE
    )
    out, _ = await asyncio.wait_for(process.communicate(), 60)
    assert process.returncode == 0
    return out.decode()


async def test_nodes_come_die_freeze_and_stop(nodes: Nodes, sink: Sink) -> None:
    one = await nodes.start()
    admin = await nodes.admin(one)
    await until_shards(admin, {one: 1024})
    two, spare = await asyncio.gather(nodes.start(), nodes.start("--set", "standby=2"))
    found = await until_shards(admin, {one: 512, two: 512, spare: 0})
    assert found[str(spare.pid)]["status"] == "standby"
    assert (await (await nodes.admin(spare)).get("/readyz")).data, "a spare is ready without shards"
    await run_some(admin)

    two.signal(signal.SIGKILL)
    found = await until_shards(admin, {one: 512, spare: 512})
    assert found[str(spare.pid)]["status"] == "active"
    await run_some(admin)

    frozen = found[str(spare.pid)]["id"]
    spare.signal(signal.SIGSTOP)
    await until_shards(admin, {one: 1024})
    await run_some(admin)
    spare.signal(signal.SIGCONT)
    found = await until_shards(admin, {one: 512, spare: 512})
    assert found[str(spare.pid)]["id"] > frozen, "a fenced node comes back as somebody new"
    assert "lease lost: joining again under a new id" in spare.output
    await run_some(admin)

    await sink.rule("/long", SinkAnswer(delay=600.0))
    await admin.post(f"{JOBS}/bulk", [{"message": "x", "target": {"kind": "http", "url": sink.url("/long")}}] * 8)

    async def running() -> bool:
        return all(node["running"] for node in (await nodes_of(admin)).values())

    await eventually(running)
    spare.signal(signal.SIGTERM)
    found = await until_shards(admin, {one: 1024, spare: 0})
    assert found[str(spare.pid)]["status"] == "draining", "it has handed over, while its runs go on"
    await run_some(admin)
    spare.signal(signal.SIGKILL)
    one.signal(signal.SIGKILL)


async def test_a_node_is_drained_and_taken_back(nodes: Nodes) -> None:
    one, two = await asyncio.gather(nodes.start("--set", "cluster=blue"), nodes.start())
    admin = await nodes.admin(one)
    found = await until_shards(admin, {one: 512, two: 512})
    table = await duetime("cluster", "status", url=one.url, token=admin.token)
    assert "Cluster 'blue'" in table
    assert str(two.pid) in table
    out = await duetime("cluster", "drain", found[str(two.pid)]["name"], "--wait", url=one.url, token=admin.token)
    assert "is drained: 0 shards, 0 runs" in out
    found = await until_shards(admin, {one: 1024, two: 0})
    refused = await admin.post(f"{CLUSTER}/nodes/{found[str(one.pid)]['id']}/drain")
    refused.error(409, "conflict")

    async def not_ready() -> bool:
        return "drained" in str((await (await nodes.admin(two)).get("/readyz")).json)

    await eventually(not_ready)
    await run_some(admin)
    (await admin.post(f"{CLUSTER}/nodes/{found[str(two.pid)]['id']}/undrain")).data  # noqa: B018
    await until_shards(admin, {one: 512, two: 512})
    assert (await admin.post(f"{CLUSTER}/rebalance")).data == {"moved": 0, "moves": []}
    (await (await admin.new_user("somebody")).get(CLUSTER)).error(403, "forbidden")

    lost = nodes.make("--set", "cluster=green")
    lost.launch()
    assert await asyncio.to_thread(lost.wait) != 0
    assert "belongs to the cluster 'blue'" in lost.output


async def test_with_etcd_nodes_come_die_and_wait_for_it(dsn: str, etcd: Etcd) -> None:
    async with AsyncExitStack() as stack:
        judged = ("--set", "coordinator=etcd", "--set", f"etcd.endpoints={etcd.endpoint}")
        nodes = Nodes(dsn, stack, *judged)
        one, two = await asyncio.gather(nodes.start(), nodes.start())
        admin = await nodes.admin(one)
        found = await until_shards(admin, {one: 512, two: 512})
        assert {node["lease_left_ms"] for node in found.values()} == {None}
        await run_some(admin)
        two.signal(signal.SIGKILL)
        await until_shards(admin, {one: 1024})
        await run_some(admin)

        await asyncio.to_thread(etcd.stop)

        async def says_so() -> bool:
            return "lease is not renewed" in str((await admin.get("/readyz")).json)

        await eventually(says_so)
        (job,) = (await admin.post(f"{JOBS}/bulk", [{"message": "waits", "delay": "0s"}])).data["ids"]
        assert (await admin.get(f"{JOBS}/{job}")).data["status"] == "created"
        await asyncio.to_thread(etcd.start)

        async def done() -> bool:
            return (await admin.get(f"{JOBS}/{job}")).data["status"] == "succeeded"

        await eventually(done, 30.0)

        other = Nodes(dsn, stack).make()
        other.launch()
        assert await asyncio.to_thread(other.wait) != 0
        assert "keep their leases in etcd" in other.output
