"""The audit: each entry is written in the transaction of the change that it describes."""

from __future__ import annotations

from datetime import datetime
from typing import Any

import msgspec

from duetime.store.postgres.queries import sql


async def record(
    connection: Any, at: datetime, actor: int | None, action: str, subject: str, details: object = None
) -> None:
    """Record who changed what."""
    await connection.execute(
        sql("accounts.audit"),
        at,
        actor,
        action,
        subject,
        None if details is None else msgspec.json.encode(details).decode(),
    )
