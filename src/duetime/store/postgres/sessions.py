"""`SessionStore` on PostgreSQL."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from duetime.model.session import IDLE, MOST_SESSIONS, Session
from duetime.postgres.pool import Pool
from duetime.store.postgres.queries import sql


class PostgresSessions:
    """`SessionStore` on PostgreSQL."""

    def __init__(self, pool: Pool) -> None:
        self._pool = pool

    async def begin(self, session: Session) -> Session:
        """Store a session, and delete what is too much."""
        now = session.seen_at
        async with self._pool.transaction() as connection:
            row = await connection.fetchrow(
                sql("sessions.begin"),
                session.user_id,
                session.secret_hash,
                session.created_at,
                now,
                session.expires_at,
                session.address,
                session.client,
            )
            await connection.execute(sql("sessions.make_room"), session.user_id, now - IDLE, now, MOST_SESSIONS)
            return _session(row)

    async def session(self, session_id: int) -> Session | None:
        """Returns a session."""
        row = await self._pool.row(sql("sessions.by_id"), session_id)
        return None if row is None else _session(row)

    async def sessions(self, user_id: int) -> list[Session]:
        """Returns the sessions of a user, newest first."""
        return [_session(row) for row in await self._pool.rows(sql("sessions.of_user"), user_id)]

    async def use(self, session_id: int, now: datetime) -> None:
        """Record that a session is in use."""
        await self._pool.run(sql("sessions.use"), session_id, now)

    async def end(self, user_id: int, session_id: int) -> bool:
        """Delete a session of a user."""
        return bool(await self._pool.rows(sql("sessions.end"), user_id, session_id))


def _session(row: Any) -> Session:
    return Session(**row)
