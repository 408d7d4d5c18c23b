"""Calls about artifacts."""

from __future__ import annotations

import asyncio
import hashlib
from pathlib import Path
from typing import Any, Final
from urllib.parse import quote

import aiohttp
import msgspec
from yarl import URL

from .artifact_answers import Artifact, ArtifactVersion, Pushed, Removed, Upload
from .calls import Calls
from .errors import ApiError, ConnectionLost
from .transport import read_answer

ARTIFACTS: Final = "/api/v1/me/artifacts"
ARCHIVES: Final = (".tar", ".tar.gz", ".tgz", ".tar.bz2", ".tar.xz")
PIECE: Final = 1 << 20
STALLED: Final = 60.0
"""Seconds without progress after which an upload has failed."""


class ArtifactCalls(Calls):
    """Pushes, lists and removes artifacts."""

    async def push_artifact(self, path: str | Path, name: str, *, unpack: bool | None = None) -> ArtifactVersion:
        """Uploads a file as the latest version of an artifact. A content that is there already is not sent again.

        A tar archive, by the end of its name, is unpacked by executors unless `unpack` says otherwise.
        """
        file = Path(path)
        size, digest = await asyncio.to_thread(_digest, file)
        archive = file.name.endswith(ARCHIVES) if unpack is None else unpack
        body: dict[str, Any] = {"name": name, "digest": digest, "size": size, "filename": file.name, "unpack": archive}
        answer = await self._session.call("POST", ARTIFACTS, body=msgspec.json.encode(body), safe=True)
        pushed = self._read(answer, Pushed)
        if pushed.upload is None:
            if pushed.version is None:
                raise ApiError(200, "unreadable", "The server answered neither a version nor an upload.")
            return pushed.version
        await _send(file, pushed.upload, self._session.url)
        body["upload"] = pushed.upload.key
        answer = await self._session.call("POST", f"{ARTIFACTS}/complete", body=msgspec.json.encode(body), safe=True)
        return self._read(answer, ArtifactVersion)

    async def artifacts(self) -> list[Artifact]:
        """Returns the user's artifacts, by name."""
        return self._read(await self._session.call("GET", ARTIFACTS, safe=True), list[Artifact])

    async def artifact(self, name: str) -> list[ArtifactVersion]:
        """Returns the versions of an artifact, the latest first."""
        path = f"{ARTIFACTS}/{quote(name, safe='')}"
        return self._read(await self._session.call("GET", path, safe=True), list[ArtifactVersion])

    async def remove_artifact(self, reference: str, *, force: bool = False) -> list[str]:
        """Removes all versions of an artifact, or the one after `@`. Returns their digests.

        What jobs or schedules name is removed only with `force`.
        """
        path, params = f"{ARTIFACTS}/{quote(reference, safe='')}", {"force": "true"} if force else {}
        return self._read(await self._session.call("DELETE", path, params=params), Removed).removed


def _digest(file: Path) -> tuple[int, str]:
    hashed, size = hashlib.sha256(), 0
    with file.open("rb") as content:
        while piece := content.read(PIECE):
            hashed.update(piece)
            size += len(piece)
    return size, f"sha256:{hashed.hexdigest()}"


async def _send(file: Path, upload: Upload, server: str) -> None:
    """Send a file to where an upload says: this server, or an object store. The token stays here."""
    own = upload.url.startswith("/")
    url = URL(server + upload.url if own else upload.url, encoded=True)
    timeout = aiohttp.ClientTimeout(total=None, sock_connect=30, sock_read=STALLED)
    headers = {"Content-Type": "application/octet-stream", **upload.headers}
    content = await asyncio.to_thread(file.open, "rb")
    try:
        async with (
            aiohttp.ClientSession(timeout=timeout, cookie_jar=aiohttp.DummyCookieJar()) as session,
            session.put(url, data=content, headers=headers, allow_redirects=False) as answer,
        ):
            said = await answer.read()
            if own:
                read_answer(answer.status, answer.headers, said)
            elif answer.status >= 300:
                raise ApiError(answer.status, "upload", f"The object store refused the upload with {answer.status}.")
    except (aiohttp.ClientError, TimeoutError) as error:
        where = "the server" if own else "the object store"
        raise ConnectionLost(f"The upload to {where} was lost: {type(error).__name__}. Push again.") from None
    finally:
        content.close()
