"""A user: who owns jobs, and whose weight sets the share."""

from __future__ import annotations

from datetime import datetime
from typing import Literal

from msgspec import Struct

from duetime.model.ids import UserId

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


class Credentials(Struct, frozen=True):
    """A user with what the password is checked against."""

    user: User
    password_hash: str
