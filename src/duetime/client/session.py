"""Being logged in: the token goes with every call, is renewed before it runs out, and is won back after."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from datetime import datetime

import msgspec

from duetime.client.answers import Envelope, Token
from duetime.client.errors import ApiError, NotLoggedIn
from duetime.client.tokens import KeptToken, keep, keep_given
from duetime.client.transport import Transport

LOGIN = "/api/v1/auth/login"
REFRESH = "/api/v1/auth/refresh"
CHANGE = "/api/v1/me/password"
JSON = "application/json"


class Session:
    """Calls in somebody's name."""

    def __init__(
        self,
        transport: Transport,
        token: str | None,
        now: Callable[[], datetime],
        on_token: Callable[[Token], None] | None,
    ) -> None:
        self._transport = transport
        self._token = keep_given(token) if token else None
        self._now = now
        self._on_token = on_token
        self._credentials: tuple[str, str] | None = None
        self._renewing = asyncio.Lock()

    async def login(self, username: str, password: str) -> Token:
        """Get a token for a user name and a password; both are kept, to log in again when it has run out."""
        body = msgspec.json.encode({"username": username, "password": password})
        headers = {"Content-Type": JSON}
        answer = await self._transport.call("POST", LOGIN, headers=headers, body=body, safe=True)
        self._credentials = (username, password)
        return self._keep(answer)

    async def refresh(self) -> Token:
        """Change the token for a new one."""
        return self._keep(await self._transport.call("POST", REFRESH, headers=self._headers(), safe=True))

    async def change_password(self, current: str, new: str) -> Token:
        """Set another password, and go on with the token that comes with it."""
        answer = await self.call("POST", CHANGE, body=msgspec.json.encode({"current": current, "new": new}))
        if self._credentials is not None:
            self._credentials = (self._credentials[0], new)
        return self._keep(answer)

    async def call(
        self,
        method: str,
        path: str,
        *,
        params: Mapping[str, str] | None = None,
        body: bytes | None = None,
        headers: Mapping[str, str] | None = None,
        safe: bool = False,
        anonymous: bool = False,
    ) -> Envelope:
        """One call with the token; `anonymous` ones go without if there is none."""
        await self._renew_if_old()
        for last in (False, True):
            used = self._token
            own = ({"Content-Type": JSON} if body is not None else {}) | dict(headers or {})
            if used or not anonymous:
                own |= self._headers()
            try:
                return await self._transport.call(method, path, params=params, body=body, headers=own, safe=safe)
            except ApiError as error:
                if last or error.status != 401 or not await self._win_back(used):
                    raise
        raise NotLoggedIn

    def _headers(self) -> dict[str, str]:
        if self._token is None:
            raise NotLoggedIn
        return {"Authorization": f"Bearer {self._token.value}"}

    def _keep(self, answer: Envelope) -> Token:
        token = msgspec.json.decode(answer.data, type=Token)
        self._token = keep(token, self._now())
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
                # Not tried again: the old token may still do, and the server's answer to it counts.
                self._token = KeptToken(token.value, token.expire)

    def _is_old(self, token: KeptToken | None) -> bool:
        return token is not None and token.renew_from is not None and self._now() >= token.renew_from

    async def _win_back(self, refused: KeptToken | None) -> bool:
        if self._credentials is None:
            return False
        async with self._renewing:
            if self._token is refused:
                await self.login(*self._credentials)
        return True
