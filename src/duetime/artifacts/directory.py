"""Contents in a directory of this machine, or of a file system that API nodes and executors share."""

from __future__ import annotations

import asyncio
import os
from collections.abc import AsyncIterator
from datetime import timedelta
from pathlib import Path
from secrets import token_hex

from duetime.artifacts.port import SignedRequest
from duetime.artifacts.verified import read_pieces, write_verified
from duetime.model.artifact import Upload
from duetime.model.errors import NotFound

PART = ".part"


class DirectoryContents:
    """`Contents` in a directory. A content is written beside its place, and renamed when it is whole."""

    def __init__(self, root: Path) -> None:
        self._root = root

    async def sign(self, upload: Upload, life: timedelta) -> SignedRequest | None:
        """Uploads go through the server."""
        return None

    async def write(self, upload: Upload, parts: AsyncIterator[bytes]) -> None:
        """Store an upload."""
        path = self._path(upload.content)
        await asyncio.to_thread(path.parent.mkdir, mode=0o700, parents=True, exist_ok=True)
        # A name of its own: the same signed address can be used twice at once.
        part = path.with_name(f"{path.name}.{token_hex(8)}{PART}")
        await write_verified(parts, part, upload.digest, upload.size)
        await asyncio.to_thread(os.replace, part, path)

    async def accept(self, upload: Upload) -> None:
        """Check that the upload is there: `write` has compared it."""
        if not await asyncio.to_thread(self._path(upload.content).is_file):
            raise NotFound("Nothing was uploaded, or not all of it: send the content to the upload's address first.")

    async def fetch(self, content: str, digest: str, size: int, to: Path) -> None:
        """Copy a content to a new file."""
        path = self._path(content)
        try:
            await write_verified(read_pieces(path), to, digest, size)
        except FileNotFoundError:
            raise NotFound(f"The store of artifacts has no content '{content}'.") from None

    async def remove(self, content: str) -> None:
        """Remove a content, and what an upload that broke off has left of it."""
        await asyncio.to_thread(_remove, self._path(content))

    def _path(self, content: str) -> Path:
        return self._root / content


def _remove(path: Path) -> None:
    for one in (path, *path.parent.glob(f"{path.name}.*{PART}")):
        one.unlink(missing_ok=True)
