"""What a turn of a coordinator costs: statements go from the living outward, however many nodes there ever were."""

from __future__ import annotations

import json

import pytest

from duetime.coordination.queries import sql
from harness.engine import Engine


@pytest.mark.parametrize("query", ["leases.members", "cluster.nodes"])
async def test_nodes_that_are_gone_are_not_read(engine: Engine, query: str) -> None:
    """The plan is made while there are few, and kept: it must be right when there were many."""
    async with engine.pool.acquired() as connection:
        await connection.execute(f"PREPARE turn AS {sql(query)}")
        await connection.execute("EXECUTE turn")
        await connection.execute(
            "INSERT INTO nodes (name, roles, version, joined_at)"
            " SELECT 'gone', '{scheduler}', '0', now() FROM generate_series(1, 5000)"
        )
        plan = await connection.fetchval("EXPLAIN (ANALYZE, BUFFERS OFF, TIMING OFF, FORMAT JSON) EXECUTE turn")
    read = [step["Actual Rows"] * step["Actual Loops"] for step in reads_of("nodes", plan)]
    assert sum(read) == 1, plan


def reads_of(table: str, plan: str) -> list[dict[str, float]]:
    """The steps of a plan that read a table."""
    found, rest = [], [json.loads(plan)[0]["Plan"]]
    while rest:
        step = rest.pop()
        rest += step.pop("Plans", [])
        if step.get("Relation Name") == table:
            found.append(step)
    return found
