"""Finds the user of a request by its bearer token, or by the cookie of its session."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from duetime.api.auth.cookies import check_from_page, ticket_of
from duetime.api.auth.tokens import Claims, Tokens
from duetime.clock.port import Clock
from duetime.engine.asking.accounts import Accounts
from duetime.engine.asking.sessions import Sessions
from duetime.model.errors import Unauthorized
from duetime.model.session import Session
from duetime.model.user import User

MAX_TOKEN_BYTES = 4096
MAX_VERIFIED = 10_000


class Authenticator:
    """Finds the user of a request. Checks a token's signature once, and at each request whether it is still valid."""

    def __init__(
        self, tokens: Tokens, accounts: Accounts, sessions: Sessions, clock: Clock, max_verified: int = MAX_VERIFIED
    ) -> None:
        self._tokens = tokens
        self._accounts = accounts
        self._sessions = sessions
        self._clock = clock
        self._verified: dict[bytes, Claims] = {}
        self._max_verified = max_verified

    def __len__(self) -> int:
        """How many verified tokens are kept."""
        return len(self._verified)

    async def user(self, headers: Sequence[tuple[bytes, bytes]], *, changes: bool = False) -> User | None:
        """The user of the request's token or cookie, or None without one. Raises `Unauthorized` for an invalid token.

        The cookie of a session that has ended counts as none: browsers keep it. A call by cookie that `changes`
        something must come from the page: `Forbidden` otherwise.
        """
        credentials = _credentials(headers)
        if credentials is None:
            return await self._by_cookie(headers, changes)
        claims = self._verified.get(credentials) or self._verify(credentials)
        user = await self._accounts.by_id(claims.user_id)
        if user is None or not claims.valid_for(user, self._clock.now()):
            self._verified.pop(credentials, None)
            raise Unauthorized("The token is no longer valid: log in again.")
        return user

    def claims(self, headers: Iterable[tuple[bytes, bytes]]) -> Claims:
        """What the request's token says. Raises `Unauthorized` without a token."""
        credentials = _credentials(headers)
        if credentials is None:
            raise Unauthorized
        return self._verified.get(credentials) or self._verify(credentials)

    async def session(self, headers: Iterable[tuple[bytes, bytes]]) -> Session | None:
        """The session of the request's cookie; None for a request with a token, or with neither."""
        headers = list(headers)
        ticket = ticket_of(headers)
        if ticket is None or _credentials(headers) is not None:
            return None
        return await self._sessions.of_ticket(ticket)

    async def _by_cookie(self, headers: Sequence[tuple[bytes, bytes]], changes: bool) -> User | None:
        ticket = ticket_of(headers)
        if ticket is None:
            return None
        session = await self._sessions.of_ticket(ticket)
        user = None if session is None else await self._accounts.by_id(session.user_id)
        if session is None or user is None or not session.valid_for(user, self._clock.now()):
            return None
        if changes:
            check_from_page(headers)
        await self._sessions.use(session)
        return user

    def _verify(self, credentials: bytes) -> Claims:
        scheme, _, token = credentials.partition(b" ")
        if scheme.lower() != b"bearer" or len(token) > MAX_TOKEN_BYTES:
            raise Unauthorized
        claims = self._tokens.read(token.strip().decode("latin-1"))
        if len(self._verified) >= self._max_verified:
            del self._verified[next(iter(self._verified))]
        self._verified[credentials] = claims
        return claims


def _credentials(headers: Iterable[tuple[bytes, bytes]]) -> bytes | None:
    for name, value in headers:
        if name == b"authorization":
            return value
    return None
