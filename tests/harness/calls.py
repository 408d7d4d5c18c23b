"""Calls a real Duetime over HTTP, without Duetime's own client."""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from io import BytesIO
from itertools import count
from typing import Any

import aiohttp
import msgspec
from msgspec import Struct

from harness.process import ADMIN_PASSWORD
from harness.waiting import eventually

PASSWORD = "correct horse battery"
JOBS = "/api/v1/me/jobs"
ENDS = frozenset({"succeeded", "dead", "cancelled", "skipped", "lost"})

_names = count()


class Reply(Struct, frozen=True):
    """An answer of the API."""

    status: int
    headers: dict[str, str]
    body: bytes

    @property
    def json(self) -> Any:
        """The body, decoded."""
        return msgspec.json.decode(self.body)

    @property
    def data(self) -> Any:
        """The data of a successful answer. Fails the test for any other answer."""
        assert 200 <= self.status < 300, f"{self.status}: {self.body[:2000]!r}"
        envelope = self.json
        assert envelope["success"] is True, envelope
        assert set(envelope) <= {"data", "success", "next_cursor"}, envelope
        return envelope["data"]

    def error(self, status: int, code: str, field: str | None = None) -> dict[str, Any]:
        """The error of the answer. Fails the test unless it is this one, in the right envelope."""
        assert self.status == status, f"{self.status}: {self.body[:2000]!r}"
        envelope = self.json
        assert set(envelope) == {"success", "error"}, envelope
        assert envelope["success"] is False, envelope
        error: dict[str, Any] = envelope["error"]
        assert set(error) == {"code", "message", "details"}, error
        assert error["code"] == code, error
        assert error["message"].endswith((".", "?", "!")), f"not a sentence: {error['message']!r}"
        assert "Traceback" not in error["message"], error
        if field is not None:
            assert (error["details"] or {}).get("field") == field, error
        return error


class Api:
    """One caller: a server's address and, once logged in, a token."""

    def __init__(self, session: aiohttp.ClientSession, url: str, token: str | None = None) -> None:
        self.url = url
        self.token = token
        self.user: dict[str, Any] = {}
        self._session = session

    def anonymous(self) -> Api:
        """The same server without a token."""
        return Api(self._session, self.url)

    def holding(self, token: str) -> Api:
        """The same server with another token."""
        return Api(self._session, self.url, token)

    async def call(
        self,
        method: str,
        path: str,
        body: object = None,
        *,
        raw: bytes | None = None,
        params: Mapping[str, str] | None = None,
        headers: Mapping[str, str] | None = None,
        seconds: float = 60.0,
    ) -> Reply:
        """Send one request. `body` is sent as JSON, `raw` unchanged."""
        sent = dict(headers or {})
        if self.token is not None:
            sent.setdefault("Authorization", f"Bearer {self.token}")
        if body is not None:
            raw = msgspec.json.encode(body)
            sent.setdefault("Content-Type", "application/json")
        # aiohttp warns of large bytes and takes them piece by piece from a file.
        data = BytesIO(raw) if isinstance(raw, bytes) else raw
        timeout = aiohttp.ClientTimeout(total=seconds)
        async with self._session.request(
            method, self.url + path, data=data, headers=sent, params=params, timeout=timeout, allow_redirects=False
        ) as answer:
            headers_ = {name.lower(): value for name, value in answer.headers.items()}
            return Reply(answer.status, headers_, await answer.read())

    async def get(self, path: str, **params: str) -> Reply:
        """GET."""
        return await self.call("GET", path, params=params or None)

    async def post(self, path: str, body: object = None, **more: Any) -> Reply:
        """POST."""
        return await self.call("POST", path, body, **more)

    async def patch(self, path: str, body: object) -> Reply:
        """PATCH."""
        return await self.call("PATCH", path, body)

    async def login(self, username: str, password: str = PASSWORD) -> Api:
        """Log in, and keep the token."""
        data = (await self.post("/api/v1/auth/login", {"username": username, "password": password})).data
        self.token, self.user = data["token"], data["user"]
        return self

    async def admin(self) -> Api:
        """The administrator of the same server."""
        return await self.anonymous().login("admin", ADMIN_PASSWORD)

    async def new_user(self, name: str = "user", **more: Any) -> Api:
        """A new user of the same server, logged in. The administrator creates it, so that any sign-up rule works."""
        username = f"{name}-{next(_names)}"
        admin = await self.admin()
        (await admin.post("/api/v1/users", {"username": username, "password": PASSWORD, **more})).data  # noqa: B018
        return await self.anonymous().login(username)

    async def create(self, message: object = "m", **more: Any) -> dict[str, Any]:
        """Create a job. Fails the test if that does not work."""
        job = (await self.post(JOBS, {"message": message, **more})).data
        assert job.pop("created") is True
        return job

    async def bulk(self, jobs: list[dict[str, Any]]) -> list[int]:
        """Create many jobs. Returns their ids; fails the test if that does not work."""
        return (await self.post(f"{JOBS}/bulk", jobs)).data["ids"]

    async def job(self, job_id: int) -> dict[str, Any]:
        """The present state of a job."""
        return (await self.get(f"{JOBS}/{job_id}")).data

    async def runs(self, job_id: int) -> list[dict[str, Any]]:
        """A job's attempts."""
        return (await self.get(f"{JOBS}/{job_id}/runs")).data

    async def stats(self) -> dict[str, int]:
        """Counts by status."""
        return (await self.get(f"{JOBS}/stats")).data

    async def until(self, job_id: int, *states: str, seconds: float = 15.0) -> dict[str, Any]:
        """Wait until a job is in one of the states, or without states until it has ended. Returns the job."""

        async def there() -> dict[str, Any]:
            job = await self.job(job_id)
            assert job["status"] in (states or ENDS), job
            return job

        return await eventually(there, seconds)

    async def all_jobs(self, **params: str) -> list[dict[str, Any]]:
        """Every job of the user, page by page."""
        found, asked = list[dict[str, Any]](), {"limit": "1000", **params}
        while True:
            page = (await self.get(JOBS, **asked)).json
            found += page["data"]
            if page["next_cursor"] is None:
                return found
            asked["cursor"] = page["next_cursor"]


@asynccontextmanager
async def calling(url: str) -> AsyncIterator[Api]:
    """A caller of a server, not logged in."""
    connector = aiohttp.TCPConnector(limit=64)
    async with aiohttp.ClientSession(connector=connector, cookie_jar=aiohttp.DummyCookieJar()) as session:
        yield Api(session, url)
