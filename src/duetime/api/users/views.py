"""What clients see of users."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated

from msgspec import Meta, Struct, structs

from duetime.api.users.distribution import ByLabels, Distribution, Pin, Spread
from duetime.model.policy import Limit
from duetime.model.user import Quotas, Role, Usage, User


class UserView(Struct, frozen=True):
    """A user."""

    id: int
    username: str
    job_weight: Annotated[float, Meta(description="The user's share under backlog.")]


class AccountView(Struct, frozen=True):
    """A user with the account's role, limits and quotas."""

    id: int
    username: str
    job_weight: float
    role: Role
    created_at: datetime
    limits: Annotated[Limit, Meta(description="How many of its jobs run at once, and how fast they start.")] | None
    quotas: Annotated[Quotas, Meta(description="The quotas that an admin set; for the others, defaults count.")] | None
    distribution: Distribution


class MeView(AccountView, frozen=True):
    """A user with the account's role, limits and quotas, and what it uses of them."""

    allowed: Annotated[Quotas, Meta(description="The quotas that count: its own and the server's defaults.")]
    used: Annotated[Usage, Meta(description="What the user has; bytes are null until they are counted.")]


def user_view(user: User) -> UserView:
    """A user as shown."""
    return UserView(user.id, user.username, user.job_weight)


def account_view(user: User) -> AccountView:
    """A user as shown to itself and to admins."""
    distribution = Spread() if user.pinned_to is None else Pin(list(user.pinned_to))
    if user.requires:
        distribution = ByLabels(user.requires)
    return AccountView(
        user.id,
        user.username,
        user.job_weight,
        user.role,
        user.created_at,
        user.limits,
        user.quotas,
        distribution,
    )


def me_view(user: User, allowed: Quotas, used: Usage) -> MeView:
    """A user as shown to itself."""
    return MeView(**structs.asdict(account_view(user)), allowed=allowed, used=used)
