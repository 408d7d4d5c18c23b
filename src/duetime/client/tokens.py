"""When a token is to be renewed."""

from __future__ import annotations

from base64 import urlsafe_b64decode
from datetime import UTC, datetime, timedelta

import msgspec
from msgspec import Struct

from duetime.client.answers import Token

LONGEST_MARGIN = timedelta(minutes=5)


class _Claims(Struct):
    exp: float
    iat: float | None = None


class KeptToken(Struct, frozen=True):
    """A token with the instants that matter; unknown ones are `None`."""

    value: str
    expire: datetime | None = None
    renew_from: datetime | None = None

    def __repr__(self) -> str:
        """Without the token itself."""
        return f"KeptToken('***', expire={self.expire}, renew_from={self.renew_from})"


def keep(answer: Token, now: datetime) -> KeptToken:
    """A token that was just issued."""
    return KeptToken(answer.token, answer.expire, answer.expire - _margin(answer.expire - now))


def keep_given(token: str) -> KeptToken:
    """A token from elsewhere. Its claims are read, not verified: that is the server's to do."""
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
