"""Logging in, refreshing a token and changing a password."""

from __future__ import annotations

from duetime.api.auth.bodies import LoginBody, PasswordBody
from duetime.api.auth.login import user_with
from duetime.api.auth.session_routes import new_session
from duetime.api.auth.views import LoginView, TokenView, token_view
from duetime.api.server.route import Answer, Call, Route
from duetime.api.users.bodies import check_username
from duetime.api.users.views import user_view
from duetime.model.errors import Forbidden, OverLimit, Unauthorized

TAG = "auth"


async def login(call: Call[LoginBody, None]) -> LoginView:
    """Checks the password. A wrong name and a wrong password get the same answer, after the same time."""
    check_username(call.body.username)
    user = await user_with(call, call.body.username, call.body.password, logged_in=False)
    if user is None:
        raise Unauthorized("The user name or the password is wrong.")
    issued = call.parts.tokens.issue(user)
    return LoginView(issued.expire, issued.token, user_view(user))


async def refresh(call: Call[None, None]) -> TokenView:
    """Issues a new token to the holder of a valid one, within the session that the login began."""
    claims = call.parts.authenticator.claims(call.headers)
    return token_view(call.parts.tokens.issue(call.user, claims.logged_in_at))


async def change_password(call: Call[PasswordBody, None]) -> Answer:
    """Sets a new password, which voids every token and session, and issues the first new one."""
    user, parts = call.user, call.parts
    if await user_with(call, user.username, call.body.current, logged_in=True) is None:
        raise Forbidden("The current password is wrong.", field="current")
    password_hash = await parts.passwords.hash(call.body.new)
    changed = await call.services.accounts.change_password(user.id, password_hash, user.id)
    by_cookie = await parts.authenticator.session(call.headers) is not None
    cookie = ((await new_session(call, changed))[1],) if by_cookie else ()
    return Answer(token_view(parts.tokens.issue(changed)), None, cookie)


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
        tag=TAG,
        description="The number of wrong passwords is limited: for an account from one address, for an address, and "
        "for an account from all addresses that it has not logged in from.",
        example={"username": "ada", "password": "correct horse"},
    ),
    Route(
        "POST",
        "/api/v1/auth/refresh",
        refresh,
        "Get a new token",
        answer=TokenView,
        tag=TAG,
        errors=(Unauthorized,),
        description="The old token stays valid until it expires. The last token of a session expires a fixed time "
        "after the login (`api.session_life`, 30 days by default): then log in again.",
    ),
    Route(
        "POST",
        "/api/v1/me/password",
        change_password,
        "Change your password",
        body=PasswordBody,
        answer=TokenView,
        errors=(Forbidden,),
        tag=TAG,
        description="Every token and every session that began earlier becomes invalid; the answer has a new token, "
        "and a new cookie for a browser that called with one.",
        example={"current": "correct horse", "new": "battery staple"},
    ),
)
