"""`AccountStore` in memory."""

from __future__ import annotations

from datetime import datetime
from typing import Any

import msgspec

from duetime.model.errors import Conflict
from duetime.model.user import Credentials, Role, Share, User, UserChange
from simulation.memory.link import Link
from simulation.memory.tables import Tables


class MemoryAccounts:
    """Users."""

    def __init__(self, tables: Tables, link: Link) -> None:
        self._tables, self._link = tables, link

    async def create_user(
        self, username: str, password_hash: str, job_weight: float, role: Role, now: datetime, actor: int | None
    ) -> User:
        """A new user."""

        def create() -> User:
            if any(user.username.lower() == username.lower() for user in self._tables.users.values()):
                raise Conflict(f"The user name {username!r} is taken: choose another.", field="username")
            user = self._tables.add_user(username, job_weight, role=role, at=now)
            self._tables.passwords[user.id] = password_hash
            self._tables.record(now, actor, "user.created", f"user:{user.id}", user.id)
            return user

        return await self._link.call("create_user", create)

    async def credentials(self, username: str) -> Credentials | None:
        """A user with the password's hash."""
        for user in self._tables.users.values():
            if user.username.lower() == username.lower():
                return Credentials(user, self._tables.passwords.get(user.id, ""))
        return None

    async def user(self, user_id: int) -> User | None:
        """A user by id."""
        return await self._link.call("user", lambda: self._tables.users.get(user_id))

    async def users(self, limit: int, after_id: int) -> list[User]:
        """Users by id."""
        known = self._tables.users
        return await self._link.call("users", lambda: [known[one] for one in sorted(known) if one > after_id][:limit])

    async def set_password(self, user_id: int, password_hash: str, now: datetime, actor: int) -> User | None:
        """Tokens issued before are void."""
        user = await self._change(user_id, "user.password_changed", now, actor, tokens_from=now)
        if user is not None:
            self._tables.passwords[user_id] = password_hash
        return user

    async def change_user(self, user_id: int, change: UserChange, now: datetime, actor: int) -> User | None:
        """A new weight, other limits, quotas or shards."""
        said = {name: value for name, value in msgspec.structs.asdict(change).items() if value is not msgspec.UNSET}
        return await self._change(user_id, "user.changed", now, actor, **said)

    async def shares(self) -> list[Share]:
        """What the scheduler has to know of every user."""
        known = self._tables.users
        return await self._link.call(
            "shares", lambda: [Share(user.id, user.job_weight, user.limits, user.requires) for user in known.values()]
        )

    async def _change(self, user_id: int, action: str, now: datetime, actor: int, **said: Any) -> User | None:
        def change() -> User | None:
            user = self._tables.users.get(user_id)
            if user is not None:
                user = self._tables.users[user_id] = msgspec.structs.replace(user, **said)
                self._tables.record(now, actor, action, f"user:{user_id}", user_id)
            return user

        return await self._link.call("change_user", change)
