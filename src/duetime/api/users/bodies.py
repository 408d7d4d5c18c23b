"""What clients send about users."""

from __future__ import annotations

import re
from typing import Annotated

from msgspec import UNSET, Meta, Struct, UnsetType

from duetime.api.auth.passwords import MAX_LENGTH, MIN_LENGTH
from duetime.api.server.cursors import Cursor, PageSize
from duetime.api.users.distribution import Distribution
from duetime.model.bounds import WEIGHT
from duetime.model.errors import Invalid
from duetime.model.policy import Limit as LaunchLimit
from duetime.model.user import Quotas, Role

_USERNAME = r"[A-Za-z0-9._@-]{1,64}"

Username = Annotated[
    str,
    Meta(
        description="1 to 64 letters, digits, dots, hyphens, underscores and at signs; case is ignored.",
        extra_json_schema={"pattern": f"^{_USERNAME}$"},
    ),
]
NewPassword = Annotated[
    str, Meta(description=f"{MIN_LENGTH} to {MAX_LENGTH} characters.", min_length=MIN_LENGTH, max_length=MAX_LENGTH)
]
JobWeight = Annotated[
    float, Meta(ge=WEIGHT.least, le=WEIGHT.most, description="The user's share under backlog; default 1.")
]

UserLimits = Annotated[
    LaunchLimit,
    Meta(
        description="How many of the user's jobs run at once, and how fast they start: `rate` launches per `per`, "
        "`burst` at once."
    ),
]
UserQuotas = Annotated[
    Quotas,
    Meta(description="How much it may store and how often it may call; null means the server's default."),
]


class UserBody(Struct, frozen=True, forbid_unknown_fields=True):
    """A new user. Only admins may set a role; on a server that is not local, only admins may set a weight."""

    username: Username
    password: NewPassword
    job_weight: JobWeight | None = None
    role: Role | None = None


class UserPatch(Struct, frozen=True, forbid_unknown_fields=True):
    """What to change about a user; at least one field. Null removes limits or quotas."""

    job_weight: JobWeight | UnsetType = UNSET
    limits: UserLimits | UnsetType | None = UNSET
    quotas: UserQuotas | UnsetType | None = UNSET
    distribution: Distribution | UnsetType = UNSET


class UsersQuery(Struct, frozen=True, forbid_unknown_fields=True):
    """Which users to list."""

    limit: PageSize = 100
    cursor: Cursor | None = None


def check_username(username: str) -> None:
    """Refuses a name that no user can have."""
    if not re.fullmatch(_USERNAME, username):
        raise Invalid(
            "'username' must have 1 to 64 letters, digits, dots, hyphens, underscores or at signs.", field="username"
        )
