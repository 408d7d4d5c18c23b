"""The one table from errors to answers."""

from __future__ import annotations

import math
import secrets
from typing import Final

import structlog
from starlette.types import Scope

from duetime.api.server.envelope import JSON_HEADERS, Header, Reply, failure_body
from duetime.model.errors import (
    Conflict,
    DuetimeError,
    Forbidden,
    Invalid,
    Malformed,
    NotFound,
    OverLimit,
    Stopping,
    StoreAway,
    TooLarge,
    Unauthorized,
)

log = structlog.stdlib.get_logger("duetime.api")


class MethodNotAllowed(DuetimeError):
    """This path does not accept this method."""

    code = "method_not_allowed"

    def __init__(self, method: str, allowed: str) -> None:
        super().__init__(f"This path accepts {allowed}, not {method[:32]}.", allowed=allowed)
        self.allowed = allowed


class NotReady(DuetimeError):
    """This node cannot accept and launch jobs at present."""

    code = "not_ready"


class Overloaded(DuetimeError):
    """The server has too much to do at present: try again in a second."""

    code = "overloaded"


STATUS: Final[dict[type[DuetimeError], int]] = {
    Malformed: 400,
    Unauthorized: 401,
    Forbidden: 403,
    NotFound: 404,
    MethodNotAllowed: 405,
    Conflict: 409,
    TooLarge: 413,
    Invalid: 422,
    OverLimit: 429,
    DuetimeError: 500,
    StoreAway: 503,
    Stopping: 503,
    NotReady: 503,
    Overloaded: 503,
}


CALLER = "duetime.user"
"""Where the scope of a request has the id of its user, once that is known."""


def status_of(kind: type[DuetimeError]) -> int:
    """The status of an error: its own in the table, or that of the nearest class above it."""
    return next(STATUS[above] for above in kind.__mro__ if above in STATUS)


def reply_to(error: Exception, scope: Scope) -> Reply:
    """The answer to an error. An unexpected one is logged under an id, and its text is kept from the client."""
    status = status_of(type(error)) if isinstance(error, DuetimeError) else 500
    if status == 500 or not isinstance(error, DuetimeError):
        return _unexpected(error, scope)
    return Reply(
        status,
        failure_body(error.code, error.message, error.details),
        JSON_HEADERS + _extra_headers(error, status),
    )


def _extra_headers(error: DuetimeError, status: int) -> tuple[Header, ...]:
    if isinstance(error, Unauthorized):
        return ((b"www-authenticate", b'Bearer realm="duetime"'),)
    if isinstance(error, MethodNotAllowed):
        return ((b"allow", error.allowed.encode()),)
    if status in {429, 503}:
        seconds = error.retry_after if isinstance(error, OverLimit) else 1.0
        return ((b"retry-after", b"%d" % max(1, math.ceil(seconds))),)
    return ()


def _unexpected(error: Exception, scope: Scope) -> Reply:
    error_id = secrets.token_hex(8)
    log.error(
        "request failed",
        error_id=error_id,
        method=scope["method"],
        path=scope["path"],
        user=scope.get(CALLER),
        exc_info=error,
    )
    message = "Something went wrong inside Duetime. The server's log has the cause under this id."
    return Reply(500, failure_body("internal", message, {"id": error_id}))
