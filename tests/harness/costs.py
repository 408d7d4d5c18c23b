"""Counts, instead of timings, of what work costs: rows, log and pages in the database; calls and memory in Python."""

from __future__ import annotations

import gc
import sys
from collections import Counter
from collections.abc import Iterator
from contextlib import AsyncExitStack, contextmanager
from pathlib import Path
from types import FrameType

import duetime
from harness.engine import Engine

SOURCE = str(Path(duetime.__file__).parent)


async def rows_written(engine: Engine) -> Counter[str]:
    """Rows inserted, updated and deleted so far, by table."""
    return await _statistics(
        engine, "SELECT relname, n_tup_ins AS insert, n_tup_upd AS update, n_tup_del AS delete FROM pg_stat_user_tables"
    )


async def pages_touched(engine: Engine) -> Counter[str]:
    """Pages of tables and of their indexes that were read so far, by table."""
    return await _statistics(
        engine,
        "SELECT relname, heap_blks_read + heap_blks_hit AS heap, coalesce(idx_blks_read + idx_blks_hit, 0) AS index "
        "FROM pg_statio_user_tables",
    )


async def log_written(engine: Engine) -> int:
    """Bytes of write-ahead log so far."""
    row = await engine.pool.row("SELECT pg_current_wal_insert_lsn() AS lsn")
    return row["lsn"]


async def _statistics(engine: Engine, query: str) -> Counter[str]:
    """The server's statistics by column and table; all days of history count as one table.

    Every connection reports first, because by itself it sends its statistics only from time to time.
    """
    async with AsyncExitStack() as stack:
        held = [await stack.enter_async_context(engine.pool.acquired()) for _ in range(engine.pool.size)]
        for connection in held:
            await connection.execute("SELECT pg_stat_force_next_flush()")
        rows = await held[0].fetch(query)
    found: Counter[str] = Counter()
    for row in rows:
        for column, count in list(row.items())[1:]:
            found[f"{column} {row['relname'].split('_2')[0]}"] += count
    return found


@contextmanager
def counting_calls() -> Iterator[Counter[str]]:
    """Count calls of Duetime's functions, and their calls into C, by function. Complete when the block ends."""
    seen: Counter[tuple[object, bool]] = Counter()
    found: Counter[str] = Counter()

    def note(frame: FrameType, event: str, _arg: object) -> None:
        if event == "call" or event == "c_call":
            code = frame.f_code
            if code.co_filename.startswith(SOURCE):
                seen[code, event == "call"] += 1

    sys.setprofile(note)
    try:
        yield found
    finally:
        sys.setprofile(None)
        for (code, entered), count in seen.items():
            where = f"{Path(code.co_filename).stem}.{code.co_qualname}"  # type: ignore[attr-defined]
            found[where if entered else f"C from {where}"] += count


def blocks() -> int:
    """The number of memory blocks that Python holds now."""
    gc.collect()
    return sys.getallocatedblocks()
