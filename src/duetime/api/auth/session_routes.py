"""Sessions of browsers: logging in and out by cookie, and the list of a user's sessions."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Any

from msgspec import Meta, Struct

from duetime.api.auth.bodies import LoginBody
from duetime.api.auth.cookies import check_from_page, remove_cookies, set_cookie
from duetime.api.auth.login import user_with
from duetime.api.server.envelope import Header
from duetime.api.server.route import Answer, Call, HeaderParameter, Route
from duetime.api.users.bodies import check_username
from duetime.api.users.views import UserView, user_view
from duetime.model.errors import Forbidden, OverLimit, Unauthorized
from duetime.model.session import Session
from duetime.model.user import User

TAG = "auth"
FROM_PAGE = HeaderParameter(
    "X-Duetime-Request",
    "1. Needed by every call with a session's cookie that changes something, and by this one: a page of another site "
    "cannot send it.",
    {"type": "string", "enum": ["1"]},
)


class SessionView(Struct, frozen=True):
    """A browser that is logged in."""

    id: int
    created_at: datetime
    seen_at: Annotated[datetime, Meta(description="When it was last used, to a minute.")]
    expires_at: Annotated[datetime, Meta(description="When it ends if it is not used again.")]
    address: str
    client: Annotated[str, Meta(description="The browser, as it names itself.")]
    current: Annotated[bool, Meta(description="Whether this call was made with it.")]


class BegunView(Struct, frozen=True):
    """A new session and its user."""

    session: SessionView
    user: UserView


class EndedView(Struct, frozen=True):
    """A session that has ended."""

    ended: bool


async def begin_session(call: Call[LoginBody, None]) -> Answer:
    """Logs a browser in."""
    check_from_page(call.headers)
    check_username(call.body.username)
    user = await user_with(call, call.body.username, call.body.password, logged_in=False)
    if user is None:
        raise Unauthorized("The user name or the password is wrong.")
    session, cookie = await new_session(call, user)
    return Answer(BegunView(_view(session, session.id), user_view(user)), None, (cookie,))


async def new_session(call: Call[Any, Any], user: User) -> tuple[Session, Header]:
    """Begins a session for the browser that makes the call. Returns it with the header that sets its cookie."""
    services = call.services
    life = services.settings.session_life
    ticket, session = await services.sessions.begin(user, life, call.address, call.header(b"user-agent") or "")
    return session, set_cookie(ticket, life, call.headers)


async def end_session(call: Call[None, None]) -> Answer:
    """Logs the browser out."""
    session = await call.parts.authenticator.session(call.headers)
    if session is not None:
        await call.services.sessions.end(call.user.id, session.id)
    return Answer(EndedView(session is not None), None, remove_cookies())


async def list_sessions(call: Call[None, None]) -> list[SessionView]:
    """The browsers in which the user is logged in."""
    current = await call.parts.authenticator.session(call.headers)
    return [_view(one, current and current.id) for one in await call.services.sessions.of_user(call.user)]


async def end_one_session(call: Call[None, None]) -> EndedView:
    """Logs one browser out."""
    await call.services.sessions.end(call.user.id, call.id)
    return EndedView(True)


def _view(session: Session, current: int | None) -> SessionView:
    return SessionView(
        session.id,
        session.created_at,
        session.seen_at,
        session.ends_at,
        session.address,
        session.client,
        session.id == current,
    )


ROUTES = (
    Route(
        "POST",
        "/api/v1/auth/session",
        begin_session,
        "Log a browser in",
        body=LoginBody,
        answer=BegunView,
        status=201,
        auth="none",
        errors=(Unauthorized, Forbidden, OverLimit),
        tag=TAG,
        description="Sets a cookie that only this server sees, instead of answering a token. The session ends when it "
        "is unused for 7 days, and `api.session_life` after the login at the latest. Programs use tokens.",
        headers=(FROM_PAGE,),
        answer_headers={"Set-Cookie": "The session's cookie: HttpOnly, SameSite=Strict, and Secure over HTTPS."},
        example={"username": "ada", "password": "correct horse"},
    ),
    Route(
        "DELETE",
        "/api/v1/auth/session",
        end_session,
        "Log this browser out",
        answer=EndedView,
        tag=TAG,
        description="`ended` is false for a call that was made with a token: it has no session.",
        answer_headers={"Set-Cookie": "Removes the session's cookie."},
    ),
    Route(
        "GET",
        "/api/v1/me/sessions",
        list_sessions,
        "List the browsers in which you are logged in",
        answer=list[SessionView],
        tag=TAG,
        description="Newest first, at most 100: one more ends the session that was unused the longest. A new password "
        "ends all of them.",
    ),
    Route("DELETE", "/api/v1/me/sessions/{id}", end_one_session, "Log one browser out", answer=EndedView, tag=TAG),
)
