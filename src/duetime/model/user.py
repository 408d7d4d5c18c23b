"""A user: who owns jobs, and whose weight sets the share."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Literal

from msgspec import UNSET, Meta, Struct, UnsetType

from duetime.model.ids import UserId
from duetime.model.policy import Limit

Role = Literal["admin", "user"]


class User(Struct, frozen=True):
    """A user as the rest of the system sees it: never with the password's hash."""

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
    """The shards that the user's unordered jobs go to; None spreads them over all."""
    requires: dict[str, str] | None = None
    """Labels that an executor must have to run any of the user's jobs."""


class Quotas(Struct, frozen=True, forbid_unknown_fields=True):
    """How much a user may have; None means no limit."""

    pending_jobs: Annotated[int, Meta(ge=0)] | None = None
    schedules: Annotated[int, Meta(ge=0)] | None = None
    payload_bytes: Annotated[int, Meta(ge=0)] | None = None
    """The largest message of one job."""
    requests_per_second: Annotated[float, Meta(gt=0)] | None = None


class UserChange(Struct, frozen=True):
    """What an administrator sets; UNSET leaves a thing as it is, None takes a limit away."""

    job_weight: float | UnsetType = UNSET
    limits: Limit | UnsetType | None = UNSET
    quotas: Quotas | UnsetType | None = UNSET
    pinned_to: tuple[int, ...] | UnsetType | None = UNSET
    requires: dict[str, str] | UnsetType | None = UNSET


class Share(Struct, frozen=True):
    """What the scheduler has to know of a user."""

    user_id: int
    job_weight: float
    limits: Limit | None = None
    requires: dict[str, str] | None = None


class Credentials(Struct, frozen=True):
    """A user with what the password is checked against."""

    user: User
    password_hash: str
