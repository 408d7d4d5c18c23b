"""One error base. The class docstring is the message unless a better one is given where the fact is known."""

from __future__ import annotations

from typing import ClassVar


class DuetimeError(Exception):
    """Something went wrong inside Duetime."""

    code: ClassVar[str] = "internal"

    def __init__(self, message: str | None = None, **details: object) -> None:
        self.message = message or (type(self).__doc__ or "").strip()
        self.details = details
        super().__init__(self.message)

    def about(self, kind: str, index: int) -> None:
        """Say which one of many things of a kind this is about, counted from 0."""
        field = self.details.get("field")
        self.details |= {"index": index, **({"field": f"[{index}].{field}"} if field else {})}
        self.message = f"{kind} {index}: {self.message}"


class Malformed(DuetimeError):
    """The request could not be read."""

    code = "malformed"


class Invalid(DuetimeError):
    """The request was read, but a value in it is not acceptable."""

    code = "invalid"


class NotYetActive(Invalid):
    """This field is known, but what it asks for is not available in this release."""

    code = "not_yet_active"


class Unauthorized(DuetimeError):
    """A valid token is needed: log in and send it as 'Authorization: Bearer TOKEN'."""

    code = "unauthorized"


class Forbidden(DuetimeError):
    """Your role does not allow this."""

    code = "forbidden"


class NotFound(DuetimeError):
    """There is no such thing, or it is not yours."""

    code = "not_found"


class Conflict(DuetimeError):
    """This cannot be done in the present state."""

    code = "conflict"


class TooLarge(DuetimeError):
    """The request is larger than allowed."""

    code = "too_large"


class OverLimit(DuetimeError):
    """Too many requests: try again later."""

    code = "over_limit"

    def __init__(self, message: str | None = None, *, retry_after: float = 1.0, **details: object) -> None:
        super().__init__(message, **details)
        self.retry_after = retry_after


class StoreAway(DuetimeError):
    """The database cannot be reached: try again, with the same Idempotency-Key so that nothing is stored twice."""

    code = "store_away"


class CoordinatorAway(StoreAway):
    """The coordinator cannot be reached: this node launches nothing until it can renew its lease."""

    code = "coordinator_away"


class Elsewhere(StoreAway):
    """This part of the store is just being moved to another database: nothing was stored, try again."""


class PartlyStored(StoreAway):
    """Some of these jobs were stored, and some were not, because a database is away."""

    code = "partly_stored"


class Stopping(DuetimeError):
    """This node is stopping: nothing was accepted, try again."""

    code = "stopping"


class ConfigError(DuetimeError):
    """The configuration is not valid."""

    code = "config"


class SchemaTooNew(DuetimeError):
    """The database was migrated by a newer Duetime that this one cannot work with: upgrade this one."""

    code = "schema_too_new"


class EmbeddedServerError(DuetimeError):
    """The embedded PostgreSQL could not be started."""

    code = "embedded_server"
