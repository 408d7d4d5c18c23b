"""Users: made, listed, and given their shares and limits."""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping
from typing import Any

import msgspec
from msgspec import UNSET, UnsetType

from duetime.client.answers import User
from duetime.client.calls import Calls
from duetime.client.spec import LimitLike
from duetime.model.user import Quotas

USERS = "/api/v1/users"


class UserCalls(Calls):
    """Accounts; for admins, but for signing up where that is open."""

    async def create_user(
        self, username: str, password: str, *, job_weight: float | None = None, role: str | None = None
    ) -> User:
        """Create a user. Needs an admin's token, or a server that is open for signing up."""
        body = {"username": username, "password": password, "job_weight": job_weight, "role": role}
        body = {name: value for name, value in body.items() if value is not None}
        answer = await self._session.call("POST", USERS, body=msgspec.json.encode(body), anonymous=True)
        return self._read(answer, User)

    async def users(self, *, limit: int | None = None) -> AsyncIterator[User]:
        """All users, for an admin."""
        async for user in self._pages(USERS, {}, User, limit):
            yield user

    async def set_weight(self, user_id: int, job_weight: float) -> User:
        """Change a user's share, for an admin."""
        return await self.set_user(user_id, job_weight=job_weight)

    async def set_user(
        self,
        user_id: int,
        *,
        job_weight: float | UnsetType = UNSET,
        limits: LimitLike | UnsetType | None = UNSET,
        quotas: Quotas | Mapping[str, Any] | UnsetType | None = UNSET,
        distribution: Mapping[str, Any] | UnsetType = UNSET,
    ) -> User:
        """Change what a user has, and where its jobs go, for an admin; what is not given stays, None takes away."""
        given = {"job_weight": job_weight, "limits": limits, "quotas": quotas, "distribution": distribution}
        body = msgspec.json.encode({name: value for name, value in given.items() if value is not UNSET})
        return self._read(await self._session.call("PATCH", f"{USERS}/{user_id}", body=body), User)
