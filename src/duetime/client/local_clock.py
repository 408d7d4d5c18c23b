"""Time for programs that use the SDK: they have no database, and so no clock port."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable
from datetime import UTC, datetime

Sleep = Callable[[float], Awaitable[None]]


def local_now() -> datetime:
    """Returns the current instant by this machine's clock, which is exact enough to renew a token in time."""
    return datetime.now(UTC)  # noqa: TID251


async def local_sleep(seconds: float) -> None:
    """Waits for a duration."""
    await asyncio.sleep(seconds)  # noqa: TID251


def local_monotonic() -> float:
    """Returns seconds on a clock that only goes forward, for durations within this process."""
    return time.monotonic()  # noqa: TID251
