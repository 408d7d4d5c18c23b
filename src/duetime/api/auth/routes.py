"""Logging in, and staying logged in."""

from __future__ import annotations

from typing import Any

from duetime.api.jobs.views import LoginView, TokenView, token_view, user_view
from duetime.api.server.route import Call, Route
from duetime.api.users.bodies import LoginBody, PasswordBody, check_username
from duetime.model.errors import Forbidden, OverLimit, Unauthorized
from duetime.model.user import User


async def _checked(call: Call[Any, None], username: str, password: str) -> User | None:
    """The user whose name and password these are; a wrong one counts against what may be tried."""
    limit, accounts = call.parts.login_limit, call.services.accounts
    limit.enter(username, call.address)
    user = None
    wrong = False
    try:
        credentials = await accounts.credentials(username)
        right = await call.parts.passwords.matches(credentials and credentials.password_hash, password)
        wrong = not right
        user = credentials.user if credentials is not None and right else None
    finally:
        if not wrong:
            limit.give_back(username, call.address)
    return user


async def login(call: Call[LoginBody, None]) -> LoginView:
    """Check the password; the same answer, after the same time, for a wrong name and a wrong password."""
    check_username(call.body.username)
    user = await _checked(call, call.body.username, call.body.password)
    if user is None:
        raise Unauthorized("The user name or the password is wrong.")
    issued = call.parts.tokens.issue(user)
    return LoginView(issued.expire, issued.token, user_view(user))


async def refresh(call: Call[None, None]) -> TokenView:
    """A new token for the holder of a good one."""
    return token_view(call.parts.tokens.issue(call.user))


async def change_password(call: Call[PasswordBody, None]) -> TokenView:
    """Set a new password, which voids every token, and hand out the first new one."""
    user, parts = call.user, call.parts
    if await _checked(call, user.username, call.body.current) is None:
        raise Forbidden("The current password is wrong.", field="current")
    password_hash = await parts.passwords.hash(call.body.new)
    changed = await call.services.accounts.change_password(user.id, password_hash, user.id)
    return token_view(parts.tokens.issue(changed))


ROUTES = (
    Route(
        "POST",
        "/api/v1/auth/login",
        login,
        "Log in",
        body=LoginBody,
        answer=LoginView,
        auth="none",
        errors=(Unauthorized, OverLimit),
        tag="auth",
        description="Wrong passwords are limited, for an account and for an address.",
        example={"username": "ada", "password": "correct horse"},
    ),
    Route(
        "POST",
        "/api/v1/auth/refresh",
        refresh,
        "Get a new token",
        answer=TokenView,
        tag="auth",
        description="The old token stays good until it expires.",
    ),
    Route(
        "POST",
        "/api/v1/me/password",
        change_password,
        "Change your password",
        body=PasswordBody,
        answer=TokenView,
        errors=(Forbidden,),
        tag="auth",
        description="Every token that was issued before is void; the answer has a new one.",
        example={"current": "correct horse", "new": "battery staple"},
    ),
)
