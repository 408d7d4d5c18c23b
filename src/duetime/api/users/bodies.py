"""What clients send about users and logins."""

from __future__ import annotations

import re
from typing import Annotated

from msgspec import UNSET, Meta, Struct, UnsetType

from duetime.api.auth.passwords import MAX_LENGTH, MIN_LENGTH
from duetime.api.jobs.bodies import Cursor, Limit
from duetime.api.users.distribution import ByLabels, Pin, Spread
from duetime.model.errors import Invalid
from duetime.model.policy import Limit as LaunchLimit
from duetime.model.user import Quotas, Role

_USERNAME = r"[A-Za-z0-9._@-]{1,64}"

Username = Annotated[
    str,
    Meta(
        description="1 to 64 letters, digits, dots, hyphens, underscores and at signs; capitals make no difference.",
        extra_json_schema={"pattern": f"^{_USERNAME}$"},
    ),
]
NewPassword = Annotated[
    str, Meta(description=f"{MIN_LENGTH} to {MAX_LENGTH} characters.", min_length=MIN_LENGTH, max_length=MAX_LENGTH)
]
Password = Annotated[str, Meta(min_length=1, max_length=MAX_LENGTH)]
JobWeight = Annotated[float, Meta(gt=0, le=1e6, description="The user's share under backlog; 1 if not given.")]

UserLimits = Annotated[
    LaunchLimit,
    Meta(
        description="How many of the user's jobs go at once, and how fast: `rate` launches per `per`, `burst` at once."
    ),
]
UserQuotas = Annotated[Quotas, Meta(description="How much the user may have; what is left out or null is not limited.")]
Distribution = Annotated[
    Spread | Pin | ByLabels,
    Meta(description="Which shards jobs without an ordering key go to, or which labels executors must have."),
]


class UserBody(Struct, frozen=True, forbid_unknown_fields=True):
    """A new user. Only admins may give a role, and a weight unless the server is a local one."""

    username: Username
    password: NewPassword
    job_weight: JobWeight | None = None
    role: Role | None = None


class UserPatch(Struct, frozen=True, forbid_unknown_fields=True):
    """What to change about a user; at least one thing. Null takes limits or quotas away."""

    job_weight: JobWeight | UnsetType = UNSET
    limits: UserLimits | UnsetType | None = UNSET
    quotas: UserQuotas | UnsetType | None = UNSET
    distribution: Distribution | UnsetType = UNSET


class LoginBody(Struct, frozen=True, forbid_unknown_fields=True):
    """Who wants to log in."""

    username: Username
    password: Password


class PasswordBody(Struct, frozen=True, forbid_unknown_fields=True):
    """The present password and the one to come."""

    current: Password
    new: NewPassword


class UsersQuery(Struct, frozen=True, forbid_unknown_fields=True):
    """Which users to list."""

    limit: Limit = 100
    cursor: Cursor | None = None


def check_username(username: str) -> None:
    """Refuse a name that no user can have."""
    if not re.fullmatch(_USERNAME, username):
        raise Invalid(
            "'username' must have 1 to 64 letters, digits, dots, hyphens, underscores or at signs.", field="username"
        )
