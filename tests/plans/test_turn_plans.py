"""What a turn of a coordinator costs: statements go from the living outward, however many nodes there ever were."""

from __future__ import annotations

import json

import pytest

from duetime.coordination.postgres import PostgresCoordinator
from duetime.store.postgres.queries import sql
from harness.engine import Engine


@pytest.mark.parametrize("query", ["leases/members", "cluster/nodes"])
async def test_nodes_that_are_gone_are_not_read(engine: Engine, query: str) -> None:
    await engine.pool.run(
        "INSERT INTO nodes (name, roles, version, joined_at)"
        " SELECT 'gone', '{scheduler}', '0', now() FROM generate_series(1, 5000)"
    )
    coordinator = PostgresCoordinator(engine.pool)
    try:
        await coordinator.join("late", ("scheduler",), "0", 60.0)
        rows = await engine.pool.rows(f"EXPLAIN (ANALYZE, BUFFERS OFF, TIMING OFF, FORMAT JSON) {sql(query)}")
        read = [node["Actual Rows"] * node["Actual Loops"] for node in reads_of("nodes", rows[0][0])]
        assert 2 <= sum(read) <= 4, rows[0][0]
    finally:
        await coordinator.close()


def reads_of(table: str, plan: str) -> list[dict[str, float]]:
    """The steps of a plan that read a table."""
    found, rest = [], [json.loads(plan)[0]["Plan"]]
    while rest:
        step = rest.pop()
        rest += step.pop("Plans", [])
        if step.get("Relation Name") == table:
            found.append(step)
    return found
