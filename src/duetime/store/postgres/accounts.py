"""Users, with every change audited."""

from __future__ import annotations

from datetime import datetime
from typing import Any

import asyncpg

from duetime.model.errors import Conflict
from duetime.model.user import Credentials, Role, User
from duetime.store.postgres.audit import record
from duetime.store.postgres.pool import Pool
from duetime.store.postgres.queries import sql

COLUMNS = User.__struct_fields__


class PostgresAccounts:
    """`AccountStore` on PostgreSQL."""

    def __init__(self, pool: Pool) -> None:
        self._pool = pool

    async def create_user(
        self, username: str, password_hash: str, job_weight: float, role: Role, now: datetime, actor: int | None
    ) -> User:
        """A new user."""
        try:
            async with self._pool.transaction() as connection:
                row = await connection.fetchrow(
                    sql("users/create"),
                    username,
                    password_hash,
                    job_weight,
                    role,
                    now,
                )
                details = {"username": username, "job_weight": job_weight, "role": role}
                await record(connection, now, actor, "user.created", f"user:{row['id']}", details)
                return _user(row)
        except asyncpg.UniqueViolationError:
            raise Conflict(f"The user name {username!r} is taken: choose another.", field="username") from None

    async def credentials(self, username: str) -> Credentials | None:
        """A user with the password's hash."""
        row = await self._pool.row(sql("users/by_name"), username)
        return Credentials(_user(row), row["password_hash"]) if row else None

    async def user(self, user_id: int) -> User | None:
        """A user by id."""
        row = await self._pool.row(sql("users/by_id"), user_id)
        return _user(row) if row else None

    async def users(self, limit: int, after_id: int) -> list[User]:
        """Users by id."""
        rows = await self._pool.rows(sql("users/list"), after_id, limit)
        return [_user(row) for row in rows]

    async def set_password(self, user_id: int, password_hash: str, now: datetime, actor: int) -> User | None:
        """A new password; tokens issued before are void."""
        async with self._pool.transaction() as connection:
            row = await connection.fetchrow(
                sql("users/set_password"),
                user_id,
                password_hash,
                now,
            )
            if row:
                await record(connection, now, actor, "user.password_changed", f"user:{user_id}")
            return _user(row) if row else None

    async def set_weight(self, user_id: int, job_weight: float, now: datetime, actor: int) -> User | None:
        """A new weight."""
        async with self._pool.transaction() as connection:
            row = await connection.fetchrow(sql("users/set_weight"), user_id, job_weight)
            if row:
                details = {"job_weight": job_weight}
                await record(connection, now, actor, "user.weight_changed", f"user:{user_id}", details)
            return _user(row) if row else None

    async def weights(self) -> dict[int, float]:
        """Every user's weight."""
        return {row["id"]: row["job_weight"] for row in await self._pool.rows(sql("users/weights"))}


def _user(row: Any) -> User:
    return User(*(row[name] for name in COLUMNS))
