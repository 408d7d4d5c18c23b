"""A pooler that lends server connections for one transaction each is told from a server and from other poolers."""

from __future__ import annotations

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from typing import Any

import pytest

from duetime.model.errors import ConfigError
from duetime.store.postgres.server import check_sessions


class Pooler:
    """Lends server processes; the one that was used last is the next to be lent."""

    def __init__(self) -> None:
        self.free = [103, 102, 101]


class Connection:
    """A client's connection, which has a server process for a transaction, or for itself."""

    def __init__(self, pooler: Pooler, *, for_itself: bool) -> None:
        self._pooler, self._held = pooler, pooler.free.pop() if for_itself else None

    async def fetchval(self, _: str) -> int:
        """The server process of a statement."""
        return self._pooler.free[-1] if self._held is None else self._held

    @asynccontextmanager
    async def transaction(self) -> AsyncGenerator[None]:
        """A server process is held, and given back at the end."""
        own = self._held
        self._held = self._pooler.free.pop() if own is None else own
        yield
        if own is None:
            self._pooler.free.append(self._held)
            self._held = None


@pytest.mark.parametrize("for_itself", [True, False])
async def test_lending_for_a_transaction_is_refused(for_itself: bool) -> None:
    pooler = Pooler()
    one, other = (Connection(pooler, for_itself=for_itself) for _ in range(2))
    checked: Any = check_sessions(one, other)  # type: ignore[arg-type]
    if for_itself:
        await checked
    else:
        with pytest.raises(ConfigError, match="pool_mode = session"):
            await checked
