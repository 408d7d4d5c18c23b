"""What clients see of a login: a token and its user."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated

from msgspec import Meta, Struct

from duetime.api.auth.tokens import IssuedToken
from duetime.api.users.views import UserView

Token = Annotated[str, Meta(description="Send it as `Authorization: Bearer TOKEN`.")]


class TokenView(Struct, frozen=True):
    """A token and the instant at which it expires."""

    expire: datetime
    token: Token


class LoginView(Struct, frozen=True):
    """A token, the instant at which it expires, and its user."""

    expire: datetime
    token: Token
    user: UserView


def token_view(issued: IssuedToken) -> TokenView:
    """A token as shown."""
    return TokenView(issued.expire, issued.token)
