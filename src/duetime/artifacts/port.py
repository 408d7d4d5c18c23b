"""The contract of a store of contents: bytes by key, which clients upload without passing through the API's memory.

Obligations:
- A content is there whole or not at all: `fetch` never returns part of an upload.
- Keys are chosen by Duetime, and each is written once. They have letters, digits, hyphens and slashes.
- `accept` and `fetch` compare what is there with the size and the digest, and raise `Invalid` where it differs.
- No verb holds more than about a megabyte of a content in memory, nor the event loop.
"""

from __future__ import annotations

from collections.abc import AsyncIterator
from datetime import timedelta
from pathlib import Path
from typing import Protocol

from msgspec import Struct

from duetime.model.artifact import Upload


class SignedRequest(Struct, frozen=True):
    """The request by which a client uploads a content to an object store."""

    url: str
    headers: dict[str, str] = {}
    """To be sent with it."""


class Contents(Protocol):
    """A store of contents."""

    async def sign(self, upload: Upload, life: timedelta) -> SignedRequest | None:
        """Returns the request for an upload; None if uploads go through this server (`write`)."""
        ...

    async def write(self, upload: Upload, parts: AsyncIterator[bytes]) -> None:
        """Store an upload that goes through this server. A repeat replaces what an earlier one has stored."""
        ...

    async def accept(self, upload: Upload) -> None:
        """Check that an upload is complete. Raises `NotFound` if nothing was uploaded."""
        ...

    async def fetch(self, content: str, digest: str, size: int, to: Path) -> None:
        """Copy a content to a new file. Raises `NotFound` if it is not there."""
        ...

    async def remove(self, content: str) -> None:
        """Remove a content. One that is not there is no error."""
        ...
