"""A user: the owner of jobs, with a weight that sets its share."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Literal

from msgspec import UNSET, Meta, Struct, UnsetType

from duetime.model.bounds import QUOTA
from duetime.model.ids import UserId
from duetime.model.policy import Limit

Role = Literal["admin", "user"]


class User(Struct, frozen=True):
    """A user, without the password's hash."""

    id: UserId
    username: str
    job_weight: float
    role: Role
    tokens_from: datetime
    """Tokens issued before this instant are void: a changed password revokes them all."""
    created_at: datetime
    limits: Limit | None = None
    quotas: Quotas | None = None
    pinned_to: tuple[int, ...] | None = None
    """The shards that the user's jobs without an ordering key go to; None means all shards."""
    requires: dict[str, str] | None = None
    """Labels that an executor must have to run any of the user's jobs."""


class Quotas(Struct, frozen=True, forbid_unknown_fields=True):
    """How much a user may store, and how often it may call; null means the server's default."""

    pending_jobs: Annotated[int, Meta(ge=QUOTA.least)] | None = None
    stored_bytes: Annotated[int, Meta(ge=QUOTA.least)] | None = None
    """Of the messages of all pending jobs together."""
    schedules: Annotated[int, Meta(ge=QUOTA.least)] | None = None
    calendars: Annotated[int, Meta(ge=QUOTA.least)] | None = None
    calendar_dates: Annotated[int, Meta(ge=QUOTA.least)] | None = None
    """Of all calendars together."""
    definitions: Annotated[int, Meta(ge=QUOTA.least)] | None = None
    """Different targets with policies that the user's jobs have."""
    payload_bytes: Annotated[int, Meta(ge=QUOTA.least)] | None = None
    """The largest message of one job."""
    requests_per_second: Annotated[float, Meta(gt=0)] | None = None


class Usage(Struct, frozen=True):
    """What a user has of the things that have quotas."""

    pending_jobs: int = 0
    schedules: int = 0
    calendars: int = 0
    calendar_dates: int = 0
    definitions: int = 0
    stored_bytes: int | None = None
    """None until they are counted, which happens after the first submit of a node."""


class UserChange(Struct, frozen=True):
    """A change that an administrator makes. UNSET leaves a field as it is, None removes a limit."""

    job_weight: float | UnsetType = UNSET
    limits: Limit | UnsetType | None = UNSET
    quotas: Quotas | UnsetType | None = UNSET
    pinned_to: tuple[int, ...] | UnsetType | None = UNSET
    requires: dict[str, str] | UnsetType | None = UNSET


class Share(Struct, frozen=True):
    """The part of a user that the scheduler needs."""

    user_id: int
    job_weight: float
    limits: Limit | None = None
    requires: dict[str, str] | None = None


class Credentials(Struct, frozen=True):
    """A user with the hash that a password is checked against."""

    user: User
    password_hash: str
