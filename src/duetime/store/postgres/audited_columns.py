"""What the audit says about a changed job or schedule: the columns that differ, with messages and secrets left out."""

from __future__ import annotations

from collections.abc import Mapping
from hashlib import sha256
from typing import Any

import msgspec

from duetime.model.audit import difference
from duetime.model.definition import decode_definition
from duetime.postgres.pool import Connection
from duetime.store.postgres.queries import sql


async def changed_columns(
    connection: Connection, before: Mapping[str, Any] | None, after: Mapping[str, Any] | None
) -> dict[str, Any] | None:
    """Returns the columns that differ; None if nothing does. Without `after`, the row is deleted."""
    was, is_ = dict(before or {}), dict(after or {})
    if was.get("definition_id") == is_.get("definition_id"):
        was.pop("definition_id", None)
        is_.pop("definition_id", None)
    return difference(await _shown(connection, was), await _shown(connection, is_)) or None


async def _shown(connection: Connection, row: dict[str, Any]) -> dict[str, Any]:
    """Returns columns as they may be shown: a target without its secrets, and of a message only a fingerprint."""
    definition_id, message = row.pop("definition_id", None), row.pop("message", None)
    if message is not None:
        row["message"] = f"{len(message)} characters, sha256 {sha256(message.encode()).hexdigest()[:16]}"
    if definition_id is not None:
        body = await connection.fetchval(sql("audit.definition"), definition_id)
        if body is not None:
            definition = decode_definition(bytes(body))
            row["target"] = msgspec.to_builtins(definition.target.redacted())
            row["policy"] = msgspec.to_builtins(definition.policy)
    return row
