"""The errors of Duetime. Their base is in `duetime.errors`.

A class's docstring is its default message. The code that raises an error gives a more exact one where it can.
"""

from __future__ import annotations

from duetime.errors import DuetimeError, Invalid


class Malformed(DuetimeError):
    """The request could not be read."""

    code = "malformed"


class NotYetActive(Invalid):
    """This field exists, but this release does not support it yet."""

    code = "not_yet_active"


class Unauthorized(DuetimeError):
    """A valid token is needed: log in and send it as 'Authorization: Bearer TOKEN'."""

    code = "unauthorized"


class Forbidden(DuetimeError):
    """Your role does not allow this."""

    code = "forbidden"


class NotFound(DuetimeError):
    """It does not exist, or it belongs to another user."""

    code = "not_found"


class Conflict(DuetimeError):
    """The current state does not allow this."""

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
    """These shards are being moved to another database: nothing was stored, try again."""


class PartlyStored(StoreAway):
    """Some of these jobs were stored and others were not, because a database cannot be reached."""

    code = "partly_stored"


class Stopping(DuetimeError):
    """This node is stopping: nothing was accepted, try again."""

    code = "stopping"


class ConfigError(DuetimeError):
    """The configuration is not valid."""

    code = "config"


class SchemaTooNew(DuetimeError):
    """A newer Duetime migrated the database, and this one cannot work with it: upgrade this one."""

    code = "schema_too_new"


class EmbeddedServerError(DuetimeError):
    """The embedded PostgreSQL could not be started."""

    code = "embedded_server"
