"""Warms up connections: statements that jobs wait for are planned before the first job needs them."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Sequence
from contextlib import AsyncExitStack
from datetime import UTC, datetime
from typing import Final

from duetime.model.ids import SHARDS
from duetime.postgres.pool import Connection, Pool
from duetime.store.postgres.queries import sql

MOST = 8
"""How many connections are opened in advance. A larger pool opens the others when it needs them."""
_NOW: Final = datetime(2000, 1, 1, tzinfo=UTC)
_NO_NODE, _NONE = 0, "{}"
_HELD: Final = bytes(SHARDS)
HOT: Final[dict[str, tuple[tuple[str, Sequence[object]], ...]]] = {
    "api": (
        ("submit.store", ([], _NOW)),
        ("submit.store_plain", ([], _NOW, *[_NONE] * 7)),
        ("lanes.promote", (_NONE, _NONE, False)),
    ),
    "scheduler": (
        ("due.look_ahead", (_NOW, 0, _NOW, _HELD, 1)),
        ("due.backlog", ([], [], _NOW, _HELD, [], [], [])),
        ("launch.commit", (_NO_NODE, _NOW, False, *[_NONE] * 4, None, None)),
        ("launch.commit", (_NO_NODE, _NOW, False, *[_NONE] * 5, None)),
        ("mint.to_launch", ([],)),
        ("mint.launch_occurrences", (_NO_NODE, _NOW, [])),
    ),
    "executor": (
        ("settle.succeed", (_NO_NODE, 1, *[_NONE] * 3)),
        ("settle.finish", ([],)),
        ("settle.retry", ([],)),
        ("lanes.waited_in", ([],)),
        ("lanes.promote", (_NONE, _NONE, False)),
    ),
}
"""By role, statements with arguments that make them do nothing. The first call costs 1 to 15 ms for each statement, 50
in all; later ones cost 0.3."""


async def warm(pool: Pool, roles: Iterable[str]) -> None:
    """Open connections and prepare on each the statements that jobs wait for in these roles."""
    hot: list[tuple[str, Sequence[object]]] = []
    for role in roles:
        hot += [one for one in HOT[role] if one not in hot]
    async with AsyncExitStack() as stack:
        opening = [stack.enter_async_context(pool.acquired()) for _ in range(min(MOST, pool.size))]
        await asyncio.gather(*(_warm(connection, hot) for connection in await asyncio.gather(*opening)))


async def _warm(connection: Connection, hot: Iterable[tuple[str, Sequence[object]]]) -> None:
    for name, arguments in hot:
        await connection.fetch(sql(name), *arguments)
