"""Writes a job in a transaction of the caller's own driver: one call of the SQL function `duetime_enqueue`.

The function has the same name and arguments in Duetime's own database and in every database with the outbox
(`duetime outbox` prints its migration), so that a program need not know in which of the two it is.
"""

from __future__ import annotations

from typing import Any

from ...errors import Invalid
from .drivers import Driver, driver_of


async def write(transaction: Any, body: str, key: str, username: str | None) -> None:
    """Writes a job in the transaction. It exists when the transaction commits."""
    driver = driver_of(transaction)
    if driver.is_async:
        await driver.execute(transaction, (body, key, username))
    else:
        driver.execute(transaction, (body, key, username))


def write_sync(transaction: Any, body: str, key: str, username: str | None) -> None:
    """Does the same, for code without an event loop."""
    driver = driver_of(transaction)
    if driver.is_async:
        raise Invalid(_needs_await(driver))
    driver.execute(transaction, (body, key, username))


def _needs_await(driver: Driver) -> str:
    return f"A transaction of {driver.name} needs an event loop: use 'await task.enqueue(…)' instead of enqueue_sync."
