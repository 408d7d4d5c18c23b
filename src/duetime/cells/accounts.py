"""Users, who live in the home cell. While it is away, users that were seen lately are still known."""

from __future__ import annotations

from datetime import datetime

from duetime.cells.cell import Cell
from duetime.clock.port import Clock
from duetime.engine.brief_cache import BriefCache
from duetime.model.errors import StoreAway
from duetime.model.user import Credentials, Role, Share, User, UserChange

KNOWN_FOR = 600.0
"""For how many seconds a user counts as last seen while the home cell is away. Users cannot change then, except for a
node that is cut off from the home cell alone: there a revoked token lives so much longer."""
REMEMBERED = 10_000
SHARES_FOR = 0.4
"""For how many seconds the cells of a node share one reading of all users' weights and limits."""


class HomeAccounts:
    """`AccountStore` of the home cell, for the engines of all cells."""

    def __init__(self, home: Cell, clock: Clock) -> None:
        self._home, self._store, self._clock = home, home.stores.accounts, clock
        self._seen: dict[int, tuple[float, User]] = {}
        self._shares = BriefCache(self._read_shares, clock, seconds=SHARES_FOR)

    async def create_user(
        self, username: str, password_hash: str, job_weight: float, role: Role, now: datetime, actor: int | None
    ) -> User:
        """Create a user."""
        return await self._home.run(
            lambda: self._store.create_user(username, password_hash, job_weight, role, now, actor)
        )

    async def credentials(self, username: str) -> Credentials | None:
        """Returns a user by name, with the hash of the password."""
        return await self._home.run(lambda: self._store.credentials(username))

    async def user(self, user_id: int) -> User | None:
        """Returns a user by id, as last seen while the home cell is away."""
        now = self._clock.monotonic()
        try:
            user = await self._home.run(lambda: self._store.user(user_id))
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
        """Returns users in the order of ids."""
        return await self._home.run(lambda: self._store.users(limit, after_id))

    async def set_password(self, user_id: int, password_hash: str, now: datetime, actor: int) -> User | None:
        """Set a new password."""
        return await self._home.run(lambda: self._store.set_password(user_id, password_hash, now, actor))

    async def change_user(self, user_id: int, change: UserChange, now: datetime, actor: int) -> User | None:
        """Change a user's weight, limits, quotas, shards or required labels."""
        changed = await self._home.run(lambda: self._store.change_user(user_id, change, now, actor))
        self._shares.forget(0)
        return changed

    async def shares(self) -> list[Share]:
        """Returns what the scheduler has to know about every user."""
        return await self._shares.of(0)

    async def _read_shares(self, _: int) -> list[Share]:
        return await self._home.run(self._store.shares)
