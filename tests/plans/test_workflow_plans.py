"""Statements of workflows go by index, and the end of a step touches what it decides about, not the whole workflow."""

from __future__ import annotations

import asyncpg

from duetime.postgres.pool import SETTINGS
from duetime.store.postgres.queries import sql
from harness.engine import Engine
from harness.workflows import create, jobs, step
from plans.test_hot_plans import MAY_SCAN, plan_of

BY_INDEX = {
    "workflows.finish": {"in_flight_pkey"},
    "workflows.inputs": {"steps_pkey", "edges_by_child"},
    "workflows.overdue": {"workflows_by_deadline"},
    "workflows.waits": {"steps_pkey", "edges_by_child"},
    "workflows.steps": {"steps_by_workflow"},
    "workflows.edges": {"steps_by_workflow", "edges_by_child", "steps_pkey"},
    "workflows.list": {"workflows_by_user"},
    "workflows.by_id": {"workflows_pkey"},
}
WIDTH = 2000


async def test_by_index_whatever_the_statistics_say(engine: Engine) -> None:
    for full in (False, True):
        if full:
            user = await engine.user()
            await create(
                engine, user, step(engine, user, "a"), *(step(engine, user, f"b{n}", "a") for n in range(WIDTH))
            )
            await engine.pool.run("ANALYZE")
        for name, wanted in BY_INDEX.items():
            connection = await asyncpg.connect(engine.pool.dsn, server_settings=SETTINGS)
            try:
                nodes = await plan_of(connection, name)
            finally:
                await connection.close()
            scanned = {str(node["Relation Name"]) for node in nodes if node["Node Type"] == "Seq Scan"}
            assert not {one for one in scanned if not one.startswith("history")} - MAY_SCAN, name
            assert wanted <= {node.get("Index Name") for node in nodes}, name


async def test_one_of_many_parents_touches_one_edge(engine: Engine) -> None:
    user = await engine.user()
    parents = [f"p{n}" for n in range(WIDTH)]
    made = await create(
        engine, user, *(step(engine, user, ref) for ref in parents), step(engine, user, "last", *parents)
    )
    at, job_id = engine.clock.now(), jobs(made)["p7"]
    connection = await asyncpg.connect(engine.pool.dsn, server_settings=SETTINGS)
    try:
        await connection.execute(
            "INSERT INTO in_flight (job_id, user_id, executor, term, attempt, launched_at)"
            " VALUES ($1, $2, 7, 1, 1, $3)",
            *(job_id, user, at),
        )
        async with connection.transaction():
            row = await connection.fetchrow(sql("workflows.finish"), [(job_id, 7, 1, "succeeded", at, at, None, None)])
            assert row is not None
            assert row["settled"] == [job_id]
            counts = await connection.fetch(
                "SELECT relname, seq_scan, idx_tup_fetch FROM pg_stat_xact_user_tables WHERE relname = ANY($1)",
                ["jobs", "steps", "edges", "workflows"],
            )
    finally:
        await connection.close()
    for row in counts:
        assert row["seq_scan"] == 0, row
        assert row["idx_tup_fetch"] <= 10, row
