"""Users, who live in the home database. While it is away, those that were seen lately are still known."""

from __future__ import annotations

from datetime import datetime

from duetime.clock.port import Clock
from duetime.model.errors import StoreAway
from duetime.model.user import Credentials, Role, Share, User, UserChange
from duetime.store.spread.members import Members

KNOWN_FOR = 600.0
"""Seconds for which a user is taken to be as last seen while home is away. Nothing about users can change then,
but for a node that is cut off from home alone: there a revoked token lives so much longer."""
REMEMBERED = 10_000


class SpreadAccounts:
    """`AccountStore` of the home database."""

    def __init__(self, members: Members, clock: Clock) -> None:
        self._members, self._clock = members, clock
        self._seen: dict[int, tuple[float, User]] = {}

    async def create_user(
        self, username: str, password_hash: str, job_weight: float, role: Role, now: datetime, actor: int | None
    ) -> User:
        """A new user."""
        return await self._members.home.ask(
            lambda stores: stores.accounts.create_user(username, password_hash, job_weight, role, now, actor)
        )

    async def credentials(self, username: str) -> Credentials | None:
        """A user with the password's hash."""
        return await self._members.home.ask(lambda stores: stores.accounts.credentials(username))

    async def user(self, user_id: int) -> User | None:
        """A user by id; as last seen while home is away."""
        now = self._clock.monotonic()
        try:
            user = await self._members.home.ask(lambda stores: stores.accounts.user(user_id))
        except StoreAway:
            at, user = self._seen.get(user_id, (0.0, None))
            if user is None or now - at > KNOWN_FOR:
                raise
            return user
        if len(self._seen) > REMEMBERED:
            self._seen.clear()
        if user is not None:
            self._seen[user_id] = (now, user)
        return user

    async def users(self, limit: int, after_id: int) -> list[User]:
        """Users by id."""
        return await self._members.home.ask(lambda stores: stores.accounts.users(limit, after_id))

    async def set_password(self, user_id: int, password_hash: str, now: datetime, actor: int) -> User | None:
        """A new password."""
        return await self._members.home.ask(
            lambda stores: stores.accounts.set_password(user_id, password_hash, now, actor)
        )

    async def change_user(self, user_id: int, change: UserChange, now: datetime, actor: int) -> User | None:
        """A new weight, other limits, quotas or shards."""
        return await self._members.home.ask(lambda stores: stores.accounts.change_user(user_id, change, now, actor))

    async def shares(self) -> list[Share]:
        """What the scheduler has to know of every user."""
        return await self._members.home.ask(lambda stores: stores.accounts.shares())
