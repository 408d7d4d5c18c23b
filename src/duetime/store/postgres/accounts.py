"""`AccountStore` on PostgreSQL: users, with every change audited."""

from __future__ import annotations

from datetime import datetime
from typing import Any

import asyncpg
import msgspec
from msgspec import UNSET, structs

from duetime.model.audit import difference
from duetime.model.errors import Conflict
from duetime.model.policy import Limit
from duetime.model.user import Credentials, Quotas, Role, Share, User, UserChange
from duetime.postgres.pool import Pool
from duetime.store.postgres.audit import record
from duetime.store.postgres.queries import sql


class PostgresAccounts:
    """`AccountStore` on PostgreSQL."""

    def __init__(self, pool: Pool) -> None:
        self._pool = pool

    async def create_user(
        self, username: str, password_hash: str, job_weight: float, role: Role, now: datetime, actor: int | None
    ) -> User:
        """Create a user."""
        try:
            async with self._pool.transaction() as connection:
                row = await connection.fetchrow(
                    sql("accounts.create"),
                    username,
                    password_hash,
                    job_weight,
                    role,
                    now,
                )
                details = {"username": username, "job_weight": job_weight, "role": role}
                await record(connection, now, actor, "user.created", f"user:{row['id']}", details, owner=row["id"])
                return _user(row)
        except asyncpg.UniqueViolationError:
            raise Conflict(f"The user name {username!r} is taken: choose another.", field="username") from None

    async def credentials(self, username: str) -> Credentials | None:
        """Returns a user by name, with the hash of the password."""
        row = await self._pool.row(sql("accounts.by_name"), username)
        return Credentials(_user(row), row["password_hash"]) if row else None

    async def user(self, user_id: int) -> User | None:
        """Returns a user by id."""
        row = await self._pool.row(sql("accounts.by_id"), user_id)
        return _user(row) if row else None

    async def users(self, limit: int, after_id: int) -> list[User]:
        """Returns users in the order of ids."""
        rows = await self._pool.rows(sql("accounts.list"), after_id, limit)
        return [_user(row) for row in rows]

    async def set_password(self, user_id: int, password_hash: str, now: datetime, actor: int) -> User | None:
        """Set a new password. Tokens issued before become invalid."""
        async with self._pool.transaction() as connection:
            row = await connection.fetchrow(
                sql("accounts.set_password"),
                user_id,
                password_hash,
                now,
            )
            if row:
                await record(connection, now, actor, "user.password_changed", f"user:{user_id}", owner=user_id)
            return _user(row) if row else None

    async def change_user(self, user_id: int, change: UserChange, now: datetime, actor: int) -> User | None:
        """Change a user's weight, limits, quotas, shards or required labels."""
        async with self._pool.transaction() as connection:
            before = await connection.fetchrow(sql("accounts.lock"), user_id)
            row = await connection.fetchrow(
                sql("accounts.change"),
                user_id,
                None if change.job_weight is UNSET else change.job_weight,
                change.limits is not UNSET,
                _json(change.limits),
                change.quotas is not UNSET,
                _json(change.quotas),
                change.pinned_to is not UNSET,
                None if change.pinned_to is UNSET else change.pinned_to,
                change.requires is not UNSET,
                _json(change.requires),
            )
            if row:
                details = difference(_rules(before), _rules(row))
                await record(connection, now, actor, "user.changed", f"user:{user_id}", details, owner=user_id)
            return _user(row) if row else None

    async def shares(self) -> list[Share]:
        """Returns what the scheduler has to know about every user."""
        rows = await self._pool.rows(sql("accounts.shares"))
        return [Share(row["id"], row["job_weight"], _limit(row["limits"]), _labels(row["requires"])) for row in rows]


def _json(value: object) -> str | None:
    return None if value is None or value is UNSET else msgspec.json.encode(value).decode()


def _limit(text: str | None) -> Limit | None:
    return None if text is None else msgspec.json.decode(text, type=Limit)


def _labels(text: str | None) -> dict[str, str] | None:
    return None if text is None else msgspec.json.decode(text, type=dict[str, str])


def _rules(row: Any) -> dict[str, Any]:
    """Returns what an admin decides about a user."""
    user = structs.asdict(_user(row))
    return {name: user[name] for name in ("job_weight", "limits", "quotas", "pinned_to", "requires")}


def _user(row: Any) -> User:
    quotas, pinned = row["quotas"], row["pinned_to"]
    return User(
        id=row["id"],
        username=row["username"],
        job_weight=row["job_weight"],
        role=row["role"],
        tokens_from=row["tokens_from"],
        created_at=row["created_at"],
        limits=_limit(row["limits"]),
        quotas=None if quotas is None else msgspec.json.decode(quotas, type=Quotas),
        pinned_to=None if pinned is None else tuple(pinned),
        requires=_labels(row["requires"]),
    )
