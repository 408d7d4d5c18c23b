"""Accounts: users, read through a brief cache, because every request needs one."""

from __future__ import annotations

from duetime.clock.port import Clock
from duetime.engine.brief_cache import BriefCache
from duetime.model.errors import NotFound
from duetime.model.user import Credentials, Role, User, UserChange
from duetime.store.port import AccountStore

REMEMBERED_SECONDS = 1.0


class Accounts:
    """Users with their passwords, weights, limits and rules."""

    def __init__(self, store: AccountStore, clock: Clock) -> None:
        self._store, self._clock = store, clock
        self._users = BriefCache(store.user, clock, seconds=REMEMBERED_SECONDS)

    async def create(self, username: str, password_hash: str, job_weight: float, role: Role, actor: int | None) -> User:
        """Create a user."""
        return await self._store.create_user(username, password_hash, job_weight, role, self._clock.now(), actor)

    async def credentials(self, username: str) -> Credentials | None:
        """Returns a user with the password hash to check against."""
        return await self._store.credentials(username)

    async def by_id(self, user_id: int) -> User | None:
        """Returns a user. A change that another node made is seen within a second."""
        return self._users.known(user_id) or await self._users.of(user_id)

    async def list(self, limit: int, after_id: int) -> list[User]:
        """Returns users in order of their ids."""
        return await self._store.users(limit, after_id)

    async def change_password(self, user_id: int, password_hash: str, actor: int) -> User:
        """Set a new password. Every token issued before becomes void."""
        return self._changed(user_id, await self._store.set_password(user_id, password_hash, self._clock.now(), actor))

    async def update(self, user_id: int, change: UserChange, actor: int) -> User:
        """Change the fields of a user that an administrator may change."""
        return self._changed(user_id, await self._store.change_user(user_id, change, self._clock.now(), actor))

    def _changed(self, user_id: int, user: User | None) -> User:
        self._users.forget(user_id)
        if user is None:
            raise NotFound(f"There is no user {user_id}.")
        return user
