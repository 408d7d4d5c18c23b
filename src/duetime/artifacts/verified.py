"""Writing a file while its size and digest are computed."""

from __future__ import annotations

import asyncio
import hashlib
import os
from collections.abc import AsyncIterator, Iterator
from pathlib import Path

from duetime.model.errors import Invalid, TooLarge

PIECE = 1 << 20


class _VerifiedFile:
    """A new file, and the size and digest of what was written to it. A write after `close` fails."""

    def __init__(self, path: Path) -> None:
        self._path = path
        flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
        self._file = os.fdopen(os.open(path, flags, 0o600), "wb", buffering=0)
        self._hashed = hashlib.sha256()
        self.size = 0

    def write(self, part: bytes) -> None:
        self.size += len(part)
        self._hashed.update(part)
        view = memoryview(part)
        while view:
            view = view[self._file.write(view) :]

    def finish(self, digest: str, size: int) -> None:
        """Make the file durable. Raises `Invalid` if it is not what was announced."""
        check(self.size, self._hashed.hexdigest(), digest, size)
        os.fsync(self._file.fileno())

    def close(self, *, keep: bool) -> None:
        self._file.close()
        if not keep:
            self._path.unlink(missing_ok=True)


async def write_verified(parts: AsyncIterator[bytes], to: Path, digest: str, size: int) -> None:
    """Write parts to a new file. Raises, and removes the file, if they are not what was announced."""
    file, whole = await asyncio.to_thread(_VerifiedFile, to), False
    try:
        async for part in parts:
            if file.size + len(part) > size:
                too_long(size)
            await asyncio.to_thread(file.write, part)
        await asyncio.to_thread(file.finish, digest, size)
        whole = True
    finally:
        file.close(keep=whole)


async def digest_of(parts: AsyncIterator[bytes], size: int) -> tuple[int, str]:
    """Returns the size and the digest of parts. It stops at the first part beyond `size` bytes."""
    hashed, seen = hashlib.sha256(), 0
    async for part in parts:
        seen += len(part)
        await asyncio.to_thread(hashed.update, part)
        if seen > size:
            break
    return seen, hashed.hexdigest()


def _pieces(path: Path) -> Iterator[bytes]:
    with path.open("rb") as file:
        while piece := file.read(PIECE):
            yield piece


async def read_pieces(path: Path) -> AsyncIterator[bytes]:
    """Yields the content of a file, read in threads."""
    found = _pieces(path)
    while piece := await asyncio.to_thread(next, found, b""):
        yield piece


def too_long(size: int) -> None:
    """Raise the error for a content that does not end where it should."""
    raise TooLarge(f"The content has more than the {size} bytes that were announced.", limit=size)


def check(seen: int, hexdigest: str, digest: str, size: int) -> None:
    """Raise `Invalid` if a content is not what was announced."""
    if seen != size:
        raise Invalid(f"The content has {seen} bytes, and {size} were announced: push it again.")
    if f"sha256:{hexdigest}" != digest:
        raise Invalid(f"The content has the digest sha256:{hexdigest}, and {digest} was announced: push it again.")
