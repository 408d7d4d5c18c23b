"""The errors between a program and a Duetime server."""

from __future__ import annotations

from typing import cast

from ..errors import DuetimeError


class ApiError(DuetimeError):
    """The server refused the call."""

    def __init__(
        self,
        status: int,
        code: str,
        message: str,
        details: object = None,
        *,
        retry_after: float | None = None,
    ) -> None:
        super().__init__(message)
        self.status = status
        self.code = code  # pyright: ignore[reportAttributeAccessIssue]: the server says it, not the class
        if details is not None:
            mapping = isinstance(details, dict)
            self.details = cast("dict[str, object]", details) if mapping else {"details": details}
        self.retry_after = retry_after
        """How many seconds the server asks to wait before the next try."""

    def __reduce__(self) -> tuple[object, ...]:
        """Pickles the error with all its arguments, so that it can cross processes."""
        return type(self), (self.status, self.code, self.message, self.details or None)


class Unreachable(DuetimeError):
    """The server cannot be reached."""

    code = "unreachable"


class ConnectionLost(Unreachable):
    """The connection was lost before the answer: the server may have done what was asked, or not."""


class NotLoggedIn(DuetimeError):
    """There is no token: log in with `duetime login`, or set DUETIME_TOKEN."""

    code = "unauthorized"
