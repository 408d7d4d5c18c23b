"""Finds out from a token when to renew it."""

from __future__ import annotations

from base64 import urlsafe_b64decode
from datetime import UTC, datetime, timedelta

import msgspec
from msgspec import Struct

from .answers import Token

LONGEST_MARGIN = timedelta(minutes=5)


class _Claims(Struct):
    exp: float
    iat: float | None = None


class KeptToken(Struct, frozen=True):
    """A token, when it expires and from when to renew it; `None` where that is unknown."""

    value: str
    expire: datetime | None = None
    renew_from: datetime | None = None

    def __repr__(self) -> str:
        """Hides the token."""
        return f"KeptToken('***', expire={self.expire}, renew_from={self.renew_from})"


def from_answer(answer: Token, now: datetime) -> KeptToken:
    """Returns the token of an answer to a login."""
    return KeptToken(answer.token, answer.expire, answer.expire - _margin(answer.expire - now))


def from_text(token: str) -> KeptToken:
    """Returns a token that the caller has. Reads its claims without verifying them: the server does that."""
    try:
        payload = token.split(".")[1]
        claims = msgspec.json.decode(urlsafe_b64decode(payload + "=" * (-len(payload) % 4)), type=_Claims)
        expire = datetime.fromtimestamp(claims.exp, UTC)
        issued = datetime.fromtimestamp(claims.iat, UTC) if claims.iat is not None else expire
    except (IndexError, ValueError, OverflowError, OSError):
        return KeptToken(token)
    return KeptToken(token, expire, expire - _margin(expire - issued))


def _margin(life: timedelta) -> timedelta:
    return min(LONGEST_MARGIN, max(life, timedelta()) / 5)
