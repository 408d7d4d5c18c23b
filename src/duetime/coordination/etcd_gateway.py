"""etcd version 3 over its JSON gateway: leases, keys under them, and watching a prefix."""

from __future__ import annotations

import asyncio
import ssl
from base64 import b64decode, b64encode
from collections.abc import AsyncGenerator, Sequence
from pathlib import Path
from typing import Any

import aiohttp
import msgspec
from msgspec import Struct

from duetime.model.errors import CoordinatorAway

UNAUTHENTICATED = 16
WATCH_LINE = 16 * 1024 * 1024


class EtcdAccess(Struct, frozen=True):
    """The addresses of etcd and the credentials for it."""

    endpoints: tuple[str, ...]
    user: str | None = None
    password: str | None = None
    ca: Path | None = None
    cert: Path | None = None
    key: Path | None = None

    def tls(self) -> ssl.SSLContext | bool:
        """Returns the context for `https://` endpoints: a private certificate authority and a client certificate."""
        if self.ca is None and self.cert is None:
            return True
        context = ssl.create_default_context(cafile=self.ca)
        if self.cert is not None:
            context.load_cert_chain(self.cert, self.key)
        return context


class EtcdGateway:
    """Calls etcd, one endpoint after another. A call without an answer in time raises `CoordinatorAway`."""

    def __init__(self, access: EtcdAccess) -> None:
        self._access = access
        self._session: aiohttp.ClientSession | None = None
        self._token: str | None = None
        self._first = 0

    async def grant(self, ttl: int, seconds: float) -> tuple[int, int]:
        """Grant a new lease. Returns its id and its seconds, which may be more than asked."""
        answer = await self._call("lease/grant", {"TTL": ttl}, seconds)
        return int(answer["ID"]), int(answer["TTL"])

    async def keep_alive(self, lease: int, seconds: float) -> bool:
        """Prolong a lease. Returns whether it still existed."""
        answer = await self._call("lease/keepalive", {"ID": lease}, seconds)
        return int(answer.get("result", {}).get("TTL", 0)) > 0

    async def revoke(self, lease: int, seconds: float) -> None:
        """End a lease and delete its keys."""
        await self._call("lease/revoke", {"ID": lease}, seconds)

    async def put_new(self, key: str, value: bytes, lease: int, seconds: float) -> bool:
        """Put a key under a lease unless the key exists, in one transaction. Returns whether it was put."""
        compare = {"key": _text(key), "target": "CREATE", "result": "EQUAL", "create_revision": 0}
        put = {"request_put": {"key": _text(key), "value": b64encode(value).decode(), "lease": lease}}
        answer = await self._call("kv/txn", {"compare": [compare], "success": [put]}, seconds)
        return bool(answer.get("succeeded"))

    async def keys(self, prefix: str, seconds: float) -> list[str]:
        """Returns the keys under a prefix, as a majority of etcd's members has them now (a linearizable read)."""
        answer = await self._call("kv/range", {**_range(prefix), "keys_only": True}, seconds)
        return [b64decode(entry["key"]).decode() for entry in answer.get("kvs", ())]

    async def changes(self, prefix: str) -> AsyncGenerator[None]:
        """Yields when the watch has begun, and whenever a key under a prefix is put, deleted or expires."""
        body = {"create_request": _range(prefix)}
        for endpoint in self._endpoints():
            try:
                async with self._opened().post(
                    f"{endpoint}/v3/watch", json=body, headers=await self._headers(), timeout=aiohttp.ClientTimeout()
                ) as stream:
                    while await stream.content.readline():
                        yield
                return
            except (aiohttp.ClientError, OSError):
                continue

    async def close(self) -> None:
        """Close the connections."""
        if self._session is not None:
            await self._session.close()
            self._session = None

    async def _call(self, verb: str, body: dict[str, object], seconds: float) -> Any:
        why: object = "no endpoint is configured"
        try:
            async with asyncio.timeout(seconds):
                for endpoint in self._endpoints():
                    part = aiohttp.ClientTimeout(total=seconds / min(2, len(self._access.endpoints)))
                    try:
                        answer = await self._post(endpoint, verb, body, part)
                    except (aiohttp.ClientError, OSError) as error:
                        why = f"{type(error).__name__} at {endpoint}"
                        self._first += 1
                        continue
                    if isinstance(answer, dict) and "error" not in answer:
                        return answer
                    why = answer
                    self._first += 1
        except TimeoutError:
            why = f"no answer within {seconds:g} s"
        raise CoordinatorAway(f"etcd cannot do '{verb}' now ({why}).")

    async def _post(self, endpoint: str, verb: str, body: dict[str, object], part: aiohttp.ClientTimeout) -> Any:
        answer = await self._exchange(endpoint, verb, body, await self._headers(), part)
        if isinstance(answer, dict) and answer.get("code") == UNAUTHENTICATED and self._access.user:
            self._token = None  # it expired
            answer = await self._exchange(endpoint, verb, body, await self._headers(), part)
        return answer

    async def _exchange(
        self, endpoint: str, verb: str, body: dict[str, object], headers: dict[str, str], part: aiohttp.ClientTimeout
    ) -> Any:
        async with self._opened().post(f"{endpoint}/v3/{verb}", json=body, headers=headers, timeout=part) as answer:
            text = await answer.read()
        try:
            return msgspec.json.decode(text)
        except msgspec.DecodeError:
            return f"status {answer.status} at {endpoint}"

    async def _headers(self) -> dict[str, str]:
        access = self._access
        if access.user is None:
            return {}
        if self._token is None:
            body: dict[str, object] = {"name": access.user, "password": access.password or ""}
            answer = await self._exchange(
                self._endpoints()[0], "auth/authenticate", body, {}, aiohttp.ClientTimeout(total=5)
            )
            if not isinstance(answer, dict) or "token" not in answer:
                raise CoordinatorAway(f"etcd refuses the user '{access.user}': check its password.")
            self._token = str(answer["token"])
        return {"authorization": self._token}

    def _endpoints(self) -> Sequence[str]:
        """Returns the endpoints, beginning with the one that answered last."""
        every = self._access.endpoints
        first = self._first % len(every)
        return every[first:] + every[:first]

    def _opened(self) -> aiohttp.ClientSession:
        if self._session is None:
            self._session = aiohttp.ClientSession(
                connector=aiohttp.TCPConnector(ssl=self._access.tls()), read_bufsize=WATCH_LINE
            )
        return self._session


def _text(text: str) -> str:
    return b64encode(text.encode()).decode()


def _range(prefix: str) -> dict[str, object]:
    """Returns the range of all keys with a prefix: up to the prefix with its last byte one higher."""
    end = prefix.encode()
    return {"key": _text(prefix), "range_end": b64encode(end[:-1] + bytes([end[-1] + 1])).decode()}
