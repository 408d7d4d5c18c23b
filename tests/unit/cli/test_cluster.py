"""The commands around the cluster."""

from __future__ import annotations

from typing import Any

from unit.cli.conftest import Cli
from unit.client.scripted_api import ScriptedApi, Seen, fail, ok

CLUSTER = "/api/v1/cluster"


def node(number: int = 3, **more: Any) -> dict[str, Any]:
    facts = {
        "id": number,
        "name": f"host:{number}",
        "roles": ["scheduler"],
        "version": "0.1.0",
        "since": "2030-01-31T09:00:00Z",
        "status": "active",
        "shards": 512,
        "lowest_term": 2,
        "highest_term": 9,
        "running": 4,
        "lease_left_ms": 1600,
        "lag_ms": 250,
        "clock_skew_ms": -3,
    }
    return facts | more


def whole(*nodes: dict[str, Any], orphaned: int = 0) -> Any:
    return ok(
        {"id": "b7c0", "name": "prod", "coordinator": "etcd", "orphaned_shards": orphaned, "nodes": [*nodes]},
    )


def test_status_is_a_table_and_says_what_is_wrong(cli: Cli, api: ScriptedApi) -> None:
    wrong = node(4, lease_left_ms=None, clock_skew_ms=7_200_000, lowest_term=None, highest_term=None, shards=0)
    api.on(f"GET {CLUSTER}", whole(node(), wrong, orphaned=12))
    out = cli("cluster", "status").out
    assert "'prod' (b7c0), leases in etcd" in out
    assert out.splitlines()[2].split()[:4] == ["3", "host:3", "active", "scheduler"]
    assert "2-9" in out
    assert "1.6s left" in out
    assert "12 shards have no living owner" in out
    assert "The clock of node 4 (host:4) is off by 7200.0s." in out
    assert "The clock of node 3" not in out
    assert cli("cluster", "status", "--json").lines[0]["nodes"][0]["lag_ms"] == 250


def test_a_node_is_drained_by_name_or_id_and_waited_for(cli: Cli, api: ScriptedApi) -> None:
    looks = iter([whole(node(), node(31)), whole(node(status="draining")), whole(node(status="drained", shards=0))])
    api.on(f"GET {CLUSTER}", lambda _: next(looks))
    api.on(f"POST {CLUSTER}/nodes/3/drain", ok(node(status="draining")))
    ran = cli("cluster", "drain", "host:3", "--wait")
    assert ran.out == "Node 3 (host:3) is drained: 0 shards, 4 runs.\n"
    assert "512 shards and 4 runs left" in ran.err


def test_the_last_scheduler_goes_only_when_forced(cli: Cli, api: ScriptedApi) -> None:
    def answer(seen: Seen) -> Any:
        forced = seen.query == {"force": "true"}
        return ok(node(status="draining")) if forced else fail(409, "conflict", "Node 3 is the only scheduler.")

    api.on(f"GET {CLUSTER}", whole(node()))
    api.on(f"POST {CLUSTER}/nodes/3/drain", answer)
    refused = cli("cluster", "drain", "3")
    assert refused.code != 0
    assert "the only scheduler" in refused.err
    assert cli("cluster", "drain", "3", "--force", "--json").lines[0]["status"] == "draining"


def test_an_unknown_node_is_said_to_be_unknown(cli: Cli, api: ScriptedApi) -> None:
    api.on(f"GET {CLUSTER}", whole(node()))
    ran = cli("cluster", "undrain", "nobody")
    assert ran.code != 0
    assert "no living node 'nobody'" in ran.err


def test_undrain_and_rebalance(cli: Cli, api: ScriptedApi) -> None:
    api.on(f"GET {CLUSTER}", whole(node()))
    api.on(f"POST {CLUSTER}/nodes/3/undrain", ok(node()))
    assert cli("cluster", "undrain", "3").out == "Node 3 (host:3) is active: 512 shards, 4 runs.\n"
    moves = [{"source": 3, "target": None, "shards": 5}]
    answers = iter([ok({"moved": 0, "moves": []}), ok({"moved": 5, "moves": moves}), ok({"moved": 5, "moves": moves})])
    api.on(f"POST {CLUSTER}/rebalance", lambda _: next(answers))
    assert "Nothing had to move" in cli("cluster", "rebalance").out
    told = cli("cluster", "rebalance").out
    assert told.startswith("5 shards moved.")
    assert "no owner" in told
    assert cli("cluster", "rebalance", "--json").lines[0]["moves"] == moves
