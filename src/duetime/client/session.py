"""The login of a client: sends the token with every call, renews it before it expires, and logs in again after."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from datetime import datetime

import msgspec

from .answers import Envelope, Token
from .errors import ApiError, NotLoggedIn
from .tokens import KeptToken, from_answer, from_text
from .transport import Transport

LOGIN = "/api/v1/auth/login"
REFRESH = "/api/v1/auth/refresh"
CHANGE = "/api/v1/me/password"
JSON = "application/json"


class Session:
    """Sends calls as the user that is logged in."""

    def __init__(
        self,
        transport: Transport,
        token: str | None,
        now: Callable[[], datetime],
        on_token: Callable[[Token], None] | None,
        credentials: tuple[str, str] | None = None,
    ) -> None:
        self._transport = transport
        self._token = from_text(token) if token else None
        self._now = now
        self._on_token = on_token
        self._credentials = credentials
        self._renewing = asyncio.Lock()

    @property
    def url(self) -> str:
        """The server's address."""
        return self._transport.url

    @property
    def token(self) -> str | None:
        """The token that calls use now. None before a login."""
        return None if self._token is None else self._token.value

    async def login(self, username: str, password: str) -> Token:
        """Gets a token for a user name and a password. Keeps both, to log in again when the token has expired."""
        body = msgspec.json.encode({"username": username, "password": password})
        headers = {"Content-Type": JSON}
        answer = await self._transport.call("POST", LOGIN, headers=headers, body=body, safe=True)
        self._credentials = (username, password)
        return self._keep(answer)

    async def refresh(self) -> Token:
        """Exchanges the token for a new one."""
        return self._keep(await self._transport.call("POST", REFRESH, headers=self._headers(), safe=True))

    async def change_password(self, current: str, new: str) -> Token:
        """Changes the password. Later calls use the token in the answer."""
        answer = await self.call("POST", CHANGE, body=msgspec.json.encode({"current": current, "new": new}))
        if self._credentials is not None:
            self._credentials = (self._credentials[0], new)
        return self._keep(answer)

    async def call(
        self,
        method: str,
        path: str,
        *,
        params: Mapping[str, str | list[str]] | None = None,
        body: bytes | None = None,
        headers: Mapping[str, str] | None = None,
        safe: bool = False,
        anonymous: bool = False,
    ) -> Envelope:
        """Sends one call with the token. An `anonymous` call needs none."""
        if self._token is None and self._credentials is not None and not anonymous:
            await self._log_in_again(None)
        await self._renew_if_old()
        for last in (False, True):
            used = self._token
            own = ({"Content-Type": JSON} if body is not None else {}) | dict(headers or {})
            if used or not anonymous:
                own |= self._headers()
            try:
                return await self._transport.call(method, path, params=params, body=body, headers=own, safe=safe)
            except ApiError as error:
                if last or error.status != 401 or not await self._log_in_again(used):
                    raise
        raise NotLoggedIn

    def _headers(self) -> dict[str, str]:
        if self._token is None:
            raise NotLoggedIn
        return {"Authorization": f"Bearer {self._token.value}"}

    def _keep(self, answer: Envelope) -> Token:
        token = msgspec.json.decode(answer.data, type=Token)
        self._token = from_answer(token, self._now())
        if self._on_token is not None:
            self._on_token(token)
        return token

    async def _renew_if_old(self) -> None:
        if not self._is_old(self._token):
            return
        async with self._renewing:
            token = self._token
            if token is None or not self._is_old(token):
                return
            try:
                await self.refresh()
            except ApiError:
                # No second try: the old token may still be valid, and the server decides that when it is used.
                self._token = KeptToken(token.value, token.expire)

    def _is_old(self, token: KeptToken | None) -> bool:
        return token is not None and token.renew_from is not None and self._now() >= token.renew_from

    async def _log_in_again(self, refused: KeptToken | None) -> bool:
        if self._credentials is None:
            return False
        async with self._renewing:
            if self._token is refused:
                await self.login(*self._credentials)
        return True
