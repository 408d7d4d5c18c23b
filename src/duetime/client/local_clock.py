"""Time for programs that use the SDK: they run beside no database, so there is no clock port to ask."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from datetime import UTC, datetime

Sleep = Callable[[float], Awaitable[None]]


def local_now() -> datetime:
    """The present instant by this machine's clock; good enough to tell when a token is old."""
    return datetime.now(UTC)  # noqa: TID251


async def local_sleep(seconds: float) -> None:
    """Wait for a duration."""
    await asyncio.sleep(seconds)  # noqa: TID251
