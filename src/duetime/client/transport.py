"""Sends requests and reads answers. Repeats a request where that is harmless."""

from __future__ import annotations

import os
import secrets
from collections.abc import Callable, Mapping
from io import BytesIO
from itertools import count
from typing import Final
from urllib.parse import urlsplit

import aiohttp
import msgspec
from yarl import URL

from ..errors import Invalid
from .answers import Envelope, decode_envelope, decode_refusal
from .errors import ApiError, ConnectionLost, Unreachable
from .local_clock import Sleep

FIRST_WAIT: Final = 0.2
LONGEST_WAIT: Final = 5.0
LONGEST_RETRY_AFTER: Final = 30.0
TRY_AGAIN: Final = frozenset({429, 502, 503, 504})
# Below the usual keep-alive of servers (5 s), so that no request uses a connection that is being closed.
KEEP_ALIVE: Final = 4.0
IN_ONE_WRITE: Final = 512 * 1024
"""Larger bodies are sent in pieces, so that they do not hold the event loop."""


def random_fraction() -> float:
    """Returns a random number in [0, 1), so that clients that failed together do not retry together."""
    return secrets.randbelow(1000) / 1000


def backoff(attempt: int, fraction: float) -> float:
    """Returns how long to wait after a failure, in seconds: doubling, capped, and random in its upper half."""
    return min(LONGEST_WAIT, FIRST_WAIT * 2**attempt) * (0.5 + fraction / 2)


class Transport:
    """A connection pool for one server. The first call opens it, so it can be created without an event loop."""

    def __init__(
        self, url: str, *, timeout: float, retries: int, sleep: Sleep, fraction: Callable[[], float] = random_fraction
    ) -> None:
        self.url = checked_url(url)
        self._base = str(URL(self.url)).rstrip("/")
        self._timeout = aiohttp.ClientTimeout(total=timeout, sock_connect=min(timeout, 5.0))
        self._retries = retries
        self._sleep = sleep
        self._fraction = fraction
        self._session: aiohttp.ClientSession | None = None
        self.incomplete: list[str] = []
        """The server's sentences about what answers lacked because a database was unavailable."""

    async def call(
        self,
        method: str,
        path: str,
        *,
        headers: Mapping[str, str],
        params: Mapping[str, str | list[str]] | None = None,
        body: bytes | None = None,
        safe: bool = False,
    ) -> Envelope:
        """Sends one call. `safe` means that repeating it is harmless: then it is sent again after a lost connection."""
        for attempt in count():
            try:
                return await self._once(method, path, headers, params, body)
            except (Unreachable, ApiError) as error:
                if attempt >= self._retries or not may_try_again(error, safe=safe):
                    raise
                asked = error.retry_after if isinstance(error, ApiError) else None
            await self._sleep(max(backoff(attempt, self._fraction()), asked or 0))
        raise Unreachable

    async def _once(
        self,
        method: str,
        path: str,
        headers: Mapping[str, str],
        params: Mapping[str, str | list[str]] | None,
        body: bytes | None,
    ) -> Envelope:
        session = self._open()
        data = BytesIO(body) if body is not None and len(body) > IN_ONE_WRITE else body
        try:
            async with session.request(
                method,
                URL(self._base + path, encoded=True),
                params=params,
                data=data,
                headers=headers,
                allow_redirects=False,
            ) as answer:
                self._note(answer.headers.get("Duetime-Incomplete"))
                return read_answer(answer.status, answer.headers, await answer.read())
        except (aiohttp.ClientConnectorError, aiohttp.ConnectionTimeoutError) as error:
            raise Unreachable(f"{self.url} cannot be reached: {_why(error)}.") from None
        except (aiohttp.ClientError, TimeoutError) as error:
            reason = str(error) or "no answer in time"
            raise ConnectionLost(f"The connection to {self.url} was lost: {reason}.") from None

    def _note(self, missing: str | None) -> None:
        if missing is not None and missing not in self.incomplete:
            self.incomplete.append(missing)

    def _open(self) -> aiohttp.ClientSession:
        if self._session is None:
            self._session = aiohttp.ClientSession(
                timeout=self._timeout,
                cookie_jar=aiohttp.DummyCookieJar(),
                connector=aiohttp.TCPConnector(keepalive_timeout=KEEP_ALIVE),
            )
        return self._session

    async def close(self) -> None:
        """Close the connections."""
        if self._session is not None:
            await self._session.close()
            self._session = None


def _why(error: aiohttp.ClientError) -> str:
    cause = getattr(error, "os_error", error)
    number = getattr(cause, "errno", None) or 0
    return os.strerror(number) if number > 0 else getattr(cause, "strerror", None) or "no answer in time"


def may_try_again(error: ApiError | Unreachable, *, safe: bool) -> bool:
    """Returns whether to repeat a call. A call that was never sent may always be repeated."""
    if isinstance(error, ApiError):
        return safe and error.status in TRY_AGAIN and (error.retry_after or 0) <= LONGEST_RETRY_AFTER
    return safe or not isinstance(error, ConnectionLost)


def read_answer(status: int, headers: Mapping[str, str], body: bytes) -> Envelope:
    """Returns the envelope of a success. Raises `ApiError` for every other answer."""
    if 200 <= status < 300:
        try:
            return decode_envelope(body)
        except msgspec.DecodeError:
            text = f"The server answered {status}, but not as Duetime does: check the address."
            raise ApiError(status, "unreadable", text) from None
    if 300 <= status < 400:
        where = headers.get("Location", "another address")
        raise ApiError(status, "redirected", f"The server redirects to {where}: use that address.")
    try:
        error = decode_refusal(body).error
    except msgspec.DecodeError:
        raise ApiError(status, "unreadable", f"The server answered {status} without saying why.") from None
    raise ApiError(status, error.code, error.message, error.details, retry_after=_retry_after(headers))


def _retry_after(headers: Mapping[str, str]) -> float | None:
    try:
        return float(headers["Retry-After"])
    except (KeyError, ValueError):
        return None


def checked_url(url: str) -> str:
    """Returns the address of a server without a slash at its end."""
    try:
        parts = urlsplit(url)
        host, _ = parts.hostname, parts.port
    except ValueError:
        parts, host = None, None
    if parts is None or not host or parts.scheme not in ("http", "https"):
        # Text with an @ may hold a password, which no error shows.
        named = "The address of the server" if "@" in url else f"The address of the server, '{url}',"
        raise Invalid(f"{named} is not valid: write it as http://127.0.0.1:8080.")
    if "@" in parts.netloc:
        raise Invalid("The address of the server must not contain a user name or password: log in instead.")
    return f"{parts.scheme}://{parts.netloc}{parts.path.rstrip('/')}"
