"""Calls about users: create and list them, set their shares and limits."""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping
from typing import Any

import msgspec
from msgspec import UNSET, UnsetType

from .answers import User
from .calls import Calls
from .spec import Fields

USERS = "/api/v1/users"


class UserCalls(Calls):
    """Manages users. Needs an admin, except to sign up where the server allows it."""

    async def create_user(
        self, username: str, password: str, *, job_weight: float | None = None, role: str | None = None
    ) -> User:
        """Creates a user. Needs an admin, or a server that allows everybody to sign up."""
        body = {"username": username, "password": password, "job_weight": job_weight, "role": role}
        body = {name: value for name, value in body.items() if value is not None}
        answer = await self._session.call("POST", USERS, body=msgspec.json.encode(body), anonymous=True)
        return self._read(answer, User)

    async def users(self, *, limit: int | None = None) -> AsyncIterator[User]:
        """Yields all users. Needs an admin."""
        async for user in self._pages(USERS, {}, User, limit):
            yield user

    async def set_weight(self, user_id: int, job_weight: float) -> User:
        """Changes a user's share. Needs an admin."""
        return await self.set_user(user_id, job_weight=job_weight)

    async def set_user(
        self,
        user_id: int,
        *,
        job_weight: float | UnsetType = UNSET,
        limits: Fields | UnsetType | None = UNSET,
        quotas: Fields | UnsetType | None = UNSET,
        distribution: Mapping[str, Any] | UnsetType = UNSET,
    ) -> User:
        """Changes a user's share, limits, quotas, or where its jobs run. Needs an admin.

        What is not given stays as it is. None removes limits or quotas.
        """
        given = {"job_weight": job_weight, "limits": limits, "quotas": quotas, "distribution": distribution}
        body = msgspec.json.encode({name: value for name, value in given.items() if value is not UNSET})
        return self._read(await self._session.call("PATCH", f"{USERS}/{user_id}", body=body), User)
