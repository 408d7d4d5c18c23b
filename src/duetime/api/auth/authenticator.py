"""Who is calling: from the bearer token to the user."""

from __future__ import annotations

from collections.abc import Iterable

from duetime.api.auth.tokens import Claims, Tokens
from duetime.api.services import Accounts
from duetime.clock.port import Clock
from duetime.model.errors import Unauthorized
from duetime.model.user import User

MAX_TOKEN_BYTES = 4096
MAX_VERIFIED = 10_000


class Authenticator:
    """Finds the user of a request. A token's signature is checked once; whether it still holds, each time."""

    def __init__(self, tokens: Tokens, accounts: Accounts, clock: Clock) -> None:
        self._tokens = tokens
        self._accounts = accounts
        self._clock = clock
        self._verified: dict[bytes, Claims] = {}

    async def user(self, headers: Iterable[tuple[bytes, bytes]]) -> User | None:
        """The user whose token came along; None without one; `Unauthorized` when it is no good."""
        credentials = next((value for name, value in headers if name == b"authorization"), None)
        if credentials is None:
            return None
        claims = self._verified.get(credentials) or self._verify(credentials)
        user = await self._accounts.by_id(claims.user_id)
        if user is None or not claims.good_for(user, self._clock.now()):
            self._verified.pop(credentials, None)
            raise Unauthorized("The token is no longer valid: log in again.")
        return user

    def _verify(self, credentials: bytes) -> Claims:
        scheme, _, token = credentials.partition(b" ")
        if scheme.lower() != b"bearer" or len(token) > MAX_TOKEN_BYTES:
            raise Unauthorized
        claims = self._tokens.read(token.strip().decode("latin-1"))
        if len(self._verified) >= MAX_VERIFIED:
            del self._verified[next(iter(self._verified))]
        self._verified[credentials] = claims
        return claims
