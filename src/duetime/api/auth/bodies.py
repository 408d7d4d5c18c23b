"""What clients send to log in and to change a password."""

from __future__ import annotations

from typing import Annotated

from msgspec import Meta, Struct

from duetime.api.auth.passwords import MAX_LENGTH
from duetime.api.users.bodies import NewPassword, Username

Password = Annotated[str, Meta(min_length=1, max_length=MAX_LENGTH)]


class LoginBody(Struct, frozen=True, forbid_unknown_fields=True):
    """A user's name and password."""

    username: Username
    password: Password


class PasswordBody(Struct, frozen=True, forbid_unknown_fields=True):
    """The current password and the new one."""

    current: Password
    new: NewPassword
