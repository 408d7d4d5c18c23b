"""Tokens: JWT, signed with HS256 only, valid by the injected clock."""

from __future__ import annotations

import math
from datetime import UTC, datetime, timedelta

import jwt
from msgspec import Struct

from duetime.clock.port import Clock
from duetime.model.errors import ConfigError, Unauthorized
from duetime.model.user import User

ALGORITHM = "HS256"
ISSUER = "duetime"
AUDIENCE = "duetime-api"
MIN_KEY_BYTES = 32
LEEWAY = timedelta(seconds=5)
"""How far another node's clock may be ahead of this one, for `iat` and `nbf`; expiry has no leeway."""

_TIMES = ("iat", "nbf", "exp", "auth_time")


class IssuedToken(Struct, frozen=True):
    """A token and the instant at which it expires."""

    token: str
    expire: datetime


class Claims(Struct, frozen=True):
    """What a token with a valid signature says."""

    user_id: int
    issued_at: datetime
    expires_at: datetime
    logged_in_at: datetime
    """When the password was given. Refreshing does not change it."""

    def valid_for(self, user: User, now: datetime) -> bool:
        """Whether it is still valid: not expired, and not issued before the user's tokens were voided."""
        return now < self.expires_at and self.issued_at >= user.tokens_from


class Tokens:
    """Issues tokens and reads them."""

    def __init__(self, key: bytes, life: float, clock: Clock, *, session_life: float = 30 * 86_400.0) -> None:
        """`life` is a token's, `session_life` that of all tokens that follow from one login."""
        if len(key) < MIN_KEY_BYTES:
            raise ConfigError(f"The signing key has {len(key)} bytes; it needs at least {MIN_KEY_BYTES}.")
        self._key = key
        self._life = timedelta(seconds=life)
        self._session_life = timedelta(seconds=session_life)
        self._clock = clock

    def issue(self, user: User, logged_in_at: datetime | None = None) -> IssuedToken:
        """A token for a user, valid from now on, and never past the end of the session that a login began."""
        # This clock never runs ahead of the database's, so it may still be before the instant at which a
        # change of password voided all earlier tokens.
        issued_at = max(self._clock.now(), user.tokens_from.astimezone(UTC))
        session_from = logged_in_at or issued_at
        expire = min(issued_at + self._life, session_from + self._session_life)
        if expire <= issued_at:
            raise Unauthorized("The session has ended: log in again.")
        claims = {
            "iss": ISSUER,
            "aud": AUDIENCE,
            "sub": str(user.id),
            "iat": issued_at.timestamp(),
            "nbf": issued_at.timestamp(),
            "exp": expire.timestamp(),
            "auth_time": session_from.timestamp(),
        }
        return IssuedToken(jwt.encode(claims, self._key, algorithm=ALGORITHM), expire)

    def read(self, token: str) -> Claims:
        """Returns what a token says. Raises `Unauthorized` when it is not Duetime's, not valid yet, or expired."""
        try:
            payload = jwt.decode(
                token,
                self._key,
                algorithms=[ALGORITHM],
                issuer=ISSUER,
                audience=AUDIENCE,
                options={
                    "require": ["iss", "aud", "sub", *_TIMES],
                    "strict_aud": True,
                    # Times are checked below, by the injected clock: PyJWT would ask this machine's.
                    "verify_iat": False,
                    "verify_nbf": False,
                    "verify_exp": False,
                },
            )
            user_id = int(payload["sub"])
            issued_at, not_before, expires_at, logged_in_at = (_instant(payload[name]) for name in _TIMES)
        except (jwt.PyJWTError, ValueError, OverflowError) as error:
            raise Unauthorized("The token is not valid: log in again.") from error
        now = self._clock.now()
        if now >= expires_at:
            raise Unauthorized("The token has expired: log in again.")
        if max(issued_at, not_before) > now + LEEWAY:
            raise Unauthorized("The token is not valid yet.")
        return Claims(user_id, issued_at, expires_at, logged_in_at)


def _instant(value: object) -> datetime:
    if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
        raise ValueError("not a number of seconds")
    return datetime.fromtimestamp(value, UTC)
