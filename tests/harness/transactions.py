"""Transactions of the drivers that people use: each enqueues in a transaction and commits it, or rolls it back."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from typing import Any
from urllib.parse import parse_qs, urlsplit

import asyncpg

from duetime.work.transaction.write import write, write_sync


class Undone(Exception):
    """Rolls a transaction back."""


Jobs = Sequence[tuple[str, str, str | None]]
"""The body, the key and the user of each job."""
Enqueue = Callable[[str, Jobs, bool], Awaitable[None]]
"""Enqueues jobs in one transaction of a database, and commits it, or not."""


async def with_asyncpg(dsn: str, jobs: Jobs, commit: bool) -> None:
    connection = await asyncpg.connect(dsn)
    try:
        async with connection.transaction():
            for job in jobs:
                await write(connection, *job)
            if not commit:
                raise Undone
    except Undone:
        pass
    finally:
        await connection.close()


async def with_psycopg(dsn: str, jobs: Jobs, commit: bool) -> None:
    import psycopg

    with psycopg.connect(dsn) as connection:
        for job in jobs:
            write_sync(connection, *job)
        if not commit:
            connection.rollback()


async def with_async_psycopg(dsn: str, jobs: Jobs, commit: bool) -> None:
    import psycopg

    async with await psycopg.AsyncConnection.connect(dsn) as connection:
        for job in jobs:
            await write(connection, *job)
        if not commit:
            await connection.rollback()


async def with_sqlalchemy(dsn: str, jobs: Jobs, commit: bool) -> None:
    from sqlalchemy import create_engine
    from sqlalchemy.orm import Session

    engine = create_engine(dsn.replace("postgresql://", "postgresql+psycopg://"))
    with Session(engine) as session:
        for job in jobs:
            write_sync(session, *job)
        session.commit() if commit else session.rollback()
    engine.dispose()


async def with_async_sqlalchemy(dsn: str, jobs: Jobs, commit: bool) -> None:
    from sqlalchemy.ext.asyncio import AsyncSession, create_async_engine

    engine = create_async_engine(dsn.replace("postgresql://", "postgresql+asyncpg://"))
    async with AsyncSession(engine) as session:
        for job in jobs:
            await write(session, *job)
        await (session.commit() if commit else session.rollback())
    await engine.dispose()


async def with_django(dsn: str, jobs: Jobs, commit: bool) -> None:
    from asyncio import to_thread

    await to_thread(_with_django, dsn, jobs, commit)


def _with_django(dsn: str, jobs: Jobs, commit: bool) -> None:
    import django
    from django.conf import settings

    if not settings.configured:
        settings.configure()
        django.setup()
    from django.db.utils import ConnectionHandler

    handler = ConnectionHandler({"default": _django_database(dsn)})
    connection = handler["default"]
    try:
        connection.set_autocommit(False)
        for job in jobs:
            write_sync(connection, *job)
        connection.commit() if commit else connection.rollback()
    finally:
        connection.close()


def _django_database(dsn: str) -> dict[str, Any]:
    parts = urlsplit(dsn)
    host = parse_qs(parts.query).get("host", [parts.hostname or ""])[0]
    return {
        "ENGINE": "django.db.backends.postgresql",
        "NAME": parts.path.lstrip("/"),
        "USER": parts.username or "",
        "HOST": host,
        "PORT": parse_qs(parts.query).get("port", [str(parts.port or "")])[0],
    }


DRIVERS: dict[str, Enqueue] = {
    "asyncpg": with_asyncpg,
    "psycopg": with_psycopg,
    "async psycopg": with_async_psycopg,
    "SQLAlchemy": with_sqlalchemy,
    "async SQLAlchemy": with_async_sqlalchemy,
    "Django": with_django,
}
