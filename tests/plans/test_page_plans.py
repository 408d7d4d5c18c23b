"""What the page reads is bounded: neither jobs of the future nor a long history make its statements read more."""

from __future__ import annotations

import json
from typing import Any

import pytest

from duetime.model.flow import PART
from duetime.model.ids import flow_of
from duetime.store.postgres.queries import sql
from harness.engine import Engine

FUTURE = """
INSERT INTO jobs (id, user_id, definition_id, priority, ready, flow, execute_at, due_at, created_at, message)
SELECT n * 1024, $1::int, 1, 5, true, $1::int::bigint << 32, at, at, $2, 'm'
FROM (SELECT n, $2::timestamptz + n * interval '1 minute' AS at FROM generate_series(1, 5000) n) t
"""
PAST = """
INSERT INTO history (id, user_id, definition_id, priority, attempt, state, execute_at, due_at, created_at, finished_at,
                     message)
SELECT n * 1024, $1::int, 1, 5, 1, (CASE WHEN n % 10 = 0 THEN 'dead' ELSE 'succeeded' END)::job_state,
       $2::timestamptz, $2, $2, $2,
       'm'
FROM generate_series(1, 5000) n
"""
NOTHING = (None,) * 5
MOST_ID = 2**53
READS: dict[str, tuple[str, list[Any], int]] = {
    "activity.due_now": ("jobs", [10_000, 200, [], False], 0),
    "activity.due_flows": ("jobs", [200], 0),
    "dead.groups": ("history", [MOST_ID, *NOTHING, 100, None], 100),
    "insight.list_finished": ("history", [MOST_ID, None, None, None, None, None, 100, None, None, 0, None, False], 100),
    "insight.list_dead": ("history", [MOST_ID, ["dead"], None, None, None, None, 100, None, None, 0, None, False], 100),
}
"""By statement: the table that it reads, its arguments after the first ones, and how many rows it may read."""


@pytest.mark.parametrize("name", READS)
async def test_a_read_of_the_page_is_bounded(engine: Engine, name: str) -> None:
    user, (table, more, most) = await engine.user(), READS[name]
    async with engine.pool.acquired() as connection:
        for fill in (FUTURE, PAST):
            await connection.execute(fill, user, engine.clock.now())
        first = [flow_of(user, 0), flow_of(user, PART) + 1, engine.clock.now()] if table == "jobs" else [user]
        explain = f"EXPLAIN (ANALYZE, BUFFERS OFF, TIMING OFF, FORMAT JSON) {sql(name)}"
        plan = await connection.fetchval(explain, *first, *more)
    assert _read(table, plan) <= most, plan


def _read(table: str, plan: str) -> float:
    """How many rows of a table, or of its partitions, were read for what matches and for what does not."""
    found, rest = 0.0, [json.loads(plan)[0]["Plan"]]
    while rest:
        step = rest.pop()
        rest += step.get("Plans", [])
        if step.get("Relation Name", "").startswith(table):
            rows = step["Actual Rows"] + step.get("Rows Removed by Filter", 0)
            # A look at the end of an index for its smallest flow.
            found += 0 if step["Node Type"] == "Index Only Scan" else rows * step["Actual Loops"]
    return found
