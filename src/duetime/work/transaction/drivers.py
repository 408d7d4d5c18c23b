"""The drivers whose transactions a job can be written in, recognised by the module of their classes.

None of them is imported here: the caller's object brings what is needed.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from msgspec import Struct

from ...errors import Invalid

Arguments = tuple[str, str, str | None]
NAMED = "SELECT duetime_enqueue(CAST(:body AS jsonb), :key, :username)"
NUMBERED = "SELECT duetime_enqueue($1::text::jsonb, $2::text, $3::text)"
PERCENT = "SELECT duetime_enqueue(%s::jsonb, %s::text, %s::text)"


class Driver(Struct, frozen=True):
    """A driver, and how it executes the statement."""

    name: str
    is_async: bool
    execute: Callable[[Any, Arguments], Any]


def _sqlalchemy(transaction: Any, arguments: Arguments) -> Any:
    from sqlalchemy import text

    return transaction.execute(text(NAMED), dict(zip(("body", "key", "username"), arguments, strict=True)))


def _asyncpg(transaction: Any, arguments: Arguments) -> Any:
    return transaction.execute(NUMBERED, *arguments)


def _psycopg(transaction: Any, arguments: Arguments) -> Any:
    return transaction.execute(PERCENT, arguments)


def _django(transaction: Any, arguments: Arguments) -> None:
    with transaction.cursor() as cursor:
        cursor.execute(PERCENT, arguments)


KNOWN: dict[tuple[str, str], Driver] = {
    ("sqlalchemy", "AsyncSession"): Driver("SQLAlchemy", True, _sqlalchemy),
    ("sqlalchemy", "AsyncConnection"): Driver("SQLAlchemy", True, _sqlalchemy),
    ("sqlalchemy", "async_scoped_session"): Driver("SQLAlchemy", True, _sqlalchemy),
    ("sqlalchemy", "Session"): Driver("SQLAlchemy", False, _sqlalchemy),
    ("sqlalchemy", "Connection"): Driver("SQLAlchemy", False, _sqlalchemy),
    ("sqlalchemy", "scoped_session"): Driver("SQLAlchemy", False, _sqlalchemy),
    ("asyncpg", "Connection"): Driver("asyncpg", True, _asyncpg),
    ("asyncpg", "PoolConnectionProxy"): Driver("asyncpg", True, _asyncpg),
    ("psycopg", "AsyncConnection"): Driver("psycopg", True, _psycopg),
    ("psycopg", "AsyncCursor"): Driver("psycopg", True, _psycopg),
    ("psycopg", "Connection"): Driver("psycopg", False, _psycopg),
    ("psycopg", "Cursor"): Driver("psycopg", False, _psycopg),
    ("django", "BaseDatabaseWrapper"): Driver("Django", False, _django),
    ("django", "ConnectionProxy"): Driver("Django", False, _django),
}


def driver_of(transaction: Any) -> Driver:
    """Returns the driver of a transaction: a session, connection or cursor of one of the known libraries."""
    for kind in type(transaction).__mro__:
        found = KNOWN.get((kind.__module__.partition(".")[0], kind.__name__))
        if found is not None:
            return found
    kind = type(transaction)
    raise Invalid(
        f"A job cannot be enqueued in a {kind.__module__}.{kind.__qualname__}: pass a session or connection of "
        "SQLAlchemy, a connection of asyncpg or psycopg, or Django's 'connection'."
    )
