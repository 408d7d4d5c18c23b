"""Checking a name and a password, within the limit of wrong ones."""

from __future__ import annotations

from typing import Any

from duetime.api.server.route import Call
from duetime.model.user import User


async def user_with(call: Call[Any, None], username: str, password: str, *, logged_in: bool) -> User | None:
    """The user with this name and password, or None. Only wrong passwords count against the login limit."""
    limit, accounts = call.parts.login_limit, call.services.accounts
    attempt = limit.enter(username, call.address, logged_in=logged_in)
    right: bool | None = None
    try:
        credentials = await accounts.credentials(username)
        right = await call.parts.passwords.matches(credentials and credentials.password_hash, password)
    finally:
        if right is not False:
            limit.refund(attempt, right=bool(right))
    return credentials.user if credentials is not None and right else None
