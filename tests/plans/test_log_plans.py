"""A search in logs reads few chunks, whether its word is rare or in every line, and however much was logged."""

from __future__ import annotations

import json
from datetime import timedelta
from typing import Any

import pytest

from duetime.model.logs import LogFilter
from duetime.store.postgres.logs import CANDIDATES
from duetime.store.postgres.queries import sql
from harness.engine import Engine

CHUNKS = 20_000
RARE = 5000
FILL = f"""
INSERT INTO run_logs (job_id, user_id, attempt, seq, lines, bytes, finished_at)
SELECT n * 1024, $1::int, 1, 0,
       ARRAY['common line ' || n, 'second' || (CASE WHEN n % {RARE} = 0 THEN ' needle' ELSE '' END)], 30,
       $2::timestamptz - n * interval '1 second'
FROM generate_series(1, {CHUNKS}) n
"""


@pytest.fixture
async def user(engine: Engine) -> int:
    made = await engine.user()
    async with engine.pool.acquired() as connection:
        now = engine.clock.now()
        await engine.stores.retention.make_days((now - timedelta(days=1)).date(), now.date())
        await connection.execute(FILL, made, now)
    logs = engine.stores.logs
    assert logs is not None
    while await logs.index(5000):
        pass
    return made


async def test_a_rare_and_a_common_word_are_found(engine: Engine, user: int) -> None:
    logs = engine.stores.logs
    assert logs is not None
    rare = await logs.search(user, LogFilter(("needle",)))
    assert ([hit.job_id // 1024 for hit in rare.hits], rare.floor) == ([5000, 10_000, 15_000, 20_000], None)
    common = await logs.search(user, LogFilter(("common",), limit=10))
    assert [hit.job_id // 1024 for hit in common.hits] == list(range(1, 11))
    never = await logs.search(user, LogFilter(("common", "second")))
    assert never.hits == []
    assert never.floor is not None, "words of every chunk that no line has together: the search ends early"


async def plan_of(engine: Engine, name: str, *arguments: Any) -> list[dict[str, Any]]:
    """The steps of a statement's plan."""
    async with engine.pool.acquired() as connection:
        explain = f"EXPLAIN (ANALYZE, BUFFERS OFF, TIMING OFF, FORMAT JSON) {sql(name)}"
        rest, steps = [json.loads(await connection.fetchval(explain, *arguments))[0]["Plan"]], list[dict[str, Any]]()
    while rest:
        step = rest.pop()
        rest += step.get("Plans", [])
        steps.append(step)
    return steps


async def test_statements_use_their_indexes(engine: Engine, user: int) -> None:
    now = engine.clock.now()
    since, query = now - timedelta(seconds=100), f"'@{user}' & 'common'"
    newest = await plan_of(engine, "logs.newest", user, since, now, query, CANDIDATES)
    read = [step for step in newest if step.get("Relation Name", "").startswith("run_log_words")]
    assert sum(step["Actual Rows"] * step["Actual Loops"] for step in read) <= 100
    assert {step["Node Type"] for step in read} == {"Index Scan"}
    floor = await plan_of(engine, "logs.floor", user, now - timedelta(days=1), now, 1999)
    assert not any(step["Node Type"] in ("Sort", "Seq Scan") for step in floor)
    keys = [[1024, 2048], [1, 1], [0, 0], [now - timedelta(seconds=1), now - timedelta(seconds=2)]]
    match = await plan_of(engine, "logs.match", user, *keys, "'common'", None, 10, 1000)
    lines = [step for step in match if step.get("Relation Name", "").startswith("run_logs")]
    assert sum(step["Actual Rows"] * step["Actual Loops"] for step in lines) == 2


async def test_the_index_of_words_reads_only_chunks_with_the_word(engine: Engine, user: int) -> None:
    now = engine.clock.now()
    async with engine.pool.acquired() as connection:
        await connection.execute("SET enable_bitmapscan = on; SET enable_indexscan = off")
        body = f"""SELECT job_id FROM run_log_words WHERE words @@ '''@{user}'' & ''needle'''::tsquery
                   AND finished_at >= $1 AND finished_at < $2 ORDER BY finished_at DESC"""
        plan = await connection.fetchval(
            f"EXPLAIN (ANALYZE, TIMING OFF, FORMAT JSON) {body}", now - timedelta(days=1), now
        )
        await connection.execute("RESET enable_bitmapscan; RESET enable_indexscan")
    text = json.dumps(json.loads(plan))
    assert "run_log_words" in text
    assert "Bitmap Index Scan" in text
    assert "Seq Scan" not in text
